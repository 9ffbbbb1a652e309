//! The root of a search: noise, halving, and mates seen at once.

use rand_distr::{Distribution, Gamma, Gumbel};
use rules::{MoveOf, Variant, Wdl};

use super::halving::Turn;
use super::policy::{fresh_arms, update_arms};
use super::select::select_puct;
use super::tree::{Proof, ROOT};
use super::{RootKind, Search};

impl<V: Variant> Search<V> {
    /// Draws the noise of a freshly evaluated or inherited root.
    pub(super) fn prepare_root(&mut self) {
        fresh_arms(&self.tree, ROOT, &mut self.arms);
        self.root_logits.clear();
        self.root_logits
            .extend(self.arms.iter().map(|arm| arm.logit));
        if self.config.root == RootKind::Gumbel {
            let noise = self.gumbel_noise(self.arms.len());
            self.halving.start(
                &self.arms,
                noise,
                self.config.gumbel.considered,
                self.task.simulations,
            );
        } else if self.task.explore {
            self.heat_priors();
            self.mix_dirichlet_noise();
        }
    }

    fn gumbel_noise(&mut self, moves: usize) -> Vec<f32> {
        if self.task.temperature == 0.0 {
            return vec![0.0; moves];
        }
        let gumbel = Gumbel::new(0.0_f32, 1.0).expect("a scale of 1 is valid");
        (0..moves)
            .map(|_| self.task.temperature * gumbel.sample(&mut self.rng))
            .collect()
    }

    /// Raises the root's priors to the inverse of the root temperature.
    fn heat_priors(&mut self) {
        let inverse = 1.0 / self.config.puct.root_temperature;
        if (inverse - 1.0).abs() < f32::EPSILON {
            return;
        }
        let edges = self.tree.edges(ROOT);
        let sum: f32 = edges.iter().map(|edge| edge.prior.powf(inverse)).sum();
        self.tree
            .set_priors(ROOT, |edge| edge.prior.powf(inverse) / sum);
    }

    /// Mixes the root's priors with noise from a symmetric Dirichlet distribution whose total alpha is divided over the moves.
    fn mix_dirichlet_noise(&mut self) {
        let share = self.config.puct.noise_share;
        if share == 0.0 {
            return;
        }
        let moves = self.tree.edges(ROOT).len();
        let alpha = self.config.puct.noise_alpha / moves as f32;
        let gamma = Gamma::new(alpha, 1.0_f32).expect("alpha is positive: it was validated");
        let noise: Vec<f32> = (0..moves).map(|_| gamma.sample(&mut self.rng)).collect();
        let sum = noise.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        self.tree.set_priors(ROOT, |edge| {
            (1.0 - share) * edge.prior + share * noise[edge.index as usize] / sum
        });
    }

    /// Returns the place of the root's move for the next simulation, or `None` if there can be none now.
    pub(super) fn select_root(&mut self) -> Option<usize> {
        if !self.allowed.is_empty() {
            return self.select_allowed();
        }
        if self.config.root == RootKind::Puct {
            let forced = self.forced_playouts();
            return Some(select_puct(&self.tree, ROOT, &self.config.puct, forced));
        }
        let most_visits = update_arms(&self.tree, ROOT, &mut self.arms);
        let settled = self.pending.is_empty();
        let turn = self
            .halving
            .next(&self.arms, &self.config.gumbel, most_visits, settled);
        let Turn::Simulate(index) = turn else {
            return None;
        };
        let mut edges = self.tree.edges(ROOT).iter();
        edges.position(|edge| edge.index as usize == index)
    }

    /// Returns the factor of forced playouts in this search, 0 for none.
    pub(super) fn forced_playouts(&self) -> f32 {
        if self.task.explore {
            self.config.puct.forced_playouts
        } else {
            0.0
        }
    }

    /// Makes a mate at the root a proof at once, before any simulation.
    pub(super) fn prove_mate_at_root(&mut self) {
        self.game.legal_moves(&mut self.leaf_moves);
        let Some((mv, plies)) = self.find_mate() else {
            return;
        };
        let Some(place) = self.place_of(mv) else {
            return;
        };
        let mated = self.tree.add_proven(Proof::Loss(plies - 1));
        self.tree.attach(ROOT, place, mated);
        self.tree.back_up(&[ROOT, mated], Wdl::LOSS);
    }

    fn place_of(&self, mv: MoveOf<V>) -> Option<usize> {
        let mut edges = self.tree.edges(ROOT).iter();
        edges.position(|edge| edge.mv == mv)
    }
}
