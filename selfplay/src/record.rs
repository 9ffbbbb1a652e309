//! The record of one game: the moves and what the search thought, not the planes, so that it can be encoded anew for ever.

use rules::{Game, MoveOf, NotationError, Outcome, RuleOptions, Variant, VariantId, Wdl};
use serde::{Deserialize, Serialize};

/// How the move of a ply came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlyKind {
    /// A uniformly random legal move of the opening; there was no search.
    Random,
    /// A full search, whose policy is a training target.
    Searched,
}

/// What a search says about one legal move of the root. Moves without visits and without weight in the target are left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeRecord {
    /// The place of the move in the order of legal moves.
    pub index: u16,
    /// Simulations that went through the move.
    pub visits: u32,
    /// Its probability in the improved policy, in `[0, 1]`.
    pub target: f32,
}

/// One ply: how the move was chosen and what the search knew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// How the move came about.
    pub kind: PlyKind,
    /// The value of the root after the search, from the mover's side; meaningless without a search.
    pub root: Wdl,
    /// The net's own value of the root, from the mover's side; meaningless without a search.
    pub raw: Wdl,
    /// Whether the move was played for exploration although the search thought it clearly worse than its choice: what comes after says
    /// nothing fair about the plies before.
    pub exploratory: bool,
    /// The root's edges; their targets add up to 1. Empty without a search.
    pub edges: Vec<EdgeRecord>,
}

impl PlyRecord {
    /// Makes the record of a random opening move.
    pub fn random() -> Self {
        Self {
            kind: PlyKind::Random,
            root: Wdl::DRAW,
            raw: Wdl::DRAW,
            exploratory: true,
            edges: Vec::new(),
        }
    }
}

/// A finished game with everything that later training may want.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Which game.
    pub variant: VariantId,
    /// The version of its rules.
    pub rules_version: u32,
    /// The rule options it was played under.
    pub options: RuleOptions,
    /// The seed of the run.
    pub seed: u64,
    /// The number of the game in its run, from 0.
    pub number: u64,
    /// The text of the position it started from.
    pub start: String,
    /// The moves, each in 16 bits.
    pub moves: Vec<u16>,
    /// One entry a move.
    pub plies: Vec<PlyRecord>,
    /// How it ended.
    pub outcome: Outcome,
    /// Which net played: the identity of the checkpoint from each of these plies on, in rising order.
    pub checkpoints: Vec<(u32, u64)>,
}

/// A record that does not fit the game it claims to be of.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The record is of another game.
    #[error("a record of `{found}` where `{expected}` is wanted")]
    Variant {
        /// The game wanted.
        expected: VariantId,
        /// The game of the record.
        found: VariantId,
    },
    /// The record was made under other rules.
    #[error(
        "a record made under rules version {found} of {variant}; this program has version {expected}"
    )]
    RulesVersion {
        /// The game.
        variant: VariantId,
        /// This program's version.
        expected: u32,
        /// The record's version.
        found: u32,
    },
    /// A text or move number is not of the game.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A move is not legal where it was played.
    #[error("move {mv} at ply {ply} (from 0) of game {number} is not legal in `{position}`")]
    Illegal {
        /// The number of the game.
        number: u64,
        /// The ply, from 0.
        ply: usize,
        /// The move.
        mv: String,
        /// The position.
        position: String,
    },
    /// The plies do not match the moves, or an edge points past the legal moves.
    #[error("game {number}: {problem}")]
    Shape {
        /// The number of the game.
        number: u64,
        /// What does not fit.
        problem: String,
    },
}

impl GameRecord {
    /// Returns the start position as a game without moves.
    ///
    /// # Errors
    /// If the record is of another game, of other rules, or its start is no position.
    pub fn start_game<V: Variant>(&self) -> Result<Game<V>, RecordError> {
        if self.variant != V::ID {
            return Err(RecordError::Variant {
                expected: V::ID,
                found: self.variant,
            });
        }
        if self.rules_version != V::RULES_VERSION {
            return Err(RecordError::RulesVersion {
                variant: V::ID,
                expected: V::RULES_VERSION,
                found: self.rules_version,
            });
        }
        Ok(Game::from_position(self.start.parse()?, self.options))
    }

    /// Replays the game by the rules and returns it at its end.
    ///
    /// # Errors
    /// If a move is not legal or comes after the end of the game, the plies do not match the moves, or the outcome is not the one recorded where
    /// the rules decide it.
    pub fn replay<V: Variant>(&self) -> Result<Game<V>, RecordError> {
        if self.plies.len() != self.moves.len() {
            return Err(self.misfit(format!(
                "{} plies for {} moves",
                self.plies.len(),
                self.moves.len()
            )));
        }
        let mut game = self.start_game::<V>()?;
        let mut legal = Vec::new();
        for ply in 0..self.moves.len() {
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome(&legal) {
                let reason = outcome.reason.name();
                return Err(
                    self.misfit(format!("it goes on after its end by {reason} at ply {ply}"))
                );
            }
            game.play(self.checked_move(&game, &legal, ply)?);
        }
        game.legal_moves(&mut legal);
        match game.outcome(&legal) {
            Some(outcome) if outcome != self.outcome => {
                Err(self.misfit("it ends otherwise than recorded".to_owned()))
            }
            _ => Ok(game),
        }
    }

    /// Returns the move of a ply, which is legal, and whose edges point at legal moves.
    fn checked_move<V: Variant>(
        &self,
        game: &Game<V>,
        legal: &[MoveOf<V>],
        ply: usize,
    ) -> Result<MoveOf<V>, RecordError> {
        let mv = MoveOf::<V>::try_from(self.moves[ply])?;
        if !legal.contains(&mv) {
            return Err(RecordError::Illegal {
                number: self.number,
                ply,
                mv: mv.to_string(),
                position: game.position().to_string(),
            });
        }
        match self.plies[ply]
            .edges
            .iter()
            .find(|edge| edge.index as usize >= legal.len())
        {
            None => Ok(mv),
            Some(edge) => Err(self.misfit(format!(
                "ply {ply} has an edge {} where only {} moves are legal",
                edge.index,
                legal.len()
            ))),
        }
    }

    fn misfit(&self, problem: String) -> RecordError {
        RecordError::Shape {
            number: self.number,
            problem,
        }
    }
}
