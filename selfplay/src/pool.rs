//! Self-play of many games in lockstep: every game goes on to its next leaf, all leaves are evaluated at once, and so on.
//!
//! A generation ends after a fixed number of searched plies in every slot; games that are not finished then go on in the next one, so that
//! short games are not favoured. What is played depends on the seed, the slots and the evaluator, never on threads or timing.

mod config;
mod slot;

use rayon::prelude::*;
use rules::{RuleOptions, Variant};

pub use config::{SelfplayConfig, TemperatureConfig};
pub use slot::SlotState;
use slot::{Plan, Slot};

use crate::evaluator::{Evaluations, Evaluator, EvaluatorError, Leaf};
use crate::record::GameRecord;
use crate::search::SearchConfig;

/// What a generation of self-play amounted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolReport {
    /// Searched plies.
    pub plies: u64,
    /// Games finished.
    pub games: u64,
    /// Positions evaluated.
    pub evaluations: u64,
    /// Batches evaluated.
    pub batches: u64,
}

/// What a caller is told, and may decide, between two batches.
pub trait PoolObserver {
    /// Takes a finished game. Games come in an order that depends on the seed alone.
    fn on_game(&mut self, record: GameRecord);

    /// Tells how far the generation is; returning `false` abandons it.
    fn on_batch(&mut self, report: &PoolReport) -> bool;
}

/// The games that are being played.
#[derive(Debug)]
pub struct Pool<V: Variant> {
    plan: Plan,
    slots: Vec<Slot<V>>,
    evaluations: Evaluations,
}

impl<V: Variant> Pool<V> {
    /// Sets up the first game of every slot.
    pub fn new(
        options: RuleOptions,
        selfplay: SelfplayConfig,
        search: SearchConfig,
        seed: u64,
    ) -> Self {
        let plan = Plan {
            options,
            selfplay,
            search,
            seed,
        };
        let slots = (0..u64::from(selfplay.games))
            .map(|number| Slot::new(&plan, number))
            .collect();
        Self {
            plan,
            slots,
            evaluations: Evaluations::default(),
        }
    }

    /// Goes on where a pool of the same configuration was at the end of a generation.
    ///
    /// # Errors
    /// Says what is wrong if the state does not fit the configuration or is not of this game.
    pub fn restore(mut self, states: Vec<SlotState>) -> Result<Self, String> {
        if states.len() != self.slots.len() {
            return Err(format!(
                "{} unfinished games are stored, but selfplay.games = {}",
                states.len(),
                self.slots.len()
            ));
        }
        for (slot, state) in self.slots.iter_mut().zip(states) {
            slot.restore(&self.plan, state)?;
        }
        Ok(self)
    }

    /// Returns the unfinished games, to be stored at the end of a generation.
    pub fn state(&self) -> Vec<SlotState> {
        self.slots.iter().map(Slot::state).collect()
    }

    /// Sets the rule options of games that start from now on; those under way keep theirs.
    pub fn set_options(&mut self, options: RuleOptions) {
        self.plan.options = options;
    }

    /// Plays one generation with the net that `checkpoint` identifies.
    ///
    /// Returns `None` if the observer abandoned it; the pool must then be restored before it is used again.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub fn play(
        &mut self,
        evaluator: &mut dyn Evaluator<V>,
        checkpoint: u64,
        observer: &mut dyn PoolObserver,
    ) -> Result<Option<PoolReport>, EvaluatorError> {
        let mut report = PoolReport::default();
        let plan = &self.plan;
        self.slots
            .par_iter_mut()
            .for_each(|slot| slot.begin_generation(plan, checkpoint));
        loop {
            let leaves: Vec<Leaf<'_, V>> = self.slots.iter().filter_map(Slot::leaf).collect();
            if leaves.is_empty() {
                return Ok(Some(report));
            }
            evaluator.evaluate(&leaves, &mut self.evaluations)?;
            report.batches += 1;
            report.evaluations += leaves.len() as u64;
            drop(leaves);
            self.hand_out();
            for slot in &mut self.slots {
                report.plies += slot.take_plies();
                for record in slot.take_finished() {
                    report.games += 1;
                    observer.on_game(record);
                }
            }
            if !observer.on_batch(&report) {
                return Ok(None);
            }
        }
    }

    /// Gives each waiting slot its evaluation and lets it go on to its next leaf.
    fn hand_out(&mut self) {
        let Self {
            plan,
            slots,
            evaluations,
        } = self;
        let waiting: Vec<&mut Slot<V>> = slots
            .iter_mut()
            .filter(|slot| slot.leaf().is_some())
            .collect();
        let numbered = waiting.into_par_iter().enumerate();
        numbered.for_each(|(at, slot)| slot.go_on(plan, evaluations.get(at)));
    }
}
