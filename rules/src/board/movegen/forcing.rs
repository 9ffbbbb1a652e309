//! Captures and promotions alone, out of the same walk that finds every move.

use pulp::NullaryFnOnce;

use super::generate;
use super::sink::{List, Sink, chunk};
use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::position::Position as _;

/// Adds the legal captures and promotions to `moves`.
pub(in crate::board) fn list_forcing<R: Ruleset>(board: &Board<R>, moves: &mut Vec<Move<R>>) {
    pulp::Arch::new().dispatch(ListForcing { board, moves });
}

/// [`list_forcing`], compiled for several generations of processors.
struct ListForcing<'a, R> {
    board: &'a Board<R>,
    moves: &'a mut Vec<Move<R>>,
}

impl<R: Ruleset> NullaryFnOnce for ListForcing<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut chunk = chunk();
        let mut forcing = Forcing {
            list: List::new(self.moves, &mut chunk),
            enemies: self.board.side(self.board.side_to_move().other()),
        };
        generate(self.board, &mut forcing);
        forcing.list.finish();
    }
}

struct Forcing<'a, R> {
    list: List<'a, R>,
    enemies: Bitboard,
}

impl<R: Ruleset> Sink<R> for Forcing<'_, R> {
    const DROPS: bool = false;

    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let captures = plain & self.enemies;
        if !(captures | promoting).is_empty() {
            self.list.steps(from, captures, promoting);
        }
    }

    #[inline(always)]
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let captures = plain & self.enemies;
        if !(captures | promoting).is_empty() {
            self.list.moves(from, captures, promoting);
        }
    }

    #[inline(always)]
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard) {
        self.list.shifted(back, plain & self.enemies, promoting);
    }

    #[inline(always)]
    fn drops(&mut self, _: u8, _: Bitboard) {}
}
