//! What the tests of the pool have in common.

use rules::Variant;
use rules::variants::gufu::Gufu;
use selfplay::{
    CapsConfig, CapsStage, ForksConfig, GameRecord, GumbelConfig, OpeningsConfig, Pool,
    PoolObserver, PoolReport, PuctConfig, ResignConfig, RootKind, SearchConfig, SelfplayConfig,
    SurpriseConfig, TemperatureConfig, UniformEvaluator,
};

pub(crate) fn search(root: RootKind) -> SearchConfig {
    SearchConfig {
        simulations: 12,
        root,
        mate_plies: 0,
        leaves: 1,
        gumbel: GumbelConfig {
            considered: 8,
            ..GumbelConfig::USUAL
        },
        puct: PuctConfig::USUAL,
    }
}

/// Random openings and nothing else out of the ordinary.
pub(crate) const SELFPLAY: SelfplayConfig = SelfplayConfig {
    games: 24,
    plies_per_generation: 40,
    early_ply_cap: 200,
    full_cap_positions: 0,
    exploratory_regret: 0.3,
    temperature: TemperatureConfig {
        start: 1.0,
        end: 0.5,
        half_life: 10.0,
    },
    openings: OpeningsConfig {
        random_share: 0.5,
        random_plies: 30,
        stagger_plies: 0,
        policy_share: 0.0,
        policy_plies: 0,
        policy_temperature: 1.0,
        file: String::new(),
        file_share: 0.0,
    },
    caps: CapsConfig { stages: Vec::new() },
    forks: ForksConfig {
        share: 0.0,
        restart_share: 0.0,
        restart_regret: 0.5,
        kept: 4,
    },
    resign: ResignConfig {
        threshold: -0.9,
        plies: 0,
        play_on_share: 0.25,
    },
    surprise: SurpriseConfig {
        policy: 0.0,
        value: 0.0,
        most_copies: 8,
    },
};

/// Searches of which a share are full, and the others of 4 simulations.
pub(crate) const fn caps(simulations: u32, full_share: f32) -> CapsStage {
    CapsStage {
        positions: 0,
        simulations,
        full_share,
        fast_simulations: 4,
    }
}

/// Everything that self-play knows at once.
pub(crate) fn everything() -> SelfplayConfig {
    let mut config = SELFPLAY;
    config.openings = OpeningsConfig {
        random_share: 0.3,
        random_plies: 10,
        stagger_plies: 20,
        policy_share: 0.5,
        policy_plies: 6,
        ..config.openings
    };
    config.caps.stages = vec![caps(12, 0.5)];
    config.forks.share = 0.3;
    config.forks.restart_share = 0.3;
    config.resign.plies = 1;
    config.surprise.policy = 0.5;
    config.surprise.value = 0.3;
    config
}

#[derive(Default)]
pub(crate) struct Collector {
    pub(crate) records: Vec<GameRecord>,
    /// Finished games after which the generation is abandoned.
    pub(crate) stop_after: Option<usize>,
}

impl PoolObserver for Collector {
    fn on_game(&mut self, record: GameRecord) {
        self.records.push(record);
    }

    fn on_progress(&mut self, _: &PoolReport) -> bool {
        self.stop_after
            .is_none_or(|games| self.records.len() < games)
    }
}

pub(crate) fn generation(pool: &mut Pool<Gufu>, checkpoint: u64) -> (Vec<GameRecord>, PoolReport) {
    let mut collector = Collector::default();
    let report = pool
        .play(&mut UniformEvaluator, checkpoint, &mut collector)
        .unwrap()
        .unwrap();
    collector.records.sort_by_key(|record| record.number);
    (collector.records, report)
}

pub(crate) fn pool(root: RootKind) -> Pool<Gufu> {
    Pool::new(Gufu::OPTIONS, SELFPLAY, search(root), 5)
}

pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}
