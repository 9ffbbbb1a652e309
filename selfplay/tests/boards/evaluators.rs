//! Evaluators for tests.

use rules::{Position as _, Variant, Wdl};
use selfplay::{Evaluations, Evaluator, EvaluatorError, Leaf};

/// Says of a position what its key says, always the same, and answers later, as a net does.
#[derive(Clone, Default)]
pub(crate) struct Hashing {
    waiting: Vec<(Wdl, Vec<f32>)>,
    /// How many leaves it evaluated in one batch at most.
    pub(crate) largest: usize,
    /// How many leaves it evaluated.
    pub(crate) evaluated: usize,
}

/// Returns a number in `(0, 1]` that depends on both parts.
fn mixed(key: u64, part: u64) -> f32 {
    let mut bits = key ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for shift in [30, 27, 31] {
        bits = (bits ^ bits >> shift).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    ((bits >> 40) + 1) as f32 / (1 << 24) as f32
}

pub(crate) fn hashed<V: Variant>(leaf: &Leaf<'_, V>) -> (Wdl, Vec<f32>) {
    let key = leaf.game.position().key();
    let (win, rest) = (mixed(key, 1), mixed(key, 2));
    let wdl = Wdl {
        win,
        draw: (1.0 - win) * rest,
        loss: (1.0 - win) * (1.0 - rest),
    };
    let weights: Vec<f32> = leaf
        .moves
        .iter()
        .map(|&mv| mixed(key, 3 + u64::from(mv.into())).powi(3))
        .collect();
    let sum: f32 = weights.iter().sum();
    (wdl, weights.iter().map(|weight| weight / sum).collect())
}

impl<V: Variant> Evaluator<V> for Hashing {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        self.waiting.push(hashed(leaf));
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        self.largest = self.largest.max(self.waiting.len());
        self.evaluated += self.waiting.len();
        for (wdl, priors) in self.waiting.drain(..) {
            out.push(wdl, priors);
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::default())
    }

    fn key(&self, leaf: &Leaf<'_, V>) -> Option<u128> {
        let position = leaf.game.position();
        Some(u128::from(position.fingerprint()) << 64 | u128::from(position.key()))
    }
}

/// Answers at once what [`Hashing`] answers later.
#[derive(Clone, Copy, Default)]
pub(crate) struct HashingAtOnce;

impl<V: Variant> Evaluator<V> for HashingAtOnce {
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        let (wdl, priors) = hashed(leaf);
        answer.push(wdl, priors);
        true
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(*self)
    }
}

/// Follows a line: all prior on its next move, and every position a draw.
#[derive(Clone)]
pub(crate) struct Guide<V: Variant> {
    pub(crate) line: Vec<rules::MoveOf<V>>,
}

impl<V: Variant> Evaluator<V> for Guide<V> {
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        let played = leaf.game.moves();
        let next = self
            .line
            .get(played.len())
            .filter(|_| self.line.starts_with(played));
        let prior = |mv: &rules::MoveOf<V>| match next {
            Some(next) => f32::from(u8::from(next == mv)),
            None => 1.0 / leaf.moves.len() as f32,
        };
        answer.push(Wdl::DRAW, leaf.moves.iter().map(prior));
        true
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(self.clone())
    }
}
