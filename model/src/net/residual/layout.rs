//! The parameters of a residual net.

use super::{Geometry, ResidualConfig};
use crate::encoder::Shape;
use crate::net::slot::{Gather, OUTPUT, Slot, ZEROS, bound};

/// Boards of at most this many squares have their convolutions computed as one matrix product over all squares and channels.
///
/// On six squares a 3 x 3 convolution as im2col is mostly overhead, while the whole matrix is only 36/28 of its work.
const LOWERED_SQUARES: usize = 16;

/// The parameters of a net of one shape, two (weight, bias) for each layer, in the order in which the net is put together.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    pub(crate) config: ResidualConfig,
    /// Whether convolutions are matrix products over the whole board; features are then square by square, else channel by channel.
    pub(crate) lowered: bool,
    pub(crate) slots: Vec<Slot>,
    /// The number of parameter values.
    pub(crate) len: usize,
}

impl Layout {
    /// Lays out the net for a board of `shape`.
    pub(crate) fn new(shape: Shape, config: &ResidualConfig) -> Self {
        Self::with_lowering(shape, config, shape.squares() <= LOWERED_SQUARES)
    }

    /// Lays out the net with convolutions computed one way or the other: parameters and function are the same.
    pub(crate) fn with_lowering(shape: Shape, config: &ResidualConfig, lowered: bool) -> Self {
        debug_assert!(
            shape.policy_planes == 0 || shape.actions == shape.policy_planes * shape.squares(),
            "{shape:?}: an action is a square of a plane"
        );
        let mut layout = Self {
            shape,
            config: *config,
            lowered,
            slots: Vec::new(),
            len: 0,
        };
        layout.tower();
        layout.heads();
        layout
    }

    /// Initial gains follow Fixup (Zhang et al. 2019, arXiv:1901.09321): the last convolution of a block starts at zero and the first is
    /// scaled by blocks^(-1/2), so that without any normalisation the tower starts as the identity and stays stable at any depth.
    fn tower(&mut self) {
        let ResidualConfig {
            channels, blocks, ..
        } = self.config;
        let branch = (blocks as f32).sqrt().recip();
        self.convolution(
            Kernel {
                size: 3,
                inputs: self.shape.planes,
                outputs: channels,
                stem: true,
            },
            1.0,
        );
        for block in 0..blocks {
            let kernel = Kernel {
                size: 3,
                inputs: channels,
                outputs: channels,
                stem: false,
            };
            self.convolution(kernel, branch);
            if self.config.pools(block) {
                self.dense(2 * channels, channels, branch * LINEAR);
            }
            self.convolution(kernel, 0.0);
        }
    }

    fn heads(&mut self) {
        let (config, shape) = (self.config, self.shape);
        let kernel = |size, inputs, outputs| Kernel {
            size,
            inputs,
            outputs,
            stem: false,
        };
        let (tower, channels) = (config.channels, config.policy_channels);
        if shape.policy_planes > 0 {
            self.convolution(kernel(3, tower, channels), 1.0);
            self.convolution(kernel(1, channels, shape.policy_planes), OUTPUT);
        } else {
            self.convolution(kernel(1, tower, channels), 1.0);
            self.flat_dense([0, channels], shape.actions, OUTPUT);
        }
        self.convolution(kernel(1, tower, config.value_channels), 1.0);
        self.flat_dense([2, config.value_channels], config.value_hidden, 1.0);
        self.dense(config.value_hidden, 4, OUTPUT);
    }

    /// Adds a convolution: weights `[size, size, inputs, outputs]`, biases `[outputs]`.
    fn convolution(&mut self, kernel: Kernel, gain: f32) {
        let fan_in = kernel.size * kernel.size * kernel.inputs;
        let squares = self.shape.squares();
        if self.lowered {
            let dims = [kernel.inputs * squares, kernel.outputs * squares];
            let gather = kernel.lowered(self.shape);
            self.weight(dims, fan_in * kernel.outputs, gather, bound(gain, fan_in));
            let gather = Gather {
                run: kernel.outputs,
                sources: vec![0; squares],
            };
            self.bias(dims[1], kernel.outputs, gather);
        } else {
            let dims = [kernel.outputs, fan_in];
            let gather = kernel.spatial();
            self.weight(dims, fan_in * kernel.outputs, gather, bound(gain, fan_in));
            self.bias(
                kernel.outputs,
                kernel.outputs,
                Gather::identity(kernel.outputs),
            );
        }
    }

    /// Adds a layer from `inputs` values to `outputs` values: weights `[inputs, outputs]`, biases `[outputs]`.
    fn dense(&mut self, inputs: usize, outputs: usize, gain: f32) {
        let len = inputs * outputs;
        self.weight(
            [inputs, outputs],
            len,
            Gather::identity(len),
            bound(gain, inputs),
        );
        self.bias(outputs, outputs, Gather::identity(outputs));
    }

    /// Adds a layer from `pooled` means or maxima of channels and then all squares of all channels: weights
    /// `[pooled * channels + squares * channels, outputs]`, biases `[outputs]`.
    fn flat_dense(&mut self, [pooled, channels]: [usize; 2], outputs: usize, gain: f32) {
        let squares = self.shape.squares();
        let inputs = (pooled + squares) * channels;
        let head = 0..pooled * channels;
        let flat = |at: usize| {
            // Parameters are square by square; features of a spatial net are channel by channel.
            if self.lowered {
                at
            } else {
                at % squares * channels + at / squares
            }
        };
        let rows = head
            .clone()
            .chain((0..squares * channels).map(|at| head.end + flat(at)));
        let gather = Gather {
            run: outputs,
            sources: rows.map(|row| row as u32).collect(),
        };
        self.weight(
            [inputs, outputs],
            inputs * outputs,
            gather,
            bound(gain, inputs),
        );
        self.bias(outputs, outputs, Gather::identity(outputs));
    }

    fn weight(&mut self, dims: [usize; 2], len: usize, gather: Gather, bound: f32) {
        self.push(Slot {
            start: self.len,
            len,
            dims,
            gather,
            bound,
            decays: true,
            is_table: false,
        });
    }

    fn bias(&mut self, columns: usize, len: usize, gather: Gather) {
        self.push(Slot {
            start: self.len,
            len,
            dims: [1, columns],
            gather,
            bound: 0.0,
            decays: false,
            is_table: false,
        });
    }

    fn push(&mut self, slot: Slot) {
        debug_assert_eq!(
            slot.gather.run * slot.gather.sources.len(),
            slot.dims[0] * slot.dims[1]
        );
        self.len += slot.len;
        self.slots.push(slot);
    }

    /// Returns what the net must know besides its matrices.
    pub(super) fn geometry(&self) -> Geometry {
        Geometry {
            shape: self.shape,
            config: self.config,
            lowered: self.lowered,
        }
    }
}

/// The gain of a layer that no rectifier follows.
const LINEAR: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A convolution that keeps the board's size.
#[derive(Clone, Copy, Debug)]
struct Kernel {
    /// Rows and columns, odd.
    size: usize,
    inputs: usize,
    outputs: usize,
    /// Whether the input is an encoder's planes, which are channel by channel on every net.
    stem: bool,
}

impl Kernel {
    /// Gathers the matrix `[inputs x squares, squares x outputs]` that convolves a whole board at once.
    fn lowered(self, shape: Shape) -> Gather {
        let squares = shape.squares();
        let mut sources = Vec::with_capacity(squares * self.inputs * squares);
        for row in 0..squares * self.inputs {
            let (from, input) = if self.stem {
                (row % squares, row / squares)
            } else {
                (row / self.inputs, row % self.inputs)
            };
            sources.extend((0..squares).map(|to| {
                self.tap(shape, from, to)
                    .map_or(ZEROS, |tap| (tap * self.inputs + input) as u32)
            }));
        }
        Gather {
            run: self.outputs,
            sources,
        }
    }

    /// Returns which of the kernel's positions carries square `from` to square `to`, or `None` if they are too far apart.
    fn tap(self, shape: Shape, from: usize, to: usize) -> Option<usize> {
        let reach = self.size / 2;
        let offset = |from: usize, to: usize| {
            let offset = (from + reach).checked_sub(to)?;
            (offset < self.size).then_some(offset)
        };
        let rank = offset(from / shape.files, to / shape.files)?;
        let file = offset(from % shape.files, to % shape.files)?;
        Some(rank * self.size + file)
    }

    /// Gathers burn's order, `[outputs, inputs x size x size]`.
    fn spatial(self) -> Gather {
        let taps = self.size * self.size;
        let mut sources = Vec::with_capacity(self.outputs * self.inputs * taps);
        for output in 0..self.outputs {
            for input in 0..self.inputs {
                sources.extend(
                    (0..taps)
                        .map(|tap| ((tap * self.inputs + input) * self.outputs + output) as u32),
                );
            }
        }
        Gather { run: 1, sources }
    }
}
