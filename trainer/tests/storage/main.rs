//! What is stored survives: crashes, full disks, flipped bytes, other games' files.
#![allow(clippy::unwrap_used, reason = "a failed test says where")]

mod damage;
mod faults;
mod games;
mod metrics;
mod replay;
mod run_dir;
