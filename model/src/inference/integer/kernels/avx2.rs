//! By vectors of 256 bits.

#![allow(
    clippy::wildcard_imports,
    reason = "names of instructions are as good as those of a language"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "these loads and stores need no alignment"
)]

use std::arch::x86_64::*;

use super::{Change, PAIR, SQUARE_SHIFT, both};
use crate::encoder::MoveRows;
use crate::inference::integer::quantise::Dense;

/// 16-bit numbers of a vector.
const WORDS: usize = 16;

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "avx2")]
fn load(from: &[i16; WORDS]) -> __m256i {
    // SAFETY: the reference is to 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "avx2")]
fn load_outputs(from: &[i32; 8]) -> __m256i {
    // SAFETY: the reference is to 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "avx2")]
fn store(value: __m256i, to: &mut [i16; WORDS]) {
    // SAFETY: the reference is to 32 bytes that nothing else refers to, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "avx2")]
fn store_outputs(value: __m256i, to: &mut [i32; 8]) {
    // SAFETY: the reference is to 32 bytes that nothing else refers to, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx2")]
pub(super) fn add_rows(table: &[i16], change: Change<'_>, sums: &mut [i16]) {
    let width = sums.len();
    let mut at = 0;
    // As many sums as registers hold, for all rows; then the rest.
    while width - at >= 12 * WORDS {
        add_part::<12>(table, change, sums, at);
        at += 12 * WORDS;
    }
    while at < width {
        add_part::<2>(table, change, sums, at);
        at += 2 * WORDS;
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_part<const N: usize>(table: &[i16], change: Change<'_>, sums: &mut [i16], at: usize) {
    let width = sums.len();
    let part = |row: u32| &table[row as usize * width + at..][..N * WORDS];
    let mut held = [_mm256_setzero_si256(); N];
    let own = &mut sums[at..][..N * WORDS];
    for (held, own) in held.iter_mut().zip(own.as_chunks().0) {
        *held = load(own);
    }
    for &row in change.added {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = _mm256_add_epi16(*held, load(row));
        }
    }
    for &row in change.removed {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = _mm256_sub_epi16(*held, load(row));
        }
    }
    for (held, own) in held.iter().zip(own.as_chunks_mut().0) {
        store(*held, own);
    }
}

/// Cuts sums to `[0, 1]`, in numbers of 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn cut(sums: &[i16; WORDS], finer: u32) -> __m256i {
    let (none, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(255 << finer));
    let cut = _mm256_min_epi16(_mm256_max_epi16(load(sums), none), most);
    _mm256_sll_epi16(cut, _mm_cvtsi32_si128(8 - finer as i32))
}

#[inline]
#[target_feature(enable = "avx2")]
fn product(a: __m256i, b: __m256i) -> __m256i {
    let half = _mm256_set1_epi16((1 << SQUARE_SHIFT) >> 1);
    let product = _mm256_add_epi16(_mm256_mulhi_epu16(a, b), half);
    _mm256_srli_epi16::<{ SQUARE_SHIFT as i32 }>(product)
}

#[target_feature(enable = "avx2")]
pub(super) fn square(sums: &[i16], finer: u32, out: &mut [i16]) {
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
        let sums = cut(sums, finer);
        store(product(sums, sums), out);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn pair(sums: &[i16], finer: u32, out: &mut [i16]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let pairs = first.as_chunks().0.iter().zip(second.as_chunks().0);
    for (out, (first, second)) in out.as_chunks_mut().0.iter_mut().zip(pairs) {
        store(product(cut(first, finer), cut(second, finer)), out);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn apply(layer: &Dense, inputs: &[i16], outputs: &mut [i32]) {
    /// Outputs of a pass.
    const WIDE: usize = 16;
    let width = outputs.len();
    for (at, outputs) in outputs.as_chunks_mut::<WIDE>().0.iter_mut().enumerate() {
        let mut sums = [[_mm256_setzero_si256(); 2]; 2];
        // Two pairs of inputs side by side, so that neither waits for the other.
        for (number, inputs) in inputs.as_chunks::<PAIR>().0.iter().enumerate() {
            let inputs = _mm256_set1_epi32(both(*inputs));
            let weights = &layer.weights[(number * width + at * WIDE) * PAIR..][..WIDE * PAIR];
            for (sum, weights) in sums[number % 2].iter_mut().zip(weights.as_chunks().0) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(inputs, load(weights)));
            }
        }
        let biases = layer.biases[at * WIDE..][..WIDE].as_chunks().0;
        for (half, out) in outputs.as_chunks_mut().0.iter_mut().enumerate() {
            let sum = _mm256_add_epi32(sums[0][half], sums[1][half]);
            store_outputs(_mm256_add_epi32(sum, load_outputs(&biases[half])), out);
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn products(table: &[i16], vector: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    match vector.as_chunks().0 {
        [first, second] => products_of([first, second], table, moves, out),
        [a, b, c, d] => products_of([a, b, c, d], table, moves, out),
        vector => products_of_any(vector, table, moves, out),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn products_of<const N: usize>(
    vector: [&[i16; WORDS]; N],
    table: &[i16],
    moves: MoveRows<'_>,
    out: &mut [i32],
) {
    let mut held = [_mm256_setzero_si256(); N];
    for (held, vector) in held.iter_mut().zip(vector) {
        *held = load(vector);
    }
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        let mut sums = [_mm256_setzero_si256(); N];
        for &row in rows {
            let row = &table[row as usize * N * WORDS..][..N * WORDS];
            for (sum, row) in sums.iter_mut().zip(row.as_chunks().0) {
                *sum = _mm256_add_epi16(*sum, load(row));
            }
        }
        let mut product = _mm256_setzero_si256();
        for (sum, vector) in sums.iter().zip(&held) {
            product = _mm256_add_epi32(product, _mm256_madd_epi16(*sum, *vector));
        }
        *out = add_up(product);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn products_of_any(vector: &[[i16; WORDS]], table: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    let width = vector.len() * WORDS;
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        let mut product = _mm256_setzero_si256();
        for (at, vector) in vector.iter().enumerate() {
            let mut sum = _mm256_setzero_si256();
            for &row in rows {
                let row = &table[row as usize * width + at * WORDS..][..WORDS];
                sum = _mm256_add_epi16(sum, load(&row.as_chunks().0[0]));
            }
            product = _mm256_add_epi32(product, _mm256_madd_epi16(sum, load(vector)));
        }
        *out = add_up(product);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_up(numbers: __m256i) -> i32 {
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(numbers),
        _mm256_extracti128_si256::<1>(numbers),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}
