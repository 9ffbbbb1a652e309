//! Reading and writing moves.

use std::fmt::{self, Formatter, Write as _};
use std::iter::Peekable;
use std::str::Chars;

use super::explain::why_illegal;
use super::kind_of;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::notation::{Notation, NotationError};
use crate::position::Position as _;

/// Writes a move in the game's own notation.
pub(in crate::board) fn write_move<R: Ruleset>(mv: Move<R>, f: &mut Formatter<'_>) -> fmt::Result {
    match (mv.from(), mv.dropped()) {
        (Some(from), _) => write_square::<R>(from, f)?,
        (None, kind) => {
            let kind = &R::KINDS[kind.unwrap_or_default() as usize];
            f.write_char(char::from(kind.letter))?;
            f.write_char(drop_sign::<R>())?;
        }
    }
    write_square::<R>(mv.to(), f)?;
    if mv.promotes() {
        f.write_char('+')?;
    }
    Ok(())
}

const fn drop_sign<R: Ruleset>() -> char {
    match R::NOTATION {
        Notation::Sfen => '*',
        Notation::FenWithHands | Notation::Fen => '@',
    }
}

fn write_square<R: Ruleset>(square: Square, f: &mut Formatter<'_>) -> fmt::Result {
    let (file, rank) = (square.file(R::GRID), square.rank(R::GRID));
    match R::NOTATION {
        Notation::Sfen => {
            let letter = char::from(b'a' + (R::GRID.ranks - 1 - rank) as u8);
            write!(f, "{}{letter}", R::GRID.files - file)
        }
        Notation::FenWithHands | Notation::Fen => {
            let letter = char::from(b'a' + file as u8);
            write!(f, "{letter}{}", rank + 1)
        }
    }
}

/// Reads a move, which must be legal.
pub(in crate::board) fn parse_move<R: Ruleset>(
    board: &Board<R>,
    text: &str,
) -> Result<Move<R>, NotationError> {
    let mut reader = Reader {
        text,
        chars: text.chars().peekable(),
        at: 1,
    };
    let mv = reader.read::<R>()?;
    let mut legal = Vec::new();
    board.legal_moves(&mut legal);
    if legal.contains(&mv) {
        return Ok(mv);
    }
    Err(NotationError::new("move", text, 1, why_illegal(board, mv)))
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<Chars<'a>>,
    at: usize,
}

impl Reader<'_> {
    fn read<R: Ruleset>(&mut self) -> Result<Move<R>, NotationError> {
        let drop = R::HAND_KINDS > 0 && self.chars.peek().is_some_and(char::is_ascii_uppercase);
        let mv = if drop {
            let kind = self.dropped_kind::<R>()?;
            Move::drop(kind, self.square::<R>()?)
        } else {
            let from = self.square::<R>()?;
            let to = self.square::<R>()?;
            let promotes = R::HAS_PROMOTION && self.chars.peek() == Some(&'+');
            if promotes {
                self.next();
            }
            if from == to {
                return Err(self.error("the move ends where it starts".to_owned()));
            }
            Move::new(from, to, promotes)
        };
        match self.chars.peek().copied() {
            None => Ok(mv),
            Some(rest) => Err(self.error(format!("`{rest}` after the end of the move"))),
        }
    }

    fn dropped_kind<R: Ruleset>(&mut self) -> Result<u8, NotationError> {
        let letter = self.chars.peek().copied().unwrap_or_default();
        let kind = kind_of::<R>(letter, false).filter(|&kind| usize::from(kind) < R::HAND_KINDS);
        let Some(kind) = kind else {
            return Err(self.error(format!("`{letter}` is no man that can be dropped")));
        };
        self.next();
        let sign = drop_sign::<R>();
        if self.chars.peek() != Some(&sign) {
            return Err(self.expected(&format!("`{sign}`")));
        }
        self.next();
        Ok(kind)
    }

    fn square<R: Ruleset>(&mut self) -> Result<Square, NotationError> {
        let grid = R::GRID;
        if R::NOTATION == Notation::Sfen {
            let file = self.one_of('1', grid.files, "file")?;
            let rank = self.one_of('a', grid.ranks, "rank")?;
            return Ok(Square::at(
                grid,
                grid.files - 1 - file,
                grid.ranks - 1 - rank,
            ));
        }
        let file = self.one_of('a', grid.files, "file")?;
        let rank = self.rank_number(grid.ranks)?;
        Ok(Square::at(grid, file, rank))
    }

    /// Reads one of `count` characters that begin with `first`.
    fn one_of(&mut self, first: char, count: usize, what: &str) -> Result<usize, NotationError> {
        let last = char::from(first as u8 + count as u8 - 1);
        match self.chars.peek().copied() {
            Some(found) if (first..=last).contains(&found) => {
                self.next();
                Ok(found as usize - first as usize)
            }
            _ => Err(self.expected(&format!("a {what} from `{first}` to `{last}`"))),
        }
    }

    /// Reads a rank in digits, as many as make a rank of the board, without leading zeros.
    fn rank_number(&mut self, ranks: usize) -> Result<usize, NotationError> {
        let expected = format!("a rank from 1 to {ranks}");
        let Some(first) = self.chars.peek().and_then(|digit| digit.to_digit(10)) else {
            return Err(self.expected(&expected));
        };
        let mut number = first as usize;
        if number > ranks || number == 0 {
            return Err(self.expected(&expected));
        }
        self.next();
        if let Some(second) = self.chars.peek().and_then(|digit| digit.to_digit(10)) {
            number = number * 10 + second as usize;
            if number > ranks {
                return Err(self.expected(&expected));
            }
            self.next();
        }
        Ok(number - 1)
    }

    fn next(&mut self) {
        self.chars.next();
        self.at += 1;
    }

    fn expected(&mut self, expected: &str) -> NotationError {
        let problem = match self.chars.peek() {
            Some(found) => format!("`{found}` where {expected} is wanted"),
            None => format!("it ends where {expected} is wanted"),
        };
        self.error(problem)
    }

    fn error(&self, problem: String) -> NotationError {
        NotationError::new("move", self.text, self.at, problem)
    }
}
