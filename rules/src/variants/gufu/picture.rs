//! Pictures of positions: the shared pieces belong to nobody, and every piece shows where it faces.

use super::moves::{Move, MoveKind};
use super::piece::{Facing, Piece, Square};
use super::position::Position;
use crate::diagram::{Arrow, Cell, Diagram, Held, Man, Place, Step};
use crate::outcome::Side;
use crate::position::Position as _;

const RANKS: [&str; 3] = ["a", "b", "c"];
const FILES: [&str; 2] = ["2", "1"];

/// Returns a position as a picture.
pub(super) fn diagram(position: &Position) -> Diagram {
    let on = |square: Square| {
        Piece::ALL.into_iter().find_map(|piece| {
            let (at, facing) = position.place(piece)?;
            (at == square).then(|| man(piece, Some(facing)))
        })
    };
    let cell = |square| Cell {
        man: on(square),
        marked: false,
    };
    let squares: Vec<Square> = Square::all().collect();
    let in_hand = Piece::ALL
        .into_iter()
        .filter(|&piece| position.place(piece).is_none());
    Diagram {
        files: FILES.map(str::to_owned).into(),
        ranks: RANKS.map(str::to_owned).into(),
        rows: squares
            .chunks(FILES.len())
            .map(|row| row.iter().copied().map(cell).collect())
            .collect(),
        hands: vec![Held {
            owner: None,
            men: in_hand.map(|piece| (man(piece, None), 1)).collect(),
        }],
    }
}

/// Returns what a legal move does.
pub(super) fn step(position: &Position, mv: Move) -> Step {
    let piece = mv.actor.piece(position.side_to_move());
    let before = position.place(piece);
    Step {
        man: man(piece, before.map(|(_, facing)| facing)),
        from: before
            .filter(|_| mv.kind != MoveKind::Drop)
            .map(|(square, _)| place(square)),
        to: place(mv.to),
    }
}

fn man(piece: Piece, facing: Option<Facing>) -> Man {
    let (kanji, word, owner) = match piece {
        Piece::FirstKing => ('玉', "KING", Some(Side::First)),
        Piece::SecondKing => ('玉', "KING", Some(Side::Second)),
        Piece::Kaze => ('風', "KAZE", None),
        Piece::Arashi => ('嵐', "ARASHI", None),
    };
    Man {
        letters: piece.letter().to_string(),
        kanji,
        word: word.to_owned(),
        owner,
        arrow: facing.map(|facing| match facing {
            Facing::North => Arrow::Up,
            Facing::East => Arrow::Right,
            Facing::South => Arrow::Down,
            Facing::West => Arrow::Left,
        }),
    }
}

const fn place(square: Square) -> Place {
    Place {
        row: square.index() / FILES.len(),
        column: square.index() % FILES.len(),
    }
}
