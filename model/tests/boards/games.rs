//! Games to encode: the vectors of `rules`, and random play.

use std::io::Read;
use std::path::Path;

use model::{BoardEncoder, Encoder};
use rules::board::{Board, Ruleset};
use rules::{Game, VariantId, ZoneStart};
use serde_json::Value;

/// A game on a grid, whose positions are boards.
pub(crate) trait GridGame: Ruleset<Position = Board<Self>> {}

impl<R: Ruleset<Position = Board<R>>> GridGame for R {}

/// Returns a game that stands at each vector position, without the moves that led there.
pub(crate) fn vectors<R: GridGame>() -> Vec<Game<R>> {
    let name = match R::ID {
        VariantId::Showgit => "shogi",
        other => other.name(),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../rules/tests/vectors/positions-{name}.jsonl.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let games: Vec<Game<R>> = text
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            at(line["fen"].as_str().unwrap())
        })
        .collect();
    assert_eq!(games.len(), 2000);
    games
}

/// Returns a game that starts from a position text.
pub(crate) fn at<R: GridGame>(text: &str) -> Game<R> {
    Game::from_position(
        text.parse().unwrap_or_else(|error| panic!("{error}")),
        R::OPTIONS,
    )
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Plays random games and shows each position of them.
pub(crate) fn random_games<R: GridGame>(count: u64, mut show: impl FnMut(&Game<R>)) {
    let mut legal = Vec::new();
    for seed in 0..count {
        let mut numbers = Numbers(seed);
        let mut options = R::OPTIONS;
        if seed % 2 == 1 {
            options.zone_start_promotion = ZoneStart::Optional;
        }
        let mut game = Game::<R>::new(options);
        loop {
            game.legal_moves(&mut legal);
            show(&game);
            if game.outcome(&legal).is_some() {
                break;
            }
            game.play(legal[numbers.below(legal.len())]);
        }
    }
}

/// Returns the planes of a game's position. What was in the buffer before must not show.
pub(crate) fn planes<R: GridGame>(encoder: &BoardEncoder<R>, game: &Game<R>) -> Vec<f32> {
    let mut planes = vec![9.0; encoder.shape().plane_len()];
    encoder.encode(game, &mut planes);
    planes
}
