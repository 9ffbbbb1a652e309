//! Which moves come first: the table's, then captures that win, then quiet moves that refuted others, then the rest by how they did.

use rules::{Heuristics, MoveOf, Position, Variant};

/// What a history counter can reach, either way.
const MOST: i32 = 8192;
const TABLE_MOVE: i32 = i32::MAX;
const WINNING: i32 = 1 << 24;
const KILLER: i32 = 1 << 20;
const LOSING: i32 = -(1 << 24);

/// How quiet moves did so far in this search.
#[derive(Debug)]
pub(super) struct History {
    /// By side and the move's 16 bits.
    counters: Vec<i16>,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            counters: vec![0; 1 << 17],
        }
    }

    pub(super) fn clear(&mut self) {
        self.counters.fill(0);
    }

    fn get(&self, side: usize, mv: u16) -> i32 {
        i32::from(self.counters[side << 16 | mv as usize])
    }

    /// Notes that `best` refuted the move before it and that `others`, tried earlier, did not.
    pub(super) fn reward(&mut self, side: usize, depth: i32, best: u16, others: &[u16]) {
        let bonus = (depth * depth * 16).min(1024);
        self.change(side, best, bonus);
        for &mv in others {
            self.change(side, mv, -bonus);
        }
    }

    /// Moves a counter towards its end, the less the nearer it is.
    fn change(&mut self, side: usize, mv: u16, bonus: i32) {
        let counter = &mut self.counters[side << 16 | mv as usize];
        let value = i32::from(*counter);
        *counter = (value + bonus - value * bonus.abs() / MOST) as i16;
    }
}

/// A move with its place in the order: the greater, the sooner.
pub(super) type Ranked<V> = (i32, MoveOf<V>);

/// What the order goes by.
pub(super) struct Hints<'a, V: Variant> {
    /// The table's move in 16 bits, 0 if there is none.
    pub(super) table: u16,
    /// Quiet moves that refuted others here.
    pub(super) killers: [Option<MoveOf<V>>; 2],
    pub(super) history: &'a History,
}

/// Replaces `ranked` with the moves of a node.
pub(super) fn rank<V: Variant>(
    position: &V::Position,
    legal: &[MoveOf<V>],
    hints: &Hints<'_, V>,
    ranked: &mut Vec<Ranked<V>>,
) {
    let side = position.side_to_move().index();
    ranked.clear();
    ranked.extend(legal.iter().map(|&mv| {
        let bits = mv.into();
        let rank = if bits == hints.table {
            TABLE_MOVE
        } else {
            match position.gain(mv) {
                0 if hints.killers[0] == Some(mv) => KILLER + 1,
                0 if hints.killers[1] == Some(mv) => KILLER,
                0 => hints.history.get(side, bits),
                gain => rank_forcing(position, mv, gain),
            }
        };
        (rank, mv)
    }));
}

/// Replaces `ranked` with captures and promotions.
pub(super) fn rank_captures<V: Variant>(
    position: &V::Position,
    moves: &[MoveOf<V>],
    ranked: &mut Vec<Ranked<V>>,
) {
    ranked.clear();
    ranked.extend(moves.iter().map(|&mv| {
        let gain = position.gain(mv);
        (gain * 16 - position.stake(mv), mv)
    }));
}

/// The most valuable victim first, taken by the least valuable man; losing captures behind all else.
fn rank_forcing<P: Heuristics>(position: &P, mv: P::Move, gain: i32) -> i32 {
    let stake = position.stake(mv);
    let rank = gain * 16 - stake;
    if gain >= stake || position.wins_exchange(mv, 0) {
        WINNING + rank
    } else {
        LOSING + rank
    }
}

/// Tells whether a rank is that of a capture or promotion that loses material.
pub(super) const fn is_losing(rank: i32) -> bool {
    rank < -MOST
}

/// Tells whether a rank is that of a quiet move that refuted others, or of one that goes before it.
pub(super) const fn is_killer(rank: i32) -> bool {
    rank >= KILLER
}

/// Brings the best move of `moves[from..]` to `from` and returns it.
pub(super) fn pick<V: Variant>(moves: &mut [Ranked<V>], from: usize) -> Ranked<V> {
    /// After so many picks the rest is sorted: hardly any node gets here without going through all of it.
    const PICKS: usize = 6;
    match from {
        PICKS => moves[from..].sort_by_key(|&(rank, _)| std::cmp::Reverse(rank)),
        0..PICKS => {
            let mut best = from;
            for at in from + 1..moves.len() {
                if moves[at].0 > moves[best].0 {
                    best = at;
                }
            }
            // Not a swap: moves of equal rank keep their order.
            moves[from..=best].rotate_right(1);
        }
        _ => {}
    }
    moves[from]
}
