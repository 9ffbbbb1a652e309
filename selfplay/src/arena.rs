//! Matches in pairs: two games from one opening, colours swapped.

mod elo;
mod fastchess;
mod likelihood;
mod pairs;
mod rating;
mod sequential;
mod sprt;

use std::collections::HashSet;

use rand::RngExt;
use rules::{Game, MoveOf, Outcome, Position, RuleOptions, Side, Variant};

pub use elo::{Estimate, Strength, elo_of_score, expected_score, strength};
pub use fastchess::FastchessReport;
pub use pairs::{PairCounts, Tally};
pub use rating::{Encounter, Pairing, Rating, RatingConfig, RatingError, next_pairing, rate};
pub use sequential::SequentialMatch;
pub use sprt::{Sprt, SprtError, SprtModel, SprtVerdict};

use crate::evaluator::EvaluatorError;
use crate::players::{Player, Turn};
use crate::random::{Purpose, stream};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// Pairs of games; the first game of a pair gives player A the first move.
    pub pairs: u32,
    /// Random legal plies before the players take over; 0 starts from the start position.
    pub opening_plies: u32,
    /// Games that go on at the same time.
    pub concurrent: usize,
    /// What the openings are drawn from.
    pub seed: u64,
    /// The rules.
    pub options: RuleOptions,
}

/// A finished game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchGame {
    /// The number of the game: `2 * pair`, plus 1 in the game in which player A moves second.
    pub number: u64,
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

    /// Returns how many games differ from all others in their moves.
    pub fn distinct_games(&self) -> usize {
        self.games
            .iter()
            .map(|game| &game.moves)
            .collect::<HashSet<_>>()
            .len()
    }

    /// Returns how many openings differ from all others.
    pub fn distinct_openings(&self) -> usize {
        self.games
            .iter()
            .map(|game| &game.moves[..game.opening_plies])
            .collect::<HashSet<_>>()
            .len()
    }
}

/// A game under way.
struct Board<V: Variant> {
    number: u64,
    opening_plies: usize,
    game: Game<V>,
    outcome: Option<Outcome>,
}

/// Plays a match between `a` and `b`. `on_game` is told each finished game and may stop the match by returning `false`; games under way
/// are then dropped.
///
/// # Errors
/// If a player fails.
pub fn play_match<V: Variant>(
    a: &mut dyn Player<V>,
    b: &mut dyn Player<V>,
    config: &MatchConfig,
    on_game: &mut dyn FnMut(&MatchGame) -> bool,
) -> Result<MatchResult, EvaluatorError> {
    let mut boards: Vec<Board<V>> = Vec::new();
    let mut numbers = 0..u64::from(config.pairs) * 2;
    let mut result = MatchResult::default();
    let mut go_on = true;
    while go_on {
        boards.extend(
            numbers
                .by_ref()
                .take(config.concurrent.max(1).saturating_sub(boards.len()))
                .map(|number| open::<V>(config, number)),
        );
        if boards.is_empty() {
            break;
        }
        let a_is_to_move =
            |board: &Board<V>| board.game.position().side_to_move() == side_of_a(board.number);
        move_all(a, &mut boards, a_is_to_move)?;
        move_all(b, &mut boards, |board| !a_is_to_move(board))?;
        let mut finished: Vec<MatchGame> = boards.iter().filter_map(finish).collect();
        boards.retain(|board| board.outcome.is_none());
        finished.sort_by_key(|game| game.number);
        for game in finished {
            go_on &= on_game(&game);
            result.games.push(game);
        }
    }
    result.games.sort_by_key(|game| game.number);
    Ok(result)
}

/// Asks `player` for the moves of all boards on which it is to move, and plays them.
fn move_all<V: Variant>(
    player: &mut dyn Player<V>,
    boards: &mut [Board<V>],
    to_move: impl Fn(&Board<V>) -> bool,
) -> Result<(), EvaluatorError> {
    let mut own: Vec<&mut Board<V>> = boards
        .iter_mut()
        .filter(|board| board.outcome.is_none() && to_move(board))
        .collect();
    if own.is_empty() {
        return Ok(());
    }
    let turns: Vec<Turn<'_, V>> = own
        .iter()
        .map(|board| Turn {
            game: &board.game,
            number: board.number,
        })
        .collect();
    let moves = player.choose(&turns)?;
    let mut legal = Vec::new();
    for (board, mv) in own.iter_mut().zip(moves) {
        board.game.play(mv);
        board.game.legal_moves(&mut legal);
        board.outcome = board.game.outcome(&legal);
    }
    Ok(())
}

fn finish<V: Variant>(board: &Board<V>) -> Option<MatchGame> {
    let moves = board.game.moves().iter().map(|&mv| mv.into()).collect();
    board.outcome.map(|outcome| MatchGame {
        number: board.number,
        opening_plies: board.opening_plies,
        moves,
        outcome,
    })
}

const fn side_of_a(number: u64) -> Side {
    if number.is_multiple_of(2) {
        Side::First
    } else {
        Side::Second
    }
}

/// Games that random plies may end in a row before an opening is made shorter.
const TRIES: u32 = 1000;

/// Sets up a game; both games of a pair share the opening. Openings that end the game are drawn anew, and made shorter where random plies
/// hardly ever leave a game going.
fn open<V: Variant>(config: &MatchConfig, number: u64) -> Board<V> {
    let mut rng = stream(config.seed, Purpose::Opening, number / 2, 0);
    let mut game = Game::<V>::new(config.options);
    let mut legal: Vec<MoveOf<V>> = Vec::new();
    let (mut plies, mut ended) = (config.opening_plies as usize, 0);
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            ended += 1;
            plies -= usize::from(ended % TRIES == 0 && plies > 0);
            game.undo_to(0);
        } else if game.ply() < plies {
            game.play(legal[rng.random_range(0..legal.len())]);
        } else {
            return Board {
                number,
                opening_plies: game.ply(),
                game,
                outcome: None,
            };
        }
    }
}
