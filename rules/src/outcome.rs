//! Who won, why, and the same said from one player's side.

use serde::{Deserialize, Serialize};

/// One of the two players, by who moves first from the game's own start position.
///
/// `First` is Black in gufu and shogi, White in EuroShogi, Red in xiangqi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// The player who moves first.
    First,
    /// The player who moves second.
    Second,
}

impl Side {
    /// Returns the other player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Returns 0 for `First` and 1 for `Second`.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name used in records and vectors: `first` or `second`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// Why a game ended. The names are the same in code, records and vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// The position occurred as often as the rules allow.
    Repetition,
    /// One side checked in every move of a repetition.
    PerpetualCheck,
    /// One side chased a piece in every move of a repetition.
    PerpetualChase,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// Too many plies without progress.
    MoveLimit,
    /// The game reached its greatest length.
    PlyCap,
    /// An entering king was declared.
    Declaration,
    /// A player gave up.
    Resignation,
    /// A match ended the game by its own thresholds.
    Adjudication,
    /// An outside engine moved illegally, ran out of time or crashed.
    Forfeit,
}

impl Reason {
    /// Every reason, in the order of the variants.
    pub const ALL: [Self; 12] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::Repetition,
        Self::PerpetualCheck,
        Self::PerpetualChase,
        Self::InsufficientMaterial,
        Self::MoveLimit,
        Self::PlyCap,
        Self::Declaration,
        Self::Resignation,
        Self::Adjudication,
        Self::Forfeit,
    ];

    /// Returns the name used in records, metrics and vectors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual_check",
            Self::PerpetualChase => "perpetual_chase",
            Self::InsufficientMaterial => "insufficient_material",
            Self::MoveLimit => "move_limit",
            Self::PlyCap => "ply_cap",
            Self::Declaration => "declaration",
            Self::Resignation => "resignation",
            Self::Adjudication => "adjudication",
            Self::Forfeit => "forfeit",
        }
    }
}

/// How a game ended: absolute, not from anyone's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// The winner, or `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub reason: Reason,
}

impl Outcome {
    /// Makes a win for `winner`.
    pub const fn win(winner: Side, reason: Reason) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }

    /// Makes a draw.
    pub const fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
        }
    }

    /// Returns the outcome as a certain [`Wdl`] from `side`'s point of view.
    pub fn wdl(self, side: Side) -> Wdl {
        match self.winner {
            None => Wdl::DRAW,
            Some(winner) if winner == side => Wdl::WIN,
            Some(_) => Wdl::LOSS,
        }
    }
}

/// Probabilities of winning, drawing and losing, from the point of view of the side to move wherever a net or a search is concerned.
///
/// Each is in `[0, 1]`; they add up to 1, rounding apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wdl {
    /// Probability of a win.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability of a loss.
    pub loss: f32,
}

impl Wdl {
    /// A certain win.
    pub const WIN: Self = Self {
        win: 1.0,
        draw: 0.0,
        loss: 0.0,
    };
    /// A certain draw.
    pub const DRAW: Self = Self {
        win: 0.0,
        draw: 1.0,
        loss: 0.0,
    };
    /// A certain loss.
    pub const LOSS: Self = Self {
        win: 0.0,
        draw: 0.0,
        loss: 1.0,
    };

    /// Returns the same probabilities from the other player's side.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }

    /// Returns `win - loss`, in `[-1, 1]`: what a search maximises when a draw is worth nothing.
    pub const fn value(self) -> f32 {
        self.win - self.loss
    }

    /// Returns `[win, draw, loss]`.
    pub const fn to_array(self) -> [f32; 3] {
        [self.win, self.draw, self.loss]
    }

    /// Makes a triple from `[win, draw, loss]`.
    pub const fn from_array([win, draw, loss]: [f32; 3]) -> Self {
        Self { win, draw, loss }
    }

    /// Returns `self` moved towards `other` by `share`, in `[0, 1]`.
    #[must_use]
    pub fn mix(self, other: Self, share: f32) -> Self {
        let keep = 1.0 - share;
        Self {
            win: keep * self.win + share * other.win,
            draw: keep * self.draw + share * other.draw,
            loss: keep * self.loss + share * other.loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_seen_from_each_side() {
        let outcome = Outcome::win(Side::Second, Reason::Checkmate);
        assert_eq!(outcome.wdl(Side::Second), Wdl::WIN);
        assert_eq!(outcome.wdl(Side::First), Wdl::WIN.flip());
        assert_eq!(Outcome::draw(Reason::PlyCap).wdl(Side::First), Wdl::DRAW);
    }

    #[test]
    fn every_reason_is_written_by_its_name() {
        for reason in Reason::ALL {
            assert_eq!(
                serde_json::to_string(&reason).unwrap(),
                format!("\"{}\"", reason.name())
            );
        }
    }
}
