//! Learner, inference and checkpoints on small nets.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking; what is compared is the same bit for bit"
)]

mod checkpoint;
mod inference;
mod learner;
mod samples;
mod sparse;
