//! How men move: data from which all tables are built.

/// A slide over empty squares up to and including the first man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slide {
    /// No slide.
    None,
    /// Straight ahead only.
    Forward,
    /// Along ranks and files.
    Orthogonal,
    /// Along diagonals.
    Diagonal,
    /// Along ranks and files; captures only over exactly one man of either colour.
    Cannon,
}

/// A leap that a man on the leg square blocks. Offsets are (right, forward).
#[derive(Clone, Copy, Debug)]
pub struct Leap {
    /// The square that must be empty.
    pub leg: (i8, i8),
    /// Where the leap may end.
    pub to: &'static [(i8, i8)],
}

/// The rectangle in which a man must stay, as its owner sees the board: inclusive bounds.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Lowest and highest file.
    pub files: (usize, usize),
    /// Lowest and highest rank.
    pub ranks: (usize, usize),
}

/// How a kind of man moves; kinds that move, promote and die alike share one.
#[derive(Clone, Copy, Debug)]
pub struct Movement {
    /// Single steps and unhindered leaps, as (right, forward) seen by the owner.
    pub steps: &'static [(i8, i8)],
    /// Steps that are gained from `gained_from` on, counted in ranks from the owner's home.
    pub gained: &'static [(i8, i8)],
    /// The rank from which `gained` counts.
    pub gained_from: usize,
    /// A slide, in addition to the steps.
    pub slide: Slide,
    /// Leaps that can be blocked; at most four.
    pub leaps: &'static [Leap],
    /// Where the man must stay, or `None` for the whole board.
    pub region: Option<Region>,
    /// Whether the man can promote.
    pub promotes: bool,
}

impl Movement {
    /// A man that cannot move: the base from which tables of movements are written.
    pub const NONE: Self = Self {
        steps: &[],
        gained: &[],
        gained_from: 0,
        slide: Slide::None,
        leaps: &[],
        region: None,
        promotes: false,
    };

    /// Tells whether the man does nothing but step straight ahead, so that all of them can be moved at once.
    pub(super) const fn is_pawn_like(&self) -> bool {
        self.steps.len() == 1
            && self.steps[0].0 == 0
            && self.steps[0].1 == 1
            && self.gained.is_empty()
            && matches!(self.slide, Slide::None)
            && self.leaps.is_empty()
            && self.region.is_none()
    }
}

/// The four neighbours along ranks and files.
pub const ORTHOGONAL: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// The four neighbours along diagonals.
pub const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
/// All eight neighbours.
pub const KING: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
/// The four neighbours along ranks and files, and the two ahead along diagonals.
pub const GOLD: [(i8, i8); 6] = [(0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1)];
