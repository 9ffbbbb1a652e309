//! What men are worth to a search that has no net: a game's data, and the tables built from it at compile time.

mod evaluate;
mod exchange;

use super::grid::Square;
use super::tables::MAX_MOVEMENTS;
use crate::outcome::Side;
use crate::variant::Grid;

pub(super) use evaluate::evaluate;
pub(super) use exchange::{gain, stake, wins_exchange};

/// Room for the kinds of every game.
const KINDS: usize = 16;
const SQUARES: usize = 128;

/// A value that changes as men leave the board, in hundredths of a pawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taper {
    /// The value while every man of the start position is on the board.
    pub full: i32,
    /// The value when none is left.
    pub bare: i32,
}

impl Taper {
    /// Nothing.
    pub const ZERO: Self = Self { full: 0, bare: 0 };

    /// Returns the sum of this and `times` times `other`.
    #[must_use]
    const fn plus(self, other: Self, times: i32) -> Self {
        Self {
            full: self.full + other.full * times,
            bare: self.bare + other.bare * times,
        }
    }

    const fn mean(self) -> i32 {
        i32::midpoint(self.full, self.bare)
    }
}

/// Makes a value from its two ends.
pub const fn taper(full: i32, bare: i32) -> Taper {
    Taper { full, bare }
}

/// What a man of one kind is worth.
#[derive(Clone, Copy, Debug)]
pub struct KindWorth {
    /// On the board, before all that follows.
    pub board: Taper,
    /// In hand.
    pub hand: Taper,
    /// For each rank that it stands ahead of its owner's home.
    pub advance: Taper,
    /// For each file that lies between it and the nearer edge.
    pub centre: Taper,
    /// On a rank of the other half, besides.
    pub far: Taper,
}

impl KindWorth {
    /// Nothing, as kings are worth.
    pub const ZERO: Self = Self {
        board: Taper::ZERO,
        hand: Taper::ZERO,
        advance: Taper::ZERO,
        centre: Taper::ZERO,
        far: Taper::ZERO,
    };
}

/// What the moves of men are worth, by the number of their movement.
#[derive(Clone, Copy, Debug)]
pub struct MovementWorth {
    /// For each square that the man can go to.
    pub mobility: Taper,
    /// How much it threatens the other king with each square that it attacks next to that king.
    pub pressure: i32,
}

/// What endangers a king, in units of [`MovementWorth::pressure`].
#[derive(Clone, Copy, Debug)]
pub struct KingWorth {
    /// For each square next to the king that is attacked and that no own man but the king guards.
    pub weak: i32,
    /// For each empty square next to the king that nothing but the king guards, times the kinds in the other side's hand.
    pub hole: i32,
    /// For each square next to the king to which it can go.
    pub escape: i32,
    /// The danger in units, squared and divided by this, is the value lost.
    pub divisor: i32,
    /// The most that can be lost.
    pub most: i32,
}

/// What a game's men are worth: data and the tables built from it.
#[derive(Debug)]
pub struct Worth {
    /// By the code of a man and its square: what it is worth there to its owner.
    placement: [[Taper; SQUARES]; 2 * KINDS],
    hand: [Taper; 8],
    /// By kind: what changes hands when such a man is taken.
    exchange: [i32; KINDS],
    /// By kind: what promotion adds.
    promotion: [i32; KINDS],
    movements: [MovementWorth; MAX_MOVEMENTS],
    king: KingWorth,
    /// For the side to move.
    tempo: i32,
    /// The men of the start position.
    men: i32,
}

/// A game's data on worth.
#[derive(Clone, Copy, Debug)]
pub struct WorthData {
    /// The board.
    pub grid: Grid,
    /// By kind.
    pub kinds: &'static [KindWorth],
    /// By kind: what it promotes to and what it becomes in its captor's hand.
    pub becomes: &'static [super::Kind],
    /// By movement.
    pub movements: &'static [MovementWorth],
    /// What endangers kings.
    pub king: KingWorth,
    /// What it is worth to be to move.
    pub tempo: i32,
    /// The men of the start position.
    pub men: i32,
    /// How many kinds can be in hand.
    pub hand_kinds: usize,
}

impl Worth {
    /// Returns what changes hands when a man of a kind is taken, in hundredths of a pawn; that of a king means nothing.
    pub const fn exchange(&self, kind: u8) -> i32 {
        self.exchange[kind as usize]
    }

    /// Builds the tables.
    #[allow(
        clippy::large_stack_arrays,
        reason = "the compiler evaluates it: the tables are never on a stack"
    )]
    pub const fn new(data: &WorthData) -> Self {
        let none = MovementWorth {
            mobility: Taper::ZERO,
            pressure: 0,
        };
        let mut worth = Self {
            placement: [[Taper::ZERO; SQUARES]; 2 * KINDS],
            hand: [Taper::ZERO; 8],
            exchange: [0; KINDS],
            promotion: [0; KINDS],
            movements: [none; MAX_MOVEMENTS],
            king: data.king,
            tempo: data.tempo,
            men: data.men,
        };
        let mut m = 0;
        while m < data.movements.len() {
            worth.movements[m] = data.movements[m];
            m += 1;
        }
        let mut kind = 0;
        while kind < data.kinds.len() {
            worth.fill_kind(data, kind);
            kind += 1;
        }
        worth
    }

    const fn fill_kind(&mut self, data: &WorthData, kind: usize) {
        let own = &data.kinds[kind];
        self.exchange[kind] = own.board.mean();
        if kind < data.hand_kinds {
            self.hand[kind] = own.hand;
        }
        let base = data.becomes[kind].base as usize;
        if base < data.hand_kinds {
            self.exchange[kind] += data.kinds[base].hand.mean();
        }
        if let Some(promoted) = data.becomes[kind].promoted {
            self.promotion[kind] = data.kinds[promoted as usize].board.mean() - own.board.mean();
        }
        let mut at = 0;
        while at < 2 * data.grid.squares() {
            let (s, square) = (at % 2, Square::new((at / 2) as u8));
            let side = [Side::First, Side::Second][s];
            self.placement[2 * kind + s][square.index()] = placed(data.grid, own, square, side);
            at += 1;
        }
    }
}

const fn placed(grid: Grid, kind: &KindWorth, square: Square, side: Side) -> Taper {
    let rank = square.rank_for(grid, side);
    let file = square.file(grid);
    let inward = if file < grid.files - 1 - file {
        file
    } else {
        grid.files - 1 - file
    };
    kind.board
        .plus(kind.advance, rank as i32)
        .plus(kind.centre, inward as i32)
        .plus(kind.far, (2 * rank >= grid.ranks) as i32)
}
