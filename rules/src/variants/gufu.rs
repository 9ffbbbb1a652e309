//! Gufu shogi (Georg Dunkel, 1998-2001): six squares, two kings, and two *shared* pieces that turn like a whirlwind.
//!
//! Rules implemented: the inventor's, as laid down in the project's rules page; the third occurrence of a position is a draw, and so is
//! reaching the ply cap (choices, see [`RuleOptions`]). A shared piece gives check when **both** kings stand in its attack set; it then
//! belongs to whoever has just moved, so ownership needs no state. The board turned by 180 degrees with all facings is the same game, and
//! so, past the setup, are the colours swapped; there is no mirror symmetry, since pieces turn clockwise.
//!
//! `piece` holds squares, facings and attack sets; `moves` the move type; `position` the rules; `text` the notation; `picture` how
//! positions are drawn.

mod moves;
mod picture;
mod piece;
mod position;
mod text;

pub use moves::{Actor, Move, MoveKind};
pub use piece::{Facing, Piece, Square};
pub use position::Position;

use crate::variant::{Chase, Declaration, Grid, RuleOptions, Variant, VariantId, ZoneStart};

/// Gufu shogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gufu;

impl Variant for Gufu {
    const ID: VariantId = VariantId::Gufu;
    const GRID: Grid = Grid { files: 2, ranks: 3 };
    const RULES_VERSION: u32 = 1;
    const OPTIONS: RuleOptions = RuleOptions {
        repetitions: 3,
        ply_cap: 200,
        no_progress: 0,
        chase: Chase::None,
        declaration: Declaration::Off,
        zone_start_promotion: ZoneStart::Mandatory,
    };
    type Position = Position;
}
