//! How games are started, how freely moves are chosen, and how long a generation is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::in_range;

/// Self-play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Games played at the same time.
    pub games: u32,
    /// Searched plies in each of these games before a generation ends.
    pub plies_per_generation: u32,
    /// Share of games that start with random plies, in `[0, 1]`: play then covers the whole game and not only its main lines.
    pub random_opening_share: f32,
    /// Such a game starts with 0 to this many uniformly random legal plies.
    pub random_opening_plies: u32,
    /// The ply at which games are capped at the start of a run, while random play hardly ever ends them; at most `rules.ply_cap`.
    pub early_ply_cap: u32,
    /// The searched positions of the run over which the cap rises to `rules.ply_cap`; 0: it is that from the start.
    pub full_cap_positions: u64,
    /// A move that the search thinks worse than its best by more than this (a difference of values, in `[0, 2]`) counts as exploration: the
    /// outcome then says nothing fair about earlier plies, and the root's value stands in for it.
    pub exploratory_regret: f32,
    /// How freely moves are chosen.
    pub temperature: TemperatureConfig,
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
        if positions >= self.full_cap_positions {
            return full;
        }
        let room = u64::from(full.saturating_sub(self.early_ply_cap));
        full.min(self.early_ply_cap + (room * positions / self.full_cap_positions) as u32)
    }

    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        in_range("games", self.games as f32, 1.0, 100_000.0)?;
        in_range(
            "plies_per_generation",
            self.plies_per_generation as f32,
            1.0,
            1e6,
        )?;
        in_range("random_opening_share", self.random_opening_share, 0.0, 1.0)?;
        in_range(
            "random_opening_plies",
            self.random_opening_plies as f32,
            0.0,
            1000.0,
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
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_rises_with_the_run() {
        let config = SelfplayConfig {
            games: 1,
            plies_per_generation: 1,
            random_opening_share: 0.0,
            random_opening_plies: 0,
            early_ply_cap: 100,
            full_cap_positions: 1000,
            exploratory_regret: 0.0,
            temperature: TemperatureConfig {
                start: 1.0,
                end: 1.0,
                half_life: 1.0,
            },
        };
        assert_eq!(
            [0, 500, 999, 1000, 5000].map(|positions| config.ply_cap(positions, 300)),
            [100, 200, 299, 300, 300]
        );
        assert_eq!(
            SelfplayConfig {
                full_cap_positions: 0,
                ..config
            }
            .ply_cap(0, 300),
            300
        );
        assert_eq!(config.ply_cap(0, 50), 50);
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
