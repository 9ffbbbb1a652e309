//! `senpu learn`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use rules::Variant;

use crate::cli::LearnArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::interrupt::Interrupt;
use crate::lab::{Arm, Lab};
use crate::run_dir::RunDir;

/// Has nets learn from a store and prints how they do.
///
/// # Errors
/// If an argument or the config is wrong, or as the lab.
pub fn run(args: &LearnArgs) -> Result<()> {
    check(args)?;
    let store = Store::find(&args.frozen)?;
    let arms = Arm::all(&store.config(args)?, args)?;
    store.refuse_output(args.out.as_deref())?;
    let task = Learn {
        args,
        dir: &store.games,
        arms: &arms,
    };
    dispatch(arms[0].config.game, task)
}

fn check(args: &LearnArgs) -> Result<()> {
    if !(args.held_out > 0.0 && args.held_out < 1.0) {
        bail!("--held-out {}: must be above 0 and below 1", args.held_out);
    }
    if let Some(epochs) = args.epochs.filter(|epochs| !(0.001..=1e6).contains(epochs)) {
        bail!("--epochs {epochs}: must be from 0.001 to 1000000");
    }
    for (name, value) in [
        ("positions", args.positions),
        ("last", args.last),
        ("every", args.every),
        ("measure", Some(args.measure as u64)),
    ] {
        ensure!(value != Some(0), "--{name} 0: must be at least 1");
    }
    Ok(())
}

/// Where games are, and the config that they came from.
struct Store {
    games: PathBuf,
    config: PathBuf,
}

impl Store {
    /// Takes a run directory or its folder of games.
    fn find(given: &Path) -> Result<Self> {
        let run = RunDir::read(given)?;
        if run.games().is_dir() {
            return Ok(Self {
                games: run.games(),
                config: run.config(),
            });
        }
        let given = given.canonicalize()?;
        let holds_segments = std::fs::read_dir(&given)?.flatten().any(|file| {
            let name = file.file_name();
            name.to_string_lossy().starts_with("seg-")
        });
        ensure!(
            holds_segments || given.ends_with("games"),
            "`{}` holds no games: name a run directory or its folder of games",
            given.display()
        );
        let run = given.parent().unwrap_or(&given).join(RunDir::CONFIG);
        Ok(Self {
            games: given,
            config: run,
        })
    }

    /// Returns the config given, or else the one saved with the run.
    fn config(&self, args: &LearnArgs) -> Result<PathBuf> {
        let path = args.config.clone().unwrap_or_else(|| self.config.clone());
        ensure!(
            args.config.is_some() || path.is_file(),
            "there is no config `{}` beside the games: name one",
            path.display()
        );
        Ok(path)
    }

    /// Refuses to save a net among the games.
    fn refuse_output(&self, out: Option<&Path>) -> Result<()> {
        let Some(out) = out else { return Ok(()) };
        let dir = match out.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        ensure!(
            !out.is_dir() && dir.is_dir(),
            "--out {}: must be a file in a directory that is there",
            out.display()
        );
        ensure!(
            !dir.canonicalize()?.starts_with(self.games.canonicalize()?),
            "--out {}: must not lie among the games of --frozen",
            out.display()
        );
        Ok(())
    }
}

struct Learn<'a> {
    args: &'a LearnArgs,
    dir: &'a Path,
    arms: &'a [Arm],
}

impl Task for Learn<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let interrupt = Interrupt::install()?;
        let base = &self.arms[0].config;
        Lab::open(self.args, &parts, (self.dir, base), &interrupt)?.run(self.arms)
    }
}
