//! What a tree search says of its root.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{MoveOf, Variant, Wdl};

use crate::search::{RootMove, Search};
use crate::thinker::{Control, Line, Score, Task, Thought};

/// Returns what the search thinks: the moves that may be chosen, the best first.
pub(super) fn thought<V: Variant>(
    search: &mut Search<V>,
    task: &Task<V>,
    control: &Control,
) -> Thought<MoveOf<V>> {
    let (moves, root) = allowed_moves(search, task);
    let mut lines: Vec<Line<MoveOf<V>>> = moves
        .into_iter()
        .take(task.lines.max(1))
        .map(line)
        .collect();
    let first = &mut lines[0];
    if first.wdl.is_none() {
        first.wdl = Some(root);
        first.score = Some(Score::of_wdl(root));
    }
    let depth = first.moves.len() as u32;
    Thought {
        depth,
        nodes: u64::from(search.simulations()),
        time: control.since_asked(),
        lines,
    }
}

/// Draws a move with probability proportional to its visits raised to the inverse temperature, unless the choice is certain, and puts it first.
pub(super) fn draw<V: Variant>(
    search: &mut Search<V>,
    task: &Task<V>,
    thought: &mut Thought<MoveOf<V>>,
    rng: &mut ChaCha8Rng,
) {
    if search.is_decided() {
        return;
    }
    let (moves, _) = allowed_moves(search, task);
    let open = moves.iter().filter(|known| known.mate.is_none());
    let most = open.clone().map(|known| known.visits).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let weight = |known: &RootMove<MoveOf<V>>| {
        (f64::from(known.visits) / f64::from(most)).powf(1.0 / f64::from(task.temperature))
    };
    let mut left = rng.random::<f64>() * open.clone().map(weight).sum::<f64>();
    for known in open {
        left -= weight(known);
        if left < 0.0 {
            let drawn = line(known.clone());
            thought.lines.retain(|line| line.moves[0] != known.mv());
            thought.lines.insert(0, drawn);
            thought.lines.truncate(task.lines.max(1));
            return;
        }
    }
}

/// Returns the moves that may be chosen, the best first, and the value of the root.
fn allowed_moves<V: Variant>(
    search: &mut Search<V>,
    task: &Task<V>,
) -> (Vec<RootMove<MoveOf<V>>>, Wdl) {
    let report = search.report();
    let mut moves = search.root_moves(&report);
    moves.retain(|known| task.moves.contains(&known.mv()));
    // Where the search chose among all moves, its choice may have been left out.
    if moves.first().is_none_or(|first| first.mv() != report.mv) {
        moves.sort_by_key(|known| match known.mate {
            Some(plies) if plies > 0 => (0, plies),
            None => (1, -(known.visits as i32)),
            Some(plies) => (2, plies),
        });
    }
    (moves, report.root)
}

fn line<M: Copy>(known: RootMove<M>) -> Line<M> {
    Line {
        score: match known.mate {
            Some(plies) => Some(Score::Certain(plies)),
            None => known.wdl.map(Score::of_wdl),
        },
        wdl: known.wdl,
        moves: known.line,
    }
}
