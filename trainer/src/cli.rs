//! The command line: what can be typed, and the help that explains it.

mod convert;
mod engine;
mod engine_check;
mod play;

pub use convert::ConvertArgs;
pub use play::{Pieces, PlayArgs, Seat};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rules::VariantId;

pub use self::engine::EngineArgs;
pub use self::engine_check::{EngineCheckArgs, Protocol};

/// Learn shogi-family games from nothing but their rules.
///
/// Start with `senpu train configs/gufu.toml`: it learns perfect play of the smallest game in minutes and measures itself against the exact
/// solution. Run the same command again to go on where a run stopped.
#[derive(Debug, Parser)]
#[command(name = "senpu", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use; 0 uses every core. Results do not depend on it.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the whole loop: play, learn, evaluate, publish; run again to go on.
    Train(TrainArgs),
    /// Play a match between two players and say how strong the first is.
    Match(MatchArgs),
    /// Rate a run's checkpoints and the rungs of its game's ladder on one scale; run again to go on.
    Ladder(LadderArgs),
    /// Play against a player in the terminal.
    Play(PlayArgs),
    /// Convert records of games: PGN, KIF, CSA, USI lines, and this program's own.
    Convert(ConvertArgs),
    /// Show what a player thinks of a position: its value, its best moves and the lines it expects.
    Analyse(AnalyseArgs),
    /// Say what is right and wrong with a net: calibration, what a search adds, blunders.
    Diagnose(DiagnoseArgs),
    /// Answer another program by USI, the protocol of shogi.
    Usi(EngineArgs),
    /// Answer another program by UCI, the protocol of chess and its relatives.
    Uci(EngineArgs),
    /// Answer another program by UCCI, the protocol of xiangqi.
    Ucci(EngineArgs),
    /// Count the leaves of the game tree: the standard check of a move generator.
    Perft(PerftArgs),
    /// Hold the rules against files of positions made by other programs.
    Verify(VerifyArgs),
    /// Solve a small game exactly, or show one position's value and best moves.
    Solve(SolveArgs),
    /// Look into a run's replay store.
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Check a config, show it resolved, or print the schema of all keys.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Hold an engine against its protocol: a list of what is right and wrong.
    EngineCheck(EngineCheckArgs),
    /// Measure speeds on this machine.
    Bench(BenchArgs),
}

/// Arguments of `train`.
#[derive(Debug, Args)]
pub struct TrainArgs {
    /// The config file, such as configs/gufu.toml.
    pub config: PathBuf,
    /// The run directory [default: `runs/` and the name of the config file].
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    /// Override a value of the config, such as `--set selfplay.games=64`; can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Measure for about twenty seconds and say what the run will need: parameters, memory, disk, time. Nothing is written.
    #[arg(long)]
    pub dry_run: bool,
    /// With --dry-run, print one JSON object.
    #[arg(long, requires = "dry_run")]
    pub json: bool,
    /// Compute with these kernels; a run otherwise goes on with those it was begun with.
    #[arg(long, value_name = "NAME", env = "SENPU_KERNELS")]
    pub kernels: Option<String>,
    /// Print only warnings and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Arguments of `match`.
#[derive(Debug, Args)]
pub struct MatchArgs {
    /// A player: `net:CHECKPOINT?sims=64`, `alphabeta?depth=3`, `rollout?sims=400`, `random`, `exact`, or `rung:NUMBER` of the game's ladder.
    /// CHECKPOINT is a file, a run directory (its best net) or RUN@GENERATION. Alpha-beta is limited by any of `depth=N`, `nodes=N` and
    /// `ms=N`, and plays a share `random=P` of its moves at random; its table has 2^N entries by `table_bits=N`. A net also takes `root=gumbel|puct`, `considered=N`, `scale=X`, `c=X`,
    /// `variance_scale=X`, `lcb=X`, `mate_plies=0|1|3`, `leaves=N` and `temperature=T`; with `sims=0` it plays its first choice without a search.
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
        default_value = "rollout?sims=64",
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

/// Arguments of `perft`.
#[derive(Debug, Args)]
pub struct PerftArgs {
    /// The game.
    pub variant: VariantId,
    /// Plies to look ahead.
    pub depth: u32,
    /// The position: the game's own notation or `startpos`, either followed by `moves ...`.
    #[arg(long, default_value = "startpos", value_name = "TEXT")]
    pub position: String,
    /// Show the count below each first move.
    #[arg(long)]
    pub divide: bool,
    /// Change a rule option, for instance `zone_start_promotion=optional`.
    #[arg(long = "rule", value_name = "KEY=VALUE")]
    pub rules: Vec<String>,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// JSON lines, gzipped if the name ends in `.gz`.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// A file of differences that are accepted, each line a JSON object with `file`, `line` and `reason`.
    #[arg(long, value_name = "FILE")]
    pub argued: Option<PathBuf>,
    /// Count no deeper than this where a line has perft counts; otherwise to the last one.
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Print one JSON object a file.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The game: `gufu`.
    pub variant: VariantId,
    /// Show this position's value and its moves instead of the statistics.
    #[arg(long, value_name = "TEXT")]
    pub position: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Subcommands of `replay`.
#[derive(Debug, Subcommand)]
pub enum ReplayCommand {
    /// Show how much is stored, and how games start, are searched and end.
    Stats {
        /// The run directory.
        run: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print every game as a line of JSON, in the order in which they were stored: moves in the game's notation, and what each search knew.
    Export {
        /// The run directory.
        run: PathBuf,
    },
    /// Verify every checksum and replay every game by the rules.
    Check {
        /// The run directory.
        run: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Subcommands of `config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Say whether a config is right, and if not where.
    Check {
        /// The config file.
        config: PathBuf,
        /// Override a value.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        sets: Vec<String>,
    },
    /// Print a config with its overrides applied.
    Show {
        /// The config file.
        config: PathBuf,
        /// Override a value.
        #[arg(long = "set", value_name = "KEY=VALUE")]
        sets: Vec<String>,
    },
    /// Print the JSON schema of a config: every key with its meaning.
    Schema,
}

/// What `bench` can measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchKind {
    /// Move generation: bulk counts, every leaf played, random games.
    Perft,
    /// The alpha-beta player: nodes a second of one thread's processor time.
    #[value(name = "alphabeta")]
    AlphaBeta,
    /// The search's own cost, with an evaluator that knows nothing.
    Search,
    /// One tree with the net of the config on one thread and on all: simulations a second, and the ratio.
    Engine,
    /// Self-play: with an evaluator that knows nothing, and what is lost of a slow evaluator's and a net's rate.
    Selfplay,
    /// Positions a second through the net.
    Inference,
    /// Samples a second through the learner.
    Learner,
    /// Samples a second from the replay window to batches.
    Loader,
}

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// What to measure [default: everything].
    pub kinds: Vec<BenchKind>,
    /// The game.
    #[arg(long, default_value = "gufu")]
    pub game: VariantId,
    /// Compare bulk perft with that of a program that speaks UCI, such as fairy-stockfish: found on the PATH, in /usr/games, or by its path.
    /// The two take turns, and the ratio is that of leaves per CPU-second. All three board games, unless --game names one.
    #[arg(long, value_name = "PROGRAM")]
    pub beside: Option<PathBuf>,
    /// The config whose net is measured [default: that of the game in `configs/`].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Positions a batch.
    #[arg(long, default_value_t = 256)]
    pub batch: usize,
    /// Simulations a search.
    #[arg(long, default_value_t = 400)]
    pub simulations: u32,
    /// Seconds for each figure.
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,
    /// Print one JSON object a figure.
    #[arg(long)]
    pub json: bool,
}
