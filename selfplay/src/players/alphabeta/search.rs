//! Iterative deepening and the principal variation search.

mod node;

use std::time::Instant;

use rules::{Game, Heuristics, MoveOf, Outcome, Position, Variant};

use super::Limits;
use super::order::{History, Ranked};
use super::table::Table;

/// The value of a mate on the spot; one in `n` plies is worth `n` less.
pub const MATE: i32 = 30_000;
/// From this value on, a mate has been seen.
pub const MATE_BOUND: i32 = MATE - 1000;

/// Plies from the root that a line can reach, extensions and captures included.
const FRAMES: usize = 128;
/// How far the first guess of an iteration's value may be off, either way.
const ASPIRATION: i32 = 40;
/// Nodes between looks at the clock.
const CLOCK: u64 = 512;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The best line; its first move is the choice. Never empty.
    pub line: Vec<M>,
    /// The value for the side to move in hundredths of a pawn; beyond [`MATE_BOUND`], a mate.
    pub value: i32,
    /// The depth of the last iteration that was finished; 0 if none was.
    pub depth: u32,
    /// Moves played.
    pub nodes: u64,
}

/// Watches a search, and may end it.
pub trait Watcher<M> {
    /// Tells whether the search is to end at once; asked every some hundred nodes.
    fn is_over(&mut self) -> bool;

    /// Takes what an iteration found, and tells whether to go on with the next.
    fn goes_on(&mut self, found: &Found<M>) -> bool;
}

/// Lets a search run to its limits.
impl<M> Watcher<M> for () {
    fn is_over(&mut self) -> bool {
        false
    }

    fn goes_on(&mut self, _: &Found<M>) -> bool {
        true
    }
}

/// The memory of a search, to be used again.
#[derive(Debug)]
pub struct Searcher<V: Variant> {
    table: Table,
    history: History,
    frames: Vec<Frame<V>>,
}

/// What belongs to a ply of the line.
#[derive(Debug)]
pub(super) struct Frame<V: Variant> {
    pub(super) legal: Vec<MoveOf<V>>,
    pub(super) ranked: Vec<Ranked<V>>,
    killers: [Option<MoveOf<V>>; 2],
    /// The best line from here.
    line: Vec<MoveOf<V>>,
}

impl<V: Variant> Searcher<V> {
    /// Makes a searcher with a table of `2^table_bits` entries, or without one if that is 0.
    pub fn new(table_bits: u32) -> Self {
        let frame = || Frame {
            legal: Vec::new(),
            ranked: Vec::new(),
            killers: [None; 2],
            line: Vec::new(),
        };
        Self {
            table: Table::new(table_bits),
            history: History::new(),
            frames: std::iter::repeat_with(frame).take(FRAMES).collect(),
        }
    }

    /// Searches a game that has not ended. `moves` are its legal moves, or some of them: of equal ones the first is chosen. Nothing is
    /// remembered of earlier searches.
    ///
    /// # Panics
    /// If `moves` is empty.
    pub fn search(
        &mut self,
        game: &Game<V>,
        moves: &[MoveOf<V>],
        limits: Limits,
    ) -> Found<MoveOf<V>> {
        self.search_watched(game, moves, limits, &mut ())
    }

    /// Searches as [`Searcher::search`] does, watched. A limit need not be given.
    ///
    /// # Panics
    /// If `moves` is empty.
    pub fn search_watched(
        &mut self,
        game: &Game<V>,
        moves: &[MoveOf<V>],
        limits: Limits,
        watcher: &mut dyn Watcher<MoveOf<V>>,
    ) -> Found<MoveOf<V>> {
        self.table.clear();
        self.history.clear();
        for frame in &mut self.frames {
            frame.killers = [None; 2];
            frame.line.clear();
        }
        let mut run = Run {
            game: game.clone(),
            table: &mut self.table,
            history: &mut self.history,
            frames: &mut self.frames,
            limits,
            watcher,
            begun: Instant::now(),
            nodes: 0,
            depth: 0,
            stopped: false,
        };
        run.deepen(moves)
    }
}

/// A search under way.
pub(super) struct Run<'a, V: Variant> {
    pub(super) game: Game<V>,
    table: &'a mut Table,
    history: &'a mut History,
    pub(super) frames: &'a mut [Frame<V>],
    limits: Limits,
    watcher: &'a mut dyn Watcher<MoveOf<V>>,
    begun: Instant,
    nodes: u64,
    /// The depth of this iteration.
    depth: i32,
    /// Whether a limit was met: values are of no meaning from then on.
    pub(super) stopped: bool,
}

/// The values that matter: above `alpha`, below `beta`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    /// Below every value.
    pub(super) const WORST: i32 = -MATE - 1;
    const FULL: Self = Self {
        alpha: Self::WORST,
        beta: -Self::WORST,
    };

    /// The same seen by the other side.
    pub(super) const fn turned(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// The question whether a value is above `alpha`.
    const fn null(self) -> Self {
        Self {
            alpha: self.alpha,
            beta: self.alpha + 1,
        }
    }

    const fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

impl<V: Variant> Run<'_, V> {
    fn deepen(&mut self, moves: &[MoveOf<V>]) -> Found<MoveOf<V>> {
        let mut moves = moves.to_vec();
        self.rank_root(&mut moves);
        let mut found = Found {
            line: vec![moves[0]],
            value: self.game.position().evaluate(),
            depth: 0,
            nodes: 0,
        };
        let last = self.limits.depth.unwrap_or(Limits::MAX_DEPTH);
        for depth in 1..=last.min(Limits::MAX_DEPTH) {
            self.depth = depth as i32;
            let value = self.aspire(&mut moves, &found);
            if !self.frames[0].line.is_empty() {
                found.line.clone_from(&self.frames[0].line);
            }
            if self.stopped {
                break;
            }
            found.value = value;
            found.depth = depth;
            found.nodes = self.nodes;
            if !self.watcher.goes_on(&found) {
                break;
            }
            // A mate within the depth will not get shorter.
            if MATE - value.abs() <= self.depth {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    /// Searches one iteration, with a window around the value of the one before.
    fn aspire(&mut self, moves: &mut [MoveOf<V>], before: &Found<MoveOf<V>>) -> i32 {
        if self.depth < 4 || before.value.abs() >= MATE_BOUND {
            return self.search_root(moves, Window::FULL);
        }
        let mut width = ASPIRATION;
        let mut window = Window {
            alpha: before.value - width,
            beta: before.value + width,
        };
        loop {
            let value = self.search_root(moves, window);
            width *= 4;
            if self.stopped {
                return value;
            } else if value <= window.alpha {
                window.alpha = (value - width).max(Window::WORST);
            } else if value >= window.beta {
                window.beta = (value + width).min(-Window::WORST);
            } else {
                return value;
            }
            if width > 2000 {
                window = Window::FULL;
            }
        }
    }

    /// Searches the root and brings its best move to the front. The best line stays empty if no move was better than the window's lower end.
    fn search_root(&mut self, moves: &mut [MoveOf<V>], mut window: Window) -> i32 {
        self.frames[0].line.clear();
        let mut best = Window::WORST;
        for number in 0..moves.len() {
            let mv = moves[number];
            if !self.play(mv) {
                break;
            }
            let value = self.value_of_move(self.depth - 1, number > 0, window, 0);
            self.take_back();
            if self.stopped {
                break;
            }
            best = best.max(value);
            if value > window.alpha {
                window.alpha = value;
                self.note_line(mv, 0);
                moves[..=number].rotate_right(1);
                if value >= window.beta {
                    break;
                }
            }
        }
        best
    }

    /// Returns the value of a move that has just been played from a node `at` plies from the root: in full if it is the `first`, otherwise
    /// only once it has been found to be better than those before.
    fn value_of_move(&mut self, depth: i32, later: bool, window: Window, at: usize) -> i32 {
        if later {
            let value = -self.visit(depth, window.null().turned(), at + 1, true);
            if value <= window.alpha || window.is_null() {
                return value;
            }
        }
        -self.visit(depth, window.turned(), at + 1, true)
    }

    /// Makes `mv` and the line after it the best line of the node `at` plies from the root.
    fn note_line(&mut self, mv: MoveOf<V>, at: usize) {
        let (here, below) = self.frames.split_at_mut(at + 1);
        let line = &mut here[at].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }

    /// Plays a move unless a limit has been met.
    #[inline]
    pub(super) fn play(&mut self, mv: MoveOf<V>) -> bool {
        let over = self.limits.nodes.is_some_and(|most| self.nodes >= most)
            || self.nodes.is_multiple_of(CLOCK)
                && (self.watcher.is_over()
                    || (self.limits.time).is_some_and(|most| self.begun.elapsed() >= most));
        if over {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        self.game.play(mv);
        true
    }

    #[inline]
    pub(super) fn take_back(&mut self) {
        self.game.undo_to(self.game.ply() - 1);
    }

    /// Returns what an ending of the game is worth to the side to move, `at` plies from the root.
    pub(super) fn value_of(&self, outcome: Outcome, at: usize) -> i32 {
        match outcome.winner {
            None => 0,
            Some(winner) if winner == self.game.position().side_to_move() => MATE - at as i32,
            Some(_) => at as i32 - MATE,
        }
    }
}
