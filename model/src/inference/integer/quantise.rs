//! From a net of floats to one of integers.
//!
//! | numbers | bits | steps |
//! |---|--:|---|
//! | rows of features, their sums and the start of these | 16 | 1/255, halved as often as the greatest sums of a game allow |
//! | activations | 16 | 16/255^2, about 1/4064 |
//! | weights of layers | 16 | a power of two such that no sum can pass 32 bits |
//! | sums and biases of layers | 32 | the product of the steps of inputs and weights |
//! | rows of moves and the vector that they are multiplied with | 16 | powers of two such that no product can pass 32 bits |
//!
//! With activations and weights of 8 bits, chances were off by 0.0015 on average, and in gufu, where moves often differ by no more, a net
//! lost 19 Elo by it; the layers are so small that 16 bits take hardly longer.

use rayon::prelude::*;

use super::kernels::{LANES, OUTPUTS, PAIR, SQUARE_SHIFT};
use crate::encoder::MOVE_ROWS;
use crate::error::ModelError;
use crate::net::Activation;
use crate::net::sparse::{Layout, WEIGHT_LIMIT};

/// Steps of the sums of rows in 1, before they are halved.
const SUM_STEPS: f32 = 255.0;

/// The greatest number of 16 bits.
const MOST_STEPS: f32 = i16::MAX as f32;

/// Rows that are looked at as active together, more than ever are in a game.
const SUMMED: usize = 128;

/// How often they are halved at most.
const MOST_FINER: u32 = 7;

/// Steps of activations in 1.
const STEPS: f32 = 65_025.0 / (1 << SQUARE_SHIFT) as f32;

/// The greatest activation, to which layers cut what they say.
pub(super) const ONE: i32 = 65_025 >> SQUARE_SHIFT;

/// The finest steps of weights: 1/8192, of which 16 bits hold the greatest weight.
const WEIGHT_SHIFT: u32 = 13;

/// The finest steps of the rows of moves: 1/2048. They are coarser where 16 bits would not hold the sum of as many rows as a move can have.
const MOVE_SHIFT: u32 = 11;

/// A layer.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// `[inputs / 2, outputs, 2]`, both padded.
    pub(super) weights: Vec<i16>,
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

/// The first layer.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) fold: Fold,
    /// `[features, width]`.
    pub(super) table: Vec<i16>,
    /// `[width]`.
    pub(super) start: Vec<i16>,
    /// How often the steps of the sums are halved.
    pub(super) finer: u32,
    /// The most rows of which 16 bits hold the sum, whichever they are.
    pub(super) most_rows: usize,
}

/// A net of integers.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) activation: Activation,
    pub(super) sums: Sums,
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
            .position(|value| value.is_nan() || value.abs() > WEIGHT_LIMIT)
        {
            return Err(ModelError::Mismatch(format!(
                "parameter {at} is {}: a net that plays in integers must have none beyond {WEIGHT_LIMIT} (`precision = \"float\"` plays it)",
                values[at]
            )));
        }
        let sums = Sums::new(layout, values);
        let [value_first, value_second, value_output, policy] = layers(layout, &sums.fold, values);
        let hidden = layout.config.policy_hidden;
        let moves = Moves::new(&values[layout.moves()], hidden, &policy);
        Ok(Self {
            activation: layout.config.activation,
            sums,
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

impl Sums {
    fn new(layout: &Layout, values: &[f32]) -> Self {
        let fold = Fold::new(layout);
        let (table, start) = (&values[layout.table()], &values[layout.start()]);
        let greatest = greatest_sums(table, start);
        let most_rows = |finer: u32| most_rows(&greatest, finer_steps(finer));
        let fits = |finer: &u32| most_rows(*finer) >= layout.shape.active;
        let finer = (0..=MOST_FINER).rev().find(fits).unwrap_or_default();
        let steps = |value: &f32| (value * finer_steps(finer)).round() as i16;
        Self {
            table: fold.rows(table, steps),
            start: fold.rows(start, steps),
            fold,
            finer,
            most_rows: most_rows(finer),
        }
    }
}

/// Makes the four layers behind the sums.
fn layers(layout: &Layout, fold: &Fold, values: &[f32]) -> [Dense; 4] {
    let mut slots = layout
        .dense_slots()
        .iter()
        .map(|slot| &values[slot.start..][..slot.len]);
    layer_inputs(layout, fold).map(|places| {
        let (weights, biases) = (slots.next(), slots.next());
        Dense::new(
            &places,
            weights.unwrap_or_default(),
            biases.unwrap_or_default(),
        )
    })
}

fn finer_steps(finer: u32) -> f32 {
    SUM_STEPS * (1_u32 << finer) as f32
}

/// Returns for each number of rows, from none to [`SUMMED`], the greatest size that the start and a sum of so many different rows can have in any
/// place, whichever rows they are.
fn greatest_sums(table: &[f32], start: &[f32]) -> Vec<f32> {
    let width = start.len();
    let of_place = |place: usize| {
        let column = table.iter().skip(place).step_by(width);
        let mut sizes: Vec<f32> = column.map(|value| value.abs()).collect();
        if sizes.len() > SUMMED {
            sizes.select_nth_unstable_by(SUMMED, |a, b| b.total_cmp(a));
            sizes.truncate(SUMMED);
        }
        sizes.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut sum = start[place].abs();
        let mut sums = vec![sum];
        sums.extend((0..SUMMED).map(|at| {
            sum += sizes.get(at).copied().unwrap_or_default();
            sum
        }));
        sums
    };
    let greater = |mut a: Vec<f32>, b: Vec<f32>| {
        for (a, b) in a.iter_mut().zip(b) {
            *a = a.max(b);
        }
        a
    };
    let places = (0..width).into_par_iter().map(of_place);
    places.reduce(|| vec![0.0; SUMMED + 1], greater)
}

/// Returns how many rows can be added to the start without passing 16 bits.
fn most_rows(greatest: &[f32], steps: f32) -> usize {
    // Each number of them was rounded.
    let fits = |&(rows, sum): &(usize, &f32)| sum * steps + (rows + 1) as f32 / 2.0 <= MOST_STEPS;
    (greatest.iter().enumerate().take_while(fits).count()).saturating_sub(1)
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
        let shift = Self::shift(weights, biases);
        let mut layer = Self {
            weights: vec![0; inputs.next_multiple_of(LANES) * width],
            biases: vec![0; width],
            shift,
        };
        for (&place, weights) in places.iter().zip(weights.chunks_exact(outputs)) {
            for (output, weight) in weights.iter().enumerate() {
                let at = (place / PAIR * width + output) * PAIR + place % PAIR;
                layer.weights[at] = (weight * (1_u32 << shift) as f32).round() as i16;
            }
        }
        let step = layer.step();
        for (to, bias) in layer.biases.iter_mut().zip(biases) {
            *to = (bias / step).round() as i32;
        }
        layer
    }

    /// Chooses the finest steps of weights such that no sum can pass 32 bits, not even half way.
    fn shift(weights: &[f32], biases: &[f32]) -> u32 {
        let mut most: Vec<f64> = biases.iter().map(|bias| f64::from(bias.abs())).collect();
        for weights in weights.chunks_exact(biases.len()) {
            for (most, weight) in most.iter_mut().zip(weights) {
                *most += f64::from(weight.abs());
            }
        }
        let most = most.into_iter().fold(0.0, f64::max);
        // Rounding adds half a step for each weight at most.
        let rounded = (weights.len() / biases.len()) as f64 / 2.0 + 1.0;
        let fits = |shift: &u32| {
            let sum = most * f64::from(1_u32 << shift) + rounded;
            sum * f64::from(STEPS) < f64::from(i32::MAX / 2)
        };
        (0..=WEIGHT_SHIFT).rev().find(fits).unwrap_or_default()
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
        for group in self.weights.chunks_exact(PAIR * self.width()) {
            for (most, weights) in most.iter_mut().zip(group.chunks_exact(PAIR)) {
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
        let (vector_shift, move_shift) = shifts(&policy.greatest(), &columns(values, hidden));
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

/// Returns the greatest size in each column of rows.
fn columns(values: &[f32], width: usize) -> Vec<f32> {
    let mut columns = vec![0.0_f32; width];
    for row in values.chunks_exact(width) {
        for (most, value) in columns.iter_mut().zip(row) {
            *most = most.max(value.abs());
        }
    }
    columns
}

/// Chooses by how many bits outputs of up to `greatest` are shifted to be a vector, and the steps in 1 of rows with these `columns`, as a power of
/// two: first such that the vector has 16 bits, and then the two made coarser in turn.
fn shifts(greatest: &[i64], columns: &[f32]) -> (u32, u32) {
    const MOST: i64 = i16::MAX as i64;
    let vector = |most: i64, shift: u32| (most >> shift) + 1;
    let fits = |vector_shift: u32, move_shift: u32| {
        let mut product = 0_i64;
        let fits = |(&most, &column): (&i64, &f32)| {
            let row = (f64::from(column) * f64::from(1_u32 << move_shift)).ceil() as i64;
            let row = MOVE_ROWS as i64 * row;
            product += vector(most, vector_shift) * row;
            row <= MOST
        };
        greatest.iter().zip(columns).all(fits) && product <= i64::from(i32::MAX)
    };
    let (mut vector_shift, mut move_shift) = (0, MOVE_SHIFT);
    while greatest
        .iter()
        .any(|&most| vector(most, vector_shift) > MOST)
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
    (vector_shift, move_shift)
}
