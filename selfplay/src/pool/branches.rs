//! Positions of a slot's earlier games from which later games of the same slot start: forks, which play another move where the search
//! disagreed most with the net, and restarts, which play again where the outcome contradicted the search most.

use std::collections::VecDeque;

use rand::{Rng, RngExt};
use rules::{Game, MoveOf, Reason, RuleOptions, Side, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::{Purpose, stream};
use crate::record::{BranchKind, GameRecord, Origin, PlyKind, PlyRecord};
use crate::search::in_range;

/// The moves remembered of a fork, the most promising ones.
const MOST_ALTERNATIVES: usize = 8;

/// Games that start within an earlier game of their slot. Those plies are in their records too, but are not learned from again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForksConfig {
    /// The share of new games, in `[0, 1]`, that start where in an earlier game the search disagreed most with the net, with another move.
    pub share: f32,
    /// The share of new games, in `[0, 1]`, that start where in an earlier game the outcome contradicted the root value most; at most 1 with
    /// `share`.
    pub restart_share: f32,
    /// By how much the outcome must contradict the root value for that: a difference of values, in `[0, 2]`.
    pub restart_regret: f32,
    /// The newest positions of either kind that each slot keeps for it, in some 2 bytes a ply each; each is used once.
    pub kept: u32,
}

impl ForksConfig {
    pub(super) fn validate(&self) -> Result<(), String> {
        in_range("forks.share", self.share, 0.0, 1.0)?;
        in_range(
            "forks.restart_share",
            self.restart_share,
            0.0,
            1.0 - self.share,
        )?;
        in_range("forks.restart_regret", self.restart_regret, 0.0, 2.0)?;
        in_range("forks.kept", self.kept as f32, 1.0, 1000.0)
    }
}

/// A position of an earlier game to start from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    game: u64,
    start: String,
    /// The moves that lead to it.
    moves: Vec<u16>,
    /// Other moves than the one played there, by their places among the legal ones, with their weights; none for a restart.
    alternatives: Vec<(u16, f32)>,
}

/// The positions that a slot keeps, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reservoir {
    forks: VecDeque<Branch>,
    restarts: VecDeque<Branch>,
}

/// A game that starts within an earlier one.
pub(super) struct Branched<V: Variant> {
    pub(super) game: Game<V>,
    pub(super) plies: Vec<PlyRecord>,
    pub(super) origin: Origin,
}

impl Reservoir {
    /// Keeps the most interesting positions of a finished game whose first mover was `first`.
    pub(super) fn consider<V: Variant>(
        &mut self,
        config: &ForksConfig,
        record: &GameRecord,
        first: Side,
    ) {
        if config.share > 0.0
            && let Some((ply, alternatives)) = greatest_disagreement::<V>(record)
        {
            keep(
                &mut self.forks,
                config.kept,
                Branch::new(record, ply, alternatives),
            );
        }
        if config.restart_share > 0.0
            && let Some((ply, regret)) = greatest_regret(record, first)
            && regret >= config.restart_regret
        {
            keep(
                &mut self.restarts,
                config.kept,
                Branch::new(record, ply, Vec::new()),
            );
        }
    }

    /// Takes out the position from which game `number` starts, if it is drawn to start from one.
    pub(super) fn take<V: Variant>(
        &mut self,
        config: &ForksConfig,
        options: RuleOptions,
        (seed, number): (u64, u64),
    ) -> Option<Branched<V>> {
        let mut rng = stream(seed, Purpose::Branch, number, 0);
        let drawn: f32 = rng.random();
        let (kept, kind) = if drawn < config.share {
            (&mut self.forks, BranchKind::Fork)
        } else if drawn < config.share + config.restart_share {
            (&mut self.restarts, BranchKind::Restart)
        } else {
            return None;
        };
        if kept.is_empty() {
            return None;
        }
        let branch = kept.remove(rng.random_range(0..kept.len()))?;
        let (game, ply) = branch.game::<V>(options, &mut rng)?;
        Some(Branched {
            plies: vec![PlyRecord::unsearched(PlyKind::Forked); game.ply()],
            game,
            origin: Origin {
                game: branch.game,
                ply,
                kind,
            },
        })
    }
}

impl Branch {
    fn new(record: &GameRecord, ply: usize, alternatives: Vec<(u16, f32)>) -> Self {
        Self {
            game: record.number,
            start: record.start.clone(),
            moves: record.moves[..ply].to_vec(),
            alternatives,
        }
    }

    /// Plays the moves and, of a fork, another one than was played there. Returns the game and the plies taken over; `None` where that does
    /// not make a game that goes on, under these options.
    fn game<V: Variant>(&self, options: RuleOptions, rng: &mut impl Rng) -> Option<(Game<V>, u32)> {
        let mut game = Game::<V>::from_position(self.start.parse().ok()?, options);
        let mut legal = Vec::new();
        for &bits in &self.moves {
            let mv = MoveOf::<V>::try_from(bits).ok()?;
            game.legal_moves(&mut legal);
            if !legal.contains(&mv) {
                return None;
            }
            game.play(mv);
        }
        game.legal_moves(&mut legal);
        if let Some(at) = draw(&self.alternatives, rng) {
            game.play(*legal.get(at as usize)?);
            game.legal_moves(&mut legal);
        }
        let goes_on = game.outcome(&legal).is_none();
        goes_on.then_some((game, self.moves.len() as u32))
    }
}

fn keep(kept: &mut VecDeque<Branch>, most: u32, branch: Branch) {
    kept.push_back(branch);
    let surplus = kept.len().saturating_sub(most as usize);
    kept.drain(..surplus);
}

/// Draws one of the weighted places; `None` only if there is none.
fn draw(weighted: &[(u16, f32)], rng: &mut impl Rng) -> Option<u16> {
    let sum: f32 = weighted.iter().map(|&(_, weight)| weight).sum();
    let mut left = rng.random::<f32>() * sum;
    for &(at, weight) in weighted {
        left -= weight;
        if left < 0.0 {
            return Some(at);
        }
    }
    weighted.last().map(|&(at, _)| at)
}

/// Returns the ply at which a full search disagreed most with the net, in policy and value together, and what else could be played there.
fn greatest_disagreement<V: Variant>(record: &GameRecord) -> Option<(usize, Vec<(u16, f32)>)> {
    let disagreement = |ply: &PlyRecord| ply.surprise + (ply.root.value() - ply.raw.value()).abs();
    let mut plies: Vec<usize> = (0..record.plies.len())
        .filter(|&at| record.plies[at].kind == PlyKind::Searched)
        .collect();
    plies.sort_by(|&a, &b| {
        disagreement(&record.plies[b])
            .total_cmp(&disagreement(&record.plies[a]))
            .then(a.cmp(&b))
    });
    let mut game = record.start_game::<V>().ok()?;
    plies.into_iter().find_map(|ply| {
        let alternatives = alternatives(&mut game, record, ply);
        (!alternatives.is_empty()).then_some((ply, alternatives))
    })
}

/// Returns the most promising moves that were not played at a ply, with their weights in the search's policy.
fn alternatives<V: Variant>(
    game: &mut Game<V>,
    record: &GameRecord,
    ply: usize,
) -> Vec<(u16, f32)> {
    game.undo_to(0);
    for &bits in &record.moves[..ply] {
        match MoveOf::<V>::try_from(bits) {
            Ok(mv) => game.play(mv),
            Err(_) => return Vec::new(),
        }
    }
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let is_other = |at: u16| {
        legal
            .get(at as usize)
            .is_some_and(|&mv| mv.into() != record.moves[ply])
    };
    let mut others: Vec<(u16, f32)> = record.plies[ply]
        .edges
        .iter()
        .filter(|edge| edge.target > 0.0 && is_other(edge.index))
        .map(|edge| (edge.index, edge.target))
        .collect();
    others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    others.truncate(MOST_ALTERNATIVES);
    others
}

/// Returns the searched ply whose root value the outcome contradicted most, and by how much. Plies before an exploratory move are left out,
/// since the outcome says nothing fair about them, and so are games that only a cap ended.
fn greatest_regret(record: &GameRecord, first: Side) -> Option<(usize, f32)> {
    if record.outcome.reason == Reason::PlyCap {
        return None;
    }
    let fair = record
        .plies
        .iter()
        .rposition(|ply| ply.exploratory)
        .map_or(0, |at| at + 1);
    let regret = |at: usize| {
        let mover = if at.is_multiple_of(2) {
            first
        } else {
            first.other()
        };
        (record.outcome.wdl(mover).value() - record.plies[at].root.value()).abs()
    };
    (fair..record.plies.len())
        .rev()
        .filter(|&at| record.plies[at].kind.is_search())
        .map(|at| (at, regret(at)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use rules::variants::gufu::Gufu;

    use super::*;

    /// Returns a fork after the first `plies` first moves of a game, where only the last move of all may be played.
    fn branch(number: u64, plies: usize) -> Branch {
        let (mut game, mut legal) = (Game::<Gufu>::new(Gufu::OPTIONS), Vec::new());
        for _ in 0..plies {
            game.legal_moves(&mut legal);
            game.play(legal[0]);
        }
        game.legal_moves(&mut legal);
        Branch {
            game: number,
            start: game.start().to_string(),
            moves: game.moves().iter().map(|&mv| mv.into()).collect(),
            alternatives: vec![(legal.len() as u16 - 1, 1.0)],
        }
    }

    const CONFIG: ForksConfig = ForksConfig {
        share: 1.0,
        restart_share: 0.0,
        restart_regret: 1.0,
        kept: 3,
    };

    #[test]
    fn the_newest_are_kept_and_each_is_used_once() {
        let mut reservoir = Reservoir::default();
        for number in 0..10 {
            keep(&mut reservoir.forks, CONFIG.kept, branch(number, 3));
        }
        let mut take = |number| reservoir.take::<Gufu>(&CONFIG, Gufu::OPTIONS, (1, number));
        let mut parents: Vec<u64> = (0..3)
            .map(|number| take(number).unwrap().origin.game)
            .collect();
        parents.sort_unstable();
        assert_eq!(parents, [7, 8, 9]);
        assert!(take(3).is_none());
    }

    #[test]
    fn a_fork_plays_the_alternative_and_one_that_no_longer_fits_is_dropped() {
        let mut rng = stream(1, Purpose::Branch, 0, 0);
        let (game, ply) = branch(0, 4).game::<Gufu>(Gufu::OPTIONS, &mut rng).unwrap();
        let mut before = Game::<Gufu>::new(Gufu::OPTIONS);
        game.moves()[..4].iter().for_each(|&mv| before.play(mv));
        let mut legal = Vec::new();
        before.legal_moves(&mut legal);
        assert_eq!((ply, game.moves()[4]), (4, *legal.last().unwrap()));
        let capped = RuleOptions {
            ply_cap: 5,
            ..Gufu::OPTIONS
        };
        assert!(branch(0, 4).game::<Gufu>(capped, &mut rng).is_none());
        let mut foreign = branch(0, 4);
        foreign.moves[1] = foreign.moves[0];
        assert!(foreign.game::<Gufu>(Gufu::OPTIONS, &mut rng).is_none());
    }
}
