//! The alpha-beta player against Fairy-Stockfish, which runs as a program of its own and is skipped where it is missing.
//!
//! Few pairs are played by default. `SENPU_FAIRY_PAIRS=200` plays more; `SENPU_FAIRY_LIMIT` (nodes of the engine), `SENPU_FAIRY_DEPTH` and
//! `SENPU_FAIRY_NODES` change what the two may use; run with `--nocapture` to see the figures.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engine;

use std::str::FromStr;

use engine::{config, program, say};
use rules::Variant;
use rules::variants::{euroshogi::EuroShogi, showgit::Showgit, xiangqi::Xiangqi};
use selfplay::arena::{Arena, Balance, Faults, MatchConfig, Openings, strength};
use selfplay::players::alphabeta::{AlphaBeta, AlphaBetaConfig, Limits};
use selfplay::players::{EngineLimit, OutsidePlayer};

/// Random plies of an opening, and how far from even a short search may find the position after them, as `win - loss`.
const OPENING_PLIES: u32 = 8;
const BALANCE: f32 = 0.4;

fn setting<T: FromStr>(key: &str) -> Option<T> {
    std::env::var(key).ok().and_then(|value| value.parse().ok())
}

/// Plays a match and returns the share of points, or `None` without the engine.
fn score<V: Variant>(pairs: u32, depth: u32, nodes: u64) -> Option<f64> {
    let program = program()?;
    let nodes = setting("SENPU_FAIRY_LIMIT").unwrap_or(nodes);
    let ours = match setting("SENPU_FAIRY_NODES") {
        Some(nodes) => Limits::nodes(nodes),
        None => Limits::depth(setting("SENPU_FAIRY_DEPTH").unwrap_or(depth)),
    };
    let player = AlphaBeta::<V>::new(AlphaBetaConfig::new(ours), 1);
    let theirs = config(program, V::ID, EngineLimit::Nodes(nodes));
    let engine = OutsidePlayer::start::<V>(theirs).unwrap();
    let judge = AlphaBeta::new(AlphaBetaConfig::new(Limits::depth(5)), 2);
    let arena = Arena::<V>::new(MatchConfig {
        pairs: setting("SENPU_FAIRY_PAIRS").unwrap_or(pairs),
        opening_plies: OPENING_PLIES,
        concurrent: 16,
        seed: 7,
        options: V::OPTIONS,
    })
    .with_openings(Openings::Random {
        plies: OPENING_PLIES,
        balance: Some(Balance {
            judge: Box::new(judge),
            bound: BALANCE,
        }),
    });
    let result = arena.play([&player, &engine], &mut |_| true).unwrap();
    let [own, faults] = result.faults();
    assert_eq!((own, faults.forfeits()), (Faults::default(), 0));
    let strength = strength(&result.tally().pairs);
    say(&format!(
        "{}: {ours:?} against {nodes} nodes: pairs by half points {:?}, score {:?}, Elo {}, ended by {:?}",
        V::ID,
        result.tally().pairs.0,
        strength.score,
        strength.elo,
        result.endings()
    ));
    strength.score
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_euroshogi() {
    if let Some(score) = score::<EuroShogi>(10, 4, 100) {
        assert!(score > 0.75, "score {score}");
    }
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_shogi() {
    if let Some(score) = score::<Showgit>(4, 4, 100) {
        assert!(score > 0.5, "score {score}");
    }
}

#[test]
fn depth_4_beats_100_nodes_of_fairy_stockfish_in_xiangqi() {
    if let Some(score) = score::<Xiangqi>(4, 4, 100) {
        assert!(score > 0.5, "score {score}");
    }
}
