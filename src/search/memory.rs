//! Memory for a table: zeroed by the system, in huge pages where it has them.
//!
//! Knows how much memory there is and how to ask for it. Must not know what is kept in it.

use std::alloc::{Layout, alloc_zeroed};
use std::mem;
use std::sync::atomic::AtomicU64;
use std::thread;

/// A line of the cache on all processors this runs on, or half of one.
pub(crate) const LINE: usize = 64;
/// A huge page of x86-64, and of ARM with small pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;
/// More than this the system takes back in the background: with small pages it needs some 70
/// milliseconds for a GiB, and a `stop` may wait 50.
const LARGE: usize = 128 << 20;
/// Bytes of a word.
const WORD: usize = size_of::<AtomicU64>();

/// Words that any thread may read and write, from the beginning of a cache line on.
pub(crate) struct Memory {
    /// The words with room before and behind them. Such room is not touched, so it is address
    /// space and no memory.
    all: Box<[AtomicU64]>,
    begin: usize,
    len: usize,
}

impl Memory {
    /// No words.
    pub fn none() -> Self {
        Self { all: Box::default(), begin: 0, len: 0 }
    }

    /// Words that are zero. Nothing when the system refuses. The system sets aside pages when they
    /// are touched, so this takes no longer for much memory than for little.
    pub fn try_new(len: usize) -> Option<Self> {
        let n_bytes = len.checked_mul(WORD)?;
        let alignment = if n_bytes >= HUGE_PAGE { HUGE_PAGE } else { LINE };
        // The allocator is not asked for the alignment: where it is more than usual, Rust's wipes
        // the memory itself, page by page.
        let all = zeroed_words(len.checked_add(alignment / WORD)?)?;
        let address = all.as_ptr().addr();
        let begin = (address.next_multiple_of(alignment) - address) / WORD;
        Some(Self { all, begin, len })
    }

    /// Asks the system for huge pages wherever the words have not been touched yet.
    ///
    /// A lookup among small pages misses the processor's cache of addresses nearly always, one
    /// among huge pages seldom, and pages are fetched from the system 512 times as often: solving
    /// 25 empties takes a tenth less time with huge pages. But each is wiped as a whole when it is
    /// touched first, a quarter of a millisecond, and the system may have to move other memory to
    /// get one.
    pub fn prefer_huge_pages(&self) {
        let words = self.words();
        if size_of_val(words) >= HUGE_PAGE {
            ask_for_huge_pages(words);
        }
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        &self.all[self.begin..][..self.len]
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let all = mem::take(&mut self.all);
        if size_of_val(&*all) <= LARGE {
            return;
        }
        let (begin, len) = (self.begin, self.len);
        let give_back = move || {
            // Bit by bit: meanwhile nobody in this process gets new memory, or a new thread.
            all[begin..][..len].chunks_exact(HUGE_PAGE / WORD).for_each(forget);
            drop(all);
        };
        // Without another thread it is dropped here and now.
        let _ = thread::Builder::new().spawn(give_back);
    }
}

#[expect(unsafe_code, reason = "only the system has zeroed memory for nothing")]
fn zeroed_words(len: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty. The memory is that of `len` words and belongs to nobody
    // else; zero is a value of each. A box gives it back with the same layout.
    unsafe {
        let words = alloc_zeroed(layout).cast::<AtomicU64>();
        if words.is_null() {
            return None;
        }
        Some(Box::from_raw(std::ptr::slice_from_raw_parts_mut(words, len)))
    }
}

/// Has the processor fetch the line where these words begin.
#[inline]
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[expect(unsafe_code, reason = "the hint takes an address")]
pub(crate) fn prefetch(words: &[AtomicU64]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint reads and changes nothing, and SSE is part of every x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast()) };
}

#[inline]
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) fn prefetch(_words: &[AtomicU64]) {}

/// A system that has no huge pages, or none left, keeps to small ones.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "advice on memory goes to the system by its address")]
fn ask_for_huge_pages(words: &[AtomicU64]) {
    use rustix::mm::{Advice, madvise};

    let address = words.as_ptr().cast_mut().cast();
    // SAFETY: the words are memory of this process and begin with a page. The advice changes the
    // size of pages and nothing of what they hold.
    let advised = unsafe { madvise(address, size_of_val(words), Advice::LinuxHugepage) };
    if let Err(error) = advised {
        log::debug!("no huge pages for the table: {error}");
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask_for_huge_pages(_words: &[AtomicU64]) {}

/// Gives a huge page, or the small ones in its place, back to the system. Its words are zero then.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "advice on memory goes to the system by its address")]
fn forget(words: &[AtomicU64]) {
    use rustix::mm::{Advice, madvise};

    let address = words.as_ptr().cast_mut().cast();
    // SAFETY: the words are memory of this process, begin with a page and fill whole ones, so
    // nothing else is in these. Zero is a value of each, and they may change at any time.
    let advised = unsafe { madvise(address, size_of_val(words), Advice::LinuxDontNeed) };
    if let Err(error) = advised {
        log::debug!("the pages of a table stay until it is gone: {error}");
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn forget(_words: &[AtomicU64]) {}

/// Bytes this process can have, where the system tells. Linux promises more than it has and kills
/// whoever takes it at his word.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn available() -> Option<usize> {
    // The number of a line such as `MemAvailable:   24205400 kB`.
    let bytes_of = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kib.checked_mul(1 << 10)
    };
    let free = bytes_of("/proc/meminfo", "MemAvailable:")?;
    // What is used here is nearly all an older table, which goes when its successor is there.
    let used_here = bytes_of("/proc/self/status", "VmRSS:").unwrap_or(0);
    // A container may have less than its machine; its limit may also be the word `max`.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limit = limits.iter().find_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    Some(free.saturating_add(used_here).min(limit.unwrap_or(usize::MAX)))
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn available() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn memory_is_zeroed_and_begins_with_a_line_or_a_huge_page() {
        let large = if cfg!(miri) { 1 << 10 } else { HUGE_PAGE / WORD + 1 };
        for len in [1, 8, 1000, large] {
            let memory = Memory::try_new(len).expect("memory");
            let words = memory.words();
            assert_eq!(words.len(), len);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            let alignment = if len * WORD >= HUGE_PAGE { HUGE_PAGE } else { LINE };
            assert_eq!(words.as_ptr().addr() % alignment, 0, "{len}");
        }
    }

    #[test]
    fn more_words_than_addresses_are_refused() {
        for len in [usize::MAX, usize::MAX / WORD, usize::MAX / WORD / 2] {
            assert!(Memory::try_new(len).is_none(), "{len}");
        }
    }

    #[test]
    fn linux_tells_how_much_memory_there_is() {
        let expected = cfg!(all(target_os = "linux", not(miri)));
        assert_eq!(available().is_some_and(|bytes| bytes > 1 << 20), expected);
    }
}
