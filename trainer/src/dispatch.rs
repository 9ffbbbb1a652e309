//! The only `match` over the games in the binary.

use std::sync::Arc;

use anyhow::Result;
use model::{
    BoardEncoder, Encoder, Features, GufuEncoder, NetConfig, PolicyMoves, SparseBoardEncoder,
    SparseConfig, SparseEncoder, SparseGufuEncoder, View,
};
use rules::board::{Board, Ruleset};
use rules::solver::Solution;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::{self, Gufu};
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Variant, VariantId};

/// What belongs to a game besides its rules.
pub(crate) struct Parts<V: Variant> {
    /// How a residual net sees it.
    pub(crate) encoder: Arc<dyn Encoder<V>>,
    /// How a net of features sees it.
    pub(crate) rows: MakeRows<V>,
    /// How it is solved, if it is small enough.
    pub(crate) yardstick: Option<Yardstick<V>>,
}

/// Makes the encoder for nets of features.
pub(crate) type MakeRows<V> = fn(Features, PolicyMoves) -> Arc<dyn SparseEncoder<V>>;

impl<V: Variant> Parts<V> {
    /// Returns how a net of this config sees the game.
    pub(crate) fn view(&self, net: &NetConfig) -> View<V> {
        match *net {
            NetConfig::Residual(_) => View::Planes(Arc::clone(&self.encoder)),
            NetConfig::Sparse(SparseConfig {
                features,
                policy_moves,
                ..
            }) => View::Rows((self.rows)(features, policy_moves)),
        }
    }
}

/// The exact solution of a game, as a measure of what was learned.
#[derive(Debug)]
pub(crate) struct Yardstick<V: Variant> {
    /// Solves the game.
    pub(crate) solve: fn() -> Solution<V>,
    /// Tells the positions that count from those of a setup.
    pub(crate) in_play: fn(&V::Position) -> bool,
}

/// Work that is the same for every game.
pub(crate) trait Task {
    /// What it returns.
    type Output;

    /// Does the work for one game.
    ///
    /// # Errors
    /// As the work itself.
    fn run<V: Variant>(self, parts: Parts<V>) -> Result<Self::Output>;
}

/// Runs a task for the game named `id`.
///
/// # Errors
/// As the task itself.
pub(crate) fn dispatch<T: Task>(id: VariantId, task: T) -> Result<T::Output> {
    match id {
        VariantId::Gufu => task.run(Parts::<Gufu> {
            encoder: Arc::new(GufuEncoder),
            rows: |features, moves| Arc::new(SparseGufuEncoder::new(features, moves)),
            yardstick: Some(Yardstick {
                solve: Solution::new,
                in_play: |position: &gufu::Position| !position.in_setup(),
            }),
        }),
        VariantId::Showgit => task.run(grid_game::<Showgit>()),
        VariantId::EuroShogi => task.run(grid_game::<EuroShogi>()),
        VariantId::Xiangqi => task.run(grid_game::<Xiangqi>()),
    }
}

/// The parts of a grid game, all of which follow from its ruleset.
fn grid_game<R: Ruleset<Position = Board<R>>>() -> Parts<R> {
    Parts {
        encoder: Arc::new(BoardEncoder::<R>::new()),
        rows: |features, moves| Arc::new(SparseBoardEncoder::<R>::new(features, moves)),
        yardstick: None,
    }
}
