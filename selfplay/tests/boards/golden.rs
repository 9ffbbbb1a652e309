//! Searches with an evaluator that is a pure function of the position: their visits change only when the search does.

use rules::Game;
use rules::Variant;
use rules::variants::gufu::Gufu;
use selfplay::{RootKind, SearchConfig, SearchTask};

use super::evaluators::{Hashing, HashingAtOnce};
use super::{config, run};

fn visits(config: SearchConfig, temperature: f32) -> Vec<(u16, u32)> {
    let task = SearchTask {
        simulations: config.simulations,
        temperature,
        explore: temperature > 0.0,
    };
    let game = Game::<Gufu>::new(Gufu::OPTIONS);
    let later = run(game.clone(), config, task, &mut Hashing::default());
    // Whether an evaluation comes at once or later makes no difference.
    assert_eq!(later, run(game, config, task, &mut HashingAtOnce));
    assert_eq!(later.simulations, config.simulations);
    let mut visits: Vec<(u16, u32)> = later
        .edges
        .iter()
        .map(|edge| (edge.index, edge.visits))
        .filter(|&(_, visits)| visits > 0)
        .collect();
    visits.sort_by_key(|&(index, visits)| (std::cmp::Reverse(visits), index));
    visits
}

#[test]
fn visits_are_those_known() {
    let puct = visits(config(RootKind::Puct, 200), 0.0);
    let noisy = visits(config(RootKind::Puct, 200), 1.0);
    let gumbel = visits(config(RootKind::Gumbel, 200), 0.0);
    let drawn = visits(config(RootKind::Gumbel, 64), 1.0);
    assert_eq!(
        puct[..8],
        [
            (18, 111),
            (15, 27),
            (8, 18),
            (9, 13),
            (12, 12),
            (17, 7),
            (21, 5),
            (2, 1)
        ]
    );
    assert_eq!(
        noisy[..8],
        [
            (18, 107),
            (15, 33),
            (8, 15),
            (9, 12),
            (12, 12),
            (17, 7),
            (21, 5),
            (14, 2)
        ]
    );
    assert_eq!(
        gumbel[..8],
        [
            (8, 49),
            (15, 49),
            (9, 21),
            (18, 21),
            (17, 9),
            (20, 9),
            (21, 9),
            (23, 9)
        ]
    );
    assert_eq!(
        drawn[..8],
        [
            (9, 15),
            (15, 15),
            (8, 7),
            (21, 7),
            (6, 3),
            (12, 3),
            (17, 3),
            (18, 3)
        ]
    );
}
