//! The config section of the net.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::encoder::{Features, PolicyMoves};

/// The net: its family and the sizes that belong to it.
///
/// Checkpoints and saved configs of before there was a second family have no `arch`; it is `residual` then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "arch", rename_all = "lowercase")]
pub enum NetConfig {
    /// A residual tower over planes.
    Residual(ResidualConfig),
    /// Sums of the rows of active features.
    Sparse(SparseConfig),
}

/// The size of a residual net: a tower and its heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResidualConfig {
    /// Channels of the residual tower, 1 to 1024.
    pub channels: usize,
    /// Residual blocks of two convolutions each, 1 to 100.
    pub blocks: usize,
    /// Every how many blocks one sees the whole board through global pooling, 0 to 100; 0: none does.
    pub pool_every: usize,
    /// Channels of the policy head, 1 to 1024.
    pub policy_channels: usize,
    /// Channels of the value head, 1 to 1024.
    pub value_channels: usize,
    /// Hidden units of the value head, 1 to 4096.
    pub value_hidden: usize,
}

/// The size of a net whose first layer is a sum of the rows of active features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SparseConfig {
    /// What is told of the men on the board: "plain", or "threats" with who attacks and who guards them.
    pub features: Features,
    /// What is told of moves: "plain", or "exchange" with checks and losing captures.
    pub policy_moves: PolicyMoves,
    /// Sums for the value, 16 to 4096, a multiple of 16.
    pub value_width: usize,
    /// Sums for the policy, 16 to 4096, a multiple of 16.
    pub policy_width: usize,
    /// What becomes of the sums: "squared", or "pairwise" products, which halve the inputs of the next layer.
    pub activation: Activation,
    /// Units of each of the two small layers of the value, 1 to 1024.
    pub value_hidden: usize,
    /// Length of the vector that is multiplied with that of each move, 1 to 1024.
    pub policy_hidden: usize,
}

/// What becomes of the sums of rows, which are first cut to `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// Each is squared.
    Squared,
    /// Each of the first half is multiplied by its partner in the second half.
    Pairwise,
}

impl Activation {
    /// Returns how many inputs the next layer has of so many sums.
    pub(crate) const fn inputs(self, width: usize) -> usize {
        match self {
            Self::Squared => width,
            Self::Pairwise => width / 2,
        }
    }
}

impl From<ResidualConfig> for NetConfig {
    fn from(config: ResidualConfig) -> Self {
        Self::Residual(config)
    }
}

impl From<SparseConfig> for NetConfig {
    fn from(config: SparseConfig) -> Self {
        Self::Sparse(config)
    }
}

impl NetConfig {
    /// Returns the name of the family.
    pub const fn arch(&self) -> &'static str {
        match self {
            Self::Residual(_) => "residual",
            Self::Sparse(_) => "sparse",
        }
    }

    /// Returns a short name of family and size.
    pub fn name(&self) -> String {
        match self {
            Self::Residual(config) => format!("{}x{}", config.blocks, config.channels),
            Self::Sparse(config) => format!("sparse{}", config.value_width),
        }
    }

    /// Checks that each field is in its range.
    ///
    /// # Errors
    /// Says which field is out of range, its value, and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        match self {
            Self::Residual(config) => config.validate(),
            Self::Sparse(config) => config.validate(),
        }
    }
}

impl ResidualConfig {
    fn validate(&self) -> Result<(), String> {
        in_ranges(&[
            ("channels", self.channels, 1, 1024),
            ("blocks", self.blocks, 1, 100),
            ("pool_every", self.pool_every, 0, 100),
            ("policy_channels", self.policy_channels, 1, 1024),
            ("value_channels", self.value_channels, 1, 1024),
            ("value_hidden", self.value_hidden, 1, 4096),
        ])
    }

    /// Tells whether block `index`, from 0, has a global-pooling bias.
    pub(crate) fn pools(&self, index: usize) -> bool {
        self.pool_every > 0 && (index + 1).is_multiple_of(self.pool_every)
    }
}

impl SparseConfig {
    fn validate(&self) -> Result<(), String> {
        in_ranges(&[
            ("value_width", self.value_width, 16, 4096),
            ("policy_width", self.policy_width, 16, 4096),
            ("value_hidden", self.value_hidden, 1, 1024),
            ("policy_hidden", self.policy_hidden, 1, 1024),
        ])?;
        for (name, width) in [
            ("value_width", self.value_width),
            ("policy_width", self.policy_width),
        ] {
            if !width.is_multiple_of(16) {
                return Err(format!("{name} = {width}: must be a multiple of 16"));
            }
        }
        Ok(())
    }
}

fn in_ranges(fields: &[(&str, usize, usize, usize)]) -> Result<(), String> {
    match fields
        .iter()
        .find(|(_, value, low, high)| !(low..=high).contains(&value))
    {
        Some((name, value, low, high)) => {
            Err(format!("{name} = {value}: must be from {low} to {high}"))
        }
        None => Ok(()),
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Arch {
    Residual,
    Sparse,
}

/// Every key of either family. Read in one go, so that errors point at their own place in a config.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    arch: Option<Arch>,
    channels: Option<usize>,
    blocks: Option<usize>,
    pool_every: Option<usize>,
    policy_channels: Option<usize>,
    value_channels: Option<usize>,
    value_hidden: Option<usize>,
    features: Option<Features>,
    policy_moves: Option<PolicyMoves>,
    value_width: Option<usize>,
    policy_width: Option<usize>,
    activation: Option<Activation>,
    policy_hidden: Option<usize>,
}

impl<'de> Deserialize<'de> for NetConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        match fields.arch.unwrap_or(Arch::Residual) {
            Arch::Residual => fields.residual().map(Self::Residual),
            Arch::Sparse => fields.sparse().map(Self::Sparse),
        }
    }
}

impl Fields {
    fn residual<E: de::Error>(self) -> Result<ResidualConfig, E> {
        const KEYS: &[&str] = &[
            "arch",
            "channels",
            "blocks",
            "pool_every",
            "policy_channels",
            "value_channels",
            "value_hidden",
        ];
        let others = [
            ("features", self.features.is_some()),
            ("policy_moves", self.policy_moves.is_some()),
            ("value_width", self.value_width.is_some()),
            ("policy_width", self.policy_width.is_some()),
            ("activation", self.activation.is_some()),
            ("policy_hidden", self.policy_hidden.is_some()),
        ];
        none_of(others, KEYS)?;
        Ok(ResidualConfig {
            channels: needed("channels", self.channels)?,
            blocks: needed("blocks", self.blocks)?,
            pool_every: needed("pool_every", self.pool_every)?,
            policy_channels: needed("policy_channels", self.policy_channels)?,
            value_channels: needed("value_channels", self.value_channels)?,
            value_hidden: needed("value_hidden", self.value_hidden)?,
        })
    }

    fn sparse<E: de::Error>(self) -> Result<SparseConfig, E> {
        const KEYS: &[&str] = &[
            "arch",
            "features",
            "policy_moves",
            "value_width",
            "policy_width",
            "activation",
            "value_hidden",
            "policy_hidden",
        ];
        let others = [
            ("channels", self.channels.is_some()),
            ("blocks", self.blocks.is_some()),
            ("pool_every", self.pool_every.is_some()),
            ("policy_channels", self.policy_channels.is_some()),
            ("value_channels", self.value_channels.is_some()),
        ];
        none_of(others, KEYS)?;
        Ok(SparseConfig {
            features: needed("features", self.features)?,
            policy_moves: needed("policy_moves", self.policy_moves)?,
            value_width: needed("value_width", self.value_width)?,
            policy_width: needed("policy_width", self.policy_width)?,
            activation: needed("activation", self.activation)?,
            value_hidden: needed("value_hidden", self.value_hidden)?,
            policy_hidden: needed("policy_hidden", self.policy_hidden)?,
        })
    }
}

fn needed<T, E: de::Error>(name: &'static str, value: Option<T>) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(name))
}

/// Refuses the keys of the other family.
fn none_of<const N: usize, E: de::Error>(
    others: [(&str, bool); N],
    keys: &'static [&'static str],
) -> Result<(), E> {
    match others.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(E::unknown_field(name, keys)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<NetConfig, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn each_family_has_its_own_keys() {
        let sizes = r#""channels": 4, "blocks": 1, "pool_every": 0, "policy_channels": 2, "value_channels": 3"#;
        let old = read(&format!("{{{sizes}, \"value_hidden\": 5}}")).unwrap();
        let named = format!("{{\"arch\": \"residual\", {sizes}, \"value_hidden\": 5}}");
        assert_eq!(read(&named).unwrap(), old);
        assert_eq!((old.arch(), old.name()), ("residual", "1x4".to_owned()));
        let written = serde_json::to_string(&old).unwrap();
        assert!(written.contains("\"arch\":\"residual\""), "{written}");
        assert_eq!(read(&written).unwrap(), old);

        let sparse = NetConfig::from(SparseConfig {
            features: Features::Threats,
            policy_moves: PolicyMoves::Plain,
            value_width: 256,
            policy_width: 128,
            activation: Activation::Squared,
            value_hidden: 32,
            policy_hidden: 16,
        });
        let written = serde_json::to_string(&sparse).unwrap();
        assert_eq!(read(&written).unwrap(), sparse);
        let mixed = written.replace("\"value_width\"", "\"blocks\":1,\"value_width\"");
        let said = read(&mixed).unwrap_err();
        assert!(
            said.starts_with("unknown field `blocks`, expected one of `arch`, `features`"),
            "{said}"
        );
        let short = written.replace(",\"value_hidden\":32", "");
        let said = read(&short).unwrap_err();
        assert!(said.starts_with("missing field `value_hidden`"), "{said}");
    }

    #[test]
    fn widths_are_whole_vectors() {
        let config = SparseConfig {
            features: Features::Plain,
            policy_moves: PolicyMoves::Plain,
            value_width: 40,
            policy_width: 128,
            activation: Activation::Squared,
            value_hidden: 32,
            policy_hidden: 16,
        };
        assert_eq!(
            NetConfig::from(config).validate().unwrap_err(),
            "value_width = 40: must be a multiple of 16"
        );
    }
}
