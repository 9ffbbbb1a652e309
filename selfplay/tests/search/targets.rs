//! Targets, noise and trees that are kept.

use super::*;

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
