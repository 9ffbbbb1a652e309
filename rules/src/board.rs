//! Games on a grid with men, owners and perhaps hands: one [`Position`](crate::Position) for all of them.
//!
//! A game is a [`Ruleset`]: tables of men and movements, and a few hooks. [`Board`] implements the rest once: generation of legal moves from
//! pins and checkers, playing with an incremental key, texts. `bitboard` holds sets of squares; `grid` geometry; `movement`, `piece` and `hand`
//! what a game's tables are made of; `tables` what is computed from them; `slide`, `safety` and `attacks` what men attack; `outlook` what moves threaten and risk; `movegen` generation; `worth` what men are worth to a search without a net; `text` notation;
//! `diagram` pictures.

#![allow(
    clippy::inline_always,
    reason = "generation is compiled for several generations of processors, and what is not inlined only for the oldest"
)]

/// Repeats a block for each movement of a ruleset, with the number of the movement as a constant, so that the compiler can specialise each.
macro_rules! for_each_movement {
    ($m:ident of $ruleset:ident $body:block) => {
        for_each_movement!(@ $m $ruleset $body 0 1 2 3 4 5 6 7 8 9)
    };
    (@ $m:ident $ruleset:ident $body:block $($n:literal)*) => {
        $(if $n < $ruleset::MOVEMENTS.len() {
            const $m: usize = $n;
            $body
        })*
    };
}

mod attacks;
pub mod bitboard;
mod diagram;
pub mod grid;
pub mod hand;
mod movegen;
pub mod movement;
pub mod moves;
mod outlook;
pub mod piece;
pub mod position;
pub mod ruleset;
pub(crate) mod safety;
mod slide;
pub mod tables;
pub(crate) mod text;
pub mod worth;

pub use bitboard::Bitboard;
pub use grid::Square;
pub use hand::Hand;
pub use moves::Move;
pub use outlook::Outlook;
pub use piece::{Kind, Naming, Piece};
pub use position::Board;
pub use ruleset::{Promotion, Ruleset};
pub use worth::Worth;
