//! The player who knows only the rules.

use rand::RngExt;
use rules::{MoveOf, Variant};

use super::{Choice, Player, Turn};
use crate::evaluator::EvaluatorError;
use crate::random::{Purpose, stream};

/// Plays a uniformly random legal move.
#[derive(Clone, Copy, Debug)]
pub struct RandomPlayer {
    seed: u64,
}

impl RandomPlayer {
    /// Makes a player whose choices are a function of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl<V: Variant> Player<V> for RandomPlayer {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let mut legal = Vec::new();
        let choose = |turn: &Turn<'_, V>| {
            turn.game.legal_moves(&mut legal);
            let mut rng = stream(
                self.seed,
                Purpose::Player,
                turn.number,
                turn.game.ply() as u64,
            );
            Choice::of(legal[rng.random_range(0..legal.len())], None)
        };
        Ok(turns.iter().map(choose).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(*self)
    }
}
