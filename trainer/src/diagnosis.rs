//! What is right and wrong with a net, measured on positions of games: are its values calibrated, how far is its policy from what a search
//! makes of it, what does the search add, and how often do both blunder.

mod blunders;
mod calibration;
mod positions;
mod shares;

use anyhow::Result;
use model::Inference;
use rules::{Game, Heuristics, MoveOf, Position, RuleOptions, Variant};
use selfplay::arena::{Estimate, strength};
use selfplay::players::SearchPlayer;
use selfplay::random::{Purpose, stream};
use selfplay::{
    MatchConfig, Report, Search, SearchConfig, SearchTask, Workers, play_match, search_all,
};
use serde::{Deserialize, Serialize};

use crate::dispatch::Parts;
use crate::net_evaluator::{self, InferenceConfig};
pub(crate) use blunders::{Blunders, Referee};
use calibration::Observation;
pub(crate) use calibration::{Calibration, Reliability};
pub(crate) use positions::{Games, Played, Probe, play_games, read_newest, sample};
use shares::PLY_BUCKETS;
pub(crate) use shares::Share;

/// Searches run at the same time.
const CONCURRENT: usize = 256;

/// How a net is diagnosed.
#[derive(Clone, Debug)]
pub(crate) struct DiagnosisConfig {
    /// The search that is held against the net alone.
    pub(crate) search: SearchConfig,
    /// Pairs of games between the two; 0 plays none.
    pub(crate) pairs: u32,
    /// Random plies at the start of each pair.
    pub(crate) opening_plies: u32,
    /// Who says what a blunder is; `None` leaves them out.
    pub(crate) referee: Option<Referee>,
    /// The rules of the match.
    pub(crate) options: RuleOptions,
    /// How leaves are evaluated.
    pub(crate) inference: InferenceConfig,
    /// What is random in it.
    pub(crate) seed: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Diagnosis {
    /// Where the positions are from.
    pub(crate) games: Games,
    /// The positions.
    pub(crate) positions: usize,
    /// The games that they are from: positions of one game share its outcome.
    pub(crate) distinct_games: usize,
    /// The net's values against the outcomes of the games.
    pub(crate) calibration: Calibration,
    /// The net's policy against the search's.
    pub(crate) policy: PolicyGap,
    /// What the search adds in play, if games were played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search_gain: Option<SearchGain>,
    /// Blunders, if anyone looked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blunders: Option<Blunders>,
}

/// How far the net's policy is from what a search makes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PolicyGap {
    /// Simulations of each search.
    pub(crate) simulations: u32,
    /// The mean Kullback-Leibler divergence of the search's policy target from the net's priors, in nats.
    pub(crate) divergence: f64,
    /// The same by ply.
    pub(crate) by_ply: Vec<Divergence>,
    /// Positions in which the search plays the net's first choice.
    pub(crate) agreement: Share,
}

/// The divergence in one range of plies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Divergence {
    /// The plies.
    pub(crate) plies: String,
    /// Positions.
    pub(crate) positions: usize,
    /// The mean of the divergence, in nats.
    pub(crate) nats: f64,
}

/// A match of the search against the net alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SearchGain {
    /// Pairs of games.
    pub(crate) pairs: u64,
    /// Distinct games.
    pub(crate) distinct_games: usize,
    /// Wins, draws and losses of the search.
    pub(crate) wdl: [usize; 3],
    /// Elo that it gains, with the ends of the 95 % interval; `None` stands for what the result does not bound.
    pub(crate) elo: [Option<f64>; 3],
}

impl SearchGain {
    /// Returns the gain in Elo.
    pub(crate) fn estimate(&self) -> Estimate {
        let [value, low, high] = self.elo;
        Estimate { value, low, high }
    }
}

/// One position with what the net and a search made of it.
struct Searched<V: Variant> {
    report: Report<MoveOf<V>>,
    /// The net's first choice.
    first: MoveOf<V>,
}

/// Diagnoses a net on positions of games. Depends on nothing but its arguments.
///
/// # Errors
/// If the net fails.
pub(crate) fn diagnose<V: Variant>(
    net: &Inference,
    (games, probes): (Games, &[Probe<V>]),
    parts: &Parts<V>,
    config: &DiagnosisConfig,
) -> Result<Diagnosis> {
    let searched = search_probes(net, probes, parts, config)?;
    let observations: Vec<Observation> = probes
        .iter()
        .zip(&searched)
        .map(|(probe, searched)| observe(probe, searched))
        .collect();
    let mut numbers: Vec<usize> = probes.iter().map(|probe| probe.number).collect();
    numbers.dedup();
    let search_gain = if config.pairs > 0 {
        Some(play_off(net, parts, config)?)
    } else {
        None
    };
    let moves: Vec<(&Game<V>, [MoveOf<V>; 2])> = probes
        .iter()
        .zip(&searched)
        .map(|(probe, searched)| (&probe.game, [searched.first, searched.report.mv]))
        .collect();
    Ok(Diagnosis {
        games,
        positions: probes.len(),
        distinct_games: numbers.len(),
        calibration: Calibration::new(&observations),
        policy: policy_gap(probes, &searched, config),
        search_gain,
        blunders: config.referee.map(|referee| referee.judge(&moves)),
    })
}

fn search_probes<V: Variant>(
    net: &Inference,
    probes: &[Probe<V>],
    parts: &Parts<V>,
    config: &DiagnosisConfig,
) -> Result<Vec<Searched<V>>> {
    let (mut evaluator, _) = net_evaluator::evaluator(parts, net.clone(), config.inference)?;
    let workers = Workers::new();
    let mut found = Vec::with_capacity(probes.len());
    for part in probes.chunks(CONCURRENT) {
        let begin = |probe: &Probe<V>| {
            let ply = probe.game.ply() as u64;
            let rng = stream(config.seed, Purpose::Player, probe.number as u64, ply);
            let mut search = Search::new(config.search, probe.game.clone(), rng.clone());
            let task = SearchTask {
                simulations: config.search.simulations,
                temperature: 0.0,
                explore: false,
            };
            search.begin(task, rng);
            search
        };
        let mut searches: Vec<Search<V>> = part.iter().map(begin).collect();
        let reports = search_all(&mut searches, evaluator.as_mut(), &workers)?;
        for (search, report) in searches.iter().zip(reports) {
            let moves = search.root_moves(&report);
            let first = moves
                .iter()
                .max_by(|a, b| a.prior.total_cmp(&b.prior))
                .map_or(report.mv, selfplay::RootMove::mv);
            found.push(Searched { report, first });
        }
    }
    Ok(found)
}

fn observe<V: Variant>(probe: &Probe<V>, searched: &Searched<V>) -> Observation {
    let position = probe.game.position();
    let outcome = probe.outcome.wdl(position.side_to_move());
    Observation {
        predicted: f64::from(searched.report.raw.value() + 1.0) / 2.0,
        scored: f64::from(outcome.value() + 1.0) / 2.0,
        ply: probe.game.ply(),
        material: position.evaluate(),
    }
}

fn policy_gap<V: Variant>(
    probes: &[Probe<V>],
    searched: &[Searched<V>],
    config: &DiagnosisConfig,
) -> PolicyGap {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let mut by_ply: Vec<Vec<f64>> = vec![Vec::new(); PLY_BUCKETS.len()];
    let mut all = Vec::new();
    for (probe, searched) in probes.iter().zip(searched) {
        let divergence = f64::from(searched.report.surprise);
        by_ply[shares::ply_bucket(probe.game.ply())].push(divergence);
        all.push(divergence);
    }
    let agreeing = searched
        .iter()
        .filter(|searched| searched.first == searched.report.mv)
        .count();
    PolicyGap {
        simulations: config.search.simulations,
        divergence: mean(&all),
        by_ply: by_ply
            .iter()
            .enumerate()
            .filter(|(_, of)| !of.is_empty())
            .map(|(at, of)| Divergence {
                plies: PLY_BUCKETS[at].1.to_owned(),
                positions: of.len(),
                nats: mean(of),
            })
            .collect(),
        agreement: Share::new(agreeing, searched.len()),
    }
}

/// Lets the search play the net's first choices, from the same openings with either colour.
fn play_off<V: Variant>(
    net: &Inference,
    parts: &Parts<V>,
    config: &DiagnosisConfig,
) -> Result<SearchGain> {
    let player = |simulations| {
        let inference = config.inference;
        let (evaluator, _) = net_evaluator::evaluator(parts, net.clone(), inference)?;
        let search = SearchConfig {
            simulations,
            ..config.search
        };
        let player = SearchPlayer::<V>::new(evaluator, search, 0.0, config.seed);
        anyhow::Ok(player)
    };
    let settings = MatchConfig {
        pairs: config.pairs,
        opening_plies: config.opening_plies,
        concurrent: CONCURRENT,
        seed: config.seed,
        options: config.options,
    };
    let (mut with, mut without) = (player(config.search.simulations)?, player(0)?);
    let result = play_match(&mut with, &mut without, &settings, &mut |_| true)?;
    let strength = strength(&result.tally().pairs);
    let Estimate { value, low, high } = strength.elo;
    Ok(SearchGain {
        pairs: u64::from(config.pairs),
        distinct_games: result.distinct_games(),
        wdl: result.wdl(),
        elo: [value, low, high],
    })
}
