//! The games of a match and what they add up to.

use std::collections::{BTreeMap, HashSet};

use rules::{Outcome, Reason, Side};
use serde::Serialize;

use super::pairs::Tally;
use crate::players::{Fault, Forfeit};

/// A finished game of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchGame {
    /// The number of the game: `2 * pair`, plus 1 in the game in which player A moves second.
    pub number: u64,
    /// The position it started from, in the game's own text.
    pub start: String,
    /// The moves of the opening that the players did not choose.
    pub opening_plies: usize,
    /// All moves, each in 16 bits.
    pub moves: Vec<u16>,
    /// What the mover thought of the position before each move, `win - loss`, if it said so; an entry a move, or none at all.
    pub values: Vec<Option<f32>>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the loser did wrong, if the game ended by [`Reason::Forfeit`].
    pub forfeit: Option<Forfeit>,
}

/// How often a player gave up, and what it did wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// Games in which it went away.
    pub crashes: u64,
    /// Games in which it did not answer in time.
    pub timeouts: u64,
    /// Games in which its answer was no legal move.
    pub illegal_moves: u64,
    /// Games that it gave up, which is no fault.
    pub resignations: u64,
}

impl Faults {
    /// Returns how many games the player lost by what it did wrong.
    pub const fn forfeits(&self) -> u64 {
        self.crashes + self.timeouts + self.illegal_moves
    }
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
#[derive(Clone, Debug, Default, PartialEq)]
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

    /// Returns what player A, and player B, did wrong.
    pub fn faults(&self) -> [Faults; 2] {
        let mut faults = [Faults::default(); 2];
        for game in &self.games {
            let loser = game.outcome.winner.map(Side::other);
            let faults = &mut faults[usize::from(loser != Some(game.side_of_a()))];
            match (game.outcome.reason, &game.forfeit) {
                (Reason::Resignation, _) => faults.resignations += 1,
                (_, Some(forfeit)) => match forfeit.fault {
                    Fault::Crash => faults.crashes += 1,
                    Fault::Timeout => faults.timeouts += 1,
                    Fault::IllegalMove => faults.illegal_moves += 1,
                },
                _ => {}
            }
        }
        faults
    }

    fn distinct(&self, plies: impl Fn(&MatchGame) -> usize) -> usize {
        self.games
            .iter()
            .map(|game| (&game.start, &game.moves[..plies(game)]))
            .collect::<HashSet<_>>()
            .len()
    }
}
