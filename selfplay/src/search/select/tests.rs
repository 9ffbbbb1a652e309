//! The quick selections against direct computations over every move.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::Wdl;

use super::*;
use crate::random::{Purpose, stream};
use crate::search::policy::{complete_arms, fresh_arms, improved_policy, update_arms};
use crate::search::tree::ROOT;

const GUMBEL: GumbelConfig = GumbelConfig {
    scale: 0.1,
    ..GumbelConfig::USUAL
};

const PUCT: PuctConfig = PuctConfig::USUAL;

fn wdl(rng: &mut ChaCha8Rng) -> Wdl {
    let (win, rest) = (rng.random::<f32>(), rng.random::<f32>());
    Wdl {
        win,
        draw: (1.0 - win) * rest,
        loss: (1.0 - win) * (1.0 - rest),
    }
}

/// A node with random priors, of whose moves some were visited, one of them lost.
fn node(rng: &mut ChaCha8Rng) -> Tree<u16> {
    let moves: Vec<u16> = (0..rng.random_range(2..40)).collect();
    let weights: Vec<f32> = moves.iter().map(|_| rng.random::<f32>().powi(4)).collect();
    let sum: f32 = weights.iter().sum();
    let priors: Vec<f32> = weights.iter().map(|weight| weight / sum).collect();
    let mut tree = Tree::new();
    let own = wdl(rng);
    let root = tree.add_open(own, &moves, &priors);
    tree.back_up(&[root], own);
    for place in 0..rng.random_range(0..=moves.len()) {
        let found = wdl(rng);
        let child = tree.add_open(found, &[0], &[1.0]);
        // Under both rules moves are tried by their priors, but at a root any may be.
        tree.attach(ROOT, rng.random_range(place..moves.len()), child);
        for _ in 0..rng.random_range(1..6) {
            let found = wdl(rng);
            tree.back_up(&[ROOT, child], found);
        }
    }
    tree
}

fn best(scores: impl Iterator<Item = (usize, f32)>) -> usize {
    let best = scores.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(0, |(index, _)| index)
}

#[test]
fn gumbel_follows_the_improved_policy_over_every_move() {
    let mut rng = stream(1, Purpose::Sample, 0, 0);
    for _ in 0..2000 {
        let tree = node(&mut rng);
        let (mut arms, mut policy) = (Vec::new(), Vec::new());
        fresh_arms(&tree, ROOT, &mut arms);
        let most_visits = update_arms(&tree, ROOT, &mut arms);
        complete_arms(&tree, ROOT, &mut arms);
        improved_policy(&arms, &GUMBEL, most_visits, &mut policy);
        let total = 1.0 + arms.iter().map(|arm| arm.visits).sum::<u32>() as f32;
        let score = |at: usize| policy[at] - arms[at].visits as f32 / total;
        let direct = best((0..arms.len()).map(|at| (at, score(at))));
        let place = select_gumbel(&tree, ROOT, &GUMBEL, &mut Vec::new());
        let quick = tree.edges(ROOT)[place].index as usize;
        // Sums in another order may round otherwise where two moves are as good.
        assert!(
            (score(quick) - score(direct)).abs() < 1e-5,
            "{quick} {direct}"
        );
    }
}

#[test]
fn puct_follows_its_formula_over_every_move() {
    let mut rng = stream(2, Purpose::Sample, 0, 0);
    for _ in 0..2000 {
        let tree = node(&mut rng);
        let visits = tree.visits(ROOT) as f32;
        let c = 1.25 + ((visits + 19653.0) / 19652.0).ln();
        let mass: f32 = tree.tried(ROOT).0.iter().map(|edge| edge.prior).sum();
        let unvisited = (-tree.node(ROOT).move_value() - 0.2 * mass.sqrt()).max(-1.0);
        let score = |place: usize| {
            let edge = &tree.edges(ROOT)[place];
            let (value, count) = edge.child().map_or((unvisited, 0.0), |child| {
                let child = tree.node(child);
                (child.move_value(), child.visits() as f32)
            });
            value + c * edge.prior * visits.max(1.0).sqrt() / (1.0 + count)
        };
        let direct = best((0..tree.edges(ROOT).len()).map(|place| (place, score(place))));
        let quick = select_puct(&tree, ROOT, &PUCT, 0.0);
        assert!(
            (score(quick) - score(direct)).abs() < 1e-5,
            "{quick} {direct}"
        );
    }
}

#[test]
fn a_forced_move_goes_first_and_a_spread_of_values_widens_the_search() {
    let mut tree = Tree::new();
    let root = tree.add_open(Wdl::DRAW, &[0u16, 1], &[0.5, 0.5]);
    tree.back_up(&[root], Wdl::DRAW);
    for (place, found) in [(0, Wdl::LOSS), (1, Wdl::WIN)] {
        let child = tree.add_open(found, &[0], &[1.0]);
        tree.attach(ROOT, place, child);
        tree.back_up(&[ROOT, child], found);
    }
    let good = tree.edges(ROOT)[0].child().unwrap();
    for _ in 0..30 {
        tree.back_up(&[ROOT, good], Wdl::LOSS);
    }
    // The second move lost: PUCT leaves it, unless playouts are forced.
    assert_eq!(select_puct(&tree, ROOT, &PUCT, 0.0), 0);
    assert_eq!(select_puct(&tree, ROOT, &PUCT, 2.0), 1);
    let scaled = PuctConfig {
        variance_scale: 1.0,
        ..PUCT
    };
    let spread = tree.clone();
    let mut steady = Tree::new();
    let root = steady.add_open(Wdl::DRAW, &[0u16, 1], &[0.5, 0.5]);
    steady.back_up(&[root], Wdl::DRAW);
    let child = steady.add_open(Wdl::DRAW, &[0], &[1.0]);
    steady.attach(ROOT, 0, child);
    for _ in 0..32 {
        steady.back_up(&[ROOT, child], Wdl::DRAW);
    }
    let factor = |tree: &Tree<u16>, config| explore_factor(tree, ROOT, config);
    assert!(factor(&steady, &scaled) < 0.5 * factor(&steady, &PUCT));
    assert!(factor(&spread, &scaled) > 1.2 * factor(&steady, &scaled));
}
