//! What captures win, at once and after all that can be taken back.

use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::board::safety::{self, Setting};
use crate::outcome::Side;
use crate::position::Position as _;

/// What a man counts that must not be lost.
const KING: i32 = 100_000;

/// Returns what a move wins by capture and promotion.
#[inline]
pub(in crate::board) fn gain<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> i32 {
    let worth = R::worth();
    let captured = board
        .piece(mv.to())
        .map_or(0, |piece| worth.exchange[piece.kind as usize % 16]);
    if !R::HAS_PROMOTION || !mv.promotes() {
        return captured;
    }
    let kind = mover(board, mv);
    captured + worth.promotion[kind as usize % 16]
}

/// Returns what the mover would lose if the man that makes the move were then taken.
#[inline]
pub(in crate::board) fn stake<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> i32 {
    let kind = mover(board, mv);
    if kind == R::KING {
        return 0;
    }
    let kind = match R::KINDS[kind as usize].promoted {
        Some(promoted) if mv.promotes() => promoted,
        _ => kind,
    };
    R::worth().exchange[kind as usize % 16]
}

#[inline]
fn mover<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> u8 {
    match mv.from() {
        Some(from) => board.code_on(from) >> 1,
        None => mv.dropped().unwrap_or_default(),
    }
}

/// Tells whether the best series of captures on the move's target leaves the mover at least `margin` better off. Pins are left aside.
pub(in crate::board) fn wins_exchange<R: Ruleset>(
    board: &Board<R>,
    mv: Move<R>,
    margin: i32,
) -> bool {
    let mut swing = gain(board, mv) - margin;
    if swing < 0 {
        return false;
    }
    swing = stake(board, mv) - swing;
    if swing <= 0 {
        return true;
    }
    let mut fight = Fight::after(board, mv);
    // Whether the mover comes out well if the series ends here.
    let mut well = true;
    loop {
        let attackers = fight.attackers();
        if attackers.is_empty() {
            return well;
        }
        well = !well;
        let (square, value) = fight.least(attackers);
        fight.take_with(square);
        if value == KING {
            // The king may take last only.
            return if fight.attackers().is_empty() {
                well
            } else {
                !well
            };
        }
        swing = value - swing;
        if swing < i32::from(well) {
            return well;
        }
    }
}

/// Captures on one square, in turn.
struct Fight<'a, R> {
    board: &'a Board<R>,
    target: Square,
    occupied: Bitboard,
    men: [Bitboard; 2],
    to_move: Side,
}

impl<'a, R: Ruleset> Fight<'a, R> {
    fn after(board: &'a Board<R>, mv: Move<R>) -> Self {
        let target = mv.to();
        let us = board.side_to_move();
        let from = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
        let gone = from | Bitboard::of(target);
        let mut men = [Side::First, Side::Second].map(|side| board.side(side).without(gone));
        men[us.index()] = men[us.index()].without(from);
        Self {
            board,
            target,
            occupied: board.occupied().without(from) | Bitboard::of(target),
            men,
            to_move: us.other(),
        }
    }

    fn attackers(&self) -> Bitboard {
        let setting = Setting {
            occupied: self.occupied,
            attackers: self.men[self.to_move.index()],
        };
        safety::attackers(self.board, self.target, self.to_move, setting)
    }

    /// Returns the attacker that risks least, and what it risks.
    fn least(&self, attackers: Bitboard) -> (Square, i32) {
        let risk = |square: Square| {
            let kind = self.board.code_on(square) >> 1;
            if kind == R::KING {
                KING
            } else {
                R::worth().exchange[kind as usize % 16]
            }
        };
        let mut least = (attackers.first(), i32::MAX);
        for square in attackers {
            let value = risk(square);
            if value < least.1 {
                least = (square, value);
            }
        }
        least
    }

    fn take_with(&mut self, square: Square) {
        let gone = Bitboard::of(square);
        self.occupied = self.occupied.without(gone);
        self.men[self.to_move.index()] = self.men[self.to_move.index()].without(gone);
        self.to_move = self.to_move.other();
    }
}
