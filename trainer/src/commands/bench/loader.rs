//! How fast batches are made of the games in the replay window.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use model::View;
use rand::RngExt;
use rules::{Game, Outcome, RuleOptions, Variant, Wdl};
use selfplay::random::{Purpose, stream};
use selfplay::{EdgeRecord, GameRecord, PlyKind, PlyRecord};

use super::{Figure, measure};
use crate::cli::BenchArgs;
use crate::dispatch::Parts;
use crate::durable::RealDisk;
use crate::loader::{Batching, Recipe, Sampler, Targets};
use crate::replay::{ReplayStore, StoreOptions};
use crate::schedule::WindowSize;

/// Games of the window.
const GAMES: u64 = 256;

/// Plies after which they are cut short: about what a game of shogi has between players that know it.
const PLY_CAP: u32 = 120;

/// Moves a ply that the search says something about.
const EDGES: usize = 16;

/// Samples a second with one ply a game and with several, replay, encoding and the layout of the batch included.
pub(super) fn bench_loader<V: Variant>(args: &BenchArgs, parts: &Parts<V>) -> Result<()> {
    let folder = Folder::new();
    let options = StoreOptions {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        window: WindowSize::Constant(u64::MAX),
        segment_bytes: StoreOptions::SEGMENT_BYTES,
    };
    let (mut store, _) = ReplayStore::open(Arc::new(RealDisk), &folder.0, &options)?;
    let records: Vec<GameRecord> = (0..GAMES)
        .map(|number| random_record::<V>(number, PLY_CAP))
        .collect();
    store.append(&records)?;
    for (plies_per_game, name) in [(1, "plies-1"), (8, "plies-8"), (16, "plies-16")] {
        let recipe = Recipe {
            seed: 0,
            batching: Batching {
                batch: args.batch,
                plies_per_game,
                shuffle_batches: 8,
            },
            targets: Targets {
                root_value_share: 0.25,
                capped_root_value_share: 0.5,
                mirror: true,
            },
            view: View::Planes(Arc::clone(&parts.encoder)),
        };
        let mut sampler = Sampler::new(recipe, &store, 0..u64::MAX);
        let figure = Figure {
            bench: "loader",
            name,
            threads: rayon::current_num_threads(),
            batch: args.batch,
            unit: "samples/s",
        };
        let mut failed = None;
        measure(args, &figure, || match sampler.next() {
            Some(Ok(drawn)) => drawn.batch.size as u64,
            Some(Err(error)) => {
                failed = Some(error);
                0
            }
            None => 0,
        });
        failed.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Plays a random game, with as much said about each ply as a search would say.
pub(crate) fn random_record<V: Variant>(number: u64, ply_cap: u32) -> GameRecord {
    let options = RuleOptions {
        ply_cap,
        ..V::OPTIONS
    };
    let mut rng = stream(0, Purpose::Rollout, number, 0);
    let mut game = Game::<V>::new(options);
    let (mut legal, mut plies) = (Vec::new(), Vec::new());
    let outcome: Outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            break outcome;
        }
        let edges = legal.len().min(EDGES);
        let edge = |index| EdgeRecord {
            index: index as u16,
            visits: 1,
            target: 1.0 / edges as f32,
        };
        plies.push(PlyRecord {
            kind: PlyKind::Searched,
            root: Wdl::DRAW,
            raw: Wdl::DRAW,
            exploratory: false,
            surprise: 0.0,
            simulations: edges as u32,
            copies: 1,
            edges: (0..edges).map(edge).collect(),
        });
        game.play(legal[rng.random_range(0..legal.len())]);
    };
    GameRecord {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        options,
        seed: 0,
        number,
        start: game.start().to_string(),
        moves: game.moves().iter().map(|&mv| mv.into()).collect(),
        plies,
        outcome,
        checkpoints: Vec::new(),
        origin: None,
        resigned: None,
    }
}

/// A folder that is gone when the bench ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("senpu-bench-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody is left to tell; the system clears this folder some day.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
