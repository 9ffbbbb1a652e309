//! `EuroShogi` (Vladimir Pribylinec, 2000): shogi on eight by eight with European men.
//!
//! Rules implemented: the project's rules page. A move that ends or starts in the far three ranks promotes and must (choice for the start:
//! see `zone_start_promotion`); a pawn drop may mate; two unpromoted pawns on a file are illegal; stalemate is a draw; the third occurrence of
//! a position is a draw, unless exactly one side gave check with every move since the first: it loses; 100 plies without capture, drop or move
//! of an unpromoted pawn are a draw (choice).

mod names;
mod worth;

use crate::board::movement::{DIAGONAL, GOLD, KING, Movement, ORTHOGONAL, Slide};
use crate::board::tables::Tables;
use crate::board::{Bitboard, Board, Kind, Move, Naming, Promotion, Ruleset, Worth};
use crate::notation::Notation;
use crate::outcome::{Outcome, Reason, Side};
use crate::variant::{Chase, Declaration, Grid, RuleOptions, Variant, VariantId, ZoneStart};

/// `EuroShogi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EuroShogi;

impl Variant for EuroShogi {
    const ID: VariantId = VariantId::EuroShogi;
    const GRID: Grid = Grid { files: 8, ranks: 8 };
    const RULES_VERSION: u32 = 1;
    const OPTIONS: RuleOptions = RuleOptions {
        repetitions: 3,
        ply_cap: 400,
        no_progress: 100,
        chase: Chase::None,
        declaration: Declaration::Off,
        zone_start_promotion: ZoneStart::Mandatory,
    };
    const PERPETUAL_CHECK_LOSES: bool = true;
    const TEXTS: Option<Notation> = Some(Self::NOTATION);
    type Position = Board<Self>;
}

const PAWN: usize = 0;
const PROMOTING: Movement = Movement {
    promotes: true,
    ..Movement::NONE
};
const MOVEMENTS: [Movement; 8] = [
    Movement {
        steps: &[(0, 1)],
        ..PROMOTING
    },
    Movement {
        steps: &[(-1, 2), (1, 2), (-1, 0), (1, 0)],
        ..PROMOTING
    },
    Movement {
        steps: &GOLD,
        ..Movement::NONE
    },
    Movement {
        slide: Slide::Diagonal,
        ..PROMOTING
    },
    Movement {
        slide: Slide::Orthogonal,
        ..PROMOTING
    },
    Movement {
        slide: Slide::Diagonal,
        steps: &ORTHOGONAL,
        ..Movement::NONE
    },
    Movement {
        slide: Slide::Orthogonal,
        steps: &DIAGONAL,
        ..Movement::NONE
    },
    Movement {
        steps: &KING,
        ..Movement::NONE
    },
];
const KING_MOVEMENT: usize = 7;
const ZONE_RANKS: usize = 3;
static TABLES: Tables = Tables::new(EuroShogi::GRID, &MOVEMENTS, KING_MOVEMENT, ZONE_RANKS);

const fn kind(letter: u8, movement: u8, promoted: Option<u8>, base: u8) -> Kind {
    Kind {
        letter,
        movement,
        promoted,
        base,
        points: 0,
    }
}

impl Ruleset for EuroShogi {
    const KINDS: &'static [Kind] = &[
        kind(b'P', 0, Some(6), 0),
        kind(b'N', 1, Some(7), 1),
        kind(b'G', 2, None, 2),
        kind(b'B', 3, Some(8), 3),
        kind(b'R', 4, Some(9), 4),
        kind(b'K', 7, None, 5),
        kind(b'P', 2, None, 0),
        kind(b'N', 2, None, 1),
        kind(b'B', 5, None, 3),
        kind(b'R', 6, None, 4),
    ];
    const NAMES: &'static [Naming] = &names::NAMES;
    const MOVEMENTS: &'static [Movement] = &MOVEMENTS;
    const HAND_KINDS: usize = 5;
    const HAND_ORDER: &'static [u8] = &[4, 3, 2, 1, 0];
    const KING: u8 = 5;
    const PAWN: Option<u8> = Some(0);
    const PAWN_DROP_MATES: bool = true;
    const PROMOTION: Promotion = Promotion::Mandatory;
    const ZONE_RANKS: usize = ZONE_RANKS;
    const KINGS_FACE: bool = false;
    const NOTATION: Notation = Notation::FenWithHands;
    const START: &'static str = "1nbgkgn1/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/1NGKGBN1[] w - - 0 1";

    fn tables() -> &'static Tables {
        &TABLES
    }

    fn worth() -> &'static Worth {
        &worth::WORTH
    }

    fn no_move_outcome(loser: Side, in_check: bool) -> Outcome {
        if in_check {
            Outcome::win(loser.other(), Reason::Checkmate)
        } else {
            Outcome::draw(Reason::Stalemate)
        }
    }

    /// A capture, a drop or a move of an unpromoted pawn.
    #[inline]
    fn is_progress(board: &Board<Self>, mv: Move<Self>) -> bool {
        let Some(from) = mv.from() else { return true };
        (board.occupied() & Bitboard::of(mv.to()) | board.set(PAWN) & Bitboard::of(from))
            != Bitboard::EMPTY
    }
}
