//! Elo from pairs of games, with an interval.

use serde::Serialize;

/// A difference in strength in Elo, with a 95 % interval. A side of the interval that the result does not bound is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The score that the estimate stands for, in `[0, 1]`.
    pub score: f64,
    /// The estimate; infinite when every game was won or lost.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The quantile of the normal distribution that leaves 2.5 % above.
const Z_95: f64 = 1.959_963_985;

/// Estimates Elo from how many pairs gave 0, 1, 2, 3 or 4 half points.
///
/// The variance is that of pair scores, since the two games of a pair are not independent (pentanomial statistics, as fishtest does). Where
/// all pairs scored alike and the variance says nothing, the interval is the exact binomial bound of n equal results at 95 %
/// (`0.05^(1/n)`), so that even all wins give a bound and not a certainty.
pub fn elo_of_pairs(counts: &[u64; 5]) -> Elo {
    let pairs = counts.iter().sum::<u64>() as f64;
    if pairs == 0.0 {
        return Elo {
            score: 0.5,
            elo: 0.0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        };
    }
    let share = |half_points: usize| half_points as f64 / 4.0;
    let score = (0..5).map(|at| counts[at] as f64 * share(at)).sum::<f64>() / pairs;
    let variance = (0..5)
        .map(|at| counts[at] as f64 * (share(at) - score).powi(2))
        .sum::<f64>()
        / pairs;
    let (low, high) = if variance > 0.0 {
        let margin = Z_95 * (variance / pairs).sqrt();
        (score - margin, score + margin)
    } else {
        let kept = 0.05_f64.powf(1.0 / pairs);
        (score * kept, 1.0 - (1.0 - score) * kept)
    };
    Elo {
        score,
        elo: elo(score),
        low: elo(low),
        high: elo(high),
    }
}

/// Returns the Elo difference at which `score` is expected.
fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_result() {
        // fastchess prints 241.40 +- 37.08 for these pairs.
        let result = elo_of_pairs(&[1, 6, 45, 38, 98]);
        assert!((result.elo - 241.40).abs() < 0.005, "{result:?}");
        assert!(
            ((result.high - result.low) / 2.0 - 37.08).abs() < 0.05,
            "{result:?}"
        );
    }

    #[test]
    fn all_wins_are_a_bound() {
        let result = elo_of_pairs(&[0, 0, 0, 0, 50]);
        assert_eq!((result.elo, result.high), (f64::INFINITY, f64::INFINITY));
        assert!(result.low > 200.0 && result.low < 1000.0, "{result:?}");
        let drawn = elo_of_pairs(&[0, 0, 50, 0, 0]);
        assert!(
            drawn.low < 0.0 && drawn.high > 0.0 && drawn.elo == 0.0,
            "{drawn:?}"
        );
    }
}
