//! The learning half of a generation: as many steps as the config's reuse gives for the positions played so far.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};
use model::{Learner, Losses};
use rules::Variant;

use super::Session;
use super::failed::save_batch;
use super::scheduled::Scheduled;
use crate::interrupt::Interrupt;
use crate::loader::{Drawn, Recipe, Sampler};
use crate::replay::ReplayStore;
use crate::run_dir::RunDir;
use crate::watchdog::Watchdog;

/// Sums of losses, for their means.
#[derive(Default)]
struct Sums {
    losses: Losses,
    steps: f32,
}

impl Sums {
    fn add(&mut self, losses: &Losses) {
        self.steps += 1.0;
        self.losses.total += losses.total;
        self.losses.policy += losses.policy;
        self.losses.policy_entropy += losses.policy_entropy;
        self.losses.wdl += losses.wdl;
        self.losses.moves_left += losses.moves_left;
        self.losses.gradient_norm += losses.gradient_norm;
    }

    fn mean(&self) -> Option<Losses> {
        let mean = |sum: f32| sum / self.steps;
        (self.steps > 0.0).then(|| Losses {
            total: mean(self.losses.total),
            policy: mean(self.losses.policy),
            policy_entropy: mean(self.losses.policy_entropy),
            wdl: mean(self.losses.wdl),
            moves_left: mean(self.losses.moves_left),
            gradient_norm: mean(self.losses.gradient_norm),
        })
    }
}

/// The learning half of a generation, ready to begin.
pub(super) struct Learning<'a, V: Variant> {
    pub(super) session: &'a Session<'a, V>,
    pub(super) run: &'a RunDir,
    pub(super) store: &'a ReplayStore,
    pub(super) learner: &'a mut Learner,
    pub(super) watchdog: &'a Watchdog,
    pub(super) interrupt: &'a Interrupt,
    /// The generation before.
    pub(super) after: u64,
}

/// What a generation of learning did.
pub(super) struct Learned {
    /// By what numbers it learned.
    pub(super) scheduled: Scheduled,
    /// The learning rate of the first step.
    pub(super) learning_rate: f64,
    /// Mean losses.
    pub(super) losses: Option<Losses>,
    pub(super) steps: u64,
    /// Positions learned from, each as often as it was.
    pub(super) positions: u64,
    pub(super) seconds: f64,
}

impl<V: Variant> Learning<'_, V> {
    /// Learns until each position ever stored was learned from as often as `replay.reuse` asked for when it came, on average; `None` if an
    /// interrupt came first.
    pub(super) fn run(mut self) -> Result<Option<Learned>> {
        let begun = Instant::now();
        let learning_rate = self.learner.learning_rate();
        let (config, stored) = (self.session.config, self.store.total_positions());
        let scheduled = Scheduled::at(config, stored);
        let (first, before) = (self.learner.steps(), self.learner.positions());
        let steps = self.steps(&scheduled);
        let sampler = Sampler::new(
            Recipe::new(config, self.session.parts, stored),
            self.store,
            first..first + steps,
        );
        // The next batch is made while this one is learned from, and waits until it is taken.
        let sums = thread::scope(|scope| {
            let (send, batches) = sync_channel(0);
            scope.spawn(move || {
                for drawn in sampler {
                    if send.send(drawn).is_err() {
                        // The learner has stopped.
                        return;
                    }
                }
            });
            self.learn(batches, steps)
        })?;
        Ok(sums.map(|sums| Learned {
            scheduled,
            learning_rate,
            losses: sums.mean(),
            steps: self.learner.steps() - first,
            positions: self.learner.positions() - before,
            seconds: begun.elapsed().as_secs_f64(),
        }))
    }

    /// Returns how many steps there are to take.
    fn steps(&self, scheduled: &Scheduled) -> u64 {
        if self.store.positions() < u64::from(scheduled.batch) {
            // Until the first games end there is nothing to learn from, and those positions' share is made up for later.
            return 0;
        }
        scheduled.steps(&self.session.config.replay, self.learner.positions())
    }

    /// Takes a step with each batch.
    fn learn(
        &mut self,
        batches: impl IntoIterator<Item = Result<Drawn>>,
        steps: u64,
    ) -> Result<Option<Sums>> {
        let label = format!("learn {}", self.after + 1);
        let bar = self.session.progress.bar(&label, steps);
        let lane = self.watchdog.lane(&label);
        let mut sums = Sums::default();
        for (done, drawn) in (1..).zip(batches) {
            let drawn = drawn?;
            if self.interrupt.requested() {
                return Ok(None);
            }
            lane.beat(|what| what.push_str(&label));
            match self.learner.step(&drawn.batch) {
                Ok(losses) => sums.add(&losses),
                Err(error) => return Err(self.keep_failed(&drawn, &error)),
            }
            bar.set(done);
        }
        bar.finish();
        Ok(Some(sums))
    }

    /// Saves a batch that could not be learned from and returns the error that names the file.
    fn keep_failed(&self, drawn: &Drawn, error: &model::ModelError) -> anyhow::Error {
        let text = error.to_string();
        match save_batch(
            self.run,
            self.learner.steps(),
            &drawn.batch,
            &drawn.origins,
            &text,
        ) {
            Ok(path) => anyhow!(
                "{text}; the batch is in `{}`, nothing was published, and the run goes on from generation {} when the cause is mended",
                path.display(),
                self.after
            ),
            Err(failure) => anyhow!("{text}; and the batch could not be saved: {failure:#}"),
        }
    }
}
