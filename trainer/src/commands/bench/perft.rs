//! How fast moves are found and played.

use rand::RngExt;
use rules::perft::perft;
use rules::{Game, Position, Variant};
use selfplay::random::{Purpose, stream};

use super::{Figure, measure};
use crate::cli::BenchArgs;

/// Move generation runs on one thread.
pub(super) fn bench_perft<V: Variant>(args: &BenchArgs) {
    let start = V::Position::initial();
    let figure = |name, unit| Figure {
        bench: "perft",
        name,
        threads: 1,
        batch: 1,
        unit,
    };
    measure(args, &figure("bulk", "leaves/s"), || perft(&start, 4));
    measure(args, &figure("play-leaves", "leaves/s"), || {
        play_leaves(&start, 4)
    });
    let mut number = 0;
    measure(args, &figure("playout", "plies/s"), || {
        number += 1;
        playout::<V>(number)
    });
}

/// Counts leaves by playing every move, the last ones included.
fn play_leaves<P: Position>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let leaves = |mv| {
        let mut next = *position;
        next.play(mv);
        play_leaves(&next, depth - 1)
    };
    moves.into_iter().map(leaves).sum()
}

/// Plays a random game by all rules and returns its plies.
fn playout<V: Variant>(number: u64) -> u64 {
    let mut game = Game::<V>::new(V::OPTIONS);
    let mut rng = stream(0, Purpose::Rollout, number, 0);
    let mut legal = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return game.ply() as u64;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}
