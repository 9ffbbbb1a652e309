//! What is measured after each generation: exactness where the game is solved, and a short match.

mod progress;

use std::collections::BTreeMap;

use anyhow::Result;
use model::Inference;
use rules::Variant;
use schemars::JsonSchema;
use selfplay::arena::strength;
use selfplay::players::SearchPlayer;
use selfplay::{GameRecord, MatchConfig, RootKind, SearchConfig, play_match};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::diagnosis::{
    Diagnosis, DiagnosisConfig, Games, Played, Referee, diagnose, play_games, sample,
};
use crate::dispatch::Parts;
use crate::net_evaluator;
use crate::player_spec::{PlayerSpec, match_search};
use crate::replay::ReplayStore;
use crate::watchdog::Watchdog;
use crate::yardstick::{Exactness, Examination};
#[cfg(test)]
pub(crate) use progress::Comparison;
pub(crate) use progress::{Comparisons, Gate, ProgressConfig, Standing, Surroundings};

/// What is measured after each generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluateConfig {
    /// Evaluate after every so many generations; the untrained net and the end of the run always are.
    pub(crate) every: u64,
    /// Positions of a solved game that are searched, out of those in which a mistake is possible; 0 here and below leaves exactness out.
    pub(crate) positions: usize,
    /// The same at the end of the run.
    pub(crate) final_positions: usize,
    /// Simulations of these searches.
    pub(crate) simulations: Vec<u32>,
    /// Games of the match; 0 plays none.
    pub(crate) match_games: u32,
    /// Simulations of the net in the match.
    pub(crate) match_simulations: u32,
    /// Random plies at the start of each pair of games.
    pub(crate) match_opening_plies: u32,
    /// The opponent, written as for `senpu match`.
    pub(crate) opponent: String,
    /// Positions of the newest games on which the net is diagnosed, as by `senpu diagnose`, with searches of `match_simulations`: calibration,
    /// what a search makes of the policy, blunders of board games. The net may have learned from them. 0 for no diagnosis.
    pub(crate) diagnosis_positions: usize,
    /// Pairs of games that show what such a search gains over the net alone; 0 plays none.
    pub(crate) diagnosis_pairs: u32,
    /// Positions of the newest games, and as many of older ones, on which the net is measured before and after it learns, to say what limits
    /// the run (`limit` in its metrics): its learner, its net, its games or its searches. What is learned does not depend on it. 0 for none.
    pub(crate) limit_positions: usize,
    /// Matches that show whether the run gets stronger.
    pub(crate) progress: ProgressConfig,
}

impl EvaluateConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(&self) -> Result<(), String> {
        if self.every == 0 {
            return Err("every = 0: must be at least 1".to_owned());
        }
        if let Some(wrong) = self
            .simulations
            .iter()
            .find(|&&simulations| simulations > 1_000_000)
        {
            return Err(format!("simulations = {wrong}: must be at most 1000000"));
        }
        if self.match_simulations > 1_000_000 {
            return Err(format!(
                "match_simulations = {}: must be at most 1000000",
                self.match_simulations
            ));
        }
        if self.diagnosis_positions > 1_000_000 {
            return Err(format!(
                "diagnosis_positions = {}: must be at most 1000000",
                self.diagnosis_positions
            ));
        }
        if self.limit_positions > 100_000 {
            return Err(format!(
                "limit_positions = {}: must be at most 100000",
                self.limit_positions
            ));
        }
        if self.diagnosis_positions > 0 && self.match_simulations < 2 {
            return Err(format!(
                "match_simulations = {}: must be at least 2 for a diagnosis",
                self.match_simulations
            ));
        }
        if let Err(error) = self.opponent.parse::<PlayerSpec>() {
            return Err(format!("opponent = \"{}\": {error:#}", self.opponent));
        }
        self.progress.validate()
    }
}

/// What an evaluation found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    /// Shares over all positions in which a mistake is possible; only of a solved game.
    pub(crate) exactness: Option<Exactness>,
    /// By simulations, the share of the sample in which the search's move keeps the exact value.
    pub(crate) search: BTreeMap<u32, f64>,
    /// Positions of the sample.
    pub(crate) sample: usize,
    /// Wins, draws and losses of the match.
    pub(crate) wdl: [usize; 3],
    /// Elo above the opponent with the ends of its 95 % interval; `None` stands for an end that the result does not bound.
    pub(crate) elo: [Option<f64>; 3],
    /// What is right and wrong with the net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diagnosis: Option<Diagnosis>,
}

/// The newest games of the store that a diagnosis takes its positions from.
const DIAGNOSED_GAMES: usize = 200;

/// How the evaluations of a run tell blunders.
const REFEREE: Referee = Referee {
    nodes: 2000,
    margin: 200,
};

/// Evaluates nets of one run.
pub(crate) struct Evaluator<'a, V: Variant> {
    config: &'a Config,
    parts: &'a Parts<V>,
    examination: Option<Examination<V>>,
}

impl<'a, V: Variant> Evaluator<'a, V> {
    /// Gets ready; a small game is solved here, unless no position is to be examined.
    pub(crate) fn new(config: &'a Config, parts: &'a Parts<V>) -> Self {
        let wanted = config.evaluate.positions > 0 || config.evaluate.final_positions > 0;
        let yardstick = parts.yardstick.as_ref().filter(|_| wanted);
        let examine =
            |yardstick| Examination::new(yardstick, parts.view(&config.net), config.rules);
        Self {
            config,
            parts,
            examination: yardstick.map(examine),
        }
    }

    /// Evaluates a net, with the larger sample if this is the end of the run. `recent` are games to diagnose it on, the newest last.
    ///
    /// # Errors
    /// If the net fails, or the opponent cannot be built.
    pub(crate) fn evaluate(
        &self,
        net: &Inference,
        recent: &[GameRecord],
        is_final: bool,
        watchdog: &Watchdog,
    ) -> Result<Evaluation> {
        let settings = &self.config.evaluate;
        let mut evaluation = Evaluation {
            exactness: None,
            search: BTreeMap::new(),
            sample: 0,
            wdl: [0; 3],
            elo: [None; 3],
            diagnosis: None,
        };
        let evaluator = || {
            let inference = self.config.inference;
            net_evaluator::evaluator(self.parts, net.clone(), inference)
                .map(|(evaluator, _)| evaluator)
        };
        if let Some(examination) = &self.examination {
            watchdog
                .beat(|what| what.push_str("evaluating the raw net against the exact solution"));
            evaluation.exactness = Some(examination.examine(net)?);
            let sample = examination.sample(if is_final {
                settings.final_positions
            } else {
                settings.positions
            });
            evaluation.sample = sample.len();
            for &simulations in &settings.simulations {
                let search = self.search(simulations);
                watchdog.beat(|what| {
                    *what = format!("evaluating searches of {simulations} simulations");
                });
                let share = examination.examine_search(evaluator()?.as_mut(), search, &sample)?;
                evaluation.search.insert(simulations, share);
            }
        }
        if settings.match_games > 0 {
            watchdog.beat(|what| *what = format!("the match against {}", settings.opponent));
            self.play(evaluator()?, &mut evaluation)?;
        }
        if settings.diagnosis_positions > 0 {
            watchdog.beat(|what| what.push_str("the diagnosis of the net"));
            evaluation.diagnosis = Some(self.diagnose(net, recent)?);
        }
        Ok(evaluation)
    }

    /// Returns the newest games of a store, on which a net is to be evaluated; none if no evaluation looks at games.
    ///
    /// # Errors
    /// If a game cannot be read.
    pub(crate) fn recent_games(&self, store: &ReplayStore) -> Result<Vec<GameRecord>> {
        if self.config.evaluate.diagnosis_positions == 0 {
            return Ok(Vec::new());
        }
        let first = store.games().saturating_sub(DIAGNOSED_GAMES);
        (first..store.games())
            .map(|game| Ok(store.record(game)?))
            .collect()
    }

    /// Diagnoses a net on recent games, or on games of its own if there are none.
    fn diagnose(&self, net: &Inference, recent: &[GameRecord]) -> Result<Diagnosis> {
        let Config {
            seed,
            rules,
            inference,
            ..
        } = *self.config;
        let settings = &self.config.evaluate;
        let positions = settings.diagnosis_positions;
        let played: Vec<Played<V>> = recent
            .iter()
            .map(Played::from_record)
            .collect::<Result<_>>()?;
        let mut games = Games::Newest;
        let mut probes = sample(&played, positions, seed);
        if probes.is_empty() {
            games = Games::Policy;
            let pairs = (positions / 16).clamp(1, 50) as u32;
            probes = sample(
                &play_games(net, self.parts, rules, pairs, seed)?,
                positions,
                seed,
            );
        }
        let config = DiagnosisConfig {
            search: self.search(settings.match_simulations),
            pairs: settings.diagnosis_pairs,
            opening_plies: settings.match_opening_plies,
            referee: self.parts.yardstick.is_none().then_some(REFEREE),
            options: rules,
            inference,
            seed,
        };
        diagnose(net, (games, &probes), self.parts, &config)
    }

    /// Searches as matches do, but looks for mates only as self-play does: what is measured is the net and its search, not that look.
    fn search(&self, simulations: u32) -> SearchConfig {
        SearchConfig {
            mate_plies: self.config.search.mate_plies,
            ..match_search(RootKind::Gumbel, simulations)
        }
    }

    fn play(
        &self,
        evaluator: Box<dyn selfplay::Evaluator<V>>,
        evaluation: &mut Evaluation,
    ) -> Result<()> {
        let settings = &self.config.evaluate;
        let search = self.search(settings.match_simulations);
        let seed = self.config.seed;
        let mut player = SearchPlayer::new(evaluator, search, 0.0, seed);
        let mut opponent = settings
            .opponent
            .parse::<PlayerSpec>()?
            .build(self.parts, seed)?;
        let config = MatchConfig {
            pairs: settings.match_games.div_ceil(2),
            opening_plies: settings.match_opening_plies,
            concurrent: usize::MAX,
            seed,
            options: self.config.rules,
        };
        let result = play_match(&mut player, opponent.as_mut(), &config, &mut |_| true)?;
        let elo = strength(&result.tally().pairs).elo;
        evaluation.wdl = result.wdl();
        evaluation.elo = [elo.value, elo.low, elo.high];
        Ok(())
    }
}
