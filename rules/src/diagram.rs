//! A position as a picture: what stands on which square and what is in hand, by names, so that anyone can draw it who knows nothing of the game.

use crate::outcome::Side;

/// A position to be drawn. Ranks run from the top, files from the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The names of the files.
    pub files: Vec<String>,
    /// The names of the ranks.
    pub ranks: Vec<String>,
    /// The squares, rank by rank.
    pub rows: Vec<Vec<Cell>>,
    /// What is not on the board, one entry a hand: the first player's, the second's, or the only one.
    pub hands: Vec<Held>,
}

/// A square of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What stands there.
    pub man: Option<Man>,
    /// Whether it is to be pointed out.
    pub marked: bool,
}

/// A man or piece by its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Man {
    /// Letters as the game's texts write it; the second player's in lower case.
    pub letters: String,
    /// A character, the same for both players in most games.
    pub kanji: char,
    /// A word, as the rules call it, in upper case.
    pub word: String,
    /// Whose it is; `None` if it belongs to both.
    pub owner: Option<Side>,
    /// Where it faces, if that matters.
    pub arrow: Option<Arrow>,
}

/// Where a piece faces on the diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// To the top.
    Up,
    /// To the right.
    Right,
    /// To the bottom.
    Down,
    /// To the left.
    Left,
}

/// Men that are not on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Whose hand it is; `None` if it belongs to both.
    pub owner: Option<Side>,
    /// The men, and how many of each.
    pub men: Vec<(Man, usize)>,
}

/// A square by its row and column, from 0 at the top left as the first player sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
}

/// What a move does, as far as a picture shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What moves, as it was before.
    pub man: Man,
    /// Where it stood; `None` if it was in hand.
    pub from: Option<Place>,
    /// Where it ends.
    pub to: Place,
}

impl Arrow {
    /// Returns the sign of the arrow: one of `^ > v <`.
    pub const fn sign(self) -> char {
        ['^', '>', 'v', '<'][self as usize]
    }

    const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
        }
    }
}

impl Diagram {
    /// Points out the squares of a step, on a diagram seen by the first player.
    pub fn mark(&mut self, step: &Step) {
        for place in step.from.iter().chain([&step.to]) {
            self.rows[place.row][place.column].marked = true;
        }
    }

    /// Returns the name of a square, on a diagram seen by the first player: its file, then its rank.
    pub fn square_name(&self, place: Place) -> String {
        format!("{}{}", self.files[place.column], self.ranks[place.row])
    }

    /// Returns the diagram as it is seen from the other side of the board.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.files.reverse();
        self.ranks.reverse();
        self.rows.reverse();
        for row in &mut self.rows {
            row.reverse();
            for man in row.iter_mut().filter_map(|cell| cell.man.as_mut()) {
                man.arrow = man.arrow.map(Arrow::opposite);
            }
        }
        self
    }
}
