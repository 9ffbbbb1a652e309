//! Outside engines as players: engines that work, and small programs that crash, hang, answer nonsense, move illegally or give up.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad;
mod compliance;
mod engines;
mod real;
