//! The games of a match and what they add up to.

use std::collections::{BTreeMap, HashSet};

use rules::{Outcome, Side};

use super::pairs::Tally;

/// A finished game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchGame {
    /// The number of the game: `2 * pair`, plus 1 in the game in which player A moves second.
    pub number: u64,
    /// The position it started from, in the game's own text.
    pub start: String,
    /// The moves of the opening that the players did not choose.
    pub opening_plies: usize,
    /// All moves, each in 16 bits.
    pub moves: Vec<u16>,
    /// How it ended.
    pub outcome: Outcome,
}

impl MatchGame {
    /// Returns which side player A has.
    pub fn side_of_a(&self) -> Side {
        side_of_a(self.number)
    }

    /// Returns player A's points in half points: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn half_points(&self) -> usize {
        match self.outcome.winner {
            None => 1,
            Some(winner) => 2 * usize::from(winner == self.side_of_a()),
        }
    }
}

/// Player A is the first side in the first game of a pair.
pub(super) const fn side_of_a(number: u64) -> Side {
    if number.is_multiple_of(2) {
        Side::First
    } else {
        Side::Second
    }
}

/// The result of a match from player A's side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// The games in the order of their numbers.
    pub games: Vec<MatchGame>,
}

impl MatchResult {
    /// Returns player A's wins, draws and losses.
    pub fn wdl(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for game in &self.games {
            counts[2 - game.half_points()] += 1;
        }
        counts
    }

    /// Returns player A's results in games and in pairs. Games whose partner is missing, as after an interruption, are in no pair.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let same_pair = |a: &MatchGame, b: &MatchGame| a.number / 2 == b.number / 2;
        for pair in self.games.chunk_by(same_pair) {
            if let [first, second] = pair {
                tally.count([first.half_points(), second.half_points()]);
            }
        }
        Tally {
            wdl: self.wdl().map(|count| count as u64),
            ..tally
        }
    }

    /// Returns how many games differ from all others in their start or their moves.
    pub fn distinct_games(&self) -> usize {
        let all = |game: &MatchGame| game.moves.len();
        self.distinct(all)
    }

    /// Returns how many openings differ from all others.
    pub fn distinct_openings(&self) -> usize {
        self.distinct(|game| game.opening_plies)
    }

    /// Returns how many games ended for each reason, by the reason's name.
    pub fn endings(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for game in &self.games {
            *counts.entry(game.outcome.reason.name()).or_default() += 1;
        }
        counts
    }

    fn distinct(&self, plies: impl Fn(&MatchGame) -> usize) -> usize {
        self.games
            .iter()
            .map(|game| (&game.start, &game.moves[..plies(game)]))
            .collect::<HashSet<_>>()
            .len()
    }
}
