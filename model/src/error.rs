//! What can go wrong, in words that name the thing and the remedy.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A config section holds a value that is out of range; the text names field, value and what would be right.
    #[error("{0}")]
    Config(String),
    /// An array has the wrong length, or a batch holds values that no target or plane can have.
    #[error("batch: {0}")]
    Batch(String),
    /// Loss or gradient is not a finite number. The weights are those of before the step.
    #[error(
        "step {step}: {what} is not finite; lower the learning rate or the gradient norm, or look for damaged games"
    )]
    NotFinite {
        /// The number of the step that failed, from 0.
        step: u64,
        /// Which number it is.
        what: &'static str,
    },
    /// No device of this name is compiled in.
    #[error("unknown device `{name}`: expected one of {known}")]
    UnknownDevice {
        /// The name given.
        name: String,
        /// The names of the devices compiled in.
        known: String,
    },
    /// The device failed to give back what it computed.
    #[error("the device failed: {0}")]
    Device(String),
    /// There is no such file.
    #[error("{path}: no such checkpoint; see the run's `checkpoints` directory for those there are", path = path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused to read or write a checkpoint.
    #[error("{path}: cannot {action} the checkpoint: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done, as a verb.
        action: &'static str,
        /// The system's own words.
        source: std::io::Error,
    },
    /// The file is no checkpoint at all.
    #[error("{path}: not a Senpu checkpoint; give a file from a run's `checkpoints` directory", path = path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer program.
    #[error("{path}: checkpoint format {format} is newer than the {known} that this program reads; update the program", path = path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        format: u32,
        /// The newest format that this program reads.
        known: u32,
    },
    /// The file ends too early or goes on too long.
    #[error("{path}: the checkpoint should have {expected} bytes but has {actual}; use an earlier checkpoint of the run", path = path.display())]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// How many bytes it should have, as far as is known.
        expected: u64,
        /// How many bytes it has.
        actual: u64,
    },
    /// A part of the file does not match its checksum.
    #[error("{path}: the checkpoint's {part} is damaged; use an earlier checkpoint of the run", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: String,
    },
    /// A sound checkpoint does not fit what it is to be used for.
    #[error("checkpoint: {0}")]
    Mismatch(String),
}
