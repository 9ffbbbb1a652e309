//! What is true, where a game is solved.

use anyhow::{Context, Result, bail};
use rules::solver::{Exact, Solution};
use rules::{MoveOf, Position, Variant, Wdl};

use super::{Analysis, KnownMove, Question, Worth, shown, texts};
use crate::dispatch::Parts;

/// Solves the game and looks the position up.
pub(super) fn analyse<V: Variant>(
    question: &Question<'_, V>,
    legal: &[MoveOf<V>],
    parts: &Parts<V>,
) -> Result<Analysis> {
    let Some(yardstick) = &parts.yardstick else {
        bail!(
            "player `exact`: {} is too large to be solved; `gufu` can be",
            V::ID
        );
    };
    let solution = (yardstick.solve)();
    let position = question.game.position();
    let value = solution
        .value(position)
        .with_context(|| format!("`{position}` cannot be reached from the start of {}", V::ID))?;
    let mut values = Vec::new();
    solution.move_values(position, &mut values);
    let mut moves: Vec<(MoveOf<V>, Exact)> = legal.iter().copied().zip(values).collect();
    moves.sort_by_key(|&(_, value)| from_best(value));
    Ok(Analysis {
        value: worth(value),
        unsearched: None,
        simulations: None,
        depth: None,
        nodes: None,
        legal: legal.len(),
        moves: moves[..shown(question.lines, legal.len())]
            .iter()
            .map(|&(mv, value)| KnownMove {
                mv: mv.to_string(),
                value: Some(worth(value)),
                prior: None,
                visits: None,
                target: None,
                line: texts(&line(&solution, position, mv)),
            })
            .collect(),
    })
}

/// Sorts the quickest win first and the quickest loss last.
fn from_best(value: Exact) -> (u8, i32) {
    let plies = value.plies().map_or(0, i32::from);
    match value {
        Exact::Win(_) => (0, plies),
        Exact::Draw => (1, 0),
        Exact::Loss(_) => (2, -plies),
    }
}

fn worth(value: Exact) -> Worth {
    let plies = value.plies().map(i32::from);
    match value {
        Exact::Win(_) => Worth::of_wdl(Wdl::WIN).with_mate(plies),
        Exact::Draw => Worth::of_wdl(Wdl::DRAW),
        Exact::Loss(_) => Worth::of_wdl(Wdl::LOSS).with_mate(plies.map(|plies| -plies)),
    }
}

/// Returns a move and the best play after it up to the mate. A draw can be held for ever: there the move stands alone.
fn line<V: Variant>(
    solution: &Solution<V>,
    position: &V::Position,
    mv: MoveOf<V>,
) -> Vec<MoveOf<V>> {
    let (mut line, mut position) = (vec![mv], *position);
    position.play(mv);
    while !matches!(solution.value(&position), None | Some(Exact::Draw)) {
        let Some(&next) = solution.best_moves(&position).first() else {
            break;
        };
        line.push(next);
        position.play(next);
    }
    line
}
