//! The exact solution of a small game by retrograde analysis: value and distance of every reachable position.
//!
//! Endless play counts as a draw; repetition counts and caps play no part. Starting from the positions without a legal move, a position is
//! won as soon as one of its moves leads to a lost one, and lost once all of them lead to won ones; what is never reached is a draw. The
//! layers are worked off in order of distance, so that wins are shortest and losses longest.

use rustc_hash::FxHashMap;

use crate::outcome::Side;
use crate::position::Position;
use crate::variant::{MoveOf, Variant};

/// The exact value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// A forced win; the opponent is mated after this many plies with best play by both.
    Win(u16),
    /// Neither side can force a win.
    Draw,
    /// A forced loss; the side to move is mated after this many plies (0: now) with best play by both.
    Loss(u16),
}

impl Exact {
    /// Returns 1 for a win, 0 for a draw, -1 for a loss.
    pub const fn sign(self) -> i8 {
        match self {
            Self::Win(_) => 1,
            Self::Draw => 0,
            Self::Loss(_) => -1,
        }
    }

    /// Returns the plies to the mate, or `None` for a draw.
    pub const fn plies(self) -> Option<u16> {
        match self {
            Self::Draw => None,
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
        }
    }

    /// Returns the value seen from the position one move earlier, by the player who makes that move.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// Orders values by how good they are: quick wins first, long losses before short ones.
    fn rank(self) -> i32 {
        match self {
            Self::Win(plies) => 100_000 - i32::from(plies),
            Self::Draw => 0,
            Self::Loss(plies) => i32::from(plies) - 100_000,
        }
    }
}

/// Counts over a solved game, each for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Positions counted.
    pub positions: usize,
    /// Won positions.
    pub wins: usize,
    /// Lost positions, mates included.
    pub losses: usize,
    /// Drawn positions.
    pub draws: usize,
    /// Positions that are mate on the board.
    pub mates: usize,
    /// The plies of the longest forced win.
    pub longest_win: u16,
    /// The greatest number of legal moves.
    pub most_moves: usize,
    /// Positions whose legal moves differ in value: those in which a mistake is possible.
    pub mistake_possible: usize,
}

/// Every reachable position of a game with its exact value.
#[derive(Debug)]
pub struct Solution<V: Variant> {
    index: FxHashMap<u64, u32>,
    positions: Vec<V::Position>,
    values: Vec<Exact>,
    /// `successors[starts[i]..starts[i + 1]]` follow `positions[i]`, in the order of its legal moves.
    starts: Vec<u32>,
    successors: Vec<u32>,
}

impl<V: Variant> Solution<V> {
    /// Solves the game from its start position. Meant for games of up to a few million positions.
    pub fn new() -> Self {
        let mut solution = Self {
            index: FxHashMap::default(),
            positions: Vec::new(),
            values: Vec::new(),
            starts: vec![0],
            successors: Vec::new(),
        };
        solution.explore();
        solution.solve();
        solution
    }

    /// Returns every reachable position, in the order of a breadth-first walk from the start.
    pub fn positions(&self) -> &[V::Position] {
        &self.positions
    }

    /// Returns the exact value of a position, or `None` if it cannot be reached from the start.
    pub fn value(&self, position: &V::Position) -> Option<Exact> {
        Some(self.values[self.find(position)?])
    }

    /// Replaces `values` with the value after each legal move, in their order, from the side of the player to move in `position`.
    ///
    /// Leaves `values` empty if the position cannot be reached from the start.
    pub fn move_values(&self, position: &V::Position, values: &mut Vec<Exact>) {
        values.clear();
        if let Some(at) = self.find(position) {
            values.extend(
                self.successors_of(at)
                    .iter()
                    .map(|&next| self.values[next as usize].before()),
            );
        }
    }

    /// Returns the moves that are exactly best: they keep the value, win soonest and lose latest.
    pub fn best_moves(&self, position: &V::Position) -> Vec<MoveOf<V>> {
        let (mut moves, mut values) = (Vec::new(), Vec::new());
        position.legal_moves(&mut moves);
        self.move_values(position, &mut values);
        let best = values.iter().map(|value| value.rank()).max();
        moves
            .into_iter()
            .zip(values)
            .filter(|(_, value)| Some(value.rank()) == best)
            .map(|(mv, _)| mv)
            .collect()
    }

    /// Counts over the positions that `chosen` accepts.
    pub fn statistics(&self, chosen: impl Fn(&V::Position) -> bool) -> Statistics {
        let mut sums = Statistics::default();
        let mut values = Vec::new();
        for (at, position) in self
            .positions
            .iter()
            .enumerate()
            .filter(|(_, position)| chosen(position))
        {
            sums.positions += 1;
            match self.values[at] {
                Exact::Win(plies) => {
                    sums.wins += 1;
                    sums.longest_win = sums.longest_win.max(plies);
                }
                Exact::Draw => sums.draws += 1,
                Exact::Loss(plies) => {
                    sums.losses += 1;
                    sums.mates += usize::from(plies == 0);
                }
            }
            self.move_values(position, &mut values);
            sums.most_moves = sums.most_moves.max(values.len());
            sums.mistake_possible += usize::from(differ(&values));
        }
        sums
    }

    fn find(&self, position: &V::Position) -> Option<usize> {
        self.index.get(&position.key()).map(|&at| at as usize)
    }

    fn successors_of(&self, at: usize) -> &[u32] {
        &self.successors[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Walks every reachable position breadth first and notes where each move leads.
    fn explore(&mut self) {
        let mut moves = Vec::new();
        self.number(V::Position::initial());
        let mut at = 0;
        while at < self.positions.len() {
            let position = self.positions[at];
            position.legal_moves(&mut moves);
            for &mv in &moves {
                let mut next = position;
                next.play(mv);
                let next = self.number(next);
                self.successors.push(next);
            }
            self.starts.push(self.successors.len() as u32);
            at += 1;
        }
    }

    fn number(&mut self, position: V::Position) -> u32 {
        let next = self.positions.len() as u32;
        *self.index.entry(position.key()).or_insert_with(|| {
            self.positions.push(position);
            next
        })
    }

    fn solve(&mut self) {
        let count = self.positions.len();
        let (pred_starts, predecessors) = self.predecessors();
        let mut open: Vec<u32> = (0..count)
            .map(|at| self.successors_of(at).len() as u32)
            .collect();
        let mut values = vec![None; count];
        let mut queue: Vec<u32> = (0..count as u32)
            .filter(|&at| open[at as usize] == 0)
            .collect();
        for &mate in &queue {
            values[mate as usize] = Some(Exact::Loss(0));
        }
        let mut next = 0;
        while next < queue.len() {
            let at = queue[next] as usize;
            next += 1;
            let Some(value) = values[at] else { continue };
            for &before in &predecessors[pred_starts[at] as usize..pred_starts[at + 1] as usize] {
                let before_at = before as usize;
                open[before_at] -= 1;
                // The queue runs in order of distance: the first lost successor makes the quickest win, the last won one the longest loss.
                let decided = value.sign() < 0 || open[before_at] == 0;
                if decided && values[before_at].is_none() {
                    values[before_at] = Some(value.before());
                    queue.push(before);
                }
            }
        }
        self.values = values
            .into_iter()
            .map(|value| value.unwrap_or(Exact::Draw))
            .collect();
    }

    /// Turns the successor lists around.
    fn predecessors(&self) -> (Vec<u32>, Vec<u32>) {
        let count = self.positions.len();
        let mut starts = vec![0_u32; count + 1];
        for &next in &self.successors {
            starts[next as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut free = starts.clone();
        let mut predecessors = vec![0; self.successors.len()];
        for at in 0..count {
            for &next in self.successors_of(at) {
                predecessors[free[next as usize] as usize] = at as u32;
                free[next as usize] += 1;
            }
        }
        (starts, predecessors)
    }
}

impl<V: Variant> Default for Solution<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Tells whether moves with these values leave room for a mistake.
pub fn differ(values: &[Exact]) -> bool {
    values
        .windows(2)
        .any(|pair| pair[0].sign() != pair[1].sign())
}

/// Returns the player who wins under `value` with `to_move` to move, or `None` for a draw.
pub fn winner(value: Exact, to_move: Side) -> Option<Side> {
    match value {
        Exact::Win(_) => Some(to_move),
        Exact::Draw => None,
        Exact::Loss(_) => Some(to_move.other()),
    }
}
