//! The tree of one search: nodes and edges in two arenas, freed wholesale.

use rules::Wdl;

/// The number of a node in its arena.
pub(super) type NodeId = u32;

/// The node from which a search starts.
pub(super) const ROOT: NodeId = 0;

/// The child of an edge that has not been visited.
const NO_NODE: NodeId = NodeId::MAX;

/// What is proven of a position, from the side of its mover, with the plies to the mate along the lines searched.
///
/// Proofs come from mates on the board only. A draw by repetition or by a cap is never a proof, so a proof holds whatever happened before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    Open,
    Win(u16),
    Loss(u16),
}

impl Proof {
    /// Returns the certain value of a proven position.
    pub(crate) fn wdl(self) -> Option<Wdl> {
        match self {
            Self::Open => None,
            Self::Win(_) => Some(Wdl::WIN),
            Self::Loss(_) => Some(Wdl::LOSS),
        }
    }
}

/// A position that has been evaluated, or at which the game has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first_edge: u32,
    /// 0 where the game has ended or a mate is known.
    edges: u16,
    pub(super) proof: Proof,
    /// What the evaluator or the rules said of it, from the side of its mover.
    pub(super) wdl: Wdl,
}

impl Node {
    pub(super) fn is_terminal(&self) -> bool {
        self.edges == 0
    }
}

/// A legal move of a node with what the simulations through it found, from the side of the player who makes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<M> {
    pub(super) mv: M,
    pub(super) prior: f32,
    pub(super) visits: u32,
    win: f32,
    draw: f32,
    child: NodeId,
}

impl<M> Edge<M> {
    /// Returns the node behind the edge, or `None` before its first visit.
    pub(super) fn child(&self) -> Option<NodeId> {
        (self.child != NO_NODE).then_some(self.child)
    }

    fn add(&mut self, wdl: Wdl) {
        self.visits += 1;
        self.win += wdl.win;
        self.draw += wdl.draw;
    }

    /// Returns the mean of what its visits found; a draw before the first.
    fn mean(&self) -> Wdl {
        if self.visits == 0 {
            return Wdl::DRAW;
        }
        let (win, draw) = (
            self.win / self.visits as f32,
            self.draw / self.visits as f32,
        );
        Wdl {
            win,
            draw,
            loss: (1.0 - win - draw).max(0.0),
        }
    }
}

/// A step of a descent: the node left and the edge taken, an index into the edge arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) edge: usize,
}

/// The arenas.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    nodes: Vec<Node>,
    edges: Vec<Edge<M>>,
}

impl<M: Copy> Tree<M> {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn edge(&self, at: usize) -> &Edge<M> {
        &self.edges[at]
    }

    /// Returns the place of a node's first edge in the arena.
    pub(super) fn first_edge(&self, id: NodeId) -> usize {
        self.node(id).first_edge as usize
    }

    pub(super) fn edges(&self, id: NodeId) -> &[Edge<M>] {
        let node = self.node(id);
        &self.edges[node.first_edge as usize..node.first_edge as usize + node.edges as usize]
    }

    /// Returns the simulations that went through a node, its own evaluation apart.
    pub(super) fn visits(&self, id: NodeId) -> u32 {
        self.edges(id).iter().map(|edge| edge.visits).sum()
    }

    /// Adds an evaluated position with its legal moves.
    pub(super) fn add_open(&mut self, wdl: Wdl, moves: &[M], priors: &[f32]) -> NodeId {
        debug_assert_eq!(moves.len(), priors.len(), "one prior a legal move");
        let first_edge = self.edges.len() as u32;
        let edge = |(&mv, &prior)| Edge {
            mv,
            prior,
            visits: 0,
            win: 0.0,
            draw: 0.0,
            child: NO_NODE,
        };
        self.edges.extend(moves.iter().zip(priors).map(edge));
        self.push(Node {
            first_edge,
            edges: moves.len() as u16,
            proof: Proof::Open,
            wdl,
        })
    }

    /// Adds a position in which the game has ended with `wdl` for the side to move. Wins and losses are proofs.
    pub(super) fn add_terminal(&mut self, wdl: Wdl) -> NodeId {
        let proof = match wdl {
            Wdl::WIN => Proof::Win(0),
            Wdl::LOSS => Proof::Loss(0),
            _ => Proof::Open,
        };
        self.push(Node {
            first_edge: self.edges.len() as u32,
            edges: 0,
            proof,
            wdl,
        })
    }

    /// Adds a position whose mover mates in `plies`, without its moves.
    pub(super) fn add_won(&mut self, plies: u16) -> NodeId {
        self.push(Node {
            first_edge: self.edges.len() as u32,
            edges: 0,
            proof: Proof::Win(plies),
            wdl: Wdl::WIN,
        })
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    pub(super) fn set_child(&mut self, edge: usize, child: NodeId) {
        self.edges[edge].child = child;
    }

    /// Returns what is proven of a move, from the side of the player who makes it.
    pub(super) fn edge_proof(&self, edge: &Edge<M>) -> Proof {
        match edge.child().map(|child| self.node(child).proof) {
            None | Some(Proof::Open) => Proof::Open,
            Some(Proof::Win(plies)) => Proof::Loss(plies + 1),
            Some(Proof::Loss(plies)) => Proof::Win(plies + 1),
        }
    }

    /// Returns what a visited move is worth to the player who makes it: certain where proven, else the mean of its visits.
    pub(super) fn edge_wdl(&self, edge: &Edge<M>) -> Wdl {
        self.edge_proof(edge).wdl().unwrap_or_else(|| edge.mean())
    }

    /// Adds what a simulation found at the end of `path` to every edge on it, and hands proofs up.
    ///
    /// `wdl` is from the side of the mover at the end of the path. Above a proven node only its certain value is handed up.
    pub(super) fn back_up(&mut self, path: &[Step], mut wdl: Wdl) {
        for step in path.iter().rev() {
            wdl = wdl.flip();
            self.edges[step.edge].add(wdl);
            self.prove(*step);
            wdl = self.node(step.node).proof.wdl().unwrap_or(wdl);
        }
    }

    /// Proves the node of `step` if the edge taken decides it: one lost reply is enough for a win, all must be won for a loss.
    fn prove(&mut self, step: Step) {
        let proof = match self.edge_proof(&self.edges[step.edge]) {
            Proof::Open => return,
            Proof::Win(plies) => Proof::Win(plies),
            Proof::Loss(_) => {
                let mut longest = 0;
                for edge in self.edges(step.node) {
                    let Proof::Loss(plies) = self.edge_proof(edge) else {
                        return;
                    };
                    longest = longest.max(plies);
                }
                Proof::Loss(longest)
            }
        };
        self.nodes[step.node as usize].proof = proof;
    }

    /// Makes the node behind `edge` the root of a tree of its own, with everything below it.
    pub(super) fn subtree(&self, edge: usize) -> Self {
        let mut kept = Self::new();
        let Some(child) = self.edges[edge].child() else {
            return kept;
        };
        // Breadth first: the queue holds old nodes in the order of their new numbers.
        let mut queue = vec![child];
        let mut next = 0;
        while next < queue.len() {
            let old = queue[next];
            next += 1;
            let first_edge = kept.edges.len() as u32;
            for edge in self.edges(old) {
                let mut edge = *edge;
                if let Some(child) = edge.child() {
                    edge.child = queue.len() as NodeId;
                    queue.push(child);
                }
                kept.edges.push(edge);
            }
            kept.nodes.push(Node {
                first_edge,
                ..*self.node(old)
            });
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root_with_replies() -> (Tree<u16>, Vec<Vec<Step>>) {
        let mut tree = Tree::new();
        let root = tree.add_open(Wdl::DRAW, &[10, 11], &[0.5, 0.5]);
        let mut paths = Vec::new();
        for edge in 0..2 {
            let child = tree.add_open(Wdl::DRAW, &[20, 21], &[0.5, 0.5]);
            tree.set_child(edge, child);
            for reply in 0..2 {
                paths.push(vec![
                    Step { node: root, edge },
                    Step {
                        node: child,
                        edge: tree.first_edge(child) + reply,
                    },
                ]);
            }
        }
        (tree, paths)
    }

    fn end(tree: &mut Tree<u16>, path: &[Step], wdl: Wdl) {
        let terminal = tree.add_terminal(wdl);
        tree.set_child(path[path.len() - 1].edge, terminal);
        tree.back_up(path, wdl);
    }

    #[test]
    fn a_win_needs_one_lost_reply_and_a_loss_needs_all() {
        let (mut tree, paths) = root_with_replies();
        // The mover after the reply is mated: the replier wins, the root's move loses.
        end(&mut tree, &paths[0], Wdl::LOSS);
        assert_eq!(tree.edge_proof(tree.edge(0)), Proof::Loss(2));
        assert_eq!(tree.node(ROOT).proof, Proof::Open);
        assert_eq!(tree.edge_wdl(tree.edge(0)), Wdl::LOSS);
        end(&mut tree, &paths[2], Wdl::LOSS);
        assert_eq!(tree.node(ROOT).proof, Proof::Loss(2));
    }

    #[test]
    fn a_drawn_end_proves_nothing() {
        let (mut tree, paths) = root_with_replies();
        for path in &paths {
            end(&mut tree, path, Wdl::DRAW);
        }
        assert_eq!(tree.node(ROOT).proof, Proof::Open);
        assert_eq!(tree.visits(ROOT), 4);
        assert_eq!(tree.edge_wdl(tree.edge(0)), Wdl::DRAW);
    }

    #[test]
    fn a_subtree_keeps_counts_and_proofs() {
        let (mut tree, paths) = root_with_replies();
        end(&mut tree, &paths[3], Wdl::LOSS);
        let kept = tree.subtree(1);
        assert_eq!(kept.visits(ROOT), 1);
        assert_eq!(kept.node(ROOT).proof, Proof::Win(1));
        assert_eq!(kept.edges(ROOT)[1].visits, 1);
        assert!(
            kept.node(kept.edges(ROOT)[1].child().unwrap())
                .is_terminal()
        );
        assert!(tree.subtree(paths[0][1].edge).is_empty());
    }
}
