//! The tree of one search: nodes and edges in two arenas, freed wholesale.
//!
//! An edge takes 12 bytes and a node 36, so a tree takes 36 bytes and 12 for each legal move a simulation. What simulations found is
//! kept at the node that an edge leads to. The edges that have been tried come first among a node's edges, and behind them the untried
//! one with the greatest prior: selection looks at these alone, not at every legal move.

mod node;
#[cfg(test)]
mod tests;

use rules::Wdl;

pub(crate) use node::Proof;
use node::{ENDED, NO_NODE, PENDING};
pub(super) use node::{Edge, Node};

/// The number of a node in its arena.
pub(super) type NodeId = u32;

/// The node from which a search starts.
pub(super) const ROOT: NodeId = 0;

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

    /// Returns the bytes that its nodes and edges take.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.edges.capacity() * size_of::<Edge<M>>()
    }

    /// Returns the bytes that are in use of those.
    pub(super) fn bytes_in_use(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge<M>>()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Returns the edges of a node: first those that have been tried, then the one with the greatest prior of the rest.
    #[inline]
    pub(super) fn edges(&self, id: NodeId) -> &[Edge<M>] {
        let node = self.node(id);
        if node.edges == 0 {
            return &[];
        }
        &self.edges[node.first_edge as usize..][..node.edges as usize]
    }

    /// Splits the edges of a node into those tried and the others.
    #[inline]
    pub(super) fn tried(&self, id: NodeId) -> (&[Edge<M>], &[Edge<M>]) {
        self.edges(id).split_at(self.node(id).tried as usize)
    }

    /// Returns the node behind a tried edge.
    #[inline]
    pub(super) fn behind(&self, edge: &Edge<M>) -> &Node {
        self.node(edge.child)
    }

    /// Returns the simulations that went through a node or are under way, its own evaluation apart.
    pub(super) fn visits(&self, id: NodeId) -> u32 {
        self.node(id).visits.saturating_sub(1)
    }

    /// Adds an evaluated position with its legal moves. It has no visit yet.
    pub(super) fn add_open(&mut self, wdl: Wdl, moves: &[M], priors: &[f32]) -> NodeId {
        let id = self.push(Node::new(PENDING, Proof::Open, wdl));
        self.open(id, wdl, moves, priors);
        id
    }

    /// Adds a position whose evaluation is on its way.
    pub(super) fn add_pending(&mut self) -> NodeId {
        self.push(Node::new(PENDING, Proof::Open, Wdl::DRAW))
    }

    /// Gives a pending position its evaluation and its legal moves.
    pub(super) fn open(&mut self, id: NodeId, wdl: Wdl, moves: &[M], priors: &[f32]) {
        debug_assert_eq!(moves.len(), priors.len(), "one prior a legal move");
        let first_edge = self.edges.len() as u32;
        let edge = |((index, &mv), &prior)| Edge {
            child: NO_NODE,
            prior,
            mv,
            index,
        };
        self.edges.extend((0..).zip(moves).zip(priors).map(edge));
        let node = &mut self.nodes[id as usize];
        node.raw = [wdl.win, wdl.draw];
        node.first_edge = first_edge;
        node.edges = moves.len() as u16;
        self.bring_best_forward(id);
    }

    /// Adds a position in which the game has ended with `wdl` for the side to move. Wins and losses are proofs.
    pub(super) fn add_ended(&mut self, wdl: Wdl) -> NodeId {
        let proof = match wdl {
            Wdl::WIN => Proof::Win(0),
            Wdl::LOSS => Proof::Loss(0),
            _ => Proof::Open,
        };
        self.push(Node::new(ENDED, proof, wdl))
    }

    /// Adds a position that already occurred in the tree, at `ply` of the game, with the verdict on that cycle: a value and no proof.
    pub(super) fn add_cycle(&mut self, wdl: Wdl, ply: usize) -> NodeId {
        self.push(Node::new(ply as u32, Proof::Open, wdl))
    }

    /// Adds a position whose end is known, without its moves.
    pub(super) fn add_proven(&mut self, proof: Proof) -> NodeId {
        self.push(Node::new(ENDED, proof, proof.wdl().unwrap_or(Wdl::DRAW)))
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    /// Puts a new node behind the untried edge at `place` of `parent`.
    pub(super) fn attach(&mut self, parent: NodeId, place: usize, child: NodeId) {
        let node = &mut self.nodes[parent as usize];
        let (first, tried) = (node.first_edge as usize, node.tried as usize);
        debug_assert!(place >= tried, "the edge has been tried");
        node.tried += 1;
        self.edges[first + place].child = child;
        self.edges.swap(first + place, first + tried);
        self.bring_best_forward(parent);
    }

    /// Brings the untried edge with the greatest prior, the first of several, right behind the tried ones.
    fn bring_best_forward(&mut self, id: NodeId) {
        let node = &self.nodes[id as usize];
        if node.edges == 0 {
            return;
        }
        let untried = node.first_edge as usize + node.tried as usize
            ..node.first_edge as usize + node.edges as usize;
        let rest = &mut self.edges[untried];
        let Some(first) = rest.first() else { return };
        let mut best = (0, first.prior);
        for (at, edge) in rest.iter().enumerate() {
            if edge.prior > best.1 {
                best = (at, edge.prior);
            }
        }
        rest.swap(0, best.0);
    }

    /// Replaces the priors of a node's edges by a function of the edges.
    pub(super) fn set_priors(&mut self, id: NodeId, mut prior: impl FnMut(&Edge<M>) -> f32) {
        let node = &self.nodes[id as usize];
        let range = node.first_edge as usize..node.first_edge as usize + node.edges as usize;
        for edge in &mut self.edges[range] {
            edge.prior = prior(edge);
        }
        self.bring_best_forward(id);
    }

    /// Counts a simulation under way along `path`, as lost by whoever chose each of its moves, until [`Tree::settle`] says what it found.
    pub(super) fn put_off(&mut self, path: &[NodeId]) {
        for &id in path {
            self.nodes[id as usize].visits += 1;
        }
    }

    /// Counts a simulation along `path`, from the root to where it ended, while none is under way, and adds what it found.
    pub(super) fn back_up(&mut self, path: &[NodeId], wdl: Wdl) {
        self.put_off(path);
        self.settle(path, wdl, |_| 0);
    }

    /// Adds what a simulation already counted found to every node on its path, and hands proofs up.
    ///
    /// `wdl` is from the side of the mover at the end of the path. Above a proven node only its certain value is handed up, and a move
    /// proven lost hands up nothing: who has other moves will not play it, so the mean of the position before it stays as it was. (Averaged
    /// in, refuted replies would make moves look good that only set traps.) `awaited` tells how many other simulations that went through the
    /// node at a place of the path are still under way.
    pub(super) fn settle(&mut self, path: &[NodeId], mut wdl: Wdl, awaited: impl Fn(usize) -> u32) {
        let mut refuted = false;
        for at in (0..path.len()).rev() {
            let node = self.node(path[at]);
            wdl = match node.proof.wdl() {
                Some(certain) => certain.flip(),
                None if refuted => node.mean_before(awaited(at)).unwrap_or(wdl.flip()),
                None => wdl.flip(),
            };
            self.nodes[path[at] as usize].add(wdl);
            if at > 0 {
                self.prove(path[at - 1], path[at]);
            }
            refuted = matches!(self.node(path[at]).move_proof(), Proof::Loss(_));
        }
    }

    /// Proves `parent` if `child` decides it: one lost reply is enough for a win, all must be won for a loss.
    fn prove(&mut self, parent: NodeId, child: NodeId) {
        let proof = match self.node(child).move_proof() {
            Proof::Open => return,
            Proof::Win(plies) => Proof::Win(plies),
            Proof::Loss(_) => {
                let (tried, untried) = self.tried(parent);
                if !untried.is_empty() {
                    return;
                }
                let mut longest = 0;
                for edge in tried {
                    let Proof::Loss(plies) = self.behind(edge).move_proof() else {
                        return;
                    };
                    longest = longest.max(plies);
                }
                Proof::Loss(longest)
            }
        };
        self.nodes[parent as usize].proof = proof;
    }

    /// Replaces `kept` with the tree below `root`, whose position is at `ply` of the game.
    ///
    /// Cycles that began before that ply are no longer within the tree: their nodes are left out, to be searched anew.
    pub(super) fn move_subtree(&self, root: NodeId, ply: usize, kept: &mut Self) {
        kept.clear();
        // Breadth first: the queue holds old nodes in the order of their new numbers.
        let mut queue = vec![root];
        let mut next = 0;
        while next < queue.len() {
            let old = queue[next];
            let mut node = *self.node(old);
            let is_kept = |edge: &&Edge<M>| {
                edge.child()
                    .is_some_and(|child| !self.node(child).is_cycle_from_before(ply))
            };
            if node.edges > 0 {
                node.first_edge = kept.edges.len() as u32;
                for edge in self.edges(old).iter().filter(is_kept) {
                    queue.push(edge.child);
                    let child = (queue.len() - 1) as NodeId;
                    kept.edges.push(Edge { child, ..*edge });
                }
                node.tried = (kept.edges.len() - node.first_edge as usize) as u16;
                let untried = self.edges(old).iter().filter(|edge| !is_kept(edge));
                kept.edges.extend(untried.map(|edge| Edge {
                    child: NO_NODE,
                    ..*edge
                }));
            }
            kept.nodes.push(node);
            kept.bring_best_forward(next as NodeId);
            next += 1;
        }
        let (tried, _) = kept.tried(ROOT);
        let visits: u32 = tried.iter().map(|edge| kept.behind(edge).visits).sum();
        kept.nodes[ROOT as usize].visits = visits + 1;
    }
}
