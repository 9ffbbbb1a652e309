//! `senpu bench`: speeds on this machine, each a line that names what was measured.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use model::{Batch, Device, Inference, Learner, NetConfig, Outputs};
use rand::RngExt;
use rayon::prelude::*;
use rules::perft::perft;
use rules::{Game, MoveOf, Position, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{RootKind, Search, UniformEvaluator, search_all};
use serde_json::json;

use crate::cli::{BenchArgs, BenchKind};
use crate::config::Config;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::player_spec::match_search;

/// Runs the benches asked for, or all.
///
/// # Errors
/// If the config of the net cannot be read.
pub fn run(args: &BenchArgs) -> Result<()> {
    dispatch(args.game, Bench(args))
}

struct Bench<'a>(&'a BenchArgs);

impl Task for Bench<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.0;
        let wanted = |kind| args.kinds.is_empty() || args.kinds.contains(&kind);
        if wanted(BenchKind::Perft) {
            bench_perft::<V>(args);
        }
        if wanted(BenchKind::Search) {
            bench_search::<V>(args)?;
        }
        if wanted(BenchKind::Inference) || wanted(BenchKind::Learner) {
            bench_net(args, &parts, wanted)?;
        }
        Ok(())
    }
}

/// What a figure is of.
struct Figure<'a> {
    bench: &'static str,
    name: &'a str,
    threads: usize,
    batch: usize,
    unit: &'static str,
}

/// Repeats `work`, which returns how much it did, for the seconds asked for, and prints how much that is a second.
fn measure(args: &BenchArgs, figure: &Figure<'_>, mut work: impl FnMut() -> u64) {
    work();
    let begun = Instant::now();
    let (mut done, mut seconds) = (0, 0.0);
    while seconds < args.seconds {
        done += work();
        seconds = begun.elapsed().as_secs_f64();
    }
    let value = done as f64 / seconds;
    let Figure {
        bench,
        name,
        threads,
        batch,
        unit,
    } = figure;
    if args.json {
        output::json(&json!({
            "bench": bench, "game": args.game, "name": name, "threads": threads, "batch": batch, "unit": unit, "value": value,
        }));
    } else {
        output::line(format!(
            "{bench:<10} {:<8} {name:<14} threads {threads} batch {batch:<5} {value:>14.0} {unit}",
            args.game
        ));
    }
}

/// Move generation runs on one thread.
fn bench_perft<V: Variant>(args: &BenchArgs) {
    let start = V::Position::initial();
    let figure = |name, unit| Figure {
        bench: "perft",
        name,
        threads: 1,
        batch: 1,
        unit,
    };
    measure(args, &figure("bulk", "leaves/s"), || perft(&start, 4));
    measure(args, &figure("play-leaves", "leaves/s"), || {
        play_leaves(&start, 4)
    });
    let mut number = 0;
    measure(args, &figure("playout", "plies/s"), || {
        number += 1;
        playout::<V>(number)
    });
}

/// Counts leaves by playing every move, the last ones included.
fn play_leaves<P: Position>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let leaves = |mv| {
        let mut next = *position;
        next.play(mv);
        play_leaves(&next, depth - 1)
    };
    moves.into_iter().map(leaves).sum()
}

/// Plays a random game by all rules and returns its plies.
fn playout<V: Variant>(number: u64) -> u64 {
    let mut game = Game::<V>::new(V::OPTIONS);
    let mut rng = stream(0, Purpose::Rollout, number, 0);
    let mut legal = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return game.ply() as u64;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// Returns games after 0, 1, 2, ... random plies, none of them over.
fn some_games<V: Variant>(count: usize) -> Vec<Game<V>> {
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let (mut games, mut legal) = (Vec::new(), Vec::<MoveOf<V>>::new());
    let mut game = Game::<V>::new(V::OPTIONS);
    while games.len() < count {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        games.push(game.clone());
        game.play(legal[rng.random_range(0..legal.len())]);
    }
    games
}

/// The search's own cost: simulations a second with uniform priors and drawn values, under both kinds of root.
fn bench_search<V: Variant>(args: &BenchArgs) -> Result<()> {
    const SIMULATIONS: u32 = 64;
    let games = some_games::<V>(args.batch);
    for (root, name) in [
        (RootKind::Puct, "uniform"),
        (RootKind::Gumbel, "uniform-gumbel"),
    ] {
        let mut failed = None;
        let figure = Figure {
            bench: "search",
            name,
            threads: rayon::current_num_threads(),
            batch: args.batch,
            unit: "simulations/s",
        };
        measure(args, &figure, || {
            let begin = |game: &Game<V>| {
                let rng = stream(0, Purpose::Search, 0, 0);
                let mut search =
                    Search::new(match_search(root, SIMULATIONS), game.clone(), rng.clone());
                search.begin(1.0, rng);
                search
            };
            let mut searches: Vec<Search<V>> = games.iter().map(begin).collect();
            match search_all(&mut searches, &mut UniformEvaluator) {
                Ok(reports) => reports
                    .iter()
                    .map(|report| u64::from(report.simulations))
                    .sum(),
                Err(error) => {
                    failed = Some(error);
                    0
                }
            }
        });
        failed.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Positions a second through the net of the config, and samples a second through its learner.
fn bench_net<V: Variant>(
    args: &BenchArgs,
    parts: &Parts<V>,
    wanted: impl Fn(BenchKind) -> bool,
) -> Result<()> {
    let path = args
        .config
        .clone()
        .unwrap_or_else(|| format!("configs/{}.toml", args.game).into());
    let config = Config::load(&path, &[])
        .context("bench measures the net of a config: name one with --config")?;
    let mut learner = Learner::new(
        parts.encoder.shape(),
        &config.net,
        &config.learn,
        0,
        &Device::cpu(),
    )?;
    let NetConfig {
        blocks, channels, ..
    } = config.net;
    let name = format!("{blocks}x{channels}-f32");
    let batch = sample_batch(args, parts);
    if wanted(BenchKind::Inference) {
        let net = learner.play_net();
        run_net(&net, &batch)?;
        let figure = Figure {
            bench: "inference",
            name: &name,
            threads: rayon::current_num_threads(),
            batch: args.batch,
            unit: "positions/s",
        };
        let plane_len = net.shape().plane_len();
        let threads = rayon::current_num_threads();
        measure(args, &figure, || {
            // Each thread evaluates batches of its own, as self-play does.
            let outputs = (0..threads).into_par_iter().map(|_| {
                let mut outputs = Outputs::default();
                net.run(&batch.planes, batch.planes.len() / plane_len, &mut outputs)
                    .map_or(0, |()| batch.size as u64)
            });
            outputs.sum()
        });
    }
    if wanted(BenchKind::Learner) {
        learner.step(&batch)?;
        let figure = Figure {
            bench: "learner",
            name: &name,
            threads: rayon::current_num_threads(),
            batch: args.batch,
            unit: "samples/s",
        };
        measure(args, &figure, || {
            learner.step(&batch).map_or(0, |_| batch.size as u64)
        });
    }
    Ok(())
}

/// Runs the net once, so that a failure is seen before it is timed.
fn run_net(net: &Inference, batch: &Batch) -> Result<()> {
    Ok(net.run(&batch.planes, batch.size, &mut Outputs::default())?)
}

/// Makes a batch of positions from random play with uniform policies and drawn outcomes.
fn sample_batch<V: Variant>(args: &BenchArgs, parts: &Parts<V>) -> Batch {
    let encoder = Arc::clone(&parts.encoder);
    let shape = encoder.shape();
    let mut batch = Batch::new(shape, args.batch);
    let mut legal = Vec::new();
    for (at, game) in some_games::<V>(args.batch).iter().enumerate() {
        encoder.encode(
            game,
            &mut batch.planes[at * shape.plane_len()..(at + 1) * shape.plane_len()],
        );
        game.legal_moves(&mut legal);
        for &mv in &legal {
            let action = at * shape.actions + encoder.action(game.position(), mv);
            batch.legal[action] = 1.0;
            batch.policy[action] = 1.0 / legal.len() as f32;
        }
        batch.wdl[at * 3 + 1] = 1.0;
    }
    batch
}
