//! The gradient of a net of features.
//!
//! Each shard sums rows, has burn compute the layers in between, forward and backward, and is left with gradients with respect to its sums,
//! its policy vectors and its logits. What they mean for the rows of both tables is added up afterwards, row by row over the whole batch: a
//! shard's part of a table would be as large as the table.

use std::ops::Range;

use burn::Tensor;

use super::{Task, Workers};
use crate::batch::Batch;
use crate::error::ModelError;
use crate::inference::read;
use crate::loss::{Sums, evaluate};
use crate::net::Heads;
use crate::net::sparse::sums::{Uses, add_rows, add_scaled, dot};
use crate::net::sparse::{Layout, Net};

type Parts<'a> = (&'a Layout, &'a Net);

/// What a shard leaves to be added up.
struct Shard {
    sums: Sums,
    /// Gradient of the sums' start and of the layers.
    middle: Vec<f32>,
    gradients: RowGradients,
}

/// Gradients in whose terms those of the tables' rows are.
#[derive(Default)]
struct RowGradients {
    /// Of the sums, `[samples, width]`.
    sums: Vec<f32>,
    /// The policy vectors, `[samples, policy_hidden]`; not a gradient, but what those of the logits are multiplied with.
    vectors: Vec<f32>,
    /// Of the logits of all moves.
    logits: Vec<f32>,
}

/// Returns the sums of losses over a batch and the gradient of every parameter.
pub(super) fn gradient(
    task: Task<'_>,
    parts: Parts<'_>,
    workers: &Workers,
    batch: &Batch,
) -> Result<(Sums, Vec<f32>), ModelError> {
    let layout = parts.0;
    let work = |samples| shard(task, parts, batch, samples);
    let mut sums = Sums::default();
    let mut gradient = vec![0.0; task.weights.len()];
    let mut all = RowGradients::default();
    for shard in workers.shards(batch.size, task.device, work)? {
        sums.add(&shard.sums);
        let into = &mut gradient[layout.middle()];
        for (sum, value) in into.iter_mut().zip(shard.middle) {
            *sum += value;
        }
        all.sums.extend(shard.gradients.sums);
        all.vectors.extend(shard.gradients.vectors);
        all.logits.extend(shard.gradients.logits);
    }
    spread(layout, batch, &all, &mut gradient);
    Ok((sums, gradient))
}

/// Adds what the gradients mean for the rows of both tables.
fn spread(layout: &Layout, batch: &Batch, all: &RowGradients, gradient: &mut [f32]) {
    let rows = &batch.rows;
    let (width, hidden) = (layout.width(), layout.config.policy_hidden);
    let uses = Uses::new(layout.shape.features, rows.len(), |at| rows.features_of(at));
    uses.spread(&mut gradient[layout.table()], |sample, row| {
        add_scaled(&all.sums[sample * width..][..width], 1.0, row);
    });
    let owners: Vec<usize> = (0..rows.len())
        .flat_map(|sample| rows.moves_of(sample).map(move |_| sample))
        .collect();
    let uses = Uses::new(layout.shape.moves, rows.move_count(), |mv| rows.rows_of(mv));
    uses.spread(&mut gradient[layout.moves()], |mv, row| {
        let vector = &all.vectors[owners[mv] * hidden..][..hidden];
        add_scaled(vector, all.logits[mv], row);
    });
}

fn shard(
    task: Task<'_>,
    (layout, net): Parts<'_>,
    batch: &Batch,
    samples: Range<usize>,
) -> Result<Shard, ModelError> {
    let (width, hidden) = (layout.width(), layout.config.policy_hidden);
    let sums = summed(layout, task.weights, batch, samples.clone());
    let sums = task.tensor(sums, width).autodiff().require_grad();
    let net = net.learning();
    let (value, vectors) = net.forward(sums.clone());
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
    let of_sums = match sums.grad_remove(&mut gradients) {
        Some(gradient) => read(gradient)?,
        None => vec![0.0; said.len() / hidden * width],
    };
    let mut middle = vec![0.0; layout.middle().len()];
    for row in of_sums.chunks_exact(width) {
        add_scaled(row, 1.0, &mut middle[..width]);
    }
    for (slot, matrix) in layout.dense_slots().iter().zip(net.matrices()) {
        if let Some(tensor) = Tensor::grad_remove(matrix, &mut gradients) {
            let into = &mut middle[slot.start - layout.start().start..][..slot.len];
            slot.gather.fold(&read(tensor)?, into);
        }
    }
    Ok(Shard {
        sums: losses,
        middle,
        gradients: RowGradients {
            sums: of_sums,
            vectors: said,
            logits: heads.policy,
        },
    })
}

/// Returns the sums of some samples' active rows, `[samples, width]`.
pub(super) fn summed(
    layout: &Layout,
    weights: &[f32],
    batch: &Batch,
    samples: Range<usize>,
) -> Vec<f32> {
    let (table, start) = (&weights[layout.table()], &weights[layout.start()]);
    let mut sums = Vec::with_capacity(samples.len() * start.len());
    for sample in samples {
        let at = sums.len();
        sums.extend_from_slice(start);
        add_rows(table, batch.rows.features_of(sample), &mut sums[at..]);
    }
    sums
}

/// The legal moves of some samples.
struct Policy<'a> {
    batch: &'a Batch,
    samples: Range<usize>,
    hidden: usize,
    /// The sums of the moves' rows, `[moves, policy_hidden]`.
    moves: Vec<f32>,
}

impl<'a> Policy<'a> {
    fn new(layout: &Layout, weights: &[f32], batch: &'a Batch, samples: Range<usize>) -> Self {
        let (table, hidden) = (&weights[layout.moves()], layout.config.policy_hidden);
        let mut moves = Vec::new();
        for sample in samples.clone() {
            for mv in batch.rows.moves_of(sample) {
                let at = moves.len();
                moves.resize(at + hidden, 0.0);
                add_rows(table, batch.rows.rows_of(mv), &mut moves[at..]);
            }
        }
        Self {
            batch,
            samples,
            hidden,
            moves,
        }
    }

    /// Shows each move: the number of its sample among these, its own number, and the sum of its rows.
    fn each(&self, mut show: impl FnMut(usize, usize, &[f32])) {
        let counts = self
            .samples
            .clone()
            .map(|sample| self.batch.rows.moves_of(sample).len());
        let owners = counts
            .enumerate()
            .flat_map(|(at, count)| std::iter::repeat_n(at, count));
        for (mv, (at, sum)) in owners.zip(self.moves.chunks_exact(self.hidden)).enumerate() {
            show(at, mv, sum);
        }
    }

    /// Returns the logits of all moves, given each sample's vector.
    fn logits(&self, vectors: &[f32]) -> Vec<f32> {
        let mut logits = Vec::with_capacity(self.moves.len() / self.hidden);
        self.each(|at, _, sum| logits.push(dot(&vectors[at * self.hidden..][..self.hidden], sum)));
        logits
    }

    /// Returns the gradient of each sample's vector, given those of the logits.
    fn backward(&self, logits: &[f32]) -> Vec<f32> {
        let mut vectors = vec![0.0; self.samples.len() * self.hidden];
        self.each(|at, mv, sum| {
            add_scaled(
                sum,
                logits[mv],
                &mut vectors[at * self.hidden..][..self.hidden],
            );
        });
        vectors
    }
}
