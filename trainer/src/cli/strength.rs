//! Arguments of `match` and `ladder`: how strong players are.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rules::VariantId;

/// Arguments of `match`.
#[derive(Debug, Args)]
pub struct MatchArgs {
    /// A player: `net:CHECKPOINT?sims=64`, `alphabeta?depth=3`, `rollout?sims=400`, `random`, `exact`, or `rung:NUMBER` of the game's ladder.
    /// CHECKPOINT is a file, a run directory (its best net) or RUN@GENERATION. Alpha-beta is limited by any of `depth=N`, `nodes=N` and
    /// `ms=N`, and plays a share `random=P` of its moves at random; its table has 2^N entries by `table_bits=N`. A net also takes `root=gumbel|puct`, `considered=N`, `scale=X`, `c=X`,
    /// `variance_scale=X`, `lcb=X`, `mate_plies=0|1|3`, `leaves=N`, `temperature=T` and `precision=integer|float` (integers, where it is one of
    /// features); with `sims=0` it plays its first choice without a search.
    /// An engine of its own is `usi:COMMAND`, `uci:COMMAND` or `ucci:COMMAND` with one of `nodes=N`, `depth=N`, `ms=N` and `clock=SECONDS+INCREMENT`;
    /// `option.NAME=VALUE` sets an option, `timeout=SECONDS` is how long it may stay silent (60), and `log=FILE` gets its standard error.
    pub a: String,
    /// The opponent, written the same way.
    pub b: String,
    /// The game [default: that of the first net].
    #[arg(long, value_name = "GAME")]
    pub variant: Option<VariantId>,
    /// Games to play; an odd number is raised to the next even one, since games come in pairs with colours swapped.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub games: u32,
    /// Random plies before the players take over, the same in both games of a pair. Two deterministic players need some, or they play the
    /// same two games over and over.
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    pub opening_plies: u32,
    /// Keep only random openings whose value, `win - loss`, is at most so far from 0 for the judge; of 100 in vain the most even one.
    #[arg(long, value_name = "BOUND", requires = "opening_plies")]
    pub balance: Option<f32>,
    /// The player that judges openings.
    #[arg(
        long,
        default_value = "alphabeta?depth=4",
        value_name = "PLAYER",
        requires = "balance"
    )]
    pub judge: String,
    /// Start games from the positions of a file, one a line: the game's own notation or `startpos`, either followed by `moves ...`; `#` begins
    /// a comment. Each is played by one pair, in an order drawn from the seed, before any is played again.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["opening_plies", "policy_plies"])]
    pub openings: Option<PathBuf>,
    /// Start games with so many plies drawn from the policy of player A's net, the same in both games of a pair.
    #[arg(long, value_name = "PLIES", conflicts_with = "opening_plies")]
    pub policy_plies: Option<u32>,
    /// How freely these are drawn: probabilities are raised to its inverse, and 0 takes the first choice.
    #[arg(
        long,
        default_value_t = 1.0,
        value_name = "T",
        requires = "policy_plies"
    )]
    pub policy_temperature: f32,
    /// End a game as won once the values of both players, `win - loss`, agree on the winner by at least VALUE for PLIES plies in a row.
    #[arg(long, num_args = 2, value_names = ["VALUE", "PLIES"])]
    pub adjudicate_win: Option<Vec<f64>>,
    /// End a game as drawn once both players' values are at most VALUE from 0 for PLIES plies in a row, all after the first FROM plies.
    #[arg(long, num_args = 3, value_names = ["VALUE", "PLIES", "FROM"])]
    pub adjudicate_draw: Option<Vec<f64>>,
    /// End a game of so many plies as drawn.
    #[arg(long, value_name = "PLIES")]
    pub max_plies: Option<u32>,
    /// What openings and random choices are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Change a rule option, such as `ply_cap=300` [default: the rules of the first net, else those of the game].
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
    /// Stop as soon as a sequential test can tell whether A is stronger by ELO0 or by ELO1; `--games` is then the most that is played.
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    pub sprt: Option<Vec<f64>>,
    /// How often the test may accept ELO1 when ELO0 is true.
    #[arg(long, default_value_t = 0.05, value_name = "RATE", requires = "sprt")]
    pub alpha: f64,
    /// How often the test may accept ELO0 when ELO1 is true.
    #[arg(long, default_value_t = 0.05, value_name = "RATE", requires = "sprt")]
    pub beta: f64,
    /// What ELO0 and ELO1 are stated in.
    #[arg(long, value_enum, default_value_t = EloScale::Normalized, value_name = "SCALE", requires = "sprt")]
    pub elo_scale: EloScale,
    /// Write every game as a line of JSON to this file as it ends, after a line that says which match it is. The same command goes on with
    /// a match that was stopped or killed; it may ask for more games.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Write every game as a record as it ends, to a file (`.pgn`, `.kif`, `.csa` or `.usi`), or, given a directory, to a file a game in it (KIF
    /// for showgit, else PGN). With --save, a match that goes on writes no game twice and leaves none out.
    #[arg(long, value_name = "FILE|DIR")]
    pub records: Option<PathBuf>,
    /// Print one JSON object as the last line and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// What a difference in strength is stated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EloScale {
    /// Normalised Elo: the mean pair score in standard deviations, so that draws do not change how long a test takes.
    Normalized,
    /// Elo by the logistic curve.
    Logistic,
}

/// Arguments of `ladder`.
#[derive(Debug, Args)]
pub struct LadderArgs {
    /// The run directory. Results are appended to its `matches/ladder.jsonl`.
    pub run: PathBuf,
    /// The rungs that take part: `all`, `none`, or numbers such as `1,3`.
    #[arg(long, default_value = "all", value_name = "LIST")]
    pub rungs: String,
    /// Checkpoints that take part at most, spread evenly from the first to the newest.
    #[arg(long, default_value_t = 12, value_name = "N")]
    pub checkpoints: usize,
    /// The generations whose checkpoints take part instead, such as `0,10,20`.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub generations: Vec<u32>,
    /// Simulations a move of the nets.
    #[arg(long, default_value_t = 64, value_name = "N")]
    pub sims: u32,
    /// Games to play now, in matches between the players whose games tell most; 0 only shows the ratings.
    #[arg(long, default_value_t = 400, value_name = "N")]
    pub games: u32,
    /// Begin no match after so many minutes; 0: no limit.
    #[arg(long, default_value_t = 0.0, value_name = "M")]
    pub minutes: f64,
    /// Pairs of games a match.
    #[arg(long, default_value_t = 16, value_name = "N")]
    pub pairs: u32,
    /// Random plies before the players take over, the same in both games of a pair.
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    pub opening_plies: u32,
    /// The player whose rating is fixed, such as `rung:1` or `@0?sims=64` [default: the lowest rung that takes part, else the first net].
    #[arg(long, value_name = "PLAYER")]
    pub anchor: Option<String>,
    /// Its rating.
    #[arg(
        long,
        default_value_t = 0.0,
        value_name = "ELO",
        allow_negative_numbers = true
    )]
    pub anchor_elo: f64,
    /// What openings and random choices are drawn from.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object as the last line and nothing else.
    #[arg(long)]
    pub json: bool,
}
