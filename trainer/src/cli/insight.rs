//! Arguments of `analyse` and `diagnose`: what players think, and how right they are.

use std::path::PathBuf;

use clap::Args;
use rules::VariantId;

/// Arguments of `analyse`.
#[derive(Debug, Args)]
pub struct AnalyseArgs {
    /// A player that searches, written as for `senpu match`: `net:CHECKPOINT?sims=400`, `alphabeta?depth=6`, `rollout` or `exact`.
    #[arg(long)]
    pub player: String,
    /// The position: the game's own notation or `startpos`, either followed by `moves ...`.
    #[arg(long, default_value = "startpos", value_name = "TEXT")]
    pub position: String,
    /// The game [default: that of the net].
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// Simulations, in the place of the player's own; 0 shows what the net says without a search.
    #[arg(long, value_name = "N")]
    pub simulations: Option<u32>,
    /// Moves to show, each with the line expected after it; 0 shows all. Alpha-beta searches anew for each.
    #[arg(long, default_value_t = 5, value_name = "K")]
    pub lines: usize,
    /// What rollouts are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Change a rule option, such as `ply_cap=300` [default: the rules of the net, else those of the game].
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
    /// Print one JSON object. Values are from the side of the player to move.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `diagnose`.
#[derive(Debug, Args)]
pub struct DiagnoseArgs {
    /// A checkpoint file, a run directory (its best net) or RUN@GENERATION.
    pub checkpoint: PathBuf,
    /// The run whose games are looked at: those that ended after the net was made, or the newest if there are none [default: the run of the
    /// checkpoint; without games there, the net plays some by its policy].
    #[arg(long, value_name = "RUN")]
    pub games: Option<PathBuf>,
    /// Positions to look at. Those before the last random or exploratory move of a game are left out.
    #[arg(long, default_value_t = 500, value_name = "N")]
    pub positions: usize,
    /// Simulations of the search that is held against the net alone.
    #[arg(long, default_value_t = 64, value_name = "N")]
    pub simulations: u32,
    /// Pairs of games between the search and the net alone; 0 plays none.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub pairs: u32,
    /// Random plies at the start of each pair.
    #[arg(long, default_value_t = 8, value_name = "PLIES")]
    pub opening_plies: u32,
    /// Nodes for which the alpha-beta player looks for the best move of each position; 0 leaves blunders out, and so does a solved game.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub nodes: u64,
    /// What a blunder loses more than, in hundredths of a pawn.
    #[arg(long, default_value_t = 200, value_name = "HUNDREDTHS")]
    pub blunder: u32,
    /// What positions, openings and games are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
