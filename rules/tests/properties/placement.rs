//! Positions that no game reaches: men anywhere, on the lines of the kings more than elsewhere, and hands from empty to full.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use rules::Side;
use rules::board::{Board, Square};
use rules::notation::Notation;

use crate::corpus::GridGame;

/// A man that wants to stand somewhere: its kind, whose it is, and where.
type Man = (Index, bool, Place);

#[derive(Clone, Copy, Debug)]
enum Place {
    Anywhere(Index),
    /// So many steps away from a king: the first player's or the other's, by a number of columns and rows.
    Near(bool, (i8, i8), i8),
}

/// Two columns or rows at most: a step, or the leap of a knight.
fn way() -> impl Strategy<Value = (i8, i8)> {
    prop_oneof![4 => (-1..=1_i8, -1..=1_i8), 1 => (-2..=2_i8, -2..=2_i8)]
}

/// One man, or two on a line with a king, as a pin has them.
fn men() -> impl Strategy<Value = Vec<Man>> {
    let near =
        (any::<bool>(), way(), 1..=8_i8).prop_map(|(king, way, far)| Place::Near(king, way, far));
    let place = prop_oneof![any::<Index>().prop_map(Place::Anywhere), near];
    let man = (any::<Index>(), any::<bool>(), place).prop_map(|man| vec![man]);
    let kinds = (any::<Index>(), any::<Index>());
    let pair = (kinds, any::<bool>(), way(), (1..=3_i8, 1..=5_i8)).prop_map(
        |((shield, slider), king, way, (near, more))| {
            vec![
                (shield, !king, Place::Near(king, way, near)),
                (slider, king, Place::Near(king, way, near + more)),
            ]
        },
    );
    prop_oneof![5 => man, 1 => pair]
}

/// How many men of a kind are in a hand: mostly none or one, sometimes as many as a text may give.
fn count() -> impl Strategy<Value = u32> {
    prop_oneof![6 => Just(0), 4 => Just(1), 2 => 2..=18_u32, 1 => Just(60)]
}

/// Texts of positions. Men that may not stand where they want to, or would leave the king of the side that is not to move open, are left out.
pub(crate) fn placements<R: GridGame>() -> impl Strategy<Value = String> {
    let kings = prop::sample::select(pairs_of_kings::<R>());
    let men = vec(men(), 0..50);
    let hands = vec(count(), 2 * R::HAND_KINDS);
    (kings, men, hands, any::<bool>()).prop_map(|(kings, men, hands, first)| {
        Placement::<R>::new(kings, (hands, first))
            .with_all(&men.concat())
            .text
    })
}

/// Where the two kings may stand on an otherwise empty board.
fn pairs_of_kings<R: GridGame>() -> Vec<[Square; 2]> {
    let squares = || (0..R::GRID.squares() as u8).map(Square::new);
    let pairs = squares().flat_map(|one| squares().map(move |other| [one, other]));
    let hands = vec![0; 2 * R::HAND_KINDS];
    pairs
        .filter(|pair| pair[0] != pair[1])
        .filter(|&pair| Placement::<R>::new(pair, (hands.clone(), true)).settle())
        .collect()
}

struct Placement<R> {
    /// What stands on each square, as the text has it, by the number of the square.
    squares: Vec<String>,
    kings: [Square; 2],
    hands: Vec<u32>,
    first: bool,
    text: String,
    game: std::marker::PhantomData<R>,
}

impl<R: GridGame> Placement<R> {
    fn new(kings: [Square; 2], (hands, first): (Vec<u32>, bool)) -> Self {
        let mut squares = vec![String::new(); R::GRID.squares()];
        squares[kings[0].index()].push('K');
        squares[kings[1].index()].push('k');
        let text = String::new();
        let game = std::marker::PhantomData;
        let mut placement = Self {
            squares,
            kings,
            hands,
            first,
            text,
            game,
        };
        placement.settle();
        placement
    }

    fn with_all(mut self, men: &[Man]) -> Self {
        for man in men {
            self.put(*man);
        }
        self
    }

    /// Puts a man, unless the position is then refused.
    fn put(&mut self, (kind, first, place): Man) {
        let number = kind.index(R::KINDS.len());
        let promoted = usize::from(R::KINDS[number].base) != number;
        let letter = letter::<R>(number, first);
        let Some(square) = self.square(place) else {
            return;
        };
        if !self.squares[square.index()].is_empty() {
            return;
        }
        self.squares[square.index()] = format!("{}{letter}", if promoted { "+" } else { "" });
        if !self.settle() {
            self.squares[square.index()].clear();
            self.settle();
        }
    }

    fn square(&self, place: Place) -> Option<Square> {
        match place {
            Place::Anywhere(index) => Some(Square::new(index.index(R::GRID.squares()) as u8)),
            Place::Near(king, (right, forward), far) => {
                let king = self.kings[usize::from(king)];
                let far = if right.abs().max(forward.abs()) > 1 {
                    1
                } else {
                    far
                };
                king.offset(R::GRID, Side::First, right * far, forward * far)
            }
        }
    }

    /// Writes the text anew and tells whether it is a position.
    fn settle(&mut self) -> bool {
        self.text = self.write();
        self.text.parse::<Board<R>>().is_ok()
    }

    fn write(&self) -> String {
        let ranks = self.squares.chunks(R::GRID.files).rev().map(rank);
        let men = ranks.collect::<Vec<_>>().join("/");
        let hands = self.write_hands();
        let side = |first, second| if self.first { first } else { second };
        match R::NOTATION {
            Notation::Sfen => format!(
                "{men} {} {} 1",
                side('b', 'w'),
                if hands.is_empty() { "-" } else { &hands }
            ),
            Notation::FenWithHands => format!("{men}[{hands}] {} - - 0 1", side('w', 'b')),
            Notation::Fen => format!("{men} {} - - 0 1", side('w', 'b')),
        }
    }

    fn write_hands(&self) -> String {
        let mut text = String::new();
        for (counts, first) in self.hands.chunks(R::HAND_KINDS.max(1)).zip([true, false]) {
            for &kind in R::HAND_ORDER {
                let count = counts[kind as usize] as usize;
                let letter = letter::<R>(kind as usize, first).to_string();
                match (R::NOTATION, count) {
                    (_, 0) => (),
                    (Notation::Sfen, 2..) => write!(text, "{count}{letter}").unwrap(),
                    _ => text.push_str(&letter.repeat(count)),
                }
            }
        }
        text
    }
}

/// The letter of a kind in texts, small for the second player.
fn letter<R: GridGame>(kind: usize, first: bool) -> char {
    let letter = char::from(R::KINDS[kind].letter);
    if first {
        letter
    } else {
        letter.to_ascii_lowercase()
    }
}

/// Writes a rank, empty squares as numbers.
fn rank(squares: &[String]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for square in squares {
        if square.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            write!(text, "{empty}").unwrap();
        }
        empty = 0;
        text.push_str(square);
    }
    if empty > 0 {
        write!(text, "{empty}").unwrap();
    }
    text
}
