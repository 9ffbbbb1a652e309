//! One position at a time, for one thread.

use super::integer::{Known, Scratch};
use super::{Family, Inference, softmax};
use crate::encoder::RowLists;

/// A net that answers at once, in the thread that asks, and makes use of what it knows of the last positions: of the sums of rows only those
/// are computed that have changed. What it says is the same as what [`Inference::look`] says.
#[derive(Clone, Debug)]
pub struct Solo {
    net: Inference,
    known: Vec<Known>,
    scratch: Scratch,
    logits: Vec<f32>,
}

impl Solo {
    /// Makes it of a net of integers; `None` of another one, which is quicker with many positions at a time.
    pub(super) fn new(net: &Inference) -> Option<Self> {
        matches!(net.inner.family, Family::Integer(_)).then(|| Self {
            net: net.clone(),
            known: Vec::new(),
            scratch: Scratch::default(),
            logits: Vec::new(),
        })
    }

    /// Evaluates one of the positions of `lists` with the moves shown of it, and returns the chances of win, draw and loss from its mover's
    /// side, and the logits of the moves.
    ///
    /// `kind` is a small number that positions have in common which are alike, such as the side to move: of each kind the last one is known.
    pub fn look(&mut self, lists: &RowLists, position: usize, kind: usize) -> ([f32; 3], &[f32]) {
        let Family::Integer(net) = &self.net.inner.family else {
            unreachable!("it is made of nets of integers only")
        };
        if self.known.len() <= kind {
            self.known.resize_with(kind + 1, Known::default);
        }
        let moves = lists.rows_of_moves(position);
        self.logits.resize(moves.ends.len(), 0.0);
        let [win, draw, loss, _] = net.look_again(
            (lists.features_of(position), moves),
            &mut self.known[kind],
            &mut self.scratch,
            &mut self.logits,
        );
        (softmax::chances([win, draw, loss]), &self.logits)
    }
}
