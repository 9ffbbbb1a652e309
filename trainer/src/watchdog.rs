//! A thread that notices when nothing moves any more, and says what is stuck.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::progress::Progress;

/// Watches work that beats. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watchdog {
    beats: Arc<Mutex<Beats>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// One of several pieces of work that go on at the same time. While there are any, each of them must beat, and nothing else need.
#[derive(Debug)]
pub struct Lane {
    number: u64,
    beats: Arc<Mutex<Beats>>,
}

#[derive(Debug)]
struct Beats {
    main: Beat,
    /// By their numbers.
    lanes: Vec<(u64, Beat)>,
    next: u64,
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
        let beats = Arc::new(Mutex::new(Beats {
            main: Beat::new("starting"),
            lanes: Vec::new(),
            next: 0,
        }));
        let (stop, stopped) = mpsc::channel();
        let (watched, progress) = (Arc::clone(&beats), progress.clone());
        let interval = (patience / 4).clamp(Duration::from_millis(1), Duration::from_secs(5));
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let mut beats = lock(&watched);
                let Beats { main, lanes, .. } = &mut *beats;
                if lanes.is_empty() {
                    main.look(patience, &progress);
                }
                for (_, beat) in lanes {
                    beat.look(patience, &progress);
                }
            }
        });
        Self {
            beats,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Gives a sign of life from the work named `what`.
    pub fn beat(&self, what: impl FnOnce(&mut String)) {
        lock(&self.beats).main.renew(what);
    }

    /// Begins work that goes on beside other work, until the lane is dropped.
    pub fn lane(&self, what: &str) -> Lane {
        let mut beats = lock(&self.beats);
        let number = beats.next;
        beats.next += 1;
        beats.lanes.push((number, Beat::new(what)));
        Lane {
            number,
            beats: Arc::clone(&self.beats),
        }
    }
}

impl Lane {
    /// Gives a sign of life from the work named `what`.
    pub fn beat(&self, what: impl FnOnce(&mut String)) {
        let mut beats = lock(&self.beats);
        let found = beats
            .lanes
            .iter_mut()
            .find(|(number, _)| *number == self.number);
        if let Some((_, beat)) = found {
            beat.renew(what);
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut beats = lock(&self.beats);
        beats.lanes.retain(|(number, _)| *number != self.number);
        beats
            .main
            .renew(|what| what.push_str("what comes after play and learning"));
    }
}

impl Beat {
    fn new(what: &str) -> Self {
        Self {
            what: what.to_owned(),
            at: Instant::now(),
            warned: false,
        }
    }

    fn renew(&mut self, what: impl FnOnce(&mut String)) {
        self.what.clear();
        what(&mut self.what);
        self.at = Instant::now();
        self.warned = false;
    }

    /// Warns if this was silent for too long, once.
    fn look(&mut self, patience: Duration, progress: &Progress) {
        if !self.warned && self.at.elapsed() >= patience {
            self.warned = true;
            progress.warn(format!(
                "nothing has moved for {:.0?}: stuck in {}",
                self.at.elapsed(),
                self.what
            ));
        }
    }
}

fn lock(beats: &Mutex<Beats>) -> MutexGuard<'_, Beats> {
    beats.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn work_that_is_stuck_is_named_although_work_beside_it_moves() {
        let said = Shared::default();
        let progress = Progress::to_writer(Verbosity::Quiet, said.clone(), Duration::ZERO);
        let watchdog = Watchdog::start(Duration::from_millis(400), &progress);
        let text = || String::from_utf8(said.0.lock().unwrap().clone()).unwrap();
        let (play, learn) = (watchdog.lane("play 3"), watchdog.lane("learn 3"));
        learn.beat(|what| what.push_str("learn 4"));
        while !text().contains("stuck in learn 4") {
            play.beat(|what| what.push_str("play 4"));
            std::thread::sleep(Duration::from_millis(5));
        }
        // What waits for both is not stuck, however long it waits.
        assert!(!text().contains("starting"), "{}", text());
        drop((play, learn));
        while !text().contains("what comes after play and learning") {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
