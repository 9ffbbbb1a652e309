//! What men are worth in xiangqi.

use super::{MOVEMENTS, Xiangqi};
use crate::board::Ruleset;
use crate::board::worth::{KindWorth, KingWorth, MovementWorth, Taper, Worth, WorthData, taper};
use crate::variant::Variant;

const fn kind(board: Taper, advance: Taper, centre: Taper) -> KindWorth {
    KindWorth {
        board,
        hand: Taper::ZERO,
        advance,
        centre,
        far: Taper::ZERO,
    }
}

/// In the order of the kinds: general, advisor, elephant, horse, chariot, cannon, soldier.
const KINDS: [KindWorth; 7] = [
    kind(Taper::ZERO, taper(-20, -5), taper(5, 5)),
    kind(taper(200, 210), taper(0, 0), taper(6, 6)),
    kind(taper(180, 180), taper(0, 0), taper(6, 6)),
    kind(taper(330, 370), taper(6, 4), taper(6, 6)),
    kind(taper(840, 860), taper(4, 2), taper(4, 2)),
    kind(taper(410, 390), taper(2, 2), taper(10, 4)),
    KindWorth {
        far: taper(60, 90),
        ..kind(taper(70, 80), taper(4, 4), taper(6, 10))
    },
];

const fn movement(mobility: Taper, pressure: i32) -> MovementWorth {
    MovementWorth { mobility, pressure }
}

/// In the order of the movements, which is that of the kinds.
const MOVES: [MovementWorth; 7] = [
    movement(taper(4, 4), 0),
    movement(taper(1, 1), 0),
    movement(taper(2, 2), 0),
    movement(taper(10, 10), 9),
    movement(taper(5, 6), 12),
    movement(taper(3, 3), 7),
    movement(taper(2, 2), 7),
];

pub(super) static WORTH: Worth = Worth::new(&WorthData {
    grid: Xiangqi::GRID,
    kinds: &KINDS,
    becomes: Xiangqi::KINDS,
    movements: &MOVES,
    king: KingWorth {
        weak: 8,
        hole: 0,
        escape: 3,
        divisor: 20,
        most: 500,
    },
    tempo: 15,
    men: 32,
    hand_kinds: Xiangqi::HAND_KINDS,
});

const _: () = assert!(MOVES.len() == MOVEMENTS.len() && KINDS.len() == Xiangqi::KINDS.len());
