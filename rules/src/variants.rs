//! The games: tables and hooks, one file each.

pub mod gufu;
