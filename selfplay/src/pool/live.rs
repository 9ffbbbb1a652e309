//! What the threads of a generation tell who watches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;

use crate::lockstep::Batch;
use crate::record::GameRecord;

/// What a generation of self-play amounted to. The first three are functions of the seed, the others depend on threads and caches too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolReport {
    /// Searched plies.
    pub plies: u64,
    /// Games finished.
    pub games: u64,
    /// Simulations.
    pub simulations: u64,
    /// Positions evaluated; what a cache knew, or what took no evaluation, is not among them.
    pub evaluations: u64,
    /// Batches evaluated; a position that was evaluated at once is one.
    pub batches: u64,
}

/// Counters, the way of finished games, and the wish to stop.
#[derive(Debug)]
pub(super) struct Live {
    plies: AtomicU64,
    games: AtomicU64,
    simulations: AtomicU64,
    evaluations: AtomicU64,
    batches: AtomicU64,
    stopped: AtomicBool,
    /// Bounded: a thread waits while it is full. `None` ends it.
    games_out: SyncSender<Option<GameRecord>>,
}

impl Live {
    pub(super) fn new(games_out: SyncSender<Option<GameRecord>>) -> Self {
        Self {
            plies: AtomicU64::new(0),
            games: AtomicU64::new(0),
            simulations: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            games_out,
        }
    }

    pub(super) fn report(&self) -> PoolReport {
        PoolReport {
            plies: self.plies.load(Relaxed),
            games: self.games.load(Relaxed),
            simulations: self.simulations.load(Relaxed),
            evaluations: self.evaluations.load(Relaxed),
            batches: self.batches.load(Relaxed),
        }
    }

    pub(super) fn count_ply(&self, simulations: u32) {
        self.plies.fetch_add(1, Relaxed);
        self.simulations.fetch_add(u64::from(simulations), Relaxed);
    }

    /// Counts a batch, and returns whether to go on.
    pub(super) fn count(&self, batch: Batch) -> bool {
        self.evaluations.fetch_add(batch.leaves as u64, Relaxed);
        self.batches.fetch_add(u64::from(batch.leaves > 0), Relaxed);
        !self.is_stopped()
    }

    /// Counts positions that were evaluated at once.
    pub(super) fn count_at_once(&self, positions: u64) {
        if positions > 0 {
            self.evaluations.fetch_add(positions, Relaxed);
            self.batches.fetch_add(positions, Relaxed);
        }
    }

    pub(super) fn hand_over(&self, record: GameRecord) {
        self.games.fetch_add(1, Relaxed);
        // Fails only when nobody listens any more, and then nobody wants it.
        let _ = self.games_out.send(Some(record));
    }

    /// Tells that no game will come any more.
    pub(super) fn close(&self) {
        let _ = self.games_out.send(None);
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }
}
