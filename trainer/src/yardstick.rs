//! What a net knows of a solved game, measured against its exact solution.

use std::sync::Arc;

use anyhow::Result;
use model::{Encoder, Inference, Outputs};
use rand::seq::IteratorRandom;
use rayon::prelude::*;
use rules::solver::{Solution, differ};
use rules::{Game, Position, RuleOptions, Variant};
use rustc_hash::FxHashMap;
use selfplay::random::{Purpose, stream};
use selfplay::{Evaluator, Search, SearchConfig, SearchTask, Workers, search_all};
use serde::{Deserialize, Serialize};

use crate::dispatch::Yardstick;

/// Encodings evaluated at a time.
const CHUNK: usize = 256;

/// Searches run at the same time.
const CONCURRENT: usize = 512;

/// Shares of the positions in which a mistake is possible, each in `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exactness {
    /// Where the raw policy's first choice keeps the exact value.
    pub(crate) policy: f64,
    /// Where the greatest of win, draw and loss is the exact one.
    pub(crate) wdl: f64,
}

/// Every reachable position in which a mistake is possible, ready to be put to a net.
pub(crate) struct Examination<V: Variant> {
    solution: Solution<V>,
    positions: Vec<V::Position>,
    /// The exact sign of each position.
    signs: Vec<i8>,
    /// The distinct encodings, one after the other, and for each position which is its own.
    planes: Vec<f32>,
    encoding: Vec<u32>,
    encoder: Arc<dyn Encoder<V>>,
    options: RuleOptions,
    workers: Workers,
}

impl<V: Variant> Examination<V> {
    /// Solves the game and encodes its positions. Positions that a net cannot tell apart share one encoding.
    pub(crate) fn new(
        yardstick: &Yardstick<V>,
        encoder: Arc<dyn Encoder<V>>,
        options: RuleOptions,
    ) -> Self {
        let solution = (yardstick.solve)();
        let mut values = Vec::new();
        let mut chosen = |position: &&V::Position| {
            solution.move_values(position, &mut values);
            (yardstick.in_play)(position) && differ(&values)
        };
        let positions: Vec<V::Position> = solution
            .positions()
            .iter()
            .filter(|position| chosen(position))
            .copied()
            .collect();
        let sign = |position: &V::Position| {
            solution
                .value(position)
                .map_or(0, rules::solver::Exact::sign)
        };
        let signs = positions.iter().map(sign).collect();
        let plane_len = encoder.shape().plane_len();
        let (mut planes, mut encoding) = (Vec::new(), Vec::new());
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut own = vec![0.0; plane_len];
        for position in &positions {
            encoder.encode(&Game::from_position(*position, options), &mut own);
            let next = known.len() as u32;
            let bits = own.iter().map(|value| value.to_bits()).collect();
            encoding.push(*known.entry(bits).or_insert_with(|| {
                planes.extend_from_slice(&own);
                next
            }));
        }
        Self {
            solution,
            positions,
            signs,
            planes,
            encoding,
            encoder,
            options,
            workers: Workers::new(),
        }
    }

    /// Puts every position to the net.
    ///
    /// # Errors
    /// If the net fails.
    pub(crate) fn examine(&self, net: &Inference) -> Result<Exactness> {
        let shape = self.encoder.shape();
        let chunks: Vec<Outputs> = self
            .planes
            .par_chunks(CHUNK * shape.plane_len())
            .map(|planes| {
                let mut outputs = Outputs::default();
                net.run(planes, planes.len() / shape.plane_len(), &mut outputs)?;
                Ok(outputs)
            })
            .collect::<Result<_>>()?;
        let judged: Vec<(bool, bool)> = (0..self.positions.len())
            .into_par_iter()
            .map(|at| {
                let (chunk, row) = (
                    self.encoding[at] as usize / CHUNK,
                    self.encoding[at] as usize % CHUNK,
                );
                let logits = &chunks[chunk].policy[row * shape.actions..(row + 1) * shape.actions];
                let wdl = &chunks[chunk].wdl[row * 3..row * 3 + 3];
                (self.policy_keeps(at, logits), self.wdl_agrees(at, wdl))
            })
            .collect();
        let share = |count: usize| count as f64 / judged.len().max(1) as f64;
        Ok(Exactness {
            policy: share(judged.iter().filter(|(policy, _)| *policy).count()),
            wdl: share(judged.iter().filter(|(_, wdl)| *wdl).count()),
        })
    }

    /// Searches a fixed random sample of the positions and returns the share in which the move chosen keeps the exact value.
    ///
    /// # Errors
    /// If the evaluator fails.
    pub(crate) fn examine_search(
        &self,
        evaluator: &mut dyn Evaluator<V>,
        config: SearchConfig,
        sample: &[usize],
    ) -> Result<f64> {
        let mut kept = 0;
        for part in sample.chunks(CONCURRENT) {
            let mut searches: Vec<Search<V>> =
                part.iter().map(|&at| self.begin(at, config)).collect();
            for (&at, report) in
                part.iter()
                    .zip(search_all(&mut searches, evaluator, &self.workers)?)
            {
                let mut next = self.positions[at];
                next.play(report.mv);
                kept += usize::from(self.sign_before(&next) == self.signs[at]);
            }
        }
        Ok(kept as f64 / sample.len().max(1) as f64)
    }

    /// Returns the numbers of `count` positions, the same ones in every run.
    pub(crate) fn sample(&self, count: usize) -> Vec<usize> {
        let mut sample =
            (0..self.positions.len()).sample(&mut stream(0, Purpose::Sample, 0, 0), count);
        sample.sort_unstable();
        sample
    }

    fn policy_keeps(&self, at: usize, logits: &[f32]) -> bool {
        let position = &self.positions[at];
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let logit = |mv: &_| logits[self.encoder.action(position, *mv)];
        let best = moves
            .into_iter()
            .reduce(|best, mv| if logit(&mv) > logit(&best) { mv } else { best });
        best.is_some_and(|mv| {
            let mut next = *position;
            next.play(mv);
            self.sign_before(&next) == self.signs[at]
        })
    }

    fn wdl_agrees(&self, at: usize, wdl: &[f32]) -> bool {
        let (exact, others) = match self.signs[at] {
            1 => (wdl[0], [wdl[1], wdl[2]]),
            0 => (wdl[1], [wdl[0], wdl[2]]),
            _ => (wdl[2], [wdl[0], wdl[1]]),
        };
        others.iter().all(|&other| exact > other)
    }

    /// Returns the exact sign of a position from the side of the player who moved into it.
    fn sign_before(&self, next: &V::Position) -> i8 {
        self.solution.value(next).map_or(0, |value| -value.sign())
    }

    fn begin(&self, at: usize, config: SearchConfig) -> Search<V> {
        let rng = stream(0, Purpose::Player, at as u64, 0);
        let mut search = Search::new(
            config,
            Game::from_position(self.positions[at], self.options),
            rng.clone(),
        );
        let task = SearchTask {
            simulations: config.simulations,
            temperature: 0.0,
            explore: false,
        };
        search.begin(task, rng);
        search
    }
}
