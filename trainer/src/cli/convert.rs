//! Arguments of `convert`.

use std::path::PathBuf;

use clap::Args;
use rules::VariantId;
use selfplay::notation::Format;

/// Arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// What is read: a file of games (`.pgn`, `.kif` or `.kifu`, `.csa`, `.usi`), a run directory, a segment of a run's games (`.sgm`,
    /// `.open`), or `-` for standard input. Files are in UTF-8.
    pub input: PathBuf,
    /// What is written: a file with one of these endings, a segment (`.sgm`), or `-` for standard output. A file that exists is replaced.
    pub output: PathBuf,
    /// The format of the input, where its name does not say it: pgn, kif, csa or usi.
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// The format of the output, where its name does not say it.
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// The game of the input [default: what it says; else showgit].
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// Change a rule option for games that do not state theirs, such as `ply_cap=300`.
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
}
