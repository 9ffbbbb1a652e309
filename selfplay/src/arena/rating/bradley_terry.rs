//! The likeliest strengths under the Bradley-Terry model, and what further games would add.

use std::f64::consts::{LN_10, PI};

use nalgebra::{Cholesky, DMatrix, DVector};

/// Elo per unit of the logistic curve `1 / (1 + e^-x)`.
pub(super) const ELO_PER_UNIT: f64 = 400.0 / LN_10;

/// Games between two players; neither number needs to be whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// The players' numbers.
    pub(super) players: [usize; 2],
    /// Games, above 0.
    pub(super) games: f64,
    /// Points of the first player, between 0 and `games`.
    pub(super) points: f64,
}

/// Strengths in units of the logistic curve.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// By player; the anchor's is 0.
    pub(super) strengths: Vec<f64>,
    /// The inverse of the information about them, the anchor's row and column being 0.
    covariance: DMatrix<f64>,
}

/// Newton steps after which the strengths are taken as they are; a dozen is usual.
const MAX_STEPS: usize = 200;

/// The largest change of a strength in a step: the curve is far from a parabola beyond.
const MAX_CHANGE: f64 = 1.0;

/// The change at which the strengths are final.
const TOLERANCE: f64 = 1e-10;

/// Finds the strengths under which the points are likeliest, by Newton's method: the likelihood has a single summit.
///
/// Every player but the anchor also has a normal prior about it with `precision`, the inverse of its variance. At a precision of 0, all players
/// must be linked by meetings in which both sides scored.
pub(super) fn fit(players: usize, meetings: &[Meeting], anchor: usize, precision: f64) -> Fit {
    let mut strengths = DVector::zeros(players);
    let mut factor = None;
    for _ in 0..MAX_STEPS {
        let (gradient, information) = derivatives(&strengths, meetings, anchor, precision);
        let Some(cholesky) = Cholesky::new(information) else {
            break;
        };
        let step = cholesky.solve(&gradient);
        factor = Some(cholesky);
        let largest = step.amax();
        strengths += step * (MAX_CHANGE / largest.max(MAX_CHANGE));
        if largest < TOLERANCE {
            break;
        }
    }
    let mut covariance = factor.map_or_else(
        || DMatrix::zeros(players, players),
        |cholesky: Cholesky<f64, nalgebra::Dyn>| cholesky.inverse(),
    );
    covariance[(anchor, anchor)] = 0.0;
    Fit {
        strengths: strengths.as_slice().to_vec(),
        covariance,
    }
}

/// Returns by how much the sum of the strengths' variances is expected to fall with `games` more games between `a` and `b`.
///
/// With the covariance `C`, the difference `d = e_a - e_b` and the information `w` of the games, the sum falls by `w |C d|^2 / (1 + w d'C d)`
/// (Sherman and Morrison). A game's information, the slope `p (1 - p)` of the curve, is averaged over the difference's distribution by
/// the approximation of `MacKay` (1992): the slope of `1 / (1 + e^(-k x))` with `k = (1 + pi v / 8)^(-1/2)` for the variance `v`.
pub(super) fn gain(fit: &Fit, a: usize, b: usize, games: f64) -> f64 {
    let reach = fit.covariance.column(a) - fit.covariance.column(b);
    let variance = reach[a] - reach[b];
    let damping = 1.0 / (1.0 + PI * variance / 8.0).sqrt();
    let expected = logistic(damping * (fit.strengths[a] - fit.strengths[b]));
    let information = games * damping * expected * (1.0 - expected);
    information * reach.norm_squared() / (1.0 + information * variance)
}

/// Returns the slope of the log-likelihood and its negative curvature. The anchor has a curvature of its own and no slope, so it stays at 0.
fn derivatives(
    strengths: &DVector<f64>,
    meetings: &[Meeting],
    anchor: usize,
    precision: f64,
) -> (DVector<f64>, DMatrix<f64>) {
    let mut gradient = strengths * -precision;
    let mut information =
        DMatrix::from_diagonal_element(strengths.len(), strengths.len(), precision);
    for meeting in meetings {
        let [a, b] = meeting.players;
        let expected = logistic(strengths[a] - strengths[b]);
        let excess = meeting.points - meeting.games * expected;
        gradient[a] += excess;
        gradient[b] -= excess;
        let weight = meeting.games * expected * (1.0 - expected);
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            information[(row, column)] += sign * weight;
        }
    }
    gradient[anchor] = 0.0;
    information.row_mut(anchor).fill(0.0);
    information.column_mut(anchor).fill(0.0);
    information[(anchor, anchor)] = 1.0;
    (gradient, information)
}

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}
