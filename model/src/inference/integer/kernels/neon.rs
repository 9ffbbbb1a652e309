//! By the vectors of 128 bits that 64-bit ARM processors have.

#![allow(
    clippy::wildcard_imports,
    reason = "names of instructions are as good as those of a language"
)]

use std::arch::aarch64::*;

use super::{Change, PAIR, SQUARE_SHIFT, both};
use crate::encoder::MoveRows;
use crate::inference::integer::quantise::Dense;

/// 16-bit numbers of a vector.
const WORDS: usize = 8;

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "neon")]
fn load(from: &[i16; WORDS]) -> int16x8_t {
    // SAFETY: the reference is to 16 bytes.
    unsafe { vld1q_s16(from.as_ptr()) }
}

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "neon")]
fn load_outputs(from: &[i32; 4]) -> int32x4_t {
    // SAFETY: the reference is to 16 bytes.
    unsafe { vld1q_s32(from.as_ptr()) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "neon")]
fn store(value: int16x8_t, to: &mut [i16; WORDS]) {
    // SAFETY: the reference is to 16 bytes that nothing else refers to.
    unsafe { vst1q_s16(to.as_mut_ptr(), value) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "neon")]
fn store_outputs(value: int32x4_t, to: &mut [i32; 4]) {
    // SAFETY: the reference is to 16 bytes that nothing else refers to.
    unsafe { vst1q_s32(to.as_mut_ptr(), value) }
}

#[target_feature(enable = "neon")]
pub(super) fn add_rows(table: &[i16], change: Change<'_>, sums: &mut [i16]) {
    let width = sums.len();
    let mut at = 0;
    // As many sums as registers hold, for all rows; then the rest.
    while width - at >= 16 * WORDS {
        add_part::<16>(table, change, sums, at);
        at += 16 * WORDS;
    }
    while at < width {
        add_part::<4>(table, change, sums, at);
        at += 4 * WORDS;
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn add_part<const N: usize>(table: &[i16], change: Change<'_>, sums: &mut [i16], at: usize) {
    let width = sums.len();
    let part = |row: u32| &table[row as usize * width + at..][..N * WORDS];
    let mut held = [vdupq_n_s16(0); N];
    let own = &mut sums[at..][..N * WORDS];
    for (held, own) in held.iter_mut().zip(own.as_chunks().0) {
        *held = load(own);
    }
    for &row in change.added {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = vaddq_s16(*held, load(row));
        }
    }
    for &row in change.removed {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = vsubq_s16(*held, load(row));
        }
    }
    for (held, own) in held.iter().zip(own.as_chunks_mut().0) {
        store(*held, own);
    }
}

/// Cuts sums to `[0, 1]`, in numbers of 16 bits.
#[inline]
#[target_feature(enable = "neon")]
fn cut(sums: &[i16; WORDS], finer: u32) -> uint16x8_t {
    let cut = vminq_s16(
        vmaxq_s16(load(sums), vdupq_n_s16(0)),
        vdupq_n_s16(255 << finer),
    );
    vshlq_u16(vreinterpretq_u16_s16(cut), vdupq_n_s16(8 - finer as i16))
}

#[inline]
#[target_feature(enable = "neon")]
fn product(a: uint16x8_t, b: uint16x8_t) -> int16x8_t {
    let low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
    let high = vmull_u16(vget_high_u16(a), vget_high_u16(b));
    let product = vcombine_u16(vshrn_n_u32::<16>(low), vshrn_n_u32::<16>(high));
    // A shift that rounds adds the half.
    vreinterpretq_s16_u16(vrshrq_n_u16::<{ SQUARE_SHIFT as i32 }>(product))
}

#[target_feature(enable = "neon")]
pub(super) fn square(sums: &[i16], finer: u32, out: &mut [i16]) {
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
        let sums = cut(sums, finer);
        store(product(sums, sums), out);
    }
}

#[target_feature(enable = "neon")]
pub(super) fn pair(sums: &[i16], finer: u32, out: &mut [i16]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let pairs = first.as_chunks().0.iter().zip(second.as_chunks().0);
    for (out, (first, second)) in out.as_chunks_mut().0.iter_mut().zip(pairs) {
        store(product(cut(first, finer), cut(second, finer)), out);
    }
}

#[target_feature(enable = "neon")]
pub(super) fn apply(layer: &Dense, inputs: &[i16], outputs: &mut [i32]) {
    /// Outputs of a pass: each vector holds four of them.
    const WIDE: usize = 16;
    let width = outputs.len();
    for (at, outputs) in outputs.as_chunks_mut::<WIDE>().0.iter_mut().enumerate() {
        let mut sums = [vdupq_n_s32(0); WIDE / 4];
        for (number, inputs) in inputs.as_chunks::<PAIR>().0.iter().enumerate() {
            let inputs = vreinterpret_s16_s32(vdup_n_s32(both(*inputs)));
            let weights = &layer.weights[(number * width + at * WIDE) * PAIR..][..WIDE * PAIR];
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks().0) {
                let weights = load(weights);
                let first = vmull_s16(inputs, vget_low_s16(weights));
                let second = vmull_s16(inputs, vget_high_s16(weights));
                *sum = vaddq_s32(*sum, vpaddq_s32(first, second));
            }
        }
        let biases = layer.biases[at * WIDE..][..WIDE].as_chunks().0;
        let quarters = outputs.as_chunks_mut().0;
        for ((out, sum), biases) in quarters.iter_mut().zip(sums).zip(biases) {
            store_outputs(vaddq_s32(sum, load_outputs(biases)), out);
        }
    }
}

#[target_feature(enable = "neon")]
pub(super) fn products(table: &[i16], vector: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    let (width, vector) = (vector.len(), vector.as_chunks().0);
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        let mut product = vdupq_n_s32(0);
        for (at, vector) in vector.iter().enumerate() {
            let mut sum = vdupq_n_s16(0);
            for &row in rows {
                let row = &table[row as usize * width + at * WORDS..][..WORDS];
                sum = vaddq_s16(sum, load(&row.as_chunks().0[0]));
            }
            let vector = load(vector);
            product = vmlal_s16(product, vget_low_s16(sum), vget_low_s16(vector));
            product = vmlal_s16(product, vget_high_s16(sum), vget_high_s16(vector));
        }
        *out = vaddvq_s32(product);
    }
}
