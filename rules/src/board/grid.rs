//! Squares and the geometry of a grid.

use crate::outcome::Side;
use crate::variant::Grid;

/// A square: `rank * files + file`, both from 0; rank 0 is the first player's home rank and file 0 the left column as that player sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Makes a square from its index, below 128.
    pub const fn new(index: u8) -> Self {
        Self(index)
    }

    /// Makes a square from its file and rank on a grid.
    pub const fn at(grid: Grid, file: usize, rank: usize) -> Self {
        Self((rank * grid.files + file) as u8)
    }

    /// Returns the index. It is below 128 for the compiler's sake: tables of that size need no bounds check.
    pub const fn index(self) -> usize {
        (self.0 & 127) as usize
    }

    /// Returns the column, from 0 at the first player's left.
    pub const fn file(self, grid: Grid) -> usize {
        self.index() % grid.files
    }

    /// Returns the row, from 0 at the first player's home.
    pub const fn rank(self, grid: Grid) -> usize {
        self.index() / grid.files
    }

    /// Returns the row counted from `side`'s home.
    pub const fn rank_for(self, grid: Grid, side: Side) -> usize {
        match side {
            Side::First => self.rank(grid),
            Side::Second => grid.ranks - 1 - self.rank(grid),
        }
    }

    /// Returns where the square comes to lie when left and right are swapped.
    #[must_use]
    pub const fn mirrored(self, grid: Grid) -> Self {
        Self::at(grid, grid.files - 1 - self.file(grid), self.rank(grid))
    }

    /// Returns where the square comes to lie when the board is turned by 180 degrees.
    #[must_use]
    pub const fn rotated(self, grid: Grid) -> Self {
        Self((grid.squares() - 1) as u8 - self.0)
    }

    /// Returns the square as `side` sees it: itself for the first player, rotated for the second.
    #[must_use]
    pub const fn seen_by(self, grid: Grid, side: Side) -> Self {
        match side {
            Side::First => self,
            Side::Second => self.rotated(grid),
        }
    }

    /// Returns the square `right` columns to the right and `forward` rows ahead, as `side` sees it, or `None` off the board.
    pub const fn offset(self, grid: Grid, side: Side, right: i8, forward: i8) -> Option<Self> {
        let (right, forward) = match side {
            Side::First => (right, forward),
            Side::Second => (-right, -forward),
        };
        let file = self.file(grid) as i8 + right;
        let rank = self.rank(grid) as i8 + forward;
        if file < 0 || rank < 0 || file >= grid.files as i8 || rank >= grid.ranks as i8 {
            return None;
        }
        Some(Self::at(grid, file as usize, rank as usize))
    }
}

/// The eight directions as (right, forward) for the first player; direction `d ^ 4` is the opposite of `d`.
///
/// The first four lead to squares with higher indices.
pub(super) const DIRECTIONS: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (-1, 1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (1, -1),
];

/// The number that stands for "not on a line".
pub(super) const NO_DIRECTION: usize = 8;
