//! Players as engines: USI, UCI and UCCI over lines of text.
//!
//! A [`Session`] takes [`Event`]s, the lines that come in among them, and hands out lines. It reads and writes nothing itself; its thinker has
//! a thread of its own, so that the session hears `stop` while it thinks.

mod answer;
mod desk;
mod go;
mod say;
mod settings;

use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

use rules::dialect::Dialect;
use rules::{Declaration, Game, MoveOf, Position as _, Reason, RuleOptions, Variant, VariantId};

use crate::evaluator::EvaluatorError;
use crate::thinker::Thinker;
use answer::Running;
use desk::Desk;
use say::Voice;
use settings::Change;
pub use settings::{Caps, Settings};

/// What happens to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line came in.
    Line {
        /// The line, without its end.
        text: String,
        /// When it was read: clocks run from there.
        at: Instant,
    },
    /// A line came in that no one can mean, of so many bytes.
    TooLong(usize),
    /// No more lines will come.
    Closed,
    /// The thinker has something to say.
    News,
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The engine's name, as it introduces itself.
    pub name: String,
    /// Who made it.
    pub author: String,
    /// The games that the player can play.
    pub variants: Vec<VariantId>,
    /// The rules that it plays by.
    pub options: RuleOptions,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to, or no one listens any more.
    Quit,
    /// Another game is wanted.
    Variant(VariantId),
}

/// A session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The player's evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The thread that thinks broke down.
    #[error("the player's thread ended by itself: this is a bug")]
    Gone,
    /// No thread can be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// One engine, in conversation by one protocol about one game.
pub struct Session<V: Variant> {
    dialect: Dialect,
    identity: Identity,
    settings: Settings,
    desk: Desk<V>,
    /// The game that `position` told of; `None` after one that could not be read.
    game: Option<Game<V>>,
    /// Moves of the position that must not be played.
    banned: Vec<MoveOf<V>>,
    /// The number of the game, counted by `newgame`.
    number: u64,
    running: Option<Running<V>>,
    ended: Option<Ended>,
    /// Lines to be handed out.
    said: Vec<String>,
}

impl<V: Variant> std::fmt::Debug for Session<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("dialect", &self.dialect)
            .field("game", &V::ID)
            .finish_non_exhaustive()
    }
}

impl<V: Variant> Session<V> {
    /// Begins a session with a thinker. `bell` sends to where the session's events come from.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn new(
        dialect: Dialect,
        identity: Identity,
        settings: Settings,
        (thinker, bell): (Box<dyn Thinker<V>>, SyncSender<Event>),
    ) -> Result<Self, SessionError> {
        let desk = Desk::open(thinker, bell)?;
        desk.set_up(settings.resources());
        Ok(Self {
            dialect,
            game: Some(Game::new(identity.options)),
            identity,
            settings,
            desk,
            banned: Vec::new(),
            number: 0,
            running: None,
            ended: None,
            said: Vec::new(),
        })
    }

    /// Returns the settings, as the conversation has left them.
    pub fn into_settings(self) -> Settings {
        self.settings
    }

    /// Introduces itself, as the protocol's first word asks it to.
    pub fn introduce(&mut self) {
        let Identity { name, author, .. } = &self.identity;
        self.said.push(format!("id name {name}"));
        self.said.push(format!("id author {author}"));
        let abilities = self.desk.abilities();
        let variants = &self.identity.variants;
        self.said.extend(
            self.settings
                .declared(self.dialect, abilities, variants, V::ID),
        );
        self.said.push(format!("{}ok", self.dialect.name()));
    }

    /// Takes events until the session ends. `out` takes each line that is said, and returns `false` if no one listens any more.
    ///
    /// # Errors
    /// If the thinker fails.
    pub fn run(
        &mut self,
        events: &Receiver<Event>,
        out: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Ended, SessionError> {
        loop {
            for line in self.said.drain(..) {
                if !out(&line) {
                    self.ended = Some(Ended::Quit);
                }
            }
            if let Some(ended) = self.ended {
                // What is still thought about ends here, said or not.
                self.finish()?;
                self.said.drain(..).all(|line| out(&line));
                return Ok(ended);
            }
            match events.recv() {
                Ok(Event::Line { text, at }) => self.line(&text, at)?,
                Ok(Event::TooLong(bytes)) => {
                    self.remark(&format!("a line of {bytes} bytes was passed over"));
                }
                Ok(Event::News) => {}
                Ok(Event::Closed) | Err(_) => self.ended = Some(Ended::Quit),
            }
            self.hear()?;
        }
    }

    fn line(&mut self, text: &str, at: Instant) -> Result<(), SessionError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((&word, rest)) = words.split_first() else {
            return Ok(());
        };
        match (word, self.dialect) {
            _ if word == self.dialect.name() => self.introduce(),
            ("isready", _) => self.said.push("readyok".to_owned()),
            ("setoption", _) => self.set_option(rest)?,
            ("usinewgame", Dialect::Usi) | ("ucinewgame" | "uccinewgame", _) => self.new_game()?,
            ("position", _) => {
                self.finish()?;
                self.banned.clear();
                self.game = match self.read_position(rest) {
                    Ok(game) => Some(game),
                    Err(error) => {
                        self.remark(&error);
                        None
                    }
                };
            }
            ("banmoves", Dialect::Ucci) => self.ban(rest)?,
            ("go", _) => {
                self.finish()?;
                self.go(rest, at);
            }
            ("stop", _) => self.stop(),
            ("gameover", Dialect::Usi) => self.finish()?,
            ("ponderhit", _) => self.ponder_hit(at),
            ("quit", _) => {
                self.ended = Some(Ended::Quit);
                if self.dialect == Dialect::Ucci {
                    self.finish()?;
                    self.said.push("bye".to_owned());
                }
            }
            ("debug" | "register", _) => {}
            _ => self.remark(&format!("unknown command `{word}`")),
        }
        Ok(())
    }

    /// Reads `name NAME value VALUE`, or UCCI's `NAME VALUE`.
    fn set_option(&mut self, words: &[&str]) -> Result<(), SessionError> {
        self.finish()?;
        let (name, value) = match words {
            ["name", rest @ ..] => {
                let at = rest.iter().position(|&word| word == "value");
                let (name, value) = rest.split_at(at.unwrap_or(rest.len()));
                (name.join(" "), value.get(1..).unwrap_or(&[]).join(" "))
            }
            [name, value @ ..] => ((*name).to_owned(), value.join(" ")),
            [] => return Ok(()),
        };
        if name == "newgame" {
            return self.new_game();
        }
        let variants = &self.identity.variants;
        match self.settings.set(&name, &value, self.dialect, variants) {
            Ok(Change::Done) => {}
            Ok(Change::Resources) => self.desk.set_up(self.settings.resources()),
            Ok(Change::Variant(id)) if id == V::ID => {}
            Ok(Change::Variant(id)) => self.ended = Some(Ended::Variant(id)),
            Err(problem) => self.remark(&format!("option `{name}` = `{value}`: {problem}")),
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), SessionError> {
        self.finish()?;
        self.desk.forget();
        self.banned.clear();
        self.game = Some(Game::new(self.identity.options));
        self.number += 1;
        Ok(())
    }

    /// Reads a position with its moves. A game that is over by its history may go on, since the other side may count otherwise.
    fn read_position(&self, words: &[&str]) -> Result<Game<V>, String> {
        let at = words.iter().position(|&word| word == "moves");
        let (start, moves) = words.split_at(at.unwrap_or(words.len()));
        let options = self.identity.options;
        let game = self.dialect.parse_game::<V>(&start.join(" "), options);
        let mut game = game.map_err(|error| error.to_string())?;
        for word in moves.iter().skip(1) {
            let mv = self.dialect.parse_move::<V>(game.position(), word);
            game.play(mv.map_err(|error| error.to_string())?);
        }
        Ok(game)
    }

    /// Reads UCCI's `banmoves`: moves of this position that would break the rules of repetition.
    fn ban(&mut self, words: &[&str]) -> Result<(), SessionError> {
        self.finish()?;
        let Some(game) = &self.game else {
            return Ok(());
        };
        let parse = |word: &&str| self.dialect.parse_move::<V>(game.position(), word).ok();
        self.banned = words.iter().filter_map(parse).collect();
        Ok(())
    }

    const fn voice(&self) -> Voice {
        Voice {
            dialect: self.dialect,
            show_wdl: self.settings.show_wdl,
            several: self.settings.lines > 1,
        }
    }

    fn remark(&mut self, text: &str) {
        let line = self.voice().remark(text);
        self.said.push(line);
    }
}

/// What is to be done about a position.
enum Standing<V: Variant> {
    /// There is no move, or no game.
    NoMove,
    /// The side to move has won by declaration.
    Declared,
    /// There are moves to choose from.
    Open(Box<Game<V>>, Vec<MoveOf<V>>),
}

/// Looks at the end of a game. One that has ended by its history begins anew where it stands, and one that cannot be won goes on.
fn standing<V: Variant>(game: Option<&Game<V>>, dialect: Dialect) -> Standing<V> {
    let Some(game) = game else {
        return Standing::NoMove;
    };
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    if legal.is_empty() {
        return Standing::NoMove;
    }
    let mut game = Box::new(game.clone());
    if let Some(outcome) = game.outcome(&legal) {
        let own = outcome.winner == Some(game.position().side_to_move());
        if outcome.reason == Reason::Declaration && own && dialect == Dialect::Usi {
            return Standing::Declared;
        }
        let options = RuleOptions {
            declaration: Declaration::Off,
            no_progress: 0,
            ..*game.options()
        };
        *game = Game::from_position(*game.position(), options);
    }
    Standing::Open(game, legal)
}
