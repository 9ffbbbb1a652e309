//! Rough judgements of a position, for searches that have no net.

use crate::position::Position;

/// What an alpha-beta search asks of a position beyond its rules. The defaults know nothing, which is right for a game in which men say little.
///
/// Values are in hundredths of a pawn, or of what comes closest to one.
pub trait Heuristics: Position {
    /// The greatest value, either way, that [`evaluate`](Self::evaluate) returns.
    const GREATEST: i32 = 20_000;

    /// Estimates the value of the position for the side to move, without looking ahead.
    fn evaluate(&self) -> i32 {
        0
    }

    /// Replaces `moves` with the legal captures and promotions, in an order that depends on the position alone.
    fn forcing_moves(&self, moves: &mut Vec<Self::Move>) {
        moves.clear();
    }

    /// Returns what a legal move wins by capture and promotion if nothing is taken back; 0 for other moves.
    fn gain(&self, _: Self::Move) -> i32 {
        0
    }

    /// Returns what the mover would lose if the man that makes a legal move were then taken.
    fn stake(&self, _: Self::Move) -> i32 {
        0
    }

    /// Tells whether a legal move gains at least `margin` after the best series of captures on its target. Pins are left aside.
    fn wins_exchange(&self, mv: Self::Move, margin: i32) -> bool {
        self.gain(mv) >= margin
    }

    /// Returns the position with the other side to move, where to pass would be worse than to move: not in check, and not where a side may be
    /// glad not to have to move.
    fn passed(&self) -> Option<Self> {
        None
    }
}
