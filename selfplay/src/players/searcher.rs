//! A player that searches: with a net, with rollouts, or with nothing.

use rules::{MoveOf, Variant};

use super::{Choice, Player, Turn};
use crate::evaluator::{Evaluator, EvaluatorError};
use crate::lockstep::drive;
use crate::random::{Purpose, stream};
use crate::search::{Search, SearchConfig, SearchTask};

/// Searches each move afresh. With 0 simulations it plays the evaluator's first choice.
pub struct SearchPlayer<V: Variant> {
    evaluator: Box<dyn Evaluator<V>>,
    config: SearchConfig,
    temperature: f32,
    seed: u64,
}

impl<V: Variant> SearchPlayer<V> {
    /// Makes a player; `temperature` 0 always plays the best move.
    pub fn new(
        evaluator: Box<dyn Evaluator<V>>,
        config: SearchConfig,
        temperature: f32,
        seed: u64,
    ) -> Self {
        Self {
            evaluator,
            config,
            temperature,
            seed,
        }
    }
}

impl<V: Variant> std::fmt::Debug for SearchPlayer<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchPlayer")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl<V: Variant> Player<V> for SearchPlayer<V> {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let begin = |turn: &Turn<'_, V>| {
            let rng = stream(
                self.seed,
                Purpose::Player,
                turn.number,
                turn.game.ply() as u64,
            );
            let mut search = Search::new(self.config, turn.game.clone(), rng.clone());
            let task = SearchTask {
                simulations: self.config.simulations,
                temperature: self.temperature,
                explore: false,
            };
            search.begin(task, rng);
            search
        };
        let mut searches: Vec<Search<V>> = turns.iter().map(begin).collect();
        drive(&mut searches, self.evaluator.as_mut(), |_, _| true)?;
        let choice = |search: &mut Search<V>| {
            let report = search.report();
            Choice::of(report.mv, Some(report.root))
        };
        Ok(searches.iter_mut().map(choice).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self {
            evaluator: self.evaluator.fork(),
            config: self.config,
            temperature: self.temperature,
            seed: self.seed,
        })
    }
}
