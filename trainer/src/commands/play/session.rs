//! A game between a person and a player.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rand::RngExt;
use rules::{Game, MoveOf, Outcome, Position as _, Reason, Side, Variant};
use selfplay::notation::Format;
use selfplay::players::Act;
use selfplay::random::{Purpose, stream};
use selfplay::transcript::{Claim, Ending, Heading, Note};
use selfplay::{Player, Transcript, Turn};

use super::command::{Command, help};
use super::screen::{self, Style};
use crate::analysis::{Question, analyse};
use crate::cli::PlayArgs;
use crate::commands::analyse::{describe, describe_move};
use crate::dispatch::Parts;
use crate::durable::{self, RealDisk};
use crate::output;
use crate::player_spec::PlayerSpec;

/// Columns of a list of moves.
const WIDTH: usize = 78;

/// A session: one game after the other.
pub(super) struct Session<'a, V: Variant> {
    args: &'a PlayArgs,
    spec: PlayerSpec,
    parts: Parts<V>,
    player: Box<dyn Player<V>>,
    person: Side,
    style: Style,
    /// Where each game begins.
    start: Game<V>,
    game: Game<V>,
    /// What the player said of its moves, an entry a ply.
    notes: Vec<Note>,
    /// The end of the game, by the rules or by one who gave up.
    outcome: Option<Outcome>,
    /// Games begun before this one: a player draws otherwise in each.
    number: u64,
    /// The file that this session wrote.
    saved: Option<PathBuf>,
    over: bool,
}

/// Draws the side of the person from a seed.
pub(super) fn drawn_side(seed: u64) -> Side {
    if stream(seed, Purpose::Opening, 0, 0).random_bool(0.5) {
        Side::First
    } else {
        Side::Second
    }
}

impl<'a, V: Variant> Session<'a, V> {
    pub(super) fn new(
        args: &'a PlayArgs,
        (spec, parts): (PlayerSpec, Parts<V>),
        start: Game<V>,
        person: Side,
    ) -> Result<Self> {
        let no_colour = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let mut session = Self {
            args,
            player: spec.build(&parts, args.seed)?,
            spec,
            parts,
            person,
            style: Style {
                pieces: args.pieces,
                flipped: person == Side::Second,
                colour: io::stdout().is_terminal() && !no_colour,
            },
            game: start.clone(),
            notes: vec![Note::default(); start.ply()],
            start,
            outcome: None,
            number: 0,
            saved: None,
            over: false,
        };
        session.outcome = session.ruled();
        Ok(session)
    }

    pub(super) fn greet(&self) {
        output::line(format!(
            "{}: you are the {} player against {}; `help` lists what can be typed",
            V::ID,
            self.person.name(),
            self.args.player
        ));
        if self.outcome.is_some() || self.is_persons_turn() {
            self.show();
        }
    }

    /// Lets the player move while it is its turn; tells whether the session goes on.
    ///
    /// # Errors
    /// If the player fails.
    pub(super) fn goes_on(&mut self) -> Result<bool> {
        while !self.over && self.outcome.is_none() && !self.is_persons_turn() {
            self.answer()?;
        }
        Ok(!self.over)
    }

    pub(super) fn prompt(&self) -> String {
        match self.outcome {
            None => format!("{} to move> ", self.game.position().side_to_move().name()),
            Some(_) => "game over> ".to_owned(),
        }
    }

    /// Does what was typed, or says what is wrong with it.
    pub(super) fn obey(&mut self, line: &str) {
        match Command::of(line) {
            Command::Nothing => {}
            Command::Move(text) => self.play(text),
            Command::Moves(filter) => self.list(filter),
            Command::Undo => self.undo(),
            Command::Hint => self.hint(),
            Command::Flip => {
                self.style.flipped = !self.style.flipped;
                self.show();
            }
            Command::Board => self.show(),
            Command::Save(file) => match self.save(file) {
                Ok(()) => output::line(format!("saved to {file}")),
                Err(error) => output::line(format!("not saved: {error:#}")),
            },
            Command::Resign if self.outcome.is_some() => output::line("the game is over"),
            Command::Resign => {
                self.outcome = Some(Outcome::win(self.person.other(), Reason::Resignation));
                self.tell_end();
            }
            Command::New => self.begin_again(),
            Command::Help => {
                let example = self.legal().first().map(ToString::to_string);
                help(example.as_deref()).iter().for_each(output::line);
            }
            Command::Quit => self.over = true,
        }
    }

    fn legal(&self) -> Vec<MoveOf<V>> {
        let mut legal = Vec::new();
        self.game.legal_moves(&mut legal);
        legal
    }

    fn ruled(&self) -> Option<Outcome> {
        self.game.outcome(&self.legal())
    }

    fn is_persons_turn(&self) -> bool {
        self.game.position().side_to_move() == self.person
    }

    fn play(&mut self, text: &str) {
        if self.outcome.is_some() {
            return output::line("the game is over: `undo`, `new` or `quit`");
        }
        match self.game.position().parse_move(text) {
            Ok(mv) => {
                self.push(mv, Note::default());
                if self.outcome.is_some() {
                    self.show();
                }
            }
            Err(error) => output::line(format!("{error}; `moves` lists what can be played")),
        }
    }

    fn push(&mut self, mv: MoveOf<V>, note: Note) {
        self.game.play(mv);
        self.notes.push(note);
        self.outcome = self.ruled();
    }

    /// Asks the player for its turn.
    fn answer(&mut self) -> Result<()> {
        let turn = Turn {
            game: &self.game,
            number: self.number,
        };
        let choice = self.player.choose(&[turn])?.pop();
        let choice = choice.context("the player gave no answer")?;
        let side = self.game.position().side_to_move();
        match choice.act {
            Act::Move(mv) => {
                let value = choice.wdl.map(rules::Wdl::value);
                let said = value.map_or(String::new(), |value| format!(" (value {value:+.3})"));
                output::line(format!("{} plays {mv}{said}", self.args.player));
                self.push(
                    mv,
                    Note {
                        value,
                        seconds: None,
                    },
                );
                self.show();
                return Ok(());
            }
            Act::Resign => {
                self.outcome = Some(Outcome::win(side.other(), Reason::Resignation));
            }
            Act::Declare => {
                let declared = self.game.position().declaration(self.game.options());
                let lost = Outcome::win(side.other(), Reason::Forfeit);
                self.outcome = Some(declared.unwrap_or(lost));
            }
            Act::Forfeit(forfeit) => {
                output::line(format!("{}: {}", self.args.player, forfeit.said));
                self.outcome = Some(Outcome::win(side.other(), Reason::Forfeit));
            }
        }
        self.tell_end();
        Ok(())
    }

    /// Draws the position, the last move marked, and says who is to move or how the game ended.
    fn show(&self) {
        let mut diagram = self.game.position().diagram();
        if let Some(&last) = self.game.moves().last() {
            let mut before = self.game.clone();
            before.undo_to(self.game.ply() - 1);
            diagram.mark(&before.position().step(last));
        }
        screen::draw(diagram, self.style)
            .iter()
            .for_each(output::line);
        if self.outcome.is_some() {
            return self.tell_end();
        }
        let position = self.game.position();
        let last = self.game.moves().last();
        let last = last.map_or(String::new(), |last| format!(" after {last}"));
        let check = if position.in_check() {
            ", in check"
        } else {
            ""
        };
        output::line(format!(
            "ply {}{last}: {} to move{check}",
            self.game.ply() + 1,
            position.side_to_move().name()
        ));
    }

    fn tell_end(&self) {
        let Some(outcome) = self.outcome else {
            return;
        };
        let reason = outcome.reason.name().replace('_', " ");
        output::line(match outcome.winner {
            None => format!("drawn ({reason})"),
            Some(winner) if winner == self.person => format!("you win ({reason})"),
            Some(_) => format!("{} wins ({reason})", self.args.player),
        });
    }

    /// Lists legal moves; `filter` is a square or a man by any of its names.
    fn list(&self, filter: &str) {
        let position = self.game.position();
        let diagram = position.diagram();
        let fits = |mv: &MoveOf<V>| {
            let step = position.step(*mv);
            let mut squares = step.from.into_iter().chain([step.to]);
            let man = &step.man;
            filter.is_empty()
                || squares.any(|place| diagram.square_name(place) == filter)
                || filter.eq_ignore_ascii_case(&man.letters)
                || filter.eq_ignore_ascii_case(&man.word)
                || filter == man.kanji.to_string()
        };
        let found = if self.outcome.is_some() {
            Vec::new()
        } else {
            self.legal()
        };
        let found: Vec<String> = found
            .iter()
            .filter(|mv| fits(mv))
            .map(ToString::to_string)
            .collect();
        let of = if filter.is_empty() { "" } else { " of " };
        output::line(format!("{} legal moves{of}{filter}", found.len()));
        let mut line = String::new();
        for mv in found {
            if line.len() + 1 + mv.len() > WIDTH {
                output::line(std::mem::take(&mut line));
            }
            line = line + " " + &mv;
        }
        if !line.is_empty() {
            output::line(line);
        }
    }

    /// Takes moves back to the last turn of the person.
    fn undo(&mut self) {
        let mut ply = self.game.ply();
        let first = self.start.ply();
        let mut earlier = self.game.clone();
        while ply > first {
            ply -= 1;
            earlier.undo_to(ply);
            if earlier.position().side_to_move() == self.person {
                self.game = earlier;
                self.notes.truncate(ply);
                self.outcome = None;
                return self.show();
            }
        }
        output::line("there is no move of yours to take back");
    }

    fn hint(&self) {
        let question = Question {
            game: &self.game,
            simulations: None,
            lines: self.args.lines,
            seed: self.args.seed,
        };
        match analyse(&self.spec, &question, &self.parts) {
            Ok(analysis) => {
                output::line(format!(
                    "{} thinks: {}",
                    self.args.player,
                    describe(&analysis.value)
                ));
                for (number, known) in analysis.moves.iter().enumerate() {
                    output::line(format!("{:>3}. {}", number + 1, describe_move(known)));
                }
            }
            Err(error) => output::line(format!("no hint: {error:#}")),
        }
    }

    fn save(&mut self, file: &str) -> Result<()> {
        let path = Path::new(file);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let Some(format) = Format::of_extension(extension) else {
            bail!(
                "`save` needs the name of a file that ends in one of {}",
                Format::ALL.map(Format::name).join(", ")
            );
        };
        if path.exists() && self.saved.as_deref() != Some(path) {
            bail!("`{file}` exists: choose another name");
        }
        let mut players = ["person".to_owned(), self.args.player.clone()];
        if self.person == Side::Second {
            players.reverse();
        }
        let heading = Heading {
            players,
            event: "play".to_owned(),
            round: (self.number + 1).to_string(),
            ..Heading::default()
        };
        let claim = self
            .outcome
            .map(|outcome| Ending::claimed(outcome.winner, Claim::Reason(outcome.reason)));
        let transcript = Transcript::new(heading, self.game.clone(), self.notes.clone(), claim);
        let text = format.write(&transcript)?;
        durable::write_atomic(&RealDisk, path, text.as_bytes())?;
        self.saved = Some(path.to_owned());
        Ok(())
    }

    fn begin_again(&mut self) {
        self.number += 1;
        self.game = self.start.clone();
        self.notes = vec![Note::default(); self.start.ply()];
        self.saved = None;
        self.outcome = self.ruled();
        if self.outcome.is_some() || self.is_persons_turn() {
            self.show();
        }
    }
}
