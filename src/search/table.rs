//! The transposition table: what is known of positions already searched.
//!
//! An entry holds its whole position, so a lookup never answers for another
//! one. The table belongs to one set of rules and playable squares; whoever
//! owns it clears it when these change.

use std::alloc::{Layout, alloc_zeroed};

use crate::rules::{Bits, Position, hash};

/// No move is known.
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// Room for less would be no table.
const FEWEST_BUCKETS: usize = 16;

/// What is known of a position at some depth, in centidiscs for its mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<B> {
    own: B,
    other: B,
    /// The value is at least this.
    pub lower: i16,
    /// The value is at most this.
    pub upper: i16,
    /// The best move found, or [`NO_MOVE`].
    pub best: u16,
    /// Plies searched; equal to the empties when the end was reached.
    pub depth: u8,
    generation: u8,
}

/// Two entries share a place: the upper one gives way only to what is deeper
/// or newer, the lower one always.
#[derive(Clone, Copy)]
struct Bucket<B>([Entry<B>; 2]);

/// Buckets whose entries hold boards without discs; no search visits such a board, so they
/// answer for none. Nothing when the system has no such memory.
#[expect(unsafe_code, reason = "only the system has zeroed memory for nothing")]
fn empty_buckets<B: Bits>(n: usize) -> Option<Box<[Bucket<B>]>> {
    let layout = Layout::array::<Bucket<B>>(n).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty. The memory is that of `n` buckets and belongs to nobody
    // else. A bucket consists of integers (`Bits` is sealed: `u64`, `u128`, `U256`), for which
    // zeros are a value.
    unsafe {
        let memory = alloc_zeroed(layout).cast::<Bucket<B>>();
        if memory.is_null() {
            return None;
        }
        Some(Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory, n)))
    }
}

/// A table for boards of one width.
pub(crate) struct Table<B: Bits> {
    buckets: Box<[Bucket<B>]>,
    generation: u8,
}

impl<B: Bits> Table<B> {
    /// A table of at most `bytes`, but with room for a few positions. Nothing when the system
    /// does not have the memory.
    pub fn try_new(bytes: usize) -> Option<Self> {
        let n_buckets = (bytes / size_of::<Bucket<B>>()).max(FEWEST_BUCKETS);
        Some(Self { buckets: empty_buckets(n_buckets)?, generation: 0 })
    }

    /// A table of at most `bytes`, or the largest half, quarter, ... of it that is to be had.
    pub fn new(bytes: usize) -> Self {
        let mut bytes = bytes;
        loop {
            if let Some(table) = Self::try_new(bytes) {
                return table;
            }
            assert!(bytes > 0, "the system has memory for {FEWEST_BUCKETS} entries");
            log::warn!("no {} MiB of memory for the table; trying half", bytes >> 20);
            bytes /= 2;
        }
    }

    /// Forgets everything. Fresh memory is had from the system faster than old memory is wiped:
    /// a large table would be wiped for longer than a `stop` may wait.
    pub fn clear(&mut self) {
        let n_bytes = self.buckets.len() * size_of::<Bucket<B>>();
        self.buckets = Box::default();
        *self = Self::new(n_bytes);
    }

    /// Begins a new search: entries of earlier ones give way first.
    pub fn age(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    fn bucket_index(&self, position: &Position<B>) -> usize {
        // The upper half of a product spreads a hash over any number of
        // buckets without a division.
        let product = u128::from(hash(position.own, position.other)) * self.buckets.len() as u128;
        (product >> 64) as usize
    }

    /// What is known of `position`, at whatever depth.
    #[inline]
    pub fn get(&self, position: &Position<B>) -> Option<&Entry<B>> {
        let Bucket(entries) = &self.buckets[self.bucket_index(position)];
        entries.iter().find(|entry| entry.own == position.own && entry.other == position.other)
    }

    /// Records that the value of `position` at `depth` lies within bounds.
    #[inline]
    pub fn put(&mut self, position: &Position<B>, known: Known) {
        let generation = self.generation;
        let index = self.bucket_index(position);
        let Bucket(entries) = &mut self.buckets[index];
        let same = |entry: &Entry<B>| entry.own == position.own && entry.other == position.other;
        let slot = if same(&entries[0]) {
            0
        } else if same(&entries[1]) {
            1
        } else if entries[0].generation != generation || known.depth >= u32::from(entries[0].depth) {
            entries[1] = entries[0];
            0
        } else {
            1
        };
        let entry = &mut entries[slot];
        if same(entry) {
            if u32::from(entry.depth) == known.depth {
                // Two searches of one depth agree; together they know more.
                entry.lower = entry.lower.max(known.lower as i16);
                entry.upper = entry.upper.min(known.upper as i16);
                if entry.lower > entry.upper {
                    entry.lower = known.lower as i16;
                    entry.upper = known.upper as i16;
                }
                if known.best != NO_MOVE {
                    entry.best = known.best;
                }
                entry.generation = generation;
                return;
            }
            // Deeper knowledge stays unless it is a leftover.
            if u32::from(entry.depth) > known.depth && entry.generation == generation {
                return;
            }
        }
        let best = if known.best == NO_MOVE && same(entry) { entry.best } else { known.best };
        *entry = Entry {
            own: position.own,
            other: position.other,
            lower: known.lower as i16,
            upper: known.upper as i16,
            best,
            depth: known.depth as u8,
            generation,
        };
    }
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
    /// The best move, or [`NO_MOVE`].
    pub best: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lower: i32, upper: i32, depth: u32) -> Known {
        Known { lower, upper, depth, best: 19 }
    }

    #[test]
    fn an_entry_answers_for_its_own_position_only() {
        let mut table = Table::<u64>::new(1);
        for own in 1..1000 {
            table.put(&Position { own, other: 1 << 40 }, known(own as i32, 20_000, 3));
        }
        for own in 1..1000 {
            let entry = table.get(&Position { own, other: 1 << 40 });
            assert!(entry.is_none_or(|entry| i32::from(entry.lower) == own as i32));
        }
        assert!(table.get(&Position { own: 0, other: 1 }).is_none());
    }

    #[test]
    fn bounds_of_one_depth_are_joined_and_deeper_ones_stay() {
        let mut table = Table::<u64>::new(1 << 10);
        let position = Position { own: 1, other: 2 };
        table.put(&position, known(100, 30_000, 5));
        table.put(&position, known(-30_000, 300, 5));
        table.put(&position, known(700, 700, 2));
        let entry = table.get(&position).copied().expect("an entry");
        assert_eq!((entry.lower, entry.upper, entry.depth), (100, 300, 5));
        table.clear();
        assert!(table.get(&position).is_none());
    }

    #[test]
    fn the_size_asked_for_is_not_exceeded() {
        let table = Table::<u64>::new(1 << 20);
        let bytes = table.buckets.len() * size_of::<Bucket<u64>>();
        assert!(bytes <= 1 << 20 && bytes > 1 << 19);
    }
}
