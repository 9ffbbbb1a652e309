//! Players that think about one position until they are told to stop or a limit is met, and say meanwhile what they think: what an engine
//! needs, where a match asks a [`Player`](crate::Player) for one move of many games.
//!
//! A thinker does no input or output. It looks at a clock where a task has a time, and at the [`Control`] that another thread holds.

mod baseline;
mod clock;
mod control;
mod plain;
mod tree;

pub use baseline::BaselineThinker;
pub use clock::{Budget, Clock};
pub use control::Control;
pub use plain::PlainThinker;
pub use tree::TreeThinker;

use std::time::Duration;

use rules::{Game, MoveOf, Variant, Wdl};

use crate::evaluator::EvaluatorError;

/// What is to be thought about, and how far.
#[derive(Clone, Debug)]
pub struct Task<V: Variant> {
    /// The game up to the position. There is a legal move, and the rules have not ended the game by its history.
    pub game: Game<V>,
    /// The legal moves to choose from, in their order; never empty.
    pub moves: Vec<MoveOf<V>>,
    /// Where thinking ends.
    pub limits: ThinkLimits,
    /// Moves to be shown with their lines, at least 1.
    pub lines: usize,
    /// 0 for the best move, or how freely the move is chosen.
    pub temperature: f32,
    /// The number of the game: what is drawn at random depends on it.
    pub number: u64,
}

impl<V: Variant> Task<V> {
    /// Tells whether every legal move may be chosen.
    pub(crate) fn is_free(&self) -> bool {
        let mut legal = Vec::new();
        self.game.legal_moves(&mut legal);
        legal.len() == self.moves.len()
    }
}

/// Where thinking ends: at the first of the limits that are given. A thinker that knows nothing better after a while ends on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThinkLimits {
    /// Simulations of a tree, those kept from the last position included, or nodes of an alpha-beta search.
    pub nodes: Option<u64>,
    /// Plies: of the line that a tree expects, or of an alpha-beta search's last iteration.
    pub depth: Option<u32>,
    /// Time, counted from where the [`Control`] says.
    pub time: Option<Budget>,
}

/// What a position or a move is worth to the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// In hundredths of a pawn.
    Hundredths(i32),
    /// The plies to a certain end of the game; less than 0 if it is lost.
    Certain(i32),
}

impl Score {
    /// Returns what chances are in hundredths of a pawn, by the curve of Elo: the expected score of a draw is half a point.
    pub fn of_wdl(wdl: Wdl) -> Self {
        let expected = f64::from(0.5 * (1.0 + wdl.value())).clamp(1e-6, 1.0 - 1e-6);
        Self::Hundredths((400.0 * (expected / (1.0 - expected)).log10()).round() as i32)
    }
}

/// A move with the line expected after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<M> {
    /// The move first; never empty.
    pub moves: Vec<M>,
    /// What the move is worth, if the thinker thinks anything of it.
    pub score: Option<Score>,
    /// The chances that it gives, if the thinker knows any.
    pub wdl: Option<Wdl>,
}

/// What was thought so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought<M> {
    /// The choice first, then the next best; never empty.
    pub lines: Vec<Line<M>>,
    /// Simulations or nodes.
    pub nodes: u64,
    /// How deep it went, in plies.
    pub depth: u32,
    /// How long it took since it was asked.
    pub time: Duration,
}

impl<M: Copy> Thought<M> {
    /// Returns the move chosen.
    pub fn choice(&self) -> M {
        self.lines[0].moves[0]
    }
}

/// What a thinker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Threads, at least 1.
    pub threads: usize,
    /// Bytes of a tree or a table.
    pub bytes: usize,
}

/// What a thinker can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It can use several threads.
    pub threads: bool,
    /// It has a tree or a table whose size can be set.
    pub memory: bool,
    /// It searches: it knows lines and what they are worth, and finds mates.
    pub searches: bool,
}

/// Takes what was thought so far.
pub type Tell<'a, M> = dyn FnMut(Thought<M>) + Send + 'a;

/// Thinks about one position at a time.
pub trait Thinker<V: Variant>: Send {
    /// Thinks until a limit is met, `control` says stop, or there is nothing left to think about, and tells a few times a second how far it is.
    ///
    /// # Errors
    /// If an evaluation fails.
    fn think(
        &mut self,
        task: &Task<V>,
        control: &Control,
        tell: &mut Tell<'_, MoveOf<V>>,
    ) -> Result<Thought<MoveOf<V>>, EvaluatorError>;

    /// Says what it may use from the next task on.
    fn set_up(&mut self, resources: Resources);

    /// Forgets what it thought of earlier positions.
    fn forget(&mut self);

    /// Returns what it can do.
    fn abilities(&self) -> Abilities;
}
