//! Counts of the leaves of the game tree: the standard check of a move generator.
//!
//! Repetition and caps play no part, as everywhere in the field.

use crate::position::Position;

/// Counts the lines of exactly `depth` plies from `position`.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize];
    count(position, &mut buffers)
}

/// Counts as [`perft`] does, but plays every move, the last ones included: what making positions costs.
pub fn perft_played<P: Position>(position: &P, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize];
    count_played(position, &mut buffers)
}

/// Counts the lines of `depth` plies after each legal move, in the order of the moves.
///
/// # Panics
/// If `depth` is 0.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Move, u64)> {
    assert!(depth > 0, "divide needs a depth of at least 1");
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let after = |mv| {
        let mut next = *position;
        next.play(mv);
        (mv, perft(&next, depth - 1))
    };
    moves.into_iter().map(after).collect()
}

/// One move buffer a remaining depth, so that nothing is allocated on the way down.
fn count<P: Position>(position: &P, buffers: &mut [Vec<P::Move>]) -> u64 {
    let Some((moves, deeper)) = buffers.split_first_mut() else {
        return 1;
    };
    if deeper.is_empty() {
        return position.count_moves(moves) as u64;
    }
    position.legal_moves(moves);
    let mut leaves = 0;
    for &mv in &*moves {
        let mut next = *position;
        next.play(mv);
        leaves += count(&next, deeper);
    }
    leaves
}

fn count_played<P: Position>(position: &P, buffers: &mut [Vec<P::Move>]) -> u64 {
    let Some((moves, deeper)) = buffers.split_first_mut() else {
        return 1;
    };
    position.legal_moves(moves);
    let mut leaves = 0;
    for &mv in &*moves {
        let mut next = *position;
        next.play(mv);
        leaves += count_played(&next, deeper);
    }
    leaves
}
