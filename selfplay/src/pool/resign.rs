//! When a player gives up, and which games go on all the same to see whether that was right.

use rand::RngExt;
use rules::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::{Purpose, stream};
use crate::record::PlyRecord;
use crate::search::in_range;

/// Resignation. It saves the ends of decided games; what it costs is measured on games that are played on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignConfig {
    /// A player whose root value (win less loss) is at most this, in `[-1, 0]`, would resign.
    pub threshold: f32,
    /// It must have been so at this many of the player's own plies in a row, and as bad in the opponent's eyes at the plies between; 0: nobody
    /// ever resigns.
    pub plies: u32,
    /// The share of games, in `[0, 1]`, in which a resignation is only noted: they are played on to the end, and tell how often the player who
    /// would have resigned does not lose.
    pub play_on_share: f32,
}

impl ResignConfig {
    pub(super) fn validate(&self) -> Result<(), String> {
        in_range("resign.threshold", self.threshold, -1.0, 0.0)?;
        in_range("resign.plies", self.plies as f32, 0.0, 1000.0)?;
        in_range("resign.play_on_share", self.play_on_share, 0.0, 1.0)
    }

    /// Returns the side that would resign after the last of `plies`, whose mover was `mover`.
    pub(super) fn gives_up(&self, plies: &[PlyRecord], mover: Side) -> Option<Side> {
        let newest = plies.len().checked_sub(2 * self.plies as usize)?;
        let seen = &plies[newest..];
        let value = seen.last()?.root.value();
        let loser = if value <= self.threshold {
            mover
        } else {
            mover.other()
        };
        // The last ply is the mover's, the one before it the other's, and so on.
        let movers = [mover, mover.other()].into_iter().cycle();
        let agreed = seen.iter().rev().zip(movers).all(|(ply, of)| {
            let value = ply.root.value();
            let losers = if of == loser { value } else { -value };
            ply.kind.is_search() && losers <= self.threshold
        });
        agreed.then_some(loser)
    }

    /// Tells whether a game is played on after a resignation.
    pub(super) fn plays_on(&self, seed: u64, number: u64) -> bool {
        stream(seed, Purpose::Resign, number, 0).random::<f32>() < self.play_on_share
    }
}

#[cfg(test)]
mod tests {
    use rules::Wdl;

    use super::*;
    use crate::record::PlyKind;

    const CONFIG: ResignConfig = ResignConfig {
        threshold: -0.9,
        plies: 2,
        play_on_share: 0.25,
    };

    /// Makes plies of these root values, each from the side of its mover.
    fn plies(values: &[f32]) -> Vec<PlyRecord> {
        let ply = |&value: &f32| PlyRecord {
            root: Wdl {
                win: f32::midpoint(1.0, value),
                draw: 0.0,
                loss: f32::midpoint(1.0, -value),
            },
            ..PlyRecord::unsearched(PlyKind::Searched)
        };
        values.iter().map(ply).collect()
    }

    #[test]
    fn both_sides_must_agree_for_long_enough() {
        let loser =
            |values: &[f32], config: ResignConfig| config.gives_up(&plies(values), Side::First);
        let lost = [0.2, 0.95, -0.95, 0.95, -0.95];
        assert_eq!(loser(&lost, CONFIG), Some(Side::First));
        assert_eq!(loser(&lost.map(|value| -value), CONFIG), Some(Side::Second));
        // The opponent sees a way out, or it was not so for long enough, or nobody ever resigns.
        assert_eq!(loser(&[0.95, -0.95, 0.5, -0.95], CONFIG), None);
        assert_eq!(loser(&[-0.95, 0.95, -0.95], CONFIG), None);
        assert_eq!(loser(&[-0.2, 0.95, -0.95, 0.95, -0.2], CONFIG), None);
        assert_eq!(loser(&lost, ResignConfig { plies: 3, ..CONFIG }), None);
        assert_eq!(loser(&lost, ResignConfig { plies: 0, ..CONFIG }), None);
        // Plies without a search tell nothing.
        let mut unsearched = plies(&lost);
        unsearched[3].kind = PlyKind::Random;
        assert_eq!(CONFIG.gives_up(&unsearched, Side::First), None);
        unsearched[3].kind = PlyKind::Fast;
        assert_eq!(CONFIG.gives_up(&unsearched, Side::First), Some(Side::First));
    }

    #[test]
    fn a_share_of_games_is_played_on() {
        let played_on = (0..4000).filter(|&number| CONFIG.plays_on(3, number));
        // 1000 expected; 27 is the standard deviation.
        let count = played_on.count();
        assert!((880..1120).contains(&count), "{count}");
    }
}
