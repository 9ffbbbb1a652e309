//! The gradient of a net of features.
//!
//! Each shard sums rows and cuts the sums, has burn compute the layers behind them, forward and backward, and is left with gradients with respect
//! to its sums, its policy vectors and its logits. What they mean for the rows of both tables is added up afterwards, row by row over the whole
//! batch: a shard's part of a table would be as large as the table.

mod loops;

use std::ops::Range;

use burn::Tensor;

use super::{Task, Workers};
use crate::batch::Batch;
use crate::error::ModelError;
use crate::inference::read;
use crate::loss::{Sums, evaluate};
use crate::net::Heads;
use crate::net::sparse::sums::Uses;
use crate::net::sparse::{Layout, Net};
use loops::{Owners, Rows};

type Parts<'a> = (&'a Layout, &'a Net);

/// What a shard leaves to be added up.
struct Shard {
    sums: Sums,
    /// Gradient of the sums' start and of the layers.
    middle: Vec<f32>,
    /// Of the sums, `[samples, width]`.
    of_sums: Vec<f32>,
    /// The policy vectors, `[samples, policy_hidden]`; not a gradient, but what those of the logits are multiplied with.
    vectors: Vec<f32>,
    /// Gradient of the logits of all moves.
    logits: Vec<f32>,
}

/// Returns the sums of losses over a batch and the gradient of every parameter, in the memory of `spent`.
pub(super) fn gradient(
    task: Task<'_>,
    parts: Parts<'_>,
    workers: &Workers,
    (batch, spent): (&Batch, Vec<f32>),
) -> Result<(Sums, Vec<f32>), ModelError> {
    let layout = parts.0;
    let work = |samples| shard(task, parts, batch, samples);
    let mut gradient = spent;
    gradient.clear();
    gradient.resize(task.weights.len(), 0.0);
    let shards = workers.shards(batch.size, task.device, work)?;
    let mut sums = Sums::default();
    for shard in &shards {
        sums.add(&shard.sums);
        let into = &mut gradient[layout.middle()];
        for (sum, value) in into.iter_mut().zip(&shard.middle) {
            *sum += value;
        }
    }
    spread(layout, batch, &shards, &mut gradient);
    Ok((sums, gradient))
}

/// Adds what the gradients mean for the rows of both tables.
fn spread(layout: &Layout, batch: &Batch, shards: &[Shard], gradient: &mut [f32]) {
    let rows = &batch.rows;
    let of_sums: Vec<&[f32]> = shards.iter().map(|shard| &*shard.of_sums).collect();
    let uses = Uses::new(layout.shape.features, rows.len(), |at| rows.features_of(at));
    uses.spread(&mut gradient[layout.table()], |samples, row| {
        loops::add_samples(samples, &of_sums, row);
    });
    let owners: Vec<u32> = (0..rows.len())
        .flat_map(|sample| rows.moves_of(sample).map(move |_| sample as u32))
        .collect();
    let joined = |of: fn(&Shard) -> &[f32]| shards.iter().map(of).collect::<Vec<_>>().concat();
    let (vectors, logits) = (
        joined(|shard| &shard.vectors),
        joined(|shard| &shard.logits),
    );
    let owners = Owners {
        vectors: &vectors,
        of_moves: &owners,
    };
    let uses = Uses::new(layout.shape.moves, rows.move_count(), |mv| rows.rows_of(mv));
    uses.spread(&mut gradient[layout.moves()], |moves, row| {
        loops::add_moves(moves, &logits, owners, row);
    });
}

fn shard(
    task: Task<'_>,
    (layout, net): Parts<'_>,
    batch: &Batch,
    samples: Range<usize>,
) -> Result<Shard, ModelError> {
    let (width, hidden) = (layout.width(), layout.config.policy_hidden);
    let mut sums = summed(layout, task.weights, batch, samples.clone());
    let inputs =
        layout.inputs(layout.config.value_width) + layout.inputs(layout.config.policy_width);
    let mut active = vec![0.0; samples.len() * inputs];
    loops::activate(layout, &sums, &mut active);
    let active = task.tensor(active, inputs).autodiff().require_grad();
    let net = net.learning();
    let (value, vectors) = net.forward(&active);
    let policy = Policy::new(layout, task.weights, batch, samples.clone());
    let said = read(vectors.clone())?;
    let mut heads = Heads {
        policy: policy.logits(&said),
        value: read(value.clone())?,
    };
    let losses = evaluate(batch, samples, task.config, &mut heads);
    let back = policy.backward(&heads.policy);
    // A sum whose gradient with respect to the layers' results is the one that the losses gave.
    let total =
        (value * task.tensor(heads.value, 4)).sum() + (vectors * task.tensor(back, hidden)).sum();
    let mut gradients = total.backward();
    let of_active = match active.grad_remove(&mut gradients) {
        Some(gradient) => read(gradient)?,
        None => vec![0.0; said.len() / hidden * inputs],
    };
    loops::activate_back(layout, &of_active, &mut sums);
    let mut middle = vec![0.0; layout.middle().len()];
    loops::add_all(&sums, &mut middle[..width]);
    for (slot, matrix) in layout.dense_slots().iter().zip(net.matrices()) {
        if let Some(tensor) = Tensor::grad_remove(matrix, &mut gradients) {
            let into = &mut middle[slot.start - layout.start().start..][..slot.len];
            slot.gather.fold(&read(tensor)?, into);
        }
    }
    Ok(Shard {
        sums: losses,
        middle,
        of_sums: sums,
        vectors: said,
        logits: heads.policy,
    })
}

/// Returns the sums of some samples' active rows, `[samples, width]`.
fn summed(layout: &Layout, weights: &[f32], batch: &Batch, samples: Range<usize>) -> Vec<f32> {
    let mut sums = weights[layout.start()].repeat(samples.len());
    let rows = Rows {
        table: &weights[layout.table()],
        lists: &batch.rows,
        first: samples.start,
    };
    loops::add_features(rows, layout.width(), &mut sums);
    sums
}

/// The legal moves of some samples.
struct Policy {
    /// For each move the number of its sample among these.
    owners: Vec<u32>,
    hidden: usize,
    samples: usize,
    /// The sums of the moves' rows, `[moves, policy_hidden]`.
    moves: Vec<f32>,
}

impl Policy {
    fn new(layout: &Layout, weights: &[f32], batch: &Batch, samples: Range<usize>) -> Self {
        let hidden = layout.config.policy_hidden;
        let of = |sample| batch.rows.moves_of(sample);
        let owners: Vec<u32> = (samples.clone().enumerate())
            .flat_map(|(at, sample)| of(sample).map(move |_| at as u32))
            .collect();
        let mut moves = vec![0.0; owners.len() * hidden];
        let rows = Rows {
            table: &weights[layout.moves()],
            lists: &batch.rows,
            first: of(samples.start).start,
        };
        loops::add_rows_of_moves(rows, hidden, &mut moves);
        Self {
            owners,
            hidden,
            samples: samples.len(),
            moves,
        }
    }

    /// Returns the logits of all moves, given each sample's vector.
    fn logits(&self, vectors: &[f32]) -> Vec<f32> {
        let mut logits = vec![0.0; self.owners.len()];
        let of_moves = &self.owners;
        loops::logits(&self.moves, Owners { vectors, of_moves }, &mut logits);
        logits
    }

    /// Returns the gradient of each sample's vector, given those of the logits.
    fn backward(&self, logits: &[f32]) -> Vec<f32> {
        let mut vectors = vec![0.0; self.samples * self.hidden];
        loops::logits_back((&self.moves, &self.owners), logits, &mut vectors);
        vectors
    }
}
