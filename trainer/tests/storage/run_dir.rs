use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::tempdir;
use trainer::durable::RealDisk;
use trainer::run_dir::{RunDir, RunDirError};

fn open(path: &Path) -> Result<RunDir, RunDirError> {
    RunDir::create_or_open(path, Arc::new(RealDisk))
}

#[test]
fn two_trainers_cannot_have_one_directory() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("deep/run");
    let first = open(&path).unwrap();
    let error = open(&path).unwrap_err();
    assert!(matches!(error, RunDirError::InUse { .. }));
    let text = error.to_string();
    assert!(
        text.contains("deep/run") && text.contains(&std::process::id().to_string()),
        "{text}"
    );
    RunDir::read(&path).unwrap();
    drop(first);
    open(&path).unwrap();
}

#[test]
fn what_stands_in_the_way_is_named() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(open(&file), Err(RunDirError::NotADirectory(_))));
    let error = open(&file.join("run")).unwrap_err().to_string();
    assert!(
        error.contains("file/run") && error.contains("--run"),
        "{error}"
    );
    let missing = RunDir::read(&dir.path().join("nothing")).unwrap_err();
    assert!(missing.to_string().contains("nothing"));
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempdir().unwrap();
    let path = dir.path().join("run");
    drop(open(&path).unwrap());
    fs::remove_dir(path.join("matches")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere: then there is nothing to refuse.
    if fs::write(path.join("probe"), "").is_err() {
        let error = open(&path).unwrap_err().to_string();
        assert!(
            error.contains("matches") && error.contains("writable"),
            "{error}"
        );
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn checkpoints_are_listed_and_the_best_is_remembered() {
    let dir = tempdir().unwrap();
    let run = open(dir.path()).unwrap();
    assert_eq!(run.best().unwrap(), None);
    for generation in [12, 3, 1_000_000] {
        run.publish(generation, b"weights").unwrap();
    }
    fs::write(run.checkpoints().join("notes.txt"), "").unwrap();
    let found = run.list_checkpoints().unwrap();
    let generations: Vec<_> = found.iter().map(|found| found.generation).collect();
    assert_eq!(generations, [3, 12, 1_000_000]);
    assert!(found[1].path.ends_with("checkpoints/gen-000012.senpu"));
    run.set_best(12).unwrap();
    assert_eq!(run.best().unwrap().as_ref(), Some(&found[1]));
    assert!(run.set_best(13).is_err());
    fs::remove_file(&found[1].path).unwrap();
    let error = run.best().unwrap_err().to_string();
    assert!(error.contains("gen-000012.senpu"), "{error}");
    assert_eq!(run.disk_use().unwrap().checkpoints, 14);
}

#[test]
fn unfinished_files_of_a_killed_process_go() {
    let dir = tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let stale = [
        dir.path().join("state.json.tmp"),
        dir.path().join("checkpoints/gen-000001.senpu.tmp"),
    ];
    for path in &stale {
        fs::write(path, "half").unwrap();
    }
    open(dir.path()).unwrap();
    assert!(stale.iter().all(|path| !path.exists()));
}

#[test]
fn a_state_that_does_not_read_is_named() {
    let dir = tempdir().unwrap();
    let run = open(dir.path()).unwrap();
    assert_eq!(run.read_state::<u32>().unwrap(), None);
    run.write_state(&17u32).unwrap();
    assert_eq!(run.read_state::<u32>().unwrap(), Some(17));
    let error = run.read_state::<String>().unwrap_err().to_string();
    assert!(error.contains("state.json"), "{error}");
}
