//! The positions on which a net is diagnosed.

use std::collections::VecDeque;
use std::path::Path;

use anyhow::{Context, Result};
use model::Inference;
use rules::{Game, MoveOf, Outcome, RuleOptions, Variant};
use selfplay::players::SearchPlayer;
use selfplay::random::{Purpose, stream};
use selfplay::{GameRecord, MatchConfig, MatchGame, RootKind, play_match};
use serde::{Deserialize, Serialize};

use crate::dispatch::Parts;
use crate::net_evaluator::{self, InferenceConfig};
use crate::player_spec::match_search;
use crate::replay::read_games;

/// Where positions are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Games {
    /// Games of the run's store that ended after the net was made: it has not learned from them.
    HeldOut,
    /// The newest games of the store, from which the net may have learned.
    Newest,
    /// Games that the net played against itself, each move drawn from its policy without a search.
    Policy,
}

impl Games {
    /// Says in words where the positions are from.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::HeldOut => "games played after the net was made",
            Self::Newest => "the newest games, from which the net may have learned",
            Self::Policy => "games drawn from the net's own policy",
        }
    }
}

/// A finished game, played to its end.
#[derive(Debug)]
pub(crate) struct Played<V: Variant> {
    game: Game<V>,
    /// From this ply on, nothing random or exploratory was played: the outcome says something about these positions.
    fair_from: usize,
    outcome: Outcome,
}

/// A position of a finished game.
#[derive(Debug)]
pub(crate) struct Probe<V: Variant> {
    /// The game up to the position.
    pub(crate) game: Game<V>,
    /// How the game ended.
    pub(crate) outcome: Outcome,
    /// Which of the games it is from.
    pub(crate) number: usize,
}

impl<V: Variant> Played<V> {
    /// Replays a record.
    ///
    /// # Errors
    /// If it does not fit the game.
    pub(crate) fn from_record(record: &GameRecord) -> Result<Self> {
        let game = record
            .replay()
            .with_context(|| format!("game {} of the replay store", record.number))?;
        let last = record.plies.iter().rposition(|ply| ply.exploratory);
        Ok(Self {
            game,
            fair_from: last.map_or(0, |last| last + 1),
            outcome: record.outcome,
        })
    }

    fn from_match(game: &MatchGame, options: RuleOptions) -> Result<Self> {
        let mut played = Game::<V>::new(options);
        for &bits in &game.moves {
            played.play(MoveOf::<V>::try_from(bits)?);
        }
        Ok(Self {
            game: played,
            fair_from: 0,
            outcome: game.outcome,
        })
    }

    /// Returns how many of its positions can be used.
    pub(crate) fn positions(&self) -> usize {
        self.game.ply().saturating_sub(self.fair_from)
    }
}

/// Draws `count` positions, or all if there are fewer, each with the same chance, in the order of the games and of their plies.
pub(crate) fn sample<V: Variant>(games: &[Played<V>], count: usize, seed: u64) -> Vec<Probe<V>> {
    let total: usize = games.iter().map(Played::positions).sum();
    let mut rng = stream(seed, Purpose::Sample, 1, 0);
    let mut chosen = rand::seq::index::sample(&mut rng, total, count.min(total)).into_vec();
    chosen.sort_unstable();
    let (mut number, mut before) = (0, 0);
    let probe = |at: usize| {
        while at >= before + games[number].positions() {
            before += games[number].positions();
            number += 1;
        }
        let played = &games[number];
        let mut game = played.game.clone();
        game.undo_to(played.fair_from + at - before);
        Probe {
            game,
            outcome: played.outcome,
            number,
        }
    };
    chosen.into_iter().map(probe).collect()
}

/// Reads games of a store: the first `most` that ended after the net with this identity was made, or if there are none the newest `most`.
///
/// # Errors
/// If the store cannot be read or a game does not fit.
pub(crate) fn read_newest<V: Variant>(
    dir: &Path,
    net: u64,
    most: usize,
) -> Result<(Games, Vec<Played<V>>)> {
    let (mut kept, mut held_out) = (VecDeque::new(), false);
    read_games(dir, &mut |record: GameRecord| {
        if !held_out && record.checkpoints.iter().any(|&(_, id)| id == net) {
            held_out = true;
            kept.clear();
        }
        if kept.len() < most {
            kept.push_back(record);
        } else if !held_out {
            kept.pop_front();
            kept.push_back(record);
        }
    })?;
    let played = kept
        .iter()
        .map(Played::from_record)
        .collect::<Result<_>>()?;
    let games = if held_out {
        Games::HeldOut
    } else {
        Games::Newest
    };
    Ok((games, played))
}

/// Lets a net play games against itself, each move drawn from its policy without a search.
///
/// # Errors
/// If the net fails.
pub(crate) fn play_games<V: Variant>(
    net: &Inference,
    parts: &Parts<V>,
    options: RuleOptions,
    pairs: u32,
    seed: u64,
) -> Result<Vec<Played<V>>> {
    let player = |seed| {
        let inference = InferenceConfig::of_matches(net.net());
        let (evaluator, _) = net_evaluator::evaluator(parts, net.clone(), inference)?;
        // Without simulations the noise of a temperature of 1 makes the first choice a draw from the policy.
        let search = match_search(RootKind::Gumbel, 0);
        anyhow::Ok(SearchPlayer::<V>::new(evaluator, search, 1.0, seed))
    };
    let config = MatchConfig {
        pairs,
        opening_plies: 0,
        concurrent: usize::MAX,
        seed,
        options,
    };
    let (mut a, mut b) = (player(seed)?, player(!seed)?);
    let result = play_match(&mut a, &mut b, &config, &mut |_| true)?;
    let played = |game: &MatchGame| Played::from_match(game, options);
    result.games.iter().map(played).collect()
}

#[cfg(test)]
mod tests {
    use rules::variants::gufu::Gufu;
    use rules::{Position, Reason, Side};

    use super::*;

    fn played(plies: usize, fair_from: usize, winner: Side) -> Played<Gufu> {
        let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
        let mut legal = Vec::new();
        for _ in 0..plies {
            game.legal_moves(&mut legal);
            game.play(legal[0]);
        }
        Played {
            game,
            fair_from,
            outcome: Outcome::win(winner, Reason::Resignation),
        }
    }

    #[test]
    fn every_fair_position_can_be_drawn_and_no_other() {
        let games = [
            played(4, 4, Side::First),
            played(5, 2, Side::First),
            played(2, 0, Side::Second),
        ];
        let probes = sample(&games, 100, 7);
        let drawn: Vec<(usize, usize)> = probes
            .iter()
            .map(|probe| (probe.number, probe.game.ply()))
            .collect();
        assert_eq!(drawn, [(1, 2), (1, 3), (1, 4), (2, 0), (2, 1)]);
        for probe in &probes {
            assert_eq!(probe.outcome, games[probe.number].outcome);
            let mut expected = games[probe.number].game.clone();
            expected.undo_to(probe.game.ply());
            assert_eq!(probe.game.position().key(), expected.position().key());
        }
        let few = |seed| -> Vec<(usize, usize)> {
            let probes = sample(&games, 2, seed);
            probes
                .iter()
                .map(|probe| (probe.number, probe.game.ply()))
                .collect()
        };
        assert_eq!((few(1).len(), few(1)), (2, few(1)));
        assert!((2..20).any(|seed| few(seed) != few(1)), "the seed decides");
    }
}
