//! The baseline: an alpha-beta search with hand-made judgements of material, mobility and kings. A yardstick for nets, and no more than that.
//!
//! `search` deepens and searches; `quiet` resolves captures at the leaves; `order` decides which moves come first; `table` remembers positions.

mod order;
mod quiet;
mod search;
mod table;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use rules::{MoveOf, Variant, Wdl};

pub use search::{Found, MATE, MATE_BOUND, Searcher};

use super::{Choice, Player, Turn};
use crate::evaluator::EvaluatorError;
use crate::random::{Purpose, stream};

/// Where a search ends: at the first of the limits that are given. One of them must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The depth in plies of the last iteration, from 1 to [`MAX_DEPTH`](Self::MAX_DEPTH).
    pub depth: Option<u32>,
    /// Nodes: every move that the search plays counts one, those of the quiescence included.
    pub nodes: Option<u64>,
    /// Time. The only limit by which a search may not repeat.
    pub time: Option<Duration>,
}

impl Limits {
    /// The greatest depth.
    pub const MAX_DEPTH: u32 = 64;

    /// Limits the depth alone.
    pub const fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            nodes: None,
            time: None,
        }
    }

    /// Limits the nodes alone.
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            depth: None,
            nodes: Some(nodes),
            time: None,
        }
    }
}

/// How an alpha-beta player plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaConfig {
    /// Where a search ends.
    pub limits: Limits,
    /// The entries of the transposition table, as a power of two; 0 searches without one.
    pub table_bits: u32,
    /// The share of moves that are drawn at random instead of searched, in `[0, 1]`: how weaker rungs of a ladder are made.
    pub random: f64,
}

impl AlphaBetaConfig {
    /// The table that players use unless told otherwise: 4 MiB.
    pub const TABLE_BITS: u32 = 18;

    /// Plays as well as the limits allow.
    pub const fn new(limits: Limits) -> Self {
        Self {
            limits,
            table_bits: Self::TABLE_BITS,
            random: 0.0,
        }
    }
}

/// Searches each move afresh, so that a choice depends on the game and the seed alone. Equal moves are chosen from by seed.
#[derive(Debug)]
pub struct AlphaBeta<V: Variant> {
    config: AlphaBetaConfig,
    seed: u64,
    /// Searchers that no thread is using.
    idle: Mutex<Vec<Searcher<V>>>,
}

impl<V: Variant> AlphaBeta<V> {
    /// Makes a player.
    pub const fn new(config: AlphaBetaConfig, seed: u64) -> Self {
        Self {
            config,
            seed,
            idle: Mutex::new(Vec::new()),
        }
    }

    fn choose_one(&self, turn: &Turn<'_, V>) -> Choice<MoveOf<V>> {
        let ply = turn.game.ply() as u64;
        let mut rng = stream(self.seed, Purpose::Player, turn.number, ply);
        let mut moves = Vec::new();
        turn.game.legal_moves(&mut moves);
        // In a random order the first of the best is a random one of them.
        moves.shuffle(&mut rng);
        if moves.len() == 1 || self.config.random > 0.0 && rng.random_bool(self.config.random) {
            return Choice::of(moves[0], None);
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut searcher = waiting.unwrap_or_else(|| Searcher::new(self.config.table_bits));
        let found = searcher.search(turn.game, &moves, self.config.limits);
        idle().push(searcher);
        Choice::of(found.line[0], Some(chances(found.value)))
    }
}

/// Returns what hundredths of a pawn are worth: a win is ten times as likely as a loss four pawns ahead, the curve of Elo. Draws are halved.
fn chances(value: i32) -> Wdl {
    if value.abs() >= MATE_BOUND {
        return if value > 0 { Wdl::WIN } else { Wdl::LOSS };
    }
    let win = 1.0 / (1.0 + 10_f32.powf(-value as f32 / 400.0));
    Wdl {
        win,
        draw: 0.0,
        loss: 1.0 - win,
    }
}

impl<V: Variant> Player<V> for AlphaBeta<V> {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let player = &*self;
        Ok(turns
            .par_iter()
            .map(|turn| player.choose_one(turn))
            .collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self::new(self.config, self.seed))
    }
}
