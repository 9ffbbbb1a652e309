//! Positions that nets are measured on, and how wrong a net is about them.

use std::ops::Range;

use anyhow::{Context, Result};
use model::{Inference, SampleLosses, Sizes};
use rand::Rng;
use rayon::prelude::*;
use rules::Variant;
use serde::Serialize;

use super::{Maker, Pick, Recipe, Row, make_batch};
use crate::replay::Window;

/// Positions laid out in a batch at a time.
const CHUNK: usize = 256;

/// Some positions with what is to be learned of them.
#[derive(Debug)]
pub(crate) struct Probe {
    sizes: Sizes,
    rows: Vec<Row>,
}

/// How wrong a net is about each position of a probe.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    samples: Vec<SampleLosses>,
    /// The game of each.
    games: Vec<u64>,
}

/// Mean losses over a probe; nats unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Means {
    /// The positions.
    pub(crate) positions: usize,
    /// Cross-entropy of the policy.
    pub(crate) policy: f64,
    /// Entropy of the policies to learn: `policy - policy_entropy` is the divergence, which a net that knew all searches by heart would bring to 0.
    pub(crate) policy_entropy: f64,
    /// What `policy` is for a net that gives all legal moves the same chance.
    pub(crate) policy_uniform: f64,
    /// Cross-entropy of win, draw and loss.
    pub(crate) wdl: f64,
    /// Entropy of the chances to learn. Outcomes are certain once they are known, so that no net that must judge before comes near it.
    pub(crate) wdl_entropy: f64,
    /// Huber loss of the plies left, in units of 20 plies, over the positions that have them.
    pub(crate) moves_left: f64,
}

/// By how much more is lost in one case than in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// The mean, below 0 where the first case loses less.
    pub(crate) mean: f64,
    /// Its standard error, by games: positions of a game have much in common.
    pub(crate) error: f64,
}

impl Probe {
    /// Draws `count` positions of the games of a window in a range, none twice, or takes all if there are fewer. None is mirrored.
    ///
    /// # Errors
    /// If a game does not fit the rules.
    pub(crate) fn draw<V: Variant, R: Rng + ?Sized>(
        recipe: &Recipe<V>,
        window: &Window,
        games: Range<usize>,
        count: usize,
        rng: &mut R,
    ) -> Result<Self> {
        let plan = window.sample(games, count, rng);
        let rows: Vec<Vec<Row>> = plan
            .into_par_iter()
            .map_init(
                || Maker::new(recipe.view.clone(), recipe.targets),
                |maker, (game, plies)| {
                    let pick = |ply| Pick {
                        ply,
                        mirrored: false,
                    };
                    let picks: Vec<Pick> = plies.into_iter().map(pick).collect();
                    maker.rows(&window.record(game)?, &picks)
                },
            )
            .collect::<Result<_>>()
            .context("the replay store holds a game that cannot be learned from")?;
        Ok(Self {
            sizes: recipe.view.sizes(),
            rows: rows.into_iter().flatten().collect(),
        })
    }

    /// Puts every position to a net.
    ///
    /// # Errors
    /// If the net fails.
    pub(crate) fn measure(&self, net: &Inference) -> Result<Measured> {
        let chunks: Vec<Vec<SampleLosses>> = self
            .rows
            .par_chunks(CHUNK)
            .map(|rows| Ok(net.losses(&make_batch(self.sizes, rows))?))
            .collect::<Result<_>>()?;
        Ok(Measured {
            samples: chunks.into_iter().flatten().collect(),
            games: self.rows.iter().map(|row| row.origin.0).collect(),
        })
    }
}

impl Measured {
    /// Returns the means over all positions.
    pub(crate) fn means(&self) -> Means {
        let sum = |part: fn(&SampleLosses) -> f64| self.samples.iter().map(part).sum::<f64>();
        let policies = sum(|of| f64::from(u8::from(of.has_policy))).max(1.0);
        let size = self.samples.len().max(1) as f64;
        let weight = sum(|of| of.moves_left_weight);
        Means {
            positions: self.samples.len(),
            policy: sum(|of| of.policy) / policies,
            policy_entropy: sum(|of| of.policy_entropy) / policies,
            policy_uniform: sum(|of| of.policy_uniform) / policies,
            wdl: sum(|of| of.wdl) / size,
            wdl_entropy: sum(|of| of.wdl_entropy) / size,
            moves_left: sum(|of| of.moves_left * of.moves_left_weight) / weight.max(1.0),
        }
    }

    /// Returns by how much this loses more than `other`, which is of the same positions, in some part.
    pub(crate) fn against(&self, other: &Self, part: fn(&SampleLosses) -> f64) -> Difference {
        let pairs = self.samples.iter().zip(&other.samples);
        let differences = pairs.map(|(own, other)| part(own) - part(other));
        self.mean(&differences.collect::<Vec<_>>())
    }

    /// Returns by how much this loses more than `other`, which is of other positions, in some part.
    pub(crate) fn beside(&self, other: &Self, part: fn(&SampleLosses) -> f64) -> Difference {
        let mean = |of: &Self| of.mean(&of.samples.iter().map(part).collect::<Vec<_>>());
        let (own, other) = (mean(self), mean(other));
        Difference {
            mean: own.mean - other.mean,
            error: own.error.hypot(other.error),
        }
    }

    /// Returns the mean of a value of each position, with its error.
    fn mean(&self, values: &[f64]) -> Difference {
        let size = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / size;
        // Positions of a game lie side by side.
        let groups = self.games.chunk_by(|a, b| a == b).map(<[u64]>::len);
        let (mut rest, mut squares) = (values, 0.0);
        for len in groups {
            let (group, after) = rest.split_at(len);
            rest = after;
            squares += group.iter().map(|of| of - mean).sum::<f64>().powi(2);
        }
        Difference {
            mean,
            error: squares.sqrt() / size,
        }
    }
}

impl Difference {
    /// Tells whether it is at least `least`, and clearly more than nothing: by two standard errors.
    pub(crate) fn reaches(&self, least: f64) -> bool {
        self.mean >= least && self.mean > 2.0 * self.error
    }
}

/// Returns how far a policy is from that of the search.
pub(crate) fn divergence(losses: &SampleLosses) -> f64 {
    losses.policy - losses.policy_entropy
}

impl Means {
    /// Returns how far the net's policies are from those of the searches.
    pub(crate) fn divergence(&self) -> f64 {
        self.policy - self.policy_entropy
    }

    /// Returns what the searches said about moves, in nats: how far a net is from it that gives all moves the same chance.
    pub(crate) fn policy_said(&self) -> f64 {
        self.policy_uniform - self.policy_entropy
    }

    /// Returns how much of what the searches said about moves the net knows: 0 for a net that knows nothing, 1 for one that knows it all.
    pub(crate) fn policy_known(&self) -> f64 {
        let all = self.policy_said();
        if all > 0.0 {
            1.0 - self.divergence() / all
        } else {
            1.0
        }
    }
}
