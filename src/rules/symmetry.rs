//! Turning and mirroring boards.
//!
//! Knows where squares go. Must not know which symmetric boards are worth
//! treating as one: that is for whoever keeps a table or a book.

use std::sync::Arc;

use super::board::Board;
use super::geometry::Geometry;
use super::square::{Side, Square, SquareSet};
use super::state::State;

/// One of the eight ways to lay a board down: first perhaps swapped along the
/// main diagonal, then perhaps mirrored left to right and top to bottom.
///
/// ```
/// use outflank::rules::{Square, Symmetry};
/// let f5 = Square::new(5, 4).unwrap();
/// let images: Vec<String> = Symmetry::ALL.iter().map(|s| s.square(8, 8, f5).to_string()).collect();
/// assert_eq!(images, ["f5", "c5", "f4", "c4", "e6", "d6", "e3", "d3"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    swapped: bool,
    upside_down: bool,
    mirrored: bool,
}

impl Symmetry {
    /// All eight; the first leaves everything where it is, the last four swap
    /// columns and rows.
    pub const ALL: [Self; 8] = {
        let mut all = [Self { swapped: false, upside_down: false, mirrored: false }; 8];
        let mut n = 0;
        while n < 8 {
            all[n].swapped = n & 4 != 0;
            all[n].upside_down = n & 2 != 0;
            all[n].mirrored = n & 1 != 0;
            n += 1;
        }
        all
    };

    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self::ALL[0];

    /// Whether columns become rows.
    pub fn swaps(self) -> bool {
        self.swapped
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Self {
        // Swapping first exchanges the roles of the two mirrors.
        if self.swapped {
            Self { swapped: true, upside_down: self.mirrored, mirrored: self.upside_down }
        } else {
            self
        }
    }

    /// Where a square of a board of this size goes. The square must be inside.
    pub fn square(self, columns: u8, rows: u8, square: Square) -> Square {
        debug_assert!(square.column() < columns && square.row() < rows);
        let (mut column, mut row, mut last_column, mut last_row) =
            (square.column(), square.row(), columns - 1, rows - 1);
        if self.swapped {
            (column, row) = (row, column);
            (last_column, last_row) = (last_row, last_column);
        }
        if self.mirrored {
            column = last_column - column;
        }
        if self.upside_down {
            row = last_row - row;
        }
        Square::from_index(row * 16 + column)
    }

    /// Where the squares of a board of this size go. All must be inside.
    pub fn set(self, columns: u8, rows: u8, set: SquareSet) -> SquareSet {
        set.iter().map(|square| self.square(columns, rows, square)).collect()
    }

    /// The board laid down another way.
    pub fn geometry(self, geometry: &Geometry) -> Geometry {
        let (columns, rows) = (geometry.columns(), geometry.rows());
        let holes = self.set(columns, rows, geometry.holes());
        let image = if self.swapped {
            Geometry::new(rows, columns, holes)
        } else {
            Geometry::new(columns, rows, holes)
        };
        image.expect("an image of a board is a board")
    }

    /// The state on the board laid down another way.
    pub fn state(self, state: &State) -> State {
        let geometry = state.board.geometry();
        let image = self.geometry(geometry);
        let image = if image == **geometry { Arc::clone(geometry) } else { Arc::new(image) };
        let set = |set| self.set(geometry.columns(), geometry.rows(), set);
        State {
            board: Board::with_discs(image, set(state.board.black()), set(state.board.white())),
            side: state.side,
            placements: state.placements,
            hand: state.hand,
        }
    }

    /// Those that leave size and holes of a board as they are.
    pub fn of(geometry: &Geometry) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|symmetry| symmetry.geometry(geometry) == *geometry)
    }

    /// The same representative for all states that a symmetry of their board
    /// makes equal, and the symmetry that leads to it.
    pub fn canonical(state: &State) -> (State, Self) {
        let discs = |state: &State| (state.board.discs(Side::Black), state.board.discs(Side::White));
        Self::of(state.board.geometry())
            .map(|symmetry| (symmetry.state(state), symmetry))
            .min_by_key(|(image, _)| discs(image))
            .unwrap_or_else(|| (state.clone(), Self::IDENTITY))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::state;
    use super::super::variant::Rules;
    use super::*;

    #[test]
    fn an_inverse_leads_back_on_rectangles_too() {
        for symmetry in Symmetry::ALL {
            for (columns, rows) in [(8, 8), (9, 7), (4, 16)] {
                let (image_columns, image_rows) =
                    if symmetry.swaps() { (rows, columns) } else { (columns, rows) };
                for square in Square::all().filter(|s| s.column() < columns && s.row() < rows) {
                    let image = symmetry.square(columns, rows, square);
                    assert!(image.column() < image_columns && image.row() < image_rows);
                    let back = symmetry.inverse().square(image_columns, image_rows, image);
                    assert_eq!(back, square);
                }
            }
        }
    }

    #[test]
    fn images_have_as_many_moves_and_one_canonical_form() {
        let rules = Rules::default();
        let state = state("8/8/2xo4/2xxx3/3oxx2/3o4/8/8,o");
        let (canonical, way) = Symmetry::canonical(&state);
        assert_eq!(way.state(&state), canonical);
        for symmetry in Symmetry::ALL {
            let image = symmetry.state(&state);
            assert_eq!(image.legal(&rules), symmetry.set(8, 8, state.legal(&rules)));
            assert_eq!(Symmetry::canonical(&image).0, canonical);
        }
    }

    #[test]
    fn holes_leave_fewer_symmetries() {
        let count = |token| Symmetry::of(state(token).board.geometry()).count();
        assert_eq!(count("8/8/8/3ox3/3xo3/8/8/8,x"), 8);
        assert_eq!(count("_7/8/8/3ox3/3xo3/8/8/8,x"), 2);
        assert_eq!(count("_7/8/8/3ox3/3xo3/8/8/7_,x"), 4);
        assert_eq!(count("6/6/2ox2/2xo2/6/6/6/6,x"), 4);
        assert_eq!(count("8/_5_1/8/3ox3/3xo3/8/3_4/8,x"), 1);
    }
}
