//! Whether the scores that a net expects come true.

use serde::{Deserialize, Serialize};

use super::shares::{MATERIAL_BUCKETS, PLY_BUCKETS, material_bucket, ply_bucket};

/// Ranges of expected scores, all of the same width.
const BINS: usize = 10;

/// What a net expected of a position and what came of it, from the mover's side; scores are in `[0, 1]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    pub(super) predicted: f64,
    pub(super) scored: f64,
    pub(super) ply: usize,
    /// In hundredths of a pawn.
    pub(super) material: i32,
}

/// Expected scores against those of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibration {
    /// Over all positions.
    pub(crate) all: Reliability,
    /// By expected score, in tenths; empty ones are left out.
    pub(crate) bins: Vec<Reliability>,
    /// By ply.
    pub(crate) by_ply: Vec<Reliability>,
    /// By material as the alpha-beta player evaluates it, which for games without such an evaluation is all the same.
    pub(crate) by_material: Vec<Reliability>,
}

/// Expected scores against those of the games, for some positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reliability {
    /// Which positions.
    pub(crate) which: String,
    /// How many.
    pub(crate) positions: usize,
    /// The mean expected score.
    pub(crate) predicted: f64,
    /// The mean score.
    pub(crate) scored: f64,
    /// The expected calibration error: the mean distance between the expected score and the score over ten bins of equal width, weighted by
    /// their positions. Few positions have some by chance alone.
    pub(crate) calibration_error: f64,
    /// The mean squared difference of the expected score and the score.
    pub(crate) squared_error: f64,
}

impl Calibration {
    pub(super) fn new(observations: &[Observation]) -> Self {
        let tenth = |bin: usize| format!("{:.1}-{:.1}", bin as f64 / 10.0, (bin + 1) as f64 / 10.0);
        let tenths: Vec<String> = (0..BINS).map(tenth).collect();
        Self {
            all: Reliability::new("all", observations),
            bins: split(observations, &tenths, |seen| bin(seen.predicted)),
            by_ply: split(observations, &PLY_BUCKETS.map(|(_, name)| name), |seen| {
                ply_bucket(seen.ply)
            }),
            by_material: split(
                observations,
                &MATERIAL_BUCKETS.map(|(_, name)| name),
                |seen| material_bucket(seen.material),
            ),
        }
    }
}

impl Reliability {
    fn new(which: &str, observations: &[Observation]) -> Self {
        let count = observations.len().max(1) as f64;
        let mean = |of: fn(&Observation) -> f64| observations.iter().map(of).sum::<f64>() / count;
        let mut gaps = [0.0; BINS];
        for seen in observations {
            gaps[bin(seen.predicted)] += seen.predicted - seen.scored;
        }
        Self {
            which: which.to_owned(),
            positions: observations.len(),
            predicted: mean(|seen| seen.predicted),
            scored: mean(|seen| seen.scored),
            calibration_error: gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / count,
            squared_error: mean(|seen| (seen.predicted - seen.scored).powi(2)),
        }
    }
}

fn bin(predicted: f64) -> usize {
    ((predicted * BINS as f64) as usize).min(BINS - 1)
}

fn split<N: AsRef<str>>(
    observations: &[Observation],
    names: &[N],
    number: impl Fn(&Observation) -> usize,
) -> Vec<Reliability> {
    let mut parts = vec![Vec::new(); names.len()];
    for seen in observations {
        parts[number(seen)].push(*seen);
    }
    let of = |(name, part): (&N, &Vec<Observation>)| {
        (!part.is_empty()).then(|| Reliability::new(name.as_ref(), part))
    };
    names.iter().zip(&parts).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(predicted: f64, scored: f64, ply: usize, material: i32) -> Observation {
        Observation {
            predicted,
            scored,
            ply,
            material,
        }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Two bins of two positions each: one right on average, the other 0.25 too high.
    #[test]
    fn the_error_is_that_of_the_bins() {
        let calibration = Calibration::new(&[
            seen(0.55, 1.0, 3, 0),
            seen(0.55, 0.1, 30, 0),
            seen(0.75, 0.5, 3, 200),
            seen(0.75, 0.5, 200, -400),
        ]);
        let all = &calibration.all;
        assert!(close(all.predicted, 0.65) && close(all.scored, 0.525));
        assert!(close(all.calibration_error, 0.125), "{all:?}");
        let squares = 0.45_f64.powi(2) * 2.0 + 0.25_f64.powi(2) * 2.0;
        assert!(close(all.squared_error, squares / 4.0));
        let bins: Vec<(&str, usize)> = calibration
            .bins
            .iter()
            .map(|bin| (bin.which.as_str(), bin.positions))
            .collect();
        assert_eq!(bins, [("0.5-0.6", 2), ("0.7-0.8", 2)]);
    }

    #[test]
    fn positions_are_split_by_ply_and_by_material() {
        let calibration = Calibration::new(&[
            seen(0.2, 0.0, 3, 0),
            seen(1.0, 1.0, 9, 150),
            seen(0.0, 0.0, 10, -1000),
        ]);
        let counts = |parts: &[Reliability]| -> Vec<(String, usize)> {
            let count = |part: &Reliability| (part.which.clone(), part.positions);
            parts.iter().map(count).collect()
        };
        assert_eq!(
            counts(&calibration.by_ply),
            [("0-9".to_owned(), 2), ("10-19".to_owned(), 1)]
        );
        let names: Vec<String> = counts(&calibration.by_material)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            names,
            ["behind by more than 3 pawns", "within 1", "ahead by 1 to 3"]
        );
        assert!(close(calibration.by_ply[0].calibration_error, 0.1));
        assert!(close(calibration.by_ply[1].calibration_error, 0.0));
    }
}
