//! The static evaluation: material with hands, placement, mobility and the safety of kings.

use super::{Taper, Worth};
use crate::board::bitboard::Bitboard;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::board::safety;
use crate::heuristics::Heuristics;
use crate::outcome::Side;
use crate::position::Position as _;

/// Estimates the value for the side to move. A position turned by 180 degrees with its colours swapped has the same.
pub(in crate::board) fn evaluate<R: Ruleset>(board: &Board<R>) -> i32 {
    let worth = R::worth();
    let us = board.side_to_move();
    let own = Survey::of(board, worth, us);
    let other = Survey::of(board, worth, us.other());
    let balance = own.value.plus(other.value, -1);
    let men = (board.occupied().count() as i32).min(worth.men);
    let tapered = (balance.full * men + balance.bare * (worth.men - men)) / worth.men;
    let safety = other.danger(board, worth, &own) - own.danger(board, worth, &other);
    let most = Board::<R>::GREATEST;
    (tapered + safety + worth.tempo).clamp(-most, most)
}

/// What one side has.
struct Survey {
    side: Side,
    value: Taper,
    /// The squares next to its king, and the king's.
    ring: Bitboard,
    /// What its men other than the king attack or guard.
    guarded: Bitboard,
    /// Its threats to the other king.
    pressure: i32,
    /// The kinds in its hand.
    kinds_in_hand: i32,
}

impl Survey {
    #[inline]
    fn of<R: Ruleset>(board: &Board<R>, worth: &Worth, side: Side) -> Self {
        let occupied = board.occupied();
        let own = board.side(side);
        let target = ring(board, side.other());
        let mut survey = Self {
            side,
            value: Taper::ZERO,
            ring: ring(board, side),
            guarded: Bitboard::EMPTY,
            pressure: 0,
            kinds_in_hand: 0,
        };
        for_each_movement!(M of R {
            let movement = &worth.movements[M];
            for square in board.movers(M, side) {
                let code = board.code_on(square);
                let attacks = safety::attacks::<R, M>(side, square, occupied);
                survey.value = survey
                    .value
                    .plus(worth.placement[code as usize % 32][square.index()], 1)
                    .plus(movement.mobility, attacks.without(own).count() as i32);
                if M != Board::<R>::KING_MOVEMENT {
                    survey.guarded |= attacks;
                    survey.pressure += movement.pressure * (attacks & target).count() as i32;
                }
            }
        });
        let hand = board.hand(side);
        if !hand.is_empty() {
            for kind in 0..R::HAND_KINDS {
                let count = hand.count(kind) as i32;
                survey.value = survey.value.plus(worth.hand[kind % 8], count);
                survey.kinds_in_hand += i32::from(count > 0);
            }
        }
        survey
    }

    /// Returns what the danger to the king of this side costs it.
    #[inline]
    fn danger<R: Ruleset>(&self, board: &Board<R>, worth: &Worth, by: &Self) -> i32 {
        let king = &worth.king;
        let ring = self.ring.without(Bitboard::of(board.king(self.side)));
        let unguarded = ring.without(self.guarded);
        let weak = (unguarded & by.guarded).count() as i32;
        let holes = unguarded.without(board.occupied()).count() as i32;
        let escapes = ring.without(board.side(self.side) | by.guarded).count() as i32;
        let units = by.pressure + king.weak * weak + king.hole * holes * by.kinds_in_hand
            - king.escape * escapes;
        let units = units.max(0);
        (units * units / king.divisor).min(king.most)
    }
}

#[inline]
fn ring<R: Ruleset>(board: &Board<R>, side: Side) -> Bitboard {
    let king = board.king(side);
    R::tables().steps[Board::<R>::KING_MOVEMENT][side.index()][king.index()] | Bitboard::of(king)
}
