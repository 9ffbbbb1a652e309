//! Results of games and of pairs of games, counted.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How many pairs of games gave 0, 1, 2, 3 or 4 half points: the pentanomial counts of a match.
///
/// Pairs are what is counted because the two games of a pair share their opening and are not independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairCounts(pub [u64; 5]);

impl PairCounts {
    /// The scores per game that the five kinds of pairs stand for, in `[0, 1]`.
    pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// Counts one more pair, which gave `half_points` in its two games.
    ///
    /// # Panics
    /// If `half_points` is above 4.
    pub fn count(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the counts from the other player's side.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }

    /// Returns the mean score of a pair per game, in `[0, 1]`; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        self.shares().map(|shares| moments(&shares).0)
    }

    /// Returns the variance of the scores of pairs per game about their mean, at most 1/4; `None` without pairs.
    pub fn variance(&self) -> Option<f64> {
        self.shares().map(|shares| moments(&shares).1)
    }

    /// Returns the kind of all pairs if they are all of one kind: the variance then says nothing.
    pub fn only_kind(&self) -> Option<usize> {
        let mut kinds = (0..5).filter(|&kind| self.0[kind] > 0);
        kinds.next().filter(|_| kinds.next().is_none())
    }

    fn shares(&self) -> Option<[f64; 5]> {
        let pairs = self.pairs();
        (pairs > 0).then(|| self.0.map(|count| count as f64 / pairs as f64))
    }
}

impl Add for PairCounts {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// The results of a match in games and in pairs, from one player's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Wins, draws and losses of all games, those without a partner included.
    pub wdl: [u64; 3],
    /// The complete pairs.
    pub pairs: PairCounts,
    /// The complete pairs in which both games were drawn; the other pairs of two half points are a win and a loss.
    pub drawn_pairs: u64,
}

impl Tally {
    /// Counts the two games of one more pair, given the half points of each.
    ///
    /// # Panics
    /// If a game gave more than 2 half points.
    pub fn count(&mut self, half_points: [usize; 2]) {
        for half_points in half_points {
            self.wdl[2 - half_points] += 1;
        }
        self.pairs.count(half_points[0] + half_points[1]);
        self.drawn_pairs += u64::from(half_points == [1, 1]);
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wdl.iter().sum()
    }

    /// Returns the share of drawn games; `None` without games.
    pub fn drawn_games_share(&self) -> Option<f64> {
        share(self.wdl[1], self.games())
    }

    /// Returns the share of pairs that were split evenly, what fastchess calls the draw ratio; `None` without pairs.
    pub fn even_pairs_share(&self) -> Option<f64> {
        share(self.pairs.0[2], self.pairs.pairs())
    }
}

/// Returns mean and variance of a distribution over [`PairCounts::SCORES`].
pub(super) fn moments(shares: &[f64; 5]) -> (f64, f64) {
    let over = |value: &dyn Fn(f64) -> f64| -> f64 {
        shares
            .iter()
            .zip(PairCounts::SCORES)
            .map(|(share, score)| share * value(score))
            .sum()
    };
    let mean = over(&|score| score);
    (mean, over(&|score| (score - mean).powi(2)))
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let mut counts = PairCounts([1, 0, 2, 0, 0]);
        counts.count(3);
        counts += PairCounts([0, 0, 0, 0, 4]);
        assert_eq!(counts.pairs(), 8);
        assert_eq!(counts.swapped(), PairCounts([4, 1, 2, 0, 1]));
        let score = (2.0 * 0.5 + 0.75 + 4.0) / 8.0;
        assert!((counts.score().unwrap() - score).abs() < 1e-15);
        let swapped = counts.swapped();
        assert!((swapped.score().unwrap() - (1.0 - score)).abs() < 1e-15);
        assert!((swapped.variance().unwrap() - counts.variance().unwrap()).abs() < 1e-15);
        assert_eq!(PairCounts([0, 0, 3, 0, 0]).only_kind(), Some(2));
        assert_eq!(
            (counts.only_kind(), PairCounts::default().only_kind()),
            (None, None)
        );
        assert_eq!(PairCounts::default().score(), None);
    }
}
