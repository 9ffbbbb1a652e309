//! The games: tables and hooks, one file each.

pub mod euroshogi;
pub mod gufu;
pub mod showgit;
pub mod xiangqi;
