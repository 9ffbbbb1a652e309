//! Rough judgements of a position, from what the ruleset says that men are worth.

use super::Board;
use crate::board::moves::Move;
use crate::board::ruleset::Ruleset;
use crate::board::{movegen, worth};
use crate::heuristics::Heuristics;
use crate::outcome::Side;
use crate::position::Position as _;

impl<R: Ruleset> Heuristics for Board<R> {
    fn evaluate(&self) -> i32 {
        worth::evaluate(self)
    }

    fn forcing_moves(&self, moves: &mut Vec<Move<R>>) {
        moves.clear();
        movegen::list_forcing(self, moves);
    }

    #[inline]
    fn gain(&self, mv: Move<R>) -> i32 {
        worth::gain(self, mv)
    }

    #[inline]
    fn stake(&self, mv: Move<R>) -> i32 {
        worth::stake(self, mv)
    }

    fn wins_exchange(&self, mv: Move<R>, margin: i32) -> bool {
        worth::wins_exchange(self, mv, margin)
    }

    fn passed(&self) -> Option<Self> {
        if self.in_check() || !R::may_pass(self) {
            return None;
        }
        let mut passed = *self;
        passed.to_move = self.to_move.other();
        let side_key = R::tables().side_key;
        passed.key = if passed.to_move == Side::Second {
            self.key.wrapping_add(side_key)
        } else {
            self.key.wrapping_sub(side_key)
        };
        // No man gives check either way: the side to move is not in check, and the other could not have left itself in check.
        Some(passed)
    }
}
