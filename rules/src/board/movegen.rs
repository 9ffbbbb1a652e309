//! Legal moves from pins and checkers: nothing is played and taken back.
//!
//! One walk over the men serves lists and counts alike; where the moves go is a [`Sink`]'s business.

mod forcing;
mod sink;

use pulp::NullaryFnOnce;

pub(super) use self::forcing::list_forcing;
use self::sink::{Bundles, Count, List, Pick, Sink, chunk};
use super::bitboard::Bitboard;
use super::grid::Square;
use super::movement::Slide;
use super::moves::Move;
use super::position::Board;
use super::ruleset::{Promotion, Ruleset};
use super::safety::{self, Setting, is_king_attacked};
use crate::outcome::Side;
use crate::position::Position as _;

/// Adds the legal moves to `moves`.
pub(super) fn list<R: Ruleset>(board: &Board<R>, moves: &mut Vec<Move<R>>) {
    pulp::Arch::new().dispatch(ListAll { board, moves });
}

/// Counts the legal moves.
pub(super) fn count<R: Ruleset>(board: &Board<R>) -> usize {
    pulp::Arch::new().dispatch(CountAll { board })
}

/// Returns the legal move that `pick` chooses by its place in the list, given how many there are; `None` if there are none.
pub(super) fn pick<R: Ruleset>(
    board: &Board<R>,
    buffer: &mut Vec<Move<R>>,
    pick: impl FnOnce(usize) -> usize,
) -> Option<Move<R>> {
    if board.side(board.side_to_move()).count() > Bundles::<R>::MEN {
        buffer.clear();
        list(board, buffer);
        return (!buffer.is_empty()).then(|| buffer[pick(buffer.len())]);
    }
    pulp::Arch::new().dispatch(PickOne { board, pick })
}

/// Tells whether a move is legal. Slow: for checks and texts.
pub(super) fn is_legal<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> bool {
    let mut moves = Vec::new();
    list(board, &mut moves);
    moves.contains(&mv)
}

/// [`list`], compiled for several generations of processors, the best of which is called: counting bits and finding the next one are single
/// instructions on all of them but the first.
struct ListAll<'a, R> {
    board: &'a Board<R>,
    moves: &'a mut Vec<Move<R>>,
}

impl<R: Ruleset> NullaryFnOnce for ListAll<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut chunk = chunk();
        let mut list = List::new(self.moves, &mut chunk);
        generate(self.board, &mut list);
        list.finish();
    }
}

/// [`count`], likewise.
struct CountAll<'a, R> {
    board: &'a Board<R>,
}

impl<R: Ruleset> NullaryFnOnce for CountAll<'_, R> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let mut count = Count(0);
        generate(self.board, &mut count);
        count.0 as usize
    }
}

/// [`pick`], likewise.
struct PickOne<'a, R, F> {
    board: &'a Board<R>,
    pick: F,
}

impl<R: Ruleset, F: FnOnce(usize) -> usize> NullaryFnOnce for PickOne<'_, R, F> {
    type Output = Option<Move<R>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut bundles = Bundles::new();
        let mut moves = Pick::new(&mut bundles);
        generate(self.board, &mut moves);
        moves.pick(self.pick)
    }
}

/// What generation needs to know of the turn.
struct Turn<'a, R> {
    board: &'a Board<R>,
    us: Side,
    king: Square,
    occupied: Bitboard,
    own: Bitboard,
    /// The setting of the other side's attacks.
    danger: Setting,
    /// Where men other than the king may go, own men apart.
    open: Bitboard,
    pinned: Bitboard,
    /// Whether every move must be looked at: only where checks are entangled.
    verify: bool,
}

#[inline(always)]
fn generate<R: Ruleset, S: Sink<R>>(board: &Board<R>, sink: &mut S) {
    let us = board.side_to_move();
    let king = board.king(us);
    let danger = Setting::of(board, us.other());
    let own = board.side(us);
    let checkers = board.checkers();
    let mut turn = Turn {
        board,
        us,
        king,
        occupied: danger.occupied,
        own,
        danger,
        open: R::tables().all.without(own),
        pinned: Bitboard::EMPTY,
        verify: false,
    };
    turn.king_moves(sink);
    if R::ENTANGLED || !checkers.has_several() {
        let bonds = safety::bonds(board, king, us.other(), danger);
        turn.pinned = bonds.pinned;
        if checkers.is_empty() {
            turn.open = turn.open.without(bonds.screens);
        } else if !checkers.has_several() {
            turn.open &= safety::evasions(board, king, checkers.first());
        }
        turn.verify = R::ENTANGLED && !checkers.is_empty();
        for_each_movement!(M of R {
            if M != Board::<R>::KING_MOVEMENT {
                turn.men::<S, M>(sink);
            }
        });
        turn.drops(sink);
    }
}

impl<R: Ruleset> Turn<'_, R> {
    #[inline(always)]
    fn king_moves<S: Sink<R>>(&self, sink: &mut S) {
        let steps = R::tables().steps[Board::<R>::KING_MOVEMENT][self.us.index()];
        let targets = steps[self.king.index()].without(self.own);
        let mut to = targets;
        if R::ENTANGLED {
            for target in targets {
                let after = self.danger.after(self.king, target);
                if is_king_attacked(self.board, target, self.us.other(), after) {
                    to = to.without(Bitboard::of(target));
                }
            }
        } else if !targets.is_empty() {
            to = targets.without(safety::danger_around(self.board, self.king, self.us));
        }
        sink.steps(self.king, to, Bitboard::EMPTY);
    }

    /// The moves of all men of movement `M`.
    #[inline(always)]
    fn men<S: Sink<R>, const M: usize>(&self, sink: &mut S) {
        let mut men = self.board.movers(M, self.us);
        if const { R::MOVEMENTS[M % R::MOVEMENTS.len()].is_pawn_like() } {
            self.pawns::<S, M>(men.without(self.pinned), sink);
            men &= self.pinned;
        }
        for from in men.without(self.pinned) {
            let attacks = safety::attacks::<R, M>(self.us, from, self.occupied);
            let to = if R::ENTANGLED && self.verify {
                self.verified(from, attacks & self.open)
            } else {
                attacks & self.open
            };
            self.emit::<S, M>(from, to, sink);
        }
        // Nearly always nothing, and only the targets are found out of line: the sink stays in registers.
        for from in men & self.pinned {
            let to = self.pinned_targets::<M>(from);
            self.emit::<S, M>(from, to, sink);
        }
    }

    /// Where a pinned man of movement `M` may go: along the line, or where checks are entangled, wherever that leaves the king safe.
    #[inline(never)]
    fn pinned_targets<const M: usize>(&self, from: Square) -> Bitboard {
        let attacks = safety::attacks::<R, M>(self.us, from, self.occupied);
        if R::ENTANGLED {
            // It may be the screen or the leg itself, and end a check by going anywhere.
            self.verified(from, attacks.without(self.own))
        } else {
            attacks & self.open & R::tables().through(self.king, from)
        }
    }

    /// Steps all of them ahead at once.
    #[inline(always)]
    fn pawns<S: Sink<R>, const M: usize>(&self, men: Bitboard, sink: &mut S) {
        let tables = R::tables();
        let side = self.us.index();
        let files = R::GRID.files as i8;
        let ahead = [files, -files][side];
        let to = men.shifted(ahead) & self.open;
        let zone = tables.zone[side];
        let promoting = to & zone;
        let mut plain = to.without(zone);
        if R::PROMOTION == Promotion::Optional {
            plain |= promoting.without(tables.dead[M][side]);
        } else if self.board.free_promotion() {
            plain |= (promoting & zone.shifted(ahead)).without(tables.dead[M][side]);
        }
        sink.shifted(-ahead, plain, promoting);
    }

    #[inline(always)]
    fn emit<S: Sink<R>, const M: usize>(&self, from: Square, to: Bitboard, sink: &mut S) {
        let (mut plain, mut promoting) = (to, Bitboard::EMPTY);
        if R::MOVEMENTS[M].promotes {
            let tables = R::tables();
            let side = self.us.index();
            promoting = to & tables.promoting[side][from.index()];
            plain = if R::PROMOTION == Promotion::Optional
                || self.board.free_promotion() && tables.zone[side].contains(from)
            {
                to.without(tables.dead[M][side])
            } else {
                to.without(promoting)
            };
        }
        if matches!(R::MOVEMENTS[M].slide, Slide::None) {
            sink.steps(from, plain, promoting);
        } else {
            sink.moves(from, plain, promoting);
        }
    }

    /// Keeps the moves after which the king is not attacked.
    fn verified(&self, from: Square, targets: Bitboard) -> Bitboard {
        let mut to = Bitboard::EMPTY;
        for target in targets {
            let after = self.danger.after(from, target);
            if !is_king_attacked(self.board, self.king, self.us.other(), after) {
                to |= Bitboard::of(target);
            }
        }
        to
    }

    #[inline(always)]
    fn drops<S: Sink<R>>(&self, sink: &mut S) {
        let hand = self.board.hand(self.us);
        if !S::DROPS || R::HAND_KINDS == 0 || hand.is_empty() {
            return;
        }
        let tables = R::tables();
        let empty = self.open.without(self.occupied);
        if empty.is_empty() {
            return;
        }
        for kind in 0..R::HAND_KINDS {
            if !hand.has(kind) {
                continue;
            }
            let movement = R::KINDS[kind].movement as usize;
            let mut to = empty.without(tables.dead[movement][self.us.index()]);
            if R::PAWN == Some(kind as u8) {
                to = self.pawn_drops(movement, to);
            }
            sink.drops(kind as u8, to);
        }
    }

    /// No second pawn on a file; no pawn-drop mate where that is forbidden.
    #[inline(always)]
    fn pawn_drops(&self, movement: usize, to: Bitboard) -> Bitboard {
        let tables = R::tables();
        let files = R::GRID.files;
        let mut rows = self.board.movers(movement, self.us).bits();
        rows |= rows >> files;
        rows |= rows >> (2 * files);
        rows |= rows >> (4 * files);
        rows |= rows >> (8 * files);
        let row = rows as usize & ((1 << files) - 1);
        let mut to = to.without(tables.columns[row % 512]);
        if !R::PAWN_DROP_MATES {
            let them = self.us.other();
            let king = self.board.king(them);
            let front = tables.steps[movement][them.index()][king.index()] & to;
            if !front.is_empty() && self.is_drop_mate(front.first(), king) {
                to = to.without(front);
            }
        }
        to
    }

    /// Tells whether a pawn dropped on `front`, right before the other king, mates.
    #[cold]
    fn is_drop_mate(&self, front: Square, king: Square) -> bool {
        let (us, them) = (self.us, self.us.other());
        let tables = R::tables();
        let before = Setting {
            occupied: self.occupied,
            attackers: self.own,
        };
        // The king may step away, or take the pawn if nothing guards it.
        let steps = tables.steps[Board::<R>::KING_MOVEMENT][them.index()][king.index()];
        let with_pawn = Setting {
            occupied: before.occupied | Bitboard::of(front),
            ..before
        };
        for target in steps.without(self.danger.attackers) {
            if !is_king_attacked(self.board, target, us, with_pawn.after(king, target)) {
                return false;
            }
        }
        // Another man may take the pawn, unless that uncovers its king.
        let pinned = safety::bonds(self.board, king, us, with_pawn).pinned;
        let theirs = Setting {
            occupied: with_pawn.occupied,
            attackers: self.danger.attackers.without(Bitboard::of(king)),
        };
        safety::attackers(self.board, front, them, theirs)
            .into_iter()
            .all(|from| pinned.contains(from) && !tables.through(king, from).contains(front))
    }
}
