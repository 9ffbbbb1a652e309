//! Writing a generation down beside the work of the next.
//!
//! Checkpoint, unfinished games and at last the state that makes them count go to the disk in a thread of their own. Nothing else is written
//! meanwhile: whoever wants to waits first, so that the order of what changes on the disk is always the same.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result};

use super::state::{StateFile, remove_old_slots, write_slots};
use crate::progress::Progress;
use crate::run_dir::RunDir;

/// A generation whose checkpoint is the run's newest.
pub(super) struct Publication {
    pub(super) run: Arc<RunDir>,
    pub(super) progress: Progress,
    pub(super) generation: u64,
    /// The generation of the best net.
    pub(super) best: u64,
    /// The bytes of the checkpoint.
    pub(super) checkpoint: Vec<u8>,
    /// The bytes of the unfinished games.
    pub(super) slots: Vec<u8>,
    /// What makes it count.
    pub(super) state: StateFile,
    /// What is said once it counts.
    pub(super) line: String,
}

impl Publication {
    /// Writes all of it, and returns the memory of the checkpoint.
    fn write(self) -> Result<Vec<u8>> {
        let Self {
            run, generation, ..
        } = &self;
        run.publish(*generation as u32, &self.checkpoint)?;
        write_slots(run, *generation, &self.slots)?;
        run.write_state(&self.state)?;
        run.set_best(self.best as u32)?;
        remove_old_slots(run, *generation)?;
        self.progress.line(&self.line);
        Ok(self.checkpoint)
    }
}

/// The publication that goes on, if one does, and the memory of the last one. Dropping it waits, too.
#[derive(Default)]
pub(super) struct Publishing {
    thread: Option<JoinHandle<Result<Vec<u8>>>>,
    memory: Vec<u8>,
}

impl Publishing {
    /// Returns the memory of the last checkpoint, for the next one.
    pub(super) fn memory(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.memory)
    }

    /// Begins to publish, once the publication before is [settled](Self::settle).
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn begin(&mut self, publication: Publication) -> Result<()> {
        let thread = thread::Builder::new()
            .name("publish".to_owned())
            .spawn(|| publication.write())
            .context("cannot start a thread that publishes")?;
        self.thread = Some(thread);
        Ok(())
    }

    /// Waits until what was published counts, and tells whether anything was.
    ///
    /// # Errors
    /// If a file operation failed; it counts if its state was written by then.
    pub(super) fn settle(&mut self) -> Result<bool> {
        let Some(thread) = self.thread.take() else {
            return Ok(false);
        };
        self.memory = thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(true)
    }
}

impl Drop for Publishing {
    /// Lets a generation count that is complete, whatever ended the run.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // What it failed with is told no more: the run has ended with an error of its own.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::state::{State, encode_slots};
    use super::*;
    use crate::durable::{Fault, FaultyDisk};
    use crate::progress::Verbosity;

    fn publication(dir: &Path, disk: FaultyDisk) -> Publication {
        let mut state = StateFile::new("none");
        state.push(State {
            generation: 4,
            ..State::default()
        });
        Publication {
            run: Arc::new(RunDir::create_or_open(dir, Arc::new(disk)).unwrap()),
            progress: Progress::to_writer(Verbosity::Quiet, std::io::sink(), Duration::MAX),
            generation: 4,
            best: 4,
            checkpoint: vec![1, 2, 3],
            slots: encode_slots(&[]).unwrap(),
            state,
            line: String::new(),
        }
    }

    #[test]
    fn what_is_published_counts_although_the_run_ends() {
        let dir = tempfile::tempdir().unwrap();
        let whole = dir.path().join("whole");
        let mut publishing = Publishing::default();
        let sound = || FaultyDisk::new(u64::MAX, Fault::Fail);
        assert!(!publishing.settle().unwrap());
        publishing.begin(publication(&whole, sound())).unwrap();
        assert!(publishing.settle().unwrap() && !publishing.settle().unwrap());
        assert_eq!(publishing.memory(), [1, 2, 3]);
        let dropped = dir.path().join("dropped");
        publishing.begin(publication(&dropped, sound())).unwrap();
        drop(publishing);
        for dir in [whole, dropped] {
            let run = RunDir::read(&dir).unwrap();
            let saved = StateFile::read(&run).unwrap().unwrap();
            assert_eq!(saved.generations[0].generation, 4);
            assert_eq!(run.best().unwrap().unwrap().generation, 4);
        }
    }

    #[test]
    fn what_cannot_be_written_does_not_count_and_is_told() {
        let dir = tempfile::tempdir().unwrap();
        // Past the directories that are made first, the checkpoint is the first file that is written.
        let disk = FaultyDisk::new(8, Fault::Fail);
        let mut publishing = Publishing::default();
        publishing.begin(publication(dir.path(), disk)).unwrap();
        let said = format!("{:#}", publishing.settle().unwrap_err());
        assert!(said.contains("gen-000004.senpu"), "{said}");
        let run = RunDir::read(dir.path()).unwrap();
        assert!(StateFile::read(&run).unwrap().is_none());
        assert!(!publishing.settle().unwrap());
    }
}
