//! From game records to batches: replays a game once for several of its plies, encodes these positions, works out their targets and mixes
//! them with those of other games.

mod ahead;
mod probe;
mod row;
mod sampler;

use rules::{Reason, Side, Wdl};
use schemars::JsonSchema;
use selfplay::GameRecord;
use serde::{Deserialize, Serialize};

pub(crate) use ahead::ahead;
pub(crate) use probe::{Difference, Means, Measured, Probe, divergence};
pub(crate) use row::{Maker, Pick, Row, make_batch};
pub(crate) use sampler::{Batching, Drawn, Recipe, Sampler};

use crate::schedule::Ramp;

/// What the targets of a position are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetConfig {
    /// The share of the search's root value in the value target, in `[0, 1]`; the rest is the outcome of the game. A number, or
    /// `{ from = 0.0, to = 0.5, positions = 3000000 }`, by the positions stored to learn from when a generation's learning begins.
    pub(crate) root_value_share: Ramp<f64>,
    /// The same for games that ended at the ply cap, whose outcome says little where caps swamp the data; 0.5 counts it half, 1 not at all.
    pub(crate) capped_root_value_share: f32,
    /// Whether half of the positions, drawn at random, are learned from left-right mirrored, in games whose rules have that symmetry.
    pub(crate) mirror: bool,
}

impl TargetConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(self) -> Result<(), String> {
        self.root_value_share
            .validate("root_value_share", [0.0, 1.0])?;
        let capped = self.capped_root_value_share;
        if !(0.0..=1.0).contains(&capped) {
            return Err(format!(
                "capped_root_value_share = {capped}: must be from 0 to 1"
            ));
        }
        Ok(())
    }

    /// Returns how targets are made once so many positions are stored.
    pub(crate) fn at(self, stored: u64) -> Targets {
        Targets {
            root_value_share: self.root_value_share.at(stored) as f32,
            capped_root_value_share: self.capped_root_value_share,
            mirror: self.mirror,
        }
    }
}

/// How targets are made in a generation; the fields are those of [`TargetConfig`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Targets {
    pub(crate) root_value_share: f32,
    pub(crate) capped_root_value_share: f32,
    pub(crate) mirror: bool,
}

impl Targets {
    fn share(self, reason: Reason) -> f32 {
        if reason == Reason::PlyCap {
            self.root_value_share.max(self.capped_root_value_share)
        } else {
            self.root_value_share
        }
    }
}

/// Returns the WDL target from the side of the mover at `ply`: the outcome mixed with the root value of the search.
///
/// What follows an exploratory move says nothing fair about what came before it, so up to the first such move the root value at that ply
/// takes the place of the outcome.
fn value_target(record: &GameRecord, ply: usize, mover: Side, root_value_share: f32) -> Wdl {
    let explored = record.plies[ply..]
        .iter()
        .position(|later| later.exploratory);
    let outcome = match explored {
        None => record.outcome.wdl(mover),
        Some(plies) if plies % 2 == 0 => record.plies[ply + plies].root,
        Some(plies) => record.plies[ply + plies].root.flip(),
    };
    outcome.mix(record.plies[ply].root, root_value_share)
}

/// Returns the plies to the end, or `None` for draws, whose length says little, for games decided by exploration, and for those given up,
/// whose end was not played.
fn moves_left_target(record: &GameRecord, ply: usize) -> Option<f32> {
    let fair = record.plies[ply..].iter().all(|later| !later.exploratory);
    let played_out = record.outcome.reason != Reason::Resignation;
    (fair && played_out && record.outcome.winner.is_some())
        .then(|| (record.moves.len() - ply) as f32)
}

#[cfg(test)]
mod tests {
    use rules::{Outcome, VariantId};
    use selfplay::{PlyKind, PlyRecord};

    use super::*;

    fn ply(value: f32, exploratory: bool) -> PlyRecord {
        let root = Wdl {
            win: value,
            draw: 1.0 - value,
            loss: 0.0,
        };
        PlyRecord {
            root,
            exploratory,
            ..PlyRecord::unsearched(PlyKind::Searched)
        }
    }

    fn record(plies: Vec<PlyRecord>) -> GameRecord {
        GameRecord {
            variant: VariantId::Gufu,
            rules_version: 1,
            options: rules::RuleOptions {
                repetitions: 3,
                ply_cap: 200,
                no_progress: 0,
                chase: rules::Chase::None,
                declaration: rules::Declaration::Off,
                zone_start_promotion: rules::ZoneStart::Mandatory,
            },
            seed: 0,
            number: 0,
            start: String::new(),
            moves: vec![0; plies.len()],
            plies,
            outcome: Outcome::win(Side::First, Reason::Checkmate),
            checkpoints: Vec::new(),
            resigned: None,
            origin: None,
        }
    }

    #[test]
    fn the_outcome_is_seen_by_the_mover() {
        let mut record = record(vec![ply(0.5, false); 3]);
        assert_eq!(value_target(&record, 0, Side::First, 0.0), Wdl::WIN);
        assert_eq!(value_target(&record, 1, Side::Second, 0.0), Wdl::LOSS);
        assert_eq!(
            value_target(&record, 0, Side::First, 1.0),
            record.plies[0].root
        );
        assert_eq!(moves_left_target(&record, 1), Some(2.0));
        record.outcome = Outcome::win(Side::First, Reason::Resignation);
        assert_eq!(moves_left_target(&record, 1), None);
        assert_eq!(value_target(&record, 1, Side::Second, 0.0), Wdl::LOSS);
    }

    #[test]
    fn capped_games_can_count_less() {
        let config = TargetConfig {
            root_value_share: Ramp::Constant(0.1),
            capped_root_value_share: 0.5,
            mirror: false,
        };
        let targets = config.at(1_000);
        assert!((targets.share(Reason::PlyCap) - 0.5).abs() < 1e-6);
        assert!((targets.share(Reason::Checkmate) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn before_an_exploratory_move_the_root_value_stands_for_the_outcome() {
        let record = record(vec![
            ply(0.1, false),
            ply(0.2, false),
            ply(0.7, true),
            ply(0.0, false),
        ]);
        let at_two = record.plies[2].root;
        assert_eq!(value_target(&record, 0, Side::First, 0.0), at_two);
        assert_eq!(value_target(&record, 1, Side::Second, 0.0), at_two.flip());
        assert_eq!(value_target(&record, 2, Side::First, 0.0), at_two);
        assert_eq!(value_target(&record, 3, Side::Second, 0.0), Wdl::LOSS);
        assert_eq!(moves_left_target(&record, 1), None);
        assert_eq!(moves_left_target(&record, 3), Some(1.0));
    }
}
