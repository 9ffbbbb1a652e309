//! The offline lab from the command line: tiny runs of gufu whose games are learned from again, and the same figures on any number of threads.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

const TINY: [&str; 13] = [
    "stop.minutes=0",
    "stop.generations=2",
    "selfplay.games=32",
    "selfplay.plies_per_generation=80",
    "search.simulations=8",
    "net.value_width=32",
    "net.policy_width=32",
    "learn.warmup_positions=1000",
    "replay.batch=64",
    "evaluate.positions=0",
    "evaluate.final_positions=0",
    "evaluate.simulations=[]",
    "evaluate.match_games=0",
];

fn config(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{name}.toml"));
    path.to_str().unwrap().to_owned()
}

fn senpu<S: AsRef<str>>(args: &[S]) -> std::process::Output {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let mut command = Command::cargo_bin("senpu").unwrap();
    command.args(args).output().unwrap()
}

/// A run of the net of features, made once for each test that wants one.
fn trained(dir: &Path, sets: &[&str]) -> PathBuf {
    let run = dir.join("run");
    let config = config("gufu-cpu");
    let mut args = vec!["train", &config, "--run", run.to_str().unwrap()];
    for set in TINY.iter().chain(sets) {
        args.extend(["--set", set]);
    }
    let output = senpu(&args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    run
}

/// Learns in the lab and returns its lines.
fn learn(store: &Path, args: &[&str]) -> Vec<Value> {
    let begin = ["learn", "--json", "--frozen", store.to_str().unwrap()];
    let output = senpu(&[&begin[..], args].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(line).collect()
}

fn refusal(args: &[&str]) -> String {
    let output = senpu(&[&["learn"], args].concat());
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The lines that say how far an arm is, without speeds.
fn points(lines: &[Value], arm: &str) -> Vec<Value> {
    let own = lines.iter().filter(|line| line["arm"] == arm).cloned();
    own.map(|mut line| {
        line.as_object_mut().unwrap().remove("speed").unwrap();
        line
    })
    .collect()
}

fn summaries(lines: &[Value]) -> Vec<&Value> {
    let summaries = lines.iter().map(|line| &line["summary"]);
    summaries.filter(|line| !line.is_null()).collect()
}

fn divergence(means: &Value) -> f64 {
    means["policy"].as_f64().unwrap() - means["policy_entropy"].as_f64().unwrap()
}

fn value(means: &Value) -> f64 {
    means["wdl"].as_f64().unwrap()
}

/// Every file under a directory with its content.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(content(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn what_is_learned_shows_on_games_held_out() {
    let dir = tempfile::tempdir().unwrap();
    let sets = [
        "stop.generations=3",
        "selfplay.games=96",
        "selfplay.plies_per_generation=120",
        "search.simulations=16",
    ];
    let run = trained(dir.path(), &sets);
    let before = content(&run);
    let net = dir.path().join("net.senpu");
    let out = ["--held-out", "0.2", "--out", net.to_str().unwrap()];
    let lines = learn(&run, &[&out[..], &["--epochs", "2"]].concat());
    assert!(content(&run) == before, "the lab wrote into the run");

    let store = &lines[0]["store"];
    let count = |key: &str| store[key].as_u64().unwrap();
    let (games, held_out) = (count("learned_games"), count("held_out_games"));
    let share = held_out as f64 / (games + held_out) as f64;
    assert!((0.1..0.3).contains(&share), "{store}");
    let points = points(&lines, "base");
    let (first, last) = (&points[0], points.last().unwrap());
    assert!((9..=12).contains(&points.len()), "{}", points.len());
    assert!((last["epochs"].as_f64().unwrap() - 2.0).abs() < 0.1);
    assert!(first["training"].is_null() && last["training"]["policy"].is_number());
    for part in ["learned", "held_out"] {
        let (first, last) = (&first[part], &last[part]);
        assert_eq!(first["policy_entropy"], last["policy_entropy"]);
        assert!(
            divergence(last) < 0.85 * divergence(first),
            "{first} {last}"
        );
        assert!(value(last) < 0.95 * value(first), "{first} {last}");
    }
    let summary = summaries(&lines)[0];
    assert_eq!(summary["held_out"], last["held_out"]);
    assert!(summary["exactness"]["policy"].as_f64() > Some(0.5));
    // What was saved plays, and can be gone on with.
    let player = format!("net:{}?sims=8", net.display());
    let played = senpu(&["match", &player, "random", "--games", "20", "--json"]);
    let played: Value = serde_json::from_slice(&played.stdout).unwrap();
    assert!(played["score"].as_f64() > Some(0.6), "{played}");
    let from = ["--from", net.to_str().unwrap(), "--positions", "64"];
    let more = learn(&run, &[&from[..], &["--held-out", "0.2"]].concat());
    let start = &self::points(&more, "base")[0];
    assert_eq!(start["held_out"], last["held_out"]);
    assert_eq!(start["positions"], 0);
}

#[test]
fn a_few_games_learned_too_often_are_known_by_heart() {
    let dir = tempfile::tempdir().unwrap();
    let run = trained(dir.path(), &["stop.generations=1"]);
    let args = ["--last", "1200", "--held-out", "0.3", "--epochs", "150"];
    let lines = learn(
        &run.join("games"),
        &[&args[..], &["--set", "learn.weight_decay=0.0"]].concat(),
    );
    let store = &lines[0]["store"];
    let positions = ["learned_positions", "held_out_positions"];
    let positions = positions.map(|key| store[key].as_u64().unwrap());
    let sum: u64 = positions.iter().sum();
    assert!((1200..1400).contains(&sum), "{store}");
    let points = points(&lines, "base");
    let last = points.last().unwrap();
    let (learned, held_out) = (&last["learned"], &last["held_out"]);
    assert!(
        divergence(learned) < 0.6 * divergence(held_out),
        "{learned} {held_out}"
    );
    assert!(
        value(learned) + 0.1 < value(held_out),
        "{learned} {held_out}"
    );
}

#[test]
fn figures_do_not_depend_on_threads_and_arms_see_the_same_positions() {
    let dir = tempfile::tempdir().unwrap();
    let run = trained(dir.path(), &[]);
    let arms = [
        "--arm",
        "replay.reuse=2",
        "--arm",
        "net.value_width=64 net.policy_width=64",
        "--set",
        "replay.reuse=1",
        "--every",
        "1024",
    ];
    let run_with = |threads: &str| learn(&run, &[&arms[..], &["--threads", threads]].concat());
    let (one, three) = (run_with("1"), run_with("3"));
    for arm in [
        "base",
        "replay.reuse=2",
        "net.value_width=64 net.policy_width=64",
    ] {
        let points = points(&one, arm);
        assert!(points.len() > 3, "{arm}");
        assert_eq!(points, self::points(&three, arm), "{arm}");
        // The positions measured are the same ones, whatever the net.
        for part in ["learned", "held_out"] {
            let first = &self::points(&one, "base")[0][part];
            assert_eq!(points[0][part]["policy_entropy"], first["policy_entropy"]);
        }
    }
    // An arm that goes on for longer begins alike.
    let (short, long) = (points(&one, "base"), points(&one, "replay.reuse=2"));
    assert_eq!(short[1]["training"], long[1]["training"]);
    assert_eq!(short[1]["held_out"], long[1]["held_out"]);
    let summaries = summaries(&one);
    assert_eq!(summaries.len(), 3);
    assert!(summaries[0]["against_base"].is_null());
    let found = &summaries[1]["against_base"]["policy"];
    let [base, longer] = [0, 1].map(|at: usize| divergence(&summaries[at]["held_out"]));
    assert!((found["mean"].as_f64().unwrap() - (longer - base)).abs() < 1e-9);
    assert!(found["error"].as_f64() > Some(0.0));
    // A tower learns from the same games.
    let tower = config("gufu");
    let small = ["--set", "net.channels=8", "--set", "net.blocks=1"];
    let lines = learn(
        &run,
        &[&[tower.as_str(), "--positions", "2048"], &small[..]].concat(),
    );
    assert_eq!(points(&lines, "base").last().unwrap()["positions"], 2048);
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = trained(dir.path(), &["stop.generations=1"]);
    let store = run.to_str().unwrap();
    let (gufu, xiangqi) = (config("gufu"), config("xiangqi"));
    let said = |args: &[&str]| refusal(&[&["--frozen", store], args].concat());
    for (args, part) in [
        (
            &["--held-out", "0"][..],
            "--held-out 0: must be above 0 and below 1",
        ),
        (&["--held-out", "1"], "must be above 0 and below 1"),
        (&["--held-out", "0.000001"], "leaves nothing to measure"),
        (&["--held-out", "0.999999"], "leaves nothing to learn from"),
        (&["--epochs", "0"], "--epochs 0: must be from 0.001"),
        (&["--every", "0"], "--every 0: must be at least 1"),
        (&["--set", "replay.reuse=0"], "reuse = 0"),
        (
            &[
                "--set",
                "replay.window=60000",
                "--set",
                "replay.batch=60000",
            ],
            "replay.batch = 60000: must be at most",
        ),
        (
            &["--arm", "net.value_width=17"],
            "value_width = 17: must be a",
        ),
        (
            &["--arm", "net.value_widht=32"],
            "did you mean `net.value_width`?",
        ),
        (&["--arm", "net.value_width=32"], "changes nothing"),
        (
            &["--epochs", "1", "--arm", "replay.reuse=9"],
            "which --positions or --epochs overrules",
        ),
        (&[&xiangqi], "has games of `gufu` where `xiangqi` is wanted"),
        (
            &["--from", store, &gufu],
            "the net of --from is another one",
        ),
        (
            &["--out", &format!("{store}/games/net")],
            "must not lie among the games",
        ),
        (
            &["--out", &format!("{store}/nowhere/net")],
            "must be a file in a directory that is there",
        ),
    ] {
        let said = said(args);
        assert!(said.contains(part), "{args:?}: {said}");
    }
    let empty = dir.path().join("empty");
    fs::create_dir_all(empty.join("games")).unwrap();
    let empty = empty.to_str().unwrap();
    let said = refusal(&["--frozen", empty]);
    assert!(said.contains("there is no config"), "{said}");
    let said = refusal(&["--frozen", empty, &gufu]);
    assert!(said.contains("holds no positions to learn from"), "{said}");
    let said = refusal(&["--frozen", dir.path().to_str().unwrap(), &gufu]);
    assert!(said.contains("holds no games"), "{said}");
    let said = refusal(&["--frozen", "/nowhere/at/all", &gufu]);
    assert!(said.contains("there is no run directory"), "{said}");
}

/// What limits a run is in its metrics, repeats, and changes nothing else.
#[test]
fn a_run_says_what_limits_it_and_learns_the_same_without() {
    let dir = tempfile::tempdir().unwrap();
    let sets = ["stop.generations=4", "selfplay.plies_per_generation=60"];
    let run = |name: &str, more: &[&str]| {
        let sets = [&sets[..], more].concat();
        let run = trained(&dir.path().join(name), &sets);
        let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let line = |line: &str| serde_json::from_str(line).unwrap();
        text.lines().map(line).collect::<Vec<Value>>()
    };
    for lag in ["pipeline.lag=0", "pipeline.lag=1"] {
        let with = run(
            &format!("with-{lag}"),
            &[lag, "evaluate.limit_positions=100"],
        );
        let without = run(
            &format!("without-{lag}"),
            &[lag, "evaluate.limit_positions=0"],
        );
        let mut told = 0;
        for (with, without) in with.iter().zip(&without) {
            for same in ["checkpoint", "losses", "games", "steps"] {
                assert_eq!(with[same], without[same], "{lag}");
            }
            assert!(without["limit"].is_null());
            let limit = &with["limit"];
            if limit.is_null() {
                assert!(with["steps"].as_u64().unwrap_or_default() == 0, "{with}");
                continue;
            }
            assert_eq!(limit["fresh"]["positions"], 100, "{lag}");
            if limit["known"]["positions"] == 100 {
                told += 1;
                let known = ["data", "learner", "targets", "capacity"];
                assert!(known.contains(&limit["limit"].as_str().unwrap()), "{limit}");
            }
        }
        assert!(told >= 2, "{lag}: {told}");
    }
    let stopped = dir.path().join("stopped");
    for generations in ["stop.generations=2", "stop.generations=4"] {
        let sets = [generations, sets[1], "evaluate.limit_positions=100"];
        trained(&stopped, &[&sets[..], &["pipeline.lag=1"]].concat());
    }
    let text = fs::read_to_string(stopped.join("run/metrics.jsonl")).unwrap();
    let stopped: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let with = run("again", &["pipeline.lag=1", "evaluate.limit_positions=100"]);
    let limits = |lines: &[Value]| -> Vec<Value> {
        let told = lines.iter().map(|line| line["limit"].clone());
        told.filter(|limit| !limit.is_null()).collect()
    };
    assert_eq!(limits(&stopped), limits(&with));
}
