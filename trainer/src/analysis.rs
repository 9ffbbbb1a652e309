//! What a player that searches thinks of a position: its value, its moves and the lines it expects.

mod baseline;
mod exact;
mod tree;

use anyhow::{Context as _, Result, bail};
use rules::{Game, Variant, Wdl};
use selfplay::RolloutEvaluator;
use serde::Serialize;

use crate::dispatch::Parts;
use crate::ladder;
use crate::player_spec::PlayerSpec;

/// What is to be analysed, and how far.
#[derive(Debug)]
pub(crate) struct Question<'a, V: Variant> {
    /// The game up to the position.
    pub(crate) game: &'a Game<V>,
    /// Simulations in the place of the player's own.
    pub(crate) simulations: Option<u32>,
    /// Moves to show with their lines, the best ones; 0 for all.
    pub(crate) lines: usize,
    /// What random choices are drawn from.
    pub(crate) seed: u64,
}

/// What a position or a move is worth, from the side of the player to move in the position that is analysed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Worth {
    /// Chances of a win, a draw and a loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wdl: Option<[f32; 3]>,
    /// The expected score, in `[0, 1]`: a draw is half a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f32>,
    /// The value in hundredths of a pawn, of players who know no chances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hundredths: Option<i32>,
    /// Plies to the end of the game if it is proven won; less than 0 if it is proven lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mate: Option<i32>,
}

impl Worth {
    /// Makes it of chances.
    pub(crate) fn of_wdl(wdl: Wdl) -> Self {
        Self {
            wdl: Some(wdl.to_array()),
            score: Some(0.5 * (1.0 + wdl.value())),
            ..Self::default()
        }
    }

    /// Adds the plies to a proven end.
    fn with_mate(self, mate: Option<i32>) -> Self {
        Self { mate, ..self }
    }
}

/// A move with what the player knows of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct KnownMove {
    /// The move in the game's notation.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// What it is worth, if it was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Worth>,
    /// The probability that the evaluator gives it, in `[0, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prior: Option<f32>,
    /// Simulations that went through it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visits: Option<u32>,
    /// Its probability in the search's improved policy, in `[0, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<f32>,
    /// Itself and what the player expects to follow.
    pub(crate) line: Vec<String>,
}

/// What a player thinks of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Analysis {
    /// What the position is worth.
    pub(crate) value: Worth,
    /// What the evaluator says without a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsearched: Option<Worth>,
    /// Simulations of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) simulations: Option<u32>,
    /// The depth of the last iteration, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<u32>,
    /// Moves that the search played, those of all lines together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<u64>,
    /// The legal moves of the position.
    pub(crate) legal: usize,
    /// The best moves, the player's choice first.
    pub(crate) moves: Vec<KnownMove>,
}

/// Asks a player what it thinks of a position.
///
/// # Errors
/// If the game has ended, or the player does not search or cannot be built.
pub(crate) fn analyse<V: Variant>(
    player: &PlayerSpec,
    question: &Question<'_, V>,
    parts: &Parts<V>,
) -> Result<Analysis> {
    let mut legal = Vec::new();
    question.game.legal_moves(&mut legal);
    if let Some(outcome) = question.game.outcome(&legal) {
        let winner = outcome.winner.map_or("drawn".to_owned(), |side| {
            format!("won by the {} player", side.name())
        });
        bail!(
            "nothing to analyse: in `{}` the game is over, {winner} ({})",
            question.game.position(),
            outcome.reason.name()
        );
    }
    if let Some(simulations) = question.simulations
        && !matches!(player, PlayerSpec::Net { .. } | PlayerSpec::Rollout { .. })
    {
        bail!(
            "--simulations {simulations}: only players `net` and `rollout` have simulations; `alphabeta` takes `?depth=` or `?nodes=`"
        );
    }
    match player {
        PlayerSpec::Net { search, .. } => {
            let evaluator = player.evaluator(parts)?.context("a net has an evaluator")?;
            tree::analyse(evaluator, *search, question)
        }
        PlayerSpec::Rollout { search } => {
            let evaluator = Box::new(RolloutEvaluator::new(question.seed));
            tree::analyse(evaluator, *search, question)
        }
        PlayerSpec::AlphaBeta(config) => Ok(baseline::analyse(config, question, &legal)),
        PlayerSpec::Rung(number) => analyse(&ladder::rung(V::ID, *number)?, question, parts),
        PlayerSpec::Exact => exact::analyse(question, &legal, parts),
        PlayerSpec::Engine(_) => {
            bail!(
                "an engine of its own shows its lines itself: ask net:CHECKPOINT, alphabeta, rollout or exact"
            )
        }
        PlayerSpec::Random => {
            bail!("player `random` does not think: ask net:CHECKPOINT, alphabeta, rollout or exact")
        }
    }
}

/// How many of `legal` moves are shown if `lines` are asked for.
const fn shown(lines: usize, legal: usize) -> usize {
    if lines == 0 || legal < lines {
        legal
    } else {
        lines
    }
}

fn texts<M: ToString>(moves: &[M]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}
