//! From what the net says to chances and plies, and how wrong they are: losses and their gradients with respect to the heads.
//!
//! Computed in plain loops over the host's arrays: the same bits whatever the device's reductions do.

mod measure;

use std::ops::Range;

use serde::Serialize;

use crate::batch::Batch;
use crate::learner::LearnConfig;
use crate::net::Heads;
pub use measure::SampleLosses;
pub(crate) use measure::{Said, measure};

/// The plies left are learned in units of this many plies, which brings them near 1 as other targets are.
const PLIES: f32 = 20.0;

/// What one step of learning measured, before the weights changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Losses {
    /// What the step made smaller: the weighted sum over heads of the sums over samples, divided by the batch's size. A sample without a
    /// target for a head adds nothing there.
    pub total: f32,
    /// Cross-entropy of the policy, in nats; mean over the samples that have a policy to learn, 0 if none has.
    pub policy: f32,
    /// Entropy of the policies to learn, in nats; mean over the same samples, so that `policy - policy_entropy` is the divergence.
    pub policy_entropy: f32,
    /// Cross-entropy of win, draw and loss, in nats; mean over the batch.
    pub wdl: f32,
    /// Huber loss of the plies left, in units of 20 plies; mean over the samples that count, by how much they count, 0 if none does.
    pub moves_left: f32,
    /// Length of the whole gradient before clipping.
    pub gradient_norm: f32,
}

/// Replaces logits by the logarithms of their softmax over the entries that `legal` (1 or 0) lets in; others become 0.
fn log_softmax(logits: &mut [f32], legal: impl Fn(usize) -> bool) {
    let entries = || (0..logits.len()).filter(|&i| legal(i));
    let max = entries()
        .map(|i| logits[i])
        .fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = entries().map(|i| (logits[i] - max).exp()).sum();
    let shift = max + sum.ln();
    for (i, logit) in logits.iter_mut().enumerate() {
        *logit = if legal(i) { *logit - shift } else { 0.0 };
    }
}

/// Turns three logits into chances of win, draw and loss.
pub(crate) fn chances(logits: [f32; 3]) -> [f32; 3] {
    let mut logs = logits;
    log_softmax(&mut logs, |_| true);
    logs.map(f32::exp)
}

/// Turns the net's fourth value into plies left, at least 0.
pub(crate) fn plies_left(raw: f32) -> f32 {
    softplus(raw) * PLIES
}

/// Returns ln(1 + e^x) without overflow.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Sums the losses of some samples of `batch`, and replaces what the heads said about them by the gradients of the batch's total.
pub(crate) fn evaluate(
    batch: &Batch,
    samples: Range<usize>,
    config: &LearnConfig,
    heads: &mut Heads<Vec<f32>>,
) -> Sums {
    let mut sums = Sums::default();
    let mut policies = &mut heads.policy[..];
    for (sample, value) in samples.zip(heads.value.chunks_exact_mut(4)) {
        let (target, legal) = batch.policy_of(sample);
        let (policy, rest) = std::mem::take(&mut policies).split_at_mut(target.len());
        policies = rest;
        match legal {
            Some(legal) => sums.policy(policy, target, |at| legal[at] != 0.0),
            None => sums.policy(policy, target, |_| true),
        }
        let (wdl, moves_left) = value.split_at_mut(3);
        sums.wdl(wdl, &batch.wdl[sample * 3..][..3]);
        sums.moves_left(
            &mut moves_left[0],
            batch.moves_left[sample],
            batch.moves_left_weight[sample],
        );
        let size = batch.size as f32;
        scale(policy, config.policy_weight / size);
        scale(wdl, config.value_weight / size);
        scale(moves_left, config.moves_left_weight / size);
    }
    sums
}

/// Huber's loss: quadratic up to 1, and straight from there.
fn huber(error: f32) -> f32 {
    if error.abs() <= 1.0 {
        error * error / 2.0
    } else {
        error.abs() - 0.5
    }
}

fn scale(values: &mut [f32], factor: f32) {
    for value in values {
        *value *= factor;
    }
}

/// Sums of losses over samples, in their order.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    policy: f64,
    entropy: f64,
    policies: f64,
    wdl: f64,
    moves_left: f64,
    moves_left_weight: f64,
}

impl Sums {
    /// Adds a sample's policy, and replaces its logits by the gradient of its loss: chance minus target over legal actions.
    fn policy(&mut self, logits: &mut [f32], target: &[f32], legal: impl Fn(usize) -> bool + Copy) {
        if target.iter().all(|chance| *chance == 0.0) {
            logits.fill(0.0);
            return;
        }
        log_softmax(logits, legal);
        for (at, (log, &target)) in logits.iter_mut().zip(target).enumerate() {
            if target > 0.0 {
                self.policy -= f64::from(target * *log);
                self.entropy -= f64::from(target * target.ln());
            }
            *log = if legal(at) { log.exp() - target } else { 0.0 };
        }
        self.policies += 1.0;
    }

    /// Adds a sample's result, and replaces its three logits by the gradient of its loss.
    fn wdl(&mut self, logits: &mut [f32], target: &[f32]) {
        log_softmax(logits, |_| true);
        for (log, &target) in logits.iter_mut().zip(target) {
            self.wdl -= f64::from(target * *log);
            *log = log.exp() - target;
        }
    }

    /// Adds a sample's plies left by Huber's loss, and replaces the net's value by the gradient.
    fn moves_left(&mut self, raw: &mut f32, plies: f32, weight: f32) {
        let error = softplus(*raw) - plies / PLIES;
        self.moves_left += f64::from(weight * huber(error));
        self.moves_left_weight += f64::from(weight);
        let sigmoid = 1.0 / (1.0 + (-*raw).exp());
        *raw = weight * error.clamp(-1.0, 1.0) * sigmoid;
    }

    /// Adds the sums over further samples.
    pub(crate) fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.entropy += other.entropy;
        self.policies += other.policies;
        self.wdl += other.wdl;
        self.moves_left += other.moves_left;
        self.moves_left_weight += other.moves_left_weight;
    }

    /// Returns the losses of a batch of `size` samples, with the gradient's norm left out.
    pub(crate) fn losses(&self, size: usize, config: &LearnConfig) -> Losses {
        let total = f64::from(config.policy_weight) * self.policy
            + f64::from(config.value_weight) * self.wdl
            + f64::from(config.moves_left_weight) * self.moves_left;
        let mean = |sum: f64, count: f64| {
            if count > 0.0 {
                (sum / count) as f32
            } else {
                sum as f32
            }
        };
        Losses {
            total: (total / size as f64) as f32,
            policy: mean(self.policy, self.policies),
            policy_entropy: mean(self.entropy, self.policies),
            wdl: (self.wdl / size as f64) as f32,
            moves_left: mean(self.moves_left, self.moves_left_weight),
            gradient_norm: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::Shape;
    use crate::learner::Optimiser;

    const CONFIG: LearnConfig = LearnConfig {
        optimiser: Optimiser::Sgd,
        learning_rate: 1.0,
        warmup_positions: 0,
        schedule_positions: 0,
        final_learning_rate: 1.0,
        weight_decay: 0.0,
        momentum: 0.0,
        gradient_norm: 1.0,
        average_decay: 0.0,
        policy_weight: 1.5,
        value_weight: 0.7,
        moves_left_weight: 0.3,
    };

    pub(super) fn batch() -> Batch {
        let shape = Shape {
            planes: 1,
            ranks: 1,
            files: 1,
            actions: 3,
            policy_planes: 0,
        };
        let mut batch = Batch::new(shape, 3);
        batch.policy[..3].copy_from_slice(&[0.25, 0.75, 0.0]);
        batch.policy[3..6].copy_from_slice(&[0.0, 0.0, 1.0]);
        batch
            .legal
            .copy_from_slice(&[1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
        batch
            .wdl
            .copy_from_slice(&[1.0, 0.0, 0.0, 0.2, 0.5, 0.3, 0.0, 0.0, 1.0]);
        batch.moves_left.copy_from_slice(&[90.0, 12.0, 50.0]);
        batch.moves_left_weight.copy_from_slice(&[1.0, 0.5, 0.0]);
        batch
    }

    pub(super) fn heads() -> Heads<Vec<f32>> {
        Heads {
            policy: vec![0.3, -0.4, 9.0, 0.1, 0.2, -0.7, 1.0, 2.0, 3.0],
            value: vec![
                0.5, -0.2, 0.1, 0.4, 1.0, 0.3, -0.6, -0.8, 0.2, 0.2, 0.1, 0.9,
            ],
        }
    }

    pub(super) fn losses(heads: &mut Heads<Vec<f32>>) -> Losses {
        evaluate(&batch(), 0..3, &CONFIG, heads).losses(3, &CONFIG)
    }

    #[test]
    fn gradients_are_those_of_the_total() {
        let mut gradients = heads();
        losses(&mut gradients);
        let total = |at: usize, shift: f32| {
            let mut heads = heads();
            let policies = heads.policy.len();
            if at < policies {
                heads.policy[at] += shift;
            } else {
                heads.value[at - policies] += shift;
            }
            losses(&mut heads).total
        };
        let found = gradients.policy.iter().chain(&gradients.value);
        for (at, found) in found.enumerate() {
            let expected = (total(at, 1e-2) - total(at, -1e-2)) / 2e-2;
            assert!(
                (found - expected).abs() < 1e-3,
                "{at}: {found} and {expected}"
            );
        }
    }

    #[test]
    fn means_are_over_samples_that_have_the_target() {
        let mut at_target = heads();
        at_target.policy[..3].copy_from_slice(&[0.25_f32.ln(), 0.75_f32.ln(), 9.0]);
        at_target.policy[3..6].copy_from_slice(&[-50.0, -50.0, 0.0]);
        let losses = losses(&mut at_target);
        let entropy = -(0.25 * 0.25_f32.ln() + 0.75 * 0.75_f32.ln()) / 2.0;
        assert!((losses.policy - entropy).abs() < 1e-6, "{losses:?}");
        assert!((losses.policy_entropy - entropy).abs() < 1e-6, "{losses:?}");
    }
}
