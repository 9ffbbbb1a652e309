//! A transcript while it is read.

use rules::{Game, MoveOf, RuleOptions, Variant};

use crate::transcript::{Ending, Heading, Note, Transcript};

/// What has been read of a game.
#[derive(Debug)]
pub(super) struct Builder<V: Variant> {
    pub(super) heading: Heading,
    pub(super) game: Game<V>,
    pub(super) ending: Option<Ending>,
    notes: Vec<Note>,
}

impl<V: Variant> Builder<V> {
    pub(super) fn new(heading: Heading, position: V::Position, options: RuleOptions) -> Self {
        Self {
            heading,
            game: Game::from_position(position, options),
            ending: None,
            notes: Vec::new(),
        }
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, mv: MoveOf<V>) {
        self.game.play(mv);
        self.notes.push(Note::default());
    }

    /// Returns the note of the last move, if there is one.
    pub(super) fn note(&mut self) -> Option<&mut Note> {
        self.notes.last_mut()
    }

    pub(super) fn finish(self) -> Transcript<V> {
        Transcript::new(self.heading, self.game, self.notes, self.ending)
    }
}
