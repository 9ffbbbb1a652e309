//! Properties that hold in every game, whatever is played and whatever is read.
//!
//! `SENPU_PROPERTY_CASES=N` tries N cases of each property instead of its own number. Each run draws new cases; a failure names the
//! `SENPU_PROPERTY_SEED` that repeats it, is kept in `tests/proptest-regressions` (commit it), and its text belongs into `tests/corpus`, whose
//! lines are tried as they are and damaged. `--nocapture` shows what the positions had in them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod budget;
mod corpus;
mod generation;
mod gufu;
mod histories;
mod keys;
#[path = "../oracle/mailbox.rs"]
mod mailbox;
mod mutation;
mod options;
mod placement;
#[path = "../oracle/six_squares.rs"]
mod six_squares;
mod texts;
mod walk;
