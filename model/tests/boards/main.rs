//! The encoder of grid games held against the positions of the rules' vectors, random games, and the symmetries of the rules.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking; what is compared is the same bit for bit"
)]

mod actions;
mod games;
mod history;
mod learning;
mod planes;
mod rows;
mod tactics;

/// Runs a test for each of the grid games.
macro_rules! for_each_game {
    ($test:ident) => {
        #[test]
        fn showgit() {
            $test::<rules::variants::showgit::Showgit>();
        }

        #[test]
        fn euroshogi() {
            $test::<rules::variants::euroshogi::EuroShogi>();
        }

        #[test]
        fn xiangqi() {
            $test::<rules::variants::xiangqi::Xiangqi>();
        }
    };
}
pub(crate) use for_each_game;
