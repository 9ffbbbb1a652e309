//! What tells one game from another: its name, its grid, its rule options, its position type.

mod options_text;

use std::fmt::{self, Debug};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notation::Notation;
use crate::{Heuristics, Position};

/// The name of a game, as configs, records and the command line write it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum VariantId {
    /// Gufu shogi: six squares, two kings, two shared turning pieces.
    Gufu,
    /// Shogi.
    Showgit,
    /// `EuroShogi`: shogi on eight by eight with European men.
    EuroShogi,
    /// Xiangqi, Chinese chess.
    Xiangqi,
}

impl VariantId {
    /// Every game, in the order in which help texts list them.
    pub const ALL: [Self; 4] = [Self::Gufu, Self::Showgit, Self::EuroShogi, Self::Xiangqi];

    /// Returns the name used in configs, records and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gufu => "gufu",
            Self::Showgit => "showgit",
            Self::EuroShogi => "euroshogi",
            Self::Xiangqi => "xiangqi",
        }
    }
}

impl fmt::Display for VariantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text given is not the name of a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant `{0}`: expected one of {names}", names = VariantId::ALL.map(VariantId::name).join(", "))]
pub struct UnknownVariant(pub String);

impl FromStr for VariantId {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|id| id.name() == text)
            .ok_or_else(|| UnknownVariant(text.to_owned()))
    }
}

/// The size of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Columns.
    pub files: usize,
    /// Rows.
    pub ranks: usize,
}

impl Grid {
    /// Returns the number of squares.
    pub const fn squares(self) -> usize {
        self.files * self.ranks
    }
}

/// The choices that a game's rules leave open, fixed when a game is created and carried by configs, records and checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleOptions {
    /// The occurrence of a position, from the second on, that ends the game; at least 2.
    pub repetitions: u32,
    /// The ply after which a game that has not ended is a draw; at least 1.
    pub ply_cap: u32,
    /// The plies without progress after which a game is a draw; 0: no such rule. What progress is, each game says: in `EuroShogi` a capture, a
    /// drop or a move of an unpromoted pawn; in xiangqi a capture, and checks beyond the tenth of a side and their answers are not counted.
    pub no_progress: u32,
    /// Whether chasing a man all the way through a repetition loses (xiangqi).
    pub chase: Chase,
    /// Whether an entering king wins by declaration (showgit).
    pub declaration: Declaration,
    /// Whether a move that starts in the promotion zone must promote (`EuroShogi`).
    pub zone_start_promotion: ZoneStart,
}

/// What a perpetual chase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chase {
    /// Nothing: such repetitions are draws.
    None,
    /// The rules of the Asian Xiangqi Federation, as the rules page words them: the chaser loses.
    Axf,
}

/// Declarations of an entering king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Declaration {
    /// None.
    #[serde(alias = "none")]
    Off,
    /// The 27-point rule of the Computer Shogi Association, declared automatically as soon as it holds.
    Csa27,
}

/// Promotion on moves that start in the zone, where moves that end there must promote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZoneStart {
    /// Such moves promote.
    Mandatory,
    /// The player chooses, unless the man could not move on.
    Optional,
}

impl RuleOptions {
    /// Checks that each option is in its range.
    ///
    /// # Errors
    /// Says which option is out of range, its value, and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        if self.repetitions < 2 {
            return Err(format!(
                "repetitions = {}: must be at least 2 (the start position is the first occurrence of itself)",
                self.repetitions
            ));
        }
        if !(1..=10_000).contains(&self.ply_cap) {
            return Err(format!(
                "ply_cap = {}: must be from 1 to 10000",
                self.ply_cap
            ));
        }
        if self.no_progress > 10_000 {
            return Err(format!(
                "no_progress = {}: must be at most 10000 (0: no such rule)",
                self.no_progress
            ));
        }
        Ok(())
    }
}

/// A game: data about it, and the type of its positions.
pub trait Variant: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// The game's name.
    const ID: VariantId;
    /// The size of its board.
    const GRID: Grid;
    /// The version of its rules in this program: raised when a change alters which games are legal or how they end.
    const RULES_VERSION: u32;
    /// The rule options that the rules page gives as defaults.
    const OPTIONS: RuleOptions;
    /// Whether a side loses if it alone gave check with every move from the first to the last occurrence of a repetition.
    const PERPETUAL_CHECK_LOSES: bool = false;
    /// Whether any check within a repetition that is no perpetual check makes it a draw, before chases are looked at.
    const CHECKS_SPOIL_REPETITION: bool = false;
    /// How many checks a side may give since the last progress before further ones, and their answers, are left out of the no-progress count.
    const CHECKS_COUNTED: u32 = u32::MAX;
    /// How it writes positions and moves, which protocols may write otherwise; `None`: in a form of its own that every protocol uses.
    const TEXTS: Option<Notation> = None;
    /// Its positions.
    type Position: Heuristics;
}

/// The move type of a game.
pub type MoveOf<V> = <<V as Variant>::Position as Position>::Move;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_lists_the_right_ones() {
        assert_eq!("gufu".parse(), Ok(VariantId::Gufu));
        let error = "chess".parse::<VariantId>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown variant `chess`: expected one of gufu, showgit, euroshogi, xiangqi"
        );
    }
}
