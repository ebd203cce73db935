//! The shape of a board: its size and which squares exist.
//!
//! Knows rectangles of 4 to 16 a side and holes. Must not know discs, rules or
//! why a square is a hole.

use std::fmt;

use super::square::{Square, SquareSet};

/// A rectangle of 4 to 16 columns and rows, with or without holes.
///
/// ```
/// use outflank::rules::{Geometry, SquareSet};
/// let six = Geometry::new(6, 6, SquareSet::EMPTY).unwrap();
/// assert_eq!(six.squares(), 36);
/// assert_eq!(six.centre_set().to_string(), "c3,d3,c4,d4");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    columns: u8,
    rows: u8,
    holes: SquareSet,
    playable: SquareSet,
}

/// The fewest and the most columns or rows of a board.
pub const SIDES: std::ops::RangeInclusive<u8> = 4..=16;

/// The smallest of the three machine widths a board fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Up to 8×8, in a `u64`.
    W64,
    /// Up to 11×11, in a `u128`.
    W128,
    /// Up to 16×16, in a [`super::U256`].
    W256,
}

/// Why there is no such board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryError {
    /// A side outside 4 to 16.
    BadSize {
        /// Columns asked for.
        columns: u8,
        /// Rows asked for.
        rows: u8,
    },
    /// A hole outside the rectangle.
    HoleOffBoard(Square),
}

impl Geometry {
    /// A board of this size without the holes.
    ///
    /// # Errors
    /// `BadSize` for a side outside 4 to 16, `HoleOffBoard` for a hole outside
    /// the rectangle.
    pub fn new(columns: u8, rows: u8, holes: SquareSet) -> Result<Self, GeometryError> {
        if !SIDES.contains(&columns) || !SIDES.contains(&rows) {
            return Err(GeometryError::BadSize { columns, rows });
        }
        let rectangle: SquareSet =
            Square::all().filter(|square| square.column() < columns && square.row() < rows).collect();
        if let Some(hole) = holes.without(rectangle).first() {
            return Err(GeometryError::HoleOffBoard(hole));
        }
        Ok(Self { columns, rows, holes, playable: rectangle.without(holes) })
    }

    /// Columns, 4 to 16.
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// Rows, 4 to 16.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// The squares of the rectangle that cannot be used.
    pub fn holes(&self) -> SquareSet {
        self.holes
    }

    /// Whether the square is inside the rectangle, hole or not.
    pub fn contains(&self, square: Square) -> bool {
        square.column() < self.columns && square.row() < self.rows
    }

    /// Whether a disc can stand on the square.
    pub fn is_playable(&self, square: Square) -> bool {
        self.playable.contains(square)
    }

    /// The squares on which a disc can stand.
    pub fn playable(&self) -> SquareSet {
        self.playable
    }

    /// How many squares are playable.
    pub fn squares(&self) -> u32 {
        self.playable.len()
    }

    /// The four centre squares, upper left, upper right, lower left, lower
    /// right; where a side is odd the upper or left candidate. They may be holes.
    pub fn centre(&self) -> [Square; 4] {
        let (column, row) = (self.columns / 2 - 1, self.rows / 2 - 1);
        [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(right, below)| Square::from_index((row + below) * 16 + column + right))
    }

    /// The four centre squares as a set.
    pub fn centre_set(&self) -> SquareSet {
        self.centre().into_iter().collect()
    }

    /// The machine width the board is kept in.
    pub fn width(&self) -> Width {
        match self.columns.max(self.rows) {
            0..=8 => Width::W64,
            9..=11 => Width::W128,
            _ => Width::W256,
        }
    }
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadSize { columns, rows } => {
                write!(f, "a board has 4 to 16 columns and rows, not {columns}x{rows}")
            }
            Self::HoleOffBoard(square) => write!(f, "the hole {square} is outside the board"),
        }
    }
}

impl std::error::Error for GeometryError {}
