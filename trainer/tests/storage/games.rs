//! Plausible game records; the store does not ask whether their moves are legal.

use std::path::Path;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Outcome, Reason, RuleOptions, Side, VariantId, Wdl};
use selfplay::{BranchKind, EdgeRecord, GameRecord, Origin, PlyKind, PlyRecord, ResignationNote};
use trainer::durable::RealDisk;
use trainer::notice::Notice;
use trainer::replay::{ReplayError, ReplayStore, StoreOptions};
use trainer::schedule::WindowSize;

pub(crate) const OPTIONS: StoreOptions = StoreOptions {
    variant: VariantId::Gufu,
    rules_version: 1,
    window: WindowSize::Constant(1_000_000),
    segment_bytes: 64 << 20,
};

/// Returns game number `number`: up to 40 plies, the first few random, and now and then a random one later.
pub(crate) fn game(number: u64) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let length = rng.random_range(1..=40);
    let plies: Vec<_> = (0..length).map(|ply| play(ply, &mut rng)).collect();
    GameRecord {
        variant: VariantId::Gufu,
        rules_version: 1,
        options: RuleOptions {
            repetitions: 4,
            ply_cap: 200,
            no_progress: 0,
            chase: rules::Chase::None,
            declaration: rules::Declaration::Off,
            zone_start_promotion: rules::ZoneStart::Mandatory,
        },
        seed: 7,
        number,
        start: "startpos".to_owned(),
        moves: (0..length).map(|_| rng.random()).collect(),
        plies,
        outcome: match number % 3 {
            0 => Outcome::draw(Reason::Repetition),
            1 => Outcome::win(Side::First, Reason::Checkmate),
            _ => Outcome::win(Side::Second, Reason::Checkmate),
        },
        checkpoints: vec![(0, number / 10)],
        resigned: number.is_multiple_of(5).then_some(ResignationNote {
            side: Side::First,
            ply: 1,
        }),
        origin: number.is_multiple_of(7).then_some(Origin {
            game: number / 2,
            ply: 1,
            kind: BranchKind::Fork,
        }),
    }
}

fn play(ply: usize, rng: &mut ChaCha8Rng) -> PlyRecord {
    if ply < rng.random_range(0..4) || rng.random_range(0..8) == 0 {
        return PlyRecord::unsearched(PlyKind::Random);
    }
    let edges = (0..rng.random_range(1..12u16)).map(|index| EdgeRecord {
        index,
        visits: rng.random_range(1..100),
        target: rng.random(),
    });
    PlyRecord {
        kind: PlyKind::Searched,
        edges: edges.collect(),
        root: Wdl::from_array([rng.random(), rng.random(), rng.random()]),
        raw: Wdl::DRAW,
        exploratory: false,
        surprise: rng.random(),
        simulations: rng.random_range(1..100),
        copies: rng.random_range(0..4),
    }
}

pub(crate) fn games(numbers: std::ops::Range<u64>) -> Vec<GameRecord> {
    numbers.map(game).collect()
}

pub(crate) fn positions(game: &GameRecord) -> u64 {
    let copies = game.plies.iter().map(|ply| u64::from(ply.copies));
    copies.sum()
}

pub(crate) fn open_with(
    dir: &Path,
    options: &StoreOptions,
) -> Result<(ReplayStore, Vec<Notice>), ReplayError> {
    ReplayStore::open(Arc::new(RealDisk), dir, options)
}

pub(crate) fn open(dir: &Path) -> (ReplayStore, Vec<Notice>) {
    open_with(dir, &OPTIONS).unwrap()
}

pub(crate) fn content(store: &ReplayStore) -> Vec<GameRecord> {
    store.iter().map(Result::unwrap).collect()
}

pub(crate) fn numbers(store: &ReplayStore) -> Vec<u64> {
    content(store).iter().map(|game| game.number).collect()
}
