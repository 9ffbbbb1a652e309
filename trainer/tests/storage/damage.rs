use std::fs;
use std::path::Path;

use tempfile::tempdir;
use trainer::notice::Notice;
use trainer::replay::{self, ReplayError, SegmentState, StoreOptions};
use trainer::schedule::WindowSize;

use crate::games::{OPTIONS, content, game, games, numbers, open, open_with};

/// Fills a store with four segments of five one-game frames, the last of them open.
fn fill(dir: &Path) {
    let (mut store, _) = open(dir);
    for number in 0..20 {
        if number % 5 == 0 {
            store.close_segment().unwrap();
        }
        store.append(&[game(number)]).unwrap();
    }
}

fn segment(dir: &Path, number: u32) -> std::path::PathBuf {
    let closed = dir.join(format!("seg-{number:08}.sgm"));
    if closed.exists() {
        closed
    } else {
        closed.with_extension("open")
    }
}

#[test]
fn a_torn_tail_is_cut_off_with_a_message() {
    let dir = tempdir().unwrap();
    let (mut store, _) = open(dir.path());
    store.append(&games(0..3)).unwrap();
    let path = segment(dir.path(), 0);
    let whole = fs::metadata(&path).unwrap().len() as usize;
    store.append(&games(3..6)).unwrap();
    drop(store);
    let bytes = fs::read(&path).unwrap();
    for len in whole + 1..bytes.len() {
        fs::write(&path, &bytes[..len]).unwrap();
        let (mut store, notices) = open(dir.path());
        let torn = Notice::TornTail {
            path: path.clone(),
            offset: whole as u64,
            bytes: (len - whole) as u64,
        };
        assert_eq!(notices, [torn]);
        assert_eq!(content(&store), games(0..3));
        store.append(&games(3..5)).unwrap();
        let (store, notices) = open(dir.path());
        assert_eq!((notices, store.total_games()), (vec![], 5));
    }
    for len in 0..64 {
        fs::write(&path, &bytes[..len]).unwrap();
        let (store, notices) = open(dir.path());
        assert_eq!(
            (notices.len(), store.total_games()),
            (usize::from(len > 0), 0)
        );
        assert!(!path.exists());
    }
}

#[test]
fn a_tail_of_zeros_is_torn_too() {
    let dir = tempdir().unwrap();
    let (mut store, _) = open(dir.path());
    store.append(&games(0..3)).unwrap();
    drop(store);
    let path = segment(dir.path(), 0);
    let mut bytes = fs::read(&path).unwrap();
    bytes.resize(bytes.len() + 4096, 0);
    fs::write(&path, bytes).unwrap();
    let (store, notices) = open(dir.path());
    assert!(matches!(
        notices[..],
        [Notice::TornTail { bytes: 4096, .. }]
    ));
    assert_eq!(content(&store), games(0..3));
}

/// Flips a bit at an offset of a segment, opens the store, and checks that at most the game at that place is gone, and that this is said.
fn flip(source: &Path, number: u32, offset: usize) {
    let dir = tempdir().unwrap();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
    }
    let path = segment(dir.path(), number);
    let mut bytes = fs::read(&path).unwrap();
    bytes[offset] ^= 1 << (offset % 8);
    fs::write(&path, bytes).unwrap();
    let report = replay::inspect(dir.path(), &|_| Ok(())).unwrap();
    assert!(report.problems().count() > 0, "offset {offset}");
    let (store, notices) = open(dir.path());
    let (found, whole) = (numbers(&store), games(0..20));
    let lost = 20 - found.len() as u64;
    assert!(lost <= 1, "offset {offset}: {lost} games lost");
    for found in content(&store) {
        assert_eq!(found, whole[found.number as usize]);
    }
    match &notices[..] {
        [
            Notice::Damaged {
                aside,
                games,
                offset: at,
                ..
            },
        ] => {
            assert_eq!(*games, lost, "offset {offset}");
            assert!(aside.exists() && *at as usize <= offset);
        }
        [Notice::TornTail { .. }] => assert!(path.extension().unwrap() == "open"),
        other => panic!("offset {offset}: {other:?}"),
    }
    let (again, notices) = open(dir.path());
    assert_eq!((numbers(&again), notices), (found, vec![]));
}

#[test]
fn a_flipped_byte_is_found_wherever_it_is_and_costs_one_frame() {
    let dir = tempdir().unwrap();
    fill(dir.path());
    for number in [1, 3] {
        let bytes = fs::metadata(segment(dir.path(), number)).unwrap().len() as usize;
        let ends = (0..120).chain(bytes - 60..bytes);
        for offset in ends.chain((120..bytes - 60).step_by(97)) {
            flip(dir.path(), number, offset);
        }
    }
}

#[test]
fn an_inspection_names_the_damage_and_changes_nothing() {
    let dir = tempdir().unwrap();
    fill(dir.path());
    let path = segment(dir.path(), 2);
    let mut bytes = fs::read(&path).unwrap();
    bytes[200] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let report = replay::inspect(dir.path(), &|_| Ok(())).unwrap();
    assert_eq!(report.segments[2].state, SegmentState::Damaged);
    let problems: Vec<_> = report.problems().collect();
    assert!(problems[0].contains("seg-00000002.sgm") && problems[0].contains("offset"));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    open(dir.path());
    let report = replay::inspect(dir.path(), &|_| Ok(())).unwrap();
    assert_eq!(report.segments.len(), 5);
    assert_eq!(report.segments[4].state, SegmentState::Aside);
    assert_eq!(report.games, 19);
}

#[test]
fn old_segments_outside_the_window_are_not_read() {
    let dir = tempdir().unwrap();
    fill(dir.path());
    let path = segment(dir.path(), 0);
    let mut bytes = fs::read(&path).unwrap();
    bytes[200] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let options = StoreOptions {
        window: WindowSize::Constant(10),
        ..OPTIONS
    };
    let (store, notices) = open_with(dir.path(), &options).unwrap();
    assert_eq!((store.total_games(), notices), (20, vec![]));
}

#[test]
fn a_segment_of_another_format_is_refused() {
    let dir = tempdir().unwrap();
    fill(dir.path());
    for number in [1, 3] {
        let path = segment(dir.path(), number);
        let old = fs::read(&path).unwrap();
        let mut bytes = old.clone();
        bytes[8] = 1;
        let crc = crc32fast::hash(&bytes[..60]);
        bytes[60..64].copy_from_slice(&crc.to_le_bytes());
        fs::write(&path, &bytes).unwrap();
        let error = open_with(dir.path(), &OPTIONS).unwrap_err();
        assert!(matches!(error, ReplayError::Format { found: 1, .. }));
        assert!(error.to_string().contains(&path.display().to_string()));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        fs::write(&path, &old).unwrap();
    }
}

#[test]
fn games_of_another_kind_are_refused() {
    let dir = tempdir().unwrap();
    fill(dir.path());
    let other = StoreOptions {
        rules_version: 2,
        ..OPTIONS
    };
    let error = open_with(dir.path(), &other).unwrap_err();
    assert!(matches!(error, ReplayError::Rules { found: 1, .. }));
    let (mut store, _) = open(dir.path());
    let mut record = game(20);
    record.rules_version = 3;
    assert!(store.append(&[record]).is_err());
    assert_eq!(store.total_games(), 20);
    let path = segment(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[40..44].copy_from_slice(b"goes");
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    let error = open_with(dir.path(), &OPTIONS).unwrap_err().to_string();
    assert!(
        error.contains("seg-00000001.sgm") && error.contains("`goes`"),
        "{error}"
    );
    assert!(error.contains("`gufu`"));
}
