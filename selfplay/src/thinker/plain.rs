//! Thinks with a player that only ever says its move.

use rules::{MoveOf, Variant};

use super::{Abilities, Control, Line, Resources, Score, Task, Tell, Thinker, Thought};
use crate::evaluator::EvaluatorError;
use crate::players::{Player, Turn};

/// Answers as a player of matches does, at once and by its own limits.
pub struct PlainThinker<V: Variant> {
    player: Box<dyn Player<V>>,
}

impl<V: Variant> PlainThinker<V> {
    /// Makes a thinker of a player.
    pub fn new(player: Box<dyn Player<V>>) -> Self {
        Self { player }
    }
}

impl<V: Variant> std::fmt::Debug for PlainThinker<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainThinker").finish_non_exhaustive()
    }
}

impl<V: Variant> Thinker<V> for PlainThinker<V> {
    fn think(
        &mut self,
        task: &Task<V>,
        control: &Control,
        _: &mut Tell<'_, MoveOf<V>>,
    ) -> Result<Thought<MoveOf<V>>, EvaluatorError> {
        let turn = Turn {
            game: &task.game,
            number: task.number,
        };
        let choice = self.player.choose(&[turn])?.remove(0);
        let wanted = choice.mv().filter(|mv| task.moves.contains(mv));
        let Some(&mv) = wanted else {
            // It cannot be kept to some moves, or gives up where a move is wanted: any will do.
            return Ok(unexplained(task.moves[0], control));
        };
        let mut thought = unexplained(mv, control);
        thought.lines[0].wdl = choice.wdl;
        thought.lines[0].score = choice.wdl.map(Score::of_wdl);
        Ok(thought)
    }

    fn set_up(&mut self, _: Resources) {}

    fn forget(&mut self) {}

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }
}

/// Returns a move without a reason.
pub(super) fn unexplained<M>(mv: M, control: &Control) -> Thought<M> {
    Thought {
        lines: vec![Line {
            moves: vec![mv],
            score: None,
            wdl: None,
        }],
        nodes: 0,
        depth: 0,
        time: control.since_asked(),
    }
}
