//! The offline lab: nets learn from the games of a store that does not change meanwhile, and are measured on games that they never learned
//! from. What limits a run shows in what helps here: more steps (the learner), a larger net (capacity), or neither (what the searches said).

mod arm;
mod table;

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use model::{Checkpoint, Device, Inference, Learner, Losses};
use rand::RngExt;
use rules::Variant;
use selfplay::random::{Purpose, stream};

use crate::cli::LearnArgs;
use crate::commands::bench::cpu_seconds;
use crate::config::Config;
use crate::dispatch::Parts;
use crate::durable::{RealDisk, write_atomic};
use crate::interrupt::Interrupt;
use crate::loader::{Drawn, Measured, Probe, Recipe, Sampler, ahead, divergence};
use crate::losses::LossSums;
use crate::net_evaluator::{check_fit, meta};
use crate::output;
use crate::replay::{Frozen, StoreOptions, Window};
use crate::run_dir::resolve_checkpoint;
use crate::yardstick::{Exactness, Examination};
pub(crate) use arm::Arm;
use table::{Against, Point, Summary, Table};

/// Lines that an arm has without `--every`, besides the first.
const LINES: u64 = 10;

/// A store that is learned from.
pub(crate) struct Lab<'a, V: Variant> {
    args: &'a LearnArgs,
    parts: &'a Parts<V>,
    interrupt: &'a Interrupt,
    /// The config that the games are split by, and by whose targets every arm is measured.
    base: &'a Config,
    store: Frozen,
    from: Option<Checkpoint>,
    table: Table,
}

/// An arm that learns.
struct Course<'a, V: Variant> {
    lab: &'a Lab<'a, V>,
    arm: &'a Arm,
    learner: Learner,
    /// Positions of games learned from, and of games held out.
    probes: [Probe; 2],
    /// Positions learned from.
    positions: u64,
}

impl<'a, V: Variant> Lab<'a, V> {
    /// Reads the games in `dir` and the checkpoint to begin with.
    ///
    /// # Errors
    /// If the store is of another game or cannot be read, a part of it is left with nothing, or the checkpoint does not fit.
    pub(crate) fn open(
        args: &'a LearnArgs,
        parts: &'a Parts<V>,
        (dir, base): (&Path, &'a Config),
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let options = StoreOptions {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            window: base.replay.window,
            segment_bytes: StoreOptions::SEGMENT_BYTES,
        };
        let last = args.last.unwrap_or(u64::MAX);
        let store = Frozen::read(dir, &options, last, |game| {
            is_held_out(base.seed, game, args.held_out)
        })?;
        for path in &store.damaged {
            output::warning(format!(
                "`{}` has damaged parts, whose games are left out",
                path.display()
            ));
        }
        check_parts(dir, &store, args.held_out)?;
        Ok(Self {
            args,
            parts,
            interrupt,
            base,
            store,
            from: (args.from.as_deref())
                .map(|from| begin_with(from, parts))
                .transpose()?,
            table: Table { json: args.json },
        })
    }

    /// Learns by each arm, says how it goes and what came of it, and saves the last net if that is asked for.
    ///
    /// # Errors
    /// If an arm cannot begin, a step fails, an interrupt comes, or the net cannot be saved.
    pub(crate) fn run(&self, arms: &[Arm]) -> Result<()> {
        self.table.store(&self.split());
        let (mut summaries, mut base) = (Vec::new(), None);
        for arm in arms {
            let mut course = Course::new(self, arm)?;
            let end = course.run()?;
            let held_out = course.probes[1].measure(&course.learner.play_net())?;
            summaries.push(Summary {
                arm: arm.name.clone(),
                parameters: course.learner.play_net().parameters(),
                end,
                exactness: self.examine(&arm.config, &course.learner.play_net())?,
                against_base: base.as_ref().map(|base: &Measured| Against {
                    policy: held_out.against(base, divergence),
                    wdl: held_out.against(base, |of| of.wdl),
                }),
            });
            base.get_or_insert(held_out);
            if let Some(out) = &self.args.out {
                course.save(out)?;
            }
        }
        self.table.summaries(&summaries);
        Ok(())
    }

    /// Holds a net against the exact solution, if there is one.
    fn examine(&self, config: &Config, net: &Inference) -> Result<Option<Exactness>> {
        let examine = |yardstick| {
            Examination::new(yardstick, self.parts.view(&config.net), config.rules).examine(net)
        };
        self.parts.yardstick.as_ref().map(examine).transpose()
    }

    /// Returns the positions that were read. Numbers that change with a run are what they are in one that has stored as many.
    fn stored(&self) -> u64 {
        self.store.learned.positions() + self.store.held_out.positions()
    }

    fn split(&self) -> table::Parts {
        let Frozen {
            learned, held_out, ..
        } = &self.store;
        table::Parts {
            learned_games: learned.games(),
            learned_positions: learned.positions(),
            held_out_games: held_out.games(),
            held_out_positions: held_out.positions(),
        }
    }

    /// Draws the positions that an arm's nets are measured on: the same of every arm.
    fn probe(&self, arm: &Config, window: &Window, part: u64) -> Result<Probe> {
        let recipe = Recipe {
            view: self.parts.view(&arm.net),
            ..Recipe::new(self.base, self.parts, self.stored())
        };
        let mut rng = stream(self.base.seed, Purpose::HeldOut, u64::MAX, part);
        Probe::draw(
            &recipe,
            window,
            0..window.games(),
            self.args.measure,
            &mut rng,
        )
    }
}

/// Tells whether a game is held out, by its place in the store: a function of nothing else and the seed.
fn is_held_out(seed: u64, game: u64, share: f64) -> bool {
    stream(seed, Purpose::HeldOut, game, 0).random_bool(share)
}

/// Refuses a split with an empty part.
fn check_parts(dir: &Path, store: &Frozen, share: f64) -> Result<()> {
    let dir = dir.display();
    let (learned, held_out) = (store.learned.positions(), store.held_out.positions());
    ensure!(
        learned + held_out > 0,
        "`{dir}` holds no positions to learn from: let the run finish some games first (`senpu replay stats` shows what there is)"
    );
    let games = store.learned.games() + store.held_out.games();
    ensure!(
        held_out > 0,
        "--held-out {share} leaves nothing to measure of the {games} games of `{dir}`: give a greater share"
    );
    ensure!(
        learned > 0,
        "--held-out {share} leaves nothing to learn from of the {games} games of `{dir}`: give a smaller share"
    );
    Ok(())
}

fn begin_with<V: Variant>(given: &Path, parts: &Parts<V>) -> Result<Checkpoint> {
    let path = resolve_checkpoint(given)?;
    let checkpoint = Checkpoint::load(&path)?;
    check_fit(&checkpoint, parts).with_context(|| path.display().to_string())?;
    Ok(checkpoint)
}

impl<'a, V: Variant> Course<'a, V> {
    fn new(lab: &'a Lab<'a, V>, arm: &'a Arm) -> Result<Self> {
        let config = &arm.config;
        let device = Device::cpu();
        let learner = if let Some(checkpoint) = &lab.from {
            ensure!(
                checkpoint.meta.net == config.net,
                "{}: the net of --from is another one than the config's `net`: leave `net` as it was trained",
                arm.name
            );
            Learner::restore(checkpoint, &config.learn, &device)
        } else {
            let sizes = lab.parts.view(&config.net).sizes();
            Learner::new(sizes, config.net, &config.learn, config.seed, &device)
        };
        let positions = lab.store.learned.positions();
        let batch = config.replay.batch.at(lab.stored());
        ensure!(
            positions >= u64::from(batch),
            "{}: replay.batch = {batch}: must be at most the {positions} positions that there are to learn from",
            arm.name
        );
        Ok(Self {
            lab,
            arm,
            learner: learner?,
            probes: [
                lab.probe(config, &lab.store.learned, 0)?,
                lab.probe(config, &lab.store.held_out, 1)?,
            ],
            positions: 0,
        })
    }

    /// Learns to the end and returns how it did there.
    fn run(&mut self) -> Result<Point> {
        let config = &self.arm.config;
        let first = self.point(None)?;
        let (name, table) = (&self.arm.name, self.lab.table);
        let net = self.learner.play_net();
        table.arm(name, config.net.arch(), net.parameters(), &first);
        table.point(name, &first, None);
        let steps = self.steps();
        let every = self.lab.args.every;
        let every = every.unwrap_or((steps * self.batch()).div_ceil(LINES));
        let recipe = Recipe::new(config, self.lab.parts, self.lab.stored());
        let sampler = Sampler::new(recipe, &self.lab.store.learned, 0..steps);
        ahead(sampler, |batches| self.learn(batches, (first, every)))
    }

    /// Returns the positions of a batch.
    fn batch(&self) -> u64 {
        self.arm.config.replay.batch.at(self.lab.stored()).into()
    }

    /// Returns how many steps there are to take.
    fn steps(&self) -> u64 {
        let (args, replay) = (self.lab.args, self.arm.config.replay);
        let there = self.lab.store.learned.positions() as f64;
        let positions = match args.positions {
            Some(positions) => positions,
            None => {
                (there
                    * args
                        .epochs
                        .unwrap_or_else(|| replay.reuse.at(self.lab.stored())))
                    as u64
            }
        };
        (positions / self.batch()).max(1)
    }

    /// Takes a step with each batch, and says how it goes every so many positions and at the end.
    fn learn(
        &mut self,
        batches: impl IntoIterator<Item = Result<Drawn>>,
        (first, every): (Point, u64),
    ) -> Result<Point> {
        let (mut end, mut sums) = (first, LossSums::default());
        let mut begun = (self.positions, cpu_seconds());
        let mut batches = batches.into_iter().peekable();
        while let Some(drawn) = batches.next() {
            if self.lab.interrupt.requested() {
                bail!(
                    "stopped after {} positions; nothing was saved",
                    self.positions
                );
            }
            let drawn = drawn?;
            let losses = self.learner.step(&drawn.batch);
            sums.add(&losses.with_context(|| self.arm.name.clone())?);
            self.positions += drawn.batch.size as u64;
            let (positions, seconds) = begun;
            if self.positions - positions >= every || batches.peek().is_none() {
                let spent = cpu_seconds() - seconds;
                end = self.point(std::mem::take(&mut sums).mean())?;
                let speed = (self.positions - positions) as f64 / spent.max(1e-9);
                self.lab.table.point(&self.arm.name, &end, Some(speed));
                begun = (self.positions, cpu_seconds());
            }
        }
        Ok(end)
    }

    /// Measures how it does.
    fn point(&self, training: Option<Losses>) -> Result<Point> {
        let net = self.learner.play_net();
        let [learned, held_out] = &self.probes;
        Ok(Point {
            positions: self.positions,
            epochs: self.positions as f64 / self.lab.store.learned.positions() as f64,
            learning_rate: self.learner.learning_rate(),
            training,
            learned: learned.measure(&net)?.means(),
            held_out: held_out.measure(&net)?.means(),
        })
    }

    fn save(&self, out: &Path) -> Result<()> {
        let generation = (self.lab.from.as_ref()).map_or(0, |from| from.meta.generation);
        let meta = meta(&self.arm.config, self.lab.parts, generation);
        let checkpoint = self.learner.checkpoint(meta);
        Ok(write_atomic(&RealDisk, out, &checkpoint.to_bytes()?)?)
    }
}
