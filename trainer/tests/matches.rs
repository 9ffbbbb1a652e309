//! Matches from the command line: saved, stopped, gone on with, from openings, adjudicated; and ladders.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

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

fn err(args: &[&str]) -> String {
    let said =
        String::from_utf8(senpu(args).assert().failure().get_output().stderr.clone()).unwrap();
    assert!(!said.contains("panicked"), "{said}");
    said
}

fn last(said: &str) -> Value {
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

#[test]
fn a_killed_match_goes_on_and_ends_alike() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let play = |name: &str, more: &[&str]| {
        let path = file(name);
        let mut args = vec![
            "match",
            "alphabeta?depth=2",
            "rollout?sims=8",
            "--variant",
            "gufu",
            "--opening-plies",
            "4",
            "--seed",
            "5",
            "--save",
            &path,
        ];
        args.extend(more);
        out(&args)
    };
    let whole = play("whole", &["--games", "12"]);
    let saved = fs::read_to_string(file("whole")).unwrap();
    assert_eq!(saved.lines().count(), 13);
    // What a killed process leaves: some games, in whatever order they ended, and a part of another.
    let lines: Vec<&str> = saved.lines().collect();
    let torn = [lines[0], lines[9], lines[2], lines[5], &lines[7][..50]].join("\n");
    fs::write(file("torn"), torn).unwrap();
    assert_eq!(play("torn", &["--games", "12"]), whole);
    assert_eq!(fs::read_to_string(file("torn")).unwrap(), saved);
    // A match whose games are all there is not played; one may ask for more.
    assert_eq!(play("torn", &["--games", "12"]), whole);
    fs::write(file("more"), &saved).unwrap();
    let longer = last(&play("more", &["--games", "20"]));
    assert_eq!(longer["pairs"], 10);
    assert_eq!(longer, last(&play("afresh", &["--games", "20"])));
    // The head alone, or a part of it, is a match that has not begun.
    fs::write(file("head"), &lines[0][..20]).unwrap();
    assert_eq!(play("head", &["--games", "12"]), whole);
}

#[test]
fn the_file_of_another_match_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("match.jsonl");
    let file = path.to_str().unwrap();
    let args = |more: &[&'static str]| -> Vec<String> {
        let base = ["match", "random", "alphabeta?depth=1", "--variant", "gufu"];
        let base = base.iter().chain(more).map(|arg| (*arg).to_owned());
        base.chain(["--games", "4", "--save", file].map(str::to_owned))
            .collect()
    };
    let run = |more: &[&'static str]| {
        let args = args(more);
        err(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let first = args(&[]);
    out(&first.iter().map(String::as_str).collect::<Vec<_>>());
    let saved = fs::read_to_string(&path).unwrap();
    for (more, part) in [
        (["--seed", "3"], "its seed differ"),
        (["--rule", "ply_cap=50"], "its rules differ"),
        (["--opening-plies", "2"], "its openings differ"),
        (["--max-plies", "20"], "its adjudication differ"),
    ] {
        let said = run(&more);
        assert!(said.contains(part), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), saved);
    }
    // A game that did not end as it says is found, with its line.
    let wrong = saved.replacen("\"checkmate\"", "\"stalemate\"", 1);
    fs::write(&path, wrong).unwrap();
    let said = run(&[]);
    assert!(
        said.contains("ends otherwise than it says") && said.contains("line "),
        "{said}"
    );
    fs::write(&path, "something else\nentirely\n").unwrap();
    let said = run(&[]);
    assert!(said.contains("is no file of a match"), "{said}");
}

#[test]
fn openings_come_from_a_file_and_its_errors_have_lines() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("openings.txt");
    let file = path.to_str().unwrap();
    let args = [
        "match",
        "random",
        "random",
        "--variant",
        "gufu",
        "--games",
        "12",
    ];
    let with = |more: &[&'static str]| -> Vec<String> {
        let all = args.iter().chain(more).map(|arg| (*arg).to_owned());
        all.chain(["--openings".to_owned(), file.to_owned()])
            .collect()
    };
    fs::write(
        &path,
        "# two openings\nstartpos\nstartpos moves K*1c>N K*2c>S\n",
    )
    .unwrap();
    let all = with(&[]);
    let said = out(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(said.contains("from 2 openings"), "{said}");
    assert_eq!(last(&said)["distinct_openings"], 2);
    for (text, parts) in [
        ("startpos\nnonsense\n", ["line 2", "nonsense"]),
        ("startpos moves K*1c>N K*1c>N\n", ["line 1", "K*1c>N"]),
        ("# nothing\n", ["has no position", "openings.txt"]),
    ] {
        fs::write(&path, text).unwrap();
        let all = with(&[]);
        let said = err(&all.iter().map(String::as_str).collect::<Vec<_>>());
        for part in parts {
            assert!(said.contains(part), "{said}");
        }
    }
    let said = err(&[
        "match",
        "random",
        "random",
        "--variant",
        "gufu",
        "--policy-plies",
        "3",
    ]);
    assert!(said.contains("asks the net of player A"), "{said}");
}

#[test]
fn adjudicated_games_are_counted() {
    let args = [
        "match",
        "exact",
        "exact",
        "--variant",
        "gufu",
        "--games",
        "20",
        "--opening-plies",
        "6",
    ];
    let mut judged = args.to_vec();
    judged.extend([
        "--adjudicate-draw",
        "0.1",
        "4",
        "8",
        "--adjudicate-win",
        "0.9",
        "2",
    ]);
    let said = out(&judged);
    let (whole, short) = (last(&out(&args)), last(&said));
    assert_eq!(whole["wdl"], short["wdl"]);
    let count = short["endings"]["adjudication"].as_u64().unwrap();
    assert!(count > 10, "{said}");
    assert!(
        said.contains(&format!(
            "{count} of 20 games were ended by the match's own thresholds"
        )),
        "{said}"
    );
    let mut wrong = args.to_vec();
    wrong.extend(["--adjudicate-win", "0.9", "1"]);
    assert!(err(&wrong).contains("at least 2"));
    let mut even = args.to_vec();
    even.extend(["--balance", "0.2", "--judge", "random"]);
    assert!(err(&even).contains("gives no value"));
}

/// A run of the smallest net, without a generation learned.
fn tiny_run(run: &Path) {
    let mut command = senpu(&["train", "configs/gufu.toml", "--run"]);
    command.arg(run).arg("--quiet");
    for set in [
        "stop.generations=1",
        "selfplay.games=4",
        "selfplay.plies_per_generation=8",
        "search.simulations=2",
        "net.channels=4",
        "net.blocks=1",
        "replay.batch=8",
        "evaluate.positions=0",
        "evaluate.final_positions=0",
        "evaluate.match_games=0",
    ] {
        command.args(["--set", set]);
    }
    command.assert().success();
}

#[test]
fn a_ladder_goes_on_from_its_results_and_rates_made_up_ones() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    tiny_run(&run);
    let path = run.to_str().unwrap();
    let ladder = |more: &[&str]| {
        let mut args = vec!["ladder", path, "--sims", "2", "--rungs", "1,3"];
        args.extend(["--opening-plies", "4", "--pairs", "2"]);
        args.extend(more);
        out(&args)
    };
    // Nothing is played, so nobody is rated.
    let said = last(&ladder(&["--games", "0"]));
    assert_eq!(said["ratings"], json!([]));
    assert_eq!(said["unlinked"].as_array().unwrap().len(), 4);
    let said = ladder(&["--games", "16"]);
    let file = run.join("matches/ladder.jsonl");
    let played = fs::read_to_string(&file).unwrap();
    assert_eq!(played.lines().count(), 4);
    assert!(
        said.contains("fixed") && said.contains("rung:1 (random)"),
        "{said}"
    );
    // A torn line costs no more than itself.
    fs::write(&file, &played[..played.len() - 10]).unwrap();
    ladder(&["--games", "4"]);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 4);

    // Results made up: the net of generation 1 beats `random` by as much as 191 Elo.
    let mut line: Value = serde_json::from_str(played.lines().next().unwrap()).unwrap();
    let checkpoints = last(&said);
    let key = checkpoints["ratings"].as_array().unwrap().iter();
    let key = key
        .map(|row| row["key"].as_str().unwrap())
        .find(|key| key.starts_with("@1?"))
        .unwrap();
    let weights = key.rsplit(' ').next().unwrap();
    line["first"] = json!({"name": "@1?sims=2", "weights": weights});
    line["second"] = json!({"name": "random", "weights": null});
    line["counts"] = json!([0, 0, 500, 0, 500]);
    fs::write(&file, format!("{line}\n")).unwrap();
    let rated = last(&ladder(&["--games", "0"]));
    let rows = rated["ratings"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{rated}");
    let elo = rows[0]["elo"].as_f64().unwrap();
    assert!((elo - 190.8).abs() < 1.0, "{rated}");
    let (low, high) = (rows[0]["elo_lo"].as_f64(), rows[0]["elo_hi"].as_f64());
    assert!(
        low.unwrap() < elo - 5.0 && high.unwrap() > elo + 5.0,
        "{rated}"
    );
    assert_eq!(
        (&rows[0]["player"], &rows[0]["games"]),
        (&json!("@1?sims=2"), &json!(2000))
    );
    // Under other conditions nothing of it counts.
    let other = last(&out(&[
        "ladder", path, "--sims", "2", "--rungs", "1,3", "--games", "0",
    ]));
    assert_eq!(
        (&other["ratings"], &other["left_out"]),
        (&json!([]), &json!(1))
    );

    assert!(err(&["ladder", path, "--rungs", "9"]).contains("numbers from 1 to 5"));
    assert!(err(&["ladder", path, "--generations", "7"]).contains("no checkpoint of generation 7"));
    assert!(err(&["ladder", path, "--anchor", "me"]).contains("--anchor me: no such player"));
    assert!(err(&["ladder", "no/such/run"]).contains("there is no run directory"));
}
