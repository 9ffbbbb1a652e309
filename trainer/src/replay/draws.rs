//! Drawing positions from the window, several of a game at a time, so that a game has to be decoded and replayed once for all of them.

use rand::seq::index;
use rand::{Rng, RngExt};

use super::window::Window;

/// Draws games of a window, and positions of each.
///
/// A game of `n` positions is drawn with a chance proportional to the greater of `n` and the number of plies a game, `k`; then `k` of its
/// positions, or all if it has fewer, each with the same chance. So every draw shows every position of the window with the same chance, `k`
/// over the sum of those numbers, and no position twice (a ply with several copies is several positions).
#[derive(Debug)]
pub struct Draws<'a> {
    window: &'a Window,
    plies_per_game: u32,
    /// For each game the sum of the numbers of all games up to it.
    ends: Vec<u64>,
}

impl<'a> Draws<'a> {
    pub(crate) fn new(window: &'a Window, plies_per_game: u32) -> Self {
        let mut end = 0;
        let numbers = window.positions_by_game().map(|positions| match positions {
            0 => 0,
            _ => u64::from(positions.max(plies_per_game)),
        });
        let ends = numbers.map(|number| {
            end += number;
            end
        });
        Self {
            window,
            plies_per_game,
            ends: ends.collect(),
        }
    }

    /// Draws a game, by its index in the window, and plies of full searches of it in rising order, each as often as its copies were drawn. `None` if the window has no position.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<(usize, Vec<usize>)> {
        let end = self.ends.last().copied().filter(|&end| end > 0)?;
        let drawn = rng.random_range(0..end);
        let game = self.ends.partition_point(|&end| end <= drawn);
        let entry = self.window.entry(game)?;
        let positions = entry.positions();
        let count = positions.min(self.plies_per_game);
        let mut numbers: Vec<u32> = index::sample(rng, positions as usize, count as usize)
            .into_iter()
            .map(|number| number as u32)
            .collect();
        numbers.sort_unstable();
        let plies: Option<Vec<usize>> = numbers.into_iter().map(|nth| entry.ply_of(nth)).collect();
        Some((game, plies?))
    }
}
