//! Many searches side by side: all go on to leaves that need an evaluation, all of these are evaluated at once, and so on.

use rules::{MoveOf, Variant};

use crate::evaluator::{Evaluation, Evaluations, Evaluator, EvaluatorError};
use crate::search::{Descent, Report, Search};
use crate::workers::{Crew, Workers};

/// One of many that search side by side.
pub(crate) trait Seat<V: Variant> {
    /// Goes on until leaves were put off or there is nothing left to do, and returns the number of leaves put off.
    fn go_on(&mut self, evaluator: &mut dyn Evaluator<V>, answer: &mut Evaluations) -> usize;

    /// Takes the evaluation of the leaf that was put off first.
    fn settle(&mut self, evaluation: Evaluation<'_>);
}

/// What a step of [`drive`] did, for who watches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// Leaves evaluated together.
    pub(crate) leaves: usize,
}

/// Drives all seats to their ends with one evaluator, on this thread. `watch` is called after each batch, and may end it by returning `false`.
///
/// # Errors
/// If the evaluator fails.
pub(crate) fn drive<V: Variant, S: Seat<V>>(
    seats: &mut [S],
    evaluator: &mut dyn Evaluator<V>,
    mut watch: impl FnMut(&mut [S], Batch) -> bool,
) -> Result<(), EvaluatorError> {
    let (mut answer, mut evaluations) = (Evaluations::default(), Evaluations::default());
    let mut open: Vec<usize> = (0..seats.len()).collect();
    let mut waiting = Vec::new();
    loop {
        waiting.clear();
        open.retain(|&at| {
            let leaves = seats[at].go_on(evaluator, &mut answer);
            waiting.extend(std::iter::repeat_n(at, leaves));
            leaves > 0
        });
        if !waiting.is_empty() {
            evaluator.evaluate(&mut evaluations)?;
        }
        for (number, &at) in waiting.iter().enumerate() {
            seats[at].settle(evaluations.get(number));
        }
        let leaves = waiting.len();
        if !watch(seats, Batch { leaves }) || waiting.is_empty() {
            return Ok(());
        }
    }
}

impl<V: Variant> Search<V> {
    /// Runs simulations until as many leaves are put off as may wait together, or none can be run. Leaves that the evaluator answers at once
    /// are backed up at once. The search is over if it then has no leaf pending.
    pub(crate) fn run(&mut self, evaluator: &mut dyn Evaluator<V>, answer: &mut Evaluations) {
        while !self.is_full() && self.descend() == Descent::Leaf {
            answer.clear();
            if evaluator.ask(&self.leaf(), answer) {
                self.back_up(answer.get(0));
            } else {
                self.put_off();
            }
        }
    }
}

impl<V: Variant> Seat<V> for Search<V> {
    fn go_on(&mut self, evaluator: &mut dyn Evaluator<V>, answer: &mut Evaluations) -> usize {
        self.run(evaluator, answer);
        self.pending()
    }

    fn settle(&mut self, evaluation: Evaluation<'_>) {
        Self::settle(self, evaluation);
    }
}

/// Returns how many threads an evaluator can keep busy.
pub(crate) fn crew<V: Variant>(evaluator: &dyn Evaluator<V>) -> Crew {
    if evaluator.waits() {
        Crew::Halves
    } else {
        Crew::Cores
    }
}

/// Runs every search, already begun, to its end on all threads and returns what each found, in order.
///
/// # Errors
/// If the evaluator fails.
pub fn search_all<V: Variant>(
    searches: &mut [Search<V>],
    evaluator: &mut dyn Evaluator<V>,
    workers: &Workers,
) -> Result<Vec<Report<MoveOf<V>>>, EvaluatorError> {
    let parts = workers.share(
        crew(evaluator),
        searches,
        || evaluator.fork(),
        |part, mut evaluator| {
            drive(part, evaluator.as_mut(), |_, _| true)?;
            Ok(part.iter_mut().map(Search::report).collect::<Vec<_>>())
        },
    );
    let mut reports = Vec::with_capacity(searches.len());
    for part in parts {
        reports.extend(part?);
    }
    Ok(reports)
}
