//! Slides: the nearest man in each direction, found by subtraction upward and by leading zeros downward.

use super::bitboard::Bitboard;
use super::grid::Square;
use super::movement::Slide;
use super::tables::Tables;
use crate::outcome::Side;

/// Where a man that stands on `from` and belongs to `side` slides to, up to and including the first man of either side.
#[inline(always)]
pub(super) fn along(
    tables: &Tables,
    slide: Slide,
    (side, from): (Side, Square),
    occupied: Bitboard,
) -> Bitboard {
    match slide {
        Slide::None => Bitboard::EMPTY,
        Slide::Forward => forward(tables, side, from, occupied),
        Slide::Orthogonal => orthogonal(tables, from, occupied),
        Slide::Diagonal => diagonal(tables, from, occupied),
        Slide::Cannon => cannon(tables, from, occupied),
    }
}

/// The squares of an upward ray up to and including the first occupied one.
#[inline(always)]
const fn up(ray: Bitboard, occupied: Bitboard) -> Bitboard {
    // Subtracting 1 flips the bits up to and including the lowest one; of nothing, all bits.
    let men = ray.bits() & occupied.bits();
    Bitboard::new((men ^ men.wrapping_sub(1)) & ray.bits())
}

/// The squares of a downward ray up to and including the first occupied one.
#[inline(always)]
fn down(tables: &Tables, ray: Bitboard, occupied: Bitboard) -> Bitboard {
    // Bit 0 stands in for the edge: at or below the ray's end, it cuts nothing off.
    let men = ray.bits() & occupied.bits() | 1;
    ray & tables.from_bit[127 - men.leading_zeros() as usize]
}

/// Along one direction.
#[inline(always)]
fn ray(tables: &Tables, direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let squares = tables.rays[direction][from.index()];
    if direction < 4 {
        up(squares, occupied)
    } else {
        down(tables, squares, occupied)
    }
}

/// Straight ahead for `side`.
#[inline(always)]
pub(super) fn forward(tables: &Tables, side: Side, from: Square, occupied: Bitboard) -> Bitboard {
    match side {
        Side::First => ray(tables, 0, from, occupied),
        Side::Second => ray(tables, 4, from, occupied),
    }
}

/// Along ranks and files.
#[inline(always)]
pub(super) fn orthogonal(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    ray(tables, 0, from, occupied)
        | ray(tables, 2, from, occupied)
        | ray(tables, 4, from, occupied)
        | ray(tables, 6, from, occupied)
}

/// Along diagonals.
#[inline(always)]
pub(super) fn diagonal(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    ray(tables, 1, from, occupied)
        | ray(tables, 3, from, occupied)
        | ray(tables, 5, from, occupied)
        | ray(tables, 7, from, occupied)
}

/// Along ranks and files: the empty squares up to the first man, and the second man.
#[inline(always)]
pub(super) fn cannon(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = Bitboard::EMPTY;
    for direction in [0, 2, 4, 6] {
        let squares = tables.rays[direction][from.index()];
        let nearest = |men: Bitboard| {
            if direction < 4 {
                men.lowest()
            } else {
                men.highest()
            }
        };
        let reach = ray(tables, direction, from, occupied);
        let screen = reach & occupied;
        let beyond = (squares & occupied) ^ screen;
        to |= reach.without(screen) | nearest(beyond);
    }
    to
}

/// Along ranks and files: from behind the first man up to and including the second, where a cannon captures.
#[inline(always)]
pub(super) fn over(tables: &Tables, from: Square, occupied: Bitboard) -> Bitboard {
    let mut to = Bitboard::EMPTY;
    for direction in [0, 2, 4, 6] {
        let screen = ray(tables, direction, from, occupied) & occupied;
        if !screen.is_empty() {
            to |= ray(tables, direction, screen.first(), occupied);
        }
    }
    to
}
