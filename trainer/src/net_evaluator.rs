//! The adapter between search and net: encodes leaves, runs the net, restricts its policy to the legal moves.

use std::sync::Arc;

use anyhow::ensure;
use model::{Checkpoint, Encoder, Inference, ModelError, Outputs, Shape, priors};
use rayon::prelude::*;
use rules::{Variant, Wdl};
use schemars::JsonSchema;
use selfplay::{Evaluations, Evaluator, EvaluatorError, Leaf};
use serde::{Deserialize, Serialize};

/// How leaves are evaluated. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InferenceConfig {
    /// Leaves that a thread encodes and evaluates at a time.
    pub(crate) batch: usize,
}

impl InferenceConfig {
    /// What matches and benches use.
    pub(crate) const DEFAULT: Self = Self { batch: 64 };

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(self) -> Result<(), String> {
        if (1..=65_536).contains(&self.batch) {
            return Ok(());
        }
        Err(format!("batch = {}: must be from 1 to 65536", self.batch))
    }
}

/// Evaluates leaves with a net, in chunks spread over the threads of the current rayon pool.
pub(crate) struct NetEvaluator<V: Variant> {
    encoder: Arc<dyn Encoder<V>>,
    net: Inference,
    config: InferenceConfig,
}

impl<V: Variant> NetEvaluator<V> {
    /// Joins a net with the encoder it was trained for.
    ///
    /// # Panics
    /// If their shapes differ; checkpoints are checked when they are loaded.
    pub(crate) fn new(
        encoder: Arc<dyn Encoder<V>>,
        net: Inference,
        config: InferenceConfig,
    ) -> Self {
        assert_eq!(
            encoder.shape(),
            net.shape(),
            "a net must be played with its own encoder"
        );
        Self {
            encoder,
            net,
            config,
        }
    }

    fn evaluate_chunk(
        &self,
        leaves: &[Leaf<'_, V>],
        scratch: &mut Scratch,
    ) -> Result<Evaluations, NetFailure> {
        let shape: Shape = self.encoder.shape();
        let plane_len = shape.plane_len();
        scratch.planes.resize(leaves.len() * plane_len, 0.0);
        for (leaf, planes) in leaves
            .iter()
            .zip(scratch.planes.chunks_exact_mut(plane_len))
        {
            self.encoder.encode(leaf.game, planes);
        }
        self.net
            .run(&scratch.planes, leaves.len(), &mut scratch.outputs)?;
        let mut evaluations = Evaluations::default();
        let rows = scratch
            .outputs
            .policy
            .chunks_exact(shape.actions)
            .zip(scratch.outputs.wdl.chunks_exact(3));
        for (leaf, (logits, wdl)) in leaves.iter().zip(rows) {
            let position = leaf.game.position();
            scratch.actions.clear();
            scratch.actions.extend(
                leaf.moves
                    .iter()
                    .map(|&mv| self.encoder.action(position, mv)),
            );
            priors(logits, &scratch.actions, &mut scratch.priors);
            if !wdl
                .iter()
                .chain(&scratch.priors)
                .all(|value| value.is_finite())
            {
                let text = position.to_string();
                return Err(NetFailure::NotFinite(text));
            }
            evaluations.push(
                Wdl {
                    win: wdl[0],
                    draw: wdl[1],
                    loss: wdl[2],
                },
                scratch.priors.iter().copied(),
            );
        }
        Ok(evaluations)
    }
}

/// Why a net could not evaluate leaves.
#[derive(Debug, thiserror::Error)]
enum NetFailure {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(
        "the net gave a value or policy that is not finite for `{0}`: its weights are broken; go back to an earlier checkpoint"
    )]
    NotFinite(String),
}

/// One thread's buffers.
#[derive(Default)]
struct Scratch {
    planes: Vec<f32>,
    outputs: Outputs,
    actions: Vec<usize>,
    priors: Vec<f32>,
}

impl<V: Variant> Evaluator<V> for NetEvaluator<V> {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<'_, V>],
        out: &mut Evaluations,
    ) -> Result<(), EvaluatorError> {
        let chunks: Result<Vec<Evaluations>, NetFailure> = leaves
            .par_chunks(self.config.batch)
            .map_init(Scratch::default, |scratch, chunk| {
                self.evaluate_chunk(chunk, scratch)
            })
            .collect();
        out.clear();
        for chunk in chunks.map_err(|error| EvaluatorError(Box::new(error)))? {
            out.append(&chunk);
        }
        Ok(())
    }
}

/// Checks that a checkpoint was made for this game, rules and encoder.
///
/// # Errors
/// Says what does not fit.
pub(crate) fn check_fit<V: Variant>(
    checkpoint: &Checkpoint,
    encoder: &dyn Encoder<V>,
) -> anyhow::Result<()> {
    let meta = &checkpoint.meta;
    ensure!(
        meta.variant == V::ID,
        "the checkpoint is of {}, not of {}",
        meta.variant,
        V::ID
    );
    ensure!(
        meta.rules_version == V::RULES_VERSION,
        "the checkpoint was trained under version {} of the rules of {}; this program has version {}",
        meta.rules_version,
        V::ID,
        V::RULES_VERSION
    );
    ensure!(
        meta.encoder_version == encoder.version() && meta.shape == encoder.shape(),
        "the checkpoint was trained with version {} of the encoder of {}; this program has version {}",
        meta.encoder_version,
        V::ID,
        encoder.version()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{Device, LearnConfig, Learner, NetConfig, Optimiser};
    use rules::variants::gufu::{Gufu, Move, Position};
    use rules::{Game, Position as _};

    use super::*;

    /// Says that every plane is not a number: what a broken net would see or say.
    struct Broken;

    impl Encoder<Gufu> for Broken {
        fn shape(&self) -> Shape {
            Shape {
                planes: 1,
                ranks: 3,
                files: 2,
                actions: 93,
                policy_planes: 0,
            }
        }

        fn version(&self) -> u32 {
            1
        }

        fn encode(&self, _: &Game<Gufu>, planes: &mut [f32]) {
            planes.fill(f32::NAN);
        }

        fn action(&self, _: &Position, _: Move) -> usize {
            0
        }

        fn mirror(&self) -> Option<&[u32]> {
            None
        }
    }

    #[test]
    fn a_net_that_says_no_numbers_is_an_error_that_names_the_position() {
        let net = NetConfig {
            channels: 2,
            blocks: 1,
            pool_every: 1,
            policy_channels: 1,
            value_channels: 1,
            value_hidden: 2,
        };
        let learn = LearnConfig {
            optimiser: Optimiser::Sgd,
            learning_rate: 0.1,
            warmup_positions: 0,
            schedule_positions: 1,
            final_learning_rate: 0.1,
            weight_decay: 0.0,
            momentum: 0.0,
            gradient_norm: 1.0,
            average_decay: 0.0,
            policy_weight: 1.0,
            value_weight: 1.0,
            moves_left_weight: 1.0,
        };
        let net = Learner::new(Broken.shape(), &net, &learn, 1, &Device::cpu())
            .unwrap()
            .play_net();
        let mut evaluator = NetEvaluator::new(Arc::new(Broken), net, InferenceConfig::DEFAULT);
        let game = Game::<Gufu>::new(Gufu::OPTIONS);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let error = evaluator
            .evaluate(
                &[Leaf {
                    game: &game,
                    moves: &moves,
                }],
                &mut Evaluations::default(),
            )
            .unwrap_err();
        let said = format!("{:#}", anyhow::Error::new(error));
        assert!(
            said.contains(&Position::initial().to_string()) && said.contains("not finite"),
            "{said}"
        );
    }
}
