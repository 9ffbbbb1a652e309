//! The gradient of a residual net.

use std::ops::Range;

use super::{Task, Workers};
use crate::batch::Batch;
use crate::error::ModelError;
use crate::inference::read;
use crate::loss::{Sums, evaluate};
use crate::net::Heads;
use crate::net::residual::{Layout, Net};

type Parts<'a> = (&'a Layout, &'a Net);

/// Returns the sums of losses over a batch and the gradient of every parameter.
pub(super) fn gradient(
    task: Task<'_>,
    parts: Parts<'_>,
    workers: &Workers,
    batch: &Batch,
) -> Result<(Sums, Vec<f32>), ModelError> {
    let work = |samples| shard(task, parts, batch, samples);
    let mut sums = Sums::default();
    let mut gradient = vec![0.0; parts.0.len];
    for (shard_sums, shard_gradient) in workers.shards(batch.size, task.device, work)? {
        sums.add(&shard_sums);
        for (sum, value) in gradient.iter_mut().zip(shard_gradient) {
            *sum += value;
        }
    }
    Ok((sums, gradient))
}

/// Returns the sums of losses over some samples, and their part of the gradient.
fn shard(
    task: Task<'_>,
    (layout, net): Parts<'_>,
    batch: &Batch,
    samples: Range<usize>,
) -> Result<(Sums, Vec<f32>), ModelError> {
    let width = layout.shape.plane_len();
    let planes = batch.planes[samples.start * width..samples.end * width].to_vec();
    // Leaves of its own give each shard a graph of its own, and so a lock of its own.
    let net = net.learning();
    let said = net.forward(task.tensor(planes, width));
    let mut heads = Heads {
        policy: read(said.policy.clone())?,
        value: read(said.value.clone())?,
    };
    let sums = evaluate(batch, samples, task.config, &mut heads);
    // A sum whose gradient with respect to the heads is the one that the losses gave.
    let policy = said.policy * task.tensor(heads.policy, layout.shape.actions);
    let value = said.value * task.tensor(heads.value, 4);
    let mut gradients = (policy.sum() + value.sum()).backward();
    let mut gradient = vec![0.0; layout.len];
    for (slot, matrix) in layout.slots.iter().zip(net.matrices()) {
        // A matrix that the loss does not depend on has no gradient.
        if let Some(tensor) = matrix.grad_remove(&mut gradients) {
            let into = &mut gradient[slot.start..][..slot.len];
            slot.gather.fold(&read(tensor)?, into);
        }
    }
    Ok((sums, gradient))
}
