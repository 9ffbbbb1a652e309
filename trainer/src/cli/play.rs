//! Arguments of `play`.

use clap::{Args, ValueEnum};
use rules::VariantId;

/// Arguments of `play`.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The opponent, written as for `senpu match`: `net:CHECKPOINT?sims=400`, `alphabeta?depth=3`, `rung:5`, `exact`, `random`.
    #[arg(long)]
    pub player: String,
    /// The game [default: that of the net].
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// Your side.
    #[arg(long, value_enum, default_value_t = Seat::First, value_name = "SIDE")]
    pub side: Seat,
    /// Where to start: the game's own notation or `startpos`, either followed by `moves ...`.
    #[arg(long, default_value = "startpos", value_name = "TEXT")]
    pub position: String,
    /// How men are drawn: by the letters of the notation, by their characters, or by their names in the rules.
    #[arg(long, value_enum, default_value_t = Pieces::Letters, value_name = "STYLE")]
    pub pieces: Pieces,
    /// Lines that a hint shows.
    #[arg(long, default_value_t = 3, value_name = "K")]
    pub lines: usize,
    /// What random choices are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Change a rule option, such as `ply_cap=300` [default: the rules of the net, else those of the game].
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
}

/// The side of the person who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Seat {
    /// Moves first from the game's start.
    First,
    /// Moves second.
    Second,
    /// Drawn from the seed.
    Random,
}

/// How men are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pieces {
    /// `K`, `+r`: the second player's in lower case.
    Letters,
    /// `玉`, `v龍`: a `v` before the second player's.
    Kanji,
    /// `TIME`, `neo-tango`: the second player's in lower case.
    Names,
}
