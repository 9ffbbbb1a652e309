//! What a finished search says: the move to play, the value of the root, the policy to learn.

use rand::RngExt;
use rules::{MoveOf, Variant, Wdl};

use super::policy::{Arm, allowed_arms, complete_arms, fresh_arms, improved_policy, update_arms};
use super::select::explore_factor;
use super::tree::{Proof, ROOT};
use super::{PuctConfig, RootKind, Search};
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
        if self.config.root == RootKind::Puct {
            fresh_arms(&self.tree, ROOT, &mut self.arms);
        }
        let most_visits = update_arms(&self.tree, ROOT, &mut self.arms);
        complete_arms(&self.tree, ROOT, &mut self.arms);
        self.fill_target(most_visits);
        let chosen = self.choose(most_visits);
        let best = self.best_by_target();
        let value = |at: usize| self.arms[at].value;
        let record = |(index, (arm, &target)): (usize, (&Arm, &f32))| {
            (arm.visits > 0 || target > 0.0).then_some(EdgeRecord {
                index: index as u16,
                visits: arm.visits,
                target,
            })
        };
        let mv = self.tree.edges(ROOT);
        let mv = mv.iter().find(|edge| edge.index as usize == chosen);
        Report {
            mv: mv.expect("an arm is a legal move").mv,
            root: self.root_value(),
            raw: self.tree.node(ROOT).raw(),
            regret: 2.0 * (value(best) - value(chosen)).max(0.0),
            edges: self
                .arms
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
        let fair = self.fair_visits();
        let weight = |arm: &Arm| match (allowed(arm), visited) {
            (false, _) => 0.0,
            (true, true) => fair(arm),
            // Only proven losses were visited, or nothing: what is left is as good as its priors.
            (true, false) => arm.logit.exp(),
        };
        self.policy.clear();
        self.policy.extend(self.arms.iter().map(weight));
        let sum: f32 = self.policy.iter().sum();
        self.policy.iter_mut().for_each(|weight| *weight /= sum);
    }

    /// Returns the visits that count in the target: without those that were only forced (Wu, "Accelerating self-play learning in Go",
    /// section 3.2). A move keeps what PUCT would have given it beside the most visited one, and one visit alone is none.
    fn fair_visits(&self) -> impl Fn(&Arm) -> f32 + use<V> {
        let forced = self.forced_playouts();
        let total = self.tree.visits(ROOT) as f32;
        let explore = explore_factor(&self.tree, ROOT, &self.config.puct);
        let score = move |arm: &Arm, visits: f32| {
            2.0 * arm.value - 1.0 + explore * arm.logit.exp() / (1.0 + visits)
        };
        let most = self.arms.iter().max_by_key(|arm| arm.visits).copied();
        let limit = most.map_or(0.0, |most| score(&most, most.visits as f32));
        let most = most.map_or(0, |most| most.visits);
        move |arm| {
            let visits = arm.visits as f32;
            if forced == 0.0 || arm.visits == most || arm.visits == 0 {
                return visits;
            }
            let prior = arm.logit.exp();
            // The visits at which its score falls to that of the most visited move.
            let deserved = explore * prior / (limit - (2.0 * arm.value - 1.0)).max(1e-6) - 1.0;
            let least = (visits - (forced * prior * total).sqrt()).max(0.0);
            let kept = deserved.ceil().clamp(least.floor(), visits);
            if kept <= 1.0 { 0.0 } else { kept }
        }
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
            RootKind::Puct if self.task.temperature > 0.0 => self.sample_target(),
            RootKind::Puct if self.config.puct.lcb_deviations > 0.0 && !self.task.explore => {
                self.best_by_lower_bound()
            }
            RootKind::Puct => self.best_by_target(),
        }
    }

    /// Returns the move with the best lower confidence bound of its value, out of those with a fair share of the visits.
    fn best_by_lower_bound(&self) -> usize {
        let (tried, _) = self.tree.tried(ROOT);
        let most = tried
            .iter()
            .map(|edge| self.tree.behind(edge).visits())
            .max();
        let least = PuctConfig::LCB_VISITS * most.unwrap_or(0) as f32;
        let mut best = (self.best_by_target(), f32::NEG_INFINITY);
        for edge in tried {
            let child = self.tree.behind(edge);
            let visits = child.visits() as f32;
            let error = (child.variance(PuctConfig::DEVIATION) / visits).sqrt();
            let bound = child.move_value() - self.config.puct.lcb_deviations * error;
            if visits >= least && bound > best.1 {
                best = (edge.index as usize, bound);
            }
        }
        best.0
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
        let weight = |target: f32| (target / most).powf(1.0 / self.task.temperature);
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
            (root.raw().to_array(), 1.0)
        };
        for edge in self.tree.tried(ROOT).0 {
            let child = self.tree.behind(edge);
            let weight = if gumbel {
                self.policy[edge.index as usize]
            } else {
                child.visits() as f32
            };
            mass += weight;
            sum.iter_mut()
                .zip(child.move_wdl().to_array())
                .for_each(|(sum, part)| *sum += weight * part);
        }
        if mass <= 0.0 {
            return root.raw();
        }
        Wdl::from_array(sum.map(|part| part / mass))
    }
}
