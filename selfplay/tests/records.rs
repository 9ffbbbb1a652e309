//! Records of games: read as they were written, replayed to the end they tell of; whatever is damaged is refused and never a panic.
//!
//! `SENPU_PROPERTY_CASES` and `SENPU_PROPERTY_SEED` are those of the properties of `rules`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Outcome, Reason, RuleOptions, Side, Variant, Wdl};
use selfplay::{EdgeRecord, GameRecord, PlyKind, PlyRecord};

/// Tries a property on `cases` values, or on as many as `SENPU_PROPERTY_CASES` says.
fn hold<S: Strategy>(
    cases: u32,
    values: &S,
    property: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let number = |name| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().unwrap())
    };
    let cases = number("SENPU_PROPERTY_CASES").map_or(cases, |cases| cases as u32);
    let seed =
        number("SENPU_PROPERTY_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let config = Config {
        cases,
        source_file: Some(file!()),
        failure_persistence: None,
        max_shrink_iters: 5_000,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    if let Err(error) = TestRunner::new(config).run(values, property) {
        panic!("{error}\nrepeat it with SENPU_PROPERTY_SEED={seed} SENPU_PROPERTY_CASES={cases}");
    }
}

/// The record of a game at random, up to its end or as long as there are numbers that pick moves.
fn record<V: Variant>(options: RuleOptions, picks: &[u16]) -> GameRecord {
    let mut game = Game::<V>::new(options);
    let mut legal = Vec::new();
    let mut plies = Vec::new();
    let mut outcome = None;
    for &number in picks {
        game.legal_moves(&mut legal);
        outcome = game.outcome(&legal);
        if outcome.is_some() {
            break;
        }
        let index = usize::from(number) % legal.len();
        plies.push(ply(number, index));
        game.play(legal[index]);
    }
    game.legal_moves(&mut legal);
    let given_up = Outcome::win(Side::First, Reason::Resignation);
    GameRecord {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        options,
        seed: 3,
        number: 5,
        start: game.start().to_string(),
        moves: game.moves().iter().map(|&mv| mv.into()).collect(),
        plies,
        outcome: outcome.or(game.outcome(&legal)).unwrap_or(given_up),
        checkpoints: vec![(0, 7)],
        origin: None,
        resigned: None,
    }
}

fn ply(number: u16, index: usize) -> PlyRecord {
    if number & 1 == 0 {
        return PlyRecord::unsearched(PlyKind::Random);
    }
    PlyRecord {
        kind: PlyKind::Searched,
        root: Wdl::WIN,
        raw: Wdl::DRAW,
        exploratory: number & 2 == 0,
        surprise: 0.5,
        simulations: 8,
        copies: 1,
        edges: vec![EdgeRecord {
            index: index as u16,
            visits: 8,
            target: 1.0,
        }],
    }
}

fn options<V: Variant>() -> impl Strategy<Value = RuleOptions> {
    (2..=4_u32, 1..=120_u32).prop_map(|(repetitions, ply_cap)| RuleOptions {
        repetitions,
        ply_cap,
        ..V::OPTIONS
    })
}

fn records<V: Variant>() -> impl Strategy<Value = GameRecord> {
    (options::<V>(), vec(any::<u16>(), 0..150))
        .prop_map(|(options, picks)| record::<V>(options, &picks))
}

fn kept<V: Variant>(cases: u32) {
    hold(cases, &records::<V>(), |record| {
        let bytes = postcard::to_stdvec(&record).unwrap();
        let read: GameRecord = postcard::from_bytes(&bytes).unwrap();
        prop_assert!(read == record);
        let game = read
            .replay::<V>()
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let moves: Vec<u16> = game.moves().iter().map(|&mv| mv.into()).collect();
        prop_assert_eq!(&moves, &record.moves);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        prop_assert!(outcome.is_none_or(|outcome| outcome == record.outcome));
        // The other result is refused where the rules decide, and so is a game that goes on.
        let mut wrong = record.clone();
        wrong.outcome = Outcome {
            reason: Reason::Forfeit,
            ..record.outcome
        };
        prop_assert_eq!(wrong.replay::<V>().is_err(), outcome.is_some());
        if let (Some(_), Some(&mv)) = (outcome, legal.first()) {
            let mut longer = record.clone();
            longer.moves.push(mv.into());
            longer.plies.push(PlyRecord::unsearched(PlyKind::Random));
            prop_assert!(longer.replay::<V>().is_err(), "it goes on after its end");
        }
        Ok(())
    });
}

/// Bytes turned over, left out and put in: what can still be read is replayed or refused.
fn damaged<V: Variant>(cases: u32) {
    let edits = vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6);
    hold(cases, &(records::<V>(), edits), |(record, edits)| {
        let mut bytes = postcard::to_stdvec(&record).unwrap();
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] ^= byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => (),
            }
        }
        if let Ok(read) = postcard::from_bytes::<GameRecord>(&bytes) {
            is_replayed_or_refused::<V>(&read)?;
        }
        Ok(())
    });
}

fn is_replayed_or_refused<V: Variant>(record: &GameRecord) -> Result<(), TestCaseError> {
    match record.replay::<V>() {
        Ok(game) => {
            prop_assert_eq!(game.ply(), record.moves.len());
            prop_assert_eq!(record.variant, V::ID);
        }
        Err(error) => prop_assert!(error.to_string().len() < 2_500),
    }
    Ok(())
}

/// Every field wrong in its own way.
fn wrong_fields<V: Variant>(cases: u32) {
    let numbers = (vec(any::<u16>(), 0..8), any::<[u32; 4]>(), any::<Index>());
    hold(
        cases,
        &(records::<V>(), numbers, ".{0,30}"),
        |(record, (moves, options, at), start)| {
            let mut wrong = record.clone();
            wrong
                .moves
                .splice(at.index(record.moves.len() + 1).., moves);
            is_replayed_or_refused::<V>(&wrong)?;
            wrong
                .plies
                .resize_with(wrong.moves.len(), || PlyRecord::unsearched(PlyKind::Random));
            is_replayed_or_refused::<V>(&wrong)?;
            let mut wrong = record.clone();
            wrong.options.repetitions = options[0] % 4;
            wrong.options.ply_cap = options[1] >> (options[3] % 32);
            wrong.options.no_progress = options[2] >> (options[3] % 32);
            is_replayed_or_refused::<V>(&wrong)?;
            let wrong = GameRecord {
                start,
                ..record.clone()
            };
            is_replayed_or_refused::<V>(&wrong)?;
            let wrong = GameRecord {
                rules_version: record.rules_version + 1,
                ..record
            };
            let refused = wrong.replay::<V>().unwrap_err().to_string();
            prop_assert!(refused.contains("rules version"), "{}", refused);
            Ok(())
        },
    );
}

#[test]
fn records_are_replayed_to_the_end_they_tell_of() {
    kept::<Gufu>(200);
    kept::<Showgit>(100);
    kept::<EuroShogi>(100);
    kept::<Xiangqi>(100);
}

#[test]
fn damaged_records_are_replayed_or_refused() {
    damaged::<Gufu>(2_000);
    damaged::<Showgit>(1_000);
    damaged::<EuroShogi>(1_000);
    damaged::<Xiangqi>(1_000);
}

#[test]
fn records_with_wrong_fields_are_refused() {
    wrong_fields::<Gufu>(300);
    wrong_fields::<Showgit>(200);
    wrong_fields::<EuroShogi>(200);
    wrong_fields::<Xiangqi>(200);
}
