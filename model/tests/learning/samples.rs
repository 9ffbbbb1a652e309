//! Small nets, and batches of random gufu positions.

use std::collections::HashSet;

use model::{
    Batch, CheckpointMeta, Device, Encoder, GufuEncoder, LearnConfig, Learner, Optimiser,
    ResidualConfig,
};
use rules::variants::gufu::Gufu;
use rules::{Game, Variant, VariantId};

pub(crate) const NET: ResidualConfig = ResidualConfig {
    channels: 16,
    blocks: 2,
    pool_every: 2,
    policy_channels: 8,
    value_channels: 8,
    value_hidden: 32,
};

pub(crate) const CONFIG: LearnConfig = LearnConfig {
    optimiser: Optimiser::AdamW,
    learning_rate: 3e-3,
    warmup_positions: 0,
    schedule_positions: 100_000,
    final_learning_rate: 1e-3,
    weight_decay: 1e-4,
    momentum: 0.9,
    gradient_norm: 10.0,
    average_decay: 0.9,
    policy_weight: 1.0,
    value_weight: 1.0,
    moves_left_weight: 0.5,
};

pub(crate) fn learner(config: &LearnConfig, seed: u64) -> Learner {
    Learner::new(GufuEncoder.shape(), NET, config, seed, &Device::cpu()).unwrap()
}

pub(crate) fn meta() -> CheckpointMeta {
    CheckpointMeta {
        variant: VariantId::Gufu,
        rules_version: Gufu::RULES_VERSION,
        options: Gufu::OPTIONS,
        encoder_version: GufuEncoder.version(),
        shape: GufuEncoder.shape().into(),
        net: NET.into(),
        generation: 3,
        steps: 0,
        positions: 0,
        seed: 5,
    }
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Returns positions of random games with policies on one or two legal moves; every fourth has no policy, every third no plies left.
pub(crate) fn batch(size: usize, seed: u64) -> Batch {
    let shape = GufuEncoder.shape();
    let mut batch = Batch::new(shape, size);
    let mut numbers = Numbers(seed);
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    let mut legal = Vec::new();
    let (len, mut earlier) = (shape.plane_len(), HashSet::new());
    for sample in 0..size {
        // Two samples with the same planes and different targets could never both be learned.
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                game = Game::new(Gufu::OPTIONS);
                game.legal_moves(&mut legal);
            }
            let planes = &mut batch.planes[sample * len..][..len];
            GufuEncoder.encode(&game, planes);
            if earlier.insert(planes.iter().map(|value| *value != 0.0).collect::<Vec<_>>()) {
                break;
            }
            game.play(legal[numbers.below(legal.len())]);
        }
        let row = sample * shape.actions;
        for mv in &legal {
            batch.legal[row + GufuEncoder.action(game.position(), *mv)] = 1.0;
        }
        if sample % 4 != 3 {
            for _ in 0..2 {
                let mv = legal[numbers.below(legal.len())];
                batch.policy[row + GufuEncoder.action(game.position(), mv)] += 0.5;
            }
        }
        batch.wdl[sample * 3 + numbers.below(3)] = 1.0;
        batch.moves_left[sample] = numbers.below(60) as f32;
        batch.moves_left_weight[sample] = f32::from(u8::from(sample % 3 != 0));
        game.play(legal[numbers.below(legal.len())]);
    }
    batch
}
