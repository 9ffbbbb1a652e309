//! Moves from one way of writing squares to another.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use crate::notation::NotationError;
use crate::variant::Grid;

/// How squares and drops are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Squares {
    /// File numbers from the right, rank letters from the far side; drops with `*`.
    Numbered,
    /// File letters from the left, rank numbers from home; drops with `@`.
    Lettered {
        /// The number of the home rank.
        lowest: usize,
    },
}

/// The rank, from 0 at home, from which on USI writes files in two digits.
const TENTH: usize = 9;

/// Rewrites a move. What follows its last square is kept as it is.
pub(super) fn rewrite(
    text: &str,
    grid: Grid,
    from: Squares,
    to: Squares,
) -> Result<String, NotationError> {
    let mut reader = Reader {
        text,
        chars: text.chars().peekable(),
        at: 1,
        squares: from,
        grid,
    };
    let mut written = String::new();
    if let Some(man) = reader.dropped()? {
        written.push(man);
        written.push(to.drop_sign());
    } else {
        to.write(&mut written, reader.square()?, grid);
    }
    to.write(&mut written, reader.square()?, grid);
    written.extend(reader.chars);
    Ok(written)
}

impl Squares {
    const fn drop_sign(self) -> char {
        match self {
            Self::Numbered => '*',
            Self::Lettered { .. } => '@',
        }
    }

    /// Writes a square given by file and rank, both from 0 at the first player's left and home.
    fn write(self, text: &mut String, (file, rank): (usize, usize), grid: Grid) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Numbered => {
                let width = if rank < TENTH { 1 } else { 2 };
                let letter = letter('a', grid.ranks - 1 - rank);
                write!(text, "{:0width$}{letter}", grid.files - file)
            }
            Self::Lettered { lowest } => write!(text, "{}{}", letter('a', file), rank + lowest),
        };
    }
}

fn letter(first: char, number: usize) -> char {
    char::from(first as u8 + number as u8)
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<Chars<'a>>,
    at: usize,
    squares: Squares,
    grid: Grid,
}

impl Reader<'_> {
    /// Reads the man and the sign of a drop, if the move is one.
    fn dropped(&mut self) -> Result<Option<char>, NotationError> {
        let Some(man) = self.chars.next_if(char::is_ascii_uppercase) else {
            return Ok(None);
        };
        self.at += 1;
        let sign = self.squares.drop_sign();
        if self.chars.next_if_eq(&sign).is_none() {
            return Err(self.expected(&format!("`{sign}`")));
        }
        self.at += 1;
        Ok(Some(man))
    }

    fn square(&mut self) -> Result<(usize, usize), NotationError> {
        let Grid { files, ranks } = self.grid;
        match self.squares {
            Squares::Numbered => {
                let padded = self.chars.next_if_eq(&'0').is_some();
                self.at += usize::from(padded);
                let file = self.one_of('1', files, "file")?;
                let rank = self.one_of('a', ranks, "rank")?;
                if padded && ranks - 1 - rank < TENTH {
                    return Err(self.error("a file begins with 0 on the tenth rank only"));
                }
                Ok((files - 1 - file, ranks - 1 - rank))
            }
            Squares::Lettered { lowest } => {
                let file = self.one_of('a', files, "file")?;
                Ok((file, self.number(lowest, ranks)?))
            }
        }
    }

    /// Reads one of `count` characters that begin with `first`.
    fn one_of(&mut self, first: char, count: usize, what: &str) -> Result<usize, NotationError> {
        let last = letter(first, count - 1);
        let Some(found) = self.chars.next_if(|found| (first..=last).contains(found)) else {
            return Err(self.expected(&format!("a {what} from `{first}` to `{last}`")));
        };
        self.at += 1;
        Ok(found as usize - first as usize)
    }

    /// Reads a rank in digits, without leading zeros.
    fn number(&mut self, lowest: usize, ranks: usize) -> Result<usize, NotationError> {
        let highest = ranks - 1 + lowest;
        let mut digits = String::new();
        while let Some(digit) = self.chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits.parse().unwrap_or(usize::MAX);
        let strict = digits.len() == 1 || !digits.starts_with('0');
        if !strict || !(lowest..=highest).contains(&number) {
            return Err(self.expected(&format!("a rank from {lowest} to {highest}")));
        }
        self.at += digits.len();
        Ok(number - lowest)
    }

    fn expected(&self, expected: &str) -> NotationError {
        let problem = match self.text.chars().nth(self.at - 1) {
            Some(found) => format!("`{found}` where {expected} is wanted"),
            None => format!("it ends where {expected} is wanted"),
        };
        self.error(&problem)
    }

    fn error(&self, problem: &str) -> NotationError {
        NotationError::new("move", self.text, self.at, problem)
    }
}
