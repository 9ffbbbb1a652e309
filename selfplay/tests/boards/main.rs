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
        gumbel: GumbelConfig {
            considered: 16,
            visit_offset: 50.0,
            scale: 1.0,
        },
        puct: PuctConfig {
            c_init: 1.25,
            c_base: 19652.0,
            fpu_reduction: 0.2,
            noise_alpha: 10.0,
            noise_share: 0.25,
            root_temperature: 1.0,
            forced_playouts: 0.0,
            variance_scale: 0.0,
            lcb_deviations: 0.0,
        },
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
