//! Attack tables and random numbers, built at compile time from a game's data.

use super::bitboard::Bitboard;
use super::grid::{DIRECTIONS, NO_DIRECTION, Square};
use super::movement::{Movement, Region};
use crate::outcome::Side;
use crate::variant::Grid;

/// The most movements a game may have.
pub const MAX_MOVEMENTS: usize = 10;
/// Tables over squares have this size, so that a [`Square`] needs no bounds check.
const SQUARES: usize = 128;

type BySquare<T> = [T; SQUARES];

/// The leaps of one movement from one square: (leg, targets) for each leg.
pub(super) type Leaps = [(Bitboard, Bitboard); 4];

/// Everything that generation looks up.
#[derive(Debug)]
pub struct Tables {
    /// Every square of the board.
    pub(super) all: Bitboard,
    /// The squares from a square to the edge, by direction; the last entry is empty, for "not on a line".
    pub(super) rays: [BySquare<Bitboard>; 9],
    /// The diagonals and the ranks and files through a square, without it.
    pub(super) lines: [BySquare<Bitboard>; 2],
    /// The direction from one square to another, or [`NO_DIRECTION`].
    pub(super) direction: BySquare<BySquare<u8>>,
    /// The bits from a square's upward, for the nearest man in a downward direction.
    pub(super) from_bit: BySquare<Bitboard>,
    /// Where a man of a movement and side steps to from a square.
    pub(super) steps: [[BySquare<Bitboard>; 2]; MAX_MOVEMENTS],
    /// From where a man of a movement and side steps to a square.
    pub(super) steps_to: [[BySquare<Bitboard>; 2]; MAX_MOVEMENTS],
    /// From where a man of the other side can step to a square around a king of a side.
    pub(super) near: [BySquare<Bitboard>; 2],
    /// The leaps of a movement from a square, for either side: regions are applied afterwards.
    pub(super) leaps: [BySquare<Leaps>; 2],
    /// From where a man leaps to a square if no leg is blocked.
    pub(super) leaps_to: [BySquare<Bitboard>; 2],
    /// Where a man of a movement and side may stand.
    pub(super) region: [[Bitboard; 2]; MAX_MOVEMENTS],
    /// Where a man of a movement and side could never move again.
    pub(super) dead: [[Bitboard; 2]; MAX_MOVEMENTS],
    /// The ranks in which men of a side promote.
    pub(super) zone: [Bitboard; 2],
    /// Where a man of a side may promote, by where it starts: everywhere from within the zone, otherwise in it.
    pub(super) promoting: [BySquare<Bitboard>; 2],
    /// The files in which a set of first-rank squares lies: the whole columns.
    pub(super) columns: [Bitboard; 512],
    /// Random numbers of men (by code) on squares.
    pub(super) piece_keys: [BySquare<u64>; 32],
    /// Random numbers of men in hand, by side and kind; taken times the count.
    pub(super) hand_keys: [[u64; 8]; 2],
    /// The random number of the second player being to move.
    pub(super) side_key: u64,
}

const SIDES: [Side; 2] = [Side::First, Side::Second];

impl Tables {
    /// Builds the tables of a game. `king` is the movement of its kings, `zone_ranks` the depth of its promotion zone.
    #[expect(
        clippy::large_stack_arrays,
        reason = "evaluated at compile time, into a static"
    )]
    pub const fn new(grid: Grid, movements: &[Movement], king: usize, zone_ranks: usize) -> Self {
        const EMPTY: BySquare<Bitboard> = [Bitboard::EMPTY; SQUARES];
        let mut tables = Self {
            all: Bitboard::new((1 << grid.squares()) - 1),
            rays: [EMPTY; 9],
            lines: [EMPTY; 2],
            direction: [[NO_DIRECTION as u8; SQUARES]; SQUARES],
            from_bit: EMPTY,
            steps: [[EMPTY; 2]; MAX_MOVEMENTS],
            steps_to: [[EMPTY; 2]; MAX_MOVEMENTS],
            near: [EMPTY; 2],
            leaps: [[[(Bitboard::EMPTY, Bitboard::EMPTY); 4]; SQUARES]; 2],
            leaps_to: [EMPTY; 2],
            region: [[Bitboard::EMPTY; 2]; MAX_MOVEMENTS],
            dead: [[Bitboard::EMPTY; 2]; MAX_MOVEMENTS],
            zone: zones(grid, zone_ranks),
            promoting: [EMPTY; 2],
            columns: [Bitboard::EMPTY; 512],
            piece_keys: [[0; SQUARES]; 32],
            hand_keys: [[0; 8]; 2],
            side_key: 0,
        };
        tables.fill_lines(grid);
        tables.fill_columns(grid);
        tables.fill_promoting(grid);
        let mut m = 0;
        while m < movements.len() {
            tables.fill_movement(grid, m, &movements[m]);
            m += 1;
        }
        tables.fill_near(grid, movements, king);
        tables.fill_keys();
        tables
    }

    /// Returns the ranks in which men of a side promote.
    pub const fn zone(&self, side: Side) -> Bitboard {
        self.zone[side.index()]
    }

    const fn fill_lines(&mut self, grid: Grid) {
        let mut from = 0;
        while from < SQUARES {
            self.from_bit[from] = Bitboard::new(u128::MAX << from);
            from += 1;
        }
        let mut from = 0;
        while from < grid.squares() {
            let mut d = 0;
            while d < 8 {
                let (right, forward) = DIRECTIONS[d];
                let mut at = Square::new(from as u8);
                let mut ray = 0;
                while let Some(next) = at.offset(grid, Side::First, right, forward) {
                    ray |= 1 << next.index();
                    self.direction[from][next.index()] = d as u8;
                    at = next;
                }
                self.rays[d][from] = Bitboard::new(ray);
                let line = (d % 2 == 0) as usize;
                self.lines[line][from] = Bitboard::new(self.lines[line][from].bits() | ray);
                d += 1;
            }
            from += 1;
        }
    }

    const fn fill_columns(&mut self, grid: Grid) {
        let mut row = 0;
        while row < 1 << grid.files {
            let mut rank = 0;
            let mut bits = 0;
            while rank < grid.ranks {
                bits |= (row as u128) << (rank * grid.files);
                rank += 1;
            }
            self.columns[row] = Bitboard::new(bits);
            row += 1;
        }
    }

    const fn fill_promoting(&mut self, grid: Grid) {
        let mut at = 0;
        while at < 2 * grid.squares() {
            let (s, from) = (at % 2, at / 2);
            let starts = self.zone[s].contains(Square::new(from as u8));
            self.promoting[s][from] = if starts { self.all } else { self.zone[s] };
            at += 1;
        }
    }

    const fn fill_movement(&mut self, grid: Grid, m: usize, movement: &Movement) {
        let mut s = 0;
        while s < 2 {
            let region = region(grid, movement.region, SIDES[s]);
            self.region[m][s] = region;
            let mut dead = 0;
            let mut from = 0;
            while from < grid.squares() {
                let square = Square::new(from as u8);
                let mut steps = targets(grid, SIDES[s], square, movement.steps);
                if square.rank_for(grid, SIDES[s]) >= movement.gained_from {
                    steps |= targets(grid, SIDES[s], square, movement.gained);
                }
                steps &= region.bits();
                self.steps[m][s][from] = Bitboard::new(steps);
                self.enter_steps(m, s, from, steps);
                let forward = self.rays[4 * s][from].is_empty();
                let slides = match movement.slide {
                    super::movement::Slide::None => false,
                    super::movement::Slide::Forward => !forward,
                    _ => true,
                };
                if steps == 0 && !slides && movement.leaps.is_empty() {
                    dead |= 1 << from;
                }
                from += 1;
            }
            self.dead[m][s] = Bitboard::new(dead);
            s += 1;
        }
        if !movement.leaps.is_empty() {
            self.fill_leaps(grid, leap_slot(movement), movement);
        }
    }

    const fn fill_near(&mut self, grid: Grid, movements: &[Movement], king: usize) {
        let mut at = 0;
        while at < 2 * grid.squares() {
            let (s, square) = (at % 2, at / 2);
            let mut ring = self.steps[king][s][square].bits();
            let mut near = 0;
            while ring != 0 {
                let target = ring.trailing_zeros() as usize;
                let mut m = 0;
                while m < movements.len() {
                    near |= self.steps_to[m][1 - s][target].bits();
                    m += 1;
                }
                ring &= ring - 1;
            }
            self.near[s][square] = Bitboard::new(near);
            at += 1;
        }
    }

    const fn enter_steps(&mut self, m: usize, s: usize, from: usize, steps: u128) {
        let mut rest = steps;
        while rest != 0 {
            let to = rest.trailing_zeros() as usize;
            let before = self.steps_to[m][s][to].bits();
            self.steps_to[m][s][to] = Bitboard::new(before | 1 << from);
            rest &= rest - 1;
        }
    }

    const fn fill_leaps(&mut self, grid: Grid, slot: usize, movement: &Movement) {
        let mut from = 0;
        while from < grid.squares() {
            let square = Square::new(from as u8);
            let mut i = 0;
            while i < movement.leaps.len() {
                let leap = &movement.leaps[i];
                if let Some(leg) = square.offset(grid, Side::First, leap.leg.0, leap.leg.1) {
                    let to = targets(grid, Side::First, square, leap.to);
                    self.leaps[slot][from][i] = (Bitboard::of(leg), Bitboard::new(to));
                    let mut rest = to;
                    while rest != 0 {
                        let end = rest.trailing_zeros() as usize;
                        let before = self.leaps_to[slot][end].bits();
                        self.leaps_to[slot][end] = Bitboard::new(before | 1 << from);
                        rest &= rest - 1;
                    }
                }
                i += 1;
            }
            from += 1;
        }
    }

    const fn fill_keys(&mut self) {
        let mut state = 0x5e_a9_05_1f_e1_77_02_37;
        let mut code = 0;
        while code < 32 {
            let mut square = 0;
            while square < SQUARES {
                self.piece_keys[code][square] = random(&mut state);
                square += 1;
            }
            code += 1;
        }
        let mut i = 0;
        while i < 16 {
            self.hand_keys[i / 8][i % 8] = random(&mut state) | 1;
            i += 1;
        }
        self.side_key = random(&mut state);
    }

    /// Returns the squares strictly between two squares of one line, or none.
    #[inline]
    pub(super) fn between(&self, a: Square, b: Square) -> Bitboard {
        let d = self.direction_of(a, b);
        self.rays[d][a.index()] & self.rays[if d < 8 { d ^ 4 } else { d }][b.index()]
    }

    #[inline]
    pub(super) fn direction_of(&self, a: Square, b: Square) -> usize {
        let d = self.direction[a.index()][b.index()] as usize;
        // For the compiler: it never is more.
        if d > NO_DIRECTION { NO_DIRECTION } else { d }
    }

    /// Returns the squares from `a` through `b` to the edge, without `a`; none if they are on no line.
    #[inline]
    pub(crate) fn through(&self, a: Square, b: Square) -> Bitboard {
        self.rays[self.direction_of(a, b)][a.index()]
    }
}

/// Leaps are stored by how many targets a leg has: 0 for elephants, 1 for horses.
pub(super) const fn leap_slot(movement: &Movement) -> usize {
    (movement.leaps[0].to.len() > 1) as usize
}

const fn targets(grid: Grid, side: Side, from: Square, offsets: &[(i8, i8)]) -> u128 {
    let mut bits = 0;
    let mut i = 0;
    while i < offsets.len() {
        if let Some(to) = from.offset(grid, side, offsets[i].0, offsets[i].1) {
            bits |= 1 << to.index();
        }
        i += 1;
    }
    bits
}

const fn region(grid: Grid, region: Option<Region>, side: Side) -> Bitboard {
    let mut bits = 0;
    let mut at = 0;
    while at < grid.squares() {
        let square = Square::new(at as u8);
        let (file, rank) = (square.file(grid), square.rank_for(grid, side));
        let inside = match region {
            None => true,
            Some(region) => {
                file >= region.files.0
                    && file <= region.files.1
                    && rank >= region.ranks.0
                    && rank <= region.ranks.1
            }
        };
        if inside {
            bits |= 1 << at;
        }
        at += 1;
    }
    Bitboard::new(bits)
}

const fn zones(grid: Grid, ranks: usize) -> [Bitboard; 2] {
    let near: u128 = (1 << (ranks * grid.files)) - 1;
    let far = near << ((grid.ranks - ranks) * grid.files);
    [Bitboard::new(far), Bitboard::new(near)]
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
const fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
