//! How a game is shown to a net, whichever family the net is of.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rules::{Game, MoveOf, Variant};
use serde::{Deserialize, Serialize};

use super::sparse::{RowLists, SparseEncoder, SparseShape};
use super::{Encoder, Shape};

/// The sizes of what a net takes and gives, by its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sizes {
    /// Of a net that takes planes.
    Planes(Shape),
    /// Of a net that takes active rows.
    Rows(SparseShape),
}

impl From<Shape> for Sizes {
    fn from(shape: Shape) -> Self {
        Self::Planes(shape)
    }
}

impl From<SparseShape> for Sizes {
    fn from(shape: SparseShape) -> Self {
        Self::Rows(shape)
    }
}

/// How a game's positions and moves are shown to nets of one family.
pub enum View<V: Variant> {
    /// As planes and action indices.
    Planes(Arc<dyn Encoder<V>>),
    /// As rows.
    Rows(Arc<dyn SparseEncoder<V>>),
}

impl<V: Variant> Clone for View<V> {
    fn clone(&self) -> Self {
        match self {
            Self::Planes(encoder) => Self::Planes(Arc::clone(encoder)),
            Self::Rows(encoder) => Self::Rows(Arc::clone(encoder)),
        }
    }
}

impl<V: Variant> fmt::Debug for View<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View of {} ({:?})", V::ID, self.sizes())
    }
}

impl<V: Variant> View<V> {
    /// Returns the sizes of what is shown.
    pub fn sizes(&self) -> Sizes {
        match self {
            Self::Planes(encoder) => encoder.shape().into(),
            Self::Rows(encoder) => encoder.shape().into(),
        }
    }

    /// Returns the version of the encoder.
    pub fn version(&self) -> u32 {
        match self {
            Self::Planes(encoder) => encoder.version(),
            Self::Rows(encoder) => encoder.version(),
        }
    }

    /// Returns what is shown of the game beyond its position, as a number.
    pub fn history(&self, game: &Game<V>) -> u64 {
        match self {
            Self::Planes(encoder) => encoder.history(game),
            Self::Rows(encoder) => encoder.history(game),
        }
    }

    /// Adds the current position of `game` with some or all of its legal `moves`, left and right swapped if `mirrored` and if the game has that
    /// symmetry.
    pub fn show(&self, game: &Game<V>, moves: &[MoveOf<V>], mirrored: bool, sights: &mut Sights) {
        match self {
            Self::Planes(encoder) => {
                let width = encoder.shape().plane_len();
                let (at, first) = (sights.action_ends.len() * width, sights.actions.len());
                if sights.planes.len() < at + width {
                    sights.planes.resize(at + width, 0.0);
                }
                sights.width = width;
                let planes = &mut sights.planes[at..at + width];
                encoder.encode(game, planes);
                let position = game.position();
                let action = |&mv: &_| encoder.action(position, mv) as u32;
                sights.actions.extend(moves.iter().map(action));
                if let Some(reflection) = encoder.mirror().filter(|_| mirrored) {
                    encoder.shape().mirror_planes(planes);
                    for action in &mut sights.actions[first..] {
                        *action = reflection[*action as usize];
                    }
                }
                sights.action_ends.push(sights.actions.len());
            }
            Self::Rows(encoder) => sights.rows.push(encoder.as_ref(), game, (moves, mirrored)),
        }
    }

    /// Sorts moves by what a net sees of them: in positions that are one to it, equal moves come to lie in the same places.
    pub fn sort_moves(&self, position: &V::Position, moves: &mut [MoveOf<V>]) {
        match self {
            Self::Planes(encoder) => moves.sort_by_cached_key(|&mv| encoder.action(position, mv)),
            Self::Rows(encoder) => moves.sort_by_cached_key(|&mv| {
                let mut rows = Vec::new();
                encoder.move_rows(position, mv, &mut rows);
                rows
            }),
        }
    }
}

/// Positions that a net is to look at, side by side, each with its moves.
#[derive(Clone, Debug, Default)]
pub struct Sights {
    /// `[positions, planes, ranks, files]`, and behind them what earlier positions left; empty where rows are shown.
    planes: Vec<f32>,
    /// Values of a position's planes.
    width: usize,
    actions: Vec<u32>,
    action_ends: Vec<usize>,
    /// Empty where planes are shown.
    rows: RowLists,
}

impl Sights {
    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        // One of them is 0.
        self.action_ends.len() + self.rows.len()
    }

    /// Tells whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all positions out.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.action_ends.clear();
        self.rows.clear();
    }

    /// Returns the planes of all positions; empty where rows are shown.
    pub fn planes(&self) -> &[f32] {
        &self.planes[..self.action_ends.len() * self.width]
    }

    /// Returns the actions of all moves; empty where rows are shown.
    pub fn actions(&self) -> &[u32] {
        &self.actions
    }

    /// Returns the rows of all positions; empty where planes are shown.
    pub fn rows(&self) -> &RowLists {
        &self.rows
    }

    /// Returns which moves are those of a position.
    pub fn moves_of(&self, position: usize) -> Range<usize> {
        if self.action_ends.is_empty() {
            return self.rows.moves_of(position);
        }
        let start = if position == 0 {
            0
        } else {
            self.action_ends[position - 1]
        };
        start..self.action_ends[position]
    }
}
