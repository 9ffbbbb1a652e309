//! Players as engines: what they think, and what they say by each protocol.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fuzz;
mod games;
mod limits;
mod mates;
mod protocols;
mod talk;
mod thinkers;

use rules::{Position as _, Variant, Wdl};
use selfplay::players::alphabeta::Limits;
use selfplay::players::{AlphaBetaConfig, RandomPlayer};
use selfplay::thinker::{BaselineThinker, PlainThinker, Thinker, TreeThinker};
use selfplay::{
    Evaluations, Evaluator, EvaluatorError, GumbelConfig, Leaf, PuctConfig, RolloutEvaluator,
    RootKind, SearchConfig,
};

/// Makes a thinker.
type Maker<V> = fn() -> Box<dyn Thinker<V>>;

const fn config(root: RootKind) -> SearchConfig {
    SearchConfig {
        simulations: 2,
        root,
        mate_plies: 1,
        leaves: 1,
        gumbel: GumbelConfig::USUAL,
        puct: PuctConfig::USUAL,
    }
}

/// A stand-in for a net: judges by the hand-made evaluation, and answers later.
#[derive(Clone, Debug, Default)]
struct Judging {
    waiting: Vec<(Wdl, usize)>,
    /// Evaluations before it fails, if it does.
    fails_after: Option<usize>,
}

impl<V: Variant> Evaluator<V> for Judging {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        let key = leaf.game.position().key();
        let win = (key >> 40) as f32 / (1 << 24) as f32;
        let wdl = Wdl {
            win,
            draw: 0.0,
            loss: 1.0 - win,
        };
        self.waiting.push((wdl, leaf.moves.len()));
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        if let Some(left) = &mut self.fails_after {
            if *left == 0 {
                return Err(EvaluatorError("the net is broken".into()));
            }
            *left -= 1;
        }
        for (wdl, moves) in self.waiting.drain(..) {
            out.push(wdl, std::iter::repeat_n(1.0 / moves as f32, moves));
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(self.clone())
    }
}

fn tree<V: Variant>() -> TreeThinker<V> {
    TreeThinker::new(Box::new(Judging::default()), config(RootKind::Puct), 5)
}

fn rollouts<V: Variant>() -> Box<dyn Thinker<V>> {
    let evaluator = Box::new(RolloutEvaluator::new(5));
    Box::new(TreeThinker::new(evaluator, config(RootKind::Puct), 5))
}

fn baseline<V: Variant>() -> Box<dyn Thinker<V>> {
    let config = AlphaBetaConfig {
        table_bits: 12,
        ..AlphaBetaConfig::new(Limits::depth(3))
    };
    Box::new(BaselineThinker::new(config, 5))
}

fn random<V: Variant>() -> Box<dyn Thinker<V>> {
    Box::new(PlainThinker::new(Box::new(RandomPlayer::new(5))))
}
