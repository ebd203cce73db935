//! The rays of the squares of a board, for tables made when this is compiled.
//!
//! `W` is the number of words of a board, `C` the number of its columns and rows; a square has the
//! index `row * C + column`.

/// The squares seen from a square: four rays towards higher indexes (a step is 1, `C - 1`, `C`,
/// `C + 1`), then the four opposite ones.
pub(crate) type Rays<const W: usize> = [[u64; W]; 8];

/// The rays of every square.
pub(crate) const fn seen<const W: usize, const C: usize, const SQUARES: usize>() -> [Rays<W>; SQUARES] {
    const STEPS: [(i32, i32); 8] =
        [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let side = C as i32;
    let mut rays = [[[0; W]; 8]; SQUARES];
    let mut index = 0;
    while index < SQUARES {
        let mut n = 0;
        while n < 8 {
            let (dc, dr) = STEPS[n];
            let mut column = index as i32 % side + dc;
            let mut row = index as i32 / side + dr;
            while column >= 0 && column < side && row >= 0 && row < side {
                let bit = (row * side + column) as usize;
                rays[index][n][bit / 64] |= 1 << (bit % 64);
                column += dc;
                row += dr;
            }
            n += 1;
        }
        index += 1;
    }
    rays
}
