//! Where the loop is, and the games that were not finished there.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use selfplay::SlotState;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::config_file;
use crate::progress::Progress;
use crate::replay::StoreMark;
use crate::run_dir::RunDir;

/// The version of `state.json` and of the files of unfinished games.
const FORMAT: u32 = 1;

/// Where the loop is: written last in a generation, and what makes it count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(super) format: u32,
    /// The last complete generation.
    pub(crate) generation: u64,
    /// Where the replay store ended then.
    pub(crate) store: StoreMark,
    /// Plies searched in the run.
    pub(crate) plies: u64,
    /// Seconds of work, all sessions together.
    pub(crate) seconds: f64,
    /// The generation that was evaluated as the run's last.
    pub(crate) evaluated: Option<u64>,
}

impl State {
    /// Returns the state before generation 0.
    pub(super) fn start() -> Self {
        Self {
            format: FORMAT,
            generation: 0,
            store: StoreMark::default(),
            plies: 0,
            seconds: 0.0,
            evaluated: None,
        }
    }

    /// Tells whether nothing was published yet.
    pub(super) fn is_new(&self) -> bool {
        self.seconds == 0.0
    }
}

/// Reads the state of a run, `None` before its first generation.
pub(super) fn read(run: &RunDir) -> Result<Option<State>> {
    let Some(state) = run.read_state::<State>()? else {
        return Ok(None);
    };
    ensure!(
        state.format == FORMAT,
        "`{}` has format {}; this program reads {FORMAT}: use the program that wrote it",
        run.state().display(),
        state.format
    );
    Ok(Some(state))
}

/// Saves the resolved config with a new run; with an old one, refuses a config that would make another run of it.
pub(super) fn check_config(config: &Config, run: &RunDir, progress: &Progress) -> Result<()> {
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

fn slots_path(run: &RunDir, generation: u64) -> PathBuf {
    run.path().join(format!("unfinished-{generation:06}.bin"))
}

/// Writes the unfinished games at the end of a generation: format, checksum, postcard.
pub(super) fn write_slots(run: &RunDir, generation: u64, slots: &[SlotState]) -> Result<()> {
    let body = postcard::to_stdvec(slots).context("cannot encode the unfinished games")?;
    let mut bytes = FORMAT.to_le_bytes().to_vec();
    bytes.extend(crc32fast::hash(&body).to_le_bytes());
    bytes.extend(body);
    Ok(run.write_atomic(&slots_path(run, generation), &bytes)?)
}

/// Reads the unfinished games at the end of a generation.
pub(super) fn read_slots(run: &RunDir, generation: u64) -> Result<Vec<SlotState>> {
    let path = slots_path(run, generation);
    let bytes = fs::read(&path)
        .with_context(|| format!("cannot read the unfinished games in `{}`", path.display()))?;
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|word| word.try_into().ok())
            .map(u32::from_le_bytes)
    };
    let damaged = || {
        format!(
            "`{}` is damaged: remove it and `state.json` to start the run anew",
            path.display()
        )
    };
    let format = word(0).with_context(damaged)?;
    ensure!(
        format == FORMAT,
        "`{}` has format {format}; this program reads {FORMAT}",
        path.display()
    );
    ensure!(word(4) == Some(crc32fast::hash(&bytes[8..])), damaged());
    postcard::from_bytes(&bytes[8..]).with_context(damaged)
}

/// Removes the unfinished games of generations before `generation`.
pub(super) fn remove_old_slots(run: &RunDir, generation: u64) -> Result<()> {
    if generation == 0 {
        return Ok(());
    }
    let path = slots_path(run, generation - 1);
    match run.disk().remove(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}
