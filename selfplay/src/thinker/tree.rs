//! Thinks with a tree search: one tree, whose leaves are evaluated by several threads.

mod crew;
mod shown;

use std::time::{Duration, Instant};

use rules::{Game, MoveOf, Variant};

use super::{Abilities, Budget, Control, Resources, Task, Tell, ThinkLimits, Thinker, Thought};
use crate::evaluator::{Evaluator, EvaluatorError};
use crate::random::{Purpose, stream};
use crate::search::{RootKind, Search, SearchConfig, SearchTask};
use crew::{Crew, EIGHT};

/// Searches with an evaluator, and keeps its tree when the next position follows from the last one.
///
/// Leaves are gathered by virtual loss on one thread, shared out over all of them for evaluation, and settled in order. A Gumbel root serves
/// where the config has it and a search has a known number of simulations over all moves; any other search is led by PUCT.
#[derive(Debug)]
pub struct TreeThinker<V: Variant> {
    config: SearchConfig,
    seed: u64,
    /// Bytes that the tree may use.
    bytes: usize,
    crew: Crew<V>,
    /// The search of the last position, with the kind of its root.
    last: Option<(RootKind, Search<V>)>,
}

/// A tree of so many simulations for each leaf that waits: with fewer, leaves would be chosen blindly.
const VISITS_A_LEAF: u32 = 2;
/// How long leaves are evaluated before a look at the clock, where one is looked at, unless a net takes longer for the fewest that are worth
/// their time.
const STEP: Duration = Duration::from_millis(20);
/// How often it tells what it thinks.
const TOLD: Duration = Duration::from_millis(300);

impl<V: Variant> TreeThinker<V> {
    /// Makes a thinker of one thread. Of the config, `simulations` is not used, and `leaves` above 1 replaces the leaves that a thread
    /// evaluates at a time.
    pub fn new(evaluator: Box<dyn Evaluator<V>>, config: SearchConfig, seed: u64) -> Self {
        Self {
            config,
            seed,
            bytes: usize::MAX,
            crew: Crew::new(evaluator),
            last: None,
        }
    }

    fn think_here(
        &mut self,
        task: &Task<V>,
        control: &Control,
        tell: &mut Tell<'_, MoveOf<V>>,
    ) -> Result<Thought<MoveOf<V>>, EvaluatorError> {
        let (kind, mut search) = self.turn_to(task);
        let mut session = Session {
            task,
            control,
            begun_with: search.simulations(),
            begun: Instant::now(),
            told: Instant::now(),
            most_bytes: self.bytes / 3,
            stepwise: kind == RootKind::Puct,
            eights: EIGHT as u32 * self.crew.threads() as u32,
            leaves: match self.config.leaves {
                0 | 1 => EIGHT as u32,
                leaves => leaves,
            } * self.crew.threads() as u32,
        };
        // Without an evaluated root there is no answer.
        let mut going = !search.is_fresh() || self.crew.step(&mut search, 1)?;
        while going && !session.is_enough(&search, self.crew.step_time()) {
            let leaves = session.next_leaves(&search, self.crew.step_time());
            if session.stepwise {
                search.set_simulations(search.simulations().saturating_add(leaves));
            }
            going = self.crew.step(&mut search, leaves)?;
            if session.told.elapsed() >= TOLD {
                session.told = Instant::now();
                tell(shown::thought(&mut search, task, control));
            }
        }
        let mut thought = shown::thought(&mut search, task, control);
        if kind == RootKind::Puct && task.temperature > 0.0 {
            let ply = task.game.ply() as u64;
            let mut rng = stream(self.seed, Purpose::Player, task.number, ply);
            shown::draw(&mut search, task, &mut thought, &mut rng);
        }
        self.last = Some((kind, search));
        Ok(thought)
    }

    /// Returns the search of the task's position, begun: the last one if it comes that far, else a new one.
    fn turn_to(&mut self, task: &Task<V>) -> (RootKind, Search<V>) {
        let free = task.is_free();
        let ply = task.game.ply() as u64;
        let rng = stream(self.seed, Purpose::Search, task.number, ply);
        let simulations = task.limits.nodes.filter(|_| free);
        let (kind, simulations) = match simulations.filter(|_| self.config.root == RootKind::Gumbel)
        {
            Some(nodes) => (RootKind::Gumbel, u32::try_from(nodes).unwrap_or(u32::MAX)),
            None => (RootKind::Puct, 1),
        };
        let kept = match self.last.take() {
            Some((RootKind::Puct, mut search)) if kind == RootKind::Puct && free => {
                follow(&mut search, &task.game).then_some(search)
            }
            _ => None,
        };
        let config = SearchConfig {
            root: kind,
            ..self.config
        };
        let mut search =
            kept.unwrap_or_else(|| Search::new(config, task.game.clone(), rng.clone()));
        search.restrict_to(if free { &[] } else { &task.moves });
        search.begin(
            SearchTask {
                simulations,
                temperature: if kind == RootKind::Gumbel {
                    task.temperature
                } else {
                    0.0
                },
                explore: false,
            },
            rng,
        );
        (kind, search)
    }
}

/// Plays a search on to a game that follows from its own, and tells whether it does.
fn follow<V: Variant>(search: &mut Search<V>, game: &Game<V>) -> bool {
    let own = search.game();
    let at = own.ply();
    let follows = own.start() == game.start()
        && own.options() == game.options()
        && game.moves().starts_with(own.moves());
    if follows {
        for &mv in &game.moves()[at..] {
            search.advance(mv);
        }
    }
    follows
}

/// One search under way.
struct Session<'a, V: Variant> {
    task: &'a Task<V>,
    control: &'a Control,
    /// The simulations that were kept.
    begun_with: u32,
    begun: Instant,
    told: Instant,
    most_bytes: usize,
    /// Whether the search is led on in steps, so that none takes long.
    stepwise: bool,
    /// The fewest leaves that keep every thread busy.
    eights: u32,
    /// Leaves that wait together at most.
    leaves: u32,
}

impl<V: Variant> Session<'_, V> {
    /// Tells whether to answer now. `step` is what going on would take at least.
    fn is_enough(&self, search: &Search<V>, step: Duration) -> bool {
        let ThinkLimits { nodes, depth, time } = self.task.limits;
        self.control.is_stopped()
            || search.is_decided()
            || nodes.is_some_and(|most| u64::from(search.simulations()) >= most)
            || depth.is_some_and(|most| search.depth() >= most)
            || search.bytes_in_use() >= self.most_bytes
            || time.is_some_and(|budget| self.is_time_up(search, budget, step))
    }

    fn is_time_up(&self, search: &Search<V>, budget: Budget, step: Duration) -> bool {
        let Some(passed) = self.control.counted() else {
            return false;
        };
        let Budget { ideal, most, exact } = budget;
        if passed + step >= most || exact {
            return passed + step >= most;
        }
        // An only move needs no thought beyond the first look.
        if self.task.moves.len() == 1 {
            return true;
        }
        let race = search.race();
        if passed >= ideal {
            return race.settled;
        }
        let made = f64::from(search.simulations().saturating_sub(self.begun_with));
        let a_second = made / self.begun.elapsed().as_secs_f64().max(1e-6);
        // What is left cannot make another move the most visited one.
        self.task.lines == 1
            && self.begun.elapsed() >= STEP
            && f64::from(race.lead) > a_second * ideal.saturating_sub(passed).as_secs_f64()
    }

    /// Returns how many leaves to gather next. `step` is what the last ones took.
    fn next_leaves(&mut self, search: &Search<V>, step: Duration) -> u32 {
        let simulations = search.simulations();
        let ThinkLimits { nodes, time, .. } = self.task.limits;
        // How fast this machine is decides nothing where only simulations count.
        if (nodes.is_none() || time.is_some()) && step > STEP && self.leaves > self.eights {
            self.leaves = (self.leaves / 2).max(self.eights);
        }
        let mut leaves = self.leaves.min(1 + simulations / VISITS_A_LEAF);
        if let Some(most) = nodes {
            let left = most.saturating_sub(u64::from(simulations)).max(1);
            leaves = leaves.min(u32::try_from(left).unwrap_or(u32::MAX));
        }
        leaves.max(1)
    }
}

impl<V: Variant> Thinker<V> for TreeThinker<V> {
    fn think(
        &mut self,
        task: &Task<V>,
        control: &Control,
        tell: &mut Tell<'_, MoveOf<V>>,
    ) -> Result<Thought<MoveOf<V>>, EvaluatorError> {
        let workers = self.crew.workers();
        workers.install(|| self.think_here(task, control, tell))
    }

    fn set_up(&mut self, resources: Resources) {
        self.bytes = resources.bytes;
        self.crew.resize(resources.threads);
    }

    fn forget(&mut self) {
        self.last = None;
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            threads: true,
            memory: true,
            searches: true,
        }
    }
}
