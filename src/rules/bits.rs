//! Sets of squares as bits of one machine number, in three widths.
//!
//! Knows how a square of the 16×16 numbering maps to a bit of each width and
//! how bits shift without running around the edge. Must not know discs or rules.
//!
//! A board lives in the smallest width it fits, always from the top left
//! corner, so a 6×6 board uses 6 of the 8 columns of a `u64`.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::rays;
use super::square::{Square, SquareSet};

/// The widths are these three; tables rely on their being plain integers.
mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
    impl Sealed for super::U256 {}
}

/// A set of squares in one of the widths 8×8 (`u64`), 11×11 (`u128`) and
/// 16×16 ([`U256`]). Bit `row * COLUMNS + column` is a square. No other type
/// can implement it.
pub trait Bits:
    sealed::Sealed
    + Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// Columns, and so the distance from a square to the one below it.
    const COLUMNS: u32;
    /// Rows.
    const ROWS: u32;
    /// No square.
    const EMPTY: Self;
    /// Every square of the width.
    const ALL: Self;
    /// All but the first column.
    const NOT_FIRST: Self;
    /// All but the last column.
    const NOT_LAST: Self;
    /// All but the first and the last column: a disc elsewhere cannot be
    /// turned by a ray that changes column.
    const INNER: Self;

    /// The set of one square.
    fn bit(index: u32) -> Self;
    /// The number of squares.
    fn count(self) -> u32;
    /// Whether there is no square.
    fn is_empty(self) -> bool;
    /// The lowest index. Meaningless for the empty set.
    fn first(self) -> u32;
    /// The set without its lowest square.
    #[must_use]
    fn without_first(self) -> Self;
    /// Every square moved by `n` indexes up (`n` below 128); squares may fall off.
    #[must_use]
    fn up(self, n: u32) -> Self;
    /// Every square moved by `n` indexes down (`n` below 128); squares may fall off.
    #[must_use]
    fn down(self, n: u32) -> Self;
    /// The bits as words, lowest first.
    fn words(self) -> [u64; 4];
    /// The same squares in the 16×16 numbering.
    fn to_set(self) -> SquareSet;
    /// The squares of the set that exist in this width.
    fn from_set(set: SquareSet) -> Self;

    /// Squares where `own` may play: see [`super::flips::mobility`].
    fn mobility(own: Self, other: Self, playable: Self) -> Self;
    /// Discs turned: see [`super::flips::flips`].
    fn flips(own: Self, other: Self, index: u32) -> Self;

    /// Whether the square is in the set.
    #[inline]
    fn has(self, index: u32) -> bool {
        !(self & Self::bit(index)).is_empty()
    }

    /// The indexes, lowest first.
    #[inline]
    fn iter(self) -> Indexes<Self> {
        Indexes(self)
    }

    /// The index of a square, which must exist in this width.
    #[inline]
    fn index_of(square: Square) -> u32 {
        debug_assert!(Self::holds(square), "{square} is outside the width");
        u32::from(square.row()) * Self::COLUMNS + u32::from(square.column())
    }

    /// Whether the square exists in this width.
    #[inline]
    fn holds(square: Square) -> bool {
        u32::from(square.column()) < Self::COLUMNS && u32::from(square.row()) < Self::ROWS
    }

    /// The square of an index.
    #[inline]
    fn square_of(index: u32) -> Square {
        debug_assert!(index < Self::COLUMNS * Self::ROWS);
        // Rows and columns are below 16.
        Square::from_index((index / Self::COLUMNS * 16 + index % Self::COLUMNS) as u8)
    }

    /// Every square moved one step in a direction, clockwise from 0 = one
    /// column right, 2 = one row down, 4 = left, 6 = up, odd ones between;
    /// what leaves the width is gone.
    #[inline]
    #[must_use]
    fn shift(self, direction: u32) -> Self {
        let moved = match direction {
            0 => (self & Self::NOT_LAST).up(1),
            1 => (self & Self::NOT_LAST).up(Self::COLUMNS + 1),
            2 => self.up(Self::COLUMNS),
            3 => (self & Self::NOT_FIRST).up(Self::COLUMNS - 1),
            4 => (self & Self::NOT_FIRST).down(1),
            5 => (self & Self::NOT_FIRST).down(Self::COLUMNS + 1),
            6 => self.down(Self::COLUMNS),
            _ => (self & Self::NOT_LAST).down(Self::COLUMNS - 1),
        };
        moved & Self::ALL
    }

    /// The squares next to those of the set in any of the eight directions.
    #[inline]
    #[must_use]
    fn neighbours(self) -> Self {
        let beside = self.shift(0) | self.shift(4);
        let rows = self | beside;
        beside | rows.shift(2) | rows.shift(6)
    }
}

/// Iterator over the indexes of a set, lowest first.
#[derive(Clone, Debug)]
pub struct Indexes<B>(B);

impl<B: Bits> Iterator for Indexes<B> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.first();
        self.0 = self.0.without_first();
        Some(index)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count() as usize;
        (left, Some(left))
    }
}

impl Bits for u64 {
    const COLUMNS: u32 = 8;
    const ROWS: u32 = 8;
    const EMPTY: Self = 0;
    const ALL: Self = !0;
    const NOT_FIRST: Self = 0xfefe_fefe_fefe_fefe;
    const NOT_LAST: Self = 0x7f7f_7f7f_7f7f_7f7f;
    const INNER: Self = 0x7e7e_7e7e_7e7e_7e7e;

    #[inline]
    fn bit(index: u32) -> Self {
        1 << index
    }

    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn is_empty(self) -> bool {
        self == 0
    }

    #[inline]
    fn first(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline]
    fn without_first(self) -> Self {
        self & self.wrapping_sub(1)
    }

    #[inline]
    fn up(self, n: u32) -> Self {
        self.checked_shl(n).unwrap_or(0)
    }

    #[inline]
    fn down(self, n: u32) -> Self {
        self.checked_shr(n).unwrap_or(0)
    }

    #[inline]
    fn words(self) -> [u64; 4] {
        [self, 0, 0, 0]
    }

    #[inline]
    fn to_set(self) -> SquareSet {
        SquareSet::from_bits(
            U256 { low: spread_rows(self as u32), high: spread_rows((self >> 32) as u32) }
                .join_halves_of_four_rows(),
        )
    }

    #[inline]
    fn from_set(set: SquareSet) -> Self {
        gather_rows(set.bits().low)
    }

    #[inline]
    fn mobility(own: Self, other: Self, playable: Self) -> Self {
        crate::kernel::portable::mobility(own, other) & playable
    }

    #[inline]
    fn flips(own: Self, other: Self, index: u32) -> Self {
        crate::kernel::portable::flips(own, other, index)
    }
}

/// Four rows of 8 squares to four rows of 16.
#[inline]
fn spread_rows(rows: u32) -> u128 {
    let rows = u64::from(rows);
    let rows = (rows | rows << 16) & 0x0000_ffff_0000_ffff;
    u128::from((rows | rows << 8) & 0x00ff_00ff_00ff_00ff)
}

/// The first eight columns of eight rows of 16 squares.
#[inline]
fn gather_rows(rows: u128) -> u64 {
    let half = |rows: u64| {
        let rows = rows & 0x00ff_00ff_00ff_00ff;
        let rows = (rows | rows >> 8) & 0x0000_ffff_0000_ffff;
        (rows | rows >> 16) & 0x0000_0000_ffff_ffff
    };
    half(rows as u64) | half((rows >> 64) as u64) << 32
}

const fn eleven_rows(row: u128) -> u128 {
    let mut rows = 0;
    let mut n = 0;
    while n < 11 {
        rows |= row << (11 * n);
        n += 1;
    }
    rows
}

impl Bits for u128 {
    const COLUMNS: u32 = 11;
    const ROWS: u32 = 11;
    const EMPTY: Self = 0;
    const ALL: Self = eleven_rows(0x7ff);
    const NOT_FIRST: Self = eleven_rows(0x7fe);
    const NOT_LAST: Self = eleven_rows(0x3ff);
    const INNER: Self = eleven_rows(0x3fe);

    #[inline(always)]
    fn bit(index: u32) -> Self {
        1 << index
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == 0
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.trailing_zeros()
    }

    #[inline(always)]
    fn without_first(self) -> Self {
        self & self.wrapping_sub(1)
    }

    #[inline(always)]
    fn up(self, n: u32) -> Self {
        self << n
    }

    #[inline(always)]
    fn down(self, n: u32) -> Self {
        self >> n
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        [self as u64, (self >> 64) as u64, 0, 0]
    }

    #[inline(always)]
    fn to_set(self) -> SquareSet {
        let row = |n: u32| (self >> (11 * n)) & 0x7ff;
        let low = (0..8).fold(0, |rows, n| rows | row(n) << (16 * n));
        let high = (8..11).fold(0, |rows, n| rows | row(n) << (16 * (n - 8)));
        SquareSet::from_bits(U256 { low, high })
    }

    #[inline(always)]
    fn from_set(set: SquareSet) -> Self {
        let U256 { low, high } = set.bits();
        let upper = (0..8).fold(0, |rows, n| rows | ((low >> (16 * n)) & 0x7ff) << (11 * n));
        (8..11).fold(upper, |rows, n| rows | ((high >> (16 * (n - 8))) & 0x7ff) << (11 * n))
    }

    #[inline(always)]
    fn mobility(own: Self, other: Self, playable: Self) -> Self {
        let inner = two_words(other & Self::INNER);
        let ends = rays::ends_of_runs::<2, 11>(two_words(own), two_words(other), inner);
        from_two_words(ends) & playable & !(own | other)
    }

    #[inline(always)]
    fn flips(own: Self, other: Self, index: u32) -> Self {
        let (own, other) = (two_words(own), two_words(other));
        let rays = &rays::SEEN_11[index as usize];
        // A place that is known to the compiler saves it the words that the rays never reach.
        from_two_words(match index / 64 {
            0 => rays::runs_to_own::<2, 11>(rays, own, other, 0),
            _ => rays::runs_to_own::<2, 11>(rays, own, other, 1),
        })
    }
}

#[inline(always)]
fn two_words(set: u128) -> [u64; 2] {
    [set as u64, (set >> 64) as u64]
}

#[inline(always)]
fn from_two_words([low, high]: [u64; 2]) -> u128 {
    u128::from(low) | u128::from(high) << 64
}

/// 256 bits: a board of 16×16 squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct U256 {
    /// Rows 1 to 8.
    pub low: u128,
    /// Rows 9 to 16.
    pub high: u128,
}

impl U256 {
    /// No bit.
    pub const ZERO: Self = Self { low: 0, high: 0 };

    const fn rows_of(row: u128) -> Self {
        let mut rows = 0;
        let mut n = 0;
        while n < 8 {
            rows |= row << (16 * n);
            n += 1;
        }
        Self { low: rows, high: rows }
    }

    #[inline(always)]
    fn from_words([a, b, c, d]: [u64; 4]) -> Self {
        Self { low: from_two_words([a, b]), high: from_two_words([c, d]) }
    }

    /// Rows 1 to 4 in `low` and 5 to 8 in `high` become rows 1 to 8.
    #[inline(always)]
    fn join_halves_of_four_rows(self) -> Self {
        Self { low: self.low | self.high << 64, high: 0 }
    }
}

impl PartialOrd for U256 {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for U256 {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.high, self.low).cmp(&(other.high, other.low))
    }
}

impl BitAnd for U256 {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
}

impl BitOr for U256 {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
}

impl BitXor for U256 {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self { low: self.low ^ other.low, high: self.high ^ other.high }
    }
}

impl Not for U256 {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

impl BitAndAssign for U256 {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for U256 {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for U256 {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl Bits for U256 {
    const COLUMNS: u32 = 16;
    const ROWS: u32 = 16;
    const EMPTY: Self = Self::ZERO;
    const ALL: Self = Self::rows_of(0xffff);
    const NOT_FIRST: Self = Self::rows_of(0xfffe);
    const NOT_LAST: Self = Self::rows_of(0x7fff);
    const INNER: Self = Self::rows_of(0x7ffe);

    #[inline(always)]
    fn bit(index: u32) -> Self {
        if index < 128 {
            Self { low: 1 << index, high: 0 }
        } else {
            Self { low: 0, high: 1 << (index - 128) }
        }
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    #[inline(always)]
    fn first(self) -> u32 {
        if self.low == 0 { 128 + self.high.trailing_zeros() } else { self.low.trailing_zeros() }
    }

    #[inline(always)]
    fn without_first(self) -> Self {
        if self.low == 0 {
            Self { low: 0, high: self.high & self.high.wrapping_sub(1) }
        } else {
            Self { low: self.low & (self.low - 1), high: self.high }
        }
    }

    #[inline(always)]
    fn up(self, n: u32) -> Self {
        Self {
            low: self.low << n,
            // In two steps, so that n = 0 does not shift by the whole width.
            high: self.high << n | self.low >> 1 >> (127 - n),
        }
    }

    #[inline(always)]
    fn down(self, n: u32) -> Self {
        Self { low: self.low >> n | self.high << 1 << (127 - n), high: self.high >> n }
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        [self.low as u64, (self.low >> 64) as u64, self.high as u64, (self.high >> 64) as u64]
    }

    #[inline(always)]
    fn to_set(self) -> SquareSet {
        SquareSet::from_bits(self)
    }

    #[inline(always)]
    fn from_set(set: SquareSet) -> Self {
        set.bits()
    }

    #[inline(always)]
    fn mobility(own: Self, other: Self, playable: Self) -> Self {
        let inner = (other & Self::INNER).words();
        let ends = rays::ends_of_runs::<4, 16>(own.words(), other.words(), inner);
        Self::from_words(ends) & playable & !(own | other)
    }

    #[inline(always)]
    fn flips(own: Self, other: Self, index: u32) -> Self {
        let (own, other) = (own.words(), other.words());
        let rays = &rays::SEEN_16[index as usize];
        Self::from_words(match index / 64 {
            0 => rays::runs_to_own::<4, 16>(rays, own, other, 0),
            1 => rays::runs_to_own::<4, 16>(rays, own, other, 1),
            2 => rays::runs_to_own::<4, 16>(rays, own, other, 2),
            _ => rays::runs_to_own::<4, 16>(rays, own, other, 3),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B: Bits>() {
        for index in 0..B::COLUMNS * B::ROWS {
            let set = B::bit(index);
            let square = B::square_of(index);
            assert_eq!(B::index_of(square), index);
            assert_eq!(set.to_set(), SquareSet::from(square));
            assert_eq!(B::from_set(SquareSet::from(square)), set);
            assert_eq!((set.count(), set.first()), (1, index));
            assert!(set.without_first().is_empty() && set.has(index));
            let (column, row) = (i32::from(square.column()), i32::from(square.row()));
            let steps = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
            let mut around = SquareSet::EMPTY;
            for (direction, (dc, dr)) in (0..).zip(steps) {
                let next = u8::try_from(column + dc)
                    .ok()
                    .zip(u8::try_from(row + dr).ok())
                    .and_then(|(column, row)| Square::new(column, row))
                    .filter(|&next| B::holds(next));
                let expected: SquareSet = next.into_iter().collect();
                assert_eq!(set.shift(direction).to_set(), expected, "{square} {direction}");
                around |= expected;
            }
            assert_eq!(set.neighbours().to_set(), around);
        }
        assert_eq!(B::ALL.count(), B::COLUMNS * B::ROWS);
        assert_eq!(B::INNER, B::NOT_FIRST & B::NOT_LAST);
        assert_eq!(B::ALL.iter().count() as u32, B::COLUMNS * B::ROWS);
        assert_eq!(B::from_set(!SquareSet::EMPTY), B::ALL);
    }

    #[test]
    fn every_width_shifts_without_running_around_the_edge() {
        check::<u64>();
        check::<u128>();
        check::<U256>();
    }
}
