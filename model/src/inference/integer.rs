//! A net of features that plays, in integers on the processor: the same ones on every processor.

mod kernels;
mod quantise;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::Answers;
use super::parts::{Part, spread};
use super::softmax;
use crate::encoder::{MoveRows, RowLists};
use crate::error::ModelError;
use crate::loss::plies_left;
use crate::net::Activation;
use crate::net::sparse::Layout;
use kernels::{Change, Kernels, OUTPUTS};
use quantise::{Dense, ONE, Parameters, Sums};

/// The parameters and the kernels that they are used by.
#[derive(Debug)]
pub(super) struct IntegerNet {
    parameters: Parameters,
    kernels: Kernels,
}

/// Where a position is worked out.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    inputs: Vec<i16>,
    outputs: Vec<i32>,
    vector: Vec<i16>,
    products: Vec<i32>,
}

/// Sums of the rows of a position that was looked at, with these rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    rows: Vec<u32>,
    sums: Vec<i16>,
    /// For each row of the table the number of the last list that it was in.
    seen: Vec<u32>,
    /// The number of the list in `rows`; 0: there is none.
    number: u32,
    added: Vec<u32>,
    removed: Vec<u32>,
}

impl IntegerNet {
    /// Turns a net into integers, for the kernels of this processor.
    ///
    /// # Errors
    /// A parameter is no number, or greater than what the steps are made for.
    pub(super) fn new(layout: &Layout, values: &[f32]) -> Result<Self, ModelError> {
        Ok(Self {
            parameters: Parameters::new(layout, values)?,
            kernels: Kernels::best(),
        })
    }

    /// Evaluates positions and their moves.
    pub(super) fn look(
        &self,
        lists: &RowLists,
        positions: Range<usize>,
        out: &mut Answers,
    ) -> Result<(), ModelError> {
        spread(lists, positions, out, |part| self.evaluate(lists, part))
    }

    fn evaluate(&self, lists: &RowLists, part: Part<'_>) {
        let mut scratch = Scratch::default();
        let mut logits = part.logits;
        let mut sums = Vec::new();
        for (at, position) in part.positions.enumerate() {
            self.add_up(lists.features_of(position), &mut sums);
            let moves = lists.rows_of_moves(position);
            let own = logits.split_off_mut(..moves.ends.len());
            let own = own.unwrap_or_default();
            let [win, draw, loss, plies] = self.finish(&sums, moves, &mut scratch, own);
            part.wdl[at * 3..][..3].copy_from_slice(&softmax::chances([win, draw, loss]));
            part.moves_left[at] = plies_left(plies);
        }
    }

    /// Evaluates a position and its moves, whose logits it writes; returns what the value says. It makes use of the sums that are `known` of
    /// another position and replaces them by those of this one.
    pub(super) fn look_again(
        &self,
        (rows, moves): (&[u32], MoveRows<'_>),
        known: &mut Known,
        scratch: &mut Scratch,
        logits: &mut [f32],
    ) -> [f32; 4] {
        if rows.len() > self.parameters.sums.most_rows {
            let mut sums = Vec::new();
            self.add_up(rows, &mut sums);
            return self.finish(&sums, moves, scratch, logits);
        }
        self.turn_to(rows, known);
        self.finish(&known.sums, moves, scratch, logits)
    }

    /// Replaces `sums` with the sums of rows.
    fn add_up(&self, rows: &[u32], sums: &mut Vec<i16>) {
        let Sums {
            start,
            table,
            most_rows,
            ..
        } = &self.parameters.sums;
        sums.clone_from(start);
        if rows.len() <= *most_rows {
            let change = Change {
                added: rows,
                removed: &[],
            };
            self.kernels.add_rows(table, change, sums);
            return;
        }
        // More men than a game has: what passes 16 bits is cut off, as it would be afterwards.
        let width = sums.len();
        for (at, sum) in sums.iter_mut().enumerate() {
            let row = |row: &u32| i32::from(table[*row as usize * width + at]);
            let whole = i32::from(*sum) + rows.iter().map(row).sum::<i32>();
            *sum = whole.clamp(0, i32::from(i16::MAX)) as i16;
        }
    }

    /// Makes `known` that of `rows`: from what it holds if that is less work, else from the start.
    fn turn_to(&self, rows: &[u32], known: &mut Known) {
        let Sums {
            table, start, fold, ..
        } = &self.parameters.sums;
        known.compare(rows, table.len() / fold.width);
        let change = if known.added.len() + known.removed.len() < rows.len() {
            Change {
                added: &known.added,
                removed: &known.removed,
            }
        } else {
            known.sums.clone_from(start);
            Change {
                added: rows,
                removed: &[],
            }
        };
        self.kernels.add_rows(table, change, &mut known.sums);
    }

    /// Evaluates the position with these sums, and its moves.
    fn finish(
        &self,
        sums: &[i16],
        moves: MoveRows<'_>,
        scratch: &mut Scratch,
        logits: &mut [f32],
    ) -> [f32; 4] {
        let Parameters {
            value_first,
            value_second,
            value_output,
            policy,
            ..
        } = &self.parameters;
        let (own, others) = sums.split_at(self.parameters.sums.fold.value);
        let (inputs, outputs) = (&mut scratch.inputs, &mut scratch.outputs);
        self.activate(own, inputs);
        self.apply(value_first, inputs, outputs);
        cut(value_first, outputs, inputs);
        self.apply(value_second, inputs, outputs);
        cut(value_second, outputs, inputs);
        self.apply(value_output, inputs, outputs);
        let mut value = [0.0; 4];
        for (value, &output) in value.iter_mut().zip(&*outputs) {
            *value = output as f32 * self.parameters.value;
        }

        self.activate(others, inputs);
        self.apply(policy, inputs, outputs);
        self.answer_moves(moves, scratch, logits);
        value
    }

    /// Turns the policy's outputs into the vector, and multiplies it with the rows of each move.
    fn answer_moves(&self, moves: MoveRows<'_>, scratch: &mut Scratch, logits: &mut [f32]) {
        let Scratch {
            outputs,
            vector,
            products,
            ..
        } = scratch;
        let shift = self.parameters.vector_shift;
        let half = (1 << shift) >> 1;
        vector.clear();
        vector.extend(
            outputs
                .iter()
                .map(|&output| ((output + half) >> shift) as i16),
        );
        vector.resize(vector.len().next_multiple_of(kernels::LANES), 0);
        products.resize(logits.len(), 0);
        self.kernels
            .products(&self.parameters.moves, vector, moves, products);
        for (logit, &product) in logits.iter_mut().zip(&*products) {
            *logit = product as f32 * self.parameters.logit;
        }
    }

    fn activate(&self, sums: &[i16], inputs: &mut Vec<i16>) {
        let finer = self.parameters.sums.finer;
        match self.parameters.activation {
            Activation::Squared => {
                inputs.resize(sums.len(), 0);
                self.kernels.square(sums, finer, inputs);
            }
            Activation::Pairwise => {
                inputs.resize(sums.len() / 2, 0);
                self.kernels.pair(sums, finer, inputs);
            }
        }
    }

    fn apply(&self, layer: &Dense, inputs: &[i16], outputs: &mut Vec<i32>) {
        outputs.resize(layer.width(), 0);
        self.kernels.apply(layer, inputs, outputs);
    }
}

/// Turns a layer's outputs into the next one's inputs, padded.
fn cut(layer: &Dense, outputs: &[i32], inputs: &mut Vec<i16>) {
    let half = (1 << layer.shift) >> 1;
    let number = |&output: &i32| ((output + half) >> layer.shift).clamp(0, ONE) as i16;
    inputs.clear();
    inputs.extend(outputs.iter().map(number));
    inputs.resize(outputs.len().next_multiple_of(kernels::LANES), 0);
}

impl Known {
    /// Takes down `rows` in place of the last ones, and what must be added and removed to come from those to these.
    fn compare(&mut self, rows: &[u32], table: usize) {
        self.added.clear();
        self.removed.clear();
        if self.number == u32::MAX {
            *self = Self::default();
        }
        self.seen.resize(table, 0);
        let (last, number) = (self.number, self.number + 1);
        for &row in rows {
            let seen = &mut self.seen[row as usize];
            if *seen != last || last == 0 {
                self.added.push(row);
            }
            *seen = number;
        }
        let gone = self
            .rows
            .iter()
            .filter(|&&row| self.seen[row as usize] == last);
        self.removed.extend(gone);
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.number = number;
    }
}

// Layers of padded outputs are inputs of whole vectors.
const _: () = assert!(kernels::LANES.is_multiple_of(OUTPUTS));
