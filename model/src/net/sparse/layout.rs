//! The parameters of a net of features.

use std::ops::Range;

use crate::encoder::SparseShape;
use crate::net::SparseConfig;
use crate::net::slot::{Gather, OUTPUT, Slot, bound};

/// The parameters of a net of features, in this order: the table of features, the start of the sums, weights and biases of the layers, the
/// table of moves.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) shape: SparseShape,
    pub(crate) config: SparseConfig,
    pub(crate) slots: Vec<Slot>,
}

/// The slots of weights and biases of layers.
const DENSE: Range<usize> = 2..10;

/// The standard deviation of the sums of a usual number of rows at first.
const SPREAD: f32 = 0.5;

/// Initial values of the rows of moves: small, so that play begins near uniform.
const MOVES: f32 = 0.05;

impl Layout {
    /// Lays out the net.
    pub(crate) fn new(shape: SparseShape, config: &SparseConfig) -> Self {
        let mut layout = Self {
            shape,
            config: *config,
            slots: Vec::new(),
        };
        let width = layout.width();
        // Rows spread evenly from -b to b have the variance b^2 / 3.
        let rows = SPREAD * (3.0 / shape.active as f32).sqrt();
        layout.table_of([shape.features, width], rows);
        layout.push([1, width], 0.0, false);
        let (value, policy) = (
            layout.inputs(config.value_width),
            layout.inputs(config.policy_width),
        );
        let hidden = config.value_hidden;
        layout.dense(value, hidden, 1.0);
        layout.dense(hidden, hidden, 1.0);
        layout.dense(hidden, 4, OUTPUT);
        layout.dense(policy, config.policy_hidden, 1.0);
        layout.table_of([shape.moves, config.policy_hidden], MOVES);
        layout
    }

    /// Returns the length of a row of the table of features.
    pub(crate) fn width(&self) -> usize {
        self.config.value_width + self.config.policy_width
    }

    /// Returns how many inputs the next layer has of so many sums.
    pub(crate) fn inputs(&self, width: usize) -> usize {
        self.config.activation.inputs(width)
    }

    /// Returns where the table of features lies among the parameters.
    pub(crate) fn table(&self) -> Range<usize> {
        self.range(0)
    }

    /// Returns where the start of the sums lies.
    pub(crate) fn start(&self) -> Range<usize> {
        self.range(1)
    }

    /// Returns where the table of moves lies.
    pub(crate) fn moves(&self) -> Range<usize> {
        self.range(DENSE.end)
    }

    /// Returns the slots of the layers: for each its weights, `[inputs, outputs]`, and its biases.
    pub(crate) fn dense_slots(&self) -> &[Slot] {
        &self.slots[DENSE]
    }

    /// Returns where the sums' start and the layers lie, which are one piece.
    pub(crate) fn middle(&self) -> Range<usize> {
        self.start().start..self.moves().start
    }

    fn range(&self, slot: usize) -> Range<usize> {
        let slot = &self.slots[slot];
        slot.start..slot.start + slot.len
    }

    fn table_of(&mut self, dims: [usize; 2], bound: f32) {
        self.push(dims, bound, true);
        if let Some(slot) = self.slots.last_mut() {
            slot.is_table = true;
        }
    }

    fn dense(&mut self, inputs: usize, outputs: usize, gain: f32) {
        self.push([inputs, outputs], bound(gain, inputs), true);
        self.push([1, outputs], 0.0, false);
    }

    fn push(&mut self, dims: [usize; 2], bound: f32, decays: bool) {
        let len = dims[0] * dims[1];
        let start = self.slots.last().map_or(0, |slot| slot.start + slot.len);
        self.slots.push(Slot {
            start,
            len,
            dims,
            gather: Gather::identity(len),
            bound,
            decays,
            is_table: false,
        });
    }
}
