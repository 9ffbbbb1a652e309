//! How games are played: search, the self-play pool, players, the arena and the records they leave.
//!
//! This crate names no net and touches no file. A net reaches it as an [`Evaluator`]: one call for a batch of leaves.

pub mod arena;
pub mod compliance;
pub mod evaluator;
pub mod lockstep;
pub mod notation;
pub mod players;
pub mod pool;
pub mod protocol;
pub mod random;
pub mod record;
pub mod search;
pub mod thinker;
pub mod transcript;
pub mod workers;

pub use arena::{Arena, MatchConfig, MatchGame, MatchResult, play_match};
pub use evaluator::{
    CacheCounts, CachedEvaluator, Evaluation, EvaluationCache, Evaluations, Evaluator,
    EvaluatorError, Leaf, RolloutEvaluator, UniformEvaluator,
};
pub use lockstep::search_all;
pub use players::{Act, Choice, Fault, Forfeit, Player, Turn};
pub use pool::{
    CapsConfig, CapsStage, ForksConfig, GameNotes, OpeningsConfig, Pool, PoolObserver, PoolReport,
    Reservoir, ResignConfig, SelfplayConfig, SlotState, SurpriseConfig, TemperatureConfig,
};
pub use record::{BranchKind, EdgeRecord, GameRecord, Origin, PlyKind, PlyRecord, ResignationNote};
pub use search::{
    Descent, GumbelConfig, PuctConfig, Report, RootKind, RootMove, Search, SearchConfig, SearchTask,
};
pub use transcript::Transcript;
pub use workers::Workers;
