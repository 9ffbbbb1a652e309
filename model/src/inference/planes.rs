//! A residual net that plays.

use std::ops::Range;

use burn::Tensor;
use burn::tensor::TensorData;
use rayon::prelude::*;

use super::{Answers, Outputs, read};
use crate::device::Device;
use crate::encoder::{Shape, Sights};
use crate::error::ModelError;
use crate::loss::{chances, plies_left};
use crate::net::residual::{Layout, Net};

/// The net and the device that computes it.
#[derive(Debug)]
pub(super) struct PlaneNet {
    net: Net,
    shape: Shape,
    device: Device,
}

/// A chunk's part of [`Outputs`].
type Rows<'a> = ((&'a mut [f32], &'a mut [f32]), &'a mut [f32]);

impl Outputs {
    fn resize(&mut self, size: usize, actions: usize) {
        self.policy.resize(size * actions, 0.0);
        self.wdl.resize(size * 3, 0.0);
        self.moves_left.resize(size, 0.0);
    }
}

impl PlaneNet {
    pub(super) fn new(layout: &Layout, values: &[f32], device: &Device) -> Self {
        Self {
            net: Net::new(layout, values, device),
            shape: layout.shape,
            device: device.clone(),
        }
    }

    /// Evaluates positions and picks out the logits of their moves.
    pub(super) fn look(
        &self,
        sights: &Sights,
        positions: Range<usize>,
        out: &mut Answers,
    ) -> Result<(), ModelError> {
        let width = self.shape.plane_len();
        let shown = sights.planes();
        let planes = shown.get(positions.start * width..positions.end * width);
        let planes = planes.ok_or_else(|| {
            ModelError::Batch(format!(
                "{} values of planes are shown: must be {width} for each of {} positions",
                shown.len(),
                positions.end
            ))
        })?;
        let mut outputs = Outputs {
            policy: std::mem::take(&mut out.actions),
            wdl: std::mem::take(&mut out.wdl),
            moves_left: std::mem::take(&mut out.moves_left),
        };
        let done = self.run(planes, positions.len(), &mut outputs);
        out.actions = outputs.policy;
        out.wdl = outputs.wdl;
        out.moves_left = outputs.moves_left;
        done?;
        out.logits.clear();
        for (position, logits) in positions.zip(out.actions.chunks_exact(self.shape.actions)) {
            let actions = &sights.actions()[sights.moves_of(position)];
            out.logits
                .extend(actions.iter().map(|&action| logits[action as usize]));
        }
        Ok(())
    }

    /// Evaluates `size` positions, given as planes.
    pub(super) fn run(
        &self,
        planes: &[f32],
        size: usize,
        out: &mut Outputs,
    ) -> Result<(), ModelError> {
        let Shape { actions, .. } = self.shape;
        let width = self.shape.plane_len();
        if planes.len() != size * width {
            return Err(ModelError::Batch(format!(
                "planes has {} values: must have {size} x {width}",
                planes.len()
            )));
        }
        out.resize(size, actions);
        let chunk = self.device.chunk();
        if size <= chunk {
            let rows = (
                (&mut out.policy[..], &mut out.wdl[..]),
                &mut out.moves_left[..],
            );
            return self.chunk(planes, rows);
        }
        let rows = out
            .policy
            .par_chunks_mut(chunk * actions)
            .zip(out.wdl.par_chunks_mut(chunk * 3))
            .zip(out.moves_left.par_chunks_mut(chunk));
        planes
            .par_chunks(chunk * width)
            .zip(rows)
            .try_for_each(|(planes, rows)| self.chunk(planes, rows))
    }

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
