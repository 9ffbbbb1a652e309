//! What men are called: the characters of shogi, and the names of the rules page.

use crate::board::Naming;

/// By kind, in the order of the table of kinds.
pub(super) const NAMES: [Naming; 14] = [
    Naming::both('歩', "UNIFORM"),
    Naming::both('香', "LIMA"),
    Naming::both('桂', "YANKEE"),
    Naming::both('銀', "ALPHA"),
    Naming::both('金', "MIKE"),
    Naming::both('角', "VICTOR"),
    Naming::both('飛', "TANGO"),
    Naming {
        kanji: ['玉', '玉'],
        word: ["TIME", "STAR"],
    },
    Naming::both('と', "NEO-UNIFORM"),
    Naming::both('杏', "NEO-LIMA"),
    Naming::both('圭', "NEO-YANKEE"),
    Naming::both('全', "NEO-ALPHA"),
    Naming::both('馬', "NEO-VICTOR"),
    Naming::both('龍', "NEO-TANGO"),
];
