//! Nets of features from the command line, on every game: trained, gone on with, asked, and told from the other family.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

const NET: &str = r#"[net]
arch = "sparse"
features = "threats"
policy_moves = "exchange"
value_width = 32
policy_width = 16
activation = "squared"
value_hidden = 8
policy_hidden = 8

"#;

/// What makes the shipped configs small enough for a test.
const TINY: [&str; 14] = [
    "stop.minutes=0",
    "selfplay.games=8",
    "selfplay.plies_per_generation=48",
    "selfplay.early_ply_cap=40",
    "selfplay.openings.stagger_plies=10",
    "search.simulations=4",
    "learn.warmup_positions=200",
    "replay.batch=32",
    "evaluate.match_games=2",
    "evaluate.match_simulations=4",
    "evaluate.positions=20",
    "evaluate.final_positions=20",
    "evaluate.simulations=[4]",
    "inference.symmetry=hash",
];

/// Writes the shipped config of a game with another net.
fn config(dir: &Path, game: &str, net: &str) -> PathBuf {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{game}.toml"));
    let text = fs::read_to_string(shipped).unwrap();
    let (before, rest) = text.split_once("[net]").unwrap();
    let (_, after) = rest.split_once("[learn]").unwrap();
    let after = after.replace("precision = \"float\"", "precision = \"integer\"");
    let path = dir.join(format!("{game}.toml"));
    fs::write(&path, format!("{before}{net}[learn]{after}")).unwrap();
    path
}

fn senpu(args: &[&str]) -> String {
    let output = Command::cargo_bin("senpu")
        .unwrap()
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refusal(args: &[&str]) -> String {
    let output = Command::cargo_bin("senpu")
        .unwrap()
        .args(args)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn train(config: &Path, run: &Path, sets: &[&str]) {
    let mut args = vec![
        "train",
        config.to_str().unwrap(),
        "--run",
        run.to_str().unwrap(),
    ];
    for set in TINY.iter().chain(sets) {
        args.extend(["--set", set]);
    }
    senpu(&args);
}

/// The metrics but for times.
fn metrics(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for times in ["seconds", "speed"] {
            line.as_object_mut().unwrap().remove(times);
        }
        line
    };
    text.lines().map(line).collect()
}

fn learns_and_is_asked(game: &str, position: &str) {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), game, NET);
    let (straight, stopped) = (dir.path().join("straight"), dir.path().join("stopped"));
    train(&config, &straight, &["stop.generations=2"]);
    train(&config, &stopped, &["stop.generations=1"]);
    train(&config, &stopped, &["stop.generations=2"]);
    let checkpoint = |run: &Path| fs::read(run.join("checkpoints/gen-000002.senpu")).unwrap();
    assert!(
        checkpoint(&straight) == checkpoint(&stopped),
        "{game}: another net after a stop"
    );
    let lines = metrics(&straight);
    assert!(
        lines
            .iter()
            .any(|line| line["losses"]["policy"].as_f64() > Some(0.0))
    );

    let player = format!("net:{}?sims=4", straight.display());
    let games = [
        "match",
        &player,
        "random",
        "--games",
        "4",
        "--variant",
        game,
        "--json",
    ];
    assert!(senpu(&games).contains("\"distinct_games\""));
    let asked = [
        "analyse",
        "--player",
        &player,
        "--position",
        position,
        "--variant",
        game,
    ];
    assert!(senpu(&asked).len() > 40);
    let run = straight.to_str().unwrap();
    let looked = [
        "diagnose",
        run,
        "--positions",
        "10",
        "--nodes",
        "0",
        "--pairs",
        "1",
    ];
    assert!(senpu(&[&looked[..], &["--simulations", "4"]].concat()).contains("calibration"));
}

/// A run in integers is the same on any number of threads and with any batch.
#[test]
fn integers_play_the_same_games_on_any_threads() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), "euroshogi", NET);
    let played = |name: &str, sets: &[&str], threads: &str| {
        let run = dir.path().join(name);
        let mut args = vec!["--threads", threads, "train", config.to_str().unwrap()];
        args.extend(["--run", run.to_str().unwrap()]);
        for set in TINY.iter().chain(&["stop.generations=1"]).chain(sets) {
            args.extend(["--set", set]);
        }
        senpu(&args);
        fs::read(run.join("checkpoints/gen-000001.senpu")).unwrap()
    };
    let one = played("one", &[], "1");
    let two = played("two", &["inference.batch=3"], "2");
    let bare = played("bare", &["inference.cache_megabytes=0"], "3");
    assert!(one == two && one == bare, "other games, so another net");
    let float = played("float", &["inference.precision=float"], "1");
    assert!(one != float, "floats play the same games as integers");
}

#[test]
fn players_choose_their_precision() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, net: &str, sets: &[&str]| {
        let run = dir.path().join(name);
        let sets = [&["stop.generations=1"][..], sets].concat();
        train(&config(dir.path(), "gufu", net), &run, &sets);
        format!("net:{}", run.display())
    };
    let sparse = run("sparse", NET, &[]);
    let (integer, float) = (
        format!("{sparse}?sims=4&precision=integer"),
        format!("{sparse}?sims=4&precision=float"),
    );
    let said = senpu(&["match", &integer, &float, "--games", "4", "--json"]);
    assert!(said.contains("\"distinct_games\""), "{said}");

    let tower = "[net]\narch = \"residual\"\nchannels = 4\nblocks = 1\npool_every = 1\npolicy_channels = 2\nvalue_channels = 2\nvalue_hidden = 4\n\n";
    let residual = run("residual", tower, &["inference.precision=float"]);
    let said = refusal(&["match", &format!("{residual}?precision=integer"), "random"]);
    assert!(
        said.contains("arch `residual` plays in floats only"),
        "{said}"
    );
    let tower = config(dir.path(), "gufu", tower);
    let said = refusal(&["config", "check", tower.to_str().unwrap()]);
    assert!(said.contains("must be \"float\""), "{said}");
}

#[test]
fn gufu() {
    learns_and_is_asked("gufu", "startpos");
}

#[test]
fn showgit() {
    learns_and_is_asked("showgit", "startpos");
}

#[test]
fn euroshogi() {
    learns_and_is_asked("euroshogi", "startpos");
}

#[test]
fn xiangqi() {
    learns_and_is_asked("xiangqi", "startpos");
}

#[test]
fn figures_are_named_by_the_width() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path(), "showgit", NET);
    let config = config.to_str().unwrap();
    let bench = [
        "bench",
        "inference",
        "learner",
        "selfplay",
        "--game",
        "showgit",
        "--config",
        config,
    ];
    let said = senpu(
        &[
            &bench[..],
            &["--seconds", "0.05", "--batch", "16", "--json"],
        ]
        .concat(),
    );
    for (kind, name) in [
        ("inference", "sparse32-int"),
        ("inference", "sparse32-f32"),
        ("learner", "sparse32"),
        ("selfplay", "sparse32-int"),
        ("selfplay", "sparse32-f32"),
    ] {
        let figure = said
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .find(|figure| figure["bench"] == kind && figure["name"] == name);
        assert!(figure.unwrap()["value"].as_f64() > Some(0.0), "{said}");
    }
}

#[test]
fn keys_of_the_other_family_are_shown_where_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let check = |net: &str| {
        let config = config(dir.path(), "gufu", net);
        refusal(&["config", "check", config.to_str().unwrap()])
    };
    let said = check(&NET.replace("value_width", "channels = 8\nvalue_width"));
    assert!(said.contains("unknown key `net.channels`"), "{said}");
    let said = check(&NET.replace("value_width", "value_widht"));
    assert!(said.contains("unknown key `net.value_widht`"), "{said}");
    assert!(said.contains("did you mean `net.value_width`?"), "{said}");
    let said = check(&NET.replace("policy_hidden = 8\n", ""));
    assert!(said.contains("missing key `net.policy_hidden`"), "{said}");
    let said = check(&NET.replace("\"threats\"", "\"threat\""));
    assert!(said.contains("did you mean `threats`?"), "{said}");
    let said = check(&NET.replace("= 32", "= 33"));
    assert!(said.contains("value_width = 33: must"), "{said}");
    let shipped = senpu(&["config", "check", "../configs/gufu-cpu.toml"]);
    assert!(shipped.contains("a right config for gufu"));
    // A config of before there was a second family.
    let text = fs::read_to_string("../configs/gufu.toml").unwrap();
    let old = dir.path().join("old.toml");
    fs::write(&old, text.replace("arch = \"residual\"\n", "")).unwrap();
    let shown = senpu(&["config", "show", old.to_str().unwrap()]);
    assert!(shown.contains("arch = \"residual\""), "{shown}");
    let schema: Value = serde_json::from_str(&senpu(&["config", "schema"])).unwrap();
    let net = schema["$defs"]["NetConfig"].clone();
    let families = net["oneOf"].as_array().unwrap();
    assert_eq!(families.len(), 2);
    for (family, key) in families.iter().zip(["channels", "value_width"]) {
        assert!(!family["properties"]["arch"].is_null() && !family["properties"][key].is_null());
        assert_eq!(
            family["additionalProperties"],
            Value::Bool(false),
            "{family}"
        );
    }
}
