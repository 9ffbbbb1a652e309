//! Ratings of many players on one scale, from matches between some of them.

mod bradley_terry;

use std::collections::{BTreeMap, BTreeSet};

use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::pairs::PairCounts;
use crate::random::{Purpose, stream};
use bradley_terry::{ELO_PER_UNIT, Fit, Meeting, fit, gain};

/// The result of a match between two players, from the first one's side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// A player's name.
    pub first: String,
    /// Its opponent's name.
    pub second: String,
    /// The results in pairs.
    pub counts: PairCounts,
}

/// What ratings are measured from, and how their intervals are found.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingConfig {
    /// The player whose rating is fixed.
    pub anchor: String,
    /// Its rating in Elo.
    pub anchor_elo: f64,
    /// Resamples for the intervals; 1000 give the ends to about a twentieth of the interval.
    pub resamples: u32,
    /// What the resamples are drawn from.
    pub seed: u64,
}

/// A player's rating with a 95 % interval, all in Elo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The player's name.
    pub player: String,
    /// The rating.
    pub elo: f64,
    /// The lower end of the interval; the anchor's ends are its rating.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Pairs that the player took part in.
    pub pairs: u64,
}

/// Two players whose games would tell most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The first one by name.
    pub first: String,
    /// The other.
    pub second: String,
    /// By how much the games are expected to lower the sum of all ratings' variances, in square Elo.
    pub gain: f64,
}

/// Why players cannot be rated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RatingError {
    /// The anchor has played no pair.
    #[error("the anchor `{0}` has played no pair")]
    NoAnchor(String),
    /// Some players are linked with the anchor by no chain of matches.
    #[error("no chain of matches links these players with the anchor: {}", .0.join(", "))]
    Unlinked(Vec<String>),
    /// A match of a player against itself.
    #[error("a match of `{0}` against itself says nothing about its rating")]
    AgainstItself(String),
}

/// What every match counts besides its pairs, for each of the five results: a quarter of a pair in all, worth half a drawn game. It keeps
/// players finite that won or lost everything, and takes away the outward bias of the likeliest differences, for which a match on its own
/// would need one drawn game (Firth 1993), and one with draws, among others on the scale, about half of that.
const PRIOR_PER_RESULT: f64 = 0.05;

/// The standard deviation in Elo about the anchor that is supposed of a player not yet linked, when the next pairing is chosen.
const UNKNOWN_ELO: f64 = 1000.0;

/// Rates all players, strongest first.
///
/// The model is that of Bradley and Terry: the expected score per game of a player is the logistic curve of the difference in ratings, and a
/// draw is half a win and half a loss. Each match counts as its mean score over its games, plus half a drawn game. The intervals come from a
/// Bayesian bootstrap over pairs (Rubin 1981): each resample weighs the five results of every match by a Dirichlet distribution about its
/// counts, and rates the players anew; the ends leave out 2.5 % of the resamples on either side. So draws, and the bond between the two games
/// of a pair, count as they were observed, and a result that never occurred keeps some weight. The outcome does not depend on the order of
/// the encounters or on which player of an encounter comes first.
///
/// # Errors
/// If the anchor has not played, players are not linked with it, or a player met itself.
pub fn rate(encounters: &[Encounter], config: &RatingConfig) -> Result<Vec<Rating>, RatingError> {
    let names = encounters
        .iter()
        .filter(|encounter| encounter.counts.pairs() > 0)
        .flat_map(|encounter| [&encounter.first, &encounter.second]);
    let table = Table::new(names, encounters, &config.anchor)?;
    table.check_links()?;
    let estimate = table.fit(&table.expected_meetings(), 0.0);
    let resamples: Vec<Vec<f64>> = (0..u64::from(config.resamples))
        .into_par_iter()
        .map(|number| {
            table
                .fit(&table.resampled(config.seed, number), 0.0)
                .strengths
        })
        .collect();
    let elo = |strength: f64| config.anchor_elo + strength * ELO_PER_UNIT;
    let mut ratings: Vec<Rating> = (0..table.names.len())
        .map(|player| {
            let mut drawn: Vec<f64> = resamples.iter().map(|sample| sample[player]).collect();
            drawn.sort_by(f64::total_cmp);
            let value = estimate.strengths[player];
            Rating {
                player: table.names[player].clone(),
                elo: elo(value),
                low: elo(quantile(&drawn, 0.025).unwrap_or(value)),
                high: elo(quantile(&drawn, 0.975).unwrap_or(value)),
                pairs: table.pairs_of(player),
            }
        })
        .collect();
    ratings.sort_by(|a, b| {
        b.elo
            .total_cmp(&a.elo)
            .then_with(|| a.player.cmp(&b.player))
    });
    Ok(ratings)
}

/// Returns the two of `players` whose next `pairs` of games are expected to lower the sum of the ratings' variances most; `None` with fewer
/// than two players.
///
/// The information of a game is `p (1 - p)` with `p` the expected score, averaged over what is not known about the difference; so uncertain
/// and close players come first. Players without games, or not linked with the anchor, are supposed to lie within about 1000 Elo of it.
///
/// # Errors
/// If a player met itself.
pub fn next_pairing(
    players: &[String],
    encounters: &[Encounter],
    anchor: &str,
    pairs: u32,
) -> Result<Option<Pairing>, RatingError> {
    let names: BTreeSet<&String> = players.iter().collect();
    let known: Vec<Encounter> = encounters
        .iter()
        .filter(|encounter| names.contains(&encounter.first) && names.contains(&encounter.second))
        .cloned()
        .collect();
    let table = Table::new(names.into_iter(), &known, anchor)?;
    let precision = (ELO_PER_UNIT / UNKNOWN_ELO).powi(2);
    let fitted = table.fit(&table.expected_meetings(), precision);
    let mut best: Option<Pairing> = None;
    for a in 0..table.names.len() {
        for b in a + 1..table.names.len() {
            let gain = gain(&fitted, a, b, 2.0 * f64::from(pairs)) * ELO_PER_UNIT.powi(2);
            if best.as_ref().is_none_or(|best| gain > best.gain) {
                best = Some(Pairing {
                    first: table.names[a].clone(),
                    second: table.names[b].clone(),
                    gain,
                });
            }
        }
    }
    Ok(best)
}

/// Players and their matches, in the order of names.
struct Table {
    names: Vec<String>,
    anchor: usize,
    /// The counts of each match, from the side of the player that comes first by name.
    matches: BTreeMap<(usize, usize), PairCounts>,
}

impl Table {
    fn new<'a>(
        names: impl Iterator<Item = &'a String>,
        encounters: &[Encounter],
        anchor: &str,
    ) -> Result<Self, RatingError> {
        let names: Vec<String> = names
            .cloned()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let number = |name: &str| {
            names
                .binary_search_by(|other| other.as_str().cmp(name))
                .ok()
        };
        let anchor = number(anchor).ok_or_else(|| RatingError::NoAnchor(anchor.to_owned()))?;
        let mut matches: BTreeMap<(usize, usize), PairCounts> = BTreeMap::new();
        for Encounter {
            first,
            second,
            counts,
        } in encounters
        {
            if first == second {
                return Err(RatingError::AgainstItself(first.clone()));
            }
            let (Some(a), Some(b)) = (number(first), number(second)) else {
                continue;
            };
            if a < b {
                *matches.entry((a, b)).or_default() += *counts;
            } else {
                *matches.entry((b, a)).or_default() += counts.swapped();
            }
        }
        matches.retain(|_, counts| counts.pairs() > 0);
        Ok(Self {
            names,
            anchor,
            matches,
        })
    }

    fn check_links(&self) -> Result<(), RatingError> {
        let mut linked = vec![false; self.names.len()];
        linked[self.anchor] = true;
        for _ in 0..self.names.len() {
            for &(a, b) in self.matches.keys() {
                let either = linked[a] || linked[b];
                (linked[a], linked[b]) = (either, either);
            }
        }
        let unlinked: Vec<String> = (0..self.names.len())
            .filter(|&player| !linked[player])
            .map(|player| self.names[player].clone())
            .collect();
        if unlinked.is_empty() {
            Ok(())
        } else {
            Err(RatingError::Unlinked(unlinked))
        }
    }

    fn fit(&self, meetings: &[Meeting], precision: f64) -> Fit {
        fit(self.names.len(), meetings, self.anchor, precision)
    }

    fn expected_meetings(&self) -> Vec<Meeting> {
        self.meetings(weights)
    }

    /// Draws the matches anew.
    fn resampled(&self, seed: u64, number: u64) -> Vec<Meeting> {
        let mut rng = stream(seed, Purpose::Resample, number, 0);
        self.meetings(|counts| {
            let total: f64 = weights(counts).iter().sum();
            let drawn = resample_weights(counts).map(|weight| {
                Gamma::new(weight, 1.0).map_or(weight, |gamma| gamma.sample(&mut rng))
            });
            let sum: f64 = drawn.iter().sum();
            drawn.map(|weight| weight * total / sum)
        })
    }

    /// Returns the matches with the weights that `weigh` gives their five results.
    fn meetings(&self, mut weigh: impl FnMut(&PairCounts) -> [f64; 5]) -> Vec<Meeting> {
        let meeting = |(&(a, b), counts): (&(usize, usize), &PairCounts)| {
            let weights = weigh(counts);
            let scores = weights.iter().zip(PairCounts::SCORES);
            Meeting {
                players: [a, b],
                games: 2.0 * weights.iter().sum::<f64>(),
                points: 2.0 * scores.map(|(weight, score)| weight * score).sum::<f64>(),
            }
        };
        self.matches.iter().map(meeting).collect()
    }

    fn pairs_of(&self, player: usize) -> u64 {
        let own = self
            .matches
            .iter()
            .filter(|((a, b), _)| *a == player || *b == player);
        own.map(|(_, counts)| counts.pairs()).sum()
    }
}

/// Returns the counts of a match with the prior.
fn weights(counts: &PairCounts) -> [f64; 5] {
    counts.0.map(|count| count as f64 + PRIOR_PER_RESULT)
}

/// Returns the weights about which a resample of a match is drawn.
///
/// Drawing from n pairs gives a spread that is too small by one part in n, and drawing weights by another (Hesterberg 2015, "What teachers
/// should know about the bootstrap"), so the counts stand for two pairs less. Where all pairs were alike, the other results weigh a pair
/// together: their share then reaches as far as the exact bound on a result that was never seen.
fn resample_weights(counts: &PairCounts) -> [f64; 5] {
    if counts.only_kind().is_some() {
        return counts.0.map(|count| (count as f64).max(0.25));
    }
    let pairs = counts.pairs() as f64;
    let kept = (pairs - 2.0).max(1.0) / pairs;
    weights(counts).map(|weight| weight * kept)
}

/// Returns the value below which another draw would fall with probability `at`, between neighbours in proportion; `None` of nothing.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)? as f64;
    let place = (at * (last + 2.0) - 1.0).clamp(0.0, last);
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + place.fract() * (above - below))
}
