//! Gufu: pieces with their facings, the board turned as for planes, so that four equal positions are one to the net.
//!
//! | rows of a position | one is active |
//! |---|---|
//! | 96, or four times as many | for each piece on the board (mover's king, opponent's king, Kaze, Arashi): by facing and square; with threats by 1 if the opponent has a piece to move that reaches its square, plus 2 if the mover has. Kings reach for their owners, shared pieces for both |
//! | 4 | for each piece that is not on the board |
//! | 4 | in the first to fourth ply of the setup |
//! | 2 | for each shared piece that gives check |
//! | 1 | in check |
//!
//! | rows of moves | one is part |
//! |---|---|
//! | 93 | of every move: its action of [`GufuEncoder`] |
//! | 6 | of a capture: what captures, and whether Kaze or Arashi is captured |
//! | 3 | where exchanges are told: of a move that gives check, what moves. Nothing belongs to a side, so no move loses material |

use rules::variants::gufu::{Facing, Gufu, Move, MoveKind, Piece, Position, Square};
use rules::{Game, Position as _};

use super::{Features, PolicyMoves, RowMirror, SparseEncoder, SparseShape};
use crate::encoder::gufu::{from_movers_side, turns};
use crate::encoder::{Encoder, GufuEncoder};

/// The encoder of gufu to rows.
#[derive(Clone, Copy, Debug)]
pub struct SparseGufuEncoder {
    features: Features,
    moves: PolicyMoves,
}

const PLACES: usize = 4 * Square::COUNT;
const CAPTURES: usize = 93;
const CHECKS: usize = CAPTURES + 6;

impl SparseGufuEncoder {
    /// Makes the encoder.
    pub const fn new(features: Features, moves: PolicyMoves) -> Self {
        Self { features, moves }
    }

    const fn split(self) -> usize {
        match self.features {
            Features::Plain => 1,
            Features::Threats | Features::Tactics => 4,
        }
    }

    /// Returns which of the rows of a piece on `square` is active.
    fn part(self, position: &Position, square: Square) -> usize {
        if self.features == Features::Plain {
            return 0;
        }
        let mover = position.side_to_move();
        let reaches = |king: Piece| {
            position
                .attackers(square)
                .any(|piece| piece == king || Piece::SHARED.contains(&piece))
        };
        usize::from(reaches(Piece::king(mover.other())))
            + 2 * usize::from(reaches(Piece::king(mover)))
    }
}

impl SparseEncoder<Gufu> for SparseGufuEncoder {
    fn shape(&self) -> SparseShape {
        SparseShape {
            features: 4 * PLACES * self.split() + 4 + 4 + 2 + 1,
            active: 4 + 2 + 1,
            moves: match self.moves {
                PolicyMoves::Plain => CHECKS,
                PolicyMoves::Exchange | PolicyMoves::Tactics => CHECKS + 3,
            },
        }
    }

    fn version(&self) -> u32 {
        1
    }

    fn features(&self, game: &Game<Gufu>, rows: &mut Vec<u32>) {
        let position = game.position();
        let position = if turns(position) {
            position.rotated()
        } else {
            *position
        };
        let split = self.split();
        let in_hand = 4 * PLACES * split;
        let (setup, checkers) = (in_hand + 4, in_hand + 8);
        for (i, piece) in from_movers_side(&position).into_iter().enumerate() {
            rows.push(match position.place(piece) {
                None => (in_hand + i) as u32,
                Some((square, facing)) => {
                    let at = i * PLACES + facing.index() * Square::COUNT + square.index();
                    (at * split + self.part(&position, square)) as u32
                }
            });
        }
        if position.in_setup() {
            rows.push((setup + usize::from(position.ply()) - 1) as u32);
        }
        for piece in position.checkers() {
            rows.push((checkers + usize::from(piece == Piece::Arashi)) as u32);
        }
        if position.in_check() {
            rows.push((checkers + 2) as u32);
        }
    }

    fn move_rows(&self, position: &Position, mv: Move, rows: &mut Vec<u32>) {
        rows.push(GufuEncoder.action(position, mv) as u32);
        if mv.kind == MoveKind::Capture {
            let arashi = position
                .place(Piece::Arashi)
                .is_some_and(|(square, _): (Square, Facing)| square == mv.to);
            rows.push((CAPTURES + 2 * mv.actor.index() + usize::from(arashi)) as u32);
        }
        if self.moves != PolicyMoves::Plain {
            let mut next = *position;
            next.play(mv);
            if next.in_check() {
                rows.push((CHECKS + mv.actor.index()) as u32);
            }
        }
    }

    fn history(&self, _: &Game<Gufu>) -> u64 {
        0
    }

    fn mirror(&self) -> Option<&RowMirror> {
        None
    }
}
