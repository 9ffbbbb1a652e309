//! Lines as the USI protocol sends them: `position startpos moves 7g7f ...`, `position sfen ... moves ...`. Other games have their own texts in
//! the same places.

use std::fmt::Write as _;

use rules::notation::Notation;
use rules::{Position as _, RuleOptions, Variant};

use super::builder::Builder;
use super::error::ReadError;
use crate::transcript::{Heading, Transcript};

const POSITION: &str = "position";

/// Returns the word before a position that is not the usual start.
const fn word<V: Variant>() -> &'static str {
    match V::TEXTS {
        Some(Notation::Fen | Notation::FenWithHands) => "fen",
        Some(Notation::Sfen) | None => "sfen",
    }
}

/// Writes a game as a line.
pub(super) fn write<V: Variant>(transcript: &Transcript<V>) -> String {
    let game = &transcript.game;
    let start = game.start().to_string();
    let mut text = if start == V::Position::initial().to_string() {
        format!("{POSITION} startpos")
    } else {
        format!("{POSITION} {} {start}", word::<V>())
    };
    if game.ply() > 0 {
        text.push_str(" moves");
    }
    for mv in game.moves() {
        let _ = write!(text, " {mv}");
    }
    text.push('\n');
    text
}

/// Reads a game a line; the words before the position may be left out, and a `#` begins a comment.
pub(super) fn read<V: Variant>(
    text: &str,
    options: RuleOptions,
) -> Result<Vec<Transcript<V>>, ReadError> {
    let mut games = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let content = without_comment(line).trim();
        if !content.is_empty() {
            games.push(read_line(content, options).map_err(ReadError::at(number))?);
        }
    }
    Ok(games)
}

fn read_line<V: Variant>(
    line: &str,
    options: RuleOptions,
) -> Result<Transcript<V>, rules::NotationError> {
    let rest = without_word(line, POSITION);
    let (start, moves) = match rest.split_once(" moves") {
        Some((start, moves)) if moves.is_empty() || moves.starts_with(' ') => (start, moves),
        _ => (rest, ""),
    };
    let start = ["sfen", "fen"].into_iter().fold(start.trim(), without_word);
    let position = if start == "startpos" {
        V::Position::initial()
    } else {
        start.parse()?
    };
    let mut builder = Builder::<V>::new(Heading::default(), position, options);
    for word in moves.split_whitespace() {
        builder.play(builder.game.position().parse_move(word)?);
    }
    Ok(builder.finish())
}

/// Cuts off a comment; a `#` right behind a move is none.
fn without_comment(line: &str) -> &str {
    let comment = line.match_indices('#').find(|(at, _)| {
        let before = line[..*at].chars().next_back();
        before.is_none_or(char::is_whitespace)
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

fn without_word<'a>(text: &'a str, word: &str) -> &'a str {
    match text.strip_prefix(word) {
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        _ => text,
    }
}
