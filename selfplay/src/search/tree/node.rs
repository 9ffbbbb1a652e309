//! A position of the tree, and a move of it.

use rules::Wdl;

use super::NodeId;

/// The child of an edge that has not been tried.
pub(super) const NO_NODE: NodeId = NodeId::MAX;

/// In the place of `first_edge`: the game has ended there, or a mate is known.
pub(super) const ENDED: u32 = u32::MAX;

/// In the place of `first_edge`: its evaluation is on its way.
pub(super) const PENDING: u32 = u32::MAX - 1;

/// What is proven of a position, from the side of its mover, with the plies to the mate along the lines searched.
///
/// Proofs come from ends of the game by the real history of the line: a repetition within the tree that is not yet an end is never one.
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

    /// Returns what a proof of the position behind a move says of the move, from the side of the player who makes it.
    fn before(self) -> Self {
        match self {
            Self::Open => Self::Open,
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }
}

/// A position of the tree, with what the simulations through it found from the side of the player who moved there.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Node {
    pub(super) visits: u32,
    pub(super) win: f32,
    pub(super) draw: f32,
    /// The sum of the squares of the values found.
    squares: f32,
    /// What the evaluator said: chances of a win and of a draw, from the side of the mover.
    pub(super) raw: [f32; 2],
    /// Where its edges begin, or [`ENDED`] or [`PENDING`]; without edges anything else is the ply at which a cycle began.
    pub(super) first_edge: u32,
    /// Its legal moves; 0 where the game has ended, a mate is known, or an evaluation is awaited.
    pub(super) edges: u16,
    /// How many of them have a child; they come first.
    pub(super) tried: u16,
    pub(in crate::search) proof: Proof,
}

impl Node {
    pub(super) fn new(first_edge: u32, proof: Proof, raw: Wdl) -> Self {
        Self {
            visits: 0,
            win: 0.0,
            draw: 0.0,
            squares: 0.0,
            raw: [raw.win, raw.draw],
            first_edge,
            edges: 0,
            tried: 0,
            proof,
        }
    }

    /// Tells whether nothing lies below: the game has ended, comes back to an earlier position of the tree, or a mate is known.
    pub(in crate::search) fn is_terminal(&self) -> bool {
        self.edges == 0 && self.first_edge != PENDING
    }

    /// Tells whether its evaluation is on its way.
    pub(in crate::search) fn is_pending(&self) -> bool {
        self.edges == 0 && self.first_edge == PENDING
    }

    /// Tells whether it was cut off for coming back to a position before `ply`.
    pub(super) fn is_cycle_from_before(&self, ply: usize) -> bool {
        self.edges == 0 && self.first_edge < PENDING && (self.first_edge as usize) < ply
    }

    /// Returns the visits, those under way and its own evaluation included.
    pub(in crate::search) fn visits(&self) -> u32 {
        self.visits
    }

    /// Returns what the evaluator or the rules said of it, from the side of its mover.
    pub(in crate::search) fn raw(&self) -> Wdl {
        let [win, draw] = self.raw;
        Wdl {
            win,
            draw,
            loss: (1.0 - win - draw).max(0.0),
        }
    }

    /// Returns what is proven of the move that leads here, from the side of the player who makes it.
    pub(in crate::search) fn move_proof(&self) -> Proof {
        self.proof.before()
    }

    /// Returns what the move that leads here is worth to the player who makes it: certain where proven, else the mean of its visits.
    pub(in crate::search) fn move_wdl(&self) -> Wdl {
        if let Some(certain) = self.move_proof().wdl() {
            return certain;
        }
        let visits = self.visits.max(1) as f32;
        let (win, draw) = (self.win / visits, self.draw / visits);
        Wdl {
            win,
            draw,
            loss: (1.0 - win - draw).max(0.0),
        }
    }

    /// Returns the value of [`Node::move_wdl`], in `[-1, 1]`.
    #[inline]
    pub(in crate::search) fn move_value(&self) -> f32 {
        match self.proof {
            Proof::Open => (2.0 * self.win + self.draw) / self.visits as f32 - 1.0,
            Proof::Win(_) => -1.0,
            Proof::Loss(_) => 1.0,
        }
    }

    /// Returns the variance of the values found, in `[0, 1]`, with two visits of standard deviation `prior` added (KataGo's smoothing of it).
    pub(in crate::search) fn variance(&self, prior: f32) -> f32 {
        const WEIGHT: f32 = 2.0;
        let (visits, mean) = (self.visits as f32, self.move_value());
        let square = (self.squares + WEIGHT * (mean * mean + prior * prior)) / (visits + WEIGHT);
        (square - mean * mean).max(0.0)
    }

    /// Returns the mean of its visits without the last one and `awaited` others that have not been added, from the side of the player who
    /// moved there, if there are any.
    pub(super) fn mean_before(&self, awaited: u32) -> Option<Wdl> {
        let visits = self.visits.saturating_sub(1 + awaited);
        (visits > 0).then(|| {
            let (win, draw) = (self.win / visits as f32, self.draw / visits as f32);
            Wdl {
                win,
                draw,
                loss: (1.0 - win - draw).max(0.0),
            }
        })
    }

    pub(super) fn add(&mut self, wdl: Wdl) {
        let value = wdl.win - wdl.loss;
        self.win += wdl.win;
        self.draw += wdl.draw;
        self.squares += value * value;
    }
}

/// A legal move of a node.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Edge<M> {
    pub(super) child: NodeId,
    pub(in crate::search) prior: f32,
    pub(in crate::search) mv: M,
    /// Its place in the order of legal moves.
    pub(in crate::search) index: u16,
}

impl<M> Edge<M> {
    /// Returns the node behind the edge, or `None` before its first visit.
    pub(in crate::search) fn child(&self) -> Option<NodeId> {
        (self.child != NO_NODE).then_some(self.child)
    }
}
