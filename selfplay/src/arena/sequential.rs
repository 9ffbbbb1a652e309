//! A sequential test fed with the games of a match as they end.

use std::collections::BTreeMap;

use super::MatchGame;
use super::pairs::Tally;
use super::sprt::{Sprt, SprtVerdict};

/// A test that looks at the pairs of a match in the order of their numbers.
///
/// A pair waits until all earlier ones are over: were they counted as they end, short games would come first and could decide the test before
/// long ones have a say.
#[derive(Clone, Debug)]
pub struct SequentialMatch {
    sprt: Sprt,
    /// Half points of the games whose turn has not come, by number.
    waiting: BTreeMap<u64, usize>,
    tally: Tally,
    llr: f64,
}

impl SequentialMatch {
    /// Sets up the test before the first game.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            waiting: BTreeMap::new(),
            tally: Tally::default(),
            llr: 0.0,
        }
    }

    /// Takes in a finished game and returns what the test says. Nothing counts any more once the test has decided.
    pub fn add(&mut self, game: &MatchGame) -> SprtVerdict {
        self.waiting.insert(game.number, game.half_points());
        while self.verdict() == SprtVerdict::Undecided {
            let next = 2 * self.tally.pairs.pairs();
            let (Some(&first), Some(&second)) =
                (self.waiting.get(&next), self.waiting.get(&(next + 1)))
            else {
                break;
            };
            self.waiting.retain(|&number, _| number > next + 1);
            self.tally.count([first, second]);
            self.llr = self.sprt.llr(&self.tally.pairs);
        }
        self.verdict()
    }

    /// Returns what the test says so far.
    pub fn verdict(&self) -> SprtVerdict {
        self.sprt.verdict(self.llr)
    }

    /// Returns the log-likelihood ratio so far.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// Returns the results that the test has looked at.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns the test.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }
}

#[cfg(test)]
mod tests {
    use rules::{Outcome, Reason, Side};

    use super::*;
    use crate::arena::{MatchResult, SprtModel};

    /// A game that player A wins, or draws.
    fn game(number: u64, won: bool) -> MatchGame {
        let side = if number.is_multiple_of(2) {
            Side::First
        } else {
            Side::Second
        };
        MatchGame {
            number,
            start: String::new(),
            opening_plies: 0,
            moves: Vec::new(),
            outcome: Outcome {
                winner: won.then_some(side),
                reason: Reason::MoveLimit,
            },
            values: Vec::new(),
            forfeit: None,
        }
    }

    #[test]
    fn pairs_count_in_the_order_of_their_numbers() {
        let sprt = Sprt::new([0.0, 50.0], 0.05, 0.05, SprtModel::Normalized).unwrap();
        let mut test = SequentialMatch::new(sprt);
        for number in [2, 3, 5, 1] {
            assert_eq!(test.add(&game(number, true)), SprtVerdict::Undecided);
            assert_eq!(test.tally(), &Tally::default());
        }
        test.add(&game(0, false));
        assert_eq!(test.tally().pairs.0, [0, 0, 0, 1, 1]);
        assert_eq!(test.tally().wdl, [3, 1, 0]);
        assert_eq!(
            test.llr().to_bits(),
            sprt.llr(&test.tally().pairs).to_bits()
        );
        // The test ends, and then counts no more.
        let decided = (4..400).find(|&number| test.add(&game(number, true)) == SprtVerdict::H1);
        let looked_at = *test.tally();
        assert!(decided.is_some() && looked_at.games() < 200);
        assert_eq!(test.add(&game(looked_at.games(), false)), SprtVerdict::H1);
        test.add(&game(looked_at.games() + 1, false));
        assert_eq!(test.tally(), &looked_at);
    }

    #[test]
    fn games_without_a_partner_are_in_no_pair() {
        let games = [
            (0, true),
            (2, false),
            (3, false),
            (5, true),
            (6, true),
            (7, false),
        ];
        let result = MatchResult {
            games: games.map(|(number, won)| game(number, won)).to_vec(),
        };
        let tally = result.tally();
        assert_eq!((tally.pairs.0, tally.drawn_pairs), ([0, 0, 1, 1, 0], 1));
        assert_eq!((tally.wdl, tally.games()), ([3, 3, 0], 6));
    }
}
