//! Monte Carlo tree search guided by an evaluator, without I/O: it hands out leaves and takes evaluations.
//!
//! A [`Search`] never calls a net, sleeps, locks, logs or reads a clock. Values are win, draw and loss. Mates found on the board are backed
//! up as proofs; draws by repetition and caps are judged by the real history of the line and are never proofs.

mod config;
mod halving;
mod policy;
mod report;
mod select;
mod tree;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Gumbel};
use rules::{Game, MoveOf, Position as _, Variant, Wdl};

use crate::evaluator::{Evaluation, Leaf};
pub(crate) use config::in_range;
pub use config::{GumbelConfig, PuctConfig, RootKind, SearchConfig};
use halving::Halving;
use policy::{Arm, collect_arms};
pub use report::Report;
use select::{select_gumbel, select_puct};
use tree::{NodeId, Proof, ROOT, Step, Tree};

/// The search of one game: one tree, one scratch line.
#[derive(Clone, Debug)]
pub struct Search<V: Variant> {
    config: SearchConfig,
    /// The game up to the root, and below it the line of the simulation under way.
    game: Game<V>,
    root_ply: usize,
    tree: Tree<MoveOf<V>>,
    path: Vec<Step>,
    leaf_moves: Vec<MoveOf<V>>,
    /// Scratch space of the look for mates.
    replies: Vec<MoveOf<V>>,
    temperature: f32,
    rng: ChaCha8Rng,
    halving: Halving,
    /// The root's priors with Dirichlet noise, under PUCT.
    noisy_priors: Vec<f32>,
    arms: Vec<Arm>,
    policy: Vec<f32>,
}

impl<V: Variant> Search<V> {
    /// Makes a search for the game, which must not have ended; call [`Search::begin`] before the first descent.
    pub fn new(config: SearchConfig, game: Game<V>, rng: ChaCha8Rng) -> Self {
        Self {
            config,
            root_ply: game.ply(),
            game,
            tree: Tree::new(),
            path: Vec::new(),
            leaf_moves: Vec::new(),
            replies: Vec::new(),
            temperature: 0.0,
            rng,
            halving: Halving::default(),
            noisy_priors: Vec::new(),
            arms: Vec::new(),
            policy: Vec::new(),
        }
    }

    /// Returns the game up to the root.
    pub fn game(&self) -> &Game<V> {
        debug_assert_eq!(
            self.game.ply(),
            self.root_ply,
            "asked in the middle of a simulation"
        );
        &self.game
    }

    /// Begins the search of the current position.
    ///
    /// `temperature` is 0 for the best move, or how freely the move is chosen: under PUCT visits are raised to its inverse, under Gumbel it
    /// scales the noise (1 is the paper's). `rng` drives all that is random in this search. Under PUCT what is left of the last tree is
    /// kept; under Gumbel nothing is, since visits made for other candidates would spoil the halving.
    pub fn begin(&mut self, temperature: f32, rng: ChaCha8Rng) {
        self.temperature = temperature;
        self.rng = rng;
        if self.config.root == RootKind::Gumbel {
            self.tree.clear();
        } else if !self.tree.is_empty() {
            self.prepare_root();
        }
    }

    /// Forgets the tree, so that the next search starts afresh.
    pub fn forget(&mut self) {
        self.tree.clear();
    }

    /// Runs simulations until one needs an evaluation, and returns whether there is one: see [`Search::leaf`].
    ///
    /// `false` means that the search is over.
    pub fn descend(&mut self) -> bool {
        loop {
            if self.tree.is_empty() {
                self.game.legal_moves(&mut self.leaf_moves);
                return true;
            }
            if self.is_over() {
                return false;
            }
            let Some(first) = self.select_root() else {
                return false;
            };
            if self.follow(first) {
                return true;
            }
            self.game.undo_to(self.root_ply);
        }
    }

    /// Returns the leaf that waits for an evaluation after [`Search::descend`] returned `true`.
    pub fn leaf(&self) -> Leaf<'_, V> {
        Leaf {
            game: &self.game,
            moves: &self.leaf_moves,
        }
    }

    /// Takes the evaluation of the leaf and finishes its simulation.
    pub fn back_up(&mut self, evaluation: Evaluation<'_>) {
        let node = self
            .tree
            .add_open(evaluation.wdl, &self.leaf_moves, evaluation.priors);
        match self.path.last() {
            None => {
                self.prepare_root();
                self.prove_mate_at_root();
            }
            Some(step) => {
                self.tree.set_child(step.edge, node);
                self.tree.back_up(&self.path, evaluation.wdl);
                self.game.undo_to(self.root_ply);
                self.path.clear();
            }
        }
    }

    /// Plays a legal move of the root; under PUCT what lies below it is kept.
    pub fn advance(&mut self, mv: MoveOf<V>) {
        let first = if self.tree.is_empty() {
            0
        } else {
            self.tree.first_edge(ROOT)
        };
        let edges = if self.tree.is_empty() {
            &[][..]
        } else {
            self.tree.edges(ROOT)
        };
        let taken = edges.iter().position(|edge| edge.mv == mv);
        match (self.config.root, taken) {
            (RootKind::Puct, Some(at)) => self.tree = self.tree.subtree(first + at),
            _ => self.tree.clear(),
        }
        self.game.play(mv);
        self.root_ply += 1;
        // A position in which the game has ended is no root.
        if !self.tree.is_empty() && self.tree.node(ROOT).is_terminal() {
            self.tree.clear();
        }
    }

    fn is_over(&self) -> bool {
        self.tree.node(ROOT).proof != Proof::Open
            || self.tree.visits(ROOT) >= self.config.simulations
    }

    /// Draws the noise of a freshly evaluated or inherited root.
    fn prepare_root(&mut self) {
        match self.config.root {
            RootKind::Gumbel => {
                collect_arms(&self.tree, ROOT, &mut self.arms);
                let noise = self.gumbel_noise(self.arms.len());
                self.halving.start(
                    &self.arms,
                    noise,
                    self.config.gumbel.considered,
                    self.config.simulations,
                );
            }
            RootKind::Puct => self.mix_dirichlet_noise(),
        }
    }

    fn gumbel_noise(&mut self, moves: usize) -> Vec<f32> {
        if self.temperature == 0.0 {
            return vec![0.0; moves];
        }
        let gumbel = Gumbel::new(0.0_f32, 1.0).expect("a scale of 1 is valid");
        (0..moves)
            .map(|_| self.temperature * gumbel.sample(&mut self.rng))
            .collect()
    }

    /// Mixes the priors with noise from a symmetric Dirichlet distribution whose total alpha is divided over the moves; none at temperature 0.
    fn mix_dirichlet_noise(&mut self) {
        self.noisy_priors.clear();
        self.noisy_priors
            .extend(self.tree.edges(ROOT).iter().map(|edge| edge.prior));
        let share = self.config.puct.noise_share;
        if self.temperature == 0.0 || share == 0.0 {
            return;
        }
        let alpha = self.config.puct.noise_alpha / self.noisy_priors.len() as f32;
        let gamma = Gamma::new(alpha, 1.0_f32).expect("alpha is positive: it was validated");
        let noise: Vec<f32> = self
            .noisy_priors
            .iter()
            .map(|_| gamma.sample(&mut self.rng))
            .collect();
        let sum = noise.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for (prior, noise) in self.noisy_priors.iter_mut().zip(noise) {
            *prior = (1.0 - share) * *prior + share * noise / sum;
        }
    }

    /// Returns the root move of the next simulation, or `None` if all are proven lost.
    fn select_root(&mut self) -> Option<usize> {
        match self.config.root {
            RootKind::Puct => Some(select_puct(
                &self.tree,
                ROOT,
                &self.config.puct,
                Some(&self.noisy_priors),
            )),
            RootKind::Gumbel => {
                let most_visits = collect_arms(&self.tree, ROOT, &mut self.arms);
                self.halving
                    .next(&self.arms, &self.config.gumbel, most_visits)
            }
        }
    }

    /// Walks down from the root by its move `first` and returns whether a leaf waits; else the simulation is already backed up.
    fn follow(&mut self, first: usize) -> bool {
        self.path.clear();
        let (mut node, mut choice) = (ROOT, first);
        loop {
            let step = Step {
                node,
                edge: self.tree.first_edge(node) + choice,
            };
            self.path.push(step);
            let edge = self.tree.edge(step.edge);
            self.game.play(edge.mv);
            let child = if let Some(child) = edge.child() {
                child
            } else {
                let Some(child) = self.reach() else {
                    return true;
                };
                self.tree.set_child(step.edge, child);
                child
            };
            let reached = self.tree.node(child);
            if reached.is_terminal() || reached.proof != Proof::Open {
                let wdl = reached.proof.wdl().unwrap_or(reached.wdl);
                self.tree.back_up(&self.path, wdl);
                self.path.clear();
                return false;
            }
            node = child;
            choice = self.select_below(node);
        }
    }

    fn select_below(&mut self, node: NodeId) -> usize {
        match self.config.root {
            RootKind::Puct => select_puct(&self.tree, node, &self.config.puct, None),
            RootKind::Gumbel => select_gumbel(
                &self.tree,
                node,
                &self.config.gumbel,
                (&mut self.arms, &mut self.policy),
            ),
        }
    }

    /// Generates the moves of the position just reached and returns its node if nothing needs to be evaluated there: the game has ended, or
    /// ends by a mate in one.
    fn reach(&mut self) -> Option<NodeId> {
        self.game.legal_moves(&mut self.leaf_moves);
        if let Some(outcome) = self.game.outcome(&self.leaf_moves) {
            return Some(
                self.tree
                    .add_terminal(outcome.wdl(self.game.position().side_to_move())),
            );
        }
        self.mate_in_one()?;
        Some(self.tree.add_won(1))
    }

    /// Returns a mate in one among `leaf_moves` in the position just reached, if the config has it looked for.
    fn mate_in_one(&mut self) -> Option<MoveOf<V>> {
        if !self.config.mate_in_one {
            return None;
        }
        self.game
            .position()
            .mate_in_one(&self.leaf_moves, &mut self.replies)
    }

    /// Makes a mate in one at the root a proof at once, before any simulation.
    fn prove_mate_at_root(&mut self) {
        let Some(mv) = self.mate_in_one() else { return };
        let Some(at) = self.leaf_moves.iter().position(|&legal| legal == mv) else {
            return;
        };
        let step = Step {
            node: ROOT,
            edge: self.tree.first_edge(ROOT) + at,
        };
        let mated = self.tree.add_terminal(Wdl::LOSS);
        self.tree.set_child(step.edge, mated);
        self.tree.back_up(&[step], Wdl::LOSS);
    }
}
