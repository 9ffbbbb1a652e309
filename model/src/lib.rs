//! What the net sees and learns: encoders, the net, its learner, inference and checkpoints.
//!
//! [`Encoder`] turns a position into planes and a move into an action index, always from the mover's side. Above it nothing knows the
//! game: a [`Batch`] is dense host arrays, [`Learner`] learns from batches, [`Inference`] evaluates planes, and a [`Checkpoint`] holds
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

pub use batch::Batch;
pub use checkpoint::{Checkpoint, CheckpointMeta};
pub use device::Device;
pub use encoder::{BoardEncoder, Encoder, GufuEncoder, Shape};
pub use error::ModelError;
pub use inference::{Inference, Outputs, priors};
pub use learner::{LearnConfig, Learner, Optimiser};
pub use loss::Losses;
pub use net::NetConfig;
