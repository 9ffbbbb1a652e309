//! What a search found below its root, for people: each move with what is known of it and the line expected after it.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use rules::{MoveOf, Variant, Wdl};

use super::tree::{Edge, Node, NodeId, Proof, ROOT, Tree};
use super::{Report, Search};

/// What a search knows of a legal move of its root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<M> {
    /// The move and what is expected to follow: from either side the move most visited, or what a proof rests on. Never empty.
    pub line: Vec<M>,
    /// The evaluator's probability of the move, in `[0, 1]`, noise of the root apart.
    pub prior: f32,
    /// Simulations that went through the move.
    pub visits: u32,
    /// Its probability in the improved policy, in `[0, 1]`.
    pub target: f32,
    /// What it is worth to the mover, `None` without a visit.
    pub wdl: Option<Wdl>,
    /// If it is proven to win or to lose, the plies to the end of the game with itself the first; less than 0 where it loses.
    pub mate: Option<i32>,
}

impl<M: Copy> RootMove<M> {
    /// Returns the move itself.
    pub fn mv(&self) -> M {
        self.line[0]
    }
}

impl<V: Variant> Search<V> {
    /// Returns every legal move of the root: the one that [`Search::report`] chose, then the others by visits and by the improved policy, and
    /// moves that the policy rules out last. `report` is the latest one.
    ///
    /// # Panics
    /// If nothing was reported.
    pub fn root_moves(&self, report: &Report<MoveOf<V>>) -> Vec<RootMove<MoveOf<V>>> {
        let edges = self.tree.edges(ROOT);
        assert!(
            !edges.is_empty() && self.policy.len() == edges.len(),
            "moves are listed after the report of a search"
        );
        let mut moves: Vec<(u16, RootMove<MoveOf<V>>)> = edges
            .iter()
            .map(|edge| (edge.index, self.root_move(edge)))
            .collect();
        let proven = self.tree.node(ROOT).proof != Proof::Open;
        moves.sort_by(|(a_index, a), (b_index, b)| {
            let chosen = (b.mv() == report.mv).cmp(&(a.mv() == report.mv));
            let visits = if proven {
                Ordering::Equal
            } else {
                (b.target > 0.0, b.visits).cmp(&(a.target > 0.0, a.visits))
            };
            chosen
                .then(visits)
                .then(b.target.total_cmp(&a.target))
                .then(a_index.cmp(b_index))
        });
        moves.into_iter().map(|(_, known)| known).collect()
    }

    fn root_move(&self, edge: &Edge<MoveOf<V>>) -> RootMove<MoveOf<V>> {
        let child = edge.child().map(|child| self.tree.node(child));
        let at = edge.index as usize;
        RootMove {
            line: line(&self.tree, edge),
            prior: self.root_logits[at].exp(),
            visits: child.map_or(0, Node::visits),
            target: self.policy[at],
            wdl: child.map(Node::move_wdl),
            mate: child.and_then(|child| match child.move_proof() {
                Proof::Open => None,
                Proof::Win(plies) => Some(i32::from(plies)),
                Proof::Loss(plies) => Some(-i32::from(plies)),
            }),
        }
    }
}

/// Returns a move and the moves expected after it, as far as the tree goes.
fn line<M: Copy>(tree: &Tree<M>, edge: &Edge<M>) -> Vec<M> {
    let mut line = vec![edge.mv];
    let mut behind = edge.child();
    while let Some(next) = behind.and_then(|node| expected(tree, node)) {
        line.push(next.mv);
        behind = next.child();
    }
    line
}

/// Returns the move of a node that its side is expected to play: the quickest proven win, else the most visited one that is not proven lost,
/// else the longest resistance.
pub(super) fn expected<M: Copy>(tree: &Tree<M>, node: NodeId) -> Option<&Edge<M>> {
    let (tried, _) = tree.tried(node);
    // Of equal moves the one tried first.
    tried.iter().min_by_key(|edge| {
        let child = tree.behind(edge);
        match child.move_proof() {
            Proof::Win(plies) => (0, i64::from(plies)),
            Proof::Open => (1, -i64::from(child.visits())),
            Proof::Loss(plies) => (2, -i64::from(plies)),
        }
    })
}
