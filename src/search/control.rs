//! What may end a search before its goal: the flag, the clock, the nodes.

use std::time::{Duration, Instant};

use crate::engine::StopFlag;

/// Counts nodes and says when it is over.
pub(crate) struct Control<'a> {
    stop: &'a StopFlag,
    started: Instant,
    hard: Option<Duration>,
    node_limit: u64,
    poll_every: u64,
    next_poll: u64,
    nodes: u64,
    aborted: bool,
}

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
        let mut control = Self {
            stop,
            started,
            hard,
            node_limit: node_limit.unwrap_or(u64::MAX),
            poll_every: if squares > 64 { 128 } else { 1024 },
            next_poll: 0,
            nodes: 0,
            aborted: false,
        };
        control.poll();
        control
    }

    /// Counts a node. True when the search must end; its value is void then.
    #[inline]
    pub fn visit(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll();
        }
        self.aborted
    }

    /// Counts nodes that cannot end the search.
    #[inline]
    pub fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    #[cold]
    fn poll(&mut self) {
        self.next_poll = (self.nodes + self.poll_every).min(self.node_limit);
        let late = self.hard.is_some_and(|hard| self.started.elapsed() >= hard);
        self.aborted |= late || self.nodes >= self.node_limit || self.stop.is_raised();
    }

    /// The search must end, or has ended, before its goal.
    #[inline]
    pub fn aborted(&self) -> bool {
        self.aborted
    }

    /// Nodes visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes that may still be visited.
    pub fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.nodes)
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
