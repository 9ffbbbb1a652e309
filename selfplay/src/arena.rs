//! Matches in pairs: two games from one opening, colours swapped.

mod adjudication;
mod desk;
mod elo;
mod fastchess;
mod likelihood;
mod openings;
mod pairs;
mod rating;
mod result;
mod sequential;
mod sprt;

use std::sync::mpsc;

use rules::{RuleOptions, Variant};

pub use adjudication::{Adjudication, Threshold};
pub use elo::{Estimate, Strength, elo_of_score, expected_score, strength};
pub use fastchess::FastchessReport;
pub use openings::{Balance, Openings};
pub use pairs::{PairCounts, Tally};
pub use rating::{Encounter, Pairing, Rating, RatingConfig, RatingError, next_pairing, rate};
pub use result::{Faults, MatchGame, MatchResult};
pub use sequential::SequentialMatch;
pub use sprt::{Sprt, SprtError, SprtModel, SprtVerdict};

use crate::evaluator::EvaluatorError;
use crate::players::Player;
use crate::workers::Workers;
use desk::{Desk, Plan, Seat};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// Pairs of games; the first game of a pair gives player A the first side.
    pub pairs: u32,
    /// Random legal plies before the players take over, unless an [`Arena`] is given other openings; 0 starts from the start position.
    pub opening_plies: u32,
    /// Games that go on at the same time, at least a pair.
    pub concurrent: usize,
    /// What the openings are drawn from.
    pub seed: u64,
    /// The rules.
    pub options: RuleOptions,
}

/// A match that can be played: how, from where, and what is known of it already.
///
/// Its games are a function of the players, the config, the openings and the adjudication: not of threads, nor of which games go on together.
#[derive(Debug)]
pub struct Arena<V: Variant> {
    config: MatchConfig,
    openings: Openings<V>,
    adjudication: Adjudication,
    played: Vec<MatchGame>,
}

impl<V: Variant> Arena<V> {
    /// Makes a match from random openings, adjudicated by the rules alone.
    pub const fn new(config: MatchConfig) -> Self {
        Self {
            openings: Openings::Random {
                plies: config.opening_plies,
                balance: None,
            },
            config,
            adjudication: Adjudication {
                win: None,
                draw: None,
                draw_from: 0,
                most_plies: None,
            },
            played: Vec::new(),
        }
    }

    /// Starts its games from these openings.
    #[must_use]
    pub fn with_openings(mut self, openings: Openings<V>) -> Self {
        self.openings = openings;
        self
    }

    /// Ends games by these thresholds too.
    #[must_use]
    pub const fn with_adjudication(mut self, adjudication: Adjudication) -> Self {
        self.adjudication = adjudication;
        self
    }

    /// Takes these games of the same match for played.
    #[must_use]
    pub fn with_played(mut self, games: Vec<MatchGame>) -> Self {
        self.played = games;
        self
    }

    /// Plays the match between A and B on all threads. `on_game` is told each newly finished game, as they end, and may stop the match by
    /// returning `false`; games under way are then dropped.
    ///
    /// # Errors
    /// If a player fails, or the evaluator or the judge of the openings.
    pub fn play(
        self,
        [a, b]: [&dyn Player<V>; 2],
        on_game: &mut dyn FnMut(&MatchGame) -> bool,
    ) -> Result<MatchResult, EvaluatorError> {
        let workers = Workers::new();
        let desk = Desk::<V>::new(Plan {
            seed: self.config.seed,
            pairs: self.config.pairs.into(),
            concurrent: self.config.concurrent,
            threads: workers.cores(),
            options: self.config.options,
            adjudication: self.adjudication,
            played: self.played.iter().map(|game| game.number).collect(),
        });
        let (sender, finished) = mpsc::channel();
        let seat = |_| Seat {
            players: [a.fork(), b.fork()],
            openings: self.openings.fork(),
            finished: sender.clone(),
        };
        let seats: Vec<Seat<V>> = (0..workers.cores()).map(seat).collect();
        drop(sender);
        let mut games = self.played;
        workers.crew(
            seats,
            |seat| desk.play(seat),
            || {
                for game in finished {
                    let go_on = on_game(&game);
                    games.push(game);
                    if !go_on {
                        break;
                    }
                }
                desk.stop();
            },
        );
        if let Some(failure) = desk.failure() {
            return Err(failure);
        }
        games.sort_by_key(|game| game.number);
        Ok(MatchResult { games })
    }
}

/// Plays a match from random openings; see [`Arena::play`].
///
/// # Errors
/// If a player fails.
pub fn play_match<V: Variant>(
    a: &mut dyn Player<V>,
    b: &mut dyn Player<V>,
    config: &MatchConfig,
    on_game: &mut dyn FnMut(&MatchGame) -> bool,
) -> Result<MatchResult, EvaluatorError> {
    Arena::new(config.clone()).play([a, b], on_game)
}
