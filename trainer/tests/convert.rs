//! `senpu convert`, and the records that matches leave.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

fn senpu(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("senpu").unwrap();
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(args);
    command
}

fn out(args: &[&str]) -> String {
    String::from_utf8(senpu(args).assert().success().get_output().stdout.clone()).unwrap()
}

fn err(args: &[&str]) -> String {
    let said =
        String::from_utf8(senpu(args).assert().failure().get_output().stderr.clone()).unwrap();
    assert!(!said.contains("panicked"), "{said}");
    said
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }
}

const KIF: &str = "手合割：平手\n先手：a\n1 ７六歩(77) ( 0:12/00:00:12)\n2 ３四歩(33)\n3 投了\nまで2手で後手の勝ち\n";

#[test]
fn between_all_formats_and_back() {
    let dir = Folder::new();
    let kif = dir.write("game.kif", KIF);
    let (csa, pgn, again) = (
        dir.path("game.csa"),
        dir.path("game.pgn"),
        dir.path("again.kifu"),
    );
    assert_eq!(
        out(&["convert", &kif, &csa]),
        format!("1 games in `{csa}`\n")
    );
    out(&["convert", &csa, &pgn]);
    out(&["convert", &pgn, &again]);
    let kif = dir.read("again.kifu");
    for line in [
        "先手：a\n",
        "   1 ７六歩(77)   ( 0:12/00:00:12)\n",
        "   3 投了\n",
        "まで2手で後手の勝ち\n",
    ] {
        assert!(kif.contains(line), "{kif}");
    }
    let usi = senpu(&["convert", "-", "-", "--from", "kif", "--to", "usi"])
        .write_stdin(KIF)
        .assert()
        .success();
    assert_eq!(
        usi.get_output().stdout,
        b"position startpos moves 7g7f 3c3d\n"
    );
    // A file of two games, and other games than shogi.
    let two = dir.write(
        "two.usi",
        "startpos moves h3e3 h10g8\nstartpos moves c1e3\n",
    );
    let pgn = out(&["convert", &two, "-", "--to", "pgn", "--variant", "xiangqi"]);
    assert_eq!(pgn.matches("[Variant \"xiangqi\"]").count(), 2, "{pgn}");
    assert!(pgn.contains("\n\n1. h3e3 h10g8 *\n\n["), "{pgn}");
}

#[test]
fn into_own_records_and_out_of_them() {
    let dir = Folder::new();
    let kif = dir.write("game.kif", KIF);
    let (segment, back) = (dir.path("games.sgm"), dir.path("back.csa"));
    let said = out(&["convert", &kif, &segment]);
    assert!(said.contains("nothing is learned from them"), "{said}");
    out(&["convert", &segment, &back]);
    let csa = dir.read("back.csa");
    assert!(csa.contains("PI\n+\n+7776FU\n-3334FU\n%TORYO\n"), "{csa}");
    let unfinished = dir.write("open.kif", "手合割：平手\n1 ７六歩(77)\n");
    let said = err(&["convert", &unfinished, &segment]);
    assert!(
        said.contains("game 1") && said.contains("has no end"),
        "{said}"
    );
    assert_eq!(dir.read("back.csa"), csa);
    let damaged = dir.write("damaged.sgm", b"SENPUSGM nothing");
    let said = err(&["convert", &damaged, "-", "--to", "pgn"]);
    assert!(said.contains("is no segment of games"), "{said}");
}

/// What makes a run end in a moment.
const TINY: [&str; 13] = [
    "stop.generations=1",
    "stop.minutes=0",
    "selfplay.games=32",
    "selfplay.plies_per_generation=40",
    "search.simulations=8",
    "net.channels=16",
    "net.blocks=1",
    "replay.batch=128",
    "replay.window=4000",
    "evaluate.positions=100",
    "evaluate.final_positions=200",
    "evaluate.simulations=[8]",
    "evaluate.match_games=0",
];

#[test]
fn a_run_is_exported() {
    let dir = Folder::new();
    let run = dir.path("run");
    let mut command = senpu(&["train", "configs/gufu.toml", "--run", &run, "--quiet"]);
    for set in TINY {
        command.args(["--set", set]);
    }
    command.assert().success();
    let pgn = dir.path("run.pgn");
    let said = out(&["convert", &run, &pgn]);
    let text = dir.read("run.pgn");
    let games = text.matches("[Variant \"gufu\"]").count();
    assert!(
        games > 0 && said.starts_with(&format!("{games} games")),
        "{said}"
    );
    assert!(
        text.contains("[Event \"self-play\"]") && text.contains("[White \"net "),
        "{text}"
    );
    assert!(text.contains("{value "), "{text}");
    let stats = out(&["replay", "stats", &run, "--json"]);
    assert!(stats.contains(&format!("\"games\":{games},")), "{stats}");
}

#[test]
fn wrong_input_is_named() {
    let dir = Folder::new();
    let kif = dir.write("bad.kif", KIF.replace("３四歩(33)", "３五歩(33)"));
    let said = err(&["convert", &kif, "-", "--to", "csa"]);
    assert!(
        said.contains("bad.kif`: line 4: ") && said.contains("the man does not move so"),
        "{said}"
    );
    let jis = dir.write("jis.kif", b"\x8e\xe8\x8d\x87\x8a\x84\n");
    let said = err(&["convert", &jis, "-", "--to", "csa"]);
    assert!(
        said.contains("line 1: not UTF-8") && said.contains("Shift-JIS"),
        "{said}"
    );
    let good = dir.write("good.kif", KIF);
    for (args, part) in [
        (
            vec![good.as_str(), "-"],
            "the format of `-` is unknown: give --to",
        ),
        (
            vec!["-", "x.csa"],
            "the format of `-` is unknown: give --from",
        ),
        (vec![good.as_str(), "x.txt"], "one of pgn, kif, csa, usi"),
        (
            vec![good.as_str(), "-", "--to", "pgn", "--variant", "gufu"],
            "has games of showgit, not of gufu",
        ),
        (
            vec!["missing.pgn", "-", "--to", "usi"],
            "cannot read `missing.pgn`",
        ),
        (
            vec![good.as_str(), "-", "--to", "sgf"],
            "unknown format `sgf`",
        ),
    ] {
        let mut all = vec!["convert"];
        all.extend(args);
        let said = err(&all);
        assert!(said.contains(part), "{said}");
    }
    let xiangqi = dir.write("x.usi", "startpos moves h3e3\n");
    let said = err(&[
        "convert",
        &xiangqi,
        "-",
        "--to",
        "kif",
        "--variant",
        "xiangqi",
    ]);
    assert!(
        said.contains("kif is a format for showgit, not for xiangqi"),
        "{said}"
    );
    let empty = dir.write("empty.pgn", "\n");
    let said = err(&["convert", &empty, "-", "--to", "usi"]);
    assert!(said.contains("has no game"), "{said}");
}

fn play(variant: &str, more: &[&str]) -> String {
    let mut args = vec![
        "match",
        "alphabeta?depth=2",
        "rollout?sims=8",
        "--variant",
        variant,
        "--opening-plies",
        "4",
        "--seed",
        "5",
    ];
    args.extend(more);
    out(&args)
}

#[test]
fn a_match_leaves_records_that_a_kill_does_not_spoil() {
    let dir = Folder::new();
    let (save, records) = (dir.path("m.jsonl"), dir.path("m.pgn"));
    let go = || {
        play(
            "gufu",
            &["--games", "8", "--save", &save, "--records", &records],
        )
    };
    go();
    let whole = dir.read("m.pgn");
    assert_eq!(whole.matches("[Event \"match\"]").count(), 8);
    assert!(
        whole.contains("[White \"alphabeta?depth=2\"]\n[Black \"rollout?sims=8\"]"),
        "{whole}"
    );
    assert!(whole.contains("{value "), "{whole}");
    // What a killed process leaves: games in any order, and perhaps a part of the newest, whose line is in the match file.
    let saved = dir.read("m.jsonl");
    let lines: Vec<&str> = saved.lines().collect();
    let separate: Vec<String> = whole
        .split("[Event ")
        .skip(1)
        .map(|game| format!("[Event {}", game.trim_end()))
        .collect();
    for torn in [
        format!("{}\n\n{}\n", separate[4], separate[1]),
        format!("{}\n\n{}", separate[4], &separate[1][..90]),
        format!("{}\n", separate[4]),
        String::new(),
    ] {
        dir.write(
            "m.jsonl",
            [lines[0], lines[5], lines[2], &lines[7][..40]].join("\n"),
        );
        dir.write("m.pgn", torn);
        go();
        assert_eq!(dir.read("m.pgn"), whole);
        assert_eq!(dir.read("m.jsonl"), saved);
    }
    // The records of another match are not touched.
    let other = whole.replace("rollout", "rollaut");
    dir.write("m.pgn", &other);
    let said = err(&[
        "match",
        "alphabeta?depth=2",
        "rollout?sims=8",
        "--variant",
        "gufu",
        "--opening-plies",
        "4",
        "--seed",
        "5",
        "--games",
        "8",
        "--save",
        &save,
        "--records",
        &records,
    ]);
    assert!(said.contains("holds other games"), "{said}");
    assert_eq!(dir.read("m.pgn"), other);
}

#[test]
fn records_go_to_a_directory_too() {
    let dir = Folder::new();
    let (save, folder) = (dir.path("m.jsonl"), dir.path("games"));
    let go = || {
        play(
            "showgit",
            &[
                "--games",
                "2",
                "--max-plies",
                "8",
                "--save",
                &save,
                "--records",
                &folder,
            ],
        )
    };
    go();
    let kif = dir.read("games/game-000002.kifu");
    assert!(
        kif.contains("先手：rollout?sims=8\n")
            && kif.contains("reason: adjudication, winner: nobody"),
        "{kif}"
    );
    fs::remove_file(dir.path("games/game-000001.kifu")).unwrap();
    go();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    dir.write("games/game-000002.kifu", "another game");
    let said = err(&[
        "match",
        "alphabeta?depth=2",
        "rollout?sims=8",
        "--variant",
        "showgit",
        "--opening-plies",
        "4",
        "--seed",
        "5",
        "--games",
        "2",
        "--max-plies",
        "8",
        "--save",
        &save,
        "--records",
        &folder,
    ]);
    assert!(said.contains("is another game"), "{said}");
    for (name, part) in [
        ("x.txt", "must end in one of pgn, kif, csa, usi"),
        ("x.kif", "kif is a format for showgit"),
    ] {
        let said = err(&[
            "match",
            "random",
            "random",
            "--variant",
            "gufu",
            "--games",
            "2",
            "--records",
            &dir.path(name),
        ]);
        assert!(said.contains(part), "{said}");
    }
    // Without a match file there is nothing to go on from.
    let said = err(&[
        "match",
        "random",
        "random",
        "--variant",
        "gufu",
        "--games",
        "2",
        "--records",
        &dir.write("old.pgn", "x"),
    ]);
    assert!(said.contains("holds other games"), "{said}");
}
