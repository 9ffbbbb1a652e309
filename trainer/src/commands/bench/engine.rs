//! How much faster one tree grows on several threads.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use model::{Device, Learner};
use rules::{Game, Variant};
use selfplay::RootKind;
use selfplay::thinker::{Budget, Control, Resources, Task, ThinkLimits, Thinker, TreeThinker};

use super::{Figure, Rate, bench_config, cpu_seconds, played_name, print, print_value, some_games};
use crate::cli::BenchArgs;
use crate::dispatch::Parts;
use crate::net_evaluator::{InferenceConfig, evaluator};
use crate::player_spec::match_search;

/// Searches of each number of threads: they take turns, so that other work on the machine meets both.
const ROUNDS: usize = 6;

/// Simulations a second of one tree with the net of the config: on one thread, on all, and the ratio.
pub(super) fn bench_engine<V: Variant>(args: &BenchArgs, parts: &Parts<V>) -> Result<()> {
    let config = bench_config(args)?;
    let sizes = parts.view(&config.net).sizes();
    let net = Learner::new(sizes, config.net, &config.learn, 0, &Device::cpu())?.play_net();
    let threads = rayon::current_num_threads().max(2);
    let time = Duration::from_secs_f64(args.seconds / ROUNDS as f64);
    let mut rates = [Vec::new(), Vec::new()];
    for game in some_games::<V>(4 * ROUNDS).into_iter().step_by(4) {
        for (rates, threads) in rates.iter_mut().zip([1, threads]) {
            let (evaluator, _) =
                evaluator(parts, net.clone(), InferenceConfig::of_matches(net.net()))?;
            let mut thinker = TreeThinker::new(evaluator, match_search(RootKind::Puct, 2), 0);
            thinker.set_up(Resources {
                threads,
                bytes: usize::MAX,
            });
            rates.push(grow(&mut thinker, &game, time)?);
        }
    }
    let precision = InferenceConfig::of_matches(&config.net).precision;
    let name = played_name(&config.net, precision);
    let figure = |threads, unit| Figure {
        bench: "engine",
        name: &name,
        threads,
        batch: 8 * threads,
        unit,
    };
    let [one, all] = rates.map(median);
    let one = one.context("no position was searched")?;
    let all = all.context("no position was searched")?;
    print(args, &figure(1, "simulations/s"), one);
    print(args, &figure(threads, "simulations/s"), all);
    let ratio = all.per_second / one.per_second;
    print_value(args, &figure(threads, "times one thread"), ratio);
    Ok(())
}

/// Grows a tree for a time and returns how fast it grew.
fn grow<V: Variant>(thinker: &mut TreeThinker<V>, game: &Game<V>, time: Duration) -> Result<Rate> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let task = Task {
        game: game.clone(),
        moves,
        limits: ThinkLimits {
            time: Some(Budget::exactly(time, Duration::ZERO)),
            ..ThinkLimits::default()
        },
        lines: 1,
        temperature: 0.0,
        number: 0,
    };
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let thought = thinker.think(&task, &Control::new(begun), &mut |_| {})?;
    Ok(Rate {
        per_second: thought.nodes as f64 / begun.elapsed().as_secs_f64(),
        per_cpu_second: thought.nodes as f64 / (cpu_seconds() - cpu),
    })
}

fn median(mut rates: Vec<Rate>) -> Option<Rate> {
    rates.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rates.get(rates.len() / 2).copied()
}
