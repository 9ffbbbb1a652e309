//! The adapter between search and net: encodes leaves, runs the net, restricts its policy to the legal moves.

use std::ops::Range;
use std::sync::Arc;

use anyhow::ensure;
use model::{Checkpoint, Encoder, Inference, ModelError, Outputs, priors};
use rules::{Position as _, Variant, Wdl};
use schemars::JsonSchema;
use selfplay::{CachedEvaluator, EvaluationCache, Evaluations, Evaluator, EvaluatorError, Leaf};
use serde::{Deserialize, Serialize};

/// How leaves are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InferenceConfig {
    /// Leaves that a thread evaluates at a time at most. Results do not depend on it.
    pub(crate) batch: usize,
    /// Megabytes of evaluations that are kept, for all threads together; 0 keeps none. Results do not depend on it.
    pub(crate) cache_megabytes: u64,
    /// Whether positions are shown to the net mirrored: `none`, or `hash` for those whose hash says so, half of them, in games whose rules
    /// have that symmetry.
    pub(crate) symmetry: Symmetry,
}

/// Which positions are shown to the net mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Symmetry {
    /// None.
    None,
    /// Those whose hash says so.
    Hash,
}

impl InferenceConfig {
    /// What matches and benches use.
    pub(crate) const DEFAULT: Self = Self {
        batch: 64,
        cache_megabytes: 64,
        symmetry: Symmetry::None,
    };

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(self) -> Result<(), String> {
        if !(1..=65_536).contains(&self.batch) {
            return Err(format!("batch = {}: must be from 1 to 65536", self.batch));
        }
        if self.cache_megabytes > 1 << 20 {
            return Err(format!(
                "cache_megabytes = {}: must be at most {}",
                self.cache_megabytes,
                1 << 20
            ));
        }
        Ok(())
    }
}

/// Makes an evaluator of a net, with a cache before it if the config gives it one.
pub(crate) fn evaluator<V: Variant>(
    encoder: &Arc<dyn Encoder<V>>,
    net: Inference,
    config: InferenceConfig,
) -> (Box<dyn Evaluator<V>>, Option<EvaluationCache>) {
    let bare = Box::new(NetEvaluator::new(Arc::clone(encoder), net, config));
    if config.cache_megabytes == 0 {
        return (bare, None);
    }
    let cache = EvaluationCache::new(config.cache_megabytes << 20);
    (
        Box::new(CachedEvaluator::new(bare, cache.clone())),
        Some(cache),
    )
}

/// Evaluates leaves with a net: encodes them while their games stand there, and runs the net on all of them later.
pub(crate) struct NetEvaluator<V: Variant> {
    encoder: Arc<dyn Encoder<V>>,
    net: Inference,
    config: InferenceConfig,
    /// The leaves taken down, `[leaves, planes, ranks, files]`.
    planes: Vec<f32>,
    leaves: Vec<Taken<V>>,
    /// The actions of the legal moves of all leaves, in their order.
    actions: Vec<u32>,
    outputs: Outputs,
    priors: Vec<f32>,
}

/// A leaf taken down.
struct Taken<V: Variant> {
    position: V::Position,
    /// Where its actions end.
    end: usize,
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
            planes: Vec::new(),
            leaves: Vec::new(),
            actions: Vec::new(),
            outputs: Outputs::default(),
            priors: Vec::new(),
        }
    }

    /// Evaluates the leaves in `range`, whose actions begin at `start`.
    fn evaluate_part(
        &mut self,
        range: Range<usize>,
        start: usize,
        out: &mut Evaluations,
    ) -> Result<(), NetFailure> {
        let shape = self.encoder.shape();
        let width = shape.plane_len();
        let planes = &self.planes[range.start * width..range.end * width];
        self.net.run(planes, range.len(), &mut self.outputs)?;
        let rows = self
            .outputs
            .policy
            .chunks_exact(shape.actions)
            .zip(self.outputs.wdl.chunks_exact(3));
        let mut start = start;
        for (leaf, (logits, wdl)) in self.leaves[range].iter().zip(rows) {
            priors(logits, &self.actions[start..leaf.end], &mut self.priors);
            start = leaf.end;
            if !wdl
                .iter()
                .chain(&self.priors)
                .all(|value| value.is_finite())
            {
                return Err(NetFailure::NotFinite(leaf.position.to_string()));
            }
            let [win, draw, loss] = [wdl[0], wdl[1], wdl[2]];
            out.push(Wdl { win, draw, loss }, self.priors.iter().copied());
        }
        Ok(())
    }

    fn evaluate_all(&mut self, out: &mut Evaluations) -> Result<(), NetFailure> {
        let (mut from, mut start) = (0, 0);
        while from < self.leaves.len() {
            let to = (from + self.config.batch).min(self.leaves.len());
            self.evaluate_part(from..to, start, out)?;
            start = self.leaves[to - 1].end;
            from = to;
        }
        Ok(())
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

impl<V: Variant> Evaluator<V> for NetEvaluator<V> {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        let position = leaf.game.position();
        let width = self.encoder.shape().plane_len();
        let at = self.leaves.len() * width;
        if self.planes.len() < at + width {
            self.planes.resize(at + width, 0.0);
        }
        let planes = &mut self.planes[at..at + width];
        self.encoder.encode(leaf.game, planes);
        let action = |&mv: &_| self.encoder.action(position, mv) as u32;
        self.actions.extend(leaf.moves.iter().map(action));
        let first = self.leaves.last().map_or(0, |leaf| leaf.end);
        let drawn = self.config.symmetry == Symmetry::Hash && position.fingerprint() & 1 == 1;
        if let Some(reflection) = self.encoder.mirror().filter(|_| drawn) {
            self.encoder.shape().mirror_planes(planes);
            for action in &mut self.actions[first..] {
                *action = reflection[*action as usize];
            }
        }
        self.leaves.push(Taken {
            position: *position,
            end: self.actions.len(),
        });
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        let evaluated = self.evaluate_all(out);
        self.leaves.clear();
        self.actions.clear();
        evaluated.map_err(|error| EvaluatorError(Box::new(error)))
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::new(
            Arc::clone(&self.encoder),
            self.net.clone(),
            self.config,
        ))
    }

    fn waits(&self) -> bool {
        !self.net.is_on_processor()
    }

    /// The position, what the encoder shows of its history, and nothing else: net, encoder and symmetry are the same for all leaves, and
    /// whether one is mirrored follows from its position.
    fn key(&self, leaf: &Leaf<'_, V>) -> Option<u128> {
        let position = leaf.game.position();
        let history = self.encoder.history(leaf.game);
        let low = position.key() ^ history.wrapping_mul(HISTORY);
        Some(u128::from(position.fingerprint()) << 64 | u128::from(low))
    }
}

/// Spreads the few values of a history over 64 bits: the golden ratio's.
const HISTORY: u64 = 0x9e37_79b9_7f4a_7c15;

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
    use model::{Device, LearnConfig, Learner, NetConfig, Optimiser, Shape};
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

        fn history(&self, _: &Game<Gufu>) -> u64 {
            0
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
        let leaf = Leaf {
            game: &game,
            moves: &moves,
        };
        let mut evaluations = Evaluations::default();
        assert!(!evaluator.ask(&leaf, &mut evaluations));
        let error = evaluator.evaluate(&mut evaluations).unwrap_err();
        let said = format!("{:#}", anyhow::Error::new(error));
        assert!(
            said.contains(&Position::initial().to_string()) && said.contains("not finite"),
            "{said}"
        );
    }
}
