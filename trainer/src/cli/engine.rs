//! Arguments of `usi`, `uci` and `ucci`.

use clap::Args;
use rules::VariantId;

/// Arguments of `usi`, `uci` and `ucci`.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The player, written as for `senpu match`: `net:CHECKPOINT`, `alphabeta`, `rollout?sims=400`, `exact` and so on. Limits that are given here
    /// (`sims`, `depth`, `nodes`, `ms`) hold for every move, beside the clock. A net or rollouts search by PUCT, which keeps its tree from move to
    /// move, unless `root=gumbel` is given.
    #[arg(long)]
    pub player: String,
    /// The game [default: that of the net, else shogi, or xiangqi in UCCI]. A player that is not bound to one takes another by the option
    /// `UCI_Variant`.
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// What random choices are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Change a rule option, such as `ply_cap=300` [default: the rules of the net, else those of the game].
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
}
