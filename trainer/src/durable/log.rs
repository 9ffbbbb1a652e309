//! A file that only grows, and whose length is known whatever fails.

use std::path::{Path, PathBuf};

use super::{Disk, DiskError, Output};

/// A file that only grows. After a failed write it goes on where the last good one ended.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    len: u64,
    /// `None` before the first write and after a failed one: the file may hold more than `len` bytes then.
    output: Option<Output>,
}

impl Log {
    /// Makes an empty file that holds `head`, synced, as is its name.
    ///
    /// # Errors
    /// If an operation fails.
    pub fn create(disk: &dyn Disk, path: &Path, head: &[u8]) -> Result<Self, DiskError> {
        let output = disk.create(path).map_err(DiskError::on("create", path))?;
        let mut log = Self {
            path: path.to_owned(),
            len: 0,
            output: Some(output),
        };
        log.write(disk, head)?;
        log.sync(disk)?;
        super::sync_parent(disk, path)?;
        Ok(log)
    }

    /// Goes on with a file that exists, after its first `len` bytes. The file itself is touched at the first write.
    pub fn resume(path: &Path, len: u64) -> Self {
        Self {
            path: path.to_owned(),
            len,
            output: None,
        }
    }

    /// Returns the bytes that are certainly in the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether nothing is in the file.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `bytes` without waiting for the medium.
    ///
    /// # Errors
    /// If an operation fails; the next write then replaces what this one left.
    pub fn write(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<(), DiskError> {
        let mut output = self.take_output(disk)?;
        disk.write(&mut output, bytes)
            .map_err(DiskError::on("write", &self.path))?;
        self.len += bytes.len() as u64;
        self.output = Some(output);
        Ok(())
    }

    /// Waits until everything written has reached the medium.
    ///
    /// # Errors
    /// If the file cannot be opened or synced.
    pub fn sync(&mut self, disk: &dyn Disk) -> Result<(), DiskError> {
        let output = self.take_output(disk)?;
        disk.sync(&output)
            .map_err(DiskError::on("sync", &self.path))?;
        self.output = Some(output);
        Ok(())
    }

    /// Writes `bytes` and waits for the medium: all of them count, or none.
    ///
    /// # Errors
    /// If an operation fails; the next write then replaces what this one left.
    pub fn append(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<(), DiskError> {
        let before = self.len;
        let done = self.write(disk, bytes).and_then(|()| self.sync(disk));
        if done.is_err() {
            self.len = before;
            self.output = None;
        }
        done
    }

    /// Cuts the file back to `len` bytes and syncs it.
    ///
    /// # Errors
    /// If an operation fails.
    pub fn cut(&mut self, disk: &dyn Disk, len: u64) -> Result<(), DiskError> {
        self.len = len;
        self.output = None;
        self.sync(disk)
    }

    fn take_output(&mut self, disk: &dyn Disk) -> Result<Output, DiskError> {
        match self.output.take() {
            Some(output) => Ok(output),
            None => disk
                .open_at(&self.path, self.len)
                .map_err(DiskError::on("open", &self.path)),
        }
    }
}
