use rules::variants::{euroshogi::EuroShogi, gufu::Gufu, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Variant};
use std::sync::Arc;

use super::*;
use crate::device::Device;
use crate::encoder::{
    Features, PolicyMoves, Sights, Sizes, SparseBoardEncoder, SparseEncoder, SparseGufuEncoder,
    View,
};
use crate::inference::Inference;
use crate::net::sparse::WEIGHT_LIMIT;
use crate::net::{Blueprint, SparseConfig};

const POSITIONS: usize = 200;

const CONFIG: SparseConfig = SparseConfig {
    features: Features::Threats,
    policy_moves: PolicyMoves::Exchange,
    value_width: 80,
    policy_width: 48,
    activation: Activation::Squared,
    value_hidden: 24,
    policy_hidden: 40,
};

/// Shows positions of random games.
fn sights<V: Variant>(view: &View<V>) -> Sights {
    let (mut game, mut legal) = (Game::<V>::new(V::OPTIONS), Vec::new());
    let (mut sights, mut at) = (Sights::default(), 0_usize);
    while sights.len() < POSITIONS {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        view.show(&game, &legal, at % 5 == 0, &mut sights);
        at += 1;
        game.play(legal[(at * 7919 + 13) % legal.len()]);
    }
    sights
}

fn layout(config: &SparseConfig, sizes: Sizes) -> Layout {
    match Blueprint::new(sizes, &(*config).into()).unwrap() {
        Blueprint::Sparse(layout) => layout,
        Blueprint::Residual(_) => unreachable!("the config is of a net of features"),
    }
}

/// A net's initial parameters made larger, so that it has opinions, and biases at work.
fn opinions(layout: &Layout) -> Vec<f32> {
    let mut values = Blueprint::Sparse(layout.clone()).initial(5);
    for (at, value) in values.iter_mut().enumerate() {
        *value =
            (1.5 * *value + ((at % 7) as f32 - 3.0) * 0.004).clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
    }
    for value in &mut values[layout.moves()] {
        *value *= 4.0;
    }
    values
}

fn answers(net: &Inference, sights: &Sights) -> Answers {
    let mut answers = Answers::default();
    net.look(sights, 0..sights.len(), &mut answers).unwrap();
    answers
}

fn greatest(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Holds integers against floats, kernels against each other, and one position at a time against many.
fn says_nearly_the_same<V: Variant>(encoder: Arc<dyn SparseEncoder<V>>) {
    let view = View::Rows(encoder);
    let sights = sights(&view);
    for activation in [Activation::Squared, Activation::Pairwise] {
        let config = SparseConfig {
            activation,
            ..CONFIG
        };
        let layout = layout(&config, view.sizes());
        let values = opinions(&layout);
        let float = Inference::new(&Blueprint::Sparse(layout.clone()), &values, &Device::cpu());
        let integer = float.in_integers().unwrap();
        let (expected, found) = (answers(&float, &sights), answers(&integer, &sights));
        let spread = greatest(&expected.logits, &vec![0.0; expected.logits.len()]);
        assert!(spread > 0.5, "the moves are all alike: {spread}");
        let logits = greatest(&expected.logits, &found.logits);
        let wdl = greatest(&expected.wdl, &found.wdl);
        assert!(
            logits < 0.02,
            "{} {activation:?}: logits differ by {logits}",
            V::ID
        );
        assert!(
            wdl < 0.005,
            "{} {activation:?}: chances differ by {wdl}",
            V::ID
        );

        let rows = sights.rows();
        for kernels in Kernels::all() {
            let net = IntegerNet {
                parameters: Parameters::new(&layout, &values).unwrap(),
                kernels,
            };
            let mut said = Answers::default();
            net.look(rows, 0..sights.len(), &mut said).unwrap();
            assert_eq!(said, found, "{} by {kernels:?}", V::ID);
        }
        let mut solo = integer.solo().unwrap();
        // Forward and backward, so that one follows after many others.
        for at in (0..POSITIONS).chain((0..POSITIONS).rev().step_by(3)) {
            let (wdl, logits) = solo.look(rows, at, at % 3);
            let bits = |chances: &[f32]| {
                chances
                    .iter()
                    .map(|chance| chance.to_bits())
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&wdl), bits(&found.wdl[3 * at..][..3]));
            assert_eq!(logits, &found.logits[sights.moves_of(at)]);
        }
    }
}

#[test]
fn integers_say_nearly_what_floats_say() {
    let (features, moves) = (CONFIG.features, CONFIG.policy_moves);
    says_nearly_the_same::<Gufu>(Arc::new(SparseGufuEncoder::new(features, moves)));
    says_nearly_the_same(Arc::new(SparseBoardEncoder::<Showgit>::new(
        features, moves,
    )));
    says_nearly_the_same(Arc::new(SparseBoardEncoder::<EuroShogi>::new(
        features, moves,
    )));
    says_nearly_the_same(Arc::new(SparseBoardEncoder::<Xiangqi>::new(
        features, moves,
    )));
}

#[test]
fn nets_at_the_limit_of_their_weights_do_not_pass_what_holds_them() {
    let encoder = SparseBoardEncoder::<Showgit>::new(CONFIG.features, CONFIG.policy_moves);
    let view = View::Rows(Arc::new(encoder));
    let sights = sights(&view);
    let config = SparseConfig {
        value_width: 512,
        policy_width: 512,
        policy_hidden: 64,
        ..CONFIG
    };
    let layout = layout(&config, view.sizes());
    for signs in [1, 2, 3, 1009] {
        // All of one sign, and mixtures.
        let len = Blueprint::Sparse(layout.clone()).len();
        let sign = |at: usize| if at.is_multiple_of(signs) { 1.0 } else { -1.0 };
        let values: Vec<f32> = (0..len).map(|at| WEIGHT_LIMIT * sign(at)).collect();
        let float = Inference::new(&Blueprint::Sparse(layout.clone()), &values, &Device::cpu());
        let integer = float.in_integers().unwrap();
        let (expected, found) = (answers(&float, &sights), answers(&integer, &sights));
        let most = greatest(&expected.logits, &vec![0.0; expected.logits.len()]);
        let error = greatest(&expected.logits, &found.logits);
        // Steps are coarse here, and alike moves are off alike; what passes 32 bits would be off by more than it is.
        assert!(error <= 0.02 * most.max(1.0), "{signs}: {error} of {most}");
        assert!(greatest(&expected.wdl, &found.wdl) < 0.05);
        for kernels in Kernels::all() {
            let net = IntegerNet {
                parameters: Parameters::new(&layout, &values).unwrap(),
                kernels,
            };
            let mut said = Answers::default();
            net.look(sights.rows(), 0..POSITIONS, &mut said).unwrap();
            assert_eq!(said, found, "{kernels:?}");
        }
    }
}

#[test]
fn more_rows_than_fit_are_cut_where_they_would_be_anyway() {
    let encoder = SparseBoardEncoder::<Showgit>::new(CONFIG.features, CONFIG.policy_moves);
    let layout = layout(&CONFIG, encoder.shape().into());
    let len = Blueprint::Sparse(layout.clone()).len();
    let values = vec![WEIGHT_LIMIT; len];
    let net = IntegerNet::new(&layout, &values).unwrap();
    assert_eq!(net.parameters.sums.most_rows, 63);
    let mut sums = Vec::new();
    let rows: Vec<u32> = (0..200).collect();
    net.add_up(&rows[..63], &mut sums);
    assert_eq!(sums[0], 64 * 506);
    net.add_up(&rows[..64], &mut sums);
    assert_eq!(sums[0], i16::MAX);
    let mut values = values;
    values[layout.table()].fill(-WEIGHT_LIMIT);
    IntegerNet::new(&layout, &values)
        .unwrap()
        .add_up(&rows, &mut sums);
    assert_eq!(sums[0], 0);
}

#[test]
fn a_few_great_rows_leave_room_for_all_of_a_game() {
    let encoder = SparseBoardEncoder::<Showgit>::new(Features::Tactics, CONFIG.policy_moves);
    let layout = layout(&CONFIG, encoder.shape().into());
    let mut values = vec![0.5; Blueprint::Sparse(layout.clone()).len()];
    values[layout.table()][..20 * layout.width()].fill(WEIGHT_LIMIT);
    let net = IntegerNet::new(&layout, &values).unwrap();
    // All at their most, they would be 63.
    assert!(net.parameters.sums.most_rows >= encoder.shape().active);
    let mut sums = Vec::new();
    let rows: Vec<u32> = (0..net.parameters.sums.most_rows as u32).collect();
    net.add_up(&rows, &mut sums);
    let expected: i32 =
        (20 * 506 + (rows.len() as i32 - 20) * 128 + 128) << net.parameters.sums.finer;
    assert!(
        (i32::from(sums[0]) - expected).abs() <= rows.len() as i32,
        "{} {expected}",
        sums[0]
    );
}

#[test]
fn what_integers_cannot_hold_is_refused() {
    let encoder = SparseBoardEncoder::<Showgit>::new(CONFIG.features, CONFIG.policy_moves);
    let layout = layout(&CONFIG, encoder.shape().into());
    let mut values = opinions(&layout);
    for (wrong, said) in [
        (f32::NAN, "parameter 9 is NaN"),
        (-2.5, "parameter 9 is -2.5: a net that plays in integers"),
    ] {
        values[9] = wrong;
        let error = IntegerNet::new(&layout, &values).unwrap_err().to_string();
        assert!(
            error.contains(said) && error.contains("precision"),
            "{error}"
        );
    }
}
