//! The configuration of a run: one file, one truth.
//!
//! Each section's struct lives beside the code that reads it. There are no hidden defaults: a config names every value, and the resolved
//! config is saved with the run.

use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use model::{LearnConfig, NetConfig};
use rules::{RuleOptions, VariantId};
use schemars::JsonSchema;
use selfplay::{SearchConfig, SelfplayConfig};
use serde::{Deserialize, Serialize};

use crate::config_file::{ConfigError, ConfigFile};
use crate::evaluation::EvaluateConfig;
use crate::guard::GuardConfig;
use crate::loader::TargetConfig;
use crate::net_evaluator::InferenceConfig;
use crate::retention::RetentionConfig;
use crate::run_dir::RunDir;
use crate::schedule::{Ramp, WindowSize};
use crate::training::PipelineConfig;

/// The most games at a time that `selfplay.games = 0` comes to, the greatest number that may be given.
const MOST_GAMES: usize = 100_000;

/// A run of `senpu train`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// What everything random in the run is drawn from.
    pub(crate) seed: u64,
    /// The game: `euroshogi`, `gufu`, `showgit` or `xiangqi`.
    pub(crate) game: VariantId,
    /// When the run is over: at whichever limit comes first.
    pub(crate) stop: StopConfig,
    /// The rules' open choices.
    pub(crate) rules: RuleOptions,
    /// How games are started and moves chosen.
    pub(crate) selfplay: SelfplayConfig,
    /// The search of self-play.
    pub(crate) search: SearchConfig,
    /// The net: its family, `arch`, and the sizes that belong to it.
    pub(crate) net: NetConfig,
    /// How the net is trained.
    pub(crate) learn: LearnConfig,
    /// What it is trained on.
    pub(crate) replay: ReplayConfig,
    /// What the targets of a position are.
    pub(crate) targets: TargetConfig,
    /// How play and learning take turns.
    pub(crate) pipeline: PipelineConfig,
    /// What is measured after each generation.
    pub(crate) evaluate: EvaluateConfig,
    /// How leaves are evaluated.
    pub(crate) inference: InferenceConfig,
    /// What is kept on disk.
    pub(crate) retention: RetentionConfig,
    /// When the run warns or stops by itself.
    pub(crate) guard: GuardConfig,
}

/// When a run is over. A limit of 0 means none, but not all three can be 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopConfig {
    /// Generations of self-play.
    pub(crate) generations: u64,
    /// Minutes of work, all sessions of the run together; the generation under way is finished. A limit by the clock cannot be repeated
    /// exactly.
    pub(crate) minutes: f64,
    /// Positions searched in self-play.
    pub(crate) positions: u64,
}

/// Which positions the learner sees, and how often.
///
/// Window, batch and reuse may change as the run goes, with the positions stored to learn from, each as often as it counts. A generation
/// learns by what they are when its learning begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayConfig {
    /// The newest positions that batches are drawn from: a number, or a window that grows, `{ from = 250000, alpha = 0.75, beta = 0.4 }`.
    pub(crate) window: WindowSize,
    /// Positions a batch, 1 to 65536: a number, or `{ from = 1024, to = 4096, positions = 3000000 }`.
    pub(crate) batch: Ramp<u32>,
    /// How often a new position is learned from, on average, 0.01 to 1000: a number, or `{ from = 2.0, to = 1.25, positions = 3000000 }`.
    pub(crate) reuse: Ramp<f64>,
    /// Positions taken from a game at a time, 1 to 1000, so that it is replayed once for all of them. Each position is seen as often whatever
    /// this is, but batches hold fewer games where it is large.
    pub(crate) plies_per_game: u32,
    /// Batches whose positions wait in a buffer, from which each batch is drawn, 1 to 1000: the more, the less do positions of one game come
    /// together. A generation begins with an empty buffer and uses up all that it draws.
    pub(crate) shuffle_batches: u32,
}

impl Config {
    /// Reads a config file and applies `KEY=VALUE` overrides.
    ///
    /// # Errors
    /// Points at the line that is wrong: syntax, an unknown key, a wrong type, a missing or out-of-range value.
    pub(crate) fn load(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        let file = ConfigFile::read(path, sets)?;
        let config: Self = file.parse()?;
        let Err((section, message)) = config.validate() else {
            return Ok(config);
        };
        // Sections say `field = value: what would be right`.
        let field = message.split(' ').next().unwrap_or_default();
        Err(file.invalid(&format!("{section}.{field}"), &message))
    }

    /// Works out what the config leaves to the machine, `selfplay.games = 0`: the number saved with the run in `run` if there is one, else two
    /// batches for each core, so that while one is evaluated the next is gathered. `--threads` has no part in it, since results do not
    /// depend on it.
    pub(crate) fn resolve(&mut self, run: Option<&Path>) {
        if self.selfplay.games > 0 {
            return;
        }
        let saved = run.and_then(|run| Self::load(&run.join(RunDir::CONFIG), &[]).ok());
        let cores = available_parallelism().map_or(1, NonZero::get);
        let two_batches = (2 * cores * self.inference.batch).min(MOST_GAMES) as u32;
        self.selfplay.games = saved.map_or(two_batches, |saved| saved.selfplay.games);
    }

    /// Checks every section; an error names the section and says what is wrong in it.
    fn validate(&self) -> Result<(), (&'static str, String)> {
        let in_section = |section| move |message| (section, message);
        self.rules.validate().map_err(in_section("rules"))?;
        self.stop.validate().map_err(in_section("stop"))?;
        self.selfplay.validate().map_err(in_section("selfplay"))?;
        let (plies, cap) = (
            self.selfplay.openings.most_plies(),
            self.selfplay.ply_cap(0, self.rules.ply_cap),
        );
        if plies >= cap {
            let problem = format!(
                "openings = up to {plies} plies: must be below the ply cap, {cap} at first, or openings would end games"
            );
            return Err(("selfplay", problem));
        }
        self.search.validate().map_err(in_section("search"))?;
        let simulations = self.search.simulations;
        if let Some(most) = self.selfplay.caps.most_simulations()
            && simulations != most
        {
            let problem = format!(
                "simulations = {simulations}: must be {most}, the most of a stage of selfplay.caps, or else there must be no stages"
            );
            return Err(("search", problem));
        }
        self.net.validate().map_err(in_section("net"))?;
        self.learn.validate().map_err(in_section("learn"))?;
        self.replay.validate().map_err(in_section("replay"))?;
        self.targets.validate().map_err(in_section("targets"))?;
        self.pipeline.validate().map_err(in_section("pipeline"))?;
        self.evaluate.validate().map_err(in_section("evaluate"))?;
        let inference = self.inference.validate(&self.net);
        inference.map_err(in_section("inference"))?;
        self.retention.validate().map_err(in_section("retention"))?;
        self.guard.validate().map_err(in_section("guard"))
    }
}

impl StopConfig {
    fn validate(&self) -> Result<(), String> {
        if !(0.0..=1e7).contains(&self.minutes) {
            return Err(format!(
                "minutes = {}: must be from 0 (no limit) to 1e7",
                self.minutes
            ));
        }
        if self.generations == 0 && self.minutes == 0.0 && self.positions == 0 {
            return Err(
                "generations, minutes and positions = 0: one of them must limit the run".to_owned(),
            );
        }
        Ok(())
    }
}

impl ReplayConfig {
    fn validate(&self) -> Result<(), String> {
        self.batch.validate("batch", [1.0, 65_536.0])?;
        self.window.validate("window", self.batch.greatest())?;
        self.reuse.validate("reuse", [0.01, 1000.0])?;
        for (name, value) in [
            ("plies_per_game", self.plies_per_game),
            ("shuffle_batches", self.shuffle_batches),
        ] {
            if !(1..=1000).contains(&value) {
                return Err(format!("{name} = {value}: must be from 1 to 1000"));
            }
        }
        Ok(())
    }
}
