//! What men are worth in shogi.

use super::{MOVEMENTS, Showgit};
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

/// In the order of the kinds: P L N S G B R K +P +L +N +S +B +R.
const KINDS: [KindWorth; 14] = [
    kind(taper(85, 95), taper(105, 115), taper(4, 6), taper(1, 0)),
    kind(taper(270, 280), taper(300, 310), taper(-4, -2), Taper::ZERO),
    kind(taper(310, 320), taper(350, 360), taper(2, 2), taper(3, 1)),
    kind(taper(480, 490), taper(520, 530), taper(4, 4), taper(4, 2)),
    kind(taper(530, 540), taper(570, 580), taper(-3, 2), taper(4, 2)),
    kind(taper(740, 760), taper(850, 870), taper(2, 4), taper(2, 2)),
    kind(taper(880, 920), taper(1000, 1040), taper(3, 4), Taper::ZERO),
    kind(Taper::ZERO, Taper::ZERO, taper(-14, 0), taper(-8, 0)),
    kind(taper(500, 500), Taper::ZERO, taper(0, 2), taper(4, 3)),
    kind(taper(490, 490), Taper::ZERO, taper(0, 2), taper(4, 3)),
    kind(taper(500, 500), Taper::ZERO, taper(0, 2), taper(4, 3)),
    kind(taper(520, 520), Taper::ZERO, taper(0, 2), taper(4, 3)),
    kind(taper(1030, 1060), Taper::ZERO, Taper::ZERO, taper(2, 2)),
    kind(taper(1220, 1260), Taper::ZERO, Taper::ZERO, taper(2, 2)),
];

const fn movement(mobility: Taper, pressure: i32) -> MovementWorth {
    MovementWorth { mobility, pressure }
}

/// In the order of the movements: P L N S G B R +B +R K.
const MOVES: [MovementWorth; 10] = [
    movement(Taper::ZERO, 3),
    movement(taper(2, 3), 4),
    movement(taper(3, 3), 5),
    movement(taper(3, 3), 8),
    movement(taper(3, 3), 9),
    movement(taper(4, 5), 7),
    movement(taper(4, 6), 8),
    movement(taper(4, 5), 10),
    movement(taper(4, 5), 12),
    movement(taper(2, 2), 0),
];

pub(super) static WORTH: Worth = Worth::new(&WorthData {
    grid: Showgit::GRID,
    kinds: &KINDS,
    becomes: Showgit::KINDS,
    movements: &MOVES,
    king: KingWorth {
        weak: 8,
        hole: 2,
        escape: 3,
        divisor: 14,
        most: 1200,
    },
    tempo: 20,
    men: 40,
    hand_kinds: Showgit::HAND_KINDS,
});

const _: () = assert!(MOVES.len() == MOVEMENTS.len() && KINDS.len() == Showgit::KINDS.len());
