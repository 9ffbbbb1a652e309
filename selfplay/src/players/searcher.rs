//! A player that searches: with a net, with rollouts, or with nothing.

use rules::{MoveOf, Variant};

use super::{Player, Turn};
use crate::evaluator::{Evaluator, EvaluatorError};
use crate::lockstep::search_all;
use crate::random::{Purpose, stream};
use crate::search::{Search, SearchConfig, SearchTask};
use crate::workers::Workers;

/// Searches each move afresh. With 0 simulations it plays the evaluator's first choice.
pub struct SearchPlayer<V: Variant> {
    evaluator: Box<dyn Evaluator<V>>,
    config: SearchConfig,
    temperature: f32,
    seed: u64,
    workers: Workers,
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
            workers: Workers::new(),
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
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<MoveOf<V>>, EvaluatorError> {
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
        let reports = search_all(&mut searches, self.evaluator.as_mut(), &self.workers)?;
        Ok(reports.into_iter().map(|report| report.mv).collect())
    }
}
