//! Thinks with the alpha-beta search.

use rand::RngExt;
use rules::{MoveOf, Variant};

use super::{
    Abilities, Budget, Control, Line, Resources, Score, Task, Tell, ThinkLimits, Thinker, Thought,
};
use crate::evaluator::EvaluatorError;
use crate::players::AlphaBetaConfig;
use crate::players::alphabeta::{
    ENTRY_BYTES, Found, Limits, MATE, MATE_BOUND, Searcher, Watcher, chances,
};
use crate::random::{Purpose, stream};

/// Searches on one thread, and remembers nothing of earlier positions.
#[derive(Debug)]
pub struct BaselineThinker<V: Variant> {
    config: AlphaBetaConfig,
    seed: u64,
    searcher: Searcher<V>,
    table_bits: u32,
}

/// An iteration takes so many times as long as all before it together, or longer: one that cannot be finished is not begun.
const GROWTH: u32 = 2;
/// The greatest table: 2 GiB.
const MOST_TABLE_BITS: u32 = 27;

impl<V: Variant> BaselineThinker<V> {
    /// Makes a thinker. Of the config, `limits` is not used: each task has its own.
    pub fn new(config: AlphaBetaConfig, seed: u64) -> Self {
        Self {
            config,
            seed,
            searcher: Searcher::new(config.table_bits),
            table_bits: config.table_bits,
        }
    }

    /// Returns a move drawn at random, if this is a turn in which the player draws one.
    fn drawn(&self, task: &Task<V>) -> Option<MoveOf<V>> {
        let ply = task.game.ply() as u64;
        let mut rng = stream(self.seed, Purpose::Player, task.number, ply);
        let draws = self.config.random > 0.0 && rng.random_bool(self.config.random);
        draws.then(|| task.moves[rng.random_range(0..task.moves.len())])
    }

    /// Looks for several lines, to one more ply in each round.
    fn search_lines(
        &mut self,
        task: &Task<V>,
        control: &Control,
        tell: &mut Tell<'_, MoveOf<V>>,
    ) -> Thought<MoveOf<V>> {
        let most = task.limits.depth.unwrap_or(Limits::MAX_DEPTH);
        let mut nodes = 0;
        let mut best = None;
        for depth in 1..=most.clamp(1, Limits::MAX_DEPTH) {
            let (founds, complete) = self.search_round(task, control, depth, &mut nodes);
            // Lines of different depths cannot be put in order; but something must be said.
            if complete || best.is_none() {
                let thought = thought(&founds, nodes, control);
                tell(thought.clone());
                best = Some(thought);
            }
            if !complete || !Watch::silent(task, control).has_time_for_more() {
                break;
            }
        }
        best.expect("there is a first round")
    }

    /// Searches once for each line that is wanted, each time without the moves of those before. Tells too whether nothing cut it short.
    fn search_round(
        &mut self,
        task: &Task<V>,
        control: &Control,
        depth: u32,
        nodes: &mut u64,
    ) -> (Vec<Found<MoveOf<V>>>, bool) {
        let wanted = task.lines.min(task.moves.len());
        let mut left = task.moves.clone();
        let mut founds: Vec<Found<MoveOf<V>>> = Vec::new();
        let mut complete = true;
        while founds.len() < wanted && complete {
            let nodes_left = (task.limits.nodes).map(|all| all.saturating_sub(*nodes).max(1));
            let limits = Limits {
                depth: Some(depth),
                nodes: nodes_left,
                time: None,
            };
            let mut watch = Watch::silent(task, control);
            let found = self
                .searcher
                .search_watched(&task.game, &left, limits, &mut watch);
            *nodes += found.nodes;
            // A mate ends a search before its depth.
            complete = found.depth == depth || found.depth > 0 && found.value.abs() >= MATE_BOUND;
            left.retain(|&mv| mv != found.line[0]);
            founds.push(found);
        }
        founds.sort_by_key(|found| -found.value);
        (founds, complete)
    }
}

impl<V: Variant> Thinker<V> for BaselineThinker<V> {
    fn think(
        &mut self,
        task: &Task<V>,
        control: &Control,
        tell: &mut Tell<'_, MoveOf<V>>,
    ) -> Result<Thought<MoveOf<V>>, EvaluatorError> {
        if let Some(mv) = self.drawn(task) {
            return Ok(super::plain::unexplained(mv, control));
        }
        if task.lines > 1 && task.moves.len() > 1 {
            return Ok(self.search_lines(task, control, tell));
        }
        let limits = Limits {
            depth: task.limits.depth.map(|depth| depth.max(1)),
            nodes: task.limits.nodes,
            time: None,
        };
        let mut watch = Watch {
            tell: Some(tell),
            ..Watch::silent(task, control)
        };
        let found = self
            .searcher
            .search_watched(&task.game, &task.moves, limits, &mut watch);
        Ok(thought(std::slice::from_ref(&found), found.nodes, control))
    }

    fn set_up(&mut self, resources: Resources) {
        // A player without a table keeps to that.
        if self.config.table_bits == 0 {
            return;
        }
        let entries = (resources.bytes / ENTRY_BYTES).max(1);
        let bits = entries.ilog2().min(MOST_TABLE_BITS);
        if bits != self.table_bits {
            self.table_bits = bits;
            self.searcher = Searcher::new(bits);
        }
    }

    fn forget(&mut self) {}

    fn abilities(&self) -> Abilities {
        Abilities {
            threads: false,
            memory: true,
            searches: true,
        }
    }
}

/// Ends a search by what its task and its control say.
struct Watch<'a, 'b, V: Variant> {
    task: &'a Task<V>,
    control: &'a Control,
    tell: Option<&'a mut Tell<'b, MoveOf<V>>>,
    stopped: bool,
}

impl<'a, V: Variant> Watch<'a, '_, V> {
    /// Makes one that tells nothing.
    fn silent(task: &'a Task<V>, control: &'a Control) -> Self {
        Self {
            task,
            control,
            tell: None,
            stopped: false,
        }
    }

    fn has_time_for_more(&self) -> bool {
        let ThinkLimits { time, .. } = self.task.limits;
        let (Some(budget), Some(passed)) = (time, self.control.counted()) else {
            return true;
        };
        let Budget { ideal, exact, .. } = budget;
        // An only move needs no thought.
        exact || self.task.moves.len() > 1 && passed * GROWTH < ideal
    }
}

impl<V: Variant> Watcher<MoveOf<V>> for Watch<'_, '_, V> {
    fn is_over(&mut self) -> bool {
        let passed = self.control.counted();
        let budget = self.task.limits.time;
        let late = passed.is_some_and(|passed| budget.is_some_and(|budget| passed >= budget.most));
        self.stopped |= late || self.control.is_stopped();
        self.stopped
    }

    fn goes_on(&mut self, found: &Found<MoveOf<V>>) -> bool {
        let control = self.control;
        if let Some(tell) = &mut self.tell {
            tell(thought(std::slice::from_ref(found), found.nodes, control));
        }
        self.has_time_for_more()
    }
}

fn thought<M: Copy>(founds: &[Found<M>], nodes: u64, control: &Control) -> Thought<M> {
    let line = |found: &Found<M>| {
        let certain = found.value.abs() >= MATE_BOUND;
        let plies = (MATE - found.value.abs()) * found.value.signum();
        Line {
            moves: found.line.clone(),
            score: Some(if certain {
                Score::Certain(plies)
            } else {
                Score::Hundredths(found.value)
            }),
            wdl: Some(chances(found.value)),
        }
    };
    Thought {
        lines: founds.iter().map(line).collect(),
        nodes,
        depth: founds.iter().map(|found| found.depth).min().unwrap_or(0),
        time: control.since_asked(),
    }
}
