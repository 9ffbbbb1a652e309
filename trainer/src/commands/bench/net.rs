//! How fast a net plays and learns.

use anyhow::Result;
use model::{Batch, Device, Inference, Learner, NetConfig, Outputs};
use rayon::prelude::*;
use rules::Variant;

use super::{Figure, bench_config, measure, sample_batch};
use crate::cli::{BenchArgs, BenchKind};
use crate::dispatch::Parts;

/// Positions a second through the net of the config, and samples a second through its learner.
pub(super) fn bench_net<V: Variant>(
    args: &BenchArgs,
    parts: &Parts<V>,
    wanted: impl Fn(BenchKind) -> bool,
) -> Result<()> {
    let config = bench_config(args)?;
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
    let batch = sample_batch(args.batch, parts);
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
