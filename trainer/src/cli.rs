//! The command line: what can be typed, and the help that explains it.

mod convert;
mod engine;
mod engine_check;
mod insight;
mod learn;
mod play;
mod strength;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rules::VariantId;

pub use self::convert::ConvertArgs;
pub use self::engine::EngineArgs;
pub use self::engine_check::{EngineCheckArgs, Protocol};
pub use self::insight::{AnalyseArgs, DiagnoseArgs};
pub use self::learn::LearnArgs;
pub use self::play::{Pieces, PlayArgs, Seat};
pub use self::strength::{EloScale, LadderArgs, MatchArgs};

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
    /// Learn from the games of a stored run and measure on games held out: tells what limits the run, learner, net or games.
    Learn(LearnArgs),
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
    /// Print one JSON object a figure. Nets that play have the names `BLOCKSxCHANNELS-f32`, `sparseWIDTH-int` and `sparseWIDTH-f32`, by what they
    /// compute with; nets of features that learn, `sparseWIDTH`.
    #[arg(long)]
    pub json: bool,
}
