//! A small net on top of the patterns' weights: what they leave out because it is no sum.
//!
//! Each row of most patterns has a vector of [`UNITS`] numbers, and so have the numbers of moves of
//! both sides, of odd quarters and of discs, and what can be played in a quarter of the board. The
//! vectors of a position are added up, each unit is held between 0 and 1 and squared, and the phase
//! says what a unit is worth:
//!
//! ```text
//! sums  = vector(discs) + vector(own moves) + vector(opponent's moves) + vector(odd quarters)
//!         + sum over the quarters of vector(empties there, moves of both there and to its corner)
//!         + sum over the lanes of vector(start of its pattern + index)
//! value = constant(phase) + sum over the units of worth(phase, unit) * clamp(sum, 0, 1)^2
//! ```
//!
//! in 1/128 disc, for the mover, to be added to the sum of weights. All phases share the vectors, so
//! what is rare in one of them is learned in the others. Whole numbers throughout: 1 is [`ONE`]
//! within sums, and its square 16,256.
//!
//! # The bytes
//!
//! Numbers of two bytes are little-endian. Vectors are in 1 / [`ONE`] of a unit; worths in about 1/129
//! disc, those of a phase together at most [`MOST_WORTH`] in size; constants in
//! 1/128 disc.
//!
//! ```text
//! vectors of rows, of 32 bytes each, -128 to 127: by pattern of the net, by folded index
//! vectors of 32 times 2 bytes: 32 of own moves, 32 of the opponent's, 5 of odd quarters,
//!     1024 of quarters, 65 of discs
//! 30 phases: 32 times 2 bytes of worth; then 30 times 2 bytes of constants
//! ```

use crate::kernel::{Kernel, MOST_OF_UNIT};

pub(crate) use crate::kernel::UNITS;

use super::patterns::{FOLDED_STARTS, Folding, LANE_STARTS, Lanes, PATTERNS, TABLE_STARTS};
use super::weights::N_PHASES;
#[cfg(any(test, feature = "train"))]
use super::weights::phase;

/// What stands for 1 within sums.
pub(crate) const ONE: i16 = MOST_OF_UNIT;

/// The square of a unit that is held to 1.
const ONE_SQUARED: i32 = ONE as i32 * ONE as i32 / 16;

/// The sum over the units is shifted down by so much to 1/128 disc.
const WORTH_SHIFT: u32 = 14;

/// What is stored for a worth of one disc, about 129.
#[cfg(feature = "train")]
pub(crate) const WORTH_OF_DISC: f32 = 128.0 * (1 << WORTH_SHIFT) as f32 / ONE_SQUARED as f32;

/// The worths of a phase together are no larger in size, some 1,024 discs: the sum over the units has
/// to fit 32 bits.
pub(crate) const MOST_WORTH: i32 = i32::MAX / ONE_SQUARED;

/// Which of [`PATTERNS`] have vectors: all but the triangle and the block, whose rows are many and
/// rare; the net is as good without them.
pub(crate) const NET_PATTERNS: [usize; 10] = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11];

/// Numbers of moves that are told apart: 0 to 30, and 31 and more as one.
pub(crate) const N_MOVES: usize = 32;
/// Numbers of odd quarters, 0 to 4.
pub(crate) const N_ODD: usize = 5;
/// What a quarter is told apart by: 0 to 15 empties, 0 to 3 moves of either side, and whether either
/// can take its corner.
pub(crate) const N_QUARTERS: usize = 16 * 4 * 4 * 2 * 2;
/// Numbers of squares that are taken, 0 to 64.
pub(crate) const N_DISCS: usize = 65;

/// Where the rows of each pattern begin in the table, and where the last ones end. As in the tables of
/// weights each pattern has as many as the next power of two.
const STARTS: [usize; NET_PATTERNS.len() + 1] = {
    let mut starts = [0; NET_PATTERNS.len() + 1];
    let mut n = 0;
    while n < NET_PATTERNS.len() {
        starts[n + 1] = starts[n] + PATTERNS[NET_PATTERNS[n]].n_indexes().next_power_of_two();
        n += 1;
    }
    starts
};

const N_TABLE_ROWS: usize = STARTS[NET_PATTERNS.len()];

/// How many rows a position adds up from the patterns before one of the net.
const fn rows_seen(pattern: usize) -> usize {
    let (mut n, mut sum) = (0, 0);
    while n < pattern {
        sum += LANE_STARTS[NET_PATTERNS[n] + 1] - LANE_STARTS[NET_PATTERNS[n]];
        n += 1;
    }
    sum
}

/// How many it adds up in all.
pub(crate) const N_ROWS_SEEN: usize = rows_seen(NET_PATTERNS.len());

/// Rows with a vector of their own.
pub(crate) const N_NET_FOLDED: usize = {
    let (mut n, mut sum) = (0, 0);
    while n < NET_PATTERNS.len() {
        sum += FOLDED_STARTS[NET_PATTERNS[n] + 1] - FOLDED_STARTS[NET_PATTERNS[n]];
        n += 1;
    }
    sum
};

/// Vectors of what is counted.
const N_COUNTED: usize = 2 * N_MOVES + N_ODD + N_QUARTERS + N_DISCS;

/// Bytes of a net.
pub(crate) const N_BYTES: usize =
    N_NET_FOLDED * UNITS + 2 * UNITS * N_COUNTED + N_PHASES * 2 * (UNITS + 1);

type Vector = [i16; UNITS];
/// Numbers from -128 to 127 in two's complement.
type Row = [u8; UNITS];

/// What a net knows of a position beside its indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// Where the mover can play.
    pub own_moves: u64,
    /// Where the opponent could.
    pub other_moves: u64,
    /// What is neither taken nor blocked.
    pub empties: u64,
    /// Squares that are taken, by discs or blocked, 0 to 64.
    pub n_taken: u32,
}

/// Which vectors are added up for an outlook, each by its place among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// By moves of the mover, less than [`N_MOVES`].
    pub own_moves: usize,
    /// By those of the opponent.
    pub other_moves: usize,
    /// By quarters with an odd number of empties, less than [`N_ODD`].
    pub odd_quarters: usize,
    /// By what there is in each quarter, less than [`N_QUARTERS`].
    pub quarters: [usize; 4],
    /// By squares that are taken, less than [`N_DISCS`].
    pub discs: usize,
}

const QUARTERS: [u64; 4] = [0x0f0f_0f0f, 0xf0f0_f0f0, 0x0f0f_0f0f << 32, 0xf0f0_f0f0 << 32];
const CORNERS: u64 = 0x8100_0000_0000_0081;

impl Outlook {
    /// That of a position without blocked squares.
    #[cfg(any(test, feature = "train"))]
    pub fn of(position: &crate::rules::Position<u64>) -> Self {
        use crate::rules::mobility;

        let passed = position.pass();
        let discs = position.own | position.other;
        Self {
            own_moves: mobility(position.own, position.other, !0),
            other_moves: mobility(passed.own, passed.other, !0),
            empties: !discs,
            n_taken: discs.count_ones(),
        }
    }

    /// What is counted of it.
    #[inline(always)]
    pub fn counted(&self) -> Counted {
        let count = |squares: u64, n: usize| (squares.count_ones() as usize).min(n - 1);
        let Self { own_moves, other_moves, empties, n_taken } = *self;
        let of_quarter = |quarter: u64| {
            let (own, other) = (own_moves & quarter, other_moves & quarter);
            let to_corner = |moves: u64| usize::from(moves & CORNERS != 0);
            let n = count(empties & quarter, 16);
            let n = 4 * (4 * n + count(own, 4)) + count(other, 4);
            2 * (2 * n + to_corner(own)) + to_corner(other)
        };
        Counted {
            own_moves: count(own_moves, N_MOVES),
            other_moves: count(other_moves, N_MOVES),
            odd_quarters: QUARTERS.iter().map(|quarter| count(empties & quarter, 65) & 1).sum(),
            quarters: QUARTERS.map(of_quarter),
            discs: (n_taken as usize).min(N_DISCS - 1),
        }
    }
}

/// A net as it is used.
pub(crate) struct Net {
    rows: Box<[Row; N_TABLE_ROWS]>,
    own_moves: [Vector; N_MOVES],
    other_moves: [Vector; N_MOVES],
    odd_quarters: [Vector; N_ODD],
    quarters: Box<[Vector; N_QUARTERS]>,
    discs: [Vector; N_DISCS],
    worth: [Vector; N_PHASES],
    constants: [i16; N_PHASES],
}

impl Net {
    /// Reads the bytes of a net. Nothing when they are too few or too many, or when worths could
    /// make a sum that does not fit.
    pub fn read(bytes: &[u8], folding: &Folding) -> Option<Self> {
        if bytes.len() != N_BYTES {
            return None;
        }
        let (rows, rest) = bytes.split_at(N_NET_FOLDED * UNITS);
        let mut table: Box<[Row; N_TABLE_ROWS]> =
            vec![[0; UNITS]; N_TABLE_ROWS].into_boxed_slice().try_into().ok()?;
        let (mut vectors, _) = rows.as_chunks::<UNITS>();
        for (pattern, start) in NET_PATTERNS.into_iter().zip(STARTS) {
            let (first, end) = (FOLDED_STARTS[pattern], FOLDED_STARTS[pattern + 1]);
            let (own, others) = vectors.split_at(end - first);
            for (vector, places) in own.iter().zip(&folding.places[first..]) {
                for place in places {
                    table[*place as usize - TABLE_STARTS[pattern] + start] = *vector;
                }
            }
            vectors = others;
        }
        let (numbers, _) = rest.as_chunks::<2>();
        let mut numbers = numbers.iter().map(|&bytes| i16::from_le_bytes(bytes));
        let mut next = || numbers.next().unwrap_or_default();
        let mut net = Self {
            rows: table,
            own_moves: [[0; UNITS]; N_MOVES],
            other_moves: [[0; UNITS]; N_MOVES],
            odd_quarters: [[0; UNITS]; N_ODD],
            quarters: vec![[0; UNITS]; N_QUARTERS].into_boxed_slice().try_into().ok()?,
            discs: [[0; UNITS]; N_DISCS],
            worth: [[0; UNITS]; N_PHASES],
            constants: [0; N_PHASES],
        };
        let vectors = net.own_moves.iter_mut().chain(&mut net.other_moves);
        let vectors = vectors.chain(&mut net.odd_quarters).chain(&mut *net.quarters);
        vectors
            .chain(&mut net.discs)
            .chain(&mut net.worth)
            .flatten()
            .for_each(|number| *number = next());
        net.constants.iter_mut().for_each(|constant| *constant = next());
        let is_bounded =
            |worth: &Vector| worth.iter().map(|&unit| i32::from(unit).abs()).sum::<i32>() <= MOST_WORTH;
        net.worth.iter().all(is_bounded).then_some(net)
    }

    /// What is added to the sum of weights of a position, in 1/128 disc, in plain code: what faster
    /// code is held against.
    #[cfg(any(test, feature = "train"))]
    pub fn value_of(&self, position: &crate::rules::Position<u64>) -> i32 {
        let outlook = Outlook::of(position);
        let lanes = super::patterns::features(position);
        self.value(crate::kernel::Portable, phase(outlook.n_taken), &lanes, &outlook)
    }

    /// What is added to the sum of weights of a position of a phase, in 1/128 disc.
    #[inline(always)]
    pub fn value<K: Kernel>(&self, kernel: K, phase: usize, lanes: &Lanes, outlook: &Outlook) -> i32 {
        const { assert!(NET_PATTERNS.len() == 10) };
        let counted = outlook.counted();
        let mut sums = self.discs[counted.discs];
        add(&mut sums, &self.own_moves[counted.own_moves]);
        add(&mut sums, &self.other_moves[counted.other_moves]);
        add(&mut sums, &self.odd_quarters[counted.odd_quarters]);
        for quarter in counted.quarters {
            add(&mut sums, &self.quarters[quarter]);
        }
        let mut rows = [&self.rows[0]; N_ROWS_SEEN];
        self.find_rows::<0>(&mut rows, lanes);
        self.find_rows::<1>(&mut rows, lanes);
        self.find_rows::<2>(&mut rows, lanes);
        self.find_rows::<3>(&mut rows, lanes);
        self.find_rows::<4>(&mut rows, lanes);
        self.find_rows::<5>(&mut rows, lanes);
        self.find_rows::<6>(&mut rows, lanes);
        self.find_rows::<7>(&mut rows, lanes);
        self.find_rows::<8>(&mut rows, lanes);
        self.find_rows::<9>(&mut rows, lanes);
        let value = kernel.units(&sums, &rows, &self.worth[phase]);
        i32::from(self.constants[phase]) + (value >> WORTH_SHIFT)
    }

    /// Finds the rows of one pattern of the net. Its number is known when this is compiled, so that
    /// nothing has to be checked.
    #[inline(always)]
    fn find_rows<'a, const N: usize>(&'a self, rows: &mut [&'a Row; N_ROWS_SEEN], lanes: &Lanes) {
        let (start, mask) = const { (STARTS[N], STARTS[N + 1] - STARTS[N] - 1) };
        let first = const { rows_seen(N) };
        let of_pattern = const { LANE_STARTS[NET_PATTERNS[N]]..LANE_STARTS[NET_PATTERNS[N] + 1] };
        for (at, lane) in of_pattern.enumerate() {
            rows[first + at] = &self.rows[start + (usize::from(lanes.0[lane]) & mask)];
        }
    }
}

#[inline(always)]
fn add(sums: &mut Vector, vector: &Vector) {
    for (sum, unit) in sums.iter_mut().zip(vector) {
        *sum = sum.wrapping_add(*unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::patterns::features;
    use crate::kernel::Portable;
    use crate::rules::{Position, SplitMix64};

    /// The bytes of any net, the same every time.
    fn bytes() -> Vec<u8> {
        let mut random = SplitMix64::new(12);
        let mut bytes: Vec<u8> = (0..N_NET_FOLDED * UNITS).map(|_| random.below(32) as u8).collect();
        bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_sub(16));
        let n_numbers = (N_BYTES - bytes.len()) / 2;
        bytes.extend((0..n_numbers).flat_map(|_| (random.below(400) as i16 - 200).to_le_bytes()));
        bytes
    }

    #[test]
    fn mirrored_positions_have_one_value_and_all_inputs_count() {
        let net = Net::read(&bytes(), &Folding::new()).expect("a net");
        let mut random = SplitMix64::new(4);
        let mut values = std::collections::HashSet::new();
        for _ in 0..100 {
            let own = random.next_u64();
            let position = Position { own, other: random.next_u64() & !own };
            let Position { own, other } = position;
            let turned = Position { own: own.swap_bytes(), other: other.swap_bytes() };
            let mirrored = Position { own: own.reverse_bits(), other: other.reverse_bits() };
            assert_eq!(net.value_of(&turned), net.value_of(&position));
            assert_eq!(net.value_of(&mirrored), net.value_of(&position));
            values.insert(net.value_of(&position));
        }
        assert!(values.len() > 50, "{}", values.len());
        let position = Position { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
        let (lanes, outlook) = (features(&position), Outlook::of(&position));
        let own_moves = outlook.own_moves;
        let other = [
            Outlook { own_moves: own_moves | 1 << 63, ..outlook },
            Outlook { own_moves: own_moves & (own_moves - 1), ..outlook },
            Outlook { other_moves: !0, ..outlook },
            Outlook { empties: outlook.empties & !1, ..outlook },
            Outlook { n_taken: 64, ..outlook },
        ];
        let usual = net.value(Portable, 3, &lanes, &outlook);
        assert!(other.iter().all(|outlook| net.value(Portable, 3, &lanes, outlook) != usual));
        assert_ne!(net.value(Portable, 4, &lanes, &outlook), usual);
    }

    #[test]
    fn a_net_of_another_length_or_with_sums_that_do_not_fit_is_none() {
        let (good, folding) = (bytes(), Folding::new());
        let read = |bytes: &[u8]| Net::read(bytes, &folding).is_some();
        assert!(read(&good) && !read(&good[1..]) && !read(&[]));
        let worths = N_BYTES - N_PHASES * 2 * (UNITS + 1);
        let with_worth = |worth: i16| {
            let mut bytes = good.clone();
            for number in bytes[worths..worths + 2 * UNITS].chunks_exact_mut(2) {
                number.copy_from_slice(&worth.to_le_bytes());
            }
            bytes
        };
        let most = (MOST_WORTH / UNITS as i32) as i16;
        assert!(read(&with_worth(most)) && read(&with_worth(-most)) && !read(&with_worth(most + 1)));
    }

    #[test]
    fn as_many_rows_are_added_up_as_the_kernels_are_timed_with() {
        assert_eq!(N_ROWS_SEEN, crate::kernel::measure::N_ADDED);
    }

    #[test]
    fn quarters_with_an_odd_number_of_empties_are_counted() {
        let cases = [(0, 0), (1, 1), (1 | 1 << 63, 2), (3, 0), (!0, 0), (0x8100_0000_0000_0081, 4)];
        for (empties, odd) in cases {
            let outlook = Outlook { own_moves: 0, other_moves: 0, empties, n_taken: 0 };
            assert_eq!(outlook.counted().odd_quarters, odd, "{empties:x}");
        }
    }

    #[test]
    fn quarters_are_told_apart_by_empties_and_moves_and_moves_to_the_corner() {
        let quarter = |empties: u64, own_moves: u64, other_moves: u64| {
            let outlook = Outlook { own_moves, other_moves, empties, n_taken: 0 };
            outlook.counted().quarters
        };
        assert_eq!(quarter(0, 0, 0), [0; 4]);
        // Three empties at a1, b1 and c1: one of them the mover's, two the opponent's with the corner.
        assert_eq!(quarter(0b111, 0b10, 0b101), [3 * 64 + 16 + 2 * 4 + 1, 0, 0, 0]);
        let corner = 1 << 63;
        assert_eq!(quarter(corner, corner, 0), [0, 0, 0, 64 + 16 + 2]);
        assert_eq!(quarter(!0, !0, !0), [N_QUARTERS - 1; 4]);
        let wide = 0x0000_00ff_0000_0000;
        assert_eq!(quarter(wide, wide, 0), [0, 0, 4 * 64 + 3 * 16, 4 * 64 + 3 * 16]);
    }
}
