//! What one thread knows of endgames near the leaves: small, its own, and so without atomics.

use crate::rules::{Bits, Position, hash};

use super::table::NO_MOVE;

/// Slots, a power of two. With 24 bytes a slot for 8x8 they stay within the second-level cache.
const SLOTS: usize = 1 << 13;

/// The exact value of a position lies within these bounds, in discs for its mover.
#[derive(Clone, Copy)]
pub(crate) struct Slot<B> {
    position: Position<B>,
    /// At least this.
    pub lower: i16,
    /// At most this.
    pub upper: i16,
    /// The best move found, or [`NO_MOVE`].
    pub best: u8,
}

/// Bounds of exact values, each new one in place of what was there.
pub(crate) struct Cache<B> {
    slots: Box<[Slot<B>]>,
}

impl<B: Bits> Cache<B> {
    /// A cache that knows nothing.
    pub fn new() -> Self {
        // No search asks about a board without discs.
        let none =
            Slot { position: Position::default(), lower: i16::MIN, upper: i16::MAX, best: NO_MOVE };
        Self { slots: vec![none; SLOTS].into_boxed_slice() }
    }

    /// Where a position belongs.
    #[inline(always)]
    pub fn place(position: &Position<B>) -> usize {
        // The upper bits of a hash are its best ones.
        (hash(position.own, position.other) >> (64 - SLOTS.trailing_zeros())) as usize
    }

    /// What is known of a position.
    #[inline(always)]
    pub fn get(&self, place: usize, position: &Position<B>) -> Option<&Slot<B>> {
        let slot = &self.slots[place & (SLOTS - 1)];
        (slot.position == *position).then_some(slot)
    }

    /// Records bounds and the move that led to them.
    #[inline(always)]
    pub fn put(&mut self, place: usize, position: &Position<B>, lower: i32, upper: i32, best: u8) {
        self.slots[place & (SLOTS - 1)] =
            Slot { position: *position, lower: lower as i16, upper: upper as i16, best };
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}
