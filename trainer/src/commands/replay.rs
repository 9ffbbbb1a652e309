//! `senpu replay`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use rules::{MoveOf, Variant};
use selfplay::GameRecord;
use serde_json::{Value, json};

use crate::cli::ReplayCommand;
use crate::config::Config;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::replay::{StoreReport, inspect, read_games};
use crate::run_dir::RunDir;

/// Shows, exports or checks the replay store of a run.
///
/// # Errors
/// If there is no such run, `check` finds damage, or `export` a game that is not right by the rules.
pub fn run(command: &ReplayCommand) -> Result<()> {
    match command {
        ReplayCommand::Stats { run, json } => {
            print(&inspect(&RunDir::read(run)?.games(), &|_| Ok(()))?, *json);
            Ok(())
        }
        ReplayCommand::Export { run } => {
            let config = Config::load(&RunDir::read(run)?.config(), &[])?;
            dispatch(config.game, Export { run })
        }
        ReplayCommand::Check { run, json } => {
            let config = Config::load(&RunDir::read(run)?.config(), &[])?;
            dispatch(config.game, Check { run, json: *json })
        }
    }
}

fn print(report: &StoreReport, as_json: bool) {
    if as_json {
        return output::json(&json!(report));
    }
    output::line(format!(
        "{} games, {} positions to learn from, {} bytes in {} segments; mean length {:.1} plies",
        report.games,
        report.positions,
        report.bytes,
        report.segments.len(),
        report.mean_plies()
    ));
    let tally = &report.tally;
    output::line(format!(
        "first wins {}, second wins {}, draws {}",
        tally.first_wins, tally.second_wins, tally.draws
    ));
    for (reason, games) in &tally.endings {
        output::line(format!("  {}: {games}", reason.name()));
    }
    let list = |counts: Vec<(&str, u64)>| {
        let parts = counts.iter().map(|(name, count)| format!("{name} {count}"));
        parts.collect::<Vec<_>>().join(", ")
    };
    let kinds = tally
        .kinds
        .iter()
        .map(|(kind, &plies)| (kind.name(), plies));
    output::line(format!(
        "plies: {}; {} simulations",
        list(kinds.collect()),
        tally.simulations
    ));
    if !tally.branched.is_empty() {
        let branched = tally
            .branched
            .iter()
            .map(|(kind, &games)| (kind.name(), games));
        output::line(format!(
            "started in earlier games: {}",
            list(branched.collect())
        ));
    }
    if tally.played_on > 0 {
        output::line(format!(
            "played on after a resignation: {}, of which that player did not lose {} ({:.1} %)",
            tally.played_on,
            tally.false_resignations,
            100.0 * tally.false_resignations as f64 / tally.played_on as f64
        ));
    }
}

struct Export<'a> {
    run: &'a Path,
}

impl Task for Export<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let mut failed = Ok(());
        read_games(&RunDir::read(self.run)?.games(), &mut |record| {
            if failed.is_ok() {
                failed = readable::<V>(&record).map(|game| output::json(&game));
            }
        })?;
        failed
    }
}

/// Returns a record as JSON with its moves in the game's notation, and with the plies left at each ply.
fn readable<V: Variant>(record: &GameRecord) -> Result<Value> {
    let game = record.replay::<V>()?;
    let mut value = serde_json::to_value(record)?;
    value["moves"] = game.moves().iter().map(ToString::to_string).collect();
    let mut scratch = record.start_game::<V>()?;
    let mut legal: Vec<MoveOf<V>> = Vec::new();
    let plies = value["plies"].as_array_mut().context("plies are a list")?;
    for (at, (ply, &mv)) in plies.iter_mut().zip(game.moves()).enumerate() {
        ply["moves_left"] = json!(record.moves.len() - at);
        scratch.legal_moves(&mut legal);
        for (edge, known) in record.plies[at].edges.iter().enumerate() {
            ply["edges"][edge]["move"] = json!(legal[known.index as usize].to_string());
        }
        scratch.play(mv);
    }
    Ok(value)
}

struct Check<'a> {
    run: &'a Path,
    json: bool,
}

impl Task for Check<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let judge = |record: &GameRecord| {
            record
                .replay::<V>()
                .map(drop)
                .map_err(|error| error.to_string())
        };
        let report = inspect(&RunDir::read(self.run)?.games(), &judge)?;
        print(&report, self.json);
        let problems: Vec<String> = report.problems().collect();
        if !problems.is_empty() {
            if !self.json {
                problems.iter().for_each(output::line);
            }
            bail!("{} problems in `{}`", problems.len(), self.run.display());
        }
        if !self.json {
            output::line("every checksum and every game is right");
        }
        Ok(())
    }
}
