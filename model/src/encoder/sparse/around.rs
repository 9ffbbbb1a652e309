//! What stands and what is attacked around the two kings, and where moves lead as seen from them.
//!
//! A row of a man and its square says nothing of a king's: what a man does there to a king has to be learned anew for every two squares. Rows of
//! squares relative to a king are shared by all squares that it may stand on, as those of men relative to kings in the evaluations of shogi programs.

use rules::board::{Bitboard, Board, Ruleset, Square};
use rules::{Position as _, Side};

use super::reach::Reach;

/// Squares at most two files and two ranks from a king, itself left out.
pub(super) const SLOTS: usize = 24;

/// Squares next to a king.
const NEXT: usize = 8;

/// The number of no slot: a king's own square, and squares farther away.
const FAR: u8 = u8::MAX;

/// The slots of squares around kings as the first player sees them. Seen by the second player, slots come in reverse order.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    squares: usize,
    /// By king's square and square.
    slots: Vec<u8>,
    /// By king's square: the squares next to it, and those two steps away.
    rings: Vec<[Bitboard; 2]>,
}

/// Where the rows of a slot begin, within those of a king.
#[derive(Clone, Copy)]
enum Place {
    /// Its number among the slots next to the king.
    Next(usize),
    /// Its number among the other slots.
    Near(usize),
}

impl Surroundings {
    pub(super) fn new<R: Ruleset>() -> Self {
        let squares = R::GRID.squares();
        let mut slots = vec![FAR; squares * squares];
        let mut rings = vec![[Bitboard::EMPTY; 2]; squares];
        for king in (0..squares).map(|square| Square::new(square as u8)) {
            for slot in 0..SLOTS {
                let (right, forward) = steps(slot);
                let Some(square) = king.offset(R::GRID, Side::First, right, forward) else {
                    continue;
                };
                slots[king.index() * squares + square.index()] = slot as u8;
                let ring = usize::from(matches!(place(slot), Place::Near(_)));
                rings[king.index()][ring] |= Bitboard::of(square);
            }
        }
        Self {
            squares,
            slots,
            rings,
        }
    }

    /// Returns the slot of `square` around a king, seen by `mover`; `None` if it is farther away.
    #[inline]
    pub(super) fn slot(&self, mover: Side, king: Square, square: Square) -> Option<usize> {
        let slot = self.slots[king.index() * self.squares + square.index()];
        (slot != FAR).then(|| match mover {
            Side::First => usize::from(slot),
            Side::Second => SLOTS - 1 - usize::from(slot),
        })
    }

    /// Adds the rows of the squares around both kings, the mover's first, from `base` on.
    pub(super) fn rows<R: Ruleset>(
        &self,
        board: &Board<R>,
        reach: &Reach,
        base: usize,
        rows: &mut Vec<u32>,
    ) {
        let mover = board.side_to_move();
        for (i, side) in [mover, mover.other()].into_iter().enumerate() {
            let king = board.king(side);
            let [next, near] = self.rings[king.index()];
            for square in next | near & board.occupied() {
                let Some(slot) = self.slot(mover, king, square) else {
                    continue;
                };
                let content = board.piece(square).map_or(0, |piece| {
                    let movement = usize::from(R::KINDS[usize::from(piece.kind)].movement);
                    let owner = usize::from(piece.side != side);
                    1 + owner * R::MOVEMENTS.len() + movement
                });
                let attacked = usize::from(reach.attacks(side.other(), square));
                let row = match place(slot) {
                    Place::Next(at) => (at * contents::<R>() + content) * 2 + attacked,
                    Place::Near(at) => {
                        let man = at * (contents::<R>() - 1) + content - 1;
                        NEXT * contents::<R>() * 2 + man * 4 + reach.part(side, square)
                    }
                };
                rows.push((base + i * rows_of_a_king::<R>() + row) as u32);
            }
        }
    }
}

/// Returns the number of rows of the squares around both kings.
pub(super) const fn row_count<R: Ruleset>() -> usize {
    2 * rows_of_a_king::<R>()
}

/// Returns the row, from 0, with left and right swapped.
pub(super) fn mirrored_row<R: Ruleset>(row: usize) -> usize {
    let (king, row) = (row / rows_of_a_king::<R>(), row % rows_of_a_king::<R>());
    let next = NEXT * contents::<R>() * 2;
    let per_slot = [contents::<R>() * 2, (contents::<R>() - 1) * 4];
    let is_near = usize::from(row >= next);
    let within = row - is_near * next;
    let (at, rest) = (within / per_slot[is_near], within % per_slot[is_near]);
    let is_it = |slot: &usize| match place(*slot) {
        Place::Next(other) => is_near == 0 && other == at,
        Place::Near(other) => is_near == 1 && other == at,
    };
    let slot = (0..SLOTS).find(is_it).unwrap_or_default();
    let (Place::Next(mirrored) | Place::Near(mirrored)) = place(mirrored_slot(slot));
    king * rows_of_a_king::<R>() + is_near * next + mirrored * per_slot[is_near] + rest
}

/// Returns the slot with left and right swapped.
pub(super) const fn mirrored_slot(slot: usize) -> usize {
    let square = square_of(slot);
    slot_of(square / 5 * 5 + 4 - square % 5)
}

/// What a square may hold: nothing, or a man of the king's side or of the other one, by how it moves.
const fn contents<R: Ruleset>() -> usize {
    1 + 2 * R::MOVEMENTS.len()
}

const fn rows_of_a_king<R: Ruleset>() -> usize {
    NEXT * contents::<R>() * 2 + (SLOTS - NEXT) * (contents::<R>() - 1) * 4
}

/// Returns the square of a slot in a board of five by five around a king, from the rear left on.
const fn square_of(slot: usize) -> usize {
    if slot < SLOTS / 2 { slot } else { slot + 1 }
}

const fn slot_of(square: usize) -> usize {
    if square < SLOTS / 2 {
        square
    } else {
        square - 1
    }
}

/// Returns how far a slot is to the right and ahead of the king.
const fn steps(slot: usize) -> (i8, i8) {
    let square = square_of(slot);
    ((square % 5) as i8 - 2, (square / 5) as i8 - 2)
}

const fn place(slot: usize) -> Place {
    const PLACES: [Place; SLOTS] = {
        let mut places = [Place::Next(0); SLOTS];
        let (mut slot, mut next, mut near) = (0, 0, 0);
        while slot < SLOTS {
            let (right, forward) = steps(slot);
            if right.abs() < 2 && forward.abs() < 2 {
                places[slot] = Place::Next(next);
                next += 1;
            } else {
                places[slot] = Place::Near(near);
                near += 1;
            }
            slot += 1;
        }
        places
    };
    PLACES[slot]
}
