use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::Reason;
use selfplay::{BranchKind, PlyKind};
use tempfile::tempdir;
use trainer::notice::Notice;
use trainer::replay::{self, ReplayStore, SegmentState, StoreOptions};
use trainer::schedule::{Growth, WindowSize};

use crate::games::{OPTIONS, content, games, numbers, open, open_with, positions};

#[test]
fn what_is_appended_is_found_again() {
    let dir = tempdir().unwrap();
    let all = games(0..100);
    let (mut store, _) = open(dir.path());
    for some in all.chunks(7) {
        store.append(some).unwrap();
    }
    assert_eq!(content(&store), all);
    assert_eq!(store.positions(), all.iter().map(positions).sum::<u64>());
    let (mut store, notices) = open(dir.path());
    assert_eq!(notices, []);
    assert_eq!(content(&store), all);
    store.close_segment().unwrap();
    store.append(&games(100..101)).unwrap();
    let (store, notices) = open(dir.path());
    assert_eq!(notices, []);
    assert_eq!(content(&store), games(0..101));
    assert_eq!(store.total_games(), 101);
    assert_eq!(store.total_positions(), store.positions());
}

#[test]
fn the_window_is_the_same_after_opening_again_whatever_its_size() {
    let dir = tempdir().unwrap();
    let small = |window| StoreOptions {
        window: WindowSize::Constant(window),
        segment_bytes: 4_000,
        ..OPTIONS
    };
    let (mut stores, all) = (Vec::new(), games(0..80));
    for window in [0, 1, 50, 300, 700, 1_000_000] {
        let dir = dir.path().join(window.to_string());
        let (mut store, _) = open_with(&dir, &small(window)).unwrap();
        for some in all.chunks(3) {
            store.append(some).unwrap();
        }
        stores.push((window, dir, store));
    }
    for (window, dir, store) in stores {
        let (again, notices) = open_with(&dir, &small(window)).unwrap();
        assert_eq!(notices, []);
        assert_eq!(content(&again), content(&store), "window {window}");
        assert_eq!(again.mark(), store.mark());
        let held: Vec<u64> = content(&store).iter().map(positions).collect();
        assert_eq!(store.positions(), held.iter().sum::<u64>());
        if window == 1_000_000 {
            assert_eq!(store.games(), 80);
        } else {
            assert!(store.positions() >= window);
            assert!(
                held.first()
                    .is_none_or(|oldest| store.positions() - oldest < window)
            );
        }
        assert_eq!(store.total_games(), 80);
    }
}

/// It holds what its size is for all positions ever stored, whether games came one by one or in lots, and the same after opening again and
/// after going back.
#[test]
fn a_window_that_grows_is_a_function_of_the_games() {
    let dir = tempdir().unwrap();
    let options = StoreOptions {
        window: WindowSize::Changing(Growth {
            from: 60,
            alpha: 0.75,
            beta: 0.4,
        }),
        segment_bytes: 4_000,
        ..OPTIONS
    };
    let (mut store, _) = open_with(&dir.path().join("many"), &options).unwrap();
    let all = games(0..80);
    let (mut marks, mut kept) = (Vec::new(), Vec::new());
    for (number, game) in all.iter().enumerate() {
        store.append(std::slice::from_ref(game)).unwrap();
        let size = options.window.at(store.total_positions());
        let held: u64 = content(&store).iter().map(positions).sum();
        let oldest = positions(&content(&store)[0]);
        assert_eq!(store.positions(), held);
        assert!(held >= size.min(store.total_positions()), "{number}");
        assert!(store.games() == number + 1 || held - oldest < size);
        marks.push(store.mark());
        kept.push(content(&store));
    }
    let total = store.total_positions();
    assert!(store.games() < 60 && store.positions() > 2 * 60 && total > 20 * 60);
    let (mut lots, _) = open_with(&dir.path().join("lots"), &options).unwrap();
    for some in all.chunks(27) {
        lots.append(some).unwrap();
    }
    assert_eq!(content(&lots), kept[79]);
    let (mut again, _) = open_with(&dir.path().join("many"), &options).unwrap();
    assert_eq!(content(&again), kept[79]);
    for back in [70, 41, 12, 2] {
        again.rewind(marks[back]).unwrap();
        assert_eq!(content(&again), kept[back], "after going back to {back}");
    }
    again.append(&all[3..80]).unwrap();
    assert_eq!(content(&again), kept[79]);
}

#[test]
fn each_ply_is_drawn_as_often_as_it_has_copies() {
    let dir = tempdir().unwrap();
    let options = StoreOptions {
        window: WindowSize::Constant(200),
        ..OPTIONS
    };
    let (mut store, _) = open_with(dir.path(), &options).unwrap();
    store.append(&games(0..40)).unwrap();
    let window = content(&store);
    // Among the games are some with fewer positions than are taken of a game, and some with more.
    for plies_per_game in [1, 12] {
        let lengths = || window.iter().map(positions);
        assert!(plies_per_game == 1 || lengths().any(|n| n < 12) && lengths().any(|n| n > 12));
        let mut counts: Vec<_> = window
            .iter()
            .map(|game| vec![0; game.plies.len()])
            .collect();
        let numbers = lengths().map(|n| if n == 0 { 0 } else { n.max(plies_per_game) });
        let draws = 1000 * numbers.sum::<u64>() / plies_per_game;
        let source = store.draws(plies_per_game as u32);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..draws {
            let (game, plies) = source.draw(&mut rng).unwrap();
            assert_eq!(
                plies.len() as u64,
                positions(&window[game]).min(plies_per_game)
            );
            assert!(plies.is_sorted(), "rising: {plies:?}");
            for ply in plies {
                counts[game][ply] += 1;
            }
        }
        for (game, counts) in window.iter().zip(counts) {
            for (ply, count) in game.plies.iter().zip(counts) {
                // 1000 a copy expected; 32 is the standard deviation for one.
                let expected = 1000 * i64::from(ply.copies);
                let deviation = (i64::from(count) - expected).abs();
                assert!(
                    deviation * deviation <= 25 * expected,
                    "{count} of {expected}"
                );
            }
        }
    }
}

#[test]
fn the_same_stream_draws_the_same() {
    let dir = tempdir().unwrap();
    let (mut store, _) = open(dir.path());
    let draw = |store: &ReplayStore| -> Vec<_> {
        let (source, mut rng) = (store.draws(4), ChaCha8Rng::seed_from_u64(3));
        (0..100).map_while(|_| source.draw(&mut rng)).collect()
    };
    assert_eq!(draw(&store), []);
    store.append(&games(0..40)).unwrap();
    let first = draw(&store);
    assert_eq!(first.len(), 100);
    let (again, _) = open(dir.path());
    assert_eq!(draw(&again), first);
}

#[test]
fn rewinding_drops_what_came_later_and_brings_back_what_was_evicted() {
    for (close, segment_bytes) in [(false, 64 << 20), (true, 64 << 20), (false, 3_000)] {
        let dir = tempdir().unwrap();
        let options = StoreOptions {
            window: WindowSize::Constant(100),
            segment_bytes,
            ..OPTIONS
        };
        let (mut store, _) = open_with(dir.path(), &options).unwrap();
        for first in 0..10 {
            store.append(&games(2 * first..2 * first + 2)).unwrap();
        }
        let (mark, before) = (store.mark(), content(&store));
        for first in 10..20 {
            store.append(&games(2 * first..2 * first + 2)).unwrap();
        }
        if close {
            store.close_segment().unwrap();
        }
        let notices = store.rewind(mark).unwrap();
        assert!(matches!(&notices[..], [Notice::Rewound { dropped, .. }] if dropped == "20 games"));
        assert_eq!((store.mark(), content(&store)), (mark, before.clone()));
        let (mut store, notices) = open_with(dir.path(), &options).unwrap();
        assert_eq!(notices, []);
        assert_eq!((store.mark(), content(&store)), (mark, before));
        assert_eq!(store.rewind(mark).unwrap(), []);
        store.append(&games(20..22)).unwrap();
        store.rewind(trainer::replay::StoreMark::default()).unwrap();
        assert_eq!((store.games(), store.disk_bytes()), (0, 0));
    }
}

#[test]
fn games_that_are_missing_are_counted() {
    let dir = tempdir().unwrap();
    let (mut store, _) = open(dir.path());
    store.append(&games(0..10)).unwrap();
    let mark = store.mark();
    drop(store);
    std::fs::remove_file(dir.path().join("seg-00000000.open")).unwrap();
    let (mut store, _) = open(dir.path());
    let notices = store.rewind(mark).unwrap();
    assert!(matches!(
        notices[..],
        [Notice::MissingGames { games: 10, .. }]
    ));
    store.append(&games(10..12)).unwrap();
    let (store, _) = open(dir.path());
    assert_eq!(store.total_games(), 12);
    assert_eq!(numbers(&store), [10, 11]);
}

#[test]
fn an_inspection_counts_everything() {
    let dir = tempdir().unwrap();
    let (mut store, _) = open(dir.path());
    store.append(&games(0..30)).unwrap();
    store.close_segment().unwrap();
    store.append(&games(30..33)).unwrap();
    let mut read = Vec::new();
    replay::read_games(dir.path(), &mut |game| read.push(game)).unwrap();
    assert_eq!(read, games(0..33));
    let report = replay::inspect(dir.path(), &|_| Ok(())).unwrap();
    assert_eq!((report.games, report.positions), (33, store.positions()));
    assert_eq!(report.bytes, store.disk_bytes());
    let states: Vec<_> = report
        .segments
        .iter()
        .map(|segment| segment.state)
        .collect();
    assert_eq!(states, [SegmentState::Closed, SegmentState::Open]);
    assert_eq!(report.problems().count(), 0);
    assert_eq!(report.tally.draws, 11);
    assert_eq!(report.tally.endings[&Reason::Checkmate], 22);
    let all = games(0..33);
    let of_kind = |kind| {
        let plies = all.iter().flat_map(|game| &game.plies);
        plies.filter(|ply| ply.kind == kind).count() as u64
    };
    for kind in [PlyKind::Random, PlyKind::Searched] {
        assert_eq!(report.tally.kinds[&kind], of_kind(kind));
    }
    // Of games 0, 5, 10, ..., 30 the first mover would have resigned; only in every third one of them the other won.
    assert_eq!(
        (report.tally.played_on, report.tally.false_resignations),
        (7, 5)
    );
    assert_eq!(report.tally.branched[&BranchKind::Fork], 5);
    let plies: usize = games(0..33).iter().map(|game| game.moves.len()).sum();
    assert_eq!(report.tally.plies, plies as u64);
    assert!((report.mean_plies() - plies as f64 / 33.0).abs() < 1e-9);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["endings"]["repetition"], 11);
}

#[test]
fn a_changed_record_needs_a_new_format_number() {
    // These are the bytes of format 2. If this fails, `GameRecord` or something in it has changed, and old stores no longer decode.
    let bytes = postcard::to_stdvec(&games(0..20)).unwrap();
    assert_eq!(crc32fast::hash(&bytes), 1_376_138_847);
}
