//! What a run needs, and places that cannot hold one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::{fail, succeed, train};

#[test]
fn places_that_cannot_hold_a_run_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let said = fail(&mut train(&file, &[]));
    assert!(said.contains("is not a directory"), "{said}");
    // Not even root can make a directory there.
    if cfg!(target_os = "linux") {
        let said = fail(&mut train(Path::new("/proc/run"), &[]));
        assert!(said.contains("cannot create `/proc/run`"), "{said}");
    }
    let said = fail(&mut train(
        &dir.path().join("run"),
        &["guard.min_free_megabytes=1000000000000"],
    ));
    assert!(said.contains("MB are free where"), "{said}");
}

#[test]
fn a_config_and_a_run_directory_must_fit() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    succeed(&mut train(&run, &["stop.generations=1"]));
    let said = fail(&mut train(
        &run,
        &["stop.generations=2", "rules.repetitions=4"],
    ));
    assert!(
        said.contains("holds a run whose `rules` is another one"),
        "{said}"
    );
    // The config of another game, with another game's rules.
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/smoke.toml");
    let said = fail(
        Command::new(crate::program())
            .arg("train")
            .arg(other)
            .arg("--run")
            .arg(&run),
    );
    assert!(
        said.contains("holds a run whose `game` is another one"),
        "{said}"
    );
    fs::write(run.join("config.toml"), "seed = \"what\"").unwrap();
    let said = fail(&mut train(&run, &["stop.generations=2"]));
    assert!(
        said.contains("config.toml") && said.contains("seed"),
        "{said}"
    );
}

#[test]
fn a_dry_run_states_what_is_needed_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let output = train(&run, &[])
        .args(["--dry-run", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let stated: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        fs::read_dir(dir.path()).unwrap().next().is_none(),
        "nothing may be written"
    );
    for key in [
        "parameters",
        "plies",
        "play_seconds",
        "memory_bytes",
        "checkpoint_bytes",
        "generation_bytes",
        "run_seconds",
        "free_bytes",
    ] {
        assert!(stated[key].as_f64().unwrap() > 0.0, "{key}: {stated}");
    }
    assert_eq!(
        (stated["plies"].as_u64(), stated["generations"].as_u64()),
        (Some(960), Some(12))
    );
    // The run itself stays within the memory stated, and near the disk stated.
    let mut child = train(&run, &[]).spawn().unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or_default() * 1024);
        std::thread::sleep(Duration::from_millis(20));
    }
    let memory = stated["memory_bytes"].as_u64().unwrap();
    assert!(
        peak > 0 && peak <= memory,
        "{peak} bytes used, {memory} stated"
    );
    let bytes = fs::metadata(run.join("checkpoints/gen-000001.senpu"))
        .unwrap()
        .len() as f64;
    let checkpoint = stated["checkpoint_bytes"].as_f64().unwrap();
    assert!(
        (bytes / checkpoint - 1.0).abs() < 0.01,
        "{bytes} bytes, {checkpoint} stated"
    );
    let games: u64 = fs::read_dir(run.join("games"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    let games_stated = 12.0 * (stated["generation_bytes"].as_f64().unwrap() - checkpoint - 2048.0);
    let ratio = games as f64 / games_stated;
    assert!(
        (0.3..=3.0).contains(&ratio),
        "{games} bytes of games, {games_stated} stated"
    );
}

/// A clock that goes backwards cannot disturb what never looks at it: durations come from the monotonic clock only.
#[test]
fn no_source_reads_the_wall_clock() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = ["rules", "model", "selfplay", "trainer"]
        .map(|name| root.join(name).join("src"))
        .to_vec();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).unwrap();
            assert!(
                !text.contains("SystemTime") && !text.contains("Utc::now"),
                "{}",
                path.display()
            );
        }
    }
    assert!(files > 50);
}
