//! Engines of others as players: programs that speak USI, UCI or UCCI, each in a process of its own.
//!
//! `process` runs the program and never waits for it without a limit; `session` is the conversation; `offered` and `answer` read what the
//! engine says; `clock` counts its time. What an engine does wrong ends one game, and the next turn finds a new process where the old one is of
//! no more use.
//!
//! **Choices do not depend on threads.** An engine is told before every move that a new game begins, and a button that clears its hash table
//! is pressed where it has one; then the whole game is sent. With one thread of its own and a limit in nodes or depth its move is then a
//! function of the game.

mod answer;
mod clock;
mod offered;
mod process;
mod session;

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rules::{Dialect, Game, MoveOf, Position, Variant, VariantId};

pub use answer::{Answer, Info, Score};
pub use offered::{Offered, OptionKind};
pub use session::{EngineError, Session, Trouble};

use super::{Act, Choice, Fault, Forfeit, Player, Turn};
use crate::evaluator::EvaluatorError;
use clock::Clocks;

/// How an engine is run and what it may use.
#[derive(Clone, Debug)]
pub struct OutsideConfig {
    /// The program and its arguments; never empty.
    pub command: Vec<String>,
    /// The protocol that it speaks.
    pub dialect: Dialect,
    /// What it may use for a move.
    pub limit: EngineLimit,
    /// Options to set, by name and value; a button is pressed whatever the value.
    pub options: Vec<(String, String)>,
    /// How long it may stay silent when an answer is due, beyond the time that its limit gives it.
    pub patience: Duration,
    /// Where its standard error goes, and what it did wrong.
    pub log: Option<EngineLog>,
}

/// What an engine may use for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLimit {
    /// Nodes searched.
    Nodes(u64),
    /// Plies looked ahead.
    Depth(u32),
    /// Time for each move.
    MoveTime(Duration),
    /// Time for a game, and more of it with each move.
    Clock {
        /// What the clock shows at the start.
        base: Duration,
        /// What every move adds.
        increment: Duration,
    },
}

/// A place for what an engine says on its standard error, shared by all its processes.
#[derive(Clone)]
pub struct EngineLog(Arc<Mutex<dyn Write + Send>>);

impl EngineLog {
    /// Makes a log.
    pub fn new(to: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(to)))
    }

    fn line(&self, text: &str) {
        let mut to = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not end a game.
        let _ = writeln!(to, "{text}").and_then(|()| to.flush());
    }
}

impl fmt::Debug for EngineLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EngineLog")
    }
}

/// Returns the name by which protocols know a game.
pub const fn protocol_name(game: VariantId) -> &'static str {
    match game {
        VariantId::Showgit => "shogi",
        other => other.name(),
    }
}

/// An outside engine as a player; forks have a process each.
#[derive(Debug)]
pub struct OutsidePlayer {
    shared: Arc<Shared>,
    session: Option<Session>,
}

/// What the forks of a player share.
#[derive(Debug)]
struct Shared {
    config: OutsideConfig,
    game: VariantId,
    /// Processes that wait for a fork to use them.
    idle: Mutex<Vec<Session>>,
    clocks: Clocks,
}

impl OutsidePlayer {
    /// Makes a player and starts its first process, so that an engine that does not work is found out before a match.
    ///
    /// # Errors
    /// Says what the engine was asked and did not answer.
    pub fn start<V: Variant>(config: OutsideConfig) -> Result<Self, EngineError> {
        let session = Session::start(&config, V::ID)?;
        Ok(Self {
            shared: Arc::new(Shared {
                config,
                game: V::ID,
                idle: Mutex::new(vec![session]),
                clocks: Clocks::default(),
            }),
            session: None,
        })
    }

    fn choose_one<V: Variant>(&mut self, turn: &Turn<'_, V>) -> Choice<MoveOf<V>> {
        let answer = self.answer(turn);
        let forfeit = |fault, said: String| {
            let (number, ply) = (turn.number, turn.game.ply());
            if let Some(log) = &self.shared.config.log {
                log.line(&format!("senpu: game {number}, ply {ply}: {said}"));
            }
            Act::Forfeit(Forfeit { fault, said })
        };
        let (answer, wdl) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let fault = match error.trouble {
                    Trouble::Silent(_) => Fault::Timeout,
                    _ => Fault::Crash,
                };
                return Choice {
                    act: forfeit(fault, error.to_string()),
                    wdl: None,
                };
            }
        };
        let act = match answer {
            Answer::Move(text) => match self.parse(turn.game, &text) {
                Ok(mv) => Act::Move(mv),
                Err(said) => forfeit(Fault::IllegalMove, said),
            },
            Answer::Resign => Act::Resign,
            Answer::Win => Act::Declare,
            Answer::Unreadable(line) => forfeit(Fault::IllegalMove, format!("answered `{line}`")),
        };
        Choice { act, wdl }
    }

    /// Asks for a move. A process that failed is of no more use.
    fn answer<V: Variant>(
        &mut self,
        turn: &Turn<'_, V>,
    ) -> Result<(Answer, Option<rules::Wdl>), EngineError> {
        let shared = Arc::clone(&self.shared);
        let mut session = match self.session.take().or_else(|| shared.waiting()) {
            Some(session) => session,
            None => Session::start(&shared.config, shared.game)?,
        };
        let answer = shared.ask(&mut session, turn);
        match &answer {
            Ok(_) => self.session = Some(session),
            Err(_) => session.kill(),
        }
        answer
    }

    fn parse<V: Variant>(&self, game: &Game<V>, text: &str) -> Result<MoveOf<V>, String> {
        let dialect = self.shared.config.dialect;
        let read = dialect.parse_move::<V>(game.position(), text);
        read.map_err(|error| error.to_string())
    }
}

impl Shared {
    /// Asks for a move as if the game had just begun, on its clock if it has one.
    fn ask<V: Variant>(
        &self,
        session: &mut Session,
        turn: &Turn<'_, V>,
    ) -> Result<(Answer, Option<rules::Wdl>), EngineError> {
        session.prepare()?;
        let game = turn.game;
        let EngineLimit::Clock { base, increment } = self.config.limit else {
            return session.go(game, self.config.limit);
        };
        let key = (turn.number, game.position().side_to_move());
        let left = self.clocks.left(key, game.ply(), base);
        let limit = EngineLimit::Clock {
            base: left,
            increment,
        };
        let begun = Instant::now();
        let answer = session.go(game, limit)?;
        let left = left.saturating_sub(begun.elapsed()) + increment;
        self.clocks.stop(key, game.ply(), left);
        Ok(answer)
    }

    fn waiting(&self) -> Option<Session> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }
}

impl<V: Variant> Player<V> for OutsidePlayer {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        Ok(turns.iter().map(|turn| self.choose_one(turn)).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self {
            shared: Arc::clone(&self.shared),
            session: None,
        })
    }
}

impl Drop for OutsidePlayer {
    fn drop(&mut self) {
        // A process in the middle of a search is ended with the panic that interrupts it.
        if let Some(session) = self.session.take()
            && !std::thread::panicking()
        {
            let mut idle = (self.shared.idle.lock()).unwrap_or_else(PoisonError::into_inner);
            idle.push(session);
        }
    }
}
