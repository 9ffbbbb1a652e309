//! The gradient of a batch, spread over threads shard by shard.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use burn::Tensor;
use burn::tensor::TensorData;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::LearnConfig;
use crate::batch::Batch;
use crate::device::Device;
use crate::error::ModelError;
use crate::inference::read;
use crate::loss::{Sums, evaluate};
use crate::net::{Blueprint, Heads, Net};

/// Threads that work on shards of a batch.
///
/// Each is a rayon pool of its own with one thread. burn keeps the graph of a backward pass locked while it runs its kernels, and these
/// share work through the pool that they run in: in one pool for all, a thread waiting in one shard's kernel could take up another shard
/// and deadlock on a lock that it holds itself. Alone in its pool, it also multiplies matrices without the cost of sharing.
#[derive(Clone, Debug)]
pub(super) struct Workers {
    pools: Arc<Vec<ThreadPool>>,
}

/// What computes gradients: the net, and how it is learned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) blueprint: &'a Blueprint,
    pub(super) net: &'a Net,
    pub(super) config: &'a LearnConfig,
    pub(super) device: &'a Device,
}

impl Workers {
    /// Starts as many threads as the caller's rayon pool has.
    pub(super) fn new() -> Result<Self, ModelError> {
        let pool = |_| ThreadPoolBuilder::new().num_threads(1).build();
        let pools: Result<_, _> = (0..rayon::current_num_threads()).map(pool).collect();
        Ok(Self {
            pools: Arc::new(pools.map_err(|error| ModelError::Device(error.to_string()))?),
        })
    }

    /// Returns the sums of losses over a batch and the gradient of every parameter.
    ///
    /// Shards are cut by the batch's size alone and added up in their order: the same bits on any number of threads.
    pub(super) fn gradient(
        &self,
        task: Task<'_>,
        batch: &Batch,
    ) -> Result<(Sums, Vec<f32>), ModelError> {
        let shard = task.device.shard();
        let shards: Vec<Range<usize>> = (0..batch.size)
            .step_by(shard)
            .map(|start| start..(start + shard).min(batch.size))
            .collect();
        let mut results: Vec<_> = shards.iter().map(|_| None).collect();
        let each = shards.len().div_ceil(self.pools.len());
        thread::scope(|scope| {
            let parts = shards.chunks(each).zip(results.chunks_mut(each));
            for (pool, (shards, results)) in self.pools.iter().zip(parts) {
                scope.spawn(move || {
                    pool.install(|| {
                        for (shard, result) in shards.iter().zip(results) {
                            *result = Some(task.shard(batch, shard.clone()));
                        }
                    });
                });
            }
        });
        let mut sums = Sums::default();
        let mut gradient = vec![0.0; task.blueprint.len];
        for result in results.into_iter().flatten() {
            let (shard_sums, shard_gradient) = result?;
            sums.add(&shard_sums);
            for (sum, value) in gradient.iter_mut().zip(shard_gradient) {
                *sum += value;
            }
        }
        Ok((sums, gradient))
    }
}

impl Task<'_> {
    /// Returns the sums of losses over some samples, and their part of the gradient.
    fn shard(self, batch: &Batch, samples: Range<usize>) -> Result<(Sums, Vec<f32>), ModelError> {
        let shape = self.blueprint.shape;
        let tensor = |values: Vec<f32>, width| {
            let data = TensorData::new(values, [samples.len(), width]);
            Tensor::<2>::from_data(data, &self.device.burn)
        };
        let width = shape.plane_len();
        let planes = batch.planes[samples.start * width..samples.end * width].to_vec();
        // Leaves of its own give each shard a graph of its own, and so a lock of its own.
        let net = self.net.learning();
        let said = net.forward(tensor(planes, width));
        let mut heads = Heads {
            policy: read(said.policy.clone())?,
            value: read(said.value.clone())?,
        };
        let sums = evaluate(batch, samples.clone(), self.config, &mut heads);
        // A sum whose gradient with respect to the heads is the one that the losses gave.
        let policy = said.policy * tensor(heads.policy, shape.actions);
        let value = said.value * tensor(heads.value, 4);
        let mut gradients = (policy.sum() + value.sum()).backward();
        let mut gradient = vec![0.0; self.blueprint.len];
        for (slot, matrix) in self.blueprint.slots.iter().zip(net.matrices()) {
            // A matrix that the loss does not depend on has no gradient.
            if let Some(tensor) = matrix.grad_remove(&mut gradients) {
                let into = &mut gradient[slot.start..][..slot.len];
                slot.gather.fold(&read(tensor)?, into);
            }
        }
        Ok((sums, gradient))
    }
}
