//! Killed, interrupted, repeated on other threads: the run ends alike.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rand::RngExt;
use selfplay::random::{Purpose, stream};

use crate::{fail, kill, left, succeed, train};

#[test]
fn twenty_kills_at_random_moments_change_nothing() {
    killed_and_whole_are_alike(20, &[]);
}

#[test]
fn ten_kills_while_play_and_learning_overlap_change_nothing() {
    killed_and_whole_are_alike(10, &["pipeline.lag=1", "pipeline.overlap=true"]);
}

pub(crate) fn killed_and_whole_are_alike(wanted: u32, sets: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    let begun = std::time::Instant::now();
    succeed(&mut train(&whole, sets));
    // Moments up to twice the mean length of a generation, so that work is lost and work is kept.
    let generation = begun.elapsed().as_millis() as u64 / 12;
    let mut rng = stream(20, Purpose::Sample, 0, 0);
    let mut kills = 0;
    while kills < wanted {
        let mut child = train(&killed, sets).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(
            rng.random_range(1..=generation * 2 + 200),
        ));
        if child
            .try_wait()
            .unwrap()
            .is_some_and(|status| status.success())
        {
            // It came to its end: the remaining kills hit a longer run, from the start.
            fs::remove_dir_all(&killed).unwrap();
            continue;
        }
        kill(child);
        kills += 1;
    }
    let said = succeed(&mut train(&killed, sets));
    assert!(said.contains("complete after 12 generations"), "{said}");
    assert_eq!(left(&killed), left(&whole));
}

#[test]
fn threads_batches_and_caches_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, threads: &str, batch: &str| {
        let run = dir.path().join(name);
        succeed(train(&run, &["stop.generations=3", batch]).args(["--threads", threads]));
        left(&run)
    };
    let first = run("a", "1", "inference.batch=8");
    assert_eq!(first, run("b", "2", "inference.batch=64"));
    assert_eq!(first, run("c", "2", "inference.batch=1"));
    assert_eq!(first, run("e", "2", "inference.cache_megabytes=0"));
    assert_eq!(first, run("f", "1", "inference.cache_megabytes=1"));
    assert_ne!(first, run("d", "2", "seed=2"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_cleanly_and_the_run_goes_on_alike() {
    stopped_and_whole_are_alike(&["stop.generations=4"]);
    stopped_and_whole_are_alike(&[
        "stop.generations=4",
        "pipeline.lag=1",
        "pipeline.overlap=true",
    ]);
}

#[cfg(unix)]
fn stopped_and_whole_are_alike(sets: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let (whole, stopped) = (dir.path().join("whole"), dir.path().join("stopped"));
    succeed(&mut train(&whole, sets));
    let child = train(&stopped, sets).spawn().unwrap();
    while !stopped.join("state.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -INT {}", child.id()))
        .status()
        .unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("run the same command again to go on"),
        "{said}"
    );
    succeed(&mut train(&stopped, sets));
    assert_eq!(left(&stopped), left(&whole));
}

#[test]
fn two_trainers_cannot_share_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let child = train(&run, &["stop.generations=1000"]).spawn().unwrap();
    while !run.join("state.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = fail(&mut train(&run, &["stop.generations=1000"]));
    assert!(
        said.contains("is in use by another process") && said.contains("choose another directory"),
        "{said}"
    );
    kill(child);
}

#[test]
fn a_reader_that_goes_away_ends_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let mut child = train(&run, &["stop.generations=2"]).spawn().unwrap();
    drop(child.stderr.take());
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert!(run.join("checkpoints/gen-000002.senpu").exists());
}
