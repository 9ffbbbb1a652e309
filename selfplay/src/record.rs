//! The record of one game: the moves and what the search thought, not the planes, so that it can be encoded anew for ever.

use rules::{
    Game, MoveOf, NotationError, Outcome, Reason, RuleOptions, Side, Variant, VariantId, Wdl,
};
use serde::{Deserialize, Serialize};

/// How the move of a ply came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlyKind {
    /// A uniformly random legal move of the opening; there was no search.
    Random,
    /// A full search, whose policy is a training target.
    Searched,
    /// A fast search: its move was played and its value counts, but its policy is no target.
    Fast,
    /// A move of the opening drawn from the net's own policy; there was an evaluation and no search.
    Policy,
    /// A move taken over from an earlier game, or the one played there instead; there was no search.
    Forked,
}

impl PlyKind {
    /// Every kind, in the order of the variants.
    pub const ALL: [Self; 5] = [
        Self::Random,
        Self::Searched,
        Self::Fast,
        Self::Policy,
        Self::Forked,
    ];

    /// Returns the name used in records and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Searched => "searched",
            Self::Fast => "fast",
            Self::Policy => "policy",
            Self::Forked => "forked",
        }
    }

    /// Tells whether there was a search, full or fast.
    pub const fn is_search(self) -> bool {
        matches!(self, Self::Searched | Self::Fast)
    }
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
    /// The value of the root after the search, from the mover's side; without a search the net's own, meaningless if there is none either.
    pub root: Wdl,
    /// The net's own value of the root, from the mover's side; meaningless if it was not asked.
    pub raw: Wdl,
    /// Whether the move was played for exploration although the search thought it clearly worse than its choice: what comes after says
    /// nothing fair about the plies before.
    pub exploratory: bool,
    /// How far the search's policy is from the net's: the Kullback-Leibler divergence from the priors, in nats; 0 without a search.
    pub surprise: f32,
    /// Simulations in the tree of the search; 0 without one.
    pub simulations: u32,
    /// How often the position stands among those to learn from: 0 unless there was a full search, and once where surprise has no weight.
    pub copies: u8,
    /// The root's edges; their targets add up to 1. Empty without a full search.
    pub edges: Vec<EdgeRecord>,
}

impl PlyRecord {
    /// Makes the record of a move that no search chose.
    pub fn unsearched(kind: PlyKind) -> Self {
        Self {
            kind,
            root: Wdl::DRAW,
            raw: Wdl::DRAW,
            exploratory: true,
            surprise: 0.0,
            simulations: 0,
            copies: 0,
            edges: Vec::new(),
        }
    }
}

/// That a player would have resigned, or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignationNote {
    /// Who.
    pub side: Side,
    /// After how many plies.
    pub ply: u32,
}

/// Why a game started within an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchKind {
    /// To play another move where the search disagreed most with the net.
    Fork,
    /// To play again where the outcome contradicted the search most.
    Restart,
}

impl BranchKind {
    /// Returns the name used in records and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Restart => "restart",
        }
    }
}

/// Where in an earlier game a game started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The number of the earlier game.
    pub game: u64,
    /// The plies taken over from it.
    pub ply: u32,
    /// Why.
    pub kind: BranchKind,
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
    /// Who first wanted to resign, if anyone did. The game went on unless its outcome is a resignation.
    pub resigned: Option<ResignationNote>,
    /// The earlier game that it started in, if it did; that game's moves are among its own.
    pub origin: Option<Origin>,
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
    /// Returns whether the player who first wanted to resign did not lose after all; `None` if nobody did, or the game ended by it.
    pub fn false_resignation(&self) -> Option<bool> {
        let noted = self
            .resigned
            .filter(|_| self.outcome.reason != Reason::Resignation)?;
        Some(self.outcome.winner != Some(noted.side.other()))
    }

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
    /// If a move is not legal or comes after the end of the game, the plies do not match the moves, or the outcome is not the one recorded. Where
    /// the rules do not end the game, only a player or a match can have: by resignation, adjudication or forfeit.
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
        let given_up = matches!(
            self.outcome.reason,
            Reason::Resignation | Reason::Adjudication | Reason::Forfeit
        );
        match game.outcome(&legal) {
            Some(outcome) if outcome != self.outcome => {
                Err(self.misfit("it ends otherwise than recorded".to_owned()))
            }
            None if !given_up => Err(self.misfit("it does not end with its last move".to_owned())),
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
