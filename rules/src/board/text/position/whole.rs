//! What only the whole position shows to be wrong.

use super::{Field, Parsed, Parser, Problem, kind_of};
use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::hand::Hand;
use crate::board::movement::Slide;
use crate::board::piece::Piece;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::board::safety::{Setting, is_king_attacked};
use crate::board::tables::{MAX_MOVEMENTS, leap_slot};
use crate::outcome::Side;
use crate::position::Position as _;

impl<R: Ruleset> Parser<R> {
    /// Checks what only the whole position shows.
    pub(super) fn finish(mut self, side: Field<'_>) -> Parsed<Board<R>> {
        for owner in [Side::First, Side::Second] {
            let king = Piece {
                kind: R::KING,
                side: owner,
            };
            if self.board.pieces(king) == Bitboard::EMPTY {
                return Err(Problem::new(
                    1,
                    format!("the {} player has no king", owner.name()),
                ));
            }
            if R::HAND_KINDS == 0
                && let Some(square) = self.misplaced(owner)
            {
                return Err(Problem::new(
                    self.places[square.index()],
                    "this man can never come here",
                ));
            }
        }
        if let Some(letter) = self.too_many() {
            let most = Hand::MOST_OF_A_KIND;
            let problem = format!("more than {most} `{letter}` on the board and in hand");
            return Err(Problem::new(1, problem));
        }
        let us = self.board.side_to_move();
        let king = self.board.king(us.other());
        if is_king_attacked(&self.board, king, us, Setting::of(&self.board, us)) {
            let problem = format!(
                "the {} player is to move and could capture the king",
                us.name()
            );
            return Err(Problem::new(side.at, problem));
        }
        self.board.find_checkers();
        Ok(self.board)
    }

    /// Returns the letter of a kind of which there are too many men, on the board and in hand together.
    fn too_many(&self) -> Option<char> {
        let mut counts = [0; 8];
        for square in self.board.occupied() {
            if let Some(piece) = self.board.piece(square) {
                let base = R::KINDS[piece.kind as usize].base;
                // Kings come last among what is unpromoted, and there is one of each.
                counts[usize::from(base) % 8] += 1;
            }
        }
        (0..R::HAND_KINDS)
            .find(|&kind| {
                let [first, second] = [Side::First, Side::Second].map(|side| self.board.hand(side));
                counts[kind] + first.count(kind) + second.count(kind) > Hand::MOST_OF_A_KIND
            })
            .map(|kind| char::from(R::KINDS[kind].letter))
    }

    /// Returns a man that no moves lead to its square from where men of its movement stand at the start.
    fn misplaced(&self, owner: Side) -> Option<Square> {
        let tables = R::tables();
        let start = home::<R>(owner);
        for (m, movement) in R::MOVEMENTS.iter().enumerate() {
            if movement.slide != Slide::None {
                continue;
            }
            let mut reached = start[m];
            loop {
                let mut further = reached;
                for from in reached {
                    further |= tables.steps[m][owner.index()][from.index()];
                    if !movement.leaps.is_empty() {
                        for (_, to) in tables.leaps[leap_slot(movement)][from.index()] {
                            further |= to & tables.region[m][owner.index()];
                        }
                    }
                }
                if further == reached {
                    break;
                }
                reached = further;
            }
            let wrong = self.board.movers(m, owner).without(reached);
            if wrong != Bitboard::EMPTY {
                return Some(wrong.first());
            }
        }
        None
    }
}

/// Where the men of each movement stand at the start.
fn home<R: Ruleset>(owner: Side) -> [Bitboard; MAX_MOVEMENTS] {
    let mut sets = [Bitboard::EMPTY; MAX_MOVEMENTS];
    let (mut file, mut rank) = (0, R::GRID.ranks - 1);
    for found in R::START.chars().take_while(|&found| found != ' ') {
        match found {
            '/' => (file, rank) = (0, rank - 1),
            '1'..='9' => file += found as usize - '0' as usize,
            letter => {
                let side = if letter.is_ascii_uppercase() {
                    Side::First
                } else {
                    Side::Second
                };
                if let Some(kind) = kind_of::<R>(letter, false)
                    && side == owner
                {
                    let movement = R::KINDS[kind as usize].movement as usize;
                    sets[movement] |= Bitboard::of(Square::at(R::GRID, file, rank));
                }
                file += 1;
            }
        }
    }
    sets
}
