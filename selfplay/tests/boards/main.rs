//! Searches on the board games, caches, and leaves that wait together.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;
mod cycles;
mod evaluators;
mod golden;
mod leaves;
mod mates;
mod workers;

use std::sync::LazyLock;

use rules::{Game, MoveOf, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{
    Evaluator, GumbelConfig, PuctConfig, Report, RootKind, Search, SearchConfig, SearchTask,
    Workers, search_all,
};

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::new);

const fn config(root: RootKind, simulations: u32) -> SearchConfig {
    SearchConfig {
        simulations,
        root,
        mate_plies: 0,
        leaves: 1,
        gumbel: GumbelConfig::USUAL,
        puct: PuctConfig::USUAL,
    }
}

/// Searches one game to the end of `task`'s simulations.
fn run<V: Variant>(
    game: Game<V>,
    config: SearchConfig,
    task: SearchTask,
    evaluator: &mut dyn Evaluator<V>,
) -> Report<MoveOf<V>> {
    let rng = stream(3, Purpose::Search, 0, 0);
    let mut search = Search::new(config, game, rng.clone());
    search.begin(task, rng);
    search_all(&mut [search], evaluator, &WORKERS)
        .unwrap()
        .remove(0)
}

const fn plainly(simulations: u32) -> SearchTask {
    SearchTask {
        simulations,
        temperature: 0.0,
        explore: false,
    }
}
