use model::{Batch, Encoder, GufuEncoder, LearnConfig, ModelError, Optimiser};

use crate::samples::{CONFIG, batch, learner, meta};

fn id(learner: &model::Learner) -> u64 {
    learner.checkpoint(meta()).id()
}

#[test]
fn one_batch_can_be_learned_by_heart() {
    for optimiser in [Optimiser::AdamW, Optimiser::Sgd] {
        let rate = if optimiser == Optimiser::Sgd {
            0.05
        } else {
            5e-3
        };
        let config = LearnConfig {
            optimiser,
            learning_rate: rate,
            final_learning_rate: rate,
            weight_decay: 0.0,
            ..CONFIG
        };
        let mut learner = learner(&config, 1);
        let batch = batch(32, 7);
        let first = learner.step(&batch).unwrap();
        // An untrained net is near uniform over the legal moves, and undecided.
        assert!(first.policy > first.policy_entropy + 0.5);
        assert!((first.wdl - 3.0_f32.ln()).abs() < 0.2, "{first:?}");
        for _ in 0..600 {
            learner.step(&batch).unwrap();
        }
        let last = learner.step(&batch).unwrap();
        assert!(
            last.policy - last.policy_entropy < 0.05,
            "{optimiser:?} {last:?}"
        );
        assert!(last.wdl < 0.05, "{optimiser:?} {last:?}");
        assert!(last.moves_left < 0.02, "{optimiser:?} {last:?}");
        assert!(last.total < first.total / 4.0);
    }
}

#[test]
fn the_gradient_is_cut_as_a_whole() {
    // Without momentum and decay, sgd moves weights by rate times gradient: the way's length shows the cut.
    let config = LearnConfig {
        optimiser: Optimiser::Sgd,
        learning_rate: 1.0,
        final_learning_rate: 1.0,
        weight_decay: 0.0,
        momentum: 0.0,
        gradient_norm: 1e9,
        average_decay: 0.0,
        ..CONFIG
    };
    let batch = batch(16, 3);
    let free = learner(&config, 1).step(&batch).unwrap();
    assert!(free.gradient_norm > 0.1);
    let limit = f64::from(free.gradient_norm) / 4.0;
    let mut cut = learner(
        &LearnConfig {
            gradient_norm: limit,
            ..config
        },
        1,
    );
    assert_eq!(cut.step(&batch).unwrap(), free);
    // A quarter of the rate without a cut is the same step, for every single parameter, as the cut to a quarter of the length.
    let quarter = LearnConfig {
        learning_rate: 0.25,
        final_learning_rate: 0.25,
        ..config
    };
    let mut slow = learner(&quarter, 1);
    slow.step(&batch).unwrap();
    let (mut a, mut b) = (model::Outputs::default(), model::Outputs::default());
    cut.raw_net().run(&batch.planes, 16, &mut a).unwrap();
    slow.raw_net().run(&batch.planes, 16, &mut b).unwrap();
    for (a, b) in a.policy.iter().zip(&b.policy) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}

#[test]
fn the_average_starts_with_the_first_weights() {
    let mut learner = learner(
        &LearnConfig {
            average_decay: 0.999,
            ..CONFIG
        },
        1,
    );
    let batch = batch(16, 3);
    let outputs = |net: &model::Inference| {
        let mut out = model::Outputs::default();
        net.run(&batch.planes, 16, &mut out).unwrap();
        out
    };
    assert_eq!(outputs(&learner.play_net()), outputs(&learner.raw_net()));
    learner.step(&batch).unwrap();
    assert_eq!(outputs(&learner.play_net()), outputs(&learner.raw_net()));
    learner.step(&batch).unwrap();
    assert_ne!(outputs(&learner.play_net()), outputs(&learner.raw_net()));
}

#[test]
fn the_rate_follows_positions_whatever_the_batches() {
    let config = LearnConfig {
        learning_rate: 0.01,
        final_learning_rate: 0.002,
        warmup_positions: 20,
        schedule_positions: 120,
        ..CONFIG
    };
    let mut learner = learner(&config, 5);
    let mut positions: u64 = 0;
    for size in [5, 10, 5, 30, 20, 40, 7, 3] {
        let expected = match positions {
            0..20 => 0.01 * positions as f64 / 20.0,
            20..120 => {
                let half = std::f64::consts::PI * (positions - 20) as f64 / 100.0;
                0.002 + 0.008 * (1.0 + half.cos()) / 2.0
            }
            _ => 0.002,
        };
        let rate = learner.learning_rate();
        assert!((rate - expected).abs() < 1e-12, "{rate} at {positions}");
        learner.step(&batch(size, positions)).unwrap();
        positions += size as u64;
        assert_eq!(learner.positions(), positions);
    }
}

#[test]
fn the_rate_rises_falls_and_stays() {
    let config = LearnConfig {
        learning_rate: 0.01,
        final_learning_rate: 0.002,
        warmup_positions: 32,
        schedule_positions: 96,
        ..CONFIG
    };
    let mut learner = learner(&config, 1);
    let batch = batch(16, 3);
    let mut rates = Vec::new();
    for step in 0..8 {
        assert_eq!((learner.steps(), learner.positions()), (step, step * 16));
        rates.push(learner.learning_rate());
        learner.step(&batch).unwrap();
    }
    let expected = [0.0, 0.005, 0.01, 0.008_828, 0.006, 0.003_172, 0.002, 0.002];
    for (rate, expected) in rates.iter().zip(expected) {
        assert!((rate - expected).abs() < 1e-6, "{rates:?}");
    }
}

#[test]
fn initial_weights_follow_the_seed() {
    assert_eq!(id(&learner(&CONFIG, 1)), id(&learner(&CONFIG, 1)));
    assert_ne!(id(&learner(&CONFIG, 1)), id(&learner(&CONFIG, 2)));
}

fn spoiled(good: &Batch, spoil: impl Fn(&mut Batch)) -> Batch {
    let mut batch = good.clone();
    spoil(&mut batch);
    batch
}

#[test]
fn malformed_batches_are_refused() {
    let mut learner = learner(&CONFIG, 1);
    let good = batch(16, 3);
    let before = id(&learner);
    let cases: [(Batch, &str); 7] = [
        (
            spoiled(&good, |b| b.planes[3] = f32::NAN),
            "planes of sample 0 holds NaN",
        ),
        (
            spoiled(&good, |b| b.moves_left[1] = f32::INFINITY),
            "moves_left of sample 1 holds inf",
        ),
        (spoiled(&good, |b| b.wdl[3..6].fill(0.9)), "wdl of sample 1"),
        (
            spoiled(&good, |b| b.policy[..93].fill(0.5)),
            "policy of sample 0 sums to",
        ),
        (
            spoiled(&good, |b| b.legal[..93].fill(0.0)),
            "0 where the action is not legal",
        ),
        (spoiled(&good, |b| b.size = 15), "planes has"),
        (Batch::new(GufuEncoder.shape(), 0), "size = 0"),
    ];
    for (batch, message) in cases {
        let error = learner.step(&batch).unwrap_err();
        assert!(matches!(error, ModelError::Batch(_)));
        assert!(error.to_string().contains(message), "{error}");
    }
    assert_eq!(
        (id(&learner), learner.steps(), learner.positions()),
        (before, 0, 0)
    );
}

#[test]
fn a_step_that_overflows_changes_nothing() {
    let mut learner = learner(&CONFIG, 1);
    let good = batch(16, 3);
    learner.step(&good).unwrap();
    let before = id(&learner);
    let planes = spoiled(&good, |b| b.planes.fill(f32::MAX));
    let targets = spoiled(&good, |b| {
        b.moves_left.fill(1000.0);
        b.moves_left_weight.fill(f32::MAX);
    });
    for batch in [planes, targets] {
        let error = learner.step(&batch).unwrap_err();
        assert!(
            matches!(error, ModelError::NotFinite { step: 1, .. }),
            "{error}"
        );
    }
    assert_eq!(
        (id(&learner), learner.steps(), learner.positions()),
        (before, 1, 16)
    );
    learner.step(&good).unwrap();
    assert_ne!(id(&learner), before);
}

#[test]
fn a_step_is_the_same_on_any_number_of_threads() {
    // Wide enough for products to be spread over threads.
    let net = model::ResidualConfig {
        channels: 48,
        ..crate::samples::NET
    };
    let batch = batch(300, 3);
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let shape = GufuEncoder.shape();
            let mut learner =
                model::Learner::new(shape, net, &CONFIG, 1, &model::Device::cpu()).unwrap();
            let losses: Vec<_> = (0..4).map(|_| learner.step(&batch).unwrap()).collect();
            (losses, id(&learner))
        })
    };
    let one = train(1);
    assert_eq!(one, train(2));
    assert_eq!(one, train(3));
}

#[test]
fn a_config_out_of_range_names_the_field() {
    let shape = GufuEncoder.shape();
    let new = |net: &model::ResidualConfig, config: &LearnConfig| {
        model::Learner::new(shape, *net, config, 1, &model::Device::cpu())
            .unwrap_err()
            .to_string()
    };
    let net = model::ResidualConfig {
        blocks: 0,
        ..crate::samples::NET
    };
    assert_eq!(new(&net, &CONFIG), "blocks = 0: must be from 1 to 100");
    let config = LearnConfig {
        average_decay: 1.0,
        ..CONFIG
    };
    assert_eq!(
        new(&crate::samples::NET, &config),
        "average_decay = 1: must be from 0 to below 1"
    );
    let config = LearnConfig {
        gradient_norm: f64::NAN,
        ..CONFIG
    };
    assert_eq!(
        new(&crate::samples::NET, &config),
        "gradient_norm = NaN: must be above 0"
    );
    let config = LearnConfig {
        warmup_positions: 200_000,
        ..CONFIG
    };
    assert!(
        new(&crate::samples::NET, &config)
            .starts_with("schedule_positions = 100000: must be at least")
    );
}
