//! How fast a net plays and learns.

use std::sync::Arc;

use anyhow::{Context, Result};
use model::{Batch, Device, Inference, Learner, NetConfig, Outputs};
use rayon::prelude::*;
use rules::Variant;

use super::{Figure, measure, some_games};
use crate::cli::{BenchArgs, BenchKind};
use crate::config::Config;
use crate::dispatch::Parts;

/// Positions a second through the net of the config, and samples a second through its learner.
pub(super) fn bench_net<V: Variant>(
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
