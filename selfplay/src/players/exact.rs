//! The perfect player of a solved game.

use std::sync::Arc;

use rand::RngExt;
use rules::solver::{Exact, Solution};
use rules::{MoveOf, Variant, Wdl};

use super::{Choice, Player, Turn};
use crate::evaluator::EvaluatorError;
use crate::random::{Purpose, stream};

/// Chooses at random among the exactly best moves: those that win soonest, hold the draw, or lose latest.
#[derive(Clone, Debug)]
pub struct ExactPlayer<V: Variant> {
    solution: Arc<Solution<V>>,
    seed: u64,
}

impl<V: Variant> ExactPlayer<V> {
    /// Makes a player whose choices are a function of `seed`.
    pub const fn new(solution: Arc<Solution<V>>, seed: u64) -> Self {
        Self { solution, seed }
    }
}

impl<V: Variant> Player<V> for ExactPlayer<V> {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let choose = |turn: &Turn<'_, V>| {
            let mut best = self.solution.best_moves(turn.game.position());
            if best.is_empty() {
                // A match may start from a position that play from the start cannot reach.
                turn.game.legal_moves(&mut best);
            }
            let mut rng = stream(
                self.seed,
                Purpose::Player,
                turn.number,
                turn.game.ply() as u64,
            );
            let sign = self.solution.value(turn.game.position()).map(Exact::sign);
            let wdl = sign.map(|sign| match sign {
                1 => Wdl::WIN,
                0 => Wdl::DRAW,
                _ => Wdl::LOSS,
            });
            Choice::of(best[rng.random_range(0..best.len())], wdl)
        };
        Ok(turns.iter().map(choose).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(self.clone())
    }
}
