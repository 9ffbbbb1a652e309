//! Where games go.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use rules::Variant;
use selfplay::notation::Format;
use selfplay::{GameRecord, Transcript};

use super::source::{SEGMENT, format_of};
use crate::cli::ConvertArgs;
use crate::durable::{self, RealDisk};
use crate::output;
use crate::replay::{StoreOptions, write_segment};
use crate::schedule::WindowSize;

/// What is written.
pub(super) enum Target {
    /// A text, to a file or to standard output.
    Text(Format, Option<PathBuf>),
    /// A segment of this program's own records.
    Segment(PathBuf),
}

impl Target {
    pub(super) fn of(args: &ConvertArgs) -> Result<Self> {
        let path = &args.output;
        if args.to.is_none() && path.extension().is_some_and(|ending| ending == SEGMENT) {
            return Ok(Self::Segment(path.clone()));
        }
        let format = format_of(path, args.to, "--to")?;
        let is_file = path != Path::new("-");
        Ok(Self::Text(format, is_file.then(|| path.clone())))
    }
}

/// What has been taken so far.
pub(super) struct Sink {
    target: Target,
    games: usize,
    text: String,
    records: Vec<GameRecord>,
}

impl Sink {
    pub(super) const fn new(target: Target) -> Self {
        Self {
            target,
            games: 0,
            text: String::new(),
            records: Vec::new(),
        }
    }

    /// Returns the number of games taken.
    pub(super) const fn games(&self) -> usize {
        self.games
    }

    pub(super) fn take<V: Variant>(&mut self, transcript: &Transcript<V>) -> Result<()> {
        match &self.target {
            Target::Text(format, _) => {
                if self.games > 0 {
                    self.text.push_str(format.separator());
                }
                self.text.push_str(&format.write(transcript)?);
            }
            Target::Segment(_) => self.records.push(transcript.to_record(self.games as u64)?),
        }
        self.games += 1;
        Ok(())
    }

    /// Writes everything in one step, and says how much it was unless that would stand among the games.
    pub(super) fn finish<V: Variant>(self, source: &str) -> Result<()> {
        let games = self.games;
        ensure!(games > 0, "`{source}` has no game");
        match &self.target {
            Target::Text(_, None) => {
                output::text(&self.text);
                return Ok(());
            }
            Target::Text(_, Some(path)) => {
                durable::write_atomic(&RealDisk, path, self.text.as_bytes())?;
                output::line(format!("{games} games in `{}`", path.display()));
            }
            Target::Segment(path) => {
                let options = StoreOptions {
                    variant: V::ID,
                    rules_version: V::RULES_VERSION,
                    window: WindowSize::Constant(0),
                    segment_bytes: StoreOptions::SEGMENT_BYTES,
                };
                write_segment(&RealDisk, path, &options, &self.records)?;
                output::line(format!(
                    "{games} games in `{}`; they have no visits of a search, so that nothing is learned from them",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}
