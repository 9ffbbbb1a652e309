//! Monte Carlo tree search guided by an evaluator, without I/O: it hands out leaves and takes evaluations.
//!
//! A [`Search`] never calls a net, sleeps, locks, logs or reads a clock. Values are win, draw and loss. Ends of the game by the real history of
//! a line are backed up, wins and losses among them as proofs. A position that comes back within the tree, before the rules end the game,
//! takes the verdict that they would give that cycle as its value (a perpetual checker or chaser loses), and never as a proof.

mod config;
mod halving;
mod lines;
mod mate;
mod policy;
mod report;
mod root;
mod select;
mod steering;
mod tree;

use std::collections::VecDeque;

use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveOf, Position as _, Variant, Wdl};

use crate::evaluator::{Evaluation, Leaf};
pub(crate) use config::in_range;
pub use config::{GumbelConfig, PuctConfig, RootKind, SearchConfig};
use halving::Halving;
pub use lines::RootMove;
use mate::MateFinder;
pub(crate) use mate::complete_mate;
use policy::Arm;
pub use report::Report;
use select::{select_gumbel, select_puct};
use tree::{NodeId, Proof, ROOT, Tree};

/// What is asked of one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchTask {
    /// Simulations, those of a tree that was kept included. With 0 a fresh root is only evaluated: the targets of the report are its priors,
    /// and the move is drawn from them.
    pub simulations: u32,
    /// 0 for the best move, or how freely the move is chosen: under PUCT visits are raised to its inverse, under Gumbel it scales the noise
    /// (1 is the paper's).
    pub temperature: f32,
    /// Whether a PUCT root gets Dirichlet noise, its temperature and forced playouts.
    pub explore: bool,
}

/// Where a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// A leaf needs an evaluation: [`Search::leaf`].
    Leaf,
    /// Nothing can be done before a leaf that was put off gets its evaluation.
    Wait,
    /// All simulations are done, or the root is proven.
    Over,
}

/// The search of one game: one tree, one scratch line.
#[derive(Clone, Debug)]
pub struct Search<V: Variant> {
    config: SearchConfig,
    task: SearchTask,
    /// The game up to the root, and below it the line of the simulation under way.
    game: Game<V>,
    root_ply: usize,
    tree: Tree<MoveOf<V>>,
    /// Where the next tree is put together when a part of this one is kept.
    spare: Tree<MoveOf<V>>,
    /// The nodes of the simulation under way, the root first.
    path: Vec<NodeId>,
    /// The place of the leaf's move among the edges of the last node of `path`.
    place: usize,
    leaf_moves: Vec<MoveOf<V>>,
    /// The moves of the root that the search is kept to; none: to all of them.
    allowed: Vec<MoveOf<V>>,
    /// Leaves whose evaluations are on their way, the oldest first.
    pending: VecDeque<Pending<V>>,
    idle: Vec<Pending<V>>,
    mates: MateFinder<V>,
    rng: ChaCha8Rng,
    halving: Halving,
    arms: Vec<Arm>,
    policy: Vec<f32>,
    /// The logarithms of the evaluator's priors of the root, in the order of legal moves.
    root_logits: Vec<f32>,
}

/// A simulation whose leaf waits for its evaluation.
#[derive(Clone, Debug)]
struct Pending<V: Variant> {
    path: Vec<NodeId>,
    moves: Vec<MoveOf<V>>,
}

impl<V: Variant> Search<V> {
    /// Makes a search for the game, which must not have ended; call [`Search::begin`] before the first descent.
    pub fn new(config: SearchConfig, game: Game<V>, rng: ChaCha8Rng) -> Self {
        Self {
            config,
            task: SearchTask {
                simulations: config.simulations,
                temperature: 0.0,
                explore: false,
            },
            root_ply: game.ply(),
            game,
            tree: Tree::new(),
            spare: Tree::new(),
            path: Vec::new(),
            place: 0,
            leaf_moves: Vec::new(),
            allowed: Vec::new(),
            pending: VecDeque::new(),
            idle: Vec::new(),
            mates: MateFinder::new(),
            rng,
            halving: Halving::default(),
            arms: Vec::new(),
            policy: Vec::new(),
            root_logits: Vec::new(),
        }
    }

    /// Turns to another game, which must not have ended, and keeps the memory.
    pub fn set_game(&mut self, game: Game<V>) {
        self.forget();
        self.root_ply = game.ply();
        self.game = game;
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

    /// Returns the bytes that the tree takes, with the room it keeps for the next one.
    pub fn tree_bytes(&self) -> usize {
        self.tree.bytes() + self.spare.bytes()
    }

    /// Begins the search of the current position. `rng` drives all that is random in it.
    ///
    /// Under PUCT what is left of the last tree is kept; under Gumbel nothing is, since visits made for other candidates would spoil the
    /// halving.
    pub fn begin(&mut self, task: SearchTask, rng: ChaCha8Rng) {
        debug_assert!(self.pending.is_empty(), "begun before the last was over");
        self.task = task;
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

    /// Runs simulations until one needs an evaluation, or none can be run.
    ///
    /// A leaf is answered at once, by [`Search::back_up`], or put off, by [`Search::put_off`].
    pub fn descend(&mut self) -> Descent {
        if self.tree.is_empty() {
            self.game.legal_moves(&mut self.leaf_moves);
            return Descent::Leaf;
        }
        let idle = if self.pending.is_empty() {
            Descent::Over
        } else {
            Descent::Wait
        };
        loop {
            if self.tree.node(ROOT).is_pending() {
                return Descent::Wait;
            }
            if self.is_over() {
                return idle;
            }
            let Some(first) = self.select_root() else {
                return idle;
            };
            match self.follow(first) {
                Walk::Leaf => return Descent::Leaf,
                Walk::Collision => return Descent::Wait,
                Walk::Done => {}
            }
        }
    }

    /// Returns the leaf that waits for an evaluation after [`Search::descend`] returned [`Descent::Leaf`].
    pub fn leaf(&self) -> Leaf<'_, V> {
        Leaf {
            game: &self.game,
            moves: &self.leaf_moves,
        }
    }

    /// Takes the evaluation of the leaf that [`Search::descend`] came to, and finishes its simulation.
    pub fn back_up(&mut self, evaluation: Evaluation<'_>) {
        let node = self
            .tree
            .add_open(evaluation.wdl, &self.leaf_moves, evaluation.priors);
        self.reach_node(node);
        self.finish_simulation(evaluation.wdl);
        if node == ROOT {
            self.prepare_root();
            self.prove_mate_at_root();
        }
    }

    /// Puts the leaf off until [`Search::settle`] gets its evaluation, and counts its simulation as lost by both players meanwhile.
    pub fn put_off(&mut self) {
        let node = self.tree.add_pending();
        self.reach_node(node);
        self.tree.put_off(&self.path);
        let mut pending = self.idle.pop().unwrap_or_else(|| Pending {
            path: Vec::new(),
            moves: Vec::new(),
        });
        std::mem::swap(&mut pending.path, &mut self.path);
        std::mem::swap(&mut pending.moves, &mut self.leaf_moves);
        self.pending.push_back(pending);
        self.end_walk();
    }

    /// Takes the evaluation of the leaf that was put off first.
    ///
    /// # Panics
    /// If none was.
    pub fn settle(&mut self, evaluation: Evaluation<'_>) {
        let pending = self.pending.pop_front().expect("a leaf was put off");
        let leaf = *pending.path.last().expect("a path ends at its leaf");
        let Evaluation { wdl, priors } = evaluation;
        self.tree.open(leaf, wdl, &pending.moves, priors);
        let awaited = |at| passing(&self.pending, &pending.path, at);
        self.tree.settle(&pending.path, wdl, awaited);
        self.idle.push(pending);
        if leaf == ROOT {
            self.prepare_root();
            self.prove_mate_at_root();
        }
    }

    /// Returns the leaves that are put off.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Tells whether as many leaves are put off as the config lets wait together.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= self.config.leaves as usize
    }

    /// Plays a legal move of the root; under PUCT what lies below it is kept.
    pub fn advance(&mut self, mv: MoveOf<V>) {
        let child = if self.tree.is_empty() || self.config.root == RootKind::Gumbel {
            None
        } else {
            let (tried, _) = self.tree.tried(ROOT);
            let taken = tried.iter().find(|edge| edge.mv == mv);
            taken.and_then(tree::Edge::child)
        };
        self.game.play(mv);
        self.root_ply += 1;
        // A position in which the game has ended is no root.
        match child.filter(|&child| !self.tree.node(child).is_terminal()) {
            Some(child) => {
                self.tree
                    .move_subtree(child, self.root_ply, &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.tree.clear(),
        }
    }

    fn is_over(&self) -> bool {
        self.is_decided() || self.tree.visits(ROOT) >= self.task.simulations
    }

    /// Puts a new node where the walk ended.
    fn reach_node(&mut self, node: NodeId) {
        if let Some(&parent) = self.path.last() {
            self.tree.attach(parent, self.place, node);
        }
        self.path.push(node);
    }

    /// Adds what the simulation under way found along its path, and goes back to the root.
    fn finish_simulation(&mut self, wdl: Wdl) {
        let awaited = |at| passing(&self.pending, &self.path, at);
        self.tree.put_off(&self.path);
        self.tree.settle(&self.path, wdl, awaited);
        self.end_walk();
    }

    fn end_walk(&mut self) {
        self.path.clear();
        self.game.undo_to(self.root_ply);
    }

    /// Walks down from the root by the edge at place `first`; unless a leaf waits, the game is back at the root afterwards.
    fn follow(&mut self, first: usize) -> Walk {
        self.path.clear();
        self.path.push(ROOT);
        let (mut node, mut place) = (ROOT, first);
        loop {
            let edge = self.tree.edges(node)[place];
            let child = if let Some(child) = edge.child() {
                child
            } else {
                self.game.play(edge.mv);
                let Some(child) = self.reach() else {
                    self.place = place;
                    return Walk::Leaf;
                };
                self.tree.attach(node, place, child);
                child
            };
            let reached = self.tree.node(child);
            if reached.is_pending() {
                self.end_walk();
                return Walk::Collision;
            }
            self.path.push(child);
            if reached.is_terminal() || reached.proof != Proof::Open {
                let wdl = reached.proof.wdl().unwrap_or(reached.raw());
                self.finish_simulation(wdl);
                return Walk::Done;
            }
            self.game.play(edge.mv);
            node = child;
            place = self.select_below(node);
        }
    }

    fn select_below(&mut self, node: NodeId) -> usize {
        match self.config.root {
            RootKind::Puct => select_puct(&self.tree, node, &self.config.puct, 0.0),
            RootKind::Gumbel => {
                select_gumbel(&self.tree, node, &self.config.gumbel, &mut self.policy)
            }
        }
    }

    /// Generates the moves of the position just reached and returns its node if nothing needs to be evaluated there: the game has ended, the
    /// position was in the tree before, or a mate is found.
    fn reach(&mut self) -> Option<NodeId> {
        self.game.legal_moves(&mut self.leaf_moves);
        let mover = self.game.position().side_to_move();
        if let Some(outcome) = self.game.outcome(&self.leaf_moves) {
            return Some(self.tree.add_ended(outcome.wdl(mover)));
        }
        if let Some((ply, verdict)) = self.game.cycle()
            && ply >= self.root_ply
        {
            return Some(self.tree.add_cycle(verdict.wdl(mover), ply));
        }
        let (_, plies) = self.find_mate()?;
        Some(self.tree.add_proven(Proof::Win(plies)))
    }

    /// Returns a mate among `leaf_moves` in the position just reached, as short as the config has it looked for.
    fn find_mate(&mut self) -> Option<(MoveOf<V>, u16)> {
        self.mates
            .find(&mut self.game, &self.leaf_moves, self.config.mate_plies)
    }
}

/// Returns how many of the simulations put off went through the node at place `at` of a path: a node has one place in every path.
fn passing<V: Variant>(pending: &VecDeque<Pending<V>>, path: &[NodeId], at: usize) -> u32 {
    let same = |other: &&Pending<V>| other.path.get(at) == Some(&path[at]);
    pending.iter().filter(same).count() as u32
}

/// How a walk down the tree ended.
enum Walk {
    Leaf,
    /// It came to a leaf that is put off.
    Collision,
    /// Its simulation is backed up.
    Done,
}
