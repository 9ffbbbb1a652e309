//! What a search may ask of a single position, whatever the game.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::diagram::{Diagram, Step};
use crate::notation::NotationError;
use crate::outcome::{Outcome, Side};
use crate::variant::RuleOptions;

/// A position of a game: who stands where and who is to move, without the history that led there.
///
/// `Display` and `FromStr` are the game's own position text, and round-trip. Two positions are equal when their texts are.
pub trait Position:
    Copy + Eq + Hash + Debug + Display + FromStr<Err = NotationError> + Send + Sync + 'static
{
    /// A move. It fits 16 bits, so that records of every game share one format; any 16 bits that are no move are refused.
    type Move: Copy
        + Eq
        + Ord
        + Hash
        + Debug
        + Display
        + Into<u16>
        + TryFrom<u16, Error = NotationError>
        + Send
        + Sync
        + 'static;

    /// Returns the position in which the game starts.
    fn initial() -> Self;

    /// Returns who is to move.
    fn side_to_move(&self) -> Side;

    /// Replaces `moves` with the legal moves. Their order depends on the position alone.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Returns the number of legal moves; `buffer` is scratch space, and what it holds afterwards is of no meaning.
    fn count_moves(&self, buffer: &mut Vec<Self::Move>) -> usize {
        self.legal_moves(buffer);
        buffer.len()
    }

    /// Returns the legal move that `pick` chooses by its place among [`legal_moves`](Self::legal_moves), given how many there are, or `None` if
    /// there are none: what random play needs, without a list. `buffer` is scratch space, and what it holds afterwards is of no meaning.
    fn pick_move(
        &self,
        buffer: &mut Vec<Self::Move>,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<Self::Move> {
        self.legal_moves(buffer);
        if buffer.is_empty() {
            return None;
        }
        buffer.get(pick(buffer.len())).copied()
    }

    /// Plays a move. That it is legal is the caller's promise, checked in debug builds.
    fn play(&mut self, mv: Self::Move);

    /// Returns the identity of the position for repetition: equal for the same position reached twice, whatever the ply number.
    fn key(&self) -> u64;

    /// Returns a second hash of all that [`Position::key`] is of, computed from the whole position by another function: key and fingerprint
    /// together tell positions apart by 128 bits.
    fn fingerprint(&self) -> u64;

    /// Tells whether the side to move is in check.
    fn in_check(&self) -> bool;

    /// Returns how the game ends when the side to move has no legal move.
    fn no_move_outcome(&self) -> Outcome;

    /// Returns a move out of `legal`, the legal moves, that checks and leaves the opponent without a move, if there is one; `replies` is scratch
    /// space. Such a mate ends the game whatever happened before.
    fn mate_in_one(
        &self,
        legal: &[Self::Move],
        replies: &mut Vec<Self::Move>,
    ) -> Option<Self::Move> {
        legal.iter().copied().find(|&mv| {
            let mut next = *self;
            next.play(mv);
            next.in_check() && {
                next.legal_moves(replies);
                replies.is_empty()
            }
        })
    }

    /// Reads a move in the game's own notation. The move is legal in this position.
    ///
    /// # Errors
    /// Says which part of `text` is wrong, or that the move is not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// Returns the position as a picture, seen by the first player.
    fn diagram(&self) -> Diagram;

    /// Returns what a legal move moves, and from where to where.
    fn step(&self, mv: Self::Move) -> Step;

    /// Takes over the rule options that change which moves are legal. A game does this with its start position; the default has none.
    fn adopt(&mut self, _: &RuleOptions) {}

    /// Tells whether a legal move starts the count towards the no-progress rule again.
    fn is_progress(&self, _: Self::Move) -> bool {
        true
    }

    /// Returns the plies without progress that a game starting here has behind it.
    fn starting_quiet_plies(&self) -> u32 {
        0
    }

    /// Tells whether neither side can ever mate, which ends the game as a draw.
    fn is_dead_draw(&self) -> bool {
        false
    }

    /// Returns how the game ends if the side to move has won by an automatic declaration under these options.
    fn declaration(&self, _: &RuleOptions) -> Option<Outcome> {
        None
    }

    /// Tells, for each side by its index, whether it chased the same man with every move of a repetition without checks.
    ///
    /// `positions` run from the first to the last occurrence of the repeated position; `moves[i]` leads from `positions[i]` to the next.
    fn chasers(_positions: &[Self], _moves: &[Self::Move]) -> [bool; 2] {
        [false; 2]
    }
}
