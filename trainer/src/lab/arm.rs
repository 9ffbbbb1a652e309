//! What is tried beside the config itself: the same config with some values changed.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::cli::LearnArgs;
use crate::config::{Config, ReplayConfig};

/// The name of the config as it is.
const BASE: &str = "base";

/// One way to learn.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// `base`, or the values changed.
    pub(crate) name: String,
    pub(crate) config: Config,
}

impl Arm {
    /// Reads the config as it is, and then as each `--arm` changes it.
    ///
    /// # Errors
    /// Points at what is wrong in the config or in an override, or names the arm that cannot be compared with the others.
    pub(crate) fn all(path: &Path, args: &LearnArgs) -> Result<Vec<Self>> {
        let base = Config::load(path, &args.sets)?;
        let mut arms = vec![Self {
            name: BASE.to_owned(),
            config: base.clone(),
        }];
        for text in &args.arms {
            let own = text.split_whitespace().map(str::to_owned);
            let sets: Vec<String> = args.sets.iter().cloned().chain(own).collect();
            let config = Config::load(path, &sets)?;
            ensure!(
                config != base,
                "--arm \"{text}\" changes nothing: it must set a value other than the config's"
            );
            ensure!(
                config.game == base.game,
                "--arm \"{text}\" is of another game than the config"
            );
            let fixed = args.positions.is_some() || args.epochs.is_some();
            let as_often = ReplayConfig {
                reuse: base.replay.reuse,
                ..config.replay
            };
            ensure!(
                !fixed || config.replay == as_often,
                "--arm \"{text}\" sets replay.reuse, which --positions or --epochs overrules: leave these out and set replay.reuse"
            );
            arms.push(Self {
                name: text.split_whitespace().collect::<Vec<_>>().join(" "),
                config,
            });
        }
        Ok(arms)
    }
}
