//! How games start: where, after how many random plies, and for how long they follow the net's own policy.

use rand::{Rng, RngExt};
use rules::{Game, Position as _, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::branches::Reservoir;
use super::slot::{GameNotes, Plan};
use crate::random::{Purpose, stream};
use crate::record::{EdgeRecord, PlyKind, PlyRecord};
use crate::search::in_range;

/// Openings. Each share is drawn for each game: a game can start from a position of the file, go on with random plies, and then with plies
/// from the net's policy. None of these plies is learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningsConfig {
    /// Share of games that start with random plies, in `[0, 1]`: play then covers the whole game and not only its main lines.
    pub random_share: f32,
    /// Such a game starts with 0 to this many uniformly random legal plies.
    pub random_plies: u32,
    /// The first game of each slot starts with 0 to this many random plies instead, so that the first games to end are not only the short ones;
    /// 0: as any other game.
    pub stagger_plies: u32,
    /// Share of games that go on with plies drawn from the net's own policy, each after one evaluation and no search, in `[0, 1]`.
    pub policy_share: f32,
    /// Such a game has 0 to this many of them; a ply that would end the game is not played, and search begins there.
    pub policy_plies: u32,
    /// How freely they are drawn: probabilities are raised to its inverse; 0 always takes the first choice.
    pub policy_temperature: f32,
    /// A file of positions to start games from, one a line in the game's own text, `#` before comments; its path is taken from where the
    /// program is started, and a run keeps a copy. Empty: none.
    pub file: String,
    /// Share of games that start from one of them, in `[0, 1]`.
    pub file_share: f32,
}

impl OpeningsConfig {
    pub(super) fn validate(&self) -> Result<(), String> {
        in_range("openings.random_share", self.random_share, 0.0, 1.0)?;
        for (name, plies) in [
            ("openings.random_plies", self.random_plies),
            ("openings.stagger_plies", self.stagger_plies),
            ("openings.policy_plies", self.policy_plies),
        ] {
            in_range(name, plies as f32, 0.0, 1000.0)?;
        }
        in_range("openings.policy_share", self.policy_share, 0.0, 1.0)?;
        in_range(
            "openings.policy_temperature",
            self.policy_temperature,
            0.0,
            100.0,
        )?;
        in_range("openings.file_share", self.file_share, 0.0, 1.0)?;
        if self.file.is_empty() && self.file_share > 0.0 {
            return Err(format!(
                "openings.file_share = {}: must be 0 without openings.file",
                self.file_share
            ));
        }
        Ok(())
    }

    /// Returns the most plies that can be played before the first search.
    pub fn most_plies(&self) -> u32 {
        self.random_plies.max(self.stagger_plies) + self.policy_plies
    }
}

/// Returns the game from which search, or the net's policy, starts.
pub(super) fn open<V: Variant>(
    plan: &Plan<V>,
    number: u64,
    reservoir: &mut Reservoir,
) -> (Game<V>, GameNotes) {
    let mut notes = GameNotes {
        number,
        ..GameNotes::default()
    };
    let forks = &plan.selfplay.forks;
    if let Some(branched) = reservoir.take(forks, plan.options, (plan.seed, number)) {
        notes.plies = branched.plies;
        notes.origin = Some(branched.origin);
        return (branched.game, notes);
    }
    let config = &plan.selfplay.openings;
    let mut rng = stream(plan.seed, Purpose::Opening, number, 0);
    let mut game = Game::from_position(start(plan, &mut rng), plan.options);
    let is_first = number < u64::from(plan.selfplay.games);
    if is_first && config.stagger_plies > 0 {
        play_random(&mut game, config.stagger_plies, &mut rng);
    } else if rng.random::<f32>() < config.random_share {
        play_random(&mut game, config.random_plies, &mut rng);
    }
    notes.plies = vec![PlyRecord::unsearched(PlyKind::Random); game.ply()];
    if rng.random::<f32>() < config.policy_share {
        notes.policy_until = game.ply() as u32 + rng.random_range(0..=config.policy_plies);
    }
    (game, notes)
}

fn start<V: Variant>(plan: &Plan<V>, rng: &mut impl Rng) -> V::Position {
    let share = plan.selfplay.openings.file_share;
    if plan.starts.is_empty() || rng.random::<f32>() >= share {
        return V::Position::initial();
    }
    plan.starts[rng.random_range(0..plan.starts.len())]
}

/// Plays 0 to `most` random plies.
///
/// Plies that end the game are drawn anew, and so is their number, which can be 0: there is always an end to it.
fn play_random<V: Variant>(game: &mut Game<V>, most: u32, rng: &mut impl Rng) {
    let mut legal = Vec::new();
    loop {
        let plies = rng.random_range(0..=most) as usize;
        game.undo_to(0);
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            if game.ply() == plies {
                return;
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
}

/// Draws a move from the net's policy, which stands in the targets of a search without simulations, and returns its place.
pub(crate) fn draw_policy(
    edges: &[EdgeRecord],
    temperature: f32,
    rng: &mut impl Rng,
) -> Option<usize> {
    let first = |best: &EdgeRecord, edge: &EdgeRecord| edge.target > best.target;
    let best = edges
        .iter()
        .copied()
        .reduce(|best, edge| if first(&best, &edge) { edge } else { best })?;
    if temperature == 0.0 {
        return Some(best.index as usize);
    }
    let weight = |edge: &EdgeRecord| (edge.target / best.target).powf(1.0 / temperature);
    let sum: f32 = edges.iter().map(weight).sum();
    let mut left = rng.random::<f32>() * sum;
    for edge in edges {
        left -= weight(edge);
        if left < 0.0 && edge.target > 0.0 {
            return Some(edge.index as usize);
        }
    }
    Some(best.index as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_drawn_by_its_probabilities_and_the_temperature() {
        let edges: Vec<EdgeRecord> = [(3, 0.1), (5, 0.3), (7, 0.6), (9, 0.0)]
            .map(|(index, target)| EdgeRecord {
                index,
                visits: 0,
                target,
            })
            .to_vec();
        let shares = |temperature| {
            let mut counts = [0.0; 10];
            for number in 0..20_000 {
                let mut rng = stream(1, Purpose::Policy, number, 0);
                counts[draw_policy(&edges, temperature, &mut rng).unwrap()] += 1.0 / 20_000.0;
            }
            counts
        };
        let close = |found: [f64; 10], expected: [f64; 3]| {
            for (at, expected) in [3, 5, 7].into_iter().zip(expected) {
                assert!((found[at] - expected).abs() < 0.015, "{found:?}");
            }
        };
        close(shares(1.0), [0.1, 0.3, 0.6]);
        // Squared: 1, 9 and 36 of 46.
        close(shares(0.5), [1.0 / 46.0, 9.0 / 46.0, 36.0 / 46.0]);
        close(shares(0.0), [0.0, 0.0, 1.0]);
        assert_eq!(
            draw_policy(&[], 1.0, &mut stream(1, Purpose::Policy, 0, 0)),
            None
        );
    }
}
