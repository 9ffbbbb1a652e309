//! The move type: what moves, how, where it ends, and where it faces then.

use super::piece::{Facing, Piece, Square};
use crate::notation::NotationError;
use crate::outcome::Side;

/// Which piece a move moves, without saying whose king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The mover's own king.
    King,
    /// The shared wind.
    Kaze,
    /// The shared storm.
    Arashi,
}

impl Actor {
    /// Every actor, in the order of the action space.
    pub const ALL: [Self; 3] = [Self::King, Self::Kaze, Self::Arashi];

    /// Returns the number of the actor, 0 to 2.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the piece that is meant when `side` moves.
    pub const fn piece(self, side: Side) -> Piece {
        match self {
            Self::King => Piece::king(side),
            Self::Kaze => Piece::Kaze,
            Self::Arashi => Piece::Arashi,
        }
    }

    /// Returns the letter of the actor in move texts.
    pub const fn letter(self) -> char {
        ['K', 'W', 'S'][self as usize]
    }
}

/// How a move acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveKind {
    /// One step to an empty square, `-`.
    Step,
    /// One step onto a shared piece, which goes to the common hand, `x`.
    Capture,
    /// A quarter turn clockwise in place, `:`.
    Turn,
    /// A drop from the hand with any facing, `*`.
    Drop,
}

impl MoveKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Step, Self::Capture, Self::Turn, Self::Drop];

    /// Returns the sign of the kind in move texts.
    pub const fn sign(self) -> char {
        ['-', 'x', ':', '*'][self as usize]
    }
}

/// A move of gufu.
///
/// In 16 bits it is, from the lowest, 2 bits of facing, 3 of square, 2 of kind and 2 of actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// What moves.
    pub actor: Actor,
    /// How it moves.
    pub kind: MoveKind,
    /// The square where it ends.
    pub to: Square,
    /// Where it faces after the move.
    pub facing: Facing,
}

impl From<Move> for u16 {
    fn from(mv: Move) -> Self {
        (mv.actor as u16) << 7
            | (mv.kind as u16) << 5
            | (mv.to.index() as u16) << 2
            | mv.facing as u16
    }
}

impl TryFrom<u16> for Move {
    type Error = NotationError;

    fn try_from(bits: u16) -> Result<Self, Self::Error> {
        let actor = Actor::ALL.get((bits >> 7) as usize);
        let to = (bits >> 2 & 7) as usize;
        match actor {
            Some(&actor) if to < Square::COUNT => Ok(Self {
                actor,
                kind: MoveKind::ALL[(bits >> 5 & 3) as usize],
                to: Square::new(to),
                facing: Facing::ALL[(bits & 3) as usize],
            }),
            _ => Err(NotationError::new(
                "move number",
                &bits.to_string(),
                1,
                "no move of gufu has it",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_are_a_move_or_refused() {
        let mut moves = 0;
        for bits in 0..=u16::MAX {
            if let Ok(mv) = Move::try_from(bits) {
                assert_eq!(u16::from(mv), bits);
                moves += 1;
            }
        }
        assert_eq!(moves, 3 * 4 * 6 * 4);
    }
}
