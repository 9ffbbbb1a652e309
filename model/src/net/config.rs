//! The config section of the net.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The size of the net: a residual tower and its heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
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

impl NetConfig {
    /// Checks that each field is in its range.
    ///
    /// # Errors
    /// Says which field is out of range, its value, and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        let fields = [
            ("channels", self.channels, 1, 1024),
            ("blocks", self.blocks, 1, 100),
            ("pool_every", self.pool_every, 0, 100),
            ("policy_channels", self.policy_channels, 1, 1024),
            ("value_channels", self.value_channels, 1, 1024),
            ("value_hidden", self.value_hidden, 1, 4096),
        ];
        for (name, value, low, high) in fields {
            if !(low..=high).contains(&value) {
                return Err(format!("{name} = {value}: must be from {low} to {high}"));
            }
        }
        Ok(())
    }

    /// Tells whether block `index`, from 0, has a global-pooling bias.
    pub(crate) fn pools(&self, index: usize) -> bool {
        self.pool_every > 0 && (index + 1).is_multiple_of(self.pool_every)
    }
}
