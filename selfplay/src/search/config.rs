//! How a search spends its simulations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rule by which the root chooses what to look at and what to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RootKind {
    /// PUCT with Dirichlet noise; the tree below the move played is kept.
    Puct,
    /// Gumbel noise, sequential halving and completed-Q policy targets; every search starts afresh.
    Gumbel,
}

/// The search of one move. `root` selects one of the two tables; the other is not used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Simulations a move, at least 2.
    pub simulations: u32,
    /// `gumbel` or `puct`.
    pub root: RootKind,
    /// Whether each new position is looked through for a mate in one, which is then a proof without an evaluation.
    pub mate_in_one: bool,
    /// Settings of the Gumbel root and of selection below it.
    pub gumbel: GumbelConfig,
    /// Settings of PUCT.
    pub puct: PuctConfig,
}

/// Planning with Gumbel (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GumbelConfig {
    /// Moves that enter the halving, at least 2.
    pub considered: u32,
    /// The paper's `c_visit`: added to the greatest visit count before scaling.
    pub visit_offset: f32,
    /// The paper's `c_scale`: how far values in `[0, 1]` move the logits.
    pub scale: f32,
}

/// PUCT (Silver et al., "A general reinforcement learning algorithm ...", Science 2018, supplement).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PuctConfig {
    /// The exploration factor of a fresh node.
    pub c_init: f32,
    /// The number of visits over which the factor grows: `c = c_init + ln((visits + c_base + 1) / c_base)`.
    pub c_base: f32,
    /// First-play urgency: an unvisited move is worth the parent's value less this times the root of the prior mass already visited.
    pub fpu_reduction: f32,
    /// The total alpha of the root's Dirichlet noise, divided over the legal moves (KataGo uses 10.83).
    pub noise_alpha: f32,
    /// The share of noise in the root's priors, in `[0, 1]`.
    pub noise_share: f32,
}

impl SearchConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        in_range("simulations", self.simulations as f32, 2.0, 1e8)?;
        in_range("gumbel.considered", self.gumbel.considered as f32, 2.0, 1e4)?;
        in_range("gumbel.visit_offset", self.gumbel.visit_offset, 0.0, 1e6)?;
        in_range("gumbel.scale", self.gumbel.scale, 0.0, 1e3)?;
        in_range("puct.c_init", self.puct.c_init, 0.0, 1e3)?;
        in_range("puct.c_base", self.puct.c_base, 1.0, 1e9)?;
        in_range("puct.fpu_reduction", self.puct.fpu_reduction, 0.0, 2.0)?;
        in_range("puct.noise_alpha", self.puct.noise_alpha, 1e-3, 1e4)?;
        in_range("puct.noise_share", self.puct.noise_share, 0.0, 1.0)
    }
}

/// Checks that `value` lies in `[low, high]`; NaN does not.
///
/// # Errors
/// Names the field, its value and the range.
pub(crate) fn in_range(field: &str, value: f32, low: f32, high: f32) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} = {value}: must be from {low} to {high}"))
}
