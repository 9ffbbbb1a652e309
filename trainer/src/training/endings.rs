//! How the newest games ended, and when that is a reason to warn: draws or caps that swamp the data, resignations that give away games.

use std::collections::VecDeque;

use anyhow::Result;
use rules::Reason;
use selfplay::GameRecord;
use serde::{Deserialize, Serialize};

use crate::guard::GuardConfig;
use crate::replay::ReplayStore;

/// Fewer games than this say nothing about a share.
const FEWEST: usize = 20;

/// How one game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ending {
    drawn: bool,
    capped: bool,
    false_resignation: Option<bool>,
}

impl From<&GameRecord> for Ending {
    fn from(record: &GameRecord) -> Self {
        Self {
            drawn: record.outcome.winner.is_none(),
            capped: record.outcome.reason == Reason::PlyCap,
            false_resignation: record.false_resignation(),
        }
    }
}

/// How the newest games ended, the newest last.
#[derive(Debug)]
pub(super) struct Endings {
    recent: VecDeque<Ending>,
    most: usize,
}

/// Resignations that were only noted, and those among them after which that player did not lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resignations {
    /// Games played on after a resignation was noted.
    pub(crate) played_on: u64,
    /// Those that the player who would have resigned did not lose.
    pub(crate) wrong: u64,
}

impl Resignations {
    /// Counts a game.
    pub(crate) fn add(&mut self, record: &GameRecord) {
        if let Some(is_false) = record.false_resignation() {
            self.played_on += 1;
            self.wrong += u64::from(is_false);
        }
    }

    /// Returns the sums with another count.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            played_on: self.played_on + other.played_on,
            wrong: self.wrong + other.wrong,
        }
    }

    /// Returns the share of false ones, `None` where there was nothing to see.
    pub(crate) fn false_share(self) -> Option<f64> {
        (self.played_on > 0).then(|| self.wrong as f64 / self.played_on as f64)
    }
}

/// Which limits were crossed at the end of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alarms {
    /// Of draws.
    pub(crate) draws: bool,
    /// Of games that ended at the ply cap.
    pub(crate) capped: bool,
    /// Of false resignations.
    pub(crate) false_resignations: bool,
}

/// Shares among the newest games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Shares {
    /// The games.
    pub(crate) games: usize,
    /// The share of them that was drawn.
    pub(crate) draws: f64,
    /// The share of them that ended at the ply cap.
    pub(crate) capped: f64,
    /// Those that were played on after a resignation.
    pub(crate) played_on: u64,
    /// The share of those that the player who would have resigned did not lose.
    pub(crate) false_resignations: Option<f64>,
    /// Which limits these shares cross.
    pub(crate) alarms: Alarms,
}

impl Endings {
    /// Reads how the newest games of the store's window ended.
    pub(super) fn load(store: &ReplayStore, config: GuardConfig) -> Result<Self> {
        let most = config.alarm_games;
        let first = store.games().saturating_sub(most);
        let recent = (first..store.games())
            .map(|game| Ok(Ending::from(&store.record(game)?)))
            .collect::<Result<_>>()?;
        Ok(Self { recent, most })
    }

    /// Adds games that were stored, `held` of which are now in the store's window: what is forgotten there is forgotten here, so that a run
    /// that goes on knows the same games.
    pub(super) fn add(&mut self, records: &[GameRecord], held: usize) {
        self.recent.extend(records.iter().map(Ending::from));
        let surplus = self.recent.len().saturating_sub(self.most.min(held));
        self.recent.drain(..surplus);
    }

    /// Returns the shares, held against the limits.
    pub(super) fn shares(&self, limits: GuardConfig) -> Shares {
        let games = self.recent.len();
        let share = |is: fn(&Ending) -> bool| {
            self.recent.iter().filter(|ending| is(ending)).count() as f64 / games.max(1) as f64
        };
        let noted: Vec<bool> = (self.recent.iter())
            .filter_map(|ending| ending.false_resignation)
            .collect();
        let resignations = Resignations {
            played_on: noted.len() as u64,
            wrong: noted.iter().filter(|&&wrong| wrong).count() as u64,
        };
        let (draws, capped) = (share(|game| game.drawn), share(|game| game.capped));
        let false_resignations = resignations.false_share();
        let crossed = |share: f64, limit: f64, of: usize| of >= FEWEST && share > limit;
        Shares {
            games,
            draws,
            capped,
            played_on: resignations.played_on,
            false_resignations,
            alarms: Alarms {
                draws: crossed(draws, limits.most_draws, games),
                capped: crossed(capped, limits.most_capped, games),
                false_resignations: false_resignations.is_some_and(|share| {
                    crossed(share, limits.most_false_resignations, noted.len())
                }),
            },
        }
    }
}

impl Shares {
    /// Returns a warning for each limit that is crossed and was not `before`.
    pub(super) fn warnings(&self, before: Alarms, limits: GuardConfig) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let mut warnings = Vec::new();
        if self.alarms.draws && !before.draws {
            warnings.push(format!(
                "{} of the last {} games were drawn, more than guard.most_draws = {}: draws swamp the data; more random openings can help",
                percent(self.draws),
                self.games,
                limits.most_draws
            ));
        }
        if self.alarms.capped && !before.capped {
            warnings.push(format!(
                "{} of the last {} games ended at the ply cap, more than guard.most_capped = {}: their outcomes say little; a higher cap, or a \
                 higher targets.capped_root_value_share, can help",
                percent(self.capped),
                self.games,
                limits.most_capped
            ));
        }
        if self.alarms.false_resignations && !before.false_resignations {
            warnings.push(format!(
                "{} of the last {} players who would have resigned did not lose, more than guard.most_false_resignations = {}: set \
                 selfplay.resign.threshold lower, or selfplay.resign.plies higher",
                percent(self.false_resignations.unwrap_or_default()),
                self.played_on,
                limits.most_false_resignations
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: GuardConfig = GuardConfig {
        stall_seconds: 1.0,
        min_free_megabytes: 0,
        alarm_games: 40,
        most_draws: 0.5,
        most_capped: 0.2,
        most_false_resignations: 0.1,
    };

    fn endings(games: &[(usize, Ending)]) -> Endings {
        let recent = games
            .iter()
            .flat_map(|&(count, ending)| std::iter::repeat_n(ending, count));
        Endings {
            recent: recent.collect(),
            most: LIMITS.alarm_games,
        }
    }

    const WON: Ending = Ending {
        drawn: false,
        capped: false,
        false_resignation: None,
    };
    const DRAWN: Ending = Ending { drawn: true, ..WON };
    const CAPPED: Ending = Ending {
        drawn: true,
        capped: true,
        ..WON
    };
    const RIGHT: Ending = Ending {
        false_resignation: Some(false),
        ..WON
    };
    const WRONG: Ending = Ending {
        false_resignation: Some(true),
        ..DRAWN
    };

    #[test]
    fn a_limit_is_warned_of_when_it_is_crossed_and_not_again() {
        let shares = endings(&[(15, WON), (16, DRAWN), (9, CAPPED)]).shares(LIMITS);
        assert_eq!((shares.games, shares.false_resignations), (40, None));
        assert!((shares.draws - 0.625).abs() < 1e-9 && (shares.capped - 0.225).abs() < 1e-9);
        let warnings = shares.warnings(Alarms::default(), LIMITS);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].starts_with("62.5 % of the last 40 games were drawn"));
        assert!(warnings[1].contains("guard.most_capped = 0.2"));
        assert_eq!(shares.warnings(shares.alarms, LIMITS), Vec::<String>::new());
        let kept = endings(&[(20, WON), (20, DRAWN)]).shares(LIMITS);
        assert_eq!(kept.alarms, Alarms::default());
        let few = endings(&[(19, CAPPED)]).shares(LIMITS);
        assert_eq!(few.alarms, Alarms::default());
    }

    #[test]
    fn false_resignations_are_counted_among_those_played_on() {
        let shares = endings(&[(10, WON), (27, RIGHT), (3, WRONG)]).shares(LIMITS);
        assert_eq!(shares.false_resignations, Some(0.1));
        assert!(!shares.alarms.false_resignations);
        let shares = endings(&[(10, WON), (26, RIGHT), (4, WRONG)]).shares(LIMITS);
        assert!(shares.alarms.false_resignations);
        let warnings = shares.warnings(Alarms::default(), LIMITS);
        assert!(
            warnings[0].starts_with("13.3 % of the last 30 players"),
            "{warnings:?}"
        );
    }

    #[test]
    fn what_the_store_forgets_is_forgotten() {
        let mut endings = endings(&[(30, WON)]);
        endings.add(&[], 12);
        assert_eq!(endings.shares(LIMITS).games, 12);
    }
}
