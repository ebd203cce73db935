//! One thread of a search: what its functions share.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::eval::Evaluator;
use crate::rules::{Bits, Position};

use super::cache::Cache;
use super::control::{Control, Meter};
use super::ground::Ground;
use super::node::{Kind, Look};
use super::recent::Recent;
use super::split::{Pool, Split};
use super::stamp::Entry;
use super::table::Table;

/// Larger than any value in discs.
pub(crate) const INFINITE_DISCS: i32 = 300;
/// Larger than any value in centidiscs.
pub(crate) const INFINITE: i32 = 100 * INFINITE_DISCS;

/// A move waiting to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<B: Bits> {
    /// The position after the move.
    pub child: Position<B>,
    /// Its square.
    pub index: u8,
    /// Larger is searched earlier.
    pub score: i32,
}

/// What the threads of a search have in common.
pub(crate) struct Common<'a, B: Bits> {
    /// The board and the rules.
    pub ground: &'a Ground<B>,
    /// Values positions that are not searched any further.
    pub eval: &'a Evaluator<B>,
    /// What is known of positions already searched.
    pub table: &'a Table<B>,
    /// What may end the search.
    pub control: &'a Control<'a>,
    /// The search for this board on this processor.
    pub entry: &'a dyn Entry<B>,
    /// Where threads find work; nothing when there is one thread.
    pub pool: Option<&'a Pool<B>>,
}

impl<B: Bits> Clone for Common<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Bits> Copy for Common<'_, B> {}

/// One thread of a search.
pub(crate) struct Worker<'a, B: Bits> {
    /// The board and the rules.
    pub ground: &'a Ground<B>,
    /// Values positions that are not searched any further.
    pub eval: &'a Evaluator<B>,
    /// What is known of positions already searched, by all threads.
    pub table: &'a Table<B>,
    /// What this thread alone knows of small endgames.
    pub cache: &'a mut Cache<B>,
    /// What it has visited, and whether its search is void.
    pub meter: Meter<'a>,
    /// Where threads find work.
    pub pool: Option<&'a Pool<B>>,
    /// The innermost shared node this thread works below.
    pub split: Option<Arc<Split<B>>>,
    /// How many shallow searches of ProbCut this one is within.
    pub nested: u32,
    /// What the net has said of the last leaves, where there is one.
    pub recent: Option<Recent>,
    entry: &'a dyn Entry<B>,
    /// The candidates of all nodes on the path, one node's after another's.
    candidates: Vec<Candidate<B>>,
}

impl<'a, B: Bits> Worker<'a, B> {
    /// A thread at the beginning of a search.
    pub fn new(common: Common<'a, B>, cache: &'a mut Cache<B>) -> Self {
        let Common { ground, eval, table, control, entry, pool } = common;
        let has_net = eval.weights.as_ref().is_some_and(|weights| weights.has_net());
        Self {
            ground,
            eval,
            table,
            cache,
            meter: Meter::new(control),
            pool,
            split: None,
            nested: 0,
            recent: has_net.then(Recent::new),
            entry,
            candidates: Vec::with_capacity(1024),
        }
    }

    /// The value of `position` when looking `depth` plies ahead, if it lies
    /// between `alpha` and `beta` (centidiscs), else a bound on the side where it lies.
    /// Void when the search must end.
    pub fn look(&mut self, position: &Position<B>, alpha: i32, beta: i32, depth: u32) -> i32 {
        let kind = if beta - alpha > 100 { Kind::Pv } else { Kind::Cut };
        self.look_as(position, Look { alpha, beta, depth, kind })
    }

    /// [`Worker::look`] at a node of which a kind is expected.
    pub fn look_as(&mut self, position: &Position<B>, look: Look) -> i32 {
        self.entry.enter(self, position, look)
    }

    /// The guessed margin of `position` for its mover, in centidiscs.
    pub fn guess(&mut self, position: &Position<B>) -> i32 {
        self.meter.count();
        self.entry.guess(self, position)
    }

    /// [`Worker::look`] to the end of the game, with values and window in discs.
    pub fn solve(&mut self, position: &Position<B>, alpha: i32, beta: i32) -> i32 {
        self.look(position, 100 * alpha, 100 * beta, u32::MAX) / 100
    }

    /// Counts a node. True when the search must end; its value is void then.
    #[inline(always)]
    pub fn visit(&mut self) -> bool {
        if self.meter.visit() {
            self.ask();
        }
        self.meter.void
    }

    /// [`Worker::visit`] that also sees at once when a shared node above has been decided.
    #[inline(always)]
    pub fn visit_large(&mut self) -> bool {
        if self.meter.visit() {
            self.ask();
        } else {
            self.ask_splits();
        }
        self.meter.void
    }

    #[cold]
    fn ask(&mut self) {
        self.meter.add();
        self.ask_splits();
    }

    fn ask_splits(&mut self) {
        self.meter.void |= self.split.as_ref().is_some_and(|split| split.is_decided());
    }

    /// Whether a thread waits that could take work from this one.
    #[inline(always)]
    pub fn is_work_wanted(&self, pool: &Pool<B>) -> bool {
        pool.has_idle() || self.split.as_ref().is_some_and(|split| split.wants_work())
    }

    /// Whether the search must end.
    #[inline(always)]
    pub fn is_void(&self) -> bool {
        self.meter.void
    }

    /// What all threads share.
    pub fn control(&self) -> &'a Control<'a> {
        self.meter.control()
    }

    /// Where the candidates of a new node begin.
    #[inline(always)]
    pub fn open_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Adds a candidate of the newest node.
    #[inline(always)]
    pub fn push_candidate(&mut self, candidate: Candidate<B>) {
        self.candidates.push(candidate);
    }

    /// The candidate at a place, which must be one.
    #[inline(always)]
    pub fn candidate(&mut self, at: usize) -> &mut Candidate<B> {
        &mut self.candidates[at]
    }

    /// The best candidate of the newest node from place `at` on, which moves
    /// to that place.
    #[inline(always)]
    pub fn pick_candidate(&mut self, at: usize) -> Option<Candidate<B>> {
        let rest = self.candidates.get_mut(at..)?;
        let mut best = 0;
        for (place, candidate) in rest.iter().enumerate().skip(1) {
            if candidate.score > rest[best].score {
                best = place;
            }
        }
        if rest.is_empty() {
            return None;
        }
        rest.swap(0, best);
        Some(rest[0])
    }

    /// Candidates of the newest node from place `at` to before `end`, the most promising last.
    pub fn take_candidates(&mut self, at: usize, end: usize) -> Vec<Candidate<B>> {
        let mut rest = self.candidates.split_off(at);
        rest.sort_by_key(|candidate| Reverse(candidate.score));
        rest.truncate(end - at);
        rest.reverse();
        rest
    }

    /// Forgets the candidates of the newest node.
    #[inline(always)]
    pub fn close_candidates(&mut self, begin: usize) {
        self.candidates.truncate(begin);
    }
}
