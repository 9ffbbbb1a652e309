//! What searches prove.

use super::*;

#[test]
fn a_mate_in_one_is_found_proven_and_is_the_whole_target() {
    let mates: Vec<Position> = sample(71)
        .into_iter()
        .filter(|position| SOLUTION.value(position) == Some(Exact::Win(1)))
        .collect();
    assert!(mates.len() > 100);
    for root in [RootKind::Gumbel, RootKind::Puct] {
        for &position in &mates {
            // All moves enter the halving: without a net the mating one may be the last in line.
            let mut config = config(root, 100);
            config.gumbel.considered = 64;
            let report = run(game(position), config, 0.0, 1);
            assert!(report.proven, "{root:?} {position}");
            assert_eq!(report.root, Wdl::WIN);
            assert!(report.simulations < 100, "a proven win ends the search");
            let mut next = position;
            next.play(report.mv);
            assert_eq!(
                SOLUTION.value(&next).unwrap().sign(),
                -1,
                "{root:?} {position} {}",
                report.mv
            );
            let target: f32 = report.edges.iter().map(|edge| edge.target).sum();
            assert!((target - 1.0).abs() < 1e-5);
            assert_eq!(
                report.edges.iter().filter(|edge| edge.target > 0.0).count(),
                1
            );
        }
    }
}

/// With the look for mates every mate in one is proven by the evaluation of the root alone, and every mate in three within its replies.
#[test]
fn mates_in_one_are_seen_at_every_leaf() {
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let looking = |simulations| SearchConfig {
            mate_plies: 1,
            ..config(root, simulations)
        };
        for position in sample(7) {
            let report = match SOLUTION.value(&position) {
                Some(Exact::Win(1)) => run(game(position), looking(2), 0.0, 1),
                // A win without a mate at hand takes a move after which every reply is mated at once.
                Some(Exact::Win(3)) => run(
                    game(position),
                    SearchConfig {
                        gumbel: EVERY_MOVE,
                        ..looking(4000)
                    },
                    0.0,
                    1,
                ),
                _ => continue,
            };
            assert!(
                report.proven && report.root == Wdl::WIN,
                "{root:?} {position} {report:?}"
            );
            let mut next = position;
            next.play(report.mv);
            assert_eq!(
                SOLUTION.value(&next).unwrap().sign(),
                -1,
                "{position} {}",
                report.mv
            );
        }
    }
}

const EVERY_MOVE: GumbelConfig = GumbelConfig {
    considered: 64,
    ..GumbelConfig::USUAL
};

#[test]
fn what_a_search_proves_is_true() {
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let mut proven = 0;
        for position in sample(97) {
            let report = run(game(position), config(root, 400), 1.0, 7);
            if report.proven {
                proven += 1;
                assert_eq!(
                    SOLUTION.value(&position).unwrap().sign(),
                    report.root.value() as i8,
                    "{root:?} {position}"
                );
            }
        }
        assert!(proven > 200, "{root:?} proved only {proven}");
    }
}

#[test]
fn a_lost_position_is_proven_and_resists_longest() {
    let lost: Vec<Position> = SOLUTION
        .positions()
        .iter()
        .filter(|position| SOLUTION.value(position) == Some(Exact::Loss(2)))
        .step_by(29)
        .copied()
        .collect();
    assert!(!lost.is_empty());
    for position in lost {
        let report = run(game(position), config(RootKind::Gumbel, 2000), 0.0, 1);
        assert!(report.proven, "{position}");
        assert_eq!(report.root, Wdl::LOSS);
        assert!(
            SOLUTION.best_moves(&position).contains(&report.mv),
            "{position} {}",
            report.mv
        );
    }
}
