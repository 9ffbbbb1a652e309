//! How much time to take for a move.

use std::time::Duration;

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// What is left, byoyomi apart.
    pub remaining: Duration,
    /// What is added after each move.
    pub increment: Duration,
    /// What every move may take besides.
    pub byoyomi: Duration,
    /// Moves until more time is given, if it is.
    pub moves_to_go: Option<u32>,
}

/// The time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What to take unless the choice is unclear.
    pub ideal: Duration,
    /// What may be taken at most.
    pub most: Duration,
    /// Whether to take it although the choice is clear.
    pub exact: bool,
}

/// The moves that a clock is shared over where it is not said how many there are.
const MOVES: u32 = 28;
/// How many times the ideal an unclear choice may take.
const STRETCH: u32 = 3;

/// Overheads that a clock with an increment should hold: with less, less of the increment is used, so that one late answer loses no game.
const RESERVE: u32 = 20;
/// Overheads that are left over at most where there is time for it.
const MARGIN: u32 = 4;

impl Clock {
    /// Returns the time for the next move. `overhead` is what may pass between an answer and its arrival, on a busy machine, and is left over
    /// on the clock.
    pub fn budget(&self, overhead: Duration) -> Budget {
        let total = self.remaining + self.byoyomi;
        let margin = overhead.max((total / 8).min(overhead * MARGIN));
        // With less than that left there is no right answer; a little thought is better than none.
        let usable = total.saturating_sub(margin).max(total / 16);
        let main = self.remaining.saturating_sub(margin);
        let moves = self.moves_to_go.unwrap_or(MOVES).clamp(1, MOVES);
        let reserve = (overhead * RESERVE).as_secs_f64().max(1e-6);
        let filled = (main.as_secs_f64() / reserve).min(1.0);
        let increment = self.increment.mul_f64(0.75 * filled);
        let ideal = (main / moves + increment + self.byoyomi).max(total / 64);
        let ideal = ideal.min(usable);
        // All of the last move before more time is given; otherwise something for those that follow.
        let most = if moves == 1 {
            usable
        } else {
            usable.saturating_sub(main / 2).max(ideal.min(usable / 2))
        };
        Budget {
            ideal: ideal.min(most),
            most: most.min(ideal * STRETCH),
            exact: false,
        }
    }
}

impl Budget {
    /// Takes `time`, less the overhead.
    pub fn exactly(time: Duration, overhead: Duration) -> Self {
        let time = time.saturating_sub(overhead).max(time / 2);
        Self {
            ideal: time,
            most: time,
            exact: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Plays moves that each take the most that is allowed and as much again as the overhead; returns what is left in the end.
    fn play_slowly(mut clock: Clock, overhead: Duration, moves: u32) -> Duration {
        for _ in 0..moves {
            let budget = clock.budget(overhead);
            assert!(budget.ideal <= budget.most, "{budget:?}");
            let late = budget.most + overhead * 3 / 4;
            let from_main = late.saturating_sub(clock.byoyomi);
            assert!(from_main <= clock.remaining, "{clock:?} {budget:?}");
            clock.remaining = clock.remaining.checked_sub(from_main).unwrap() + clock.increment;
        }
        clock.remaining
    }

    #[test]
    fn no_clock_runs_out_even_if_every_answer_is_late() {
        for remaining in [0, 1000, 60_000, 3_600_000] {
            for byoyomi in [1000, 10_000] {
                let clock = Clock {
                    remaining: ms(remaining),
                    byoyomi: ms(byoyomi),
                    ..Clock::default()
                };
                play_slowly(clock, ms(100), 400);
            }
        }
        let clock = Clock {
            remaining: ms(1000),
            increment: ms(100),
            ..Clock::default()
        };
        assert!(play_slowly(clock, ms(100), 400) > ms(100));
    }

    /// Where every answer is a little late, enough stays on the clock for one that is very late.
    #[test]
    fn a_busy_machine_leaves_a_reserve() {
        let mut clock = Clock {
            remaining: ms(1000),
            increment: ms(100),
            ..Clock::default()
        };
        for _ in 0..400 {
            let late = clock.budget(ms(100)).ideal + ms(60);
            clock.remaining = clock.remaining.checked_sub(late).unwrap() + clock.increment;
            assert!(clock.remaining > ms(450), "{clock:?}");
        }
    }

    #[test]
    fn a_clock_is_shared_over_the_moves_to_come() {
        let sudden = Clock {
            remaining: ms(60_100),
            ..Clock::default()
        };
        let budget = sudden.budget(ms(100));
        assert_eq!(budget.ideal, ms(59_700) / MOVES);
        assert_eq!(budget.most, 3 * budget.ideal);
        let last = Clock {
            moves_to_go: Some(1),
            ..sudden
        };
        assert_eq!(last.budget(ms(100)).ideal, ms(59_700));
        let byoyomi = Clock {
            byoyomi: ms(5000),
            ..Clock::default()
        };
        assert_eq!(byoyomi.budget(ms(100)).most, ms(4600));
        assert_eq!(Budget::exactly(ms(500), ms(100)).most, ms(400));
        assert_eq!(Budget::exactly(ms(100), ms(100)).most, ms(50));
    }

    #[test]
    fn next_to_nothing_left_still_gives_a_moment() {
        let clock = Clock {
            remaining: ms(80),
            ..Clock::default()
        };
        let budget = clock.budget(ms(100));
        assert!(
            budget.most > Duration::ZERO && budget.most <= ms(5),
            "{budget:?}"
        );
    }
}
