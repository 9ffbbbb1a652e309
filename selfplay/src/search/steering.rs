//! What a player at a clock needs of a search: to be led on in steps, to be kept to some moves of the root, and to say how clear its choice is.

use rules::{MoveOf, Variant};

use super::lines::expected;
use super::select::explore_factor;
use super::tree::{Edge, Node, Proof, ROOT};
use super::{RootKind, Search};

/// How clear the choice of a search is, by the moves of its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    /// By how many visits the most visited move leads the next.
    pub(crate) lead: u32,
    /// Whether it has the best value too, out of those with a fair share of the visits.
    pub(crate) settled: bool,
}

/// The least share of the greatest visit count that a move needs for its value to count in a [`Race`].
const FAIR_SHARE: f32 = 0.1;

impl<V: Variant> Search<V> {
    /// Sets the simulations, those already in the tree included, at which the search is over.
    pub(crate) fn set_simulations(&mut self, simulations: u32) {
        self.task.simulations = simulations;
    }

    /// Sets how many leaves may wait together, at least 1.
    pub(crate) fn set_leaves(&mut self, leaves: u32) {
        self.config.leaves = leaves.max(1);
    }

    /// Returns the simulations in the tree, those under way included.
    pub(crate) fn simulations(&self) -> u32 {
        if self.tree.is_empty() {
            0
        } else {
            self.tree.visits(ROOT)
        }
    }

    /// Tells whether the root was never evaluated.
    pub(crate) fn is_fresh(&self) -> bool {
        self.tree.is_empty()
    }

    /// Returns the bytes of the tree that are in use.
    pub(crate) fn bytes_in_use(&self) -> usize {
        self.tree.bytes_in_use()
    }

    /// Keeps the search to some moves of the root, none for all of them; a tree that was kept to others is forgotten. Proofs of the root then
    /// count only by these moves. A root under Gumbel cannot be kept to some.
    pub(crate) fn restrict_to(&mut self, moves: &[MoveOf<V>]) {
        debug_assert!(self.config.root == RootKind::Puct || moves.is_empty());
        if self.allowed != moves {
            self.forget();
        }
        self.allowed.clear();
        self.allowed.extend_from_slice(moves);
    }

    /// Tells whether more simulations would change nothing: the root is proven, by the moves that the search is kept to.
    pub(crate) fn is_decided(&self) -> bool {
        if self.tree.is_empty() {
            return false;
        }
        if self.allowed.is_empty() {
            return self.tree.node(ROOT).proof != Proof::Open;
        }
        let mut all_lost = true;
        for edge in self.allowed_edges() {
            match edge.child().map(|child| self.tree.node(child).move_proof()) {
                Some(Proof::Win(_)) => return true,
                Some(Proof::Loss(_)) => {}
                Some(Proof::Open) | None => all_lost = false,
            }
        }
        all_lost
    }

    /// Returns the plies of the line that the search expects.
    pub(crate) fn depth(&self) -> u32 {
        let mut depth = 0;
        let mut at = (!self.tree.is_empty()).then_some(ROOT);
        while let Some(edge) = at.and_then(|node| expected(&self.tree, node)) {
            depth += 1;
            at = edge.child();
        }
        depth
    }

    /// Returns how clear the choice is.
    pub(crate) fn race(&self) -> Race {
        let visited: Vec<&Node> = self
            .tree
            .tried(ROOT)
            .0
            .iter()
            .map(|edge| self.tree.behind(edge))
            .collect();
        let (mut most, mut second) = (None::<&Node>, 0);
        for &child in &visited {
            let visits = child.visits();
            if most.is_none_or(|most| visits > most.visits()) {
                second = most.map_or(0, Node::visits);
                most = Some(child);
            } else {
                second = second.max(visits);
            }
        }
        let Some(most) = most else {
            return Race {
                lead: 0,
                settled: false,
            };
        };
        let fair = |child: &&&Node| child.visits() as f32 >= FAIR_SHARE * most.visits() as f32;
        let best = visited.iter().filter(fair).map(|child| child.move_value());
        Race {
            lead: most.visits() - second,
            settled: best.fold(f32::NEG_INFINITY, f32::max) <= most.move_value(),
        }
    }

    /// Returns the place of the move, out of those that the search is kept to, for the next simulation: as PUCT has it, or `None` if all are
    /// proven lost.
    pub(super) fn select_allowed(&self) -> Option<usize> {
        let explore = explore_factor(&self.tree, ROOT, &self.config.puct);
        let (tried, _) = self.tree.tried(ROOT);
        let mass: f32 = tried.iter().map(|edge| edge.prior).sum();
        let own = self.tree.node(ROOT).raw().value();
        let untried = (own - self.config.puct.fpu_reduction * mass.sqrt()).max(-1.0);
        let mut best = (None, f32::NEG_INFINITY);
        for (place, edge) in self.tree.edges(ROOT).iter().enumerate() {
            if !self.allowed.contains(&edge.mv) {
                continue;
            }
            let (value, visits) = match edge.child().map(|child| self.tree.node(child)) {
                Some(child) if matches!(child.move_proof(), Proof::Loss(_)) => continue,
                Some(child) => (child.move_value(), child.visits()),
                None => (untried, 0),
            };
            let score = value + explore * edge.prior / (1 + visits) as f32;
            if score > best.1 {
                best = (Some(place), score);
            }
        }
        best.0
    }

    fn allowed_edges(&self) -> impl Iterator<Item = &Edge<MoveOf<V>>> {
        let edges = self.tree.edges(ROOT).iter();
        edges.filter(|edge| self.allowed.contains(&edge.mv))
    }
}
