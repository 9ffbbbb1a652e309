//! Slides: the nearest man in each direction, found by subtraction upward and by leading zeros downward.

use super::bitboard::Bitboard;
use super::grid::Square;
use super::tables::Tables;
use crate::outcome::Side;

/// The squares of an upward ray up to and including the first occupied one.
#[inline]
const fn up(ray: Bitboard, occupied: Bitboard) -> Bitboard {
    // Subtracting 1 flips the bits up to and including the lowest one; of nothing, all bits.
    let men = ray.bits() & occupied.bits();
    Bitboard::new((men ^ men.wrapping_sub(1)) & ray.bits())
}

/// The squares of a downward ray up to and including the first occupied one.
#[inline]
fn down(tables: &Tables, ray: Bitboard, occupied: Bitboard) -> Bitboard {
    // Bit 0 stands in for the edge: at or below the ray's end, it cuts nothing off.
    let men = ray.bits() & occupied.bits() | 1;
    ray & tables.from_bit[127 - men.leading_zeros() as usize]
}

/// Along one direction.
#[inline]
fn along(tables: &Tables, direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let ray = tables.rays[direction][from.index()];
    if direction < 4 {
        up(ray, occupied)
    } else {
        down(tables, ray, occupied)
    }
}

/// Straight ahead for `side`.
#[inline]
pub(super) fn forward(tables: &Tables, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
    match side {
        Side::First => along(tables, 0, from, occupied),
        Side::Second => along(tables, 4, from, occupied),
    }
}

/// Along ranks and files.
#[inline]
pub(super) fn orthogonal(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    along(tables, 0, from, occupied)
        | along(tables, 2, from, occupied)
        | along(tables, 4, from, occupied)
        | along(tables, 6, from, occupied)
}

/// Along diagonals.
#[inline]
pub(super) fn diagonal(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    along(tables, 1, from, occupied)
        | along(tables, 3, from, occupied)
        | along(tables, 5, from, occupied)
        | along(tables, 7, from, occupied)
}

/// Along ranks and files: the empty squares up to the first man, and the second man.
#[inline]
pub(super) fn cannon(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = Bitboard::EMPTY;
    for direction in [0, 2, 4, 6] {
        let ray = tables.rays[direction][from.index()];
        let nearest = |men: Bitboard| {
            if direction < 4 {
                men.lowest()
            } else {
                men.highest()
            }
        };
        let reach = along(tables, direction, from, occupied);
        let screen = reach & occupied;
        let beyond = (ray & occupied) ^ screen;
        to |= reach.without(screen) | nearest(beyond);
    }
    to
}
