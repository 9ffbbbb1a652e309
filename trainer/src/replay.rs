//! The replay store: every game of a run on disk, and the newest ones in memory for the learner.
//!
//! Games are appended to an open segment (`seg-00000042.open`), a checksummed frame an append, synced before the append returns. A segment
//! that is full, or closed at a generation's end, gets a footer and its final name (`seg-00000042.sgm`) and never changes again. [`segment`]
//! has the byte layout.
//!
//! A *position* is a ply of a full search, and counts as often as its record says ([`selfplay::PlyRecord::copies`]).
//! The window holds the newest games that together have at least as many positions as asked for, which may grow with the positions ever
//! stored; what is in it, and in which order, depends on the games stored and on nothing else, so that a run that was stopped goes on with
//! the same window.

mod draws;
mod entry;
mod error;
mod export;
mod folder;
mod frozen;
mod inspect;
mod load;
mod rescue;
pub mod segment;
mod window;

pub use draws::Draws;
pub use error::ReplayError;
pub use export::{read_games, read_segment, segment_variant, write_segment};
pub use inspect::{Judge, SegmentReport, SegmentState, StoreReport, Tally, inspect};
pub use segment::StoreMark;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rules::VariantId;
use selfplay::GameRecord;

use crate::durable::Disk;
use crate::notice::Notice;
use crate::schedule::WindowSize;
use entry::Entry;
use folder::Folder;
pub(crate) use frozen::Frozen;
pub(crate) use window::Window;

/// What a store holds and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoreOptions {
    /// The game; a store has games of one kind only.
    pub variant: VariantId,
    /// The version of its rules.
    pub rules_version: u32,
    /// The positions that the window holds at least, if there are as many.
    pub window: WindowSize,
    /// The length, in bytes, from which on a segment is closed.
    pub segment_bytes: u64,
}

impl StoreOptions {
    /// A good length of segments: long enough that there are few, short enough that reading several at once needs little memory.
    pub const SEGMENT_BYTES: u64 = 16 << 20;
}

/// The games of a run, on disk and in memory.
#[derive(Debug)]
pub struct ReplayStore {
    folder: Folder,
    window: Window,
}

impl ReplayStore {
    /// Opens the store in `dir`, or makes an empty one. Mends what a crash left behind, sets damaged segments aside, and says so.
    ///
    /// Reads the ends of all segments, but only as many whole ones as the window needs.
    ///
    /// # Errors
    /// If a file operation fails, or the store is of another game, of other rules or of another format.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        options: &StoreOptions,
    ) -> Result<(Self, Vec<Notice>), ReplayError> {
        let (mut folder, mut notices) = Folder::open(disk, dir, *options)?;
        let window = load::load(&mut folder, &mut notices)?;
        Ok((Self { folder, window }, notices))
    }

    /// Stores games; when it returns, they have reached the medium. After an error none of them count, and it may be tried again.
    ///
    /// # Errors
    /// If a file operation fails, or a game is of another kind than the store's.
    pub fn append(&mut self, records: &[GameRecord]) -> Result<(), ReplayError> {
        for record in records {
            self.folder.check(record)?;
        }
        let entries: Result<Vec<_>, _> = records.par_iter().map(Entry::new).collect();
        let entries = entries.map_err(ReplayError::encode)?;
        self.folder.append(&entries)?;
        let size = self.folder.window_size();
        self.window.set_size(size);
        for entry in entries {
            self.window.push(entry);
        }
        Ok(())
    }

    /// Closes the open segment, if it holds games.
    ///
    /// # Errors
    /// If a file operation fails; every game is still in place.
    pub fn close_segment(&mut self) -> Result<(), ReplayError> {
        self.folder.close()
    }

    /// Returns the point after the newest game, for [`ReplayStore::rewind`] in a later process.
    pub fn mark(&self) -> StoreMark {
        self.folder.end()
    }

    /// Drops every game after `mark` and fills the window up again: what a run does that saved its state at `mark` and played on before it died.
    ///
    /// # Errors
    /// If a file operation fails; calling it again, in this process or a later one, completes what was begun.
    pub fn rewind(&mut self, mark: StoreMark) -> Result<Vec<Notice>, ReplayError> {
        if mark == self.mark() {
            return Ok(Vec::new());
        }
        let mut notices = self.folder.rewind(mark)?;
        self.window = load::load(&mut self.folder, &mut notices)?;
        Ok(notices)
    }

    /// Removes segments that lie wholly before the newest `positions` positions, but for those whose number is a multiple of `sparse` if that
    /// is not 0. The window must not reach that far back.
    ///
    /// # Errors
    /// If a file cannot be removed; calling it again completes what was begun.
    pub fn thin_out(&mut self, positions: u64, sparse: u32) -> Result<(), ReplayError> {
        self.folder.thin_out(positions, sparse)
    }

    /// Returns the positions in the window.
    pub fn positions(&self) -> u64 {
        self.window.positions()
    }

    /// Returns the games in the window.
    pub fn games(&self) -> usize {
        self.window.games()
    }

    /// Returns the positions ever stored.
    pub fn total_positions(&self) -> u64 {
        self.mark().positions
    }

    /// Returns the games ever stored.
    pub fn total_games(&self) -> u64 {
        self.mark().games
    }

    /// Returns the bytes of memory that the window takes.
    pub fn memory_bytes(&self) -> usize {
        self.window.memory_bytes()
    }

    /// Returns the bytes of disk that the segments take, without those set aside.
    pub fn disk_bytes(&self) -> u64 {
        self.folder.bytes()
    }

    /// Draws games from the window as it is now, and up to `plies_per_game` positions of each.
    pub fn draws(&self, plies_per_game: u32) -> Draws<'_> {
        Draws::new(&self.window, plies_per_game)
    }

    /// Returns a game of the window by its index; 0 is the oldest.
    ///
    /// # Errors
    /// If the index is past the window, or the stored bytes are no record (which their checksum excludes, short of a change of
    /// [`GameRecord`] without a new format number).
    pub fn record(&self, game: usize) -> Result<GameRecord, ReplayError> {
        self.window.record(game)
    }

    /// Returns the games of the window, from the oldest to the newest.
    pub fn iter(&self) -> impl Iterator<Item = Result<GameRecord, ReplayError>> + '_ {
        (0..self.games()).map(|game| self.record(game))
    }
}

impl AsRef<Window> for ReplayStore {
    fn as_ref(&self) -> &Window {
        &self.window
    }
}
