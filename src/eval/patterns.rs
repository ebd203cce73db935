//! The patterns of the trained evaluation of 8x8: which squares are looked at together.
//!
//! A *pattern* is a list of squares; with its images under the eight symmetries of the board it
//! makes *features*, each of which has one number in a position, its *index*: the squares of the
//! feature, in the order of the pattern, are the digits of a number to base three, the first
//! square the lowest digit,
//!
//! ```text
//! 0 no disc, 1 a disc of the mover, 2 a disc of the opponent
//! ```
//!
//! An index is therefore a sum over the discs, and so are changes of it: see [`POWERS`]. From the
//! opponent's view the digits 1 and 2 change places. With `A` the sum of the mover's powers and
//! `B` that of the opponent's, an index is `A + 2 B` for the mover and `2 A + B` for the opponent,
//! so whoever updates the two side by side never has to recompute one of them. All sums stay below
//! 65,536, for no pattern has more than ten squares.
//!
//! All features of a pattern share its weights, so a position and its mirror images have the same
//! value. A pattern that is its own mirror image has indexes that mean the same: see [`Folding`].
//!
//! Knows squares and numbers, and no weights.

use crate::rules::Position;

/// The most squares of a pattern: indexes have to fit 16 bits.
const MAX_SQUARES: usize = 10;

/// How many features there are.
pub(crate) const N_FEATURES: usize = 46;

/// Places for features: three registers of 16 each. Those past [`N_FEATURES`] are idle, their
/// index is always 0 and their weight too.
pub(crate) const N_LANES: usize = 48;

/// Squares that are looked at together.
pub(crate) struct Pattern {
    squares: [u8; MAX_SQUARES],
    len: usize,
}

/// The patterns, in the order of their features and of their weights.
pub(crate) const PATTERNS: [Pattern; 12] = [
    // The corner of three by three.
    Pattern::new("a1 b1 c1 a2 b2 c2 a3 b3 c3"),
    // The edge with the squares diagonally next to corners.
    Pattern::new("a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
    // The triangle in a corner.
    Pattern::new("a1 b1 c1 d1 a2 b2 c2 a3 b3 a4"),
    // The block of eight on an edge, and its corners.
    Pattern::new("a1 c1 d1 e1 f1 h1 c2 d2 e2 f2"),
    // Row 2.
    Pattern::new("a2 b2 c2 d2 e2 f2 g2 h2"),
    // Row 3.
    Pattern::new("a3 b3 c3 d3 e3 f3 g3 h3"),
    // Row 4.
    Pattern::new("a4 b4 c4 d4 e4 f4 g4 h4"),
    // The diagonals of 8.
    Pattern::new("a1 b2 c3 d4 e5 f6 g7 h8"),
    // The diagonals of 7.
    Pattern::new("b1 c2 d3 e4 f5 g6 h7"),
    // The diagonals of 6.
    Pattern::new("c1 d2 e3 f4 g5 h6"),
    // The diagonals of 5.
    Pattern::new("d1 e2 f3 g4 h5"),
    // The diagonals of 4.
    Pattern::new("e1 f2 g3 h4"),
];

/// One number a feature: indexes, or what is added to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub [u16; N_LANES]);

/// By square (`row * 8 + column`): what a disc of the mover on it adds to each index. A disc of
/// the opponent adds twice as much.
pub(crate) static POWERS: [Lanes; 64] = powers();

/// Rows of weights: one for each index of each pattern, and one more for the idle lanes.
pub(crate) const N_ROWS: usize = first_row(PATTERNS.len()) + 1;

/// By lane: the row of its index 0. The row of another index is so many further.
#[cfg(any(test, feature = "train"))]
pub(crate) static FIRST_ROWS: [u32; N_LANES] = first_rows();

/// How many weights are left when rows that mean the same are one.
pub(crate) const N_FOLDED: usize = first_folded(PATTERNS.len());

/// The number of the first folded weight of each pattern, and of all.
pub(crate) const FOLDED_STARTS: [usize; PATTERNS.len() + 1] = {
    let mut starts = [0; PATTERNS.len() + 1];
    let mut n = 0;
    while n <= PATTERNS.len() {
        starts[n] = first_folded(n);
        n += 1;
    }
    starts
};

/// Rows of a table: as many for each pattern as the next power of two, so that an index that is
/// masked to it is within the table for certain.
pub(crate) const N_TABLE_ROWS: usize = TABLE_STARTS[PATTERNS.len()];

/// Where the rows of each pattern begin in a table, and where the last ones end.
pub(crate) const TABLE_STARTS: [usize; PATTERNS.len() + 1] = {
    let mut starts = [0; PATTERNS.len() + 1];
    let mut n = 0;
    while n < PATTERNS.len() {
        starts[n + 1] = starts[n] + PATTERNS[n].n_indexes().next_power_of_two();
        n += 1;
    }
    starts
};

/// The first lane of each pattern, and the first idle one.
pub(crate) const LANE_STARTS: [usize; PATTERNS.len() + 1] = {
    let mut starts = [0; PATTERNS.len() + 1];
    let mut n = 0;
    while n < PATTERNS.len() {
        starts[n + 1] = starts[n] + PATTERNS[n].n_features();
        n += 1;
    }
    starts
};

/// The sum of the rows of a position with these indexes.
#[inline(always)]
pub(crate) fn sum(table: &[i16; N_TABLE_ROWS], lanes: &Lanes) -> i32 {
    const { assert!(PATTERNS.len() == 12) };
    of_pattern::<0>(table, lanes)
        + of_pattern::<1>(table, lanes)
        + of_pattern::<2>(table, lanes)
        + of_pattern::<3>(table, lanes)
        + of_pattern::<4>(table, lanes)
        + of_pattern::<5>(table, lanes)
        + of_pattern::<6>(table, lanes)
        + of_pattern::<7>(table, lanes)
        + of_pattern::<8>(table, lanes)
        + of_pattern::<9>(table, lanes)
        + of_pattern::<10>(table, lanes)
        + of_pattern::<11>(table, lanes)
}

/// The sum of the rows of one pattern. Its number is known when this is compiled, so that nothing
/// has to be checked.
#[inline(always)]
fn of_pattern<const N: usize>(table: &[i16; N_TABLE_ROWS], lanes: &Lanes) -> i32 {
    let (start, mask) = const { (TABLE_STARTS[N], TABLE_STARTS[N + 1] - TABLE_STARTS[N] - 1) };
    let mut sum = 0;
    for lane in const { LANE_STARTS[N]..LANE_STARTS[N + 1] } {
        sum += i32::from(table[start + (usize::from(lanes.0[lane]) & mask)]);
    }
    sum
}

/// The indexes of a position for its mover and, should he pass, for his opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Views {
    /// For the mover.
    pub mover: Lanes,
    /// For the opponent.
    pub opponent: Lanes,
}

#[expect(clippy::needless_range_loop, reason = "several arrays are gone through in step")]
impl Views {
    /// What stands for them where nobody asks.
    pub const NONE: Self = Self { mover: Lanes([0; N_LANES]), opponent: Lanes([0; N_LANES]) };

    /// The views of a position.
    pub fn new(position: &Position<u64>) -> Self {
        Self { mover: features(position), opponent: features(&position.pass()) }
    }

    /// After a move of the mover that turns `flips`.
    ///
    /// With `P` the powers of the square and `Q` the sum of those of the flips, his discs gain
    /// `P + Q` and the opponent's lose `Q`.
    #[inline(always)]
    pub fn play(&self, index: u32, flips: u64) -> Self {
        let played = &POWERS[index as usize & 63].0;
        let turned = sum_of_powers(flips);
        let mut next = *self;
        for lane in 0..N_LANES {
            let (power, turned) = (played[lane], turned.0[lane]);
            next.mover.0[lane] = self.opponent.0[lane].wrapping_add(power << 1).wrapping_add(turned);
            next.opponent.0[lane] = self.mover.0[lane].wrapping_add(power).wrapping_sub(turned);
        }
        next
    }

    /// [`Self::play`] for the next mover alone.
    #[inline(always)]
    pub fn play_for_next(&self, index: u32, flips: u64) -> Lanes {
        let played = &POWERS[index as usize & 63].0;
        let mut next = sum_of_powers(flips);
        for lane in 0..N_LANES {
            let power = played[lane] << 1;
            next.0[lane] = next.0[lane].wrapping_add(self.opponent.0[lane]).wrapping_add(power);
        }
        next
    }

    /// After a pass.
    #[inline(always)]
    pub fn pass(&self) -> Self {
        Self { mover: self.opponent, opponent: self.mover }
    }
}

#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "two arrays are gone through in step")]
fn sum_of_powers(squares: u64) -> Lanes {
    let mut sum = Lanes([0; N_LANES]);
    let mut rest = squares;
    while rest != 0 {
        let powers = &POWERS[rest.trailing_zeros() as usize].0;
        for lane in 0..N_LANES {
            sum.0[lane] = sum.0[lane].wrapping_add(powers[lane]);
        }
        rest &= rest - 1;
    }
    sum
}

/// The indexes of a position.
///
/// ```text
/// index = sum of POWERS over the mover's discs + 2 * sum of POWERS over the opponent's
/// ```
pub(crate) fn features(position: &Position<u64>) -> Lanes {
    let mut lanes = [0; N_LANES];
    let mut add = |discs: u64, times: u16| {
        let mut rest = discs;
        while rest != 0 {
            let powers = &POWERS[rest.trailing_zeros() as usize].0;
            lanes.iter_mut().zip(powers).for_each(|(lane, power)| *lane += times * power);
            rest &= rest - 1;
        }
    };
    add(position.own, 1);
    add(position.other, 2);
    Lanes(lanes)
}

/// Which rows mean the same, because a pattern is its own mirror image. Rows that do have one weight,
/// and weights are numbered in the order of their first rows.
pub(crate) struct Folding {
    /// By row, but for the last, idle one: the number of its weight, below [`N_FOLDED`].
    #[cfg(any(test, feature = "train"))]
    pub weights: Box<[u32]>,
    /// By weight: where its two rows, or its only row twice, are in a table.
    pub places: Box<[[u32; 2]]>,
}

impl Folding {
    /// The folding of [`PATTERNS`], in a millisecond.
    pub fn new() -> Self {
        let mut weights: Vec<u32> = Vec::with_capacity(N_ROWS - 1);
        let mut places: Vec<[u32; 2]> = Vec::with_capacity(N_FOLDED);
        for (pattern, start) in PATTERNS.iter().zip(TABLE_STARTS) {
            let first = weights.len() as u32;
            let gap = start as u32 - first;
            for (row, mirrored) in (first..).zip(pattern.mirrored_indexes()) {
                let mirrored = first + mirrored;
                if mirrored < row {
                    weights.push(weights[mirrored as usize]);
                } else {
                    weights.push(places.len() as u32);
                    places.push([row + gap, mirrored + gap]);
                }
            }
        }
        Self {
            #[cfg(any(test, feature = "train"))]
            weights: weights.into_boxed_slice(),
            places: places.into_boxed_slice(),
        }
    }
}

/// A number that changes with the patterns, so that weights of others are not taken for theirs.
pub(crate) const FINGERPRINT: u32 = {
    let mut hash: u32 = 0x811c_9dc5;
    let mut n = 0;
    while n < PATTERNS.len() {
        let mut at = 0;
        while at <= PATTERNS[n].len {
            let byte = if at < PATTERNS[n].len { PATTERNS[n].squares[at] } else { 64 };
            hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        n += 1;
    }
    hash
};

impl Pattern {
    /// Reads squares such as `a1 b1`.
    const fn new(squares: &str) -> Self {
        let text = squares.as_bytes();
        let len = (text.len() + 1) / 3;
        assert!(len <= MAX_SQUARES && text.len() == 3 * len - 1);
        let mut squares = [0; MAX_SQUARES];
        let mut at = 0;
        while at < len {
            let (column, row) = (text[3 * at] - b'a', text[3 * at + 1] - b'1');
            assert!(column < 8 && row < 8);
            squares[at] = row * 8 + column;
            at += 1;
        }
        Self { squares, len }
    }

    /// How many indexes it has.
    pub const fn n_indexes(&self) -> usize {
        3_usize.pow(self.len as u32)
    }

    /// Where the squares go under one of the eight symmetries.
    const fn image(&self, symmetry: usize) -> [u8; MAX_SQUARES] {
        let mut image = self.squares;
        let mut at = 0;
        while at < self.len {
            image[at] = image_of(symmetry, self.squares[at]);
            at += 1;
        }
        image
    }

    /// The squares of an image as a set.
    const fn covers(&self, symmetry: usize) -> u64 {
        let image = self.image(symmetry);
        let (mut set, mut at) = (0, 0);
        while at < self.len {
            set |= 1 << image[at];
            at += 1;
        }
        set
    }

    /// Whether an earlier symmetry covers the same squares.
    const fn is_repeated(&self, symmetry: usize) -> bool {
        let mut earlier = 0;
        while earlier < symmetry {
            if self.covers(earlier) == self.covers(symmetry) {
                return true;
            }
            earlier += 1;
        }
        false
    }

    /// How many features it has.
    pub const fn n_features(&self) -> usize {
        let (mut n, mut symmetry) = (0, 0);
        while symmetry < 8 {
            n += !self.is_repeated(symmetry) as usize;
            symmetry += 1;
        }
        n
    }

    /// Where each place of the pattern goes when the pattern is laid on itself the other way
    /// round; each to itself where there is no other way. There is never more than one.
    const fn mirror(&self) -> [usize; MAX_SQUARES] {
        let mut mirror = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        let (mut symmetry, mut found) = (1, false);
        while symmetry < 8 {
            if self.covers(symmetry) == self.covers(0) {
                let image = self.image(symmetry);
                let mut places = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
                let (mut at, mut moves, mut differs) = (0, false, false);
                while at < self.len {
                    let mut to = 0;
                    while self.squares[to] != image[at] {
                        to += 1;
                    }
                    places[at] = to;
                    moves |= to != at;
                    differs |= to != mirror[at];
                    at += 1;
                }
                assert!(!(moves && found && differs), "a pattern with two mirrors");
                if moves {
                    mirror = places;
                    found = true;
                }
            }
            symmetry += 1;
        }
        mirror
    }

    /// How many indexes are left when those that mean the same are one.
    const fn n_folded(&self) -> usize {
        let mirror = self.mirror();
        let (mut at, mut n_fixed, mut n_pairs) = (0, 0, 0);
        while at < self.len {
            if mirror[at] == at {
                n_fixed += 1;
            } else if mirror[at] > at {
                assert!(mirror[mirror[at]] == at);
                n_pairs += 1;
            }
            at += 1;
        }
        (self.n_indexes() + 3_usize.pow(n_fixed + n_pairs)) / 2
    }

    /// By index: the one that means the same, or itself.
    fn mirrored_indexes(&self) -> Vec<u32> {
        let mirror = self.mirror();
        let mut indexes = vec![0];
        for &to in &mirror[..self.len] {
            for digit in 1..3 {
                let power = 3_u32.pow(to as u32);
                let without = indexes.len() / digit as usize;
                indexes.extend_from_within(..without);
                let added = indexes.len() - without;
                indexes[added..].iter_mut().for_each(|index| *index += digit * power);
            }
        }
        indexes
    }
}

/// Where a symmetry of the board takes a square: perhaps swapped along the main diagonal (4), then
/// perhaps turned upside down (2) and mirrored left to right (1).
const fn image_of(symmetry: usize, square: u8) -> u8 {
    let (mut column, mut row) = (square % 8, square / 8);
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    row * 8 + column
}

const fn first_row(pattern: usize) -> usize {
    let (mut rows, mut n) = (0, 0);
    while n < pattern {
        rows += PATTERNS[n].n_indexes();
        n += 1;
    }
    rows
}

const fn first_folded(pattern: usize) -> usize {
    let (mut weights, mut n) = (0, 0);
    while n < pattern {
        weights += PATTERNS[n].n_folded();
        n += 1;
    }
    weights
}

const fn powers() -> [Lanes; 64] {
    let mut powers = [Lanes([0; N_LANES]); 64];
    let (mut lane, mut n) = (0, 0);
    while n < PATTERNS.len() {
        let pattern = &PATTERNS[n];
        let mut symmetry = 0;
        while symmetry < 8 {
            if !pattern.is_repeated(symmetry) {
                let image = pattern.image(symmetry);
                let (mut at, mut power) = (0, 1);
                while at < pattern.len {
                    powers[image[at] as usize].0[lane] = power;
                    power = power.wrapping_mul(3);
                    at += 1;
                }
                lane += 1;
            }
            symmetry += 1;
        }
        n += 1;
    }
    assert!(lane == N_FEATURES && lane <= N_LANES);
    powers
}

#[cfg(any(test, feature = "train"))]
const fn first_rows() -> [u32; N_LANES] {
    let mut rows = [N_ROWS as u32 - 1; N_LANES];
    let (mut lane, mut n) = (0, 0);
    while n < PATTERNS.len() {
        let mut feature = 0;
        while feature < PATTERNS[n].n_features() {
            rows[lane] = first_row(n) as u32;
            lane += 1;
            feature += 1;
        }
        n += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::SplitMix64;

    fn random_position(random: &mut SplitMix64) -> Position<u64> {
        let discs = random.next_u64() | random.next_u64();
        let own = random.next_u64() & discs;
        Position { own, other: discs & !own }
    }

    fn image(symmetry: usize, set: u64) -> u64 {
        (0..64)
            .filter(|&square| set >> square & 1 != 0)
            .fold(0, |image, square| image | 1 << image_of(symmetry, square))
    }

    /// The folded weights of a position, sorted.
    fn weights(folding: &Folding, position: &Position<u64>) -> Vec<u32> {
        let lanes = features(position).0.into_iter().zip(FIRST_ROWS);
        let rows = lanes.map(|(index, first)| (first + u32::from(index)) as usize);
        let mut weights: Vec<u32> = rows.take(N_FEATURES).map(|row| folding.weights[row]).collect();
        weights.sort_unstable();
        weights
    }

    #[test]
    fn all_symmetries_of_a_position_have_the_same_weights() {
        let folding = Folding::new();
        let mut random = SplitMix64::new(1);
        for _ in 0..500 {
            let position = random_position(&mut random);
            let expected = weights(&folding, &position);
            for symmetry in 1..8 {
                let Position { own, other } = position;
                let turned = Position { own: image(symmetry, own), other: image(symmetry, other) };
                assert_eq!(weights(&folding, &turned), expected, "{position:x?} {symmetry}");
            }
        }
    }

    #[test]
    fn an_index_has_the_squares_of_its_pattern_as_digits() {
        // The first feature of a pattern is the pattern itself: a1 own, c1 other, b2 own.
        let position = Position { own: 1 | 1 << 9, other: 1 << 2 };
        let indexes = features(&position).0;
        assert_eq!(indexes[0], 1 + 2 * 9 + 81);
        assert_eq!(indexes[4], 1 + 2 * 9 + 6561);
        assert_eq!(indexes[N_FEATURES..], [0, 0]);
    }

    #[test]
    fn the_other_view_swaps_the_digits() {
        let mut random = SplitMix64::new(2);
        for _ in 0..200 {
            let position = random_position(&mut random);
            let both = |index: u16, passed: u16| {
                let (mut a, mut b) = (index, passed);
                while a != 0 || b != 0 {
                    assert_eq!(a % 3, [0, 2, 1][usize::from(b % 3)], "{index} {passed}");
                    (a, b) = (a / 3, b / 3);
                }
            };
            let indexes = features(&position).0.into_iter().zip(features(&position.pass()).0);
            indexes.for_each(|(index, passed)| both(index, passed));
        }
    }

    #[test]
    fn the_last_index_of_a_pattern_is_followed_by_the_rows_of_the_next() {
        let full = features(&Position { own: 0, other: !0 }).0;
        for (lane, (&index, &first)) in full.iter().zip(&FIRST_ROWS).enumerate() {
            let next = first as usize + usize::from(index) + 1;
            let begins = FIRST_ROWS.iter().any(|&row| row as usize == next);
            assert!(begins || next == N_ROWS, "lane {lane}");
        }
        let n_features = |powers: &Lanes| powers.0.iter().filter(|&&power| power != 0).count();
        assert!(POWERS.iter().all(|powers| n_features(powers) >= 4));
    }

    #[test]
    fn rows_that_mean_the_same_are_folded_and_no_others() {
        let folding = Folding::new();
        assert_eq!((N_ROWS, N_FOLDED), (226_315, 114_363));
        assert_eq!((folding.weights.len(), folding.places.len()), (N_ROWS - 1, N_FOLDED));
        let mut uses = vec![0; N_FOLDED];
        folding.weights.iter().for_each(|&weight| uses[weight as usize] += 1);
        let row_of = |place: u32| {
            let pattern = TABLE_STARTS.iter().rposition(|&start| start <= place as usize);
            let pattern = pattern.expect("the first one starts at 0");
            first_row(pattern) + place as usize - TABLE_STARTS[pattern]
        };
        for (weight, [place, mirrored]) in (0..).zip(&*folding.places) {
            assert_eq!(uses[weight as usize], 1 + usize::from(place != mirrored));
            assert_eq!(folding.weights[row_of(*place)], weight);
            assert_eq!(folding.weights[row_of(*mirrored)], weight);
        }
    }

    #[test]
    fn views_are_kept_up_to_date_by_moves_and_passes() {
        let mut random = SplitMix64::new(2);
        for _ in 0..1000 {
            let own = random.next_u64() & random.next_u64();
            let position = Position { own, other: random.next_u64() & random.next_u64() & !own };
            let index = random.below(64) as u32;
            let flips = position.other & random.next_u64() & !(1 << index);
            let position = Position { own: own & !(1 << index), other: position.other & !(1 << index) };
            let views = Views::new(&position);
            let child = position.play_flips(index, flips);
            assert_eq!(views.play(index, flips), Views::new(&child));
            assert_eq!(views.play_for_next(index, flips), Views::new(&child).mover);
            assert_eq!(views.pass(), Views::new(&position.pass()));
        }
    }
}
