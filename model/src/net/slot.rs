//! Parameters in one flat array, and how each becomes a matrix that the net multiplies by.
//!
//! A learner keeps parameters, averages and moments as plain arrays in one order: checkpoints, averaging and clipping are loops over
//! numbers, and the same bits on any thread count. The matrices, made anew whenever parameters change, are gathered from that array by an
//! index table ([`Gather`]); the gradient of a parameter is the sum of the gradients of the matrix entries gathered from it.

use burn::Tensor;
use burn::tensor::TensorData;

use crate::device::Device;

/// An affine map: a matrix and a row of biases.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) weight: Tensor<2>,
    pub(super) bias: Tensor<2>,
}

impl Layer {
    pub(super) fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.clone()) + self.bias.clone()
    }
}

/// How a matrix is gathered from a parameter, run by run.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    /// The number of consecutive values that are copied together.
    pub(super) run: usize,
    /// For each run of the matrix the number of the parameter's run that it is a copy of, or [`ZEROS`].
    pub(super) sources: Vec<u32>,
}

/// Stands for a run of zeros: two squares too far apart for a kernel.
pub(super) const ZEROS: u32 = u32::MAX;

impl Gather {
    /// The matrix is the parameter.
    pub(super) fn identity(len: usize) -> Self {
        Self {
            run: len,
            sources: vec![0],
        }
    }

    /// Returns the matrix, row by row, made from the `values` of a parameter.
    pub(crate) fn expand(&self, values: &[f32]) -> Vec<f32> {
        let mut matrix = Vec::with_capacity(self.run * self.sources.len());
        for &source in &self.sources {
            if source == ZEROS {
                matrix.resize(matrix.len() + self.run, 0.0);
            } else {
                matrix.extend_from_slice(&values[source as usize * self.run..][..self.run]);
            }
        }
        matrix
    }

    /// Adds the gradient of the matrix to that of the parameter: the transpose of [`expand`](Self::expand).
    pub(crate) fn fold(&self, matrix: &[f32], gradient: &mut [f32]) {
        for (&source, run) in self.sources.iter().zip(matrix.chunks_exact(self.run)) {
            if source != ZEROS {
                let into = &mut gradient[source as usize * self.run..][..self.run];
                for (sum, value) in into.iter_mut().zip(run) {
                    *sum += value;
                }
            }
        }
    }
}

/// One parameter: its place in the flat array, and the matrix made of it.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Where the parameter starts in the flat array.
    pub(crate) start: usize,
    /// How many values it has.
    pub(crate) len: usize,
    /// Rows and columns of the matrix.
    pub(crate) dims: [usize; 2],
    /// How the matrix is made.
    pub(crate) gather: Gather,
    /// Initial values are spread evenly from minus this to this.
    pub(crate) bound: f32,
    /// Whether weight decay applies: to weights, not to biases.
    pub(crate) decays: bool,
    /// Whether its rows are looked up, so that most of them have no gradient in a batch.
    pub(crate) is_table: bool,
}

impl Slot {
    /// Makes the matrix of this parameter among all `values`.
    pub(super) fn matrix(&self, values: &[f32], device: &Device) -> Tensor<2> {
        let matrix = self.gather.expand(&values[self.start..][..self.len]);
        Tensor::from_data(TensorData::new(matrix, self.dims), &device.burn)
    }
}

/// Returns initial parameters, a pure function of `seed`.
pub(super) fn initial(slots: &[Slot], seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut values = Vec::with_capacity(slots.iter().map(|slot| slot.len).sum());
    for slot in slots {
        values.extend((0..slot.len).map(|_| uniform(&mut state) * slot.bound));
    }
    values
}

/// The gain of layers that end in logits: small, so that play begins near uniform and undecided.
pub(super) const OUTPUT: f32 = 0.1;

/// Returns the bound of a uniform distribution with the variance of He et al. 2015 (arXiv:1502.01852), 2 / fan-in, times gain squared.
pub(super) fn bound(gain: f32, fan_in: usize) -> f32 {
    gain * (6.0 / fan_in as f32).sqrt()
}

/// Returns a number from -1 to 1 and moves the generator on: splitmix64 (Steele et al. 2014), whose bits are the same everywhere.
fn uniform(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    // The upper 24 bits fill a float's mantissa exactly.
    (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
}
