//! Kinds of men, and men with an owner.

use crate::outcome::Side;

/// What the rules say of one kind of man.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The upper-case letter of the kind in texts; promoted kinds have the letter of what they promoted from, and are written with `+`.
    pub letter: u8,
    /// The number of its movement.
    pub movement: u8,
    /// The kind it promotes to.
    pub promoted: Option<u8>,
    /// The kind that it becomes in its captor's hand: itself unless it is promoted.
    pub base: u8,
    /// Points in an entering-king declaration.
    pub points: u8,
}

/// What people call one kind of man, the first player's and the second's.
#[derive(Clone, Copy, Debug)]
pub struct Naming {
    /// The character on the man.
    pub kanji: [char; 2],
    /// Its name in the game's rules.
    pub word: [&'static str; 2],
}

impl Naming {
    /// Makes names that are the same for both players.
    pub const fn both(kanji: char, word: &'static str) -> Self {
        Self {
            kanji: [kanji; 2],
            word: [word; 2],
        }
    }
}

/// A man on the board: its kind, by number, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The number of its kind in the game's table.
    pub kind: u8,
    /// Whose it is.
    pub side: Side,
}

/// The mark of an empty square in the array of squares.
pub(super) const NO_PIECE: u8 = 0xff;

impl Piece {
    /// Returns the number that stands for the man in the array of squares, below 32.
    pub(super) const fn code(self) -> u8 {
        self.kind << 1 | self.side as u8
    }

    /// Returns the man that a number stands for.
    pub(super) const fn from_code(code: u8) -> Option<Self> {
        if code == NO_PIECE {
            return None;
        }
        let side = if code & 1 == 0 {
            Side::First
        } else {
            Side::Second
        };
        Some(Self {
            kind: code >> 1,
            side,
        })
    }
}
