//! SHOWGIT: shogi under other names (`shogi` in the vectors), nine by nine.
//!
//! Rules implemented: the project's rules page for showgit. Promotion is optional on a move that starts or ends in the far three ranks and
//! forced for a man that could not move on; two unpromoted pawns on a file and a pawn drop that mates are illegal; no legal move loses; the
//! fourth occurrence of a position (men, hands, side) is a draw, unless exactly one side gave check with every move since the first of them:
//! it loses. With `declaration = "csa27"` an entering king wins by the 27-point rule of the Computer Shogi Association.
//!
//! `kif` and `csa` write and read moves and positions as the two common formats of game records do.

pub mod csa;
mod draft;
pub mod kif;
mod names;
mod worth;

use crate::board::movement::{DIAGONAL, GOLD, KING, Movement, ORTHOGONAL, Slide};
use crate::board::tables::Tables;
use crate::board::{Board, Kind, Naming, Promotion, Ruleset, Worth};
use crate::notation::Notation;
use crate::outcome::{Outcome, Reason, Side};
use crate::position::Position as _;
use crate::variant::{Chase, Declaration, Grid, RuleOptions, Variant, VariantId, ZoneStart};

/// Shogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Showgit;

impl Variant for Showgit {
    const ID: VariantId = VariantId::Showgit;
    const GRID: Grid = Grid { files: 9, ranks: 9 };
    const RULES_VERSION: u32 = 1;
    const OPTIONS: RuleOptions = RuleOptions {
        repetitions: 4,
        ply_cap: 512,
        no_progress: 0,
        chase: Chase::None,
        declaration: Declaration::Off,
        zone_start_promotion: ZoneStart::Mandatory,
    };
    const PERPETUAL_CHECK_LOSES: bool = true;
    const TEXTS: Option<Notation> = Some(Self::NOTATION);
    type Position = Board<Self>;
}

const PROMOTING: Movement = Movement {
    promotes: true,
    ..Movement::NONE
};
const MOVEMENTS: [Movement; 10] = [
    Movement {
        steps: &[(0, 1)],
        ..PROMOTING
    },
    Movement {
        slide: Slide::Forward,
        ..PROMOTING
    },
    Movement {
        steps: &[(-1, 2), (1, 2)],
        ..PROMOTING
    },
    Movement {
        steps: &[(0, 1), (1, 1), (1, -1), (-1, -1), (-1, 1)],
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
const KING_MOVEMENT: usize = 9;
const ZONE_RANKS: usize = 3;
static TABLES: Tables = Tables::new(Showgit::GRID, &MOVEMENTS, KING_MOVEMENT, ZONE_RANKS);

const fn kind(letter: u8, movement: u8, promoted: Option<u8>, base: u8, points: u8) -> Kind {
    Kind {
        letter,
        movement,
        promoted,
        base,
        points,
    }
}

impl Ruleset for Showgit {
    const KINDS: &'static [Kind] = &[
        kind(b'P', 0, Some(8), 0, 1),
        kind(b'L', 1, Some(9), 1, 1),
        kind(b'N', 2, Some(10), 2, 1),
        kind(b'S', 3, Some(11), 3, 1),
        kind(b'G', 4, None, 4, 1),
        kind(b'B', 5, Some(12), 5, 5),
        kind(b'R', 6, Some(13), 6, 5),
        kind(b'K', 9, None, 7, 0),
        kind(b'P', 4, None, 0, 1),
        kind(b'L', 4, None, 1, 1),
        kind(b'N', 4, None, 2, 1),
        kind(b'S', 4, None, 3, 1),
        kind(b'B', 7, None, 5, 5),
        kind(b'R', 8, None, 6, 5),
    ];
    const NAMES: &'static [Naming] = &names::NAMES;
    const MOVEMENTS: &'static [Movement] = &MOVEMENTS;
    const HAND_KINDS: usize = 7;
    const HAND_ORDER: &'static [u8] = &[6, 5, 4, 3, 2, 1, 0];
    const KING: u8 = 7;
    const PAWN: Option<u8> = Some(0);
    const PAWN_DROP_MATES: bool = false;
    const PROMOTION: Promotion = Promotion::Optional;
    const ZONE_RANKS: usize = ZONE_RANKS;
    const KINGS_FACE: bool = false;
    const NOTATION: Notation = Notation::Sfen;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    fn tables() -> &'static Tables {
        &TABLES
    }

    fn worth() -> &'static Worth {
        &worth::WORTH
    }

    fn no_move_outcome(loser: Side, in_check: bool) -> Outcome {
        let reason = if in_check {
            Reason::Checkmate
        } else {
            Reason::Stalemate
        };
        Outcome::win(loser.other(), reason)
    }

    fn declaration(board: &Board<Self>, options: &RuleOptions) -> Option<Outcome> {
        let side = board.side_to_move();
        let declared =
            options.declaration == Declaration::Csa27 && Count::of(board).can_declare(side);
        (declared && !board.in_check()).then_some(Outcome::win(side, Reason::Declaration))
    }
}

/// What an entering-king declaration counts, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Whether the king stands in the far three ranks.
    pub king_in_zone: bool,
    /// Own men there, the king apart.
    pub men_in_zone: u32,
    /// Points of the men there and in hand: 5 for rooks, bishops and their promoted forms, 1 for others, 0 for the king.
    pub points: u32,
}

impl Count {
    /// Counts.
    pub fn of(board: &Board<Showgit>) -> Self {
        let side = board.side_to_move();
        let zone = TABLES.zone(side);
        let men = board.side(side) & zone;
        let king_in_zone = zone.contains(board.king(side));
        let points_of = |kind: u8| u32::from(Showgit::KINDS[kind as usize].points);
        let on_board: u32 = men
            .into_iter()
            .filter_map(|square| board.piece(square))
            .map(|piece| points_of(piece.kind))
            .sum();
        let in_hand: u32 = (0..Showgit::HAND_KINDS)
            .map(|kind| board.hand(side).count(kind) * points_of(kind as u8))
            .sum();
        Self {
            king_in_zone,
            men_in_zone: men.count() - u32::from(king_in_zone),
            points: on_board + in_hand,
        }
    }

    /// Tells whether `side` may declare, unless it is in check.
    pub fn can_declare(&self, side: Side) -> bool {
        let wanted = match side {
            Side::First => 28,
            Side::Second => 27,
        };
        self.king_in_zone && self.men_in_zone >= 10 && self.points >= wanted
    }
}
