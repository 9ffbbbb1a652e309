//! The nets: two families behind one config, each a layout of parameters and what is computed of them.

mod config;
pub(crate) mod residual;
pub(crate) mod slot;
pub(crate) mod sparse;

pub use config::{Activation, NetConfig, ResidualConfig, SparseConfig};

use crate::device::Device;
use crate::encoder::Sizes;
use crate::error::ModelError;
use slot::Slot;

/// What a net says about a batch, before any softmax.
#[derive(Debug)]
pub(crate) struct Heads<T> {
    /// Logits: `[batch, actions]`, or of the legal moves of each sample in their order.
    pub(crate) policy: T,
    /// `[batch, 4]`: three logits of win, draw and loss, and the plies left before softplus.
    pub(crate) value: T,
}

/// The parameters of a net and where they lie.
#[derive(Clone, Debug)]
pub(crate) enum Blueprint {
    Residual(residual::Layout),
    Sparse(sparse::Layout),
}

impl Blueprint {
    /// Lays out the net of a config.
    ///
    /// # Errors
    /// The sizes are of the other family.
    pub(crate) fn new(sizes: Sizes, config: &NetConfig) -> Result<Self, ModelError> {
        match (sizes, config) {
            (Sizes::Planes(shape), NetConfig::Residual(config)) => {
                Ok(Self::Residual(residual::Layout::new(shape, config)))
            }
            (Sizes::Rows(shape), NetConfig::Sparse(config)) => {
                Ok(Self::Sparse(sparse::Layout::new(shape, config)))
            }
            _ => Err(ModelError::Mismatch(format!(
                "a net of arch `{}` does not take what an encoder of {sizes:?} shows",
                config.arch()
            ))),
        }
    }

    /// Returns what the net takes and gives.
    pub(crate) fn sizes(&self) -> Sizes {
        match self {
            Self::Residual(layout) => layout.shape.into(),
            Self::Sparse(layout) => layout.shape.into(),
        }
    }

    /// Returns the net's config.
    pub(crate) fn config(&self) -> NetConfig {
        match self {
            Self::Residual(layout) => layout.config.into(),
            Self::Sparse(layout) => layout.config.into(),
        }
    }

    /// Returns the parameters in their order.
    pub(crate) fn slots(&self) -> &[Slot] {
        match self {
            Self::Residual(layout) => &layout.slots,
            Self::Sparse(layout) => &layout.slots,
        }
    }

    /// Returns the number of parameter values.
    pub(crate) fn len(&self) -> usize {
        self.slots().iter().map(|slot| slot.len).sum()
    }

    /// Returns the greatest size that a weight may have.
    pub(crate) fn weight_limit(&self) -> f32 {
        match self {
            Self::Residual(_) => f32::INFINITY,
            Self::Sparse(_) => sparse::WEIGHT_LIMIT,
        }
    }

    /// Returns initial parameters, a pure function of `seed`.
    pub(crate) fn initial(&self, seed: u64) -> Vec<f32> {
        slot::initial(self.slots(), seed)
    }

    /// Puts the part of the net together that is computed on a device.
    pub(crate) fn net(&self, values: &[f32], device: &Device) -> Net {
        match self {
            Self::Residual(layout) => {
                Net::Residual(Box::new(residual::Net::new(layout, values, device)))
            }
            Self::Sparse(layout) => Net::Sparse(Box::new(sparse::Net::new(layout, values, device))),
        }
    }
}

/// A net on a device, as far as it is computed there.
#[derive(Clone, Debug)]
pub(crate) enum Net {
    Residual(Box<residual::Net>),
    Sparse(Box<sparse::Net>),
}
