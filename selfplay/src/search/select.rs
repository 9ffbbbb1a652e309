//! Which move a simulation follows: below the root, and at a PUCT root.
//!
//! Both rules look at the tried moves and at one untried one alone. Among the untried, all of which are worth the same, the one with the
//! greatest prior comes first by either rule, and the tree keeps it at hand.

#[cfg(test)]
mod tests;

use super::config::{GumbelConfig, PuctConfig};
use super::policy::{LEAST_PRIOR, completed_value};
use super::tree::{Node, NodeId, Proof, Tree};

/// Follows the improved policy: the move whose share of the visits lags most behind it (Danihelka et al., ICLR 2022, equation 14).
///
/// Returns the place of the move among the node's edges. The policy is the softmax of the logits moved by completed values; the untried
/// moves, alike in value, enter its sum by their prior mass at once.
pub(super) fn select_gumbel<M: Copy>(
    tree: &Tree<M>,
    node: NodeId,
    config: &GumbelConfig,
    weights: &mut Vec<f32>,
) -> usize {
    let (tried, untried) = tree.tried(node);
    if tried.is_empty() {
        return 0;
    }
    let next = untried
        .first()
        .map(|next| (next.prior, completed_value(tree, node)));
    let (mut most_visits, mut top) = (0, next.map_or(0.0, |(_, value)| value));
    for edge in tried {
        let child = tree.behind(edge);
        most_visits = most_visits.max(child.visits());
        top = top.max(unit(child.move_value()));
    }
    // Every weight is taken relative to that of the greatest value, so that none overflows.
    let scale = config.sigma(most_visits);
    let boost = |value: f32| (scale * (value - top)).exp();
    let (mut mass, mut sum) = (0.0, 0.0);
    weights.clear();
    for edge in tried {
        let child = tree.behind(edge);
        mass += edge.prior;
        let weight = if is_lost(child) {
            0.0
        } else {
            edge.prior.max(LEAST_PRIOR) * boost(unit(child.move_value()))
        };
        sum += weight;
        weights.push(weight);
    }
    let next = next.map(|(prior, value)| (prior, boost(value)));
    sum += next.map_or(0.0, |(prior, boost)| (1.0 - mass).max(prior) * boost);
    let sum = sum.max(f32::MIN_POSITIVE);
    let total = tree.node(node).visits() as f32;
    let mut best = (0, f32::NEG_INFINITY);
    for (at, (edge, weight)) in tried.iter().zip(&*weights).enumerate() {
        let child = tree.behind(edge);
        let score = weight / sum - child.visits() as f32 / total;
        if score > best.1 && !is_lost(child) {
            best = (at, score);
        }
    }
    match next {
        Some((prior, boost)) if prior * boost / sum > best.1 => tried.len(),
        _ => best.0,
    }
}

/// Tells whether the move that leads to a node is proven lost.
pub(super) fn is_lost(child: &Node) -> bool {
    matches!(child.move_proof(), Proof::Loss(_))
}

/// Maps a value in `[-1, 1]` to `[0, 1]`.
pub(super) fn unit(value: f32) -> f32 {
    0.5 + 0.5 * value
}

/// Follows PUCT and returns the place of the move among the node's edges.
///
/// A move's score is its value plus `c * prior * sqrt(N) / (1 + n)` with `N` the visits of the node's moves and `n` those of the move. An
/// untried move is worth the node's value less `fpu_reduction * sqrt(tried prior mass)`, not less than a loss. `forced` is the factor of
/// forced playouts, 0 for none: a tried move with fewer than `sqrt(forced * prior * N)` visits goes first (Wu, "Accelerating self-play
/// learning in Go", section 3.2).
pub(super) fn select_puct<M: Copy>(
    tree: &Tree<M>,
    node: NodeId,
    config: &PuctConfig,
    forced: f32,
) -> usize {
    let (tried, untried) = tree.tried(node);
    let visits = tree.visits(node) as f32;
    let explore = explore_factor(tree, node, config);
    let (mut mass, mut best) = (0.0, (0, f32::NEG_INFINITY));
    for (at, edge) in tried.iter().enumerate() {
        mass += edge.prior;
        let child = tree.behind(edge);
        if is_lost(child) {
            continue;
        }
        let count = child.visits() as f32;
        if count < (forced * edge.prior * visits).sqrt() {
            return at;
        }
        let score = child.move_value() + explore * edge.prior / (1.0 + count);
        if score > best.1 {
            best = (at, score);
        }
    }
    if let Some(next) = untried.first() {
        let own = -tree.node(node).move_value();
        let value = (own - config.fpu_reduction * mass.sqrt()).max(-1.0);
        if value + explore * next.prior > best.1 {
            return tried.len();
        }
    }
    best.0
}

/// Returns `c * sqrt(N)`: `c` grows with the logarithm of the visits, and with the spread of the values found where the config says so
/// (KataGo, `docs/KataGoMethods.md`, dynamic variance-scaled cPUCT).
pub(super) fn explore_factor<M: Copy>(tree: &Tree<M>, node: NodeId, config: &PuctConfig) -> f32 {
    let visits = tree.visits(node) as f32;
    let c = config.c_init + ((visits + config.c_base + 1.0) / config.c_base).ln();
    let spread = if config.variance_scale == 0.0 {
        1.0
    } else {
        let deviation = tree.node(node).variance(PuctConfig::DEVIATION).sqrt();
        1.0 + config.variance_scale * (deviation / PuctConfig::DEVIATION - 1.0)
    };
    c * spread * visits.max(1.0).sqrt()
}
