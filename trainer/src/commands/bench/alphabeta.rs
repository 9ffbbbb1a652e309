//! How fast the alpha-beta player searches.

use rules::{Game, Variant};
use selfplay::players::alphabeta::{AlphaBetaConfig, Limits, Searcher};

use super::{Figure, measure};
use crate::cli::BenchArgs;

/// Nodes of a search: long enough that its beginning does not count.
const NODES: u64 = 1_000_000;

/// Nodes a second from the start position, as other engines' `go nodes 1000000` counts them. A search runs on one thread.
pub(super) fn bench_alphabeta<V: Variant>(args: &BenchArgs) {
    let game = Game::<V>::new(V::OPTIONS);
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let mut searcher = Searcher::<V>::new(AlphaBetaConfig::TABLE_BITS);
    let figure = Figure {
        bench: "alphabeta",
        name: "start",
        threads: 1,
        batch: 1,
        unit: "nodes/s",
    };
    measure(args, &figure, || {
        searcher.search(&game, &legal, Limits::nodes(NODES)).nodes
    });
}
