//! Kernels: the innermost operations on one 64-bit set of squares, and on the units of a small net,
//! written once for each kind of processor.
//!
//! A leaf: it knows bits of an 8x8 board, rows of numbers and what the processor can do, and no
//! game. Bit `row * 8 + column` is a square. Squares that do not exist are in neither set of discs
//! and so end every ray; a caller takes them out of [`Kernel::mobility`] with its playable mask.
//!
//! A tier is a value of a type that exists only where the processor has what the tier needs, so
//! whoever holds one may call its code. Hot code is generic over the tier, `#[inline(always)]`
//! throughout, and becomes machine code of the tier where `stamped!` closes over it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod measure;
pub mod portable;
pub(crate) mod rays;
mod tier;

use std::fmt::Debug;

#[cfg(target_arch = "x86_64")]
pub use self::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use self::avx512::Avx512;
pub use self::tier::{Tier, TierMissing};

/// Units of a net.
pub const UNITS: usize = 32;

/// What a unit is held to from above: 64 times as much fits 16 bits.
pub const MOST_OF_UNIT: i16 = 510;

/// The innermost operations on a tier of processors.
pub trait Kernel: Copy + Debug + Send + Sync + 'static {
    /// The squares without a disc from which `own` turns at least one disc of `other`. Squares
    /// that do not exist may be among them.
    fn mobility(self, own: u64, other: u64) -> u64;

    /// The discs of `other` that a disc of `own` on the square (0 to 63) turns. Whether the
    /// square is free is not looked at.
    fn flips(self, own: u64, other: u64, index: u32) -> u64;

    /// How many discs are turned when `own` takes the last empty square of a full 8x8 board:
    /// every other square that is not `own` holds an enemy.
    fn last_flips(self, own: u64, index: u32) -> u32;

    /// Some of the discs of `owner` that can never be flipped; not all that are stable are found,
    /// but all that are found are stable.
    ///
    /// A disc is safe on an axis when no empty square is left on its line (a hole ends a line),
    /// when a neighbour on the axis is missing, or when a neighbour on the axis is a stable disc
    /// of its own colour: a run that flips the disc would have to flip that neighbour too.
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64;

    /// The output of a layer of units: rows, of numbers from -128 to 127 in two's complement,
    /// are added to what each unit begins with (16 bits, wrapping around), the sums are held
    /// between 0 and [`MOST_OF_UNIT`], squared and divided by 16, and these are added up by
    /// worth. The caller sees to it that the result fits.
    fn units(self, begin: &[i16; UNITS], rows: &[&[u8; UNITS]], worth: &[i16; UNITS]) -> i32;
}

/// Plain integer arithmetic, on every processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn mobility(self, own: u64, other: u64) -> u64 {
        portable::mobility(own, other)
    }

    #[inline(always)]
    fn flips(self, own: u64, other: u64, index: u32) -> u64 {
        portable::flips(own, other, index)
    }

    #[inline(always)]
    fn last_flips(self, own: u64, index: u32) -> u32 {
        portable::last_flips(own, index)
    }

    #[inline(always)]
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
        portable::stable(owner, empties, playable)
    }

    #[inline(always)]
    fn units(self, begin: &[i16; UNITS], rows: &[&[u8; UNITS]], worth: &[i16; UNITS]) -> i32 {
        portable::units(begin, rows, worth)
    }
}

/// Runs a block as machine code of a tier: `stamped!([features] (token: Tier = value, name: Type =
/// value, ...) -> Result { block })`. The block sees the names, and everything in it that is
/// `#[inline(always)]` is compiled with the features.
macro_rules! stamped {
    ([$($feature:literal),*] ($token:ident: $tier:ty = $holder:expr $(, $name:ident: $ty:ty = $value:expr)* $(,)?) -> $result:ty $body:block) => {{
        $(#[target_feature(enable = $feature)])*
        #[allow(clippy::too_many_arguments)]
        fn stamped($token: $tier, $($name: $ty),*) -> $result $body
        #[allow(unused_unsafe, unsafe_code)]
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe {
            stamped($holder, $($value),*)
        }
    }};
}
pub(crate) use stamped;

/// Calls a macro as `name!(Token, [features])` for every tier there is code for, so that it can
/// implement a trait whose methods are `stamped!`.
macro_rules! for_every_tier {
    ($name:ident) => {
        $name!(Portable, []);
        #[cfg(target_arch = "x86_64")]
        $name!(Avx2, ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]);
        #[cfg(target_arch = "x86_64")]
        $name!(Avx512, ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "avx512f", "avx512vl", "avx512cd"]);
    };
}
pub(crate) use for_every_tier;

/// `on_tier!(tier, kernel => expression)`: the expression with the token of a tier; with the
/// portable one where the processor lacks the tier.
macro_rules! on_tier {
    ($tier:expr, $kernel:ident => $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            use $crate::kernel::{Avx2, Avx512, Portable, Tier};
            let tier: Tier = $tier;
            if let Some($kernel) = Avx512::detect().filter(|_| tier == Tier::Avx512) {
                $body
            } else if let Some($kernel) = Avx2::detect().filter(|_| tier == Tier::Avx2) {
                $body
            } else {
                let $kernel = Portable;
                $body
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _: $crate::kernel::Tier = $tier;
            let $kernel = $crate::kernel::Portable;
            $body
        }
    }};
}
pub(crate) use on_tier;

#[cfg(test)]
mod tests;
