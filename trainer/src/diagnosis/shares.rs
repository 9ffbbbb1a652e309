//! Shares with their intervals, and the ranges by which figures are split up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The ranges of plies: where each begins, and its name.
pub(super) const PLY_BUCKETS: [(usize, &str); 6] = [
    (0, "0-9"),
    (10, "10-19"),
    (20, "20-39"),
    (40, "40-79"),
    (80, "80-159"),
    (160, "160 and more"),
];

/// The ranges of material, from the mover's side in hundredths of a pawn: where each begins, and its name.
pub(super) const MATERIAL_BUCKETS: [(i32, &str); 5] = [
    (i32::MIN, "behind by more than 3 pawns"),
    (-300, "behind by 1 to 3"),
    (-99, "within 1"),
    (100, "ahead by 1 to 3"),
    (301, "ahead by more than 3 pawns"),
];

/// Returns the number of the range in which a ply lies.
pub(super) fn ply_bucket(ply: usize) -> usize {
    PLY_BUCKETS.partition_point(|&(from, _)| from <= ply) - 1
}

/// Returns the number of the range in which a difference of material lies.
pub(super) fn material_bucket(material: i32) -> usize {
    MATERIAL_BUCKETS.partition_point(|&(from, _)| from <= material) - 1
}

/// The ends of a 95 % interval.
type Interval = [f64; 2];

/// How many of some cases are of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    /// The cases of the kind.
    pub(crate) count: usize,
    /// All cases.
    pub(crate) of: usize,
    /// The one divided by the other; 0 without cases.
    pub(crate) ratio: f64,
    /// Its 95 % interval as if the cases were independent (Wilson, "Probable inference ...", 1927).
    pub(crate) interval: Interval,
}

impl Share {
    /// Makes the share of `count` cases in `of`.
    pub(crate) fn new(count: usize, of: usize) -> Self {
        /// The normal quantile of 97.5 %.
        const Z: f64 = 1.959_963_984_540_054;
        let n = of as f64;
        let share = if of == 0 { 0.0 } else { count as f64 / n };
        let interval = if of == 0 {
            [0.0, 1.0]
        } else {
            let scale = 1.0 + Z * Z / n;
            let centre = (share + Z * Z / (2.0 * n)) / scale;
            let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
            [(centre - half).max(0.0), (centre + half).min(1.0)]
        };
        Self {
            count,
            of,
            ratio: share,
            interval,
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.interval.map(|end| 100.0 * end);
        let percent = 100.0 * self.ratio;
        write!(
            f,
            "{percent:.1} % ({} of {}, 95 %: {low:.1} to {high:.1})",
            self.count, self.of
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_begin_where_they_say() {
        for (ply, name) in [(0, "0-9"), (9, "0-9"), (10, "10-19"), (160, "160 and more")] {
            assert_eq!(PLY_BUCKETS[ply_bucket(ply)].1, name);
        }
        for (material, at) in [
            (i32::MIN, 0),
            (-301, 0),
            (-300, 1),
            (-100, 1),
            (-99, 2),
            (99, 2),
            (100, 3),
            (300, 3),
            (301, 4),
        ] {
            assert_eq!(material_bucket(material), at, "{material}");
            assert_eq!(material_bucket(-material.max(-9999)), 4 - at, "{material}");
        }
    }

    /// The textbook's interval of 10 in 50, and what nothing says.
    #[test]
    fn shares_have_wilsons_interval() {
        let [low, high] = Share::new(10, 50).interval;
        assert!((low - 0.1124).abs() < 1e-4 && (high - 0.3304).abs() < 1e-4);
        let none = Share::new(0, 20).interval;
        assert!(none[0] < 1e-9 && (none[1] - 0.1611).abs() < 1e-4);
        let unknown = Share::new(0, 0).interval;
        assert!(unknown[0] <= 0.0 && unknown[1] >= 1.0, "{unknown:?}");
    }
}
