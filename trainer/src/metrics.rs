//! `metrics.jsonl`: one JSON object a line, appended as the run goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::durable::{self, Disk, DiskError, Log};
use crate::notice::Notice;

/// The key by which lines are dropped when a run goes back to an earlier state.
const GENERATION: &str = "generation";

/// Writes the metrics of a run.
#[derive(Debug)]
pub struct Metrics {
    disk: Arc<dyn Disk>,
    log: Log,
}

/// Metrics that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A line that cannot be made or read.
    #[error("`{}`, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A value that has no JSON object.
    #[error("metrics are one JSON object a line: {0}")]
    NotAnObject(String),
}

impl Metrics {
    /// Opens the metrics of a run, or starts them. A last line without its end is cut off.
    ///
    /// # Errors
    /// If a file operation fails.
    pub fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<(Self, Vec<Notice>), MetricsError> {
        if !path.exists() {
            let log = Log::create(&*disk, path, b"")?;
            return Ok((Self { disk, log }, Vec::new()));
        }
        let bytes = fs::read(path).map_err(DiskError::on("read", path))?;
        let whole = whole_lines(&bytes);
        let mut metrics = Self {
            disk,
            log: Log::resume(path, whole.len() as u64),
        };
        let mut notices = Vec::new();
        if whole.len() < bytes.len() {
            metrics.log.cut(&*metrics.disk, whole.len() as u64)?;
            notices.push(Notice::TornTail {
                path: path.to_owned(),
                offset: whole.len() as u64,
                bytes: (bytes.len() - whole.len()) as u64,
            });
        }
        Ok((metrics, notices))
    }

    /// Appends a line. It survives this process at once, and a loss of power after the next [`Metrics::sync`].
    ///
    /// # Errors
    /// If `line` is not an object in JSON or a file operation fails.
    pub fn append<T: Serialize>(&mut self, line: &T) -> Result<(), MetricsError> {
        let refuse = |reason: String| MetricsError::NotAnObject(reason);
        let value = serde_json::to_value(line).map_err(|error| refuse(error.to_string()))?;
        if !value.is_object() {
            return Err(refuse(format!("`{value}` is none")));
        }
        Ok(self
            .log
            .write(&*self.disk, format!("{value}\n").as_bytes())?)
    }

    /// Waits until every line has reached the medium.
    ///
    /// # Errors
    /// If the file cannot be synced.
    pub fn sync(&mut self) -> Result<(), MetricsError> {
        Ok(self.log.sync(&*self.disk)?)
    }

    /// Drops the lines whose `generation` is greater than the given one. Lines without one, or that are not JSON, stay.
    ///
    /// # Errors
    /// If a file operation fails; then every line is in place.
    pub fn rewind_to(&mut self, generation: u64) -> Result<Vec<Notice>, MetricsError> {
        let is_later = |line: &Value| {
            line.get(GENERATION)
                .and_then(Value::as_u64)
                .is_some_and(|of| of > generation)
        };
        self.drop_lines(is_later)
    }

    /// Drops the lines that `is_dropped` picks. Lines that are not JSON stay.
    ///
    /// # Errors
    /// If a file operation fails; then every line is in place.
    pub fn drop_lines(
        &mut self,
        is_dropped: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Notice>, MetricsError> {
        let path = self.log.path().to_owned();
        let bytes = fs::read(&path).map_err(DiskError::on("read", &path))?;
        let mut kept = Vec::new();
        let mut dropped = 0;
        let mut notices = Vec::new();
        for (index, line) in whole_lines(&bytes)
            .split_inclusive(|&byte| byte == b'\n')
            .enumerate()
        {
            let value = serde_json::from_slice::<Value>(line);
            if value.is_err() {
                notices.push(Notice::BadLine {
                    path: path.clone(),
                    line: index + 1,
                });
            }
            if value.is_ok_and(|value| is_dropped(&value)) {
                dropped += 1;
            } else {
                kept.extend_from_slice(line);
            }
        }
        if dropped > 0 {
            durable::write_atomic(&*self.disk, &path, &kept)?;
            self.log = Log::resume(&path, kept.len() as u64);
            notices.push(Notice::Rewound {
                path,
                dropped: format!("{dropped} lines"),
            });
        }
        Ok(notices)
    }
}

/// Reads the metrics of a run, one object a line. A last line without its end is left out: its writer is at work, or was killed.
///
/// # Errors
/// If the file cannot be read or a line is not JSON.
pub fn read(path: &Path) -> Result<Vec<Value>, MetricsError> {
    let bytes = fs::read(path).map_err(DiskError::on("read", path))?;
    whole_lines(&bytes)
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_slice(line).map_err(|error| MetricsError::Line {
                path: path.to_owned(),
                line: index + 1,
                reason: error.to_string(),
            })
        })
        .collect()
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}
