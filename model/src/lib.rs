//! What the net sees and learns: encoders, the net, its learner, inference and checkpoints.
//!
//! There are two families of nets. For residual nets [`Encoder`] turns a position into planes and a move into an action index, for nets of
//! features [`SparseEncoder`] turns both into rows of tables, always from the mover's side; [`View`] is either. Above it nothing knows the
//! game: a [`Batch`] is host arrays, [`Learner`] learns from batches, [`Inference`] evaluates what is shown to it, and a [`Checkpoint`] holds
//! everything that a learner is. This is the only crate that names burn, and burn's types never appear in its public API.

mod batch;
mod checkpoint;
mod device;
mod encoder;
mod error;
mod inference;
mod learner;
mod loss;
mod net;
mod optimiser;
mod wide;

pub use batch::Batch;
pub use checkpoint::{Checkpoint, CheckpointMeta};
pub use device::Device;
pub use encoder::{
    BoardEncoder, Encoder, Features, GufuEncoder, PolicyMoves, RowLists, RowMirror, Shape, Shown,
    Sights, Sizes, SparseBoardEncoder, SparseEncoder, SparseGufuEncoder, SparseShape, View,
};
pub use error::ModelError;
pub use inference::{Answers, Inference, Outputs, Precision, Solo, priors};
pub use learner::{LearnConfig, Learner, Optimiser};
pub use loss::{Losses, SampleLosses};
pub use net::{Activation, NetConfig, ResidualConfig, SparseConfig};
