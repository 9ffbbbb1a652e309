//! The ladder of each game: players in the order of their strength, each at most about 200 Elo above the one before. How far apart they are
//! was measured; LADDERS.md has the tables.

use anyhow::{Context, Result, bail};
use rules::VariantId;

use crate::player_spec::PlayerSpec;

/// Returns the rungs of a game's ladder, written as the command line writes players, the weakest first. Their names are `rung:1`, `rung:2`
/// and so on. None depends on the clock.
pub(crate) const fn rungs(game: VariantId) -> &'static [&'static str] {
    match game {
        VariantId::Gufu => &GUFU,
        VariantId::Showgit => &SHOWGIT,
        VariantId::EuroShogi => &EUROSHOGI,
        VariantId::Xiangqi => &XIANGQI,
    }
}

/// Returns the player on a rung, counted from 1.
///
/// # Errors
/// If the ladder has no such rung.
pub(crate) fn rung(game: VariantId, number: usize) -> Result<PlayerSpec> {
    let rungs = rungs(game);
    match number.checked_sub(1).and_then(|at| rungs.get(at)) {
        Some(text) => text.parse(),
        None => bail!(
            "player `rung:{number}`: the ladder of {game} has rungs 1 to {}",
            rungs.len()
        ),
    }
}

/// Reads the number of a rung.
///
/// # Errors
/// If it is none.
pub(crate) fn number(text: &str) -> Result<usize> {
    text.parse()
        .with_context(|| format!("player `rung:{text}`: a rung has a number, such as `rung:3`"))
}

const GUFU: [&str; 5] = [
    "random",
    "alphabeta?depth=1&random=0.5",
    "alphabeta?depth=1",
    "alphabeta?depth=3",
    "exact",
];

const SHOWGIT: [&str; 25] = [
    "random",
    "alphabeta?nodes=100&random=0.97",
    "alphabeta?nodes=100&random=0.93",
    "alphabeta?nodes=100&random=0.88",
    "alphabeta?nodes=100&random=0.8",
    "alphabeta?nodes=100&random=0.72",
    "alphabeta?nodes=100&random=0.64",
    "alphabeta?nodes=100&random=0.56",
    "alphabeta?nodes=100&random=0.48",
    "alphabeta?nodes=100&random=0.4",
    "alphabeta?nodes=100&random=0.33",
    "alphabeta?nodes=100&random=0.24",
    "alphabeta?nodes=100&random=0.16",
    "alphabeta?nodes=100&random=0.08",
    "alphabeta?nodes=100",
    "alphabeta?nodes=170",
    "alphabeta?nodes=300",
    "alphabeta?nodes=550",
    "alphabeta?nodes=1000",
    "alphabeta?nodes=1800",
    "alphabeta?nodes=3200",
    "alphabeta?nodes=6000",
    "alphabeta?nodes=11000",
    "alphabeta?nodes=20000",
    "alphabeta?nodes=36000",
];

const EUROSHOGI: [&str; 25] = [
    "random",
    "alphabeta?nodes=100&random=0.97",
    "alphabeta?nodes=100&random=0.93",
    "alphabeta?nodes=100&random=0.88",
    "alphabeta?nodes=100&random=0.8",
    "alphabeta?nodes=100&random=0.72",
    "alphabeta?nodes=100&random=0.64",
    "alphabeta?nodes=100&random=0.57",
    "alphabeta?nodes=100&random=0.5",
    "alphabeta?nodes=100&random=0.4",
    "alphabeta?nodes=100&random=0.32",
    "alphabeta?nodes=100&random=0.24",
    "alphabeta?nodes=100&random=0.16",
    "alphabeta?nodes=100&random=0.08",
    "alphabeta?nodes=100",
    "alphabeta?nodes=170",
    "alphabeta?nodes=300",
    "alphabeta?nodes=550",
    "alphabeta?nodes=1000",
    "alphabeta?nodes=1800",
    "alphabeta?nodes=3200",
    "alphabeta?nodes=6000",
    "alphabeta?nodes=11000",
    "alphabeta?nodes=20000",
    "alphabeta?nodes=36000",
];

const XIANGQI: [&str; 24] = [
    "random",
    "alphabeta?nodes=100&random=0.97",
    "alphabeta?nodes=100&random=0.93",
    "alphabeta?nodes=100&random=0.88",
    "alphabeta?nodes=100&random=0.8",
    "alphabeta?nodes=100&random=0.7",
    "alphabeta?nodes=100&random=0.6",
    "alphabeta?nodes=100&random=0.5",
    "alphabeta?nodes=100&random=0.4",
    "alphabeta?nodes=100&random=0.32",
    "alphabeta?nodes=100&random=0.24",
    "alphabeta?nodes=100&random=0.16",
    "alphabeta?nodes=100&random=0.08",
    "alphabeta?nodes=100",
    "alphabeta?nodes=170",
    "alphabeta?nodes=300",
    "alphabeta?nodes=550",
    "alphabeta?nodes=1000",
    "alphabeta?nodes=1800",
    "alphabeta?nodes=3200",
    "alphabeta?nodes=6000",
    "alphabeta?nodes=11000",
    "alphabeta?nodes=20000",
    "alphabeta?nodes=36000",
];

#[cfg(test)]
mod tests {
    use rules::Variant;
    use rules::variants::euroshogi::EuroShogi;
    use selfplay::arena::strength;
    use selfplay::{MatchConfig, play_match};

    use super::*;
    use crate::dispatch::{Parts, Task, dispatch};

    struct Climb;

    impl Task for Climb {
        type Output = ();

        /// Builds every rung and lets one near the foot of the ladder play one three steps further up.
        fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
            let count = rungs(V::ID).len();
            for number in 1..=count {
                rung(V::ID, number)?.build(&parts, 0)?;
            }
            let mut weaker = rung(V::ID, 1)?.build(&parts, 1)?;
            let mut stronger = rung(V::ID, 4)?.build(&parts, 2)?;
            let config = MatchConfig {
                pairs: 12,
                opening_plies: 2,
                concurrent: 24,
                seed: 3,
                options: V::OPTIONS,
            };
            let result = play_match(stronger.as_mut(), weaker.as_mut(), &config, &mut |_| true)?;
            let score = strength(&result.tally().pairs).score;
            assert!(score > Some(0.6), "{}: {:?}", V::ID, result.wdl());
            Ok(())
        }
    }

    #[test]
    fn every_rung_can_be_built_and_three_steps_are_a_difference() {
        for id in VariantId::ALL {
            dispatch(id, Climb).unwrap();
        }
    }

    #[test]
    fn a_rung_that_is_not_there_says_which_are() {
        let count = rungs(EuroShogi::ID).len();
        for wrong in [0, count + 1] {
            let error = rung(EuroShogi::ID, wrong).unwrap_err().to_string();
            assert!(error.contains(&format!("rungs 1 to {count}")), "{error}");
        }
    }
}
