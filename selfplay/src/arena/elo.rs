//! Differences in strength from pairs of games, with intervals that say how sure they are.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF, Normal, StudentsT};

use super::pairs::PairCounts;

/// An estimate with a 95 % interval. `None` stands for what the result leaves open: an end without a bound, or a value that is infinite or
/// undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Writes the estimate with its interval, or the bound alone if that is all there is.
impl fmt::Display for Estimate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.low, self.high) {
            (Some(value), Some(low), Some(high)) => {
                write!(out, "{value:+.1} (95 %: {low:+.1} to {high:+.1})")
            }
            (None, Some(low), Some(high)) => write!(out, "{low:+.1} to {high:+.1} (95 %)"),
            (_, Some(low), None) => write!(out, "above {low:+.1} (95 %)"),
            (_, None, Some(high)) => write!(out, "below {high:+.1} (95 %)"),
            (_, None, None) => out.write_str("unknown"),
        }
    }
}

/// How strong a player is against another, as far as a match says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// Pairs of games.
    pub pairs: u64,
    /// The mean score per game, in `[0, 1]`; `None` without pairs.
    pub score: Option<f64>,
    /// The difference in Elo by the logistic curve.
    pub elo: Estimate,
    /// The difference in normalised Elo.
    pub normalized_elo: Estimate,
    /// The likelihood of superiority: how probable it is that the player is the stronger one, in `(0, 1)`.
    pub los: f64,
}

/// Normalised Elo per standard deviation of pair scores (per game) above an even score: `800 / ln 10 / sqrt 2`.
///
/// Source: Van den Bergh, "Comments on normalized Elo". One unit is worth about as much as an Elo between equal players without draws.
pub(super) const NELO_PER_T: f64 = 800.0 / LN_10 / SQRT_2;

/// What a bound on equal results leaves out at 95 %.
const LEFT_OUT: f64 = 0.05;

/// Pairs from which on the normal quantile is used, as by fishtest and fastchess; Student's below.
const MANY_PAIRS: u64 = 30;

/// Estimates the difference in strength.
///
/// * Elo: the mean pair score on the logistic curve. The ends are those of the score at 1.96 standard errors, the variance being that of pair
///   scores (pentanomial, as fishtest and fastchess), with Student's quantile below 30 pairs. An end beyond what a score can be is replaced
///   by an exact bound: with `k` of `n` pairs not won outright, at least the share `q` of pairs is not (Clopper and Pearson, 2.5 %), and
///   each costs a quarter of a point per game or more, so the score is at most `1 - q / 4`.
/// * Normalised Elo: the distance of the mean from 1/2 in standard deviations, times 245.7. Its error takes in that the deviation is estimated
///   too (delta method, as fishtest: `1 - t skew + t^2 (kurtosis - 1) / 4` for the variance of `t`); fastchess prints the error for `t = 0`.
/// * All pairs alike, such as all won: the share of such pairs is at least `0.05^(1/n)` with 95 % confidence (exact binomial), all others
///   counting 0 or 1 at worst. That bounds Elo, and for all wins or losses normalised Elo; the estimate itself is infinite and left out.
/// * The likelihood of superiority: by the normal distribution of the mean; for pairs all alike `1 - 2^-(n+1)` if won, the posterior of a
///   sign test.
pub fn strength(counts: &PairCounts) -> Strength {
    let pairs = counts.pairs();
    let (Some(score), Some(variance)) = (counts.score(), counts.variance()) else {
        return Strength {
            pairs,
            score: None,
            elo: Estimate::default(),
            normalized_elo: Estimate::default(),
            los: 0.5,
        };
    };
    let (elo, normalized_elo, los) = if counts.only_kind().is_some() {
        alike(score, pairs)
    } else {
        let error = (variance / pairs as f64).sqrt();
        let above = (score - 0.5) / error;
        (
            elo(counts, score, error),
            normalized_elo(counts, score, variance),
            normal().cdf(above),
        )
    };
    Strength {
        pairs,
        score: Some(score),
        elo,
        normalized_elo,
        los,
    }
}

/// Returns the score in `(0, 1)` that an Elo difference lets expect: `1 / (1 + 10^(-elo / 400))`.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the Elo difference at which `score` is expected; `None` at 0 and 1, where it is infinite.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10())
}

/// Returns the quantile of the standard normal distribution that leaves 2.5 % above.
pub(super) fn normal_quantile() -> f64 {
    normal().inverse_cdf(0.975)
}

fn normal() -> Normal {
    Normal::standard()
}

fn elo(counts: &PairCounts, score: f64, error: f64) -> Estimate {
    let margin = quantile(counts.pairs()) * error;
    let (mut low, mut high) = (score - margin, score + margin);
    if high >= 1.0 {
        high = most_score(counts);
    }
    if low <= 0.0 {
        low = 1.0 - most_score(&counts.swapped());
    }
    Estimate {
        value: elo_of_score(score),
        low: elo_of_score(low),
        high: elo_of_score(high),
    }
}

/// Returns the bound on the score that pairs not won outright give; some are not.
fn most_score(counts: &PairCounts) -> f64 {
    let won = counts.0[4] as f64;
    let others = counts.pairs() as f64 - won;
    let share = Beta::new(others, won + 1.0).map_or(0.0, |beta| beta.inverse_cdf(0.025));
    1.0 - share / 4.0
}

fn quantile(pairs: u64) -> f64 {
    if pairs >= MANY_PAIRS {
        return normal_quantile();
    }
    StudentsT::new(0.0, 1.0, pairs as f64 - 1.0)
        .map_or_else(|_| normal_quantile(), |student| student.inverse_cdf(0.975))
}

fn normalized_elo(counts: &PairCounts, score: f64, variance: f64) -> Estimate {
    let pairs = counts.pairs() as f64;
    let deviation = variance.sqrt();
    let standardized = |power: i32| -> f64 {
        let terms = counts.0.iter().zip(PairCounts::SCORES);
        let sum: f64 = terms
            .map(|(&count, value)| count as f64 * ((value - score) / deviation).powi(power))
            .sum();
        sum / pairs
    };
    let (skew, kurtosis) = (standardized(3), standardized(4));
    let t = (score - 0.5) / deviation;
    // A sample with next to no spread would make its own error vanish.
    let t_variance = (1.0 - t * skew + t * t * (kurtosis - 1.0) / 4.0).max(1.0) / pairs;
    let margin = quantile(counts.pairs()) * t_variance.sqrt();
    Estimate {
        value: Some(t * NELO_PER_T),
        low: Some((t - margin) * NELO_PER_T),
        high: Some((t + margin) * NELO_PER_T),
    }
}

/// Elo, normalised Elo and likelihood of superiority where all pairs gave the same score.
fn alike(score: f64, pairs: u64) -> (Estimate, Estimate, f64) {
    let kept = LEFT_OUT.powf(1.0 / pairs as f64);
    let (low, high) = (score * kept, 1.0 - (1.0 - score) * kept);
    let elo = Estimate {
        value: elo_of_score(score),
        low: elo_of_score(low),
        high: elo_of_score(high),
    };
    // With the share `kept` of pairs won and all others lost.
    let bound = NELO_PER_T * (kept - 0.5) / (kept * (1.0 - kept)).sqrt();
    let won = score >= 1.0;
    let lost = score <= 0.0;
    let normalized_elo = Estimate {
        value: None,
        low: won.then_some(bound),
        high: lost.then_some(-bound),
    };
    let doubt = 0.5_f64.powf(pairs as f64 + 1.0);
    let los = if score > 0.5 {
        1.0 - doubt
    } else if score < 0.5 {
        doubt
    } else {
        0.5
    };
    (elo, normalized_elo, los)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: Option<f64>, wanted: f64) -> bool {
        value.is_some_and(|value| (value - wanted).abs() < 0.005)
    }

    #[test]
    fn a_known_result() {
        // fastchess prints 241.40 +/- 37.08 and 312.12 +/- 35.12.
        let result = strength(&PairCounts([1, 6, 45, 38, 98]));
        assert!(near(result.elo.value, 241.40), "{result:?}");
        let width = result.elo.high.unwrap() - result.elo.low.unwrap();
        assert!((width / 2.0 - 37.08).abs() < 0.005, "{result:?}");
        assert!(near(result.normalized_elo.value, 312.12), "{result:?}");
        // The error at t = 0 is 35.118; that of the deviation widens it by the root of 2.616.
        let width = result.normalized_elo.high.unwrap() - result.normalized_elo.low.unwrap();
        assert!((width / 2.0 - 56.80).abs() < 0.005, "{result:?}");
    }

    #[test]
    fn pairs_all_alike_are_a_bound() {
        let won = strength(&PairCounts([0, 0, 0, 0, 50]));
        assert_eq!((won.elo.value, won.elo.high), (None, None));
        // 0.05^(1/50) = 0.941845.
        assert!(near(won.elo.low, 483.76), "{won:?}");
        assert!(won.normalized_elo.low > Some(400.0) && won.normalized_elo.high.is_none());
        assert!(won.los > 0.999 && won.los < 1.0);
        let lost = strength(&PairCounts([50, 0, 0, 0, 0]));
        assert!(near(lost.elo.high, -483.76), "{lost:?}");
        let drawn = strength(&PairCounts([0, 0, 50, 0, 0]));
        assert_eq!((drawn.elo.value, drawn.los), (Some(0.0), 0.5));
        assert!(
            drawn.elo.low < Some(-5.0) && drawn.elo.high > Some(5.0),
            "{drawn:?}"
        );
        assert_eq!(drawn.normalized_elo, Estimate::default());
        assert_eq!(strength(&PairCounts::default()).elo, Estimate::default());
    }

    #[test]
    fn bounds_are_written_as_bounds() {
        let text = |counts| strength(&PairCounts(counts)).elo.to_string();
        assert_eq!(text([1, 6, 45, 38, 98]), "+241.4 (95 %: +206.7 to +280.9)");
        assert_eq!(text([0, 0, 0, 0, 50]), "above +483.8 (95 %)");
        assert_eq!(text([50, 0, 0, 0, 0]), "below -483.8 (95 %)");
        assert_eq!(text([0; 5]), "unknown");
        let nothing = serde_json::to_value(strength(&PairCounts([0, 0, 0, 0, 50]))).unwrap();
        assert!(nothing["elo"]["value"].is_null() && nothing["elo"]["low"].is_number());
    }

    #[test]
    fn every_number_is_finite_and_ordered() {
        for mut code in 0..1024_u64 {
            let counts = PairCounts(std::array::from_fn(|_| {
                let count = [0, 1, 3, 200][(code % 4) as usize];
                code /= 4;
                count
            }));
            let result = strength(&counts);
            assert!((0.0..=1.0).contains(&result.los), "{counts:?}");
            for Estimate { value, low, high } in [result.elo, result.normalized_elo] {
                let numbers = [low, value, high].into_iter().flatten();
                assert!(numbers.clone().all(f64::is_finite), "{result:?}");
                assert!(numbers.is_sorted(), "{result:?}");
            }
            let varied = counts.0.iter().filter(|&&count| count > 0).count() > 1;
            if varied {
                assert!(
                    result.elo.low.is_some() && result.elo.high.is_some(),
                    "{result:?}"
                );
                assert!(result.elo.low < result.elo.high, "{result:?}");
            }
        }
    }

    #[test]
    fn swapping_the_players_negates() {
        for counts in [
            [1, 6, 45, 38, 98],
            [0, 0, 0, 1, 20],
            [0, 0, 0, 0, 9],
            [0, 3, 0, 0, 0],
        ] {
            let (one, other) = (
                strength(&PairCounts(counts)),
                strength(&PairCounts(counts).swapped()),
            );
            for (a, b) in [
                (one.elo, other.elo),
                (one.normalized_elo, other.normalized_elo),
            ] {
                for (a, b) in [(a.value, b.value), (a.low, b.high), (a.high, b.low)] {
                    assert_eq!(a.is_some(), b.is_some());
                    assert!(
                        (a.unwrap_or(0.0) + b.unwrap_or(0.0)).abs() < 1e-9,
                        "{counts:?}"
                    );
                }
            }
            assert!((one.los + other.los - 1.0).abs() < 1e-12);
        }
    }
}
