//! A position with the history that led to it: repetition, caps, and therefore the outcome.

use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::variant::{MoveOf, RuleOptions, Variant};

/// A game in progress, or the scratch line of a search.
///
/// A search plays down a line and takes it back with [`Game::undo_to`]; after warm-up neither allocates.
#[derive(Clone, Debug)]
pub struct Game<V: Variant> {
    options: RuleOptions,
    /// The start position and the position after each ply; never empty.
    positions: Vec<V::Position>,
    /// `keys[i]` identifies `positions[i]`.
    keys: Vec<u64>,
    moves: Vec<MoveOf<V>>,
}

impl<V: Variant> Game<V> {
    /// Starts a game from the game's own start position.
    pub fn new(options: RuleOptions) -> Self {
        Self::from_position(V::Position::initial(), options)
    }

    /// Starts a game from any position: repetition and caps count from here.
    pub fn from_position(position: V::Position, options: RuleOptions) -> Self {
        Self {
            options,
            positions: vec![position],
            keys: vec![position.key()],
            moves: Vec::new(),
        }
    }

    /// Returns the rule options that the game was created with.
    pub fn options(&self) -> &RuleOptions {
        &self.options
    }

    /// Returns the current position.
    pub fn position(&self) -> &V::Position {
        &self.positions[self.moves.len()]
    }

    /// Returns the position that the game started from.
    pub fn start(&self) -> &V::Position {
        &self.positions[0]
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[MoveOf<V>] {
        &self.moves
    }

    /// Returns the number of plies played in this game.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Replaces `moves` with the legal moves of the current position.
    pub fn legal_moves(&self, moves: &mut Vec<MoveOf<V>>) {
        self.position().legal_moves(moves);
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: MoveOf<V>) {
        let mut position = *self.position();
        position.play(mv);
        self.moves.push(mv);
        self.keys.push(position.key());
        self.positions.push(position);
    }

    /// Takes back moves until `ply` plies are left.
    pub fn undo_to(&mut self, ply: usize) {
        debug_assert!(
            ply <= self.ply(),
            "cannot undo to ply {ply} from ply {}",
            self.ply()
        );
        self.moves.truncate(ply);
        self.keys.truncate(ply + 1);
        self.positions.truncate(ply + 1);
    }

    /// Returns how often the current position has occurred in this game, this time included: at least 1.
    pub fn occurrences(&self) -> u32 {
        let key = self.keys[self.ply()];
        // Only positions with the same side to move can be equal, hence every second one.
        self.keys
            .iter()
            .rev()
            .step_by(2)
            .filter(|&&earlier| earlier == key)
            .count() as u32
    }

    /// Returns the outcome if the game has ended here; `legal` are the legal moves of the current position.
    ///
    /// The tests run in the order of the rules: no legal move, repetition, ply cap. So mate beats repetition and caps.
    pub fn outcome(&self, legal: &[MoveOf<V>]) -> Option<Outcome> {
        if legal.is_empty() {
            return Some(self.position().no_move_outcome());
        }
        if self.occurrences() >= self.options.repetitions {
            return Some(Outcome::draw(Reason::Repetition));
        }
        (self.ply() >= self.options.ply_cap as usize).then_some(Outcome::draw(Reason::PlyCap))
    }
}
