//! Every square that a side attacks, in one walk over its men.

use pulp::NullaryFnOnce;

use super::bitboard::Bitboard;
use super::movement::Slide;
use super::position::Board;
use super::ruleset::Ruleset;
use super::tables::MAX_MOVEMENTS;
use super::{safety, slide};
use crate::outcome::Side;

/// Returns the squares on which `by` could capture a man of the other side if one stood there, pins and facing kings left aside.
pub(super) fn attacked<R: Ruleset>(board: &Board<R>, by: Side) -> Bitboard {
    pulp::Arch::new().dispatch(Attacked { board, by })
}

/// Returns the same apart for each movement of the men that attack.
pub(super) fn attacked_by_each<R: Ruleset>(
    board: &Board<R>,
    by: Side,
) -> [Bitboard; MAX_MOVEMENTS] {
    pulp::Arch::new().dispatch(AttackedByEach { board, by })
}

/// [`attacked`], compiled for several generations of processors.
struct Attacked<'a, R> {
    board: &'a Board<R>,
    by: Side,
}

impl<R: Ruleset> NullaryFnOnce for Attacked<'_, R> {
    type Output = Bitboard;

    #[inline(always)]
    fn call(self) -> Bitboard {
        let mut all = Bitboard::EMPTY;
        for each in each(self.board, self.by) {
            all |= each;
        }
        all
    }
}

/// [`attacked_by_each`], compiled for several generations of processors.
struct AttackedByEach<'a, R> {
    board: &'a Board<R>,
    by: Side,
}

impl<R: Ruleset> NullaryFnOnce for AttackedByEach<'_, R> {
    type Output = [Bitboard; MAX_MOVEMENTS];

    #[inline(always)]
    fn call(self) -> Self::Output {
        each(self.board, self.by)
    }
}

#[inline(always)]
fn each<R: Ruleset>(board: &Board<R>, by: Side) -> [Bitboard; MAX_MOVEMENTS] {
    let occupied = board.occupied();
    let tables = R::tables();
    let mut each = [Bitboard::EMPTY; MAX_MOVEMENTS];
    for_each_movement!(M of R {
        let men = board.movers(M, by);
        let mut found = Bitboard::EMPTY;
        if const { R::MOVEMENTS[M % R::MOVEMENTS.len()].is_pawn_like() } {
            let files = R::GRID.files as i8;
            found |= men.shifted([files, -files][by.index()]) & tables.all;
        } else if matches!(R::MOVEMENTS[M].slide, Slide::Cannon) {
            for from in men {
                found |= slide::over(tables, from, occupied);
            }
        } else {
            for from in men {
                found |= safety::attacks::<R, M>(by, from, occupied);
            }
        }
        each[M] = found;
    });
    each
}
