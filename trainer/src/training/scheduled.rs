//! What the schedules of learning come to in a generation.

use std::fmt;

use serde::Serialize;

use crate::config::{Config, ReplayConfig};

/// By what numbers a generation learns: those that the schedules give for the positions stored when its learning begins. They hold for the
/// whole generation, so that a run that goes on has them again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Scheduled {
    /// Positions stored in the run when learning began, dropped ones included.
    pub(crate) positions: u64,
    /// Positions that the replay window is to hold.
    pub(crate) window: u64,
    /// Positions a batch.
    pub(crate) batch: u32,
    /// How often a position stored now is to be learned from.
    pub(crate) reuse: f64,
    /// The share of the search's root value in value targets.
    pub(crate) root_value_share: f64,
}

impl Scheduled {
    /// Returns the numbers for a run with so many positions stored.
    pub(super) fn at(config: &Config, positions: u64) -> Self {
        Self {
            positions,
            window: config.replay.window.at(positions),
            batch: config.replay.batch.at(positions),
            reuse: config.replay.reuse.at(positions),
            root_value_share: config.targets.root_value_share.at(positions),
        }
    }

    /// Returns how many batches bring the positions learned from, `learned` so far, to what `replay.reuse` asks for all that are stored.
    pub(super) fn steps(&self, replay: &ReplayConfig, learned: u64) -> u64 {
        let due = replay.reuse.sum(self.positions) - learned as f64;
        (due / f64::from(self.batch)) as u64
    }
}

impl fmt::Display for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            window,
            batch,
            root_value_share,
            ..
        } = self;
        write!(
            f,
            "window {window}, batch {batch}, root values {:.1} %",
            root_value_share * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn config(sets: &[&str]) -> Config {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        Config::load(&path, &sets).unwrap()
    }

    #[test]
    fn every_schedule_runs_on_the_positions_stored() {
        let config = config(&[
            "replay.window={ from = 250000, alpha = 0.75, beta = 0.4 }",
            "replay.batch={ from = 1024, to = 4096, positions = 3000000 }",
            "replay.reuse={ from = 2.0, to = 1.25, positions = 3000000 }",
            "targets.root_value_share={ from = 0.0, to = 0.5, positions = 3000000 }",
        ]);
        let at = |positions| Scheduled::at(&config, positions);
        let expected = |positions, window, batch, reuse, root_value_share| Scheduled {
            positions,
            window,
            batch,
            reuse,
            root_value_share,
        };
        assert_eq!(at(0), expected(0, 250_000, 1024, 2.0, 0.0));
        assert_eq!(
            at(1_500_000),
            // 250,000 (1 + 0.4 (6^0.75 - 1) / 0.75)
            expected(1_500_000, 627_821, 2560, 1.625, 0.25)
        );
        assert_eq!(
            at(4_000_000),
            expected(4_000_000, 1_183_333, 4096, 1.25, 0.5)
        );
        assert_eq!(
            at(0).to_string(),
            "window 250000, batch 1024, root values 0.0 %"
        );
    }

    /// What is due is the reuse of each position at the time when it was stored, whatever the batches were.
    #[test]
    fn steps_bring_learning_to_what_reuse_asks_for() {
        let config = config(&[
            "replay.batch={ from = 100, to = 300, positions = 2000 }",
            "replay.reuse={ from = 2.0, to = 1.0, positions = 2000 }",
        ]);
        let (mut learned, mut steps) = (0, Vec::new());
        for stored in [500, 1000, 3000, 3000, 3100] {
            let scheduled = Scheduled::at(&config, stored);
            let more = scheduled.steps(&config.replay, learned);
            learned += more * u64::from(scheduled.batch);
            steps.push((more, scheduled.batch, learned));
        }
        // Due are 937.5, 1750, 3000 + 1000 twice, and 4100.
        assert_eq!(
            steps,
            [
                (6, 150, 900),
                (4, 200, 1700),
                (7, 300, 3800),
                (0, 300, 3800),
                (1, 300, 4100)
            ]
        );
        let ahead = Scheduled::at(&config, 100).steps(&config.replay, 5000);
        assert_eq!(ahead, 0);
    }
}
