//! Legal moves from pins and checkers: nothing is played and taken back.
//!
//! One walk over the men serves lists and counts alike; where the moves go is a [`Sink`]'s business.

mod forcing;

use super::bitboard::Bitboard;
use super::grid::Square;
use super::moves::Move;
use super::position::Board;
use super::ruleset::{Promotion, Ruleset};
use super::safety::{self, Setting, is_king_attacked};
use crate::outcome::Side;
use crate::position::Position as _;

pub(super) use forcing::list_forcing;

/// Takes moves in bundles.
trait Sink<R: Ruleset> {
    /// Whether drops are asked for at all.
    const DROPS: bool = true;

    /// The moves of one man.
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// The moves of many men that all come from `back` squares before their targets.
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard);
    /// The drops of one kind.
    fn drops(&mut self, kind: u8, to: Bitboard);
}

/// Adds the legal moves to `moves`.
pub(super) fn list<R: Ruleset>(board: &Board<R>, moves: &mut Vec<Move<R>>) {
    let drops = (Bitboard::EMPTY, 0);
    generate(board, &mut List { moves, drops });
}

/// Counts the legal moves.
pub(super) fn count<R: Ruleset>(board: &Board<R>) -> usize {
    let mut count = Count(0);
    generate(board, &mut count);
    count.0 as usize
}

/// Tells whether a move is legal. Slow: for checks and texts.
pub(super) fn is_legal<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> bool {
    let mut moves = Vec::new();
    list(board, &mut moves);
    moves.contains(&mv)
}

struct List<'a, R> {
    moves: &'a mut Vec<Move<R>>,
    /// The last drops: where to, and the number of the first.
    drops: (Bitboard, usize),
}

impl<R: Ruleset> List<'_, R> {
    /// Adds the moves from `from` to each square of a set.
    #[inline(never)]
    fn add(&mut self, squares: Bitboard, from: Square, promotes: bool) {
        let mv = Move::<R>::new(from, Square::new(0), promotes);
        let bits = squares.bits();
        for (half, offset) in [(bits as u64, 0), ((bits >> 64) as u64, 64)] {
            let end = self.moves.len() + half.count_ones() as usize;
            let mut rest = half;
            // Four at a time and what is too much taken back: sets are mostly that small, and a loop that runs once is foreseen.
            while rest != 0 {
                self.moves.extend([(); 4].map(|()| {
                    let square = Square::new(rest.trailing_zeros() as u8 | offset);
                    rest &= rest.wrapping_sub(1);
                    mv.with_to(square)
                }));
            }
            self.moves.truncate(end);
        }
    }

    /// Adds a move for each square of a set that is likely large.
    #[inline]
    fn add_many(&mut self, squares: Bitboard, mv: impl Fn(Square) -> Move<R>) {
        for (half, offset) in [
            (squares.bits() as u64, 0),
            ((squares.bits() >> 64) as u64, 64),
        ] {
            let mut rest = half;
            // A range has a known length: one check for room, and none a move.
            self.moves.extend((0..half.count_ones()).map(|_| {
                let square = Square::new(offset + rest.trailing_zeros() as u8);
                rest &= rest.wrapping_sub(1);
                mv(square)
            }));
        }
    }
}

impl<R: Ruleset> Sink<R> for List<'_, R> {
    #[inline]
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        self.add(plain, from, false);
        if R::HAS_PROMOTION && !promoting.is_empty() {
            self.add(promoting, from, true);
        }
    }

    #[inline]
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard) {
        let from =
            |to: Square| Square::new(to.index().wrapping_add_signed(isize::from(back)) as u8);
        self.add_many(plain, |to| Move::new(from(to), to, false));
        if !promoting.is_empty() {
            self.add_many(promoting, |to| Move::new(from(to), to, true));
        }
    }

    #[inline]
    fn drops(&mut self, kind: u8, to: Bitboard) {
        let begin = self.moves.len();
        let (same, first) = self.drops;
        if to == same && !to.is_empty() {
            // Most kinds drop on the same squares: the moves differ by the kind alone.
            self.moves
                .extend_from_within(first..first + to.count() as usize);
            for mv in &mut self.moves[begin..] {
                *mv = mv.with_kind(kind);
            }
        } else {
            self.add_many(to, |to| Move::drop(kind, to));
        }
        self.drops = (to, begin);
    }
}

struct Count(u32);

impl<R: Ruleset> Sink<R> for Count {
    #[inline]
    fn moves(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count();
        if R::HAS_PROMOTION {
            self.0 += promoting.count();
        }
    }

    #[inline]
    fn shifted(&mut self, _: i8, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline]
    fn drops(&mut self, _: u8, to: Bitboard) {
        self.0 += to.count();
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
    #[inline]
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
        sink.moves(self.king, to, Bitboard::EMPTY);
    }

    /// The moves of all men of movement `M`.
    #[inline]
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
        if men.meets(self.pinned) {
            self.pinned_men::<S, M>(men & self.pinned, sink);
        }
    }

    /// The moves of pinned men of movement `M`: along the line, or where checks are entangled, whatever leaves the king safe.
    #[inline(never)]
    fn pinned_men<S: Sink<R>, const M: usize>(&self, men: Bitboard, sink: &mut S) {
        for from in men {
            let attacks = safety::attacks::<R, M>(self.us, from, self.occupied);
            let to = if R::ENTANGLED {
                // It may be the screen or the leg itself, and end a check by going anywhere.
                self.verified(from, attacks.without(self.own))
            } else {
                attacks & self.open & R::tables().through(self.king, from)
            };
            self.emit::<S, M>(from, to, sink);
        }
    }

    /// Steps all of them ahead at once.
    #[inline]
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

    #[inline]
    fn emit<S: Sink<R>, const M: usize>(&self, from: Square, to: Bitboard, sink: &mut S) {
        if !R::MOVEMENTS[M].promotes {
            sink.moves(from, to, Bitboard::EMPTY);
            return;
        }
        let tables = R::tables();
        let side = self.us.index();
        let promoting = to & tables.promoting[side][from.index()];
        let plain = if R::PROMOTION == Promotion::Optional
            || self.board.free_promotion() && tables.zone[side].contains(from)
        {
            to.without(tables.dead[M][side])
        } else {
            to.without(promoting)
        };
        sink.moves(from, plain, promoting);
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

    #[inline]
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
    #[inline]
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
