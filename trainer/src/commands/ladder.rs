//! `senpu ladder`: the checkpoints of a run and the rungs of its game's ladder on one scale.

mod contest;
mod table;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use model::Checkpoint;
use rules::{RuleOptions, Variant};
use serde_json::json;

use crate::cli::LadderArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::interrupt::Interrupt;
use crate::progress::{Progress, Verbosity};
use crate::rated_matches::RatedMatches;
use crate::run_dir::{self, CheckpointFile, RunDir};
use contest::Contest;

/// Plays matches where they tell most, and prints the ratings.
///
/// # Errors
/// If the run has no checkpoint, a selection is wrong, another process rates the run, or a player fails.
pub fn run(args: &LadderArgs) -> Result<()> {
    let run = RunDir::read(&args.run)?;
    let checkpoints = selected(&run, args)?;
    let newest = checkpoints
        .last()
        .with_context(|| format!("`{}` has no checkpoint yet", args.run.display()))?;
    let meta = Checkpoint::load(&newest.path)?.meta;
    let task = Ladder {
        args,
        run,
        options: meta.options,
        checkpoints,
    };
    dispatch(meta.variant, task)
}

/// Returns the checkpoints that take part, by rising generation.
fn selected(run: &RunDir, args: &LadderArgs) -> Result<Vec<CheckpointFile>> {
    let all = run.list_checkpoints()?;
    if !args.generations.is_empty() {
        let known: Vec<u32> = all.iter().map(|file| file.generation).collect();
        for generation in &args.generations {
            ensure!(
                known.contains(generation),
                "`{}` has no checkpoint of generation {generation}; there are {known:?}",
                run.path().display()
            );
        }
        return Ok(all
            .into_iter()
            .filter(|file| args.generations.contains(&file.generation))
            .collect());
    }
    Ok(spread(&all, args.checkpoints))
}

/// Returns at most `most` of `all`, at even distances, the first and the last among them.
fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most.max(1) {
        return all.to_vec();
    }
    let last = all.len() - 1;
    match most {
        0 | 1 => vec![all[last].clone()],
        _ => (0..most)
            .map(|at| all[at * last / (most - 1)].clone())
            .collect(),
    }
}

struct Ladder<'a> {
    args: &'a LadderArgs,
    run: RunDir,
    /// The rules of the newest net.
    options: RuleOptions,
    checkpoints: Vec<CheckpointFile>,
}

impl Task for Ladder<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        let dir = self.run.matches();
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create `{}`", dir.display()))?;
        let _lock = run_dir::lock(&dir)?;
        let conditions = json!({
            "rules": self.options, "rules_version": V::RULES_VERSION, "opening_plies": args.opening_plies,
        });
        let path = dir.join("ladder.jsonl");
        let (matches, wrong) = RatedMatches::open(&path, conditions)?;
        let progress = Progress::new(if args.json {
            Verbosity::Quiet
        } else {
            Verbosity::Normal
        });
        for line in wrong {
            progress.warn(format!(
                "`{}`, line {line}: no match; it is left out",
                path.display()
            ));
        }
        let entrants = contest::entrants::<V>(args, &self.checkpoints)?;
        let anchor = contest::anchor(args, &entrants)?;
        let interrupt = Interrupt::install()?;
        let mut contest = Contest {
            args,
            parts: &parts,
            options: self.options,
            entrants: &entrants,
            anchor: &anchor,
            matches,
            built: Vec::new(),
        };
        let limit = Duration::try_from_secs_f64(args.minutes * 60.0)
            .with_context(|| format!("--minutes {}: no time", args.minutes))?;
        contest.play(limit, &progress, &interrupt)?;
        table::print(args, &entrants, &anchor, &contest.matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_spread_evenly() {
        let all: Vec<u32> = (0..=20).collect();
        assert_eq!(spread(&all, 5), [0, 5, 10, 15, 20]);
        assert_eq!(spread(&all, 2), [0, 20]);
        assert_eq!(spread(&all, 1), [20]);
        assert_eq!(spread(&all[..3], 5), [0, 1, 2]);
        assert_eq!(spread(&all, 21), all);
    }
}
