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

/// The simulations of a search, in stages that follow each other as the run goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsConfig {
    /// The stages in their order, the first from position 0 on; none: every search is full and has `search.simulations`.
    pub stages: Vec<CapsStage>,
}

/// How many simulations searches have from some position of a run on: the same for all, or by randomised playout caps (Wu, "Accelerating
/// self-play learning in Go", 2019, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsStage {
    /// The searched positions of the run, fast ones included, from which on it holds: for generations that begin with as many.
    pub positions: u64,
    /// The simulations of a full search, at least 2; in one of the stages those of `search.simulations`, in none more.
    pub simulations: u32,
    /// The share of searches, in `[0.01, 1]`, that are full: only their positions are learned from. The others are fast and without noise at the
    /// root; they bring games to their ends for less. 1: all are full.
    pub full_share: f32,
    /// The simulations of a fast search, from 2 to those of a full one.
    pub fast_simulations: u32,
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
    /// Returns the stage after `positions` searched positions of the run; without stages, that of full searches of `simulations`, those of the
    /// search's config.
    pub fn at(&self, positions: u64, simulations: u32) -> CapsStage {
        let begun = |stage: &&CapsStage| stage.positions <= positions;
        let stage = self.stages.iter().rev().find(begun).copied();
        stage.unwrap_or(CapsStage {
            positions: 0,
            simulations,
            full_share: 1.0,
            fast_simulations: simulations,
        })
    }

    /// Returns how many of the first `positions` searched positions of a run are searched in full, on average.
    pub fn full_searches(&self, positions: u64) -> f64 {
        let ends = self.stages.iter().skip(1).map(|stage| stage.positions);
        let ends = ends.chain([u64::MAX]).map(|end| end.min(positions));
        let each = self.stages.iter().zip(ends).map(|(stage, end)| {
            f64::from(stage.full_share) * end.saturating_sub(stage.positions) as f64
        });
        if self.stages.is_empty() {
            positions as f64
        } else {
            each.sum()
        }
    }

    /// Returns the most simulations of a search in any stage; `None` without stages.
    pub fn most_simulations(&self) -> Option<u32> {
        self.stages.iter().map(|stage| stage.simulations).max()
    }

    fn validate(&self) -> Result<(), String> {
        let mut before = None;
        for (number, stage) in self.stages.iter().enumerate() {
            let name = |field| format!("caps.stages[{number}].{field}");
            match before {
                None if stage.positions > 0 => {
                    return Err(format!(
                        "{} = {}: must be 0, since the first stage holds from the start of the run",
                        name("positions"),
                        stage.positions
                    ));
                }
                Some(before) if stage.positions <= before => {
                    return Err(format!(
                        "{} = {}: must be above {before}, where the stage before it begins",
                        name("positions"),
                        stage.positions
                    ));
                }
                _ => before = Some(stage.positions),
            }
            let simulations = stage.simulations as f32;
            in_range(&name("simulations"), simulations, 2.0, 1e8)?;
            in_range(&name("full_share"), stage.full_share, 0.01, 1.0)?;
            let fast = stage.fast_simulations as f32;
            in_range(&name("fast_simulations"), fast, 2.0, simulations)?;
        }
        Ok(())
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

    fn stage(
        positions: u64,
        simulations: u32,
        full_share: f32,
        fast_simulations: u32,
    ) -> CapsStage {
        CapsStage {
            positions,
            simulations,
            full_share,
            fast_simulations,
        }
    }

    #[test]
    fn each_stage_holds_from_its_position_to_that_of_the_next() {
        let stages = [
            stage(0, 16, 1.0, 16),
            stage(1_000_000, 32, 1.0, 32),
            stage(5_000_000, 128, 0.25, 16),
        ];
        let caps = CapsConfig {
            stages: stages.to_vec(),
        };
        assert_eq!(caps.validate(), Ok(()));
        assert_eq!(caps.most_simulations(), Some(128));
        for (positions, expected) in [
            (0, 0),
            (999_999, 0),
            (1_000_000, 1),
            (4_999_999, 1),
            (5_000_000, 2),
            (u64::MAX, 2),
        ] {
            assert_eq!(caps.at(positions, 9), stages[expected], "{positions}");
        }
        for (positions, full) in [
            (500, 500.0),
            (1_000_000, 1e6),
            (5_000_000, 5e6),
            (9_000_000, 6e6),
        ] {
            assert!((caps.full_searches(positions) - full).abs() < 1e-3);
        }
        let none = CapsConfig { stages: Vec::new() };
        assert!((none.full_searches(7) - 7.0).abs() < 1e-9);
        assert_eq!(none.at(5, 9), stage(0, 9, 1.0, 9));
        assert_eq!((none.validate(), none.most_simulations()), (Ok(()), None));
    }

    #[test]
    fn bad_stages_are_refused_by_number_and_field() {
        let first = stage(0, 16, 1.0, 16);
        for (stages, said) in [
            (
                vec![stage(5, 16, 1.0, 16)],
                "caps.stages[0].positions = 5: must be 0",
            ),
            (
                vec![first, stage(9, 16, 1.0, 16), stage(9, 16, 1.0, 16)],
                "caps.stages[2].positions = 9: must be above 9",
            ),
            (
                vec![first, stage(9, 1, 1.0, 2)],
                "caps.stages[1].simulations = 1: must be from 2",
            ),
            (
                vec![stage(0, 16, 0.0, 2)],
                "caps.stages[0].full_share = 0: must be from 0.01 to 1",
            ),
            (
                vec![stage(0, 16, 0.5, 17)],
                "caps.stages[0].fast_simulations = 17: must be from 2 to 16",
            ),
        ] {
            let found = CapsConfig { stages }.validate().unwrap_err();
            assert!(found.starts_with(said), "{found}");
        }
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
