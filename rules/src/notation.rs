//! Errors of the text forms of positions and moves, and the `position` syntax shared by every command that takes one.

use crate::game::Game;
use crate::position::Position;
use crate::variant::{MoveOf, RuleOptions, Variant};

/// A text that is not a position or a move of the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{text}`: {problem} (at character {at})")]
pub struct NotationError {
    /// What was being read: `position`, `move` and so on.
    pub what: &'static str,
    /// The text, its middle left out if it is very long.
    pub text: String,
    /// Where it goes wrong, counted in characters from 1.
    pub at: usize,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl NotationError {
    /// Makes an error about character `at` (from 1) of `text`.
    pub fn new(what: &'static str, text: &str, at: usize, problem: impl Into<String>) -> Self {
        Self {
            what,
            text: shortened(text),
            at,
            problem: problem.into(),
        }
    }
}

/// How a grid game writes its positions and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// SFEN and USI: files from 9 to 1, ranks from `a`, hands in a field of their own, plies counted from 1.
    Sfen,
    /// FEN and UCI as Fairy-Stockfish writes them, hands in brackets behind the board.
    FenWithHands,
    /// FEN and UCI without hands; the fields after the side to move may be left out.
    Fen,
}

/// The most characters of a text that an error repeats.
const SHOWN: usize = 400;

/// Cuts out the middle of a text that no one would want to see in full.
fn shortened(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN / 2).collect();
    let tail: Vec<char> = text.chars().rev().take(SHOWN / 2).collect();
    let left_out = text.chars().count().saturating_sub(SHOWN);
    if left_out == 0 {
        return text.to_owned();
    }
    let tail: String = tail.into_iter().rev().collect();
    format!("{head} … ({left_out} characters) … {tail}")
}

/// Reads `startpos` or a position text, either followed by `moves ...`, into a game with its history.
///
/// # Errors
/// Says which position or move is wrong and why; a move after the end of the game is wrong too.
pub fn parse_game<V: Variant>(text: &str, options: RuleOptions) -> Result<Game<V>, NotationError> {
    let (start, moves) = split_moves(text);
    let position = if start == "startpos" {
        V::Position::initial()
    } else {
        start.parse()?
    };
    let game = Game::<V>::from_position(position, options);
    play_moves(game, moves, Position::parse_move)
}

/// Returns the number of the move pair, from 1, that a position's own text says is to be played.
pub fn move_number<V: Variant>(position: &V::Position) -> u32 {
    let text = position.to_string();
    let last = text.rsplit(' ').next().unwrap_or_default();
    let number: u32 = last.parse().unwrap_or(1);
    match V::TEXTS {
        Some(Notation::Fen | Notation::FenWithHands) => number,
        // These count plies.
        Some(Notation::Sfen) | None => number.div_ceil(2),
    }
}

/// Splits a text at the word `moves`, into the position and the moves.
pub(crate) fn split_moves(text: &str) -> (&str, &str) {
    match text.split_once(" moves") {
        Some((start, moves)) if moves.is_empty() || moves.starts_with(' ') => (start.trim(), moves),
        _ => (text.trim(), ""),
    }
}

/// Plays moves, read by `read`, until they are used up.
pub(crate) fn play_moves<V: Variant>(
    mut game: Game<V>,
    moves: &str,
    read: impl Fn(&V::Position, &str) -> Result<MoveOf<V>, NotationError>,
) -> Result<Game<V>, NotationError> {
    let mut legal = Vec::new();
    for word in moves.split_whitespace() {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            let problem = format!("the game has already ended ({})", outcome.reason.name());
            return Err(NotationError::new("move", word, 1, problem));
        }
        game.play(read(game.position(), word)?);
    }
    Ok(game)
}
