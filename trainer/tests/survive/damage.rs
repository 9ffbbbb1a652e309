//! Files of a run that are damaged, foreign or newer.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{fail, left, program, succeed, train};

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
        said.contains("seg-00000009.sgm") && said.contains("format 9, this program knows format 2"),
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
    fs::write(&state, text.replace("\"format\": 2", "\"format\": 77")).unwrap();
    let said = fail(&mut train(&run, &["stop.generations=2"]));
    assert!(
        said.contains("state.json` has format 77; this program reads format 2"),
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
