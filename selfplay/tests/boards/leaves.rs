//! Several leaves of one tree that wait together.

use rules::variants::euroshogi::EuroShogi;
use rules::{Game, Variant};
use selfplay::{RootKind, SearchConfig, SearchTask};

use super::evaluators::Hashing;
use super::{config, run};
use selfplay::random::{Purpose, stream};
use selfplay::{Evaluator, Search};

fn task(simulations: u32) -> SearchTask {
    SearchTask {
        simulations,
        temperature: 1.0,
        explore: true,
    }
}

#[test]
fn every_simulation_is_counted_once() {
    for root in [RootKind::Gumbel, RootKind::Puct] {
        for leaves in [1, 2, 7, 64] {
            for simulations in [2, 33, 300] {
                let config = SearchConfig {
                    leaves,
                    ..config(root, simulations)
                };
                let game = Game::<EuroShogi>::new(EuroShogi::OPTIONS);
                let report = run(game, config, task(simulations), &mut Hashing::default());
                let visits: u32 = report.edges.iter().map(|edge| edge.visits).sum();
                assert_eq!((report.simulations, visits), (simulations, simulations));
                let sum: f32 = report.edges.iter().map(|edge| edge.target).sum();
                assert!((sum - 1.0).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn leaves_fill_a_batch() {
    let rng = stream(3, Purpose::Search, 0, 0);
    let config = SearchConfig {
        leaves: 8,
        ..config(RootKind::Puct, 400)
    };
    let game = Game::<EuroShogi>::new(EuroShogi::OPTIONS);
    let mut search = Search::new(config, game, rng.clone());
    search.begin(task(400), rng);
    let mut evaluator = Hashing::default();
    let mut evaluations = selfplay::Evaluations::default();
    loop {
        while !search.is_full() && search.descend() == selfplay::Descent::Leaf {
            assert!(!Evaluator::<EuroShogi>::ask(
                &mut evaluator,
                &search.leaf(),
                &mut evaluations
            ));
            search.put_off();
        }
        let waiting = search.pending();
        if waiting == 0 {
            break;
        }
        Evaluator::<EuroShogi>::evaluate(&mut evaluator, &mut evaluations).unwrap();
        for at in 0..waiting {
            search.settle(evaluations.get(at));
        }
    }
    assert_eq!(evaluator.largest, 8);
    assert_eq!(search.report().simulations, 400);
}
