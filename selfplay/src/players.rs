//! Who plays in matches: each is asked for the moves of many games at once, so that searches share their evaluations.

pub mod alphabeta;
mod exact;
mod random;
mod searcher;

pub use alphabeta::{AlphaBeta, AlphaBetaConfig, Limits};
pub use exact::ExactPlayer;
pub use random::RandomPlayer;
pub use searcher::SearchPlayer;

use rules::{Game, MoveOf, Variant, Wdl};

use crate::evaluator::EvaluatorError;

/// A game in which a player is to move.
#[derive(Debug)]
pub struct Turn<'a, V: Variant> {
    /// The game so far. It has not ended.
    pub game: &'a Game<V>,
    /// The number of the game in its match: what a player draws at random depends on it.
    pub number: u64,
}

/// What a player does in a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<M> {
    /// A legal move.
    pub mv: M,
    /// What the player thinks of the position before it, from its own side, if it thinks anything of it.
    pub wdl: Option<Wdl>,
}

/// Chooses moves, on the thread that asks or in its rayon pool. The choice depends on the player's seed, the game and its number, not on which games are asked
/// together.
pub trait Player<V: Variant>: Send {
    /// Returns a choice for each turn, in order.
    ///
    /// # Errors
    /// If the player itself fails.
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError>;

    /// Makes a player for another thread that chooses the same.
    fn fork(&self) -> Box<dyn Player<V>>;
}
