//! What can be wrong with a text of games.

use std::fmt::Display;

use rules::VariantId;

use super::Format;

/// A text that is not in its format, or a game that the rules exclude.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl ReadError {
    /// Makes an error about a line, from 1.
    pub fn new(line: usize, problem: impl Display) -> Self {
        Self {
            line,
            problem: problem.to_string(),
        }
    }

    /// Returns what turns a problem into an error about a line.
    pub(super) fn at<E: Display>(line: usize) -> impl Fn(E) -> Self {
        move |problem| Self::new(line, problem)
    }
}

/// A game in a format that is of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{format} is a format for showgit, not for {variant}: use pgn or usi")]
pub struct WrongGame {
    format: Format,
    variant: VariantId,
}

impl WrongGame {
    pub(super) const fn new(format: Format, variant: VariantId) -> Self {
        Self { format, variant }
    }
}
