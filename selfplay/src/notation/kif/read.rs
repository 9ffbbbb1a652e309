//! Reading.

use rules::board::{Board, Square};
use rules::variants::showgit::{Showgit, kif};
use rules::{Position as _, RuleOptions};

use super::super::builder::Builder;
use super::super::error::ReadError;
use super::super::remark;
use super::end;
use super::line::Line;
use crate::transcript::{Ending, Heading, Transcript};

/// Reads all games of a text. A game ends where the headers of the next begin.
pub(in crate::notation) fn read(
    text: &str,
    options: RuleOptions,
) -> Result<Vec<Transcript<Showgit>>, ReadError> {
    let mut games = Vec::new();
    let mut game = Reader::new(options);
    for (text, number) in text.lines().zip(1..) {
        let line = Line::of(text);
        if game.moves_begun() && line.is_header() {
            games.push(std::mem::replace(&mut game, Reader::new(options)).finish(number)?);
        }
        game.take(line, number)?;
    }
    if game.begun {
        let lines = text.lines().count();
        games.push(game.finish(lines)?);
    }
    Ok(games)
}

impl Line<'_> {
    const fn is_header(self) -> bool {
        matches!(
            self,
            Self::Handicap(_) | Self::Hand(..) | Self::Rank(_) | Self::Header(..) | Self::Rules(_)
        )
    }
}

/// A game being read.
struct Reader {
    options: RuleOptions,
    heading: Heading,
    board: kif::BoardReader,
    handicap: Option<Board<Showgit>>,
    /// Whether anything of the game was read.
    begun: bool,
    /// The game from its start position on, once the headers are over.
    game: Option<Builder<Showgit>>,
    previous: Option<Square>,
    /// Whether the last numbered line was an end.
    ended: bool,
    /// Whether variations are read, which come after the game.
    in_variation: bool,
    /// What this program says of the end in a comment, and what the last line says.
    remarked: Option<Ending>,
    summary: Option<Ending>,
}

impl Reader {
    fn new(options: RuleOptions) -> Self {
        Self {
            options,
            heading: Heading::default(),
            board: kif::BoardReader::default(),
            handicap: None,
            begun: false,
            game: None,
            previous: None,
            ended: false,
            in_variation: false,
            remarked: None,
            summary: None,
        }
    }

    /// Tells whether the headers are over.
    const fn moves_begun(&self) -> bool {
        self.game.is_some()
    }

    fn take(&mut self, line: Line<'_>, number: usize) -> Result<(), ReadError> {
        let at = ReadError::at(number);
        self.begun |= !matches!(line, Line::Empty | Line::Unknown);
        match line {
            Line::Empty => {}
            Line::Rules(text) => {
                let at = ReadError::at(number);
                self.options = self.options.with_differences(text).map_err(at)?;
            }
            Line::Handicap(name) => self.handicap = named(name).map_err(at)?,
            Line::Hand(side, text) => self.board.hand(side, text).map_err(at)?,
            Line::Rank(text) => self.board.rank(text).map_err(at)?,
            Line::Turn(side) => self.board.turn(side),
            Line::Header(key, value) => self.header(key, value),
            Line::Variation => self.in_variation = self.moves_begun(),
            _ if self.in_variation => {}
            Line::Comment(text) => self.comment(text),
            Line::Summary(text) => {
                self.game(number)?;
                self.summary = end::read_summary(text);
            }
            Line::Numbered(ply, what, seconds) => self.numbered(ply, what, seconds, number)?,
            Line::Unknown => {
                return Err(ReadError::new(
                    number,
                    "not a line of KIF: a header `先手：...`, a numbered move `1 ７六歩(77)`, a comment after `*` or `#` is wanted \
                     (KI2, without numbers and origins, is not read)",
                ));
            }
        }
        Ok(())
    }

    fn header(&mut self, key: &str, value: &str) {
        let heading = &mut self.heading;
        let field = match key {
            "先手" | "下手" => &mut heading.players[0],
            "後手" | "上手" => &mut heading.players[1],
            "棋戦" => &mut heading.event,
            "場所" => &mut heading.site,
            "回戦" => &mut heading.round,
            "開始日時" | "対局日" => {
                let date = remark::read_date(value);
                if !date.is_empty() {
                    heading.date = date;
                }
                return;
            }
            _ => return,
        };
        value.clone_into(field);
    }

    fn comment(&mut self, text: &str) {
        if let Some(ending) = remark::read_ending(text) {
            self.remarked = Some(ending);
        }
        let value = remark::read_value(text);
        if let Some(note) = self.game.as_mut().and_then(Builder::note) {
            note.value = value.or(note.value);
        }
    }

    fn numbered(
        &mut self,
        ply: usize,
        what: &str,
        seconds: Option<f64>,
        number: usize,
    ) -> Result<(), ReadError> {
        let (ended, previous) = (self.ended, self.previous);
        let game = self.game(number)?;
        let expected = game.game.ply() + 1;
        if ended || ply != expected {
            let problem = if ended {
                "a move after the end of the game".to_owned()
            } else {
                format!("move {ply} where move {expected} is wanted")
            };
            return Err(ReadError::new(number, problem));
        }
        let position = game.game.position();
        if let Some(ending) = end::read_word(what, position.side_to_move()) {
            game.ending = ending;
            self.ended = true;
            return Ok(());
        }
        let mv = kif::parse_move(position, what, previous).map_err(ReadError::at(number))?;
        game.play(mv);
        if let Some(note) = game.note() {
            note.seconds = seconds;
        }
        self.previous = Some(mv.to());
        Ok(())
    }

    /// Returns the game; the headers are over with it.
    fn game(&mut self, number: usize) -> Result<&mut Builder<Showgit>, ReadError> {
        let start = if self.board.has_board() {
            self.board.finish().map_err(ReadError::at(number))?
        } else {
            self.handicap.unwrap_or_else(Board::initial)
        };
        let (heading, options) = (self.heading.clone(), self.options);
        Ok(self
            .game
            .get_or_insert_with(|| Builder::new(heading, start, options)))
    }

    fn finish(mut self, number: usize) -> Result<Transcript<Showgit>, ReadError> {
        let (remarked, summary) = (self.remarked, self.summary);
        self.game(number)?;
        let Some(mut game) = self.game else {
            return Err(ReadError::new(number, "no game"));
        };
        // The last line says who won where the word does not; the comment says all.
        game.ending = remarked.or(game.ending).or(summary);
        Ok(game.finish())
    }
}

/// Returns the start of a handicap. Some programs write other words here when a board is drawn, so that words unknown are no error: without
/// a board, the start is the usual one.
fn named(name: &str) -> Result<Option<Board<Showgit>>, rules::NotationError> {
    let known = kif::handicap(name);
    if matches!(name, "" | "詰将棋") {
        return Ok(None);
    }
    known.map(Some)
}
