//! How weights follow a gradient, as loops over flat arrays: the same bits on any device and thread count.

#![allow(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the oldest processors only"
)]

use rayon::prelude::*;

use crate::learner::{LearnConfig, Optimiser};
use crate::net::Blueprint;
use crate::wide::wide;

/// Adam's decay rate of squared gradients, and what keeps its divisor from zero.
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// Numbers that a thread takes at a time where each is on its own.
const CHUNK: usize = 1 << 16;

/// What an optimiser remembers between steps.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    /// Running mean of gradients with Adam, momentum with SGD, one for each parameter.
    pub(crate) first: Vec<f32>,
    /// Running mean of squared gradients, one for each parameter; empty with SGD.
    pub(crate) second: Vec<f32>,
}

impl Moments {
    /// Returns the moments before the first step.
    pub(crate) fn new(optimiser: Optimiser, len: usize) -> Self {
        Self {
            first: vec![0.0; len],
            second: match optimiser {
                Optimiser::AdamW => vec![0.0; len],
                Optimiser::Sgd => Vec::new(),
            },
        }
    }

    /// Moves `weights` against `gradient` with learning rate `rate`; `step` counts from 1.
    ///
    /// Rows of tables that have no gradient, because nothing in the batch used them, are left as they are, moments and decay included.
    pub(crate) fn apply(
        &mut self,
        blueprint: &Blueprint,
        (config, rate, step): (&LearnConfig, f64, u64),
        gradient: &[f32],
        weights: &mut [f32],
    ) {
        for slot in blueprint.slots() {
            let decay = if slot.decays {
                config.weight_decay
            } else {
                0.0
            };
            let rule = Rule {
                limit: blueprint.weight_limit(),
                kept: (1.0 - rate * decay) as f32,
                momentum: config.momentum as f32,
                rate: rate as f32,
                adam: Adam::new(config.momentum, rate, step),
            };
            let range = slot.start..slot.start + slot.len;
            let (gradient, weights) = (&gradient[range.clone()], &mut weights[range.clone()]);
            let first = &mut self.first[range.clone()];
            let second = match config.optimiser {
                Optimiser::AdamW => &mut self.second[range],
                Optimiser::Sgd => &mut [],
            };
            if slot.is_table {
                rule.apply_rows(slot.dims[1], gradient, weights, (first, second));
            } else {
                rule.apply(gradient, weights, (first, second));
            }
        }
    }
}

/// The numbers of one step.
struct Rule {
    /// The greatest size of a weight.
    limit: f32,
    /// What weight decay leaves of a weight.
    kept: f32,
    momentum: f32,
    rate: f32,
    adam: Adam,
}

impl Rule {
    /// Moves some weights; there are no second moments with SGD.
    fn apply(&self, gradient: &[f32], weights: &mut [f32], moments: (&mut [f32], &mut [f32])) {
        follow(self, gradient, weights, moments);
    }

    /// Moves the rows of a table that have a gradient, spread over threads.
    fn apply_rows(
        &self,
        width: usize,
        gradient: &[f32],
        weights: &mut [f32],
        (first, second): (&mut [f32], &mut [f32]),
    ) {
        let rows = gradient
            .par_chunks(width)
            .zip(weights.par_chunks_mut(width))
            .zip(first.par_chunks_mut(width))
            .with_min_len(64);
        let is_used = |gradient: &[f32]| gradient.iter().any(|&g| g != 0.0);
        if second.is_empty() {
            rows.filter(|((gradient, _), _)| is_used(gradient))
                .for_each(|((gradient, weights), first)| {
                    self.apply(gradient, weights, (first, &mut []));
                });
        } else {
            rows.zip(second.par_chunks_mut(width))
                .filter(|(((gradient, _), _), _)| is_used(gradient))
                .for_each(|(((gradient, weights), first), second)| {
                    self.apply(gradient, weights, (first, second));
                });
        }
    }
}

wide! {
    /// Moves weights by a rule.
    fn follow<'a>(
        rule: &'a Rule,
        gradient: &'a [f32],
        weights: &'a mut [f32],
        moments: (&'a mut [f32], &'a mut [f32]),
    ) {
        let (first, second) = moments;
        if second.is_empty() {
            for ((weight, first), gradient) in weights.iter_mut().zip(first).zip(gradient) {
                *first = rule.momentum * *first + gradient;
                *weight = rule.kept * *weight - rule.rate * *first;
            }
        } else {
            (rule.adam).apply(rule.kept, gradient, weights, (first, second));
        }
        if rule.limit.is_finite() {
            for weight in weights {
                *weight = weight.clamp(-rule.limit, rule.limit);
            }
        }
    }
}

/// The numbers of one step of Adam.
struct Adam {
    first_decay: f32,
    second_decay: f32,
    /// The learning rate over the bias correction of the first moment.
    rate: f32,
    /// One over the bias correction of the second moment.
    second_scale: f32,
}

impl Adam {
    fn new(first_decay: f64, rate: f64, step: u64) -> Self {
        let steps = i32::try_from(step).unwrap_or(i32::MAX);
        Self {
            first_decay: first_decay as f32,
            second_decay: SECOND_DECAY as f32,
            rate: (rate / (1.0 - first_decay.powi(steps))) as f32,
            second_scale: (1.0 / (1.0 - SECOND_DECAY.powi(steps))) as f32,
        }
    }

    #[inline(always)]
    fn apply(
        &self,
        kept: f32,
        gradient: &[f32],
        weights: &mut [f32],
        (first, second): (&mut [f32], &mut [f32]),
    ) {
        let moments = first.iter_mut().zip(second);
        for ((weight, (first, second)), &gradient) in weights.iter_mut().zip(moments).zip(gradient)
        {
            *first = self.first_decay * *first + (1.0 - self.first_decay) * gradient;
            *second = self.second_decay * *second + (1.0 - self.second_decay) * gradient * gradient;
            let divisor = (*second * self.second_scale).sqrt() + EPSILON;
            *weight = kept * *weight - self.rate * *first / divisor;
        }
    }
}

/// Returns the length of the whole gradient.
pub(crate) fn norm(gradient: &[f32]) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = gradient.as_chunks();
    square_up(chunks, &mut sums);
    let rest: f64 = rest.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    (sums.iter().sum::<f64>() + rest).sqrt()
}

/// Independent sums let a loop run at the speed of memory; their number is fixed, and so is the result.
const LANES: usize = 16;

wide! {
    /// Adds up squares.
    fn square_up<'a>(chunks: &'a [[f32; LANES]], sums: &'a mut [f64; LANES]) {
        for chunk in chunks {
            for (sum, &g) in sums.iter_mut().zip(chunk) {
                *sum += f64::from(g) * f64::from(g);
            }
        }
    }
}

/// Scales the whole gradient, if it is longer than `limit`, to that length, and returns what its length was.
pub(crate) fn clip(gradient: &mut [f32], limit: f64) -> f64 {
    let norm = norm(gradient);
    if norm > limit {
        let scale = (limit / norm) as f32;
        for g in gradient {
            *g *= scale;
        }
    }
    norm
}

wide! {
    /// Replaces an average with so much of itself and so much of the weights.
    fn mix<'a>(average: &'a mut [f32], weights: &'a [f32], shares: (f32, f32)) {
        let (old, new) = shares;
        for (average, weight) in average.iter_mut().zip(weights) {
            *average = old * *average + new * weight;
        }
    }
}

/// Steps between two updates of an average that reaches far back: each takes a pass over all weights, most of which rest in most steps.
const SELDOM: u64 = 8;

/// From how many steps on averages are updated every so often.
const MANY: u64 = 8 * SELDOM;

/// The decay from which on an average reaches far enough back.
const SLOW: f64 = 0.99;

/// Moves the average of weights to the newest ones; `step` counts from 1.
///
/// This is `a = d a + (1 - d) w` from zero, divided by `1 - d^step`, in a running form: the first step's average is exactly its weights. Later,
/// with a decay of 0.99 and more, the average moves every eighth step only, as if the weights of the last eight had been the newest ones.
pub(crate) fn average(average: &mut [f32], weights: &[f32], decay: f64, step: u64) {
    let steps = if decay < SLOW || step <= MANY {
        1
    } else if step.is_multiple_of(SELDOM) {
        SELDOM
    } else {
        return;
    };
    let power = |steps: u64| decay.powi(i32::try_from(steps).unwrap_or(i32::MAX));
    let kept = power(steps) * (1.0 - power(step - steps)) / (1.0 - power(step));
    let (new, old) = ((1.0 - kept) as f32, kept as f32);
    let update = |average: &mut [f32], weights: &[f32]| mix(average, weights, (old, new));
    if average.len() <= CHUNK {
        return update(average, weights);
    }
    average
        .par_chunks_mut(CHUNK)
        .zip(weights.par_chunks(CHUNK))
        .for_each(|(average, weights)| update(average, weights));
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn clipping_is_global() {
        let mut gradient = vec![0.0; 40];
        (gradient[0], gradient[39]) = (3.0, -4.0);
        assert_eq!(clip(&mut gradient, 10.0), 5.0);
        assert_eq!((gradient[0], gradient[39]), (3.0, -4.0));
        // Both entries shrink by the same factor, although each alone is shorter than the limit allows after the cut of the other.
        assert_eq!(clip(&mut gradient, 2.5), 5.0);
        assert_eq!((gradient[0], gradient[39]), (1.5, -2.0));
    }

    #[test]
    fn rows_of_tables_without_gradient_are_left_alone() {
        let rule = Rule {
            limit: 2.0,
            kept: 0.5,
            momentum: 0.9,
            rate: 0.1,
            adam: Adam::new(0.9, 0.1, 3),
        };
        let gradient = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        for adam in [false, true] {
            let mut rows = ([1.0; 6], [2.0; 6], [3.0; 6]);
            let mut whole = rows;
            let second = if adam { &mut rows.2[..] } else { &mut [] };
            rule.apply_rows(2, &gradient, &mut rows.0, (&mut rows.1, second));
            let second = if adam { &mut whole.2[..] } else { &mut [] };
            rule.apply(&gradient, &mut whole.0, (&mut whole.1, second));
            let untouched = ([1.0; 2], [2.0; 2], [3.0; 2]);
            for at in [0..2, 4..6] {
                assert_eq!(rows.0[at.clone()], untouched.0);
                assert_eq!(
                    (&rows.1[at.clone()], &rows.2[at]),
                    (&untouched.1[..], &untouched.2[..])
                );
            }
            assert_eq!(
                (&rows.0[2..4], &rows.1[2..4], &rows.2[2..4]),
                (&whole.0[2..4], &whole.1[2..4], &whole.2[2..4])
            );
            assert_ne!(whole.0[..2], untouched.0);
        }
    }

    #[test]
    fn the_running_average_is_the_bias_corrected_one() {
        let decay = 0.9;
        let (mut running, mut plain) = (vec![7.0_f32], 0.0_f64);
        for step in 1..=20 {
            let weight = (step as f32).sin();
            average(&mut running, &[weight], decay, step);
            plain = decay * plain + (1.0 - decay) * f64::from(weight);
            let corrected = plain / (1.0 - decay.powi(step as i32));
            assert!((f64::from(running[0]) - corrected).abs() < 1e-6);
            assert!(step > 1 || running[0] == weight);
        }
    }

    #[test]
    fn slow_averages_move_every_eighth_step_by_as_much() {
        let decay = 0.995;
        let (mut running, mut plain) = (vec![7.0_f32], 0.0_f64);
        let weight = |step: u64| (step as f32).sin();
        let mut moved = 0;
        for step in 1..=400 {
            let before = running[0];
            average(&mut running, &[weight(step)], decay, step);
            moved += u32::from(running[0] != before);
            // The newest weights of eight steps stand for all of them.
            let newest = if step <= MANY {
                step
            } else {
                step.next_multiple_of(SELDOM)
            };
            plain = decay * plain + (1.0 - decay) * f64::from(weight(newest));
            if step <= MANY || step.is_multiple_of(SELDOM) {
                let corrected = plain / (1.0 - decay.powi(step as i32));
                assert!((f64::from(running[0]) - corrected).abs() < 1e-5, "{step}");
            }
        }
        assert_eq!(moved, 64 + (400 - 64) / 8);
    }

    #[test]
    fn weights_stay_below_the_limit() {
        let rule = Rule {
            limit: 2.0,
            kept: 1.0,
            momentum: 0.9,
            rate: 100.0,
            adam: Adam::new(0.9, 100.0, 1),
        };
        for adam in [false, true] {
            let (mut weights, mut first, mut second) = ([1.0; 3], [0.0; 3], [0.0; 3]);
            let second = if adam { &mut second[..] } else { &mut [] };
            rule.apply(&[1.0, -1.0, 0.0], &mut weights, (&mut first, second));
            assert_eq!(weights, [-2.0, 2.0, 1.0]);
        }
    }
}
