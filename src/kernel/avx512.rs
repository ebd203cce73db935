//! Kernels for x86-64 with AVX-512, on registers of 256 bits: wider ones lower the clock of many
//! processors and save nothing where a result has to be folded into one word.
//!
//! The words of a register stand for the axes of step 1, 7, 8 and 9, in the order of the rays in
//! [`super::portable`].

// SAFETY: only methods of the token run instructions of the tier.
#![expect(unsafe_code, reason = "vector instructions; the twin is `portable`")]

use std::arch::x86_64::*;

use super::portable::{self, RAYS};
use super::{Avx2, Kernel, UNITS};

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

    /// The steps of the axes row, rising diagonal, column, falling diagonal, times `n`.
    #[inline(always)]
    fn steps(self, n: i64) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_setr_epi64x(n, 7 * n, 8 * n, 9 * n) }
    }

    /// Each word moved up by its own number of bits.
    #[inline(always)]
    fn up(self, words: __m256i, by: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_sllv_epi64(words, by) }
    }

    /// Each word moved down by its own number of bits.
    #[inline(always)]
    fn down(self, words: __m256i, by: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_srlv_epi64(words, by) }
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
    /// As the portable twin, all axes at once.
    #[inline(always)]
    fn mobility(self, own: u64, other: u64) -> u64 {
        // SAFETY: a value of the tier exists only where the processor has its features.
        let ends = unsafe {
            let inner = portable::INNER_COLUMNS as i64;
            let inner = _mm256_setr_epi64x(inner, inner, -1, inner);
            let crossable = _mm256_and_si256(_mm256_set1_epi64x(other as i64), inner);
            let own = _mm256_set1_epi64x(own as i64);
            let (one, two) = (self.steps(1), self.steps(2));
            let mut up = _mm256_and_si256(self.up(own, one), crossable);
            let mut down = _mm256_and_si256(self.down(own, one), crossable);
            up = self.longer(up, self.up(up, one), crossable);
            down = self.longer(down, self.down(down, one), crossable);
            // Pairs of crossable squares, to go on two at a time.
            let pairs_up = _mm256_and_si256(self.up(crossable, one), crossable);
            let pairs_down = self.down(pairs_up, one);
            up = self.longer(up, self.up(up, two), pairs_up);
            down = self.longer(down, self.down(down, two), pairs_down);
            up = self.longer(up, self.up(up, two), pairs_up);
            down = self.longer(down, self.down(down, two), pairs_down);
            _mm256_or_si256(self.up(up, one), self.down(down, one))
        };
        self.0.any(ends) & !(own | other)
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
    fn units(self, begin: &[i16; UNITS], rows: &[&[u8; UNITS]], worth: &[i16; UNITS]) -> i32 {
        self.0.units(begin, rows, worth)
    }

    /// As the portable twin, with all axes at once up to the discs that are safe by themselves.
    #[inline(always)]
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
        // SAFETY: a value of the tier exists only where the processor has its features.
        let safe = unsafe {
            let (one, two, four) = (self.steps(1), self.steps(2), self.steps(4));
            // The columns that a step up may enter, and a step down.
            let (not_first, not_last) = (portable::NOT_FIRST as i64, portable::NOT_LAST as i64);
            let into_up = _mm256_setr_epi64x(not_first, not_last, -1, not_first);
            let into_down = _mm256_setr_epi64x(not_last, not_first, -1, not_last);
            let playable = _mm256_set1_epi64x(playable as i64);
            let mut may_up = _mm256_and_si256(playable, into_up);
            let mut may_down = _mm256_and_si256(playable, into_down);
            let flanked = _mm256_and_si256(
                _mm256_and_si256(self.up(playable, one), into_up),
                _mm256_and_si256(self.down(playable, one), into_down),
            );

            let empties = _mm256_set1_epi64x(empties as i64);
            let mut up = self.longer(empties, self.up(empties, one), may_up);
            let mut down = self.longer(empties, self.down(empties, one), may_down);
            may_up = _mm256_and_si256(may_up, self.up(may_up, one));
            may_down = _mm256_and_si256(may_down, self.down(may_down, one));
            up = self.longer(up, self.up(up, two), may_up);
            down = self.longer(down, self.down(down, two), may_down);
            may_up = _mm256_and_si256(may_up, self.up(may_up, two));
            may_down = _mm256_and_si256(may_down, self.down(may_down, two));
            up = self.longer(up, self.up(up, four), may_up);
            down = self.longer(down, self.down(down, four), may_down);
            let open = _mm256_or_si256(up, down);

            let owner = _mm256_set1_epi64x(owner as i64);
            let safe = _mm256_andnot_si256(_mm256_and_si256(open, flanked), owner);
            let mut words = [0; 4];
            _mm256_storeu_si256(words.as_mut_ptr().cast(), safe);
            words
        };
        portable::anchored(owner, safe)
    }
}
