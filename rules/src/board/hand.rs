//! Men in hand, packed.

/// The men in one player's hand: eight bits for each of up to eight kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand(u64);

impl Hand {
    /// The most men of a kind, promoted ones included, that a position text may put on the board and into both hands together. Captures keep
    /// that number: eight bits never overflow, and whatever is played from a text can be written and read again.
    pub const MOST_OF_A_KIND: u32 = 160;

    /// Returns all counts as one number.
    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    /// Returns how many men of a kind are in hand.
    pub const fn count(self, kind: usize) -> u32 {
        (self.0 >> (8 * kind) & 0xff) as u32
    }

    /// Tells whether the hand is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether a man of the kind is in hand.
    pub const fn has(self, kind: usize) -> bool {
        self.0 >> (8 * kind) & 0xff != 0
    }

    pub(super) const fn add(&mut self, kind: usize) {
        self.0 += 1 << (8 * kind);
    }

    pub(super) const fn remove(&mut self, kind: usize) {
        debug_assert!(self.has(kind), "no such man in hand");
        self.0 -= 1 << (8 * kind);
    }

    pub(super) const fn set(&mut self, kind: usize, count: u32) {
        self.0 &= !(0xff << (8 * kind));
        self.0 |= (count as u64) << (8 * kind);
    }
}
