//! A position of a grid game: who stands where, what is in hand, who is to move.

mod judge;
mod play;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::bitboard::Bitboard;
use super::grid::Square;
use super::hand::Hand;
use super::moves::Move;
use super::outlook::Checks;
use super::piece::{NO_PIECE, Piece};
use super::ruleset::Ruleset;
use super::tables::MAX_MOVEMENTS;
use super::{attacks, diagram, movegen, safety, text};
use crate::diagram::{Diagram, Step};
use crate::notation::NotationError;
use crate::outcome::{Outcome, Side};
use crate::position::Position;
use crate::variant::{RuleOptions, ZoneStart};

/// Where the counters of the text stop, so that every position can be written and read.
pub(super) const MOST_COUNTED: u32 = 1_000_000;

/// The array of squares has room for every board.
const SQUARES: usize = 96;

/// A position of the game `R`.
///
/// Equality takes in the two counters of the position's text, and the option on promotion; [`key`](Position::key) leaves them out.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
// Copies of whole cache lines are quicker to make, and much quicker to read from right afterwards.
#[repr(align(64))]
pub struct Board<R> {
    /// The men of each movement, of both sides.
    sets: [Bitboard; MAX_MOVEMENTS],
    /// The men of each side.
    sides: [Bitboard; 2],
    /// The men that give check to the side to move.
    checkers: Bitboard,
    /// What stands on each square: the code of a [`Piece`] or [`NO_PIECE`].
    squares: [u8; SQUARES],
    hands: [Hand; 2],
    key: u64,
    /// Plies since the last progress: since the last capture in xiangqi, for instance.
    quiet: u32,
    /// The last field of the text: plies from 1 in an SFEN, full moves from 1 in a FEN.
    number: u32,
    to_move: Side,
    /// Whether promotion is optional on moves that start in the zone, where it is mandatory otherwise.
    free_promotion: bool,
    ruleset: PhantomData<R>,
}

impl<R: Ruleset> Board<R> {
    /// A board without men.
    pub(super) fn empty(to_move: Side) -> Self {
        let tables = R::tables();
        Self {
            sets: [Bitboard::EMPTY; MAX_MOVEMENTS],
            sides: [Bitboard::EMPTY; 2],
            checkers: Bitboard::EMPTY,
            squares: [NO_PIECE; SQUARES],
            hands: [Hand::default(); 2],
            key: if to_move == Side::Second {
                tables.side_key
            } else {
                0
            },
            quiet: 0,
            number: 1,
            to_move,
            free_promotion: false,
            ruleset: PhantomData,
        }
    }

    /// Returns the man on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        Piece::from_code(self.squares[square.index()])
    }

    /// Returns the code of the man on an occupied square.
    #[inline]
    pub(super) fn code_on(&self, square: Square) -> u8 {
        self.squares[square.index()]
    }

    /// Returns the squares of the men of one kind and side.
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        let movement = R::KINDS[piece.kind as usize].movement as usize;
        let alike = self.sets[movement] & self.sides[piece.side.index()];
        alike
            .into_iter()
            .filter(|square| self.squares[square.index()] == piece.code())
            .fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }

    /// Returns the squares of all men of a side.
    pub fn side(&self, side: Side) -> Bitboard {
        self.sides[side.index()]
    }

    /// Returns the occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// Returns the men of a side that move alike, by the number of their movement.
    #[inline]
    pub(crate) fn movers(&self, movement: usize, side: Side) -> Bitboard {
        self.sets[movement] & self.sides[side.index()]
    }

    /// Returns the movement of the man on an occupied square.
    #[inline]
    pub(super) fn movement_on(&self, square: Square) -> usize {
        let kind = (self.squares[square.index()] >> 1) as usize;
        R::KINDS[kind % R::KINDS.len()].movement as usize
    }

    /// Returns the men of both sides that move alike.
    #[inline]
    pub(crate) fn set(&self, movement: usize) -> Bitboard {
        self.sets[movement]
    }

    /// Returns the men in a side's hand.
    #[inline]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands[side.index()]
    }

    /// Returns the square of a side's king.
    #[inline]
    pub fn king(&self, side: Side) -> Square {
        self.movers(Self::KING_MOVEMENT, side).first()
    }

    /// Returns the men that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns the squares on which `side` could capture if a man of the other side stood there, own men guarded among them. Pins and facing
    /// kings are left aside.
    pub fn attacked_by(&self, side: Side) -> Bitboard {
        attacks::attacked(self, side)
    }

    /// Returns the same apart for the men of each movement of the ruleset, in its order; empty beyond its movements.
    pub fn attacked_by_each(&self, side: Side) -> [Bitboard; MAX_MOVEMENTS] {
        attacks::attacked_by_each(self, side)
    }

    /// Returns the plies since the last progress, as the text counts them.
    pub fn quiet_plies(&self) -> u32 {
        self.quiet
    }

    /// Returns the number in the last field of the text: plies in an SFEN, full moves in a FEN, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Tells whether promotion is optional on moves that start in the zone, where the game makes it mandatory otherwise.
    #[inline]
    pub fn free_promotion(&self) -> bool {
        self.free_promotion
    }

    /// Returns the same position with left and right swapped. Every grid game here has that symmetry.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        self.transformed(self.to_move, |square, piece| {
            (square.mirrored(R::GRID), piece)
        })
    }

    /// Returns the board turned by 180 degrees with the colours swapped: the same game, seen by the other player.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut turned = self.transformed(self.to_move.other(), |square, piece| {
            let side = piece.side.other();
            (square.rotated(R::GRID), Piece { side, ..piece })
        });
        for side in [Side::First, Side::Second] {
            turned.set_hand(side, self.hand(side.other()));
        }
        turned
    }

    fn transformed(&self, to_move: Side, map: impl Fn(Square, Piece) -> (Square, Piece)) -> Self {
        let mut board = Self {
            quiet: self.quiet,
            number: self.number,
            free_promotion: self.free_promotion,
            ..Self::empty(to_move)
        };
        for square in self.occupied() {
            if let Some(piece) = self.piece(square) {
                let (square, piece) = map(square, piece);
                board.put(square, piece);
            }
        }
        for side in [Side::First, Side::Second] {
            board.set_hand(side, self.hand(side));
        }
        board.checkers = safety::checkers(&board);
        board
    }

    pub(super) const KING_MOVEMENT: usize = R::KINDS[R::KING as usize].movement as usize;

    /// Replaces a hand.
    pub(super) fn set_hand(&mut self, side: Side, hand: Hand) {
        let keys = &R::tables().hand_keys[side.index()];
        let sum = |hand: Hand| {
            (0..R::HAND_KINDS).fold(0_u64, |sum, kind| {
                sum.wrapping_add(keys[kind].wrapping_mul(u64::from(hand.count(kind))))
            })
        };
        let old = sum(self.hands[side.index()]);
        self.key = self.key.wrapping_sub(old).wrapping_add(sum(hand));
        self.hands[side.index()] = hand;
    }

    /// Sets the two counters of the text.
    pub(super) fn set_counters(&mut self, quiet: u32, number: u32) {
        self.quiet = quiet;
        self.number = number;
    }

    /// Looks for checks, after the men have been put.
    pub(super) fn find_checkers(&mut self) {
        self.checkers = safety::checkers(self);
    }

    /// Computes the key anew; always equal to [`key`](Position::key).
    pub fn recomputed_key(&self) -> u64 {
        let mut board = Self::empty(self.to_move);
        for square in self.occupied() {
            if let Some(piece) = self.piece(square) {
                board.put(square, piece);
            }
        }
        for side in [Side::First, Side::Second] {
            board.set_hand(side, self.hand(side));
        }
        board.key
    }
}

impl<R: Ruleset> Position for Board<R> {
    type Move = Move<R>;

    fn initial() -> Self {
        match R::START.parse() {
            Ok(board) => board,
            Err(error) => unreachable!("the start position of {}: {error}", R::ID),
        }
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.to_move
    }

    fn legal_moves(&self, moves: &mut Vec<Self::Move>) {
        moves.clear();
        movegen::list(self, moves);
    }

    fn pick_move(
        &self,
        buffer: &mut Vec<Self::Move>,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<Self::Move> {
        movegen::pick(self, buffer, pick)
    }

    fn count_moves(&self, _: &mut Vec<Self::Move>) -> usize {
        movegen::count(self)
    }

    #[inline]
    fn play(&mut self, mv: Self::Move) {
        debug_assert!(movegen::is_legal(self, mv), "{mv} is not legal in {self}");
        self.play_move(mv);
        debug_assert_eq!(self.checkers, safety::checkers(self), "checkers of {self}");
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    fn fingerprint(&self) -> u64 {
        let mut bytes = [0; SQUARES + 17];
        bytes[..SQUARES].copy_from_slice(&self.squares);
        for (hand, bytes) in self.hands.iter().zip(bytes[SQUARES..].chunks_exact_mut(8)) {
            bytes.copy_from_slice(&hand.bits().to_le_bytes());
        }
        bytes[SQUARES + 16] = self.to_move.index() as u8;
        rapidhash::v3::rapidhash_v3(&bytes)
    }

    #[inline]
    fn in_check(&self) -> bool {
        !self.checkers.is_empty()
    }

    fn no_move_outcome(&self) -> Outcome {
        R::no_move_outcome(self.to_move, self.in_check())
    }

    fn mate_in_one(
        &self,
        legal: &[Self::Move],
        replies: &mut Vec<Self::Move>,
    ) -> Option<Self::Move> {
        let checks = Checks::new(self);
        let mut mates = |&mv: &Self::Move| {
            checks.gives_check(mv) && {
                let mut next = *self;
                next.play(mv);
                next.legal_moves(replies);
                replies.is_empty()
            }
        };
        legal.iter().copied().find(|mv| mates(mv))
    }

    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        text::parse_move(self, text)
    }

    fn diagram(&self) -> Diagram {
        diagram::diagram(self)
    }

    fn step(&self, mv: Self::Move) -> Step {
        diagram::step(self, mv)
    }

    fn adopt(&mut self, options: &RuleOptions) {
        self.free_promotion = options.zone_start_promotion == ZoneStart::Optional
            && R::PROMOTION == super::ruleset::Promotion::Mandatory;
    }

    fn is_progress(&self, mv: Self::Move) -> bool {
        R::is_progress(self, mv)
    }

    fn starting_quiet_plies(&self) -> u32 {
        if R::COUNTS_FROM_TEXT { self.quiet } else { 0 }
    }

    fn is_dead_draw(&self) -> bool {
        R::is_dead_draw(self)
    }

    fn declaration(&self, options: &RuleOptions) -> Option<Outcome> {
        R::declaration(self, options)
    }

    fn chasers(positions: &[Self], moves: &[Self::Move]) -> [bool; 2] {
        R::chasers(positions, moves)
    }
}

impl<R: Ruleset> FromStr for Board<R> {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        text::parse_position(text)
    }
}

impl<R: Ruleset> fmt::Display for Board<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write_position(self, f)
    }
}

impl<R: Ruleset> fmt::Debug for Board<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", R::ID)
    }
}
