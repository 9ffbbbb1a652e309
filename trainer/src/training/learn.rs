//! The learning half of a generation: as many steps as the config's reuse gives for the positions played so far.

use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use model::{Batch, Losses};
use rand::RngExt;
use rayon::prelude::*;
use rules::Variant;
use selfplay::random::{Purpose, stream};

use super::failed::save_batch;
use super::{GenerationLine, Session, Training};
use crate::loader::{Sample, load_batch};
use crate::replay::ReplayStore;

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

/// A batch, and the game and ply of each of its samples.
struct Drawn {
    batch: Batch,
    origins: Vec<(u64, usize)>,
}

impl<V: Variant> Training<'_, V> {
    /// Learns until each position played was learned from `reuse` times on average; `false` if an interrupt came first.
    pub(super) fn learn(&mut self, line: &mut GenerationLine) -> Result<bool> {
        let begun = Instant::now();
        let replay = self.config().replay;
        line.learning_rate = self.learner.learning_rate();
        // Until the first games end there is nothing to learn from, and those positions' share is made up for later.
        let target =
            (self.store.total_positions() as f64 * replay.reuse / replay.batch as f64) as u64;
        let first = self.learner.steps();
        let steps = if self.store.positions() < replay.batch as u64 {
            0
        } else {
            target.saturating_sub(first)
        };
        let label = format!("learn {}", line.generation);
        let bar = self.session.progress.bar(&label, steps);
        let mut sums = Sums::default();
        let mut next = if steps > 0 {
            Some(draw(self.session, &self.store, first)?)
        } else {
            None
        };
        while let Some(drawn) = next.take() {
            if self.session.interrupt.requested() {
                return Ok(false);
            }
            let following = self.learner.steps() + 1;
            self.watchdog.beat(|what| what.push_str(&label));
            let Self {
                learner,
                store,
                session,
                ..
            } = self;
            let load = || {
                (following < first + steps)
                    .then(|| draw(session, store, following))
                    .transpose()
            };
            // The next batch is made while this one is learned from.
            let (losses, loaded) = rayon::join(|| learner.step(&drawn.batch), load);
            match losses {
                Ok(losses) => sums.add(&losses),
                Err(error) => return Err(self.keep_failed(&drawn, &error)),
            }
            next = loaded?;
            bar.set(following - first);
        }
        bar.finish();
        line.losses = sums.mean();
        line.steps = self.learner.steps() - first;
        line.seconds.learn = begun.elapsed().as_secs_f64();
        Ok(true)
    }

    /// Saves a batch that could not be learned from and returns the error that names the file.
    fn keep_failed(&self, drawn: &Drawn, error: &model::ModelError) -> anyhow::Error {
        let shape = self.session.parts.encoder.shape();
        let text = error.to_string();
        match save_batch(
            &self.run,
            self.learner.steps(),
            shape,
            &drawn.batch,
            &drawn.origins,
            &text,
        ) {
            Ok(path) => anyhow!(
                "{text}; the batch is in `{}`, nothing was published, and the run goes on from generation {} when the cause is mended",
                path.display(),
                self.state.generation
            ),
            Err(failure) => anyhow!("{text}; and the batch could not be saved: {failure:#}"),
        }
    }
}

/// Makes the batch of a step: positions drawn from the window by the seed and the step's number.
fn draw<V: Variant>(session: &Session<'_, V>, store: &ReplayStore, step: u64) -> Result<Drawn> {
    let config = session.config;
    let mut mirror = stream(config.seed, Purpose::Mirror, step, 0);
    let drawn = store.sample(
        &mut stream(config.seed, Purpose::Batch, step, 0),
        config.replay.batch,
    );
    let places: Vec<_> = drawn
        .into_iter()
        .map(|place| (place, config.targets.mirror && mirror.random()))
        .collect();
    let sample = |((game, ply), mirrored)| {
        Ok(Sample {
            record: store.record(game)?,
            ply,
            mirrored,
        })
    };
    let samples: Vec<Sample> = places.into_par_iter().map(sample).collect::<Result<_>>()?;
    let batch = load_batch(&session.parts.encoder, config.targets, &samples)
        .context("the replay store holds a game that cannot be learned from")?;
    let origins = samples
        .iter()
        .map(|sample| (sample.record.number, sample.ply))
        .collect();
    Ok(Drawn { batch, origins })
}
