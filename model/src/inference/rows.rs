//! A net of features that plays, in 32-bit floats on the processor.

#![allow(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the oldest processors only"
)]

use std::ops::Range;

use pulp::NullaryFnOnce;

use super::Answers;
use super::integer::IntegerNet;
use super::parts::{Part, spread};
use crate::encoder::RowLists;
use crate::error::ModelError;
use crate::loss::{chances, plies_left};
use crate::net::Activation;
use crate::net::slot::Slot;
use crate::net::sparse::Layout;
use crate::net::sparse::sums::{add_rows, add_scaled, dot};

/// The parameters, and where each part of them lies.
#[derive(Debug)]
pub(super) struct RowNet {
    layout: Layout,
    values: Vec<f32>,
}

impl RowNet {
    pub(super) fn new(layout: &Layout, values: &[f32]) -> Self {
        Self {
            layout: layout.clone(),
            values: values.to_vec(),
        }
    }

    /// Turns it into a net of integers.
    ///
    /// # Errors
    /// A parameter is no number, or greater than what the steps are made for.
    pub(super) fn in_integers(&self) -> Result<IntegerNet, ModelError> {
        IntegerNet::new(&self.layout, &self.values)
    }

    /// Evaluates positions and their moves.
    pub(super) fn look(
        &self,
        lists: &RowLists,
        positions: Range<usize>,
        out: &mut Answers,
    ) -> Result<(), ModelError> {
        spread(lists, positions, out, |part| {
            let net = self;
            pulp::Arch::new().dispatch(Evaluate { net, lists, part });
        })
    }

    /// Returns the values of a parameter.
    fn slot(&self, slot: &Slot) -> &[f32] {
        &self.values[slot.start..][..slot.len]
    }
}

/// Evaluates the positions of a part, compiled for several generations of processors, the best of which is called.
struct Evaluate<'a> {
    net: &'a RowNet,
    lists: &'a RowLists,
    part: Part<'a>,
}

impl NullaryFnOnce for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { net, lists, part } = self;
        let (layout, config) = (&net.layout, net.layout.config);
        let (table, start) = (&net.values[layout.table()], &net.values[layout.start()]);
        let moves = &net.values[layout.moves()];
        let dense = layout.dense_slots();
        let layer = |at: usize| [net.slot(&dense[2 * at]), net.slot(&dense[2 * at + 1])];
        let mut sums = vec![0.0; start.len()];
        let mut first = vec![0.0; config.value_hidden];
        let mut second = vec![0.0; config.value_hidden];
        let mut vector = vec![0.0; config.policy_hidden];
        let mut row = vec![0.0; config.policy_hidden];
        let (mut logits, mut value) = (part.logits.iter_mut(), [0.0; 4]);
        for (at, position) in part.positions.enumerate() {
            sums.copy_from_slice(start);
            add_rows(table, lists.features_of(position), &mut sums);
            let (own, policy) = sums.split_at_mut(config.value_width);
            let own = activate(config.activation, own);
            apply(layer(0), own, &mut first);
            cut_to_one(&mut first);
            apply(layer(1), &first, &mut second);
            cut_to_one(&mut second);
            apply(layer(2), &second, &mut value);
            apply(layer(3), activate(config.activation, policy), &mut vector);
            for (mv, logit) in lists.moves_of(position).zip(&mut logits) {
                row.fill(0.0);
                add_rows(moves, lists.rows_of(mv), &mut row);
                *logit = dot(&vector, &row);
            }
            let [win, draw, loss, plies] = value;
            part.wdl[at * 3..at * 3 + 3].copy_from_slice(&chances([win, draw, loss]));
            part.moves_left[at] = plies_left(plies);
        }
    }
}

/// Cuts sums to `[0, 1]` and squares them or multiplies them in pairs, in place; returns what is left of them.
#[inline(always)]
fn activate(activation: Activation, sums: &mut [f32]) -> &[f32] {
    cut_to_one(sums);
    match activation {
        Activation::Squared => {
            for sum in &mut *sums {
                *sum *= *sum;
            }
            sums
        }
        Activation::Pairwise => {
            let (first, second) = sums.split_at_mut(sums.len() / 2);
            for (first, second) in first.iter_mut().zip(second) {
                *first *= *second;
            }
            first
        }
    }
}

#[inline(always)]
fn cut_to_one(values: &mut [f32]) {
    for value in values {
        *value = value.clamp(0.0, 1.0);
    }
}

/// Applies a layer: weights `[inputs, outputs]` and biases.
#[inline(always)]
fn apply([weight, bias]: [&[f32]; 2], inputs: &[f32], outputs: &mut [f32]) {
    outputs.copy_from_slice(bias);
    for (input, weights) in inputs.iter().zip(weight.chunks_exact(outputs.len())) {
        // Many inputs are cut to nothing.
        if *input != 0.0 {
            add_scaled(weights, *input, outputs);
        }
    }
}
