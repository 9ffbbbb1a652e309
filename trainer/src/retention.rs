//! What a run keeps on disk as it grows.

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::replay::ReplayStore;
use crate::run_dir::RunDir;
use crate::training::KEPT;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Keep {
    /// Everything.
    All,
    /// The newest ones, so many as the number beside it says.
    Last,
    /// The newest ones, and of older ones the fewer the older they are: of checkpoints every 2nd, 4th, 8th and so on as their age doubles;
    /// of game segments every 4th.
    Thin,
}

/// What is kept on disk. What the run needs to go on is always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionConfig {
    /// Which checkpoints: `all`, `last` or `thin`.
    pub(crate) checkpoints: Keep,
    /// Checkpoints that `last` and `thin` keep whole.
    pub(crate) last_checkpoints: u64,
    /// Which games: `all`, `last` or `thin`.
    pub(crate) games: Keep,
    /// Searched positions whose games `last` and `thin` keep whole; the replay window at least is kept.
    pub(crate) last_positions: u64,
}

impl RetentionConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let least = KEPT as u64;
        if self.last_checkpoints < least {
            return Err(format!(
                "last_checkpoints = {}: must be at least {least}, which the run may go back to",
                self.last_checkpoints
            ));
        }
        Ok(())
    }

    /// Tells whether the checkpoint of a generation is kept when `newest` is the newest. The untrained net always is.
    fn keeps(&self, generation: u64, newest: u64) -> bool {
        let age = newest.saturating_sub(generation);
        match self.checkpoints {
            _ if generation == 0 || age < self.last_checkpoints => true,
            Keep::All => true,
            Keep::Last => false,
            // Ages from 1 to 2 times the number keep every 2nd, from 2 to 4 times every 4th, ...
            Keep::Thin => generation.is_multiple_of(2 << (age / self.last_checkpoints).ilog2()),
        }
    }
}

/// Removes what the config does not keep, given the newest generation and those of the nets that are best where the run may go back to, which stay.
///
/// # Errors
/// If a file cannot be removed.
pub(crate) fn apply(
    config: &Config,
    run: &RunDir,
    store: &mut ReplayStore,
    newest: u64,
    best: &[u64],
) -> Result<()> {
    let retention = config.retention;
    if retention.checkpoints != Keep::All {
        for file in run.list_checkpoints()? {
            let generation = u64::from(file.generation);
            if !best.contains(&generation) && !retention.keeps(generation, newest) {
                run.disk()
                    .remove(&file.path)
                    .with_context(|| format!("cannot remove `{}`", file.path.display()))?;
            }
        }
    }
    if retention.games == Keep::All {
        return Ok(());
    }
    // A run may go back some generations, and its window must then be full.
    let generation =
        u64::from(config.selfplay.games) * u64::from(config.selfplay.plies_per_generation);
    let kept = retention
        .last_positions
        .max(config.replay.window.at(store.total_positions()) + generation * KEPT as u64);
    let sparse = if retention.games == Keep::Thin { 4 } else { 0 };
    Ok(store.thin_out(kept, sparse)?)
}

/// Says in a few words what a run takes on disk.
///
/// # Errors
/// If its files cannot be listed.
pub(crate) fn describe(run: &RunDir) -> Result<String> {
    let used = run.disk_use()?;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    Ok(format!(
        "{:.1} MB of games and {:.1} MB of checkpoints on disk",
        megabytes(used.games),
        megabytes(used.checkpoints)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(checkpoints: Keep, newest: u64) -> Vec<u64> {
        let retention = RetentionConfig {
            checkpoints,
            last_checkpoints: 4,
            games: Keep::All,
            last_positions: 0,
        };
        (0..=newest)
            .filter(|&generation| retention.keeps(generation, newest))
            .collect()
    }

    #[test]
    fn each_policy_keeps_what_it_says() {
        assert_eq!(kept(Keep::All, 9), (0..=9).collect::<Vec<_>>());
        assert_eq!(kept(Keep::Last, 9), [0, 6, 7, 8, 9]);
        assert_eq!(kept(Keep::Thin, 20), [0, 8, 12, 14, 16, 17, 18, 19, 20]);
    }

    /// What was thinned out once stays consistent: a checkpoint kept later was kept at every time before.
    #[test]
    fn nothing_is_wanted_that_was_removed_before() {
        for newest in 0..200 {
            let before = kept(Keep::Thin, newest);
            for generation in kept(Keep::Thin, newest + 1) {
                assert!(
                    generation == newest + 1 || before.contains(&generation),
                    "{generation} at {newest}"
                );
            }
        }
    }
}
