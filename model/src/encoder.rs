//! From a position to planes and from a move to an action index, always from the mover's side.

mod board;
mod gufu;
mod sparse;
mod view;

use rules::{Game, MoveOf, Variant};
use serde::{Deserialize, Serialize};

pub use board::BoardEncoder;
pub use gufu::GufuEncoder;
pub use sparse::{
    Features, PolicyMoves, RowLists, RowMirror, Shown, SparseBoardEncoder, SparseEncoder,
    SparseGufuEncoder, SparseShape,
};
pub(crate) use sparse::{MOVE_ROWS, MoveRows};
pub use view::{Sights, Sizes, View};

/// The sizes of what a net takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Planes a position.
    pub planes: usize,
    /// Rows of the board.
    pub ranks: usize,
    /// Columns of the board.
    pub files: usize,
    /// Actions that a policy is spread over.
    pub actions: usize,
    /// Planes of actions, each with one action a square: `actions = policy_planes x ranks x files`, and action `plane x squares + square` is
    /// read off `square` of `plane`. 0 where actions have no such order.
    #[serde(default)]
    pub policy_planes: usize,
}

impl Shape {
    /// Returns the number of squares.
    pub const fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// Returns the number of values of one position's planes.
    pub const fn plane_len(self) -> usize {
        self.planes * self.squares()
    }

    /// Swaps left and right in planes `[..., ranks, files]`, in place.
    pub fn mirror_planes(self, planes: &mut [f32]) {
        for row in planes.chunks_exact_mut(self.files) {
            row.reverse();
        }
    }
}

/// How a game's positions and moves are shown to a net.
pub trait Encoder<V: Variant>: Send + Sync {
    /// Returns the sizes of planes and actions.
    fn shape(&self) -> Shape;

    /// Returns the version of this encoding, raised when planes or action indices change.
    fn version(&self) -> u32;

    /// Overwrites `planes`, `[planes, ranks, files]`, with the current position of `game`, seen from the mover's side.
    fn encode(&self, game: &Game<V>, planes: &mut [f32]);

    /// Returns what the planes show of the game beyond its position, as a number: two games with equal positions and equal numbers have the
    /// same planes.
    fn history(&self, game: &Game<V>) -> u64;

    /// Returns the index of a legal move of `position`, below `shape().actions`. No two legal moves share one.
    fn action(&self, position: &V::Position, mv: MoveOf<V>) -> usize;

    /// Returns for each action the action with left and right swapped, `[actions]`, or `None` if the game has no such symmetry.
    ///
    /// It has it if a position whose planes are [mirrored](Shape::mirror_planes) is as good, and each move as good as its mirror image.
    /// Swapping twice changes nothing.
    fn mirror(&self) -> Option<&[u32]>;
}
