//! How often each position stands among those to learn from, by how much it surprised the net.

use rand::RngExt;
use rules::Wdl;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::{Purpose, stream};
use crate::record::{PlyKind, PlyRecord};
use crate::search::in_range;

/// Weights by surprise, after `KataGo`'s policy and value surprise weighting (`docs/KataGoMethods.md` in its repository).
///
/// A position of a full search weighs `1 - policy - value + policy * p / mean p + value * v / mean v`, where `p` is the divergence of the
/// search's policy from the net's, `v` that of its value, and the means are over the game. It is learned from as often as that weight says,
/// in whole copies drawn at random. Off by default: Sayuri found that it hurts in runs on 9x9 boards only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurpriseConfig {
    /// The share of the weight that goes by the surprise of the policy, in `[0, 1]`; 0: none.
    pub policy: f32,
    /// The share of the weight that goes by the surprise of the value, in `[0, 1]`; at most 1 with `policy`.
    pub value: f32,
    /// The most copies of a position, from 1 to 255.
    pub most_copies: u32,
}

impl SurpriseConfig {
    pub(super) fn validate(&self) -> Result<(), String> {
        in_range("surprise.policy", self.policy, 0.0, 1.0)?;
        in_range("surprise.value", self.value, 0.0, 1.0 - self.policy)?;
        in_range("surprise.most_copies", self.most_copies as f32, 1.0, 255.0)
    }

    /// Sets the copies of each ply of a finished game.
    pub(super) fn assign(&self, seed: u64, number: u64, plies: &mut [PlyRecord]) {
        if self.policy == 0.0 && self.value == 0.0 {
            return;
        }
        let learned = || plies.iter().filter(|ply| ply.kind == PlyKind::Searched);
        let count = learned().count().max(1) as f32;
        let means = [
            learned().map(|ply| ply.surprise).sum::<f32>() / count,
            learned().map(value_surprise).sum::<f32>() / count,
        ];
        for (at, ply) in plies.iter_mut().enumerate() {
            if ply.kind == PlyKind::Searched {
                let drawn = stream(seed, Purpose::Surprise, number, at as u64).random::<f32>();
                let copies = (self.weight(ply, means) + drawn).floor();
                ply.copies = copies.min(self.most_copies as f32) as u8;
            }
        }
    }

    fn weight(&self, ply: &PlyRecord, means: [f32; 2]) -> f32 {
        // Where nothing surprised, everything did so alike.
        let relative = |surprise: f32, mean: f32| if mean > 0.0 { surprise / mean } else { 1.0 };
        1.0 - self.policy - self.value
            + self.policy * relative(ply.surprise, means[0])
            + self.value * relative(value_surprise(ply), means[1])
    }
}

/// Returns the Kullback-Leibler divergence of the search's value from the net's, in nats, at most 1: a net that was sure of the wrong thing
/// would otherwise take all the weight of its game.
fn value_surprise(ply: &PlyRecord) -> f32 {
    let parts = ply.root.to_array().into_iter().zip(floored(ply.raw));
    let sum: f32 = parts
        .filter(|&(root, _)| root > 0.0)
        .map(|(root, raw)| root * (root / raw).ln())
        .sum();
    sum.clamp(0.0, 1.0)
}

/// Keeps away from 0, where the divergence has no end.
fn floored(wdl: Wdl) -> [f32; 3] {
    wdl.to_array().map(|part| part.max(1e-4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(surprises: &[f32]) -> Vec<PlyRecord> {
        let ply = |&surprise: &f32| PlyRecord {
            surprise,
            copies: 1,
            root: Wdl::WIN,
            raw: Wdl::WIN.mix(Wdl::LOSS, (surprise * 0.1).min(1.0)),
            ..PlyRecord::unsearched(PlyKind::Searched)
        };
        surprises.iter().map(ply).collect()
    }

    /// Returns the mean copies of each ply over many games.
    fn means(config: SurpriseConfig, surprises: &[f32]) -> Vec<f64> {
        const GAMES: u64 = 20_000;
        let mut sums = vec![0.0; surprises.len()];
        let mut plies = game(surprises);
        for number in 0..GAMES {
            config.assign(1, number, &mut plies);
            for (sum, ply) in sums.iter_mut().zip(&plies) {
                *sum += f64::from(ply.copies);
            }
        }
        sums.iter().map(|sum| sum / GAMES as f64).collect()
    }

    #[test]
    fn copies_have_the_mean_of_the_weights() {
        let config = SurpriseConfig {
            policy: 0.5,
            value: 0.0,
            most_copies: 255,
        };
        let found = means(config, &[0.0, 1.0, 2.0, 5.0]);
        // The mean surprise is 2, so the weights are a half and a quarter of each surprise.
        for (found, expected) in found.iter().zip([0.5, 0.75, 1.0, 1.75]) {
            assert!((found - expected).abs() < 0.02, "{found} {expected}");
        }
        let both = SurpriseConfig {
            policy: 0.3,
            value: 0.6,
            ..config
        };
        let found = means(both, &[0.0, 1.0, 2.0, 5.0, 0.1]);
        assert!((found.iter().sum::<f64>() - 5.0).abs() < 0.03, "{found:?}");
        assert!(found[3] > found[2] && found[2] > found[1], "{found:?}");
        assert!((found[0] - 0.1).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn copies_are_bounded_and_only_full_searches_have_any() {
        let config = SurpriseConfig {
            policy: 1.0,
            value: 0.0,
            most_copies: 2,
        };
        let mut plies = game(&[0.0, 0.0, 0.0, 9.0]);
        plies.push(PlyRecord::unsearched(PlyKind::Fast));
        config.assign(1, 0, &mut plies);
        let copies: Vec<u8> = plies.iter().map(|ply| ply.copies).collect();
        assert_eq!(copies, [0, 0, 0, 2, 0]);
    }

    #[test]
    fn without_weights_or_without_surprise_each_counts_once() {
        let off = SurpriseConfig {
            policy: 0.0,
            value: 0.0,
            most_copies: 8,
        };
        let on = SurpriseConfig {
            policy: 0.5,
            value: 0.5,
            ..off
        };
        for (config, surprises) in [(off, [1.0, 3.0]), (on, [0.0, 0.0])] {
            let mut plies = game(&surprises);
            config.assign(1, 7, &mut plies);
            assert!(plies.iter().all(|ply| ply.copies == 1), "{config:?}");
        }
    }
}
