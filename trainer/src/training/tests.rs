//! Tiny runs on a disk that fails: whatever goes wrong, the run goes on and ends as if nothing had happened.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rules::Variant;
use rules::variants::gufu::Gufu;
use serde_json::Value;

use super::{Session, train};
use crate::config::Config;
use crate::config_file;
use crate::dispatch::{Parts, Task, dispatch};
use crate::durable::{Disk, Fault, FaultyDisk};
use crate::interrupt::Interrupt;
use crate::progress::{Progress, Verbosity};
use crate::replay::inspect;
use crate::run_dir::RunDir;

const TINY: [&str; 20] = [
    "stop.generations=2",
    "stop.minutes=0",
    "rules.ply_cap=8",
    "selfplay.games=3",
    "selfplay.openings.random_plies=4",
    "selfplay.plies_per_generation=9",
    "search.simulations=2",
    "net.channels=4",
    "net.blocks=1",
    "net.policy_channels=2",
    "net.value_channels=2",
    "net.value_hidden=4",
    "replay.batch=4",
    "replay.window=40",
    "evaluate.positions=0",
    "evaluate.final_positions=0",
    "evaluate.match_games=0",
    "evaluate.match_simulations=2",
    "evaluate.diagnosis_positions=6",
    "evaluate.diagnosis_pairs=1",
];

fn config(sets: &[&str]) -> Config {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
    let sets: Vec<String> = TINY
        .iter()
        .chain(sets)
        .map(|set| (*set).to_owned())
        .collect();
    config_file::load(&path, &sets).unwrap()
}

/// Trains in `dir` on `disk` and returns what it said if it failed.
fn run(config: &Config, dir: &Path, disk: Arc<dyn Disk>) -> Result<(), String> {
    struct Run<'a>(&'a Config, RunDir);
    impl Task for Run<'_> {
        type Output = ();

        fn run<V: Variant>(self, parts: Parts<V>) -> anyhow::Result<()> {
            let (progress, interrupt) = (
                Progress::to_writer(Verbosity::Quiet, std::io::sink(), std::time::Duration::MAX),
                Interrupt::new(),
            );
            let session = Session {
                config: self.0,
                parts: &parts,
                kernels: None,
                progress: &progress,
                interrupt: &interrupt,
            };
            train(&session, self.1)
        }
    }
    let run = RunDir::create_or_open(dir, disk).map_err(|error| error.to_string())?;
    dispatch(config.game, Run(config, run)).map_err(|error| format!("{error:#}"))
}

/// Compares what two runs left, and says which part differs.
fn assert_alike(found: &Left, expected: &Left, what: &str) {
    let pairs = found.metrics.iter().zip(&expected.metrics);
    for (found, expected) in pairs {
        assert_eq!(found, expected, "{what}: metrics");
    }
    assert_eq!(
        found.metrics.len(),
        expected.metrics.len(),
        "{what}: lines of metrics"
    );
    assert_eq!(
        found.checkpoints, expected.checkpoints,
        "{what}: checkpoints"
    );
    assert_eq!(found.games, expected.games, "{what}: games");
}

fn sound_disk() -> Arc<FaultyDisk> {
    Arc::new(FaultyDisk::new(u64::MAX, Fault::Fail))
}

/// Everything that a run leaves but its times: metrics, checkpoints, and every game, which must be a right one.
#[derive(Debug, PartialEq)]
struct Left {
    metrics: Vec<Value>,
    /// Names and checksums.
    checkpoints: Vec<(String, u32)>,
    /// Checksums.
    games: Vec<u32>,
}

fn left(dir: &Path) -> Left {
    let metrics = fs::read_to_string(dir.join("metrics.jsonl")).unwrap();
    let without_times = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("seconds");
        line.as_object_mut().unwrap().remove("speed");
        line
    };
    let mut checkpoints: Vec<(String, u32)> = fs::read_dir(dir.join("checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                crc32fast::hash(&fs::read(entry.path()).unwrap()),
            )
        })
        .collect();
    checkpoints.sort();
    let games = std::sync::Mutex::new(Vec::new());
    let report = inspect(&dir.join("games"), &|record| {
        record.replay::<Gufu>().map_err(|error| error.to_string())?;
        games
            .lock()
            .unwrap()
            .push(crc32fast::hash(format!("{record:?}").as_bytes()));
        Ok(())
    });
    assert_eq!(
        report.unwrap().problems().collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    let mut games = games.into_inner().unwrap();
    games.sort_unstable();
    Left {
        metrics: metrics.lines().map(without_times).collect(),
        checkpoints,
        games,
    }
}

/// Every write, fsync and rename of a run is made to fail, to be half done, or to be the last thing that happens, with and without a loss of
/// power, one after the other. Each time the run is started again and must end with the same checkpoints, metrics and games.
#[test]
fn every_fault_leaves_a_run_that_ends_alike() {
    let operations = strike_everywhere(&config(&[]), &Fault::ALL, (4, 3));
    assert!(operations > 60, "{operations} operations");
}

/// The same where play and learning go side by side, a generation is written beside both, and old games and checkpoints are removed.
#[test]
fn every_fault_beside_the_next_generation_leaves_a_run_that_ends_alike() {
    let sets = [
        "stop.generations=6",
        "pipeline.lag=1",
        "pipeline.overlap=true",
        "replay.window=10",
        "retention.checkpoints=\"last\"",
        "retention.last_checkpoints=3",
        "retention.games=\"last\"",
        "retention.last_positions=10",
    ];
    let faults = [Fault::Fail, Fault::DieAfter, Fault::LosePower];
    let operations = strike_everywhere(&config(&sets), &faults, (8, 4));
    assert!(operations > 150, "{operations} operations");
}

/// Strikes a run with each fault at each of its operations, of which it returns the number, and compares how it ends with the run that nothing
/// struck, which leaves so many lines of metrics and checkpoints.
fn strike_everywhere(config: &Config, faults: &[Fault], lines: (usize, usize)) -> u64 {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let disk = sound_disk();
    run(config, &whole, disk.clone()).unwrap();
    let (expected, operations) = (left(&whole), disk.operations());
    assert_eq!((expected.metrics.len(), expected.checkpoints.len()), lines);
    assert!(!expected.games.is_empty());
    let cases: Vec<(u64, Fault)> = faults
        .iter()
        .flat_map(|&fault| (0..operations).map(move |at| (at, fault)))
        .collect();
    let strike = |&(at, fault): &(u64, Fault)| {
        let run_dir = dir.path().join(format!("{at}-{fault:?}"));
        let said = run(config, &run_dir, Arc::new(FaultyDisk::new(at, fault)));
        if let Err(text) = &said {
            // The error names what it is about.
            assert!(
                text.contains(&dir.path().display().to_string()),
                "{at} {fault:?}: {text}"
            );
        }
        run(config, &run_dir, sound_disk()).unwrap_or_else(|text| panic!("{at} {fault:?}: {text}"));
        assert_alike(
            &left(&run_dir),
            &expected,
            &format!("operation {at}, {fault:?}"),
        );
        fs::remove_dir_all(&run_dir).unwrap();
        usize::from(said.is_err())
    };
    // Threads of their own: a training run waits inside the pool of rayon's threads, which must not be waiting for it.
    let failed: usize = std::thread::scope(|scope| {
        let halves = cases
            .chunks(cases.len().div_ceil(2))
            .map(|half| scope.spawn(|| half.iter().map(strike).sum::<usize>()));
        let halves: Vec<_> = halves.collect();
        halves.into_iter().map(|half| half.join().unwrap()).sum()
    });
    println!(
        "{} faults at {operations} operations, {failed} of which ended the process; every run then ended alike",
        cases.len()
    );
    assert!(
        failed * 10 >= cases.len() * 9,
        "{failed} of {} faults were noticed",
        cases.len()
    );
    operations
}

#[test]
fn a_damaged_checkpoint_is_refused_by_name_and_the_one_before_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, damaged) = (dir.path().join("whole"), dir.path().join("damaged"));
    run(&config(&["stop.generations=5"]), &whole, sound_disk()).unwrap();
    run(&config(&["stop.generations=4"]), &damaged, sound_disk()).unwrap();
    let flip = |generation: u32| {
        let path = damaged.join(format!("checkpoints/gen-{generation:06}.senpu"));
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    flip(4);
    run(&config(&["stop.generations=5"]), &damaged, sound_disk()).unwrap();
    assert_alike(&left(&damaged), &left(&whole), "going back");
    // A truncated file of unfinished games is no better than a damaged checkpoint.
    let slots = damaged.join("unfinished-000005.bin");
    let bytes = fs::read(&slots).unwrap();
    fs::write(&slots, &bytes[..bytes.len() / 2]).unwrap();
    run(&config(&["stop.generations=5"]), &damaged, sound_disk()).unwrap();
    assert_alike(&left(&damaged), &left(&whole), "going back");
    // With none left, the run is refused, and nothing is removed.
    for generation in 3..=5 {
        flip(generation);
    }
    let said = run(&config(&["stop.generations=6"]), &damaged, sound_disk()).unwrap_err();
    assert!(
        said.contains("none of the newest generations") && said.contains("gen-000003.senpu"),
        "{said}"
    );
    assert!(damaged.join("checkpoints/gen-000005.senpu").exists());
}

#[test]
fn retention_bounds_the_disk_and_changes_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let (all, few) = (dir.path().join("all"), dir.path().join("few"));
    run(&config(&["stop.generations=24"]), &all, sound_disk()).unwrap();
    let sets = [
        "stop.generations=24",
        "retention.checkpoints=\"last\"",
        "retention.last_checkpoints=4",
        "retention.games=\"last\"",
    ];
    let sets: Vec<&str> = sets
        .into_iter()
        .chain(["retention.last_positions=10"])
        .collect();
    run(&config(&sets), &few, sound_disk()).unwrap();
    let (all, few) = (left(&all), left(&few));
    let names: Vec<&str> = few
        .checkpoints
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "gen-000000.senpu",
            "gen-000021.senpu",
            "gen-000022.senpu",
            "gen-000023.senpu",
            "gen-000024.senpu"
        ]
    );
    assert!(
        few.games.len() < all.games.len() / 2,
        "{} of {} games",
        few.games.len(),
        all.games.len()
    );
    assert!(
        few.checkpoints
            .iter()
            .all(|checkpoint| all.checkpoints.contains(checkpoint))
    );
    let stored = |line: &Value| line["store_bytes"].as_u64();
    let but_disk = |metrics: &[Value]| -> Vec<Value> {
        metrics
            .iter()
            .cloned()
            .map(|mut line| {
                line.as_object_mut().unwrap().remove("store_bytes");
                line
            })
            .collect()
    };
    assert_eq!(but_disk(&few.metrics), but_disk(&all.metrics));
    assert!(stored(&few.metrics[24]) < stored(&all.metrics[24]));
}

/// Matches of a run are paid by a share of its work, and are the same when the run was stopped in between.
#[test]
fn matches_of_a_run_repeat_and_keep_to_their_share() {
    let sets = [
        "stop.generations=4",
        "evaluate.progress.share=0.5",
        "evaluate.progress.opponents=[\"best\", \"first\", \"ladder\", \"random\"]",
        "evaluate.progress.round_pairs=1",
        "evaluate.progress.most_pairs=3",
        "evaluate.progress.simulations=2",
        "evaluate.progress.opening_plies=4",
        "evaluate.progress.gate=\"require\"",
    ];
    let dir = tempfile::tempdir().unwrap();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    run(&config(&sets), &whole, sound_disk()).unwrap();
    for generations in 1..=4 {
        let stop = format!("stop.generations={generations}");
        let sets: Vec<&str> = sets[1..].iter().copied().chain([stop.as_str()]).collect();
        run(&config(&sets), &parts, sound_disk()).unwrap();
    }
    let (found, expected) = (left(&parts), left(&whole));
    let lines = |left: &Left| -> Vec<Value> {
        let is_generation = |line: &&Value| line.get("at_end").is_none();
        left.metrics.iter().filter(is_generation).cloned().collect()
    };
    assert_eq!(lines(&found), lines(&expected));
    assert_eq!(found.checkpoints, expected.checkpoints);
    let (mut played, mut spent, mut compared) = (0, 0, 0);
    for line in &lines(&expected)[1..] {
        played += line["simulations"].as_u64().unwrap();
        let Some(matches) = line["comparisons"]["matches"].as_object() else {
            continue;
        };
        // Before the last round the share was not used up: a round is two games of at most four plies that nets search twice each.
        let more = line["comparisons"]["simulations"].as_u64().unwrap();
        spent += more;
        assert!(more > 0 && spent <= played / 2 + 2 * 4 * 2, "{line}");
        compared += matches.len();
        for of in matches.values() {
            let pairs: u64 = of["pair_counts"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_u64)
                .sum();
            assert!((1..=3).contains(&pairs), "{of}");
        }
    }
    assert!(
        compared > 4 && spent * 4 > played,
        "{compared} {spent} {played}"
    );
    // Two or three pairs decide nothing, so the first net remains the best.
    let best = fs::read_to_string(whole.join("best")).unwrap();
    assert_eq!(best, "gen-000000.senpu\n");
    assert!(lines(&expected).iter().all(|line| line["best"] == 0));
}

#[test]
fn a_full_disk_stops_a_run_before_it_begins_a_generation() {
    let dir = tempfile::tempdir().unwrap();
    let run_dir = dir.path().join("run");
    let said = run(
        &config(&["guard.min_free_megabytes=1000000000000"]),
        &run_dir,
        sound_disk(),
    )
    .unwrap_err();
    assert!(
        said.contains("MB are free where")
            && said.contains("guard.min_free_megabytes = 1000000000000"),
        "{said}"
    );
    run(&config(&[]), &run_dir, sound_disk()).unwrap();
    assert_eq!(left(&run_dir).checkpoints.len(), 3);
}
