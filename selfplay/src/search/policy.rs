//! Completed values and the improved policy of planning with Gumbel (Danihelka et al., ICLR 2022, sections 3.3 and 4).
//!
//! Values `win - loss` in `[-1, 1]` are mapped to `[0, 1]` by a fixed scale. They are not rescaled by the least and the greatest value seen,
//! as mctx does: that blows up noise when all moves are alike, which in a drawn game is most of the time.

use super::config::GumbelConfig;
use super::select::{is_lost, unit};
use super::tree::{NodeId, Proof, Tree};

/// What the improved policy needs to know of one move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// The logarithm of the prior.
    pub(super) logit: f32,
    pub(super) visits: u32,
    /// The value in `[0, 1]` for the player who moves, completed where the move has no visit.
    pub(super) value: f32,
    pub(super) proof: Proof,
}

impl Arm {
    /// Returns the logit moved by the value: the paper's `logits + sigma(completed Q)`.
    pub(super) fn score(&self, config: &GumbelConfig, most_visits: u32) -> f32 {
        self.logit + config.sigma(most_visits) * self.value
    }
}

/// A prior that underflowed counts as this, so that its logarithm stays finite.
pub(super) const LEAST_PRIOR: f32 = 1e-20;

/// Replaces `arms` with the moves of a node, in the order of legal moves, none of which has a visit.
pub(super) fn fresh_arms<M: Copy>(tree: &Tree<M>, node: NodeId, arms: &mut Vec<Arm>) {
    arms.clear();
    let fresh = Arm {
        logit: 0.0,
        visits: 0,
        value: 0.0,
        proof: Proof::Open,
    };
    arms.resize(tree.edges(node).len(), fresh);
    for edge in tree.edges(node) {
        arms[edge.index as usize].logit = edge.prior.max(LEAST_PRIOR).ln();
    }
}

/// Brings `arms`, those of `node` in the order of legal moves, up to date where it was searched, and returns the greatest visit count.
pub(super) fn update_arms<M: Copy>(tree: &Tree<M>, node: NodeId, arms: &mut [Arm]) -> u32 {
    let mut most_visits = 0;
    for edge in tree.tried(node).0 {
        let child = tree.behind(edge);
        let arm = &mut arms[edge.index as usize];
        arm.visits = child.visits();
        arm.value = unit(child.move_value());
        arm.proof = child.move_proof();
        most_visits = most_visits.max(arm.visits);
    }
    most_visits
}

/// Gives the arms without a visit the value that stands in for one.
pub(super) fn complete_arms<M: Copy>(tree: &Tree<M>, node: NodeId, arms: &mut [Arm]) {
    let completed = completed_value(tree, node);
    for arm in arms.iter_mut().filter(|arm| arm.visits == 0) {
        arm.value = completed;
    }
}

/// Returns the value that stands in for a move without a visit: the paper's `v_mix` (appendix D, equation 33), in `[0, 1]`.
///
/// Moves proven lost are left out: the mover has better ones, and what is known of them says nothing about the rest.
pub(super) fn completed_value<M: Copy>(tree: &Tree<M>, node: NodeId) -> f32 {
    let raw = unit(tree.node(node).raw().value());
    let (mut visits, mut mass, mut sum) = (0, 0.0, 0.0);
    for edge in tree.tried(node).0 {
        let child = tree.behind(edge);
        if is_lost(child) {
            continue;
        }
        let prior = edge.prior.max(LEAST_PRIOR);
        visits += child.visits();
        mass += prior;
        sum += prior * unit(child.move_value());
    }
    if visits == 0 {
        return raw;
    }
    (raw + visits as f32 * sum / mass) / (1 + visits) as f32
}

/// Replaces `policy` with the improved policy over the arms: the softmax of their scores, in the order of the moves.
///
/// All weight is on proven wins if there are any, and none on proven losses unless all are lost; then it is on the longest resistance.
pub(super) fn improved_policy(
    arms: &[Arm],
    config: &GumbelConfig,
    most_visits: u32,
    policy: &mut Vec<f32>,
) {
    policy.clear();
    let allowed = allowed_arms(arms);
    let scores = arms.iter().map(|arm| {
        if allowed(arm) {
            arm.score(config, most_visits)
        } else {
            f32::NEG_INFINITY
        }
    });
    policy.extend(scores);
    let top = policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for weight in policy.iter_mut() {
        *weight = (*weight - top).exp();
        sum += *weight;
    }
    for weight in policy.iter_mut() {
        *weight /= sum;
    }
}

/// Returns a test for the moves among which a policy may spread its weight.
pub(super) fn allowed_arms(arms: &[Arm]) -> impl Fn(&Arm) -> bool + use<> {
    let any_win = arms.iter().any(|arm| matches!(arm.proof, Proof::Win(_)));
    let longest = arms
        .iter()
        .map(|arm| {
            if let Proof::Loss(plies) = arm.proof {
                plies
            } else {
                u16::MAX
            }
        })
        .max();
    let all_lost = longest.is_some_and(|plies| plies != u16::MAX);
    move |arm| match arm.proof {
        Proof::Win(_) => true,
        Proof::Open => !any_win,
        Proof::Loss(plies) => all_lost && longest == Some(plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: GumbelConfig = GumbelConfig {
        scale: 0.1,
        ..GumbelConfig::USUAL
    };

    fn arm(logit: f32, value: f32, proof: Proof) -> Arm {
        Arm {
            logit,
            visits: 1,
            value,
            proof,
        }
    }

    #[test]
    fn the_improved_policy_is_the_softmax_of_the_scores() {
        let arms = [arm(0.0, 0.5, Proof::Open), arm(1.0, 0.25, Proof::Open)];
        let mut policy = Vec::new();
        improved_policy(&arms, &CONFIG, 10, &mut policy);
        let scores = [0.0 + 60.0 * 0.1 * 0.5, 1.0 + 60.0 * 0.1 * 0.25];
        let expected = 1.0 / (1.0 + f32::exp(scores[1] - scores[0]));
        assert!((policy[0] - expected).abs() < 1e-6, "{policy:?} {expected}");
        assert!((policy[0] + policy[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn proofs_overrule_scores() {
        let open = arm(5.0, 1.0, Proof::Open);
        let mut policy = Vec::new();
        improved_policy(
            &[
                open,
                arm(0.0, 1.0, Proof::Win(1)),
                arm(9.0, 0.0, Proof::Loss(2)),
            ],
            &CONFIG,
            1,
            &mut policy,
        );
        assert_eq!(policy, [0.0, 1.0, 0.0]);
        improved_policy(
            &[open, arm(9.0, 0.0, Proof::Loss(2))],
            &CONFIG,
            1,
            &mut policy,
        );
        assert_eq!(policy, [1.0, 0.0]);
        improved_policy(
            &[arm(0.0, 0.0, Proof::Loss(4)), arm(9.0, 0.0, Proof::Loss(2))],
            &CONFIG,
            1,
            &mut policy,
        );
        assert_eq!(policy, [1.0, 0.0]);
    }
}
