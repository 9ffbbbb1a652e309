//! Texts of positions and moves: SFEN and USI, FEN and UCI.

mod explain;
mod moves;
mod position;
mod write;

pub(crate) use self::explain::why_illegal;
pub(super) use self::moves::{parse_move, write_move};
pub(super) use self::position::parse_position;
pub(super) use self::write::write_position;

use super::ruleset::Ruleset;
use crate::notation::Notation;

/// Returns the kind with a letter, promoted or not.
fn kind_of<R: Ruleset>(letter: char, promoted: bool) -> Option<u8> {
    let letter = u8::try_from(letter.to_ascii_uppercase()).ok()?;
    let base = R::KINDS.iter().position(|kind| kind.letter == letter)? as u8;
    if promoted {
        R::KINDS[base as usize].promoted
    } else {
        Some(base)
    }
}

/// Returns the letters of the unpromoted kinds, for messages.
fn letters<R: Ruleset>() -> String {
    R::KINDS
        .iter()
        .enumerate()
        .filter(|(number, kind)| usize::from(kind.base) == *number)
        .map(|(_, kind)| char::from(kind.letter))
        .collect()
}

/// Returns the names of the files from the first player's left, and of the ranks from the far side.
pub(super) fn square_names<R: Ruleset>() -> (Vec<String>, Vec<String>) {
    let (files, ranks) = (R::GRID.files, R::GRID.ranks);
    let letters = |count: usize| {
        (b'a'..)
            .take(count)
            .map(|letter| char::from(letter).to_string())
    };
    let numbers = |count: usize| (1..=count).rev().map(|number| number.to_string());
    match R::NOTATION {
        Notation::Sfen => (numbers(files).collect(), letters(ranks).collect()),
        Notation::FenWithHands | Notation::Fen => {
            (letters(files).collect(), numbers(ranks).collect())
        }
    }
}
