//! `senpu bench`: speeds on this machine, each a line that names what was measured.

use std::time::Instant;

use anyhow::Result;
use rand::RngExt;
use rules::{Game, MoveOf, Variant};
use selfplay::random::{Purpose, stream};
use serde_json::json;

mod net;
mod perft;
mod search;

use crate::cli::{BenchArgs, BenchKind};
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;

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
            perft::bench_perft::<V>(args);
        }
        if wanted(BenchKind::Search) {
            search::bench_search::<V>(args)?;
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
