//! Interim.
use crate::rules::{Bits, Position, hash};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
pub(crate) const NO_MOVE: u8 = u8::MAX;
pub(crate) const EXACT: u8 = 7;
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub lower: i32,
    pub upper: i32,
    pub depth: u32,
    pub selectivity: u8,
    pub best: [u8; 2],
}
pub(crate) struct Known {
    pub lower: i32,
    pub upper: i32,
    pub depth: u32,
    pub selectivity: u8,
    pub best: u8,
}
pub(crate) struct Table<B: Bits> {
    words: Box<[AtomicU64]>,
    n: usize,
    generation: u8,
    _b: std::marker::PhantomData<B>,
}
const fn nw<B: Bits>() -> usize {
    (B::COLUMNS * B::ROWS).div_ceil(64) as usize
}
fn pack(k: &Known, g: u8, second: u8) -> u64 {
    (k.lower as i16 as u16 as u64)
        | (k.upper as i16 as u16 as u64) << 16
        | (k.depth as u64) << 32
        | ((k.selectivity | g << 3) as u64) << 40
        | (k.best as u64) << 48
        | (second as u64) << 56
}
fn unpack(d: u64) -> (Entry, u8) {
    (
        Entry {
            lower: d as u16 as i16 as i32,
            upper: (d >> 16) as u16 as i16 as i32,
            depth: (d >> 32) as u8 as u32,
            selectivity: (d >> 40) as u8 & 7,
            best: [(d >> 48) as u8, (d >> 56) as u8],
        },
        (d >> 43) as u8 & 31,
    )
}
impl<B: Bits> Table<B> {
    fn stride() -> usize {
        2 * nw::<B>() + 2
    }
    pub fn try_new(bytes: usize) -> Option<Self> {
        let n = (bytes / (16 * Self::stride())).max(8);
        let mut v = Vec::new();
        v.try_reserve_exact(n * 2 * Self::stride()).ok()?;
        v.resize_with(n * 2 * Self::stride(), || AtomicU64::new(0));
        Some(Self { words: v.into_boxed_slice(), n, generation: 0, _b: std::marker::PhantomData })
    }
    pub fn new(bytes: usize) -> Self {
        Self::try_new(bytes).expect("memory")
    }
    pub fn clear(&mut self) {
        for w in self.words.iter() {
            w.store(0, Relaxed)
        }
    }
    pub fn age(&mut self) {
        self.generation = (self.generation + 1) & 31;
    }
    #[inline(always)]
    pub fn key(p: &Position<B>) -> u64 {
        hash(p.own, p.other)
    }
    #[inline(always)]
    pub fn prefetch(&self, _key: u64) {}
    #[inline(always)]
    fn at(&self, key: u64) -> usize {
        ((key as u128 * self.n as u128) >> 64) as usize * 2 * Self::stride()
    }
    #[inline(always)]
    fn read(&self, at: usize, p: &Position<B>, key: u64) -> Option<u64> {
        let d = self.words[at].load(Relaxed);
        let mix = key ^ d;
        let (o, t) = (p.own.words(), p.other.words());
        for i in 0..nw::<B>() {
            if self.words[at + 1 + 2 * i].load(Relaxed) ^ mix != o[i]
                || self.words[at + 2 + 2 * i].load(Relaxed) ^ mix != t[i]
            {
                return None;
            }
        }
        Some(d)
    }
    #[inline(always)]
    pub fn get(&self, p: &Position<B>, key: u64) -> Option<Entry> {
        let at = self.at(key);
        self.read(at, p, key).or_else(|| self.read(at + Self::stride(), p, key)).map(|d| unpack(d).0)
    }
    #[inline(always)]
    pub fn put(&self, p: &Position<B>, key: u64, known: &Known) {
        let at = self.at(key);
        let g = self.generation;
        let (mut slot, mut old) = (at, self.read(at, p, key));
        if old.is_none() {
            slot = at + Self::stride();
            old = self.read(slot, p, key);
        }
        let mut k = Known { ..*known };
        let mut second = NO_MOVE;
        if let Some(d) = old {
            let (e, eg) = unpack(d);
            if (e.depth, e.selectivity) == (k.depth, k.selectivity) {
                k.lower = k.lower.max(e.lower);
                k.upper = k.upper.min(e.upper);
                if k.lower > k.upper {
                    k.lower = known.lower;
                    k.upper = known.upper;
                }
            } else if e.depth > k.depth && eg == g {
                return;
            }
            second = e.best[1];
            if k.best == NO_MOVE {
                k.best = e.best[0];
            } else if k.best != e.best[0] {
                second = e.best[0];
            }
        } else {
            let worth = |at: usize| {
                let (e, eg) = unpack(self.words[at].load(Relaxed));
                (eg == g, e.depth)
            };
            slot = if worth(at) <= worth(at + Self::stride()) { at } else { at + Self::stride() };
        }
        let d = pack(&k, g, second);
        let mix = key ^ d;
        let (o, t) = (p.own.words(), p.other.words());
        self.words[slot].store(d, Relaxed);
        for i in 0..nw::<B>() {
            self.words[slot + 1 + 2 * i].store(o[i] ^ mix, Relaxed);
            self.words[slot + 2 + 2 * i].store(t[i] ^ mix, Relaxed);
        }
    }
}
