//! Runs many searches to their ends with one evaluation a step.

use rayon::prelude::*;
use rules::{MoveOf, Variant};

use crate::evaluator::{Evaluations, Evaluator, EvaluatorError, Leaf};
use crate::search::{Report, Search};

/// Runs every search, already begun, to its end and returns what each found, in order.
///
/// # Errors
/// If the evaluator fails.
pub fn search_all<V: Variant>(
    searches: &mut [Search<V>],
    evaluator: &mut dyn Evaluator<V>,
) -> Result<Vec<Report<MoveOf<V>>>, EvaluatorError> {
    let mut evaluations = Evaluations::default();
    let mut waiting: Vec<&mut Search<V>> = searches.iter_mut().collect();
    waiting = waiting
        .into_par_iter()
        .filter_map(|search| search.descend().then_some(search))
        .collect();
    while !waiting.is_empty() {
        let leaves: Vec<Leaf<'_, V>> = waiting.iter().map(|search| search.leaf()).collect();
        evaluator.evaluate(&leaves, &mut evaluations)?;
        drop(leaves);
        let go_on = |(at, search): (usize, &'_ mut Search<V>)| {
            search.back_up(evaluations.get(at));
            search.descend()
        };
        let open: Vec<bool> = waiting
            .par_iter_mut()
            .enumerate()
            .map(|(at, search)| go_on((at, search)))
            .collect();
        let mut open = open.into_iter();
        waiting.retain(|_| open.next() == Some(true));
    }
    Ok(searches.par_iter_mut().map(Search::report).collect())
}
