//! Opening a run: where its state says it is, a generation earlier if the newest checkpoint is damaged, or at its start.

use std::sync::Arc;

use anyhow::{Context, Result};
use model::{Checkpoint, Device, Learner};
use rules::{RuleOptions, Variant};
use selfplay::Pool;
use serde_json::Value;

use super::state::{State, StateFile, read_slots};
use super::{Session, starts};
use crate::config::Config;
use crate::kernels;
use crate::metrics::Metrics;
use crate::net_evaluator::check_fit;
use crate::notice::Notice;
use crate::progress::Progress;
use crate::replay::{ReplayStore, StoreMark, StoreOptions};
use crate::run_dir::RunDir;

/// A run ready to go on.
pub(super) struct Opened<V: Variant> {
    pub(super) file: StateFile,
    pub(super) state: State,
    pub(super) store: ReplayStore,
    pub(super) metrics: Metrics,
    pub(super) learner: Learner,
    pub(super) pool: Pool<V>,
}

/// Opens the run and drops what does not count.
pub(super) fn open<V: Variant>(session: &Session<'_, V>, run: &RunDir) -> Result<Opened<V>> {
    let (config, progress) = (session.config, session.progress);
    let saved = StateFile::read(run)?;
    let names = saved.as_ref().map(|file| file.kernels.as_str());
    let kernels = kernels::choose(session.kernels, names, Device::cpu().kernels(), progress)?;
    let (mut store, notices) = ReplayStore::open(
        Arc::clone(run.disk()),
        &run.games(),
        &store_options::<V>(config),
    )?;
    warn(progress, &notices);
    let (mut metrics, notices) = Metrics::open(Arc::clone(run.disk()), &run.metrics())?;
    warn(progress, &notices);
    let mut file = saved.unwrap_or_else(|| StateFile::new(&kernels));
    file.kernels = kernels;
    let starts = starts::of_run::<V>(config, run, file.generations.is_empty())?;
    let new_pool = || new_pool(config, &starts);
    let (state, learner, pool) = match newest(session, run, &mut file, &new_pool)? {
        Some(found) => found,
        None => start(session, new_pool())?,
    };
    // Before the first state nothing counts.
    let is_new = file.generations.is_empty();
    let mark = if is_new {
        StoreMark::default()
    } else {
        state.store
    };
    warn(progress, &store.rewind(mark)?);
    warn(
        progress,
        &metrics.drop_lines(|line| is_new || is_later(line, &state))?,
    );
    Ok(Opened {
        file,
        state,
        store,
        metrics,
        learner,
        pool,
    })
}

/// Tells whether a line of metrics was written after the state; so was that of the end of the run unless the state knows of it.
fn is_later(line: &Value, state: &State) -> bool {
    let generation = line["generation"].as_u64().unwrap_or_default();
    generation > state.generation
        || (generation == state.generation && !line["at_end"].is_null() && !state.evaluated)
}

pub(super) fn store_options<V: Variant>(config: &Config) -> StoreOptions {
    StoreOptions {
        variant: V::ID,
        rules_version: V::RULES_VERSION,
        window: config.replay.window,
        segment_bytes: StoreOptions::SEGMENT_BYTES,
    }
}

fn warn(progress: &Progress, notices: &[Notice]) {
    for notice in notices {
        progress.warn(notice);
    }
}

type Found<V> = (State, Learner, Pool<V>);

/// Returns the newest generation whose files are whole, and forgets those after it; `None` for a new run.
fn newest<V: Variant>(
    session: &Session<'_, V>,
    run: &RunDir,
    file: &mut StateFile,
    new_pool: &dyn Fn() -> Pool<V>,
) -> Result<Option<Found<V>>> {
    let mut failure = None;
    while let Some(&state) = file.generations.last() {
        match load(session, run, &state, new_pool()) {
            Ok((learner, pool)) => return Ok(Some((state, learner, pool))),
            Err(error) => {
                session.progress.warn(format!(
                    "generation {} cannot be gone on from: {error:#}",
                    state.generation
                ));
                file.generations.pop();
                failure = Some(error);
            }
        }
    }
    match failure {
        None => Ok(None),
        Some(error) => Err(error.context(format!(
            "none of the newest generations of `{}` can be gone on from; restore one of its files, or start a new run with --run",
            run.path().display()
        ))),
    }
}

fn load<V: Variant>(
    session: &Session<'_, V>,
    run: &RunDir,
    state: &State,
    pool: Pool<V>,
) -> Result<(Learner, Pool<V>)> {
    let path = run.checkpoint(state.generation as u32);
    let checkpoint = Checkpoint::load(&path)?;
    let in_file = || path.display().to_string();
    check_fit(&checkpoint, session.parts).with_context(in_file)?;
    let learner = Learner::restore(&checkpoint, &session.config.learn, &Device::cpu())
        .with_context(in_file)?;
    let slots = read_slots(run, state.generation)?;
    let pool = pool.restore(slots).map_err(anyhow::Error::msg)?;
    Ok((learner, pool))
}

fn start<V: Variant>(session: &Session<'_, V>, pool: Pool<V>) -> Result<Found<V>> {
    let config = session.config;
    let learner = Learner::new(
        session.parts.view(&config.net).sizes(),
        config.net,
        &config.learn,
        config.seed,
        &Device::cpu(),
    )?;
    Ok((State::default(), learner, pool))
}

fn new_pool<V: Variant>(config: &Config, starts: &[V::Position]) -> Pool<V> {
    let ply_cap = config.selfplay.ply_cap(0, config.rules.ply_cap);
    Pool::new(
        RuleOptions {
            ply_cap,
            ..config.rules
        },
        config.selfplay.clone(),
        config.search,
        config.seed,
    )
    .with_starts(starts.to_vec())
}
