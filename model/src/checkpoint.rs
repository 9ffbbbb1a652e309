//! Everything that a learner is, in one file that is either whole or refused.

mod format;

use std::path::Path;

use rules::{RuleOptions, VariantId};
use serde::{Deserialize, Serialize};

use crate::device::Device;
use crate::encoder::Sizes;
use crate::error::ModelError;
use crate::inference::Inference;
use crate::learner::Optimiser;
use crate::net::{Blueprint, NetConfig};
use crate::optimiser::Moments;
pub(crate) use format::encode;

/// What a checkpoint says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointMeta {
    /// The game.
    pub variant: VariantId,
    /// The version of the game's rules, [`rules::Variant::RULES_VERSION`].
    pub rules_version: u32,
    /// The rule options of the games learned from.
    pub options: RuleOptions,
    /// The version of the encoder, [`Encoder::version`](crate::Encoder::version).
    pub encoder_version: u32,
    /// The sizes of what the net takes and gives.
    pub shape: Sizes,
    /// The family and size of the net.
    pub net: NetConfig,
    /// The generation of the run, as the run counts them.
    pub generation: u64,
    /// Steps of learning.
    pub steps: u64,
    /// Positions learned from.
    pub positions: u64,
    /// The seed of the run.
    pub seed: u64,
}

/// Weights, averaged weights and optimiser of a learner, with what identifies them.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What the checkpoint says about itself.
    pub meta: CheckpointMeta,
    pub(crate) optimiser: Optimiser,
    pub(crate) weights: Vec<f32>,
    pub(crate) average: Vec<f32>,
    pub(crate) moments: Moments,
}

impl Checkpoint {
    /// Returns the checkpoint as the bytes of its file. Who writes them sees to it that the file is whole or not there.
    ///
    /// # Errors
    /// A weight is not finite (such a net must not be published), or the meta data cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let Moments { first, second } = &self.moments;
        let arrays = [&*self.weights, &*self.average, &**first, &**second];
        let mut bytes = Vec::new();
        encode((self.meta, self.optimiser), arrays, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// The file is missing, no checkpoint, newer than this program, cut short, or damaged anywhere; the error names it and the remedy.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        format::load(path)
    }

    /// Returns the identity of the weights that play: a checksum, equal for equal weights.
    pub fn id(&self) -> u64 {
        identity(&self.average)
    }

    /// Returns the net of averaged weights, ready for play.
    ///
    /// # Errors
    /// The weights are not those of the net that the meta data describes.
    pub fn play_net(&self, device: &Device) -> Result<Inference, ModelError> {
        Ok(Inference::new(&self.blueprint()?, &self.average, device))
    }

    /// Returns the blueprint of the net, with every array held against it.
    pub(crate) fn blueprint(&self) -> Result<Blueprint, ModelError> {
        self.meta.net.validate().map_err(ModelError::Mismatch)?;
        let blueprint = Blueprint::new(self.meta.shape, &self.meta.net)?;
        let len = blueprint.len();
        let moments = Moments::new(self.optimiser, len);
        let arrays = [
            ("weights", &self.weights, len),
            ("average", &self.average, len),
            ("first moments", &self.moments.first, moments.first.len()),
            ("second moments", &self.moments.second, moments.second.len()),
        ];
        for (name, array, len) in arrays {
            if array.len() != len {
                return Err(ModelError::Mismatch(format!(
                    "{name} has {} values, but its net has {len}",
                    array.len()
                )));
            }
        }
        Ok(blueprint)
    }
}

/// Returns the checksum of weights that play: FNV-1a, word by word, <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub(crate) fn identity(average: &[f32]) -> u64 {
    average.iter().fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use rules::variants::gufu::Gufu;
    use rules::{Game, Variant};

    use super::*;
    use crate::encoder::{Encoder, GufuEncoder};
    use crate::learner::{LearnConfig, Learner};
    use crate::net::ResidualConfig;

    fn checkpoint() -> Checkpoint {
        let encoder: &dyn Encoder<Gufu> = &GufuEncoder;
        let net = ResidualConfig {
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
        let learner = Learner::new(encoder.shape(), net, &learn, 1, &Device::cpu()).unwrap();
        learner.checkpoint(CheckpointMeta {
            variant: Gufu::ID,
            rules_version: Gufu::RULES_VERSION,
            options: *Game::<Gufu>::new(Gufu::OPTIONS).options(),
            encoder_version: encoder.version(),
            shape: encoder.shape().into(),
            net: net.into(),
            generation: 0,
            steps: 0,
            positions: 0,
            seed: 1,
        })
    }

    #[test]
    fn a_net_that_is_not_finite_is_not_published() {
        assert!(checkpoint().to_bytes().is_ok());
        let mut broken = checkpoint();
        broken.weights[5] = f32::NAN;
        let said = broken.to_bytes().unwrap_err().to_string();
        assert!(
            said.contains("number 5 of its weights is NaN: must be finite"),
            "{said}"
        );
        let mut broken = checkpoint();
        broken.average[7] = f32::INFINITY;
        let said = broken.to_bytes().unwrap_err().to_string();
        assert!(
            said.contains("number 7 of its average is inf: must be finite"),
            "{said}"
        );
    }
}
