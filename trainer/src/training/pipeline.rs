//! How the two halves of a generation follow each other: in turn, or side by side with a lag of one generation.

use std::thread;

use anyhow::{Context, Result};
use rules::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::learn::Learning;
use super::play::{Played, Playing};
use super::{GenerationLine, Training};
use crate::interrupt::Interrupt;
use crate::replay::StoreMark;

/// How play and learning take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PipelineConfig {
    /// 0: a generation plays first, with the weights learned from all generations before it, and then learns from its own games too. 1: it plays
    /// with the same weights' predecessors, learned from all generations but the last, and learns from the games up to the last, so that
    /// neither half waits for the other; the games of a run's last generation are not learned from.
    pub(crate) lag: u32,
    /// With a lag of 1, whether both halves go on at the same time, each with all threads; whoever is done first leaves the processor to the
    /// other. What a run gives does not depend on it.
    pub(crate) overlap: bool,
}

impl PipelineConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(self) -> Result<(), String> {
        if self.lag > 1 {
            return Err(format!("lag = {}: must be 0 or 1", self.lag));
        }
        if self.overlap && self.lag == 0 {
            return Err(
                "overlap = true: must be false with lag = 0, where learning waits for the games; set lag = 1".to_owned(),
            );
        }
        Ok(())
    }
}

impl<V: Variant> Training<'_, V> {
    /// Plays, stores the games that end and learns; `false` if an interrupt came first, and then none of it counts.
    pub(super) fn play_and_learn(&mut self, line: &mut GenerationLine) -> Result<bool> {
        // What stops one half must stop the other.
        let stop = self.session.interrupt.branch();
        let done = if self.config().pipeline.lag == 0 {
            self.in_turn(&stop, line)
        } else {
            self.with_lag(&stop, line)
        };
        // Whatever became of this one, the generation before is complete.
        match (done, self.settle()) {
            (Ok(done), Ok(())) => Ok(done.is_some()),
            (Err(error), Ok(())) | (Ok(_), Err(error)) => Err(error),
            (Err(error), Err(before)) => Err(error.context(format!(
                "the generation before could not be published either ({before:#})"
            ))),
        }
    }

    /// Plays, and then learns from these games too.
    fn in_turn(&mut self, stop: &Interrupt, line: &mut GenerationLine) -> Result<Option<()>> {
        let playing = Playing::new(self.session, &self.learner, &self.state);
        let checkpoint = self.learner.id();
        let played = playing.run(&mut self.pool, checkpoint, stop, &self.watchdog)?;
        let Some(played) = played else {
            return Ok(None);
        };
        self.keep(&played, line)?;
        let learned = self.learning(stop).run()?;
        Ok(learned.map(|learned| line.add_learning(&learned, self.state.seen)))
    }

    /// Plays with the learner's weights as they are now, while it learns from the games stored so far; then stores the new ones.
    fn with_lag(&mut self, stop: &Interrupt, line: &mut GenerationLine) -> Result<Option<()>> {
        let playing = Playing::new(self.session, &self.learner, &self.state);
        let checkpoint = self.learner.id();
        let overlap = self.config().pipeline.overlap;
        let unseen = self.unseen();
        let Self {
            session,
            run,
            state,
            store,
            learner,
            pool,
            watchdog,
            publishing,
            ..
        } = self;
        let learning = Learning {
            session,
            run,
            store,
            learner,
            watchdog,
            publishing,
            interrupt: stop,
            after: state.generation,
            unseen,
        };
        let play = || playing.run(pool, checkpoint, stop, watchdog);
        let learn = || learning.run();
        let both = if overlap {
            side_by_side(stop, play, learn)?
        } else {
            match play()? {
                Some(played) => learn()?.map(|learned| (played, learned)),
                None => None,
            }
        };
        let Some((played, learned)) = both else {
            return Ok(None);
        };
        self.keep(&played, line)?;
        line.add_learning(&learned, self.state.seen);
        Ok(Some(()))
    }

    /// Returns how many of the newest games the learner has not had in its window yet.
    fn unseen(&self) -> u64 {
        let seen = if self.config().pipeline.lag == 0 {
            self.state.store
        } else {
            // It learned up to the end of the generation before the last.
            let mut newest = self.file.generations.iter().rev();
            newest.nth(1).map_or(StoreMark::default(), |of| of.store)
        };
        self.store.total_games().saturating_sub(seen.games)
    }

    fn learning<'a>(&'a mut self, interrupt: &'a Interrupt) -> Learning<'a, V> {
        let unseen = self.unseen();
        Learning {
            session: self.session,
            run: &self.run,
            store: &self.store,
            learner: &mut self.learner,
            watchdog: &self.watchdog,
            publishing: &mut self.publishing,
            interrupt,
            after: self.state.generation,
            unseen,
        }
    }

    /// Stores the games that ended, once the generation before counts.
    fn keep(&mut self, played: &Played, line: &mut GenerationLine) -> Result<()> {
        self.settle()?;
        self.store.append(&played.records)?;
        self.store.close_segment()?;
        self.endings.add(&played.records, self.store.games());
        line.add_play(played);
        Ok(())
    }
}

/// Runs both at once and waits for both; when one gives up or fails, the other is asked to stop. `None` if one gave up.
fn side_by_side<A: Send, B>(
    stop: &Interrupt,
    play: impl FnOnce() -> Result<Option<A>> + Send,
    learn: impl FnOnce() -> Result<Option<B>>,
) -> Result<Option<(A, B)>> {
    thread::scope(|scope| {
        // A thread of its own, and none of the shared pool's, which have work to do for both.
        let play = thread::Builder::new()
            .name("play".to_owned())
            .spawn_scoped(scope, || stopping_the_other(stop, play))
            .context("cannot start a thread for self-play")?;
        let learned = stopping_the_other(stop, learn);
        let played = play
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match (played, learned) {
            (Ok(played), Ok(learned)) => Ok(played.zip(learned)),
            (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
            (Err(play), Err(learn)) => {
                Err(learn.context(format!("self-play failed too ({play:#})")))
            }
        }
    })
}

/// Does the work, and requests a stop if it does not come to its end, be it by a panic.
fn stopping_the_other<T>(
    stop: &Interrupt,
    work: impl FnOnce() -> Result<Option<T>>,
) -> Result<Option<T>> {
    struct Stopping<'a>(&'a Interrupt, bool);
    impl Drop for Stopping<'_> {
        fn drop(&mut self) {
            if !self.1 {
                self.0.request();
            }
        }
    }
    let mut stopping = Stopping(stop, false);
    let done = work()?;
    stopping.1 = done.is_some();
    Ok(done)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    /// Work that goes on until it is stopped.
    fn until(stop: &Interrupt) -> Option<()> {
        while !stop.requested() {
            thread::yield_now();
        }
        None
    }

    #[test]
    fn what_fails_stops_the_other_and_is_told() {
        let all = Interrupt::new();
        let stop = all.branch();
        let fails = || -> Result<Option<()>> { bail!("no power") };
        let said = |result: Result<Option<((), ())>>| format!("{:#}", result.unwrap_err());
        assert_eq!(
            said(side_by_side(&stop, fails, || Ok(until(&stop)))),
            "no power"
        );
        let stop = all.branch();
        assert_eq!(
            said(side_by_side(&stop, || Ok(until(&stop)), fails)),
            "no power"
        );
        let stop = all.branch();
        let late = || {
            until(&stop);
            bail!("no ink")
        };
        let text = said(side_by_side(&stop, late, fails));
        assert!(
            text.contains("no ink") && text.contains("no power"),
            "{text}"
        );
        assert!(!all.requested(), "a part does not stop the whole");
    }

    #[test]
    fn a_panic_stops_the_other() {
        let stop = Interrupt::new();
        let panicking = || -> Result<Option<()>> { panic!("on purpose") };
        let caught = std::panic::catch_unwind(|| {
            drop(side_by_side(&stop, panicking, || Ok(until(&stop))));
        });
        assert!(caught.is_err());
        let stop = Interrupt::new();
        let caught = std::panic::catch_unwind(|| {
            drop(side_by_side(&stop, || Ok(until(&stop)), panicking));
        });
        assert!(caught.is_err());
    }

    #[test]
    fn an_interrupt_stops_both_and_whoever_ends_first_is_waited_for() {
        let all = Interrupt::new();
        let stop = all.branch();
        let interrupting = || {
            all.request();
            Ok(until(&stop))
        };
        let given = side_by_side(&stop, interrupting, || Ok(until(&stop))).unwrap();
        assert_eq!(given, None);
        let stop = Interrupt::new();
        let given = side_by_side(&stop, || Ok(Some(1)), || Ok(Some(2))).unwrap();
        assert_eq!((given, stop.requested()), (Some((1, 2)), false));
    }
}
