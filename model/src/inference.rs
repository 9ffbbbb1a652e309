//! A net that plays: positions in, logits, chances and plies left out.

mod integer;
mod parts;
mod planes;
mod rows;
mod softmax;
mod solo;

use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use burn::Tensor;

use crate::batch::Batch;
use crate::device::Device;
use crate::encoder::{Sights, Sizes};
use crate::error::ModelError;
use crate::loss::{Said, SampleLosses, measure};
use crate::net::{Blueprint, NetConfig};
use integer::IntegerNet;
use planes::PlaneNet;
use rows::RowNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use softmax::priors;
pub use solo::Solo;

/// What a net computes with when it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Integers of 16 bits, for nets of features: a little coarser than what was learned, and much quicker.
    Integer,
    /// 32-bit floats, as in learning.
    Float,
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "integer" => Ok(Self::Integer),
            "float" => Ok(Self::Float),
            _ => Err("must be integer or float".to_owned()),
        }
    }
}

/// A net ready for play. Clones share it; it may be used from any number of threads.
#[derive(Clone, Debug)]
pub struct Inference {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    family: Family,
    config: NetConfig,
    sizes: Sizes,
    parameters: usize,
    on_processor: bool,
}

#[derive(Debug)]
enum Family {
    Planes(Box<PlaneNet>),
    Rows(RowNet),
    Integer(Box<IntegerNet>),
}

/// What a net says about positions, in their order and from each one's mover's side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Logits of every action, legal or not, `[size, actions]`.
    pub policy: Vec<f32>,
    /// Chances of win, draw and loss, `[size, 3]`; each row sums to 1.
    pub wdl: Vec<f32>,
    /// Plies until the end of the game, at least 0, `[size]`.
    pub moves_left: Vec<f32>,
}

/// What a net says about positions and their moves, in their order and from each one's mover's side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Logits of the moves of all positions.
    pub logits: Vec<f32>,
    /// Chances of win, draw and loss, `[size, 3]`; each row sums to 1.
    pub wdl: Vec<f32>,
    /// Plies until the end of the game, at least 0, `[size]`.
    pub moves_left: Vec<f32>,
    /// Logits of all actions, kept for its memory.
    actions: Vec<f32>,
}

impl Inference {
    pub(crate) fn new(blueprint: &Blueprint, values: &[f32], device: &Device) -> Self {
        let family = match blueprint {
            Blueprint::Residual(layout) => {
                Family::Planes(Box::new(PlaneNet::new(layout, values, device)))
            }
            Blueprint::Sparse(layout) => Family::Rows(RowNet::new(layout, values)),
        };
        Self {
            inner: Arc::new(Inner {
                on_processor: matches!(family, Family::Rows(_)) || device.is_processor(),
                family,
                config: blueprint.config(),
                sizes: blueprint.sizes(),
                parameters: blueprint.len(),
            }),
        }
    }

    /// Returns the same net with integers in place of its floats.
    ///
    /// # Errors
    /// The net is not one of features, or a parameter is no number or greater than what integers are made for.
    pub fn in_integers(&self) -> Result<Self, ModelError> {
        let family = match &self.inner.family {
            Family::Rows(net) => Family::Integer(Box::new(net.in_integers()?)),
            Family::Integer(_) => return Ok(self.clone()),
            Family::Planes(_) => {
                return Err(ModelError::Mismatch(format!(
                    "a net of arch `{}` plays in floats only (`precision = \"float\"`)",
                    self.inner.config.arch()
                )));
            }
        };
        Ok(Self {
            inner: Arc::new(Inner {
                family,
                ..*self.inner
            }),
        })
    }

    /// Returns the net as one that answers a position at a time, if it is quicker so: one of integers is.
    pub fn solo(&self) -> Option<Solo> {
        Solo::new(self)
    }

    /// Returns the sizes of what the net takes and gives.
    pub fn sizes(&self) -> Sizes {
        self.inner.sizes
    }

    /// Returns the family and size of the net.
    pub fn net(&self) -> &NetConfig {
        &self.inner.config
    }

    /// Tells whether the net computes on the processor, and not on a device of its own. Nets of features always do.
    pub fn is_on_processor(&self) -> bool {
        self.inner.on_processor
    }

    /// Returns the number of the net's parameters.
    pub fn parameters(&self) -> usize {
        self.inner.parameters
    }

    /// Evaluates the `positions` of `sights` with the moves shown of each, and overwrites `out`.
    ///
    /// What comes out for a position depends on what is shown of it alone, bit for bit, not on the positions beside it or on threads. The work
    /// is spread over the threads of the rayon pool of the caller.
    ///
    /// # Errors
    /// What is shown is not what the net takes, or the device fails.
    pub fn look(
        &self,
        sights: &Sights,
        positions: Range<usize>,
        out: &mut Answers,
    ) -> Result<(), ModelError> {
        match &self.inner.family {
            Family::Planes(net) => net.look(sights, positions, out),
            Family::Rows(net) => net.look(sights.rows(), positions, out),
            Family::Integer(net) => net.look(sights.rows(), positions, out),
        }
    }

    /// Evaluates `size` positions, given as planes `[size, planes, ranks, files]`, and overwrites `out`; otherwise as [`look`](Self::look).
    ///
    /// # Errors
    /// The net does not take planes, `planes` has another length, or the device fails.
    pub fn run(&self, planes: &[f32], size: usize, out: &mut Outputs) -> Result<(), ModelError> {
        match &self.inner.family {
            Family::Planes(net) => net.run(planes, size, out),
            Family::Rows(_) | Family::Integer(_) => Err(ModelError::Mismatch(
                "its net takes features, not planes".to_owned(),
            )),
        }
    }

    /// Says how wrong the net is about each sample of a batch. As with [`look`](Self::look), what comes out for a sample depends on it alone.
    ///
    /// # Errors
    /// The batch is malformed or of the other family, or the device fails.
    pub fn losses(&self, batch: &Batch) -> Result<Vec<SampleLosses>, ModelError> {
        batch.check(self.sizes())?;
        let mut answers = Answers::default();
        let actions = match &self.inner.family {
            Family::Planes(net) => {
                let mut outputs = Outputs::default();
                net.run(&batch.planes, batch.size, &mut outputs)?;
                answers.logits = outputs.policy;
                answers.wdl = outputs.wdl;
                answers.moves_left = outputs.moves_left;
                Some(answers.logits.len() / batch.size)
            }
            Family::Rows(net) => {
                net.look(&batch.rows, 0..batch.size, &mut answers)?;
                None
            }
            Family::Integer(net) => {
                net.look(&batch.rows, 0..batch.size, &mut answers)?;
                None
            }
        };
        let of_sample = |sample: usize| {
            let logits = match actions {
                Some(actions) => sample * actions..(sample + 1) * actions,
                None => batch.rows.moves_of(sample),
            };
            let said = Said {
                logits: &answers.logits[logits],
                wdl: &answers.wdl[sample * 3..][..3],
                moves_left: answers.moves_left[sample],
            };
            measure(batch, sample, &said)
        };
        Ok((0..batch.size).map(of_sample).collect())
    }
}

/// Reads a tensor back to the host, row by row.
pub(crate) fn read(tensor: Tensor<2>) -> Result<Vec<f32>, ModelError> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| ModelError::Device(error.to_string()))
}
