//! Play and learning at a lag of one generation: in turn or side by side, stopped or not, it is the same run.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rules::Variant;
use rules::variants::gufu::Gufu;
use serde_json::Value;
use trainer::durable::RealDisk;
use trainer::replay::{ReplayStore, StoreOptions};
use trainer::schedule::WindowSize;

use crate::{left, succeed, train};

const IN_TURN: [&str; 3] = [
    "pipeline.lag=1",
    "pipeline.overlap=false",
    "stop.generations=5",
];
const SIDE_BY_SIDE: [&str; 3] = [
    "pipeline.lag=1",
    "pipeline.overlap=true",
    "stop.generations=5",
];

#[test]
fn overlap_and_threads_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, sets: &[&str], threads: &str| {
        let run = dir.path().join(name);
        succeed(train(&run, sets).args(["--threads", threads]));
        left(&run)
    };
    let first = run("in-turn-1", &IN_TURN, "1");
    assert_eq!(run("in-turn-2", &IN_TURN, "2"), first);
    assert_eq!(run("side-by-side-1", &SIDE_BY_SIDE, "1"), first);
    assert_eq!(run("side-by-side-2", &SIDE_BY_SIDE, "2"), first);
    assert_eq!(run("side-by-side-5", &SIDE_BY_SIDE, "5"), first);
    assert_ne!(run("no-lag", &["stop.generations=5"], "2"), first);
}

#[test]
fn overlap_may_change_within_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    succeed(&mut train(&whole, &SIDE_BY_SIDE));
    let two = [
        "pipeline.lag=1",
        "stop.generations=2",
        "evaluate.final_positions=0",
    ];
    succeed(&mut train(&parts, &two));
    let said = succeed(&mut train(&parts, &SIDE_BY_SIDE));
    assert!(said.contains("the config differs"), "{said}");
    let at_end = |line: &String| line.contains("at_end");
    let but_end = |run: &Path| -> Vec<String> {
        let lines = left(run).into_iter();
        lines.filter(|line| !at_end(line)).collect()
    };
    assert_eq!(but_end(&parts), but_end(&whole));
}

/// The metrics of the generations of a run, from 0.
pub(crate) fn generations(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["at_end"].is_null())
        .collect()
}

/// With a lag of one, what is learned in a generation are the games stored before it; without, its own too. Either way it is played by the
/// checkpoint published before it.
#[test]
fn a_lag_of_one_learns_from_the_games_before() {
    let dir = tempfile::tempdir().unwrap();
    for (lag, sets) in [
        (1, SIDE_BY_SIDE),
        (1, IN_TURN),
        (0, ["stop.generations=5"; 3]),
    ] {
        let run = dir.path().join(format!("{lag}-{}", sets[1]));
        succeed(train(&run, &sets).args(["--set", "replay.window=10000"]));
        let lines = generations(&run);
        let number = |line: usize, key: &str| lines[line][key].as_u64().unwrap();
        for line in 1 + lag..lines.len() {
            // The window holds everything here; a batch has 64, and each position is learned from four times.
            let known = number(line - lag, "window_positions");
            assert_eq!(
                number(line, "learned_positions"),
                known * 4 / 64 * 64,
                "lag {lag}, line {line}"
            );
        }
        assert!(number(5, "window_positions") < 10_000 && number(5, "steps") > 0);
        assert_eq!(number(1, "steps") == 0, lag == 1);
        let options = StoreOptions {
            variant: Gufu::ID,
            rules_version: Gufu::RULES_VERSION,
            window: WindowSize::Constant(10_000),
            segment_bytes: StoreOptions::SEGMENT_BYTES,
        };
        let (store, _) =
            ReplayStore::open(Arc::new(RealDisk), &run.join("games"), &options).unwrap();
        let mut ended = Vec::new();
        for (generation, line) in lines.iter().enumerate().skip(1) {
            ended.extend(vec![generation; line["games"].as_u64().unwrap() as usize]);
        }
        assert_eq!(store.games(), ended.len());
        for (record, generation) in store.iter().zip(ended) {
            let (_, checkpoint) = *record.unwrap().checkpoints.last().unwrap();
            let published = &lines[generation - 1]["checkpoint"];
            assert_eq!(*published, format!("{checkpoint:016x}"), "lag {lag}");
        }
    }
}
