//! A sequential test between two hypotheses about the difference in strength.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elo::{NELO_PER_T, expected_score};
use super::likelihood::{with_score, with_t_value};
use super::pairs::PairCounts;

/// What the two hypotheses of a test are stated in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// Normalised Elo, as fishtest and fastchess do by default: how long a test takes does not depend on the share of draws.
    #[default]
    Normalized,
    /// Elo by the logistic curve.
    Logistic,
}

/// A generalised sequential probability ratio test on pentanomial counts.
///
/// The log-likelihood ratio compares the likeliest distributions of pair scores under both hypotheses (Van den Bergh, see
/// `likelihood`), and the test stops outside Wald's bounds. Look at it after complete pairs only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: SprtModel,
}

/// What a test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// More pairs are needed.
    Undecided,
    /// The difference is nearer the first hypothesis.
    H0,
    /// The difference is nearer the second hypothesis.
    H1,
}

/// A test's parameters that make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are equal, in the wrong order or too far out.
    #[error(
        "the first hypothesis, {elo0} Elo, must lie below the second, {elo1} Elo, both within {MAX_ELO} of 0"
    )]
    Hypotheses {
        /// The first hypothesis.
        elo0: f64,
        /// The second one.
        elo1: f64,
    },
    /// An error rate is not above 0, or the two are too large together.
    #[error("the error rates, {alpha} and {beta}, must be above 0 and below 1 together")]
    ErrorRates {
        /// The rate at which a true first hypothesis is given up.
        alpha: f64,
        /// The rate at which a true second hypothesis is given up.
        beta: f64,
    },
}

/// The largest hypothesis in Elo of either kind.
const MAX_ELO: f64 = 1000.0;

/// What a count of zero is taken for, so that no outcome is impossible; as fishtest and fastchess do.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// Sets up a test of `elo[0]` against `elo[1]`. `alpha` is the rate at which the test may accept the second hypothesis when the first
    /// is true, `beta` that of the opposite error.
    ///
    /// # Errors
    /// If `elo[0]` is not below `elo[1]`, one is beyond 1000, a rate is not above 0, or the rates sum to 1 or more.
    pub fn new(elo: [f64; 2], alpha: f64, beta: f64, model: SprtModel) -> Result<Self, SprtError> {
        let [elo0, elo1] = elo;
        if !(elo0 < elo1 && elo0 >= -MAX_ELO && elo1 <= MAX_ELO) {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::ErrorRates { alpha, beta });
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// Returns the two hypotheses in Elo.
    pub fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// Returns the log-likelihood ratios at which the first and the second hypothesis is accepted (Wald): `ln(beta / (1 - alpha))` and
    /// `ln((1 - beta) / alpha)`.
    pub fn bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }

    /// Returns the log-likelihood ratio of the second hypothesis over the first; 0 without pairs.
    pub fn llr(&self, counts: &PairCounts) -> f64 {
        if counts.pairs() == 0 {
            return 0.0;
        }
        let counts = counts.0.map(|count| (count as f64).max(UNSEEN));
        let pairs: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / pairs);
        let likeliest = |elo: f64| match self.model {
            SprtModel::Normalized => with_t_value(&observed, elo / NELO_PER_T),
            SprtModel::Logistic => with_score(&observed, expected_score(elo)),
        };
        let (first, second) = (likeliest(self.elo0), likeliest(self.elo1));
        (0..5)
            .map(|at| counts[at] * (second[at] / first[at]).ln())
            .sum()
    }

    /// Returns what a log-likelihood ratio means.
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        let [lower, upper] = self.bounds();
        if llr >= upper {
            SprtVerdict::H1
        } else if llr <= lower {
            SprtVerdict::H0
        } else {
            SprtVerdict::Undecided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn llr(counts: [u64; 5], elo: [f64; 2], model: SprtModel) -> f64 {
        let sprt = Sprt::new(elo, 0.05, 0.05, model).unwrap();
        sprt.llr(&PairCounts(counts))
    }

    #[test]
    fn known_log_likelihood_ratios() {
        use SprtModel::{Logistic, Normalized};
        // The first value is published with the counts by fishtest and OpenBench, the others are from the tests of fastchess.
        let close = llr([39, 8843, 26675, 9240, 44], [0.5, 2.5], Normalized);
        assert!((close - 2.94168).abs() < 5e-6, "{close}");
        for (counts, elo, model, wanted) in [
            ([1, 6, 45, 38, 98], [0.0, 5.0], Normalized, 2.904),
            (
                [365, 16618, 36229, 16974, 390],
                [0.0, 2.0],
                Normalized,
                2.25,
            ),
            (
                [127, 4883, 10712, 5150, 104],
                [-1.75, 0.25],
                Normalized,
                3.01,
            ),
            ([223, 9863, 21279, 10037, 246], [0.5, 2.5], Logistic, -3.07),
            ([871, 26175, 55983, 26678, 821], [0.0, 2.0], Logistic, -4.98),
        ] {
            let found = llr(counts, elo, model);
            assert!((found - wanted).abs() < 0.005, "{counts:?}: {found}");
        }
    }

    #[test]
    fn every_ratio_is_finite_and_swapping_the_players_negates() {
        let hypotheses = [
            [0.0, 5.0],
            [-900.0, 900.0],
            [-1000.0, -500.0],
            [-3.0, 1.0],
            [400.0, 1000.0],
        ];
        for mut code in 0..243_u64 {
            let counts: [u64; 5] = std::array::from_fn(|_| {
                let count = [0, 1, 900][(code % 3) as usize];
                code /= 3;
                count
            });
            for model in [SprtModel::Normalized, SprtModel::Logistic] {
                for [elo0, elo1] in hypotheses {
                    let found = llr(counts, [elo0, elo1], model);
                    assert!(found.is_finite(), "{counts:?} {elo0} {elo1}");
                    let swapped = llr(PairCounts(counts).swapped().0, [-elo1, -elo0], model);
                    let scale = 1.0 + found.abs();
                    assert!(
                        (found + swapped).abs() < 1e-6 * scale,
                        "{counts:?} {elo0} {elo1} {model:?}: {found} {swapped}"
                    );
                }
            }
        }
    }

    #[test]
    fn bounds_and_verdicts() {
        let sprt = Sprt::new([0.0, 5.0], 0.05, 0.1, SprtModel::Normalized).unwrap();
        let [lower, upper] = sprt.bounds();
        assert!((lower - (0.1_f64 / 0.95).ln()).abs() < 1e-12);
        assert!((upper - 18.0_f64.ln()).abs() < 1e-12);
        assert_eq!(sprt.verdict(0.0), SprtVerdict::Undecided);
        assert_eq!(sprt.verdict(lower), SprtVerdict::H0);
        assert_eq!(sprt.verdict(upper), SprtVerdict::H1);
        assert_eq!(sprt.llr(&PairCounts::default()).to_bits(), 0);
    }

    #[test]
    fn nonsense_is_refused() {
        let new = |elo, alpha, beta| Sprt::new(elo, alpha, beta, SprtModel::Normalized).is_err();
        assert!(new([5.0, 5.0], 0.05, 0.05) && new([5.0, 0.0], 0.05, 0.05));
        assert!(new([f64::NAN, 5.0], 0.05, 0.05) && new([0.0, 1e6], 0.05, 0.05));
        assert!(new([0.0, 5.0], 0.0, 0.05) && new([0.0, 5.0], 0.5, 0.5));
        assert!(new([0.0, 5.0], f64::NAN, 0.05) && new([0.0, 5.0], 0.05, -0.1));
    }
}
