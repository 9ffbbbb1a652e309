//! Where the threads of a match meet: the games that wait for a move, and who takes them.
//!
//! A thread takes games in which the same player is to move, an even share of all that go on, asks its own copy of that player for all moves at
//! once, and brings the games back. So no thread waits while there are games for it, however unlike their lengths, and searches share their
//! evaluations.

use std::collections::HashSet;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rules::{Game, MoveOf, Outcome, Position, Reason, RuleOptions, Variant};

use super::adjudication::{Adjudication, Values};
use super::openings::Openings;
use super::result::{MatchGame, side_of_a};
use crate::evaluator::EvaluatorError;
use crate::players::{Act, Choice, Fault, Forfeit, Player, Turn};

/// The games of a match under way.
pub(super) struct Desk<V: Variant> {
    plan: Plan,
    state: Mutex<State<V>>,
    changed: Condvar,
}

/// What the threads of a match need to know of it.
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) pairs: u64,
    /// Games that go on at the same time.
    pub(super) concurrent: usize,
    /// Threads that share them.
    pub(super) threads: usize,
    pub(super) options: RuleOptions,
    pub(super) adjudication: Adjudication,
    /// Games that need not be played.
    pub(super) played: HashSet<u64>,
}

/// What one thread plays with.
pub(super) struct Seat<V: Variant> {
    pub(super) players: [Box<dyn Player<V>>; 2],
    pub(super) openings: Openings<V>,
    /// Where finished games go.
    pub(super) finished: Sender<MatchGame>,
}

struct State<V: Variant> {
    /// The pair to begin next.
    next: u64,
    /// The games in which player A, or B, is to move.
    waiting: [Vec<Board<V>>; 2],
    /// Games begun and not ended, those included that a thread has.
    open: usize,
    over: bool,
    failure: Option<EvaluatorError>,
}

/// A game under way.
struct Board<V: Variant> {
    number: u64,
    opening_plies: usize,
    game: Game<V>,
    values: Values,
    /// What the movers said, an entry a move.
    said: Vec<Option<f32>>,
    outcome: Option<Outcome>,
    forfeit: Option<Forfeit>,
}

enum Work<V: Variant> {
    /// Open the games of a pair that are still to be played.
    Open(u64),
    /// Make a move for player A (0) or B (1).
    Move(usize, Vec<Board<V>>),
}

impl<V: Variant> Desk<V> {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            state: Mutex::new(State {
                next: 0,
                waiting: [Vec::new(), Vec::new()],
                open: 0,
                over: false,
                failure: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// Plays until no game is left or the match is stopped.
    pub(super) fn play(&self, mut seat: Seat<V>) {
        let _leaving = Leaving(self);
        while let Some(work) = self.take() {
            let done = match work {
                Work::Open(pair) => self.open(pair, &mut seat.openings),
                Work::Move(player, boards) => self.moves(seat.players[player].as_mut(), boards),
            };
            match done {
                Ok(boards) => self.bring(boards, &seat.finished),
                Err(error) => self.end(|state| state.failure = Some(error)),
            }
        }
    }

    /// Stops the match: games under way are dropped.
    pub(super) fn stop(&self) {
        self.end(|_| {});
    }

    /// Returns why a player failed, if one did.
    pub(super) fn failure(&self) -> Option<EvaluatorError> {
        self.lock().failure.take()
    }

    fn end(&self, note: impl FnOnce(&mut State<V>)) {
        let mut state = self.lock();
        state.over = true;
        note(&mut state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for work; `None` at the end of the match.
    fn take(&self) -> Option<Work<V>> {
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if let Some(pair) = state.begin(&self.plan) {
                return Some(Work::Open(pair));
            }
            let [a, b] = &state.waiting;
            let player = usize::from(b.len() > a.len());
            let share = state.open.div_ceil(self.plan.threads);
            let waiting = &mut state.waiting[player];
            if !waiting.is_empty() {
                let rest = waiting.len().saturating_sub(share);
                return Some(Work::Move(player, waiting.split_off(rest)));
            }
            if state.open == 0 {
                return None;
            }
            state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self, pair: u64, openings: &mut Openings<V>) -> Result<Vec<Board<V>>, EvaluatorError> {
        let game = openings.open((self.plan.seed, pair), self.plan.options)?;
        let board = |number| Board {
            number,
            opening_plies: game.ply(),
            game: game.clone(),
            values: Values::default(),
            said: vec![None; game.ply()],
            outcome: None,
            forfeit: None,
        };
        Ok(self.plan.games(pair).map(board).collect())
    }

    fn moves(
        &self,
        player: &mut dyn Player<V>,
        mut boards: Vec<Board<V>>,
    ) -> Result<Vec<Board<V>>, EvaluatorError> {
        let turns: Vec<Turn<'_, V>> = boards.iter().map(Board::turn).collect();
        let choices = player.choose(&turns)?;
        let mut legal = Vec::new();
        for (board, choice) in boards.iter_mut().zip(choices) {
            board.take(choice, &self.plan.adjudication, &mut legal);
        }
        Ok(boards)
    }

    /// Brings back games, and tells those that have ended.
    fn bring(&self, boards: Vec<Board<V>>, finished: &Sender<MatchGame>) {
        let (ended, going): (Vec<_>, Vec<_>) =
            (boards.into_iter()).partition(|board| board.outcome.is_some());
        let mut state = self.lock();
        state.open -= ended.len();
        for board in going {
            let player =
                usize::from(board.game.position().side_to_move() != side_of_a(board.number));
            state.waiting[player].push(board);
        }
        self.changed.notify_all();
        drop(state);
        for game in ended.iter().filter_map(Board::finished) {
            // Nobody listens any more once the match is stopped.
            let _ = finished.send(game);
        }
    }
}

impl Plan {
    /// Returns the games of a pair that are still to be played.
    fn games(&self, pair: u64) -> impl Iterator<Item = u64> {
        let numbers = [2 * pair, 2 * pair + 1];
        numbers
            .into_iter()
            .filter(|number| !self.played.contains(number))
    }
}

impl<V: Variant> State<V> {
    /// Returns the pair to begin now, if there is room for it.
    fn begin(&mut self, plan: &Plan) -> Option<u64> {
        loop {
            if self.next == plan.pairs || self.open > 0 && self.open + 2 > plan.concurrent {
                return None;
            }
            let pair = self.next;
            self.next += 1;
            let games = plan.games(pair).count();
            self.open += games;
            if games > 0 {
                return Some(pair);
            }
        }
    }
}

impl<V: Variant> Board<V> {
    const fn turn(&self) -> Turn<'_, V> {
        Turn {
            game: &self.game,
            number: self.number,
        }
    }

    /// Does what the player to move chose.
    fn take(
        &mut self,
        choice: Choice<MoveOf<V>>,
        adjudication: &Adjudication,
        legal: &mut Vec<MoveOf<V>>,
    ) {
        let mover = self.game.position().side_to_move();
        let lost = |reason| Some(Outcome::win(mover.other(), reason));
        match choice.act {
            Act::Move(mv) => {
                self.game.play(mv);
                self.game.legal_moves(legal);
                let value = choice.wdl.map(rules::Wdl::value);
                self.said.push(value);
                let ended = (self.values).add(adjudication, (mover, value), self.game.ply());
                self.outcome = self.game.outcome(legal).or(ended);
            }
            Act::Resign => self.outcome = lost(Reason::Resignation),
            Act::Declare => {
                let declared = self.game.position().declaration(self.game.options());
                self.outcome = declared.or_else(|| lost(Reason::Forfeit));
                self.forfeit = declared.is_none().then(|| Forfeit {
                    fault: Fault::IllegalMove,
                    said: "declared a win that the rules do not give it".to_owned(),
                });
            }
            Act::Forfeit(forfeit) => {
                self.outcome = lost(Reason::Forfeit);
                self.forfeit = Some(forfeit);
            }
        }
    }

    fn finished(&self) -> Option<MatchGame> {
        self.outcome.map(|outcome| MatchGame {
            number: self.number,
            start: self.game.start().to_string(),
            opening_plies: self.opening_plies,
            moves: self.game.moves().iter().map(|&mv| mv.into()).collect(),
            values: self.said.clone(),
            outcome,
            forfeit: self.forfeit.clone(),
        })
    }
}

/// Ends the match if its thread panics, so that no other waits for games that never come back.
struct Leaving<'a, V: Variant>(&'a Desk<V>);

impl<V: Variant> Drop for Leaving<'_, V> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
