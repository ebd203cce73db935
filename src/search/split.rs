//! Nodes that several threads search together.
//!
//! Young brothers wait: the first move of a node is searched alone, because most often it decides
//! the node or at least narrows the window; only then are the others offered to idle threads. The
//! thread that offers a node works on it as well and, while it waits for the last helper, helps
//! that helper (R. Feldmann, "Spielbaumsuche auf massiv parallelen Systemen", 1993).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::rules::Bits;

use super::node::{Kind, brother_value};
use super::worker::{Candidate, Worker};

/// What is asked about the moves of a shared node; values in centidiscs.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    /// What decides the node.
    pub beta: i32,
    /// Plies to search below each move.
    pub depth: u32,
    /// The least difference between two values.
    pub unit: i32,
    /// What is expected of the node.
    pub kind: Kind,
}

/// How far the threads have come with a node.
struct Progress<B: Bits> {
    /// Moves nobody has taken, the most promising last.
    candidates: Vec<Candidate<B>>,
    alpha: i32,
    best: i32,
    best_move: u8,
    n_working: usize,
}

/// A node whose moves are searched by several threads.
pub(crate) struct Split<B: Bits> {
    parent: Option<Arc<Split<B>>>,
    task: Task,
    /// A move has reached beta; the others need not be finished.
    decided: AtomicBool,
    /// There are moves nobody has taken.
    open: AtomicBool,
    /// The thread that offered it has nothing left to do but to wait for helpers.
    waiting: AtomicBool,
    progress: Mutex<Progress<B>>,
}

impl<B: Bits> Split<B> {
    /// Whether this node or one above it has been decided.
    pub fn is_decided(&self) -> bool {
        self.decided.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_decided())
    }

    /// Whether a thread would help with a node below this one.
    pub fn wants_work(&self) -> bool {
        self.waiting.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.wants_work())
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    fn is_below(&self, other: &Arc<Self>) -> bool {
        self.parent.as_ref().is_some_and(|parent| Arc::ptr_eq(parent, other) || parent.is_below(other))
    }

    fn lock(&self) -> MutexGuard<'_, Progress<B>> {
        // Whoever panicked has ended the search; what is left is to get out.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the threads of a search find nodes to help with.
pub(crate) struct Pool<B: Bits> {
    state: Mutex<State<B>>,
    changed: Condvar,
    /// Changes with every change of the state.
    version: AtomicUsize,
    n_idle: AtomicUsize,
}

/// How often a thread looks for a change before it goes to sleep: about as long as waking it up
/// would take.
const LOOKS: u32 = 2_000;

struct State<B: Bits> {
    splits: Vec<Arc<Split<B>>>,
    closed: bool,
}

impl<B: Bits> Pool<B> {
    /// A pool with nothing to do.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State { splits: Vec::new(), closed: false }),
            changed: Condvar::new(),
            version: AtomicUsize::new(0),
            n_idle: AtomicUsize::new(0),
        }
    }

    /// Whether a thread waits for work.
    #[inline(always)]
    pub fn has_idle(&self) -> bool {
        self.n_idle.load(Ordering::Relaxed) > 0
    }

    /// Sends the helpers home.
    pub fn close(&self) {
        self.change(|state| state.closed = true);
    }

    fn lock(&self) -> MutexGuard<'_, State<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells whoever waits.
    fn change(&self, change: impl FnOnce(&mut State<B>)) {
        let mut state = self.lock();
        change(&mut state);
        self.version.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    fn add(&self, split: &Arc<Split<B>>) {
        self.change(|state| state.splits.push(Arc::clone(split)));
    }

    fn remove(&self, split: &Arc<Split<B>>) {
        self.lock().splits.retain(|other| !Arc::ptr_eq(other, split));
    }

    /// Tells waiting threads that a split has changed.
    fn tell(&self) {
        self.change(|_| {});
    }

    /// Waits until the version is another one than was seen under the lock.
    fn wait(&self, seen: usize) {
        for _ in 0..LOOKS {
            if self.version.load(Ordering::Relaxed) != seen {
                return;
            }
            std::hint::spin_loop();
        }
        let mut state = self.lock();
        while self.version.load(Ordering::Relaxed) == seen {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The largest open node. Nothing once the pool is closed.
    fn wait_for_work(&self) -> Option<Arc<Split<B>>> {
        loop {
            let seen = {
                let state = self.lock();
                if state.closed {
                    return None;
                }
                let open = state.splits.iter().filter(|split| split.is_open() && !split.is_decided());
                if let Some(split) = open.max_by_key(|split| split.task.depth) {
                    return Some(Arc::clone(split));
                }
                self.version.load(Ordering::Relaxed)
            };
            self.n_idle.fetch_add(1, Ordering::Relaxed);
            self.wait(seen);
            self.n_idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// An open node below `split`, or nothing once no thread works on `split` any more.
    fn wait_for_helpers(&self, split: &Arc<Split<B>>) -> Option<Arc<Split<B>>> {
        loop {
            let seen = {
                let state = self.lock();
                if split.lock().n_working == 0 {
                    return None;
                }
                let mut open =
                    state.splits.iter().filter(|other| other.is_open() && !other.is_decided());
                if let Some(other) = open.find(|other| other.is_below(split)) {
                    return Some(Arc::clone(other));
                }
                self.version.load(Ordering::Relaxed)
            };
            split.waiting.store(true, Ordering::Relaxed);
            self.wait(seen);
            split.waiting.store(false, Ordering::Relaxed);
        }
    }
}

/// Ends the search when its thread panics, so that nobody waits for it.
struct Working<'s, 'a, B: Bits> {
    split: &'s Split<B>,
    pool: &'a Pool<B>,
    control: &'a super::control::Control<'a>,
}

impl<B: Bits> Drop for Working<'_, '_, B> {
    fn drop(&mut self) {
        let left = {
            let mut progress = self.split.lock();
            progress.n_working -= 1;
            progress.n_working
        };
        if std::thread::panicking() {
            self.control.end();
            self.pool.tell();
        } else if left == 0 {
            self.pool.tell();
        }
    }
}

impl<B: Bits> Worker<'_, B> {
    /// Helps with shared nodes until the pool is closed.
    pub fn help(&mut self) {
        let Some(pool) = self.pool else { return };
        while let Some(split) = pool.wait_for_work() {
            self.work_on(&split, pool);
            self.meter.add();
        }
    }

    /// Searches candidates, the most promising last, together with whoever is idle. Returns the
    /// best value and its move; they start as `best` and `best_move`. Void when the worker is.
    pub fn share(
        &mut self,
        pool: &Pool<B>,
        task: Task,
        candidates: Vec<Candidate<B>>,
        alpha: i32,
        (best, best_move): (i32, u8),
    ) -> (i32, u8) {
        let split = Arc::new(Split {
            parent: self.split.clone(),
            task,
            decided: AtomicBool::new(false),
            open: AtomicBool::new(true),
            waiting: AtomicBool::new(false),
            progress: Mutex::new(Progress { candidates, alpha, best, best_move, n_working: 0 }),
        });
        pool.add(&split);
        self.work_on(&split, pool);
        pool.remove(&split);
        while let Some(other) = pool.wait_for_helpers(&split) {
            self.work_on(&other, pool);
        }
        let progress = split.lock();
        (progress.best, progress.best_move)
    }

    fn work_on(&mut self, split: &Arc<Split<B>>, pool: &Pool<B>) {
        let above = self.split.replace(Arc::clone(split));
        let task = split.task;
        loop {
            let (candidate, alpha) = {
                let mut progress = split.lock();
                if self.control().ended() || split.is_decided() {
                    break;
                }
                let Some(candidate) = progress.candidates.pop() else { break };
                if progress.candidates.is_empty() {
                    split.open.store(false, Ordering::Relaxed);
                }
                progress.n_working += 1;
                (candidate, progress.alpha)
            };
            let working = Working { split, pool, control: self.control() };
            let value = brother_value(self, &candidate.child, alpha, task);
            if !self.meter.void {
                let mut progress = split.lock();
                if value > progress.best {
                    progress.best = value;
                    progress.best_move = candidate.index;
                    progress.alpha = progress.alpha.max(value);
                    if value >= task.beta {
                        split.decided.store(true, Ordering::Relaxed);
                        split.open.store(false, Ordering::Relaxed);
                    }
                }
            }
            drop(working);
        }
        self.split = above;
        // A search that was void because this node had been decided is so no longer.
        self.meter.void =
            self.control().ended() || self.split.as_ref().is_some_and(|split| split.is_decided());
    }
}
