//! What several tests of the grid games use.

use rules::Position;
use rules::board::{Board, Move, Ruleset};

/// A small generator of random numbers (xorshift64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}

/// Returns the legal moves.
pub(crate) fn legal<R: Ruleset>(board: &Board<R>) -> Vec<Move<R>> {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    moves
}
