//! The game as slowly and obviously as it can be written: the judge of the fast one.
//!
//! Shares nothing with the engine's rules, not even the way squares are numbered.

/// What is on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Empty,
    Hole,
    Black,
    White,
}

/// A board, `cells[row][column]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub cells: Vec<Vec<Cell>>,
}

/// Column and row from 0.
pub type At = (usize, usize);

const DIRECTIONS: [(i32, i32); 8] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

impl Model {
    pub fn columns(&self) -> usize {
        self.cells[0].len()
    }

    pub fn rows(&self) -> usize {
        self.cells.len()
    }

    /// All squares, row by row.
    pub fn squares(&self) -> Vec<At> {
        let mut squares = Vec::new();
        for row in 0..self.rows() {
            for column in 0..self.columns() {
                squares.push((column, row));
            }
        }
        squares
    }

    /// The cell some steps away; `None` outside.
    fn cell(&self, column: i32, row: i32) -> Option<Cell> {
        let row = self.cells.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// The discs a move turns, row by row; none if the square is not free.
    pub fn flips(&self, own: Cell, at: At) -> Vec<At> {
        let other = if own == Cell::Black { Cell::White } else { Cell::Black };
        let mut flips = Vec::new();
        if self.cells[at.1][at.0] != Cell::Empty {
            return flips;
        }
        for (dc, dr) in DIRECTIONS {
            let (mut column, mut row) = (at.0 as i32 + dc, at.1 as i32 + dr);
            let mut run = Vec::new();
            while self.cell(column, row) == Some(other) {
                run.push((column as usize, row as usize));
                column += dc;
                row += dr;
            }
            if self.cell(column, row) == Some(own) {
                flips.extend(run);
            }
        }
        flips.sort_by_key(|&(column, row)| (row, column));
        flips
    }

    /// The squares where a side turns something, row by row.
    pub fn moves(&self, own: Cell) -> Vec<At> {
        let mut moves = self.squares();
        moves.retain(|&at| !self.flips(own, at).is_empty());
        moves
    }

    /// Makes a move that turns something.
    pub fn play(&mut self, own: Cell, at: At) {
        for (column, row) in self.flips(own, at) {
            self.cells[row][column] = own;
        }
        self.cells[at.1][at.0] = own;
    }
}
