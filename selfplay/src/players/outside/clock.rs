//! How much time an engine has left in each game under way.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rules::Side;

/// A game by its number, and the side that the engine has in it.
pub(super) type Key = (u64, Side);

/// The clocks of all games, shared by the threads among which games go around.
#[derive(Debug, Default)]
pub(super) struct Clocks(Mutex<HashMap<Key, Reading>>);

#[derive(Debug)]
struct Reading {
    /// The ply of the last move that was timed.
    ply: usize,
    left: Duration,
}

impl Clocks {
    /// Returns what is left at the move that comes after `ply` plies; `base` in a game that is new. A number that comes again at an earlier ply
    /// is a new game.
    pub(super) fn left(&self, key: Key, ply: usize, base: Duration) -> Duration {
        let clocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match clocks.get(&key) {
            Some(reading) if reading.ply < ply => reading.left,
            _ => base,
        }
    }

    /// Notes what is left after the move that came after `ply` plies.
    pub(super) fn stop(&self, key: Key, ply: usize, left: Duration) {
        let mut clocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clocks.insert(key, Reading { ply, left });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_runs_on_within_a_game_and_begins_anew_in_another() {
        let clocks = Clocks::default();
        let (key, base) = ((3, Side::First), Duration::from_secs(9));
        assert_eq!(clocks.left(key, 6, base), base);
        clocks.stop(key, 6, Duration::from_secs(5));
        assert_eq!(clocks.left(key, 8, base), Duration::from_secs(5));
        assert_eq!(clocks.left((3, Side::Second), 8, base), base);
        assert_eq!(clocks.left((4, Side::First), 8, base), base);
        // The game of this number in the next match, with the same opening.
        assert_eq!(clocks.left(key, 6, base), base);
    }
}
