//! Plain loops, which say what the other kernels must say.

use super::{Change, PAIR, SQUARE_SHIFT};
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

pub(super) fn square(sums: &[i16], finer: u32, out: &mut [i16]) {
    for (out, &sum) in out.iter_mut().zip(sums) {
        *out = product(sum, sum, finer);
    }
}

pub(super) fn pair(sums: &[i16], finer: u32, out: &mut [i16]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    for ((out, &first), &second) in out.iter_mut().zip(first).zip(second) {
        *out = product(first, second, finer);
    }
}

#[inline]
fn product(a: i16, b: i16, finer: u32) -> i16 {
    // Numbers of 16 bits, of whose product the upper half is that of the bytes.
    let whole = |sum: i16| u32::from(sum.clamp(0, 255 << finer) as u16) << (8 - finer);
    let product = (whole(a) * whole(b)) >> 16;
    ((product + ((1 << SQUARE_SHIFT) >> 1)) >> SQUARE_SHIFT) as i16
}

pub(super) fn apply(layer: &Dense, inputs: &[i16], outputs: &mut [i32]) {
    outputs.copy_from_slice(&layer.biases);
    let weights = layer.weights.chunks_exact(PAIR * outputs.len());
    for (inputs, weights) in inputs.as_chunks::<PAIR>().0.iter().zip(weights) {
        let [first, second] = inputs.map(i32::from);
        for (output, weights) in outputs.iter_mut().zip(weights.as_chunks::<PAIR>().0) {
            let sum = first * i32::from(weights[0]) + second * i32::from(weights[1]);
            *output = output.wrapping_add(sum);
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
