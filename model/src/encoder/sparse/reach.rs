//! What each side attacks, and whether it does so with a man that is worth less.

use rules::Side;
use rules::board::tables::MAX_MOVEMENTS;
use rules::board::{Bitboard, Board, Ruleset, Square};

/// Whose men attack a man: nobody's, none that are worth less than it, or one that is.
pub(super) const LEVELS: usize = 3;

/// The movements of a game by what men are worth that move so.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    /// Movements, the cheapest first; of several kinds that move alike, the dearest counts.
    order: Vec<usize>,
    /// By kind: how many of these are worth less.
    cheaper: Vec<usize>,
}

/// Where each side attacks.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    all: [Bitboard; 2],
    /// By side and number: with men of so many of the cheapest movements. All empty where that is not told.
    cheapest: [[Bitboard; MAX_MOVEMENTS + 1]; 2],
}

impl Prices {
    pub(super) fn new<R: Ruleset>() -> Self {
        let price = |kind: usize| {
            if kind == usize::from(R::KING) {
                i32::MAX
            } else {
                R::worth().exchange(kind as u8)
            }
        };
        let of_movement = |movement: usize| {
            (0..R::KINDS.len())
                .filter(|&kind| usize::from(R::KINDS[kind].movement) == movement)
                .map(price)
                .max()
        };
        let mut order: Vec<usize> = (0..R::MOVEMENTS.len()).collect();
        order.sort_by_key(|&movement| of_movement(movement));
        let cheaper = |kind| {
            let is_cheaper = |&&movement: &&usize| of_movement(movement) < Some(price(kind));
            order.iter().filter(is_cheaper).count()
        };
        Self {
            cheaper: (0..R::KINDS.len()).map(cheaper).collect(),
            order,
        }
    }
}

impl Reach {
    /// Looks at a position, with prices if it matters what attackers are worth.
    pub(super) fn of<R: Ruleset>(board: &Board<R>, prices: Option<&Prices>) -> Self {
        let sides = [Side::First, Side::Second];
        let Some(prices) = prices else {
            return Self {
                all: sides.map(|side| board.attacked_by(side)),
                cheapest: [[Bitboard::EMPTY; MAX_MOVEMENTS + 1]; 2],
            };
        };
        let cheapest = sides.map(|side| {
            let each = board.attacked_by_each(side);
            let mut cheapest = [Bitboard::EMPTY; MAX_MOVEMENTS + 1];
            for (i, &movement) in prices.order.iter().enumerate() {
                cheapest[i + 1] = cheapest[i] | each[movement];
            }
            cheapest
        });
        Self {
            all: cheapest.map(|cheapest| cheapest[prices.order.len()]),
            cheapest,
        }
    }

    /// Returns where `side` attacks.
    pub(super) fn all(&self, side: Side) -> Bitboard {
        self.all[side.index()]
    }

    /// Tells whether `side` attacks a square.
    #[inline]
    pub(super) fn attacks(&self, side: Side, square: Square) -> bool {
        self.all[side.index()].contains(square)
    }

    /// Returns 1 if the other side attacks a man of `side` on a square, plus 2 if its own side does.
    #[inline]
    pub(super) fn part(&self, side: Side, square: Square) -> usize {
        usize::from(self.attacks(side.other(), square))
            + 2 * usize::from(self.attacks(side, square))
    }

    /// Returns the level of the other side's attack on a man of `side` on a square, plus [`LEVELS`] if its own side attacks it.
    #[inline]
    pub(super) fn level(
        &self,
        prices: &Prices,
        (side, kind): (Side, usize),
        square: Square,
    ) -> usize {
        let cheaper = self.cheapest[side.other().index()][prices.cheaper[kind]];
        usize::from(self.attacks(side.other(), square))
            + usize::from(cheaper.contains(square))
            + LEVELS * usize::from(self.attacks(side, square))
    }
}
