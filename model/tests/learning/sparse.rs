//! Nets of features: learned, played, saved.

use std::fs;
use std::sync::Arc;

use model::{
    Activation, Answers, Batch, Checkpoint, CheckpointMeta, Device, Encoder, Features, GufuEncoder,
    LearnConfig, Learner, ModelError, NetConfig, Outputs, PolicyMoves, ResidualConfig, Sights,
    SparseBoardEncoder, SparseConfig, SparseEncoder, SparseGufuEncoder, View,
};
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Variant};

use crate::samples::{CONFIG, NET, Numbers, meta};

const SPARSE: SparseConfig = SparseConfig {
    features: Features::Threats,
    policy_moves: PolicyMoves::Exchange,
    value_width: 32,
    policy_width: 32,
    activation: Activation::Squared,
    value_hidden: 16,
    policy_hidden: 16,
};

fn gufu() -> View<Gufu> {
    View::Rows(Arc::new(SparseGufuEncoder::new(
        SPARSE.features,
        SPARSE.policy_moves,
    )))
}

fn showgit() -> View<Showgit> {
    View::Rows(Arc::new(SparseBoardEncoder::new(
        SPARSE.features,
        SPARSE.policy_moves,
    )))
}

fn xiangqi() -> View<Xiangqi> {
    View::Rows(Arc::new(SparseBoardEncoder::new(
        SPARSE.features,
        SPARSE.policy_moves,
    )))
}

/// Returns positions of random games with policies on one or two moves; every fourth has no policy, every third no plies left.
fn batch<V: Variant>(view: &View<V>, size: usize, seed: u64) -> (Batch, Sights) {
    let mut batch = Batch::new(view.sizes(), size);
    let (mut numbers, mut legal, mut sights) = (Numbers(seed), Vec::new(), Sights::default());
    let mut game = Game::<V>::new(V::OPTIONS);
    for sample in 0..size {
        for _ in 0..=numbers.below(4) {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                game = Game::new(V::OPTIONS);
                game.legal_moves(&mut legal);
            }
            game.play(legal[numbers.below(legal.len())]);
        }
        game.legal_moves(&mut legal);
        view.show(&game, &legal, false, &mut sights);
        let first = batch.targets.len();
        batch.targets.resize(first + legal.len(), 0.0);
        if sample % 4 != 3 && !legal.is_empty() {
            for _ in 0..2 {
                batch.targets[first + numbers.below(legal.len())] += 0.5;
            }
        }
        batch.wdl[sample * 3 + numbers.below(3)] = 1.0;
        batch.moves_left[sample] = numbers.below(60) as f32;
        batch.moves_left_weight[sample] = f32::from(u8::from(sample % 3 != 0));
    }
    batch.rows = sights.rows().clone();
    (batch, sights)
}

fn learner<V: Variant>(view: &View<V>, config: &LearnConfig) -> Learner {
    Learner::new(view.sizes(), SPARSE, config, 1, &Device::cpu()).unwrap()
}

fn sparse_meta<V: Variant>(view: &View<V>) -> CheckpointMeta {
    CheckpointMeta {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        options: V::OPTIONS,
        encoder_version: view.version(),
        shape: view.sizes(),
        net: SPARSE.into(),
        ..meta()
    }
}

fn by_heart<V: Variant>(view: &View<V>) {
    for activation in [Activation::Squared, Activation::Pairwise] {
        let config = LearnConfig {
            learning_rate: 1e-2,
            final_learning_rate: 1e-2,
            weight_decay: 0.0,
            ..CONFIG
        };
        // Products in pairs halve the inputs of the layers, and cut layers need some room.
        let net = SparseConfig {
            activation,
            value_width: 64,
            policy_width: 64,
            value_hidden: 32,
            ..SPARSE
        };
        let mut learner = Learner::new(view.sizes(), net, &config, 1, &Device::cpu()).unwrap();
        let (batch, _) = batch(view, 24, 7);
        let first = learner.step(&batch).unwrap();
        assert!(first.policy > first.policy_entropy + 0.5, "{first:?}");
        assert!((first.wdl - 3.0_f32.ln()).abs() < 0.2, "{first:?}");
        for _ in 0..400 {
            learner.step(&batch).unwrap();
        }
        let last = learner.step(&batch).unwrap();
        assert!(
            last.policy - last.policy_entropy < 0.1,
            "{} {activation:?} {last:?}",
            V::ID
        );
        assert!(last.wdl < 0.1, "{} {activation:?} {last:?}", V::ID);
        assert!(
            last.moves_left < first.moves_left / 4.0,
            "{} {activation:?} {first:?} {last:?}",
            V::ID
        );
    }
}

#[test]
fn one_batch_can_be_learned_by_heart() {
    by_heart(&showgit());
    by_heart(&xiangqi());
    // In gufu positions that are one to the net would have several targets; the grid games' samples all differ.
}

#[test]
fn a_position_does_not_depend_on_its_batch_or_on_threads() {
    let view = showgit();
    let mut learner = learner(&view, &CONFIG);
    let (batch, sights) = batch(&view, 72, 5);
    learner.step(&batch).unwrap();
    let net = learner.raw_net();
    let look = |range| {
        let mut out = Answers::default();
        net.look(&sights, range, &mut out).unwrap();
        out
    };
    let whole = look(0..72);
    assert_eq!(whole.logits.len(), batch.targets.len());
    for part in [1, 7, 32, 33, 64] {
        let mut joined: (Vec<f32>, Vec<f32>) = Default::default();
        for start in (0..72).step_by(part) {
            let out = look(start..(start + part).min(72));
            joined.0.extend(&out.logits);
            joined.1.extend(&out.wdl);
        }
        assert!(
            joined == (whole.logits.clone(), whole.wdl.clone()),
            "in parts of {part}"
        );
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    assert!(pool.install(|| look(0..72)) == whole);
    for wdl in whole.wdl.chunks_exact(3) {
        assert!((wdl.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(net.is_on_processor());
    let error = net.run(&[0.0; 4], 1, &mut Outputs::default()).unwrap_err();
    assert!(error.to_string().contains("takes features"), "{error}");
    let error = net
        .look(&sights, 70..73, &mut Answers::default())
        .unwrap_err();
    assert!(
        error.to_string().contains("rows of 72 positions"),
        "{error}"
    );
}

#[test]
fn a_step_is_the_same_on_any_number_of_threads() {
    let view = xiangqi();
    // More than two shards.
    let (batch, sights) = batch(&view, 300, 3);
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut learner = learner(&view, &CONFIG);
            let losses: Vec<_> = (0..4).map(|_| learner.step(&batch).unwrap()).collect();
            let mut out = Answers::default();
            learner.raw_net().look(&sights, 0..300, &mut out).unwrap();
            (losses, out, learner.checkpoint(sparse_meta(&view)).id())
        })
    };
    let one = train(1);
    assert!(one == train(2) && one == train(3));
}

#[test]
fn a_resumed_learner_takes_the_same_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    let view = gufu();
    let (mut straight, mut stopped) = (learner(&view, &CONFIG), learner(&view, &CONFIG));
    for step in 0..6 {
        let (batch, sights) = batch(&view, 16, step);
        if step == 3 {
            let bytes = stopped.checkpoint(sparse_meta(&view)).to_bytes().unwrap();
            fs::write(&path, bytes).unwrap();
            let checkpoint = Checkpoint::load(&path).unwrap();
            assert_eq!(checkpoint.meta.net, SPARSE.into());
            assert_eq!(checkpoint.meta.shape, view.sizes());
            stopped = Learner::restore(&checkpoint, &CONFIG, &Device::cpu()).unwrap();
            let (mut a, mut b) = (Answers::default(), Answers::default());
            let net = checkpoint.play_net(&Device::cpu()).unwrap();
            net.look(&sights, 0..16, &mut a).unwrap();
            straight.play_net().look(&sights, 0..16, &mut b).unwrap();
            assert_eq!(a, b);
        }
        assert_eq!(
            stopped.step(&batch).unwrap(),
            straight.step(&batch).unwrap()
        );
    }
    let id = |learner: &Learner| learner.checkpoint(sparse_meta(&view)).id();
    assert_eq!(id(&stopped), id(&straight));
}

#[test]
fn weights_stay_within_what_integers_will_hold() {
    let view = gufu();
    let config = LearnConfig {
        learning_rate: 10.0,
        final_learning_rate: 10.0,
        gradient_norm: 1e9,
        weight_decay: 0.0,
        ..CONFIG
    };
    let mut learner = learner(&view, &config);
    let before = learner.checkpoint(sparse_meta(&view)).to_bytes().unwrap();
    learner.step(&batch(&view, 16, 1).0).unwrap();
    let after = learner.checkpoint(sparse_meta(&view)).to_bytes().unwrap();
    assert_ne!(before, after);
    let weights = weights(&after);
    // Adam's first step is as long as the learning rate, in every parameter with a gradient.
    let limit = 127.0 / 64.0;
    assert!(weights.iter().all(|weight| weight.abs() <= limit));
    assert!(
        weights
            .iter()
            .filter(|weight| weight.abs() == limit)
            .count()
            > 100
    );
}

/// Reads the weights out of a checkpoint's bytes: the first array behind the header.
fn weights(bytes: &[u8]) -> Vec<f32> {
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[24..24 + header]).unwrap();
    let len = json["arrays"][0]["len"].as_u64().unwrap() as usize;
    bytes[24 + header..][..len * 4]
        .chunks_exact(4)
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn families_are_told_apart() {
    let view = gufu();
    let new = |net: NetConfig| {
        Learner::new(view.sizes(), net, &CONFIG, 1, &Device::cpu())
            .unwrap_err()
            .to_string()
    };
    assert!(new(NET.into()).contains("a net of arch `residual` does not take"));
    let tiny = SparseConfig {
        policy_width: 8,
        ..SPARSE
    };
    assert_eq!(
        new(tiny.into()),
        "policy_width = 8: must be from 16 to 4096"
    );
    let planes = Batch::new(GufuEncoder.shape(), 4);
    let error = learner(&view, &CONFIG).step(&planes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "batch: rows are of 0 samples: must be of 4"
    );
    let (rows, _) = batch(&view, 4, 1);
    let mut residual = Learner::new(
        GufuEncoder.shape(),
        ResidualConfig { ..NET },
        &CONFIG,
        1,
        &Device::cpu(),
    )
    .unwrap();
    let error = residual.step(&rows).unwrap_err();
    assert!(error.to_string().contains("it is of rows"), "{error}");
}

#[test]
fn malformed_batches_are_refused() {
    let view = showgit();
    let mut learner = learner(&view, &CONFIG);
    let (good, _) = batch(&view, 8, 3);
    let spoiled = |spoil: &dyn Fn(&mut Batch)| {
        let mut batch = good.clone();
        spoil(&mut batch);
        batch
    };
    let cases = [
        (
            spoiled(&|b| b.targets[0] = f32::NAN),
            "targets holds NaN for move 0",
        ),
        (
            spoiled(&|b| b.targets[0] = 7.0),
            "policy of sample 0 sums to",
        ),
        (
            spoiled(&|b| b.targets.truncate(5)),
            "must have one for each of",
        ),
        (spoiled(&|b| b.wdl[3..6].fill(0.9)), "wdl of sample 1"),
        (batch(&gufu(), 8, 3).0, ""),
    ];
    for (batch, message) in cases.iter().take(4) {
        let error = learner.step(batch).unwrap_err();
        assert!(matches!(error, ModelError::Batch(_)));
        assert!(error.to_string().contains(message), "{error}");
    }
    // Rows that another game's encoder has and this one has not.
    let mut small = Learner::new(gufu().sizes(), SPARSE, &CONFIG, 1, &Device::cpu()).unwrap();
    let error = small.step(&good).unwrap_err();
    assert!(error.to_string().contains("must be below"), "{error}");
    assert_eq!(learner.steps(), 0);
}

#[test]
fn equal_positions_of_gufu_have_equal_rows() {
    let encoder = SparseGufuEncoder::new(Features::Threats, PolicyMoves::Exchange);
    let shape = encoder.shape();
    let (mut game, mut numbers, mut legal) =
        (Game::<Gufu>::new(Gufu::OPTIONS), Numbers(2), Vec::new());
    let (mut most, mut parts) = (0, std::collections::BTreeSet::new());
    for _ in 0..3000 {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game = Game::new(Gufu::OPTIONS);
            continue;
        }
        let show = |game: &Game<Gufu>| {
            let mut rows = Vec::new();
            encoder.features(game, &mut rows);
            rows
        };
        let rows = show(&game);
        let turned = Game::<Gufu>::from_position(game.position().rotated(), Gufu::OPTIONS);
        assert_eq!(show(&turned), rows, "{}", game.position());
        most = most.max(rows.len());
        assert!(rows.iter().all(|row| (*row as usize) < shape.features));
        parts.extend(rows.iter().filter(|row| **row < 384).map(|row| row % 4));
        let all: std::collections::BTreeSet<Vec<u32>> = legal
            .iter()
            .map(|&mv| {
                let mut rows = Vec::new();
                encoder.move_rows(game.position(), mv, &mut rows);
                assert!(rows.iter().all(|row| (*row as usize) < shape.moves));
                rows
            })
            .collect();
        assert_eq!(all.len(), legal.len());
        game.play(legal[numbers.below(legal.len())]);
    }
    assert!(most <= shape.active, "{most}");
    assert_eq!(parts.len(), 4);
}

/// What a net that plays is measured to lose on a batch is what the next step of learning measures.
#[test]
fn losses_of_samples_are_those_of_the_learner() {
    let view = showgit();
    let mut learner = learner(&view, &CONFIG);
    learner.step(&batch(&view, 32, 5).0).unwrap();
    let (batch, _) = batch(&view, 40, 6);
    let samples = learner.raw_net().losses(&batch).unwrap();
    let expected = learner.step(&batch).unwrap();
    let policies = samples.iter().filter(|of| of.has_policy).count() as f64;
    let sum = |part: fn(&model::SampleLosses) -> f64| samples.iter().map(part).sum::<f64>();
    for (found, expected) in [
        (sum(|of| of.policy) / policies, expected.policy),
        (sum(|of| of.wdl) / 40.0, expected.wdl),
        (
            sum(|of| of.moves_left * of.moves_left_weight) / sum(|of| of.moves_left_weight),
            expected.moves_left,
        ),
    ] {
        assert!(
            (found - f64::from(expected)).abs() < 1e-2,
            "{found} and {expected}"
        );
    }
    let legal = batch.rows.moves_of(0).len() as f64;
    assert!((samples[0].policy_uniform - legal.ln()).abs() < 1e-9);
    let planes = crate::samples::batch(4, 1);
    let said = learner.raw_net().losses(&planes).unwrap_err().to_string();
    assert!(said.contains("rows"), "{said}");
}
