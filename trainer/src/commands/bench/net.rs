//! How fast a net plays and learns.

use anyhow::Result;
use model::{Answers, Device, Inference, Learner, Sights};
use rayon::prelude::*;
use rules::Variant;

use super::{Figure, batch_of, bench_config, measure, net_name, precisions, some_sights};
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
        parts.view(&config.net).sizes(),
        config.net,
        &config.learn,
        0,
        &Device::cpu(),
    )?;
    let name = net_name(&config.net);
    let sights = some_sights(args.batch, parts, &config.net);
    if wanted(BenchKind::Inference) {
        for (name, _, net) in precisions(&learner.play_net())? {
            bench_inference(args, &name, &net, &sights)?;
        }
    }
    if wanted(BenchKind::Learner) {
        let batch = batch_of(&sights, parts, &config.net);
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

/// Positions a second through a net.
fn bench_inference(args: &BenchArgs, name: &str, net: &Inference, sights: &Sights) -> Result<()> {
    let (size, threads) = (sights.len(), rayon::current_num_threads());
    // Once before it is timed, so that a failure is seen.
    net.look(sights, 0..size, &mut Answers::default())?;
    let figure = Figure {
        bench: "inference",
        name,
        threads,
        batch: args.batch,
        unit: "positions/s",
    };
    measure(args, &figure, || {
        // Each thread evaluates batches of its own, as self-play does.
        let outputs = (0..threads).into_par_iter().map(|_| {
            let mut answers = Answers::default();
            net.look(sights, 0..size, &mut answers)
                .map_or(0, |()| size as u64)
        });
        outputs.sum()
    });
    Ok(())
}
