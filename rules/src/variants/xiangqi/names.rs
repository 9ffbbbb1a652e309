//! What men are called: the characters of Red's and Black's men, and the names of the rules page.

use crate::board::Naming;

const fn named(first: char, second: char, word: &'static str) -> Naming {
    Naming {
        kanji: [first, second],
        word: [word; 2],
    }
}

/// By kind, in the order of the table of kinds.
pub(super) const NAMES: [Naming; 7] = [
    named('帥', '將', "GENERAL"),
    named('仕', '士', "ADVISOR"),
    named('相', '象', "ELEPHANT"),
    named('傌', '馬', "HORSE"),
    named('俥', '車', "CHARIOT"),
    named('炮', '砲', "CANNON"),
    named('兵', '卒', "SOLDIER"),
];
