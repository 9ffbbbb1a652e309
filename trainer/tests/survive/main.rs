//! Runs that are killed, interrupted, damaged, starved of room or shown the wrong files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damage;
mod pipeline;
mod places;
mod resolved;
mod schedules;
mod stops;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What makes the shipped config a matter of seconds.
const TINY: [&str; 16] = [
    "stop.generations=12",
    "stop.minutes=0",
    "selfplay.games=16",
    "selfplay.plies_per_generation=60",
    "search.simulations=8",
    "net.channels=16",
    "net.blocks=1",
    "learn.warmup_positions=1000",
    "replay.batch=64",
    "replay.window=4000",
    "evaluate.positions=50",
    "evaluate.final_positions=50",
    "evaluate.simulations=[4]",
    "evaluate.match_games=2",
    "evaluate.match_simulations=4",
    "guard.min_free_megabytes=1",
];

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin("senpu")
}

fn train(run: &Path, sets: &[&str]) -> Command {
    let mut command = Command::new(program());
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
    command.arg("train").arg(config).arg("--run").arg(run);
    for set in TINY.iter().chain(sets) {
        command.arg("--set").arg(set);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs to the end and returns whether it succeeded and what it said.
fn finish(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("panicked"), "{said}");
    (output.status.success(), said)
}

fn succeed(command: &mut Command) -> String {
    let (success, said) = finish(command);
    assert!(success, "{said}");
    said
}

fn fail(command: &mut Command) -> String {
    let (success, said) = finish(command);
    assert!(!success, "{said}");
    said
}

/// Everything that a run leaves but its times, in a form that can be compared.
fn left(run: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_to_string(run.join("metrics.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("seconds");
            line.as_object_mut().unwrap().remove("speed");
            line.to_string()
        })
        .collect();
    for folder in ["checkpoints", "games"] {
        let mut files: Vec<PathBuf> = fs::read_dir(run.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for path in files {
            let hash = crc32fast::hash(&fs::read(&path).unwrap());
            all.push(format!(
                "{folder}/{} {hash:08x}",
                path.file_name().unwrap().to_string_lossy()
            ));
        }
    }
    all
}

/// Kills a process as `kill -9` does and waits until it is gone.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}
