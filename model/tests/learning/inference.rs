use model::{Batch, Device, Encoder, GufuEncoder, Learner, Outputs, ResidualConfig, Shape, priors};

use crate::samples::{CONFIG, NET, Numbers, batch, learner};

#[test]
fn a_position_does_not_depend_on_its_batch() {
    for channels in [7, 16, 64, 128] {
        independent_of_batch(&ResidualConfig { channels, ..NET });
    }
}

fn independent_of_batch(config: &ResidualConfig) {
    let shape = GufuEncoder.shape();
    let mut learner = Learner::new(shape, *config, &CONFIG, 1, &Device::cpu()).unwrap();
    learner.step(&batch(32, 5)).unwrap();
    let net = learner.raw_net();
    assert_eq!(net.sizes(), shape.into());
    let (size, len) = (128, shape.plane_len());
    let planes = batch(size, 9).planes;
    let mut whole = Outputs::default();
    net.run(&planes, size, &mut whole).unwrap();
    for part in [1, 7, 8, 17, 32, 64, 100] {
        let mut joined = Outputs::default();
        for planes in planes.chunks(part * len) {
            let mut out = Outputs::default();
            net.run(planes, planes.len() / len, &mut out).unwrap();
            joined.policy.extend(out.policy);
            joined.wdl.extend(out.wdl);
            joined.moves_left.extend(out.moves_left);
        }
        assert_eq!(joined, whole, "{config:?} in parts of {part}");
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let mut out = Outputs::default();
    pool.install(|| net.run(&planes, size, &mut out)).unwrap();
    assert_eq!(out, whole);
    for wdl in whole.wdl.chunks_exact(3) {
        assert!((wdl.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(whole.moves_left.iter().all(|plies| *plies >= 0.0));
}

#[test]
fn planes_of_a_wrong_length_are_refused() {
    let net = learner(&CONFIG, 1).play_net();
    let error = net.run(&[0.0; 5], 1, &mut Outputs::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "batch: planes has 5 values: must have 1 x 162"
    );
}

#[test]
fn priors_are_over_legal_moves_in_their_order() {
    let mut out = vec![4.0];
    priors(&[2.0_f32.ln(), 0.0, 0.0], &mut out);
    for (prior, expected) in out.iter().zip([0.5, 0.25, 0.25]) {
        assert!((prior - expected).abs() < 1e-6, "{out:?}");
    }
    priors(&[], &mut out);
    assert_eq!(out.len(), 0);
}

/// Returns planes and targets that any net can learn, of a board that no matrix over the whole board would fit.
fn large_board(size: usize) -> (Shape, Batch) {
    let shape = Shape {
        planes: 3,
        ranks: 9,
        files: 9,
        actions: 20,
        policy_planes: 0,
    };
    let mut batch = Batch::new(shape, size);
    let mut numbers = Numbers(4);
    for plane in &mut batch.planes {
        *plane = f32::from(u8::from(numbers.below(3) == 0));
    }
    batch.legal.fill(1.0);
    for sample in 0..size {
        batch.policy[sample * shape.actions + numbers.below(shape.actions)] = 1.0;
        batch.wdl[sample * 3 + numbers.below(3)] = 1.0;
    }
    (shape, batch)
}

#[test]
fn a_large_board_is_learned_and_played_too() {
    let size = 20;
    let (shape, batch) = large_board(size);
    let mut learner = Learner::new(shape, NET, &CONFIG, 1, &Device::cpu()).unwrap();
    let first = learner.step(&batch).unwrap();
    for _ in 0..40 {
        learner.step(&batch).unwrap();
    }
    let last = learner.step(&batch).unwrap();
    assert!(last.total < first.total / 2.0, "{first:?} {last:?}");
    let net = learner.play_net();
    let (mut whole, mut one) = (Outputs::default(), Outputs::default());
    net.run(&batch.planes, size, &mut whole).unwrap();
    for (sample, planes) in batch.planes.chunks(shape.plane_len()).enumerate() {
        net.run(planes, 1, &mut one).unwrap();
        let row = sample * shape.actions..(sample + 1) * shape.actions;
        assert_eq!(one.policy, whole.policy[row]);
        assert_eq!(one.wdl, whole.wdl[sample * 3..][..3]);
    }
}

/// What a net that plays is measured to lose on a batch is what the next step of learning measures.
#[test]
fn losses_of_samples_are_those_of_the_learner() {
    let mut learner = learner(&CONFIG, 1);
    learner.step(&batch(32, 5)).unwrap();
    let batch = batch(40, 6);
    let net = learner.raw_net();
    let samples = net.losses(&batch).unwrap();
    let expected = learner.step(&batch).unwrap();
    assert_eq!(samples.len(), 40);
    let policies = samples.iter().filter(|of| of.has_policy).count() as f64;
    assert!((policies - 30.0).abs() < 1e-9);
    let sum = |part: fn(&model::SampleLosses) -> f64| samples.iter().map(part).sum::<f64>();
    for (found, expected) in [
        (sum(|of| of.policy) / policies, expected.policy),
        (
            sum(|of| of.policy_entropy) / policies,
            expected.policy_entropy,
        ),
        (sum(|of| of.wdl) / 40.0, expected.wdl),
        (
            sum(|of| of.moves_left * of.moves_left_weight) / sum(|of| of.moves_left_weight),
            expected.moves_left,
        ),
    ] {
        assert!(
            (found - f64::from(expected)).abs() < 1e-4,
            "{found} and {expected}"
        );
    }
    let mut broken = batch;
    broken.wdl[4] = f32::NAN;
    let said = net.losses(&broken).unwrap_err().to_string();
    assert!(said.contains("wdl of sample 1 holds NaN"), "{said}");
}
