//! `senpu train --dry-run`: what a run will need, from a short measurement and without writing anything.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use model::{Batch, Device, Learner, Sizes};
use rules::Variant;
use selfplay::{CapsStage, GameRecord, Pool, SelfplayConfig};
use serde::Serialize;

use crate::config::Config;
use crate::evaluation::Evaluator;
use crate::guard::free_bytes;
use crate::loader::{Maker, Pick, Recipe, Row, make_batch};
use crate::memory;
use crate::net_evaluator::{evaluator, meta};
use crate::output;
use crate::progress::{Progress, Verbosity};
use crate::training::{Collector, Session, starts};
use crate::watchdog::Watchdog;

/// Seconds of self-play that are measured.
const PLAY_SECONDS: f64 = 9.0;

/// Seconds of learning that are measured.
const LEARN_SECONDS: f64 = 5.0;

/// Searched plies a slot between two looks at the clock.
const PLIES: u32 = 2;

/// What a run will need, as far as a short measurement of its beginning can tell.
#[derive(Clone, Debug, Serialize)]
struct Estimate {
    /// Of the net.
    parameters: usize,
    /// Searched plies of a generation.
    plies: u64,
    /// Learning steps of a generation.
    steps: f64,
    play_seconds: f64,
    learn_seconds: f64,
    evaluate_seconds: f64,
    /// Of the run, where its length is limited in generations or positions.
    run_seconds: Option<f64>,
    generations: Option<u64>,
    /// Of all of the process, the full window included, while it plays and learns.
    memory_bytes: Option<u64>,
    /// Of the window when it is full.
    window_bytes: u64,
    /// Of the positions that wait for their batches.
    shuffle_bytes: u64,
    checkpoint_bytes: u64,
    /// Written to disk in a generation: games, a checkpoint, metrics.
    generation_bytes: u64,
    /// Of the run if everything is kept.
    run_bytes: Option<u64>,
    free_bytes: u64,
}

/// Measures and prints.
///
/// # Errors
/// If the net fails.
pub(crate) fn dry_run<V: Variant>(
    session: &Session<'_, V>,
    run: &Path,
    as_json: bool,
) -> Result<()> {
    let estimate = measure(session, run)?;
    if as_json {
        output::json(&serde_json::to_value(&estimate)?);
    } else {
        print(session.config, run, &estimate);
    }
    Ok(())
}

fn measure<V: Variant>(session: &Session<'_, V>, run: &Path) -> Result<Estimate> {
    let config = session.config;
    let sizes = session.parts.view(&config.net).sizes();
    let mut learner = Learner::new(
        sizes,
        config.net,
        &config.learn,
        config.seed,
        &Device::cpu(),
    )?;
    let net = learner.play_net();
    let played = play(session, &learner)?;
    let learned = learn(session, &mut learner, &played.records)?;
    let watchdog = Watchdog::start(Duration::from_hours(1), session.progress);
    let evaluator = Evaluator::new(config, session.parts);
    let begun = Instant::now();
    evaluator.evaluate(&net, &played.records, false, &watchdog)?;
    let examine_seconds = begun.elapsed().as_secs_f64() / config.evaluate.every as f64;

    let plies = u64::from(config.selfplay.games) * u64::from(config.selfplay.plies_per_generation);
    // Surprise spreads copies over the positions; their mean is one.
    let positions = plies as f64 * f64::from(last_stage(config).full_share);
    let batch = f64::from(config.replay.batch.at(u64::MAX));
    let steps = positions * config.replay.reuse.at(u64::MAX) / batch;
    let checkpoint_bytes = learner
        .checkpoint(meta(session.config, session.parts, 0))
        .to_bytes()?
        .len() as u64;
    let generation_bytes =
        (plies as f64 * played.disk_bytes) as u64 + checkpoint_bytes + METRICS_BYTES;
    let buffered = steps.min(f64::from(config.replay.shuffle_batches)) * batch;
    let shuffle_bytes = (buffered * learned.row_bytes) as u64;
    let play_seconds = plies as f64 / played.plies_per_second;
    let learn_seconds = steps / learned.steps_per_second;
    let by_positions = (config.stop.positions > 0).then(|| config.stop.positions.div_ceil(plies));
    let by_generations = (config.stop.generations > 0).then_some(config.stop.generations);
    let generations = by_positions.into_iter().chain(by_generations).min();
    // The nets of matches search about as fast as those of self-play.
    let evaluate_seconds = examine_seconds + config.evaluate.progress.share * play_seconds;
    let seconds = play_seconds + learn_seconds + evaluate_seconds;
    let by_minutes = (config.stop.minutes > 0.0).then(|| config.stop.minutes * 60.0 / seconds);
    let length = generations.map(|generations| generations as f64);
    let length = length.into_iter().chain(by_minutes).reduce(f64::min);
    let window = last_window(config, length.unwrap_or_default() * plies as f64);
    let window_bytes = (window as f64 * played.memory_bytes) as u64;
    // A batch waits while another is learned from.
    let waiting = batch * sample_bytes(sizes, learned.row_bytes);
    let besides = window_bytes + shuffle_bytes + waiting as u64;
    Ok(Estimate {
        parameters: net.parameters(),
        plies,
        steps,
        play_seconds,
        learn_seconds,
        evaluate_seconds,
        run_seconds: generations.map(|generations| generations as f64 * seconds),
        generations,
        // Here the games were dropped before learning began, in a run they are kept beside it. A tenth more for what the allocator keeps.
        memory_bytes: memory::peak_bytes()
            .map(|peak| (peak + played.rise_bytes + besides) * 11 / 10),
        window_bytes,
        shuffle_bytes,
        checkpoint_bytes,
        generation_bytes,
        run_bytes: generations.map(|generations| generations * generation_bytes),
        free_bytes: free_bytes(existing(run))?,
    })
}

/// Returns the bytes of a sample in a batch, given those of one that waits: planes are laid out in full, rows as they are.
fn sample_bytes(sizes: Sizes, row_bytes: f64) -> f64 {
    match sizes {
        Sizes::Planes(shape) => ((shape.plane_len() + 2 * shape.actions) * size_of::<f32>()) as f64,
        Sizes::Rows(_) => row_bytes,
    }
}

/// What a line of metrics takes, generously.
const METRICS_BYTES: u64 = 2048;

struct Played {
    plies_per_second: f64,
    /// Of a searched ply in the store.
    disk_bytes: f64,
    /// Of a position in the window, with its share of the game that it is from.
    memory_bytes: f64,
    /// By how much the greatest resident memory rose meanwhile.
    rise_bytes: u64,
    records: Vec<GameRecord>,
}

/// Plays for some seconds and weighs what it recorded, unfinished games too.
fn play<V: Variant>(session: &Session<'_, V>, learner: &Learner) -> Result<Played> {
    let config = session.config;
    let selfplay = SelfplayConfig {
        plies_per_generation: PLIES,
        ..config.selfplay.clone()
    };
    let starts = starts::read::<V>(config)?;
    let mut pool = Pool::<V>::new(config.rules, selfplay, config.search, config.seed);
    pool = pool.with_starts(starts);
    pool.set_stage(last_stage(config));
    let (mut evaluator, _) = evaluator(session.parts, learner.play_net(), config.inference)?;
    let quiet = Progress::new(Verbosity::Quiet);
    let before = memory::peak_bytes().unwrap_or_default();
    let bar = session.progress.bar("measure", PLAY_SECONDS as u64);
    let begun = Instant::now();
    let (mut plies, mut records) = (0, Vec::new());
    while begun.elapsed().as_secs_f64() < PLAY_SECONDS {
        let mut collector =
            Collector::new(quiet.bar("", 0), String::new(), session.interrupt, None);
        let report = pool
            .play(evaluator.as_mut(), 0, &mut collector)?
            .context("interrupted")?;
        plies += report.plies;
        records.extend(collector.finish());
        bar.set(begun.elapsed().as_secs());
    }
    bar.finish();
    let seconds = begun.elapsed().as_secs_f64();
    let slots = pool.state();
    let under_way = slots.iter().flat_map(|slot| &slot.notes.plies);
    let all = || records.iter().flat_map(|record| &record.plies);
    let positions: u64 = under_way
        .chain(all())
        .map(|ply| u64::from(ply.copies))
        .sum();
    let raw = postcard::to_stdvec(&(&records, &slots)).context("cannot encode the games")?;
    let packed = zstd::bulk::compress(&raw, 3).context("cannot compress the games")?;
    Ok(Played {
        plies_per_second: plies as f64 / seconds,
        disk_bytes: packed.len() as f64 / plies as f64,
        // A ply also has a byte for its copies, and its share of the index.
        memory_bytes: (raw.len() as f64 + 2.0 * plies as f64) / positions.max(1) as f64,
        rise_bytes: memory::peak_bytes().unwrap_or_default() - before,
        records,
    })
}

struct Learned {
    steps_per_second: f64,
    /// Of a sample that waits for its batch.
    row_bytes: f64,
}

/// Learns for some seconds, the making of batches included.
fn learn<V: Variant>(
    session: &Session<'_, V>,
    learner: &mut Learner,
    records: &[GameRecord],
) -> Result<Learned> {
    let config = session.config;
    let sizes = session.parts.view(&config.net).sizes();
    let recipe = Recipe::new(config, session.parts, u64::MAX);
    let size = recipe.batching.batch;
    let mut maker = Maker::new(recipe.view, recipe.targets);
    let known: Vec<(&GameRecord, Vec<Pick>)> = records
        .iter()
        .map(|record| (record, picks(record, config.replay.plies_per_game)))
        .filter(|(_, picks)| !picks.is_empty())
        .collect();
    let mut games = known.iter().cycle();
    let begun = Instant::now();
    let mut steps = 0.0;
    // Where no game has ended yet, nothing is known of rows but what they take as they are.
    let mut row_bytes = match sizes {
        Sizes::Planes(shape) => (shape.plane_len() * size_of::<f32>()) as f64,
        Sizes::Rows(shape) => (shape.active * size_of::<u32>()) as f64,
    };
    while begun.elapsed().as_secs_f64() < LEARN_SECONDS {
        let mut rows: Vec<Row> = Vec::new();
        while rows.len() < size
            && let Some((record, picks)) = games.next()
        {
            rows.extend(maker.rows(record, picks)?);
        }
        rows.truncate(size);
        let batch = if rows.is_empty() {
            // An empty batch of the same size takes as long.
            let mut batch = Batch::new(sizes, size);
            batch.wdl.iter_mut().step_by(3).for_each(|win| *win = 1.0);
            batch
        } else {
            let bytes: usize = rows.iter().map(Row::memory_bytes).sum();
            row_bytes = bytes as f64 / rows.len() as f64;
            make_batch(sizes, &rows)
        };
        learner.step(&batch)?;
        steps += 1.0;
    }
    Ok(Learned {
        steps_per_second: steps / begun.elapsed().as_secs_f64(),
        row_bytes,
    })
}

/// Picks the last searched plies of a game.
fn picks(record: &GameRecord, count: u32) -> Vec<Pick> {
    let searched = |ply: &usize| !record.plies[*ply].edges.is_empty();
    let mut plies: Vec<usize> = (0..record.plies.len()).filter(searched).collect();
    plies.drain(..plies.len().saturating_sub(count as usize));
    let pick = |ply| Pick {
        ply,
        mirrored: false,
    };
    plies.into_iter().map(pick).collect()
}

/// Returns how many simulations searches have at the end of the run, when it has come that far.
fn last_stage(config: &Config) -> CapsStage {
    let caps = &config.selfplay.caps;
    caps.at(u64::MAX, config.search.simulations)
}

/// Returns the positions that the window is to hold when so many plies were searched.
fn last_window(config: &Config, plies: f64) -> u64 {
    let stored = config.selfplay.caps.full_searches(plies as u64);
    config.replay.window.at(stored as u64)
}

/// The run directory does not exist yet; its disk is that of the first parent that does.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("."))
}

fn print_memory(estimate: &Estimate) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let (window, shuffle) = (
        megabytes(estimate.window_bytes),
        megabytes(estimate.shuffle_bytes),
    );
    match estimate.memory_bytes {
        Some(bytes) => {
            output::line(format!(
                "memory:                    {:.0} MB at most, a full window of {window:.0} MB and a shuffle buffer of {shuffle:.1} MB among it",
                megabytes(bytes)
            ));
        }
        None => output::line(format!(
            "memory of a full window:   {window:.0} MB, of the shuffle buffer: {shuffle:.1} MB"
        )),
    }
}

fn print(config: &Config, run: &Path, estimate: &Estimate) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let seconds = estimate.play_seconds + estimate.learn_seconds + estimate.evaluate_seconds;
    output::line(format!(
        "{} would be a run of {}: nothing was written",
        run.display(),
        config.game
    ));
    output::line(format!(
        "parameters of the net:     {}",
        estimate.parameters
    ));
    output::line(format!(
        "a generation:              {} plies, {:.0} steps of {}",
        estimate.plies,
        estimate.steps,
        config.replay.batch.at(u64::MAX)
    ));
    let overlap = if config.pipeline.overlap {
        "; play and learning side by side take less"
    } else {
        ""
    };
    output::line(format!(
        "  time:                    {seconds:.1} s (play {:.1}, learn {:.1}, evaluate {:.1}{overlap})",
        estimate.play_seconds, estimate.learn_seconds, estimate.evaluate_seconds
    ));
    output::line(format!(
        "  disk:                    {:.2} MB (a checkpoint of {:.2} MB among it)",
        megabytes(estimate.generation_bytes),
        megabytes(estimate.checkpoint_bytes)
    ));
    print_memory(estimate);
    if let (Some(generations), Some(seconds), Some(bytes)) = (
        estimate.generations,
        estimate.run_seconds,
        estimate.run_bytes,
    ) {
        output::line(format!(
            "the run:                   {generations} generations, {:.1} minutes, {:.1} MB of disk if everything is kept",
            seconds / 60.0,
            megabytes(bytes)
        ));
    }
    output::line(format!(
        "free on that disk:         {:.0} MB",
        megabytes(estimate.free_bytes)
    ));
    if config.selfplay.caps.stages.len() > 1 {
        output::line(format!(
            "earlier generations differ: this is with the searches of the last stage, full ones of {} simulations",
            last_stage(config).simulations
        ));
    }
    if config.stop.minutes > 0.0 {
        output::line(format!(
            "it stops after {} minutes if nothing else stops it",
            config.stop.minutes
        ));
    }
}
