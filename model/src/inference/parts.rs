//! The work on many positions, cut into parts for threads.

use std::ops::Range;

use rayon::prelude::*;

use super::Answers;
use crate::encoder::RowLists;
use crate::error::ModelError;

/// How many positions a thread takes at a time.
const CHUNK: usize = 32;

/// Some positions, and their part of [`Answers`].
pub(super) struct Part<'a> {
    pub(super) positions: Range<usize>,
    pub(super) logits: &'a mut [f32],
    pub(super) wdl: &'a mut [f32],
    pub(super) moves_left: &'a mut [f32],
}

/// Fills `out` by `evaluate`, a part at a time, on the threads of the caller's rayon pool.
///
/// # Errors
/// There are not so many positions.
pub(super) fn spread(
    lists: &RowLists,
    positions: Range<usize>,
    out: &mut Answers,
    evaluate: impl Fn(Part<'_>) + Send + Sync,
) -> Result<(), ModelError> {
    let parts = parts(lists, positions, out)?;
    if parts.len() == 1 {
        parts.into_iter().for_each(evaluate);
    } else {
        parts.into_par_iter().for_each(evaluate);
    }
    Ok(())
}

/// Cuts `out` into parts for all positions, after making it large enough.
///
/// # Errors
/// There are not so many positions.
fn parts<'a>(
    lists: &RowLists,
    positions: Range<usize>,
    out: &'a mut Answers,
) -> Result<Vec<Part<'a>>, ModelError> {
    if positions.end > lists.len() {
        return Err(ModelError::Batch(format!(
            "rows of {} positions are shown: must be of {}",
            lists.len(),
            positions.end
        )));
    }
    let size = positions.len();
    let moves = positions.clone().map(|at| lists.moves_of(at).len()).sum();
    out.logits.resize(moves, 0.0);
    out.wdl.resize(size * 3, 0.0);
    out.moves_left.resize(size, 0.0);
    let mut parts = Vec::with_capacity(size.div_ceil(CHUNK));
    let (mut logits, mut wdl) = (&mut out.logits[..], &mut out.wdl[..]);
    let mut moves_left = &mut out.moves_left[..];
    for start in positions.clone().step_by(CHUNK) {
        let positions = start..(start + CHUNK).min(positions.end);
        let moves = positions.clone().map(|at| lists.moves_of(at).len()).sum();
        let size = positions.len();
        parts.push(Part {
            positions,
            logits: logits.split_off_mut(..moves).unwrap_or_default(),
            wdl: wdl.split_off_mut(..size * 3).unwrap_or_default(),
            moves_left: moves_left.split_off_mut(..size).unwrap_or_default(),
        });
    }
    Ok(parts)
}
