//! Kernels for x86-64 with AVX2.
//!
//! Shifts by a different number of bits in each word of a register would serve four axes at once,
//! but the first processors of AMD's Zen need four cycles for each, so the kernels here do
//! without: a board turned upside down by swapping its bytes turns steps towards lower indexes
//! into steps towards higher ones.

// SAFETY: only methods of the token run instructions of the tier.
#![expect(unsafe_code, reason = "vector instructions; the twin is `portable`")]

use std::arch::x86_64::*;

use super::portable;
use super::{Kernel, MOST_OF_UNIT, UNITS};

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

    /// A set in all four words.
    #[inline(always)]
    fn words(self, set: u64) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe { _mm256_set1_epi64x(set as i64) }
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
}

/// What a disc of `own` turns on a ray towards lower indexes.
#[inline(always)]
fn run_down(ray: u64, own: u64, other: u64) -> u64 {
    // Without any stop this looks at bit 63, which no such ray has.
    let highest = (1u64 << 63).wrapping_shr((ray & !other).leading_zeros());
    // All bits above the anchor; 0 stays 0.
    ((highest & own & ray) << 1).wrapping_neg() & ray
}

/// A step of the upright and the upside-down board side by side: where runs of crossable squares
/// end that begin beside one of ours.
macro_rules! ends {
    ($step:literal, $two_steps:literal, $own:expr, $crossable:expr) => {{
        let (own, crossable) = ($own, $crossable);
        let mut run = _mm_and_si128(_mm_slli_epi64::<$step>(own), crossable);
        run = _mm_or_si128(run, _mm_and_si128(_mm_slli_epi64::<$step>(run), crossable));
        // Pairs of crossable squares, to go on two at a time.
        let pairs = _mm_and_si128(_mm_slli_epi64::<$step>(crossable), crossable);
        run = _mm_or_si128(run, _mm_and_si128(_mm_slli_epi64::<$two_steps>(run), pairs));
        run = _mm_or_si128(run, _mm_and_si128(_mm_slli_epi64::<$two_steps>(run), pairs));
        _mm_slli_epi64::<$step>(run)
    }};
}

/// A step of the upright and the upside-down board side by side: a set, and the squares reached
/// from it through a set of squares that a step can enter.
macro_rules! spread {
    ($step:literal, $two_steps:literal, $four_steps:literal, $from:expr, $through:expr) => {{
        let (mut reached, mut through) = ($from, $through);
        reached = _mm_or_si128(reached, _mm_and_si128(_mm_slli_epi64::<$step>(reached), through));
        through = _mm_and_si128(through, _mm_slli_epi64::<$step>(through));
        reached = _mm_or_si128(reached, _mm_and_si128(_mm_slli_epi64::<$two_steps>(reached), through));
        through = _mm_and_si128(through, _mm_slli_epi64::<$two_steps>(through));
        _mm_or_si128(reached, _mm_and_si128(_mm_slli_epi64::<$four_steps>(reached), through))
    }};
}

/// What a square sees towards higher indexes (a step is 1, 7, 8, 9), and in the upside-down board
/// (none, 7, 8, 9).
#[repr(align(64))]
struct Sights([[u64; 8]; 64]);

static SIGHTS: Sights = Sights(sights());

/// What a square sees to the left.
static LEFT: [u64; 64] = left();

const fn sights() -> [[u64; 8]; 64] {
    let rays = portable::rays();
    let mut sights = [[0; 8]; 64];
    let mut index = 0;
    while index < 64 {
        let [right, down_left, down, down_right, _, up_right, up, up_left] = rays[index];
        sights[index] = [
            right,
            down_left,
            down,
            down_right,
            0,
            up_left.swap_bytes(),
            up.swap_bytes(),
            up_right.swap_bytes(),
        ];
        index += 1;
    }
    sights
}

const fn left() -> [u64; 64] {
    let rays = portable::rays();
    let mut left = [0; 64];
    let mut index = 0;
    while index < 64 {
        left[index] = rays[index][4];
        index += 1;
    }
    left
}

impl Avx2 {
    /// What a disc of `own` turns on rays towards higher indexes: the nearest square that is not
    /// an enemy is the lowest.
    #[inline(always)]
    fn runs_up(self, rays: __m256i, own: __m256i, other: __m256i) -> __m256i {
        // SAFETY: a value of the tier exists only where the processor has its features.
        unsafe {
            let none = _mm256_setzero_si256();
            let stops = _mm256_andnot_si256(other, rays);
            let lowest = _mm256_and_si256(stops, _mm256_sub_epi64(none, stops));
            let anchor = _mm256_and_si256(lowest, own);
            // One less, but 0 stays 0.
            let less_one = _mm256_add_epi64(anchor, _mm256_set1_epi64x(-1));
            let below = _mm256_sub_epi64(less_one, _mm256_cmpeq_epi64(anchor, none));
            _mm256_and_si256(below, rays)
        }
    }
}

impl Kernel for Avx2 {
    /// Rows in plain integers, next to the others in vectors.
    #[inline(always)]
    fn mobility(self, own: u64, other: u64) -> u64 {
        let rows = portable::ends_of_rows(own, other & portable::INNER_COLUMNS);
        // SAFETY: a value of the tier exists only where the processor has its features.
        let ends = unsafe {
            let both = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0);
            let own = _mm_shuffle_epi8(_mm_cvtsi64_si128(own as i64), both);
            let other = _mm_shuffle_epi8(_mm_cvtsi64_si128(other as i64), both);
            let inner = _mm_and_si128(other, _mm_set1_epi64x(portable::INNER_COLUMNS as i64));
            let diagonals = _mm_or_si128(ends!(7, 14, own, inner), ends!(9, 18, own, inner));
            let ends = _mm_or_si128(diagonals, ends!(8, 16, own, other));
            let upright = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm_cvtsi128_si64(_mm_or_si128(ends, _mm_shuffle_epi8(ends, upright))) as u64
        };
        (ends | rows) & !(own | other)
    }

    /// Seven rays in vectors, the one to the left in plain integers.
    #[inline(always)]
    fn flips(self, own: u64, other: u64, index: u32) -> u64 {
        let index = index as usize & 63;
        let left = run_down(LEFT[index], own, other);
        // SAFETY: a value of the tier exists only where the processor has its features. A row of
        // the table is 64 bytes, aligned to as many.
        let flips = unsafe {
            let rays = SIGHTS.0[index].as_ptr().cast::<__m256i>();
            let (down, up) = (_mm256_load_si256(rays), _mm256_load_si256(rays.add(1)));
            let down = self.runs_up(down, self.words(own), self.words(other));
            let up = self.runs_up(up, self.words(own.swap_bytes()), self.words(other.swap_bytes()));
            let upright = _mm256_broadcastsi128_si256(_mm_set_epi8(
                8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
            ));
            _mm256_or_si256(down, _mm256_shuffle_epi8(up, upright))
        };
        self.any(flips) | left
    }

    /// As the portable twin; a sum of bytes gathers both diagonals.
    #[inline(always)]
    fn last_flips(self, own: u64, index: u32) -> u32 {
        let diagonals = &portable::DIAGONALS[index as usize & 63];
        // SAFETY: a value of the tier exists only where the processor has its features. A row of
        // the table is 16 bytes.
        let [rising, falling] = unsafe {
            let diagonals = _mm_loadu_si128(diagonals.as_ptr().cast());
            let ours = _mm_and_si128(_mm_set1_epi64x(own as i64), diagonals);
            let sums = _mm_sad_epu8(ours, _mm_setzero_si128());
            [_mm_extract_epi16::<0>(sums) as u64, _mm_extract_epi16::<4>(sums) as u64]
        };
        portable::last_flips_of(own, index, rising, falling)
    }

    /// Openness spreads as in mobility; the discs that are anchored to others are found in plain
    /// integers.
    #[inline(always)]
    fn stable(self, owner: u64, empties: u64, playable: u64) -> u64 {
        let row = portable::open::<1>(empties, playable, portable::NOT_FIRST, portable::NOT_LAST);
        // SAFETY: a value of the tier exists only where the processor has its features.
        let [rising, column, falling] = unsafe {
            let both = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0);
            let empties = _mm_shuffle_epi8(_mm_cvtsi64_si128(empties as i64), both);
            let playable = _mm_shuffle_epi8(_mm_cvtsi64_si128(playable as i64), both);
            let into_left = _mm_and_si128(playable, _mm_set1_epi64x(portable::NOT_LAST as i64));
            let into_right = _mm_and_si128(playable, _mm_set1_epi64x(portable::NOT_FIRST as i64));
            let to_left = spread!(7, 14, 28, empties, into_left);
            let straight = spread!(8, 16, 32, empties, playable);
            let to_right = spread!(9, 18, 36, empties, into_right);
            // Upside down, a diagonal is of the other kind.
            let upright = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15);
            let rising = _mm_or_si128(to_left, _mm_shuffle_epi8(to_right, upright));
            let column = _mm_or_si128(straight, _mm_shuffle_epi8(straight, upright));
            let falling = _mm_or_si128(to_right, _mm_shuffle_epi8(to_left, upright));
            [rising, column, falling].map(|lines| _mm_cvtsi128_si64(lines) as u64)
        };
        let (rightmost, leftmost) = (playable & portable::NOT_LAST, playable & portable::NOT_FIRST);
        let rising = rising & (leftmost << 7 & rightmost >> 7);
        let column = column & (playable << 8 & playable >> 8);
        let falling = falling & (rightmost << 9 & leftmost >> 9);
        portable::anchored(owner, [row, rising, column, falling].map(|open| owner & !open))
    }

    /// Sixteen units in a register.
    #[inline(always)]
    fn units(self, begin: &[i16; UNITS], rows: &[&[u8; UNITS]], worth: &[i16; UNITS]) -> i32 {
        // SAFETY: a value of the tier exists only where the processor has its features. Rows are 32
        // bytes, the others 64.
        unsafe {
            let halves = |numbers: &[i16; UNITS]| {
                let numbers = numbers.as_ptr().cast::<__m256i>();
                [_mm256_loadu_si256(numbers), _mm256_loadu_si256(numbers.add(1))]
            };
            let [mut left, mut right] = halves(begin);
            for row in rows {
                let row = row.as_ptr().cast::<__m128i>();
                left = _mm256_add_epi16(left, _mm256_cvtepi8_epi16(_mm_loadu_si128(row)));
                right = _mm256_add_epi16(right, _mm256_cvtepi8_epi16(_mm_loadu_si128(row.add(1))));
            }
            let squares = |sums: __m256i| {
                let held = _mm256_max_epi16(sums, _mm256_setzero_si256());
                let held = _mm256_min_epi16(held, _mm256_set1_epi16(MOST_OF_UNIT));
                // The upper half of the square of 64 times as much.
                let held = _mm256_slli_epi16::<6>(held);
                _mm256_mulhi_epi16(held, held)
            };
            let [left_worth, right_worth] = halves(worth);
            let sums = _mm256_add_epi32(
                _mm256_madd_epi16(squares(left), left_worth),
                _mm256_madd_epi16(squares(right), right_worth),
            );
            let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b00_00_11_10>(sums));
            _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32::<0b00_00_00_01>(sums)))
        }
    }
}
