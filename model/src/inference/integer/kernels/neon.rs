//! By the vectors of 128 bits that 64-bit ARM processors have.

use std::arch::aarch64::*;

use super::{Change, FOUR};
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
fn load_bytes(from: &[i8; WORDS]) -> int8x8_t {
    // SAFETY: the reference is to 8 bytes.
    unsafe { vld1_s8(from.as_ptr()) }
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
fn store_bytes(value: uint8x8_t, to: &mut [u8; WORDS]) {
    // SAFETY: the reference is to 8 bytes that nothing else refers to.
    unsafe { vst1_u8(to.as_mut_ptr(), value) }
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

#[inline]
#[target_feature(enable = "neon")]
fn cut(sums: int16x8_t) -> uint8x8_t {
    // Narrowing cuts to what a byte holds.
    vqmovun_s16(sums)
}

#[inline]
#[target_feature(enable = "neon")]
fn product(a: uint8x8_t, b: uint8x8_t) -> uint8x8_t {
    // Narrowing with rounding adds the 128.
    vrshrn_n_u16::<8>(vmull_u8(a, b))
}

#[target_feature(enable = "neon")]
pub(super) fn square(sums: &[i16], out: &mut [u8]) {
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
        let sums = cut(load(sums));
        store_bytes(product(sums, sums), out);
    }
}

#[target_feature(enable = "neon")]
pub(super) fn pair(sums: &[i16], out: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let pairs = first.as_chunks().0.iter().zip(second.as_chunks().0);
    for (out, (first, second)) in out.as_chunks_mut().0.iter_mut().zip(pairs) {
        store_bytes(product(cut(load(first)), cut(load(second))), out);
    }
}

#[target_feature(enable = "neon")]
pub(super) fn apply(layer: &Dense, inputs: &[u8], outputs: &mut [i32]) {
    /// Outputs of a pass: each vector holds two of them as pairs of sums of two products.
    const WIDE: usize = 16;
    let width = outputs.len();
    for (at, outputs) in outputs.as_chunks_mut::<WIDE>().0.iter_mut().enumerate() {
        let mut pairs = [vdupq_n_s32(0); WIDE / 2];
        for (four, inputs) in inputs.as_chunks::<FOUR>().0.iter().enumerate() {
            let bytes = vcreate_u8(u64::from(u32::from_le_bytes(*inputs)));
            let inputs = vget_low_s16(vreinterpretq_s16_u16(vmovl_u8(bytes)));
            let weights = &layer.weights[(four * width + at * WIDE) * FOUR..][..WIDE * FOUR];
            for (pair, weights) in pairs.iter_mut().zip(weights.as_chunks().0) {
                let weights = vmovl_s8(load_bytes(weights));
                let first = vmull_s16(inputs, vget_low_s16(weights));
                let second = vmull_s16(inputs, vget_high_s16(weights));
                *pair = vaddq_s32(*pair, vpaddq_s32(first, second));
            }
        }
        let biases = layer.biases[at * WIDE..][..WIDE].as_chunks().0;
        let quarters = outputs.as_chunks_mut().0;
        for (number, (out, biases)) in quarters.iter_mut().zip(biases).enumerate() {
            let sums = vpaddq_s32(pairs[2 * number], pairs[2 * number + 1]);
            store_outputs(vaddq_s32(sums, load_outputs(biases)), out);
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
