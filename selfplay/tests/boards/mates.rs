//! Mates in one and three, found in positions of random games by trying every move.

use rand::RngExt;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, MoveOf, Position, Variant, Wdl};
use selfplay::random::{Purpose, stream};
use selfplay::{RootKind, SearchConfig, UniformEvaluator};

use super::{config, plainly, run};

/// Tells whether the mover can force mate within `plies` by checks alone.
fn mates<P: Position>(position: &P, plies: u32) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().any(|mv| is_mating(position, mv, plies))
}

fn is_mating<P: Position>(position: &P, mv: P::Move, plies: u32) -> bool {
    let mut next = *position;
    next.play(mv);
    if !next.in_check() {
        return false;
    }
    let mut replies = Vec::new();
    next.legal_moves(&mut replies);
    let is_answered = |&reply: &P::Move| {
        let mut after = next;
        after.play(reply);
        plies >= 3 && mates(&after, plies - 2)
    };
    replies.iter().all(is_answered)
}

/// Returns games of random moves that stand before a mate in exactly `plies`.
fn before_mates<V: Variant>(plies: u32, count: usize) -> Vec<Game<V>> {
    let mut rng = stream(7, Purpose::Sample, u64::from(plies), 0);
    let (mut found, mut legal) = (Vec::new(), Vec::<MoveOf<V>>::new());
    let mut game = Game::<V>::new(V::OPTIONS);
    while found.len() < count {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        if mates(game.position(), plies) && (plies == 1 || !mates(game.position(), plies - 2)) {
            found.push(game.clone());
            game.undo_to(0);
            continue;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
    found
}

fn mates_are_found<V: Variant>() {
    for plies in [1, 3] {
        let games = before_mates::<V>(plies, 6);
        for root in [RootKind::Gumbel, RootKind::Puct] {
            let looking = |mate_plies, simulations| SearchConfig {
                mate_plies,
                ..config(root, simulations)
            };
            for game in &games {
                // Seen at the root, before any simulation, or found by the simulations themselves.
                let seen = run(
                    game.clone(),
                    looking(plies, 2),
                    plainly(2),
                    &mut UniformEvaluator,
                );
                assert!(seen.proven, "{root:?} {}", game.position());
                assert_eq!(seen.root, Wdl::WIN);
                assert!(is_mating(game.position(), seen.mv, plies));
                let mut config = looking(u32::from(plies == 3), 20_000);
                config.gumbel.considered = 600;
                let found = run(game.clone(), config, plainly(20_000), &mut UniformEvaluator);
                assert!(
                    found.proven && found.root == Wdl::WIN,
                    "{}",
                    game.position()
                );
            }
        }
    }
}

#[test]
fn in_showgit() {
    mates_are_found::<Showgit>();
}

#[test]
fn in_euroshogi() {
    mates_are_found::<EuroShogi>();
}

#[test]
fn in_xiangqi() {
    mates_are_found::<Xiangqi>();
}

/// A position without a forced mate is never said to have one: what is proven is true by brute force.
#[test]
fn no_mate_is_made_up() {
    let mut rng = stream(8, Purpose::Sample, 0, 0);
    let mut legal = Vec::new();
    let mut game = Game::<EuroShogi>::new(EuroShogi::OPTIONS);
    let (mut looked, mut proven) = (0, 0);
    let looking = SearchConfig {
        mate_plies: 3,
        ..config(RootKind::Puct, 2)
    };
    while looked < 3000 {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        looked += 1;
        let report = run(game.clone(), looking, plainly(0), &mut UniformEvaluator);
        assert_eq!(
            report.proven,
            mates(game.position(), 3),
            "{}",
            game.position()
        );
        proven += usize::from(report.proven);
        game.play(legal[rng.random_range(0..legal.len())]);
    }
    assert!(proven > 10, "{proven}");
}
