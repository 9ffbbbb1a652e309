//! Transcripts in every format: what is written is read, what other programs write is read too, and what is wrong is refused with its line.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod endings;
mod foreign;
mod golden;
mod records;
mod round_trips;
mod wrong;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position as _, RuleOptions, Variant};
use selfplay::Transcript;
use selfplay::notation::Format;
use selfplay::random::{Purpose, stream};

fn rng(number: u64) -> ChaCha8Rng {
    stream(7, Purpose::Sample, number, 0)
}

/// Plays random plies, fewer if the game ends before.
fn play<V: Variant>(game: &mut Game<V>, plies: usize, rng: &mut ChaCha8Rng) {
    let mut legal = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// Returns a random game, which may start anywhere.
fn random_game<V: Variant>(options: RuleOptions, plies: usize, rng: &mut ChaCha8Rng) -> Game<V> {
    let mut game = Game::<V>::new(options);
    let before = rng.random_range(0..30);
    if before > 15 {
        play(&mut game, before, rng);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        while game.outcome(&legal).is_some() {
            game.undo_to(game.ply() - 1);
            game.legal_moves(&mut legal);
        }
        game = Game::from_position(*game.position(), options);
    }
    play(&mut game, plies, rng);
    game
}

fn formats<V: Variant>() -> impl Iterator<Item = Format> {
    let fits = |format: &Format| format.game().is_none_or(|game| game == V::ID);
    Format::ALL.into_iter().filter(fits)
}

fn read<V: Variant>(format: Format, text: &str) -> Vec<Transcript<V>> {
    format
        .read(text, V::OPTIONS)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn read_one<V: Variant>(format: Format, text: &str) -> Transcript<V> {
    let mut games = read(format, text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

fn moves<V: Variant>(transcript: &Transcript<V>) -> Vec<String> {
    let moves = transcript.game.moves();
    moves.iter().map(ToString::to_string).collect()
}

fn start_key<V: Variant>(transcript: &Transcript<V>) -> u64 {
    transcript.game.start().key()
}
