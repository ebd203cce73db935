//! The one rule of the game: which discs a move turns, and where one can move.
//!
//! Knows rays over bits. Must not know sides, variants or how a board is kept.
//! A hole is in neither set of discs, so it ends every ray just as the edge does.

use super::bits::Bits;

/// The empty playable squares from which `own` turns at least one disc of `other`.
///
/// ```
/// use outflank::rules::mobility;
/// // White d4 e5, Black e4 d5, Black to move: d3, c4, f5, e6.
/// let black = 1 << 28 | 1 << 35;
/// let white = 1 << 27 | 1 << 36;
/// assert_eq!(mobility::<u64>(black, white, !0), 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44);
/// ```
#[inline]
pub fn mobility<B: Bits>(own: B, other: B, playable: B) -> B {
    B::mobility(own, other, playable)
}

/// The discs of `other` that a disc of `own` on the square turns; empty if
/// none. Whether the square is free is not looked at.
#[inline]
pub fn flips<B: Bits>(own: B, other: B, index: u32) -> B {
    B::flips(own, other, index)
}

/// [`mobility`] one step of all rays of a direction at a time, for any width.
#[inline]
pub(super) fn mobility_by_walking<B: Bits>(own: B, other: B, playable: B) -> B {
    // A disc on an outer column cannot be turned by a ray that changes column,
    // and without those no ray can run around the edge.
    let inner = other & B::INNER;
    let below = B::COLUMNS;
    let mut moves = B::EMPTY;
    for (distance, crossable) in [(1, inner), (below, other), (below - 1, inner), (below + 1, inner)] {
        moves |= ends_of_runs(own, crossable, |set| set.up(distance));
        moves |= ends_of_runs(own, crossable, |set| set.down(distance));
    }
    moves & playable & !(own | other)
}

#[inline]
fn ends_of_runs<B: Bits>(own: B, crossable: B, step: impl Fn(B) -> B) -> B {
    let mut front = step(own) & crossable;
    let mut ends = B::EMPTY;
    while !front.is_empty() {
        let next = step(front);
        ends |= next;
        front = next & crossable;
    }
    ends
}

/// [`flips`] ray by ray, for any width.
#[inline]
pub(super) fn flips_by_walking<B: Bits>(own: B, other: B, index: u32) -> B {
    let square = B::bit(index);
    // Most squares have an enemy beside them in few directions.
    if (square.neighbours() & other).is_empty() {
        return B::EMPTY;
    }
    let inner = other & B::INNER;
    let below = B::COLUMNS;
    let mut flips = B::EMPTY;
    for (distance, crossable) in [(1, inner), (below, other), (below - 1, inner), (below + 1, inner)] {
        flips |= run_to_own(square, own, crossable, |set| set.up(distance));
        flips |= run_to_own(square, own, crossable, |set| set.down(distance));
    }
    flips
}

#[inline]
fn run_to_own<B: Bits>(square: B, own: B, crossable: B, step: impl Fn(B) -> B) -> B {
    let mut front = step(square) & crossable;
    let mut run = B::EMPTY;
    while !front.is_empty() {
        run |= front;
        let next = step(front);
        if !(next & own).is_empty() {
            return run;
        }
        front = next & crossable;
    }
    B::EMPTY
}

/// [`mobility`] for 8×8: runs of up to six discs are filled by doubling, in
/// three dependent steps instead of six.
#[inline]
pub(super) fn mobility_64(own: u64, other: u64, playable: u64) -> u64 {
    let inner = other & u64::INNER;
    let ends = both_ways::<1>(own, inner)
        | both_ways::<8>(own, other)
        | both_ways::<7>(own, inner)
        | both_ways::<9>(own, inner);
    ends & playable & !(own | other)
}

#[inline]
fn both_ways<const N: u32>(own: u64, crossable: u64) -> u64 {
    let mut up = (own << N) & crossable;
    let mut down = (own >> N) & crossable;
    up |= (up << N) & crossable;
    down |= (down >> N) & crossable;
    // Pairs of crossable squares, to go on two at a time.
    let pairs_up = crossable & (crossable << N);
    let pairs_down = pairs_up >> N;
    up |= (up << (2 * N)) & pairs_up;
    down |= (down >> (2 * N)) & pairs_down;
    up |= (up << (2 * N)) & pairs_up;
    down |= (down >> (2 * N)) & pairs_down;
    up << N | down >> N
}

/// The squares seen from each square of 8×8: four rays towards higher
/// indexes, then four towards lower ones.
static RAYS: [[u64; 8]; 64] = rays();

const fn rays() -> [[u64; 8]; 64] {
    const STEPS: [(i32, i32); 8] =
        [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];
    let mut rays = [[0; 8]; 64];
    let mut index = 0;
    while index < 64 {
        let mut n = 0;
        while n < 8 {
            let (dc, dr) = STEPS[n];
            let mut column = index as i32 % 8 + dc;
            let mut row = index as i32 / 8 + dr;
            while column >= 0 && column < 8 && row >= 0 && row < 8 {
                rays[index][n] |= 1 << (row * 8 + column);
                column += dc;
                row += dr;
            }
            n += 1;
        }
        index += 1;
    }
    rays
}

/// [`flips`] for 8×8 without a loop over squares: the nearest square of a ray
/// that is not an enemy decides, and subtraction fills what lies before it.
#[inline]
pub(super) fn flips_64(own: u64, other: u64, index: u32) -> u64 {
    let rays = &RAYS[index as usize & 63];
    let mut flips = 0;
    for &ray in &rays[..4] {
        let stops = ray & !other;
        // The lowest stop if it is ours, else 0; below it lies the run.
        let anchor = stops & stops.wrapping_neg() & own;
        flips |= anchor.saturating_sub(1) & ray;
    }
    for &ray in &rays[4..] {
        let stops = ray & !other;
        // Without any stop this looks at bit 0, which is then no disc of ours
        // on the ray.
        let anchor = (1 << 63) >> (stops | 1).leading_zeros() & own & ray;
        // All bits above the anchor; 0 stays 0. The anchor is never bit 63.
        flips |= (anchor << 1).wrapping_neg() & ray;
    }
    flips
}

#[cfg(test)]
mod tests {
    use super::super::hash::SplitMix64;
    use super::*;

    #[test]
    fn the_fast_8x8_forms_agree_with_the_walk() {
        let mut random = SplitMix64::new(8);
        for _ in 0..20_000 {
            let (a, b) = (random.next_u64(), random.next_u64());
            let discs = a | random.next_u64();
            let (own, other) = (discs & b, discs & !b);
            let playable = !(random.next_u64() & random.next_u64() & random.next_u64()) | discs;
            assert_eq!(mobility_64(own, other, playable), mobility_by_walking(own, other, playable));
            for index in (!discs).iter() {
                assert_eq!(flips_64(own, other, index), flips_by_walking(own, other, index));
            }
        }
    }
}
