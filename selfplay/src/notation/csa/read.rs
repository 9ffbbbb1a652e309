//! Reading.

use rules::board::Board;
use rules::variants::showgit::{Showgit, csa};
use rules::{Position as _, RuleOptions, Side};

use super::super::builder::Builder;
use super::super::error::ReadError;
use super::super::remark;
use super::read_word;
use crate::transcript::{Ending, Heading, Transcript};

/// Reads all games of a text, which a line `/` divides.
pub(in crate::notation) fn read(
    text: &str,
    options: RuleOptions,
) -> Result<Vec<Transcript<Showgit>>, ReadError> {
    let mut games = Vec::new();
    let mut game = Reader::new(options);
    for (line, number) in text.lines().zip(1..) {
        if line.trim() == "/" {
            games.extend(std::mem::replace(&mut game, Reader::new(options)).finish(number)?);
            continue;
        }
        game.take_line(line.trim_end_matches('\r'), number)?;
    }
    games.extend(game.finish(text.lines().count().max(1))?);
    Ok(games)
}

/// A game being read.
struct Reader {
    options: RuleOptions,
    heading: Heading,
    board: csa::BoardReader,
    /// The game from its start position on, once the side to move is known.
    game: Option<Builder<Showgit>>,
    /// Whether anything of the game was read.
    begun: bool,
    ended: bool,
    /// What this program says of the end in a comment.
    remarked: Option<Ending>,
}

impl Reader {
    fn new(options: RuleOptions) -> Self {
        Self {
            options,
            heading: Heading::default(),
            board: csa::BoardReader::default(),
            game: None,
            begun: false,
            ended: false,
            remarked: None,
        }
    }

    /// A line holds several statements, divided by commas, unless it is text.
    fn take_line(&mut self, line: &str, number: usize) -> Result<(), ReadError> {
        if let Some(comment) = line.strip_prefix('\'') {
            return self.comment(comment, number);
        }
        if line.starts_with(['N', '$']) {
            self.begun = true;
            self.header(line);
            return Ok(());
        }
        line.split(',')
            .map(str::trim_end)
            .filter(|statement| !statement.is_empty())
            .try_for_each(|statement| self.take(statement, number))
    }

    fn take(&mut self, statement: &str, number: usize) -> Result<(), ReadError> {
        let at = ReadError::at(number);
        let in_moves = self.game.is_some();
        self.begun |= !statement.starts_with('V');
        match (statement.as_bytes()[0], statement.len()) {
            (b'V', _) => Ok(()),
            (b'P', _) if in_moves => Err(ReadError::new(
                number,
                "a position after the moves have begun: `/` divides games",
            )),
            (b'P', _) => self.board.line(statement).map_err(at),
            (b'+', 1) if !in_moves => self.begin(Side::First, number),
            (b'-', 1) if !in_moves => self.begin(Side::Second, number),
            (b'+' | b'-' | b'T' | b'%', _) => self.in_moves(statement, number),
            _ => Err(ReadError::new(
                number,
                format!(
                    "`{statement}` is no statement: a name `N+`, a header `$`, a position `P`, a move `+7776FU`, a time `T`, an end `%` or a comment `'` is wanted"
                ),
            )),
        }
    }

    fn in_moves(&mut self, statement: &str, number: usize) -> Result<(), ReadError> {
        let ended = self.ended;
        let Some(game) = &mut self.game else {
            let problem = "a line `+` or `-` must say who is to move before the first move";
            return Err(ReadError::new(number, problem));
        };
        let position = game.game.position();
        if let Some(time) = statement.strip_prefix('T') {
            let seconds = (time.parse::<f64>().ok())
                .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
                .ok_or_else(|| {
                    ReadError::new(
                        number,
                        format!("`{statement}`: seconds are wanted after `T`"),
                    )
                })?;
            // The time of an end is nobody's move.
            if let Some(note) = game.note().filter(|_| !ended) {
                note.seconds = Some(seconds);
            }
            return Ok(());
        }
        if ended {
            let problem = format!("`{statement}` after the end of the game: `/` divides games");
            return Err(ReadError::new(number, problem));
        }
        if statement.starts_with('%') {
            let ending = read_word(statement, position.side_to_move()).ok_or_else(|| {
                let problem = format!("`{statement}` is no end of a game, such as `%TORYO`");
                ReadError::new(number, problem)
            })?;
            game.ending = ending;
            self.ended = true;
            return Ok(());
        }
        let mv = csa::parse_move(position, statement).map_err(ReadError::at(number))?;
        game.play(mv);
        Ok(())
    }

    fn comment(&mut self, comment: &str, number: usize) -> Result<(), ReadError> {
        if let Some(rules) = comment.strip_prefix(remark::RULES) {
            let at = ReadError::at(number);
            self.options = self.options.with_differences(rules).map_err(at)?;
        }
        let Some(comment) = comment.strip_prefix('*') else {
            return Ok(());
        };
        if let Some(ending) = remark::read_ending(comment) {
            self.remarked = Some(ending);
        }
        let value = remark::read_value(comment);
        if let Some(note) = self.game.as_mut().and_then(Builder::note) {
            note.value = value.or(note.value);
        }
        Ok(())
    }

    fn header(&mut self, line: &str) {
        let heading = self
            .game
            .as_mut()
            .map_or(&mut self.heading, |game| &mut game.heading);
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        match key {
            "$EVENT" => value.clone_into(&mut heading.event),
            "$SITE" => value.clone_into(&mut heading.site),
            "$ROUND" => value.clone_into(&mut heading.round),
            "$START_TIME" => heading.date = remark::read_date(value),
            _ => {
                for (sign, name) in ["N+", "N-"].iter().zip(&mut heading.players) {
                    if let Some(given) = line.strip_prefix(sign) {
                        given.clone_into(name);
                    }
                }
            }
        }
    }

    fn begin(&mut self, side: Side, number: usize) -> Result<(), ReadError> {
        let position = if self.board.has_begun() {
            self.board.finish(side).map_err(ReadError::at(number))?
        } else {
            Board::<Showgit>::initial()
        };
        if position.side_to_move() != side {
            let problem = "without a position, `+` is to move first";
            return Err(ReadError::new(number, problem));
        }
        self.game = Some(Builder::new(self.heading.clone(), position, self.options));
        Ok(())
    }

    /// Returns the game, or nothing if nothing was read of one.
    fn finish(self, number: usize) -> Result<Option<Transcript<Showgit>>, ReadError> {
        if !self.begun {
            return Ok(None);
        }
        let Some(mut game) = self.game else {
            let problem = "the game has no line `+` or `-` that says who is to move first";
            return Err(ReadError::new(number, problem));
        };
        game.ending = self.remarked.or(game.ending);
        Ok(Some(game.finish()))
    }
}
