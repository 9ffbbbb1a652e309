//! What stands behind the question mark of a player.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use selfplay::players::{AlphaBetaConfig, Limits};
use selfplay::{RootKind, SearchConfig};

use super::match_search;

/// The `key=value` pairs behind the question mark, each to be taken once.
pub(super) struct Options<'a> {
    player: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
    known: Vec<&'static str>,
}

impl<'a> Options<'a> {
    pub(super) fn parse(player: &'a str, text: &'a str) -> Result<Self> {
        let parts = text.split('&').filter(|part| !part.is_empty());
        let pair = |part: &'a str| {
            part.split_once('=').with_context(|| {
                format!("player `{player}`: `{part}` is not of the form key=value")
            })
        };
        let pairs = parts.map(pair).collect::<Result<_>>()?;
        Ok(Self {
            player,
            pairs,
            known: Vec::new(),
        })
    }

    /// Takes the value of `key`, or `default` where it is not given.
    pub(super) fn take<T: FromStr>(&mut self, key: &'static str, default: T) -> Result<T>
    where
        T::Err: std::fmt::Display,
    {
        Ok(self.take_given(key)?.unwrap_or(default))
    }

    /// Takes the value of `key` if it is given.
    pub(super) fn take_given<T: FromStr>(&mut self, key: &'static str) -> Result<Option<T>>
    where
        T::Err: std::fmt::Display,
    {
        self.known.push(key);
        let Some(at) = self.pairs.iter().position(|(name, _)| *name == key) else {
            return Ok(None);
        };
        let (_, value) = self.pairs.remove(at);
        let wrong = |error| anyhow::anyhow!("player `{}`: {key} = `{value}`: {error}", self.player);
        value.parse().map(Some).map_err(wrong)
    }

    /// Takes every pair whose key begins with `prefix`, without it; `shown` stands for them where the keys known are listed.
    pub(super) fn take_all(&mut self, prefix: &str, shown: &'static str) -> Vec<(String, String)> {
        self.known.push(shown);
        let (taken, rest) = (self.pairs.iter())
            .partition::<Vec<(&str, &str)>, _>(|(key, _)| key.starts_with(prefix));
        self.pairs = rest;
        let named = |(key, value): (&str, &str)| (key[prefix.len()..].to_owned(), value.to_owned());
        taken.into_iter().map(named).collect()
    }

    /// Any of the limits may be left out; without all of them the depth is 3.
    pub(super) fn alphabeta(&mut self) -> Result<AlphaBetaConfig> {
        let limits = Limits {
            depth: self.take_given("depth")?,
            nodes: self.take_given("nodes")?,
            time: self.take_given("ms")?.map(Duration::from_millis),
        };
        let limits = if limits == Limits::default() {
            Limits::depth(3)
        } else {
            limits
        };
        Ok(AlphaBetaConfig {
            limits,
            table_bits: self.take("table_bits", AlphaBetaConfig::TABLE_BITS)?,
            random: self.take("random", 0.0)?,
        })
    }

    pub(super) fn search(&mut self, root: RootKind, simulations: u32) -> Result<SearchConfig> {
        let simulations = self.take("sims", simulations)?;
        let root = match self.take("root", String::new())?.as_str() {
            "" => root,
            "gumbel" => RootKind::Gumbel,
            "puct" => RootKind::Puct,
            other => bail!(
                "player `{}`: root = `{other}`: must be gumbel or puct",
                self.player
            ),
        };
        let mut search = match_search(root, simulations);
        search.gumbel.considered = self.take("considered", search.gumbel.considered)?;
        search.gumbel.scale = self.take("scale", search.gumbel.scale)?;
        search.puct.c_init = self.take("c", search.puct.c_init)?;
        search.puct.variance_scale = self.take("variance_scale", search.puct.variance_scale)?;
        search.puct.lcb_deviations = self.take("lcb", search.puct.lcb_deviations)?;
        search.mate_plies = self.take("mate_plies", search.mate_plies)?;
        search.leaves = self.take("leaves", search.leaves)?;
        Ok(search)
    }

    /// Refuses what was given twice or is not known.
    pub(super) fn finish(self) -> Result<()> {
        let Some((key, _)) = self.pairs.first() else {
            return Ok(());
        };
        if self.known.contains(key) {
            bail!("player `{}`: `{key}` is given twice", self.player);
        }
        let known = if self.known.is_empty() {
            "none".to_owned()
        } else {
            self.known.join(", ")
        };
        bail!(
            "player `{}`: unknown option `{key}`; this player knows: {known}",
            self.player
        )
    }
}
