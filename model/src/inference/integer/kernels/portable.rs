//! Plain loops, which say what the other kernels must say.

use super::{Change, FOUR};
use crate::encoder::MoveRows;
use crate::inference::integer::quantise::Dense;

pub(super) fn add_rows(table: &[i16], change: Change<'_>, sums: &mut [i16]) {
    let width = sums.len();
    let row = |row: u32| &table[row as usize * width..][..width];
    for &added in change.added {
        for (sum, value) in sums.iter_mut().zip(row(added)) {
            *sum = sum.wrapping_add(*value);
        }
    }
    for &removed in change.removed {
        for (sum, value) in sums.iter_mut().zip(row(removed)) {
            *sum = sum.wrapping_sub(*value);
        }
    }
}

pub(super) fn square(sums: &[i16], out: &mut [u8]) {
    for (out, &sum) in out.iter_mut().zip(sums) {
        *out = product(sum, sum);
    }
}

pub(super) fn pair(sums: &[i16], out: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    for ((out, &first), &second) in out.iter_mut().zip(first).zip(second) {
        *out = product(first, second);
    }
}

fn product(a: i16, b: i16) -> u8 {
    let byte = |sum: i16| sum.clamp(0, 255) as u16;
    // At most 255 * 255 + 128, which 16 bits hold.
    ((byte(a) * byte(b) + 128) >> 8) as u8
}

pub(super) fn apply(layer: &Dense, inputs: &[u8], outputs: &mut [i32]) {
    outputs.copy_from_slice(&layer.biases);
    let weights = layer.weights.chunks_exact(FOUR * outputs.len());
    for (inputs, weights) in inputs.chunks_exact(FOUR).zip(weights) {
        for (output, weights) in outputs.iter_mut().zip(weights.chunks_exact(FOUR)) {
            for (&input, &weight) in inputs.iter().zip(weights) {
                *output += i32::from(input) * i32::from(weight);
            }
        }
    }
}

pub(super) fn products(table: &[i16], vector: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    let width = vector.len();
    let mut sum = vec![0_i16; width];
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        sum.fill(0);
        for &row in rows {
            let row = &table[row as usize * width..][..width];
            for (sum, value) in sum.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*value);
            }
        }
        let products = sum
            .iter()
            .zip(vector)
            .map(|(&a, &b)| i32::from(a) * i32::from(b));
        *out = products.fold(0, i32::wrapping_add);
    }
}
