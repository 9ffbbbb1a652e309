//! Positions to write: those of the vectors, and of random games.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use rules::{Game, Position, Variant};
use serde_json::Value;

/// A small generator of random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}

/// Returns every `step`th game of the vectors, as far as our rules let it go on.
pub(crate) fn vectors<V: Variant>(name: &str, step: usize) -> Vec<Game<V>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/vectors/positions-{name}.jsonl.gz"));
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    let game = |line: Result<String, _>| {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let start = match line["sfen_or_fen"].as_str() {
            Some(text) => text.parse().unwrap(),
            None => V::Position::initial(),
        };
        let mut game = Game::<V>::from_position(start, V::OPTIONS);
        let moves = line["moves_from_start"].as_array();
        let mut legal = Vec::new();
        for mv in moves.into_iter().flatten() {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            game.play(game.position().parse_move(mv.as_str().unwrap()).unwrap());
        }
        game
    };
    lines.step_by(step).map(game).collect()
}

/// Plays random moves until the game ends, or `plies` of them.
pub(crate) fn random<V: Variant>(seed: u64, plies: usize) -> Game<V> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut game = Game::<V>::new(V::OPTIONS);
    let mut legal = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        game.play(legal[random.below(legal.len())]);
    }
    game
}
