//! The playing half of a generation.

use std::time::Instant;

use anyhow::Result;
use model::{Inference, Learner};
use rules::{RuleOptions, Variant};
use selfplay::{CapsStage, GameRecord, Pool, PoolObserver, PoolReport};

use super::timing::Speed;
use super::{Session, State};
use crate::guard;
use crate::interrupt::Interrupt;
use crate::net_evaluator::evaluator;
use crate::progress::Bar;
use crate::watchdog::{Lane, Watchdog};

/// A generation of self-play, ready to begin: with the averaged weights that the learner has when this is made.
pub(super) struct Playing<'a, V: Variant> {
    session: &'a Session<'a, V>,
    net: Inference,
    ply_cap: u32,
    stage: CapsStage,
    generation: u64,
    plies: u64,
}

/// What a generation of self-play gave.
pub(super) struct Played {
    pub(super) report: PoolReport,
    /// By the numbers of the games.
    pub(super) records: Vec<GameRecord>,
    /// At which games that started in it are capped.
    pub(super) ply_cap: u32,
    /// How many simulations its searches had.
    pub(super) stage: CapsStage,
    pub(super) seconds: f64,
    pub(super) speed: Speed,
}

impl<'a, V: Variant> Playing<'a, V> {
    /// Takes the learner's net for the generation after `state`.
    pub(super) fn new(session: &'a Session<'a, V>, learner: &Learner, state: &State) -> Self {
        let config = session.config;
        Self {
            session,
            net: learner.play_net(),
            ply_cap: config.selfplay.ply_cap(state.plies, config.rules.ply_cap),
            stage: config
                .selfplay
                .caps
                .at(state.plies, config.search.simulations),
            generation: state.generation + 1,
            plies: u64::from(config.selfplay.games)
                * u64::from(config.selfplay.plies_per_generation),
        }
    }

    /// Plays with the net that `checkpoint` identifies; `None` if an interrupt came first.
    ///
    /// # Errors
    /// If the net cannot be played with the precision of the config, or an evaluation fails.
    pub(super) fn run(
        self,
        pool: &mut Pool<V>,
        checkpoint: u64,
        interrupt: &Interrupt,
        watchdog: &Watchdog,
    ) -> Result<Option<Played>> {
        let begun = Instant::now();
        let config = self.session.config.inference;
        let (mut evaluator, cache) = evaluator(self.session.parts, self.net, config)?;
        pool.set_options(RuleOptions {
            ply_cap: self.ply_cap,
            ..self.session.config.rules
        });
        pool.set_stage(self.stage);
        let label = format!("play {}", self.generation);
        let bar = self.session.progress.bar(&label, self.plies);
        let lane = watchdog.lane(&label);
        let mut collector = Collector::new(bar, label, interrupt, Some(lane));
        let Some(report) = pool.play(evaluator.as_mut(), checkpoint, &mut collector)? else {
            return Ok(None);
        };
        let records = collector.finish();
        guard::check_records(&records)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Some(Played {
            speed: Speed::new(&report, seconds, cache.as_ref(), pool.tree_bytes()),
            report,
            records,
            ply_cap: self.ply_cap,
            stage: self.stage,
            seconds,
        }))
    }
}

/// What is done with self-play while it goes on: collects games, shows how far it is, and gives up when asked to.
pub(crate) struct Collector<'a> {
    records: Vec<GameRecord>,
    bar: Bar,
    label: String,
    interrupt: &'a Interrupt,
    lane: Option<Lane>,
    begun: Instant,
    /// What was done when the lane last beat.
    seen: PoolReport,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        bar: Bar,
        label: String,
        interrupt: &'a Interrupt,
        lane: Option<Lane>,
    ) -> Self {
        Self {
            records: Vec::new(),
            bar,
            label,
            interrupt,
            lane,
            begun: Instant::now(),
            seen: PoolReport::default(),
        }
    }

    /// Returns the games by their numbers.
    pub(crate) fn finish(mut self) -> Vec<GameRecord> {
        self.bar.finish();
        self.records.sort_by_key(|record| record.number);
        self.records
    }
}

impl PoolObserver for Collector<'_> {
    fn on_game(&mut self, record: GameRecord) {
        self.records.push(record);
    }

    fn on_progress(&mut self, report: &PoolReport) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        self.bar.message(format!(
            "{} games, {:.0} simulations/s, {:.0} evaluations/s",
            report.games,
            report.simulations as f64 / seconds,
            report.evaluations as f64 / seconds
        ));
        self.bar.set(report.plies);
        // The pool asks even when nothing was done since it last did.
        if let Some(lane) = self.lane.as_ref().filter(|_| self.seen != *report) {
            self.seen = *report;
            lane.beat(|what| {
                what.push_str(&self.label);
                what.push_str(": searching, or evaluating a batch of leaves");
            });
        }
        !self.interrupt.requested()
    }
}
