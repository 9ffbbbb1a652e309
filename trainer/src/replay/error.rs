//! What can be wrong with a store.

use std::path::{Path, PathBuf};

use crate::durable::DiskError;

use super::segment::FORMAT;

/// A store that cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A segment of a format made by another version of the program.
    #[error(
        "`{}` has format {found}, this program knows format {FORMAT}: use the program that wrote it",
        path.display()
    )]
    Format {
        /// The segment.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A segment or record of another game.
    #[error(
        "{source_name} has games of `{found}` where `{expected}` is wanted: use another run directory"
    )]
    Foreign {
        /// The segment's path, or words for the record.
        source_name: String,
        /// The game found.
        found: String,
        /// The game wanted.
        expected: String,
    },
    /// A segment or record made under other rules.
    #[error(
        "{source_name} was made under rules version {found}, this program has version {expected}: use another run directory, or the program that wrote it"
    )]
    Rules {
        /// The segment's path, or words for the record.
        source_name: String,
        /// The version found.
        found: u32,
        /// The version wanted.
        expected: u32,
    },
    /// A frame with a right checksum that does not decode.
    #[error("`{}`: the frame at offset {offset} does not decode: {reason}", path.display())]
    Frame {
        /// The segment.
        path: PathBuf,
        /// The frame's start, in bytes.
        offset: usize,
        /// What does not decode.
        reason: String,
    },
    /// A record that cannot be encoded or decoded.
    #[error("a game record cannot be encoded or decoded: {0}")]
    Record(String),
    /// A game asked for that the window does not have.
    #[error("game {game} of a window of {games} games")]
    OutOfWindow {
        /// The index asked for, from 0.
        game: usize,
        /// The games in the window.
        games: usize,
    },
}

impl ReplayError {
    pub(crate) fn encode(error: impl std::fmt::Display) -> Self {
        Self::Record(error.to_string())
    }

    pub(crate) fn frame(path: &Path, offset: usize, reason: &impl ToString) -> Self {
        Self::Frame {
            path: path.to_owned(),
            offset,
            reason: reason.to_string(),
        }
    }
}
