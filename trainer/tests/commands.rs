//! The smaller commands, as a user types them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

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
    assert!(
        !said.contains("panicked") && !said.contains("backtrace"),
        "{said}"
    );
    said
}

const VECTORS: &str = "rules/tests/vectors/positions-gufu.jsonl.gz";

#[test]
fn solve_prints_the_published_numbers() {
    let solved: Value = serde_json::from_str(&out(&["solve", "gufu", "--json"])).unwrap();
    for (key, value) in [
        ("reachable", 212_807),
        ("play", 205_052),
        ("wins", 55_920),
        ("losses", 24_348),
        ("draws", 124_784),
        ("mates", 20_192),
        ("start", 0),
        ("longest", 3),
        ("mistake_possible", 144_348),
    ] {
        assert_eq!(solved[key], value, "{key}");
    }
    let position = out(&[
        "solve",
        "gufu",
        "--position",
        "startpos moves K*1c>N K*2c>S W*1b>S S*2b>W Kx2b>E",
    ]);
    assert!(position.contains("best:"), "{position}");
    assert!(err(&["solve", "gufu", "--position", "nonsense"]).contains("position `nonsense`"));
    assert!(err(&["solve", "chess"]).contains("unknown variant `chess`: expected one of gufu"));
}

#[test]
fn perft_divides() {
    assert!(out(&["perft", "gufu", "5"]).contains("perft 5: 526032 leaves"));
    let divided = out(&["perft", "gufu", "2", "--divide"]);
    assert_eq!(divided.lines().count(), 24 + 1);
    assert!(divided.contains("perft 2: 466 leaves"));
    assert!(out(&["perft", "gufu", "0"]).contains("perft 0: 1 leaves"));
    let illegal = err(&[
        "perft",
        "gufu",
        "1",
        "--position",
        "startpos moves K*1a>N K*1a>N",
    ]);
    assert!(
        illegal.contains("move `K*1a>N`: not legal in `.K^/../.. w kWS 2`"),
        "{illegal}"
    );
}

#[test]
fn verify_agrees_with_every_vector_and_sees_a_wrong_one() {
    let said: Value = serde_json::from_str(&out(&["verify", "--json", VECTORS])).unwrap();
    assert_eq!(
        (said["checked"].as_u64(), said["failed"].as_u64()),
        (Some(3000), Some(0))
    );

    let dir = tempfile::tempdir().unwrap();
    let line = r#"{"variant":"gufu","moves_from_start":["K*2a>S","K*1b>S","W*1c>N"],"fen":"Kv./.kv/.W^ w S 4","legal":["S*1a>E","S*1a>N","S*2b>S","S*2b>W","S*2c>E","S*2c>N","S*2c>S","S*2c>W"],"in_check":false,"result":null,"perfect":{"value":0,"plies":null}}"#;
    let wrong = [
        line.to_owned(),
        line.replace("\"S*1a>E\",", ""),
        line.replace("\"in_check\":false", "\"in_check\":true"),
        line.replace("\"value\":0", "\"value\":1"),
        line.replace("\"result\":null", "\"result\":{\"winner\":\"first\",\"reason\":\"mate\"}"),
        line.replace(" w S 4\"", " w S 6\""),
        r#"{"variant":"gufu","nodes":[24,466,7265]}"#.to_owned(),
        r#"{"variant":"gufu","moves":["K*2a>S"],"expected":{"ply":1,"winner":"first","reason":"checkmate"}}"#.to_owned(),
        r#"{"variant":"gufu","what":"is this"}"#.to_owned(),
    ];
    let file = dir.path().join("wrong.jsonl");
    fs::write(&file, wrong.join("\n")).unwrap();
    let failed = senpu(&["verify", file.to_str().unwrap()])
        .assert()
        .failure();
    let said = String::from_utf8(failed.get_output().stdout.clone()).unwrap();
    assert!(said.contains("9 checked, 8 failed"), "{said}");
    for (line, part) in [
        (2, "legal moves: [\"S*1a>E\"] too many"),
        (3, "in_check"),
        (4, "the exact value"),
        (5, "result"),
        (6, "the position: "),
        (7, "nodes 3: Some(7264), expected Some(7265)"),
        (8, "the outcome after ply 1"),
        (9, "neither a position"),
    ] {
        assert!(
            said.contains(&format!("wrong.jsonl:{line}: {part}")),
            "{line}: {said}"
        );
    }
    // Argued differences are counted apart.
    let argued = dir.path().join("argued.jsonl");
    let entry = |line| {
        format!(
            "{{\"file\":\"wrong.jsonl\",\"line\":{line},\"reason\":\"made wrong on purpose\"}}\n"
        )
    };
    fs::write(&argued, (2..=9).map(entry).collect::<String>()).unwrap();
    let said = out(&[
        "verify",
        file.to_str().unwrap(),
        "--argued",
        argued.to_str().unwrap(),
    ]);
    assert!(said.contains("9 checked, 0 failed, 8 argued"), "{said}");
}

#[test]
fn a_file_that_is_no_vectors_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.jsonl");
    fs::write(&file, "{\"variant\":\"gufu\"\n").unwrap();
    assert!(err(&["verify", file.to_str().unwrap()]).contains("bad.jsonl:1"));
    fs::write(&file, "{\"variant\":\"chess\"}\n").unwrap();
    assert!(err(&["verify", file.to_str().unwrap()]).contains("unknown variant `chess`"));
    assert!(err(&["verify", "no/such/file"]).contains("cannot open `no/such/file`"));
}

#[test]
fn matches_between_players_without_nets() {
    let said = out(&[
        "match",
        "exact",
        "alphabeta?depth=2",
        "--variant",
        "gufu",
        "--games",
        "40",
        "--seed",
        "3",
    ]);
    assert!(said.contains("40 games, +"), "{said}");
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["pairs"].as_u64(), last["wdl"][2].as_u64()),
        (Some(20), Some(0)),
        "exact never loses: {said}"
    );
    for key in ["score", "elo", "elo_lo", "elo_hi", "distinct_games"] {
        assert!(last.get(key).is_some(), "{key}");
    }
    // Rule options can be changed, and are checked.
    let capped = out(&[
        "match",
        "random",
        "random",
        "--variant",
        "gufu",
        "--games",
        "10",
        "--rule",
        "ply_cap=5",
    ]);
    assert!(
        capped.contains("=10 -0"),
        "no game can be won in five plies: {capped}"
    );
    assert!(
        err(&[
            "match",
            "random",
            "random",
            "--variant",
            "gufu",
            "--rule",
            "ply_cap=0"
        ])
        .contains("ply_cap = 0")
    );
    // The same seed plays the same games, and the games can be saved.
    let dir = tempfile::tempdir().unwrap();
    let play = |name: &str| {
        let path = dir.path().join(name);
        out(&[
            "match",
            "random",
            "rollout?sims=8",
            "--variant",
            "gufu",
            "--games",
            "6",
            "--save",
            path.to_str().unwrap(),
        ]);
        fs::read_to_string(path).unwrap()
    };
    let games = play("a");
    assert_eq!(games, play("b"));
    assert_eq!(games.lines().count(), 1 + 6);
    let game: Value = serde_json::from_str(games.lines().nth(1).unwrap()).unwrap();
    assert!(
        game["moves"][0].as_str().unwrap().starts_with("K*"),
        "{game}"
    );
}

#[test]
fn wrong_matches_are_refused() {
    assert!(err(&["match", "random", "exact"]).contains("the game must be given: --variant gufu"));
    assert!(
        err(&["match", "random", "stockfish", "--variant", "gufu"])
            .contains("unknown player `stockfish`")
    );
    assert!(
        err(&["match", "net:no/such/run", "random", "--variant", "gufu"])
            .contains("no such checkpoint")
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("foreign");
    fs::write(&file, "not a checkpoint").unwrap();
    let said = err(&["match", &format!("net:{}", file.display()), "random"]);
    assert!(said.contains("not a Senpu checkpoint"), "{said}");
}

#[test]
fn configs_are_checked_shown_and_described() {
    assert!(out(&["config", "check", "configs/gufu.toml"]).contains("a right config for gufu"));
    let shown = out(&[
        "config",
        "show",
        "configs/gufu.toml",
        "--set",
        "search.simulations=77",
    ]);
    assert!(shown.contains("simulations = 77"), "{shown}");
    // What is shown is itself a right config, and the same one.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("shown.toml");
    fs::write(&file, &shown).unwrap();
    assert_eq!(out(&["config", "show", file.to_str().unwrap()]), shown);
    let schema: Value = serde_json::from_str(&out(&["config", "schema"])).unwrap();
    assert!(
        schema.to_string().contains("Simulations a move"),
        "the schema carries the help texts"
    );
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml"))
            .unwrap();
    fs::write(&file, text.replace("window = ", "windw = ")).unwrap();
    let said = err(&["config", "check", file.to_str().unwrap()]);
    assert!(
        said.contains("windw") && said.contains("window") && said.contains("shown.toml:"),
        "{said}"
    );
}

#[test]
fn bench_prints_a_line_of_json_a_figure() {
    let said = out(&["bench", "--seconds", "0.05", "--batch", "16", "--json"]);
    let figures: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = figures
        .iter()
        .map(|figure| figure["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names[..7],
        [
            "bulk",
            "play-leaves",
            "playout",
            "start",
            "uniform",
            "uniform-gumbel",
            "encoding"
        ],
        "{names:?}"
    );
    assert_eq!(
        figures[0]["threads"], 1,
        "move generation runs on one thread"
    );
    assert!(
        figures
            .iter()
            .filter(|figure| figure["unit"] != "overhead")
            .all(|figure| figure["value"].as_f64().unwrap() > 0.0),
        "{said}"
    );
}

#[test]
fn a_comparison_names_the_program_that_is_missing() {
    let said = err(&["bench", "perft", "--beside", "no-such-engine"]);
    assert!(
        said.contains("no-such-engine") && said.contains("/usr/games"),
        "{said}"
    );
    let said = err(&["bench", "search", "--beside", "no-such-engine"]);
    assert!(said.contains("--beside"), "{said}");
}

#[test]
fn a_comparison_takes_the_other_program_at_its_word_only_if_the_counts_agree() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    for (count, agrees) in [("3290240", true), ("3290241", false)] {
        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case \"$line\" in uci) echo 'option name UCI_Variant type combo default chess var xiangqi'; \
             echo uciok;; isready) echo readyok;; 'go perft'*) i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; \
             echo 'Nodes searched: {count}';; esac; done\n"
        );
        fs::write(&engine, script).unwrap();
        fs::set_permissions(&engine, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let args = [
            "bench",
            "--beside",
            engine.to_str().unwrap(),
            "--game",
            "xiangqi",
            "--seconds",
            "0.01",
            "--json",
        ];
        if agrees {
            let said = out(&args);
            assert_eq!(said.lines().count(), 3, "{said}");
            assert!(said.contains("\"ratio\""), "{said}");
        } else {
            let said = err(&args);
            assert!(
                said.contains("3290240") && said.contains("3290241"),
                "{said}"
            );
        }
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let program = assert_cmd::cargo::cargo_bin("senpu");
    let command = format!(
        "'{}' perft gufu 2 --divide 2>&1 >/dev/full; '{}' config schema | head -c 10",
        program.display(),
        program.display()
    );
    let output = std::process::Command::new("sh")
        .arg("-c")
        .arg(command)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn every_config_that_is_shipped_is_right() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut games = Vec::new();
    for entry in fs::read_dir(configs).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let said = out(&["config", "check", path.to_str().unwrap()]);
            let name = path.file_stem().unwrap().to_str().unwrap();
            let game = name.trim_end_matches("-cpu").replace("smoke", "euroshogi");
            assert!(
                said.contains(&format!("a right config for {game}")),
                "{name}: {said}"
            );
            games.push(name.to_owned());
        }
    }
    for game in ["gufu", "euroshogi", "showgit", "xiangqi"] {
        assert!(games.contains(&game.to_owned()), "{games:?}");
        assert!(games.contains(&format!("{game}-cpu")), "{games:?}");
    }
}
