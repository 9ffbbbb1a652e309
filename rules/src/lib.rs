//! What is legal in each game of the shogi family that Senpu plays: positions, moves, endings, perft and exact solutions.
//!
//! This crate knows nothing of nets, threads, files or clocks. A game is a [`Variant`]; everything above it is generic over one letter,
//! `V: Variant`. [`Position`] is what a search may ask of a single position; [`Game`] adds what only history can tell: repetition, caps
//! and therefore the outcome. [`Heuristics`] is what a search without a net may ask besides.

pub mod board;
pub mod diagram;
pub mod dialect;
pub mod game;
pub mod heuristics;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod position;
pub mod solver;
pub mod variant;
pub mod variants;

pub use diagram::Diagram;
pub use dialect::Dialect;
pub use game::Game;
pub use heuristics::Heuristics;
pub use notation::NotationError;
pub use outcome::{Outcome, Reason, Side, Wdl};
pub use position::Position;
pub use variant::{Chase, Declaration, Grid, MoveOf, RuleOptions, Variant, VariantId, ZoneStart};
