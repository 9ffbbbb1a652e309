//! Each game can be learned, with the same results whatever the batch and the threads.

use model::{
    Batch, BoardEncoder, Device, Encoder, LearnConfig, Learner, Optimiser, Outputs, ResidualConfig,
};
use rules::Game;

use crate::games::{GridGame, Numbers, random_games};

const NET: ResidualConfig = ResidualConfig {
    channels: 16,
    blocks: 2,
    pool_every: 2,
    policy_channels: 16,
    value_channels: 8,
    value_hidden: 32,
};

const CONFIG: LearnConfig = LearnConfig {
    optimiser: Optimiser::AdamW,
    learning_rate: 5e-3,
    warmup_positions: 0,
    schedule_positions: 100_000,
    final_learning_rate: 1e-3,
    weight_decay: 0.0,
    momentum: 0.9,
    gradient_norm: 10.0,
    average_decay: 0.9,
    policy_weight: 1.0,
    value_weight: 1.0,
    moves_left_weight: 0.5,
};

/// Returns every tenth position of a few random games, each with a move and a result to learn.
fn batch<R: GridGame>(size: usize) -> Batch {
    let encoder = BoardEncoder::<R>::new();
    let shape = encoder.shape();
    let mut batch = Batch::new(shape, size);
    let (mut sample, mut numbers, mut legal) = (0, Numbers(7), Vec::new());
    random_games::<R>(8, |game: &Game<R>| {
        game.legal_moves(&mut legal);
        if sample == size || game.ply() % 10 != 3 || legal.is_empty() {
            return;
        }
        let len = shape.plane_len();
        encoder.encode(game, &mut batch.planes[sample * len..][..len]);
        let row = sample * shape.actions;
        for mv in &legal {
            batch.legal[row + encoder.action(game.position(), *mv)] = 1.0;
        }
        let mv = legal[numbers.below(legal.len())];
        batch.policy[row + encoder.action(game.position(), mv)] = 1.0;
        batch.wdl[sample * 3 + numbers.below(3)] = 1.0;
        batch.moves_left[sample] = numbers.below(60) as f32;
        batch.moves_left_weight[sample] = 1.0;
        sample += 1;
    });
    assert_eq!(sample, size);
    batch
}

fn learner<R: GridGame>() -> Learner {
    let shape = BoardEncoder::<R>::new().shape();
    Learner::new(shape, NET, &CONFIG, 1, &Device::cpu()).unwrap()
}

fn by_heart<R: GridGame>() {
    let batch = batch::<R>(16);
    let mut learner = learner::<R>();
    let first = learner.step(&batch).unwrap();
    assert!(first.policy > 2.0, "{first:?}");
    for _ in 0..200 {
        learner.step(&batch).unwrap();
    }
    let last = learner.step(&batch).unwrap();
    assert!(last.policy < 0.1 && last.wdl < 0.1, "{last:?}");
}

mod one_batch_can_be_learned_by_heart {
    use super::by_heart;
    crate::for_each_game!(by_heart);
}

fn independent<R: GridGame>() {
    let size = 72;
    let batch = batch::<R>(size);
    let mut learner = learner::<R>();
    learner.step(&batch).unwrap();
    let net = learner.raw_net();
    let len = BoardEncoder::<R>::new().shape().plane_len();
    let mut whole = Outputs::default();
    net.run(&batch.planes, size, &mut whole).unwrap();
    for part in [1, 7, 8, 17, 32, 64] {
        let mut joined = Outputs::default();
        for planes in batch.planes.chunks(part * len) {
            let mut out = Outputs::default();
            net.run(planes, planes.len() / len, &mut out).unwrap();
            joined.policy.extend(out.policy);
            joined.wdl.extend(out.wdl);
            joined.moves_left.extend(out.moves_left);
        }
        assert_eq!(joined, whole, "in parts of {part}");
    }
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new();
        let pool = pool.num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut out = Outputs::default();
            net.run(&batch.planes, size, &mut out).unwrap();
            out
        })
    };
    assert!(run(1) == whole && run(3) == whole);
}

mod a_position_does_not_depend_on_its_batch_or_on_threads {
    use super::independent;
    crate::for_each_game!(independent);
}

fn same_steps<R: GridGame>() {
    let part = batch::<R>(70);
    // More than one shard, or there would be nothing to spread.
    let mut batch = Batch::new(BoardEncoder::<R>::new().shape(), 140);
    let double = |values: &[f32]| values.repeat(2);
    batch.planes = double(&part.planes);
    batch.policy = double(&part.policy);
    batch.legal = double(&part.legal);
    batch.wdl = double(&part.wdl);
    batch.moves_left = double(&part.moves_left);
    batch.moves_left_weight = double(&part.moves_left_weight);
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new();
        let pool = pool.num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut learner = learner::<R>();
            let losses = [(); 2].map(|()| learner.step(&batch).unwrap());
            let mut out = Outputs::default();
            let net = learner.raw_net();
            net.run(&part.planes, 70, &mut out).unwrap();
            (losses, out)
        })
    };
    let one = train(1);
    assert!(one == train(2) && one == train(3));
}

mod a_step_is_the_same_on_any_number_of_threads {
    use super::same_steps;
    crate::for_each_game!(same_steps);
}
