//! A fixed-depth baseline that sees mates and nothing else.

use rand::seq::SliceRandom;
use rayon::prelude::*;
use rules::{Game, MoveOf, Position, Variant};

use super::{Player, Turn};
use crate::evaluator::EvaluatorError;
use crate::random::{Purpose, stream};

/// The score of a mate at ply 0 of a game; one at ply `n` is worth `n` less.
const MATE: i32 = 30_000;

/// Alpha-beta to a fixed depth. Leaves that are not the end of the game count as draws; equal moves are chosen from by seed.
#[derive(Clone, Copy, Debug)]
pub struct AlphaBeta {
    depth: u32,
    seed: u64,
}

impl AlphaBeta {
    /// Makes a player that looks `depth` plies ahead, at least 1.
    pub const fn new(depth: u32, seed: u64) -> Self {
        Self { depth, seed }
    }

    fn best<V: Variant>(self, turn: &Turn<'_, V>) -> MoveOf<V> {
        let mut game = turn.game.clone();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        // In a random order the first of the best is a random one of them.
        moves.shuffle(&mut stream(
            self.seed,
            Purpose::Player,
            turn.number,
            game.ply() as u64,
        ));
        let (mut best, mut alpha) = (moves[0], -MATE);
        for mv in moves {
            game.play(mv);
            let score = -search(&mut game, self.depth.saturating_sub(1), -MATE, -alpha);
            game.undo_to(turn.game.ply());
            if score > alpha {
                (best, alpha) = (mv, score);
            }
        }
        best
    }
}

/// Returns the value for the side to move, within `alpha` and `beta`, fail-hard. A mate is worth less the later it comes.
fn search<V: Variant>(game: &mut Game<V>, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let ply = game.ply();
    if let Some(outcome) = game.outcome(&moves) {
        return match outcome.winner {
            None => 0,
            Some(winner) if winner == game.position().side_to_move() => MATE - ply as i32,
            Some(_) => ply as i32 - MATE,
        };
    }
    if depth == 0 {
        return 0;
    }
    for mv in moves {
        game.play(mv);
        let score = -search(game, depth - 1, -beta, -alpha);
        game.undo_to(ply);
        if score >= beta {
            return beta;
        }
        alpha = alpha.max(score);
    }
    alpha
}

impl<V: Variant> Player<V> for AlphaBeta {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<MoveOf<V>>, EvaluatorError> {
        Ok(turns.par_iter().map(|turn| self.best(turn)).collect())
    }
}
