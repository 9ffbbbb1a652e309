//! The `senpu` binary as a library: configuration, the run directory, the replay store, the training loop, matches and their commands.
//!
//! This crate joins the others: it is the only one that owns files and prints, and `net_evaluator` is the one place where a net meets a
//! search.

mod analysis;
pub mod cli;
pub mod commands;
mod config;
pub mod config_file;
mod diagnosis;
mod dispatch;
mod dry_run;
pub mod durable;
mod evaluation;
mod game_lines;
mod guard;
pub mod interrupt;
mod kernels;
mod lab;
mod ladder;
mod loader;
mod losses;
mod match_file;
pub mod memory;
pub mod metrics;
mod net_evaluator;
pub mod notice;
pub mod output;
mod outside_program;
mod player_spec;
pub mod progress;
mod rated_matches;
mod records;
pub mod replay;
mod retention;
mod rule_options;
pub mod run_dir;
pub mod schedule;
mod training;
pub mod watchdog;
mod yardstick;
