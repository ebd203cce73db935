//! The kernels in plain integer arithmetic: right on every processor, and the twin that every
//! other tier is tested against.

use super::{MOST_OF_UNIT, UNITS, rays};

/// The columns whose discs can be turned by a ray that changes column.
pub(super) const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// Squares without a disc from which `own` turns something. Runs of up to six discs are filled
/// by doubling, in three dependent steps instead of six.
#[inline(always)]
pub fn mobility(own: u64, other: u64) -> u64 {
    let inner = other & INNER_COLUMNS;
    let ends = ends_of_rows(own, inner)
        | both_ways::<8>(own, other)
        | both_ways::<7>(own, inner)
        | both_ways::<9>(own, inner);
    ends & !(own | other)
}

/// [`mobility`] along rows. To the right, a sum carries from the first disc of a run to behind
/// its last. Squares with discs may be among the ends.
#[inline(always)]
pub(super) fn ends_of_rows(own: u64, inner: u64) -> u64 {
    // The outer columns are free, so no carry leaves its row.
    let right = inner + (own << 1 & inner);
    let mut left = own >> 1 & inner;
    left |= left >> 1 & inner;
    let pairs = inner >> 1 & inner;
    left |= left >> 2 & pairs;
    left |= left >> 2 & pairs;
    right | left >> 1
}

#[inline(always)]
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

/// The squares seen from each square of 8x8: four rays towards higher indexes (a step is 1, 7, 8,
/// 9), then the four opposite ones. A square has a cache line of its own.
#[repr(align(64))]
pub(super) struct Rays(pub(super) [[u64; 8]; 64]);

/// See [`Rays`].
pub(super) static RAYS: Rays = Rays(rays());

pub(super) const fn rays() -> [[u64; 8]; 64] {
    let rays = rays::seen::<1, 8, 64>();
    let mut words = [[0; 8]; 64];
    let mut at = 0;
    while at < 64 * 8 {
        words[at / 8][at % 8] = rays[at / 8][at % 8][0];
        at += 1;
    }
    words
}

/// The discs of `other` that a disc of `own` on the square turns. The nearest square of a ray
/// that is not an enemy decides, and subtraction fills what lies before it.
#[inline(always)]
pub fn flips(own: u64, other: u64, index: u32) -> u64 {
    let rays = &RAYS.0[index as usize & 63];
    let mut flips = 0;
    for &ray in &rays[..4] {
        let stops = ray & !other;
        // The lowest stop if it is ours, else 0; below it lies the run.
        let anchor = stops & stops.wrapping_neg() & own;
        flips |= anchor.saturating_sub(1) & ray;
    }
    for &ray in &rays[4..] {
        let stops = ray & !other;
        // Without any stop this looks at bit 0, which is then no disc of ours on the ray.
        let anchor = (1 << 63) >> (stops | 1).leading_zeros() & own & ray;
        // All bits above the anchor; 0 stays 0. The anchor is never bit 63.
        flips |= (anchor << 1).wrapping_neg() & ray;
    }
    flips
}

/// Discs turned on a line of eight squares, by the place of the last empty one and the set of our
/// own. 2 KiB.
static TURNED: [[u8; 256]; 8] = turned();

const fn turned() -> [[u8; 256]; 8] {
    let mut turned = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0_usize;
        while own < 256 {
            let (above, below) = (own >> place >> 1, own & ((1 << place) - 1));
            let mut n = 0;
            if above != 0 {
                n += above.trailing_zeros();
            }
            if below != 0 {
                n += place as u32 - 1 - below.ilog2();
            }
            turned[place][own] = n as u8;
            own += 1;
        }
        place += 1;
    }
    turned
}

/// The two diagonals through each square, rising and falling, with the square.
pub(super) static DIAGONALS: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let rays = rays();
    let mut diagonals = [[0; 2]; 64];
    let mut index = 0;
    while index < 64 {
        let [_, down_left, _, down_right, _, up_right, _, up_left] = rays[index];
        diagonals[index] = [1 << index | down_left | up_right, 1 << index | up_left | down_right];
        index += 1;
    }
    diagonals
}

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;

/// Discs turned when `own` takes the last empty square of a full 8x8 board: every square but
/// `index` that is not `own` holds an enemy.
///
/// A product gathers the squares of a line into one byte; squares beyond the ends of a diagonal
/// read as enemies behind which there is nothing of ours. PEXT would do the same, but takes
/// hundreds of cycles on the first two generations of AMD's Zen.
#[inline(always)]
pub fn last_flips(own: u64, index: u32) -> u32 {
    let [rising, falling] = DIAGONALS[index as usize & 63];
    let rising = (own & rising).wrapping_mul(FIRST_COLUMN) >> 56;
    let falling = (own & falling).wrapping_mul(FIRST_COLUMN) >> 56;
    last_flips_of(own, index, rising, falling)
}

/// [`last_flips`] with our discs on the diagonals already gathered.
#[inline(always)]
pub(super) fn last_flips_of(own: u64, index: u32, rising: u64, falling: u64) -> u32 {
    let index = index as usize & 63;
    let (column, row) = (index % 8, index / 8);
    let (by_column, by_row) = (&TURNED[column], &TURNED[row]);
    let in_row = own >> (8 * row);
    let in_column = (own >> column & FIRST_COLUMN).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    u32::from(by_column[in_row as usize & 0xff])
        + u32::from(by_row[in_column as usize & 0xff])
        + u32::from(by_column[rising as usize & 0xff])
        + u32::from(by_column[falling as usize & 0xff])
}

/// The columns that a step to the right can reach.
pub(super) const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
/// The columns that a step to the left can reach.
pub(super) const NOT_LAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Some of the discs of `owner` that can never be flipped: see [`super::Kernel::stable`].
#[inline(always)]
pub fn stable(owner: u64, empties: u64, playable: u64) -> u64 {
    let open = [
        open::<1>(empties, playable, NOT_FIRST, NOT_LAST),
        open::<7>(empties, playable, NOT_LAST, NOT_FIRST),
        open::<8>(empties, playable, !0, !0),
        open::<9>(empties, playable, NOT_FIRST, NOT_LAST),
    ];
    anchored(owner, open.map(|open| owner & !open))
}

/// The squares on whose line along an axis there is an empty square, and that have a neighbour on
/// either side. `into_up` has the columns that a step towards higher indexes can reach.
#[inline(always)]
pub(super) fn open<const N: u32>(empties: u64, playable: u64, into_up: u64, into_down: u64) -> u64 {
    let (mut through_up, mut through_down) = (playable & into_up, playable & into_down);
    let flanked = playable << N & into_up & (playable >> N & into_down);
    let mut up = empties | empties << N & through_up;
    let mut down = empties | empties >> N & through_down;
    // Twice as far in each step.
    through_up &= through_up << N;
    through_down &= through_down >> N;
    up |= up << (2 * N) & through_up;
    down |= down >> (2 * N) & through_down;
    through_up &= through_up << (2 * N);
    through_down &= through_down >> (2 * N);
    up |= up << (4 * N) & through_up;
    down |= down >> (4 * N) & through_down;
    (up | down) & flanked
}

/// Those of `owner` that are safe along every axis, by themselves or beside such a disc, until
/// there are no more. `safe` has the discs safe by themselves, by axes of step 1, 7, 8, 9.
#[inline(always)]
pub(super) fn anchored(owner: u64, safe: [u64; 4]) -> u64 {
    let [row, rising, column, falling] = safe;
    let mut found = row & rising & column & falling;
    while found != 0 {
        let (rightmost, leftmost) = (found & NOT_LAST, found & NOT_FIRST);
        let wider = owner
            & (row | rightmost << 1 | leftmost >> 1)
            & (rising | leftmost << 7 | rightmost >> 7)
            & (column | found << 8 | found >> 8)
            & (falling | rightmost << 9 | leftmost >> 9);
        if wider == found {
            break;
        }
        found = wider;
    }
    found
}

/// See [`Kernel::units`](super::Kernel::units). A function of its own, for where it is inlined its loops
/// are unrolled and not vectorised.
#[must_use]
#[inline(never)]
pub fn units(begin: &[i16; UNITS], rows: &[&[u8; UNITS]], worth: &[i16; UNITS]) -> i32 {
    let mut sums = *begin;
    for row in rows {
        for (sum, unit) in sums.iter_mut().zip(*row) {
            *sum = sum.wrapping_add(i16::from(*unit as i8));
        }
    }
    let mut value = 0_i32;
    for (sum, worth) in sums.iter().zip(worth) {
        let held = i32::from((*sum).clamp(0, MOST_OF_UNIT));
        let square = (held * held) >> 4;
        value = value.wrapping_add(square * i32::from(*worth));
    }
    value
}
