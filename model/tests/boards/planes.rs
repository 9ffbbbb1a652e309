//! Planes read back.

use std::collections::BTreeMap;

use model::{BoardEncoder, Encoder};
use rules::board::{Board, Piece, Square};
use rules::{Position, Side, VariantId};

use crate::games::{GridGame, planes, vectors};

/// The men that a game has of each kind that can be in hand, in the order of its kinds.
pub(crate) fn sets<R: GridGame>() -> &'static [f32] {
    match R::ID {
        VariantId::Showgit => &[18.0, 4.0, 4.0, 4.0, 4.0, 2.0, 2.0],
        VariantId::EuroShogi => &[16.0, 4.0, 4.0, 4.0, 2.0],
        _ => &[],
    }
}

/// Who stands where, what is in the hands of the first and the second player, whose turn it is.
type Decoded = (BTreeMap<Square, Piece>, [Vec<u32>; 2], Side);

/// Reads planes back, by nothing but the documented table.
fn decode<R: GridGame>(planes: &[f32]) -> Decoded {
    let squares = R::GRID.squares();
    let planes: Vec<&[f32]> = planes.chunks_exact(squares).collect();
    let constant = |plane: usize| {
        let value = planes[plane][0];
        assert!(planes[plane].iter().all(|other| *other == value));
        value
    };
    assert_eq!(constant(planes.len() - 1), 1.0);
    let mover = if constant(planes.len() - 2) == 1.0 {
        Side::Second
    } else {
        Side::First
    };
    let (kinds, mut men) = (R::KINDS.len(), BTreeMap::new());
    for (plane, values) in planes[..2 * kinds].iter().enumerate() {
        let side = if plane < kinds { mover } else { mover.other() };
        let kind = (plane % kinds) as u8;
        for (square, value) in values.iter().enumerate() {
            assert!(*value == 0.0 || *value == 1.0);
            if *value == 1.0 {
                let square = Square::new(square as u8);
                let square = if mover == Side::Second {
                    square.rotated(R::GRID)
                } else {
                    square
                };
                assert_eq!(men.insert(square, Piece { kind, side }), None);
            }
        }
    }
    let mut hands = [Vec::new(), Vec::new()];
    for (i, side) in [mover, mover.other()].into_iter().enumerate() {
        for (kind, set) in sets::<R>().iter().enumerate() {
            let plane = 2 * kinds + 2 * (i * sets::<R>().len() + kind);
            let (any, count) = (constant(plane), constant(plane + 1) * set);
            assert!((count - count.round()).abs() < 1e-4);
            assert_eq!(any, if count > 0.5 { 1.0 } else { 0.0 });
            hands[side.index()].push(count.round() as u32);
        }
    }
    (men, hands, mover)
}

fn position<R: GridGame>(board: &Board<R>) -> Decoded {
    let man = |square| board.piece(square).map(|piece| (square, piece));
    let hand = |side| {
        (0..R::HAND_KINDS)
            .map(|kind| board.hand(side).count(kind))
            .collect()
    };
    (
        (0..R::GRID.squares() as u8)
            .filter_map(|square| man(Square::new(square)))
            .collect(),
        [hand(Side::First), hand(Side::Second)],
        board.side_to_move(),
    )
}

fn decodes<R: GridGame>() {
    let encoder = BoardEncoder::<R>::new();
    let squares = R::GRID.squares();
    let mut checks = 0;
    for game in vectors::<R>() {
        let board = game.position();
        let planes = planes(&encoder, &game);
        assert_eq!(decode::<R>(&planes), position(board), "{board}");
        let in_check = f32::from(u8::from(board.in_check()));
        let plane = encoder.shape().planes - 3;
        assert!(
            planes[plane * squares..(plane + 1) * squares]
                .iter()
                .all(|value| *value == in_check)
        );
        checks += u32::from(board.in_check());
    }
    assert!(checks > 10);
}

mod planes_decode_to_the_position {
    use super::decodes;
    crate::for_each_game!(decodes);
}
