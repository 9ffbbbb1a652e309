//! Repetitions within the tree take the verdict that the rules would give the cycle, as a value and not as a proof.

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Position as _, Side, Variant};
use selfplay::RootKind;
use serde_json::Value;

use super::evaluators::Guide;
use super::{config, plainly, run};

/// Plays the lines of endings that repeat a position up to where it first comes back, and searches from where it first stood.
fn cycles_are_valued<V: Variant>(name: &str) {
    let path = format!(
        "{}/../rules/tests/vectors/gameend-{name}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    let (mut drawn, mut decided) = (0, 0);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let category = case["category"].as_str().unwrap();
        let is_pure = category.starts_with("perpetual") || category.starts_with("repetition_t");
        if !is_pure {
            continue;
        }
        let start = case["sfen"].as_str().or(case["fen"].as_str()).unwrap();
        let mut game = Game::<V>::from_position(start.parse().unwrap(), V::OPTIONS);
        let mut moves = case["moves"].as_array().unwrap().iter();
        let (first, last) = loop {
            let mv = moves.next().unwrap().as_str().unwrap();
            game.play(game.position().parse_move(mv).unwrap());
            if let Some((first, _)) = game.cycle() {
                break (first, game.ply());
            }
        };
        let line = game.moves().to_vec();
        game.undo_to(first);
        let mover = game.position().side_to_move();
        let simulations = (last - first + 3) as u32;
        let report = run(
            game,
            config(RootKind::Puct, simulations),
            plainly(simulations),
            &mut Guide::<V> { line },
        );
        assert!(!report.proven, "{category} {start}");
        let value = report.root.value();
        match case["expected"]["winner"].as_str().unwrap() {
            "draw" => {
                drawn += 1;
                assert!(value.abs() < 1e-6, "{category} {start}: {value}");
            }
            winner => {
                decided += 1;
                let wins = (winner == Side::First.name()) == (mover == Side::First);
                assert!(
                    if wins { value > 0.05 } else { value < -0.05 },
                    "{category} {start}: {value}, {winner} wins"
                );
            }
        }
    }
    assert!(drawn >= 6 && decided >= 12, "{drawn} {decided}");
}

#[test]
fn in_showgit() {
    cycles_are_valued::<Showgit>("shogi");
}

#[test]
fn in_euroshogi() {
    cycles_are_valued::<EuroShogi>("euroshogi");
}

#[test]
fn in_xiangqi() {
    cycles_are_valued::<Xiangqi>("xiangqi");
}
