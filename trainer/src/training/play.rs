//! What the loop does with self-play while it goes on: collects games, shows how far it is, and gives up when asked to.

use std::time::Instant;

use selfplay::{GameRecord, PoolObserver, PoolReport};

use crate::interrupt::Interrupt;
use crate::progress::Bar;
use crate::watchdog::Watchdog;

/// Collects the games of one generation.
pub(crate) struct Collector<'a> {
    records: Vec<GameRecord>,
    bar: Bar,
    label: String,
    interrupt: &'a Interrupt,
    watchdog: Option<&'a Watchdog>,
    begun: Instant,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        bar: Bar,
        label: String,
        interrupt: &'a Interrupt,
        watchdog: Option<&'a Watchdog>,
    ) -> Self {
        Self {
            records: Vec::new(),
            bar,
            label,
            interrupt,
            watchdog,
            begun: Instant::now(),
        }
    }

    /// Returns the games by their numbers.
    pub(crate) fn finish(mut self) -> Vec<GameRecord> {
        self.bar.finish();
        self.records.sort_by_key(|record| record.number);
        self.records
    }
}

impl PoolObserver for Collector<'_> {
    fn on_game(&mut self, record: GameRecord) {
        self.records.push(record);
    }

    fn on_progress(&mut self, report: &PoolReport) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.bar.message(format!(
            "{} games, {:.0} simulations/s, {:.0} evaluations/s",
            report.games,
            report.simulations as f64 / seconds,
            report.evaluations as f64 / seconds
        ));
        self.bar.set(report.plies);
        if let Some(watchdog) = self.watchdog {
            watchdog.beat(|what| {
                what.push_str(&self.label);
                what.push_str(": searching, or evaluating a batch of leaves");
            });
        }
        !self.interrupt.requested()
    }
}
