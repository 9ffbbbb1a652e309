//! Differences from a vector file that are known, argued and accepted.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The accepted differences, by file name and line.
#[derive(Debug, Default)]
pub(super) struct Argued(HashSet<(String, usize)>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    line: usize,
    reason: String,
}

impl Argued {
    /// Reads the list.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let mut accepted = HashSet::new();
        for (number, line) in (1..).zip(text.lines()) {
            let place = || format!("{}:{number}", path.display());
            let entry: Entry = serde_json::from_str(line).with_context(place)?;
            anyhow::ensure!(
                !entry.reason.trim().is_empty(),
                "{}: `reason` is empty",
                place()
            );
            accepted.insert((entry.file, entry.line));
        }
        Ok(Self(accepted))
    }

    /// Tells whether a difference in `line` of the file at `path` is accepted.
    pub(super) fn accepts(&self, path: &Path, line: usize) -> bool {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| self.0.contains(&(name, line)))
    }
}
