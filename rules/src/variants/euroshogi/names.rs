//! What men are called: the names of the rules page, and the characters of the men of shogi that move alike.

use crate::board::Naming;

/// By kind, in the order of the table of kinds.
pub(super) const NAMES: [Naming; 10] = [
    Naming::both('歩', "PAWN"),
    Naming::both('桂', "KNIGHT"),
    Naming::both('金', "GENERAL"),
    Naming::both('角', "BISHOP"),
    Naming::both('飛', "ROOK"),
    Naming::both('玉', "KING"),
    Naming::both('と', "+PAWN"),
    Naming::both('圭', "+KNIGHT"),
    Naming::both('馬', "+BISHOP"),
    Naming::both('龍', "+ROOK"),
];
