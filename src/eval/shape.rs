//! What the shape of a board says about its squares.

use crate::rules::Bits;

/// The four axes, each as its two directions of [`Bits::shift`].
pub(crate) const AXES: [(u32, u32); 4] = [(0, 4), (1, 5), (2, 6), (3, 7)];
/// The directions along rows and columns.
pub(crate) const STRAIGHT: [u32; 4] = [0, 2, 4, 6];
/// The directions along diagonals.
pub(crate) const DIAGONAL: [u32; 4] = [1, 3, 5, 7];

/// Squares whose disc can never be flipped: on each axis at least one of the
/// two neighbours is missing, so no run through the disc has two ends.
pub(crate) fn corners<B: Bits>(playable: B) -> B {
    let mut corners = playable;
    for (forward, back) in AXES {
        corners &= !(playable.shift(forward) & playable.shift(back));
    }
    corners
}
