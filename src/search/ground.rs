//! What stays the same throughout a search: the squares and the rules.

use crate::eval::shape;
use crate::rules::{Bits, Geometry, Position, Rules, Scoring, final_margin};

/// The board without its discs, and how a game on it is scored.
pub(crate) struct Ground<B: Bits> {
    /// The squares that exist.
    pub playable: B,
    /// How many exist.
    pub squares: u32,
    /// Squares whose disc can never be flipped.
    pub corners: B,
    /// The squares around each square.
    around: Vec<B>,
    /// One bit of four for each square: its quarter of the board.
    quarter: Vec<u8>,
    /// The union of the quarters in a set of them.
    pub quarters: [B; 16],
    scoring: Scoring,
    anti: bool,
}

impl<B: Bits> Ground<B> {
    /// The ground of a geometry under the rules.
    pub fn new(geometry: &Geometry, rules: &Rules) -> Self {
        let playable = B::from_set(geometry.playable());
        let n_indices = B::COLUMNS * B::ROWS;
        let (half_columns, half_rows) =
            (u32::from(geometry.columns()) / 2, u32::from(geometry.rows()) / 2);
        let mut around = Vec::with_capacity(n_indices as usize);
        let mut quarter = Vec::with_capacity(n_indices as usize);
        let mut quarters = [B::EMPTY; 16];
        for index in 0..n_indices {
            around.push(B::bit(index).neighbours() & playable);
            let (column, row) = (index % B::COLUMNS, index / B::COLUMNS);
            let mine = 1u8 << (u8::from(column >= half_columns) + 2 * u8::from(row >= half_rows));
            quarter.push(mine);
            if playable.has(index) {
                for (set, squares) in quarters.iter_mut().enumerate() {
                    if set as u8 & mine != 0 {
                        *squares |= B::bit(index);
                    }
                }
            }
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
    #[inline]
    pub fn empties(&self, position: &Position<B>) -> B {
        self.playable & !(position.own | position.other)
    }

    /// The mover's result in discs when the game ends with these counts.
    #[inline]
    pub fn result(&self, own: u32, other: u32) -> i32 {
        let margin = final_margin(own, other, self.squares, self.scoring);
        if self.anti { -margin } else { margin }
    }

    /// The mover's result in discs when the game ends in `position`.
    #[inline]
    pub fn final_result(&self, position: &Position<B>) -> i32 {
        self.result(position.own.count(), position.other.count())
    }

    /// The squares around a square.
    #[inline(always)]
    pub fn around(&self, index: u32) -> B {
        self.around[index as usize]
    }

    /// Whether two squares lie in the same quarter of the board.
    #[inline(always)]
    pub fn same_quarter(&self, a: u8, b: u8) -> bool {
        self.quarter[usize::from(a)] == self.quarter[usize::from(b)]
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

    #[inline(always)]
    fn quarters_alone(&self) -> [B; 4] {
        [self.quarters[1], self.quarters[2], self.quarters[4], self.quarters[8]]
    }

    /// Fewest discs win.
    pub fn anti(&self) -> bool {
        self.anti
    }

    /// The quarters with an odd number of these empties, as a set of bits.
    pub fn parity(&self, empties: B) -> u8 {
        let mut parity = 0;
        for (n, quarter) in self.quarters_alone().into_iter().enumerate() {
            parity |= ((empties & quarter).count() as u8 & 1) << n;
        }
        parity
    }
}
