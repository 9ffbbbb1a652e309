//! The config that a run directory was made with: saved once, and held against the one given later.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::config::Config;
use crate::config_file;
use crate::progress::Progress;
use crate::run_dir::RunDir;

/// Saves the resolved config with a new run; with an old one, refuses a config that would make another run of it.
pub(super) fn check(config: &Config, run: &RunDir, progress: &Progress) -> Result<()> {
    let path = run.config();
    let resolved = config_file::to_toml(config)?;
    if run.state().exists() && path.exists() {
        let saved = fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        if saved == resolved {
            return Ok(());
        }
        let saved: Config = config_file::from_text(&path.display().to_string(), &saved, &[])?;
        refuse_another_run(config, &saved, run)?;
        progress.warn(format!(
            "the config differs from the one saved in `{}`; the new one is used and saved",
            path.display()
        ));
    }
    Ok(run.write_atomic(&path, resolved.as_bytes())?)
}

/// What cannot change within a run: the game, its rules, the seed, the net, the optimiser, and how many games go on at a time.
fn refuse_another_run(config: &Config, saved: &Config, run: &RunDir) -> Result<()> {
    let fixed = [
        ("game", config.game == saved.game),
        ("seed", config.seed == saved.seed),
        ("rules", config.rules == saved.rules),
        ("net", config.net == saved.net),
        (
            "learn.optimiser",
            config.learn.optimiser == saved.learn.optimiser,
        ),
        (
            "selfplay.games",
            config.selfplay.games == saved.selfplay.games,
        ),
    ];
    if let Some((key, _)) = fixed.into_iter().find(|(_, same)| !same) {
        bail!(
            "`{}` holds a run whose `{key}` is another one (see its config.toml): choose another directory with --run, or set `{key}` back",
            run.path().display()
        );
    }
    Ok(())
}
