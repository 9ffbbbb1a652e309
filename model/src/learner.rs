//! One step of learning after another: forward, loss, backward, clip, step, average.

mod config;
mod gradient;

use std::sync::Arc;

pub use config::{LearnConfig, Optimiser};
use gradient::{Task, Workers};

use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, CheckpointMeta, encode, identity};
use crate::device::Device;
use crate::encoder::Sizes;
use crate::error::ModelError;
use crate::inference::Inference;
use crate::loss::Losses;
use crate::net::{Blueprint, Net, NetConfig};
use crate::optimiser::{Moments, average, clip};

/// A net that learns.
///
/// Parameters and optimiser live on the host as flat arrays, the net's matrices on the device; a step's result depends on nothing but the
/// learner's state and the batch.
#[derive(Clone, Debug)]
pub struct Learner {
    blueprint: Arc<Blueprint>,
    config: LearnConfig,
    device: Device,
    weights: Vec<f32>,
    /// The moving average of weights, which plays.
    average: Vec<f32>,
    moments: Moments,
    steps: u64,
    positions: u64,
    /// The gradient of the last step, whose memory the next one takes.
    spent: Vec<f32>,
    /// Made of `weights`.
    net: Net,
    workers: Workers,
}

impl Learner {
    /// Makes a learner whose initial weights are a pure function of `seed`.
    ///
    /// # Errors
    /// A config value is out of range, the net is not of the family that `sizes` is, or no threads can be started.
    pub fn new(
        sizes: impl Into<Sizes>,
        net: impl Into<NetConfig>,
        config: &LearnConfig,
        seed: u64,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let net = net.into();
        net.validate().map_err(ModelError::Config)?;
        config.validate().map_err(ModelError::Config)?;
        let blueprint = Blueprint::new(sizes.into(), &net)?;
        let weights = blueprint.initial(seed);
        Ok(Self {
            net: blueprint.net(&weights, device),
            config: *config,
            device: device.clone(),
            average: weights.clone(),
            moments: Moments::new(config.optimiser, weights.len()),
            weights,
            steps: 0,
            positions: 0,
            spent: Vec::new(),
            workers: Workers::new()?,
            blueprint: Arc::new(blueprint),
        })
    }

    /// Learns from one batch, at the learning rate that the schedule gives for [`positions`](Self::positions).
    ///
    /// # Errors
    /// The batch is malformed, or loss or gradient is not finite; then nothing has changed.
    pub fn step(&mut self, batch: &Batch) -> Result<Losses, ModelError> {
        batch.check(self.blueprint.sizes())?;
        let spent = std::mem::take(&mut self.spent);
        let (mut losses, mut gradient) = self.gradient(batch, spent)?;
        let norm = clip(&mut gradient, self.config.gradient_norm);
        if !norm.is_finite() {
            return Err(self.not_finite("the gradient"));
        }
        losses.gradient_norm = norm as f32;
        let step = (&self.config, self.learning_rate(), self.steps + 1);
        self.moments
            .apply(&self.blueprint, step, &gradient, &mut self.weights);
        self.spent = gradient;
        self.steps += 1;
        self.positions += batch.size as u64;
        average(
            &mut self.average,
            &self.weights,
            self.config.average_decay,
            self.steps,
        );
        self.net = self.blueprint.net(&self.weights, &self.device);
        Ok(losses)
    }

    /// Returns the number of positions learned from, counted as often as they were in a batch.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the learning rate of the next step.
    pub fn learning_rate(&self) -> f64 {
        self.config.rate_at(self.positions)
    }

    /// Returns the identity of the weights that play, the same as that of a [checkpoint](Checkpoint::id).
    pub fn id(&self) -> u64 {
        identity(&self.average)
    }

    /// Returns the net of averaged weights, ready for play.
    pub fn play_net(&self) -> Inference {
        Inference::new(&self.blueprint, &self.average, &self.device)
    }

    /// Returns the net of the newest weights.
    pub fn raw_net(&self) -> Inference {
        Inference::new(&self.blueprint, &self.weights, &self.device)
    }

    /// Returns everything that the learner is. Shape, net, steps and positions of `meta` are replaced by the learner's own.
    pub fn checkpoint(&self, meta: CheckpointMeta) -> Checkpoint {
        Checkpoint {
            meta: self.described(meta),
            optimiser: self.config.optimiser,
            weights: self.weights.clone(),
            average: self.average.clone(),
            moments: self.moments.clone(),
        }
    }

    /// Replaces `bytes` with those of the file of a [`checkpoint`](Self::checkpoint), without copying what the learner is.
    ///
    /// # Errors
    /// Those of [`Checkpoint::to_bytes`].
    pub fn write_checkpoint(
        &self,
        meta: CheckpointMeta,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ModelError> {
        let Moments { first, second } = &self.moments;
        let arrays = [&*self.weights, &*self.average, &**first, &**second];
        encode((self.described(meta), self.config.optimiser), arrays, bytes)
    }

    fn described(&self, meta: CheckpointMeta) -> CheckpointMeta {
        CheckpointMeta {
            shape: self.blueprint.sizes(),
            net: self.blueprint.config(),
            steps: self.steps,
            positions: self.positions,
            ..meta
        }
    }

    /// Makes the learner that `checkpoint` was made of: its next step is the same, bit for bit, if `config` and device are.
    ///
    /// # Errors
    /// A config value is out of range, or the checkpoint was made with another optimiser.
    pub fn restore(
        checkpoint: &Checkpoint,
        config: &LearnConfig,
        device: &Device,
    ) -> Result<Self, ModelError> {
        config.validate().map_err(ModelError::Config)?;
        let blueprint = checkpoint.blueprint()?;
        if checkpoint.optimiser != config.optimiser {
            return Err(ModelError::Mismatch(format!(
                "it was made with optimiser {:?}, but the config asks for {:?}; set the config's optimiser to that of the checkpoint",
                checkpoint.optimiser, config.optimiser
            )));
        }
        Ok(Self {
            net: blueprint.net(&checkpoint.weights, device),
            config: *config,
            device: device.clone(),
            weights: checkpoint.weights.clone(),
            average: checkpoint.average.clone(),
            moments: checkpoint.moments.clone(),
            steps: checkpoint.meta.steps,
            positions: checkpoint.meta.positions,
            spent: Vec::new(),
            workers: Workers::new()?,
            blueprint: Arc::new(blueprint),
        })
    }

    /// Returns the losses of a batch and the gradient of every parameter, in the memory of `spent`.
    fn gradient(&self, batch: &Batch, spent: Vec<f32>) -> Result<(Losses, Vec<f32>), ModelError> {
        let task = Task {
            blueprint: &self.blueprint,
            weights: &self.weights,
            net: &self.net,
            config: &self.config,
            device: &self.device,
        };
        let (sums, gradient) = task.gradient(&self.workers, batch, spent)?;
        let losses = sums.losses(batch.size, &self.config);
        if !losses.total.is_finite() {
            return Err(self.not_finite("the loss"));
        }
        Ok((losses, gradient))
    }

    fn not_finite(&self, what: &'static str) -> ModelError {
        ModelError::NotFinite {
            step: self.steps,
            what,
        }
    }
}
