//! Gufu: 27 planes of 3 x 2 squares, 93 actions.
//!
//! The rules know two symmetries: the board turned by 180 degrees, and past the setup the colours swapped. Planes are from the mover's
//! side, which takes care of the colours; and the board is turned so that the mover's king stands on file 1 (while it is in hand: the
//! opponent's king; with both in hand the board is empty of kings and stays). A turn has no fixed square, so each position past the setup
//! shares its planes with exactly three others, and move indices agree among the four.
//!
//! | planes | hold |
//! |---|---|
//! | 0-15 | one 1 at the piece's square: mover's king, opponent's king, Kaze, Arashi, by four facings each (north first, clockwise) |
//! | 16-19 | all ones while the piece is not on the board: mover's king, opponent's king, Kaze, Arashi |
//! | 20-23 | all ones in the first to fourth ply of the setup |
//! | 24 | ones at the squares of checking pieces |
//! | 25 | all ones when the mover is in check |
//! | 26 | all ones, so that the edge of the board can be seen |

use rules::variants::gufu::{Gufu, Move, MoveKind, Piece, Position, Square};
use rules::{Game, Position as _};

use super::{Encoder, Shape};

/// The encoder of gufu.
#[derive(Clone, Copy, Debug, Default)]
pub struct GufuEncoder;

const IN_HAND: usize = 16;
const SETUP: usize = 20;
const CHECKERS: usize = 24;
const IN_CHECK: usize = 25;
const ONES: usize = 26;
const PLANES: usize = 27;

/// Actions of one actor: six squares to step to or capture on, a turn in place, and drops on six squares with four facings.
const TURN: usize = Square::COUNT;
const DROP: usize = TURN + 1;
const PER_ACTOR: usize = DROP + Square::COUNT * 4;

impl Encoder<Gufu> for GufuEncoder {
    fn shape(&self) -> Shape {
        Shape {
            planes: PLANES,
            ranks: 3,
            files: 2,
            actions: 3 * PER_ACTOR,
            policy_planes: 0,
        }
    }

    fn version(&self) -> u32 {
        1
    }

    fn encode(&self, game: &Game<Gufu>, planes: &mut [f32]) {
        debug_assert_eq!(planes.len(), PLANES * Square::COUNT);
        let position = game.position();
        let position = if turns(position) {
            position.rotated()
        } else {
            *position
        };
        planes.fill(0.0);
        fill(planes, ONES);
        if position.in_setup() {
            fill(planes, SETUP + usize::from(position.ply()) - 1);
        }
        if position.in_check() {
            fill(planes, IN_CHECK);
        }
        for (i, piece) in from_movers_side(&position).into_iter().enumerate() {
            match position.place(piece) {
                None => fill(planes, IN_HAND + i),
                Some((square, facing)) => {
                    planes[(i * 4 + facing.index()) * Square::COUNT + square.index()] = 1.0;
                }
            }
        }
        for piece in position.checkers() {
            if let Some((square, _)) = position.place(piece) {
                planes[CHECKERS * Square::COUNT + square.index()] = 1.0;
            }
        }
    }

    fn history(&self, _: &Game<Gufu>) -> u64 {
        0
    }

    fn action(&self, position: &Position, mv: Move) -> usize {
        let (to, facing) = if turns(position) {
            (mv.to.rotated(), mv.facing.opposite())
        } else {
            (mv.to, mv.facing)
        };
        mv.actor.index() * PER_ACTOR
            + match mv.kind {
                MoveKind::Step | MoveKind::Capture => to.index(),
                MoveKind::Turn => TURN,
                MoveKind::Drop => DROP + to.index() * 4 + facing.index(),
            }
    }

    fn mirror(&self) -> Option<&[u32]> {
        None
    }
}

/// Fills one plane with ones.
fn fill(planes: &mut [f32], plane: usize) {
    planes[plane * Square::COUNT..][..Square::COUNT].fill(1.0);
}

/// Returns the pieces in the order of the planes.
pub(super) fn from_movers_side(position: &Position) -> [Piece; 4] {
    let mover = position.side_to_move();
    [
        Piece::king(mover),
        Piece::king(mover.other()),
        Piece::Kaze,
        Piece::Arashi,
    ]
}

/// Tells whether the board is turned: the king that decides stands on file 2.
pub(super) fn turns(position: &Position) -> bool {
    let [own, other, ..] = from_movers_side(position);
    position
        .place(own)
        .or(position.place(other))
        .is_some_and(|(square, _)| square.file() == 2)
}
