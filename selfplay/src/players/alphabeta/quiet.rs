//! The quiescence search: captures and promotions until none is worth looking at, and every answer to a check.

use rules::{Heuristics, Position, Variant};

use super::order::{self, pick};
use super::search::{MATE_BOUND, Run, Window};

/// How far a capture may fall short of what would matter and still be looked at.
const MARGIN: i32 = 150;

impl<V: Variant> Run<'_, V> {
    /// Returns the value for the side to move of a position whose captures have been played out.
    pub(super) fn quiesce(&mut self, mut window: Window, at: usize) -> i32 {
        if self.frames.len() <= at + 1 {
            return self.game.position().evaluate();
        }
        let in_check = self.game.position().in_check();
        let floor = if in_check {
            Window::WORST
        } else {
            self.game.position().evaluate()
        };
        if floor >= window.beta {
            return floor;
        }
        let mut legal = std::mem::take(&mut self.frames[at].legal);
        let mut ranked = std::mem::take(&mut self.frames[at].ranked);
        let position = *self.game.position();
        if in_check {
            position.legal_moves(&mut legal);
        } else {
            position.forcing_moves(&mut legal);
        }
        let best = if in_check && legal.is_empty() {
            self.value_of(position.no_move_outcome(), at)
        } else {
            order::rank_captures::<V>(&position, &legal, &mut ranked);
            window.alpha = window.alpha.max(floor);
            self.quiesce_moves(&position, &mut ranked, (window, floor), at)
        };
        self.frames[at].legal = legal;
        self.frames[at].ranked = ranked;
        best
    }

    fn quiesce_moves(
        &mut self,
        position: &V::Position,
        moves: &mut [order::Ranked<V>],
        (mut window, floor): (Window, i32),
        at: usize,
    ) -> i32 {
        let in_check = position.in_check();
        let mut best = floor;
        for number in 0..moves.len() {
            let (_, mv) = pick::<V>(moves, number);
            if best > -MATE_BOUND {
                let gain = position.gain(mv);
                if in_check {
                    // One answer that holds is enough to give up on those that only lose material.
                    if gain == 0 && number > 3 {
                        continue;
                    }
                } else if floor + gain + MARGIN <= window.alpha {
                    best = best.max(floor + gain + MARGIN);
                    continue;
                } else if gain < position.stake(mv) && !position.wins_exchange(mv, 0) {
                    continue;
                }
            }
            if !self.play(mv) {
                break;
            }
            let value = -self.quiesce(window.turned(), at + 1);
            self.take_back();
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                window.alpha = window.alpha.max(value);
                if value >= window.beta {
                    break;
                }
            }
        }
        best
    }
}
