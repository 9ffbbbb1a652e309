//! `senpu diagnose`.

mod report;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use model::{Checkpoint, Device, Inference};
use rules::{RuleOptions, Variant};
use selfplay::RootKind;
use serde::Serialize;

use crate::cli::DiagnoseArgs;
use crate::diagnosis::{
    Diagnosis, DiagnosisConfig, Games, Played, Referee, diagnose, play_games, read_newest, sample,
};
use crate::dispatch::{Parts, Task, dispatch};
use crate::net_evaluator::{InferenceConfig, check_fit, evaluator};
use crate::output;
use crate::player_spec::match_search;
use crate::run_dir::{RunDir, resolve_checkpoint};
use crate::yardstick::{Exactness, Examination};

/// Games of a store that are looked at.
const MOST_GAMES: usize = 2000;

/// Positions for which a pair of games is played where there is no store.
const POSITIONS_A_PAIR: usize = 16;

/// Prints what is right and wrong with a net.
///
/// # Errors
/// If the checkpoint or the games cannot be read or do not fit, or the net fails.
pub fn run(args: &DiagnoseArgs) -> Result<()> {
    let path = resolve_checkpoint(&args.checkpoint)?;
    let checkpoint = Checkpoint::load(&path)?;
    check(args)?;
    dispatch(
        checkpoint.meta.variant,
        Diagnose {
            args,
            path,
            checkpoint,
        },
    )
}

fn check(args: &DiagnoseArgs) -> Result<()> {
    let limits = [
        ("positions", args.positions as u64, 1, 1_000_000),
        ("simulations", u64::from(args.simulations), 2, 1_000_000),
        ("pairs", u64::from(args.pairs), 0, 1_000_000),
        ("nodes", args.nodes, 0, 1_000_000_000),
        ("blunder", u64::from(args.blunder), 1, 10_000),
    ];
    for (name, value, low, high) in limits {
        if !(low..=high).contains(&value) {
            bail!("--{name} {value}: must be from {low} to {high}");
        }
    }
    Ok(())
}

/// What a net knows of a solved game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Known {
    /// Without a search, over all positions in which a mistake is possible.
    net: Exactness,
    /// Positions of the sample that was searched.
    sample: usize,
    /// The share of the sample in which the search's move keeps the exact value.
    search: f64,
}

struct Diagnose<'a> {
    args: &'a DiagnoseArgs,
    path: PathBuf,
    checkpoint: Checkpoint,
}

impl Task for Diagnose<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        check_fit(&self.checkpoint, &parts).with_context(|| self.path.display().to_string())?;
        let net = self.checkpoint.play_net(&Device::cpu())?;
        let options = self.checkpoint.meta.options;
        let (games, played) = self.games(&net, &parts, options)?;
        let probes = sample(&played, args.positions, args.seed);
        let referee = Referee {
            nodes: args.nodes,
            margin: args.blunder as i32,
        };
        let config = DiagnosisConfig {
            search: match_search(RootKind::Gumbel, args.simulations),
            pairs: args.pairs,
            opening_plies: args.opening_plies,
            // A solved game has a better judge.
            referee: (parts.yardstick.is_none() && args.nodes > 0).then_some(referee),
            options,
            inference: InferenceConfig::of_matches(net.net()),
            seed: args.seed,
        };
        let diagnosis = diagnose(&net, (games, &probes), &parts, &config)?;
        let known = examine(&net, &parts, args, &config)?;
        if args.json {
            output::json(&self.as_json(&diagnosis, known)?);
        } else {
            report::print(&self.path, &self.checkpoint.meta, &diagnosis);
            report::print_known(known.as_ref(), args.simulations);
        }
        Ok(())
    }
}

impl Diagnose<'_> {
    /// Reads the games of the run, or has some played.
    fn games<V: Variant>(
        &self,
        net: &Inference,
        parts: &Parts<V>,
        options: RuleOptions,
    ) -> Result<(Games, Vec<Played<V>>)> {
        let id = self.checkpoint.id();
        if let Some(run) = &self.args.games {
            let found = read_newest(&RunDir::read(run)?.games(), id, MOST_GAMES)?;
            if !is_usable(&found.1) {
                bail!(
                    "`{}` has no game with positions to look at; leave --games out to have the net play some",
                    run.display()
                );
            }
            return Ok(found);
        }
        if let Some(dir) = games_beside(&self.path) {
            let found = read_newest(&dir, id, MOST_GAMES)?;
            if is_usable(&found.1) {
                return Ok(found);
            }
        }
        let pairs = self.args.positions.div_ceil(POSITIONS_A_PAIR).max(4) as u32;
        let played = play_games(net, parts, options, pairs, self.args.seed)?;
        Ok((Games::Policy, played))
    }

    fn as_json(&self, diagnosis: &Diagnosis, known: Option<Known>) -> Result<serde_json::Value> {
        let meta = &self.checkpoint.meta;
        let mut value = serde_json::to_value(diagnosis)?;
        value["checkpoint"] = self.path.display().to_string().into();
        value["variant"] = serde_json::to_value(meta.variant)?;
        value["generation"] = meta.generation.into();
        value["exact"] = serde_json::to_value(known)?;
        Ok(value)
    }
}

fn is_usable<V: Variant>(games: &[Played<V>]) -> bool {
    games.iter().any(|game| game.positions() > 0)
}

/// Returns the games of the run in which a checkpoint lies, if it lies in one.
fn games_beside(checkpoint: &Path) -> Option<PathBuf> {
    let run = RunDir::read(checkpoint.parent()?.parent()?).ok()?;
    let dir = run.games();
    (run.checkpoints() == checkpoint.parent()? && dir.is_dir()).then_some(dir)
}

/// Holds the net and its search against the exact solution, if there is one.
fn examine<V: Variant>(
    net: &Inference,
    parts: &Parts<V>,
    args: &DiagnoseArgs,
    config: &DiagnosisConfig,
) -> Result<Option<Known>> {
    let Some(yardstick) = &parts.yardstick else {
        return Ok(None);
    };
    let examination = Examination::new(yardstick, parts.view(net.net()), config.options);
    let sample = examination.sample(args.positions);
    let (mut evaluator, _) = evaluator(parts, net.clone(), config.inference)?;
    Ok(Some(Known {
        net: examination.examine(net)?,
        sample: sample.len(),
        search: examination.examine_search(evaluator.as_mut(), config.search, &sample)?,
    }))
}
