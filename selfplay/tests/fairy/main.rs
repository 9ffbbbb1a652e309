//! The alpha-beta player against Fairy-Stockfish, which runs as a program of its own and is skipped where it is missing.
//!
//! Few pairs are played by default. `SENPU_FAIRY_PAIRS=200` plays more; `SENPU_FAIRY_LIMIT`, `SENPU_FAIRY_DEPTH` and `SENPU_FAIRY_NODES`
//! change what the two may use; run with `--nocapture` to see the figures.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engine;

use std::path::PathBuf;
use std::str::FromStr;

use engine::{Engine, program, say};
use rand::RngExt;
use rayon::prelude::*;
use rules::variants::{euroshogi::EuroShogi, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Outcome, Position, Reason, Side, Variant};
use selfplay::arena::{PairCounts, strength};
use selfplay::players::alphabeta::{AlphaBeta, AlphaBetaConfig, Limits, Searcher};
use selfplay::random::{Purpose, stream};
use selfplay::{Player, Turn};

/// Random plies of an opening, and how far from even a short search may find the position after them, in hundredths of a pawn.
const OPENING_PLIES: usize = 8;
const BALANCE: i32 = 150;

fn setting<T: FromStr>(key: &str) -> Option<T> {
    std::env::var(key).ok().and_then(|value| value.parse().ok())
}

fn opening<V: Variant>(pair: u64) -> Game<V> {
    let mut rng = stream(7, Purpose::Opening, pair, 0);
    let mut searcher = Searcher::<V>::new(16);
    let mut game = Game::<V>::new(V::OPTIONS);
    let mut legal = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
        } else if game.ply() < OPENING_PLIES {
            game.play(legal[rng.random_range(0..legal.len())]);
        } else if searcher.search(&game, &legal, Limits::depth(5)).value.abs() <= BALANCE {
            return game;
        } else {
            game.undo_to(0);
        }
    }
}

/// Plays one game from an opening; the engine forfeits by naming no legal move.
fn play<V: Variant>(
    mut game: Game<V>,
    ours: Side,
    (player, engine): (&mut AlphaBeta<V>, &mut Engine),
    limit: &str,
) -> Outcome {
    let mut legal = Vec::new();
    loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            return outcome;
        }
        let mv = if game.position().side_to_move() == ours {
            let turn = Turn {
                game: &game,
                number: 0,
            };
            player.choose(&[turn]).unwrap()[0].mv
        } else {
            match engine.choose(&game, limit) {
                Some(mv) => mv,
                None => return Outcome::win(ours, Reason::Forfeit),
            }
        };
        game.play(mv);
    }
}

/// Plays pairs and returns how many gave us 0, 1, 2, 3 or 4 half points.
fn pairs<V: Variant>(program: &PathBuf, count: u64, ours: Limits, limit: &str) -> [u64; 5] {
    let start = || Engine::start(program, V::ID);
    let half_points: Vec<usize> = (0..count)
        .into_par_iter()
        .map_init(start, |engine, pair| {
            let game = opening::<V>(pair);
            let mut player = AlphaBeta::new(AlphaBetaConfig::new(ours), pair);
            let points = |side| {
                let outcome = play(game.clone(), side, (&mut player, engine), limit);
                outcome
                    .winner
                    .map_or(1, |winner| 2 * usize::from(winner == side))
            };
            [Side::First, Side::Second].map(points).iter().sum()
        })
        .collect();
    let mut counts = [0; 5];
    for points in half_points {
        counts[points] += 1;
    }
    counts
}

/// Plays a match and returns the share of points, or `None` without the engine.
fn score<V: Variant>(count: u64, depth: u32, limit: &str) -> Option<f64> {
    let program = program()?;
    let count = setting("SENPU_FAIRY_PAIRS").unwrap_or(count);
    let limit = setting("SENPU_FAIRY_LIMIT").unwrap_or_else(|| limit.to_owned());
    let ours = match setting("SENPU_FAIRY_NODES") {
        Some(nodes) => Limits::nodes(nodes),
        None => Limits::depth(setting("SENPU_FAIRY_DEPTH").unwrap_or(depth)),
    };
    let counts = pairs::<V>(&program, count, ours, &limit);
    let strength = strength(&PairCounts(counts));
    say(&format!(
        "{}: {ours:?} against `go {limit}`: pairs by half points {counts:?}, score {:?}, Elo {}",
        V::ID,
        strength.score,
        strength.elo
    ));
    strength.score
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_euroshogi() {
    if let Some(score) = score::<EuroShogi>(10, 4, "nodes 100") {
        assert!(score > 0.75, "score {score}");
    }
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_shogi() {
    if let Some(score) = score::<Showgit>(4, 4, "nodes 100") {
        assert!(score > 0.5, "score {score}");
    }
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_xiangqi() {
    if let Some(score) = score::<Xiangqi>(4, 4, "nodes 100") {
        assert!(score > 0.5, "score {score}");
    }
}
