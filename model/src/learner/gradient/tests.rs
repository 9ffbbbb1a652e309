use std::sync::Arc;

use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Variant as _};

use super::*;
use crate::encoder::{Features, PolicyMoves, Sights, SparseBoardEncoder, SparseEncoder as _, View};
use crate::learner::Optimiser;
use crate::net::{Activation, NetConfig, SparseConfig};

const CONFIG: LearnConfig = LearnConfig {
    optimiser: Optimiser::Sgd,
    learning_rate: 1.0,
    warmup_positions: 0,
    schedule_positions: 0,
    final_learning_rate: 1.0,
    weight_decay: 0.0,
    momentum: 0.0,
    gradient_norm: 1e9,
    average_decay: 0.0,
    policy_weight: 1.5,
    value_weight: 0.7,
    moves_left_weight: 0.3,
};

/// A batch of a few positions, one of which has no policy to learn.
fn batch(encoder: SparseBoardEncoder<Xiangqi>, size: usize) -> Batch {
    let mut batch = Batch::new(encoder.shape(), size);
    let view = View::Rows(Arc::new(encoder));
    let (mut game, mut legal) = (Game::<Xiangqi>::new(Xiangqi::OPTIONS), Vec::new());
    let mut sights = Sights::default();
    for at in 0..size {
        game.legal_moves(&mut legal);
        view.show(&game, &legal, false, &mut sights);
        let first = batch.targets.len();
        batch.targets.resize(first + legal.len(), 0.0);
        if at != 1 {
            batch.targets[first + at] = 0.25;
            batch.targets[first + legal.len() - 1] = 0.75;
        }
        batch.wdl[at * 3 + at % 3] = 1.0;
        batch.moves_left[at] = 30.0 + at as f32;
        batch.moves_left_weight[at] = 1.0;
        game.play(legal[(at * 37 + 11) % legal.len()]);
    }
    batch.rows = sights.rows().clone();
    batch
}

#[test]
fn the_gradient_of_a_net_of_features_is_that_of_its_losses() {
    for activation in [Activation::Squared, Activation::Pairwise] {
        let net = NetConfig::from(SparseConfig {
            features: Features::Threats,
            policy_moves: PolicyMoves::Exchange,
            value_width: 16,
            policy_width: 16,
            activation,
            value_hidden: 5,
            policy_hidden: 6,
        });
        let encoder = SparseBoardEncoder::new(Features::Threats, PolicyMoves::Exchange);
        let blueprint = Blueprint::new(encoder.shape().into(), &net).unwrap();
        let batch = batch(encoder, 6);
        let device = Device::cpu();
        let workers = Workers::new().unwrap();
        // Sums well within [0, 1] and live layers: at the ends of what is cut there is no gradient to compare.
        let mut weights = blueprint.initial(3);
        for slot in blueprint.slots() {
            let bias = slot.dims[0] == 1;
            for weight in &mut weights[slot.start..][..slot.len] {
                *weight = if bias { 0.4 } else { *weight * 0.4 };
            }
        }
        let losses = |weights: &[f32]| {
            let net = blueprint.net(weights, &device);
            let task = Task {
                blueprint: &blueprint,
                weights,
                net: &net,
                config: &CONFIG,
                device: &device,
            };
            let (sums, gradient) = task.gradient(&workers, &batch, vec![7.0; 9]).unwrap();
            (f64::from(sums.losses(6, &CONFIG).total), gradient)
        };
        let (_, gradient) = losses(&weights);
        for slot in blueprint.slots() {
            let of_slot = &gradient[slot.start..][..slot.len];
            // The greatest entries of each parameter, and others at random places.
            let mut places: Vec<usize> = (0..slot.len).collect();
            places.sort_by(|&a, &b| of_slot[b].abs().total_cmp(&of_slot[a].abs()));
            assert!(of_slot[places[0]] != 0.0, "{:?} has no gradient", slot.dims);
            for &place in places.iter().take(4).chain(places.iter().rev().take(1)) {
                let at = slot.start + place;
                let mut moved = |shift: f32| {
                    let before = weights[at];
                    weights[at] += shift;
                    let total = losses(&weights).0;
                    weights[at] = before;
                    total
                };
                let expected = (moved(4e-3) - moved(-4e-3)) / 8e-3;
                let error = (f64::from(gradient[at]) - expected).abs();
                assert!(
                    error < 1e-3 + 0.02 * expected.abs(),
                    "{activation:?} {:?} {place}: {} and {expected}",
                    slot.dims,
                    gradient[at]
                );
            }
        }
    }
}
