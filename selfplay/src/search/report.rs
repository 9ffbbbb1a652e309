//! What a finished search says: the move to play, the value of the root, the policy to learn.

use rand::RngExt;
use rules::{MoveOf, Variant, Wdl};

use super::policy::{Arm, allowed_arms, collect_arms, improved_policy};
use super::tree::{Edge, Proof, ROOT};
use super::{RootKind, Search};
use crate::record::EdgeRecord;

/// What a finished search says.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<M> {
    /// The move to play, temperature and noise applied.
    pub mv: M,
    /// The value of the root after the search, from the mover's side.
    pub root: Wdl,
    /// The evaluator's own value of the root, from the mover's side.
    pub raw: Wdl,
    /// How much worse the search thinks `mv` than the move it thinks best: a difference of values, in `[0, 2]`.
    pub regret: f32,
    /// The moves with visits or with weight in the policy target, in the order of legal moves.
    pub edges: Vec<EdgeRecord>,
    /// Simulations in the tree.
    pub simulations: u32,
    /// Whether the root is proven won or lost.
    pub proven: bool,
}

impl<V: Variant> Search<V> {
    /// Chooses a move and says what the search found. Draws from the random stream under PUCT with a temperature.
    ///
    /// # Panics
    /// If the root was never evaluated.
    pub fn report(&mut self) -> Report<MoveOf<V>> {
        assert!(
            !self.tree.is_empty(),
            "the root must be evaluated before a move can be chosen"
        );
        let most_visits = collect_arms(&self.tree, ROOT, &mut self.arms);
        self.fill_target(most_visits);
        let chosen = self.choose(most_visits);
        let best = self.best_by_target();
        let value = |at: usize| self.arms[at].value;
        let edges = self.tree.edges(ROOT);
        let record = |(index, (edge, &target)): (usize, (&Edge<MoveOf<V>>, &f32))| {
            (edge.visits > 0 || target > 0.0).then_some(EdgeRecord {
                index: index as u16,
                visits: edge.visits,
                target,
            })
        };
        Report {
            mv: edges[chosen].mv,
            root: self.root_value(),
            raw: self.tree.node(ROOT).wdl,
            regret: 2.0 * (value(best) - value(chosen)).max(0.0),
            edges: edges
                .iter()
                .zip(&self.policy)
                .enumerate()
                .filter_map(record)
                .collect(),
            simulations: self.tree.visits(ROOT),
            proven: self.tree.node(ROOT).proof != Proof::Open,
        }
    }

    /// Fills `policy` with the training target over the legal moves.
    fn fill_target(&mut self, most_visits: u32) {
        if self.config.root == RootKind::Gumbel {
            return improved_policy(
                &self.arms,
                &self.config.gumbel,
                most_visits,
                &mut self.policy,
            );
        }
        let allowed = allowed_arms(&self.arms);
        let visited = self.arms.iter().any(|arm| allowed(arm) && arm.visits > 0);
        let weight = |arm: &Arm| match (allowed(arm), visited) {
            (false, _) => 0.0,
            (true, true) => arm.visits as f32,
            // Only proven losses were visited: what is left is as good as its priors.
            (true, false) => arm.logit.exp(),
        };
        self.policy.clear();
        self.policy.extend(self.arms.iter().map(weight));
        let sum: f32 = self.policy.iter().sum();
        self.policy.iter_mut().for_each(|weight| *weight /= sum);
    }

    fn choose(&mut self, most_visits: u32) -> usize {
        if self.tree.node(ROOT).proof != Proof::Open {
            return self.best_by_target();
        }
        match self.config.root {
            RootKind::Gumbel => {
                let choice = self
                    .halving
                    .choice(&self.arms, &self.config.gumbel, most_visits);
                choice.unwrap_or_else(|| self.best_by_target())
            }
            RootKind::Puct if self.temperature == 0.0 => self.best_by_target(),
            RootKind::Puct => self.sample_target(),
        }
    }

    /// Returns the move with most weight in the target.
    fn best_by_target(&self) -> usize {
        let weights = self.policy.iter().enumerate().rev();
        weights
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map_or(0, |(at, _)| at)
    }

    /// Draws a move with probability proportional to its weight in the target raised to the inverse temperature.
    fn sample_target(&mut self) -> usize {
        let most = self.policy.iter().copied().fold(0.0, f32::max);
        let weight = |target: f32| (target / most).powf(1.0 / self.temperature);
        let sum: f32 = self.policy.iter().map(|&target| weight(target)).sum();
        let mut left = self.rng.random::<f32>() * sum;
        for (at, &target) in self.policy.iter().enumerate() {
            left -= weight(target);
            if left < 0.0 && target > 0.0 {
                return at;
            }
        }
        self.best_by_target()
    }

    /// Returns the value of the root: certain where proven, else what the visited moves are worth under the policy target, or under PUCT
    /// under the visits together with the evaluator's own value.
    fn root_value(&self) -> Wdl {
        let root = self.tree.node(ROOT);
        if let Some(certain) = root.proof.wdl() {
            return certain;
        }
        let gumbel = self.config.root == RootKind::Gumbel;
        let (mut sum, mut mass) = if gumbel {
            ([0.0; 3], 0.0)
        } else {
            (root.wdl.to_array(), 1.0)
        };
        for (edge, &target) in self
            .tree
            .edges(ROOT)
            .iter()
            .zip(&self.policy)
            .filter(|(edge, _)| edge.visits > 0)
        {
            let weight = if gumbel { target } else { edge.visits as f32 };
            let wdl = self.tree.edge_wdl(edge).to_array();
            mass += weight;
            sum.iter_mut()
                .zip(wdl)
                .for_each(|(sum, part)| *sum += weight * part);
        }
        if mass <= 0.0 {
            return root.wdl;
        }
        Wdl::from_array(sum.map(|part| part / mass))
    }
}
