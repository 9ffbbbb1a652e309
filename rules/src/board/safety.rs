//! Who attacks a square; what gives check; which men are pinned.

use super::bitboard::Bitboard;
use super::grid::Square;
use super::movement::Slide;
use super::position::Board;
use super::ruleset::Ruleset;
use super::slide;
use super::tables::{Tables, leap_slot};
use crate::outcome::Side;
use crate::position::Position as _;

/// Who stands where, which may differ from the board: after a move that is only being thought of, for instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The occupied squares.
    pub(crate) occupied: Bitboard,
    /// The men of the attacking side.
    pub(crate) attackers: Bitboard,
}

impl Setting {
    /// The board as it is, with `by` attacking.
    #[inline]
    pub(crate) fn of<R: Ruleset>(board: &Board<R>, by: Side) -> Self {
        Self {
            occupied: board.occupied(),
            attackers: board.side(by),
        }
    }

    /// The setting after a man of the attacked side has gone from `from` to `to`, where it may have captured.
    #[inline]
    pub(crate) fn after(self, from: Square, to: Square) -> Self {
        let to = Bitboard::of(to);
        Self {
            occupied: self.occupied.without(Bitboard::of(from)) | to,
            attackers: self.attackers.without(to),
        }
    }
}

/// Returns the men that give check to the side to move.
#[inline]
pub(super) fn checkers<R: Ruleset>(board: &Board<R>) -> Bitboard {
    let us = board.side_to_move();
    king_attackers(
        board,
        board.king(us),
        us.other(),
        Setting::of(board, us.other()),
    )
}

/// Returns the men that give check after the side to move, which has not been changed yet, has moved a man of `kind` from `from`, or from its
/// hand, to `to`: the man itself, and a slider behind it.
#[inline]
pub(super) fn new_checkers<R: Ruleset>(
    board: &Board<R>,
    from: Option<Square>,
    (kind, to): (u8, Square),
) -> Bitboard {
    let us = board.side_to_move();
    let king = board.king(us.other());
    if R::ENTANGLED {
        return king_attackers(board, king, us, Setting::of(board, us));
    }
    let tables = R::tables();
    let mut found = Bitboard::EMPTY;
    let movement = R::KINDS[kind as usize].movement as usize;
    if tables.steps[movement][us.index()][to.index()].contains(king)
        || slide_lines(tables, R::MOVEMENTS[movement].slide, us.other(), king).contains(to)
            && !tables.between(king, to).meets(board.occupied())
    {
        found = Bitboard::of(to);
    }
    let Some(from) = from else { return found };
    let ray = tables.through(king, from);
    if ray.is_empty() {
        return found;
    }
    for_each_movement!(M of R {
        if !matches!(R::MOVEMENTS[M].slide, Slide::None) {
            let line = slide_lines(tables, R::MOVEMENTS[M].slide, us.other(), king);
            for slider in board.movers(M, us) & line & ray {
                if !tables.between(king, slider).meets(board.occupied()) {
                    found |= Bitboard::of(slider);
                }
            }
        }
    });
    found
}

/// Returns the men of `by` that attack a king on `king`.
#[inline]
pub(crate) fn king_attackers<R: Ruleset>(
    board: &Board<R>,
    king: Square,
    by: Side,
    setting: Setting,
) -> Bitboard {
    let mut found = attackers(board, king, by, setting);
    if R::KINGS_FACE {
        let other = board.movers(Board::<R>::KING_MOVEMENT, by) & setting.attackers;
        let files = R::tables().rays[0][king.index()] | R::tables().rays[4][king.index()];
        let facing = other & files;
        if !facing.is_empty()
            && !R::tables()
                .between(king, facing.first())
                .meets(setting.occupied)
        {
            found |= facing;
        }
    }
    found
}

/// Returns the men of `by` that could capture on `target`, pins and facing kings left aside.
#[inline]
pub(crate) fn attackers<R: Ruleset>(
    board: &Board<R>,
    target: Square,
    by: Side,
    setting: Setting,
) -> Bitboard {
    let tables = R::tables();
    let mut found = Bitboard::EMPTY;
    let mut sliders = Bitboard::EMPTY;
    for_each_movement!(M of R {
        let movement = &R::MOVEMENTS[M];
        let men = board.set(M);
        if !movement.steps.is_empty() {
            found |= steps_to::<R, M>(by, target) & men;
        }
        sliders |= slide_lines(tables, movement.slide, by.other(), target) & men;
        if !movement.leaps.is_empty() && tables.region[M][by.index()].contains(target) {
            let slot = leap_slot(movement);
            for from in tables.leaps_to[slot][target.index()] & men & setting.attackers {
                if leaps(tables, slot, from, setting.occupied).contains(target) {
                    found |= Bitboard::of(from);
                }
            }
        }
    });
    found &= setting.attackers;
    for from in sliders & setting.attackers {
        if !tables.between(target, from).meets(setting.occupied) {
            found |= Bitboard::of(from);
        }
    }
    found | cannons(board, target, setting)
}

/// Tells whether a man of `by` attacks a king on `king`.
#[inline(always)]
pub(crate) fn is_king_attacked<R: Ruleset>(
    board: &Board<R>,
    king: Square,
    by: Side,
    setting: Setting,
) -> bool {
    if R::ENTANGLED {
        return !king_attackers(board, king, by, setting).is_empty();
    }
    let tables = R::tables();
    let mut found = Bitboard::EMPTY;
    let mut sliders = Bitboard::EMPTY;
    for_each_movement!(M of R {
        let movement = &R::MOVEMENTS[M];
        let men = board.set(M);
        if !movement.steps.is_empty() {
            found |= steps_to::<R, M>(by, king) & men;
        }
        sliders |= slide_lines(tables, movement.slide, by.other(), king) & men;
    });
    if found.meets(setting.attackers) {
        return true;
    }
    (sliders & setting.attackers)
        .into_iter()
        .any(|from| !tables.between(king, from).meets(setting.occupied))
}

/// Returns the squares that the other side attacks, as far as they matter for the steps of `us`'s king from `king`: all around it at least.
///
/// One pass over the men that can be of interest, instead of one for each square.
#[inline(always)]
pub(super) fn danger_around<R: Ruleset>(board: &Board<R>, king: Square, us: Side) -> Bitboard {
    let tables = R::tables();
    let them = us.other();
    // A slide goes on through the square that the king leaves.
    let occupied = board.occupied().without(Bitboard::of(king));
    let mut danger = Bitboard::EMPTY;
    for from in tables.near[us.index()][king.index()] & board.side(them) {
        let movement = board.movement_on(from);
        danger |= tables.steps[movement][them.index()][from.index()];
    }
    let mut orthogonal = Bitboard::EMPTY;
    let mut diagonal = Bitboard::EMPTY;
    for_each_movement!(M of R {
        match R::MOVEMENTS[M].slide {
            Slide::Orthogonal => orthogonal |= board.movers(M, them),
            Slide::Diagonal => diagonal |= board.movers(M, them),
            Slide::Forward => {
                for from in board.movers(M, them) {
                    danger |= slide::forward(tables, them, from, occupied);
                }
            }
            Slide::None | Slide::Cannon => (),
        }
    });
    for from in orthogonal {
        danger |= slide::orthogonal(tables, from, occupied);
    }
    for from in diagonal {
        danger |= slide::diagonal(tables, from, occupied);
    }
    danger
}

/// From where men of movement `M` and side `by` step to `target`.
#[inline(always)]
fn steps_to<R: Ruleset, const M: usize>(by: Side, target: Square) -> Bitboard {
    let tables = R::tables();
    if R::ENTANGLED {
        tables.steps_to[M][by.index()][target.index()]
    } else {
        // Without regions, the way there for one side is the way back for the other: one table instead of two in the cache.
        tables.steps[M][by.other().index()][target.index()]
    }
}

/// The lines on which a slide of the other side's men reaches `target` if nothing stands between; cannons are looked at apart.
#[inline(always)]
fn slide_lines(tables: &Tables, slide: Slide, toward: Side, target: Square) -> Bitboard {
    match slide {
        Slide::None | Slide::Cannon => Bitboard::EMPTY,
        Slide::Forward => tables.rays[4 * toward.index()][target.index()],
        Slide::Diagonal => tables.lines[0][target.index()],
        Slide::Orthogonal => tables.lines[1][target.index()],
    }
}

/// Returns the cannons that attack `target` over exactly one man.
#[inline]
fn cannons<R: Ruleset>(board: &Board<R>, target: Square, setting: Setting) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    for_each_movement!(M of R {
        if matches!(R::MOVEMENTS[M].slide, Slide::Cannon) {
            let tables = R::tables();
            let men = board.set(M) & setting.attackers & tables.lines[1][target.index()];
            for from in men {
                let between = tables.between(target, from) & setting.occupied;
                if !between.is_empty() && !between.has_several() {
                    found |= Bitboard::of(from);
                }
            }
        }
    });
    found
}

/// Where a man of movement `M` attacks or moves, own men included.
#[inline(always)]
pub(super) fn attacks<R: Ruleset, const M: usize>(
    side: Side,
    from: Square,
    occupied: Bitboard,
) -> Bitboard {
    let tables = R::tables();
    let movement = &R::MOVEMENTS[M];
    let mut to = Bitboard::EMPTY;
    if !movement.steps.is_empty() {
        to |= tables.steps[M][side.index()][from.index()];
    }
    if !movement.leaps.is_empty() {
        to |= leaps(tables, leap_slot(movement), from, occupied) & tables.region[M][side.index()];
    }
    to | slide::along(tables, movement.slide, (side, from), occupied)
}

/// Where a man on the board attacks or moves, own men included; its movement is not known beforehand.
pub(crate) fn attacks_of<R: Ruleset>(
    board: &Board<R>,
    movement: usize,
    side: Side,
    from: Square,
) -> Bitboard {
    for_each_movement!(M of R {
        if M == movement {
            return attacks::<R, M>(side, from, board.occupied());
        }
    });
    Bitboard::EMPTY
}

/// Where a man could capture, own men included, were the squares occupied as told; its movement is not known beforehand.
#[inline]
pub(super) fn captures<R: Ruleset>(
    movement: usize,
    side: Side,
    from: Square,
    occupied: Bitboard,
) -> Bitboard {
    for_each_movement!(M of R {
        if M == movement {
            return if matches!(R::MOVEMENTS[M].slide, Slide::Cannon) {
                slide::over(R::tables(), from, occupied)
            } else {
                attacks::<R, M>(side, from, occupied)
            };
        }
    });
    Bitboard::EMPTY
}

/// Returns where a man leaps to from `from`, regions left aside.
#[inline(always)]
pub(super) fn leaps(tables: &Tables, slot: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = Bitboard::EMPTY;
    for (leg, targets) in tables.leaps[slot][from.index()] {
        if !leg.meets(occupied) {
            to |= targets;
        }
    }
    to
}

/// Men of the side to move whose moves may uncover a check, and empty squares on which a man of theirs would be a cannon's screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bonds {
    pub(super) pinned: Bitboard,
    pub(super) screens: Bitboard,
}

/// Finds the pins on `king`, whose side is attacked by `by`.
#[inline(always)]
pub(super) fn bonds<R: Ruleset>(
    board: &Board<R>,
    king: Square,
    by: Side,
    setting: Setting,
) -> Bonds {
    let own = board.side(by.other());
    if R::ENTANGLED {
        return entangled_bonds(board, king, by, setting);
    }
    let tables = R::tables();
    let mut sliders = Bitboard::EMPTY;
    for_each_movement!(M of R {
        sliders |= slide_lines(tables, R::MOVEMENTS[M].slide, by.other(), king) & board.set(M);
    });
    let mut pinned = Bitboard::EMPTY;
    for from in sliders & setting.attackers {
        let between = tables.between(king, from) & setting.occupied;
        if !between.has_several() {
            pinned |= between & own;
        }
    }
    Bonds {
        pinned,
        screens: Bitboard::EMPTY,
    }
}

/// Pins where cannons, horses and facing kings are about. Being pinned only means here that each move must be looked at.
fn entangled_bonds<R: Ruleset>(
    board: &Board<R>,
    king: Square,
    by: Side,
    setting: Setting,
) -> Bonds {
    let tables = R::tables();
    let own = board.side(by.other());
    let mut pinned = Bitboard::EMPTY;
    let mut screens = Bitboard::EMPTY;
    for_each_movement!(M of R {
        let movement = &R::MOVEMENTS[M];
        let men = board.set(M) & setting.attackers;
        let lines = match movement.slide {
            Slide::Orthogonal | Slide::Cannon => tables.lines[1][king.index()],
            _ if M == Board::<R>::KING_MOVEMENT && R::KINGS_FACE => {
                tables.rays[0][king.index()] | tables.rays[4][king.index()]
            }
            _ => Bitboard::EMPTY,
        };
        for from in men & lines {
            let way = tables.between(king, from);
            let between = way & setting.occupied;
            if matches!(movement.slide, Slide::Cannon) {
                if between.is_empty() {
                    screens |= way;
                } else if between.count() <= 2 {
                    pinned |= between & own;
                }
            } else if !between.has_several() {
                pinned |= between & own;
            }
        }
        if !movement.leaps.is_empty() {
            let slot = leap_slot(movement);
            for from in tables.leaps_to[slot][king.index()] & men {
                for (leg, targets) in tables.leaps[slot][from.index()] {
                    if targets.contains(king) {
                        pinned |= leg & own;
                    }
                }
            }
        }
    });
    Bonds { pinned, screens }
}

/// Returns where a man may go to end the check of `checker`: its own square, the way of a slide, the leg of a leap.
#[inline(always)]
pub(super) fn evasions<R: Ruleset>(board: &Board<R>, king: Square, checker: Square) -> Bitboard {
    let tables = R::tables();
    let mut squares = Bitboard::of(checker) | tables.between(king, checker);
    if R::ENTANGLED {
        for_each_movement!(M of R {
            let movement = &R::MOVEMENTS[M];
            if !movement.leaps.is_empty() && board.set(M).contains(checker) {
                for (leg, targets) in tables.leaps[leap_slot(movement)][checker.index()] {
                    if targets.contains(king) {
                        squares |= leg;
                    }
                }
            }
        });
    }
    squares
}
