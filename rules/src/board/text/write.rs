//! Writing positions.

use std::fmt::{Formatter, Result, Write as _};

use crate::board::grid::Square;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::notation::Notation;
use crate::outcome::Side;
use crate::position::Position as _;

/// Writes a position in the game's own notation.
pub(in crate::board) fn write_position<R: Ruleset>(
    board: &Board<R>,
    f: &mut Formatter<'_>,
) -> Result {
    write_men(board, f)?;
    let first = board.side_to_move() == Side::First;
    match R::NOTATION {
        Notation::Sfen => {
            f.write_str(if first { " b " } else { " w " })?;
            write_sfen_hands(board, f)?;
            write!(f, " {}", board.number())
        }
        Notation::FenWithHands | Notation::Fen => {
            if R::NOTATION == Notation::FenWithHands {
                write_bracket_hands(board, f)?;
            }
            let side = if first { 'w' } else { 'b' };
            write!(f, " {side} - - {} {}", board.quiet_plies(), board.number())
        }
    }
}

fn write_men<R: Ruleset>(board: &Board<R>, f: &mut Formatter<'_>) -> Result {
    for rank in (0..R::GRID.ranks).rev() {
        let mut empty = 0;
        for file in 0..R::GRID.files {
            let Some(piece) = board.piece(Square::at(R::GRID, file, rank)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(f, "{empty}")?;
                empty = 0;
            }
            let kind = &R::KINDS[piece.kind as usize];
            if kind.base != piece.kind {
                f.write_char('+')?;
            }
            write_letter(kind.letter, piece.side, f)?;
        }
        if empty > 0 {
            write!(f, "{empty}")?;
        }
        if rank > 0 {
            f.write_char('/')?;
        }
    }
    Ok(())
}

fn write_letter(letter: u8, side: Side, f: &mut Formatter<'_>) -> Result {
    let letter = char::from(letter);
    f.write_char(match side {
        Side::First => letter,
        Side::Second => letter.to_ascii_lowercase(),
    })
}

fn write_sfen_hands<R: Ruleset>(board: &Board<R>, f: &mut Formatter<'_>) -> Result {
    if board.hand(Side::First).is_empty() && board.hand(Side::Second).is_empty() {
        return f.write_char('-');
    }
    for side in [Side::First, Side::Second] {
        for &kind in R::HAND_ORDER {
            let count = board.hand(side).count(kind as usize);
            if count > 1 {
                write!(f, "{count}")?;
            }
            if count > 0 {
                write_letter(R::KINDS[kind as usize].letter, side, f)?;
            }
        }
    }
    Ok(())
}

fn write_bracket_hands<R: Ruleset>(board: &Board<R>, f: &mut Formatter<'_>) -> Result {
    f.write_char('[')?;
    for side in [Side::First, Side::Second] {
        for &kind in R::HAND_ORDER {
            for _ in 0..board.hand(side).count(kind as usize) {
                write_letter(R::KINDS[kind as usize].letter, side, f)?;
            }
        }
    }
    f.write_char(']')
}
