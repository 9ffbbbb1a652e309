//! What a config leaves to the machine is worked out once, when a run begins.

use std::fs;
use std::thread::available_parallelism;

use super::{fail, succeed, train};

#[test]
fn games_left_open_are_two_batches_a_core_and_stay_so() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let open = ["selfplay.games=0", "selfplay.plies_per_generation=10"];
    let begun = [&open[..], &["inference.batch=3", "stop.generations=1"]].concat();
    succeed(&mut train(&run, &begun));
    let games = || {
        let config: toml::Table = fs::read_to_string(run.join("config.toml"))
            .unwrap()
            .parse()
            .unwrap();
        config["selfplay"]["games"].as_integer().unwrap()
    };
    let cores = available_parallelism().unwrap().get() as i64;
    assert_eq!(games(), 2 * 3 * cores);

    // Another batch would give another number, but this is a run of so many games.
    let later = [&open[..], &["inference.batch=5", "stop.generations=2"]].concat();
    succeed(&mut train(&run, &later));
    assert_eq!(games(), 2 * 3 * cores);
    let other = [&later[..], &["selfplay.games=1"]].concat();
    assert!(fail(&mut train(&run, &other)).contains("`selfplay.games` is another one"));
}
