//! What the moves of one position threaten and risk, found without playing them.

use super::bitboard::Bitboard;
use super::grid::Square;
use super::movement::Slide;
use super::moves::Move;
use super::position::Board;
use super::ruleset::Ruleset;
use super::tables::{MAX_MOVEMENTS, Tables, leap_slot};
use super::{safety, slide, worth};
use crate::outcome::Side;
use crate::position::Position as _;

/// What has to be known of a position to tell of any number of its legal moves whether they give check or lose material.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a, R: Ruleset> {
    checks: Checks<'a, R>,
    /// Where the other side could capture a man.
    hit: Bitboard,
}

/// What has to be known of a position to tell of any number of its legal moves whether they give check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks<'a, R: Ruleset> {
    board: &'a Board<R>,
    /// The square of the other side's king.
    king: Square,
    /// By movement: where a man that moves so would give check.
    direct: [Bitboard; MAX_MOVEMENTS],
    /// Own men behind which a slide of their own side waits for the king; none where men are entangled.
    shields: Bitboard,
    /// Where men are entangled: squares that others' attacks on the king may depend on.
    tangle: Bitboard,
}

impl<'a, R: Ruleset> Outlook<'a, R> {
    /// Looks at a position. The mover must not attack the other king, as in every legal position.
    pub fn new(board: &'a Board<R>) -> Self {
        Self::with_attacks(board, board.attacked_by(board.side_to_move().other()))
    }

    /// Looks at a position of which it is known where the other side attacks, as [`Board::attacked_by`] says.
    pub fn with_attacks(board: &'a Board<R>, hit: Bitboard) -> Self {
        Self {
            checks: Checks::new(board),
            hit,
        }
    }

    /// Tells whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, mv: Move<R>) -> bool {
        self.checks.gives_check(mv)
    }

    /// Returns the other side's men that the man which makes a legal move attacks after it, its king left aside.
    #[inline]
    pub fn attacks(&self, mv: Move<R>) -> Bitboard {
        let board = self.checks.board;
        let us = board.side_to_move();
        let left = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
        let to = Bitboard::of(mv.to());
        let occupied = board.occupied().without(left) | to;
        let targets = board
            .side(us.other())
            .without(to | Bitboard::of(self.checks.king));
        safety::captures::<R>(movement_after(board, mv), us, mv.to(), occupied) & targets
    }

    /// Tells whether a legal move loses material by the best series of captures on its target, as
    /// [`wins_exchange`](crate::Heuristics::wins_exchange) with a margin of 0 sees it.
    #[inline]
    pub fn loses_material(&self, mv: Move<R>) -> bool {
        let board = self.checks.board;
        let seen = |square: Square| self.hit.contains(square);
        // Nobody takes where nobody can, and a man that no slide meets opens no way by leaving.
        if !R::ENTANGLED && !seen(mv.to()) && !mv.from().is_some_and(seen) {
            return worth::gain(board, mv) < 0;
        }
        !worth::wins_exchange(board, mv, 0)
    }
}

impl<'a, R: Ruleset> Checks<'a, R> {
    pub(super) fn new(board: &'a Board<R>) -> Self {
        let us = board.side_to_move();
        let king = board.king(us.other());
        let mut checks = Self {
            board,
            king,
            direct: direct(board, us, king),
            shields: Bitboard::EMPTY,
            tangle: Bitboard::EMPTY,
        };
        if R::ENTANGLED {
            checks.tangle = tangle::<R>(R::tables(), king);
        } else {
            checks.shields = shields(board, us, king);
        }
        checks
    }

    #[inline]
    pub(super) fn gives_check(&self, mv: Move<R>) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let touches = |square: Square| self.tangle.contains(square);
        if R::ENTANGLED && (touches(to) || from.is_some_and(touches)) {
            let mut next = *self.board;
            next.play_move(mv);
            return next.in_check();
        }
        if self.direct[movement_after(self.board, mv) % MAX_MOVEMENTS].contains(to) {
            return true;
        }
        // A man that leaves its line uncovers what is behind it.
        from.is_some_and(|from| {
            self.shields.contains(from) && !R::tables().through(self.king, from).contains(to)
        })
    }
}

/// Returns how the man that makes a move moves after it.
#[inline]
fn movement_after<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> usize {
    let kind = match mv.from() {
        Some(from) => board.code_on(from) >> 1,
        None => mv.dropped().unwrap_or_default(),
    };
    let kind = R::KINDS[usize::from(kind) % R::KINDS.len()];
    let movement = match kind.promoted {
        Some(promoted) if mv.promotes() => R::KINDS[usize::from(promoted)].movement,
        _ => kind.movement,
    };
    usize::from(movement)
}

/// Finds, by movement, the squares from which a man of `us` attacks `king` as the men stand.
fn direct<R: Ruleset>(board: &Board<R>, us: Side, king: Square) -> [Bitboard; MAX_MOVEMENTS] {
    let (tables, occupied) = (R::tables(), board.occupied());
    let mut direct = [Bitboard::EMPTY; MAX_MOVEMENTS];
    for_each_movement!(M of R {
        let movement = &R::MOVEMENTS[M];
        let mut squares = tables.steps_to[M][us.index()][king.index()];
        squares |= match movement.slide {
            Slide::Cannon => slide::over(tables, king, occupied),
            // What `us` reaches straight ahead, it reaches from where the other side would go.
            slide => slide::along(tables, slide, (us.other(), king), occupied),
        };
        if !movement.leaps.is_empty() && tables.region[M][us.index()].contains(king) {
            let slot = leap_slot(movement);
            for from in tables.leaps_to[slot][king.index()] {
                if safety::leaps(tables, slot, from, occupied).contains(king) {
                    squares |= Bitboard::of(from);
                }
            }
        }
        direct[M] = squares;
    });
    direct
}

/// Finds the men of `us` that alone stand between a slide of their own side and `king`.
fn shields<R: Ruleset>(board: &Board<R>, us: Side, king: Square) -> Bitboard {
    let tables = R::tables();
    let mut shields = Bitboard::EMPTY;
    for_each_movement!(M of R {
        let lines = match R::MOVEMENTS[M].slide {
            Slide::None | Slide::Cannon => Bitboard::EMPTY,
            Slide::Forward => tables.rays[4 * us.other().index()][king.index()],
            Slide::Diagonal => tables.lines[0][king.index()],
            Slide::Orthogonal => tables.lines[1][king.index()],
        };
        for slider in board.movers(M, us) & lines {
            let between = tables.between(king, slider) & board.occupied();
            if !between.has_several() {
                shields |= between & board.side(us);
            }
        }
    });
    shields
}

/// The lines of a king, on which men are screens, and the legs of leaps to it.
fn tangle<R: Ruleset>(tables: &Tables, king: Square) -> Bitboard {
    let mut squares = tables.lines[1][king.index()];
    for_each_movement!(M of R {
        if !R::MOVEMENTS[M].leaps.is_empty() {
            let slot = leap_slot(&R::MOVEMENTS[M]);
            for from in tables.leaps_to[slot][king.index()] {
                for (leg, targets) in tables.leaps[slot][from.index()] {
                    if targets.contains(king) {
                        squares |= leg;
                    }
                }
            }
        }
    });
    squares
}
