//! The table of actions: a plane for each way by which men come to a square, once plain and once promoting, and for each kind dropped.
//!
//! The index of an action is `plane x squares + target`, the target as the mover sees it. Whence the man came follows from the way: along a
//! line the nearest man in that direction, by a leap the one man at that distance, over a screen the second man in that direction. Kinds of
//! men need no planes of their own, since a square holds one man. The order of planes is
//!
//! 1. the lines used, by (right, forward); the leaps used, by (right, forward); the lines of captures over a screen;
//! 2. those of them by which a man can promote, promoting, in the same order;
//! 3. the kinds that can be in hand, dropped.

use std::collections::BTreeSet;

use rules::Position;
use rules::board::movement::{DIAGONAL, Movement, ORTHOGONAL, Slide};
use rules::board::{Board, Move, Ruleset, Square};
use rules::{Grid, Side};

/// How a man comes to its target; (right, forward) as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By one step or more along a line, nothing between. The direction has steps of -1, 0 and 1.
    Line((i8, i8)),
    /// By a leap of this offset.
    Leap((i8, i8)),
    /// By a capture along a line over exactly one man.
    Over((i8, i8)),
}

/// The indices of a game's actions.
#[derive(Clone, Debug)]
pub(super) struct Actions {
    /// The plane of every plain move: by movement, capture or not, and offset; [`NONE`] where there is no such move.
    plain: Vec<u8>,
    /// For the plane of a plain move that of the same move promoting, or [`NONE`].
    promoting: Vec<u8>,
    /// The first plane of drops.
    drops: usize,
    planes: usize,
    /// For each action the one with left and right swapped.
    mirror: Vec<u32>,
}

const NONE: u8 = u8::MAX;

impl Actions {
    /// Derives the table from a game's movements.
    pub(super) fn new<R: Ruleset>() -> Self {
        let all = |movements: &mut dyn Iterator<Item = &Movement>| -> Vec<Way> {
            let ways: BTreeSet<Way> = movements.flat_map(ways).collect();
            ways.into_iter().collect()
        };
        let plain = all(&mut R::MOVEMENTS.iter());
        let promoting = all(&mut R::MOVEMENTS.iter().filter(|movement| movement.promotes));
        let drops = plain.len() + promoting.len();
        let planes = drops + R::HAND_KINDS;
        let plane_of = |ways: &[Way], first: usize, way: Way| {
            let at = ways.iter().position(|known| *known == way);
            at.map(|at| first + at)
        };
        // Drops and ways that are their own mirror image stay where they are.
        let mirrored_plane = |plane: usize| {
            let found = if plane < plain.len() {
                plane_of(&plain, 0, plain[plane].mirrored())
            } else if plane < drops {
                let way = promoting[plane - plain.len()];
                plane_of(&promoting, plain.len(), way.mirrored())
            } else {
                Some(plane)
            };
            found.expect("men move to the left as they move to the right")
        };
        let squares = R::GRID.squares();
        let mirror = (0..planes * squares).map(|action| {
            let square = Square::new((action % squares) as u8).mirrored(R::GRID);
            (mirrored_plane(action / squares) * squares + square.index()) as u32
        });
        Self {
            plain: plain_planes(R::GRID, R::MOVEMENTS, &plain),
            promoting: plain
                .iter()
                .map(|way| plane_of(&promoting, plain.len(), *way).map_or(NONE, |at| at as u8))
                .collect(),
            drops,
            planes,
            mirror: mirror.collect(),
        }
    }

    /// Returns how many actions there are for each target.
    pub(super) fn planes(&self) -> usize {
        self.planes
    }

    /// Returns for each action the one with left and right swapped.
    pub(super) fn mirror(&self) -> &[u32] {
        &self.mirror
    }

    /// Returns the index of a legal move.
    pub(super) fn index<R: Ruleset>(&self, board: &Board<R>, mv: Move<R>) -> usize {
        let mover = board.side_to_move();
        let to = mv.to().seen_by(R::GRID, mover);
        let plane = match (mv.from(), mv.dropped()) {
            (Some(from), _) => self.board_plane(board, from, mv),
            (None, kind) => self.drops + usize::from(kind.unwrap_or_default()),
        };
        plane * R::GRID.squares() + to.index()
    }

    fn board_plane<R: Ruleset>(&self, board: &Board<R>, from: Square, mv: Move<R>) -> usize {
        let kind = board.piece(from).map_or(0, |piece| piece.kind);
        let movement = usize::from(R::KINDS[usize::from(kind)].movement);
        let captures = board.occupied().contains(mv.to());
        let offset = offset(R::GRID, from, mv.to(), board.side_to_move());
        let plane = self.plain[at(R::GRID, movement, captures, offset)];
        debug_assert_ne!(plane, NONE, "{mv} is no move of its man");
        let plane = usize::from(plane);
        if mv.promotes() {
            usize::from(self.promoting[plane])
        } else {
            plane
        }
    }
}

impl Way {
    /// Returns the way with left and right swapped.
    fn mirrored(self) -> Self {
        let swap = |(right, forward): (i8, i8)| (-right, forward);
        match self {
            Self::Line(direction) => Self::Line(swap(direction)),
            Self::Leap(offset) => Self::Leap(swap(offset)),
            Self::Over(direction) => Self::Over(swap(direction)),
        }
    }

    /// Returns the way of a step or an unhindered leap.
    fn of_step(offset: (i8, i8)) -> Self {
        if offset.0.abs().max(offset.1.abs()) == 1 {
            Self::Line(offset)
        } else {
            Self::Leap(offset)
        }
    }
}

/// Returns every way in which a man of a movement comes to a square.
fn ways(movement: &Movement) -> Vec<Way> {
    let steps = movement.steps.iter().chain(movement.gained);
    let leaps = movement.leaps.iter().flat_map(|leap| leap.to);
    let lines: &[(i8, i8)] = match movement.slide {
        Slide::None => &[],
        Slide::Forward => &[(0, 1)],
        Slide::Orthogonal | Slide::Cannon => &ORTHOGONAL,
        Slide::Diagonal => &DIAGONAL,
    };
    let over: &[(i8, i8)] = if movement.slide == Slide::Cannon {
        &ORTHOGONAL
    } else {
        &[]
    };
    steps
        .map(|offset| Way::of_step(*offset))
        .chain(leaps.map(|offset| Way::Leap(*offset)))
        .chain(lines.iter().map(|direction| Way::Line(*direction)))
        .chain(over.iter().map(|direction| Way::Over(*direction)))
        .collect()
}

/// Returns the plane of every plain move, in the order of [`at`].
fn plain_planes(grid: Grid, movements: &[Movement], planes: &[Way]) -> Vec<u8> {
    let mut table = vec![NONE; movements.len() * 2 * offsets(grid)];
    let (files, ranks) = (grid.files as i8, grid.ranks as i8);
    for (m, movement) in movements.iter().enumerate() {
        let ways = ways(movement);
        for right in 1 - files..files {
            for forward in 1 - ranks..ranks {
                for captures in [false, true] {
                    let offset = (right, forward);
                    let over = captures && movement.slide == Slide::Cannon;
                    let way = ways.iter().find(|way| way.reaches(offset, over));
                    if let Some(plane) = way.and_then(|way| planes.binary_search(way).ok()) {
                        table[at(grid, m, captures, offset)] = plane as u8;
                    }
                }
            }
        }
    }
    table
}

impl Way {
    /// Tells whether a move of this offset goes this way; `over`: it captures as a cannon does.
    fn reaches(self, offset: (i8, i8), over: bool) -> bool {
        let (right, forward) = offset;
        let length = right.abs().max(forward.abs());
        let along = |(x, y): (i8, i8)| length > 0 && (x * length, y * length) == offset;
        match self {
            Self::Line(direction) => !over && along(direction),
            Self::Leap(leap) => leap == offset,
            Self::Over(direction) => over && along(direction),
        }
    }
}

/// Returns how many offsets there are from one square to another.
const fn offsets(grid: Grid) -> usize {
    (2 * grid.files - 1) * (2 * grid.ranks - 1)
}

/// Returns the place of a plain move in the table.
const fn at(grid: Grid, movement: usize, captures: bool, (right, forward): (i8, i8)) -> usize {
    let column = (right + grid.files as i8 - 1) as usize;
    let row = (forward + grid.ranks as i8 - 1) as usize;
    (movement * 2 + captures as usize) * offsets(grid) + row * (2 * grid.files - 1) + column
}

/// Returns the way from one square to another as (right, forward), as `side` sees it.
fn offset(grid: Grid, from: Square, to: Square, side: Side) -> (i8, i8) {
    let (from, to) = (from.seen_by(grid, side), to.seen_by(grid, side));
    let difference = |to: usize, from: usize| to as i8 - from as i8;
    (
        difference(to.file(grid), from.file(grid)),
        difference(to.rank(grid), from.rank(grid)),
    )
}
