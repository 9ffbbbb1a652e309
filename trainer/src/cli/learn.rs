//! Arguments of `learn`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// Where the games are: a run directory, or its folder of games. Nothing is written there.
    #[arg(long, value_name = "STORE")]
    pub frozen: PathBuf,
    /// The config, of which seed, net, learning, replay and targets count [default: the one saved with the run].
    pub config: Option<PathBuf>,
    /// Override a value of the config, such as `--set learn.learning_rate=0.001`; can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Learn once more with these values changed and hold the result against that of the config: `--arm "net.value_width=256
    /// net.policy_width=256"`; can be given several times. All arms draw the same positions in the same order, as far as they draw as many.
    #[arg(long = "arm", value_name = "KEY=VALUE ...")]
    pub arms: Vec<String>,
    /// The share of the games that is never learned from, drawn game by game, and that nets are measured on.
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    pub held_out: f64,
    /// Take only the newest positions of the store, this many [default: all].
    #[arg(long, value_name = "N")]
    pub last: Option<u64>,
    /// Positions to learn from, each as often as it is.
    #[arg(long, value_name = "N", conflicts_with = "epochs")]
    pub positions: Option<u64>,
    /// How often each position is learned from, on average [default: the config's replay.reuse].
    #[arg(long, value_name = "X")]
    pub epochs: Option<f64>,
    /// Positions learned from between two lines [default: a tenth of all].
    #[arg(long, value_name = "N")]
    pub every: Option<u64>,
    /// Positions measured of the games held out, and as many of those learned from.
    #[arg(long, default_value_t = 4096, value_name = "N")]
    pub measure: usize,
    /// Begin with this checkpoint, a file, a run directory or RUN@GENERATION, instead of an untrained net; the schedule of the learning rate
    /// goes on where it was.
    #[arg(long, value_name = "CHECKPOINT")]
    pub from: Option<PathBuf>,
    /// Save what was learned as a checkpoint, which can play as `net:FILE`.
    #[arg(long, value_name = "FILE", conflicts_with = "arms")]
    pub out: Option<PathBuf>,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}
