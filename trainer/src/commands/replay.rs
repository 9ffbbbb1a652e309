//! `senpu replay`.

use std::path::Path;

use anyhow::{Result, bail};
use rules::Variant;
use selfplay::GameRecord;
use serde_json::json;

use crate::cli::ReplayCommand;
use crate::config::Config;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::replay::{StoreReport, inspect};
use crate::run_dir::RunDir;

/// Shows or checks the replay store of a run.
///
/// # Errors
/// If there is no such run, or `check` finds damage.
pub fn run(command: &ReplayCommand) -> Result<()> {
    match command {
        ReplayCommand::Stats { run, json } => {
            print(&inspect(&RunDir::read(run)?.games(), &|_| Ok(()))?, *json);
            Ok(())
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
        "{} games, {} searched positions, {} bytes in {} segments; mean length {:.1} plies",
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
