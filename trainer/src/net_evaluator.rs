//! The adapter between search and net: encodes leaves, runs the net, restricts its policy to the legal moves.

use std::sync::Arc;

use anyhow::{Result, ensure};
use model::{Checkpoint, Encoder, Inference, ModelError, Outputs, Shape, priors};
use rayon::prelude::*;
use rules::{Variant, Wdl};
use selfplay::{Evaluations, Evaluator, EvaluatorError, Leaf};

/// Leaves that one thread encodes and evaluates at a time.
const CHUNK: usize = 64;

/// Evaluates leaves with a net, in chunks spread over the threads of the current rayon pool.
pub(crate) struct NetEvaluator<V: Variant> {
    encoder: Arc<dyn Encoder<V>>,
    net: Inference,
}

impl<V: Variant> NetEvaluator<V> {
    /// Joins a net with the encoder it was trained for.
    ///
    /// # Panics
    /// If their shapes differ; checkpoints are checked when they are loaded.
    pub(crate) fn new(encoder: Arc<dyn Encoder<V>>, net: Inference) -> Self {
        assert_eq!(
            encoder.shape(),
            net.shape(),
            "a net must be played with its own encoder"
        );
        Self { encoder, net }
    }

    fn evaluate_chunk(
        &self,
        leaves: &[Leaf<'_, V>],
        scratch: &mut Scratch,
    ) -> Result<Evaluations, ModelError> {
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
        let chunks: Result<Vec<Evaluations>, ModelError> = leaves
            .par_chunks(CHUNK)
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
) -> Result<()> {
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
