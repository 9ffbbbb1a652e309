//! The ratings of a ladder, as a table and as JSON.

use std::collections::HashMap;

use anyhow::Result;
use selfplay::arena::{Encounter, Rating, RatingConfig, RatingError, rate};
use serde_json::json;

use super::contest::Entrant;
use crate::cli::LadderArgs;
use crate::output;
use crate::rated_matches::RatedMatches;

/// Resamples of the pairs for the intervals.
const RESAMPLES: u32 = 1000;

/// Prints the ratings of all players that are linked with the anchor, the strongest first, and who is not.
pub(super) fn print(
    args: &LadderArgs,
    entrants: &[Entrant],
    anchor: &str,
    matches: &RatedMatches,
) -> Result<()> {
    let config = RatingConfig {
        anchor: anchor.to_owned(),
        anchor_elo: args.anchor_elo,
        resamples: RESAMPLES,
        seed: args.seed,
    };
    let ratings = linked(&matches.encounters(), &config)?;
    let names = names(entrants, matches);
    let rated = |key: &str| ratings.iter().any(|rating| rating.player == key);
    let unlinked: Vec<&str> = (entrants.iter())
        .filter(|entrant| !rated(&entrant.contestant.key()))
        .map(|entrant| entrant.label.as_str())
        .collect();
    if !args.json {
        print_text(&ratings, &names, anchor);
        if !unlinked.is_empty() {
            output::line(format!(
                "not linked by matches yet: {}",
                unlinked.join(", ")
            ));
        }
        if matches.left_out() > 0 {
            output::line(format!(
                "{} matches under other rules or openings are left out",
                matches.left_out()
            ));
        }
    }
    let row = |rating: &Rating| {
        json!({
            "player": name(&names, &rating.player), "key": rating.player, "elo": rating.elo, "elo_lo": rating.low,
            "elo_hi": rating.high, "games": 2 * rating.pairs,
        })
    };
    let rows: Vec<_> = ratings.iter().map(row).collect();
    output::json(&json!({
        "anchor": name(&names, anchor), "ratings": rows, "unlinked": unlinked, "left_out": matches.left_out(),
    }));
    Ok(())
}

fn print_text(ratings: &[Rating], names: &HashMap<String, String>, anchor: &str) {
    let widths = ratings
        .iter()
        .map(|rating| name(names, &rating.player).chars().count());
    let width = widths.max().unwrap_or(0).max("player".len());
    output::line(format!(
        "{:width$}  {:>7}  {:>18}  {:>6}",
        "player", "Elo", "95 %", "games"
    ));
    for rating in ratings {
        let interval = if rating.player == anchor {
            "fixed".to_owned()
        } else {
            format!("{:+.0} to {:+.0}", rating.low, rating.high)
        };
        output::line(format!(
            "{:width$}  {:>+7.0}  {interval:>18}  {:>6}",
            name(names, &rating.player),
            rating.elo,
            2 * rating.pairs
        ));
    }
}

fn name<'a>(names: &'a HashMap<String, String>, key: &'a str) -> &'a str {
    names.get(key).map_or(key, String::as_str)
}

/// Rates the players that are linked with the anchor; none before it has played.
fn linked(encounters: &[Encounter], config: &RatingConfig) -> Result<Vec<Rating>> {
    match rate(encounters, config) {
        Err(RatingError::NoAnchor(_)) => Ok(Vec::new()),
        Err(RatingError::Unlinked(others)) => {
            let is_linked = |encounter: &&Encounter| !others.contains(&encounter.first);
            let left: Vec<Encounter> = encounters.iter().filter(is_linked).cloned().collect();
            Ok(rate(&left, config)?)
        }
        rated => Ok(rated?),
    }
}

/// Returns what a person calls each player: rungs by their numbers too, and nets without their weights where no other has their name.
fn names(entrants: &[Entrant], matches: &RatedMatches) -> HashMap<String, String> {
    let mut all = matches.contestants();
    for Entrant { contestant, .. } in entrants {
        all.insert(contestant.key(), contestant.clone());
    }
    let called = |name: &str| all.values().filter(|other| other.name == name).count();
    let mut names = HashMap::new();
    for (key, contestant) in &all {
        if called(&contestant.name) == 1 {
            names.insert(key.clone(), contestant.name.clone());
        }
    }
    for Entrant {
        contestant, label, ..
    } in entrants
    {
        if contestant.weights.is_none() {
            names.insert(contestant.key(), format!("{label} ({})", contestant.name));
        }
    }
    names
}
