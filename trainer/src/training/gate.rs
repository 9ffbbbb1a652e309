//! Which net is the best one, by the matches of the run.

use selfplay::arena::SprtVerdict;

use super::line::GenerationLine;
use super::state::{ProgressState, State};
use crate::config::Config;
use crate::evaluation::{Comparisons, Gate};

/// Returns what the run's matches have shown with a generation that follows `state`.
pub(super) fn progress(config: &Config, line: &GenerationLine, state: &State) -> ProgressState {
    let before = state.progress;
    let found = line.comparisons.as_ref();
    let verdict = found.and_then(Comparisons::against_best);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use selfplay::arena::PairCounts;

    use super::*;
    use crate::config_file;
    use crate::evaluation::Comparison;

    fn config(gate: &str) -> Config {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
        let sets = [
            format!("evaluate.progress.gate=\"{gate}\""),
            "evaluate.progress.share=0.1".to_owned(),
        ];
        config_file::load(&path, &sets).unwrap()
    }

    fn line(generation: u64, verdict: Option<SprtVerdict>) -> GenerationLine {
        let mut line = GenerationLine::new(generation);
        line.simulations = 1000;
        let comparison = |verdict| Comparison {
            wdl: [0; 3],
            pair_counts: PairCounts::default(),
            elo: [None; 3],
            llr: 0.0,
            verdict,
        };
        line.comparisons = verdict.map(|verdict| Comparisons {
            matches: BTreeMap::from([("best".to_owned(), comparison(verdict))]),
            simulations: 40,
            rung: 2,
        });
        line
    }

    /// Runs through generations with these verdicts; returns the best after each, and which were warned of.
    fn run(gate: &str, verdicts: &[Option<SprtVerdict>]) -> (Vec<u64>, Vec<u64>) {
        let config = config(gate);
        let (mut best, mut warned) = (Vec::new(), Vec::new());
        let mut state = State::default();
        for (generation, &verdict) in verdicts.iter().enumerate() {
            let line = line(generation as u64, verdict);
            if let Some(warning) = warning(&config, &line, state.best()) {
                assert!(warning.contains(&format!("than generation {}", state.best())));
                warned.push(line.generation);
            }
            state.progress = progress(&config, &line, &state);
            state.generation = line.generation;
            best.push(state.best());
        }
        assert_eq!(state.progress.simulations, 1000 * verdicts.len() as u64);
        let matches = verdicts.iter().flatten().count() as u64;
        assert_eq!(
            (state.progress.spent, state.progress.rung),
            (40 * matches, 2)
        );
        (best, warned)
    }

    #[test]
    fn the_gate_marks_the_best_net_and_warns_of_weaker_ones() {
        use SprtVerdict::{H0, H1, Undecided};
        let verdicts = [None, Some(Undecided), Some(H1), Some(H0), None, Some(H1)];
        assert_eq!(run("require", &verdicts), (vec![0, 0, 2, 2, 2, 5], vec![3]));
        assert_eq!(run("alarm", &verdicts), (vec![0, 1, 2, 3, 4, 5], vec![3]));
        assert_eq!(run("off", &verdicts), (vec![0, 1, 2, 3, 4, 5], vec![]));
    }

    #[test]
    fn a_gate_without_matches_is_refused() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/gufu.toml");
        let said = |set: &str| {
            let sets = [
                "evaluate.progress.gate=\"require\"".to_owned(),
                set.to_owned(),
            ];
            Config::load(&path, &sets).map_err(|error| format!("{error:?}"))
        };
        assert!(said("evaluate.progress.share=0.1").is_ok());
        for (set, part) in [
            ("evaluate.progress.share=0.0", "must be off or alarm unless"),
            (
                "evaluate.progress.opponents=[\"first\"]",
                "must be off or alarm unless",
            ),
            (
                "evaluate.progress.opponents=[\"worst\"]",
                "or best, first or ladder",
            ),
            ("evaluate.progress.elo=0.0", "must lie below"),
            ("evaluate.progress.share=2.0", "must be from 0 to 1"),
        ] {
            let said = said(set).unwrap_err();
            assert!(said.contains(part), "{set}: {said}");
        }
    }
}
