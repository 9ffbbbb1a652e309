//! The config section of learning, and the learning-rate schedule that it describes.

use std::f64::consts::PI;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How weights follow gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Optimiser {
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019, arXiv:1711.05101).
    AdamW,
    /// Stochastic gradient descent with momentum and decoupled weight decay (SGDW of the same paper).
    Sgd,
}

/// How the net learns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnConfig {
    /// How weights follow gradients: "adamw" or "sgd".
    pub optimiser: Optimiser,
    /// Learning rate after the warm-up, above 0 to 10.
    pub learning_rate: f64,
    /// Positions over which the learning rate rises from 0 to `learning_rate`; 0: no warm-up. These and `schedule_positions` are positions
    /// learned from, each as often as it was in a batch: the schedule takes as many of them whatever the size of batches, and however that
    /// changes.
    pub warmup_positions: u64,
    /// Positions, warm-up included, after which the learning rate stays at `final_learning_rate`; it falls there as a half cosine.
    pub schedule_positions: u64,
    /// Learning rate after `schedule_positions`, 0 to `learning_rate`.
    pub final_learning_rate: f64,
    /// Share of a weight that each step takes away, times the learning rate, 0 to 1; biases do not decay.
    pub weight_decay: f64,
    /// Momentum of sgd, first decay rate of adamw, 0 to below 1.
    pub momentum: f64,
    /// Length to which the whole gradient is cut, above 0.
    pub gradient_norm: f64,
    /// Decay a step of the moving average of weights that plays, 0 to below 1; 0: the newest weights play. From 0.99 on it moves every eighth step.
    pub average_decay: f64,
    /// Weight of the policy's loss, 0 to 100.
    pub policy_weight: f32,
    /// Weight of the result's loss, 0 to 100.
    pub value_weight: f32,
    /// Weight of the loss of plies left, 0 to 100.
    pub moves_left_weight: f32,
}

impl LearnConfig {
    /// Checks that each field is in its range.
    ///
    /// # Errors
    /// Says which field is out of range, its value, and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        let rate = self.learning_rate;
        positive("learning_rate", rate)?;
        up_to("learning_rate", rate, 10.0)?;
        up_to("final_learning_rate", self.final_learning_rate, rate)?;
        up_to("weight_decay", self.weight_decay, 1.0)?;
        below_1("momentum", self.momentum)?;
        positive("gradient_norm", self.gradient_norm)?;
        below_1("average_decay", self.average_decay)?;
        for (name, weight) in [
            ("policy_weight", self.policy_weight),
            ("value_weight", self.value_weight),
            ("moves_left_weight", self.moves_left_weight),
        ] {
            up_to(name, f64::from(weight), 100.0)?;
        }
        if self.schedule_positions < self.warmup_positions {
            return Err(format!(
                "schedule_positions = {}: must be at least warmup_positions = {}",
                self.schedule_positions, self.warmup_positions
            ));
        }
        Ok(())
    }

    /// Returns the learning rate of a step that comes after `positions` positions have been learned from, whatever batches they came in.
    pub(crate) fn rate_at(&self, positions: u64) -> f64 {
        if positions < self.warmup_positions {
            return self.learning_rate * positions as f64 / self.warmup_positions as f64;
        }
        if positions >= self.schedule_positions {
            return self.final_learning_rate;
        }
        let done = (positions - self.warmup_positions) as f64
            / (self.schedule_positions - self.warmup_positions) as f64;
        self.final_learning_rate
            + (self.learning_rate - self.final_learning_rate) * (1.0 + (PI * done).cos()) / 2.0
    }
}

fn up_to(name: &str, value: f64, high: f64) -> Result<(), String> {
    if (0.0..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} = {value}: must be from 0 to {high}"))
}

fn below_1(name: &str, value: f64) -> Result<(), String> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} = {value}: must be from 0 to below 1"))
}

fn positive(name: &str, value: f64) -> Result<(), String> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(format!("{name} = {value}: must be above 0"))
}
