//! From a net of floats to one of integers.
//!
//! | numbers | bits | steps |
//! |---|--:|---|
//! | rows of features, their sums and the start of these | 16 | 1/255 |
//! | activations | 8 | 256/255^2, about 1/254, in which the square of a byte of the sums is one of 8 bits |
//! | weights of layers | 8 | 1/64, or a finer power of two that holds the greatest weight of the layer |
//! | sums and biases of layers | 32 | the product of the steps of inputs and weights |
//! | rows of moves and the vector that they are multiplied with | 16 | powers of two such that no product can pass 32 bits |

use super::kernels::{FOUR, LANES, OUTPUTS};
use crate::encoder::MOVE_ROWS;
use crate::error::ModelError;
use crate::net::Activation;
use crate::net::sparse::{Layout, WEIGHT_LIMIT};

/// Steps of the sums of rows in 1, which is also the greatest of a byte.
const SUM_STEPS: f32 = 255.0;

/// Steps of activations in 1: 255^2 / 256.
pub(super) const STEPS: f32 = 65_025.0 / 256.0;

/// The greatest activation, to which layers cut what they say.
pub(super) const ONE: i32 = 254;

/// What the steps of weights, as powers of two, are chosen from: from 1/64 to 1/4096.
const WEIGHT_SHIFTS: std::ops::RangeInclusive<u32> = 6..=12;

/// The finest steps of the rows of moves: 1/2048, of which 16 bits hold the sum of eight of the greatest rows.
const MOVE_SHIFT: u32 = 11;

/// A layer.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// `[inputs / 4, outputs, 4]`, both padded.
    pub(super) weights: Vec<i8>,
    /// `[outputs]`, padded.
    pub(super) biases: Vec<i32>,
    /// How many steps of the weights there are in 1, as a power of two.
    pub(super) shift: u32,
}

/// How the sums of rows lie: each part of them padded to whole vectors.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    /// Where each sum lies.
    places: Vec<usize>,
    /// Sums of the value, padding included; behind them are those of the policy.
    pub(super) value: usize,
    /// All sums, padding included.
    pub(super) width: usize,
}

/// A net of integers.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) activation: Activation,
    pub(super) fold: Fold,
    /// `[features, width]`.
    pub(super) table: Vec<i16>,
    /// `[width]`.
    pub(super) start: Vec<i16>,
    /// The most rows of which 16 bits hold the sum, whichever they are.
    pub(super) most_rows: usize,
    pub(super) value_first: Dense,
    pub(super) value_second: Dense,
    pub(super) value_output: Dense,
    pub(super) policy: Dense,
    /// `[moves, vector]`, padded.
    pub(super) moves: Vec<i16>,
    /// By how many bits the policy's sums are shifted to become the vector.
    pub(super) vector_shift: u32,
    /// What the product of the vector with the rows of a move is multiplied by to be a logit.
    pub(super) logit: f32,
    /// What the value's sums are multiplied by.
    pub(super) value: f32,
}

impl Parameters {
    /// Turns the parameters of a net into integers.
    ///
    /// # Errors
    /// A parameter is no number, or greater than what the steps are made for.
    pub(super) fn new(layout: &Layout, values: &[f32]) -> Result<Self, ModelError> {
        if let Some(at) = values
            .iter()
            .position(|value| !(value.abs() <= WEIGHT_LIMIT))
        {
            return Err(ModelError::Mismatch(format!(
                "parameter {at} is {}: a net that plays in integers must have none beyond {WEIGHT_LIMIT} (`precision = \"float\"` plays it)",
                values[at]
            )));
        }
        let config = layout.config;
        let fold = Fold::new(layout);
        let steps = |value: &f32| (value * SUM_STEPS).round() as i16;
        let table = fold.rows(&values[layout.table()], steps);
        let start = fold.rows(&values[layout.start()], steps);
        let dense: Vec<Dense> = layer_inputs(layout, &fold)
            .into_iter()
            .zip(layout.dense_slots().chunks_exact(2))
            .map(|(places, slots)| {
                let [weights, biases] =
                    [&slots[0], &slots[1]].map(|slot| &values[slot.start..][..slot.len]);
                Dense::new(&places, weights, biases)
            })
            .collect();
        let [value_first, value_second, value_output, policy] =
            <[Dense; 4]>::try_from(dense).unwrap_or_else(|_| unreachable!("a net has four layers"));
        let moves = Moves::new(&values[layout.moves()], config.policy_hidden, &policy);
        Ok(Self {
            activation: config.activation,
            most_rows: most_rows(&table, &start),
            fold,
            table,
            start,
            moves: moves.rows,
            vector_shift: moves.vector_shift,
            logit: moves.logit,
            value: value_output.step(),
            value_first,
            value_second,
            value_output,
            policy,
        })
    }
}

/// Returns how many rows can be added to the start without passing 16 bits.
fn most_rows(table: &[i16], start: &[i16]) -> usize {
    let most = |values: &[i16]| values.iter().map(|value| i32::from(value.abs())).max();
    let row = most(table).unwrap_or_default().max(1);
    ((i32::from(i16::MAX) - most(start).unwrap_or_default()) / row) as usize
}

/// Returns where the inputs of each layer lie among its padded inputs.
fn layer_inputs(layout: &Layout, fold: &Fold) -> [Vec<usize>; 4] {
    let config = layout.config;
    let straight = |count: usize| (0..count).collect::<Vec<_>>();
    // Of pairs, the first ones' places are those of the products.
    let (value, policy) = (
        layout.inputs(config.value_width),
        layout.inputs(config.policy_width),
    );
    let of_policy = fold.places[config.value_width..][..policy].iter();
    [
        fold.places[..value].to_vec(),
        straight(config.value_hidden),
        straight(config.value_hidden),
        of_policy.map(|place| place - fold.value).collect(),
    ]
}

impl Fold {
    fn new(layout: &Layout) -> Self {
        let config = layout.config;
        let mut fold = Self {
            places: Vec::new(),
            value: 0,
            width: 0,
        };
        for width in [config.value_width, config.policy_width] {
            fold.value = fold.width;
            let inputs = layout.inputs(width);
            for _ in 0..width / inputs {
                fold.places.extend(fold.width..fold.width + inputs);
                fold.width += inputs.next_multiple_of(LANES);
            }
        }
        fold
    }

    /// Brings rows of sums, side by side, to their places.
    fn rows(&self, values: &[f32], steps: impl Fn(&f32) -> i16) -> Vec<i16> {
        let count = values.len() / self.places.len();
        let mut rows = vec![0; count * self.width];
        let from = values.chunks_exact(self.places.len());
        for (row, values) in rows.chunks_exact_mut(self.width).zip(from) {
            for (&place, value) in self.places.iter().zip(values) {
                row[place] = steps(value);
            }
        }
        rows
    }
}

impl Dense {
    /// Makes a layer of weights `[inputs, outputs]`, whose inputs lie at `places`, and biases `[outputs]`.
    fn new(places: &[usize], weights: &[f32], biases: &[f32]) -> Self {
        let outputs = biases.len();
        let width = outputs.next_multiple_of(OUTPUTS);
        let inputs = places.iter().max().map_or(0, |place| place + 1);
        let greatest = weights
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        let holds = |shift: &u32| greatest * (1_u32 << shift) as f32 <= 127.0;
        let shift = WEIGHT_SHIFTS.rev().find(holds);
        let shift = shift.unwrap_or(*WEIGHT_SHIFTS.start());
        let mut layer = Self {
            weights: vec![0; inputs.next_multiple_of(LANES) * width],
            biases: vec![0; width],
            shift,
        };
        for (&place, weights) in places.iter().zip(weights.chunks_exact(outputs)) {
            for (output, weight) in weights.iter().enumerate() {
                let at = (place / FOUR * width + output) * FOUR + place % FOUR;
                layer.weights[at] = (weight * (1_u32 << shift) as f32).round() as i8;
            }
        }
        let step = layer.step();
        for (to, bias) in layer.biases.iter_mut().zip(biases) {
            *to = (bias / step).round() as i32;
        }
        layer
    }

    /// Returns the step of its sums.
    pub(super) fn step(&self) -> f32 {
        1.0 / (STEPS * (1_u32 << self.shift) as f32)
    }

    /// Returns the number of its outputs, padding included.
    pub(super) fn width(&self) -> usize {
        self.biases.len()
    }

    /// Returns for each output the greatest size that it can have.
    fn greatest(&self) -> Vec<i64> {
        let mut most: Vec<i64> = self
            .biases
            .iter()
            .map(|&bias| i64::from(bias.abs()))
            .collect();
        for group in self.weights.chunks_exact(FOUR * self.width()) {
            for (most, weights) in most.iter_mut().zip(group.chunks_exact(FOUR)) {
                let sum: i64 = weights.iter().map(|weight| i64::from(weight.abs())).sum();
                *most += sum * i64::from(ONE);
            }
        }
        most
    }
}

/// The rows of moves with the steps that they and the vector have.
struct Moves {
    rows: Vec<i16>,
    vector_shift: u32,
    logit: f32,
}

impl Moves {
    /// Chooses the finest steps for which no vector and no move can pass what holds them, and no product 32 bits.
    fn new(values: &[f32], hidden: usize, policy: &Dense) -> Self {
        let greatest = policy.greatest();
        let mut columns = vec![0.0_f32; hidden];
        for row in values.chunks_exact(hidden) {
            for (most, value) in columns.iter_mut().zip(row) {
                *most = most.max(value.abs());
            }
        }
        let fits = |vector_shift: u32, move_shift: u32| {
            let mut product = 0_i64;
            let fits = |(most, column): (&i64, &f32)| {
                let vector = (most >> vector_shift) + 1;
                let row = MOVE_ROWS as i64
                    * (f64::from(*column) * f64::from(1 << move_shift)).ceil() as i64;
                product += vector * row;
                vector <= i64::from(i16::MAX) && row <= i64::from(i16::MAX)
            };
            greatest.iter().zip(&columns).all(fits) && product <= i64::from(i32::MAX)
        };
        let (mut vector_shift, mut move_shift) = (0, MOVE_SHIFT);
        // Vectors of 16 bits at first, and then the two made coarser in turn.
        while greatest
            .iter()
            .any(|most| (most >> vector_shift) + 1 > i64::from(i16::MAX))
        {
            vector_shift += 1;
        }
        let mut of_moves = false;
        while !fits(vector_shift, move_shift) && move_shift > 0 {
            if of_moves {
                move_shift -= 1;
            } else {
                vector_shift += 1;
            }
            of_moves = !of_moves;
        }
        let width = hidden.next_multiple_of(LANES);
        let scale = (1_u32 << move_shift) as f32;
        let mut rows = vec![0; values.len() / hidden * width];
        for (row, values) in rows
            .chunks_exact_mut(width)
            .zip(values.chunks_exact(hidden))
        {
            for (to, value) in row.iter_mut().zip(values) {
                *to = (value * scale).round() as i16;
            }
        }
        Self {
            rows,
            vector_shift,
            logit: policy.step() * (1_u64 << vector_shift) as f32 / scale,
        }
    }
}
