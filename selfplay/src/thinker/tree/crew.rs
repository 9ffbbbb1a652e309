//! The threads that evaluate the leaves of one tree.

use std::time::{Duration, Instant};

use rules::Variant;

use crate::evaluator::{Evaluations, Evaluator, EvaluatorError};
use crate::search::{Descent, Search};
use crate::workers::Workers;

/// Leaves that a thread evaluates in the time of one: nets work in eights.
pub(super) const EIGHT: usize = 8;

/// Threads, each with its own fork of the evaluator. What a step takes is known from the last ones.
pub(super) struct Crew<V: Variant> {
    seats: Vec<Seat<V>>,
    workers: Workers,
    step_time: Duration,
}

/// What one thread works with.
struct Seat<V: Variant> {
    evaluator: Box<dyn Evaluator<V>>,
    evaluations: Evaluations,
    failed: Option<EvaluatorError>,
}

impl<V: Variant> Seat<V> {
    fn new(evaluator: Box<dyn Evaluator<V>>) -> Self {
        Self {
            evaluator,
            evaluations: Evaluations::default(),
            failed: None,
        }
    }
}

impl<V: Variant> std::fmt::Debug for Crew<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew")
            .field("threads", &self.seats.len())
            .finish_non_exhaustive()
    }
}

impl<V: Variant> Crew<V> {
    /// Makes a crew of one thread.
    pub(super) fn new(evaluator: Box<dyn Evaluator<V>>) -> Self {
        Self {
            seats: vec![Seat::new(evaluator)],
            workers: Workers::of(1),
            step_time: Duration::ZERO,
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.seats.len()
    }

    /// Changes the number of threads.
    pub(super) fn resize(&mut self, threads: usize) {
        let threads = threads.max(1);
        if threads == self.seats.len() {
            return;
        }
        self.seats.truncate(threads);
        while self.seats.len() < threads {
            let fork = self.seats[0].evaluator.fork();
            self.seats.push(Seat::new(fork));
        }
        self.workers = Workers::of(threads);
        self.step_time = Duration::ZERO;
    }

    /// Returns the threads; the first of them is the one to call [`Crew::step`] on.
    pub(super) fn workers(&self) -> Workers {
        self.workers.clone()
    }

    /// Returns what a step took lately.
    pub(super) fn step_time(&self) -> Duration {
        self.step_time
    }

    /// Runs up to so many simulations, evaluates their leaves on all threads, and settles them. Returns `false` if nothing could be done.
    pub(super) fn step(
        &mut self,
        search: &mut Search<V>,
        leaves: u32,
    ) -> Result<bool, EvaluatorError> {
        let begun = Instant::now();
        let (fresh, before) = (search.is_fresh(), search.simulations());
        let share = (leaves as usize)
            .div_ceil(self.seats.len())
            .next_multiple_of(EIGHT);
        let waiting = self.gather(search, leaves, share);
        let seats = waiting.div_ceil(share);
        self.workers.side_by_side(&mut self.seats[..seats], |seat| {
            let evaluated = seat.evaluator.evaluate(&mut seat.evaluations);
            seat.failed = evaluated.err();
        });
        for seat in &mut self.seats[..seats] {
            if let Some(error) = seat.failed.take() {
                return Err(error);
            }
        }
        for number in 0..waiting {
            let evaluations = &self.seats[number / share].evaluations;
            search.settle(evaluations.get(number % share));
        }
        let took = begun.elapsed();
        // A busy machine is noticed at once, and forgotten slowly.
        self.step_time = took.max((3 * self.step_time + took) / 4);
        Ok(search.simulations() > before || fresh)
    }

    /// Runs simulations until so many leaves wait, or none can be run; returns how many wait. Each thread takes down its share, the first
    /// thread first.
    fn gather(&mut self, search: &mut Search<V>, leaves: u32, share: usize) -> usize {
        search.set_leaves(leaves);
        let mut answer = Evaluations::default();
        let mut waiting = 0;
        while !search.is_full() && search.descend() == Descent::Leaf {
            answer.clear();
            let evaluator = &mut self.seats[waiting / share].evaluator;
            if evaluator.defer(&search.leaf(), &mut answer) {
                search.back_up(answer.get(0));
            } else {
                search.put_off();
                waiting += 1;
            }
        }
        waiting
    }
}
