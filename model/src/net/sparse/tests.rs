use burn::Tensor;
use burn::tensor::TensorData;
use rules::variants::showgit::Showgit;
use rules::{Game, Variant as _};

use super::sums::{add_rows, dot};
use super::*;
use crate::encoder::{Features, PolicyMoves, Sights, SparseBoardEncoder, SparseEncoder as _, View};
use crate::inference::{Answers, Inference, read};
use crate::net::Activation;
use crate::net::Blueprint;

/// Plays the same moves every time and shows each position.
fn sights(view: &View<Showgit>, count: usize) -> Sights {
    let (mut game, mut legal) = (Game::<Showgit>::new(Showgit::OPTIONS), Vec::new());
    let mut sights = Sights::default();
    for at in 0..count {
        game.legal_moves(&mut legal);
        view.show(&game, &legal, at % 3 == 0, &mut sights);
        game.play(legal[(at * 37 + 11) % legal.len()]);
    }
    sights
}

/// What burn makes of the layers, and plain sums of the rows around them.
fn expected(layout: &Layout, values: &[f32], sights: &Sights) -> (Vec<f32>, Vec<f32>) {
    let device = Device::cpu();
    let rows = sights.rows();
    let (width, hidden) = (layout.width(), layout.config.policy_hidden);
    let mut sums = Vec::new();
    for position in 0..rows.len() {
        let at = sums.len();
        sums.extend_from_slice(&values[layout.start()]);
        add_rows(
            &values[layout.table()],
            rows.features_of(position),
            &mut sums[at..],
        );
    }
    let mut active = Vec::new();
    for sums in sums.chunks_exact(width) {
        let cut: Vec<f32> = sums.iter().map(|sum| sum.clamp(0.0, 1.0)).collect();
        let (value, policy) = cut.split_at(layout.config.value_width);
        for part in [value, policy] {
            match layout.config.activation {
                Activation::Squared => active.extend(part.iter().map(|sum| sum * sum)),
                Activation::Pairwise => {
                    let (first, second) = part.split_at(part.len() / 2);
                    active.extend(first.iter().zip(second).map(|(a, b)| a * b));
                }
            }
        }
    }
    let inputs = active.len() / rows.len();
    let active = TensorData::new(active, [rows.len(), inputs]);
    let net = Net::new(layout, values, &device);
    let (value, vectors) = net.forward(&Tensor::from_data(active, &device.burn));
    let vectors = read(vectors).unwrap();
    let mut logits = Vec::new();
    for position in 0..rows.len() {
        for mv in rows.moves_of(position) {
            let mut row = vec![0.0; hidden];
            add_rows(&values[layout.moves()], rows.rows_of(mv), &mut row);
            logits.push(dot(&row, &vectors[position * hidden..][..hidden]));
        }
    }
    (read(value).unwrap(), logits)
}

#[test]
fn the_player_says_what_burn_says() {
    let encoder = SparseBoardEncoder::new(Features::Threats, PolicyMoves::Exchange);
    let shape = encoder.shape();
    let view = View::Rows(std::sync::Arc::new(encoder));
    let sights = sights(&view, 70);
    for activation in [Activation::Squared, Activation::Pairwise] {
        let config = SparseConfig {
            features: Features::Threats,
            policy_moves: PolicyMoves::Exchange,
            value_width: 48,
            policy_width: 32,
            activation,
            value_hidden: 12,
            policy_hidden: 20,
        };
        let layout = Layout::new(shape, &config);
        let blueprint = Blueprint::Sparse(layout.clone());
        // Every parameter at work, biases included.
        let values: Vec<f32> = (0..blueprint.len())
            .map(|i| ((i * 37 % 101) as f32 - 45.0) / 120.0)
            .collect();
        let mut found = Answers::default();
        Inference::new(&blueprint, &values, &Device::cpu())
            .look(&sights, 0..70, &mut found)
            .unwrap();
        let (value, logits) = expected(&layout, &values, &sights);
        assert_eq!(found.logits.len(), logits.len());
        let scale = logits
            .iter()
            .fold(1.0_f32, |max, logit| max.max(logit.abs()));
        for (found, expected) in found.logits.iter().zip(&logits) {
            assert!(
                (found - expected).abs() < 1e-5 * scale,
                "{found} {expected}"
            );
        }
        for (at, value) in value.chunks_exact(4).enumerate() {
            let wdl = crate::loss::chances([value[0], value[1], value[2]]);
            for (found, expected) in found.wdl[at * 3..at * 3 + 3].iter().zip(wdl) {
                assert!((found - expected).abs() < 1e-5, "{activation:?} {at}");
            }
            let plies = crate::loss::plies_left(value[3]);
            assert!(
                (found.moves_left[at] - plies).abs() < 1e-3,
                "{activation:?} {at}"
            );
        }
        let spread = logits
            .iter()
            .fold(0.0_f32, |max, logit| max.max(logit.abs()));
        assert!(spread > 0.1, "logits say nothing: {spread}");
    }
}

#[test]
fn sums_of_the_rows_of_a_game_fit_16_bits() {
    let limit = i32::from(i16::MAX);
    let row = (WEIGHT_LIMIT * 255.0).round() as i32;
    for shape in [
        SparseBoardEncoder::<Showgit>::new(Features::Threats, PolicyMoves::Plain).shape(),
        SparseBoardEncoder::<rules::variants::xiangqi::Xiangqi>::new(
            Features::Threats,
            PolicyMoves::Plain,
        )
        .shape(),
    ] {
        // The rows, and the start of the sum.
        assert!((shape.active as i32 + 1) * row < limit, "{shape:?}");
    }
}
