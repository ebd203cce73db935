//! The transposition table: what is known of positions already searched, for all threads at once.
//!
//! The table belongs to one set of rules and playable squares; whoever owns it clears it when
//! these change.
//!
//! # Why an answer is never wrong
//!
//! An entry is a position and one word of data. Threads read and write its words one by one, each
//! atomically but without order, so a reader may find words of different writes. What is stored is
//! therefore
//!
//! ```text
//! w[0] ^ data, w[1] ^ data, ..., w[n-2] ^ data, key ^ data, data
//! ```
//!
//! where `w` are the words of the mover's discs and the opponent's, and the key stands for the
//! last of them: when the others are given, different last words have different keys.
//!
//! A reader undoes this with the data it has found and compares with the position it looks for.
//!
//! - All words are of one write: they match only when the position written and the one looked for
//!   have the same words but for the last, and the same key, and so are the same. No chance is
//!   involved.
//! - The key is of another write than the data, and the data of the two writes differ: the key is
//!   off by their difference. If it was that of the position looked for, it no longer is.
//! - The key is of another write than the data, and the data of the two are equal: if the key
//!   matches, the position looked for was written with these very data. They are the answer,
//!   wherever the other words are from.
//!
//! What is left are two positions whose keys are equal, or differ just as their data do. For that
//! 64 random bits have to agree while two writes meet in one entry.
//!
//! So a torn entry is a miss. It is overwritten like any other.

use std::array;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::rules::{Bits, Position};

use super::memory::{self, LINE, Memory};

/// No move is known. Moves are indexes of squares in their width; the last square of 16x16 is
/// never remembered, and says so.
pub(crate) const NO_MOVE: u8 = u8::MAX;

/// Bytes of a new table that are used before it is opened: what a search of some ten thousand
/// nodes can fill.
const BEGINNING: usize = 2 << 20;

/// The selectivity of a search that left nothing out.
pub(crate) const EXACT: u8 = 7;

/// What the table knows of a position, in centidiscs for its mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
    /// Plies searched; equal to the empties when the end was reached.
    pub depth: u32,
    /// How much was left out: from 0, the most, to [`EXACT`].
    pub selectivity: u8,
    /// The best move found last and the one found before it, or [`NO_MOVE`]. Not checked for
    /// being legal.
    pub best: [u8; 2],
}

/// What a search found out about a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The value is at least this, in centidiscs.
    pub lower: i32,
    /// The value is at most this, in centidiscs.
    pub upper: i32,
    /// Plies searched.
    pub depth: u32,
    /// How much was left out: from 0, the most, to [`EXACT`].
    pub selectivity: u8,
    /// The best move, or [`NO_MOVE`].
    pub best: u8,
}

/// A table for boards of one width.
///
/// Positions whose keys are near each other share a bucket of whole cache lines. Neither [`get`]
/// nor [`put`] waits for another thread. Two threads that store the same new position at the same
/// moment may give it two entries; one of them is found, the other is replaced sooner or later.
///
/// [`get`]: Self::get
/// [`put`]: Self::put
///
/// A new table is used only in part until a search is large enough for [`open`](Self::open): the
/// system hands out memory when it is touched first, huge pages slowly and sometimes, when it has
/// to make room for them, very slowly. A first quick answer does not wait for that.
pub(crate) struct Table<B: Bits> {
    memory: Memory,
    /// All there are.
    n_buckets: usize,
    /// Those in use.
    n_open: AtomicUsize,
    /// Of the present search, below 32.
    generation: u8,
    width: PhantomData<B>,
}

impl<B: Bits> Table<B> {
    /// Words of a set of squares.
    const SET_WORDS: usize = (B::COLUMNS * B::ROWS).div_ceil(64) as usize;
    /// Words of a position.
    const POSITION_WORDS: usize = 2 * Self::SET_WORDS;
    /// Words of an entry.
    const ENTRY_WORDS: usize = Self::POSITION_WORDS + 1;
    /// Cache lines of a bucket. Five entries of an 8x8 board fill two lines but for 8 bytes, and
    /// processors fetch lines in pairs; two entries in one line leave 16 bytes, and a full table
    /// of them took 4 % more nodes (34 FFO positions, 1 MiB). Eight entries in three lines were
    /// not better than five in two.
    const BUCKET_LINES: usize = match Self::SET_WORDS {
        1 | 2 => 2,
        _ => 5,
    };
    /// Words of a bucket.
    const BUCKET_WORDS: usize = Self::BUCKET_LINES * LINE / size_of::<AtomicU64>();

    /// The largest table of at most `bytes`, or the smallest there is. Nothing when the system
    /// does not have the memory.
    pub fn try_new(bytes: usize) -> Option<Self> {
        if memory::available().is_some_and(|available| bytes > available) {
            return None;
        }
        Self::of_buckets((bytes / Self::bucket_bytes()).max(1))
    }

    /// A table of at most `bytes`, or the largest half, quarter, ... of it that is to be had.
    pub fn new(bytes: usize) -> Self {
        let mut bytes = bytes;
        loop {
            if let Some(table) = Self::try_new(bytes) {
                return table;
            }
            assert!(bytes > 0, "the system has memory for a bucket");
            log::warn!("no {} MiB of memory for the table; trying half", bytes >> 20);
            bytes /= 2;
        }
    }

    fn of_buckets(n_buckets: usize) -> Option<Self> {
        let memory = Memory::try_new(n_buckets.checked_mul(Self::BUCKET_WORDS)?)?;
        let n_open = AtomicUsize::new(n_buckets.min(BEGINNING / Self::bucket_bytes()));
        Some(Self { memory, n_buckets, n_open, generation: 0, width: PhantomData })
    }

    /// From now on all of the table is used. What a part of it knew is forgotten; in the whole it
    /// would be looked for elsewhere.
    pub fn open(&self) {
        if self.n_open.load(Ordering::Relaxed) < self.n_buckets {
            self.memory.prefer_huge_pages();
            self.n_open.store(self.n_buckets, Ordering::Relaxed);
        }
    }

    const fn bucket_bytes() -> usize {
        Self::BUCKET_LINES * LINE
    }

    /// Forgets everything. Fresh memory is had from the system faster than old memory is wiped:
    /// a large table would be wiped for longer than a `stop` may wait.
    pub fn clear(&mut self) {
        let n_buckets = self.n_buckets;
        self.memory = Memory::none();
        // The system has had this much before; it is not asked again how much it has.
        *self =
            Self::of_buckets(n_buckets).unwrap_or_else(|| Self::new(n_buckets * Self::bucket_bytes()));
    }

    /// Begins a new search: entries of earlier ones give way first.
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) % N_GENERATIONS;
    }

    /// The hash under which a position is remembered. Positions that differ in the last word of
    /// the opponent's discs alone have different keys.
    #[inline]
    pub fn key(position: &Position<B>) -> u64 {
        // Each step is one-to-one in its word.
        let mut key = 0x9e37_79b9_7f4a_7c15;
        for word in words(position).into_iter().take(Self::POSITION_WORDS) {
            key ^= word;
            key = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        }
        key ^ key >> 32
    }

    /// Has the processor fetch what [`Self::get`] and [`Self::put`] will read.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.bucket(key).chunks(LINE / size_of::<AtomicU64>()).for_each(memory::prefetch);
    }

    /// What is known of `position`, at whatever depth.
    #[inline]
    pub fn get(&self, position: &Position<B>, key: u64) -> Option<Entry> {
        let mut slots = self.bucket(key).chunks_exact(Self::ENTRY_WORDS);
        slots.find_map(|slot| Self::read(slot, position, key)).map(Data::entry)
    }

    /// Records that the value of `position` at a depth lies within bounds.
    #[inline]
    pub fn put(&self, position: &Position<B>, key: u64, known: &Known) {
        let mut least = u32::MAX;
        let mut given_up = None;
        for slot in self.bucket(key).chunks_exact(Self::ENTRY_WORDS) {
            if let Some(old) = Self::read(slot, position, key) {
                let joined = old.join(known, self.generation);
                if joined != old {
                    Self::write(slot, position, key, joined);
                }
                return;
            }
            let worth = Data(slot[Self::POSITION_WORDS].load(Ordering::Relaxed)).worth(self.generation);
            if worth < least {
                (least, given_up) = (worth, Some(slot));
            }
        }
        if let Some(slot) = given_up {
            let entry = Entry {
                lower: known.lower,
                upper: known.upper,
                depth: known.depth,
                selectivity: known.selectivity,
                best: [known.best, NO_MOVE],
            };
            Self::write(slot, position, key, Data::new(&entry, self.generation));
        }
    }

    /// Records what somebody else says of `position`. What was searched as deeply, leaving out no
    /// more, stays where the two contradict each other.
    pub fn put_taught(&self, position: &Position<B>, key: u64, known: &Known) {
        let contradicts = |own: &Entry| own.lower > known.upper || own.upper < known.lower;
        let outdoes = |own: &Entry| own.depth >= known.depth && own.selectivity >= known.selectivity;
        if self.get(position, key).is_some_and(|own| outdoes(&own) && contradicts(&own)) {
            return;
        }
        self.put(position, key, known);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        debug_assert_eq!(self.memory.words().len(), self.n_buckets * Self::BUCKET_WORDS);
        let n_open = self.n_open.load(Ordering::Relaxed);
        // The upper half of a product spreads a key over any number of buckets without a division.
        let index = ((u128::from(key) * n_open as u128) >> 64) as usize;
        &self.memory.words()[index * Self::BUCKET_WORDS..][..Self::BUCKET_WORDS]
    }

    /// The data of an entry, if it is whole and of this position.
    #[inline]
    fn read(slot: &[AtomicU64], position: &Position<B>, key: u64) -> Option<Data> {
        let data = slot[Self::POSITION_WORDS].load(Ordering::Relaxed);
        let words = identity(position, key);
        let matches = |n: usize| slot[n].load(Ordering::Relaxed) ^ data == words[n];
        // The key first: it tells nearly all positions apart. Fresh memory is all zeros, which may
        // look like a position; no data is.
        ((0..Self::POSITION_WORDS).rev().all(matches) && data != 0).then_some(Data(data))
    }

    #[inline]
    fn write(slot: &[AtomicU64], position: &Position<B>, key: u64, Data(data): Data) {
        let words = identity(position, key);
        for n in 0..Self::POSITION_WORDS {
            slot[n].store(words[n] ^ data, Ordering::Relaxed);
        }
        slot[Self::POSITION_WORDS].store(data, Ordering::Relaxed);
    }
}

/// The words of a position without gaps between them.
#[inline]
fn words<B: Bits>(position: &Position<B>) -> [u64; 8] {
    let n_words = Table::<B>::SET_WORDS;
    let (own, other) = (position.own.words(), position.other.words());
    array::from_fn(|n| {
        if n < n_words {
            own[n]
        } else if n < 2 * n_words {
            other[n - n_words]
        } else {
            0
        }
    })
}

/// Those words with the key in place of the last: no two positions have the same.
#[inline]
fn identity<B: Bits>(position: &Position<B>, key: u64) -> [u64; 8] {
    let mut words = words(position);
    words[Table::<B>::POSITION_WORDS - 1] = key;
    words
}

/// Searches that can be told apart.
const N_GENERATIONS: u8 = 1 << 5;

/// An entry without its position. From the lowest bit: 16 bits lower bound, 16 upper bound, 8 best
/// move, 8 second best, 3 selectivity, 8 depth, 5 generation. Never zero, as a move is not second
/// best to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Data(u64);

impl Data {
    #[inline]
    fn new(entry: &Entry, generation: u8) -> Self {
        let Entry { lower, upper, depth, selectivity, best } = *entry;
        debug_assert!(i16::try_from(lower).is_ok() && i16::try_from(upper).is_ok());
        debug_assert!(depth < 1 << 8 && selectivity <= EXACT && generation < N_GENERATIONS);
        Self(
            u64::from(lower as u16)
                | u64::from(upper as u16) << 16
                | u64::from(best[0]) << 32
                | u64::from(best[1]) << 40
                | u64::from(selectivity) << 48
                | u64::from(depth as u8) << 51
                | u64::from(generation) << 59,
        )
    }

    #[inline]
    fn entry(self) -> Entry {
        let Self(data) = self;
        Entry {
            lower: i32::from(data as i16),
            upper: i32::from((data >> 16) as i16),
            best: [(data >> 32) as u8, (data >> 40) as u8],
            selectivity: (data >> 48) as u8 & EXACT,
            depth: u32::from((data >> 51) as u8),
        }
    }

    fn generation(self) -> u8 {
        (self.0 >> 59) as u8
    }

    /// By generation, then by depth, then by selectivity; the present generation is worth most.
    #[inline]
    fn worth(self, generation: u8) -> u32 {
        // The number of the generation is above the others and wraps around by itself.
        let after = u16::from(generation + 1) << 11;
        u32::from(((self.0 >> 48) as u16).wrapping_sub(after))
    }

    /// What is known of a position when something is added to what was.
    fn join(self, known: &Known, generation: u8) -> Self {
        let old = self.entry();
        let mut joined = old;
        if known.best != NO_MOVE && known.best != old.best[0] {
            joined.best = [known.best, old.best[0]];
        }
        // A deeper search that leaves more out says more than a shallow one.
        let before = (old.depth, old.selectivity);
        let now = (known.depth, known.selectivity);
        if now < before && self.generation() == generation {
            // Deeper knowledge stays, but a move is more than none.
            joined.best = if old.best[0] == NO_MOVE { joined.best } else { old.best };
            return Self::new(&joined, generation);
        }
        (joined.lower, joined.upper) = (known.lower, known.upper);
        (joined.depth, joined.selectivity) = now;
        if now == before {
            // Two searches of one depth agree; together they know more.
            let (lower, upper) = (old.lower.max(known.lower), old.upper.min(known.upper));
            if lower <= upper {
                (joined.lower, joined.upper) = (lower, upper);
            }
        }
        Self::new(&joined, generation)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::rules::{SplitMix64, U256};

    fn known(lower: i32, upper: i32, depth: u32) -> Known {
        Known { lower, upper, depth, selectivity: EXACT, best: 19 }
    }

    fn put<B: Bits>(table: &Table<B>, position: &Position<B>, known: &Known) {
        table.put(position, Table::key(position), known);
    }

    fn get<B: Bits>(table: &Table<B>, position: &Position<B>) -> Option<Entry> {
        table.get(position, Table::key(position))
    }

    /// A position of its own for each number: squares of an index with their neighbours.
    fn position<B: Bits>(n: u32) -> Position<B> {
        let squares = B::COLUMNS * B::ROWS;
        let own = B::bit(n % squares) | B::bit(n / squares % squares);
        Position { own, other: own.neighbours() & !own }
    }

    /// Data that tell which position they are of.
    fn known_of<B: Bits>(position: &Position<B>, depth: u32) -> Known {
        let n = (Table::key(position) >> 50) as i32;
        Known { lower: n - 20_000, upper: n, depth, selectivity: 3, best: (n % 60) as u8 }
    }

    fn answers_for_its_own_positions_only<B: Bits>() {
        let table = Table::<B>::new(1 << 12);
        let positions = (0..if cfg!(miri) { 50 } else { 2000 }).map(position::<B>);
        for position in positions.clone() {
            put(&table, &position, &known_of(&position, 3));
            let entry = get(&table, &position).expect("what was put last");
            assert_eq!(entry.lower, known_of(&position, 3).lower);
        }
        for position in positions {
            let expected = known_of(&position, 3);
            if let Some(entry) = get(&table, &position) {
                assert_eq!((entry.lower, entry.upper), (expected.lower, expected.upper));
                assert_eq!((entry.depth, entry.selectivity), (3, 3));
                assert_eq!(entry.best, [expected.best, NO_MOVE]);
            }
        }
    }

    #[test]
    fn an_entry_answers_for_its_own_position_only() {
        answers_for_its_own_positions_only::<u64>();
        answers_for_its_own_positions_only::<u128>();
        answers_for_its_own_positions_only::<U256>();
    }

    #[test]
    fn a_table_that_is_opened_knows_as_much_as_its_size_holds() {
        let n_positions = if cfg!(miri) { 100 } else { 100_000 };
        let found = |table: &Table<u64>| {
            let positions = || {
                let mut random = SplitMix64::new(7);
                (0..n_positions).map(move |_| Position { own: random.next_u64(), other: 0 })
            };
            positions().for_each(|position| put(table, &position, &known(0, 0, 3)));
            positions().filter(|position| get(table, position).is_some()).count()
        };
        let table = Table::new(8 * BEGINNING);
        let most = BEGINNING / (Table::<u64>::ENTRY_WORDS * size_of::<AtomicU64>());
        assert!(found(&table) <= most);
        table.open();
        // What the beginning held is still in the way there.
        assert!(found(&table) > most.min(n_positions * 9 / 10));
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let table = Table::<u64>::new(1 << 10);
        // Whatever its key is, it is zero of it that fresh memory holds.
        let position = Position { own: 0, other: 0 };
        assert!(table.get(&position, 0).is_none());
        let (lowest, highest) = (i32::from(i16::MIN), i32::from(i16::MAX));
        for (lower, upper, depth, best) in
            [(0, 0, 0, 0), (lowest, highest, 255, 254), (-1, 0, 60, NO_MOVE)]
        {
            let mut table = Table::<u64>::new(1 << 10);
            table.age();
            table.put(&position, 0, &Known { lower, upper, depth, selectivity: 0, best });
            let entry = table.get(&position, 0).expect("an entry");
            assert_eq!((entry.lower, entry.upper, entry.depth), (lower, upper, depth));
            assert_eq!((entry.selectivity, entry.best), (0, [best, NO_MOVE]));
        }
    }

    #[test]
    fn bounds_of_one_depth_are_joined_and_deeper_ones_stay() {
        let mut table = Table::<u64>::new(1 << 10);
        let position = position(1);
        let check = |table: &Table<u64>, known: Known, expected: (i32, i32, u32, u8)| {
            put(table, &position, &known);
            let Entry { lower, upper, depth, selectivity, .. } =
                get(table, &position).expect("an entry");
            assert_eq!((lower, upper, depth, selectivity), expected, "after {known:?}");
        };
        check(&table, known(100, 30_000, 5), (100, 30_000, 5, EXACT));
        check(&table, known(-30_000, 300, 5), (100, 300, 5, EXACT));
        // Shallower, or as deep and less exact.
        check(&table, known(700, 700, 2), (100, 300, 5, EXACT));
        check(&table, Known { selectivity: 2, ..known(700, 700, 5) }, (100, 300, 5, EXACT));
        // Bounds that contradict each other: the newer ones.
        check(&table, known(400, 30_000, 5), (400, 30_000, 5, EXACT));
        check(&table, Known { selectivity: 2, ..known(0, 10, 6) }, (0, 10, 6, 2));
        check(&table, known(5, 5, 6), (5, 5, 6, EXACT));
        // What is left over from an earlier search gives way.
        table.age();
        check(&table, Known { selectivity: 0, ..known(1, 2, 2) }, (1, 2, 2, 0));
        table.clear();
        assert!(get(&table, &position).is_none());
    }

    #[test]
    fn the_best_move_before_is_the_second_best() {
        let table = Table::<u64>::new(1 << 10);
        let position = position(1);
        let check = |best: u8, depth: u32, expected: [u8; 2]| {
            put(&table, &position, &Known { best, ..known(0, 100, depth) });
            assert_eq!(get(&table, &position).expect("an entry").best, expected, "{best} at {depth}");
        };
        check(NO_MOVE, 4, [NO_MOVE, NO_MOVE]);
        // Better than none, though shallower.
        check(3, 2, [3, NO_MOVE]);
        check(5, 2, [3, NO_MOVE]);
        check(5, 4, [5, 3]);
        check(5, 5, [5, 3]);
        check(NO_MOVE, 6, [5, 3]);
        check(3, 7, [3, 5]);
        check(9, 8, [9, 3]);
    }

    fn the_oldest_and_shallowest_gives_way<B: Bits>(n_entries: u32) {
        // One bucket.
        let mut table = Table::<B>::new(1);
        let all: Vec<Position<B>> = (1..=n_entries + 3).map(position).collect();
        let (first, rest) = all.split_at(n_entries as usize);
        for (position, depth) in first.iter().zip(10..) {
            put(&table, position, &known(0, 0, depth));
        }
        assert!(first.iter().all(|position| get(&table, position).is_some()), "a bucket is filled");
        // The shallowest goes, and so does what was put in its place.
        put(&table, &rest[0], &known(0, 0, 2));
        put(&table, &rest[1], &known(0, 0, 20));
        assert!(get(&table, &first[0]).is_none() && get(&table, &rest[0]).is_none());
        assert!(first[1..].iter().all(|position| get(&table, position).is_some()));
        // What was seen in this search stays, however shallow, and the deepest of old goes last.
        for _ in 0..40 {
            table.age();
            put(&table, &rest[2], &known(0, 0, 1));
            for (position, depth) in first[1..].iter().zip(3..) {
                put(&table, position, &known(0, 0, depth));
            }
            assert!(get(&table, &rest[2]).is_some());
            assert!(first[1..].iter().all(|position| get(&table, position).is_some()));
            assert!(get(&table, &rest[1]).is_none());
        }
    }

    #[test]
    fn entries_of_earlier_searches_give_way_first_and_then_the_shallowest() {
        the_oldest_and_shallowest_gives_way::<u64>(5);
        the_oldest_and_shallowest_gives_way::<u128>(3);
        the_oldest_and_shallowest_gives_way::<U256>(4);
    }

    fn size_is_honoured<B: Bits>() {
        let bucket = Table::<B>::bucket_bytes();
        for bytes in [bucket, 1000, 1 << 12, 12_345, 1 << 20, (1 << 20) + 1, 3_000_000] {
            if cfg!(miri) && bytes > 1 << 14 || bytes < bucket {
                continue;
            }
            let table = Table::<B>::try_new(bytes).expect("memory");
            let got = size_of_val(table.memory.words());
            assert!(got <= bytes && got + bucket > bytes, "{got} of {bytes}");
        }
        assert_eq!(size_of_val(Table::<B>::new(0).memory.words()), bucket);
    }

    #[test]
    fn the_size_asked_for_is_honoured_and_not_exceeded() {
        size_is_honoured::<u64>();
        size_is_honoured::<u128>();
        size_is_honoured::<U256>();
    }

    #[test]
    fn sizes_beyond_the_machine_are_refused() {
        for bytes in [usize::MAX, usize::MAX / 2, 1 << 60] {
            assert!(Table::<u64>::try_new(bytes).is_none(), "{bytes}");
            assert!(Table::<U256>::try_new(bytes).is_none(), "{bytes}");
        }
        if let Some(available) = memory::available() {
            assert!(Table::<u64>::try_new(4 * available).is_none());
        }
    }

    #[test]
    fn keys_of_near_positions_differ_in_high_and_low_bits() {
        let mut low = std::collections::HashSet::new();
        let mut high = std::collections::HashSet::new();
        for own in 0..64 {
            for other in 0..64 {
                let key = Table::<u64>::key(&Position { own: 1 << own, other: 1 << other });
                low.insert(key as u32);
                high.insert((key >> 32) as u32);
            }
        }
        assert!(low.len() > 4090 && high.len() > 4090, "{} {}", low.len(), high.len());
    }

    fn threads_find_only_what_is_true<B: Bits>() {
        const N_POSITIONS: u64 = 24;
        let n_rounds = if cfg!(miri) { 300 } else { 200_000 };
        // A few buckets for many positions, so that threads meet in entries all the time.
        let table = Table::<B>::new(2 * Table::<B>::bucket_bytes());
        let positions: Vec<Position<B>> = (0..N_POSITIONS as u32).map(position).collect();
        let n_found: u64 = thread::scope(|scope| {
            let run = |seed: u64| {
                let (table, positions) = (&table, &positions);
                move || {
                    let mut random = SplitMix64::new(seed);
                    let mut n_found = 0;
                    for _ in 0..n_rounds {
                        let position = &positions[random.below(N_POSITIONS) as usize];
                        let depth = 1 + random.below(20) as u32;
                        table.prefetch(Table::key(position));
                        if random.below(2) == 0 {
                            put(table, position, &known_of(position, depth));
                        } else if let Some(entry) = get(table, position) {
                            let expected = known_of(position, depth);
                            let Entry { lower, upper, depth, selectivity, best } = entry;
                            assert_eq!((lower, upper), (expected.lower, expected.upper));
                            assert_eq!((selectivity, best), (3, [expected.best, NO_MOVE]));
                            assert!((1..=20).contains(&depth));
                            n_found += 1;
                        }
                    }
                    n_found
                }
            };
            let threads: Vec<_> = (0..4).map(|seed| scope.spawn(run(seed))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no thread fails")).sum()
        });
        assert!(n_found > 0);
    }

    #[test]
    fn threads_that_write_the_same_entries_read_only_what_is_true_of_their_positions() {
        threads_find_only_what_is_true::<u64>();
        threads_find_only_what_is_true::<u128>();
        threads_find_only_what_is_true::<U256>();
    }
}
