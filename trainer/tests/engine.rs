//! `senpu usi`, `uci` and `ucci` as programs: what another program sees of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::LazyLock;

use rules::dialect::Dialect;
use rules::variants::gufu::Gufu;
use rules::{Game, Variant};

fn senpu(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("senpu"));
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(args);
    command
}

/// An engine with its pipes.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(args: &[&str]) -> Self {
        let mut process = senpu(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Returns the next line that begins with `word`.
    fn wait_for(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).unwrap();
            assert!(length > 0, "it ended instead of saying {word}");
            if line.starts_with(word) {
                return line.trim_end().to_owned();
            }
        }
    }

    fn ask(&mut self, line: &str, word: &str) -> String {
        self.send(format!("{line}\n").as_bytes());
        self.wait_for(word)
    }

    /// Closes its input and waits for its end; returns what it said on standard error too.
    fn end(mut self) -> (ExitStatus, String) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let mut complaint = String::new();
        let mut errors = self.process.stderr.take().unwrap();
        errors.read_to_string(&mut complaint).unwrap();
        (self.process.wait().unwrap(), complaint)
    }
}

/// A run of gufu, trained for a moment.
static RUN: LazyLock<(tempfile::TempDir, String)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
    let mut command = senpu(&["train"]);
    command.arg(config).arg("--run").arg(&run).arg("--quiet");
    for set in [
        "stop.generations=1",
        "stop.minutes=0",
        "selfplay.games=16",
        "selfplay.plies_per_generation=20",
        "search.simulations=8",
        "net.channels=8",
        "net.blocks=1",
        "learn.warmup_positions=1000",
        "replay.batch=64",
        "replay.window=4000",
        "evaluate.positions=20",
        "evaluate.final_positions=20",
        "evaluate.simulations=[8]",
        "evaluate.match_games=2",
        "evaluate.match_simulations=8",
    ] {
        command.arg("--set").arg(set);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let player = format!("net:{}", run.display());
    (dir, player)
});

#[test]
fn a_net_plays_a_game_of_its_own_kind_on_two_threads() {
    let mut engine = Engine::start(&["--threads", "2", "uci", "--player", &RUN.1]);
    engine.send(b"uci\n");
    assert_eq!(
        engine.wait_for("option name UCI_Variant"),
        "option name UCI_Variant type combo default gufu var gufu"
    );
    engine.wait_for("uciok");
    engine.ask("setoption name UCI_Variant value shogi", "info string");
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    let mut legal = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() || game.ply() == 20 {
            break;
        }
        let position = format!("position {}\n", Dialect::Uci.game_text(&game));
        engine.send(position.as_bytes());
        let answer = engine.ask("go wtime 3000 btime 3000 winc 50 binc 50", "bestmove");
        let word = answer.split_whitespace().nth(1).unwrap();
        game.play(
            Dialect::Uci
                .parse_move::<Gufu>(game.position(), word)
                .unwrap(),
        );
    }
    assert!(game.ply() > 3);
    let (status, complaint) = engine.end();
    assert!(status.success() && complaint.is_empty(), "{complaint}");
}

#[test]
fn another_game_is_taken_by_a_player_that_can() {
    let mut engine = Engine::start(&["uci", "--player", "alphabeta?depth=1"]);
    for (name, start) in [
        (
            "xiangqi",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        ),
        (
            "euroshogi",
            "1nbgkgn1/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/1NGKGBN1[] w - - 0 1",
        ),
    ] {
        engine.send(format!("setoption name UCI_Variant value {name}\n").as_bytes());
        engine.send(format!("position fen {start}\n").as_bytes());
        assert_ne!(engine.ask("go", "bestmove"), "bestmove (none)", "{name}");
    }
    assert!(engine.end().0.success());
}

#[test]
fn raw_bytes_are_survived() {
    let mut engine = Engine::start(&["usi", "--player", "alphabeta?depth=2"]);
    let mut bytes = b"position startpos moves \xff\xfe 7g7f\ngo\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'a', 10 << 20));
    bytes.extend(b"\n\x00\x01\xc3\x28\nusi");
    // The reader and the pipe are both smaller than this: someone must listen meanwhile.
    let mut input = engine.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        input.write_all(&bytes).unwrap();
        input
    });
    assert_eq!(engine.wait_for("bestmove"), "bestmove resign");
    assert!(
        engine
            .wait_for("info string a line of")
            .contains("10485760 bytes")
    );
    engine.input = Some(writer.join().unwrap());
    // The other half of the last line.
    engine.ask("", "usiok");
    engine.ask("position startpos\ngo", "bestmove");
    let (status, complaint) = engine.end();
    assert!(status.success() && complaint.is_empty(), "{complaint}");
}

#[test]
fn a_closed_output_ends_it_without_a_word() {
    let mut engine = Engine::start(&["uci", "--player", "rollout"]);
    engine.ask("isready", "readyok");
    let Engine {
        mut process,
        input,
        output,
    } = engine;
    drop(output);
    let mut input = input.unwrap();
    // It may be gone before all is written.
    let _ = input.write_all(b"go infinite\nisready\nisready\n");
    let status = process.wait().unwrap();
    let mut complaint = String::new();
    process
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    assert!(
        status.success() && complaint.is_empty(),
        "{status} {complaint}"
    );
}

#[test]
fn what_cannot_be_played_is_said_before_anything_else() {
    let broken = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken.senpu");
    std::fs::write(&broken, b"no checkpoint").unwrap();
    let broken = format!("net:{}", broken.display());
    let net = RUN.1.as_str();
    for (args, said) in [
        (["uci", "--player", &broken, "--seed", "1"], "broken.senpu"),
        (["uci", "--player", "net:nowhere", "--seed", "1"], "nowhere"),
        (
            ["usi", "--player", "exact", "--variant", "showgit"],
            "does not play showgit: it plays gufu",
        ),
        (
            ["usi", "--player", net, "--variant", "showgit"],
            "does not play showgit: it plays gufu",
        ),
        (
            ["usi", "--player", "alphabeta?deep=3", "--seed", "1"],
            "unknown option `deep`",
        ),
        (
            ["usi", "--player", "random", "--rule", "ply_cap=0"],
            "ply_cap = 0",
        ),
    ] {
        let output = senpu(&args).stdin(Stdio::null()).output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && complaint.contains(said),
            "{args:?}: {complaint}"
        );
        assert!(
            output.stdout.is_empty() && !complaint.contains("panicked"),
            "{complaint}"
        );
    }
}
