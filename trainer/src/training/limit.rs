//! What limits a run, from what its nets say about its own games before and after learning from them.
//!
//! Each generation's new games are data that the net has not seen. It is measured on a sample of their positions (*fresh*), and on one of as
//! many games before them (*known*, which it learned from in the last generation), both before and after the generation's learning, always
//! with the averaged weights, which play. From these follow, in this order:
//!
//! * **data**: it loses much more on fresh positions than on known ones. It learns its games by heart.
//! * **targets**: its policies are close to those of the searches. What they say is known; better searches have more to say.
//! * **learner**: learning makes it lose less on positions that it had learned from already. More steps would help.
//! * **capacity**: none of these. It is not close, and learning does not bring it closer: the net cannot hold more, or what is left
//!   is noise of the searches, which no net can know. `senpu learn` tells these apart.
//!
//! Policies are judged by their divergence from those of the searches, as a share of what the searches say: of the divergence that a net
//! has that gives all moves the same chance. Values are judged by differences only. The cross-entropy of an outcome has no floor that could be
//! known: outcomes are certain afterwards, so that their own entropy is 0, and how much of them could have been foreseen depends on the game
//! and on how it was played on. In a difference on the same positions, or on games played nearly alike, that part is not there any more.
//!
//! The thresholds are set by runs of gufu with a net of features, 400 positions of each kind. Once a net no longer changes its play from one
//! generation to the next, the gap between fresh and known policies stays within chance, which is 0.03 to 0.07 of what the searches say at two
//! standard errors, and that of values within 0.06 nats: 0.1 is beyond either. In the first generations, when new games are of another kind than
//! those before, the gap is greater and `data` is said for that reason. A run with a tenth of the learning rate still took 6 % of the known
//! divergence away in its tenth generation and one with an eighth of the width 4 %, falling; so 5 %. Runs came to know 95 % when their
//! nets' first choices stopped improving.
//!
//! Known games are those just before the fresh ones and not the whole window, for what searches say changes as the run goes: on old games a net
//! loses less or more for that reason alone.

#[cfg(test)]
mod tests;

use std::fmt;

use anyhow::Result;
use model::Inference;
use serde::Serialize;

use crate::loader::{Difference, Means, Measured, Probe, divergence};

/// By how much more is lost on fresh policies than on known ones, as a share of what the searches say, from which on a net learns by heart.
const BY_HEART_POLICY: f64 = 0.1;

/// The same of values, in nats.
const BY_HEART_VALUE: f64 = 0.1;

/// Share of what the searches say that a net knows from which on it is close to them.
const CLOSE: f64 = 0.95;

/// Share of the divergence on known positions that a generation of learning takes away from which on the learner is behind.
const BEHIND_POLICY: f64 = 0.05;

/// What a generation of learning takes away of the loss of known values from which on the learner is behind, in nats.
const BEHIND_VALUE: f64 = 0.01;

/// Which games positions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Games {
    /// Never learned from.
    Fresh,
    /// Learned from in the last generation.
    Known,
}

/// What a net lost before it learned, and on which positions.
pub(super) struct Look {
    fresh: Probe,
    known: Probe,
    before: [Measured; 2],
}

/// What limits a run most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Limit {
    /// It learns its games by heart.
    Data,
    /// It could learn more of the games that it has.
    Learner,
    /// The searches have no more to say.
    Targets,
    /// The net cannot hold more.
    Capacity,
}

/// What a net lost on positions of new and of older games, before and after it learned, and what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Limits {
    /// On new games, never learned from.
    pub(crate) fresh: Means,
    /// On the same positions, after learning.
    pub(crate) fresh_after: Means,
    /// On the games before them; no positions in the first generation that learns.
    pub(crate) known: Means,
    /// On the same positions, after learning.
    pub(crate) known_after: Means,
    /// By how much more was lost on new games than on those before them.
    pub(crate) gap: Heads,
    /// What learning took away of the losses on games learned from before.
    pub(crate) gain: Heads,
    /// What limits the run; `None` where there is too little to tell.
    pub(crate) limit: Option<Limit>,
}

/// Differences of losses by what is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Heads {
    /// Of the policy's divergence.
    pub(crate) policy: Difference,
    /// Of the cross-entropy of win, draw and loss.
    pub(crate) wdl: Difference,
}

impl Look {
    /// Draws positions of either kind and measures the net on them.
    ///
    /// # Errors
    /// If a game cannot be read or the net fails.
    pub(super) fn before(
        net: &Inference,
        mut draw: impl FnMut(Games) -> Result<Probe>,
    ) -> Result<Self> {
        let (fresh, known) = (draw(Games::Fresh)?, draw(Games::Known)?);
        Ok(Self {
            before: [fresh.measure(net)?, known.measure(net)?],
            fresh,
            known,
        })
    }

    /// Measures the net again and says what follows.
    ///
    /// # Errors
    /// If the net fails.
    pub(super) fn after(self, net: &Inference) -> Result<Limits> {
        let [fresh, known] = self.before;
        let known_after = self.known.measure(net)?;
        let mut limits = Limits {
            fresh: fresh.means(),
            fresh_after: self.fresh.measure(net)?.means(),
            known: known.means(),
            known_after: known_after.means(),
            gap: Heads {
                policy: fresh.beside(&known, divergence),
                wdl: fresh.beside(&known, |of| of.wdl),
            },
            gain: Heads {
                policy: known.against(&known_after, divergence),
                wdl: known.against(&known_after, |of| of.wdl),
            },
            limit: None,
        };
        limits.limit = limits.judge();
        Ok(limits)
    }
}

impl Limits {
    fn judge(&self) -> Option<Limit> {
        let Self {
            fresh,
            known,
            gap,
            gain,
            ..
        } = self;
        if fresh.positions == 0 || known.positions == 0 {
            return None;
        }
        let by_heart = BY_HEART_POLICY * known.policy_said();
        let behind = BEHIND_POLICY * known.divergence();
        let value_is_behind = gain.wdl.reaches(BEHIND_VALUE);
        Some(
            if gap.policy.reaches(by_heart) || gap.wdl.reaches(BY_HEART_VALUE) {
                Limit::Data
            } else if value_is_behind {
                Limit::Learner
            } else if self.known_after.policy_known() >= CLOSE {
                Limit::Targets
            } else if gain.policy.reaches(behind) {
                Limit::Learner
            } else {
                Limit::Capacity
            },
        )
    }

    /// Says what limits the run, by which figures, and what would help.
    pub(crate) fn advice(&self) -> Option<String> {
        let limit = self.limit?;
        let Self {
            fresh,
            known,
            known_after,
            ..
        } = self;
        let help = match limit {
            Limit::Data => {
                "it learns its games by heart: lower replay.reuse, or have more games in a larger replay.window"
            }
            Limit::Learner => {
                "it could learn more of the games that it has: raise replay.reuse or learn.learning_rate, or shorten replay.window if games change"
            }
            Limit::Targets => "it knows what its searches say: raise search.simulations",
            Limit::Capacity => {
                "more steps would not help: try richer features (`net.features`, `net.policy_moves`) or a larger net, and see with `senpu learn --arm` which of them knows more"
            }
        };
        Some(format!(
            "limited by its {limit}: {help} (policy divergence {:.3} on new games, {:.3} on known ones and {:.3} after learning, \
             {:.1} % of what searches say is known; value loss {:.3}, {:.3} and {:.3})",
            fresh.divergence(),
            known.divergence(),
            known_after.divergence(),
            known_after.policy_known() * 100.0,
            fresh.wdl,
            known.wdl,
            known_after.wdl
        ))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Data => "data",
            Self::Learner => "learner",
            Self::Targets => "targets",
            Self::Capacity => "capacity",
        })
    }
}
