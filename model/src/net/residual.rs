//! A residual tower with global pooling, and heads for policy, result and plies left.
//!
//! No layer looks at other samples of a batch, so training and play compute the same function. A pooling block adds to its first
//! convolution a bias per channel that is a linear function of every channel's mean and maximum over the board: the "global pooling bias
//! structure" of KataGo (Wu 2019, arXiv:1902.10565, section 4.1).
//!
//! Where actions are whole planes of squares the policy head is two convolutions, 3 x 3 and 1 x 1, as in `AlphaZero`'s nets for chess and shogi
//! (Silver et al. 2018, supplement): a dense layer to thousands of actions would hold most of the net's parameters. Elsewhere it is one
//! 1 x 1 convolution and a dense layer.

mod layout;
#[cfg(test)]
mod tests;

use burn::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;

pub(crate) use layout::Layout;

use super::Heads;
use super::config::ResidualConfig;
use super::slot::Layer;
use crate::device::Device;
use crate::encoder::Shape;

/// The net on a device, with all its matrices ready.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    geometry: Geometry,
    stem: Layer,
    blocks: Vec<Block>,
    policy_convolution: Layer,
    policy_output: Layer,
    value_convolution: Layer,
    value_hidden: Layer,
    value_output: Layer,
}

#[derive(Clone, Copy, Debug)]
struct Geometry {
    shape: Shape,
    config: ResidualConfig,
    lowered: bool,
}

#[derive(Clone, Debug)]
struct Block {
    first: Layer,
    pooling: Option<Layer>,
    second: Layer,
}

impl Net {
    /// Puts a net together from its parameters.
    pub(crate) fn new(layout: &Layout, values: &[f32], device: &Device) -> Self {
        let mut slots = layout.slots.iter();
        Self::assemble(layout.geometry(), || {
            let slot = slots
                .next()
                .expect("a layout has two slots for each layer of its net");
            slot.matrix(values, device)
        })
    }

    /// Returns the same net with gradients flowing to its matrices.
    pub(crate) fn learning(&self) -> Self {
        let mut matrices = self.matrices().into_iter();
        Self::assemble(self.geometry, || {
            let matrix = matrices
                .next()
                .expect("a net has its own number of matrices");
            matrix.clone().autodiff().require_grad()
        })
    }

    /// Makes a net of matrices that come in the order of the layout's slots.
    fn assemble(geometry: Geometry, mut matrix: impl FnMut() -> Tensor<2>) -> Self {
        let mut layer = || Layer {
            weight: matrix(),
            bias: matrix(),
        };
        let config = geometry.config;
        Self {
            geometry,
            stem: layer(),
            blocks: (0..config.blocks)
                .map(|block| Block {
                    first: layer(),
                    pooling: config.pools(block).then(&mut layer),
                    second: layer(),
                })
                .collect(),
            policy_convolution: layer(),
            policy_output: layer(),
            value_convolution: layer(),
            value_hidden: layer(),
            value_output: layer(),
        }
    }

    /// Evaluates planes, `[batch, planes x ranks x files]`.
    pub(crate) fn forward(&self, planes: Tensor<2>) -> Heads<Tensor<2>> {
        let geometry = self.geometry;
        let mut x = relu(geometry.convolve(planes, &self.stem));
        for block in &self.blocks {
            let mut y = geometry.convolve(x.clone(), &block.first);
            if let Some(pooling) = &block.pooling {
                let bias = pooling.apply(geometry.pool(relu(y.clone())));
                y = geometry.add_to_channels(y, bias);
            }
            x = relu(geometry.convolve(relu(y), &block.second) + x);
        }
        let policy = relu(geometry.convolve(x.clone(), &self.policy_convolution));
        let value = relu(geometry.convolve(x, &self.value_convolution));
        let value = Tensor::cat(vec![geometry.pool(value.clone()), value], 1);
        Heads {
            policy: geometry.policy(policy, &self.policy_output),
            value: self
                .value_output
                .apply(relu(self.value_hidden.apply(value))),
        }
    }

    /// Returns the matrices in the order of the layout's slots.
    pub(crate) fn matrices(&self) -> Vec<&Tensor<2>> {
        let blocks = self.blocks.iter().flat_map(|block| {
            [
                Some(&block.first),
                block.pooling.as_ref(),
                Some(&block.second),
            ]
        });
        let heads = [
            &self.policy_convolution,
            &self.policy_output,
            &self.value_convolution,
            &self.value_hidden,
            &self.value_output,
        ];
        [Some(&self.stem)]
            .into_iter()
            .chain(blocks)
            .flatten()
            .chain(heads)
            .flat_map(|layer| [&layer.weight, &layer.bias])
            .collect()
    }
}

impl Geometry {
    /// Convolves features `[batch, channels x squares]`; the kernel's size follows from the layer's.
    fn convolve(self, x: Tensor<2>, layer: &Layer) -> Tensor<2> {
        if self.lowered {
            return layer.apply(x);
        }
        let Shape { ranks, files, .. } = self.shape;
        let [batch, features] = x.dims();
        let inputs = features / self.shape.squares();
        let [outputs, fan_in] = layer.weight.dims();
        // A square kernel: 1 x 1 or 3 x 3.
        let size = if fan_in == inputs { 1 } else { 3 };
        let y = conv2d(
            x.reshape([batch, inputs, ranks, files]),
            layer.weight.clone().reshape([outputs, inputs, size, size]),
            Some(layer.bias.clone().reshape([outputs])),
            ConvOptions::new([1, 1], [size / 2, size / 2], [1, 1], 1),
        );
        y.reshape([batch, outputs * ranks * files])
    }

    /// Turns the features of the policy head into logits, in the order of actions.
    fn policy(self, x: Tensor<2>, layer: &Layer) -> Tensor<2> {
        if self.shape.policy_planes == 0 {
            return layer.apply(x);
        }
        let (logits, squares) = self.by_channel(self.convolve(x, layer));
        let logits = if squares == 1 {
            logits.swap_dims(1, 2)
        } else {
            logits
        };
        let batch = logits.dims()[0];
        logits.reshape([batch, self.shape.actions])
    }

    /// Returns each channel's mean over the board and then each one's maximum, `[batch, 2 x channels]`.
    fn pool(self, x: Tensor<2>) -> Tensor<2> {
        let (x, squares) = self.by_channel(x);
        let channels = x.dims()[3 - squares];
        let batch = x.dims()[0];
        let mean = x.clone().mean_dim(squares).reshape([batch, channels]);
        let max = x.max_dim(squares).reshape([batch, channels]);
        Tensor::cat(vec![mean, max], 1)
    }

    /// Adds a bias `[batch, channels]` to every square.
    fn add_to_channels(self, x: Tensor<2>, bias: Tensor<2>) -> Tensor<2> {
        let dims = x.dims();
        let (x, squares) = self.by_channel(x);
        (x + bias.unsqueeze_dim::<3>(squares)).reshape(dims)
    }

    /// Splits features into squares and channels, and tells which dimension, 1 or 2, is that of the squares.
    fn by_channel(self, x: Tensor<2>) -> (Tensor<3>, usize) {
        let [batch, features] = x.dims();
        let squares = self.shape.squares();
        if self.lowered {
            (x.reshape([batch, squares, features / squares]), 1)
        } else {
            (x.reshape([batch, features / squares, squares]), 2)
        }
    }
}
