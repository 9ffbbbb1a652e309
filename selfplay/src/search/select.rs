//! Which move a simulation follows below the root, and at a PUCT root.

use super::config::{GumbelConfig, PuctConfig};
use super::policy::{Arm, allowed_arms, collect_arms, improved_policy};
use super::tree::{NodeId, Proof, Tree};

/// Follows the improved policy: the move whose share of the visits lags most behind it (Danihelka et al., ICLR 2022, equation 14).
pub(super) fn select_gumbel<M: Copy>(
    tree: &Tree<M>,
    node: NodeId,
    config: &GumbelConfig,
    (arms, policy): (&mut Vec<Arm>, &mut Vec<f32>),
) -> usize {
    let most_visits = collect_arms(tree, node, arms);
    improved_policy(arms, config, most_visits, policy);
    let total = 1.0 + arms.iter().map(|arm| arm.visits).sum::<u32>() as f32;
    let allowed = allowed_arms(arms);
    let candidates = arms
        .iter()
        .zip(&*policy)
        .enumerate()
        .filter(|(_, (arm, _))| allowed(arm));
    first_best(candidates.map(|(at, (arm, weight))| (at, weight - arm.visits as f32 / total)))
}

/// Follows PUCT; `noisy` are the priors to use instead of the tree's own, at a root with noise.
///
/// A move's score is its value plus `c * prior * sqrt(N) / (1 + n)` with `N` the visits of the node and `n` those of the move. An unvisited
/// move is worth the node's value less `fpu_reduction * sqrt(visited prior mass)`, not less than a loss.
pub(super) fn select_puct<M: Copy>(
    tree: &Tree<M>,
    node: NodeId,
    config: &PuctConfig,
    noisy: Option<&[f32]>,
) -> usize {
    let edges = tree.edges(node);
    let visits = tree.visits(node) as f32;
    let prior = |at: usize| noisy.map_or(edges[at].prior, |noisy| noisy[at]);
    let c = config.c_init + ((visits + config.c_base + 1.0) / config.c_base).ln();
    let explore = c * visits.max(1.0).sqrt();
    let (mut visited_mass, mut sum) = (0.0, tree.node(node).wdl.value());
    for (at, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.visits > 0) {
        visited_mass += prior(at);
        sum += edge.visits as f32 * tree.edge_wdl(edge).value();
    }
    let unvisited = (sum / (1.0 + visits) - config.fpu_reduction * visited_mass.sqrt()).max(-1.0);
    let open = edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| !matches!(tree.edge_proof(edge), Proof::Loss(_)));
    first_best(open.map(|(at, edge)| {
        let value = if edge.visits == 0 {
            unvisited
        } else {
            tree.edge_wdl(edge).value()
        };
        (at, value + explore * prior(at) / (1 + edge.visits) as f32)
    }))
}

/// Returns the first of the best; 0 if there is none.
fn first_best(scores: impl Iterator<Item = (usize, f32)>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (at, score) in scores {
        if score > best.1 {
            best = (at, score);
        }
    }
    best.0
}
