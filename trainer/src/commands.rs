//! One module a subcommand: each turns its arguments into work and prints the result.

pub mod analyse;
pub mod bench;
pub mod config;
pub mod convert;
pub mod diagnose;
pub mod engine;
pub mod engine_check;
pub mod ladder;
pub mod learn;
pub mod match_players;
pub mod perft;
pub mod play;
pub mod replay;
pub mod solve;
pub mod train;
pub mod verify;
