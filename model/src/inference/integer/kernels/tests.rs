use super::*;
use crate::inference::integer::quantise::Dense;

/// Numbers from a generator of their own.
struct Random(u64);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % below
    }

    fn words(&mut self, count: usize, most: i16) -> Vec<i16> {
        let (most, span) = (i32::from(most), 2 * most as usize + 1);
        (0..count)
            .map(|_| (self.below(span) as i32 - most) as i16)
            .collect()
    }
}

/// Has every kernel do the same and holds it against the portable one.
fn all_say<T: PartialEq + std::fmt::Debug>(what: impl Fn(Kernels) -> T) {
    let all = Kernels::all();
    let expected = what(all[0]);
    for &kernels in &all[1..] {
        assert_eq!(what(kernels), expected, "{kernels:?}");
    }
}

#[test]
fn rows_are_added_and_subtracted_alike() {
    let mut random = Random(1);
    for width in [32, 64, 160, 384, 416, 800] {
        let table = random.words(50 * width, i16::MAX);
        let start = random.words(width, i16::MAX);
        let rows: Vec<u32> = (0..40).map(|_| random.below(50) as u32).collect();
        for (added, removed) in [(40, 40), (0, 39), (7, 7), (1, 5)] {
            let change = Change {
                added: &rows[..added],
                removed: &rows[removed..],
            };
            all_say(|kernels| {
                let mut sums = start.clone();
                kernels.add_rows(&table, change, &mut sums);
                sums
            });
        }
        // What is added and subtracted again leaves nothing behind.
        let mut sums = start.clone();
        let change = Change {
            added: &rows,
            removed: &rows,
        };
        Kernels::best().add_rows(&table, change, &mut sums);
        assert_eq!(sums, start);
    }
}

#[test]
fn sums_are_cut_and_multiplied_alike() {
    let sums: Vec<i16> = (i16::MIN..=i16::MAX).collect();
    let mut random = Random(2);
    for finer in 0..=7 {
        all_say(|kernels| {
            let mut out = vec![0; sums.len()];
            kernels.square(&sums, finer, &mut out);
            out
        });
        // Most of them in and around the range that is not cut.
        let pairs: Vec<i16> = random.words(1 << 14, (600 << finer).min(32_000));
        all_say(|kernels| {
            let mut out = vec![0; pairs.len() / 2];
            kernels.pair(&pairs, finer, &mut out);
            out
        });
        let ends = [-7, 0, 1, 3, 16, 254, 255, 127].map(|sum: i16| sum << finer);
        let sums: Vec<i16> = (0..32).map(|at| ends[at % 8]).collect();
        let mut out = vec![0; 32];
        Kernels::best().square(&sums, finer, &mut out);
        assert_eq!(out[..8], [0, 0, 0, 1, 16, 4032, 4064, 1008]);
    }
}

#[test]
fn layers_say_the_same_at_all_sizes_and_extremes() {
    let mut random = Random(3);
    for inputs in [32, 64, 256, 288, 1024] {
        for outputs in [16, 32, 48, 80, 128] {
            for extreme in [None, Some(-500), Some(500)] {
                let weights = (0..inputs * outputs)
                    .map(|_| extreme.unwrap_or_else(|| random.below(1001) as i16 - 500))
                    .collect();
                let layer = Dense {
                    weights,
                    biases: (0..outputs).map(|at| at as i32 * 1000 - 3000).collect(),
                    shift: 6,
                };
                let numbers: Vec<i16> = (0..inputs)
                    .map(|_| extreme.map_or_else(|| random.below(4065) as i16, |_| 4064))
                    .collect();
                all_say(|kernels| {
                    let mut out = vec![0; outputs];
                    kernels.apply(&layer, &numbers, &mut out);
                    out
                });
                if let Some(extreme) = extreme {
                    let mut out = vec![0; outputs];
                    Kernels::best().apply(&layer, &numbers, &mut out);
                    assert_eq!(out[1], i32::from(extreme) * 4064 * inputs as i32 - 2000);
                }
            }
        }
    }
}

#[test]
fn moves_are_multiplied_alike() {
    let mut random = Random(4);
    for width in [32, 64, 96, 256] {
        let table = random.words(300 * width, 4000);
        let vector = random.words(width, 1000);
        let (mut rows, mut ends) = (vec![1, 2, 3], Vec::new());
        for at in 0..93 {
            for _ in 0..at % 9 {
                rows.push(random.below(300) as u32);
            }
            ends.push(rows.len() as u32);
        }
        let moves = MoveRows {
            rows: &rows,
            start: 3,
            ends: &ends,
        };
        all_say(|kernels| {
            let mut out = vec![0; ends.len()];
            kernels.products(&table, &vector, moves, &mut out);
            out
        });
    }
}
