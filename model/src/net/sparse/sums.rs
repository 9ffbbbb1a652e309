//! Sums of rows, forward and backward, in plain loops that the compiler turns into vectors.

#![allow(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the oldest processors only"
)]

use rayon::prelude::*;

/// Adds rows of a table, `[rows, width]`, to `sum`, `[width]`.
#[inline(always)]
pub(crate) fn add_rows(table: &[f32], rows: &[u32], sum: &mut [f32]) {
    let width = sum.len();
    for &row in rows {
        let row = &table[row as usize * width..][..width];
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += value;
        }
    }
}

/// Adds `scale` times `row` to `sum`.
#[inline(always)]
pub(crate) fn add_scaled(row: &[f32], scale: f32, sum: &mut [f32]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += scale * value;
    }
}

/// Returns the product of two vectors. Its sums are always the same ones, whatever the processor.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    let (chunks, others) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = chunks
        .remainder()
        .iter()
        .zip(others.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in chunks.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// In which lists each row of a table is.
pub(crate) struct Uses {
    /// Where the entries of each row end.
    ends: Vec<u32>,
    /// Numbers of lists, for each row in rising order.
    lists: Vec<u32>,
}

impl Uses {
    /// Turns `count` lists of rows, below `rows`, around.
    pub(crate) fn new<'a>(rows: usize, count: usize, list: impl Fn(usize) -> &'a [u32]) -> Self {
        let mut ends = vec![0; rows + 1];
        for &row in (0..count).flat_map(&list) {
            ends[row as usize + 1] += 1;
        }
        for row in 0..rows {
            ends[row + 1] += ends[row];
        }
        let mut lists = vec![0; ends[rows] as usize];
        // Each start moves on to its end as the row's entries are filled in.
        for at in 0..count {
            for &row in list(at) {
                let next = &mut ends[row as usize];
                lists[*next as usize] = at as u32;
                *next += 1;
            }
        }
        ends.pop();
        Self { ends, lists }
    }

    fn of(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.lists[start as usize..self.ends[row] as usize]
    }

    /// Adds to each row of `gradient`, `[rows, width]`, the gradients of the lists that it is in, which `add`, given their numbers, adds to it.
    ///
    /// Rows are spread over threads; the sum of each has an order of its own, so that the result is the same on any number of them.
    pub(crate) fn spread(&self, gradient: &mut [f32], add: impl Fn(&[u32], &mut [f32]) + Sync) {
        let width = gradient.len() / self.ends.len();
        gradient
            .par_chunks_mut(width)
            .enumerate()
            .with_min_len(32)
            .filter(|(row, _)| !self.of(*row).is_empty())
            .for_each(|(row, gradient)| add(self.of(row), gradient));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_the_lists_turned_around() {
        let lists: [&[u32]; 4] = [&[2, 0], &[], &[2], &[3, 2]];
        let uses = Uses::new(5, 4, |at| lists[at]);
        let found: Vec<&[u32]> = (0..5).map(|row| uses.of(row)).collect();
        let expected: [&[u32]; 5] = [&[0], &[], &[0, 2, 3], &[3], &[]];
        assert_eq!(found, expected);
    }
}
