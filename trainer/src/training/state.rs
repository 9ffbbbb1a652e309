//! Where the loop is, for the newest generations, and the games that were not finished there.
//!
//! `state.json` is written after everything else of a generation and makes it count. It knows the newest few generations, so that a run whose newest checkpoint
//! turns out to be damaged goes on from the one before.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use selfplay::SlotState;
use serde::{Deserialize, Serialize};

use super::endings::{Alarms, Resignations};
use crate::replay::StoreMark;
use crate::run_dir::RunDir;

/// The version of `state.json` and of the files of unfinished games.
const FORMAT: u32 = 2;

/// The generations that can be gone back to.
pub(crate) const KEPT: usize = 3;

/// Where the loop was at the end of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The generation.
    pub(crate) generation: u64,
    /// Where the replay store ended then.
    pub(crate) store: StoreMark,
    /// Plies searched in the run.
    pub(crate) plies: u64,
    /// Seconds of work, all sessions together.
    pub(crate) seconds: f64,
    /// Whether it was evaluated as the run's last.
    pub(crate) evaluated: bool,
    /// Positions that had ever been stored when its learning began; `None` after a generation of a program that did not note it.
    #[serde(default)]
    pub(crate) seen: Option<u64>,
    /// What resignations were noted in the run.
    pub(crate) resignations: Resignations,
    /// Which limits of the guard were crossed.
    pub(crate) alarms: Alarms,
    /// What its matches showed.
    #[serde(default)]
    pub(crate) progress: ProgressState,
}

/// What the matches of a run against other nets and players showed, and took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgressState {
    /// The generation of the best net; `None`, in runs begun before there was a gate, stands for the newest.
    pub(crate) best: Option<u64>,
    /// The rung that the run has reached, from 1.
    pub(crate) rung: usize,
    /// Simulations of self-play.
    pub(crate) simulations: u64,
    /// Simulations of matches.
    pub(crate) spent: u64,
}

impl Default for ProgressState {
    fn default() -> Self {
        Self {
            best: None,
            rung: 1,
            simulations: 0,
            spent: 0,
        }
    }
}

impl State {
    /// Returns the generation of the best net.
    pub(super) fn best(&self) -> u64 {
        self.progress.best.unwrap_or(self.generation)
    }
}

/// What `state.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateFile {
    format: u32,
    /// By which kernels the run is played and learned.
    pub(super) kernels: String,
    /// The newest generations, the newest last.
    pub(super) generations: Vec<State>,
}

impl StateFile {
    pub(super) fn new(kernels: &str) -> Self {
        Self {
            format: FORMAT,
            kernels: kernels.to_owned(),
            generations: Vec::new(),
        }
    }

    /// Adds a generation, or replaces it and those after it, and forgets the oldest.
    pub(super) fn push(&mut self, state: State) {
        self.generations
            .retain(|old| old.generation < state.generation);
        self.generations.push(state);
        let surplus = self.generations.len().saturating_sub(KEPT);
        self.generations.drain(..surplus);
    }

    /// Reads the state of a run, `None` before its first generation.
    pub(super) fn read(run: &RunDir) -> Result<Option<Self>> {
        let Some(value) = run.read_state::<serde_json::Value>()? else {
            return Ok(None);
        };
        let path = run.state();
        let format = value["format"].as_u64();
        ensure!(
            format == Some(u64::from(FORMAT)),
            "`{}` has format {}; this program reads format {FORMAT}: use the program that wrote it",
            path.display(),
            value["format"]
        );
        serde_json::from_value(value)
            .map(Some)
            .with_context(|| format!("`{}` is not valid", path.display()))
    }
}

fn slots_path(run: &RunDir, generation: u64) -> PathBuf {
    run.path().join(format!("unfinished-{generation:06}.bin"))
}

/// Returns the file of unfinished games: format, checksum, postcard.
pub(super) fn encode_slots(slots: &[SlotState]) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(slots).context("cannot encode the unfinished games")?;
    let mut bytes = FORMAT.to_le_bytes().to_vec();
    bytes.extend(crc32fast::hash(&body).to_le_bytes());
    bytes.extend(body);
    Ok(bytes)
}

/// Writes the file of the unfinished games at the end of a generation.
pub(super) fn write_slots(run: &RunDir, generation: u64, bytes: &[u8]) -> Result<()> {
    Ok(run.write_atomic(&slots_path(run, generation), bytes)?)
}

/// Reads the unfinished games at the end of a generation.
pub(super) fn read_slots(run: &RunDir, generation: u64) -> Result<Vec<SlotState>> {
    let path = slots_path(run, generation);
    let bytes = std::fs::read(&path)
        .with_context(|| format!("cannot read the unfinished games in `{}`", path.display()))?;
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|word| word.try_into().ok())
            .map(u32::from_le_bytes)
    };
    let damaged = || format!("the unfinished games in `{}` are damaged", path.display());
    let format = word(0).with_context(damaged)?;
    ensure!(
        format == FORMAT,
        "`{}` has format {format}; this program reads format {FORMAT}: use the program that wrote it",
        path.display()
    );
    ensure!(word(4) == Some(crc32fast::hash(&bytes[8..])), damaged());
    postcard::from_bytes(&bytes[8..]).with_context(damaged)
}

/// Removes the unfinished games of the generation that can no longer be gone back to.
pub(super) fn remove_old_slots(run: &RunDir, generation: u64) -> Result<()> {
    let Some(old) = generation.checked_sub(KEPT as u64) else {
        return Ok(());
    };
    let path = slots_path(run, old);
    match run.disk().remove(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_generations_are_kept() {
        let mut file = StateFile::new("flex-avx2");
        for generation in 0..5 {
            file.push(State {
                generation,
                ..State::default()
            });
        }
        let known = |file: &StateFile| {
            file.generations
                .iter()
                .map(|state| state.generation)
                .collect::<Vec<_>>()
        };
        assert_eq!(known(&file), [2, 3, 4]);
        // A generation that is made anew replaces those after it.
        file.push(State {
            generation: 3,
            plies: 7,
            ..State::default()
        });
        assert_eq!(known(&file), [2, 3]);
        assert_eq!(file.generations[1].plies, 7);
    }

    #[test]
    fn a_state_that_notes_less_is_read() {
        let state = State {
            plies: 7,
            seen: Some(5),
            ..State::default()
        };
        let mut value = serde_json::to_value(state).unwrap();
        assert_eq!(
            serde_json::from_value::<State>(value.clone()).unwrap(),
            state
        );
        value.as_object_mut().unwrap().remove("seen");
        let read: State = serde_json::from_value(value).unwrap();
        assert_eq!((read.plies, read.seen), (7, None));
    }
}
