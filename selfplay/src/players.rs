//! Who plays in matches: each is asked for the moves of many games at once, so that searches share their evaluations.

pub mod alphabeta;
mod exact;
pub mod outside;
mod random;
mod searcher;

pub use alphabeta::{AlphaBeta, AlphaBetaConfig, Limits};
pub use exact::ExactPlayer;
pub use outside::{EngineLimit, EngineLog, OutsideConfig, OutsidePlayer};
pub use random::RandomPlayer;
pub use searcher::SearchPlayer;

use rules::{Game, MoveOf, Variant, Wdl};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// What it does.
    pub act: Act<M>,
    /// What the player thinks of the position before it, from its own side, if it thinks anything of it.
    pub wdl: Option<Wdl>,
}

/// A move, or another way to end a turn, which ends the game with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act<M> {
    /// A legal move.
    Move(M),
    /// The player gives up.
    Resign,
    /// The player says that it has won by a declaration; the match looks whether its rules say so too.
    Declare,
    /// The player cannot go on.
    Forfeit(Forfeit),
}

/// Why a player lost a game that the rules had not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forfeit {
    /// What it did.
    pub fault: Fault,
    /// The same for people, with what the player said.
    pub said: String,
}

/// What a player can do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It went away.
    Crash,
    /// It did not answer in time.
    Timeout,
    /// Its answer is no legal move.
    IllegalMove,
}

impl<M> Choice<M> {
    /// Makes a choice of a legal move.
    pub const fn of(mv: M, wdl: Option<Wdl>) -> Self {
        Self {
            act: Act::Move(mv),
            wdl,
        }
    }

    /// Returns the move, if the choice is one.
    pub fn mv(&self) -> Option<&M> {
        match &self.act {
            Act::Move(mv) => Some(mv),
            _ => None,
        }
    }
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
