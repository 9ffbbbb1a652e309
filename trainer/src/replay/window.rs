//! The newest games in memory: what the learner samples from.

use std::collections::VecDeque;
use std::ops::Range;

use rand::Rng;
use rand::seq::index;
use selfplay::GameRecord;

use super::ReplayError;
use super::entry::Entry;

/// The newest games that together have at least a given number of positions. Its content is a function of the sequence of games alone, where
/// that number is one too.
#[derive(Debug)]
pub(crate) struct Window {
    size: u64,
    games: VecDeque<Held>,
    /// The positions of all games that were ever evicted.
    evicted: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Held {
    entry: Entry,
    /// The positions of all games up to and with this one, the evicted ones included.
    end: u64,
}

impl Window {
    pub(crate) fn new(size: u64) -> Self {
        Self {
            size,
            games: VecDeque::new(),
            evicted: 0,
            bytes: 0,
        }
    }

    /// Sets the number of positions that it is to have from the next game on: one that evicted games cannot be missed for.
    pub(crate) fn set_size(&mut self, size: u64) {
        self.size = size;
    }

    /// Adds a game and evicts the oldest ones that the rest can do without.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.bytes += entry.memory_bytes();
        let end = self.end() + u64::from(entry.positions());
        self.games.push_back(Held { entry, end });
        while let Some(oldest) = self.games.front()
            && end - oldest.end >= self.size
        {
            self.evicted = oldest.end;
            self.bytes -= oldest.entry.memory_bytes();
            self.games.pop_front();
        }
    }

    pub(crate) fn games(&self) -> usize {
        self.games.len()
    }

    pub(crate) fn positions(&self) -> u64 {
        self.end() - self.evicted
    }

    /// Returns the bytes of memory it takes at most, but for evicted games that share memory with the oldest one: a frame's, at most.
    ///
    /// A function of its content alone, and so the same in a run that went on as in one that never stopped: the queue of games, which grows
    /// by doubling, counts twice its length.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes + 2 * self.games.len() * size_of::<Held>()
    }

    pub(crate) fn entry(&self, game: usize) -> Option<&Entry> {
        self.games.get(game).map(|held| &held.entry)
    }

    /// Returns a game by its index; 0 is the oldest.
    pub(crate) fn record(&self, game: usize) -> Result<GameRecord, ReplayError> {
        let entry = (self.entry(game)).ok_or_else(|| ReplayError::OutOfWindow {
            game,
            games: self.games(),
        })?;
        entry.record().map_err(ReplayError::encode)
    }

    /// Draws `count` positions of the games in a range, each with the same chance and none twice, or all if there are fewer. Returns games by
    /// index with plies, both in rising order; a ply with several copies is several positions.
    pub(crate) fn sample<R: Rng + ?Sized>(
        &self,
        games: Range<usize>,
        count: usize,
        rng: &mut R,
    ) -> Vec<(usize, Vec<usize>)> {
        let held = |game: usize| self.entry(game).map_or(0, Entry::positions) as usize;
        let positions: usize = games.clone().map(held).sum();
        let mut numbers = index::sample(rng, positions, count.min(positions)).into_vec();
        numbers.sort_unstable();
        let mut numbers = numbers.into_iter().peekable();
        let (mut first, mut drawn) = (0, Vec::new());
        for game in games {
            let end = first + held(game);
            let mut plies = Vec::new();
            while let Some(number) = numbers.next_if(|&number| number < end) {
                let entry = self.entry(game);
                plies.extend(entry.and_then(|entry| entry.ply_of((number - first) as u32)));
            }
            if !plies.is_empty() {
                drawn.push((game, plies));
            }
            first = end;
        }
        drawn
    }

    /// Returns the positions of each game, from the oldest to the newest.
    pub(crate) fn positions_by_game(&self) -> impl Iterator<Item = u32> + '_ {
        self.games.iter().map(|held| held.entry.positions())
    }

    fn end(&self) -> u64 {
        self.games.back().map_or(self.evicted, |held| held.end)
    }
}

impl AsRef<Self> for Window {
    fn as_ref(&self) -> &Self {
        self
    }
}
