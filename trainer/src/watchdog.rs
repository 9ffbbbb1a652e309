//! A thread that notices when nothing moves any more, and says what is stuck.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::progress::Progress;

/// Watches work that beats. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watchdog {
    beat: Arc<Mutex<Beat>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The last sign of life.
#[derive(Debug)]
struct Beat {
    what: String,
    at: Instant,
    warned: bool,
}

impl Watchdog {
    /// Starts a watch that warns once whenever nothing beat for `patience`.
    pub fn start(patience: Duration, progress: &Progress) -> Self {
        let beat = Arc::new(Mutex::new(Beat {
            what: "starting".to_owned(),
            at: Instant::now(),
            warned: false,
        }));
        let (stop, stopped) = mpsc::channel();
        let (watched, progress) = (Arc::clone(&beat), progress.clone());
        let interval = (patience / 4).clamp(Duration::from_millis(1), Duration::from_secs(5));
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let mut beat = watched.lock().unwrap_or_else(PoisonError::into_inner);
                if !beat.warned && beat.at.elapsed() >= patience {
                    beat.warned = true;
                    progress.warn(format!(
                        "nothing has moved for {:.0?}: stuck in {}",
                        beat.at.elapsed(),
                        beat.what
                    ));
                }
            }
        });
        Self {
            beat,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Gives a sign of life from the work named `what`.
    pub fn beat(&self, what: impl FnOnce(&mut String)) {
        let mut beat = self.beat.lock().unwrap_or_else(PoisonError::into_inner);
        beat.what.clear();
        what(&mut beat.what);
        beat.at = Instant::now();
        beat.warned = false;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A watch that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::progress::Verbosity;

    /// A writer that can be read.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_stuck_is_named_once_and_again_only_after_it_moved() {
        let said = Shared::default();
        let progress = Progress::to_writer(Verbosity::Quiet, said.clone(), Duration::ZERO);
        let watchdog = Watchdog::start(Duration::from_millis(20), &progress);
        let text = || String::from_utf8(said.0.lock().unwrap().clone()).unwrap();
        let wait_for = |count: usize| {
            while text().lines().count() < count {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        watchdog.beat(|what| what.push_str("play 12"));
        wait_for(1);
        std::thread::sleep(Duration::from_millis(60));
        watchdog.beat(|what| what.push_str("learn 12"));
        wait_for(2);
        drop(watchdog);
        let text = text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(
            text.contains("stuck in play 12") && text.contains("stuck in learn 12"),
            "{text}"
        );
    }
}
