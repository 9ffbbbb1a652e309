//! From logits to chances, with the same bits on every processor.
//!
//! The exponential is that of Cephes (Moshier, <https://www.netlib.org/cephes/>): a polynomial of degree 6 around each multiple of ln 2, within
//! 2 in 10^7 of the true value. It is made of additions and multiplications in a fixed order, which vectors of any width do alike.

#![allow(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the oldest processors only"
)]

use pulp::NullaryFnOnce;

/// Numbers that are summed side by side, whatever the width of vectors.
const LANES: usize = 16;

/// Replaces `out` with the softmax of the `logits` of a position's legal moves.
pub fn priors(logits: &[f32], out: &mut Vec<f32>) {
    out.clear();
    out.extend_from_slice(logits);
    pulp::Arch::new().dispatch(Softmax(out));
}

/// Turns three logits into chances of win, draw and loss.
pub(super) fn chances(mut logits: [f32; 3]) -> [f32; 3] {
    softmax(&mut logits);
    logits
}

/// [`softmax`], compiled for several generations of processors.
struct Softmax<'a>(&'a mut [f32]);

impl NullaryFnOnce for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        softmax(self.0);
    }
}

/// Replaces logits with their softmax. Where one is no number, none is afterwards.
#[inline(always)]
fn softmax(logits: &mut [f32]) {
    let mut most = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for chunk in chunks {
        for (most, &logit) in most.iter_mut().zip(chunk) {
            *most = greater(*most, logit);
        }
    }
    for (most, &logit) in most.iter_mut().zip(rest) {
        *most = greater(*most, logit);
    }
    let most = most.into_iter().fold(f32::NEG_INFINITY, greater);
    let mut sums = [0.0; LANES];
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for (sum, logit) in sums.iter_mut().zip(chunk) {
            *logit = exp(*logit - most);
            *sum += *logit;
        }
    }
    for (sum, logit) in sums.iter_mut().zip(rest) {
        *logit = exp(*logit - most);
        *sum += *logit;
    }
    let scale = 1.0 / sums.iter().sum::<f32>();
    for logit in logits {
        *logit *= scale;
    }
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Returns `e^x` for `x` up to 0; below -87 as for that, which is 1.6e-38.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added and subtracted, it rounds to a whole number, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // Ln 2 in two parts, the first of few bits, so that its multiples are exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    const LEAST: f32 = -87.0;
    // What is no number stays none.
    let x = if x < LEAST { LEAST } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let x = x - whole * HIGH - whole * LOW;
    let mut sum = 1.987_569_1e-4;
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        sum = sum * x + factor;
    }
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    (sum * x * x + x + 1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_close_to_the_true_one() {
        for step in 0..=870_000 {
            let x = -(step as f32) * 1e-4;
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            let error = (found / expected - 1.0).abs();
            assert!(error < 2e-7, "{x}: {found} for {expected}");
        }
        assert_eq!(exp(0.0).to_bits(), 1.0_f32.to_bits());
        assert!(exp(-1000.0) > 0.0 && exp(-1000.0) < 1e-37);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn chances_add_up_and_are_in_proportion() {
        for size in 1..70 {
            let logits: Vec<f32> = (0..size)
                .map(|i| (i * 37 % 23) as f32 * 0.7 - 5.0)
                .collect();
            let mut found = Vec::new();
            priors(&logits, &mut found);
            let whole: f64 = logits.iter().map(|&logit| f64::from(logit).exp()).sum();
            for (&found, &logit) in found.iter().zip(&logits) {
                let expected = f64::from(logit).exp() / whole;
                assert!((f64::from(found) - expected).abs() < 1e-6);
            }
            let mut plain = logits.clone();
            softmax(&mut plain);
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                bits(&plain),
                bits(&found),
                "vectors of another width say other bits"
            );
        }
    }

    #[test]
    fn what_is_no_number_is_seen() {
        for at in [0, 5, 17, 39] {
            let mut logits = vec![0.5; 40];
            logits[at] = f32::NAN;
            let mut found = Vec::new();
            priors(&logits, &mut found);
            assert!(found.iter().all(|prior| prior.is_nan()));
        }
    }
}
