//! What the learner learns from in one step: dense host arrays that know no game.

use crate::encoder::{RowLists, Shape, Sizes, SparseShape};
use crate::error::ModelError;

/// Training samples side by side. Every array is in order of samples; values are from the mover's side.
///
/// A batch is of planes or of rows. `planes`, `policy` and `legal` are empty in one of rows, `rows` and `targets` in one of planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The number of samples.
    pub size: usize,
    /// Planes, `[size, planes, ranks, files]`.
    pub planes: Vec<f32>,
    /// The policy to learn, `[size, actions]`: a row sums to 1, or is all 0 for a sample without a policy to learn.
    pub policy: Vec<f32>,
    /// Which actions are legal moves, `[size, actions]`: 1 legal, 0 not.
    pub legal: Vec<f32>,
    /// The active rows of each sample and those of its legal moves.
    pub rows: RowLists,
    /// The policy to learn, of the legal moves of `rows` in their order: those of a sample sum to 1, or are all 0.
    pub targets: Vec<f32>,
    /// Chances of win, draw and loss for the mover, `[size, 3]`: a row sums to 1.
    pub wdl: Vec<f32>,
    /// Plies until the end of the game, `[size]`.
    pub moves_left: Vec<f32>,
    /// How much the plies left count, `[size]`: 0 leaves them out, as for a game that ended in a draw.
    pub moves_left_weight: Vec<f32>,
}

impl Batch {
    /// Makes a batch of `size` samples that are all zeros, or without rows and moves.
    pub fn new(sizes: impl Into<Sizes>, size: usize) -> Self {
        let (plane_len, actions, rows) = match sizes.into() {
            Sizes::Planes(shape) => (shape.plane_len(), shape.actions, 0),
            Sizes::Rows(_) => (0, 0, size),
        };
        Self {
            size,
            planes: vec![0.0; size * plane_len],
            policy: vec![0.0; size * actions],
            legal: vec![0.0; size * actions],
            rows: RowLists::blank(rows),
            targets: Vec::new(),
            wdl: vec![0.0; size * 3],
            moves_left: vec![0.0; size],
            moves_left_weight: vec![0.0; size],
        }
    }

    /// Sets every value to zero and takes all rows and moves out, so that the arrays can be filled anew.
    pub fn clear(&mut self) {
        for array in [
            &mut self.planes,
            &mut self.policy,
            &mut self.legal,
            &mut self.wdl,
            &mut self.moves_left,
            &mut self.moves_left_weight,
        ] {
            array.fill(0.0);
        }
        if !self.rows.is_empty() {
            self.rows = RowLists::blank(self.size);
            self.targets.clear();
        }
    }

    /// Returns the policy to learn of a sample, and which of its entries are legal moves: all where there is no mask.
    pub(crate) fn policy_of(&self, sample: usize) -> (&[f32], Option<&[f32]>) {
        if self.rows.is_empty() {
            let actions = self.policy.len() / self.size;
            let row = sample * actions..(sample + 1) * actions;
            return (&self.policy[row.clone()], Some(&self.legal[row]));
        }
        (&self.targets[self.rows.moves_of(sample)], None)
    }

    /// Checks that every array has the length that `sizes` and `size` ask for, and holds values that it may hold.
    pub(crate) fn check(&self, sizes: Sizes) -> Result<(), ModelError> {
        if self.size == 0 {
            return Err(ModelError::Batch("size = 0: must be at least 1".to_owned()));
        }
        match sizes {
            Sizes::Planes(shape) => self.check_planes(shape)?,
            Sizes::Rows(shape) => self.check_rows(shape)?,
        }
        self.check_arrays(&[
            ("wdl", &self.wdl, 3),
            ("moves_left", &self.moves_left, 1),
            ("moves_left_weight", &self.moves_left_weight, 1),
        ])?;
        self.check_samples()
    }

    fn check_planes(&self, shape: Shape) -> Result<(), ModelError> {
        if !self.rows.is_empty() {
            let problem = "it is of rows: must be of planes";
            return Err(ModelError::Batch(problem.to_owned()));
        }
        self.check_arrays(&[
            ("planes", &self.planes, shape.plane_len()),
            ("policy", &self.policy, shape.actions),
            ("legal", &self.legal, shape.actions),
        ])
    }

    fn check_rows(&self, shape: SparseShape) -> Result<(), ModelError> {
        if let Some(problem) = self.rows.problem(shape, self.size) {
            return Err(ModelError::Batch(problem));
        }
        if self.targets.len() != self.rows.move_count() {
            return Err(ModelError::Batch(format!(
                "targets has {} values: must have one for each of {} moves",
                self.targets.len(),
                self.rows.move_count()
            )));
        }
        if let Some(at) = self.targets.iter().position(|value| !value.is_finite()) {
            return Err(ModelError::Batch(format!(
                "targets holds {} for move {at}: must be finite",
                self.targets[at]
            )));
        }
        Ok(())
    }

    /// Checks that arrays have `width` values a sample, all of them finite.
    fn check_arrays(&self, arrays: &[(&str, &Vec<f32>, usize)]) -> Result<(), ModelError> {
        for &(name, array, width) in arrays {
            if array.len() != self.size * width {
                return Err(ModelError::Batch(format!(
                    "{name} has {} values: must have {} x {width}",
                    array.len(),
                    self.size
                )));
            }
            if let Some(at) = array.iter().position(|value| !value.is_finite()) {
                return Err(ModelError::Batch(format!(
                    "{name} of sample {} holds {}: must be finite",
                    at / width,
                    array[at]
                )));
            }
        }
        Ok(())
    }

    /// Checks that policies are over legal moves and that distributions sum to 1.
    fn check_samples(&self) -> Result<(), ModelError> {
        for (sample, wdl) in self.wdl.chunks_exact(3).enumerate() {
            let (policy, legal) = self.policy_of(sample);
            let total: f32 = policy.iter().sum();
            if total != 0.0 && (total - 1.0).abs() > SUM_TOLERANCE {
                return Err(ModelError::Batch(format!(
                    "policy of sample {sample} sums to {total}: must sum to 1 or be all 0"
                )));
            }
            let barred = |at: usize| legal.is_some_and(|legal| legal[at] == 0.0);
            let wrong = |at: &usize| policy[*at] < 0.0 || (policy[*at] > 0.0 && barred(*at));
            if let Some(at) = (0..policy.len()).find(wrong) {
                return Err(ModelError::Batch(format!(
                    "policy of sample {sample} gives action {at} {}: must be from 0, and 0 where the action is not legal",
                    policy[at]
                )));
            }
            let total: f32 = wdl.iter().sum();
            if (total - 1.0).abs() > SUM_TOLERANCE || wdl.iter().any(|chance| *chance < 0.0) {
                return Err(ModelError::Batch(format!(
                    "wdl of sample {sample} is {wdl:?}: must be chances that sum to 1"
                )));
            }
        }
        Ok(())
    }
}

/// How far the sum of a distribution may be from 1.
const SUM_TOLERANCE: f32 = 1e-3;
