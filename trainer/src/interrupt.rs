//! Ctrl-C and SIGTERM: the first asks the work to stop where it can be resumed, the second ends the process at once.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a process ended by Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

/// Whether the work was asked to stop. Clones share the answer.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
    /// That of the work which this one is a part of.
    whole: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Makes one that only [`Interrupt::request`] sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes one that Ctrl-C, SIGTERM and SIGHUP set; a second one of them ends the process with status 130.
    ///
    /// # Errors
    /// If a handler cannot be installed, as when one is already.
    pub fn install() -> Result<Self, ctrlc::Error> {
        let interrupt = Self::new();
        let handler = interrupt.clone();
        ctrlc::set_handler(move || {
            if handler.requested.swap(true, Ordering::SeqCst) {
                process::exit(INTERRUPTED);
            }
        })?;
        Ok(interrupt)
    }

    /// Makes one for a part of the work: requested when this one is, or when it is itself.
    #[must_use]
    pub fn branch(&self) -> Self {
        Self {
            requested: Arc::default(),
            whole: Some(Arc::clone(&self.requested)),
        }
    }

    /// Asks the work to stop.
    pub fn request(&self) {
        self.requested.store(true, Ordering::SeqCst);
    }

    /// Returns whether the work was asked to stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
            || (self.whole.as_ref()).is_some_and(|whole| whole.load(Ordering::SeqCst))
    }
}
