//! The whole loop from the command line: tiny runs of gufu that learn, stop, go on and are looked into.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod refused;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml")
}

fn senpu(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("senpu").unwrap();
    command.args(args);
    command
}

/// What makes the shipped config small enough for a test.
const TINY: [&str; 15] = [
    "stop.generations=3",
    "stop.minutes=0",
    "selfplay.games=32",
    "selfplay.plies_per_generation=40",
    "search.simulations=8",
    "net.channels=16",
    "net.blocks=1",
    "learn.warmup_positions=1000",
    "replay.batch=128",
    "replay.window=4000",
    "evaluate.positions=100",
    "evaluate.final_positions=200",
    "evaluate.simulations=[8]",
    "evaluate.match_games=4",
    "evaluate.match_simulations=8",
];

fn train(run: &Path, sets: &[&str], global: &[&str]) -> Command {
    let mut command = senpu(global);
    command.arg("train").arg(config()).arg("--run").arg(run);
    for set in TINY.iter().chain(sets) {
        command.arg("--set").arg(set);
    }
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

fn metrics(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("seconds");
            line.as_object_mut().unwrap().remove("speed");
            line
        })
        .collect()
}

#[test]
fn a_run_learns_publishes_and_can_be_looked_into() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let sets = [
        "stop.generations=8",
        "selfplay.games=64",
        "selfplay.plies_per_generation=80",
        "search.simulations=16",
        "net.channels=32",
    ];
    let sets: Vec<&str> = sets
        .into_iter()
        .chain(["replay.window=40000", "replay.reuse=8.0"])
        .collect();
    let output = train(&run, &sets, &[]).assert().success();
    let said = text(output.get_output());
    assert!(said.contains("complete after 8 generations"), "{said}");
    let lines = metrics(&run);
    assert_eq!(
        lines.len(),
        8 + 2,
        "one line a generation, the untrained net and the end of the run included"
    );
    let policy = |line: &Value| line["evaluation"]["exactness"]["policy"].as_f64().unwrap();
    let (untrained, trained) = (policy(&lines[0]), policy(&lines[8]));
    assert!(
        untrained < 0.60,
        "an untrained net keeps the value by luck: {untrained}"
    );
    assert!(
        trained > untrained + 0.15,
        "{untrained} before, {trained} after"
    );
    assert!(
        lines[9]["at_end"]["search"]["8"].as_f64().unwrap()
            > lines[0]["evaluation"]["search"]["8"].as_f64().unwrap()
    );

    senpu(&["replay", "check", run.to_str().unwrap()])
        .assert()
        .success();
    let stats = senpu(&["replay", "stats", "--json", run.to_str().unwrap()])
        .assert()
        .success();
    let stats: Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    let games: u64 = lines.iter().filter_map(|line| line["games"].as_u64()).sum();
    assert_eq!(stats["games"].as_u64().unwrap(), games);

    let player = format!("net:{}?sims=16", run.display());
    let result = senpu(&["match", &player, "random", "--games", "40", "--json"])
        .assert()
        .success();
    let result: Value = serde_json::from_slice(&result.get_output().stdout).unwrap();
    assert_eq!(result["pairs"], 20);
    assert!(result["score"].as_f64().unwrap() > 0.8, "{result}");
    // A generation can be named, and the net needs no config.
    let old = format!("net:{}@0?sims=0", run.display());
    senpu(&[
        "match",
        &player,
        &old,
        "--games",
        "4",
        "--opening-plies",
        "6",
    ])
    .assert()
    .success();
    let missing = format!("net:{}@99", run.display());
    let refused = senpu(&["match", &missing, "random"]).assert().failure();
    assert!(
        text(refused.get_output()).contains("no checkpoint of generation 99; there are 0, 1, 2")
    );
}

#[test]
fn a_run_goes_on_where_it_was_and_ends_alike() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    train(&whole, &[], &["--threads", "2"]).assert().success();
    train(&parts, &["stop.generations=1"], &["--threads", "1"])
        .assert()
        .success();
    let output = train(&parts, &[], &["--threads", "1"]).assert().success();
    let said = text(output.get_output());
    assert!(said.contains("going on after generation 1"), "{said}");
    let end = |line: &Value| line["at_end"].is_object();
    let strip =
        |lines: Vec<Value>| -> Vec<Value> { lines.into_iter().filter(|line| !end(line)).collect() };
    assert_eq!(strip(metrics(&whole)), strip(metrics(&parts)));
    for generation in 0..=3 {
        let name = format!("checkpoints/gen-{generation:06}.senpu");
        assert_eq!(
            fs::read(whole.join(&name)).unwrap(),
            fs::read(parts.join(&name)).unwrap(),
            "{name}"
        );
    }
    // A run that is complete says so and changes nothing.
    let before = fs::read(parts.join("metrics.jsonl")).unwrap();
    let said = text(train(&parts, &[], &[]).assert().success().get_output());
    assert!(said.contains("complete after 3 generations"), "{said}");
    assert_eq!(fs::read(parts.join("metrics.jsonl")).unwrap(), before);
}

/// All that varies games at once: they are the same in a run that was stopped, and what they are shows.
#[test]
fn varied_games_go_on_alike_and_show_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let starts = dir.path().join("starts.txt");
    let position = "../../.K^ w kWS 2";
    fs::write(&starts, format!("# one ply later\n{position}\n")).unwrap();
    let file = format!("selfplay.openings.file=\"{}\"", starts.display());
    let sets = [
        &file,
        "selfplay.openings.file_share=0.3",
        "selfplay.openings.policy_share=0.5",
        "selfplay.openings.policy_plies=4",
        "selfplay.openings.stagger_plies=20",
        "selfplay.caps.stages=[\
            { positions = 0, simulations = 4, full_share = 0.5, fast_simulations = 4 }, \
            { positions = 1000, simulations = 6, full_share = 0.5, fast_simulations = 4 }, \
            { positions = 2000, simulations = 8, full_share = 0.5, fast_simulations = 2 }]",
        "selfplay.forks.share=0.3",
        "selfplay.forks.restart_share=0.2",
        "selfplay.resign.plies=1",
        "selfplay.resign.threshold=0.0",
        "selfplay.resign.play_on_share=0.7",
        "selfplay.surprise.policy=0.5",
        "rules.ply_cap=60",
        "guard.most_capped=0.01",
        "guard.most_false_resignations=0.0",
    ];
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    let said = text(train(&whole, &sets, &[]).assert().success().get_output());
    for warned in [
        "guard.most_capped = 0.01",
        "guard.most_false_resignations = 0",
    ] {
        assert_eq!(said.matches(warned).count(), 1, "{said}");
    }
    assert!(said.contains(", false resignations "), "{said}");
    let first: Vec<&str> = [&sets[..], &["stop.generations=1"]].concat();
    train(&parts, &first, &[]).assert().success();
    // The run has its own copy of the file, and another one is refused.
    fs::write(&starts, "nonsense\n").unwrap();
    let said = text(train(&parts, &sets, &[]).assert().failure().get_output());
    assert!(
        said.contains("starts.txt`, line 1") && said.contains("nonsense"),
        "{said}"
    );
    fs::remove_file(&starts).unwrap();
    train(&parts, &sets, &[]).assert().success();
    let of_generations = |run: &Path| -> Vec<Value> {
        let lines = metrics(run).into_iter();
        lines.filter(|line| line["at_end"].is_null()).collect()
    };
    let lines = of_generations(&whole);
    assert_eq!(lines, of_generations(&parts));
    // A generation has 1280 searched positions.
    for (line, simulations) in [(1, [4, 4]), (2, [6, 4]), (3, [8, 2])] {
        let line = &lines[line];
        assert_eq!(line["full_simulations"], simulations[0]);
        assert_eq!(line["fast_simulations"], simulations[1]);
        assert_eq!(line["full_share"], 0.5);
    }
    let last = &lines[3];
    for kind in ["searched", "fast", "policy", "forked"] {
        assert!(last["kinds"][kind].as_u64().unwrap() > 0, "{last}");
    }
    assert!(last["branched"]["fork"].as_u64().unwrap() > 0, "{last}");
    assert!(last["resignations"]["run"]["played_on"].as_u64().unwrap() > 0);
    assert_eq!(last["recent"]["alarms"]["capped"], true);

    let run = whole.to_str().unwrap();
    let export = senpu(&["replay", "export", run]).assert().success();
    let export = text(export.get_output());
    let games: Vec<Value> = export
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let stats = senpu(&["replay", "stats", "--json", run])
        .assert()
        .success();
    let stats: Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    assert_eq!(stats["games"], games.len());
    let count = |is: &dyn Fn(&Value) -> bool| games.iter().filter(|&game| is(game)).count();
    assert!(count(&|game| game["start"] == position) > 0);
    assert_eq!(
        stats["endings"]["resignation"],
        count(&|game| game["outcome"]["reason"] == "resignation")
    );
    assert_eq!(
        stats["branched"]["fork"],
        count(&|game| game["origin"]["kind"] == "fork")
    );
    let searched = |ply: &&Value| ply["kind"] == "searched";
    let ply = games[0]["plies"]
        .as_array()
        .unwrap()
        .iter()
        .find(searched)
        .unwrap();
    assert!(
        ply["edges"][0]["move"].is_string() && ply["moves_left"].as_u64() > Some(0),
        "{ply}"
    );
    senpu(&["replay", "check", run]).assert().success();
}

/// Each game's config, made small, and the smoke config: it plays, learns, goes on, and leaves games that are right by the rules.
#[test]
fn every_game_trains() {
    let small = [
        "stop.generations=2",
        "selfplay.games=8",
        "selfplay.plies_per_generation=48",
        "selfplay.early_ply_cap=40",
        "selfplay.openings.stagger_plies=10",
        "selfplay.full_cap_positions=100000",
        "search.simulations=4",
        "net.channels=8",
        "net.blocks=1",
        "learn.warmup_positions=200",
        "replay.batch=32",
        "evaluate.match_games=2",
        "evaluate.match_simulations=4",
    ];
    for name in ["showgit", "euroshogi", "xiangqi", "smoke"] {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        let config = config().with_file_name(format!("{name}.toml"));
        let mut command = senpu(&["train"]);
        command.arg(&config).arg("--run").arg(&run);
        for set in small.iter().filter(|_| name != "smoke") {
            command.arg("--set").arg(set);
        }
        let said = text(command.assert().success().get_output());
        assert!(
            said.contains("complete after 2 generations"),
            "{name}: {said}"
        );
        let lines = metrics(&run);
        let last = &lines[2];
        assert!(last["steps"].as_u64().unwrap() > 0, "{name}: {last}");
        assert!(
            last["losses"]["policy"].as_f64().unwrap() > 0.0
                && last["ply_cap"].as_u64() >= Some(40),
            "{name}: {last}"
        );
        let ended: u64 = lines[1..3]
            .iter()
            .map(|line| line["games"].as_u64().unwrap())
            .sum();
        assert!(ended > 0, "{name}: the early cap ends games");
        senpu(&["replay", "check", run.to_str().unwrap()])
            .assert()
            .success();
        let player = format!("net:{}?sims=4", run.display());
        senpu(&["match", &player, "random", "--games", "2"])
            .assert()
            .success();
    }
}
