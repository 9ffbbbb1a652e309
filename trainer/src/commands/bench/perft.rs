//! How fast moves are found and played.

use rand::RngExt;
use rules::perft::{perft, perft_played};
use rules::{Game, MoveOf, Position, Variant};
use selfplay::random::{Purpose, stream};

use super::{Figure, measure};
use crate::cli::BenchArgs;

/// Move generation runs on one thread.
pub(super) fn bench_perft<V: Variant>(args: &BenchArgs) {
    let start = V::Position::initial();
    bench(args, "bulk", "leaves/s", || perft(&start, 4));
    bench(args, "play-leaves", "leaves/s", || perft_played(&start, 4));
    let mut game = Game::<V>::new(V::OPTIONS);
    let (mut buffer, mut number) = (Vec::new(), 0);
    bench(args, "playout", "plies/s", || {
        number += 1;
        playout(&mut game, &mut buffer, number)
    });
}

fn bench(args: &BenchArgs, name: &str, unit: &'static str, work: impl FnMut() -> u64) {
    let figure = Figure {
        bench: "perft",
        name,
        threads: 1,
        batch: 1,
        unit,
    };
    measure(args, &figure, work);
}

/// Plays a random game by all rules, as a rollout does, and returns its plies.
fn playout<V: Variant>(game: &mut Game<V>, buffer: &mut Vec<MoveOf<V>>, number: u64) -> u64 {
    let mut rng = stream(0, Purpose::Rollout, number, 0);
    game.undo_to(0);
    loop {
        let mv = game.pick_move(buffer, |count| rng.random_range(0..count));
        match (game.outcome_if(mv.is_some()), mv) {
            (None, Some(mv)) => game.play(mv),
            _ => return game.ply() as u64,
        }
    }
}
