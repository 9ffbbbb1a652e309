//! The games of a store as they are, split into those to learn from and those held out. Nothing is mended, nothing can be added, and no lock
//! is needed.

use std::fs;
use std::path::{Path, PathBuf};

use super::entry::{Entry, decode_frame};
use super::rescue::{self, Found};
use super::segment::Scan;
use super::window::Window;
use super::{ReplayError, StoreOptions};
use crate::durable::DiskError;

/// The newest games of a store, in two parts that share no game.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub(crate) learned: Window,
    pub(crate) held_out: Window,
    /// The segments that have damaged parts, whose games are left out.
    pub(crate) damaged: Vec<PathBuf>,
}

impl Frozen {
    /// Reads the newest games of the store in `dir` that together have `last` positions, or all. `is_held_out` is asked by a game's
    /// place in the sequence of all games ever stored, which does not depend on what is read.
    ///
    /// # Errors
    /// If a file cannot be read, or is of another game, of other rules or of another format.
    pub(crate) fn read(
        dir: &Path,
        options: &StoreOptions,
        last: u64,
        is_held_out: impl Fn(u64) -> bool,
    ) -> Result<Self, ReplayError> {
        let mut frozen = Self {
            learned: Window::new(u64::MAX),
            held_out: Window::new(u64::MAX),
            damaged: Vec::new(),
        };
        let mut games = Vec::new();
        let mut positions = 0;
        for found in rescue::list(dir)?.into_iter().rev() {
            let path = match found {
                Found::Closed(_, path) | Found::Open(_, path) | Found::Aside(_, path) => path,
                // Its games are in the closed segment that is still there.
                Found::Superseded(_) => continue,
            };
            let mut segment = frozen.segment(path, options)?;
            while positions < last
                && let Some((number, entry)) = segment.pop()
            {
                positions += u64::from(entry.positions());
                games.push((number, entry));
            }
        }
        for (number, entry) in games.into_iter().rev() {
            let part = if is_held_out(number) {
                &mut frozen.held_out
            } else {
                &mut frozen.learned
            };
            part.push(entry);
        }
        Ok(frozen)
    }

    /// Reads the games of a segment with their places, the oldest first.
    fn segment(
        &mut self,
        path: PathBuf,
        options: &StoreOptions,
    ) -> Result<Vec<(u64, Entry)>, ReplayError> {
        let file = fs::read(&path).map_err(DiskError::on("read", &path))?;
        let scan = Scan::new(&file);
        rescue::accept(&scan.header, &path, options)?;
        let mut games = Vec::new();
        for frame in &scan.frames {
            let entries = decode_frame(&file, frame)
                .map_err(|reason| ReplayError::frame(&path, frame.offset, &reason))?;
            games.extend((frame.start.games..).zip(entries));
        }
        if !scan.bad.is_empty() {
            self.damaged.push(path);
        }
        Ok(games)
    }
}
