//! Bulk perft beside another program that speaks UCI, in turns, each by the CPU time that it uses.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use rules::perft::perft;
use rules::{Position, Variant, VariantId};

use super::{Figure, Rate, print, print_value, rate};
use crate::cli::BenchArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::outside_program;

/// The figures are medians of so many rounds.
const ROUNDS: usize = 5;

/// Compares for the game asked for, or the three board games.
pub(super) fn run(args: &BenchArgs, program: &Path) -> Result<()> {
    let path = outside_program::find(program)?;
    // Gufu is what is measured when no game is named; nothing else plays it.
    let games = match args.game {
        VariantId::Gufu => vec![VariantId::Showgit, VariantId::EuroShogi, VariantId::Xiangqi],
        game => vec![game],
    };
    for game in games {
        let args = &BenchArgs {
            game,
            ..args.clone()
        };
        dispatch(game, Beside { args, path: &path })?;
    }
    Ok(())
}

struct Beside<'a> {
    args: &'a BenchArgs,
    path: &'a Path,
}

impl Task for Beside<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let Self { args, path } = self;
        // The other program's name of the game, and a depth that takes it from a quarter of a second to two.
        let (game, depth) = match V::ID {
            VariantId::Showgit => ("shogi", 5),
            VariantId::EuroShogi => ("euroshogi", 5),
            VariantId::Xiangqi => ("xiangqi", 4),
            VariantId::Gufu => bail!("no other program plays gufu"),
        };
        let start = V::Position::initial();
        let mut other = Engine::start(path, game)?;
        let (leaves, theirs) = (perft(&start, depth), other.perft(depth)?);
        ensure!(
            leaves == theirs,
            "perft {depth} of {game} has {leaves} leaves here and {theirs} in {}",
            path.display()
        );
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(rate(args.seconds, || perft(&start, depth)));
            theirs.push(other.rate(args.seconds, depth)?);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        report(args, &name, median(ours), median(theirs));
        Ok(())
    }
}

/// Prints both rates and how many times the other's ours is.
fn report(args: &BenchArgs, other: &str, ours: Rate, theirs: Rate) {
    let figure = |name, unit| Figure {
        bench: "perft",
        name,
        threads: 1,
        batch: 1,
        unit,
    };
    print(args, &figure("bulk", "leaves/s"), ours);
    print(args, &figure(other, "leaves/s"), theirs);
    let ratio = ours.per_cpu_second / theirs.per_cpu_second;
    let times = format!("times {other}");
    print_value(args, &figure("ratio", &times), ratio);
}

/// Returns the rate in the middle by CPU time.
fn median(mut rates: Vec<Rate>) -> Rate {
    rates.sort_by(|a, b| a.per_cpu_second.total_cmp(&b.per_cpu_second));
    rates[rates.len() / 2]
}

/// A program that speaks UCI, at the start position of a game. It ends with the value.
struct Engine {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(path: &Path, game: &str) -> Result<Self> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", path.display()))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = (to, from) else {
            bail!("cannot talk to {}", path.display());
        };
        let from = BufReader::new(from).lines();
        let mut engine = Self { child, to, from };
        engine.say("uci")?;
        let offers = engine.until(|line| line == "uciok")?;
        let option = offers
            .iter()
            .find(|line| line.starts_with("option name UCI_Variant "));
        let has = option.is_some_and(|line| line.split_whitespace().any(|word| word == game));
        ensure!(has, "{} does not know {game}", path.display());
        // The position goes last, or it would be that of another game.
        engine.say(&format!("setoption name UCI_Variant value {game}"))?;
        engine.say("position startpos")?;
        engine.say("isready")?;
        engine.until(|line| line == "readyok")?;
        Ok(engine)
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}").context("the other program has gone")
    }

    /// Returns the lines up to the one that is waited for.
    fn until(&mut self, last: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        loop {
            let line = self.from.next().context("the other program has gone")??;
            let done = last(&line);
            lines.push(line);
            if done {
                return Ok(lines);
            }
        }
    }

    /// Returns the number of leaves that it counts.
    fn perft(&mut self, depth: u32) -> Result<u64> {
        const COUNT: &str = "Nodes searched: ";
        self.say(&format!("go perft {depth}"))?;
        let lines = self.until(|line| line.starts_with(COUNT))?;
        let count = lines.last().and_then(|line| line.strip_prefix(COUNT));
        count
            .and_then(|count| count.trim().parse().ok())
            .context("the other program's perft has no number")
    }

    /// Returns how many leaves it counts a second, over the seconds of CPU time asked for at least; starting up is not in it.
    fn rate(&mut self, least: f64, depth: u32) -> Result<Rate> {
        let (begun, cpu) = (Instant::now(), self.cpu_seconds()?);
        let mut leaves = 0;
        loop {
            leaves += self.perft(depth)?;
            let seconds = self.cpu_seconds()? - cpu;
            if seconds >= least && seconds > 0.0 {
                return Ok(Rate {
                    per_second: leaves as f64 / begun.elapsed().as_secs_f64(),
                    per_cpu_second: leaves as f64 / seconds,
                });
            }
        }
    }

    /// The CPU time of all its threads so far, user and system, as Linux counts it: proc(5), `/proc/pid/stat`, fields 14 and 15.
    fn cpu_seconds(&self) -> Result<f64> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = std::fs::read_to_string(&path)
            .with_context(|| format!("the CPU time of another program comes from {path}"))?;
        // The second field is a name in brackets, which may hold anything.
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u64 = after_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
