//! The loop: play, learn, evaluate, publish, generation after generation.
//!
//! A generation counts once `state.json` names it; whatever was written after that is dropped when the run goes on, and made anew. Since
//! every random stream is a function of the seed and of what it is for, it is made anew alike.

mod learn;
mod line;
mod play;
mod state;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use model::{Checkpoint, CheckpointMeta, Device, Inference, Learner};
use rules::Variant;
use selfplay::Pool;

use crate::config::Config;
use crate::dispatch::Parts;
use crate::evaluation::Evaluator;
use crate::interrupt::Interrupt;
use crate::metrics::Metrics;
use crate::net_evaluator::{NetEvaluator, check_fit};
use crate::progress::Progress;
use crate::replay::{ReplayStore, StoreOptions};
use crate::run_dir::RunDir;
use line::GenerationLine;
use play::Collector;
use state::State;

/// Runs the loop until the config's limits are reached or an interrupt is requested.
///
/// # Errors
/// If the run directory holds another run or cannot be written, or the net fails.
pub(crate) fn train<V: Variant>(
    config: &Config,
    run: RunDir,
    parts: &Parts<V>,
    progress: &Progress,
    interrupt: &Interrupt,
) -> Result<()> {
    state::check_config(config, &run, progress)?;
    let mut training = Training::open(config, run, parts, progress, interrupt)?;
    while !training.is_complete() {
        if !training.generation()? {
            progress.line(format!(
                "stopped after generation {}; run the same command again to go on",
                training.state.generation
            ));
            return Ok(());
        }
    }
    training.finish()
}

struct Training<'a, V: Variant> {
    config: &'a Config,
    run: RunDir,
    parts: &'a Parts<V>,
    progress: &'a Progress,
    interrupt: &'a Interrupt,
    store: ReplayStore,
    metrics: Metrics,
    evaluator: Evaluator<'a, V>,
    learner: Learner,
    pool: Pool<V>,
    state: State,
}

impl<'a, V: Variant> Training<'a, V> {
    /// Opens a run where its state says it is, or starts it with an untrained net as generation 0.
    fn open(
        config: &'a Config,
        run: RunDir,
        parts: &'a Parts<V>,
        progress: &'a Progress,
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let begun = Instant::now();
        let options = StoreOptions {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            window: config.replay.window,
            segment_bytes: StoreOptions::SEGMENT_BYTES,
        };
        let (mut store, mut notices) =
            ReplayStore::open(Arc::clone(run.disk()), &run.games(), &options)?;
        let (mut metrics, found) = Metrics::open(Arc::clone(run.disk()), &run.metrics())?;
        notices.extend(found);
        let saved = state::read(&run)?;
        let (learner, pool, state) = if let Some(state) = saved {
            notices.extend(store.rewind(state.store)?);
            notices.extend(metrics.rewind_to(state.generation)?);
            let learner = load_learner(config, &run, parts, &state)?;
            let slots = state::read_slots(&run, state.generation)?;
            let pool = new_pool(config)
                .restore(slots)
                .map_err(anyhow::Error::msg)?;
            progress.line(format!(
                "{}: going on after generation {}",
                run.path().display(),
                state.generation
            ));
            (learner, pool, state)
        } else {
            // Nothing counts before the first state: drop what a run left that was killed before it.
            notices.extend(store.rewind(state::State::start().store)?);
            let learner = Learner::new(
                parts.encoder.shape(),
                &config.net,
                &config.learn,
                config.seed,
                &Device::cpu(),
            )?;
            (learner, new_pool(config), State::start())
        };
        for notice in &notices {
            progress.warn(notice);
        }
        let evaluator = Evaluator::new(config, parts);
        let is_new = state.is_new();
        let mut training = Self {
            config,
            run,
            parts,
            progress,
            interrupt,
            store,
            metrics,
            evaluator,
            learner,
            pool,
            state,
        };
        if is_new {
            training.metrics.rewind_to(0)?;
            training.publish_untrained(begun)?;
        }
        Ok(training)
    }

    fn is_complete(&self) -> bool {
        let stop = &self.config.stop;
        let reached = |limit: u64, value: u64| limit > 0 && value >= limit;
        reached(stop.generations, self.state.generation)
            || reached(stop.positions, self.state.plies)
            || (stop.minutes > 0.0 && self.state.seconds >= stop.minutes * 60.0)
    }

    /// Evaluates and publishes the net before it has learned anything, which shows later what learning added.
    fn publish_untrained(&mut self, begun: Instant) -> Result<()> {
        let net = self.learner.play_net();
        self.progress.line(format!(
            "{}: {}, a net of {} parameters, {} games at a time, {} simulations a move",
            self.run.path().display(),
            V::ID,
            net.parameters(),
            self.config.selfplay.games,
            self.config.search.simulations
        ));
        let mut line = GenerationLine::new(0);
        line.evaluation = Some(self.evaluator.evaluate(&net, false)?);
        self.publish(line, begun)
    }

    /// Plays, learns, evaluates and publishes one generation; `false` if an interrupt came first, and then none of it counts.
    fn generation(&mut self) -> Result<bool> {
        let begun = Instant::now();
        let mut line = GenerationLine::new(self.state.generation + 1);
        if !self.play(&mut line)? || !self.learn(&mut line)? {
            return Ok(false);
        }
        let evaluating = Instant::now();
        let net = self.learner.play_net();
        line.evaluation = Some(self.evaluator.evaluate(&net, false)?);
        line.seconds.evaluate = evaluating.elapsed().as_secs_f64();
        self.publish(line, begun)?;
        Ok(true)
    }

    /// Plays with the averaged weights of the last generation and stores the games that end.
    fn play(&mut self, line: &mut GenerationLine) -> Result<bool> {
        let begun = Instant::now();
        let checkpoint = self.checkpoint(self.state.generation);
        let net: Inference = self.learner.play_net();
        let mut evaluator = NetEvaluator::new(Arc::clone(&self.parts.encoder), net);
        let plies = u64::from(self.config.selfplay.games)
            * u64::from(self.config.selfplay.plies_per_generation);
        let label = format!("play {}", line.generation);
        let mut collector = Collector::new(self.progress.bar(&label, plies), self.interrupt);
        let Some(report) = self
            .pool
            .play(&mut evaluator, checkpoint.id(), &mut collector)?
        else {
            return Ok(false);
        };
        let records = collector.finish();
        self.store.append(&records)?;
        self.store.close_segment()?;
        line.add_play(&report, &records);
        line.seconds.play = begun.elapsed().as_secs_f64();
        Ok(true)
    }

    fn checkpoint(&self, generation: u64) -> Checkpoint {
        self.learner.checkpoint(CheckpointMeta {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            options: self.config.rules,
            encoder_version: self.parts.encoder.version(),
            shape: self.parts.encoder.shape(),
            net: self.config.net,
            generation,
            steps: self.learner.steps(),
            positions: self.learner.positions(),
            seed: self.config.seed,
        })
    }

    /// Writes checkpoint, unfinished games and metrics, and last the state that makes them count.
    fn publish(&mut self, mut line: GenerationLine, begun: Instant) -> Result<()> {
        let generation = line.generation;
        let checkpoint = self.checkpoint(generation);
        checkpoint.save(&self.run.checkpoint(generation as u32))?;
        state::write_slots(&self.run, generation, &self.pool.state())?;
        line.checkpoint = format!("{:016x}", checkpoint.id());
        line.learned_positions = self.learner.positions();
        line.window_positions = self.store.positions();
        line.window_bytes = self.store.memory_bytes() as u64;
        line.store_bytes = self.store.disk_bytes();
        line.seconds.total = begun.elapsed().as_secs_f64();
        self.state = State {
            generation,
            store: self.store.mark(),
            plies: self.state.plies + line.plies,
            seconds: self.state.seconds + line.seconds.total,
            ..self.state
        };
        line.seconds.run = self.state.seconds;
        line.total_plies = self.state.plies;
        self.metrics.append(&line)?;
        self.metrics.sync()?;
        self.run.set_best(generation as u32)?;
        self.run.write_state(&self.state)?;
        state::remove_old_slots(&self.run, generation)?;
        self.progress.line(&line);
        Ok(())
    }

    /// Evaluates the finished run on the larger sample, once.
    fn finish(&mut self) -> Result<()> {
        if self.state.evaluated != Some(self.state.generation) {
            let evaluation = self.evaluator.evaluate(&self.learner.play_net(), true)?;
            self.metrics
                .append(&line::FinalLine::new(self.state.generation, &evaluation))?;
            self.metrics.sync()?;
            self.state.evaluated = Some(self.state.generation);
            self.run.write_state(&self.state)?;
            self.progress.line(format!(
                "at the end of the run: {}",
                line::describe(&evaluation)
            ));
        }
        self.progress.line(format!(
            "{}: complete after {} generations, {} positions and {:.1} minutes; best checkpoint {}",
            self.run.path().display(),
            self.state.generation,
            self.state.plies,
            self.state.seconds / 60.0,
            self.run.checkpoint(self.state.generation as u32).display()
        ));
        Ok(())
    }
}

fn new_pool<V: Variant>(config: &Config) -> Pool<V> {
    Pool::new(config.rules, config.selfplay, config.search, config.seed)
}

/// Restores the learner of the state's generation.
fn load_learner<V: Variant>(
    config: &Config,
    run: &RunDir,
    parts: &Parts<V>,
    state: &State,
) -> Result<Learner> {
    let path = run.checkpoint(state.generation as u32);
    let checkpoint = Checkpoint::load(&path)?;
    check_fit(&checkpoint, parts.encoder.as_ref()).with_context(|| path.display().to_string())?;
    Learner::restore(&checkpoint, &config.learn, &Device::cpu())
        .with_context(|| path.display().to_string())
}
