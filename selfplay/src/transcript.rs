//! A game as people and other programs keep it: who played, the moves, how it ended and who says so. [`crate::notation`] writes and reads it.

mod convert;

pub use convert::TranscriptError;

use rules::{Game, Outcome, Reason, Side, Variant};

/// A game with what is written down beside its moves.
#[derive(Clone, Debug)]
pub struct Transcript<V: Variant> {
    /// Who, where and when.
    pub heading: Heading,
    /// The game, played by the rules: a transcript of an illegal move cannot be.
    pub game: Game<V>,
    /// What is known of each ply; plies past its end have nothing.
    pub notes: Vec<Note>,
    /// How it ended; `None` if it did not, or nobody says.
    pub ending: Option<Ending>,
}

/// Who played, where and when. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The names of the first and the second player.
    pub players: [String; 2],
    /// The date, `2026-12-01`, perhaps with a time behind it, `2026-12-01 10:30:00`.
    pub date: String,
    /// The event.
    pub event: String,
    /// Where.
    pub site: String,
    /// The round, or the number of the game.
    pub round: String,
}

/// What is known of a ply besides its move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// What the mover thought of the position before the move: `win - loss`, in `[-1, 1]`.
    pub value: Option<f32>,
    /// The time that the move took, in seconds.
    pub seconds: Option<f64>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// Why, and who says so.
    pub cause: Cause,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// By the rules, which were asked.
    Rules(Reason),
    /// As its record claims; the rules alone do not end it here, or not so.
    Claimed(Claim),
}

/// What a record may claim of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// One of the reasons that this program knows: a resignation, an adjudication or a forfeit, or an end by rules that does not hold here.
    Reason(Reason),
    /// A player ran out of time.
    Time,
    /// The players agreed to a draw.
    Agreement,
    /// Both kings have entered and neither can win: a draw.
    Impasse,
    /// Nothing.
    Unstated,
}

impl Claim {
    const OTHERS: [Self; 4] = [Self::Time, Self::Agreement, Self::Impasse, Self::Unstated];

    /// Returns the name used in records: that of the reason, or one of `time`, `agreement`, `impasse` and `unstated`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reason(reason) => reason.name(),
            Self::Time => "time",
            Self::Agreement => "agreement",
            Self::Impasse => "impasse",
            Self::Unstated => "unstated",
        }
    }

    /// Returns the claim with a name.
    pub fn named(name: &str) -> Option<Self> {
        let reasons = Reason::ALL.into_iter().map(Self::Reason);
        reasons
            .chain(Self::OTHERS)
            .find(|claim| claim.name() == name)
    }
}

impl Ending {
    /// Makes an end that is only claimed.
    pub const fn claimed(winner: Option<Side>, claim: Claim) -> Self {
        Self {
            winner,
            cause: Cause::Claimed(claim),
        }
    }

    /// Returns the end as somebody who cannot ask the rules would state it.
    pub const fn claim(self) -> Claim {
        match self.cause {
            Cause::Rules(reason) => Claim::Reason(reason),
            Cause::Claimed(claim) => claim,
        }
    }

    /// Returns the end as this program's own records have it: what only other programs tell apart is an adjudication or a forfeit.
    pub const fn outcome(self) -> Outcome {
        let reason = match self.cause {
            Cause::Rules(reason)
            | Cause::Claimed(Claim::Reason(
                reason @ (Reason::Resignation | Reason::Adjudication | Reason::Forfeit),
            )) => reason,
            Cause::Claimed(Claim::Time) => Reason::Forfeit,
            Cause::Claimed(_) => Reason::Adjudication,
        };
        Outcome {
            winner: self.winner,
            reason,
        }
    }
}

impl<V: Variant> Transcript<V> {
    /// Makes a transcript of a game that ends here as `claim` says, or as the rules do if they end it and agree on the winner, or if there is
    /// no claim.
    pub fn new(heading: Heading, game: Game<V>, notes: Vec<Note>, claim: Option<Ending>) -> Self {
        let ending = settle(&game, claim);
        Self {
            heading,
            game,
            notes,
            ending,
        }
    }

    /// Returns what is known of a ply, from 0.
    pub fn note(&self, ply: usize) -> Note {
        self.notes.get(ply).copied().unwrap_or_default()
    }
}

fn settle<V: Variant>(game: &Game<V>, claim: Option<Ending>) -> Option<Ending> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let ruled = game.outcome(&legal).map(|outcome| Ending {
        winner: outcome.winner,
        cause: Cause::Rules(outcome.reason),
    });
    match (ruled, claim) {
        (Some(ruled), Some(claim)) if ruled.winner != claim.winner => Some(claim),
        (None, claim) => claim.map(|claim| Ending::claimed(claim.winner, claim.claim())),
        (ruled, _) => ruled,
    }
}
