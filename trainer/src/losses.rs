//! Mean losses over steps of learning.

use model::Losses;

/// Sums of the losses of steps, for their means.
#[derive(Debug, Default)]
pub(crate) struct LossSums {
    losses: Losses,
    steps: f32,
}

impl LossSums {
    /// Adds those of a step.
    pub(crate) fn add(&mut self, losses: &Losses) {
        self.steps += 1.0;
        self.losses.total += losses.total;
        self.losses.policy += losses.policy;
        self.losses.policy_entropy += losses.policy_entropy;
        self.losses.wdl += losses.wdl;
        self.losses.moves_left += losses.moves_left;
        self.losses.gradient_norm += losses.gradient_norm;
    }

    /// Returns the means, `None` without a step.
    pub(crate) fn mean(&self) -> Option<Losses> {
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
