//! Who plays in matches: each is asked for the moves of many games at once, so that searches share their evaluations.

pub mod alphabeta;
mod exact;
mod random;
mod searcher;

pub use alphabeta::{AlphaBeta, AlphaBetaConfig, Limits};
pub use exact::ExactPlayer;
pub use random::RandomPlayer;
pub use searcher::SearchPlayer;

use rules::{Game, MoveOf, Variant};

use crate::evaluator::EvaluatorError;

/// A game in which a player is to move.
#[derive(Debug)]
pub struct Turn<'a, V: Variant> {
    /// The game so far. It has not ended.
    pub game: &'a Game<V>,
    /// The number of the game in its match: what a player draws at random depends on it.
    pub number: u64,
}

/// Chooses moves. The choice depends on the player's seed, the game and its number, not on which games are asked together.
pub trait Player<V: Variant>: Send {
    /// Returns a legal move for each turn, in order.
    ///
    /// # Errors
    /// If the player itself fails.
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<MoveOf<V>>, EvaluatorError>;
}
