//! Statistics of matches held against simulated matches, whose truth is known.

use rand::RngExt;
use rayon::prelude::*;
use selfplay::arena::{
    Estimate, PairCounts, Sprt, SprtModel, SprtVerdict, elo_of_score, expected_score, strength,
};
use selfplay::random::{Purpose, stream};

fn simulate(shares: &[f64; 5], pairs: usize, seed: u64, match_number: u64) -> PairCounts {
    let mut rng = stream(seed, Purpose::Sample, match_number, 0);
    let mut counts = PairCounts::default();
    for _ in 0..pairs {
        counts.count(outcome(shares, rng.random()));
    }
    counts
}

fn outcome(shares: &[f64; 5], mut at: f64) -> usize {
    for (kind, share) in shares.iter().enumerate() {
        at -= share;
        if at < 0.0 {
            return kind;
        }
    }
    // Rounding only: the shares sum to 1.
    2
}

/// Mean and standard deviation.
fn moments(shares: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = (0..5)
        .map(|kind| shares[kind] * PairCounts::SCORES[kind])
        .sum();
    let variance: f64 = (0..5)
        .map(|kind| shares[kind] * (PairCounts::SCORES[kind] - mean).powi(2))
        .sum();
    (mean, variance.sqrt())
}

fn holds(estimate: &Estimate, truth: f64) -> bool {
    estimate.low.is_none_or(|low| low <= truth) && estimate.high.is_none_or(|high| high >= truth)
}

/// Balanced, drawish, decisive, one-sided as the golden result, and nearly all won.
const SHARES: [[f64; 5]; 5] = [
    [0.05, 0.2, 0.5, 0.2, 0.05],
    [0.0, 0.05, 0.9, 0.05, 0.0],
    [0.2, 0.15, 0.3, 0.15, 0.2],
    [0.01, 0.05, 0.2, 0.3, 0.44],
    [0.01, 0.01, 0.08, 0.1, 0.8],
];

/// Returns the shares of `matches` simulated matches whose intervals hold the true Elo and normalised Elo.
fn coverage(shares: &[f64; 5], pairs: usize, matches: u64) -> [f64; 2] {
    let (mean, deviation) = moments(shares);
    let elo = elo_of_score(mean).expect("a score between 0 and 1");
    let normalized = 800.0 / 10_f64.ln() / 2_f64.sqrt() * (mean - 0.5) / deviation;
    let mut held = [0, 0];
    for number in 0..matches {
        let found = strength(&simulate(shares, pairs, 1, number));
        held[0] += u64::from(holds(&found.elo, elo));
        held[1] += u64::from(holds(&found.normalized_elo, normalized));
    }
    held.map(|count| count as f64 / matches as f64)
}

#[test]
fn intervals_hold_the_truth_in_about_95_of_100_matches() {
    for shares in SHARES {
        // Short one-sided matches miss more often: their spread rests on a few pairs. Drawish ones are bounded too carefully.
        for (pairs, least, most) in [(10, 0.85, 1.0), (40, 0.88, 0.965), (400, 0.935, 0.965)] {
            for covered in coverage(&shares, pairs, 4000) {
                assert!(
                    (least..=most).contains(&covered),
                    "{shares:?} {pairs}: {covered}"
                );
            }
        }
    }
}

#[test]
fn identical_players_are_told_to_be_equal() {
    let [elo, normalized] = coverage(&[0.05, 0.2, 0.5, 0.2, 0.05], 2000, 4000);
    assert!((0.94..0.96).contains(&elo), "{elo}");
    assert!((0.94..0.96).contains(&normalized), "{normalized}");
}

/// Plays until the test decides.
fn run(sprt: &Sprt, shares: &[f64; 5], number: u64) -> SprtVerdict {
    let mut rng = stream(2, Purpose::Sample, number, 0);
    let mut counts = PairCounts::default();
    loop {
        counts.count(outcome(shares, rng.random()));
        match sprt.verdict(sprt.llr(&counts)) {
            SprtVerdict::Undecided => {}
            verdict => return verdict,
        }
    }
}

/// Returns shares like `shares` whose mean lies `t` standard deviations above 1/2, by moving pairs to the next better kind.
fn shifted(shares: &[f64; 5], t: f64) -> [f64; 5] {
    let moved = |part: f64| {
        let mut shifted = *shares;
        for kind in 0..4 {
            shifted[kind] -= part * shares[kind];
            shifted[kind + 1] += part * shares[kind];
        }
        shifted
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let part = 0.5 * (low + high);
        let (mean, deviation) = moments(&moved(part));
        if mean - 0.5 < t * deviation {
            low = part;
        } else {
            high = part;
        }
    }
    moved(low)
}

/// Returns how many standard deviations above 1/2 the shares like `shares` lie whose mean is what `elo` lets expect.
fn t_of_elo(shares: &[f64; 5], elo: f64) -> f64 {
    let target = expected_score(elo) - 0.5;
    (0..50).fold(0.0, |t, _| target / moments(&shifted(shares, t)).1)
}

#[test]
fn the_sequential_test_keeps_its_error_rates() {
    const MATCHES: u64 = 2000;
    for shares in [SHARES[0], SHARES[2]] {
        for (model, elo) in [(SprtModel::Normalized, 40.0), (SprtModel::Logistic, 30.0)] {
            let sprt = Sprt::new([0.0, elo], 0.05, 0.05, model).unwrap();
            let t = match model {
                SprtModel::Normalized => elo * 10_f64.ln() * 2_f64.sqrt() / 800.0,
                SprtModel::Logistic => t_of_elo(&shares, elo),
            };
            let better = shifted(&shares, t);
            for (shares, wrong) in [(shares, SprtVerdict::H1), (better, SprtVerdict::H0)] {
                let errors = (0..MATCHES)
                    .into_par_iter()
                    .filter(|&number| run(&sprt, &shares, number) == wrong)
                    .count();
                // 0.05 is meant; three standard errors of the count are 0.015.
                let rate = errors as f64 / MATCHES as f64;
                assert!(
                    (0.03..0.065).contains(&rate),
                    "{model:?} {shares:?}: {rate}"
                );
            }
        }
    }
}

#[test]
fn a_clear_difference_is_told_after_few_pairs() {
    let sprt = Sprt::new([0.0, 10.0], 0.05, 0.05, SprtModel::Logistic).unwrap();
    let far = PairCounts([0, 0, 2, 10, 150]);
    assert_eq!(sprt.verdict(sprt.llr(&far)), SprtVerdict::H1);
    assert_eq!(sprt.verdict(sprt.llr(&far.swapped())), SprtVerdict::H0);
}
