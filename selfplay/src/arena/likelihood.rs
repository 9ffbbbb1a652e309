//! The likeliest distribution of pair scores that has a given mean or t-value.
//!
//! Source: Michel Van den Bergh, "Comments on normalized Elo",
//! <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>, Proposition 1.1 and section 4.1.

use super::pairs::{PairCounts, moments};

/// Returns the distribution with mean `score` under which `observed` is likeliest. All of `observed` are above 0 and sum to 1; `score` lies
/// inside `(0, 1)`.
pub(super) fn with_score(observed: &[f64; 5], score: f64) -> [f64; 5] {
    tilted(observed, &PairCounts::SCORES.map(|value| value - score))
}

/// Returns the distribution with t-value `t` under which `observed` is likeliest: its mean lies `t` standard deviations above 1/2. All of
/// `observed` are above 0 and sum to 1.
pub(super) fn with_t_value(observed: &[f64; 5], t: f64) -> [f64; 5] {
    if t < 0.0 {
        return reversed(&with_t_value(&reversed(observed), -t));
    }
    if t < UNIFORM_BELOW {
        return climb(observed, t, [0.2; 5]);
    }
    // So large a t-value can be reached by more draws or by more wins, and each may be a summit of its own.
    let summits = [
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.5, 0.5],
        [0.0, 0.0, 0.0, 0.0, 1.0],
    ];
    summits
        .map(|summit| climb(observed, t, start_near(&summit, t)))
        .into_iter()
        .max_by(|a, b| log_likelihood(observed, a).total_cmp(&log_likelihood(observed, b)))
        .unwrap_or(*observed)
}

/// The t-value below which a step is possible from the uniform distribution, a little less than the exact 0.943.
const UNIFORM_BELOW: f64 = 0.9;

/// Steps after which [`climb`] takes what it has; a handful is usual.
const MAX_STEPS: usize = 200;

/// The change of a share at which [`climb`] stops.
const TOLERANCE: f64 = 1e-12;

/// Improves `shares` step by step, each step being exact for the constraint's linear approximation.
///
/// For `t > 0` the constraint is convex in the shares, so every linear approximation lies below it: a step from a distribution with a t-value
/// of at least `t` leads to another such one, and a step from there is possible.
fn climb(observed: &[f64; 5], t: f64, mut shares: [f64; 5]) -> [f64; 5] {
    for _ in 0..MAX_STEPS {
        // The gradient of `mean - 1/2 - t * deviation`, which is its own linear approximation through `shares`.
        let (mean, variance) = moments(&shares);
        let deviation = variance.sqrt();
        let excess = PairCounts::SCORES.map(|value| {
            let z = (value - mean) / deviation;
            value - 0.5 - 0.5 * t * deviation * (1.0 + z * z)
        });
        let next = tilted(observed, &excess);
        let change = (0..5).map(|at| (next[at] - shares[at]).abs());
        let change = change.fold(0.0, f64::max);
        shares = next;
        if change < TOLERANCE {
            break;
        }
    }
    shares
}

/// Returns a distribution near `summit` with a t-value of at least `t`, as far as `summit` itself has one.
fn start_near(summit: &[f64; 5], t: f64) -> [f64; 5] {
    let mut even = 0.1;
    for _ in 0..50 {
        let shares = summit.map(|share| (1.0 - even) * share + even / 5.0);
        let (mean, variance) = moments(&shares);
        if mean - 0.5 >= t * variance.sqrt() {
            return shares;
        }
        even *= 0.5;
    }
    start_near(&[0.0, 0.0, 0.0, 0.0, 1.0], t)
}

fn log_likelihood(observed: &[f64; 5], shares: &[f64; 5]) -> f64 {
    (0..5).map(|at| observed[at] * shares[at].ln()).sum()
}

fn reversed(shares: &[f64; 5]) -> [f64; 5] {
    let mut shares = *shares;
    shares.reverse();
    shares
}

/// Returns `observed[i] / (1 + theta * excess[i])` with the `theta` for which the mean of `excess` is 0: the likeliest distribution under
/// that linear constraint. `excess` must have both signs.
fn tilted(observed: &[f64; 5], excess: &[f64; 5]) -> [f64; 5] {
    let theta = secular_root(observed, excess);
    let mut shares = *observed;
    for (share, excess) in shares.iter_mut().zip(excess) {
        *share /= 1.0 + theta * excess;
    }
    shares
}

/// Solves `sum observed[i] excess[i] / (1 + theta excess[i]) = 0` between the poles on both sides of 0, where the sum falls steadily:
/// Newton's method, and bisection where a step would leave the bracket or gains too little.
fn secular_root(observed: &[f64; 5], excess: &[f64; 5]) -> f64 {
    let highest = excess.iter().copied().fold(f64::MIN, f64::max);
    let lowest = excess.iter().copied().fold(f64::MAX, f64::min);
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    let mut theta = 0.0;
    for _ in 0..MAX_STEPS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (share, excess) in observed.iter().zip(excess) {
            let ratio = excess / (1.0 + theta * excess);
            sum += share * ratio;
            slope -= share * ratio * ratio;
        }
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - sum / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let moved = (next - theta).abs();
        theta = next;
        if moved <= f64::EPSILON * theta.abs() {
            break;
        }
    }
    theta
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observations from balanced to nearly all won, with a share as small as regularised zeros of a long match.
    const OBSERVED: [[f64; 5]; 5] = [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.02, 0.2, 0.4, 0.28, 0.1],
        [1e-6, 0.1, 0.799_998, 0.1, 1e-6],
        [1e-3, 1e-3, 1e-3, 0.01, 0.987],
        [2e-5, 2e-5, 2e-5, 2e-5, 0.999_92],
    ];

    #[test]
    fn constraints_are_met() {
        for observed in OBSERVED {
            for score in [0.01, 0.3, 0.5, 0.8, 0.99] {
                let shares = with_score(&observed, score);
                let (mean, _) = moments(&shares);
                assert!((mean - score).abs() < 1e-9, "{observed:?} {score}");
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            for t in [-6.0, -2.0, -0.95, -0.1, 0.0, 0.02, 0.5, 0.93, 1.5, 3.0, 6.0] {
                let shares = with_t_value(&observed, t);
                let (mean, variance) = moments(&shares);
                let reached = (mean - 0.5) / variance.sqrt();
                assert!((reached - t).abs() < 1e-6, "{observed:?} {t}: {reached}");
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                assert!(shares.iter().all(|&share| share > 0.0));
            }
        }
    }

    #[test]
    fn nothing_with_the_same_t_value_is_likelier() {
        for observed in OBSERVED {
            for t in [0.02, 0.5, 0.89, 0.91, 1.5, 3.0, 6.0] {
                let best = log_likelihood(&observed, &with_t_value(&observed, t));
                // Other distributions of that t-value: the answers for other observations.
                for at in 0..5 {
                    for nudge in [0.5, 0.9, 1.1, 2.0, 100.0] {
                        let mut other = observed;
                        other[at] *= nudge;
                        let sum: f64 = other.iter().sum();
                        let other = with_t_value(&other.map(|share| share / sum), t);
                        let likelihood = log_likelihood(&observed, &other);
                        assert!(likelihood <= best + 1e-9, "{observed:?} {t} {at} {nudge}");
                    }
                }
            }
        }
    }
}
