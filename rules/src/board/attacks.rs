//! Every square that a side attacks, in one walk over its men.

use pulp::NullaryFnOnce;

use super::bitboard::Bitboard;
use super::movement::Slide;
use super::position::Board;
use super::ruleset::Ruleset;
use super::{safety, slide};
use crate::outcome::Side;

/// Returns the squares on which `by` could capture a man of the other side if one stood there, pins and facing kings left aside.
pub(super) fn attacked<R: Ruleset>(board: &Board<R>, by: Side) -> Bitboard {
    pulp::Arch::new().dispatch(Attacked { board, by })
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
        let Self { board, by } = self;
        let occupied = board.occupied();
        let tables = R::tables();
        let mut found = Bitboard::EMPTY;
        for_each_movement!(M of R {
            let men = board.movers(M, by);
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
        });
        found
    }
}
