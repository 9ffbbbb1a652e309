//! What a net knows of a solved game, measured against its exact solution.

use anyhow::Result;
use model::{Answers, Inference, Sights, View};
use rand::seq::IteratorRandom;
use rayon::prelude::*;
use rules::solver::{Solution, differ};
use rules::{Game, Position, RuleOptions, Variant};
use rustc_hash::FxHashMap;
use selfplay::random::{Purpose, stream};
use selfplay::{Evaluator, Search, SearchConfig, SearchTask, Workers, search_all};
use serde::{Deserialize, Serialize};

use crate::dispatch::Yardstick;

/// Positions evaluated at a time.
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
    /// What a net is shown of the positions, each different sight once with its moves as the view sorts them.
    sights: Sights,
    /// For each position which sight is its own.
    own: Vec<u32>,
    view: View<V>,
    options: RuleOptions,
    workers: Workers,
}

/// Returns what tells one sight from another: the bits of its planes, or its rows.
fn fingerprint(sight: &Sights) -> Vec<u32> {
    if sight.rows().is_empty() {
        return sight.planes().iter().map(|value| value.to_bits()).collect();
    }
    sight.rows().features_of(0).to_vec()
}

impl<V: Variant> Examination<V> {
    /// Solves the game and takes its positions down as a net sees them. Positions that it cannot tell apart are one to it.
    pub(crate) fn new(yardstick: &Yardstick<V>, view: View<V>, options: RuleOptions) -> Self {
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
        let (mut sights, mut own) = (Sights::default(), Vec::new());
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let (mut alone, mut moves) = (Sights::default(), Vec::new());
        for position in &positions {
            let game = Game::from_position(*position, options);
            alone.clear();
            view.show(&game, &[], false, &mut alone);
            let next = known.len() as u32;
            own.push(*known.entry(fingerprint(&alone)).or_insert_with(|| {
                position.legal_moves(&mut moves);
                view.sort_moves(position, &mut moves);
                view.show(&game, &moves, false, &mut sights);
                next
            }));
        }
        Self {
            solution,
            positions,
            signs,
            sights,
            own,
            view,
            options,
            workers: Workers::new(),
        }
    }

    /// Puts every position to the net.
    ///
    /// # Errors
    /// If the net fails.
    pub(crate) fn examine(&self, net: &Inference) -> Result<Exactness> {
        let starts: Vec<usize> = (0..self.sights.len()).step_by(CHUNK).collect();
        let chunks: Vec<Answers> = starts
            .into_par_iter()
            .map(|start| {
                let mut answers = Answers::default();
                let end = (start + CHUNK).min(self.sights.len());
                net.look(&self.sights, start..end, &mut answers)?;
                Ok(answers)
            })
            .collect::<Result<_>>()?;
        let judged: Vec<(bool, bool)> = (0..self.positions.len())
            .into_par_iter()
            .map(|at| {
                let own = self.own[at] as usize;
                let (answers, row) = (&chunks[own / CHUNK], own % CHUNK);
                let first = self.sights.moves_of(own - row).start;
                let moves = self.sights.moves_of(own);
                let logits = &answers.logits[moves.start - first..moves.end - first];
                let wdl = &answers.wdl[row * 3..row * 3 + 3];
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

    /// Tells whether the move with the greatest of `logits`, which are of the moves as the view sorts them, keeps the exact value.
    fn policy_keeps(&self, at: usize, logits: &[f32]) -> bool {
        let position = &self.positions[at];
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        self.view.sort_moves(position, &mut moves);
        let best = logits
            .iter()
            .zip(moves)
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.is_some_and(|(_, mv)| {
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
