//! How another thread stops a thinker, and from when its time counts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shared between who thinks and who may stop it.
#[derive(Debug)]
pub struct Control {
    asked: Instant,
    stop: AtomicBool,
    /// From when time counts; not yet while the opponent's time is used.
    counted: OnceLock<Instant>,
}

impl Control {
    /// Makes one for a task that was given at `asked`; its time counts from there.
    pub fn new(asked: Instant) -> Self {
        let control = Self::pondering(asked);
        control.start_clock(asked);
        control
    }

    /// Makes one for a task whose time does not count until [`Control::start_clock`].
    pub fn pondering(asked: Instant) -> Self {
        Self {
            asked,
            stop: AtomicBool::new(false),
            counted: OnceLock::new(),
        }
    }

    /// Asks for an answer at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Tells whether an answer is wanted at once.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Lets time count from `at`; a second call does nothing.
    pub fn start_clock(&self, at: Instant) {
        let _ = self.counted.set(at);
    }

    /// Returns the time since the task was given.
    pub fn since_asked(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Returns the time that counts, `None` while none does.
    pub fn counted(&self) -> Option<Duration> {
        self.counted.get().map(Instant::elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_from_the_first_start() {
        let asked = Instant::now();
        let control = Control::pondering(asked);
        assert_eq!(control.counted(), None);
        control.start_clock(asked);
        let first = control.counted().unwrap();
        control.start_clock(asked + Duration::from_hours(1));
        assert!(control.counted().unwrap() >= first, "counted anew");
        assert!(!control.is_stopped());
        control.stop();
        assert!(control.is_stopped());
        assert!(Control::new(asked).counted().is_some());
    }
}
