//! Reading.

use rules::{Dialect, Position as _, Reason, RuleOptions, Side, Variant, VariantId};

use super::super::builder::Builder;
use super::super::error::ReadError;
use super::super::remark;
use super::token::{Token, TokenKind, tokens};
use super::{RESULTS, variant_name};
use crate::transcript::{Claim, Ending, Heading, Note, Transcript};

/// Reads all games of a text.
pub(in crate::notation) fn read<V: Variant>(
    text: &str,
    options: RuleOptions,
) -> Result<Vec<Transcript<V>>, ReadError> {
    let tokens = tokens(text)?;
    let mut games = Vec::new();
    let mut rest = &tokens[..];
    while !rest.is_empty() {
        let (game, after) = split_game(rest);
        rest = after;
        games.push(read_game::<V>(game, options)?);
    }
    Ok(games)
}

/// Returns the game that the first tag `Variant` names.
pub(in crate::notation) fn variant_of(text: &str) -> Result<Option<VariantId>, ReadError> {
    for token in tokens(text)? {
        if let TokenKind::Tag(name, value) = &token.kind
            && name == "Variant"
        {
            return variant_named(value)
                .map(Some)
                .ok_or_else(|| unknown_variant(token.line, value));
        }
    }
    Ok(None)
}

fn variant_named(name: &str) -> Option<VariantId> {
    let known = |id: &VariantId| {
        name.eq_ignore_ascii_case(variant_name(*id)) || name.eq_ignore_ascii_case(id.name())
    };
    VariantId::ALL.into_iter().find(known)
}

fn unknown_variant(line: usize, name: &str) -> ReadError {
    let names = VariantId::ALL.map(variant_name).join(", ");
    let problem = format!("unknown variant `{name}`: expected one of {names}");
    ReadError::new(line, problem)
}

/// A game ends with its result, or before the next tags.
fn split_game(tokens: &[Token]) -> (&[Token], &[Token]) {
    let mut moves_begun = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Tag(..) if moves_begun => return tokens.split_at(at),
            TokenKind::Tag(..) => {}
            TokenKind::Result(_) => return tokens.split_at(at + 1),
            TokenKind::Comment(_) | TokenKind::Move(_) => moves_begun = true,
        }
    }
    (tokens, &[])
}

fn read_game<V: Variant>(
    tokens: &[Token],
    options: RuleOptions,
) -> Result<Transcript<V>, ReadError> {
    let tags = Tags::new(tokens);
    let mut builder = tags.builder::<V>(options)?;
    let mut result = None;
    for token in tokens {
        match &token.kind {
            TokenKind::Tag(..) => {}
            TokenKind::Comment(comment) => {
                if let Some(note) = builder.note() {
                    read_comment(comment, note);
                }
            }
            TokenKind::Move(text) => {
                let mv = parse_move::<V>(builder.game.position(), text);
                let ply = builder.game.ply() + 1;
                builder.play(mv.map_err(|error| {
                    ReadError::new(token.line, format!("ply {ply} of the game: {error}"))
                })?);
            }
            TokenKind::Result(text) => result = Some((token.line, text.as_str())),
        }
    }
    builder.ending = tags.ending(result)?;
    Ok(builder.finish())
}

/// Reads a move as UCI writes it, or in the game's own notation.
fn parse_move<V: Variant>(
    position: &V::Position,
    text: &str,
) -> Result<rules::MoveOf<V>, rules::NotationError> {
    Dialect::Uci
        .parse_move::<V>(position, text)
        .or_else(|error| position.parse_move(text).map_err(|_| error))
}

/// Takes from a comment what is known of a move: this program's own words, the seconds that match runners write behind a score
/// (`+0.35/12 1.2s`), or a command `[%emt 0:00:01.2]`.
fn read_comment(comment: &str, note: &mut Note) {
    let comment = remark::one_line(comment);
    if let Some((_, rest)) = comment.split_once("[%emt ") {
        note.seconds = rest.split(']').next().and_then(clock);
    }
    for part in comment.split(',') {
        note.value = remark::read_value(part).or(note.value);
        let last = part.split_whitespace().next_back();
        let seconds = last.and_then(|word| word.strip_suffix('s')?.parse::<f64>().ok());
        let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        note.seconds = seconds.or(note.seconds);
    }
}

fn clock(text: &str) -> Option<f64> {
    let parts = text.trim().split(':').map(str::parse::<f64>);
    let seconds = parts
        .into_iter()
        .try_fold(0.0, |total, part| part.map(|part| total * 60.0 + part));
    seconds
        .ok()
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

/// The tags of a game with their lines.
struct Tags<'a>(Vec<(&'a str, &'a str, usize)>);

impl<'a> Tags<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        let tag = |token: &'a Token| match &token.kind {
            TokenKind::Tag(name, value) => Some((name.as_str(), value.as_str(), token.line)),
            _ => None,
        };
        Self(tokens.iter().filter_map(tag).collect())
    }

    fn get(&self, wanted: &str) -> Option<(&'a str, usize)> {
        let found = self.0.iter().find(|(name, ..)| *name == wanted);
        found.map(|(_, value, line)| (*value, *line))
    }

    /// Returns the value of a tag, or nothing if it is unknown.
    fn text(&self, name: &str) -> String {
        let value = self.get(name).map_or("", |(value, _)| value);
        if value == "?" { "" } else { value }.to_owned()
    }

    fn builder<V: Variant>(&self, options: RuleOptions) -> Result<Builder<V>, ReadError> {
        if let Some((name, line)) = self.get("Variant") {
            let found = variant_named(name).ok_or_else(|| unknown_variant(line, name))?;
            if found != V::ID {
                let problem = format!("a game of {found} where {} is read", V::ID);
                return Err(ReadError::new(line, problem));
            }
        }
        let options = match self.get("Rules") {
            Some((text, line)) => (options.with_differences(text)).map_err(ReadError::at(line))?,
            None => options,
        };
        let position = match self.get("FEN") {
            Some((text, line)) => position::<V>(text).map_err(ReadError::at(line))?,
            None => V::Position::initial(),
        };
        Ok(Builder::new(self.heading(), position, options))
    }

    fn heading(&self) -> Heading {
        let mut date = remark::read_date(&self.text("Date"));
        let time = self.text("Time");
        if !date.is_empty() && !time.is_empty() {
            date = format!("{date} {time}");
        }
        Heading {
            players: [self.text("White"), self.text("Black")],
            date,
            event: self.text("Event"),
            site: self.text("Site"),
            round: self.text("Round"),
        }
    }

    /// Returns how the game ended, given the result at its end and its line.
    fn ending(&self, result: Option<(usize, &str)>) -> Result<Option<Ending>, ReadError> {
        let tag = self.get("Result").map(|(value, line)| (line, value));
        if let Some((line, value)) = tag
            && !RESULTS.contains(&value)
            && !["*", "?", ""].contains(&value)
        {
            let known = RESULTS.join(", ");
            let problem = format!("result `{value}`: expected one of {known}, *");
            return Err(ReadError::new(line, problem));
        }
        let decided =
            |found: Option<(usize, &'a str)>| found.filter(|(_, value)| RESULTS.contains(value));
        let (tag, result) = (
            decided(tag),
            result.filter(|(_, value)| RESULTS.contains(value)),
        );
        if let (Some((_, tag)), Some((line, result))) = (tag, result)
            && tag != result
        {
            let problem = format!("the game ends with {result}, but its tag says {tag}");
            return Err(ReadError::new(line, problem));
        }
        let Some((_, result)) = result.or(tag) else {
            return Ok(None);
        };
        let winner = match result {
            "1-0" => Some(Side::First),
            "0-1" => Some(Side::Second),
            _ => None,
        };
        Ok(Some(Ending::claimed(winner, self.claim()?)))
    }

    fn claim(&self) -> Result<Claim, ReadError> {
        if let Some((name, line)) = self.get("Reason") {
            return Claim::named(name).ok_or_else(|| {
                let names = Reason::ALL.map(Reason::name).join(", ");
                let problem = format!("unknown reason `{name}`: expected one of {names}");
                ReadError::new(line, problem)
            });
        }
        let termination = self.text("Termination").to_ascii_lowercase();
        let words = [
            ("time", Claim::Time),
            ("adjudication", Claim::Reason(Reason::Adjudication)),
            ("infraction", Claim::Reason(Reason::Forfeit)),
            ("illegal", Claim::Reason(Reason::Forfeit)),
            ("abandoned", Claim::Reason(Reason::Forfeit)),
            ("stalled", Claim::Reason(Reason::Forfeit)),
            ("disconnect", Claim::Reason(Reason::Forfeit)),
        ];
        let found = words.iter().find(|(word, _)| termination.contains(word));
        Ok(found.map_or(Claim::Unstated, |(_, claim)| *claim))
    }
}

fn position<V: Variant>(text: &str) -> Result<V::Position, rules::NotationError> {
    Dialect::Uci
        .parse_position::<V>(text)
        .or_else(|error| text.parse().map_err(|_| error))
}
