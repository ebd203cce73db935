//! Kernels for x86-64 with AVX-512, on registers of 256 bits: wider ones lower the clock of many
//! processors and save nothing where a result has to be folded into one word.
//!
//! The words of a register stand for the axes of step 1, 7, 8 and 9, in the order of the rays in
//! [`super::portable`].

#![expect(unsafe_code, reason = "vector instructions; the twin is `portable`")]

use std::arch::x86_64::*;

use super::portable::{self, RAYS};
use super::{Avx2, Kernel};

/// x86-64 with AVX2, BMI1, BMI2, LZCNT, POPCNT and AVX-512 F, VL and CD. A value exists only on
/// such a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(Avx2);

impl Avx512 {
    /// The tier, if this processor has it.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let is_here = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        Avx2::detect().filter(|_| is_here).map(Self)
    }

    /// `run`, and the squares of `through` that `moved` holds.
    #[inline(always)]
    fn longer(self, run: __m256i, moved: __m256i, through: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_ternarylogic_epi64::<A_OR_BOTH>(run, moved, through) }
    }
}

/// Truth tables of three inputs, told by the bits that each has in all eight cases.
const A: i32 = 0b1111_0000;
const B: i32 = 0b1100_1100;
const C: i32 = 0b1010_1010;
/// `a | b & c`
const A_OR_BOTH: i32 = A | B & C;
/// `!a & b & c`
const NOT_A_BUT_BOTH: i32 = !A & B & C;
/// `a | !b & c`
const A_OR_C_WITHOUT_B: i32 = (A | !B & C) & 0xff;

impl Kernel for Avx512 {
    #[inline(always)]
    fn mobility(self, own: u64, other: u64) -> u64 {
        let tier = self.0;
        // SAFETY: a value of the tier exists only where the processor has its features.
        let ends = unsafe {
            let inner = portable::INNER_COLUMNS as i64;
            let inner = _mm256_setr_epi64x(inner, inner, -1, inner);
            let crossable = _mm256_and_si256(_mm256_set1_epi64x(other as i64), inner);
            let own = _mm256_set1_epi64x(own as i64);
            let (one, two) = (tier.steps(1), tier.steps(2));
            let mut up = _mm256_and_si256(tier.up(own, one), crossable);
            let mut down = _mm256_and_si256(tier.down(own, one), crossable);
            up = self.longer(up, tier.up(up, one), crossable);
            down = self.longer(down, tier.down(down, one), crossable);
            // Pairs of crossable squares, to go on two at a time.
            let pairs_up = _mm256_and_si256(tier.up(crossable, one), crossable);
            let pairs_down = tier.down(pairs_up, one);
            up = self.longer(up, tier.up(up, two), pairs_up);
            down = self.longer(down, tier.down(down, two), pairs_down);
            up = self.longer(up, tier.up(up, two), pairs_up);
            down = self.longer(down, tier.down(down, two), pairs_down);
            _mm256_or_si256(tier.up(up, one), tier.down(down, one))
        };
        tier.any(ends) & !(own | other)
    }

    /// The nearest square of a ray that is not an enemy decides; where it is not ours, the ray is
    /// masked out.
    #[inline(always)]
    fn flips(self, own: u64, other: u64, index: u32) -> u64 {
        let rays = &RAYS.0[index as usize & 63];
        // SAFETY: a value of the tier exists only where the processor has its features. A row of
        // the table is 64 bytes, aligned to as many.
        let flips = unsafe {
            let rays = rays.as_ptr().cast::<__m256i>();
            let (higher, lower) = (_mm256_load_si256(rays), _mm256_load_si256(rays.add(1)));
            let own = _mm256_set1_epi64x(own as i64);
            let other = _mm256_set1_epi64x(other as i64);
            let all = _mm256_set1_epi64x(-1);

            let stops = _mm256_andnot_si256(other, higher);
            let negative = _mm256_sub_epi64(_mm256_setzero_si256(), stops);
            let is_ours = _mm256_test_epi64_mask(_mm256_and_si256(stops, own), negative);
            let less_one = _mm256_add_epi64(stops, all);
            let up = _mm256_maskz_ternarylogic_epi64::<NOT_A_BUT_BOTH>(is_ours, stops, less_one, higher);

            // Without any stop the shifts are by 64, and leave nothing.
            let stops = _mm256_lzcnt_epi64(_mm256_andnot_si256(other, lower));
            let highest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), stops);
            let is_ours = _mm256_test_epi64_mask(highest, own);
            let shade = _mm256_srlv_epi64(all, stops);
            _mm256_mask_ternarylogic_epi64::<A_OR_C_WITHOUT_B>(up, is_ours, shade, lower)
        };
        self.0.any(flips)
    }

    #[inline(always)]
    fn last_flips(self, own: u64, index: u32) -> u32 {
        self.0.last_flips(own, index)
    }

    #[inline(always)]
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
        self.0.stable(owner, empties, playable)
    }
}
