//! A look for short mates in a new position.

use rules::{Game, MoveOf, Position as _, Variant};

/// Buffers of the look for mates.
#[derive(Clone, Debug)]
pub(super) struct MateFinder<V: Variant> {
    replies: Vec<MoveOf<V>>,
    answers: Vec<MoveOf<V>>,
    last: Vec<MoveOf<V>>,
}

impl<V: Variant> MateFinder<V> {
    pub(super) fn new() -> Self {
        Self {
            replies: Vec::new(),
            answers: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Returns a move that mates within `plies`, and the plies it takes: 1, or 3 along checks alone. `moves` are the legal moves.
    ///
    /// What is found holds by the game's history too: no line of it ends by repetition or a cap before the mate.
    pub(super) fn find(
        &mut self,
        game: &mut Game<V>,
        moves: &[MoveOf<V>],
        plies: u32,
    ) -> Option<(MoveOf<V>, u16)> {
        if plies == 0 {
            return None;
        }
        if let Some(mv) = game.position().mate_in_one(moves, &mut self.replies) {
            return Some((mv, 1));
        }
        if plies < 3 {
            return None;
        }
        let gives_check = |mv: &MoveOf<V>| {
            let mut next = *game.position();
            next.play(*mv);
            next.in_check()
        };
        let checks: Vec<MoveOf<V>> = moves.iter().copied().filter(gives_check).collect();
        let mate = checks.into_iter().find(|&mv| self.forces(game, mv))?;
        Some((mate, 3))
    }

    /// Tells whether every reply to the check `mv` is mated at once.
    fn forces(&mut self, game: &mut Game<V>, mv: MoveOf<V>) -> bool {
        let ply = game.ply();
        game.play(mv);
        let mut replies = std::mem::take(&mut self.replies);
        game.legal_moves(&mut replies);
        let mut forced = game.outcome(&replies).is_none();
        for &reply in &replies {
            if !forced {
                break;
            }
            game.play(reply);
            game.legal_moves(&mut self.answers);
            forced = game.outcome(&self.answers).is_none()
                && game
                    .position()
                    .mate_in_one(&self.answers, &mut self.last)
                    .is_some();
            game.undo_to(ply + 1);
        }
        self.replies = replies;
        game.undo_to(ply);
        forced
    }
}

/// Adds to a line from `game` the mate that was seen at its end without a search, if there is one.
pub(crate) fn complete_mate<V: Variant>(game: &Game<V>, line: &mut Vec<MoveOf<V>>) {
    let mut end = game.clone();
    let mut legal = Vec::new();
    for &mv in line.iter() {
        end.play(mv);
    }
    end.legal_moves(&mut legal);
    if end.outcome(&legal).is_some() {
        return;
    }
    let mut finder = MateFinder::new();
    while let Some((mv, plies)) = finder.find(&mut end, &legal, 3) {
        line.push(mv);
        end.play(mv);
        end.legal_moves(&mut legal);
        // Every reply to a mate in three is mated at once.
        let Some(&reply) = legal.first().filter(|_| plies > 1) else {
            return;
        };
        line.push(reply);
        end.play(reply);
        end.legal_moves(&mut legal);
    }
}
