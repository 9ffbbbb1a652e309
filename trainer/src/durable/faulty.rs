//! A disk whose operations fail at will: what the tests of everything that stores are run on.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Disk, Output, RealDisk};

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails without effect, as on a full disk; what follows works again.
    Fail,
    /// It fails half done; what follows works again. Only a write can be half done.
    FailHalfway,
    /// It is the last thing that happens: the process dies right after it.
    DieAfter,
    /// The process dies in the middle of it.
    DieHalfway,
    /// The power fails right after it: bytes and names that were not synced are lost too.
    LosePower,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 5] = [
        Self::Fail,
        Self::FailHalfway,
        Self::DieAfter,
        Self::DieHalfway,
        Self::LosePower,
    ];
}

/// A disk on which one operation, by its number from 0, goes wrong. It keeps account of what was synced but does not wait for the medium,
/// which makes it fast.
#[derive(Debug)]
pub struct FaultyDisk {
    at: u64,
    fault: Fault,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: u64,
    dead: bool,
    /// The bytes of each file that have reached the medium, for files with others that have not.
    unsynced: HashMap<PathBuf, u64>,
    /// The changes of names that have not reached the medium, in their order.
    names: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    /// `old` is what `to` held before.
    Renamed {
        from: PathBuf,
        to: PathBuf,
        old: Option<Vec<u8>>,
    },
    Removed {
        path: PathBuf,
        old: Vec<u8>,
    },
}

impl Change {
    fn is_in(&self, dir: &Path) -> bool {
        let (Self::Renamed { to: path, .. } | Self::Removed { path, .. }) = self;
        path.parent() == Some(dir)
    }
}

impl FaultyDisk {
    /// Makes a disk on which operation number `at` goes wrong in the given way.
    pub fn new(at: u64, fault: Fault) -> Self {
        Self {
            at,
            fault,
            state: Mutex::default(),
        }
    }

    /// Returns how many operations were tried.
    pub fn operations(&self) -> u64 {
        self.state().done
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and runs it, unless it is its turn to go wrong.
    fn operate<T>(&self, act: impl FnOnce(&mut State, Part) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state();
        if state.dead {
            return Err(io::Error::other("the process is dead (test)"));
        }
        let number = state.done;
        state.done += 1;
        if number != self.at {
            return act(&mut state, Part::Whole);
        }
        match self.fault {
            Fault::Fail => {}
            Fault::FailHalfway | Fault::DieHalfway => drop(act(&mut state, Part::Half)),
            Fault::DieAfter | Fault::LosePower => drop(act(&mut state, Part::Whole)?),
        }
        if self.fault == Fault::LosePower {
            state.forget_unsynced()?;
        }
        state.dead = !matches!(self.fault, Fault::Fail | Fault::FailHalfway);
        Err(io::Error::new(
            io::ErrorKind::StorageFull,
            "no space left (test)",
        ))
    }
}

/// How much of an operation is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Half,
}

/// An operation that is done or not, never half.
fn whole<T>(
    act: impl FnOnce(&mut State) -> io::Result<T>,
) -> impl FnOnce(&mut State, Part) -> io::Result<T> {
    |state, part| match part {
        Part::Whole => act(state),
        Part::Half => Err(io::Error::other("not done (test)")),
    }
}

impl State {
    fn written(&mut self, path: &Path) -> io::Result<()> {
        if !self.unsynced.contains_key(path) {
            let synced = fs::metadata(path)?.len();
            self.unsynced.insert(path.to_owned(), synced);
        }
        Ok(())
    }

    fn forget_unsynced(&mut self) -> io::Result<()> {
        for change in self.names.drain(..).rev() {
            match change {
                Change::Renamed { from, to, old } => {
                    fs::rename(&to, &from)?;
                    if let Some(bytes) = old {
                        fs::write(&to, bytes)?;
                    }
                    if let Some(len) = self.unsynced.remove(&to) {
                        self.unsynced.insert(from, len);
                    }
                }
                Change::Removed { path, old } => fs::write(path, old)?,
            }
        }
        for (path, len) in self.unsynced.drain() {
            if path.exists() {
                OpenOptions::new().write(true).open(path)?.set_len(len)?;
            }
        }
        Ok(())
    }
}

impl Disk for FaultyDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.operate(whole(|_| RealDisk.create_dir(path)))
    }

    fn create(&self, path: &Path) -> io::Result<Output> {
        self.operate(whole(|state| {
            state.unsynced.remove(path);
            RealDisk.create(path)
        }))
    }

    fn open_at(&self, path: &Path, len: u64) -> io::Result<Output> {
        self.operate(whole(|state| {
            if let Some(synced) = state.unsynced.get_mut(path) {
                *synced = len.min(*synced);
            }
            RealDisk.open_at(path, len)
        }))
    }

    fn write(&self, output: &mut Output, bytes: &[u8]) -> io::Result<()> {
        self.operate(|state, part| {
            state.written(&output.path)?;
            let len = match part {
                Part::Whole => bytes.len(),
                Part::Half => bytes.len() / 2,
            };
            RealDisk.write(output, &bytes[..len])
        })
    }

    fn sync(&self, output: &Output) -> io::Result<()> {
        self.operate(whole(|state| {
            state.unsynced.remove(&output.path);
            Ok(())
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operate(whole(|state| {
            let old = to.exists().then(|| fs::read(to)).transpose()?;
            RealDisk.rename(from, to)?;
            if let Some(len) = state.unsynced.remove(from) {
                state.unsynced.insert(to.to_owned(), len);
            }
            state.names.push(Change::Renamed {
                from: from.to_owned(),
                to: to.to_owned(),
                old,
            });
            Ok(())
        }))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.operate(whole(|state| {
            state.names.retain(|change| !change.is_in(dir));
            Ok(())
        }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.operate(whole(|state| {
            let old = fs::read(path)?;
            RealDisk.remove(path)?;
            state.names.push(Change::Removed {
                path: path.to_owned(),
                old,
            });
            Ok(())
        }))
    }
}
