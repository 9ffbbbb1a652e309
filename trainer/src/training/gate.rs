//! Which net is the best one, by the matches of the run.

use selfplay::arena::SprtVerdict;

use super::line::GenerationLine;
use super::state::{ProgressState, State};
use crate::config::Config;
use crate::evaluation::Gate;

/// Returns what the run's matches have shown with a generation that follows `state`.
pub(super) fn progress(config: &Config, line: &GenerationLine, state: &State) -> ProgressState {
    let before = state.progress;
    let found = line.comparisons.as_ref();
    let verdict = found.and_then(|found| found.against_best());
    let replaces = match config.evaluate.progress.gate {
        Gate::Off | Gate::Alarm => true,
        Gate::Require => line.generation == 0 || verdict == Some(SprtVerdict::H1),
    };
    ProgressState {
        best: Some(if replaces {
            line.generation
        } else {
            state.best()
        }),
        rung: found.map_or(before.rung, |found| found.rung),
        simulations: before.simulations + line.simulations,
        spent: before.spent + found.map_or(0, |found| found.simulations),
    }
}

/// Returns a warning if a generation is significantly weaker than the best net before it, generation `best`.
pub(super) fn warning(config: &Config, line: &GenerationLine, best: u64) -> Option<String> {
    let found = line.comparisons.as_ref()?;
    let weaker = found.against_best() == Some(SprtVerdict::H0);
    (weaker && config.evaluate.progress.gate != Gate::Off).then(|| {
        format!(
            "generation {} is significantly weaker than generation {best}, the best net before it (evaluate.progress); learning goes on from it",
            line.generation
        )
    })
}
