//! What is said about a position and about a net: `senpu analyse`, `senpu diagnose` and the diagnosis in the metrics.
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
    assert!(!said.contains("panicked"), "{said}");
    said
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&out(args)).unwrap()
}

fn analyse(player: &str, variant: &str, position: &str, more: &[&str]) -> Value {
    let mut args = vec!["analyse", "--json", "--player", player];
    args.extend(["--variant", variant, "--position", position]);
    args.extend(more);
    json(&args)
}

/// White mates at once; there may be several ways.
const MATE_IN_ONE: &str =
    "1nb1kg1n/2r3P1/1ppgp+Bp1/pb1p1p2/1PP1P3/P2G1P2/4K2N/N1G2B2[Rppp] w - - 0 24";

#[test]
fn every_player_that_searches_says_what_it_found() {
    let found = analyse(
        "alphabeta?depth=3",
        "euroshogi",
        MATE_IN_ONE,
        &["--lines", "2"],
    );
    assert_eq!(found["value"]["mate"], 1, "{found}");
    assert_eq!(found["moves"].as_array().unwrap().len(), 2);
    assert_eq!(found["moves"][0]["line"].as_array().unwrap().len(), 1);
    assert_ne!(found["moves"][0]["move"], found["moves"][1]["move"]);

    let found = analyse("rollout?sims=50", "euroshogi", MATE_IN_ONE, &[]);
    assert_eq!(found["value"]["mate"], 1, "{found}");
    assert_eq!(found["value"]["score"], 1.0);

    // The start of gufu is a draw.
    let found = analyse("exact", "gufu", "startpos", &["--lines", "0"]);
    assert_eq!(found["value"]["wdl"], serde_json::json!([0.0, 1.0, 0.0]));
    assert_eq!(found["moves"].as_array().unwrap().len(), 24);
}

#[test]
fn a_search_lists_policy_visits_and_lines_of_every_move() {
    let position = "startpos moves c1c2 e6e5";
    let all = analyse(
        "rollout?sims=500",
        "euroshogi",
        position,
        &["--lines", "0", "--simulations", "60"],
    );
    assert_eq!(
        (&all["simulations"], &all["side"]),
        (&60.into(), &"first".into())
    );
    let moves = all["moves"].as_array().unwrap();
    assert_eq!(all["legal"].as_u64().unwrap(), moves.len() as u64);
    let sum = |key: &str| -> f64 { moves.iter().map(|mv| mv[key].as_f64().unwrap()).sum() };
    assert!((sum("visits") - 60.0).abs() < 1e-9, "{all}");
    assert!((sum("prior") - 1.0).abs() < 1e-3 && (sum("target") - 1.0).abs() < 1e-3);
    assert_eq!(all["best"], moves[0]["move"]);
    // The value is that of the side to move: what its chances add up to is also its score.
    let wdl: Vec<f64> = (0..3)
        .map(|at| all["value"]["wdl"][at].as_f64().unwrap())
        .collect();
    let score = all["value"]["score"].as_f64().unwrap();
    assert!((wdl[0] + 0.5 * wdl[1] - score).abs() < 1e-3, "{all}");
    // Without a search nothing is visited.
    let looked = analyse("rollout", "euroshogi", position, &["--simulations", "0"]);
    assert_eq!(looked["moves"][0]["visits"], 0, "{looked}");
    let said = out(&[
        "analyse",
        "--player",
        "rollout?sims=40",
        "--variant",
        "euroshogi",
        "--lines",
        "3",
    ]);
    assert!(
        said.contains("the best 3 of") && said.contains("expected score"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_analysed_is_named() {
    let refused = |player: &str, position: &str, more: &[&str]| {
        let mut args = vec!["analyse", "--player", player, "--position", position];
        args.extend(more);
        err(&args)
    };
    let gufu = ["--variant", "gufu"];
    assert!(refused("exact", "startpos", &[]).contains("--variant gufu"));
    assert!(refused("random", "startpos", &gufu).contains("does not think"));
    assert!(refused("exact", "nonsense", &gufu).contains("position `nonsense`"));
    let illegal = refused("exact", "startpos moves K*1a>N K*1a>N", &gufu);
    assert!(illegal.contains("move `K*1a>N`: not legal"), "{illegal}");
    let with_simulations = ["--variant", "gufu", "--simulations", "9"];
    assert!(refused("exact", "startpos", &with_simulations).contains("only players `net`"));
    assert!(refused("exact", "startpos", &["--variant", "xiangqi"]).contains("too large"));
    // Black has no move, which loses in xiangqi: the rook guards one square, the other king the rest.
    let over = refused(
        "alphabeta",
        "3k5/R8/9/9/9/9/9/9/9/4K4 b - - 0 1",
        &["--variant", "xiangqi"],
    );
    assert!(
        over.contains("the game is over, won by the first player (stalemate)"),
        "{over}"
    );
}

/// A tiny run that diagnoses each of its nets; then its nets are diagnosed from outside.
#[test]
fn a_net_is_diagnosed_in_the_metrics_and_by_the_command() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let run = run.to_str().unwrap();
    let mut args = vec!["train", "configs/gufu.toml", "--run", run, "--quiet"];
    for set in [
        "stop.generations=2",
        "stop.minutes=0",
        "selfplay.games=32",
        "selfplay.plies_per_generation=60",
        "search.simulations=8",
        "net.channels=8",
        "net.blocks=1",
        "replay.batch=64",
        "evaluate.positions=0",
        "evaluate.final_positions=0",
        "evaluate.match_games=0",
        "evaluate.match_simulations=8",
        "evaluate.diagnosis_positions=40",
        "evaluate.diagnosis_pairs=2",
    ] {
        args.extend(["--set", set]);
    }
    out(&args);
    let metrics = fs::read_to_string(Path::new(run).join("metrics.jsonl")).unwrap();
    let diagnoses: Vec<Value> = metrics
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["evaluation"]["diagnosis"].clone())
        .collect();
    assert_eq!(diagnoses[0]["games"], "policy", "there are no games yet");
    for diagnosis in &diagnoses[1..3] {
        assert_eq!(
            (&diagnosis["games"], &diagnosis["positions"]),
            (&"newest".into(), &40.into()),
            "{diagnosis}"
        );
        check(diagnosis, 40, 8);
        assert_eq!(diagnosis["search_gain"]["pairs"], 2);
    }

    let net = format!("{run}@1");
    let args = [
        "diagnose",
        &net,
        "--positions",
        "60",
        "--simulations",
        "12",
        "--pairs",
        "3",
        "--json",
    ];
    let first = json(&args);
    check(&first, 60, 12);
    assert_eq!(
        (&first["games"], &first["generation"]),
        (&"held_out".into(), &1.into())
    );
    assert!(
        first["exact"]["net"]["policy"].as_f64().unwrap() > 0.3,
        "{first}"
    );
    let mut on_one_thread = vec!["--threads", "1"];
    on_one_thread.extend(args);
    assert_eq!(json(&on_one_thread), first, "threads make no difference");
    let newest = out(&["diagnose", run, "--positions", "30", "--pairs", "0"]);
    assert!(
        newest.contains("the newest games") && newest.contains("exact value kept"),
        "{newest}"
    );
    assert!(!newest.contains("the search gains"), "{newest}");
    assert!(err(&["diagnose", run, "--simulations", "1"]).contains("must be from 2"));
    assert!(err(&["diagnose", run, "--games", "no/such/run"]).contains("no run directory"));
}

/// The parts must add up to the whole.
fn check(diagnosis: &Value, positions: u64, simulations: u64) {
    let calibration = &diagnosis["calibration"];
    assert_eq!(calibration["all"]["positions"], positions);
    for parts in ["bins", "by_ply", "by_material"] {
        let parts = calibration[parts].as_array().unwrap();
        let sum: u64 = parts
            .iter()
            .map(|part| part["positions"].as_u64().unwrap())
            .sum();
        assert_eq!(sum, positions, "{diagnosis}");
    }
    let policy = &diagnosis["policy"];
    assert_eq!(policy["simulations"], simulations);
    let parts = policy["by_ply"].as_array().unwrap();
    let weighted: f64 = parts
        .iter()
        .map(|part| part["positions"].as_f64().unwrap() * part["nats"].as_f64().unwrap())
        .sum();
    let mean = policy["divergence"].as_f64().unwrap();
    assert!(mean > 0.0 && (weighted / positions as f64 - mean).abs() < 1e-9);
    assert!(diagnosis["blunders"].is_null(), "gufu has a better judge");
}
