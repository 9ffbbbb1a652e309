//! Engines of others as the command line writes them: `usi:COMMAND?nodes=1000`.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rules::{Dialect, Variant};
use selfplay::players::{EngineLimit, EngineLog, OutsideConfig, OutsidePlayer};

use super::options::Options;
use super::{MOST_MS, MOST_NODES};
use crate::outside_program;

/// How long an engine may stay silent unless told otherwise, in seconds.
pub(crate) const PATIENCE: f64 = 60.0;
const MOST_DEPTH: u32 = 1000;

/// An engine that has been read but not started.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EngineSpec {
    /// The program and its arguments.
    command: Vec<String>,
    dialect: Dialect,
    limit: EngineLimit,
    /// Options to set, by name and value.
    options: Vec<(String, String)>,
    /// How long it may stay silent, in seconds.
    timeout: f64,
    /// The file that its standard error is appended to.
    log: Option<PathBuf>,
}

impl EngineSpec {
    /// Returns the protocol of that name.
    pub(crate) fn dialect(name: &str) -> Option<Dialect> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
    }

    /// Reads an engine.
    pub(super) fn read(protocol: &str, command: &str, options: &mut Options<'_>) -> Result<Self> {
        let dialect = Self::dialect(protocol).context("no protocol has this name")?;
        let limits = [
            options.take_given("nodes")?.map(EngineLimit::Nodes),
            options.take_given("depth")?.map(EngineLimit::Depth),
            (options.take_given("ms")?).map(|ms| EngineLimit::MoveTime(Duration::from_millis(ms))),
            (options.take_given::<String>("clock")?)
                .map(|text| clock(&text))
                .transpose()?,
        ];
        let mut given = limits.into_iter().flatten();
        let (Some(limit), None) = (given.next(), given.next()) else {
            bail!(
                "player `{protocol}:{command}`: one limit is wanted, nodes=N, depth=N, ms=N or clock=SECONDS+INCREMENT"
            );
        };
        Ok(Self {
            command: outside_program::words(command)
                .with_context(|| format!("player `{protocol}:{command}`"))?,
            dialect,
            limit,
            options: options.take_all("option.", "option.NAME"),
            timeout: options.take("timeout", PATIENCE)?,
            log: options.take_given("log")?,
        })
    }

    /// Checks what it may use.
    pub(super) fn validate(&self) -> Result<()> {
        match self.limit {
            EngineLimit::Nodes(nodes) => ensure!(
                (1..=MOST_NODES).contains(&nodes),
                "nodes = {nodes}: must be from 1 to {MOST_NODES}"
            ),
            EngineLimit::Depth(depth) => ensure!(
                (1..=MOST_DEPTH).contains(&depth),
                "depth = {depth}: must be from 1 to {MOST_DEPTH}"
            ),
            EngineLimit::MoveTime(time) => ensure!(
                (1..=MOST_MS).contains(&time.as_millis()),
                "ms = {}: must be from 1 to {MOST_MS}",
                time.as_millis()
            ),
            EngineLimit::Clock { .. } => {}
        }
        ensure!(
            (0.001..=1e6).contains(&self.timeout),
            "timeout = {}: must be from 0.001 to 1000000 seconds",
            self.timeout
        );
        Ok(())
    }

    /// Starts the engine.
    ///
    /// # Errors
    /// If there is no such program, it does not answer, or does not offer the game or an option; or the log cannot be written.
    pub(super) fn start<V: Variant>(&self) -> Result<OutsidePlayer> {
        let log = (self.log.as_ref()).map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let file = file.with_context(|| format!("cannot write the log `{}`", path.display()));
            file.map(EngineLog::new)
        });
        let config = OutsideConfig {
            command: outside_program::located(&self.command)?,
            dialect: self.dialect,
            limit: self.limit,
            options: self.options.clone(),
            patience: Duration::from_secs_f64(self.timeout),
            log: log.transpose()?,
        };
        Ok(OutsidePlayer::start::<V>(config)?)
    }
}

/// Reads `SECONDS` or `SECONDS+INCREMENT`.
fn clock(text: &str) -> Result<EngineLimit> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let seconds = |text: &str, least: f64| {
        let seconds: f64 = text.parse().ok()?;
        ((least..=86_400.0).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
    };
    match (seconds(base, 0.001), seconds(increment, 0.0)) {
        (Some(base), Some(increment)) => Ok(EngineLimit::Clock { base, increment }),
        _ => bail!(
            "clock = `{text}`: seconds for the game and, behind a `+`, for each move are wanted, such as 60+0.5"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player_spec::PlayerSpec;

    fn engine(text: &str) -> EngineSpec {
        match text.parse().unwrap() {
            PlayerSpec::Engine(engine) => engine,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn engines_are_read() {
        let spec = engine(
            "ucci:'my engine' -x?ms=100&option.Hash=16&option.Skill Level=3&timeout=2.5&log=e.log",
        );
        assert_eq!(spec.command, ["my engine", "-x"]);
        assert_eq!(spec.dialect, Dialect::Ucci);
        let limit = EngineLimit::MoveTime(Duration::from_millis(100));
        assert_eq!(spec.limit, limit);
        let options = [("Hash", "16"), ("Skill Level", "3")];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(spec.options, options);
        assert_eq!((spec.timeout, spec.log), (2.5, Some("e.log".into())));
        let clock = engine("usi:gpsusi?clock=60+0.5").limit;
        let (base, increment) = (Duration::from_mins(1), Duration::from_millis(500));
        assert_eq!(clock, EngineLimit::Clock { base, increment });
        assert_eq!(engine("uci:x?nodes=5").limit, EngineLimit::Nodes(5));
        assert_eq!(engine("uci:x?depth=5").limit, EngineLimit::Depth(5));
    }

    #[test]
    fn wrong_engines_say_what_would_be_right() {
        for (text, part) in [
            ("uci:", "one limit is wanted"),
            ("uci:?nodes=1", "a command is wanted"),
            ("uci:'x?nodes=1", "a quotation mark is not closed"),
            ("uci:x", "nodes=N, depth=N, ms=N or clock="),
            ("uci:x?nodes=5&depth=3", "one limit is wanted"),
            ("uci:x?nodes=0", "nodes = 0: must be from 1"),
            ("uci:x?depth=0", "depth = 0: must be from 1"),
            ("uci:x?ms=0", "ms = 0: must be from 1"),
            ("uci:x?clock=5-3", "clock = `5-3`"),
            ("uci:x?clock=0", "clock = `0`"),
            ("uci:x?nodes=1&timeout=0", "timeout = 0"),
            (
                "uci:x?nodes=1&hash=3",
                "nodes, depth, ms, clock, option.NAME, timeout, log",
            ),
            ("xboard:x?nodes=1", "uci:COMMAND"),
        ] {
            let error = format!("{:#}", text.parse::<PlayerSpec>().unwrap_err());
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
