//! How games are started, how freely moves are chosen, and how long a generation is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::branches::ForksConfig;
use super::openings::OpeningsConfig;
use super::resign::ResignConfig;
use super::surprise::SurpriseConfig;
use crate::search::in_range;

/// Self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Games played at the same time; 0: two evaluation batches for each core of the machine, worked out when a run begins and saved with it.
    pub games: u32,
    /// Searched plies in each of these games before a generation ends, fast ones included.
    pub plies_per_generation: u32,
    /// The ply at which games are capped at the start of a run, while random play hardly ever ends them; at most `rules.ply_cap`.
    pub early_ply_cap: u32,
    /// The searched positions of the run over which the cap rises to `rules.ply_cap`; 0: it is that from the start.
    pub full_cap_positions: u64,
    /// A move that the search thinks worse than its best by more than this (a difference of values, in `[0, 2]`) counts as exploration: the
    /// outcome then says nothing fair about earlier plies, and the root's value stands in for it.
    pub exploratory_regret: f32,
    /// How freely moves are chosen.
    pub temperature: TemperatureConfig,
    /// How games start.
    pub openings: OpeningsConfig,
    /// How many simulations a search has.
    pub caps: CapsConfig,
    /// Games that start within earlier ones.
    pub forks: ForksConfig,
    /// When players give up.
    pub resign: ResignConfig,
    /// What is learned from more often than other things.
    pub surprise: SurpriseConfig,
}

/// The simulations of a search: randomised playout caps (Wu, "Accelerating self-play learning in Go", 2019, section 3.1), and a budget that
/// grows with the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsConfig {
    /// The share of searches, in `[0.01, 1]`, that are full: only their positions are learned from. The others are fast and without noise at the
    /// root; they bring games to their ends for less. 1: all are full.
    pub full_share: f32,
    /// The simulations of a fast search, at least 2; at most those of a full one count.
    pub fast_simulations: u32,
    /// The simulations of a full search at the start of a run, at least 2; at most `search.simulations` count.
    pub early_simulations: u32,
    /// The searched positions of the run over which they rise to `search.simulations`; 0: they are that from the start.
    pub full_simulations_positions: u64,
}

/// A temperature that falls from `start` to `end` with the plies of a game, halving its distance every `half_life` plies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemperatureConfig {
    /// The temperature at the first ply of a game. Under PUCT visits are raised to its inverse; under Gumbel it scales the noise.
    pub start: f32,
    /// The temperature it falls to.
    pub end: f32,
    /// The plies in which the distance to `end` halves.
    pub half_life: f32,
}

impl TemperatureConfig {
    /// Returns the temperature at `ply`, from 0.
    pub fn at(&self, ply: usize) -> f32 {
        self.end + (self.start - self.end) * (-(ply as f32) / self.half_life).exp2()
    }
}

impl SelfplayConfig {
    /// Returns the ply at which games that start after `positions` searched positions of the run are capped: it rises evenly from
    /// `early_ply_cap` to `full`, the cap of the rules.
    pub fn ply_cap(&self, positions: u64, full: u32) -> u32 {
        rising(
            (self.early_ply_cap, full),
            positions,
            self.full_cap_positions,
        )
    }

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        in_range("games", self.games as f32, 0.0, 100_000.0)?;
        in_range(
            "plies_per_generation",
            self.plies_per_generation as f32,
            1.0,
            1e6,
        )?;
        in_range("early_ply_cap", self.early_ply_cap as f32, 1.0, 10_000.0)?;
        in_range("exploratory_regret", self.exploratory_regret, 0.0, 2.0)?;
        in_range("temperature.start", self.temperature.start, 0.0, 100.0)?;
        in_range("temperature.end", self.temperature.end, 0.0, 100.0)?;
        in_range(
            "temperature.half_life",
            self.temperature.half_life,
            1e-3,
            1e6,
        )?;
        self.openings.validate()?;
        self.caps.validate()?;
        self.forks.validate()?;
        self.resign.validate()?;
        self.surprise.validate()
    }
}

impl CapsConfig {
    /// Returns the simulations of a full search after `positions` searched positions of the run: they rise evenly from `early_simulations` to
    /// `full`, those of the search's config.
    pub fn simulations(&self, positions: u64, full: u32) -> u32 {
        rising(
            (self.early_simulations, full),
            positions,
            self.full_simulations_positions,
        )
    }

    fn validate(&self) -> Result<(), String> {
        in_range("caps.full_share", self.full_share, 0.01, 1.0)?;
        in_range(
            "caps.fast_simulations",
            self.fast_simulations as f32,
            2.0,
            1e8,
        )?;
        in_range(
            "caps.early_simulations",
            self.early_simulations as f32,
            2.0,
            1e8,
        )
    }
}

/// Returns what rises evenly from `early` to `full` while `positions` go to `end`; never more than `full`.
fn rising((early, full): (u32, u32), positions: u64, end: u64) -> u32 {
    if positions >= end {
        return full;
    }
    let room = u64::from(full.saturating_sub(early));
    full.min(early + (u128::from(room) * u128::from(positions) / u128::from(end)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_rises_with_the_run() {
        let at = |positions| rising((100, 300), positions, 1000);
        assert_eq!([0, 500, 999, 1000, 5000].map(at), [100, 200, 299, 300, 300]);
        assert_eq!(rising((100, 300), 0, 0), 300);
        assert_eq!(rising((100, 50), 0, 1000), 50);
    }

    #[test]
    fn simulations_rise_to_those_of_the_search() {
        let caps = CapsConfig {
            full_share: 0.25,
            fast_simulations: 8,
            early_simulations: 16,
            full_simulations_positions: 1000,
        };
        assert_eq!(
            [0, 500, 1000].map(|positions| caps.simulations(positions, 64)),
            [16, 40, 64]
        );
    }

    #[test]
    fn the_temperature_halves_its_distance() {
        let temperature = TemperatureConfig {
            start: 1.0,
            end: 0.2,
            half_life: 10.0,
        };
        assert!((temperature.at(0) - 1.0).abs() < 1e-6);
        assert!((temperature.at(10) - 0.6).abs() < 1e-6);
        assert!((temperature.at(1000) - 0.2).abs() < 1e-6);
    }
}
