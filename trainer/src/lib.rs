//! The parts of the `senpu` binary: configuration, the run directory, the replay store, metrics, progress and interrupts.

pub mod config_file;
pub mod durable;
pub mod interrupt;
pub mod metrics;
pub mod notice;
pub mod progress;
pub mod replay;
pub mod run_dir;
