//! The transposition table: what the search found out about positions it met before.

use super::search::MATE_BOUND;

/// What a stored score is of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// At most the score.
    Upper,
    /// At least the score.
    Lower,
    /// The score.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    /// The best move in 16 bits.
    pub(super) mv: u16,
    score: i16,
    depth: i8,
    pub(super) bound: Bound,
    generation: u16,
}

impl Entry {
    /// Returns the score as seen from a node `at` plies from the root: mates are stored by their distance from the position.
    pub(super) const fn score(&self, at: usize) -> i32 {
        let score = self.score as i32;
        if score >= MATE_BOUND {
            score - at as i32
        } else if score <= -MATE_BOUND {
            score + at as i32
        } else {
            score
        }
    }

    pub(super) const fn depth(&self) -> i32 {
        self.depth as i32
    }
}

/// The bytes of an entry.
pub(crate) const ENTRY_BYTES: usize = size_of::<Entry>();

/// A table of fixed size in which a newer entry takes the place of an older or shallower one.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Entries of other generations count as empty.
    generation: u16,
}

const EMPTY: Entry = Entry {
    key: 0,
    mv: 0,
    score: 0,
    depth: 0,
    bound: Bound::Upper,
    generation: 0,
};

impl Table {
    /// Makes a table of `2^bits` entries of 16 bytes, or of none if `bits` is 0.
    pub(super) fn new(bits: u32) -> Self {
        let entries = if bits == 0 { 0 } else { 1 << bits };
        Self {
            entries: vec![EMPTY; entries],
            generation: 0,
        }
    }

    /// Forgets everything, mostly without touching the entries.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.fill(EMPTY);
            self.generation = 1;
        }
    }

    pub(super) fn get(&self, key: u64) -> Option<&Entry> {
        let entry = self.entries.get(self.slot(key))?;
        (entry.key == key && entry.generation == self.generation).then_some(entry)
    }

    /// Stores what was found at a node `at` plies from the root.
    pub(super) fn put(&mut self, key: u64, at: usize, (mv, score, depth, bound): Finding) {
        let slot = self.slot(key);
        let Some(entry) = self.entries.get_mut(slot) else {
            return;
        };
        let same = entry.key == key && entry.generation == self.generation;
        let keep = entry.generation == self.generation
            && bound != Bound::Exact
            && i32::from(entry.depth) > depth + if same { 2 } else { 4 };
        if keep {
            return;
        }
        let score = if score >= MATE_BOUND {
            score + at as i32
        } else if score <= -MATE_BOUND {
            score - at as i32
        } else {
            score
        };
        *entry = Entry {
            key,
            mv: if mv == 0 && same { entry.mv } else { mv },
            score: score as i16,
            depth: depth as i8,
            bound,
            generation: self.generation,
        };
    }

    fn slot(&self, key: u64) -> usize {
        // The middle of the product: a key's low bits alone are what `Game` sorts by too.
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }
}

/// The best move in 16 bits or 0, the score, the depth searched and what the score is.
pub(super) type Finding = (u16, i32, i32, Bound);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_keep_their_distance_from_the_position() {
        let mut table = Table::new(4);
        table.clear();
        table.put(7, 3, (9, MATE_BOUND + 500, 2, Bound::Exact));
        let score = |at| table.get(7).map(|entry| entry.score(at));
        assert_eq!(score(3), Some(MATE_BOUND + 500));
        assert_eq!(score(5), Some(MATE_BOUND + 498));
        assert!(table.get(8).is_none());
    }

    #[test]
    fn a_cleared_table_knows_nothing_even_after_the_generations_have_gone_round() {
        let mut table = Table::new(4);
        table.clear();
        table.put(7, 0, (9, 1, 2, Bound::Exact));
        for _ in 0..=u16::MAX {
            table.clear();
            assert!(table.get(7).is_none());
        }
        assert!(Table::new(0).get(7).is_none());
    }
}
