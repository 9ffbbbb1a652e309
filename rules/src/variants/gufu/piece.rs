//! Squares, facings, pieces and what each attacks.

use crate::outcome::Side;

/// A square, numbered in reading order: `2a 1a / 2b 1b / 2c 1c` are 0 to 5.
///
/// File 1 is the right column and file 2 the left, as Black sees them; rank `a` is the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 6;

    /// Makes a square from its number, 0 to 5.
    ///
    /// # Panics
    /// If `index` is 6 or more.
    pub const fn new(index: usize) -> Self {
        assert!(index < Self::COUNT, "a gufu square is numbered 0 to 5");
        Self(index as u8)
    }

    /// Returns every square in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::new)
    }

    /// Returns the number of the square, 0 to 5.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns where the square comes to lie when the board is turned by 180 degrees.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(Self::COUNT as u8 - 1 - self.0)
    }

    /// Returns the file, 1 (right) or 2 (left).
    pub const fn file(self) -> u8 {
        2 - self.0 % 2
    }

    /// Returns the rank counted from 0 at the top.
    pub const fn rank(self) -> u8 {
        self.0 / 2
    }

    /// Returns this square as a bit of a set.
    pub(super) const fn bit(self) -> u8 {
        1 << self.0
    }

    /// Returns the square one step to the right and down, or `None` off the board.
    const fn offset(self, right: i8, down: i8) -> Option<Self> {
        let column = (self.0 % 2) as i8 + right;
        let rank = (self.0 / 2) as i8 + down;
        if column < 0 || column > 1 || rank < 0 || rank > 2 {
            return None;
        }
        Some(Self((rank * 2 + column) as u8))
    }
}

/// Returns the squares of a set in order.
pub(super) fn squares(set: u8) -> impl Iterator<Item = Square> {
    Square::all().filter(move |square| set & square.bit() != 0)
}

/// Where a piece faces: north is up as Black sees the board, east right toward file 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facing {
    /// Up.
    North,
    /// Right, toward file 1.
    East,
    /// Down.
    South,
    /// Left, toward file 2.
    West,
}

impl Facing {
    /// Every facing, clockwise from north.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Returns the number of the facing: 0 for north, then clockwise.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the facing after a turn of 90 degrees clockwise.
    #[must_use]
    pub const fn clockwise(self) -> Self {
        Self::ALL[(self as usize + 1) % 4]
    }

    /// Returns the facing after a turn of the whole board by 180 degrees.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self::ALL[(self as usize + 2) % 4]
    }

    /// Returns one step in this direction as (right, down).
    const fn step(self) -> (i8, i8) {
        match self {
            Self::North => (0, -1),
            Self::East => (1, 0),
            Self::South => (0, 1),
            Self::West => (-1, 0),
        }
    }

    /// Returns the square one step ahead of `square`, or `None` off the board.
    pub(super) const fn ahead(self, square: Square) -> Option<Square> {
        let (right, down) = self.step();
        square.offset(right, down)
    }
}

/// One of the four pieces of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// Black's king, `K`.
    FirstKing,
    /// White's king, `k`.
    SecondKing,
    /// The shared wind, `W`.
    Kaze,
    /// The shared storm, `S`.
    Arashi,
}

impl Piece {
    /// Every piece, in the order in which a position text lists what is not on the board.
    pub const ALL: [Self; 4] = [Self::FirstKing, Self::SecondKing, Self::Kaze, Self::Arashi];

    /// The two shared pieces.
    pub const SHARED: [Self; 2] = [Self::Kaze, Self::Arashi];

    /// Returns the number of the piece, 0 to 3.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns a side's king.
    pub const fn king(side: Side) -> Self {
        match side {
            Side::First => Self::FirstKing,
            Side::Second => Self::SecondKing,
        }
    }

    /// Returns the letter of the piece in position texts.
    pub const fn letter(self) -> char {
        ['K', 'k', 'W', 'S'][self as usize]
    }

    /// Returns the squares that the piece attacks from `square`, as a set.
    pub(super) const fn attacks(self, square: Square, facing: Facing) -> u8 {
        let table = match self {
            Self::FirstKing | Self::SecondKing => &KING,
            Self::Kaze => &KAZE,
            Self::Arashi => &ARASHI,
        };
        table[square.index()][facing.index()]
    }
}

type AttackTable = [[u8; 4]; Square::COUNT];

/// All eight neighbours, whatever the facing.
const KING: AttackTable = attack_table(&[
    (0, -1),
    (1, 0),
    (0, 1),
    (-1, 0),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, -1),
]);
/// Forward, and both diagonals backward, as seen when facing north.
const KAZE: AttackTable = attack_table(&[(0, -1), (-1, 1), (1, 1)]);
/// Forward, left, right, and both diagonals forward, as seen when facing north.
const ARASHI: AttackTable = attack_table(&[(0, -1), (-1, 0), (1, 0), (-1, -1), (1, -1)]);

/// Turns offsets (right, down) of a piece that faces north into attack sets by square and facing.
const fn attack_table(north: &[(i8, i8)]) -> AttackTable {
    let mut table = [[0; 4]; Square::COUNT];
    let mut square = 0;
    while square < Square::COUNT {
        let mut i = 0;
        while i < north.len() {
            let (mut right, mut down) = north[i];
            let mut facing = 0;
            while facing < 4 {
                if let Some(target) = Square(square as u8).offset(right, down) {
                    table[square][facing] |= target.bit();
                }
                // A quarter turn clockwise takes right to down and down to left.
                (right, down) = (-down, right);
                facing += 1;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_sets_are_those_of_the_rules_table() {
        // From 2b (left column, middle rank) everything to the west is off the board.
        let square = Square::new(2);
        let names = |piece: Piece, facing| {
            squares(piece.attacks(square, facing))
                .map(Square::index)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(Piece::Kaze, Facing::North), [0, 5]); // N, SE
        assert_eq!(names(Piece::Kaze, Facing::East), [3]); // E
        assert_eq!(names(Piece::Kaze, Facing::South), [1, 4]); // NE, S
        assert_eq!(names(Piece::Kaze, Facing::West), [1, 5]); // NE, SE
        assert_eq!(names(Piece::Arashi, Facing::North), [0, 1, 3]); // N, NE, E
        assert_eq!(names(Piece::Arashi, Facing::East), [0, 1, 3, 4, 5]); // N, NE, E, S, SE
        assert_eq!(names(Piece::Arashi, Facing::South), [3, 4, 5]); // E, S, SE
        assert_eq!(names(Piece::Arashi, Facing::West), [0, 4]); // N, S
        assert_eq!(names(Piece::FirstKing, Facing::West), [0, 1, 3, 4, 5]);
    }

    #[test]
    fn turning_the_board_turns_attack_sets() {
        for piece in Piece::ALL {
            for square in Square::all() {
                for facing in Facing::ALL {
                    let turned = piece.attacks(square.rotated(), facing.opposite());
                    let expected = squares(piece.attacks(square, facing))
                        .fold(0, |set, target| set | target.rotated().bit());
                    assert_eq!(turned, expected, "{piece:?} {square:?} {facing:?}");
                }
            }
        }
    }
}
