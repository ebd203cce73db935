//! Squares, the two sides, and sets of squares, independent of a board's size.
//!
//! Knows names of squares for printing. Must not know any board, nor read text.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Index, IndexMut, Not};

use super::bits::{Bits, U256};

/// One square of a board up to 16×16: `row * 16 + column`, the same number on
/// every board. The order is row by row: a1, b1, … p1, a2, …
///
/// ```
/// use outflank::rules::Square;
/// let square = Square::new(5, 4).unwrap();
/// assert_eq!(square.to_string(), "f5");
/// assert_eq!((square.column(), square.row()), (5, 4));
/// assert!(Square::new(16, 0).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square in this column and row, counted from 0; `None` from 16 on.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 16 && row < 16 { Some(Self(row * 16 + column)) } else { None }
    }

    /// The square with this number: every byte is one.
    pub const fn from_index(index: u8) -> Self {
        Self(index)
    }

    /// `row * 16 + column`.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The column from 0 (a) to 15 (p).
    pub const fn column(self) -> u8 {
        self.0 % 16
    }

    /// The row from 0 (row 1) to 15 (row 16).
    pub const fn row(self) -> u8 {
        self.0 / 16
    }

    /// All 256 squares, row by row.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A player, by the colour of the discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The dark discs, written `x`.
    Black,
    /// The light discs, written `o`.
    White,
}

impl Side {
    /// Black and White.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// 0 for Black, 1 for White.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "x",
            Self::White => "o",
        })
    }
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BySide<T> {
    /// Black's.
    pub black: T,
    /// White's.
    pub white: T,
}

impl<T> BySide<T> {
    /// Both values from a function of the side.
    pub fn from_fn(mut value: impl FnMut(Side) -> T) -> Self {
        Self { black: value(Side::Black), white: value(Side::White) }
    }

    /// Both values changed by the same function.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySide<U> {
        BySide { black: change(self.black), white: change(self.white) }
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Black => &mut self.black,
            Side::White => &mut self.white,
        }
    }
}

/// A set of squares. Iteration, printing and `first` go row by row.
///
/// ```
/// use outflank::rules::{Square, SquareSet};
/// let set: SquareSet = [(7, 0), (0, 1), (0, 0)]
///     .into_iter()
///     .filter_map(|(column, row)| Square::new(column, row))
///     .collect();
/// assert_eq!(set.to_string(), "a1,h1,a2");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SquareSet(U256);

impl SquareSet {
    /// No square.
    pub const EMPTY: Self = Self(U256::ZERO);

    /// The set whose bits are these: bit [`Square::index`] for each square.
    pub const fn from_bits(bits: U256) -> Self {
        Self(bits)
    }

    /// One bit a square, at [`Square::index`].
    pub const fn bits(self) -> U256 {
        self.0
    }

    /// Whether the square is in the set.
    pub fn contains(self, square: Square) -> bool {
        self.0.has(u32::from(square.index()))
    }

    /// Adds a square.
    pub fn insert(&mut self, square: Square) {
        self.0 |= U256::bit(u32::from(square.index()));
    }

    /// Takes a square out.
    pub fn remove(&mut self, square: Square) {
        self.0 &= !U256::bit(u32::from(square.index()));
    }

    /// This set and one square more.
    #[must_use]
    pub fn with(mut self, square: Square) -> Self {
        self.insert(square);
        self
    }

    /// This set without the squares of the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The number of squares.
    pub fn len(self) -> u32 {
        self.0.count()
    }

    /// Whether there is no square in it.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether every square of this set is in the other.
    pub fn is_subset(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// The first square, row by row.
    pub fn first(self) -> Option<Square> {
        self.iter().next()
    }

    /// The squares, row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        // An index of a U256 is below 256.
        self.0.iter().map(|index| Square(index as u8))
    }
}

impl From<Square> for SquareSet {
    fn from(square: Square) -> Self {
        Self::EMPTY.with(square)
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl Extend<Square> for SquareSet {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        for square in squares {
            self.insert(square);
        }
    }
}

impl BitAnd for SquareSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for SquareSet {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitAndAssign for SquareSet {
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for SquareSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for SquareSet {
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl Not for SquareSet {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Display for SquareSet {
    /// The squares with commas between; nothing for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, square) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            fmt::Display::fmt(&square, f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}
