//! Playing moves: men, hands, key, counters and checkers, all brought up to date as the move goes.

use super::{Board, MOST_COUNTED};
use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::piece::{NO_PIECE, Piece};
use crate::board::ruleset::Ruleset;
use crate::board::safety;
use crate::notation::Notation;
use crate::outcome::Side;

impl<R: Ruleset> Board<R> {
    /// Plays a move.
    #[inline]
    pub(in crate::board) fn play_move(&mut self, mv: Move<R>) {
        self.count_ply(R::is_progress(self, mv));
        match mv.from() {
            Some(from) => self.play_step(from, mv.to(), mv.promotes()),
            None => self.play_drop(mv.dropped().unwrap_or_default(), mv.to()),
        }
        self.to_move = self.to_move.other();
        // Subtracting what was added brings the first player's turn back.
        self.key = if self.to_move == Side::Second {
            self.key.wrapping_add(R::tables().side_key)
        } else {
            self.key.wrapping_sub(R::tables().side_key)
        };
    }

    /// Puts a man on an empty square.
    #[inline]
    pub(in crate::board) fn put(&mut self, square: Square, piece: Piece) {
        let bit = Bitboard::of(square);
        self.sets[R::KINDS[piece.kind as usize].movement as usize] |= bit;
        self.sides[piece.side.index()] |= bit;
        self.squares[square.index()] = piece.code();
        self.key = self
            .key
            .wrapping_add(R::tables().piece_keys[piece.code() as usize % 32][square.index()]);
    }

    /// Takes a man off its square.
    #[inline]
    fn take(&mut self, square: Square, piece: Piece) {
        let bit = Bitboard::of(square);
        self.sets[R::KINDS[piece.kind as usize].movement as usize] ^= bit;
        self.sides[piece.side.index()] ^= bit;
        self.squares[square.index()] = NO_PIECE;
        self.key = self
            .key
            .wrapping_sub(R::tables().piece_keys[piece.code() as usize % 32][square.index()]);
    }

    #[inline]
    fn play_drop(&mut self, kind: u8, to: Square) {
        let side = self.to_move;
        let key = R::tables().hand_keys[side.index()][kind as usize % 8];
        self.key = self.key.wrapping_sub(key);
        self.hands[side.index()].remove(kind as usize);
        self.put(to, Piece { kind, side });
        self.checkers = safety::new_checkers(self, None, (kind, to));
    }

    #[inline]
    fn play_step(&mut self, from: Square, to: Square, promotes: bool) {
        let side = self.to_move;
        let Some(piece) = self.piece(from) else {
            debug_assert!(false, "no man on the square that the move starts from");
            return;
        };
        if let Some(taken) = self.piece(to) {
            self.take(to, taken);
            if R::HAND_KINDS > 0 {
                let base = R::KINDS[taken.kind as usize].base as usize;
                self.hands[side.index()].add(base);
                let key = R::tables().hand_keys[side.index()][base % 8];
                self.key = self.key.wrapping_add(key);
            }
        }
        let mut kind = piece.kind;
        if R::HAS_PROMOTION && promotes {
            kind = R::KINDS[kind as usize].promoted.unwrap_or(kind);
            self.take(from, piece);
            self.put(to, Piece { kind, side });
        } else {
            self.shift(from, to, piece);
        }
        self.checkers = safety::new_checkers(self, Some(from), (kind, to));
    }

    /// Moves a man to an empty square.
    #[inline]
    fn shift(&mut self, from: Square, to: Square, piece: Piece) {
        let way = Bitboard::of(from) | Bitboard::of(to);
        self.sets[R::KINDS[piece.kind as usize].movement as usize] ^= way;
        self.sides[piece.side.index()] ^= way;
        self.squares[from.index()] = NO_PIECE;
        self.squares[to.index()] = piece.code();
        let keys = &R::tables().piece_keys[piece.code() as usize % 32];
        self.key = self
            .key
            .wrapping_sub(keys[from.index()])
            .wrapping_add(keys[to.index()]);
    }

    /// Counts the ply in the counters of the text.
    #[inline]
    fn count_ply(&mut self, progress: bool) {
        self.quiet = if progress {
            0
        } else {
            (self.quiet + 1).min(MOST_COUNTED)
        };
        let counts = matches!(R::NOTATION, Notation::Sfen) || self.to_move == Side::Second;
        self.number = (self.number + u32::from(counts)).min(MOST_COUNTED);
    }
}
