//! What limits a run, from what its nets say about its own games before and after learning from them.
//!
//! Each generation's new games are data that the net has not seen. It is measured on a sample of their positions (*fresh*) and on one of
//! positions of the rest of the window (*known*, learned from several times), both before and after the generation's learning, always with the
//! averaged weights, which play. From these follow, in this order:
//!
//! * **data**: it loses much more on fresh positions than on known ones. It learns its window by heart.
//! * **learner**: learning makes it lose less on positions that it had learned from already. More steps would help.
//! * **targets**: its policies are close to those of the searches. What they say is known; better searches have more to say.
//! * **capacity**: none of these. It is not close, and learning does not bring it closer: the net cannot hold more, or what is left
//!   is noise of the searches, which no net can know. `senpu learn` tells these apart.
//!
//! Policies are judged by their divergence from those of the searches, as a share of what the searches say: what is left to a net that
//! gives all moves the same chance. Values are judged by differences only. The cross-entropy of an outcome has no floor that could be
//! known: outcomes are certain afterwards, so that their own entropy is 0, and how much of them could have been foreseen depends on the game
//! and on how it was played on. In a difference on the same positions, or on positions played alike, that part is not there any more.

use std::fmt;

use anyhow::Result;
use model::Inference;
use serde::Serialize;

use crate::loader::{Means, Probe};

/// Fresh positions: shares of what searches say that are known there less than on known positions, from which on it learns by heart.
const BY_HEART_POLICY: f64 = 0.05;

/// The same of values, in nats of cross-entropy.
const BY_HEART_VALUE: f64 = 0.05;

/// Share of the divergence on known positions that a generation of learning takes away, from which on the learner is behind.
const BEHIND_POLICY: f64 = 0.05;

/// The same of values, in nats of cross-entropy.
const BEHIND_VALUE: f64 = 0.01;

/// Share of what the searches say that a net knows on known positions, from which on it is close to them.
const CLOSE: f64 = 0.95;

/// Which games positions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Games {
    /// Never learned from.
    Fresh,
    /// Learned from.
    Known,
}

/// What a net lost before it learned, and on which positions.
pub(super) struct Look {
    fresh: Probe,
    known: Probe,
    before: [Means; 2],
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Limits {
    /// On new games, never learned from.
    pub(crate) fresh: Means,
    /// On the same positions, after learning.
    pub(crate) fresh_after: Means,
    /// On games learned from before; no positions in the first generation that learns.
    pub(crate) known: Means,
    /// On the same positions, after learning.
    pub(crate) known_after: Means,
    /// What limits the run; `None` where there is too little to tell.
    pub(crate) limit: Option<Limit>,
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
            before: [fresh.measure(net)?.means(), known.measure(net)?.means()],
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
        let mut limits = Limits {
            fresh,
            fresh_after: self.fresh.measure(net)?.means(),
            known,
            known_after: self.known.measure(net)?.means(),
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
            known_after,
            ..
        } = self;
        if fresh.positions == 0 || known.positions == 0 {
            return None;
        }
        let by_heart = known.policy_known() - fresh.policy_known() >= BY_HEART_POLICY
            || fresh.wdl - known.wdl >= BY_HEART_VALUE;
        let taken = known.divergence() - known_after.divergence();
        let behind = taken >= BEHIND_POLICY * known.divergence()
            || known.wdl - known_after.wdl >= BEHIND_VALUE;
        Some(if by_heart {
            Limit::Data
        } else if behind {
            Limit::Learner
        } else if known_after.policy_known() >= CLOSE {
            Limit::Targets
        } else {
            Limit::Capacity
        })
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
                "it could learn more of the games that it has: raise replay.reuse or learn.learning_rate"
            }
            Limit::Targets => "it knows what its searches say: raise search.simulations",
            Limit::Capacity => {
                "more steps would not help: try a larger net, and see with `senpu learn` whether it knows more"
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
