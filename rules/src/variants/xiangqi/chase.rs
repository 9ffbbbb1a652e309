//! Perpetual chases, after the rules of the Asian Xiangqi Federation as the rules page words them.

use super::Xiangqi;
use crate::board::{Board, Move};

/// For each side, whether it chased a man with every move.
pub(super) fn chasers(_: &[Board<Xiangqi>], _: &[Move<Xiangqi>]) -> [bool; 2] {
    [false; 2]
}
