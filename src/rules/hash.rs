//! Reproducible random numbers and hashes of positions.
//!
//! Knows numbers only. Must not know what is drawn or looked up with them.

use super::bits::Bits;

/// The SplitMix64 generator: a seed gives the same numbers in any implementation.
///
/// ```
/// let mut random = outflank::rules::SplitMix64::new(0);
/// assert_eq!(random.next_u64(), 0xe220_a839_7b1d_cdaf);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator whose first state is the seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `n`: `floor(r * n / 2^64)` of the next output `r`.
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }
}

const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A 64-bit hash of a position from the mover's view, for tables. All bits are
/// usable. The same on every machine.
#[inline]
pub fn hash<B: Bits>(own: B, other: B) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    // Only as many words as the width has; the loops unroll.
    let n_words = (B::COLUMNS * B::ROWS).div_ceil(64) as usize;
    for word in own.words().into_iter().take(n_words) {
        sum = fold(sum ^ word, 0xa076_1d64_78bd_642f);
    }
    for word in other.words().into_iter().take(n_words) {
        sum = fold(sum ^ word, 0xe703_7ed1_a0b4_28db);
    }
    sum ^ (sum >> 32)
}

/// Both halves of the 128-bit product, so that every input bit reaches both ends.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64) ^ a.rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_near_positions_differ_in_high_and_low_bits() {
        let mut low = std::collections::HashSet::new();
        let mut high = std::collections::HashSet::new();
        for own in 0..64 {
            for other in 0..64 {
                let hash = hash::<u64>(1 << own, 1 << other);
                low.insert(hash as u32);
                high.insert((hash >> 32) as u32);
            }
        }
        assert!(low.len() > 4090 && high.len() > 4090, "{} {}", low.len(), high.len());
    }
}
