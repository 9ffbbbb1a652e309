//! Runs that are killed, interrupted, damaged, starved of room or shown the wrong files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rand::RngExt;
use selfplay::random::{Purpose, stream};
use serde_json::Value;

/// What makes the shipped config a matter of seconds.
const TINY: [&str; 16] = [
    "stop.generations=12",
    "stop.minutes=0",
    "selfplay.games=16",
    "selfplay.plies_per_generation=60",
    "search.simulations=8",
    "net.channels=16",
    "net.blocks=1",
    "learn.warmup_positions=1000",
    "replay.batch=64",
    "replay.window=4000",
    "evaluate.positions=50",
    "evaluate.final_positions=50",
    "evaluate.simulations=[4]",
    "evaluate.match_games=2",
    "evaluate.match_simulations=4",
    "guard.min_free_megabytes=1",
];

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin("senpu")
}

fn train(run: &Path, sets: &[&str]) -> Command {
    let mut command = Command::new(program());
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
    command.arg("train").arg(config).arg("--run").arg(run);
    for set in TINY.iter().chain(sets) {
        command.arg("--set").arg(set);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs to the end and returns whether it succeeded and what it said.
fn finish(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("panicked"), "{said}");
    (output.status.success(), said)
}

fn succeed(command: &mut Command) -> String {
    let (success, said) = finish(command);
    assert!(success, "{said}");
    said
}

fn fail(command: &mut Command) -> String {
    let (success, said) = finish(command);
    assert!(!success, "{said}");
    said
}

/// Everything that a run leaves but its times, in a form that can be compared.
fn left(run: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_to_string(run.join("metrics.jsonl"))
        .unwrap()
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("seconds");
            line.to_string()
        })
        .collect();
    for folder in ["checkpoints", "games"] {
        let mut files: Vec<PathBuf> = fs::read_dir(run.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for path in files {
            let hash = crc32fast::hash(&fs::read(&path).unwrap());
            all.push(format!(
                "{folder}/{} {hash:08x}",
                path.file_name().unwrap().to_string_lossy()
            ));
        }
    }
    all
}

/// Kills a process as `kill -9` does and waits until it is gone.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn twenty_kills_at_random_moments_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    let begun = std::time::Instant::now();
    succeed(&mut train(&whole, &[]));
    // Moments up to twice the mean length of a generation, so that work is lost and work is kept.
    let generation = begun.elapsed().as_millis() as u64 / 12;
    let mut rng = stream(20, Purpose::Sample, 0, 0);
    let mut kills = 0;
    while kills < 20 {
        let mut child = train(&killed, &[]).spawn().unwrap();
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
    let said = succeed(&mut train(&killed, &[]));
    assert!(said.contains("complete after 12 generations"), "{said}");
    assert_eq!(left(&killed), left(&whole));
}

#[test]
fn threads_and_batches_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, threads: &str, batch: &str| {
        let run = dir.path().join(name);
        succeed(train(&run, &["stop.generations=3", batch]).args(["--threads", threads]));
        left(&run)
    };
    let first = run("a", "1", "inference.batch=8");
    assert_eq!(first, run("b", "2", "inference.batch=64"));
    assert_eq!(first, run("c", "2", "inference.batch=1"));
    assert_ne!(first, run("d", "2", "seed=2"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_cleanly_and_the_run_goes_on_alike() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, stopped) = (dir.path().join("whole"), dir.path().join("stopped"));
    let sets = ["stop.generations=4"];
    succeed(&mut train(&whole, &sets));
    let child = train(&stopped, &sets).spawn().unwrap();
    while !stopped.join("state.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("run the same command again to go on"),
        "{said}"
    );
    succeed(&mut train(&stopped, &sets));
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
        said.contains("is in use by another process") && said.contains("--run"),
        "{said}"
    );
    kill(child);
}

#[test]
fn damaged_files_of_a_run_are_named_and_gone_around() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, damaged) = (dir.path().join("whole"), dir.path().join("damaged"));
    succeed(&mut train(&whole, &["stop.generations=4"]));
    succeed(&mut train(&damaged, &["stop.generations=3"]));
    let end_of_three = |line: &String| line.contains("at_end") && line.contains("\"generation\":3");
    let alike = || {
        let found: Vec<String> = left(&damaged)
            .into_iter()
            .filter(|line| !end_of_three(line))
            .collect();
        assert_eq!(found, left(&whole));
    };
    // The newest checkpoint is cut short: it is named, and the one before is used.
    let checkpoint = damaged.join("checkpoints/gen-000003.senpu");
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..bytes.len() - 7]).unwrap();
    let said = succeed(&mut train(&damaged, &["stop.generations=4"]));
    assert!(
        said.contains("gen-000003.senpu") && said.contains("going on after generation 2"),
        "{said}"
    );
    alike();
    // A checkpoint of something else is no better.
    fs::write(
        damaged.join("checkpoints/gen-000004.senpu"),
        "something else",
    )
    .unwrap();
    let said = succeed(&mut train(&damaged, &["stop.generations=4"]));
    assert!(
        said.contains("not a Senpu checkpoint") && said.contains("going on after generation 3"),
        "{said}"
    );
    alike();
}

#[test]
fn damaged_games_are_set_aside_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    succeed(&mut train(&run, &["stop.generations=2"]));
    let mut segments: Vec<PathBuf> = fs::read_dir(run.join("games"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    segments.sort();
    let segment = segments.last().unwrap();
    let mut bytes = fs::read(segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(segment, &bytes).unwrap();
    let check = || {
        let output = Command::new(program())
            .args(["replay", "check"])
            .arg(&run)
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (sound, said) = check();
    assert!(
        !sound && said.contains(&segment.display().to_string()) && said.contains("checksum"),
        "{said}"
    );
    let said = succeed(&mut train(&run, &["stop.generations=3"]));
    assert!(
        said.contains("is damaged at offset") && said.contains("set aside"),
        "{said}"
    );
    assert!(said.contains("complete after 3 generations"), "{said}");
    // A segment of a newer program is refused, not touched.
    bytes[middle] ^= 0x10;
    let newer = run.join("games/seg-00000009.sgm");
    bytes[8..12].copy_from_slice(&9_u32.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&newer, &bytes).unwrap();
    let said = fail(&mut train(&run, &["stop.generations=4"]));
    assert!(
        said.contains("seg-00000009.sgm") && said.contains("format 9, this program knows format 1"),
        "{said}"
    );
    assert_eq!(fs::read(&newer).unwrap(), bytes);
}

#[test]
fn a_state_of_another_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    succeed(&mut train(&run, &["stop.generations=1"]));
    let state = run.join("state.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("\"format\": 1", "\"format\": 77")).unwrap();
    let said = fail(&mut train(&run, &["stop.generations=2"]));
    assert!(
        said.contains("state.json` has format 77; this program reads format 1"),
        "{said}"
    );
    fs::write(&state, "{").unwrap();
    let said = fail(&mut train(&run, &["stop.generations=2"]));
    assert!(said.contains("state.json` is not valid"), "{said}");
}

#[test]
fn kernels_are_saved_and_pinned() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let sets = ["stop.generations=1"];
    let said = fail(train(&run, &sets).args(["--kernels", "abacus"]));
    assert!(
        said.contains("kernels `abacus` are not to be had on this machine; it has `"),
        "{said}"
    );
    let said = fail(train(&run, &sets).env("SENPU_KERNELS", "abacus"));
    assert!(said.contains("kernels `abacus`"), "{said}");
    succeed(&mut train(&run, &sets));
    let state = run.join("state.json");
    let mut saved: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    let here = saved["kernels"].as_str().unwrap().to_owned();
    saved["kernels"] = "abacus".into();
    fs::write(&state, saved.to_string()).unwrap();
    let said = fail(&mut train(&run, &["stop.generations=2"]));
    assert!(
        said.contains("begun with kernels `abacus`") && said.contains(&format!("--kernels {here}")),
        "{said}"
    );
    let said = succeed(train(&run, &["stop.generations=2"]).args(["--kernels", &here]));
    assert!(said.contains("in place of `abacus`"), "{said}");
}

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

/// A run of another game is refused; gufu is the only one yet, so the saved config is made to claim another rule.
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
