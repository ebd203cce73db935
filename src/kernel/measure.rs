//! Runs of a kernel over many boards, for those who time it.
//!
//! Knows no clock: it does the work and tells what came out, which has to be the same on every
//! tier.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use super::{Kernel, Portable, Tier, UNITS, for_every_tier, on_tier, stamped};

/// One of the methods of [`Kernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// [`Kernel::mobility`]
    Mobility,
    /// [`Kernel::flips`]
    Flips,
    /// [`Kernel::last_flips`]
    LastFlips,
    /// [`Kernel::stable`]
    Stable,
    /// [`Kernel::units`]
    Units,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 5] = [
        Operation::Mobility,
        Operation::Flips,
        Operation::LastFlips,
        Operation::Stable,
        Operation::Units,
    ];

    /// One word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Mobility => "mobility",
            Operation::Flips => "flips",
            Operation::LastFlips => "last_flips",
            Operation::Stable => "stable",
            Operation::Units => "units",
        }
    }
}

/// An 8x8 board: the discs of both sides, and a square for the operations that need one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    own: u64,
    other: u64,
    index: u32,
}

/// The same random boards every time, from sparse to full.
#[must_use]
pub fn samples(n: usize) -> Vec<Sample> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // xorshift64*
    let mut random = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let sample = |n| {
        let (ours, one, two) = (random(), random(), random());
        let index = (random() >> 58) as u32;
        let discs = match n % 4 {
            0 => one & two,
            1 => one,
            2 => one | two,
            _ => one | two | random() | random(),
        };
        let discs = discs & !(1 << index);
        Sample { own: discs & ours, other: discs & !ours, index }
    };
    (0..n).map(sample).collect()
}

/// Does an operation on every board by the code of a tier (the portable one if the processor
/// lacks the tier), and mixes the results into one number.
#[must_use]
pub fn run(tier: Tier, operation: Operation, samples: &[Sample]) -> u64 {
    on_tier!(tier, kernel => match operation {
        Operation::Mobility => kernel.mobility_of_all(samples),
        Operation::Flips => kernel.flips_of_all(samples),
        Operation::LastFlips => kernel.last_flips_of_all(samples),
        Operation::Stable => kernel.stable_of_all(samples),
        Operation::Units => kernel.units_of_all(samples),
    })
}

/// The runs as machine code of a tier.
trait Runs: Kernel {
    fn mobility_of_all(self, samples: &[Sample]) -> u64;
    fn flips_of_all(self, samples: &[Sample]) -> u64;
    fn last_flips_of_all(self, samples: &[Sample]) -> u64;
    fn stable_of_all(self, samples: &[Sample]) -> u64;
    fn units_of_all(self, samples: &[Sample]) -> u64;
}

/// Rows of a net, drawn once.
static ROWS: [[u8; UNITS]; N_ROWS] = {
    let mut rows = [[0; UNITS]; N_ROWS];
    let (mut state, mut at) = (1_u32, 0);
    while at < N_ROWS * UNITS {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        rows[at / UNITS][at % UNITS] = ((state >> 24) as i8 / 8) as u8;
        at += 1;
    }
    rows
};
const N_ROWS: usize = 1024;
/// Rows of a layer, as many as the net of the evaluation adds up.
pub(crate) const N_ADDED: usize = 38;

/// A layer of rows that the board decides.
#[inline(always)]
fn layer<K: Kernel>(kernel: K, sample: &Sample) -> u64 {
    let row = |n: usize| {
        let at = (sample.own ^ sample.other.rotate_left(29)).rotate_left(n as u32);
        &ROWS[at as usize % N_ROWS]
    };
    let rows: [&[u8; UNITS]; N_ADDED] = std::array::from_fn(row);
    kernel.units(&[128; UNITS], &rows, &[100; UNITS]) as u64
}

/// One result after the other: without this chain the compiler would do several boards at once.
#[inline(always)]
fn mixed(sum: u64, result: u64) -> u64 {
    sum.rotate_left(1) ^ result
}

macro_rules! stamp {
    ($tier:ident, $features:tt) => {
        impl Runs for $tier {
            fn mobility_of_all(self, samples: &[Sample]) -> u64 {
                stamped!($features (kernel: $tier = self, samples: &[Sample] = samples) -> u64 {
                    samples.iter().fold(0, |sum, s| mixed(sum, kernel.mobility(s.own, s.other)))
                })
            }

            fn flips_of_all(self, samples: &[Sample]) -> u64 {
                stamped!($features (kernel: $tier = self, samples: &[Sample] = samples) -> u64 {
                    samples.iter().fold(0, |sum, s| mixed(sum, kernel.flips(s.own, s.other, s.index)))
                })
            }

            fn last_flips_of_all(self, samples: &[Sample]) -> u64 {
                stamped!($features (kernel: $tier = self, samples: &[Sample] = samples) -> u64 {
                    samples
                        .iter()
                        .fold(0, |sum, s| mixed(sum, u64::from(kernel.last_flips(s.own, s.index))))
                })
            }

            fn stable_of_all(self, samples: &[Sample]) -> u64 {
                stamped!($features (kernel: $tier = self, samples: &[Sample] = samples) -> u64 {
                    samples.iter().fold(0, |sum, s| {
                        mixed(sum, kernel.stable(s.own, !(s.own | s.other), !0))
                    })
                })
            }

            fn units_of_all(self, samples: &[Sample]) -> u64 {
                stamped!($features (kernel: $tier = self, samples: &[Sample] = samples) -> u64 {
                    samples.iter().fold(0, |sum, s| mixed(sum, layer(kernel, s)))
                })
            }
        }
    };
}
for_every_tier!(stamp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tier_gives_the_same_number() {
        let samples = samples(1000);
        for operation in Operation::ALL {
            let expected = run(Tier::Portable, operation, &samples);
            for tier in Tier::all_here() {
                assert_eq!(run(tier, operation, &samples), expected, "{operation:?} {tier}");
            }
        }
    }
}
