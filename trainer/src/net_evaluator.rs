//! The adapter between search and net: encodes leaves, runs the net, restricts its policy to the legal moves.

use std::ops::Range;

use anyhow::ensure;
use model::{
    Answers, Checkpoint, CheckpointMeta, Inference, ModelError, NetConfig, Precision, Sights, Solo,
    View, priors,
};
use rules::{Position as _, Side, Variant, Wdl};
use schemars::JsonSchema;
use selfplay::{CachedEvaluator, EvaluationCache, Evaluations, Evaluator, EvaluatorError, Leaf};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::dispatch::Parts;

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
    /// What the net computes with: `integer`, for nets of features, which are some times as fast with it, or `float`.
    pub(crate) precision: Precision,
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
    /// Returns what matches and benches use: with the quickest precision that the family of the net has.
    pub(crate) const fn of_matches(net: &NetConfig) -> Self {
        Self {
            batch: 64,
            cache_megabytes: 64,
            symmetry: Symmetry::None,
            precision: match net {
                NetConfig::Residual(_) => Precision::Float,
                NetConfig::Sparse(_) => Precision::Integer,
            },
        }
    }

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(self, net: &NetConfig) -> Result<(), String> {
        if let (Precision::Integer, NetConfig::Residual(_)) = (self.precision, net) {
            return Err(format!(
                "precision = \"integer\": must be \"float\" for a net of arch \"{}\"",
                net.arch()
            ));
        }
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

/// An evaluator, and the cache before it if there is one.
pub(crate) type WithCache<V> = (Box<dyn Evaluator<V>>, Option<EvaluationCache>);

/// Makes an evaluator of a net, with a cache before it if the config gives it one.
///
/// # Errors
/// If the net cannot be played with the precision of the config.
pub(crate) fn evaluator<V: Variant>(
    parts: &Parts<V>,
    net: Inference,
    config: InferenceConfig,
) -> Result<WithCache<V>, ModelError> {
    let view = parts.view(net.net());
    let net = match config.precision {
        Precision::Integer => net.in_integers()?,
        Precision::Float => net,
    };
    let bare = Box::new(NetEvaluator::new(view, net, config));
    if config.cache_megabytes == 0 {
        return Ok((bare, None));
    }
    let cache = EvaluationCache::new(config.cache_megabytes << 20);
    Ok((
        Box::new(CachedEvaluator::new(bare, cache.clone())),
        Some(cache),
    ))
}

/// Evaluates leaves with a net: encodes them while their games stand there, and runs the net on all of them later, or at once where that is
/// quicker.
pub(crate) struct NetEvaluator<V: Variant> {
    view: View<V>,
    net: Inference,
    config: InferenceConfig,
    /// The net as one that answers at once, if it is quicker so, and the leaf that is looked at.
    solo: Option<(Solo, Sights)>,
    at_once: u64,
    /// The leaves taken down, with their legal moves.
    sights: Sights,
    /// Their positions, for what there may be to say about one.
    positions: Vec<V::Position>,
    answers: Answers,
    priors: Vec<f32>,
}

impl<V: Variant> NetEvaluator<V> {
    /// Joins a net with the view of the game it was trained for.
    ///
    /// # Panics
    /// If their sizes differ; checkpoints are checked when they are loaded.
    pub(crate) fn new(view: View<V>, net: Inference, config: InferenceConfig) -> Self {
        assert_eq!(
            view.sizes(),
            net.sizes(),
            "a net must be played with its own encoder"
        );
        Self {
            view,
            solo: net.solo().map(|solo| (solo, Sights::default())),
            at_once: 0,
            net,
            config,
            sights: Sights::default(),
            positions: Vec::new(),
            answers: Answers::default(),
            priors: Vec::new(),
        }
    }

    /// Tells whether the net is shown a position mirrored.
    fn mirrors(&self, position: &V::Position) -> bool {
        self.config.symmetry == Symmetry::Hash && position.fingerprint() & 1 == 1
    }

    /// Evaluates the leaves in `range`.
    fn evaluate_part(
        &mut self,
        range: Range<usize>,
        out: &mut Evaluations,
    ) -> Result<(), NetFailure> {
        self.net
            .look(&self.sights, range.clone(), &mut self.answers)?;
        let first = self.sights.moves_of(range.start).start;
        for (leaf, wdl) in range.zip(self.answers.wdl.chunks_exact(3)) {
            let moves = self.sights.moves_of(leaf);
            let logits = &self.answers.logits[moves.start - first..moves.end - first];
            priors(logits, &mut self.priors);
            if !wdl
                .iter()
                .chain(&self.priors)
                .all(|value| value.is_finite())
            {
                return Err(NetFailure::NotFinite(self.positions[leaf].to_string()));
            }
            let [win, draw, loss] = [wdl[0], wdl[1], wdl[2]];
            out.push(Wdl { win, draw, loss }, self.priors.iter().copied());
        }
        Ok(())
    }

    fn evaluate_all(&mut self, out: &mut Evaluations) -> Result<(), NetFailure> {
        let leaves = self.positions.len();
        for from in (0..leaves).step_by(self.config.batch) {
            self.evaluate_part(from..(from + self.config.batch).min(leaves), out)?;
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
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        let position = leaf.game.position();
        let mirrored = self.mirrors(position);
        let Some((solo, sights)) = &mut self.solo else {
            return self.defer(leaf, answer);
        };
        sights.clear();
        self.view.show(leaf.game, leaf.moves, mirrored, sights);
        let second = position.side_to_move() == Side::Second;
        let kind = 2 * usize::from(second) + usize::from(mirrored);
        let ([win, draw, loss], logits) = solo.look(sights.rows(), 0, kind);
        priors(logits, &mut self.priors);
        answer.push(Wdl { win, draw, loss }, self.priors.iter().copied());
        self.at_once += 1;
        true
    }

    fn defer(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        let position = leaf.game.position();
        let mirrored = self.mirrors(position);
        self.view
            .show(leaf.game, leaf.moves, mirrored, &mut self.sights);
        self.positions.push(*position);
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        let evaluated = self.evaluate_all(out);
        self.sights.clear();
        self.positions.clear();
        evaluated.map_err(|error| EvaluatorError(Box::new(error)))
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::new(self.view.clone(), self.net.clone(), self.config))
    }

    fn waits(&self) -> bool {
        !self.net.is_on_processor()
    }

    fn evaluated_at_once(&self) -> u64 {
        self.at_once
    }

    /// The position, what the encoder shows of its history, and nothing else: net, encoder and symmetry are the same for all leaves, and
    /// whether one is mirrored follows from its position.
    fn key(&self, leaf: &Leaf<'_, V>) -> Option<u128> {
        let position = leaf.game.position();
        let history = self.view.history(leaf.game);
        let low = position.key() ^ history.wrapping_mul(HISTORY);
        Some(u128::from(position.fingerprint()) << 64 | u128::from(low))
    }
}

/// Spreads the few values of a history over 64 bits: the golden ratio's.
const HISTORY: u64 = 0x9e37_79b9_7f4a_7c15;

/// Says what a checkpoint of a run is of, as [`check_fit`] wants it. Its steps and positions are those of the learner that makes it.
pub(crate) fn meta<V: Variant>(
    config: &Config,
    parts: &Parts<V>,
    generation: u64,
) -> CheckpointMeta {
    let view = parts.view(&config.net);
    CheckpointMeta {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        options: config.rules,
        encoder_version: view.version(),
        shape: view.sizes(),
        net: config.net,
        generation,
        steps: 0,
        positions: 0,
        seed: config.seed,
    }
}

/// Checks that a checkpoint was made for this game, rules and encoder.
///
/// # Errors
/// Says what does not fit.
pub(crate) fn check_fit<V: Variant>(
    checkpoint: &Checkpoint,
    parts: &Parts<V>,
) -> anyhow::Result<()> {
    let meta = &checkpoint.meta;
    let view = parts.view(&meta.net);
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
        meta.encoder_version == view.version() && meta.shape == view.sizes(),
        "the checkpoint was trained with version {} of the encoder of {}; this program has version {}",
        meta.encoder_version,
        V::ID,
        view.version()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Device, Encoder, LearnConfig, Learner, Optimiser, ResidualConfig, Shape};
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
        let config = ResidualConfig {
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
        let net = Learner::new(Broken.shape(), config, &learn, 1, &Device::cpu())
            .unwrap()
            .play_net();
        let mut evaluator = NetEvaluator::new(
            View::Planes(Arc::new(Broken)),
            net,
            InferenceConfig::of_matches(&config.into()),
        );
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
