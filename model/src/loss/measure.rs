//! How wrong a net that plays is about each sample, with no gradient.

use super::{PLIES, Sums, huber};
use crate::batch::Batch;

/// How wrong a net that plays is about one sample, with no step taken; nats unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleLosses {
    /// Whether the sample has a policy to learn; if not, the three values of the policy are 0.
    pub has_policy: bool,
    /// Cross-entropy of the policy.
    pub policy: f64,
    /// Entropy of the policy to learn, below which `policy` cannot fall.
    pub policy_entropy: f64,
    /// What `policy` is for a net that gives every legal move the same chance.
    pub policy_uniform: f64,
    /// Cross-entropy of win, draw and loss.
    pub wdl: f64,
    /// Entropy of the chances to learn, below which `wdl` cannot fall. It is 0 for an outcome that is certain by then, of which no net can know.
    pub wdl_entropy: f64,
    /// Huber loss of the plies left, in units of 20 plies.
    pub moves_left: f64,
    /// How much the plies left count, 0 or 1.
    pub moves_left_weight: f64,
}

/// What a net that plays says of one sample.
pub(crate) struct Said<'a> {
    /// Logits of all actions, or of the legal moves.
    pub(crate) logits: &'a [f32],
    /// Chances of win, draw and loss.
    pub(crate) wdl: &'a [f32],
    /// Plies left.
    pub(crate) moves_left: f32,
}

/// Holds what a net said of a sample of `batch` against its targets.
pub(crate) fn measure(batch: &Batch, sample: usize, said: &Said<'_>) -> SampleLosses {
    let mut sums = Sums::default();
    let (target, legal) = batch.policy_of(sample);
    let mut logits = said.logits.to_vec();
    let moves = if let Some(legal) = legal {
        sums.policy(&mut logits, target, |at| legal[at] != 0.0);
        legal.iter().filter(|&&legal| legal != 0.0).count()
    } else {
        sums.policy(&mut logits, target, |_| true);
        target.len()
    };
    let has_policy = sums.policies > 0.0;
    let wdl = &batch.wdl[sample * 3..][..3];
    // The softmax of logarithms of chances gives the chances again; one that is 0 in 32 bits is held to be the least there is.
    let mut logs = [0.0; 3];
    for (log, chance) in logs.iter_mut().zip(said.wdl) {
        *log = chance.max(f32::MIN_POSITIVE).ln();
    }
    sums.wdl(&mut logs, wdl);
    let weight = batch.moves_left_weight[sample];
    let plies = (said.moves_left - batch.moves_left[sample]) / PLIES;
    SampleLosses {
        has_policy,
        policy: sums.policy,
        policy_entropy: sums.entropy,
        policy_uniform: if has_policy { (moves as f64).ln() } else { 0.0 },
        wdl: sums.wdl,
        wdl_entropy: entropy(wdl),
        moves_left: f64::from(huber(plies)),
        moves_left_weight: f64::from(weight),
    }
}

fn entropy(chances: &[f32]) -> f64 {
    let parts = chances.iter().filter(|chance| **chance > 0.0);
    parts
        .map(|chance| -f64::from(chance * chance.ln()))
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::tests::{batch, heads, losses};
    use crate::loss::{chances, plies_left};

    /// What a net that plays says, held against the targets, sums to what a step of learning measures.
    #[test]
    fn samples_measured_alone_add_up_to_the_losses() {
        let (batch, said) = (batch(), heads());
        let measured: Vec<SampleLosses> = (0..3)
            .map(|at| {
                let value = &said.value[at * 4..][..4];
                let said = Said {
                    logits: &said.policy[at * 3..][..3],
                    wdl: &chances([value[0], value[1], value[2]]),
                    moves_left: plies_left(value[3]),
                };
                measure(&batch, at, &said)
            })
            .collect();
        let expected = losses(&mut heads());
        let sum = |part: fn(&SampleLosses) -> f64| measured.iter().map(part).sum::<f64>();
        let near = |found: f64, expected: f32| {
            assert!(
                (found - f64::from(expected)).abs() < 1e-5,
                "{found} and {expected}"
            );
        };
        // The third sample has no policy to learn, and no plies left that count.
        assert_eq!(measured.iter().filter(|of| of.has_policy).count(), 2);
        near(sum(|of| of.policy) / 2.0, expected.policy);
        near(sum(|of| of.policy_entropy) / 2.0, expected.policy_entropy);
        near(sum(|of| of.wdl) / 3.0, expected.wdl);
        let weighted = sum(|of| of.moves_left * of.moves_left_weight);
        near(weighted / 1.5, expected.moves_left);
        near(measured[0].policy_uniform, 2.0_f32.ln());
        near(measured[2].policy_uniform, 0.0);
        near(measured[0].wdl_entropy, 0.0);
        near(measured[1].wdl_entropy, 1.029_653);
    }
}
