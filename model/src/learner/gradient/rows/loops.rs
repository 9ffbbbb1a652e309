//! The loops of learning that are not burn's.

use crate::encoder::RowLists;
use crate::net::Activation;
use crate::net::sparse::Layout;
use crate::net::sparse::sums::{add_rows, add_scaled, dot};
use crate::wide::wide;

/// A table, and lists of its rows.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// `[rows, width]`.
    pub(super) table: &'a [f32],
    pub(super) lists: &'a RowLists,
    /// The first list that counts.
    pub(super) first: usize,
}

/// Vectors of samples, `[samples, policy_hidden]`, and for each move the number of its sample.
#[derive(Clone, Copy)]
pub(super) struct Owners<'a> {
    pub(super) vectors: &'a [f32],
    pub(super) of_moves: &'a [u32],
}

wide! {
    /// Adds to each of `sums`, `[samples, width]`, the active rows of a sample.
    pub(super) fn add_features<'a>(rows: Rows<'a>, width: usize, sums: &'a mut [f32]) {
        for (sample, sum) in (rows.first..).zip(sums.chunks_exact_mut(width)) {
            add_rows(rows.table, rows.lists.features_of(sample), sum);
        }
    }
}

wide! {
    /// Adds to each of `sums`, `[moves, policy_hidden]`, the rows of a move.
    pub(super) fn add_rows_of_moves<'a>(rows: Rows<'a>, hidden: usize, sums: &'a mut [f32]) {
        for (mv, sum) in (rows.first..).zip(sums.chunks_exact_mut(hidden)) {
            add_rows(rows.table, rows.lists.rows_of(mv), sum);
        }
    }
}

wide! {
    /// Cuts sums, `[samples, value_width + policy_width]`, to `[0, 1]` and squares them or multiplies them in pairs, `[samples, inputs]`.
    pub(super) fn activate<'a>(layout: &'a Layout, sums: &'a [f32], active: &'a mut [f32]) {
        let config = layout.config;
        let inputs = active.len() / (sums.len() / layout.width());
        for (sums, active) in sums.chunks_exact(layout.width()).zip(active.chunks_exact_mut(inputs)) {
            let (value, policy) = sums.split_at(config.value_width);
            let (first, second) = active.split_at_mut(layout.inputs(config.value_width));
            for (sums, active) in [(value, first), (policy, second)] {
                match config.activation {
                    Activation::Squared => {
                        for (active, sum) in active.iter_mut().zip(sums) {
                            let cut = sum.clamp(0.0, 1.0);
                            *active = cut * cut;
                        }
                    }
                    Activation::Pairwise => {
                        let (left, right) = sums.split_at(active.len());
                        for ((active, left), right) in active.iter_mut().zip(left).zip(right) {
                            *active = left.clamp(0.0, 1.0) * right.clamp(0.0, 1.0);
                        }
                    }
                }
            }
        }
    }
}

wide! {
    /// Replaces sums with their gradient, given that of what became of them.
    pub(super) fn activate_back<'a>(layout: &'a Layout, gradient: &'a [f32], sums: &'a mut [f32]) {
        let config = layout.config;
        let inputs = gradient.len() / (sums.len() / layout.width());
        for (sums, gradient) in sums.chunks_exact_mut(layout.width()).zip(gradient.chunks_exact(inputs)) {
            let (value, policy) = sums.split_at_mut(config.value_width);
            let (first, second) = gradient.split_at(layout.inputs(config.value_width));
            for (sums, gradient) in [(value, first), (policy, second)] {
                match config.activation {
                    Activation::Squared => {
                        for (sum, gradient) in sums.iter_mut().zip(gradient) {
                            *sum = within(*sum, 2.0 * gradient * *sum);
                        }
                    }
                    Activation::Pairwise => {
                        let (left, right) = sums.split_at_mut(gradient.len());
                        for ((left, right), gradient) in left.iter_mut().zip(right).zip(gradient) {
                            let (a, b) = (*left, *right);
                            *left = within(a, gradient * b.clamp(0.0, 1.0));
                            *right = within(b, gradient * a.clamp(0.0, 1.0));
                        }
                    }
                }
            }
        }
    }
}

wide! {
    /// Adds all of `rows`, `[rows, width]`, to `sum`, `[width]`.
    pub(super) fn add_all<'a>(rows: &'a [f32], sum: &'a mut [f32]) {
        for row in rows.chunks_exact(sum.len()) {
            add_scaled(row, 1.0, sum);
        }
    }
}

wide! {
    /// Multiplies the sum of each move's rows, `[moves, policy_hidden]`, with the vector of its sample.
    pub(super) fn logits<'a>(moves: &'a [f32], owners: Owners<'a>, logits: &'a mut [f32]) {
        let hidden = moves.len() / logits.len().max(1);
        let sums = moves.chunks_exact(hidden.max(1));
        for ((logit, sum), &owner) in logits.iter_mut().zip(sums).zip(owners.of_moves) {
            *logit = dot(&owners.vectors[owner as usize * hidden..][..hidden], sum);
        }
    }
}

wide! {
    /// Adds to the gradients of samples' vectors what those of the logits mean, given the sums of the moves' rows and their samples.
    pub(super) fn logits_back<'a>(moves: (&'a [f32], &'a [u32]), logits: &'a [f32], vectors: &'a mut [f32]) {
        let (sums, owners) = moves;
        let hidden = sums.len() / logits.len().max(1);
        for ((&logit, sum), &owner) in logits.iter().zip(sums.chunks_exact(hidden.max(1))).zip(owners) {
            add_scaled(sum, logit, &mut vectors[owner as usize * hidden..][..hidden]);
        }
    }
}

wide! {
    /// Adds the gradients of some samples' sums to that of a row in which they all have a part. Shards hold as many samples each, but the last.
    pub(super) fn add_samples<'a>(samples: &'a [u32], shards: &'a [&'a [f32]], row: &'a mut [f32]) {
        let width = row.len();
        let each = shards.first().map_or(1, |shard| shard.len() / width);
        for &sample in samples {
            let (shard, at) = (sample as usize / each, sample as usize % each);
            add_scaled(&shards[shard][at * width..][..width], 1.0, row);
        }
    }
}

wide! {
    /// Adds to the gradient of a row of moves what those of the logits of some moves mean that it is part of.
    pub(super) fn add_moves<'a>(moves: &'a [u32], logits: &'a [f32], owners: Owners<'a>, row: &'a mut [f32]) {
        let hidden = row.len();
        for &mv in moves {
            let owner = owners.of_moves[mv as usize] as usize;
            add_scaled(&owners.vectors[owner * hidden..][..hidden], logits[mv as usize], row);
        }
    }
}

/// Returns the gradient of a sum, which is none where the sum is cut.
#[allow(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the oldest processors only"
)]
#[inline(always)]
fn within(sum: f32, gradient: f32) -> f32 {
    if (0.0..=1.0).contains(&sum) {
        gradient
    } else {
        0.0
    }
}
