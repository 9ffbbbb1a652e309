//! Searches on gufu, held against its exact solution.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use rules::solver::{Exact, Solution, differ};
use rules::variants::gufu::{Gufu, Position};
use rules::{Game, MoveOf, Position as _, RuleOptions, Variant, Wdl};
use selfplay::random::{Purpose, stream};
use selfplay::{
    Descent, Evaluator, GumbelConfig, PuctConfig, Report, RolloutEvaluator, RootKind, Search,
    SearchConfig, SearchTask, UniformEvaluator, Workers, search_all,
};

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::new);

static SOLUTION: LazyLock<Solution<Gufu>> = LazyLock::new(Solution::new);

const fn config(root: RootKind, simulations: u32) -> SearchConfig {
    SearchConfig {
        simulations,
        root,
        mate_plies: 0,
        leaves: 1,
        gumbel: GumbelConfig {
            considered: 16,
            visit_offset: 50.0,
            scale: 1.0,
        },
        puct: PuctConfig {
            c_init: 1.25,
            c_base: 19652.0,
            fpu_reduction: 0.2,
            noise_alpha: 10.0,
            noise_share: 0.25,
            root_temperature: 1.0,
            forced_playouts: 0.0,
            variance_scale: 0.0,
            lcb_deviations: 0.0,
        },
    }
}

fn search(game: Game<Gufu>, config: SearchConfig, temperature: f32, seed: u64) -> Search<Gufu> {
    let rng = stream(seed, Purpose::Search, 0, 0);
    let mut search = Search::new(config, game, rng.clone());
    let task = SearchTask {
        simulations: config.simulations,
        temperature,
        explore: temperature > 0.0,
    };
    search.begin(task, rng);
    search
}

fn run(
    game: Game<Gufu>,
    config: SearchConfig,
    temperature: f32,
    seed: u64,
) -> Report<MoveOf<Gufu>> {
    let mut searches = [search(game, config, temperature, seed)];
    search_all(&mut searches, &mut UniformEvaluator, &WORKERS)
        .unwrap()
        .remove(0)
}

/// Every 71st position past the setup in which a mistake is possible.
fn sample(step: usize) -> Vec<Position> {
    let mut values = Vec::new();
    let mut chosen = |position: &&Position| {
        SOLUTION.move_values(position, &mut values);
        !position.in_setup() && differ(&values)
    };
    SOLUTION
        .positions()
        .iter()
        .filter(|position| chosen(position))
        .step_by(step)
        .copied()
        .collect()
}

fn game(position: Position) -> Game<Gufu> {
    Game::from_position(position, Gufu::OPTIONS)
}

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
    visit_offset: 50.0,
    scale: 1.0,
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

#[test]
fn more_simulations_keep_the_exact_value_more_often() {
    let positions = sample(100);
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let share = |simulations| {
            let mut searches: Vec<_> = positions
                .iter()
                .map(|&position| search(game(position), config(root, simulations), 0.0, 3))
                .collect();
            let reports = search_all(&mut searches, &mut UniformEvaluator, &WORKERS).unwrap();
            let kept = positions.iter().zip(reports).filter(|(position, report)| {
                let mut next = **position;
                next.play(report.mv);
                SOLUTION.value(&next).unwrap().before().sign()
                    == SOLUTION.value(position).unwrap().sign()
            });
            kept.count() as f64 / positions.len() as f64
        };
        let (few, some, many) = (share(8), share(64), share(1000));
        println!("{root:?}: {few:.3} at 8, {some:.3} at 64, {many:.3} at 1000");
        assert!(
            few < some && some < many && some > 0.75 && many > 0.9,
            "{root:?}: {few} {some} {many}"
        );
    }
}

/// With more simulations the value of the root comes nearer to the exact one, in 1,000 positions.
#[test]
fn values_converge_to_the_exact_ones() {
    let positions: Vec<Position> = sample(144).into_iter().take(1000).collect();
    assert_eq!(positions.len(), 1000);
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let error = |simulations| {
            let mut searches: Vec<_> = positions
                .iter()
                .map(|&position| search(game(position), config(root, simulations), 0.0, 3))
                .collect();
            let reports = search_all(&mut searches, &mut UniformEvaluator, &WORKERS).unwrap();
            let error = |(position, report): (&Position, &Report<_>)| {
                let exact = f32::from(SOLUTION.value(position).unwrap().sign());
                (exact - report.root.value()).abs()
            };
            positions.iter().zip(&reports).map(error).sum::<f32>() / 1000.0
        };
        let errors = [16, 256, 4096].map(error);
        println!("{root:?}: mean errors {errors:?} at 16, 256 and 4096 simulations");
        assert!(errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
        assert!(errors[2] < 0.1, "{errors:?}");
    }
}

/// The lower bound prefers the well-known move; without it the most visited is played. Only searches that do not explore use it.
#[test]
fn a_lower_bound_decides_in_matches_only() {
    let mut differ = 0;
    for position in sample(400) {
        let plain = config(RootKind::Puct, 60);
        let mut bounded = plain;
        bounded.puct.lcb_deviations = 5.0;
        // Values must differ for a bound to tell moves apart.
        let moves = |config, temperature| {
            let mut searches = [search(game(position), config, temperature, 2)];
            let rollouts = &mut RolloutEvaluator::new(2);
            search_all(&mut searches, rollouts, &WORKERS).unwrap()[0].mv
        };
        differ += usize::from(moves(plain, 0.0) != moves(bounded, 0.0));
        assert_eq!(moves(plain, 1.0), moves(bounded, 1.0));
    }
    assert!(differ > 5, "{differ}");
}

/// What was only forced is left out of the target: it puts less on moves that the search thinks little of.
#[test]
fn forced_playouts_are_taken_out_of_the_target() {
    let mut pruned = 0;
    for position in sample(400) {
        let mut forced = config(RootKind::Puct, 100);
        forced.puct.forced_playouts = 2.0;
        let report = run(game(position), forced, 1.0, 2);
        if report.proven {
            continue;
        }
        let visits: u32 = report.edges.iter().map(|edge| edge.visits).sum();
        // Moves proven lost have no weight, whatever their visits.
        let open = report.edges.iter().filter(|edge| edge.target > 0.0);
        let most = open.max_by_key(|edge| edge.visits).unwrap();
        // The most visited move keeps its visits, so its share can only grow.
        assert!(most.target >= most.visits as f32 / visits as f32 - 1e-4);
        assert!(
            report
                .edges
                .iter()
                .all(|edge| edge.visits != 1 || edge.target == 0.0)
        );
        pruned += report
            .edges
            .iter()
            .filter(|edge| edge.visits > 1 && edge.target == 0.0)
            .count();
    }
    assert!(pruned > 20, "{pruned}");
}

/// Below a repetition the verdict depends on the path, so nothing may be proven there, and a third occurrence is a draw.
#[test]
fn repetition_is_judged_by_the_real_history() {
    let options = RuleOptions {
        repetitions: 2,
        ..Gufu::OPTIONS
    };
    // With the second occurrence a draw and everything else lost within the cap, no search may claim a proof it does not have.
    let mut checked = 0;
    for position in sample(997) {
        let report = run(
            Game::from_position(position, options),
            config(RootKind::Gumbel, 600),
            0.0,
            5,
        );
        if report.proven {
            checked += 1;
            assert_eq!(
                SOLUTION.value(&position).unwrap().sign(),
                report.root.value() as i8,
                "{position}"
            );
        }
    }
    assert!(checked > 10);
    // A cap of one ply makes every quiet move a draw.
    let capped = RuleOptions {
        ply_cap: 1,
        ..Gufu::OPTIONS
    };
    let drawn = sample(997)
        .into_iter()
        .find(|position| SOLUTION.value(position) == Some(Exact::Draw))
        .unwrap();
    let report = run(
        Game::from_position(drawn, capped),
        config(RootKind::Puct, 200),
        0.0,
        5,
    );
    assert!(!report.proven);
    assert_eq!(report.root, Wdl::DRAW);
}

#[test]
fn without_simulations_the_targets_are_the_priors() {
    for root in [RootKind::Puct, RootKind::Gumbel] {
        let task = SearchTask {
            simulations: 0,
            temperature: 1.0,
            explore: false,
        };
        let rng = stream(1, Purpose::Search, 0, 0);
        let mut search =
            Search::<Gufu>::new(config(root, 50), Game::new(Gufu::OPTIONS), rng.clone());
        search.begin(task, rng);
        assert_eq!(search.descend(), Descent::Leaf);
        let moves = search.leaf().moves.len();
        let priors: Vec<f32> = (1..=moves).map(|at| at as f32).collect();
        let sum: f32 = priors.iter().sum();
        let mut evaluations = selfplay::Evaluations::default();
        let raw = Wdl {
            win: 0.5,
            draw: 0.25,
            loss: 0.25,
        };
        evaluations.push(raw, priors.iter().map(|prior| prior / sum));
        search.back_up(evaluations.get(0));
        assert_eq!(search.descend(), Descent::Over);
        let report = search.report();
        assert_eq!((report.root, report.simulations), (raw, 0));
        assert!(report.surprise < 1e-6);
        for (edge, prior) in report.edges.iter().zip(priors) {
            assert!((edge.target - prior / sum).abs() < 1e-6, "{root:?}");
        }
    }
}

#[test]
fn surprise_is_the_divergence_of_the_target_from_the_priors() {
    for root in [RootKind::Puct, RootKind::Gumbel] {
        for position in sample(2000) {
            let report = run(game(position), config(root, 40), 1.0, 1);
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            let prior = 1.0 / legal.len() as f32;
            let terms = report.edges.iter().filter(|edge| edge.target > 0.0);
            let expected: f32 = terms
                .map(|edge| edge.target * (edge.target / prior).ln())
                .sum();
            assert!((report.surprise - expected).abs() < 1e-4, "{report:?}");
        }
    }
}

#[test]
fn a_search_that_does_not_explore_has_no_noise_at_its_root() {
    let visits = |explore, seed| {
        let task = SearchTask {
            simulations: 60,
            temperature: 1.0,
            explore,
        };
        let rng = stream(seed, Purpose::Search, 0, 0);
        let mut search = Search::<Gufu>::new(
            config(RootKind::Puct, 60),
            Game::new(Gufu::OPTIONS),
            rng.clone(),
        );
        search.begin(task, rng);
        let report = search_all(&mut [search], &mut UniformEvaluator, &WORKERS).unwrap();
        report[0]
            .edges
            .iter()
            .map(|edge| edge.visits)
            .collect::<Vec<_>>()
    };
    assert_eq!(visits(false, 1), visits(false, 2));
    assert_ne!(visits(true, 1), visits(true, 2));
}

#[test]
fn a_subtree_is_kept_under_puct_only() {
    for (root, kept) in [(RootKind::Puct, true), (RootKind::Gumbel, false)] {
        let mut searches = [search(Game::new(Gufu::OPTIONS), config(root, 200), 0.0, 1)];
        let report = search_all(&mut searches, &mut UniformEvaluator, &WORKERS)
            .unwrap()
            .remove(0);
        searches[0].advance(report.mv);
        let task = SearchTask {
            simulations: 200,
            temperature: 0.0,
            explore: false,
        };
        searches[0].begin(task, stream(1, Purpose::Search, 0, 1));
        let visits = report.edges.iter().map(|edge| edge.visits).max().unwrap();
        let mut evaluations = selfplay::Evaluations::default();
        let mut needed = 0;
        while searches[0].descend() == Descent::Leaf {
            evaluations.clear();
            assert!(UniformEvaluator.ask(&searches[0].leaf(), &mut evaluations));
            searches[0].back_up(evaluations.get(0));
            needed += 1;
        }
        assert_eq!(
            needed < 200,
            kept,
            "{root:?} needed {needed} evaluations after {visits} visits"
        );
    }
}

#[test]
fn noise_explores_and_its_absence_repeats() {
    let position = sample(500)[0];
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let moves = |temperature: f32| -> std::collections::HashSet<u16> {
            (0..40)
                .map(|seed| {
                    run(game(position), config(root, 16), temperature, seed)
                        .mv
                        .into()
                })
                .collect()
        };
        assert_eq!(moves(0.0).len(), 1, "{root:?}");
        assert!(moves(1.0).len() > 1, "{root:?}");
    }
}

#[test]
fn rollouts_tell_won_from_lost() {
    let mean = |value: Exact| {
        let chosen = sample(31)
            .into_iter()
            .filter(|position| SOLUTION.value(position) == Some(value))
            .take(60);
        let mut searches: Vec<_> = chosen
            .map(|position| search(game(position), config(RootKind::Puct, 30), 0.0, 1))
            .collect();
        let reports = search_all(&mut searches, &mut RolloutEvaluator::new(9), &WORKERS).unwrap();
        reports
            .iter()
            .map(|report| report.root.value())
            .sum::<f32>()
            / reports.len() as f32
    };
    let (won, drawn) = (mean(Exact::Win(1)), mean(Exact::Draw));
    assert!(won > drawn, "{won} {drawn}");
    assert_eq!(
        won.to_bits(),
        mean(Exact::Win(1)).to_bits(),
        "the same search gives the same result"
    );
}
