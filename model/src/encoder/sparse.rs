//! From a position to the few rows of a table that are active in it, and from a move to the rows that it is made of.
//!
//! A net of this family begins with sums of rows: one row for each thing that is true of a position. Everything is from the mover's side.

#![allow(
    clippy::inline_always,
    reason = "what is not inlined into a kernel is compiled for the oldest processors only"
)]

mod around;
mod board;
mod gufu;
mod reach;

use std::ops::Range;

use rules::{Game, MoveOf, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use board::SparseBoardEncoder;
pub use gufu::SparseGufuEncoder;

/// What is told of the men on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Features {
    /// Kind, owner and square: one row.
    Plain,
    /// Each such row four times: by whether the other side attacks the man and whether its own side guards it, as in Monty's nets.
    Threats,
    /// Six times: attackers that are worth less than the man count apart. Besides, what stands and what is attacked around both kings, by places
    /// relative to them. In gufu the same as threats.
    Tactics,
}

/// What is told of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMoves {
    /// The man, from where, to where, promotion or drop, and what is captured.
    Plain,
    /// Besides, whether the move gives check and whether it loses material by the best series of captures on its target.
    Exchange,
    /// Besides, where the target is relative to both kings, whether the man is attacked and guarded before and after the move, and which men it
    /// attacks then. In gufu the same as exchange.
    Tactics,
}

/// The most rows that a move is made of: ten, and one for each of up to eight men that are attacked after it.
pub(crate) const MOVE_ROWS: usize = 18;

/// The sizes of what a net of features takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SparseShape {
    /// Rows that may be active in a position.
    pub features: usize,
    /// The most rows that are active at a time in a game from its start position.
    pub active: usize,
    /// Rows that moves are made of.
    pub moves: usize,
}

/// For each row the one with left and right swapped.
#[derive(Clone, Debug)]
pub struct RowMirror {
    /// Of the rows of positions, `[features]`.
    pub features: Vec<u32>,
    /// Of the rows of moves, `[moves]`.
    pub moves: Vec<u32>,
}

/// Where the rows of a position and its moves go.
#[derive(Debug)]
pub struct Shown<'a> {
    /// Rows of positions.
    pub features: &'a mut Vec<u32>,
    /// Rows of moves, one move after another.
    pub moves: &'a mut Vec<u32>,
    /// For each move the number of all rows of moves up to its last one.
    pub move_ends: &'a mut Vec<u32>,
}

/// How a game's positions and moves are shown to a net of features.
pub trait SparseEncoder<V: Variant>: Send + Sync {
    /// Returns the numbers of rows.
    fn shape(&self) -> SparseShape;

    /// Returns the version of this encoding, raised when the meaning of a row changes.
    fn version(&self) -> u32;

    /// Adds the rows that are active in the current position of `game`, each once, seen from the mover's side.
    fn features(&self, game: &Game<V>, rows: &mut Vec<u32>);

    /// Adds the rows of a legal move of `position`, at most `MOVE_ROWS`, some perhaps more than once. No two legal moves have the same.
    fn move_rows(&self, position: &V::Position, mv: MoveOf<V>, rows: &mut Vec<u32>);

    /// Adds the rows of each of some legal moves of `position`, one after another, and for each the number of all rows up to its last one.
    fn rows_of_moves(
        &self,
        position: &V::Position,
        moves: &[MoveOf<V>],
        rows: &mut Vec<u32>,
        ends: &mut Vec<u32>,
    ) {
        for &mv in moves {
            self.move_rows(position, mv, rows);
            ends.push(rows.len() as u32);
        }
    }

    /// Adds the rows of the current position of `game` and those of some of its legal moves, with the ends of the latter, as
    /// [`features`](Self::features) and [`rows_of_moves`](Self::rows_of_moves) do.
    fn show(&self, game: &Game<V>, moves: &[MoveOf<V>], into: Shown<'_>) {
        self.features(game, into.features);
        self.rows_of_moves(game.position(), moves, into.moves, into.move_ends);
    }

    /// Returns what the rows show of the game beyond its position, as a number: two games with equal positions and equal numbers have the
    /// same rows.
    fn history(&self, game: &Game<V>) -> u64;

    /// Returns the rows with left and right swapped, or `None` if the game has no such symmetry.
    fn mirror(&self) -> Option<&RowMirror>;
}

/// The rows of positions side by side, and those of each position's legal moves in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowLists {
    features: Vec<u32>,
    /// Where the rows of each position end.
    feature_ends: Vec<u32>,
    moves: Vec<u32>,
    /// Where the rows of each move end.
    move_ends: Vec<u32>,
    /// Where the moves of each position end.
    legal_ends: Vec<u32>,
}

/// The rows of some moves side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveRows<'a> {
    /// Those of these moves, and of others before and behind them.
    pub(crate) rows: &'a [u32],
    /// Where those of the first move begin.
    pub(crate) start: usize,
    /// Where those of each move end.
    pub(crate) ends: &'a [u32],
}

impl<'a> MoveRows<'a> {
    /// Returns the rows of each move.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [u32]> {
        let mut start = self.start;
        self.ends.iter().map(move |&end| {
            let rows = &self.rows[start..end as usize];
            start = end as usize;
            rows
        })
    }
}

impl RowLists {
    /// Makes lists of `size` positions without rows and moves.
    pub(crate) fn blank(size: usize) -> Self {
        Self {
            feature_ends: vec![0; size],
            legal_ends: vec![0; size],
            ..Self::default()
        }
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.feature_ends.len()
    }

    /// Tells whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.feature_ends.is_empty()
    }

    /// Returns the number of moves of all positions.
    pub fn move_count(&self) -> usize {
        self.move_ends.len()
    }

    /// Returns the active rows of a position.
    pub fn features_of(&self, position: usize) -> &[u32] {
        &self.features[span(&self.feature_ends, position)]
    }

    /// Returns which moves are those of a position.
    pub fn moves_of(&self, position: usize) -> Range<usize> {
        span(&self.legal_ends, position)
    }

    /// Returns the rows of a move.
    pub fn rows_of(&self, mv: usize) -> &[u32] {
        &self.moves[span(&self.move_ends, mv)]
    }

    /// Returns the rows of the moves of a position, move by move.
    pub(crate) fn rows_of_moves(&self, position: usize) -> MoveRows<'_> {
        let moves = self.moves_of(position);
        let start = if moves.start == 0 {
            0
        } else {
            self.move_ends[moves.start - 1]
        };
        MoveRows {
            rows: &self.moves,
            start: start as usize,
            ends: &self.move_ends[moves],
        }
    }

    /// Returns the bytes that the lists take.
    pub fn memory_bytes(&self) -> usize {
        let arrays = [
            &self.features,
            &self.feature_ends,
            &self.moves,
            &self.move_ends,
            &self.legal_ends,
        ];
        arrays
            .iter()
            .map(|array| array.capacity() * size_of::<u32>())
            .sum()
    }

    /// Takes all positions out.
    pub fn clear(&mut self) {
        for array in self.arrays() {
            array.clear();
        }
    }

    /// Gives back memory that is not used.
    pub fn shrink_to_fit(&mut self) {
        for array in self.arrays() {
            array.shrink_to_fit();
        }
    }

    /// Adds the positions of `other`.
    pub fn append(&mut self, other: &Self) {
        let moved = |ends: &mut Vec<u32>, more: &[u32], shift: usize| {
            ends.extend(more.iter().map(|end| end + shift as u32));
        };
        moved(
            &mut self.feature_ends,
            &other.feature_ends,
            self.features.len(),
        );
        moved(
            &mut self.legal_ends,
            &other.legal_ends,
            self.move_ends.len(),
        );
        moved(&mut self.move_ends, &other.move_ends, self.moves.len());
        self.features.extend_from_slice(&other.features);
        self.moves.extend_from_slice(&other.moves);
    }

    /// Adds the current position of a game with its legal `moves`, mirrored if asked for and if the game has that symmetry.
    pub(super) fn push<V: Variant>(
        &mut self,
        encoder: &dyn SparseEncoder<V>,
        game: &Game<V>,
        (moves, mirrored): (&[MoveOf<V>], bool),
    ) {
        let (features, rows) = (self.features.len(), self.moves.len());
        let into = Shown {
            features: &mut self.features,
            moves: &mut self.moves,
            move_ends: &mut self.move_ends,
        };
        encoder.show(game, moves, into);
        if let Some(mirror) = encoder.mirror().filter(|_| mirrored) {
            swap(&mut self.features[features..], &mirror.features);
            swap(&mut self.moves[rows..], &mirror.moves);
        }
        self.feature_ends.push(self.features.len() as u32);
        self.legal_ends.push(self.move_ends.len() as u32);
    }

    /// Says what is wrong with the lists of a batch of `size` samples, if anything is.
    pub(crate) fn problem(&self, shape: SparseShape, size: usize) -> Option<String> {
        if self.len() != size {
            return Some(format!(
                "rows are of {} samples: must be of {size}",
                self.len()
            ));
        }
        let beyond =
            |rows: &[u32], count: usize| rows.iter().find(|&&row| row as usize >= count).copied();
        for (name, rows, count) in [
            ("features", &self.features, shape.features),
            ("moves", &self.moves, shape.moves),
        ] {
            if let Some(row) = beyond(rows, count) {
                return Some(format!("{name} holds row {row}: must be below {count}"));
            }
        }
        None
    }

    fn arrays(&mut self) -> [&mut Vec<u32>; 5] {
        [
            &mut self.features,
            &mut self.feature_ends,
            &mut self.moves,
            &mut self.move_ends,
            &mut self.legal_ends,
        ]
    }
}

/// Returns the place of entry `at` among lists that end where `ends` says.
fn span(ends: &[u32], at: usize) -> Range<usize> {
    let start = if at == 0 { 0 } else { ends[at - 1] };
    start as usize..ends[at] as usize
}

fn swap(rows: &mut [u32], mirror: &[u32]) {
    for row in rows {
        *row = mirror[*row as usize];
    }
}
