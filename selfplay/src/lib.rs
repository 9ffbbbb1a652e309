//! How games are played: search, the self-play pool, players, the arena and the records they leave.
//!
//! This crate names no net and touches no file. A net reaches it as an `Evaluator`: one call for a batch of leaves.

pub mod record;

pub use record::{EdgeRecord, GameRecord, PlyKind, PlyRecord};
