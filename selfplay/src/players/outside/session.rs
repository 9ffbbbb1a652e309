//! The conversation with an engine.

use std::fmt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rules::{Dialect, Game, Variant, VariantId, Wdl};

use super::process::{Process, Silence};
use super::{Answer, EngineLimit, Info, Offered, OptionKind, OutsideConfig, protocol_name};

/// How far an engine may overstep its clock: what messages take to come and go on a busy machine.
const LAG: Duration = Duration::from_millis(100);
/// The option that names the game.
const VARIANT: &str = "UCI_Variant";

/// An engine that has been started and answered in its protocol.
#[derive(Debug)]
pub struct Session {
    process: Process,
    command: String,
    dialect: Dialect,
    patience: Duration,
    name: Option<String>,
    options: Vec<Offered>,
    /// Lines that should describe options and do not, with what is wrong.
    wrong_options: Vec<(String, String)>,
}

/// Why an engine is of no use.
#[derive(Debug)]
pub struct EngineError {
    /// The program and its arguments.
    pub command: String,
    /// What was waited for.
    pub wanted: String,
    /// What happened instead.
    pub trouble: Trouble,
    /// The last lines of the engine's standard error.
    pub last_words: Vec<String>,
}

/// What happened to an engine.
#[derive(Debug)]
pub enum Trouble {
    /// It could not be started.
    NotStarted(std::io::Error),
    /// It ended, or closed its output if there is no status.
    Ended(Option<ExitStatus>),
    /// It did not answer in this time.
    Silent(Duration),
    /// It does not offer what is asked of it.
    Unfit(String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine `{}`: ", self.command)?;
        match &self.trouble {
            Trouble::NotStarted(error) => write!(f, "cannot be started: {error}")?,
            Trouble::Ended(Some(status)) => {
                write!(f, "ended ({status}) instead of saying {}", self.wanted)?;
            }
            Trouble::Ended(None) => {
                write!(f, "closed its output instead of saying {}", self.wanted)?;
            }
            Trouble::Silent(time) => {
                let seconds = time.as_secs_f64();
                write!(f, "did not say {} within {seconds:.1} s", self.wanted)?;
            }
            Trouble::Unfit(problem) => f.write_str(problem)?,
        }
        if !self.last_words.is_empty() {
            let said = self.last_words.join(" | ");
            write!(f, "; its standard error ends with: {said}")?;
        }
        Ok(())
    }
}

impl std::error::Error for EngineError {}

impl Session {
    /// Starts an engine, opens the protocol, tells it the game and its options, and waits until it is ready.
    ///
    /// # Errors
    /// If it cannot be started, does not answer, or does not offer the game or an option.
    pub fn start(config: &OutsideConfig, game: VariantId) -> Result<Self, EngineError> {
        let mut session = Self::open(config)?;
        session.choose_game(game)?;
        for (name, value) in &config.options {
            session.set(name, value)?;
        }
        session.say("isready");
        session.wait_for("readyok")?;
        Ok(session)
    }

    /// Starts an engine and opens the protocol.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    pub fn open(config: &OutsideConfig) -> Result<Self, EngineError> {
        let command = config.command.join(" ");
        let process = match Process::start(&config.command, config.log.as_ref()) {
            Ok(process) => process,
            Err(error) => {
                return Err(EngineError {
                    command,
                    wanted: String::new(),
                    trouble: Trouble::NotStarted(error),
                    last_words: Vec::new(),
                });
            }
        };
        let mut session = Self {
            process,
            command,
            dialect: config.dialect,
            patience: config.patience,
            name: None,
            options: Vec::new(),
            wrong_options: Vec::new(),
        };
        session.say(config.dialect.name());
        let end = format!("{}ok", config.dialect);
        for line in session.lines_until(&end, config.patience)? {
            session.describe(&line);
        }
        Ok(session)
    }

    /// Returns the name that the engine gave itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the options that it offers.
    pub fn options(&self) -> &[Offered] {
        &self.options
    }

    /// Returns the lines that should describe options and do not, each with what is wrong.
    pub fn wrong_options(&self) -> &[(String, String)] {
        &self.wrong_options
    }

    /// Names the game, if the engine can be asked for one.
    ///
    /// # Errors
    /// If it lists the games that it plays, and this is none of them.
    pub fn choose_game(&mut self, game: VariantId) -> Result<(), EngineError> {
        let Some(option) = self.option(VARIANT) else {
            return Ok(());
        };
        let names = [protocol_name(game), game.name()];
        let known = names.into_iter().find(|name| option.check(name).is_ok());
        let Some(name) = known else {
            let problem = format!(
                "does not play {game}: its option {VARIANT} does not offer `{}`",
                names[0]
            );
            return Err(self.unfit(problem));
        };
        self.set(VARIANT, name)
    }

    /// Sets an option, or presses it if it is a button.
    ///
    /// # Errors
    /// If the engine does not offer the option or the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let Some(option) = self.option(name) else {
            let names: Vec<&str> = self
                .options
                .iter()
                .map(|option| option.name.as_str())
                .collect();
            let known = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            return Err(self.unfit(format!("has no option `{name}`; it has: {known}")));
        };
        if let Err(problem) = option.check(value) {
            return Err(self.unfit(format!("its option `{}`: {problem}", option.name)));
        }
        let line = self.setting(option, value);
        self.say(&line);
        Ok(())
    }

    /// Tells the engine that a new game begins and that nothing of an earlier one counts, and waits until it is ready.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn prepare(&mut self) -> Result<(), EngineError> {
        match self.dialect {
            Dialect::Usi => self.say("usinewgame"),
            Dialect::Uci => self.say("ucinewgame"),
            // The protocol has a button for it; Fairy-Stockfish a command.
            Dialect::Ucci => self.say("uccinewgame"),
        }
        for name in ["newgame", "Clear Hash"] {
            let button = self.option(name);
            if let Some(option) = button.filter(|option| option.kind == OptionKind::Button) {
                let line = self.setting(option, "");
                self.say(&line);
            }
        }
        self.say("isready");
        self.wait_for("readyok")
    }

    /// Sends the game and asks for a move; a clock shows what is left. Returns the answer and the chances that came with it.
    ///
    /// # Errors
    /// If the engine does not answer.
    pub fn go<V: Variant>(
        &mut self,
        game: &Game<V>,
        limit: EngineLimit,
    ) -> Result<(Answer, Option<Wdl>), EngineError> {
        let position = self.dialect.game_text::<V>(game);
        self.say(&format!("position {position}"));
        self.say(&limit.command(self.dialect));
        let (mut wdl, mut answer) = (None, None);
        let time = limit.longest(self.patience);
        self.listen("bestmove", time, |line| {
            if let Some(info) = line.strip_prefix("info ") {
                // What cannot be read here says nothing of the move.
                wdl = Info::parse(info).ok().and_then(|info| info.wdl).or(wdl);
                return false;
            }
            answer = Answer::parse(line);
            answer.is_some()
        })?;
        let answer = answer.unwrap_or_else(|| Answer::Unreadable(String::new()));
        Ok((answer, wdl))
    }

    /// Sends a line.
    pub fn say(&mut self, line: &str) {
        self.process.send(line);
    }

    /// Waits for a line that begins with a word.
    ///
    /// # Errors
    /// If it does not come in time.
    pub fn wait_for(&mut self, word: &str) -> Result<(), EngineError> {
        self.lines_until(word, self.patience).map(|_| ())
    }

    /// Returns all lines up to the one that begins with `word`, which is the last of them.
    ///
    /// # Errors
    /// If it does not come in `time`.
    pub fn lines_until(&mut self, word: &str, time: Duration) -> Result<Vec<String>, EngineError> {
        let mut lines = Vec::new();
        self.listen(word, time, |line| {
            lines.push(line.to_owned());
            line.split_whitespace().next() == Some(word)
        })?;
        Ok(lines)
    }

    /// Asks the engine to end, and returns how it did, if it does in `time`.
    pub fn quit(&mut self, time: Duration) -> Option<ExitStatus> {
        self.process.quit(time)
    }

    /// Ends the process at once.
    pub(super) fn kill(&mut self) {
        self.process.kill();
    }

    /// Shows `take` every line until it is content.
    fn listen(
        &mut self,
        wanted: &str,
        time: Duration,
        mut take: impl FnMut(&str) -> bool,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + time;
        loop {
            let trouble = match self.process.next_line(deadline) {
                Ok(line) if take(&line) => return Ok(()),
                Ok(_) => continue,
                Err(Silence::TooLate) => Trouble::Silent(time),
                Err(Silence::Ended) => Trouble::Ended(self.process.ended()),
            };
            let ended = matches!(trouble, Trouble::Ended(Some(_)));
            return Err(EngineError {
                command: self.command.clone(),
                wanted: format!("`{wanted}`"),
                trouble,
                last_words: self.process.last_words(ended),
            });
        }
    }

    fn describe(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = Some(name.to_owned());
        }
        if let Some(text) = line.strip_prefix("option ") {
            match Offered::parse(text) {
                Ok(option) => self.options.push(option),
                Err(problem) => self.wrong_options.push((line.to_owned(), problem)),
            }
        }
    }

    fn option(&self, name: &str) -> Option<&Offered> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// Returns the command that sets an option.
    pub fn setting(&self, option: &Offered, value: &str) -> String {
        let (name, button) = (&option.name, option.kind == OptionKind::Button);
        match (self.dialect, button) {
            (Dialect::Ucci, true) => format!("setoption {name}"),
            (Dialect::Ucci, false) => format!("setoption {name} {value}"),
            (_, true) => format!("setoption name {name}"),
            (_, false) => format!("setoption name {name} value {value}"),
        }
    }

    fn unfit(&self, problem: String) -> EngineError {
        EngineError {
            command: self.command.clone(),
            wanted: String::new(),
            trouble: Trouble::Unfit(problem),
            last_words: Vec::new(),
        }
    }
}

impl EngineLimit {
    /// Returns the command that begins a search. Both sides are said to have the same time left.
    pub fn command(self, dialect: Dialect) -> String {
        match (self, dialect) {
            (Self::Nodes(nodes), _) => format!("go nodes {nodes}"),
            (Self::Depth(depth), _) => format!("go depth {depth}"),
            // What every program for shogi knows.
            (Self::MoveTime(time), Dialect::Usi) => {
                format!("go btime 0 wtime 0 byoyomi {}", time.as_millis())
            }
            (Self::MoveTime(time), _) => format!("go movetime {}", time.as_millis()),
            (Self::Clock { base, increment }, dialect) => {
                let (left, more) = (base.as_millis(), increment.as_millis());
                match dialect {
                    // Not every program for shogi knows of increments.
                    Dialect::Usi if increment.is_zero() => {
                        format!("go btime {left} wtime {left} byoyomi 0")
                    }
                    Dialect::Ucci => format!(
                        "go time {left} increment {more} opptime {left} oppincrement {more}"
                    ),
                    _ => format!("go btime {left} wtime {left} binc {more} winc {more}"),
                }
            }
        }
    }

    /// Returns how long an answer may take.
    fn longest(self, patience: Duration) -> Duration {
        match self {
            Self::Nodes(_) | Self::Depth(_) => patience,
            Self::MoveTime(time) => time + patience,
            Self::Clock { base, .. } => base + LAG,
        }
    }
}
