//! `senpu bench`: speeds on this machine, each a line that names what was measured.

use std::time::Instant;

use ::selfplay::random::{Purpose, stream};
use anyhow::{Context, Result, ensure};
use model::{Batch, Inference, NetConfig, Precision, Sights};
use rand::RngExt;
use rules::{Game, MoveOf, Variant};
use serde_json::json;

mod alphabeta;
mod beside;
mod engine;
pub(crate) mod loader;
mod net;
mod perft;
mod search;
mod selfplay;

use crate::cli::{BenchArgs, BenchKind};
use crate::config::Config;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;

/// Runs the benches asked for, or all.
///
/// # Errors
/// If the config of the net cannot be read, or the program to compare with is missing, fails, or counts differently.
pub fn run(args: &BenchArgs) -> Result<()> {
    if let Some(program) = &args.beside {
        ensure!(
            args.kinds.iter().all(|&kind| kind == BenchKind::Perft),
            "--beside compares move generation: leave out what to measure, or say `perft`"
        );
        return beside::run(args, program);
    }
    dispatch(args.game, Bench(args))
}

struct Bench<'a>(&'a BenchArgs);

impl Task for Bench<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.0;
        let wanted = |kind| args.kinds.is_empty() || args.kinds.contains(&kind);
        if wanted(BenchKind::Perft) {
            perft::bench_perft::<V>(args);
        }
        if wanted(BenchKind::AlphaBeta) {
            alphabeta::bench_alphabeta::<V>(args);
        }
        if wanted(BenchKind::Search) {
            search::bench_search::<V>(args, &parts)?;
        }
        if wanted(BenchKind::Engine) {
            engine::bench_engine::<V>(args, &parts)?;
        }
        if wanted(BenchKind::Selfplay) {
            self::selfplay::bench_selfplay::<V>(args, &parts)?;
        }
        if wanted(BenchKind::Loader) {
            loader::bench_loader(args, &parts)?;
        }
        if wanted(BenchKind::Inference) || wanted(BenchKind::Learner) {
            net::bench_net(args, &parts, wanted)?;
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
    unit: &'a str,
}

/// What was done in a time.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// How much a second of the clock.
    per_second: f64,
    /// How much a second of processor time, all threads together: on a busy machine the fairer figure.
    per_cpu_second: f64,
}

/// Returns the seconds of processor time that this process has used.
pub(crate) fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Repeats `work`, which returns how much it did, for the seconds asked for.
fn rate(seconds: f64, mut work: impl FnMut() -> u64) -> Rate {
    work();
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let mut done = 0;
    while begun.elapsed().as_secs_f64() < seconds {
        done += work();
    }
    Rate {
        per_second: done as f64 / begun.elapsed().as_secs_f64(),
        per_cpu_second: done as f64 / (cpu_seconds() - cpu),
    }
}

/// Repeats `work`, which returns how much it did, for the seconds asked for, and prints how much that is a second.
fn measure(args: &BenchArgs, figure: &Figure<'_>, work: impl FnMut() -> u64) -> Rate {
    let rate = rate(args.seconds, work);
    print(args, figure, rate);
    rate
}

/// Prints a figure.
fn print(args: &BenchArgs, figure: &Figure<'_>, rate: Rate) {
    let Rate {
        per_second: value,
        per_cpu_second,
    } = rate;
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
            "per_cpu_second": per_cpu_second,
        }));
    } else {
        output::line(format!(
            "{bench:<10} {:<8} {name:<14} threads {threads} batch {batch:<5} {value:>14.0} {unit}, {per_cpu_second:.0} a CPU-second",
            args.game
        ));
    }
}

/// Prints a share.
fn print_value(args: &BenchArgs, figure: &Figure<'_>, value: f64) {
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
            "{bench:<10} {:<8} {name:<14} threads {threads} batch {batch:<5} {value:>14.3} {unit}",
            args.game
        ));
    }
}

/// Reads the config whose net and searches are measured.
fn bench_config(args: &BenchArgs) -> Result<Config> {
    let path = args
        .config
        .clone()
        .unwrap_or_else(|| format!("configs/{}.toml", args.game).into());
    Config::load(&path, &[]).context("bench measures the net of a config: name one with --config")
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

/// Returns the name of the figures of a net that learns.
fn net_name(net: &NetConfig) -> String {
    match net {
        NetConfig::Residual(_) => format!("{}-f32", net.name()),
        NetConfig::Sparse(_) => net.name(),
    }
}

/// Returns a net with each precision that it can play with, by the names of their figures.
fn precisions(net: &Inference) -> Result<Vec<(String, Precision, Inference)>> {
    let float = (
        played_name(net.net(), Precision::Float),
        Precision::Float,
        net.clone(),
    );
    Ok(match net.net() {
        NetConfig::Residual(_) => vec![float],
        NetConfig::Sparse(_) => {
            let name = played_name(net.net(), Precision::Integer);
            vec![(name, Precision::Integer, net.in_integers()?), float]
        }
    })
}

/// Returns the name of the figures of a net that plays.
fn played_name(net: &NetConfig, precision: Precision) -> String {
    match precision {
        Precision::Integer => format!("{}-int", net.name()),
        Precision::Float => format!("{}-f32", net.name()),
    }
}

/// Shows positions from random play to nets of one config.
fn some_sights<V: Variant>(size: usize, parts: &Parts<V>, net: &NetConfig) -> Sights {
    let (view, mut legal, mut sights) = (parts.view(net), Vec::new(), Sights::default());
    for game in some_games::<V>(size) {
        game.legal_moves(&mut legal);
        view.show(&game, &legal, false, &mut sights);
    }
    sights
}

/// Makes a batch of them with uniform policies and drawn outcomes.
fn batch_of<V: Variant>(sights: &Sights, parts: &Parts<V>, net: &NetConfig) -> Batch {
    let size = sights.len();
    let mut batch = Batch::new(parts.view(net).sizes(), size);
    let actions = batch.policy.len() / size;
    batch.planes.copy_from_slice(sights.planes());
    batch.rows = sights.rows().clone();
    for at in 0..size {
        let moves = sights.moves_of(at);
        let share = 1.0 / moves.len() as f32;
        if actions == 0 {
            batch.targets.extend(moves.map(|_| share));
        } else {
            for &action in &sights.actions()[moves] {
                batch.legal[at * actions + action as usize] = 1.0;
                batch.policy[at * actions + action as usize] = share;
            }
        }
        batch.wdl[at * 3 + 1] = 1.0;
    }
    batch
}
