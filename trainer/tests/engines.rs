//! Outside engines from the command line: in matches, and held against their protocol.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

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

fn last(said: &str) -> Value {
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

/// Writes an engine for the shell that answers `go` by `answer`; returns how it is run.
fn engine(folder: &Path, answer: &str) -> String {
    let text = format!(
        "while read -r word rest; do case $word in
            usi) echo id name script; echo usiok ;;
            isready) echo readyok ;;
            go) {answer} ;;
            quit) exit ;;
        esac; done"
    );
    let place: PathBuf = folder.join("an engine.sh");
    fs::write(&place, text).unwrap();
    format!("sh '{}'", place.display())
}

#[test]
fn what_engines_do_wrong_is_counted_and_a_match_goes_on_from_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let command = engine(dir.path(), "echo 'bestmove 5i5a'");
    let player = format!("usi:{command}?nodes=1");
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let play = |name: &str, games: &str| {
        let path = file(name);
        let args = [
            "match",
            "random",
            &player,
            "--variant",
            "showgit",
            "--save",
            &path,
        ];
        let more = ["--opening-plies", "3", "--games", games];
        out(&[&args[..], &more[..]].concat())
    };
    let whole = play("whole", "8");
    assert!(whole.contains("8 illegal moves"), "{whole}");
    assert!(whole.contains("games ended by: 8 forfeit"), "{whole}");
    assert!(whole.contains("game 0: move `5i5a`: not legal"), "{whole}");
    let none = json!({"crashes": 0, "timeouts": 0, "illegal_moves": 0, "resignations": 0});
    let mut faults = none.clone();
    faults["illegal_moves"] = json!(8);
    assert_eq!(last(&whole)["faults"], json!({"a": none, "b": faults}));
    assert_eq!(last(&whole)["score"], 1.0);
    // What a killed process leaves is gone on with.
    let saved = fs::read_to_string(file("whole")).unwrap();
    let lines: Vec<&str> = saved.lines().collect();
    fs::write(
        file("torn"),
        [lines[0], lines[5], lines[2], &lines[3][..40]].join("\n"),
    )
    .unwrap();
    assert_eq!(play("torn", "8"), whole);
    assert_eq!(fs::read_to_string(file("torn")).unwrap(), saved);
}

#[test]
fn crashes_leave_their_words_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let command = engine(dir.path(), "echo 'out of luck' >&2; exit 4");
    let log = dir.path().join("engine.log");
    let player = format!("usi:{command}?depth=1&log={}", log.display());
    let args = ["match", &player, "random", "--variant", "showgit"];
    let said = out(&[&args[..], &["--games", "2", "--json"]].concat());
    assert_eq!(last(&said)["faults"]["a"]["crashes"], 2);
    let text = fs::read_to_string(log).unwrap();
    let words = text.lines().filter(|line| *line == "out of luck");
    assert_eq!(words.count(), 2, "{text}");
}

#[test]
fn an_engine_that_does_not_work_is_an_error() {
    let fails = |player: &str, parts: &[&str]| {
        let args = [
            "match",
            player,
            "random",
            "--variant",
            "showgit",
            "--games",
            "2",
        ];
        let said = senpu(&args).assert().failure().get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        for part in parts {
            assert!(said.contains(part), "{said}");
        }
    };
    fails("uci:no-such-engine?nodes=1", &["`no-such-engine`", "PATH"]);
    let command = "usi:sh -c 'echo no net here >&2; exit 3'?nodes=1";
    fails(
        command,
        &["instead of saying `usiok`", "exit status: 3", "no net here"],
    );
    let dir = tempfile::tempdir().unwrap();
    let command = engine(dir.path(), "exit");
    fails(
        &format!("usi:{command}?nodes=1&option.Hash=3"),
        &["has no option `Hash`; it has: none"],
    );
    let silent = format!("uci:{command}?nodes=1&timeout=0.5");
    fails(&silent, &["did not say `uciok` within 0.5 s"]);
}

#[test]
fn engines_are_held_against_their_protocol() {
    let dir = tempfile::tempdir().unwrap();
    let command = engine(dir.path(), "echo bestmove 7g7f");
    let output = senpu(&["engine-check", &command])
        .assert()
        .failure()
        .get_output()
        .clone();
    let said = String::from_utf8(output.stdout).unwrap();
    for line in [
        "PASS handshake: usiok after",
        "PASS go by nodes: `bestmove 7g7f` after",
        "FAIL go infinite, stop: it answered before it was told to stop",
        "FAIL a position as a text with moves: `bestmove 7g7f`",
        "SKIP info lines are well-formed: there are none",
        "PASS quit ends the process: exit status: 0",
        "usi, showgit: ",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let failed = String::from_utf8(output.stderr).unwrap();
    assert!(failed.contains("checks failed"), "{failed}");
    let args = ["engine-check", "/no/such/engine", "--protocol", "ucci"];
    let failed = senpu(&args).assert().failure().get_output().stderr.clone();
    assert!(
        String::from_utf8(failed)
            .unwrap()
            .contains("`/no/such/engine`")
    );
}

#[test]
fn fairy_stockfish_passes() {
    let place = "/usr/games/fairy-stockfish";
    let command = std::env::var("SENPU_FAIRY_STOCKFISH").unwrap_or_else(|_| place.to_owned());
    if !Path::new(&command).exists() {
        let required = std::env::var("SENPU_REQUIRE_ENGINES").is_ok_and(|value| value == "1");
        assert!(!required, "{command} is required but missing");
        // Seen with --nocapture.
        eprintln!("SKIPPED: {command} is missing");
        return;
    }
    let quoted = format!("'{command}'");
    let args = ["engine-check", &quoted, "--protocol", "ucci", "--json"];
    let said = out(&args);
    let checks: Vec<Value> = (said.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(checks[0]["check"], "handshake");
    assert!(
        checks.iter().all(|check| check["verdict"] == "pass"),
        "{said}"
    );
    let player = format!("ucci:{command}?nodes=200&option.Hash=1");
    let args = [
        "match",
        &player,
        "random",
        "--variant",
        "xiangqi",
        "--games",
        "2",
    ];
    let said = out(&[&args[..], &["--opening-plies", "4"]].concat());
    assert_eq!(last(&said)["score"], 1.0, "{said}");
}
