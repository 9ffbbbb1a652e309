//! A run directory: where everything of a run lies, who may write there, and which checkpoint is the best.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::durable::{self, Disk, DiskError, RealDisk};

const CHECKPOINT_PREFIX: &str = "gen-";
const CHECKPOINT_SUFFIX: &str = ".senpu";

/// A run directory. While one made by [`RunDir::create_or_open`] lives, no other process can make one for the same directory.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// Held for its lock; `None` for a reader.
    _lock: Option<File>,
}

/// A run directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// A file operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Another process trains there.
    #[error("`{}` is in use by another process{holder}: wait for it, stop it, or choose another directory", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// ` (process 123)`, or nothing if that is not known.
        holder: String,
    },
    /// There is a file where the directory should be.
    #[error("`{}` is not a directory: choose another place with --run", .0.display())]
    NotADirectory(PathBuf),
    /// There is no such run.
    #[error("there is no run directory `{}`: check the path, or start a run with `senpu train CONFIG --run DIR`", .0.display())]
    Missing(PathBuf),
    /// A file of the directory is not what it should be.
    #[error("`{}` is not valid: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A checkpoint file of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckpointFile {
    /// The generation at whose end it was written.
    pub generation: u32,
    /// Where it is.
    pub path: PathBuf,
}

/// The bytes of disk that a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DiskUse {
    /// Of the games.
    pub games: u64,
    /// Of the checkpoints.
    pub checkpoints: u64,
    /// Of everything else.
    pub other: u64,
}

impl RunDir {
    /// Makes a run directory or opens the one there is, for this process alone. Removes unfinished files of a process that was killed.
    ///
    /// # Errors
    /// If another process has it, a file is in its place, or it cannot be written.
    pub fn create_or_open(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, RunDirError> {
        if path.exists() && !path.is_dir() {
            return Err(RunDirError::NotADirectory(path.to_owned()));
        }
        let make = |dir: &Path| disk.create_dir(dir).map_err(DiskError::on("create", dir));
        make(path)?;
        durable::sync_parent(&*disk, path)?;
        let lock = Some(lock(path)?);
        let run = Self {
            path: path.to_owned(),
            disk,
            _lock: lock,
        };
        for dir in [run.games(), run.checkpoints(), run.matches()] {
            run.disk
                .create_dir(&dir)
                .map_err(DiskError::on("create", &dir))?;
            durable::remove_temporary_files(&*run.disk, &dir)?;
        }
        durable::remove_temporary_files(&*run.disk, path)?;
        (run.disk.sync_dir(path)).map_err(DiskError::on("sync", path))?;
        Ok(run)
    }

    /// Opens a run directory for reading, whoever trains there.
    ///
    /// # Errors
    /// If there is no such directory.
    pub fn read(path: &Path) -> Result<Self, RunDirError> {
        if !path.exists() {
            return Err(RunDirError::Missing(path.to_owned()));
        }
        if !path.is_dir() {
            return Err(RunDirError::NotADirectory(path.to_owned()));
        }
        Ok(Self {
            path: path.to_owned(),
            disk: Arc::new(RealDisk),
            _lock: None,
        })
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the disk that every change goes through.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The name of the resolved config.
    pub(crate) const CONFIG: &str = "config.toml";

    /// Returns where the resolved config is.
    pub fn config(&self) -> PathBuf {
        self.path.join(Self::CONFIG)
    }

    /// Returns where the state of the loop is.
    pub fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }

    /// Returns where the metrics are.
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// Returns where the replay store is.
    pub fn games(&self) -> PathBuf {
        self.path.join("games")
    }

    /// Returns where the checkpoints are.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    /// Returns where records and tallies of matches are.
    pub fn matches(&self) -> PathBuf {
        self.path.join("matches")
    }

    /// Returns where the checkpoint of a generation is, or would be.
    pub fn checkpoint(&self, generation: u32) -> PathBuf {
        self.checkpoints().join(checkpoint_name(generation))
    }

    /// Replaces a file of the run in one step.
    ///
    /// # Errors
    /// If a file operation fails; the old content is then in place.
    pub fn write_atomic(&self, path: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
        Ok(durable::write_atomic(&*self.disk, path, bytes)?)
    }

    /// Writes the checkpoint of a generation, whole or not at all, and returns where it is.
    ///
    /// # Errors
    /// If a file operation fails.
    pub fn publish(&self, generation: u32, bytes: &[u8]) -> Result<PathBuf, RunDirError> {
        let path = self.checkpoint(generation);
        self.write_atomic(&path, bytes)?;
        Ok(path)
    }

    /// Makes the checkpoint of a generation the best one.
    ///
    /// # Errors
    /// If there is no such checkpoint, or a file operation fails.
    pub fn set_best(&self, generation: u32) -> Result<(), RunDirError> {
        let checkpoint = self.checkpoint(generation);
        if !checkpoint.is_file() {
            return Err(RunDirError::Invalid {
                path: checkpoint,
                reason: "no such checkpoint, so it cannot be the best".to_owned(),
            });
        }
        let name = checkpoint_name(generation);
        self.write_atomic(&self.best_pointer(), format!("{name}\n").as_bytes())
    }

    /// Returns the best checkpoint, or `None` before there is one.
    ///
    /// # Errors
    /// If the file that names it cannot be read or names no checkpoint.
    pub fn best(&self) -> Result<Option<CheckpointFile>, RunDirError> {
        let pointer = self.best_pointer();
        let Some(text) = read_if_present(&pointer)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&text);
        let invalid = |reason| RunDirError::Invalid {
            path: pointer.clone(),
            reason,
        };
        let generation = generation_of(text.trim())
            .ok_or_else(|| invalid(format!("`{}` is not the name of a checkpoint", text.trim())))?;
        let path = self.checkpoint(generation);
        if !path.is_file() {
            return Err(invalid(format!(
                "it names {}, which is missing; write the name of another file of checkpoints/ into it",
                text.trim()
            )));
        }
        Ok(Some(CheckpointFile { generation, path }))
    }

    /// Returns the checkpoints by rising generation.
    ///
    /// # Errors
    /// If their directory cannot be listed.
    pub fn list_checkpoints(&self) -> Result<Vec<CheckpointFile>, RunDirError> {
        let dir = self.checkpoints();
        let mut found = Vec::new();
        for entry in fs::read_dir(&dir).map_err(DiskError::on("list", &dir))? {
            let entry = entry.map_err(DiskError::on("list", &dir))?;
            if let Some(generation) = generation_of(&entry.file_name().to_string_lossy()) {
                found.push(CheckpointFile {
                    generation,
                    path: entry.path(),
                });
            }
        }
        found.sort();
        Ok(found)
    }

    /// Writes the state of the loop.
    ///
    /// # Errors
    /// If it cannot be encoded or a file operation fails; the old state is then in place.
    pub fn write_state<T: Serialize>(&self, state: &T) -> Result<(), RunDirError> {
        let path = self.state();
        let text = serde_json::to_string_pretty(state).map_err(|error| invalid(&path, &error))?;
        self.write_atomic(&path, format!("{text}\n").as_bytes())
    }

    /// Reads the state of the loop, `None` before there is one.
    ///
    /// # Errors
    /// If it cannot be read or is not of the type wanted.
    pub fn read_state<T: DeserializeOwned>(&self) -> Result<Option<T>, RunDirError> {
        let path = self.state();
        let bytes = read_if_present(&path)?;
        bytes
            .map(|bytes| serde_json::from_slice(&bytes).map_err(|error| invalid(&path, &error)))
            .transpose()
    }

    /// Adds up the files of the run.
    ///
    /// # Errors
    /// If a directory cannot be listed.
    pub fn disk_use(&self) -> Result<DiskUse, RunDirError> {
        let games = tree_bytes(&self.games())?;
        let checkpoints = tree_bytes(&self.checkpoints())?;
        Ok(DiskUse {
            games,
            checkpoints,
            other: tree_bytes(&self.path)?.saturating_sub(games + checkpoints),
        })
    }

    fn best_pointer(&self) -> PathBuf {
        self.path.join("best")
    }
}

/// Returns the file that a person means by a checkpoint: a file itself, a run directory (its best, or newest if none is marked), or
/// `RUN@GENERATION`.
///
/// # Errors
/// If there is no such file, run or generation.
pub fn resolve_checkpoint(given: &Path) -> Result<PathBuf, RunDirError> {
    if given.is_dir() {
        let run = RunDir::read(given)?;
        if let Some(best) = run.best()? {
            return Ok(best.path);
        }
        let newest = run.list_checkpoints()?.pop();
        return newest.map(|newest| newest.path).ok_or_else(|| {
            invalid(
                given,
                &"it has no checkpoint yet; wait for its first generation",
            )
        });
    }
    let text = given.to_string_lossy();
    if let Some((run, generation)) = text.rsplit_once('@')
        && let Ok(generation) = generation.parse()
        && !given.exists()
    {
        let run = RunDir::read(Path::new(run))?;
        let path = run.checkpoint(generation);
        if path.is_file() {
            return Ok(path);
        }
        let known: Vec<String> = (run.list_checkpoints()?.iter())
            .map(|file| file.generation.to_string())
            .collect();
        let reason = format!(
            "no checkpoint of generation {generation}; there are {}",
            known.join(", ")
        );
        return Err(invalid(run.path(), &reason));
    }
    Ok(given.to_owned())
}

fn invalid(path: &Path, reason: &impl ToString) -> RunDirError {
    RunDirError::Invalid {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

fn checkpoint_name(generation: u32) -> String {
    format!("{CHECKPOINT_PREFIX}{generation:06}{CHECKPOINT_SUFFIX}")
}

fn generation_of(name: &str) -> Option<u32> {
    name.strip_prefix(CHECKPOINT_PREFIX)?
        .strip_suffix(CHECKPOINT_SUFFIX)?
        .parse()
        .ok()
}

/// Takes the lock of a directory for this process alone. The file stays; the lock goes with the process, however it ends.
///
/// # Errors
/// If another process has it, or the file cannot be made.
pub fn lock(dir: &Path) -> Result<File, RunDirError> {
    let path = dir.join("lock");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(DiskError::on("create", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            return Err(RunDirError::InUse {
                path: dir.to_owned(),
                holder: match holder.trim() {
                    "" => String::new(),
                    process => format!(" (process {process})"),
                },
            });
        }
        Err(TryLockError::Error(error)) => return Err(DiskError::on("lock", &path)(error).into()),
    }
    // Whose it is only helps a person: the lock holds without it.
    let named = file
        .set_len(0)
        .and_then(|()| write!(file, "{}", std::process::id()));
    named.map_err(DiskError::on("write", &path))?;
    Ok(file)
}

fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::on("read", path)(error)),
    }
}

fn tree_bytes(dir: &Path) -> Result<u64, DiskError> {
    if !dir.is_dir() {
        return Ok(0);
    }
    let mut bytes = 0;
    for entry in fs::read_dir(dir).map_err(DiskError::on("list", dir))? {
        let entry = entry.map_err(DiskError::on("list", dir))?;
        // A file that vanishes meanwhile was a temporary one of the process that trains.
        match entry.metadata() {
            Ok(data) if data.is_dir() => bytes += tree_bytes(&entry.path())?,
            Ok(data) => bytes += data.len(),
            Err(_) => {}
        }
    }
    Ok(bytes)
}
