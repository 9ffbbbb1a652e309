//! How protocols write positions and moves: known texts, round trips over many positions, and another engine's own lists of moves.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fairy;
mod games;
mod texts;
