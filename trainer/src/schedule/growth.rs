//! How the replay window grows with the positions of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Schedule;

/// The positions that the window holds at least, if there are as many.
pub type WindowSize = Schedule<u64, Growth>;

/// A window that grows as KataGo's does (Wu, "Accelerating self-play learning in Go", 2019, arXiv:1902.10565): once `N` positions
/// were stored in the run, more than `from`, it holds `from * (1 + beta * ((N / from)^alpha - 1) / alpha)` of them, and `from` before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// The positions at the start, the paper's `c`, 250,000.
    pub from: u64,
    /// The power of its growth, above 0 to 1: the paper has 0.75.
    pub alpha: f64,
    /// By how many positions each new one widens it at first, 0 to below 1: the paper has 0.4.
    pub beta: f64,
}

impl WindowSize {
    /// Returns its size when `stored` positions were ever stored.
    ///
    /// It grows by less than what comes in, so that no position comes back that has left it.
    pub fn at(self, stored: u64) -> u64 {
        match self {
            Self::Constant(size) => size,
            Self::Changing(growth) if stored <= growth.from => growth.from,
            Self::Changing(Growth { from, alpha, beta }) => {
                let from = from as f64;
                let grown = ((stored as f64 / from).powf(alpha) - 1.0) / alpha;
                (from * (1.0 + beta * grown)) as u64
            }
        }
    }

    /// Checks that every value is in its range and that it never holds fewer positions than `least`, the greatest batch.
    ///
    /// # Errors
    /// Names the field within its section, its value and what would be right.
    pub(crate) fn validate(self, name: &str, least: u32) -> Result<(), String> {
        let (field, size) = match self {
            Self::Constant(size) => (name.to_owned(), size),
            Self::Changing(growth) => (format!("{name}.from"), growth.from),
        };
        if size < u64::from(least) {
            return Err(format!(
                "{field} = {size}: must be at least the greatest batch, {least}"
            ));
        }
        let Self::Changing(Growth { alpha, beta, .. }) = self else {
            return Ok(());
        };
        if !(alpha > 0.0 && alpha <= 1.0) {
            return Err(format!(
                "{name}.alpha = {alpha}: must be above 0 and at most 1"
            ));
        }
        if !(0.0..1.0).contains(&beta) {
            return Err(format!("{name}.beta = {beta}: must be from 0 to below 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KATAGO: WindowSize = Schedule::Changing(Growth {
        from: 250_000,
        alpha: 0.75,
        beta: 0.4,
    });

    /// By hand: at 4 million, 16 times the start, 16^0.75 is 8 and the window 250,000 (1 + 0.4 * 7 / 0.75).
    #[test]
    fn the_window_grows_by_the_formula() {
        let points = [0, 250_000, 4_000_000, 20_250_000];
        // 81^0.75 = 27.
        assert_eq!(
            points.map(|stored| KATAGO.at(stored)),
            [250_000, 250_000, 1_183_333, 3_716_666]
        );
        assert_eq!(WindowSize::Constant(77).at(u64::MAX), 77);
    }

    #[test]
    fn what_has_left_does_not_come_back() {
        for (from, alpha, beta) in [(1, 1.0, 0.99), (50, 0.5, 0.4), (300, 0.01, 0.9)] {
            let size = WindowSize::Changing(Growth { from, alpha, beta });
            let mut before = 0;
            for stored in 0..20_000_u64 {
                let first = stored.saturating_sub(size.at(stored));
                assert!(first >= before, "{size:?} at {stored}");
                before = first;
            }
        }
    }

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let growth = |from, alpha, beta| WindowSize::Changing(Growth { from, alpha, beta });
        assert_eq!(KATAGO.validate("window", 4096), Ok(()));
        for (wrong, said) in [
            (
                Schedule::Constant(100),
                "window = 100: must be at least the greatest batch, 128",
            ),
            (growth(100, 0.5, 0.5), "window.from = 100: must be at least"),
            (
                growth(200, 0.0, 0.5),
                "window.alpha = 0: must be above 0 and at most 1",
            ),
            (growth(200, f64::NAN, 0.5), "window.alpha = NaN"),
            (
                growth(200, 0.5, 1.0),
                "window.beta = 1: must be from 0 to below 1",
            ),
        ] {
            let found = wrong.validate("window", 128).unwrap_err();
            assert!(found.starts_with(said), "{found}");
        }
    }
}
