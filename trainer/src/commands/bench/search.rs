//! What a search costs beside its evaluations.

use anyhow::Result;
use rules::{Game, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{RootKind, Search, UniformEvaluator, search_all};

use super::{Figure, measure, some_games};
use crate::cli::BenchArgs;
use crate::player_spec::match_search;

/// The search's own cost: simulations a second with uniform priors and drawn values, under both kinds of root.
pub(super) fn bench_search<V: Variant>(args: &BenchArgs) -> Result<()> {
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
