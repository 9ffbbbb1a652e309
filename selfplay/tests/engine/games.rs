//! Whole games through the protocols: every answer is a legal move, whoever thinks.

use rand::RngExt;
use rules::dialect::Dialect;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, MoveOf, Variant};
use selfplay::random::{Purpose, stream};

use super::talk::Talk;
use super::{Maker, baseline, random, rollouts, tree};

/// Returns a game of random moves that stands, not yet over, where `stands` wants it, given the number of legal moves.
pub(crate) fn random_game<V: Variant>(stands: impl Fn(&Game<V>, usize) -> bool) -> Game<V> {
    let mut rng = stream(11, Purpose::Sample, 0, 0);
    let mut legal = Vec::<MoveOf<V>>::new();
    let mut game = Game::<V>::new(V::OPTIONS);
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        if stands(&game, legal.len()) {
            return game;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// Plays a game from a random position against itself and returns its plies.
fn play_on<V: Variant>(talk: &mut Talk, dialect: Dialect, go: &str) -> usize {
    let mut game = random_game::<V>(|game, _| game.ply() == 6);
    // From that position without its past: any start will do.
    game = Game::from_position(*game.position(), V::OPTIONS);
    let mut legal = Vec::new();
    while game.ply() < 40 {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        talk.say(&format!("position {}", dialect.game_text(&game)));
        let answer = talk.ask(&format!("go {go}"), "bestmove");
        let mut words = answer.split_whitespace().skip(1);
        let mv = words.next().unwrap();
        game.play(dialect.parse_move::<V>(game.position(), mv).unwrap());
        if let (Some("ponder"), Some(next)) = (words.next(), words.next()) {
            dialect.parse_move::<V>(game.position(), next).unwrap();
        }
    }
    game.ply()
}

fn plays<V: Variant>(dialects: &[Dialect]) {
    let makers: [(Maker<V>, &str); 4] = [
        (baseline, "depth 1"),
        (random, "movetime 10"),
        (rollouts, "nodes 12"),
        (|| Box::new(tree()), "nodes 40"),
    ];
    for &dialect in dialects {
        for (maker, go) in makers {
            let mut talk = Talk::with(dialect, maker());
            assert!(play_on::<V>(&mut talk, dialect, go) > 1);
        }
    }
}

#[test]
fn of_showgit() {
    plays::<Showgit>(&[Dialect::Usi, Dialect::Uci]);
}

#[test]
fn of_euroshogi() {
    plays::<EuroShogi>(&[Dialect::Usi, Dialect::Uci]);
}

#[test]
fn of_xiangqi() {
    plays::<Xiangqi>(&[Dialect::Uci, Dialect::Ucci]);
}

#[test]
fn of_gufu() {
    plays::<Gufu>(&[Dialect::Uci, Dialect::Usi]);
}
