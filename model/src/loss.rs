//! From what the net says to chances and plies, and how wrong they are: losses and their gradients with respect to the heads.
//!
//! Computed in plain loops over the host's arrays: the same bits whatever the device's reductions do.

use serde::Serialize;

use crate::batch::Batch;
use crate::learner::LearnConfig;
use crate::net::Heads;

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

/// Returns the losses of `batch`, gradient norm left out, and replaces what the heads said by the gradients of the total with respect to it.
pub(crate) fn evaluate(batch: &Batch, config: &LearnConfig, heads: &mut Heads<Vec<f32>>) -> Losses {
    let mut sums = Sums::default();
    let actions = batch.policy.len() / batch.size;
    let rows = heads
        .policy
        .chunks_exact_mut(actions)
        .zip(heads.value.chunks_exact_mut(4));
    for (sample, (policy, value)) in rows.enumerate() {
        let row = |array| actions_of(array, sample, actions);
        sums.policy(policy, row(&batch.policy), row(&batch.legal));
        let (wdl, moves_left) = value.split_at_mut(3);
        sums.wdl(wdl, &batch.wdl[sample * 3..][..3]);
        sums.moves_left(
            &mut moves_left[0],
            batch.moves_left[sample],
            batch.moves_left_weight[sample],
        );
        let size = batch.size as f32;
        policy
            .iter_mut()
            .for_each(|g| *g *= config.policy_weight / size);
        wdl.iter_mut()
            .for_each(|g| *g *= config.value_weight / size);
        moves_left[0] *= config.moves_left_weight / size;
    }
    sums.losses(batch.size, config)
}

/// Returns a sample's row of an array `[size, actions]`.
fn actions_of(array: &[f32], sample: usize, actions: usize) -> &[f32] {
    &array[sample * actions..][..actions]
}

/// Sums over samples, in their order.
#[derive(Default)]
struct Sums {
    policy: f64,
    entropy: f64,
    policies: f64,
    wdl: f64,
    moves_left: f64,
    moves_left_weight: f64,
}

impl Sums {
    /// Adds a sample's policy, and replaces its logits by the gradient of its loss: chance minus target over legal actions.
    fn policy(&mut self, logits: &mut [f32], target: &[f32], legal: &[f32]) {
        if target.iter().all(|chance| *chance == 0.0) {
            logits.fill(0.0);
            return;
        }
        log_softmax(logits, |i| legal[i] != 0.0);
        for ((log, &target), &legal) in logits.iter_mut().zip(target).zip(legal) {
            if target > 0.0 {
                self.policy -= f64::from(target * *log);
                self.entropy -= f64::from(target * target.ln());
            }
            *log = if legal == 0.0 {
                0.0
            } else {
                log.exp() - target
            };
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

    /// Adds a sample's plies left by Huber's loss (quadratic up to 1), and replaces the net's value by the gradient.
    fn moves_left(&mut self, raw: &mut f32, plies: f32, weight: f32) {
        let error = softplus(*raw) - plies / PLIES;
        let loss = if error.abs() <= 1.0 {
            error * error / 2.0
        } else {
            error.abs() - 0.5
        };
        self.moves_left += f64::from(weight * loss);
        self.moves_left_weight += f64::from(weight);
        let sigmoid = 1.0 / (1.0 + (-*raw).exp());
        *raw = weight * error.clamp(-1.0, 1.0) * sigmoid;
    }

    fn losses(&self, size: usize, config: &LearnConfig) -> Losses {
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
