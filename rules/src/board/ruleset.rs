//! What makes one grid game different from another: tables and a few hooks.

use std::hash::Hash;

use super::movement::{Movement, Slide};
use super::moves::Move;
use super::piece::{Kind, Naming};
use super::position::Board;
use super::tables::Tables;
use super::worth::Worth;
use crate::notation::Notation;
use crate::outcome::{Outcome, Side};
use crate::variant::{RuleOptions, Variant};

/// When men promote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// Optional on a move that starts or ends in the zone, forced for a man that could never move again.
    Optional,
    /// Mandatory on a move that ends in the zone; on one that starts there too, unless the rule options leave that to the player.
    Mandatory,
}

/// A game on a grid: men, movements, start, and the rules that are not data.
pub trait Ruleset: Variant + Ord + Hash {
    /// The kinds of men: first those that can be in hand, unpromoted before promoted.
    const KINDS: &'static [Kind];
    /// What people call the kinds, in the same order.
    const NAMES: &'static [Naming];
    /// The movements of the kinds; at most [`MAX_MOVEMENTS`](super::tables::MAX_MOVEMENTS).
    const MOVEMENTS: &'static [Movement];
    /// How many kinds can be in hand: the first ones of [`KINDS`](Self::KINDS).
    const HAND_KINDS: usize;
    /// The order in which texts list men in hand.
    const HAND_ORDER: &'static [u8];
    /// The kind that must not be captured.
    const KING: u8;
    /// The kind of which no file may hold two of a side, and whose drop may not mate where [`PAWN_DROP_MATES`](Self::PAWN_DROP_MATES) says so.
    const PAWN: Option<u8>;
    /// Whether the drop of a pawn may mate.
    const PAWN_DROP_MATES: bool;
    /// When men promote.
    const PROMOTION: Promotion;
    /// How many ranks deep the promotion zone is.
    const ZONE_RANKS: usize;
    /// Whether the kings attack each other along an open file.
    const KINGS_FACE: bool;
    /// Whether a game's count towards the no-progress rule begins with the count in the text of its start position.
    const COUNTS_FROM_TEXT: bool = false;
    /// How positions and moves are written.
    const NOTATION: Notation;
    /// The position in which a game starts.
    const START: &'static str;

    /// Whether anything promotes at all.
    const HAS_PROMOTION: bool = any_promotes(Self::MOVEMENTS);
    /// Whether a man may give check through or over others in more ways than a slide: then pins and evasions are looked at move by move.
    const ENTANGLED: bool = any_entangled(Self::MOVEMENTS);

    /// Returns the tables of the game. A `static` inside generic code would be one for all games, hence this.
    fn tables() -> &'static Tables;

    /// Returns what men are worth.
    fn worth() -> &'static Worth;

    /// Returns how the game ends when `loser` is to move and has no legal move.
    fn no_move_outcome(loser: Side, in_check: bool) -> Outcome;

    /// Tells whether a move starts the count towards the no-progress rule again; called with the position before it.
    fn is_progress(_: &Board<Self>, _: Move<Self>) -> bool {
        true
    }

    /// Tells whether the side to move would hardly ever be glad to pass: false where a side may run out of good moves.
    fn may_pass(_: &Board<Self>) -> bool {
        true
    }

    /// Tells whether neither side can ever mate.
    fn is_dead_draw(_: &Board<Self>) -> bool {
        false
    }

    /// Returns how the game ends by an automatic declaration of the side to move.
    fn declaration(_: &Board<Self>, _: &RuleOptions) -> Option<Outcome> {
        None
    }

    /// Tells, for each side, whether it chased a man with every move of a repetition; see [`Position::chasers`](crate::Position::chasers).
    fn chasers(_: &[Board<Self>], _: &[Move<Self>]) -> [bool; 2] {
        [false; 2]
    }
}

const fn any_promotes(movements: &[Movement]) -> bool {
    let mut m = 0;
    while m < movements.len() {
        if movements[m].promotes {
            return true;
        }
        m += 1;
    }
    false
}

const fn any_entangled(movements: &[Movement]) -> bool {
    let mut m = 0;
    while m < movements.len() {
        if matches!(movements[m].slide, Slide::Cannon) || !movements[m].leaps.is_empty() {
            return true;
        }
        m += 1;
    }
    false
}
