//! The alpha-beta player.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod endings;
mod limits;
mod mates;

use rules::{Game, MoveOf, Position, Variant};
use selfplay::players::alphabeta::{Found, Limits, Searcher};

/// Entries of the table in these tests, as a power of two.
const TABLE_BITS: u32 = 14;

/// Starts a game from a position's text and plays moves.
fn game<V: Variant>(position: &str, moves: &str) -> Game<V> {
    let mut game = Game::from_position(position.parse().unwrap(), V::OPTIONS);
    for text in moves.split_whitespace() {
        let mv = Position::parse_move(game.position(), text).unwrap();
        game.play(mv);
    }
    game
}

/// Searches all moves of a game with fresh memory.
fn search<V: Variant>(game: &Game<V>, limits: Limits) -> Found<MoveOf<V>> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    Searcher::new(TABLE_BITS).search(game, &legal, limits)
}
