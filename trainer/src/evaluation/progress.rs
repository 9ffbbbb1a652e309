//! Whether a run gets stronger: matches of its net against others, as far as a share of the run's own work pays for them.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use model::{Checkpoint, Device, Inference};
use rules::Variant;
use schemars::JsonSchema;
use selfplay::arena::{PairCounts, SequentialMatch, Sprt, SprtModel, SprtVerdict, Tally, strength};
use selfplay::players::SearchPlayer;
use selfplay::{Arena, MatchConfig, MatchGame, Player};
use serde::{Deserialize, Serialize};

use super::Evaluator;
use crate::ladder;
use crate::net_evaluator;
use crate::player_spec::PlayerSpec;
use crate::progress::Progress;
use crate::run_dir::RunDir;
use crate::watchdog::Watchdog;

/// What `best` marks, and when a run warns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Gate {
    /// The newest net is the best.
    Off,
    /// The newest net is the best; a warning says when it is significantly weaker than the one before.
    Alarm,
    /// A net becomes the best once it is significantly stronger than the best so far. Learning goes on from the newest one all the same.
    Require,
}

/// Matches against other nets and players, after each generation that is evaluated. Their results are in the metrics.
///
/// They are played in rounds, against each opponent in turn, until a sequential test has decided all of them or the share is used up. What they
/// are is a function of the run: no clock is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgressConfig {
    /// The simulations that nets may search in these matches, as a share of those of self-play, the whole run counted, in `[0, 1]`; the round under
    /// way is finished. 0 plays none.
    pub(crate) share: f64,
    /// The opponents: `best`, the best net before this one; `first`, the untrained net; `ladder`, the rung of the game's ladder that the run has
    /// reached, and the next one once it is beaten; or any player, written as for `senpu match`.
    pub(crate) opponents: Vec<String>,
    /// Pairs of games a round.
    pub(crate) round_pairs: u32,
    /// Pairs against an opponent at most, in one evaluation.
    pub(crate) most_pairs: u32,
    /// Simulations of the nets.
    pub(crate) simulations: u32,
    /// Random plies at the start of each pair of games.
    pub(crate) opening_plies: u32,
    /// A test decides between the net being weaker and being stronger by so much normalised Elo, wrong in 5 % of cases either way.
    pub(crate) elo: f64,
    /// What the match against `best` decides: `off`, `alarm` or `require`.
    pub(crate) gate: Gate,
}

const ERROR_RATE: f64 = 0.05;

const BEST: &str = "best";
const FIRST: &str = "first";
const LADDER: &str = "ladder";

impl ProgressConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(super) fn validate(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err(format!(
                "progress.share = {}: must be from 0 to 1",
                self.share
            ));
        }
        for (name, value, least, most) in [
            ("round_pairs", self.round_pairs, 1, 10_000),
            ("most_pairs", self.most_pairs, 1, 1_000_000),
            ("simulations", self.simulations, 0, 1_000_000),
            ("opening_plies", self.opening_plies, 0, 1000),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!(
                    "progress.{name} = {value}: must be from {least} to {most}"
                ));
            }
        }
        if let Err(error) = self.sprt() {
            return Err(format!("progress.elo = {}: {error}", self.elo));
        }
        for opponent in &self.opponents {
            if ![BEST, FIRST, LADDER].contains(&opponent.as_str())
                && let Err(error) = opponent.parse::<PlayerSpec>()
            {
                return Err(format!(
                    "progress.opponents = \"{opponent}\": {error:#}, or {BEST}, {FIRST} or {LADDER}"
                ));
            }
        }
        let compares = self.share > 0.0 && self.opponents.iter().any(|name| name == BEST);
        if self.gate == Gate::Require && !compares {
            return Err(
                "progress.gate = \"require\": must be off or alarm unless share is above 0 and opponents has best".to_owned(),
            );
        }
        Ok(())
    }

    fn sprt(&self) -> Result<Sprt, selfplay::arena::SprtError> {
        let hypotheses = [-self.elo, self.elo];
        Sprt::new(hypotheses, ERROR_RATE, ERROR_RATE, SprtModel::Normalized)
    }
}

/// Where a run stands before an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The generation to be evaluated.
    pub(crate) generation: u64,
    /// The generation of the best net before it.
    pub(crate) best: u64,
    /// The rung that the run has reached, from 1.
    pub(crate) rung: usize,
    /// Simulations of self-play so far.
    pub(crate) simulations: u64,
    /// Simulations of matches so far.
    pub(crate) spent: u64,
}

/// What a match of an evaluation said of the net.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// Wins, draws and losses.
    pub(crate) wdl: [u64; 3],
    /// The results in pairs.
    pub(crate) pair_counts: PairCounts,
    /// Elo above the opponent with the ends of its 95 % interval; `None` stands for an end that the result does not bound.
    pub(crate) elo: [Option<f64>; 3],
    /// The log-likelihood ratio of stronger over weaker.
    pub(crate) llr: f64,
    /// `h1`: significantly stronger; `h0`: significantly weaker.
    pub(crate) verdict: SprtVerdict,
}

/// What the matches of an evaluation gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Comparisons {
    /// By opponent: `best`, `first`, `rung:3`, or the player's own text.
    pub(crate) matches: BTreeMap<String, Comparison>,
    /// Simulations that nets searched in them.
    pub(crate) simulations: u64,
    /// The rung that the run then stood on.
    pub(crate) rung: usize,
}

impl Comparisons {
    /// Returns what the match against the best net so far decided, if there was one.
    pub(crate) fn against_best(&self) -> Option<SprtVerdict> {
        Some(self.matches.get(BEST)?.verdict)
    }
}

/// Where an evaluation finds the other nets, and whom it tells what it does.
pub(crate) struct Surroundings<'a> {
    /// The run.
    pub(crate) run: &'a RunDir,
    /// Where warnings go.
    pub(crate) progress: &'a Progress,
    /// Told after each game.
    pub(crate) watchdog: &'a Watchdog,
}

/// A match under way.
struct Contest<V: Variant> {
    name: String,
    opponent: Box<dyn Player<V>>,
    /// Whether its simulations count.
    is_net: bool,
    test: SequentialMatch,
    games: Vec<MatchGame>,
}

impl<V: Variant> Contest<V> {
    fn is_open(&self, most_pairs: u32) -> bool {
        self.test.verdict() == SprtVerdict::Undecided
            && (self.games.len() as u64) < 2 * u64::from(most_pairs)
    }

    fn comparison(&self) -> Comparison {
        let result = selfplay::MatchResult {
            games: self.games.clone(),
        };
        let Tally { wdl, pairs, .. } = result.tally();
        let elo = strength(&pairs).elo;
        Comparison {
            wdl,
            pair_counts: pairs,
            elo: [elo.value, elo.low, elo.high],
            llr: self.test.llr(),
            verdict: self.test.verdict(),
        }
    }
}

impl<V: Variant> Evaluator<'_, V> {
    /// Plays the matches that the run's share pays for; `None` if it pays for none.
    ///
    /// # Errors
    /// If a net fails.
    pub(crate) fn compare(
        &self,
        net: &Inference,
        standing: Standing,
        around: &Surroundings<'_>,
    ) -> Result<Option<Comparisons>> {
        let config = &self.config.evaluate.progress;
        let allowed = (config.share * standing.simulations as f64) as u64;
        if allowed <= standing.spent || config.opponents.is_empty() {
            return Ok(None);
        }
        let player = self.searcher(net.clone())?;
        let mut found = Comparisons {
            rung: standing.rung,
            ..Comparisons::default()
        };
        let mut contests = self.contests(standing, around)?;
        while standing.spent + found.simulations < allowed {
            let before = found.simulations;
            let mut at = 0;
            while at < contests.len() && standing.spent + found.simulations < allowed {
                let contest = &mut contests[at];
                at += 1;
                if contest.is_open(config.most_pairs) {
                    found.simulations += self.round(&player, contest, standing, around)?;
                    let decided = contest.test.verdict();
                    if let Some(next) = self.climb(&contest.name, decided, &mut found)? {
                        contests.push(next);
                    }
                }
            }
            if found.simulations == before {
                break;
            }
        }
        for contest in contests.iter().filter(|contest| !contest.games.is_empty()) {
            found
                .matches
                .insert(contest.name.clone(), contest.comparison());
        }
        Ok(Some(found))
    }

    fn contests(&self, standing: Standing, around: &Surroundings<'_>) -> Result<Vec<Contest<V>>> {
        let config = &self.config.evaluate.progress;
        let mut contests = Vec::new();
        for name in &config.opponents {
            let generation = match name.as_str() {
                // The best net may still be the first one, and one match against it is enough.
                FIRST if standing.best == 0 && config.opponents.iter().any(|name| name == BEST) => {
                    continue;
                }
                FIRST => 0,
                BEST => standing.best,
                LADDER => {
                    contests.push(self.on_rung(standing.rung)?);
                    continue;
                }
                player => {
                    contests.push(self.against(player, &player.parse()?)?);
                    continue;
                }
            };
            match self.earlier(around.run, generation) {
                Ok(opponent) => contests.push(Contest {
                    name: name.clone(),
                    opponent,
                    is_net: true,
                    test: SequentialMatch::new(config.sprt()?),
                    games: Vec::new(),
                }),
                Err(error) => around.progress.warn(format!(
                    "no match against generation {generation}: {error:#}"
                )),
            }
        }
        Ok(contests)
    }

    fn on_rung(&self, rung: usize) -> Result<Contest<V>> {
        self.against(&format!("rung:{rung}"), &ladder::rung(V::ID, rung)?)
    }

    fn against(&self, name: &str, spec: &PlayerSpec) -> Result<Contest<V>> {
        Ok(Contest {
            name: name.to_owned(),
            // A stream of its own, also against itself.
            opponent: spec.build(self.parts, self.config.seed ^ u64::MAX)?,
            is_net: matches!(spec, PlayerSpec::Net { .. }),
            test: SequentialMatch::new(self.config.evaluate.progress.sprt()?),
            games: Vec::new(),
        })
    }

    fn searcher(&self, net: Inference) -> Result<SearchPlayer<V>> {
        let simulations = self.config.evaluate.progress.simulations;
        let (evaluator, _) = net_evaluator::evaluator(self.parts, net, self.config.inference)?;
        let search = self.search(simulations);
        Ok(SearchPlayer::new(evaluator, search, 0.0, self.config.seed))
    }

    fn earlier(&self, run: &RunDir, generation: u64) -> Result<Box<dyn Player<V>>> {
        let path = run.checkpoint(generation as u32);
        let checkpoint = Checkpoint::load(&path)?;
        net_evaluator::check_fit(&checkpoint, self.parts)
            .with_context(|| path.display().to_string())?;
        Ok(Box::new(
            self.searcher(checkpoint.play_net(&Device::cpu())?)?,
        ))
    }

    /// Plays a round and returns the simulations of nets in it.
    fn round(
        &self,
        player: &SearchPlayer<V>,
        contest: &mut Contest<V>,
        standing: Standing,
        around: &Surroundings<'_>,
    ) -> Result<u64> {
        let config = &self.config.evaluate.progress;
        let played = contest.games.len();
        let pairs = (played as u32 / 2 + config.round_pairs).min(config.most_pairs);
        let arena = Arena::new(MatchConfig {
            pairs,
            opening_plies: config.opening_plies,
            concurrent: usize::MAX,
            // Other openings in each generation.
            seed: self.config.seed ^ (standing.generation << 32),
            options: self.config.rules,
        });
        let mut on_game = |_: &MatchGame| {
            let name = &contest.name;
            around
                .watchdog
                .beat(|what| *what = format!("the match against {name}"));
            true
        };
        let arena = arena.with_played(contest.games.clone());
        let players: [&dyn Player<V>; 2] = [player, contest.opponent.as_ref()];
        contest.games = arena.play(players, &mut on_game)?.games;
        let mut plies = 0;
        for game in &contest.games[played..] {
            contest.test.add(game);
            let searched = game.moves.len() - game.opening_plies;
            // Whoever moves first after the opening moves once more, which evens out over a pair.
            plies += if contest.is_net {
                2 * searched
            } else {
                searched
            } as u64;
        }
        Ok(plies * u64::from(config.simulations.max(1)) / 2)
    }

    /// Steps up a beaten rung and down from one that was too strong; returns the next match if it was beaten.
    fn climb(
        &self,
        name: &str,
        verdict: SprtVerdict,
        found: &mut Comparisons,
    ) -> Result<Option<Contest<V>>> {
        if name != format!("rung:{}", found.rung) {
            return Ok(None);
        }
        match verdict {
            SprtVerdict::H1 if found.rung < ladder::rungs(V::ID).len() => {
                found.rung += 1;
                self.on_rung(found.rung).map(Some)
            }
            SprtVerdict::H0 => {
                found.rung = found.rung.saturating_sub(1).max(1);
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}
