//! What stays the same throughout a search: the squares and the rules.

use crate::eval::shape;
use crate::rules::{Bits, Geometry, Position, Rules, Scoring, final_margin};

/// Indexes of all widths are below this, so that a `u8` is always one.
const N_INDEXES: usize = 256;

/// The board without its discs, and how a game on it is scored.
pub(crate) struct Ground<B: Bits> {
    /// The squares that exist.
    pub playable: B,
    /// How many exist.
    pub squares: u32,
    /// Squares whose disc can never be flipped.
    pub corners: B,
    /// The squares around each square.
    around: [B; N_INDEXES],
    /// The quarter of the board that each square lies in, 0 to 3.
    quarter: [u8; N_INDEXES],
    /// The squares of each quarter.
    quarters: [B; 4],
    scoring: Scoring,
    anti: bool,
}

impl<B: Bits> Ground<B> {
    /// The ground of a geometry under the rules.
    pub fn new(geometry: &Geometry, rules: &Rules) -> Self {
        let playable = B::from_set(geometry.playable());
        let (half_columns, half_rows) =
            (u32::from(geometry.columns()) / 2, u32::from(geometry.rows()) / 2);
        let mut around = [B::EMPTY; N_INDEXES];
        let mut quarter = [0; N_INDEXES];
        let mut quarters = [B::EMPTY; 4];
        for index in 0..B::COLUMNS * B::ROWS {
            let (column, row) = (index % B::COLUMNS, index / B::COLUMNS);
            let mine = usize::from(column >= half_columns) + 2 * usize::from(row >= half_rows);
            around[index as usize] = B::bit(index).neighbours() & playable;
            quarter[index as usize] = mine as u8;
            quarters[mine] |= B::bit(index) & playable;
        }
        Self {
            playable,
            squares: playable.count(),
            corners: shape::corners(playable),
            around,
            quarter,
            quarters,
            scoring: rules.scoring,
            anti: rules.anti,
        }
    }

    /// The squares that hold no disc.
    #[inline(always)]
    pub fn empties(&self, position: &Position<B>) -> B {
        self.playable & !(position.own | position.other)
    }

    /// Squares of the whole width that nothing can be put on any more: those with a disc and those
    /// that do not exist.
    #[inline(always)]
    pub fn n_taken(&self, position: &Position<B>) -> u32 {
        (position.own | position.other | !self.playable).count()
    }

    /// The mover's result in discs when the game ends with these counts.
    #[inline(always)]
    pub fn result(&self, own: u32, other: u32) -> i32 {
        let margin = final_margin(own, other, self.squares, self.scoring);
        if self.anti { -margin } else { margin }
    }

    /// The mover's result in discs when the game ends in `position`.
    #[inline(always)]
    pub fn final_result(&self, position: &Position<B>) -> i32 {
        self.result(position.own.count(), position.other.count())
    }

    /// The squares around a square.
    #[inline(always)]
    pub fn around(&self, index: u8) -> B {
        self.around[usize::from(index)]
    }

    /// Whether two squares lie in the same quarter of the board.
    #[inline(always)]
    pub fn same_quarter(&self, a: u8, b: u8) -> bool {
        self.quarter[usize::from(a)] == self.quarter[usize::from(b)]
    }

    /// The quarters that hold an odd number of these empties.
    #[inline(always)]
    pub fn odd_quarters(&self, empties: B) -> B {
        let mut odd = B::EMPTY;
        for quarter in self.quarters {
            if (empties & quarter).count() % 2 == 1 {
                odd |= quarter;
            }
        }
        odd
    }

    /// The result of a mover with so many discs on an 8x8 board whose last square nobody can
    /// take.
    #[inline(always)]
    pub fn last_square_stays(&self, n_own: i32) -> i32 {
        let margin = 2 * n_own - 63;
        match self.scoring {
            Scoring::Official => margin + margin.signum(),
            Scoring::Discs => margin,
        }
    }

    /// The least difference between two results, in discs. Where the winner gets the empty
    /// squares of an even board both sides together have them all.
    pub fn step(&self) -> i32 {
        if self.scoring == Scoring::Official && self.squares.is_multiple_of(2) { 2 } else { 1 }
    }

    /// Fewest discs win.
    #[inline(always)]
    pub fn anti(&self) -> bool {
        self.anti
    }
}
