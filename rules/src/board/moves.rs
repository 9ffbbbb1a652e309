//! The move type of grid games.

use std::fmt;
use std::marker::PhantomData;

use super::grid::Square;
use super::ruleset::Ruleset;
use super::text;
use crate::notation::NotationError;

const FROM: u32 = 7;
const PROMOTES: u16 = 1 << 14;
const DROP: u16 = 1 << 15;

/// A move: a man from square to square, perhaps promoting, or a man from the hand to a square.
///
/// In 16 bits it is, from the lowest, 7 bits of target, 7 of origin or of the kind dropped, 1 of promotion and 1 of drop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move<R>(u16, PhantomData<R>);

impl<R: Ruleset> Move<R> {
    /// Makes a move on the board.
    #[inline]
    pub const fn new(from: Square, to: Square, promotes: bool) -> Self {
        let promotes = if promotes { PROMOTES } else { 0 };
        Self(
            to.index() as u16 | (from.index() as u16) << FROM | promotes,
            PhantomData,
        )
    }

    /// Makes a drop of a man of `kind`.
    #[inline]
    pub const fn drop(kind: u8, to: Square) -> Self {
        Self(
            to.index() as u16 | (kind as u16) << FROM | DROP,
            PhantomData,
        )
    }

    /// Returns the move that is so many numbers further on: with strides of 1, the one to a later square.
    #[inline(always)]
    #[must_use]
    pub(super) const fn further(self, numbers: u16) -> Self {
        Self(self.0.wrapping_add(numbers), PhantomData)
    }

    /// Returns what stands for the move to square 0 among moves that all come from `back` squares before their targets, and how much further
    /// on the move to the next square is. It is a move only together with a square that makes its origin one of the board.
    #[inline(always)]
    pub(super) const fn shifted(back: i8, promotes: bool) -> (Self, u16) {
        let promotes = if promotes { PROMOTES } else { 0 };
        let origin = (back as i16 as u16) << FROM;
        (
            Self(origin.wrapping_add(promotes), PhantomData),
            1 << FROM | 1,
        )
    }

    /// Returns where the move ends.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(self.0 as u8 & 127)
    }

    /// Returns where the move starts, or `None` for a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        if self.0 & DROP == 0 {
            Some(self.origin())
        } else {
            None
        }
    }

    /// Returns the kind dropped, or `None` for a move on the board.
    #[inline]
    pub const fn dropped(self) -> Option<u8> {
        if self.0 & DROP == 0 {
            None
        } else {
            Some(self.origin().index() as u8)
        }
    }

    /// Tells whether the man promotes.
    #[inline]
    pub const fn promotes(self) -> bool {
        self.0 & PROMOTES != 0
    }

    /// Returns the move with left and right swapped.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self.from() {
            Some(from) => Self::new(
                from.mirrored(R::GRID),
                self.to().mirrored(R::GRID),
                self.promotes(),
            ),
            None => Self::drop(self.origin().index() as u8, self.to().mirrored(R::GRID)),
        }
    }

    /// Returns the move on the board turned by 180 degrees.
    #[must_use]
    pub fn rotated(self) -> Self {
        match self.from() {
            Some(from) => Self::new(
                from.rotated(R::GRID),
                self.to().rotated(R::GRID),
                self.promotes(),
            ),
            None => Self::drop(self.origin().index() as u8, self.to().rotated(R::GRID)),
        }
    }

    #[inline]
    const fn origin(self) -> Square {
        Square::new((self.0 >> FROM) as u8 & 127)
    }

    /// Tells whether the bits can be a move: squares on the board, a kind that can be in hand, no step in place.
    fn is_possible(self) -> bool {
        let squares = R::GRID.squares();
        let to = self.to().index();
        let origin = self.origin().index();
        if self.0 & DROP != 0 {
            origin < R::HAND_KINDS && to < squares && !self.promotes()
        } else {
            origin < squares
                && to < squares
                && origin != to
                && (R::HAS_PROMOTION || !self.promotes())
        }
    }
}

impl<R: Ruleset> From<Move<R>> for u16 {
    fn from(mv: Move<R>) -> Self {
        mv.0
    }
}

impl<R: Ruleset> TryFrom<u16> for Move<R> {
    type Error = NotationError;

    fn try_from(bits: u16) -> Result<Self, Self::Error> {
        let mv = Self(bits, PhantomData);
        if mv.is_possible() {
            return Ok(mv);
        }
        let problem = format!("no move of {} has it", R::ID);
        Err(NotationError::new(
            "move number",
            &bits.to_string(),
            1,
            problem,
        ))
    }
}

impl<R: Ruleset> fmt::Display for Move<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write_move(*self, f)
    }
}

impl<R: Ruleset> fmt::Debug for Move<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write_move(*self, f)
    }
}
