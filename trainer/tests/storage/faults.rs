//! Every operation that changes a run directory fails, or is the last thing that happens, one after the other.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use selfplay::GameRecord;
use serde::{Deserialize, Serialize};
use tempfile::tempdir;
use trainer::durable::{Disk, Fault, FaultyDisk, RealDisk};
use trainer::metrics::{self, Metrics};
use trainer::replay::{ReplayStore, StoreMark, StoreOptions};
use trainer::run_dir::RunDir;

use crate::games::{OPTIONS, content, game, games, open_with};

const SMALL: StoreOptions = StoreOptions {
    segment_bytes: 1_500,
    ..OPTIONS
};
const GENERATIONS: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    generation: u32,
    mark: StoreMark,
}

/// What a run was told is stored.
#[derive(Default)]
struct Acknowledged {
    games: Vec<GameRecord>,
    state: Option<State>,
    metrics: usize,
}

type Anything = Result<(), Box<dyn std::error::Error>>;

/// Tries an operation, and once more if `again`, as a run does after a full disk.
fn attempt<T, E>(again: bool, mut act: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    match act() {
        Err(_) if again => act(),
        done => done,
    }
}

fn run(path: &Path, disk: &Arc<FaultyDisk>, again: bool, told: &mut Acknowledged) -> Anything {
    let shared = || Arc::clone(disk) as Arc<dyn Disk>;
    let dir = attempt(again, || RunDir::create_or_open(path, shared()))?;
    let (mut store, _) = attempt(again, || ReplayStore::open(shared(), &dir.games(), &SMALL))?;
    let (mut log, _) = attempt(again, || Metrics::open(shared(), &dir.metrics()))?;
    for generation in 0..GENERATIONS {
        for _ in 0..2 {
            let next = told.games.len() as u64;
            let some = games(next..next + 2);
            attempt(again, || store.append(&some))?;
            told.games.extend(some);
        }
        attempt(again, || store.close_segment())?;
        attempt(again, || dir.publish(generation, &[generation as u8; 1000]))?;
        attempt(again, || dir.set_best(generation))?;
        let mark = store.mark();
        attempt(again, || log.append(&State { generation, mark }))?;
        attempt(again, || log.sync())?;
        told.metrics += 1;
        let state = State { generation, mark };
        attempt(again, || dir.write_state(&state))?;
        told.state = Some(state);
    }
    Ok(())
}

/// Opens the run again on a disk that works, and checks that everything acknowledged is there, and that it goes on from its state.
fn check(path: &Path, told: &Acknowledged, case: &str) {
    let dir = RunDir::create_or_open(path, Arc::new(RealDisk)).unwrap();
    let (mut store, _) = open_with(&dir.games(), &SMALL).unwrap();
    let found = content(&store);
    assert!(
        found.len() >= told.games.len(),
        "{case}: {} of {} games",
        found.len(),
        told.games.len()
    );
    assert!(found == games(0..found.len() as u64), "{case}");
    let state = dir.read_state::<State>().unwrap();
    assert!(
        told.state.is_none() || state.map(|s| s.generation) >= told.state.map(|s| s.generation),
        "{case}"
    );
    let (mut log, _) = Metrics::open(Arc::new(RealDisk), &dir.metrics()).unwrap();
    assert!(
        metrics::read(&dir.metrics()).unwrap().len() >= told.metrics,
        "{case}"
    );
    let mark = state.map_or(StoreMark::default(), |state| state.mark);
    store.rewind(mark).unwrap();
    assert!(content(&store) == games(0..mark.games), "{case}");
    if let Some(State { generation, .. }) = state {
        log.rewind_to(generation.into()).unwrap();
        let lines = metrics::read(&dir.metrics()).unwrap();
        assert_eq!(lines.len(), generation as usize + 1, "{case}");
        let best = dir.best().unwrap().unwrap();
        assert!(best.generation >= generation, "{case}");
        assert_eq!(fs::read(best.path).unwrap(), [best.generation as u8; 1000]);
    }
    store.append(&[game(mark.games)]).unwrap();
    let (again, notices) = open_with(&dir.games(), &SMALL).unwrap();
    assert_eq!(notices, [], "{case}");
    assert!(content(&again) == games(0..mark.games + 1), "{case}");
}

/// Calls `story` with each fault at each operation, until it runs through without meeting it.
fn with_every_fault(mut story: impl FnMut(&Arc<FaultyDisk>, bool, &str)) -> u64 {
    let mut cases = 0;
    for fault in Fault::ALL {
        for at in 0.. {
            let disk = Arc::new(FaultyDisk::new(at, fault));
            let again = matches!(fault, Fault::Fail | Fault::FailHalfway);
            story(&disk, again, &format!("{fault:?} at operation {at}"));
            if disk.operations() <= at {
                break;
            }
            cases += 1;
        }
    }
    cases
}

#[test]
fn a_run_loses_nothing_that_was_acknowledged() {
    let cases = with_every_fault(|disk, again, case| {
        let dir = tempdir().unwrap();
        let path = dir.path().join("run");
        let mut told = Acknowledged::default();
        let done = run(&path, disk, again, &mut told);
        if again {
            done.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(told.games.len(), 8);
        }
        check(&path, &told, case);
    });
    assert!(cases > 200, "{cases} cases");
}

/// Opens a filled store on a faulty disk, rewinds it and appends a game; `damage` is done to it first. `check` is told whether the game was
/// acknowledged.
fn reopen_with_every_fault(
    damage: impl Fn(&Path),
    mark: StoreMark,
    check: impl Fn(&Path, bool, &str),
) {
    with_every_fault(|disk, again, case| {
        let dir = tempdir().unwrap();
        let path = dir.path().join("games");
        let fine = Arc::new(FaultyDisk::new(u64::MAX, Fault::Fail));
        let (mut store, _) = ReplayStore::open(fine, &path, &SMALL).unwrap();
        for first in 0..6 {
            store.append(&games(2 * first..2 * first + 2)).unwrap();
        }
        drop(store);
        damage(&path);
        let shared = || Arc::clone(disk) as Arc<dyn Disk>;
        let done = attempt(again, || {
            let (mut store, _) = ReplayStore::open(shared(), &path, &SMALL)?;
            attempt(again, || store.rewind(mark))?;
            attempt(again, || store.append(&[game(NEW)]))
        });
        assert!(done.is_ok() || !again, "{case}: {done:?}");
        check(&path, done.is_ok(), case);
    });
}

/// The number of the game that is appended after a rewind.
const NEW: u64 = 1000;

#[test]
fn a_rewind_that_was_cut_short_can_be_repeated() {
    for left in 0..6 {
        let all = games(0..2 * left);
        let mark = StoreMark {
            games: 2 * left,
            positions: all.iter().map(crate::games::positions).sum(),
        };
        reopen_with_every_fault(
            |_| {},
            mark,
            |path, appended, case| {
                let (mut store, _) = open_with(path, &SMALL).unwrap();
                assert!(store.total_games() >= mark.games, "{case}");
                if appended {
                    let mut expected = all.clone();
                    expected.push(game(NEW));
                    assert!(content(&store) == expected, "{case}");
                }
                store.rewind(mark).unwrap();
                assert_eq!(store.mark(), mark, "{case}");
                assert!(content(&store) == all, "{case}");
            },
        );
    }
}

#[test]
fn setting_a_damaged_segment_aside_can_be_cut_short() {
    let damage = |path: &Path| {
        let segment = path.join("seg-00000001.sgm");
        let mut bytes = fs::read(&segment).unwrap();
        bytes[300] ^= 1;
        fs::write(&segment, bytes).unwrap();
    };
    let mark = StoreMark {
        games: 12,
        positions: games(0..12).iter().map(crate::games::positions).sum(),
    };
    reopen_with_every_fault(damage, mark, |path, appended, case| {
        let (store, _) = open_with(path, &SMALL).unwrap();
        let news = store.total_games() - 12;
        assert!(news == 1 || !appended, "{case}");
        assert_eq!(store.games() as u64, 10 + news, "{case}");
        let aside = fs::read_dir(path).unwrap().filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains("damaged")
        });
        assert_eq!(aside.count(), 1, "{case}");
    });
}
