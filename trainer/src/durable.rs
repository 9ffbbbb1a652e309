//! The only module that changes files of a run directory, one call an operation, so that a test can make each of them fail.
//!
//! Reading needs no such care and goes through `std::fs` where it happens.

mod faulty;
mod log;

pub use faulty::{Fault, FaultyDisk};
pub use log::Log;

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the names of unfinished files end in; such a file is of no use to anyone but its writer.
const TEMPORARY: &str = "tmp";

/// A file open for writing, and where it is.
#[derive(Debug)]
pub struct Output {
    file: File,
    path: PathBuf,
}

/// The operations that change a run directory.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Makes a directory and its parents; it may exist.
    ///
    /// # Errors
    /// As [`fs::create_dir_all`].
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes an empty file, or empties it.
    ///
    /// # Errors
    /// As [`File::create`].
    fn create(&self, path: &Path) -> io::Result<Output>;

    /// Opens a file that exists, cuts it to `len` bytes and goes on after them.
    ///
    /// # Errors
    /// As [`OpenOptions::open`] and [`File::set_len`].
    fn open_at(&self, path: &Path, len: u64) -> io::Result<Output>;

    /// Writes all of `bytes`; after an error any number of them may be in the file.
    ///
    /// # Errors
    /// As [`Write::write_all`].
    fn write(&self, output: &mut Output, bytes: &[u8]) -> io::Result<()>;

    /// Waits until what was written has reached the medium.
    ///
    /// # Errors
    /// As [`File::sync_all`].
    fn sync(&self, output: &Output) -> io::Result<()>;

    /// Gives a file its new name in one step, in place of a file that had it.
    ///
    /// # Errors
    /// As [`fs::rename`].
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Waits until the names in a directory have reached the medium.
    ///
    /// # Errors
    /// As [`File::sync_all`] of the directory.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// As [`fs::remove_file`].
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The disk as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn create(&self, path: &Path) -> io::Result<Output> {
        Ok(Output {
            file: File::create(path)?,
            path: path.to_owned(),
        })
    }

    fn open_at(&self, path: &Path, len: u64) -> io::Result<Output> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(len)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Output {
            file,
            path: path.to_owned(),
        })
    }

    fn write(&self, output: &mut Output, bytes: &[u8]) -> io::Result<()> {
        output.file.write_all(bytes)
    }

    fn sync(&self, output: &Output) -> io::Result<()> {
        output.file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        // Elsewhere a directory cannot be opened as a file, and renames are durable by themselves.
        if cfg!(unix) {
            File::open(dir)?.sync_all()?;
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// A file operation that failed: what was tried, on which path, why, and what helps.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`: {source}{}", path.display(), remedy(source))]
pub struct DiskError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl DiskError {
    /// Returns what turns an [`io::Error`] of `action` (a verb, such as `write`) on `path` into this error.
    pub fn on(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self {
            action,
            path,
            source,
        }
    }

    /// Returns the kind of the underlying error.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// Returns the path of the operation.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run again: what was stored before is complete"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; make the directory writable for this user, or choose another one with --run"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "; a file stands where a directory is wanted: choose another place with --run"
        }
        io::ErrorKind::NotFound => "; check the path",
        _ => "",
    }
}

/// Replaces a file's content in one step: a reader, or a start after a crash, finds the old content or the new one, whole.
///
/// # Errors
/// If an operation fails; then the old content is in place, or the new one if only its directory could not be synced.
pub fn write_atomic(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temporary = temporary_path(path);
    let mut output = disk
        .create(&temporary)
        .map_err(DiskError::on("create", &temporary))?;
    disk.write(&mut output, bytes)
        .and_then(|()| disk.sync(&output))
        .map_err(DiskError::on("write", &temporary))?;
    drop(output);
    rename_durably(disk, &temporary, path)
}

/// Renames a file that is complete and synced, and syncs the directory of the new name.
///
/// # Errors
/// If an operation fails.
pub fn rename_durably(disk: &dyn Disk, from: &Path, to: &Path) -> Result<(), DiskError> {
    disk.rename(from, to)
        .map_err(DiskError::on("rename to", to))?;
    sync_parent(disk, to)
}

/// Syncs the directory that holds `path`.
///
/// # Errors
/// If the directory cannot be synced.
pub fn sync_parent(disk: &dyn Disk, path: &Path) -> Result<(), DiskError> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    disk.sync_dir(dir).map_err(DiskError::on("sync", dir))
}

/// Returns the name under which the content of `path` is written before it is published.
pub fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(TEMPORARY);
    PathBuf::from(name)
}

/// Removes the unfinished files that a killed process left in a directory.
///
/// # Errors
/// If the directory cannot be listed or a file cannot be removed.
pub fn remove_temporary_files(disk: &dyn Disk, dir: &Path) -> Result<(), DiskError> {
    for entry in fs::read_dir(dir).map_err(DiskError::on("list", dir))? {
        let path = entry.map_err(DiskError::on("list", dir))?.path();
        if path.extension().is_some_and(|ending| ending == TEMPORARY) {
            disk.remove(&path).map_err(DiskError::on("remove", &path))?;
        }
    }
    Ok(())
}
