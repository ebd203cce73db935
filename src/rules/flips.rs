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

#[cfg(test)]
mod tests {
    use super::super::bits::U256;
    use super::super::hash::SplitMix64;
    use super::*;

    /// [`mobility`] one step of all rays of a direction at a time, for any width.
    fn mobility_by_walking<B: Bits>(own: B, other: B, playable: B) -> B {
        // A disc on an outer column cannot be turned by a ray that changes column,
        // and without those no ray can run around the edge.
        let inner = other & B::INNER;
        let below = B::COLUMNS;
        let mut moves = B::EMPTY;
        for (distance, crossable) in [(1, inner), (below, other), (below - 1, inner), (below + 1, inner)]
        {
            moves |= ends_of_runs(own, crossable, |set| set.up(distance));
            moves |= ends_of_runs(own, crossable, |set| set.down(distance));
        }
        moves & playable & !(own | other)
    }

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
    fn flips_by_walking<B: Bits>(own: B, other: B, index: u32) -> B {
        let square = B::bit(index);
        // Most squares have an enemy beside them in few directions.
        if (square.neighbours() & other).is_empty() {
            return B::EMPTY;
        }
        let inner = other & B::INNER;
        let below = B::COLUMNS;
        let mut flips = B::EMPTY;
        for (distance, crossable) in [(1, inner), (below, other), (below - 1, inner), (below + 1, inner)]
        {
            flips |= run_to_own(square, own, crossable, |set| set.up(distance));
            flips |= run_to_own(square, own, crossable, |set| set.down(distance));
        }
        flips
    }

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

    /// Boards of all densities, from nearly empty to full.
    fn check<B: Bits>(n_boards: u32) {
        let mut random = SplitMix64::new(u64::from(B::COLUMNS));
        for n in 0..n_boards {
            let mut sparse = |often: u64, total: u64| {
                let drawn = (0..B::COLUMNS * B::ROWS).filter(|_| random.below(total) < often);
                drawn.fold(B::EMPTY, |set, index| set | B::bit(index))
            };
            let playable = sparse(15, 16);
            let discs = sparse(u64::from(n % 17), 16) & playable;
            let own = sparse(1 + u64::from(n / 17 % 8), 12) & discs;
            let other = discs & !own;
            let moves = mobility_by_walking(own, other, playable);
            assert_eq!(mobility(own, other, playable), moves, "{own:x?} {other:x?} {playable:x?}");
            for index in B::ALL.iter() {
                let turned = flips_by_walking(own, other, index);
                assert_eq!(flips(own, other, index), turned, "{own:x?} {other:x?} {index}");
            }
        }
    }

    #[test]
    fn every_width_does_what_a_walk_does() {
        check::<u64>(2000);
        check::<u128>(2000);
        check::<U256>(2000);
    }
}
