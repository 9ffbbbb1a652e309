//! What opening a run found and mended: printed by the caller, never hidden.

use std::fmt;
use std::path::PathBuf;

/// Something found and mended while opening a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A write that a crash cut short was removed from a file's end.
    TornTail {
        /// The file.
        path: PathBuf,
        /// Where the file ends now, in bytes.
        offset: u64,
        /// The bytes cut off.
        bytes: u64,
    },
    /// A segment failed its checksums; it was renamed, and its good part was saved under the old name.
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Its new name.
        aside: PathBuf,
        /// The first bad byte range's start, in bytes.
        offset: u64,
        /// The games that are lost.
        games: u64,
    },
    /// Games or metrics later than the saved state were dropped; they are made anew.
    Rewound {
        /// The file or directory.
        path: PathBuf,
        /// What was dropped, in words.
        dropped: String,
    },
    /// The saved state knows of games that the store lacks.
    MissingGames {
        /// The store.
        path: PathBuf,
        /// How many.
        games: u64,
    },
    /// A line of a file is not what it should be and was left alone.
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TornTail {
                path,
                offset,
                bytes,
            } => write!(
                f,
                "`{}`: the last write was cut short; its {bytes} bytes from offset {offset} on were removed",
                path.display()
            ),
            Self::Damaged {
                path,
                aside,
                offset,
                games,
            } => write!(
                f,
                "`{}` is damaged at offset {offset}: it was set aside as `{}`, {games} games are lost, the others were saved",
                path.display(),
                aside.display()
            ),
            Self::Rewound { path, dropped } => write!(
                f,
                "`{}`: {dropped} later than the saved state were dropped and will be made anew",
                path.display()
            ),
            Self::MissingGames { path, games } => write!(
                f,
                "`{}` lacks {games} games that the saved state knows of; training goes on without them",
                path.display()
            ),
            Self::BadLine { path, line } => {
                write!(f, "`{}`: line {line} is not valid JSON", path.display())
            }
        }
    }
}
