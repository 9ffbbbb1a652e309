//! The loop: play, learn, evaluate, publish, generation after generation.
//!
//! A generation counts once `state.json` names it, which is written beside the work of the next one; whatever was written after that is dropped
//! when the run goes on, and made anew. Since every random stream is a function of the seed and of what it is for, it is made anew alike.

mod endings;
mod failed;
mod gate;
mod learn;
mod limit;
mod line;
mod pipeline;
mod play;
mod publishing;
mod resume;
mod saved_config;
mod scheduled;
pub(crate) mod starts;
mod state;
#[cfg(test)]
mod tests;
mod timing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use model::{Inference, Learner};
use rules::Variant;
use selfplay::Pool;

use crate::config::Config;
use crate::dispatch::Parts;
use crate::evaluation::{Comparisons, Evaluation, Evaluator, Standing, Surroundings};
use crate::guard;
use crate::interrupt::Interrupt;
use crate::metrics::Metrics;
use crate::net_evaluator::meta;
use crate::progress::Progress;
use crate::replay::ReplayStore;
use crate::retention;
use crate::run_dir::RunDir;
use crate::watchdog::Watchdog;
use endings::Endings;
use limit::Limits;
use line::GenerationLine;
pub(crate) use pipeline::PipelineConfig;
pub(crate) use play::Collector;
use publishing::{Publication, Publishing};
pub(crate) use state::KEPT;
use state::{State, StateFile};

/// What a run is made with.
pub(crate) struct Session<'a, V: Variant> {
    /// The config.
    pub(crate) config: &'a Config,
    /// The game.
    pub(crate) parts: &'a Parts<V>,
    /// The kernels asked for, if any were.
    pub(crate) kernels: Option<&'a str>,
    /// Where to say what goes on.
    pub(crate) progress: &'a Progress,
    /// Whether to stop.
    pub(crate) interrupt: &'a Interrupt,
}

/// Runs the loop until the config's limits are reached or an interrupt is requested.
///
/// # Errors
/// If the run directory holds another run or cannot be written, the disk runs full, or a number is not finite. What counted before the
/// error still counts.
pub(crate) fn train<V: Variant>(session: &Session<'_, V>, run: RunDir) -> Result<()> {
    saved_config::check(session.config, &run, session.progress)?;
    let mut training = Training::open(session, run)?;
    while !training.is_complete() {
        if !training.generation()? {
            let generation = training.state.generation;
            session.progress.line(format!(
                "stopped after generation {generation}; run the same command again to go on"
            ));
            return Ok(());
        }
    }
    training.finish()
}

struct Training<'a, V: Variant> {
    session: &'a Session<'a, V>,
    run: Arc<RunDir>,
    file: StateFile,
    state: State,
    store: ReplayStore,
    metrics: Metrics,
    learner: Learner,
    pool: Pool<V>,
    endings: Endings,
    evaluator: Evaluator<'a, V>,
    watchdog: Watchdog,
    /// What was last said to limit the run.
    limits: Option<Limits>,
    publishing: Publishing,
}

impl<'a, V: Variant> Training<'a, V> {
    /// Opens a run where its state says it is, or starts it with an untrained net as generation 0.
    fn open(session: &'a Session<'a, V>, run: RunDir) -> Result<Self> {
        let begun = Instant::now();
        let patience = Duration::from_secs_f64(session.config.guard.stall_seconds);
        let watchdog = Watchdog::start(patience, session.progress);
        let opened = resume::open(session, &run)?;
        watchdog.beat(|what| what.push_str("getting ready to evaluate"));
        let evaluator = Evaluator::new(session.config, session.parts);
        let resume::Opened {
            file,
            state,
            store,
            metrics,
            learner,
            pool,
        } = opened;
        let is_new = file.generations.is_empty();
        let endings = Endings::load(&store, session.config.guard)?;
        let mut training = Self {
            session,
            run: Arc::new(run),
            file,
            state,
            store,
            metrics,
            learner,
            pool,
            endings,
            evaluator,
            watchdog,
            limits: None,
            publishing: Publishing::default(),
        };
        if is_new {
            training.publish_untrained(begun)?;
        } else {
            training.run.set_best(state.best() as u32)?;
            // The last process may have ended before it came to that.
            training.thin_out()?;
            session.progress.line(format!(
                "{}: going on after generation {}",
                training.run.path().display(),
                state.generation
            ));
        }
        Ok(training)
    }

    fn config(&self) -> &'a Config {
        self.session.config
    }

    fn is_complete(&self) -> bool {
        let stop = &self.config().stop;
        let reached = |limit: u64, value: u64| limit > 0 && value >= limit;
        reached(stop.generations, self.state.generation)
            || reached(stop.positions, self.state.plies)
            || (stop.minutes > 0.0 && self.state.seconds >= stop.minutes * 60.0)
    }

    /// Evaluates and publishes the net before it has learned anything, which shows later what learning added.
    fn publish_untrained(&mut self, begun: Instant) -> Result<()> {
        let config = self.config();
        let net = self.learner.play_net();
        let stage = config.selfplay.caps.at(0, config.search.simulations);
        self.session.progress.line(format!(
            "{}: {}, a net of {} parameters, {} games at a time, {}, kernels {}",
            self.run.path().display(),
            V::ID,
            net.parameters(),
            config.selfplay.games,
            line::describe_stage(&stage),
            self.file.kernels
        ));
        let mut line = GenerationLine::new(0);
        line.evaluation = Some(self.evaluate(&net, false)?);
        self.publish(line, begun)
    }

    /// Plays, learns and evaluates one generation and begins to publish it; `false` if an interrupt came first, and then none of it counts.
    fn generation(&mut self) -> Result<bool> {
        let begun = Instant::now();
        self.check_free_space()?;
        let mut line = GenerationLine::new(self.state.generation + 1);
        if !self.play_and_learn(&mut line)? {
            return Ok(false);
        }
        if line.generation.is_multiple_of(self.config().evaluate.every) {
            let evaluating = Instant::now();
            line.evaluation = Some(self.evaluate(&self.learner.play_net(), false)?);
            line.comparisons = self.compare(&line)?;
            line.seconds.evaluate = evaluating.elapsed().as_secs_f64();
        }
        self.publish(line, begun)?;
        Ok(true)
    }

    /// Refuses to go on where too little is free.
    fn check_free_space(&mut self) -> Result<()> {
        let config = self.config().guard;
        if guard::check_free_space(config, self.run.path()).is_err() {
            // What is being written must count if nothing is to be lost, and what is removed then may be enough.
            self.settle()?;
            guard::check_free_space(config, self.run.path())?;
        }
        Ok(())
    }

    /// Holds the net against others, as far as the run's share pays for it.
    fn compare(&self, line: &GenerationLine) -> Result<Option<Comparisons>> {
        let progress = self.state.progress;
        let standing = Standing {
            generation: line.generation,
            best: self.state.best(),
            rung: progress.rung,
            simulations: progress.simulations + line.simulations,
            spent: progress.spent,
        };
        let around = Surroundings {
            run: &self.run,
            progress: self.session.progress,
            watchdog: &self.watchdog,
        };
        self.evaluator
            .compare(&self.learner.play_net(), standing, &around)
    }

    fn evaluate(&self, net: &Inference, is_final: bool) -> Result<Evaluation> {
        let recent = self.evaluator.recent_games(&self.store)?;
        (self.evaluator).evaluate(net, &recent, is_final, &self.watchdog)
    }

    /// Writes metrics, and begins to write checkpoint, unfinished games and then the state that makes them count.
    fn publish(&mut self, mut line: GenerationLine, begun: Instant) -> Result<()> {
        let generation = line.generation;
        self.watchdog
            .beat(|what| *what = format!("publishing generation {generation}"));
        let about = meta(self.config(), self.session.parts, generation);
        let mut checkpoint = self.publishing.memory();
        self.learner.write_checkpoint(about, &mut checkpoint)?;
        let slots = state::encode_slots(&self.pool.state())?;
        line.checkpoint = format!("{:016x}", self.learner.id());
        line.learned_positions = self.learner.positions();
        line.window_positions = self.store.positions();
        line.window_bytes = self.store.memory_bytes() as u64;
        line.store_bytes = self.store.disk_bytes();
        line.total_plies = self.state.plies + line.plies;
        line.resignations.follow(self.state.resignations);
        line.recent = self.endings.shares(self.config().guard);
        let progress = gate::progress(self.config(), &line, &self.state);
        line.best = progress.best.unwrap_or(generation);
        line.seconds.total = begun.elapsed().as_secs_f64();
        line.seconds.run = self.state.seconds + line.seconds.total;
        self.metrics.append(&line)?;
        self.metrics.sync()?;
        let guard = self.config().guard;
        if let Some(warning) = gate::warning(self.config(), &line, self.state.best()) {
            self.session.progress.warn(warning);
        }
        for warning in line.recent.warnings(self.state.alarms, guard) {
            self.session.progress.warn(warning);
        }
        self.state = State {
            generation,
            store: self.store.mark(),
            plies: line.total_plies,
            seconds: line.seconds.run,
            evaluated: false,
            seen: Some(line.schedule.positions),
            resignations: line.resignations.run,
            alarms: line.recent.alarms,
            progress,
        };
        self.file.push(self.state);
        self.limits = line.limit.or(self.limits);
        self.publishing.begin(Publication {
            run: Arc::clone(&self.run),
            progress: self.session.progress.clone(),
            generation,
            best: line.best,
            checkpoint,
            slots,
            state: self.file.clone(),
            line: line.to_string(),
        })
    }

    /// Waits until the last generation counts, and removes what need not be kept any more.
    fn settle(&mut self) -> Result<()> {
        let generation = self.state.generation;
        self.watchdog
            .beat(|what| *what = format!("publishing generation {generation}"));
        if self.publishing.settle()? {
            self.thin_out()?;
        }
        Ok(())
    }

    /// Removes what need not be kept now that the newest generation counts.
    fn thin_out(&mut self) -> Result<()> {
        let best: Vec<u64> = self.file.generations.iter().map(State::best).collect();
        let newest = self.state.generation;
        retention::apply(self.config(), &self.run, &mut self.store, newest, &best)
    }

    fn save_state(&mut self) -> Result<()> {
        self.file.push(self.state);
        Ok(self.run.write_state(&self.file)?)
    }

    /// Evaluates the finished run on the larger sample, once.
    fn finish(&mut self) -> Result<()> {
        self.settle()?;
        let State {
            generation,
            plies,
            seconds,
            evaluated,
            ..
        } = self.state;
        let progress = self.session.progress;
        if !evaluated {
            let evaluation = self.evaluate(&self.learner.play_net(), true)?;
            self.metrics
                .append(&line::FinalLine::new(generation, &evaluation))?;
            self.metrics.sync()?;
            self.state.evaluated = true;
            self.save_state()?;
            progress.line(format!(
                "at the end of the run: {}",
                line::describe(&evaluation)
            ));
        }
        if let Some(advice) = self.limits.and_then(|found| found.advice()) {
            progress.line(advice);
        }
        progress.line(format!(
            "{}: complete after {generation} generations, {plies} positions and {:.1} minutes; best checkpoint {}; {}",
            self.run.path().display(),
            seconds / 60.0,
            self.run.checkpoint(generation as u32).display(),
            retention::describe(&self.run)?
        ));
        Ok(())
    }
}
