//! Where the time of a generation went, and how fast self-play was.

use selfplay::{EvaluationCache, PoolReport};
use serde::Serialize;

/// Seconds of wall-clock time. Where play and learning overlap, each has its own from its begin to its end, and they add up to more than the
/// whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Seconds {
    /// Of self-play.
    pub(crate) play: f64,
    /// Of learning.
    pub(crate) learn: f64,
    /// Of evaluation.
    pub(crate) evaluate: f64,
    /// Of the whole generation.
    pub(crate) total: f64,
    /// Of the run so far.
    pub(crate) run: f64,
}

/// How fast self-play was. What is counted here depends on threads and on how full the cache was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Speed {
    /// Positions evaluated by the net.
    pub(crate) evaluations: u64,
    /// Mean positions a batch.
    pub(crate) batch_fill: f64,
    /// Share of the leaves that the cache knew.
    pub(crate) cache_hits: f64,
    /// Bytes that the cache held at the end of the generation.
    pub(crate) cache_bytes: u64,
    /// Bytes that the trees took at its end.
    pub(crate) tree_bytes: u64,
    /// Positions evaluated a second.
    pub(crate) evaluations_per_second: f64,
    /// Simulations a second.
    pub(crate) simulations_per_second: f64,
    /// Positions played an hour.
    pub(crate) positions_per_hour: f64,
    /// Games finished an hour.
    pub(crate) games_per_hour: f64,
}

impl Speed {
    /// Makes it of what was done in so many seconds.
    pub(super) fn new(
        report: &PoolReport,
        seconds: f64,
        cache: Option<&EvaluationCache>,
        tree_bytes: usize,
    ) -> Self {
        let counts = cache.map(EvaluationCache::counts).unwrap_or_default();
        let rate = |count: u64| count as f64 / seconds.max(1e-9);
        Self {
            evaluations: report.evaluations,
            batch_fill: report.evaluations as f64 / report.batches.max(1) as f64,
            cache_hits: counts.found as f64 / counts.asked.max(1) as f64,
            cache_bytes: cache.map_or(0, EvaluationCache::bytes),
            tree_bytes: tree_bytes as u64,
            evaluations_per_second: rate(report.evaluations),
            simulations_per_second: rate(report.simulations),
            positions_per_hour: 3600.0 * rate(report.plies),
            games_per_hour: 3600.0 * rate(report.games),
        }
    }
}
