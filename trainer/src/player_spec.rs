//! Players as the command line writes them, such as `net:runs/gufu?sims=64`, and how they are built.

mod engine;
mod options;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use model::{Checkpoint, Device, Precision};
use rules::{RuleOptions, Variant, VariantId};
use selfplay::players::{
    AlphaBeta, AlphaBetaConfig, ExactPlayer, Limits, RandomPlayer, SearchPlayer,
};
use selfplay::{
    Evaluator, GumbelConfig, Player, PuctConfig, RolloutEvaluator, RootKind, SearchConfig,
};

pub(crate) use self::engine::EngineSpec;
use self::options::Options;
use crate::dispatch::Parts;
use crate::ladder;
use crate::net_evaluator::{InferenceConfig, check_fit, evaluator};
use crate::run_dir;

/// A player that has been read but not built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlayerSpec {
    /// Searches with a net.
    Net {
        /// A checkpoint file, a run directory, or `RUN@GENERATION`.
        checkpoint: PathBuf,
        /// How it searches.
        search: SearchConfig,
        /// 0 plays the best move.
        temperature: f32,
        /// What the net computes with, if not with the quickest precision that it has.
        precision: Option<Precision>,
    },
    /// Alpha-beta with hand-made judgements.
    AlphaBeta(AlphaBetaConfig),
    /// A rung of the game's ladder, from 1.
    Rung(usize),
    /// Monte Carlo tree search with random rollouts.
    Rollout {
        /// How it searches.
        search: SearchConfig,
    },
    /// Uniformly random moves.
    Random,
    /// Perfect play of a solved game.
    Exact,
    /// A program of its own.
    Engine(EngineSpec),
}

/// Returns the search that players use in matches and evaluations unless told otherwise: the settings of the papers, no noise at
/// temperature 0, and every move of a small game in the halving.
pub(crate) const fn match_search(root: RootKind, simulations: u32) -> SearchConfig {
    SearchConfig {
        simulations,
        root,
        mate_plies: 1,
        leaves: 1,
        gumbel: GumbelConfig::USUAL,
        puct: PuctConfig::USUAL,
    }
}

impl FromStr for PlayerSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, options) = text.split_once('?').unwrap_or((text, ""));
        let mut options = Options::parse(text, options)?;
        let spec = match kind.split_once(':') {
            Some(("net", "")) => {
                bail!("player `{text}`: `net:` needs a checkpoint, such as `net:runs/gufu?sims=64`")
            }
            Some(("net", checkpoint)) => Self::Net {
                checkpoint: checkpoint.into(),
                search: options.search(RootKind::Gumbel, 64)?,
                temperature: options.take("temperature", 0.0)?,
                precision: options.take_given("precision")?,
            },
            Some((protocol, command)) if EngineSpec::dialect(protocol).is_some() => {
                Self::Engine(EngineSpec::read(protocol, command, &mut options)?)
            }
            Some(("rung", number)) => Self::Rung(ladder::number(number)?),
            None if kind == "alphabeta" => Self::AlphaBeta(options.alphabeta()?),
            None if kind == "rollout" => Self::Rollout {
                search: options.search(RootKind::Puct, 400)?,
            },
            None if kind == "random" => Self::Random,
            None if kind == "exact" => Self::Exact,
            _ => bail!(
                "unknown player `{kind}` in `{text}`: expected net:CHECKPOINT, alphabeta, rollout, random, exact, rung:NUMBER, or an engine as usi:COMMAND, uci:COMMAND or ucci:COMMAND"
            ),
        };
        options.finish()?;
        spec.validate()
            .with_context(|| format!("player `{text}`"))?;
        Ok(spec)
    }
}

impl PlayerSpec {
    /// Returns the game and the rule options that the player was made for, if it was made for one.
    ///
    /// # Errors
    /// If its checkpoint cannot be read.
    pub(crate) fn game(&self) -> Result<Option<(VariantId, RuleOptions)>> {
        let Self::Net { checkpoint, .. } = self else {
            return Ok(None);
        };
        let meta = Checkpoint::load(&run_dir::resolve_checkpoint(checkpoint)?)?.meta;
        Ok(Some((meta.variant, meta.options)))
    }

    /// Returns the game to ask the player about, with the rule options that it was made for: its own game, or `given` where it has none.
    /// `text` is what errors call the player.
    ///
    /// # Errors
    /// If its checkpoint cannot be read, `given` is another game than its own, or neither names one.
    pub(crate) fn game_or(
        &self,
        given: Option<VariantId>,
        text: &str,
    ) -> Result<(VariantId, Option<RuleOptions>)> {
        match (given, self.game()?) {
            (Some(given), Some((own, _))) if given != own => {
                bail!("player `{text}` is of {own}, not of {given}: leave --variant out")
            }
            (_, Some((own, options))) => Ok((own, Some(options))),
            (Some(given), None) => Ok((given, None)),
            (None, None) => {
                bail!("player `{text}` is no net, so the game must be given: --variant gufu")
            }
        }
    }

    /// Returns the identity of the weights that the player uses, if it is a net.
    ///
    /// # Errors
    /// If its checkpoint cannot be read.
    pub(crate) fn checkpoint_id(&self) -> Result<Option<String>> {
        let Self::Net { checkpoint, .. } = self else {
            return Ok(None);
        };
        let checkpoint = Checkpoint::load(&run_dir::resolve_checkpoint(checkpoint)?)?;
        Ok(Some(format!("{:016x}", checkpoint.id())))
    }

    /// Returns the net of the player as an evaluator, if it is one.
    ///
    /// # Errors
    /// If its checkpoint cannot be read or is of another game.
    pub(crate) fn evaluator<V: Variant>(
        &self,
        parts: &Parts<V>,
    ) -> Result<Option<Box<dyn Evaluator<V>>>> {
        let Self::Net {
            checkpoint,
            precision,
            ..
        } = self
        else {
            return Ok(None);
        };
        let path = run_dir::resolve_checkpoint(checkpoint)?;
        let checkpoint = Checkpoint::load(&path)?;
        check_fit(&checkpoint, parts).with_context(|| path.display().to_string())?;
        let net = checkpoint.play_net(&Device::cpu())?;
        let mut config = InferenceConfig::of_matches(net.net());
        config.precision = precision.unwrap_or(config.precision);
        let made = evaluator(parts, net, config);
        let (evaluator, _) = made.with_context(|| path.display().to_string())?;
        Ok(Some(evaluator))
    }

    /// Builds the player.
    ///
    /// # Errors
    /// If its checkpoint cannot be read or is of another game, the game cannot be solved, or an engine does not work.
    pub(crate) fn build<V: Variant>(
        &self,
        parts: &Parts<V>,
        seed: u64,
    ) -> Result<Box<dyn Player<V>>> {
        Ok(match self {
            Self::Net {
                search,
                temperature,
                ..
            } => {
                let evaluator = self.evaluator(parts)?.context("a net has an evaluator")?;
                Box::new(SearchPlayer::new(evaluator, *search, *temperature, seed))
            }
            Self::AlphaBeta(config) => Box::new(AlphaBeta::new(*config, seed)),
            Self::Rung(number) => ladder::rung(V::ID, *number)?.build(parts, seed)?,
            Self::Rollout { search } => Box::new(SearchPlayer::new(
                Box::new(RolloutEvaluator::new(seed)),
                *search,
                0.0,
                seed,
            )),
            Self::Random => Box::new(RandomPlayer::new(seed)),
            Self::Engine(engine) => Box::new(engine.start::<V>()?),
            Self::Exact => match &parts.yardstick {
                Some(yardstick) => Box::new(ExactPlayer::new(Arc::new((yardstick.solve)()), seed)),
                None => bail!(
                    "player `exact`: {} is too large to be solved; `gufu` can be",
                    V::ID
                ),
            },
        })
    }

    fn validate(&self) -> Result<()> {
        let search = match self {
            Self::Net { search, .. } | Self::Rollout { search } => search,
            Self::AlphaBeta(config) => return validate_alphabeta(config),
            Self::Engine(engine) => return engine.validate(),
            _ => return Ok(()),
        };
        // 0 simulations play the evaluator's first choice; what else a search refuses, it refuses here too.
        let checked = SearchConfig {
            simulations: search.simulations.max(2),
            ..*search
        };
        checked.validate().map_err(anyhow::Error::msg)?;
        match self {
            Self::Net { temperature, .. } if !(0.0..=100.0).contains(temperature) => {
                bail!("temperature = {temperature}: must be from 0 to 100")
            }
            _ => Ok(()),
        }
    }
}

/// The greatest limits that a player may be given: beyond them, someone mistook the unit.
const MOST_NODES: u64 = 1_000_000_000_000;
/// A day.
const MOST_MS: u128 = 86_400_000;
/// A table of 2 GiB.
const MOST_TABLE_BITS: u32 = 27;

fn validate_alphabeta(config: &AlphaBetaConfig) -> Result<()> {
    let AlphaBetaConfig {
        limits,
        table_bits,
        random,
    } = config;
    let most = Limits::MAX_DEPTH;
    if let Some(depth) = limits.depth.filter(|depth| !(1..=most).contains(depth)) {
        bail!("depth = {depth}: must be from 1 to {most}");
    }
    if let Some(nodes) = limits
        .nodes
        .filter(|nodes| !(1..=MOST_NODES).contains(nodes))
    {
        bail!("nodes = {nodes}: must be from 1 to {MOST_NODES}");
    }
    let ms = limits.time.map(|time| time.as_millis());
    if let Some(ms) = ms.filter(|ms| !(1..=MOST_MS).contains(ms)) {
        bail!("ms = {ms}: must be from 1 to {MOST_MS}");
    }
    if *table_bits > MOST_TABLE_BITS {
        bail!(
            "table_bits = {table_bits}: must be at most {MOST_TABLE_BITS} (a table has 2^table_bits entries of 16 bytes; 0: none)"
        );
    }
    if !(0.0..=1.0).contains(random) {
        bail!("random = {random}: must be from 0 to 1");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn players_are_read() {
        let spec: PlayerSpec =
            "net:runs/gufu@12?sims=400&root=puct&temperature=0.5&precision=float"
                .parse()
                .unwrap();
        let PlayerSpec::Net {
            checkpoint,
            search,
            temperature,
            precision,
        } = spec
        else {
            panic!("{spec:?}")
        };
        assert_eq!(checkpoint, PathBuf::from("runs/gufu@12"));
        assert_eq!(
            (search.simulations, search.root, temperature, precision),
            (400, RootKind::Puct, 0.5, Some(Precision::Float))
        );
        assert_eq!(
            "alphabeta?depth=5".parse::<PlayerSpec>().unwrap(),
            PlayerSpec::AlphaBeta(AlphaBetaConfig::new(Limits::depth(5)))
        );
        let limited = Limits {
            time: Some(Duration::from_millis(50)),
            ..Limits::nodes(1000)
        };
        assert_eq!(
            "alphabeta?nodes=1000&ms=50&random=0.25"
                .parse::<PlayerSpec>()
                .unwrap(),
            PlayerSpec::AlphaBeta(AlphaBetaConfig {
                random: 0.25,
                ..AlphaBetaConfig::new(limited)
            })
        );
        assert_eq!(
            "rung:12".parse::<PlayerSpec>().unwrap(),
            PlayerSpec::Rung(12)
        );
        assert_eq!("exact".parse::<PlayerSpec>().unwrap(), PlayerSpec::Exact);
    }

    #[test]
    fn wrong_players_say_what_would_be_right() {
        for (text, part) in [
            ("nte:runs/x", "expected net:CHECKPOINT"),
            ("net:", "needs a checkpoint"),
            (
                "random?sims=3",
                "unknown option `sims`; this player knows: none",
            ),
            ("net:x?simms=3", "this player knows: sims, root"),
            ("net:x?sims=many", "sims = `many`"),
            ("net:x?sims=1&sims=2", "given twice"),
            ("net:x?root=alpha", "must be gumbel or puct"),
            (
                "net:x?precision=half",
                "precision = `half`: must be integer or float",
            ),
            ("net:x?sims", "not of the form key=value"),
            ("alphabeta?depth=0", "depth = 0: must be from 1 to 64"),
            ("alphabeta?depth=65&nodes=9", "must be from 1 to 64"),
            ("alphabeta?nodes=0", "nodes = 0: must be from 1 to"),
            ("alphabeta?nodes=1e4", "nodes = `1e4`"),
            ("alphabeta?ms=0", "ms = 0: must be from 1 to"),
            ("alphabeta?random=1.5", "random = 1.5: must be from 0 to 1"),
            ("alphabeta?table_bits=40", "must be at most 27"),
            (
                "alphabeta?sims=4",
                "this player knows: depth, nodes, ms, table_bits, random",
            ),
            ("rung:top", "a rung has a number, such as `rung:3`"),
            ("rung:3?depth=2", "unknown option `depth`"),
            ("net:x?scale=NaN", "gumbel.scale = NaN"),
        ] {
            let error = format!("{:#}", text.parse::<PlayerSpec>().unwrap_err());
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
