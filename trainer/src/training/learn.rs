//! The learning half of a generation: as many steps as the config's reuse gives for the positions played so far.

use std::time::Instant;

use anyhow::{Result, anyhow};
use model::{Learner, Losses};
use rules::Variant;
use selfplay::random::{Purpose, stream};

use super::Session;
use super::failed::save_batch;
use super::limit::{Games, Limits, Look};
use super::publishing::Publishing;
use super::scheduled::Scheduled;
use crate::interrupt::Interrupt;
use crate::loader::{Drawn, Probe, Recipe, Sampler, ahead};
use crate::losses::LossSums;
use crate::replay::ReplayStore;
use crate::run_dir::RunDir;
use crate::watchdog::Watchdog;

/// The learning half of a generation, ready to begin.
pub(super) struct Learning<'a, V: Variant> {
    pub(super) session: &'a Session<'a, V>,
    pub(super) run: &'a RunDir,
    pub(super) store: &'a ReplayStore,
    pub(super) learner: &'a mut Learner,
    pub(super) watchdog: &'a Watchdog,
    /// What must be on the disk before anything else is written.
    pub(super) publishing: &'a mut Publishing,
    pub(super) interrupt: &'a Interrupt,
    /// The generation before.
    pub(super) after: u64,
    /// The newest games of the store: those that it has not learned from yet.
    pub(super) unseen: u64,
}

/// What a generation of learning did.
pub(super) struct Learned {
    /// By what numbers it learned.
    pub(super) scheduled: Scheduled,
    /// The learning rate of the first step.
    pub(super) learning_rate: f64,
    /// Mean losses.
    pub(super) losses: Option<Losses>,
    /// What limits the run, if that is looked into.
    pub(super) limits: Option<Limits>,
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
        let look = self.look(steps)?;
        let sums = ahead(sampler, |batches| self.learn(batches, steps))?;
        let Some(sums) = sums else { return Ok(None) };
        let after = |look: Look| look.after(&self.learner.play_net());
        Ok(Some(Learned {
            scheduled,
            learning_rate,
            losses: sums.mean(),
            limits: look.map(after).transpose()?,
            steps: self.learner.steps() - first,
            positions: self.learner.positions() - before,
            seconds: begun.elapsed().as_secs_f64(),
        }))
    }

    /// Measures the net before it learns, if there is anything to learn from and the config wants to know what limits the run.
    fn look(&self, steps: u64) -> Result<Option<Look>> {
        let count = self.session.config.evaluate.limit_positions;
        if count == 0 || steps == 0 {
            return Ok(None);
        }
        let stored = self.store.total_positions();
        let recipe = Recipe::new(self.session.config, self.session.parts, stored);
        let mut rng = stream(recipe.seed, Purpose::Limit, self.after + 1, 0);
        let newest = self.unseen.min(self.store.games() as u64) as usize;
        let window = self.store.as_ref();
        Look::before(&self.learner.play_net(), |games| {
            let games = match games {
                Games::Fresh => window.games() - newest..window.games(),
                Games::Known => window.games().saturating_sub(2 * newest)..window.games() - newest,
            };
            Probe::draw(&recipe, window, games, count, &mut rng)
        })
        .map(Some)
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
    ) -> Result<Option<LossSums>> {
        let label = format!("learn {}", self.after + 1);
        let bar = self.session.progress.bar(&label, steps);
        let lane = self.watchdog.lane(&label);
        let mut sums = LossSums::default();
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
    fn keep_failed(&mut self, drawn: &Drawn, error: &model::ModelError) -> anyhow::Error {
        let text = error.to_string();
        if let Err(before) = self.publishing.settle() {
            return before.context(format!(
                "{text}; and generation {} could not be published",
                self.after
            ));
        }
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
