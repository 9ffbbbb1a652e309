//! By vectors of 512 bits.

#![allow(
    clippy::wildcard_imports,
    reason = "names of instructions are as good as those of a language"
)]

use std::arch::x86_64::*;

use super::{Change, LANES, OUTPUTS, PAIR, SQUARE_SHIFT, both};
use crate::encoder::MoveRows;
use crate::inference::integer::quantise::Dense;

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(from: &[i16; LANES]) -> __m512i {
    // SAFETY: the reference is to 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_epi16(from.as_ptr()) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(value: __m512i, to: &mut [i16; LANES]) {
    // SAFETY: the reference is to 64 bytes that nothing else refers to, and the store needs no alignment.
    unsafe { _mm512_storeu_epi16(to.as_mut_ptr(), value) }
}

#[expect(unsafe_code, reason = "loads by pointer")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_outputs(from: &[i32; OUTPUTS]) -> __m512i {
    // SAFETY: the reference is to 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_epi32(from.as_ptr()) }
}

#[expect(unsafe_code, reason = "stores by pointer")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_outputs(value: __m512i, to: &mut [i32; OUTPUTS]) {
    // SAFETY: the reference is to 64 bytes that nothing else refers to, and the store needs no alignment.
    unsafe { _mm512_storeu_epi32(to.as_mut_ptr(), value) }
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add_rows(table: &[i16], change: Change<'_>, sums: &mut [i16]) {
    let width = sums.len();
    let mut at = 0;
    // As many sums as registers hold, for all rows; then the rest.
    while width - at >= 12 * LANES {
        add_part::<12>(table, change, sums, at);
        at += 12 * LANES;
    }
    while width - at >= 4 * LANES {
        add_part::<4>(table, change, sums, at);
        at += 4 * LANES;
    }
    while at < width {
        add_part::<1>(table, change, sums, at);
        at += LANES;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_part<const N: usize>(table: &[i16], change: Change<'_>, sums: &mut [i16], at: usize) {
    let width = sums.len();
    let part = |row: u32| &table[row as usize * width + at..][..N * LANES];
    let mut held = [_mm512_setzero_si512(); N];
    let own = &mut sums[at..][..N * LANES];
    for (held, own) in held.iter_mut().zip(own.as_chunks().0) {
        *held = load(own);
    }
    for &row in change.added {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = _mm512_add_epi16(*held, load(row));
        }
    }
    for &row in change.removed {
        for (held, row) in held.iter_mut().zip(part(row).as_chunks().0) {
            *held = _mm512_sub_epi16(*held, load(row));
        }
    }
    for (held, own) in held.iter().zip(own.as_chunks_mut().0) {
        store(*held, own);
    }
}

/// Cuts sums to `[0, 1]`, in numbers of 16 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn cut(sums: &[i16; LANES], finer: u32) -> __m512i {
    let (none, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(255 << finer));
    let cut = _mm512_min_epi16(_mm512_max_epi16(load(sums), none), most);
    _mm512_sll_epi16(cut, _mm_cvtsi32_si128(8 - finer as i32))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn product(a: __m512i, b: __m512i) -> __m512i {
    let half = _mm512_set1_epi16((1 << SQUARE_SHIFT) >> 1);
    let product = _mm512_add_epi16(_mm512_mulhi_epu16(a, b), half);
    _mm512_srli_epi16::<SQUARE_SHIFT>(product)
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn square(sums: &[i16], finer: u32, out: &mut [i16]) {
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums.as_chunks().0) {
        let sums = cut(sums, finer);
        store(product(sums, sums), out);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn pair(sums: &[i16], finer: u32, out: &mut [i16]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let pairs = first.as_chunks().0.iter().zip(second.as_chunks().0);
    for (out, (first, second)) in out.as_chunks_mut().0.iter_mut().zip(pairs) {
        store(product(cut(first, finer), cut(second, finer)), out);
    }
}

/// Pairs of inputs that are multiplied side by side, so that none waits for another.
const ABREAST: usize = 4;

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_products(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_products_vnni(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_dpwssd_epi32(sum, a, b)
}

/// Defines a function that applies a layer, with another one that multiplies pairs and adds them up.
macro_rules! apply {
    ($name:ident, $part:ident, $add_products:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        pub(super) fn $name(layer: &Dense, inputs: &[i16], outputs: &mut [i32]) {
            let width = outputs.len();
            let mut at = 0;
            while width - at >= 2 * OUTPUTS {
                $part::<2>(layer, inputs, outputs, at);
                at += 2 * OUTPUTS;
            }
            if at < width {
                $part::<1>(layer, inputs, outputs, at);
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn $part<const N: usize>(layer: &Dense, inputs: &[i16], outputs: &mut [i32], at: usize) {
            let width = outputs.len();
            let mut sums = [[_mm512_setzero_si512(); N]; ABREAST];
            let weights = layer.weights.chunks_exact(ABREAST * PAIR * width);
            let inputs = inputs.as_chunks::<{ ABREAST * PAIR }>().0;
            for (inputs, weights) in inputs.iter().zip(weights) {
                for (number, inputs) in inputs.as_chunks::<PAIR>().0.iter().enumerate() {
                    let inputs = _mm512_set1_epi32(both(*inputs));
                    let weights = &weights[(number * width + at) * PAIR..][..N * LANES];
                    for (sum, weights) in sums[number].iter_mut().zip(weights.as_chunks().0) {
                        *sum = $add_products(*sum, inputs, load(weights));
                    }
                }
            }
            let biases = layer.biases[at..].as_chunks().0;
            let outputs = outputs[at..].as_chunks_mut().0;
            for part in 0..N {
                let [first, second, third, fourth] = sums.map(|sums| sums[part]);
                let sum = _mm512_add_epi32(
                    _mm512_add_epi32(first, second),
                    _mm512_add_epi32(third, fourth),
                );
                let sum = _mm512_add_epi32(sum, load_outputs(&biases[part]));
                store_outputs(sum, &mut outputs[part]);
            }
        }
    };
}

apply!(apply, apply_part, add_products, "avx512f,avx512bw");
apply!(
    apply_vnni,
    apply_part_vnni,
    add_products_vnni,
    "avx512f,avx512bw,avx512vnni"
);

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn products(table: &[i16], vector: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    match vector.as_chunks().0 {
        [vector] => products_of([vector], table, moves, out),
        [first, second] => products_of([first, second], table, moves, out),
        vector => products_of_any(vector, table, moves, out),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn products_of<const N: usize>(
    vector: [&[i16; LANES]; N],
    table: &[i16],
    moves: MoveRows<'_>,
    out: &mut [i32],
) {
    let mut held = [_mm512_setzero_si512(); N];
    for (held, vector) in held.iter_mut().zip(vector) {
        *held = load(vector);
    }
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        let mut sums = [_mm512_setzero_si512(); N];
        for &row in rows {
            let row = &table[row as usize * N * LANES..][..N * LANES];
            for (sum, row) in sums.iter_mut().zip(row.as_chunks().0) {
                *sum = _mm512_add_epi16(*sum, load(row));
            }
        }
        let mut product = _mm512_setzero_si512();
        for (sum, vector) in sums.iter().zip(&held) {
            product = _mm512_add_epi32(product, _mm512_madd_epi16(*sum, *vector));
        }
        *out = _mm512_reduce_add_epi32(product);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn products_of_any(vector: &[[i16; LANES]], table: &[i16], moves: MoveRows<'_>, out: &mut [i32]) {
    let width = vector.len() * LANES;
    for (out, rows) in out.iter_mut().zip(moves.iter()) {
        let mut product = _mm512_setzero_si512();
        for (at, vector) in vector.iter().enumerate() {
            let mut sum = _mm512_setzero_si512();
            for &row in rows {
                let row = &table[row as usize * width + at * LANES..][..LANES];
                sum = _mm512_add_epi16(sum, load(&row.as_chunks().0[0]));
            }
            product = _mm512_add_epi32(product, _mm512_madd_epi16(sum, load(vector)));
        }
        *out = _mm512_reduce_add_epi32(product);
    }
}
