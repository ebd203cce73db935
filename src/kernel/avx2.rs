//! Kernels for x86-64 with AVX2: four axes side by side in the four words of a register.
//!
//! The words of a register stand for the axes of step 1, 7, 8 and 9, in the order of the rays in
//! [`super::portable`].

#![expect(unsafe_code, reason = "vector instructions; the twin is `portable`")]

use std::arch::x86_64::*;

use super::Kernel;
use super::portable::{self, RAYS};

/// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT. A value exists only on such a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    /// The tier, if this processor has it.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let is_here = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        is_here.then_some(Self(()))
    }

    /// The steps of the four axes, times `n`.
    #[inline(always)]
    pub(super) fn steps(self, n: i64) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_setr_epi64x(n, 7 * n, 8 * n, 9 * n) }
    }

    /// Each word moved up by its own number of bits.
    #[inline(always)]
    pub(super) fn up(self, words: __m256i, by: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_sllv_epi64(words, by) }
    }

    /// Each word moved down by its own number of bits.
    #[inline(always)]
    pub(super) fn down(self, words: __m256i, by: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_srlv_epi64(words, by) }
    }

    /// `run`, and the squares of `through` that `moved` holds.
    #[inline(always)]
    fn longer(self, run: __m256i, moved: __m256i, through: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_or_si256(run, _mm256_and_si256(moved, through)) }
    }

    /// What is in any of the four words.
    #[inline(always)]
    pub(super) fn any(self, words: __m256i) -> u64 {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe {
            let half = _mm_or_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        }
    }

    /// What is in all of the four words.
    #[inline(always)]
    pub(super) fn all(self, words: __m256i) -> u64 {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe {
            let half =
                _mm_and_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_cvtsi128_si64(_mm_and_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        }
    }
}

impl Kernel for Avx2 {
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
        self.any(ends) & !(own | other)
    }

    /// The nearest square of a ray that is not an enemy decides. Towards higher indexes it is the
    /// lowest; towards lower ones, whose owner has the highest stop is told by comparing numbers,
    /// and what lies beyond it is shaded along the ray.
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
            let none = _mm256_setzero_si256();

            let stops = _mm256_andnot_si256(other, higher);
            let lowest = _mm256_and_si256(stops, _mm256_sub_epi64(none, stops));
            let anchor = _mm256_and_si256(lowest, own);
            // One less, but 0 stays 0.
            let below = _mm256_sub_epi64(
                _mm256_add_epi64(anchor, _mm256_set1_epi64x(-1)),
                _mm256_cmpeq_epi64(anchor, none),
            );
            let up = _mm256_and_si256(below, higher);

            let stops = _mm256_andnot_si256(other, lower);
            // No ray towards lower indexes has bit 63, the sign.
            let is_ours =
                _mm256_cmpgt_epi64(_mm256_and_si256(stops, own), _mm256_andnot_si256(own, stops));
            let mut shade = _mm256_or_si256(stops, self.down(stops, self.steps(1)));
            shade = _mm256_or_si256(shade, self.down(shade, self.steps(2)));
            shade = _mm256_or_si256(shade, self.down(shade, self.steps(4)));
            let down = _mm256_and_si256(_mm256_andnot_si256(shade, lower), is_ours);
            _mm256_or_si256(up, down)
        };
        self.any(flips)
    }

    #[inline(always)]
    fn last_flips(self, own: u64, index: u32) -> u32 {
        portable::last_flips(own, index)
    }

    /// As the portable twin, all axes at once; openness spreads by doubling.
    #[inline(always)]
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe {
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

            let all_ours = _mm256_set1_epi64x(owner as i64);
            let safe = _mm256_andnot_si256(_mm256_and_si256(open, flanked), all_ours);
            let mut found = self.all(safe);
            // Everything else can only be anchored to what is found.
            while found != 0 {
                let anchors = _mm256_set1_epi64x(found as i64);
                let mut safer = self.longer(safe, self.up(anchors, one), into_up);
                safer = self.longer(safer, self.down(anchors, one), into_down);
                let wider = self.all(safer) & owner;
                if wider == found {
                    break;
                }
                found = wider;
            }
            found
        }
    }
}
