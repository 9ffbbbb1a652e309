//! What nets of integers compute, by the widest vectors that the processor has. All kernels say the same integers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod tests;

use super::quantise::Dense;
use crate::encoder::MoveRows;

/// Sums, rows and vectors are padded to whole vectors of so many 16-bit numbers: 64 bytes.
pub(super) const LANES: usize = 32;

/// Outputs of a layer are padded to so many 32-bit numbers: 64 bytes.
pub(super) const OUTPUTS: usize = 16;

/// Inputs of a layer that its weights keep together: a product of two vectors of 16-bit numbers adds them up in pairs.
pub(super) const PAIR: usize = 2;

/// By how many bits the square of a byte is shifted to be an activation.
pub(super) const SQUARE_SHIFT: u32 = 4;

/// What is added to and subtracted from a sum of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    /// Rows that are added.
    pub(super) added: &'a [u32],
    /// Rows that are subtracted.
    pub(super) removed: &'a [u32],
}

/// Returns a pair of inputs as one number, which vectors are filled with.
#[inline]
fn both([first, second]: [i16; PAIR]) -> i32 {
    i32::from(second) << 16 | i32::from(first as u16)
}

/// Kernels that this processor has.
///
/// There is no other way to one than [`Kernels::all`], which looks; so the calls below are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kernels(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// With products that are added up in the same instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Calls a function of the module that belongs to the kernels at hand.
macro_rules! dispatch {
    ($kernels:expr, $function:ident ( $($argument:expr),* )) => {
        dispatch!($kernels, $function, $function ( $($argument),* ))
    };
    ($kernels:expr, $function:ident, $vnni:ident ( $($argument:expr),* )) => {{
        #[expect(
            unsafe_code,
            reason = "a value of each kind exists only where its instructions were found"
        )]
        match $kernels.0 {
            Kind::Portable => portable::$function($($argument),*),
            // SAFETY: `Kernels::all` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::$function($($argument),*) },
            // SAFETY: `Kernels::all` found AVX-512 F and BW.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::$function($($argument),*) },
            // SAFETY: `Kernels::all` found AVX-512 F, BW and VNNI.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => unsafe { avx512::$vnni($($argument),*) },
            // SAFETY: `Kernels::all` found NEON.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::$function($($argument),*) },
        }
    }};
}

impl Kernels {
    /// Returns the quickest kernels of this processor.
    pub(super) fn best() -> Self {
        let all = Self::all();
        all.last().copied().unwrap_or(Self(Kind::Portable))
    }

    /// Returns all kernels of this processor, the quickest last.
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self(Kind::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Self(Kind::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                all.push(Self(Kind::Avx512));
                if is_x86_feature_detected!("avx512vnni") {
                    all.push(Self(Kind::Avx512Vnni));
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Self(Kind::Neon));
        }
        all
    }

    /// Adds and subtracts rows of a table, `[rows, sums]`, to and from `sums`, wrapping around.
    #[inline]
    pub(super) fn add_rows(self, table: &[i16], change: Change<'_>, sums: &mut [i16]) {
        dispatch!(self, add_rows(table, change, sums));
    }

    /// Cuts sums in steps of 1/255, halved `finer` times, to `[0, 1]` and squares them: in steps of 16/255^2, rounded.
    #[inline]
    pub(super) fn square(self, sums: &[i16], finer: u32, out: &mut [i16]) {
        dispatch!(self, square(sums, finer, out));
    }

    /// Cuts sums in steps of 1/255, halved `finer` times, to `[0, 1]` and multiplies the first half by the second: in steps of 16/255^2, rounded.
    #[inline]
    pub(super) fn pair(self, sums: &[i16], finer: u32, out: &mut [i16]) {
        dispatch!(self, pair(sums, finer, out));
    }

    /// Applies a layer.
    #[inline]
    pub(super) fn apply(self, layer: &Dense, inputs: &[i16], outputs: &mut [i32]) {
        dispatch!(self, apply, apply_vnni(layer, inputs, outputs));
    }

    /// Multiplies `vector` with the sum of each move's rows of `table`, `[rows, vector]`: a number for each move.
    #[inline]
    pub(super) fn products(
        self,
        table: &[i16],
        vector: &[i16],
        moves: MoveRows<'_>,
        out: &mut [i32],
    ) {
        dispatch!(self, products(table, vector, moves, out));
    }
}
