//! Captures and promotions alone, out of the same walk that finds every move.

use super::{List, Sink, generate};
use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::position::Position as _;

/// Adds the legal captures and promotions to `moves`.
pub(in crate::board) fn list_forcing<R: Ruleset>(board: &Board<R>, moves: &mut Vec<Move<R>>) {
    let drops = (Bitboard::EMPTY, 0);
    let mut forcing = Forcing {
        list: List { moves, drops },
        enemies: board.side(board.side_to_move().other()),
    };
    generate(board, &mut forcing);
}

struct Forcing<'a, R> {
    list: List<'a, R>,
    enemies: Bitboard,
}

impl<R: Ruleset> Sink<R> for Forcing<'_, R> {
    const DROPS: bool = false;

    #[inline]
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let captures = plain & self.enemies;
        if !(captures | promoting).is_empty() {
            self.list.moves(from, captures, promoting);
        }
    }

    #[inline]
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard) {
        self.list.shifted(back, plain & self.enemies, promoting);
    }

    #[inline]
    fn drops(&mut self, _: u8, _: Bitboard) {}
}
