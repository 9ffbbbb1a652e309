//! One node of the tree: what can be known without searching it, and the search of its moves.

use rules::{Heuristics, MoveOf, Position, Variant};

use super::{MATE, MATE_BOUND, Run, Window};
use crate::players::alphabeta::order::{self, Hints, is_killer, is_losing, pick};
use crate::players::alphabeta::table::Bound;

/// What a node's search goes by.
#[derive(Clone, Copy)]
struct Node {
    depth: i32,
    window: Window,
    at: usize,
    in_check: bool,
    /// The static evaluation; of no meaning in check.
    estimate: i32,
}

/// Down to which value below the static evaluation nothing is searched, for each ply of depth left.
const FUTILITY: i32 = 140;
/// The greatest depth at which the static evaluation may decide.
const FUTILE_DEPTH: i32 = 3;

impl<V: Variant> Run<'_, V> {
    /// Puts the root's moves into the order in which the first iteration searches them; equal ones stay as they are.
    pub(super) fn rank_root(&mut self, moves: &mut [MoveOf<V>]) {
        let mut ranked = Vec::new();
        let hints = Hints {
            table: 0,
            killers: [None; 2],
            history: self.history,
        };
        order::rank::<V>(self.game.position(), moves, &hints, &mut ranked);
        ranked.sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
        for (mv, (_, ranked)) in moves.iter_mut().zip(ranked) {
            *mv = ranked;
        }
    }

    /// Returns the value of the position for the side to move, `at` plies from the root, searched to `depth`. Outside the window it is only a
    /// bound. `may_pass` is false right after a pass.
    pub(super) fn visit(&mut self, depth: i32, window: Window, at: usize, may_pass: bool) -> i32 {
        self.frames[at].line.clear();
        if let Some((_, outcome)) = self.game.cycle() {
            return self.value_of(outcome, at);
        }
        let in_check = self.game.position().in_check();
        let depth = depth + i32::from(in_check && at < 2 * self.depth as usize);
        if depth <= 0 || self.frames.len() <= at + 1 {
            return self.quiesce(window, at);
        }
        // No line can be better than a mate at the next ply, nor worse than one here.
        let window = Window {
            alpha: window.alpha.max(at as i32 - MATE),
            beta: window.beta.min(MATE - at as i32 - 1),
        };
        if window.alpha >= window.beta {
            return window.alpha;
        }
        let key = self.game.position().key();
        let known = self.table.get(key);
        let hint = known.map_or(0, |entry| entry.mv);
        if let Some(entry) = known.filter(|entry| window.is_null() && entry.depth() >= depth) {
            let score = entry.score(at);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= window.beta,
                Bound::Upper => score <= window.alpha,
            };
            if decides {
                return score;
            }
        }
        let node = Node {
            depth,
            window,
            at,
            in_check,
            estimate: if in_check {
                Window::WORST
            } else {
                self.game.position().evaluate()
            },
        };
        self.search_node(node, hint, may_pass)
    }

    fn search_node(&mut self, node: Node, hint: u16, may_pass: bool) -> i32 {
        let at = node.at;
        let mut legal = std::mem::take(&mut self.frames[at].legal);
        let mut ranked = std::mem::take(&mut self.frames[at].ranked);
        self.game.legal_moves(&mut legal);
        let value = if let Some(outcome) = self.game.outcome(&legal) {
            self.value_of(outcome, at)
        } else if let Some(value) = self.without_moves(node, legal[0], may_pass) {
            value
        } else {
            let hints = Hints {
                table: hint,
                killers: self.frames[at].killers,
                history: self.history,
            };
            order::rank::<V>(self.game.position(), &legal, &hints, &mut ranked);
            self.search_moves(node, &mut ranked)
        };
        self.frames[at].legal = legal;
        self.frames[at].ranked = ranked;
        value
    }

    /// Decides a node by its static evaluation, or by letting its side pass, if that is safe enough.
    fn without_moves(&mut self, node: Node, any: MoveOf<V>, may_pass: bool) -> Option<i32> {
        let Node {
            depth,
            window,
            at,
            in_check,
            estimate,
        } = node;
        if in_check || !window.is_null() || window.beta.abs() >= MATE_BOUND {
            return None;
        }
        if depth <= FUTILE_DEPTH && estimate - FUTILITY * depth >= window.beta {
            return Some(estimate);
        }
        if !may_pass || depth < 3 || estimate < window.beta || !self.game.pass(any) {
            return None;
        }
        let reduced = depth - 3 - depth / 4;
        let value = -self.visit(reduced, window.turned(), at + 1, false);
        self.take_back();
        // A mate after a pass proves nothing.
        (!self.stopped && value >= window.beta).then_some(if value >= MATE_BOUND {
            window.beta
        } else {
            value
        })
    }

    fn search_moves(&mut self, node: Node, moves: &mut [order::Ranked<V>]) -> i32 {
        let Node { at, depth, .. } = node;
        let mut window = node.window;
        let position = *self.game.position();
        let mut best = (Window::WORST, 0);
        self.frames[at + 1].killers = [None; 2];
        let mut number = 0;
        while number < moves.len() {
            let (rank, mv) = pick::<V>(moves, number);
            let quiet = position.gain(mv) == 0;
            if best.0 > -MATE_BOUND && is_futile(&node, rank, quiet, number) {
                number += 1;
                continue;
            }
            if !self.play(mv) {
                break;
            }
            let gives_check = self.game.position().in_check();
            let less = if node.in_check || gives_check || number < 3 {
                0
            } else {
                reduction(depth, number, quiet, rank)
            };
            let mut value = window.alpha;
            if less > 0 {
                value = -self.visit(depth - 1 - less, window.null().turned(), at + 1, true);
            }
            if less == 0 || value > window.alpha {
                value = self.value_of_move(depth - 1, number > 0, window, at);
            }
            self.take_back();
            if self.stopped {
                break;
            }
            if value > best.0 {
                best.0 = value;
                if value > window.alpha {
                    best.1 = mv.into();
                    window.alpha = value;
                    self.note_line(mv, at);
                    if value >= window.beta {
                        self.note_refutation(&node, moves, number);
                        break;
                    }
                }
            }
            number += 1;
        }
        self.remember(&node, best)
    }

    fn remember(&mut self, node: &Node, (value, mv): (i32, u16)) -> i32 {
        if self.stopped {
            return value;
        }
        let bound = if value >= node.window.beta {
            Bound::Lower
        } else if value > node.window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let key = self.game.position().key();
        self.table.put(key, node.at, (mv, value, node.depth, bound));
        value
    }

    /// Notes a quiet move that refuted the one before it.
    fn note_refutation(&mut self, node: &Node, moves: &[order::Ranked<V>], number: usize) {
        let (_, mv) = moves[number];
        let position = self.game.position();
        if position.gain(mv) != 0 {
            return;
        }
        let side = position.side_to_move().index();
        let killers = &mut self.frames[node.at].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let mut others = [0; MOST_REFUTED];
        let mut count = 0;
        for &(_, other) in moves[..number].iter().take(MOST_REFUTED) {
            if position.gain(other) == 0 {
                others[count] = other.into();
                count += 1;
            }
        }
        self.history
            .reward(side, node.depth, mv.into(), &others[..count]);
    }
}

/// Tells whether a move need not be looked at, since others were and it is unlikely to matter.
fn is_futile(node: &Node, rank: i32, quiet: bool, number: usize) -> bool {
    if node.in_check || !node.window.is_null() || node.depth > FUTILE_DEPTH {
        return false;
    }
    if quiet {
        let hopeless = node.depth < FUTILE_DEPTH
            && number > 0
            && !is_killer(rank)
            && node.estimate + FUTILITY * node.depth <= node.window.alpha;
        hopeless || number as i32 > 6 + 6 * node.depth * node.depth
    } else {
        is_losing(rank) && node.depth == 1
    }
}

/// By how many plies less a late move is searched at first.
fn reduction(depth: i32, number: usize, quiet: bool, rank: i32) -> i32 {
    if depth < 3 || !quiet && !is_losing(rank) {
        return 0;
    }
    let less = 1 + i32::from(number >= 12) + i32::from(number >= 30 && depth >= 6);
    less.min(depth - 2)
}

/// Moves that are noted as refuted with one that refutes: more would cost more time than it is worth.
const MOST_REFUTED: usize = 32;
