//! Self-play of many games at once, shared out over threads: each thread takes its games to leaves, evaluates these together, and so on.
//!
//! A generation ends after a fixed number of searched plies in every slot; games that are not finished then go on in the next one, so that
//! short games are not favoured. What is played depends on the seed, the slots and the evaluator, never on threads or timing.

mod branches;
mod config;
mod live;
mod openings;
mod resign;
mod slot;
mod surprise;

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rules::{RuleOptions, Variant};

pub use branches::{Branch, ForksConfig, Reservoir};
pub use config::{CapsConfig, CapsStage, SelfplayConfig, TemperatureConfig};
use live::Live;
pub use live::PoolReport;
pub use openings::OpeningsConfig;
pub(crate) use openings::draw_policy;
pub use resign::ResignConfig;
pub use slot::{GameNotes, SlotState};
use slot::{Plan, Slot};
pub use surprise::SurpriseConfig;

use crate::evaluator::{Evaluation, Evaluations, Evaluator, EvaluatorError};
use crate::lockstep::{Seat, crew, drive};
use crate::record::GameRecord;
use crate::search::SearchConfig;
use crate::workers::Workers;

/// Finished games that wait to be taken by the observer; a thread that finds as many waits too.
const QUEUE: usize = 256;

/// The longest time between two calls of [`PoolObserver::on_progress`] while nothing happens.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a caller is told, and may decide, while a generation is played.
pub trait PoolObserver {
    /// Takes a finished game. In which order games come depends on timing, which games come does not.
    fn on_game(&mut self, record: GameRecord);

    /// Tells how far the generation is, many times a second; returning `false` abandons it.
    fn on_progress(&mut self, report: &PoolReport) -> bool;
}

/// The games that are being played.
#[derive(Debug)]
pub struct Pool<V: Variant> {
    plan: Plan<V>,
    slots: Vec<Slot<V>>,
    workers: Workers,
}

impl<V: Variant> Pool<V> {
    /// Sets up the first game of every slot. Searches have the simulations of the first stage until [`Pool::set_stage`] is called.
    pub fn new(
        options: RuleOptions,
        selfplay: SelfplayConfig,
        search: SearchConfig,
        seed: u64,
    ) -> Self {
        let plan = Plan {
            options,
            stage: selfplay.caps.at(0, search.simulations),
            selfplay,
            search,
            seed,
            starts: Vec::new(),
        };
        Self {
            slots: first_games(&plan),
            plan,
            workers: Workers::new(),
        }
    }

    /// Sets up the first games anew, and later ones too, such that `openings.file_share` of them start from these positions, none of which may
    /// have ended.
    #[must_use]
    pub fn with_starts(mut self, starts: Vec<V::Position>) -> Self {
        self.plan.starts = starts;
        self.slots = first_games(&self.plan);
        self
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

    /// Sets how many simulations searches have from now on.
    pub fn set_stage(&mut self, stage: CapsStage) {
        self.plan.stage = stage;
    }

    /// Returns the bytes that the trees of all games take.
    pub fn tree_bytes(&self) -> usize {
        self.slots.iter().map(Slot::tree_bytes).sum()
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
        let (sender, games) = sync_channel(QUEUE);
        let live = Live::new(sender);
        let Self {
            plan,
            slots,
            workers,
        } = self;
        let (plan, live_ref) = (&*plan, &live);
        thread::scope(|scope| {
            // Goes away with this closure, also when the observer panics, so that no thread waits for it for ever.
            let games = games;
            let mut seats: Vec<Place<'_, V>> = slots
                .iter_mut()
                .map(|slot| Place {
                    slot,
                    plan,
                    live: live_ref,
                })
                .collect();
            let playing = scope.spawn(move || {
                let parts = workers.share(
                    crew(evaluator),
                    &mut seats,
                    || evaluator.fork(),
                    |part, mut evaluator| {
                        for place in part.iter_mut() {
                            place.slot.begin_generation(plan, checkpoint);
                        }
                        drive(part, evaluator.as_mut(), |_, batch| live_ref.count(batch))
                    },
                );
                live_ref.close();
                parts.into_iter().collect::<Result<(), _>>()
            });
            loop {
                match games.recv_timeout(PATIENCE) {
                    Ok(Some(record)) => observer.on_game(record),
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if !observer.on_progress(&live.report()) {
                    live.stop();
                }
            }
            match playing.join() {
                Ok(played) => played,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })?;
        Ok((!live.is_stopped()).then(|| live.report()))
    }
}

fn first_games<V: Variant>(plan: &Plan<V>) -> Vec<Slot<V>> {
    (0..u64::from(plan.selfplay.games))
        .map(|number| Slot::new(plan, number))
        .collect()
}

/// A slot in a generation under way.
struct Place<'a, V: Variant> {
    slot: &'a mut Slot<V>,
    plan: &'a Plan<V>,
    live: &'a Live,
}

impl<V: Variant> Seat<V> for Place<'_, V> {
    fn go_on(&mut self, evaluator: &mut dyn Evaluator<V>, answer: &mut Evaluations) -> usize {
        self.slot.run(self.plan, self.live, (evaluator, answer))
    }

    fn settle(&mut self, evaluation: Evaluation<'_>) {
        self.slot.settle(evaluation);
    }
}
