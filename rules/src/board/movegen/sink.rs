//! Where generated moves go: into a list, into bundles from which one is picked, or into a sum.
//!
//! What grows with each bundle is a field of its own beside borrowed arrays, and nothing borrows a whole sink: so it stays in a register.

use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::ruleset::Ruleset;

/// Takes moves in bundles.
pub(super) trait Sink<R: Ruleset> {
    /// Whether drops are asked for at all.
    const DROPS: bool = true;

    /// The moves of one man that goes no further than two rows and two columns, to eight squares at most.
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// The moves of one man to anywhere.
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// The moves of many men that all come from `back` squares before their targets.
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard);
    /// The drops of one kind.
    fn drops(&mut self, kind: u8, to: Bitboard);
}

/// How many moves a list collects before it passes them on; a power of two, so that indices need no check.
const CHUNK: usize = 256;
/// The most moves a bundle can have, rounded up, with room for what is written and not kept.
const BUNDLE: usize = 128;

/// Moves on their way to a list.
pub(super) type Chunk<R> = [Move<R>; CHUNK];

/// Makes room for moves on their way to a list.
#[inline(always)]
pub(super) fn chunk<R: Ruleset>() -> Chunk<R> {
    [Move::new(Square::new(0), Square::new(0), false); CHUNK]
}

/// Lists the moves.
pub(super) struct List<'a, R> {
    moves: &'a mut Vec<Move<R>>,
    chunk: &'a mut Chunk<R>,
    /// How many moves are in the chunk.
    filled: usize,
}

impl<'a, R: Ruleset> List<'a, R> {
    /// Makes a list that adds to `moves`, the last of them when it is finished.
    #[inline(always)]
    pub(super) fn new(moves: &'a mut Vec<Move<R>>, chunk: &'a mut Chunk<R>) -> Self {
        Self {
            moves,
            chunk,
            filled: 0,
        }
    }

    /// Passes on the moves that are still in the chunk.
    #[inline(always)]
    pub(super) fn finish(self) {
        self.moves
            .extend_from_slice(&self.chunk[..self.filled % CHUNK]);
    }

    /// Sees to it that a whole bundle fits into the chunk.
    #[inline(always)]
    fn make_room(&mut self) {
        if self.filled > CHUNK - BUNDLE {
            self.moves
                .extend_from_slice(&self.chunk[..self.filled % CHUNK]);
            self.filled = 0;
        }
    }

    /// Adds a move for each square of a set, `first` being the move to square 0 and `stride` the difference of numbers from square to square.
    #[inline(always)]
    fn add(&mut self, to: Bitboard, first: Move<R>, stride: u16) {
        self.make_room();
        for (half, offset) in [(to.bits() as u64, 0), ((to.bits() >> 64) as u64, 64)] {
            if offset >= R::GRID.squares() as u32 {
                continue;
            }
            let mut rest = half;
            let mut at = self.filled;
            self.filled += half.count_ones() as usize;
            // Four at a time and what is too much forgotten: sets are mostly that small, and a loop that runs once is foreseen.
            while rest != 0 {
                for slot in &mut self.chunk[at..at + 4] {
                    let square = rest.trailing_zeros() | offset;
                    *slot = first.further(square as u16 * stride);
                    rest &= rest.wrapping_sub(1);
                }
                at += 4;
            }
        }
    }

    /// Adds the moves to eight squares at most, all within two rows and two columns of `from`.
    #[inline(always)]
    fn add_near(&mut self, from: Square, to: Bitboard, promotes: bool) {
        self.make_room();
        // They lie within 64 bits, which begin two rows and two columns before the man.
        let base = from.index().saturating_sub(2 * R::GRID.files + 2);
        let first = Move::<R>::new(from, Square::new(base as u8), promotes);
        let mut rest = (to.bits() >> base) as u64;
        let at = self.filled;
        self.filled += rest.count_ones() as usize;
        for slot in &mut self.chunk[at..at + 8] {
            *slot = first.further(rest.trailing_zeros() as u16);
            rest &= rest.wrapping_sub(1);
        }
    }
}

impl<R: Ruleset> Sink<R> for List<'_, R> {
    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        self.add_near(from, plain, false);
        if R::HAS_PROMOTION && !promoting.is_empty() {
            self.add_near(from, promoting, true);
        }
    }

    #[inline(always)]
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let start = Square::new(0);
        self.add(plain, Move::new(from, start, false), 1);
        if R::HAS_PROMOTION && !promoting.is_empty() {
            self.add(promoting, Move::new(from, start, true), 1);
        }
    }

    #[inline(always)]
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard) {
        let (first, stride) = Move::shifted(back, false);
        self.add(plain, first, stride);
        if !promoting.is_empty() {
            let (first, stride) = Move::shifted(back, true);
            self.add(promoting, first, stride);
        }
    }

    #[inline(always)]
    fn drops(&mut self, kind: u8, to: Bitboard) {
        self.add(to, Move::drop(kind, Square::new(0)), 1);
    }
}

/// How many bundles there is room for; a power of two, so that indices need no check.
const BUNDLES: usize = 64;

/// Moves in bundles.
pub(super) struct Bundles<R> {
    targets: [Bitboard; BUNDLES],
    /// The move to square 0 of each bundle, and the difference of numbers from square to square.
    first: [(Move<R>, u16); BUNDLES],
    /// How many moves there are in all bundles up to each; more than there can be where there is no bundle.
    ends: [u16; BUNDLES],
}

impl<R: Ruleset> Bundles<R> {
    /// The most men of the side to move for which the bundles suffice, at two a man and some for pawns together and drops.
    pub(super) const MEN: u32 = (BUNDLES as u32 - 12) / 2;

    /// Makes room for bundles.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            targets: [Bitboard::EMPTY; BUNDLES],
            first: [(Move::new(Square::new(0), Square::new(0), false), 0); BUNDLES],
            ends: [u16::MAX; BUNDLES],
        }
    }
}

/// Collects bundles and picks one move of them.
pub(super) struct Pick<'a, R> {
    bundles: &'a mut Bundles<R>,
    filled: usize,
    /// The number of moves so far.
    count: u32,
}

impl<'a, R: Ruleset> Pick<'a, R> {
    /// Makes a collection without moves.
    #[inline(always)]
    pub(super) fn new(bundles: &'a mut Bundles<R>) -> Self {
        Self {
            bundles,
            filled: 0,
            count: 0,
        }
    }

    #[inline(always)]
    fn add(&mut self, targets: Bitboard, first: Move<R>, stride: u16) {
        self.count += targets.count();
        let at = self.filled % BUNDLES;
        self.bundles.targets[at] = targets;
        self.bundles.first[at] = (first, stride);
        self.bundles.ends[at] = self.count as u16;
        self.filled += 1;
    }

    /// Returns the move that `pick` chooses by its number, given how many moves there are; `None` if there are none.
    #[inline(always)]
    pub(super) fn pick(self, pick: impl FnOnce(usize) -> usize) -> Option<Move<R>> {
        if self.count == 0 {
            return None;
        }
        let number = pick(self.count as usize) as u16;
        let bundles = self.bundles;
        // Looking at all of them is quicker than finding out where to stop.
        let before = |&end: &u16| u16::from(end <= number);
        let at = bundles.ends.iter().map(before).sum::<u16>() as usize;
        let start = if at == 0 {
            0
        } else {
            bundles.ends[(at - 1) % BUNDLES]
        };
        let mut rest = bundles.targets[at % BUNDLES].bits();
        for _ in start..number {
            rest &= rest.wrapping_sub(1);
        }
        let (first, stride) = bundles.first[at % BUNDLES];
        Some(first.further(rest.trailing_zeros() as u16 * stride))
    }
}

impl<R: Ruleset> Sink<R> for Pick<'_, R> {
    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        self.moves(from, plain, promoting);
    }

    #[inline(always)]
    fn moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let start = Square::new(0);
        self.add(plain, Move::new(from, start, false), 1);
        if R::HAS_PROMOTION && !promoting.is_empty() {
            self.add(promoting, Move::new(from, start, true), 1);
        }
    }

    #[inline(always)]
    fn shifted(&mut self, back: i8, plain: Bitboard, promoting: Bitboard) {
        let (first, stride) = Move::shifted(back, false);
        self.add(plain, first, stride);
        let (first, stride) = Move::shifted(back, true);
        self.add(promoting, first, stride);
    }

    #[inline(always)]
    fn drops(&mut self, kind: u8, to: Bitboard) {
        self.add(to, Move::drop(kind, Square::new(0)), 1);
    }
}

/// Counts the moves.
pub(super) struct Count(pub(super) u32);

impl<R: Ruleset> Sink<R> for Count {
    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        Sink::<R>::moves(self, from, plain, promoting);
    }

    #[inline(always)]
    fn moves(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count();
        if R::HAS_PROMOTION {
            self.0 += promoting.count();
        }
    }

    #[inline(always)]
    fn shifted(&mut self, _: i8, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn drops(&mut self, _: u8, to: Bitboard) {
        self.0 += to.count();
    }
}
