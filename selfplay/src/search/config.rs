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
    /// The longest mate, in plies, that each new position is looked through for: 0, 1 or 3. One found is a proof without an evaluation. A
    /// mate in 3 is looked for along checks alone.
    pub mate_plies: u32,
    /// Leaves of one tree that wait for evaluations together, at least 1. More fill a batch with fewer games, and choose each leaf without
    /// what the others will say: a simulation under way counts as a loss (virtual loss).
    pub leaves: u32,
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

impl GumbelConfig {
    /// The settings of the paper for board games.
    pub const USUAL: Self = Self {
        considered: 16,
        visit_offset: 50.0,
        scale: 1.0,
    };

    /// Returns the factor by which values in `[0, 1]` move the logits: the paper's `sigma` (equation 8).
    pub(super) fn sigma(&self, most_visits: u32) -> f32 {
        (self.visit_offset + most_visits as f32) * self.scale
    }
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
    /// The temperature of the root's priors where a search explores: priors are raised to its inverse (KataGo uses 1.1); 1 leaves them.
    pub root_temperature: f32,
    /// Forced playouts where a search explores: a root move once tried gets at least the root of this times prior times visits, and the
    /// policy target leaves out what was only forced (KataGo uses 2); 0 forces none.
    pub forced_playouts: f32,
    /// How far the exploration factor follows the spread of the values found, in `[0, 1]`: for matches (KataGo uses 0.85); 0 for not at all.
    pub variance_scale: f32,
    /// Where a search does not explore, the move with the best value less this many standard errors is played, out of those with a fair
    /// share of the visits (KataGo uses 5); 0 for the most visited move.
    pub lcb_deviations: f32,
}

impl PuctConfig {
    /// The paper's exploration and share of noise, first-play urgency and total alpha close to KataGo's, and nothing else turned on.
    pub const USUAL: Self = Self {
        c_init: 1.25,
        c_base: 19_652.0,
        fpu_reduction: 0.2,
        noise_alpha: 10.0,
        noise_share: 0.25,
        root_temperature: 1.0,
        forced_playouts: 0.0,
        variance_scale: 0.0,
        lcb_deviations: 0.0,
    };

    /// The standard deviation that values are taken to have before any is known (KataGo's `cpuctUtilityStdevPrior`).
    pub(super) const DEVIATION: f32 = 0.4;

    /// The least share of the greatest visit count that a move needs to be played for its lower bound (KataGo's `minVisitPropForLCB`).
    pub(super) const LCB_VISITS: f32 = 0.15;
}

impl SearchConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        in_range("simulations", self.simulations as f32, 2.0, 1e8)?;
        if ![0, 1, 3].contains(&self.mate_plies) {
            return Err(format!(
                "mate_plies = {}: must be 0, 1 or 3",
                self.mate_plies
            ));
        }
        in_range("leaves", self.leaves as f32, 1.0, 1024.0)?;
        in_range("gumbel.considered", self.gumbel.considered as f32, 2.0, 1e4)?;
        in_range("gumbel.visit_offset", self.gumbel.visit_offset, 0.0, 1e6)?;
        in_range("gumbel.scale", self.gumbel.scale, 0.0, 1e3)?;
        self.puct.validate()
    }
}

impl PuctConfig {
    fn validate(&self) -> Result<(), String> {
        in_range("puct.c_init", self.c_init, 0.0, 1e3)?;
        in_range("puct.c_base", self.c_base, 1.0, 1e9)?;
        in_range("puct.fpu_reduction", self.fpu_reduction, 0.0, 2.0)?;
        in_range("puct.noise_alpha", self.noise_alpha, 1e-3, 1e4)?;
        in_range("puct.noise_share", self.noise_share, 0.0, 1.0)?;
        in_range("puct.root_temperature", self.root_temperature, 0.1, 10.0)?;
        in_range("puct.forced_playouts", self.forced_playouts, 0.0, 100.0)?;
        in_range("puct.variance_scale", self.variance_scale, 0.0, 1.0)?;
        in_range("puct.lcb_deviations", self.lcb_deviations, 0.0, 100.0)
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
