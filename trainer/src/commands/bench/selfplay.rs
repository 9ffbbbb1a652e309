//! How much of an evaluator's rate is left when self-play uses it: with one that knows nothing, one that takes its time, and a net.

use std::sync::Arc;
use std::thread;

use ::selfplay::{
    Evaluations, Evaluator, EvaluatorError, GameRecord, Leaf, Pool, PoolObserver, PoolReport,
    SelfplayConfig, UniformEvaluator,
};
use anyhow::Result;
use model::{Answers, Device, Encoder, Inference, Learner};
use rules::{Variant, Wdl};
use rustix::time::{ClockId, clock_gettime};

use super::{Figure, Rate, bench_config, precisions, print, rate, some_sights};
use crate::cli::BenchArgs;
use crate::config::Config;
use crate::dispatch::Parts;
use crate::net_evaluator::{InferenceConfig, evaluator};

/// What a position takes the slow evaluator, in nanoseconds of processor time: 10,000 positions a second.
const DELAY: u64 = 100_000;

/// Searched plies in each game of a measured generation.
const PLIES: u32 = 16;

/// Knows nothing, encodes every leaf as for a net, and takes [`DELAY`] for each.
struct SlowEvaluator<V: Variant> {
    encoder: Arc<dyn Encoder<V>>,
    planes: Vec<f32>,
    moves: Vec<usize>,
}

impl<V: Variant> SlowEvaluator<V> {
    fn new(encoder: &Arc<dyn Encoder<V>>) -> Self {
        Self {
            planes: vec![0.0; encoder.shape().plane_len()],
            encoder: Arc::clone(encoder),
            moves: Vec::new(),
        }
    }
}

impl<V: Variant> Evaluator<V> for SlowEvaluator<V> {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        self.encoder.encode(leaf.game, &mut self.planes);
        std::hint::black_box(&self.planes);
        self.moves.push(leaf.moves.len());
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        let end = thread_nanoseconds() + DELAY * self.moves.len() as u64;
        out.clear();
        for moves in self.moves.drain(..) {
            out.push(Wdl::DRAW, std::iter::repeat_n(1.0 / moves as f32, moves));
        }
        while thread_nanoseconds() < end {
            std::hint::spin_loop();
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::new(&self.encoder))
    }
}

/// Returns the processor time of this thread.
fn thread_nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Watches nothing.
struct Unobserved;

impl PoolObserver for Unobserved {
    fn on_game(&mut self, _: GameRecord) {}

    fn on_progress(&mut self, _: &PoolReport) -> bool {
        true
    }
}

/// Measures simulations a second with an evaluator that knows nothing, and the share of two others' rates that is lost.
pub(super) fn bench_selfplay<V: Variant>(args: &BenchArgs, parts: &Parts<V>) -> Result<()> {
    let config = bench_config(args)?;
    let mut bench = Bench::new(args, &config);
    let uniform = bench.play::<V>(&mut UniformEvaluator, |report| report.simulations)?;
    bench.print("uniform", "simulations/s", uniform);

    let evaluations = |report: &PoolReport| report.evaluations;
    let mut slow = SlowEvaluator::new(&parts.encoder);
    let played = bench.play(&mut slow, evaluations)?;
    bench.print("delay-100us", "positions/s", played);
    bench.overhead("delay-100us", played.per_cpu_second, 1e9 / DELAY as f64);

    let sizes = parts.view(&config.net).sizes();
    let net = Learner::new(sizes, config.net, &config.learn, 0, &Device::cpu())?.play_net();
    for (name, precision, net) in precisions(&net)? {
        let raw = raw_rate(args, parts, &net, config.inference.batch)?;
        let bare = InferenceConfig {
            cache_megabytes: 0,
            precision,
            ..config.inference
        };
        let (mut net, _) = evaluator(parts, net, bare)?;
        let played = bench.play(net.as_mut(), evaluations)?;
        bench.print(&name, "positions/s", played);
        bench.overhead(&name, played.per_cpu_second, raw.per_cpu_second);
    }
    Ok(())
}

/// Measures the net alone, on as many threads, each with batches of its own as self-play makes them.
fn raw_rate<V: Variant>(
    args: &BenchArgs,
    parts: &Parts<V>,
    net: &Inference,
    size: usize,
) -> Result<Rate> {
    let sights = some_sights(size, parts, net.net());
    net.look(&sights, 0..size, &mut Answers::default())?;
    let alone = |_| rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pools = (0..rayon::current_num_threads())
        .map(alone)
        .collect::<Result<Vec<_>, _>>()?;
    let batches = || {
        let mut answers = Answers::default();
        let run = |_| net.look(&sights, 0..size, &mut answers);
        let done = (0..8).flat_map(run).count();
        (done * size) as u64
    };
    Ok(rate(args.seconds, || {
        thread::scope(|scope| {
            let running: Vec<_> = pools
                .iter()
                .map(|pool| scope.spawn(|| pool.install(batches)))
                .collect();
            running
                .into_iter()
                .map(|thread| thread.join().unwrap_or(0))
                .sum()
        })
    }))
}

struct Bench<'a> {
    args: &'a BenchArgs,
    config: &'a Config,
    games: u32,
}

impl<'a> Bench<'a> {
    fn new(args: &'a BenchArgs, config: &'a Config) -> Self {
        let games = 2 * config.inference.batch * rayon::current_num_threads();
        Self {
            args,
            config,
            games: games as u32,
        }
    }

    /// Measures generations of self-play, one after another, and says how full their batches were.
    fn play<V: Variant>(
        &mut self,
        evaluator: &mut dyn Evaluator<V>,
        done: impl Fn(&PoolReport) -> u64,
    ) -> Result<Rate> {
        let selfplay = SelfplayConfig {
            games: self.games,
            plies_per_generation: PLIES,
            ..self.config.selfplay.clone()
        };
        let mut pool = Pool::<V>::new(self.config.rules, selfplay, self.config.search, 0);
        let mut failed = None;
        let rate = rate(self.args.seconds, || {
            match pool.play(evaluator, 0, &mut Unobserved) {
                Ok(report) => report.as_ref().map_or(0, &done),
                Err(error) => {
                    failed = Some(error);
                    0
                }
            }
        });
        Ok(failed.map_or(Ok(rate), Err)?)
    }

    fn figure<'b>(&self, name: &'b str, unit: &'static str) -> Figure<'b> {
        Figure {
            bench: "selfplay",
            name,
            threads: rayon::current_num_threads(),
            batch: self.games as usize,
            unit,
        }
    }

    fn print(&self, name: &str, unit: &'static str, rate: Rate) {
        print(self.args, &self.figure(name, unit), rate);
    }

    /// Prints the share of an evaluator's own rate that is lost in self-play, by processor time.
    fn overhead(&self, name: &str, played: f64, raw: f64) {
        let lost = 1.0 - played / raw;
        let figure = self.figure(name, "overhead");
        super::print_value(self.args, &figure, lost);
    }
}
