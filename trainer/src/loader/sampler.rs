//! From the window to batches: games are drawn, several positions of each are mixed in a buffer, and batches are cut off it.

use std::ops::Range;

use anyhow::{Context, Result};
use model::{Batch, View};
use rand::RngExt;
use rayon::prelude::*;
use rules::Variant;
use selfplay::random::{Purpose, stream};

use super::{Maker, Pick, Row, Targets, make_batch};
use crate::config::Config;
use crate::dispatch::Parts;
use crate::replay::{Draws, Window};

/// A batch, and the game and ply of each of its samples.
#[derive(Debug, PartialEq)]
pub(crate) struct Drawn {
    pub(crate) batch: Batch,
    pub(crate) origins: Vec<(u64, usize)>,
}

/// By what batches are made.
pub(crate) struct Recipe<V: Variant> {
    pub(crate) seed: u64,
    pub(crate) batching: Batching,
    pub(crate) targets: Targets,
    pub(crate) view: View<V>,
}

/// How positions are drawn and mixed; the fields are those of [`ReplayConfig`](crate::config::ReplayConfig).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batching {
    pub(crate) batch: usize,
    pub(crate) plies_per_game: u32,
    pub(crate) shuffle_batches: u32,
}

impl<V: Variant> Recipe<V> {
    /// Makes the recipe of a generation that learns when `stored` positions were ever stored.
    pub(crate) fn new(config: &Config, parts: &Parts<V>, stored: u64) -> Self {
        let replay = &config.replay;
        Self {
            seed: config.seed,
            batching: Batching {
                batch: replay.batch.at(stored) as usize,
                plies_per_game: replay.plies_per_game,
                shuffle_batches: replay.shuffle_batches,
            },
            targets: config.targets.at(stored),
            view: parts.view(&config.net),
        }
    }
}

/// Makes the batches of successive steps.
///
/// Before a step the buffer holds `replay.shuffle_batches` batches, or as many as there are steps left; the step's batch is a random choice
/// of it. Nothing else is drawn than what the steps need, but for the last game's surplus. What is drawn is a function of the recipe, the
/// first and the last step and the window: the same on any number of threads, and the same again when the steps are repeated.
///
/// Whenever a position is drawn into the buffer, every position of the window has the same chance (see [`Draws`]), and whatever waits in the
/// buffer has the same chance to be in the next batch.
pub(crate) struct Sampler<'a, V: Variant> {
    recipe: Recipe<V>,
    window: &'a Window,
    draws: Draws<'a>,
    steps: Range<u64>,
    buffer: Vec<Row>,
}

impl<'a, V: Variant> Sampler<'a, V> {
    /// Makes a sampler with an empty buffer for the given steps.
    pub(crate) fn new(
        recipe: Recipe<V>,
        window: &'a impl AsRef<Window>,
        steps: Range<u64>,
    ) -> Self {
        let window = window.as_ref();
        Self {
            draws: Draws::new(window, recipe.batching.plies_per_game),
            recipe,
            window,
            steps,
            buffer: Vec::new(),
        }
    }

    /// Adds rows for `step` and the steps after it; leaves the buffer short if the window has no position.
    fn fill(&mut self, step: u64) -> Result<()> {
        let Recipe {
            seed,
            batching,
            targets,
            ref view,
        } = self.recipe;
        let steps = (self.steps.end - step).min(u64::from(batching.shuffle_batches));
        let wanted = steps as usize * batching.batch;
        let mut rng = stream(seed, Purpose::Batch, step, 0);
        let mut mirror = stream(seed, Purpose::Mirror, step, 0);
        let mut planned = self.buffer.len();
        let mut plan: Vec<(usize, Vec<Pick>)> = Vec::new();
        while planned < wanted
            && let Some((game, plies)) = self.draws.draw(&mut rng)
        {
            planned += plies.len();
            let pick = |ply| Pick {
                ply,
                mirrored: targets.mirror && mirror.random(),
            };
            plan.push((game, plies.into_iter().map(pick).collect()));
        }
        let rows: Vec<Vec<Row>> = plan
            .into_par_iter()
            .map_init(
                || Maker::new(view.clone(), targets),
                |maker, (game, picks)| maker.rows(&self.window.record(game)?, &picks),
            )
            .collect::<Result<_>>()
            .context("the replay store holds a game that cannot be learned from")?;
        self.buffer.extend(rows.into_iter().flatten());
        Ok(())
    }

    /// Cuts the batch of `step` off the buffer.
    fn cut(&mut self, step: u64) -> Drawn {
        let Recipe {
            seed,
            batching,
            ref view,
            ..
        } = self.recipe;
        let mut rng = stream(seed, Purpose::Batch, step, 1);
        let len = self.buffer.len();
        let rest = len.saturating_sub(batching.batch);
        for end in (rest..len).rev() {
            self.buffer.swap(rng.random_range(0..=end), end);
        }
        let rows = self.buffer.split_off(rest);
        Drawn {
            batch: make_batch(view.sizes(), &rows),
            origins: rows.iter().map(|row| row.origin).collect(),
        }
    }
}

impl<V: Variant> Iterator for Sampler<'_, V> {
    type Item = Result<Drawn>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.steps.next()?;
        Some(self.fill(step).map(|()| self.cut(step)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::Arc;

    use model::GufuEncoder;
    use rules::variants::gufu::Gufu;

    use super::*;
    use crate::commands::bench::loader::random_record;
    use crate::durable::RealDisk;
    use crate::replay::{ReplayStore, StoreOptions};
    use crate::schedule::WindowSize;

    const BATCHING: Batching = Batching {
        batch: 20,
        plies_per_game: 8,
        shuffle_batches: 4,
    };

    fn recipe(batching: Batching) -> Recipe<Gufu> {
        Recipe {
            seed: 3,
            batching,
            targets: Targets {
                root_value_share: 0.25,
                capped_root_value_share: 0.0,
                mirror: true,
            },
            view: View::Planes(Arc::new(GufuEncoder)),
        }
    }

    /// A store of games of 1 to 18 positions.
    fn store(dir: &Path) -> ReplayStore {
        let options = StoreOptions {
            variant: Gufu::ID,
            rules_version: Gufu::RULES_VERSION,
            window: WindowSize::Constant(1_000_000),
            segment_bytes: StoreOptions::SEGMENT_BYTES,
        };
        let (mut store, _) = ReplayStore::open(Arc::new(RealDisk), dir, &options).unwrap();
        let records: Vec<_> = (0..18)
            .map(|number| random_record::<Gufu>(number, number as u32 + 1))
            .collect();
        store.append(&records).unwrap();
        store
    }

    #[test]
    fn every_position_of_the_window_comes_equally_often() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let steps = store.positions() * 1000 / BATCHING.batch as u64;
        let mut counts: BTreeMap<(u64, usize), u64> = BTreeMap::new();
        for drawn in Sampler::new(recipe(BATCHING), &store, 7..7 + steps) {
            let drawn = drawn.unwrap();
            assert_eq!(drawn.batch.size, BATCHING.batch);
            for origin in drawn.origins {
                *counts.entry(origin).or_default() += 1;
            }
        }
        assert_eq!(counts.len() as u64, store.positions());
        for (origin, count) in counts {
            // 1000 expected; 32 is the standard deviation.
            assert!((840..1160).contains(&count), "{origin:?}: {count}");
        }
    }

    #[test]
    fn batches_depend_on_the_seed_the_steps_and_the_window_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let batches = |threads: usize, batching: Batching, steps: Range<u64>| -> Vec<Drawn> {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let sampler = Sampler::new(recipe(batching), &store, steps);
            pool.install(|| sampler.map(Result::unwrap).collect())
        };
        let first = batches(1, BATCHING, 5..15);
        assert!(batches(3, BATCHING, 5..15) == first);
        let other = Batching {
            shuffle_batches: 1,
            ..BATCHING
        };
        assert!(batches(1, other, 5..15) != first);
        assert!(batches(1, BATCHING, 6..15) != first[1..]);
        // Nothing is drawn for steps that do not come, but for what is left of the last game.
        let mut sampler = Sampler::new(recipe(BATCHING), &store, 5..7);
        assert!(sampler.next().is_some());
        assert!((BATCHING.batch..BATCHING.batch + 8).contains(&sampler.buffer.len()));
        assert!(sampler.next().is_some() && sampler.next().is_none());
        assert!(sampler.buffer.len() < 8);
    }

    #[test]
    fn the_buffer_mixes_games() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let games = |shuffle_batches| {
            let batching = Batching {
                shuffle_batches,
                batch: 8,
                ..BATCHING
            };
            let games = Sampler::new(recipe(batching), &store, 0..200).map(|drawn| {
                let mut games: Vec<u64> = drawn
                    .unwrap()
                    .origins
                    .iter()
                    .map(|origin| origin.0)
                    .collect();
                games.sort_unstable();
                games.dedup();
                games.len()
            });
            games.sum::<usize>()
        };
        let (alone, mixed) = (games(1), games(16));
        assert!(
            mixed > 2 * alone,
            "{alone} and {mixed} games in 200 batches"
        );
    }
}
