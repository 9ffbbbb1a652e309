//! `senpu train`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use rules::Variant;

use crate::cli::TrainArgs;
use crate::config::Config;
use crate::dispatch::{Parts, Task, dispatch};
use crate::dry_run::dry_run;
use crate::durable::RealDisk;
use crate::interrupt::Interrupt;
use crate::progress::{Progress, Verbosity};
use crate::run_dir::RunDir;
use crate::training::{Session, starts, train};

/// Runs the loop.
///
/// # Errors
/// If the config is wrong, or as the loop.
pub fn run(args: &TrainArgs) -> Result<()> {
    let mut config = Config::load(&args.config, &args.sets)?;
    config.resolve(Some(&run_path(args)));
    dispatch(
        config.game,
        Train {
            args,
            config: &config,
        },
    )
}

struct Train<'a> {
    args: &'a TrainArgs,
    config: &'a Config,
}

impl Task for Train<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        let progress = Progress::new(if args.quiet {
            Verbosity::Quiet
        } else {
            Verbosity::Normal
        });
        let interrupt = Interrupt::install()?;
        let session = Session {
            config: self.config,
            parts: &parts,
            kernels: args.kernels.as_deref(),
            progress: &progress,
            interrupt: &interrupt,
        };
        let path = run_path(args);
        if args.dry_run {
            return dry_run(&session, &path, args.json);
        }
        if !path.exists() {
            // What is wrong there shows before anything is written.
            starts::read::<V>(self.config)?;
        }
        train(&session, RunDir::create_or_open(&path, Arc::new(RealDisk))?)
    }
}

/// `runs/<config name>` unless `--run` says otherwise.
fn run_path(args: &TrainArgs) -> PathBuf {
    args.run
        .clone()
        .unwrap_or_else(|| PathBuf::from("runs").join(args.config.file_stem().unwrap_or_default()))
}
