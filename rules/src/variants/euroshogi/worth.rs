//! What men are worth in `EuroShogi`.

use super::{EuroShogi, MOVEMENTS};
use crate::board::Ruleset;
use crate::board::worth::{KindWorth, KingWorth, MovementWorth, Taper, Worth, WorthData, taper};
use crate::variant::Variant;

const fn kind(board: Taper, hand: Taper, advance: Taper, centre: Taper) -> KindWorth {
    KindWorth {
        board,
        hand,
        advance,
        centre,
        far: Taper::ZERO,
    }
}

/// In the order of the kinds: P N G B R K +P +N +B +R.
const KINDS: [KindWorth; 10] = [
    kind(taper(85, 95), taper(115, 125), taper(4, 6), taper(2, 0)),
    kind(taper(240, 250), taper(280, 290), taper(6, 6), taper(4, 2)),
    kind(taper(430, 440), taper(470, 480), taper(2, 4), taper(5, 3)),
    kind(taper(480, 500), taper(570, 590), taper(3, 4), taper(2, 2)),
    kind(taper(620, 640), taper(720, 740), taper(3, 4), taper(0, 0)),
    kind(Taper::ZERO, Taper::ZERO, taper(-10, 0), taper(-6, 2)),
    kind(taper(390, 400), Taper::ZERO, taper(0, 2), taper(5, 3)),
    kind(taper(410, 420), Taper::ZERO, taper(0, 2), taper(5, 3)),
    kind(taper(720, 740), Taper::ZERO, taper(0, 0), taper(3, 3)),
    kind(taper(880, 900), Taper::ZERO, taper(0, 0), taper(2, 2)),
];

const fn movement(mobility: Taper, pressure: i32) -> MovementWorth {
    MovementWorth { mobility, pressure }
}

/// In the order of the movements: P N G B R +B +R K.
const MOVES: [MovementWorth; 8] = [
    movement(Taper::ZERO, 4),
    movement(taper(4, 4), 6),
    movement(taper(3, 3), 10),
    movement(taper(5, 6), 7),
    movement(taper(4, 6), 9),
    movement(taper(4, 5), 11),
    movement(taper(4, 5), 13),
    movement(taper(2, 2), 0),
];

pub(super) static WORTH: Worth = Worth::new(&WorthData {
    grid: EuroShogi::GRID,
    kinds: &KINDS,
    becomes: EuroShogi::KINDS,
    movements: &MOVES,
    king: KingWorth {
        weak: 8,
        hole: 2,
        escape: 3,
        divisor: 14,
        most: 900,
    },
    tempo: 20,
    men: 32,
    hand_kinds: EuroShogi::HAND_KINDS,
});

const _: () = assert!(MOVES.len() == MOVEMENTS.len() && KINDS.len() == EuroShogi::KINDS.len());
