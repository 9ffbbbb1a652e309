//! A net whose first layer is a sum of rows, one for each feature that is active.
//!
//! The sums are two accumulators, for the value and for the policy, next to each other in each row. Cut to `[0, 1]` and squared or multiplied
//! in pairs, the value's go through two small layers to win, draw, loss and plies left, and the policy's through one to a vector `h`. The
//! logit of a move is the product of `h` with the sum of the move's own rows. Only legal moves have one.
//!
//! Sums of rows and what becomes of them are computed on the host in plain loops, forward and backward alike: as products with matrices of
//! zeros and ones the sums would take most of the time. Only the small layers behind them are burn's.

mod layout;
pub(crate) mod sums;
#[cfg(test)]
mod tests;

use burn::Tensor;

pub(crate) use layout::Layout;

use super::config::SparseConfig;
use super::slot::Layer;
use crate::device::Device;

/// The greatest size of a weight: 127 / 64, which 8 bits hold in steps of 1/64.
///
/// In steps of 1/255, in which a cut sum is a byte, 16 bits hold the sum of 64 such rows: more than are active in a game without tactics, and of
/// those with them only few are as great.
pub(crate) const WEIGHT_LIMIT: f32 = 127.0 / 64.0;

/// The layers between the sums and what the net says.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    config: SparseConfig,
    value_first: Layer,
    value_second: Layer,
    value_output: Layer,
    policy: Layer,
}

impl Net {
    /// Puts the layers together from the parameters.
    pub(crate) fn new(layout: &Layout, values: &[f32], device: &Device) -> Self {
        let mut slots = layout.dense_slots().iter();
        Self::assemble(layout.config, || {
            let slot = slots.next().expect("a layout has two slots for each layer");
            slot.matrix(values, device)
        })
    }

    /// Returns the same layers with gradients flowing to their matrices.
    pub(crate) fn learning(&self) -> Self {
        let mut matrices = self.matrices().into_iter();
        Self::assemble(self.config, || {
            let matrix = matrices
                .next()
                .expect("a net has its own number of matrices");
            matrix.clone().autodiff().require_grad()
        })
    }

    /// Makes layers of matrices that come in the order of the layout's slots.
    fn assemble(config: SparseConfig, mut matrix: impl FnMut() -> Tensor<2>) -> Self {
        let mut layer = || Layer {
            weight: matrix(),
            bias: matrix(),
        };
        Self {
            config,
            value_first: layer(),
            value_second: layer(),
            value_output: layer(),
            policy: layer(),
        }
    }

    /// Turns what has become of the sums, `[batch, inputs]`, first the value's and then the policy's, into the value's four numbers and the
    /// policy's vector, `[batch, 4]` and `[batch, policy_hidden]`.
    pub(crate) fn forward(&self, active: &Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let value = self.inputs(self.config.value_width);
        let policy = self.inputs(self.config.policy_width);
        let part = |from: usize, width: usize| active.clone().narrow(1, from, width);
        let x = self.value_first.apply(part(0, value)).clamp(0.0, 1.0);
        let x = self.value_second.apply(x).clamp(0.0, 1.0);
        (
            self.value_output.apply(x),
            self.policy.apply(part(value, policy)),
        )
    }

    fn inputs(&self, width: usize) -> usize {
        self.config.activation.inputs(width)
    }

    /// Returns the matrices in the order of the layout's slots.
    pub(crate) fn matrices(&self) -> Vec<&Tensor<2>> {
        [
            &self.value_first,
            &self.value_second,
            &self.value_output,
            &self.policy,
        ]
        .into_iter()
        .flat_map(|layer| [&layer.weight, &layer.bias])
        .collect()
    }
}
