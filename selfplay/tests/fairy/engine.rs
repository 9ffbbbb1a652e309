//! As much of the UCI and USI protocols as a match at fixed nodes needs.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rules::{Game, MoveOf, Position, Variant, VariantId};

/// Where Debian puts the engine, and the variable that names another place.
const PROGRAM: &str = "/usr/games/fairy-stockfish";
const PROGRAM_KEY: &str = "SENPU_FAIRY_STOCKFISH";
/// With this variable set to 1, a missing engine is a failure.
const REQUIRE_KEY: &str = "SENPU_REQUIRE_ENGINES";

/// Returns the engine's path, or `None` after saying that it is missing.
///
/// # Panics
/// If it is missing and required.
pub(crate) fn program() -> Option<PathBuf> {
    let path = std::env::var_os(PROGRAM_KEY).map_or_else(|| PROGRAM.into(), PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var(REQUIRE_KEY).is_ok_and(|value| value == "1");
    assert!(!required, "{} is required but missing", path.display());
    say(&format!(
        "SKIPPED: {} is missing ({PROGRAM_KEY} names another place)",
        path.display()
    ));
    None
}

/// Says something that is to be seen although the test passes.
#[allow(
    clippy::explicit_write,
    reason = "the harness captures what the macros print"
)]
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

/// Fairy-Stockfish as a process of its own.
pub(crate) struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    new_game: &'static str,
}

impl Engine {
    /// Starts the engine on a game: by USI in shogi, whose moves we write as USI does, otherwise by UCI.
    pub(crate) fn start(program: &PathBuf, game: VariantId) -> Self {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let usi = game == VariantId::Showgit;
        let new_game = if usi { "usinewgame" } else { "ucinewgame" };
        let mut engine = Self {
            process,
            input,
            output,
            new_game,
        };
        let (hello, ready) = if usi {
            ("usi", "usiok")
        } else {
            ("uci", "uciok")
        };
        engine.send(hello);
        engine.wait_for(ready);
        for (key, value) in [("Threads", "1"), ("Hash", "16")] {
            engine.send(&format!("setoption name {key} value {value}"));
        }
        if !usi {
            engine.send(&format!("setoption name UCI_Variant value {game}"));
        }
        engine
    }

    /// Returns the move that the engine chooses by `go LIMIT`, or `None` if it names no legal one.
    pub(crate) fn choose<V: Variant>(&mut self, game: &Game<V>, limit: &str) -> Option<MoveOf<V>> {
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        self.send(self.new_game);
        self.send("isready");
        self.wait_for("readyok");
        self.send(&format!("position startpos moves {}", moves.join(" ")));
        self.send(&format!("go {limit}"));
        let answer = self.wait_for("bestmove");
        let text = answer.split_whitespace().nth(1)?;
        game.position().parse_move(text).ok()
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Returns the next line that begins with `word`.
    fn wait_for(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).unwrap();
            assert!(length > 0, "the engine went away instead of saying {word}");
            if line.starts_with(word) {
                return line;
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to stop.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
