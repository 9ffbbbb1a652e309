//! Arguments of `engine-check`.

use clap::{Args, ValueEnum};
use rules::VariantId;

/// Arguments of `engine-check`.
#[derive(Debug, Args)]
pub struct EngineCheckArgs {
    /// The engine: a program on the PATH, in /usr/games or by its path, and its arguments, all in one argument of this command.
    pub command: String,
    /// The protocol [default: usi for showgit, otherwise uci].
    #[arg(long, value_enum)]
    pub protocol: Option<Protocol>,
    /// The game [default: xiangqi for ucci, otherwise showgit].
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// Set an option before anything is checked; can be given several times.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// How long the engine may stay silent, in seconds.
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    pub timeout: f64,
    /// Print one JSON object a check.
    #[arg(long)]
    pub json: bool,
}

/// A protocol of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// Universal Shogi Interface.
    Usi,
    /// Universal Chess Interface.
    Uci,
    /// Universal Chinese Chess Interface.
    Ucci,
}
