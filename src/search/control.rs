//! What may end a search before its goal: the flag, the clock, the nodes.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::engine::StopFlag;

use super::table::EXACT;

/// What all threads of a search share.
pub(crate) struct Control<'a> {
    stop: &'a StopFlag,
    started: Instant,
    hard: Option<Duration>,
    node_limit: u64,
    poll_every: u64,
    nodes: AtomicU64,
    ended: AtomicBool,
    width: AtomicU32,
    level: AtomicU8,
}

/// A node is searched with all its moves.
pub(crate) const EVERY_MOVE: u32 = u32::MAX;

impl<'a> Control<'a> {
    /// A search that began at `started`. `squares` is the size of the board:
    /// nodes of larger boards take longer, so it looks up more often.
    pub fn new(
        stop: &'a StopFlag,
        started: Instant,
        hard: Option<Duration>,
        node_limit: Option<u64>,
        squares: u32,
    ) -> Self {
        let control = Self {
            stop,
            started,
            hard,
            node_limit: node_limit.unwrap_or(u64::MAX),
            poll_every: if squares > 64 { 128 } else { 2048 },
            nodes: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            width: AtomicU32::new(EVERY_MOVE),
            level: AtomicU8::new(EXACT),
        };
        control.add(0);
        control
    }

    /// Adds nodes of a thread and looks up whether the search must end. Returns how many more
    /// nodes the thread may visit before it has to ask again.
    #[cold]
    pub fn add(&self, nodes: u64) -> u64 {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let late = self.hard.is_some_and(|hard| self.started.elapsed() >= hard);
        if late || nodes >= self.node_limit || self.stop.is_raised() {
            self.end();
        }
        self.poll_every.min(self.node_limit.saturating_sub(nodes))
    }

    /// How many moves of a node a search to the end looks at.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width.load(Ordering::Relaxed)
    }

    /// Changes [`Self::width`], between searches.
    pub fn set_width(&self, width: u32) {
        self.width.store(width, Ordering::Relaxed);
    }

    /// How much a search leaves out: a place among the levels of ProbCut, or [`EXACT`].
    #[inline]
    pub fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    /// Changes [`Self::level`], between searches.
    pub fn set_level(&self, level: u8) {
        self.level.store(level, Ordering::Relaxed);
    }

    /// Makes every thread end.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// The search must end, or has ended, before its goal.
    #[inline]
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Nodes visited so far, but for those that threads have not added yet.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Nodes that may still be visited.
    pub fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.nodes())
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time until the hard limit, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        self.hard.map(|hard| hard.saturating_sub(self.started.elapsed()))
    }
}

/// What one thread has visited, and whether it must end.
pub(crate) struct Meter<'a> {
    control: &'a Control<'a>,
    /// Since they were last added to the control.
    nodes: u64,
    /// How many nodes until it asks again.
    budget: u64,
    /// The thread's search must end and its values mean nothing.
    pub void: bool,
}

impl<'a> Meter<'a> {
    /// A thread that begins.
    pub fn new(control: &'a Control<'a>) -> Self {
        let mut meter = Self { control, nodes: 0, budget: 0, void: false };
        meter.add();
        meter
    }

    /// Counts a node. True when the control is to be asked: see [`Meter::add`].
    #[inline(always)]
    pub fn visit(&mut self) -> bool {
        self.nodes += 1;
        self.nodes >= self.budget
    }

    /// Counts a node at which the control is not asked.
    #[inline(always)]
    pub fn count(&mut self) {
        self.nodes += 1;
    }

    /// Adds what was visited to the control and asks whether to end.
    #[cold]
    pub fn add(&mut self) {
        self.budget = self.control.add(self.nodes);
        self.nodes = 0;
        self.void |= self.control.ended();
    }

    /// The nodes of all threads, this one's to the last.
    pub fn total(&self) -> u64 {
        self.control.nodes() + self.nodes
    }

    /// What all threads share.
    pub fn control(&self) -> &'a Control<'a> {
        self.control
    }
}
