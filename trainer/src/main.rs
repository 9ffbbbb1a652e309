//! The `senpu` command.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use rules::dialect::Dialect;
use trainer::cli::{Cli, Command};
use trainer::{commands, output};

/// Nets make and drop arrays of some hundred kilobytes all the time, which the C library returns to the system each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(error);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(cli.threads)
        .build_global()?;
    match &cli.command {
        Command::Train(args) => commands::train::run(args),
        Command::Learn(args) => commands::learn::run(args),
        Command::Match(args) => commands::match_players::run(args),
        Command::Ladder(args) => commands::ladder::run(args),
        Command::Play(args) => commands::play::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Analyse(args) => commands::analyse::run(args),
        Command::Diagnose(args) => commands::diagnose::run(args),
        Command::Usi(args) => commands::engine::run(args, Dialect::Usi),
        Command::Uci(args) => commands::engine::run(args, Dialect::Uci),
        Command::Ucci(args) => commands::engine::run(args, Dialect::Ucci),
        Command::Perft(args) => commands::perft::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Solve(args) => commands::solve::run(args),
        Command::Replay(command) => commands::replay::run(command),
        Command::Config(command) => commands::config::run(command),
        Command::EngineCheck(args) => commands::engine_check::run(args),
        Command::Bench(args) => commands::bench::run(args),
    }
}
