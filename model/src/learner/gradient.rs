//! The gradient of a batch, spread over threads shard by shard.

mod planes;
mod rows;
#[cfg(test)]
mod tests;

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
use crate::loss::Sums;
use crate::net::{Blueprint, Net};

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
    pub(super) weights: &'a [f32],
    /// Made of `weights`.
    pub(super) net: &'a Net,
    pub(super) config: &'a LearnConfig,
    pub(super) device: &'a Device,
}

impl Task<'_> {
    /// Returns the sums of losses over a batch and the gradient of every parameter, in the memory of `spent` where it is large: the system
    /// clears what it gives anew, page by page, which takes longer than to do so here.
    ///
    /// Shards are cut by the batch's size alone and added up in their order: the same bits on any number of threads.
    pub(super) fn gradient(
        self,
        workers: &Workers,
        batch: &Batch,
        spent: Vec<f32>,
    ) -> Result<(Sums, Vec<f32>), ModelError> {
        match (self.blueprint, self.net) {
            (Blueprint::Residual(layout), Net::Residual(net)) => {
                planes::gradient(self, (layout, net), workers, batch)
            }
            (Blueprint::Sparse(layout), Net::Sparse(net)) => {
                rows::gradient(self, (layout, net), workers, (batch, spent))
            }
            _ => Err(ModelError::Mismatch(
                "its net is not that of its parameters".to_owned(),
            )),
        }
    }

    /// Makes a tensor of an array, `[rows, width]`.
    fn tensor(self, values: Vec<f32>, width: usize) -> Tensor<2> {
        let rows = values.len() / width;
        Tensor::from_data(TensorData::new(values, [rows, width]), &self.device.burn)
    }
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

    /// Does `work` for each shard of a batch of `size` samples and returns what it gave, in the order of shards.
    fn shards<T: Send>(
        &self,
        size: usize,
        device: &Device,
        work: impl Fn(Range<usize>) -> Result<T, ModelError> + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let shard = device.shard();
        let shards: Vec<Range<usize>> = (0..size)
            .step_by(shard)
            .map(|start| start..start.saturating_add(shard).min(size))
            .collect();
        let mut results: Vec<_> = shards.iter().map(|_| None).collect();
        let each = shards.len().div_ceil(self.pools.len());
        thread::scope(|scope| {
            let parts = shards.chunks(each).zip(results.chunks_mut(each));
            for (pool, (shards, results)) in self.pools.iter().zip(parts) {
                let work = &work;
                scope.spawn(move || {
                    pool.install(|| {
                        for (shard, result) in shards.iter().zip(results) {
                            *result = Some(work(shard.clone()));
                        }
                    });
                });
            }
        });
        results.into_iter().flatten().collect()
    }
}
