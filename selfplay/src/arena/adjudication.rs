//! Ends that a match puts to games before the rules do.

use rules::{Outcome, Reason, Side};
use serde::{Deserialize, Serialize};

/// When a match ends a game by itself. What it does not state does not happen; the rules come first.
///
/// Values are those that the players give with their moves, as `win - loss` in `[-1, 1]`; a move without one breaks every row of plies, and
/// so do the moves of an opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// A side has won once both players agree on it for so many plies in a row: every value is at least so far on its side.
    pub win: Option<Threshold>,
    /// A game is drawn once every value is at most so far from 0 for so many plies in a row.
    pub draw: Option<Threshold>,
    /// The first ply whose value counts for a draw.
    pub draw_from: u32,
    /// A game of so many plies is drawn.
    pub most_plies: Option<u32>,
}

/// A value that must hold for some plies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The value, in `[0, 1]`.
    pub value: f32,
    /// Plies in a row, at least 2, so that both players have a say.
    pub plies: u32,
}

impl Adjudication {
    /// Checks that every threshold makes sense.
    ///
    /// # Errors
    /// Says which does not, and what would be right.
    pub fn validate(&self) -> Result<(), String> {
        for (name, threshold) in [("win", self.win), ("draw", self.draw)] {
            let Some(Threshold { value, plies }) = threshold else {
                continue;
            };
            if !(0.0..=1.0).contains(&value) || name == "win" && value == 0.0 {
                return Err(format!(
                    "adjudication of a {name}: the value {value} must be from 0 to 1, and above 0 for a win"
                ));
            }
            if plies < 2 {
                return Err(format!(
                    "adjudication of a {name}: {plies} plies in a row must be at least 2, so that both players have a say"
                ));
            }
        }
        if self.most_plies == Some(0) {
            return Err("adjudication: the most plies must be at least 1".to_owned());
        }
        Ok(())
    }
}

/// What the values of a game add up to so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values {
    /// The side that leads, and for how many plies in a row.
    leader: Option<(Side, u32)>,
    /// Plies in a row with values near 0.
    level: u32,
}

impl Values {
    /// Takes in the value that `mover` gave, from its own side, with the move that made the game `ply` plies long.
    pub(super) fn add(
        &mut self,
        rules: &Adjudication,
        (mover, value): (Side, Option<f32>),
        ply: usize,
    ) -> Option<Outcome> {
        let ahead = |win: Threshold| match value {
            Some(value) if value >= win.value => Some(mover),
            Some(value) if value <= -win.value => Some(mover.other()),
            _ => None,
        };
        self.leader = rules.win.and_then(ahead).map(|side| match self.leader {
            Some((before, plies)) if before == side => (side, plies + 1),
            _ => (side, 1),
        });
        let near = |draw: Threshold| value.is_some_and(|value| value.abs() <= draw.value);
        if ply > rules.draw_from as usize && rules.draw.is_some_and(near) {
            self.level += 1;
        } else {
            self.level = 0;
        }
        self.verdict(rules, ply)
    }

    fn verdict(&self, rules: &Adjudication, ply: usize) -> Option<Outcome> {
        if let (Some(win), Some((side, plies))) = (rules.win, self.leader)
            && plies >= win.plies
        {
            return Some(Outcome::win(side, Reason::Adjudication));
        }
        let drawn = rules.draw.is_some_and(|draw| self.level >= draw.plies)
            || rules.most_plies.is_some_and(|most| ply >= most as usize);
        drawn.then_some(Outcome::draw(Reason::Adjudication))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds values of alternating movers from ply 1 on; returns the ply and outcome at which the game is ended.
    fn ended(rules: &Adjudication, values: &[Option<f32>]) -> Option<(usize, Outcome)> {
        let mut seen = Values::default();
        values.iter().enumerate().find_map(|(at, &value)| {
            let mover = if at % 2 == 0 {
                Side::First
            } else {
                Side::Second
            };
            let outcome = seen.add(rules, (mover, value), at + 1)?;
            Some((at + 1, outcome))
        })
    }

    const WIN: Adjudication = Adjudication {
        win: Some(Threshold {
            value: 0.9,
            plies: 3,
        }),
        draw: None,
        draw_from: 0,
        most_plies: None,
    };

    #[test]
    fn a_win_needs_both_players_to_agree_in_a_row() {
        let first = Outcome::win(Side::First, Reason::Adjudication);
        let some = |values: &[f32]| values.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(ended(&WIN, &some(&[0.95, -0.9, 0.91])), Some((3, first)));
        // The second player does not see it; then the lead changes sides; then a value is missing.
        assert_eq!(ended(&WIN, &some(&[0.95, 0.0, 0.95, -0.5])), None);
        assert_eq!(ended(&WIN, &some(&[0.95, 0.95, 0.95, 0.95])), None);
        let gap = [Some(0.95), Some(-0.95), None, Some(-0.95), Some(0.95)];
        assert_eq!(ended(&WIN, &gap), None);
        let second = Outcome::win(Side::Second, Reason::Adjudication);
        assert_eq!(ended(&WIN, &some(&[-0.9, 1.0, -0.9])), Some((3, second)));
    }

    #[test]
    fn draws_count_from_their_ply_and_length_ends_all() {
        let rules = Adjudication {
            draw: Some(Threshold {
                value: 0.05,
                plies: 2,
            }),
            draw_from: 3,
            most_plies: Some(8),
            ..Adjudication::default()
        };
        let draw = Outcome::draw(Reason::Adjudication);
        assert_eq!(ended(&rules, &[Some(0.0); 8]), Some((5, draw)));
        assert_eq!(ended(&rules, &[Some(0.5); 8]), Some((8, draw)));
        assert_eq!(ended(&Adjudication::default(), &[Some(0.0); 99]), None);
    }

    #[test]
    fn senseless_thresholds_are_refused() {
        assert_eq!(WIN.validate(), Ok(()));
        for (value, plies) in [(0.9, 1), (1.5, 3), (f32::NAN, 3), (0.0, 3)] {
            let win = Some(Threshold { value, plies });
            assert!(Adjudication { win, ..WIN }.validate().is_err());
        }
        let none = Adjudication {
            most_plies: Some(0),
            ..WIN
        };
        assert!(none.validate().is_err());
    }
}
