//! What the learner learns from in one step: dense host arrays that know no game.

use crate::encoder::Shape;
use crate::error::ModelError;

/// Training samples side by side. Every array is in order of samples; values are from the mover's side.
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
    /// Chances of win, draw and loss for the mover, `[size, 3]`: a row sums to 1.
    pub wdl: Vec<f32>,
    /// Plies until the end of the game, `[size]`.
    pub moves_left: Vec<f32>,
    /// How much the plies left count, `[size]`: 0 leaves them out, as for a game that ended in a draw.
    pub moves_left_weight: Vec<f32>,
}

impl Batch {
    /// Makes a batch of `size` samples that are all zeros.
    pub fn new(shape: Shape, size: usize) -> Self {
        Self {
            size,
            planes: vec![0.0; size * shape.plane_len()],
            policy: vec![0.0; size * shape.actions],
            legal: vec![0.0; size * shape.actions],
            wdl: vec![0.0; size * 3],
            moves_left: vec![0.0; size],
            moves_left_weight: vec![0.0; size],
        }
    }

    /// Sets every value to zero, so that the arrays can be filled anew.
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
    }

    /// Checks that every array has the length that `shape` and `size` ask for, and holds values that it may hold.
    pub(crate) fn check(&self, shape: Shape) -> Result<(), ModelError> {
        let arrays = [
            ("planes", &self.planes, shape.plane_len()),
            ("policy", &self.policy, shape.actions),
            ("legal", &self.legal, shape.actions),
            ("wdl", &self.wdl, 3),
            ("moves_left", &self.moves_left, 1),
            ("moves_left_weight", &self.moves_left_weight, 1),
        ];
        if self.size == 0 {
            return Err(ModelError::Batch("size = 0: must be at least 1".to_owned()));
        }
        for (name, array, width) in arrays {
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
        self.check_rows(shape)
    }

    /// Checks that policies are over legal moves and that distributions sum to 1.
    fn check_rows(&self, shape: Shape) -> Result<(), ModelError> {
        let policies = self.policy.chunks_exact(shape.actions);
        let legals = self.legal.chunks_exact(shape.actions);
        let rows = policies.zip(legals).zip(self.wdl.chunks_exact(3));
        for (sample, ((policy, legal), wdl)) in rows.enumerate() {
            let total: f32 = policy.iter().sum();
            if total != 0.0 && (total - 1.0).abs() > SUM_TOLERANCE {
                return Err(ModelError::Batch(format!(
                    "policy of sample {sample} sums to {total}: must sum to 1 or be all 0"
                )));
            }
            let pairs = policy.iter().zip(legal);
            if let Some(at) = pairs
                .clone()
                .position(|(p, legal)| *p < 0.0 || (*p > 0.0 && *legal == 0.0))
            {
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
