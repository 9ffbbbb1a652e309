//! Sets of squares in 128 bits: boards of 64, 81 and 90 squares alike.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::grid::Square;

/// A set of squares: bit `i` is the square with index `i`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);

    /// Makes a set from its bits.
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Makes the set of one square.
    #[inline]
    pub const fn of(square: Square) -> Self {
        // A look-up is quicker than a shift across two words, and leaves whole words where they are stored.
        Self(BITS[square.index()])
    }

    /// Returns the bits.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Tells whether the set has no square.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether `square` is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Tells whether the sets have a square in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Tells whether the set has two squares or more.
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns the number of squares.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the square with the lowest index; the set must not be empty.
    pub const fn first(self) -> Square {
        debug_assert!(self.0 != 0, "an empty set has no first square");
        Square::new(self.0.trailing_zeros() as u8)
    }

    /// Returns the squares of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the set of the square with the lowest index, or the empty set.
    #[must_use]
    pub(super) const fn lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// Returns the set of the square with the highest index, or the empty set.
    #[must_use]
    pub(super) const fn highest(self) -> Self {
        match self.0 {
            0 => Self(0),
            bits => Self(1 << bits.ilog2()),
        }
    }

    /// Returns the squares `offset` indices further on, forward if positive; what leaves the 128 bits is lost.
    #[must_use]
    pub(super) const fn shifted(self, offset: i8) -> Self {
        if offset >= 0 {
            Self(self.0 << offset)
        } else {
            Self(self.0 >> -offset)
        }
    }
}

static BITS: [u128; 128] = {
    let mut bits = [0; 128];
    let mut i = 0;
    while i < 128 {
        bits[i] = 1 << i;
        i += 1;
    }
    bits
};

impl BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#x})", self.0)
    }
}

/// The squares of a set, lowest index first.
#[derive(Clone, Debug)]
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::new(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}
