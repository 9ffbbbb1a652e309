//! A net that plays: planes in, logits, chances and plies left out.

use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;
use rayon::prelude::*;

use crate::device::Device;
use crate::encoder::Shape;
use crate::error::ModelError;
use crate::loss::{chances, plies_left};
use crate::net::{Blueprint, Net};

/// A net ready for play. Clones share it; it may be used from any number of threads.
#[derive(Clone, Debug)]
pub struct Inference {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    net: Net,
    shape: Shape,
    parameters: usize,
    device: Device,
}

/// What a net says about positions, in their order and from each one's mover's side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Logits of every action, legal or not, `[size, actions]`.
    pub policy: Vec<f32>,
    /// Chances of win, draw and loss, `[size, 3]`; each row sums to 1.
    pub wdl: Vec<f32>,
    /// Plies until the end of the game, at least 0, `[size]`.
    pub moves_left: Vec<f32>,
}

impl Outputs {
    fn resize(&mut self, size: usize, actions: usize) {
        self.policy.resize(size * actions, 0.0);
        self.wdl.resize(size * 3, 0.0);
        self.moves_left.resize(size, 0.0);
    }
}

/// A chunk's part of [`Outputs`].
type Rows<'a> = ((&'a mut [f32], &'a mut [f32]), &'a mut [f32]);

impl Inference {
    pub(crate) fn new(blueprint: &Blueprint, values: &[f32], device: &Device) -> Self {
        Self {
            inner: Arc::new(Inner {
                net: Net::new(blueprint, values, device),
                shape: blueprint.shape,
                parameters: blueprint.len,
                device: device.clone(),
            }),
        }
    }

    /// Returns the sizes of what the net takes and gives.
    pub fn shape(&self) -> Shape {
        self.inner.shape
    }

    /// Tells whether the net computes on the processor, and not on a device of its own.
    pub fn is_on_processor(&self) -> bool {
        self.inner.device.is_processor()
    }

    /// Returns the number of the net's parameters.
    pub fn parameters(&self) -> usize {
        self.inner.parameters
    }

    /// Evaluates `size` positions, given as planes `[size, planes, ranks, files]`, and overwrites `out`.
    ///
    /// What comes out for a position depends on its planes alone, bit for bit, not on the positions beside it or on threads. The work is
    /// spread over the threads of the rayon pool of the caller.
    ///
    /// # Errors
    /// `planes` has another length, or the device fails.
    pub fn run(&self, planes: &[f32], size: usize, out: &mut Outputs) -> Result<(), ModelError> {
        let Shape { actions, .. } = self.inner.shape;
        let width = self.inner.shape.plane_len();
        if planes.len() != size * width {
            return Err(ModelError::Batch(format!(
                "planes has {} values: must have {size} x {width}",
                planes.len()
            )));
        }
        out.resize(size, actions);
        let chunk = self.inner.device.chunk();
        if size <= chunk {
            let rows = (
                (&mut out.policy[..], &mut out.wdl[..]),
                &mut out.moves_left[..],
            );
            return self.inner.chunk(planes, rows);
        }
        let rows = out
            .policy
            .par_chunks_mut(chunk * actions)
            .zip(out.wdl.par_chunks_mut(chunk * 3))
            .zip(out.moves_left.par_chunks_mut(chunk));
        planes
            .par_chunks(chunk * width)
            .zip(rows)
            .try_for_each(|(planes, rows)| self.inner.chunk(planes, rows))
    }
}

impl Inner {
    /// Evaluates one chunk or less, padded with zeros.
    fn chunk(&self, planes: &[f32], rows: Rows<'_>) -> Result<(), ModelError> {
        let width = self.shape.plane_len();
        let size = self.device.padded(planes.len() / width);
        let mut padded = Vec::with_capacity(size * width);
        padded.extend_from_slice(planes);
        padded.resize(size * width, 0.0);
        let planes = Tensor::from_data(TensorData::new(padded, [size, width]), &self.device.burn);
        let heads = self.net.forward(planes);
        let ((policy, wdl), moves_left) = rows;
        let len = policy.len();
        policy.copy_from_slice(&read(heads.policy)?[..len]);
        let values = read(heads.value)?;
        let rows = wdl
            .chunks_exact_mut(3)
            .zip(moves_left)
            .zip(values.chunks_exact(4));
        for ((wdl, moves_left), value) in rows {
            wdl.copy_from_slice(&chances([value[0], value[1], value[2]]));
            *moves_left = plies_left(value[3]);
        }
        Ok(())
    }
}

/// Reads a tensor back to the host, row by row.
pub(crate) fn read(tensor: Tensor<2>) -> Result<Vec<f32>, ModelError> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| ModelError::Device(error.to_string()))
}

/// Replaces `out` with the softmax of a position's `logits`, `[actions]`, over the legal actions alone, in the order given.
///
/// # Panics
/// If an action is out of range.
pub fn priors(logits: &[f32], actions: &[u32], out: &mut Vec<f32>) {
    out.clear();
    let max = actions
        .iter()
        .map(|&action| logits[action as usize])
        .fold(f32::NEG_INFINITY, f32::max);
    out.extend(
        actions
            .iter()
            .map(|&action| (logits[action as usize] - max).exp()),
    );
    let sum: f32 = out.iter().sum();
    for prior in out {
        *prior /= sum;
    }
}
