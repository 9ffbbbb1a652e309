//! Pictures of positions.

use super::grid::Square;
use super::moves::Move;
use super::piece::Piece;
use super::position::Board;
use super::ruleset::Ruleset;
use super::text;
use crate::diagram::{Cell, Diagram, Held, Man, Place, Step};
use crate::outcome::Side;
use crate::position::Position as _;

/// Returns a position as a picture.
pub(super) fn diagram<R: Ruleset>(board: &Board<R>) -> Diagram {
    let (files, ranks) = text::square_names::<R>();
    let cell = |file, rank| Cell {
        man: board.piece(Square::at(R::GRID, file, rank)).map(man::<R>),
        marked: false,
    };
    let row = |rank| (0..R::GRID.files).map(|file| cell(file, rank)).collect();
    let hands = [Side::First, Side::Second];
    Diagram {
        files,
        ranks,
        rows: (0..R::GRID.ranks).rev().map(row).collect(),
        hands: if R::HAND_KINDS == 0 {
            Vec::new()
        } else {
            hands.map(|side| held(board, side)).into()
        },
    }
}

/// Returns what a legal move does.
pub(super) fn step<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> Step {
    let side = board.side_to_move();
    let kind = match mv.from() {
        Some(from) => board.piece(from).map(|piece| piece.kind),
        None => mv.dropped(),
    };
    Step {
        man: man::<R>(Piece {
            kind: kind.unwrap_or_default(),
            side,
        }),
        from: mv.from().map(place::<R>),
        to: place::<R>(mv.to()),
    }
}

fn held<R: Ruleset>(board: &Board<R>, side: Side) -> Held {
    let kinds = R::HAND_ORDER.iter().map(|&kind| {
        let count = board.hand(side).count(usize::from(kind)) as usize;
        (man::<R>(Piece { kind, side }), count)
    });
    Held {
        owner: Some(side),
        men: kinds.filter(|(_, count)| *count > 0).collect(),
    }
}

fn man<R: Ruleset>(piece: Piece) -> Man {
    let kind = &R::KINDS[usize::from(piece.kind)];
    let names = &R::NAMES[usize::from(piece.kind)];
    let letter = char::from(kind.letter);
    let letter = match piece.side {
        Side::First => letter,
        Side::Second => letter.to_ascii_lowercase(),
    };
    let promoted = if kind.base == piece.kind { "" } else { "+" };
    Man {
        letters: format!("{promoted}{letter}"),
        kanji: names.kanji[piece.side.index()],
        word: names.word[piece.side.index()].to_owned(),
        owner: Some(piece.side),
        arrow: None,
    }
}

fn place<R: Ruleset>(square: Square) -> Place {
    Place {
        row: R::GRID.ranks - 1 - square.rank(R::GRID),
        column: square.file(R::GRID),
    }
}
