//! What a search asks of a net, or of whatever stands in for one.
//!
//! A leaf is shown to an evaluator while the game stands there. It answers at once, or takes down what it needs and answers later, for
//! all leaves that wait in one call.

mod cache;

pub use cache::{CacheCounts, CachedEvaluator, EvaluationCache};

use rand::RngExt;
use rules::{Game, MoveOf, Position, Variant, Wdl};

use crate::random::{Purpose, stream};

/// A position that a search wants evaluated, with the history that led there.
#[derive(Debug)]
pub struct Leaf<'a, V: Variant> {
    /// The game up to the leaf. It has not ended.
    pub game: &'a Game<V>,
    /// The legal moves of the leaf; never empty.
    pub moves: &'a [MoveOf<V>],
}

/// What is thought of one leaf, from the side of its mover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation<'a> {
    /// The chances of the mover.
    pub wdl: Wdl,
    /// A probability for each legal move, in their order; they add up to 1.
    pub priors: &'a [f32],
}

/// The evaluations of one batch, in the order of its leaves.
#[derive(Clone, Debug, Default)]
pub struct Evaluations {
    wdl: Vec<Wdl>,
    priors: Vec<f32>,
    /// Where the priors of each leaf end.
    ends: Vec<usize>,
}

impl Evaluations {
    /// Forgets all evaluations and keeps the memory.
    pub fn clear(&mut self) {
        self.wdl.clear();
        self.priors.clear();
        self.ends.clear();
    }

    /// Adds the evaluation of the next leaf.
    pub fn push(&mut self, wdl: Wdl, priors: impl IntoIterator<Item = f32>) {
        self.wdl.push(wdl);
        self.priors.extend(priors);
        self.ends.push(self.priors.len());
    }

    /// Adds all evaluations of another batch behind these.
    pub fn append(&mut self, other: &Self) {
        let shift = self.priors.len();
        self.wdl.extend_from_slice(&other.wdl);
        self.priors.extend_from_slice(&other.priors);
        self.ends.extend(other.ends.iter().map(|end| end + shift));
    }

    /// Returns the number of evaluations.
    pub fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Tells whether there is no evaluation.
    pub fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// Returns the evaluation of leaf `at`.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, at: usize) -> Evaluation<'_> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Evaluation {
            wdl: self.wdl[at],
            priors: &self.priors[start..self.ends[at]],
        }
    }
}

/// An evaluator could not do its work; a run cannot go on without it.
#[derive(Debug, thiserror::Error)]
#[error("evaluation failed: {0}")]
pub struct EvaluatorError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Evaluates leaves, for one thread; [`Evaluator::fork`] makes more.
///
/// What it says of a leaf depends on the leaf alone, not on the leaves it comes with.
pub trait Evaluator<V: Variant>: Send {
    /// Looks at a leaf. Either adds its evaluation to `answer` and returns `true`, or takes it down for [`Evaluator::evaluate`].
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool;

    /// Looks at a leaf as [`Evaluator::ask`] does, but takes it down if to answer it takes time: for searches that share their leaves out over
    /// threads.
    fn defer(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        self.ask(leaf, answer)
    }

    /// Replaces `out` with one evaluation for each leaf taken down since the last call, in their order.
    ///
    /// # Errors
    /// If the evaluator itself fails; a leaf cannot be wrong. What was taken down is forgotten all the same.
    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError>;

    /// Makes an evaluator for another thread that says the same; nothing taken down here is taken down there.
    fn fork(&self) -> Box<dyn Evaluator<V>>;

    /// Tells whether this thread has nothing to do while leaves are evaluated, since a device does it: then others search meanwhile.
    fn waits(&self) -> bool {
        false
    }

    /// Returns how many positions it has evaluated at once so far, each by itself.
    fn evaluated_at_once(&self) -> u64 {
        0
    }

    /// Returns the identity of all that it sees of a leaf: leaves with the same key get the same evaluation. `None` if none is to be kept.
    fn key(&self, _: &Leaf<'_, V>) -> Option<u128> {
        None
    }
}

/// Knows nothing: every move is equally likely and every game a draw. The baseline of all others, and the measure of the search's own cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl<V: Variant> Evaluator<V> for UniformEvaluator {
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        answer.push(Wdl::DRAW, uniform(leaf.moves.len()));
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

/// Plays one uniformly random game from each leaf to its end: the evaluator of plain Monte Carlo tree search.
///
/// The random numbers come from the seed and the leaf, so that the same search gives the same result.
#[derive(Clone, Copy, Debug)]
pub struct RolloutEvaluator {
    seed: u64,
}

impl RolloutEvaluator {
    /// Makes an evaluator whose rollouts are a function of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn rollout<V: Variant>(self, leaf: &Leaf<'_, V>) -> Wdl {
        let side = leaf.game.position().side_to_move();
        let mut game = leaf.game.clone();
        let mut rng = stream(
            self.seed,
            Purpose::Rollout,
            game.position().key(),
            game.ply() as u64,
        );
        let mut moves = Vec::new();
        loop {
            let mv = game.pick_move(&mut moves, |count| rng.random_range(0..count));
            match (game.outcome_if(mv.is_some()), mv) {
                (None, Some(mv)) => game.play(mv),
                (outcome, _) => return outcome.map_or(Wdl::DRAW, |outcome| outcome.wdl(side)),
            }
        }
    }
}

impl<V: Variant> Evaluator<V> for RolloutEvaluator {
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        answer.push(self.rollout(leaf), uniform(leaf.moves.len()));
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

fn uniform(moves: usize) -> impl Iterator<Item = f32> {
    std::iter::repeat_n(1.0 / moves as f32, moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_keep_their_leaves_apart() {
        let mut first = Evaluations::default();
        first.push(Wdl::WIN, [0.25, 0.75]);
        let mut second = Evaluations::default();
        second.push(Wdl::DRAW, [1.0]);
        second.push(Wdl::LOSS, [0.5, 0.5]);
        first.append(&second);
        assert_eq!(first.len(), 3);
        assert_eq!(
            first.get(0),
            Evaluation {
                wdl: Wdl::WIN,
                priors: &[0.25, 0.75]
            }
        );
        assert_eq!(
            first.get(1),
            Evaluation {
                wdl: Wdl::DRAW,
                priors: &[1.0]
            }
        );
        assert_eq!(
            first.get(2),
            Evaluation {
                wdl: Wdl::LOSS,
                priors: &[0.5, 0.5]
            }
        );
    }
}
