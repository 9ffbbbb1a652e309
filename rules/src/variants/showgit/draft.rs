//! A position that is put together man by man, as records of other programs describe it.

use super::Showgit;
use crate::board::{Board, Hand, Piece, Ruleset, Square};
use crate::notation::NotationError;
use crate::outcome::Side;
use crate::variant::Variant;

const SIZE: u8 = 9;

/// Men on squares and in hands, not yet a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// By rank from the far side, then by file from the first player's left.
    squares: [[Option<Piece>; SIZE as usize]; SIZE as usize],
    hands: [[u32; Showgit::HAND_KINDS]; 2],
}

/// Makes a square from its file, 1 at the first player's right, and its rank, 1 at the far side.
pub(super) fn square(file: u8, rank: u8) -> Square {
    Square::at(
        Showgit::GRID,
        usize::from(SIZE - file),
        usize::from(SIZE - rank),
    )
}

/// Returns the file of a square, from 1 at the first player's right, and its rank, from 1 at the far side.
pub(super) fn numbers(square: Square) -> [u8; 2] {
    let grid = Showgit::GRID;
    [square.file(grid), square.rank(grid)].map(|number| SIZE - number as u8)
}

impl Draft {
    /// Puts a man, or nothing, on a square in place of what is there; both numbers are from 1 to 9.
    pub(super) const fn put(&mut self, file: u8, rank: u8, man: Option<Piece>) {
        self.squares[rank as usize - 1][(SIZE - file) as usize] = man;
    }

    /// Returns the man on a square.
    pub(super) const fn man(&self, file: u8, rank: u8) -> Option<Piece> {
        self.squares[rank as usize - 1][(SIZE - file) as usize]
    }

    /// Adds men to a hand, up to one more than any hand may hold.
    pub(super) fn hold(&mut self, side: Side, kind: usize, count: u32) {
        let held = &mut self.hands[side.index()][kind];
        *held = held.saturating_add(count).min(Hand::MOST_OF_A_KIND + 1);
    }

    /// Returns how many men of a kind there are, promoted or not.
    pub(super) fn count(&self, kind: u8) -> u32 {
        let base = |man: &Piece| Showgit::KINDS[usize::from(man.kind)].base;
        let on_board = self.squares.iter().flatten().flatten();
        let standing = on_board.filter(|man| base(man) == kind).count() as u32;
        let held = |hand: &[u32; Showgit::HAND_KINDS]| hand.get(usize::from(kind)).copied();
        standing + self.hands.iter().filter_map(held).sum::<u32>()
    }

    /// Makes it a position with `side` to move.
    ///
    /// # Errors
    /// If the rules exclude it, as those of any other position text.
    pub(super) fn board(&self, side: Side) -> Result<Board<Showgit>, NotationError> {
        let ranks = self.squares.iter().map(|rank| {
            let mut text = String::new();
            let mut empty = 0;
            for square in rank {
                match square {
                    None => empty += 1,
                    Some(man) => {
                        push_number(&mut text, empty);
                        empty = 0;
                        push_man(&mut text, *man);
                    }
                }
            }
            push_number(&mut text, empty);
            text
        });
        let ranks: Vec<String> = ranks.collect();
        let letter = ['b', 'w'][side.index()];
        format!("{} {letter} {} 1", ranks.join("/"), self.hands_text()).parse()
    }

    fn hands_text(&self) -> String {
        let mut text = String::new();
        for side in [Side::First, Side::Second] {
            for &kind in Showgit::HAND_ORDER {
                let count = self.hands[side.index()][usize::from(kind)];
                if count > 1 {
                    push_number(&mut text, count);
                }
                if count > 0 {
                    push_man(&mut text, Piece { kind, side });
                }
            }
        }
        if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    }
}

fn push_number(text: &mut String, number: u32) {
    if number > 0 {
        text.push_str(&number.to_string());
    }
}

fn push_man(text: &mut String, man: Piece) {
    let kind = &Showgit::KINDS[usize::from(man.kind)];
    if kind.base != man.kind {
        text.push('+');
    }
    let letter = char::from(kind.letter);
    text.push(match man.side {
        Side::First => letter,
        Side::Second => letter.to_ascii_lowercase(),
    });
}
