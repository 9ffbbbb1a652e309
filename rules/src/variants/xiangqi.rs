//! Xiangqi (Chinese chess): nine files, ten ranks, a river and two palaces.
//!
//! Rules implemented: the project's rules page, after the rules of the Asian Xiangqi Federation as far as a program can judge them. No legal
//! move loses, in check or not; a position in which neither side has a man that can cross the river is a draw; the third occurrence of a
//! position (men, side) is a draw, unless exactly one side gave check all the way, or with no check in between exactly one side chased a man
//! all the way (`chase = "axf"`): it loses; 100 plies without a capture are a draw, checks beyond ten a side and their answers not counted.

mod chase;
mod names;
mod worth;

use crate::board::movement::{DIAGONAL, Leap, Movement, ORTHOGONAL, Region, Slide};
use crate::board::tables::Tables;
use crate::board::{Bitboard, Board, Kind, Move, Naming, Promotion, Ruleset, Worth};
use crate::notation::Notation;
use crate::outcome::{Outcome, Reason, Side};
use crate::position::Position as _;
use crate::variant::{Chase, Declaration, Grid, RuleOptions, Variant, VariantId, ZoneStart};

/// Xiangqi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xiangqi;

impl Variant for Xiangqi {
    const ID: VariantId = VariantId::Xiangqi;
    const GRID: Grid = Grid {
        files: 9,
        ranks: 10,
    };
    const RULES_VERSION: u32 = 1;
    const OPTIONS: RuleOptions = RuleOptions {
        repetitions: 3,
        ply_cap: 400,
        no_progress: 100,
        chase: Chase::Axf,
        declaration: Declaration::Off,
        zone_start_promotion: ZoneStart::Mandatory,
    };
    const PERPETUAL_CHECK_LOSES: bool = true;
    const TEXTS: Option<Notation> = Some(Self::NOTATION);
    const CHECKS_SPOIL_REPETITION: bool = true;
    const CHECKS_COUNTED: u32 = 10;
    type Position = Board<Self>;
}

const GENERAL: usize = 0;
const ADVISOR: usize = 1;
const ELEPHANT: usize = 2;
const HORSE: usize = 3;
const CHARIOT: usize = 4;
const CANNON: usize = 5;
const SOLDIER: usize = 6;

const PALACE: Option<Region> = Some(Region {
    files: (3, 5),
    ranks: (0, 2),
});
const HOME_HALF: Option<Region> = Some(Region {
    files: (0, 8),
    ranks: (0, 4),
});
/// The first rank past the river, from one's home.
const RIVER: usize = 5;

const MOVEMENTS: [Movement; 7] = [
    Movement {
        steps: &ORTHOGONAL,
        region: PALACE,
        ..Movement::NONE
    },
    Movement {
        steps: &DIAGONAL,
        region: PALACE,
        ..Movement::NONE
    },
    Movement {
        leaps: &[
            Leap {
                leg: (1, 1),
                to: &[(2, 2)],
            },
            Leap {
                leg: (1, -1),
                to: &[(2, -2)],
            },
            Leap {
                leg: (-1, -1),
                to: &[(-2, -2)],
            },
            Leap {
                leg: (-1, 1),
                to: &[(-2, 2)],
            },
        ],
        region: HOME_HALF,
        ..Movement::NONE
    },
    Movement {
        leaps: &[
            Leap {
                leg: (0, 1),
                to: &[(-1, 2), (1, 2)],
            },
            Leap {
                leg: (1, 0),
                to: &[(2, 1), (2, -1)],
            },
            Leap {
                leg: (0, -1),
                to: &[(1, -2), (-1, -2)],
            },
            Leap {
                leg: (-1, 0),
                to: &[(-2, -1), (-2, 1)],
            },
        ],
        ..Movement::NONE
    },
    Movement {
        slide: Slide::Orthogonal,
        ..Movement::NONE
    },
    Movement {
        slide: Slide::Cannon,
        ..Movement::NONE
    },
    Movement {
        steps: &[(0, 1)],
        gained: &[(-1, 0), (1, 0)],
        gained_from: RIVER,
        ..Movement::NONE
    },
];
static TABLES: Tables = Tables::new(Xiangqi::GRID, &MOVEMENTS, GENERAL, 0);

const fn kind(letter: u8, number: u8) -> Kind {
    Kind {
        letter,
        movement: number,
        promoted: None,
        base: number,
        points: 0,
    }
}

impl Ruleset for Xiangqi {
    const KINDS: &'static [Kind] = &[
        kind(b'K', 0),
        kind(b'A', 1),
        kind(b'B', 2),
        kind(b'N', 3),
        kind(b'R', 4),
        kind(b'C', 5),
        kind(b'P', 6),
    ];
    const NAMES: &'static [Naming] = &names::NAMES;
    const MOVEMENTS: &'static [Movement] = &MOVEMENTS;
    const HAND_KINDS: usize = 0;
    const HAND_ORDER: &'static [u8] = &[];
    const KING: u8 = GENERAL as u8;
    const PAWN: Option<u8> = None;
    const PAWN_DROP_MATES: bool = true;
    const PROMOTION: Promotion = Promotion::Mandatory;
    const ZONE_RANKS: usize = 0;
    const KINGS_FACE: bool = true;
    const COUNTS_FROM_TEXT: bool = true;
    const NOTATION: Notation = Notation::Fen;
    const START: &'static str =
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    fn tables() -> &'static Tables {
        &TABLES
    }

    fn worth() -> &'static Worth {
        &worth::WORTH
    }

    /// With a chariot, a cannon or a horse there is nearly always a move that does no harm.
    fn may_pass(board: &Board<Self>) -> bool {
        let able = board.set(HORSE) | board.set(CHARIOT) | board.set(CANNON);
        able.meets(board.side(board.side_to_move()))
    }

    fn no_move_outcome(loser: Side, in_check: bool) -> Outcome {
        let reason = if in_check {
            Reason::Checkmate
        } else {
            Reason::Stalemate
        };
        Outcome::win(loser.other(), reason)
    }

    #[inline]
    fn is_progress(board: &Board<Self>, mv: Move<Self>) -> bool {
        board.occupied().contains(mv.to())
    }

    /// Neither side has a man that can cross the river.
    #[inline]
    fn is_dead_draw(board: &Board<Self>) -> bool {
        let crossing =
            board.set(HORSE) | board.set(CHARIOT) | board.set(CANNON) | board.set(SOLDIER);
        crossing == Bitboard::EMPTY
    }

    fn chasers(positions: &[Board<Self>], moves: &[Move<Self>]) -> [bool; 2] {
        chase::chasers(positions, moves)
    }
}

/// Tells whether a side can never mate: it has no man that can cross the river.
pub fn cannot_mate(board: &Board<Xiangqi>, side: Side) -> bool {
    [HORSE, CHARIOT, CANNON, SOLDIER]
        .into_iter()
        .all(|movement| board.movers(movement, side).is_empty())
}
