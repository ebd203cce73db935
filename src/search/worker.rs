//! One search on one ground: what its functions share.

use crate::eval::Evaluator;
use crate::rules::{Bits, Position};

use super::control::Control;
use super::ground::Ground;
use super::table::{Entry, NO_MOVE, Table};

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
    pub index: u32,
    /// Larger is searched earlier.
    pub score: i32,
}

/// The search functions are its methods, a file for each phase.
pub(crate) struct Worker<'a, B: Bits> {
    /// The board and the rules.
    pub ground: &'a Ground<B>,
    /// Values positions that are not searched any further.
    pub eval: &'a Evaluator<B>,
    /// What is known of positions already searched.
    pub table: &'a Table<B>,
    /// What may end the search.
    pub control: Control<'a>,
    /// The candidates of all nodes on the path, one node's after another's.
    candidates: Vec<Candidate<B>>,
}

impl<'a, B: Bits> Worker<'a, B> {
    /// A worker at the beginning of a search.
    pub fn new(
        ground: &'a Ground<B>,
        eval: &'a Evaluator<B>,
        table: &'a Table<B>,
        control: Control<'a>,
    ) -> Self {
        Self { ground, eval, table, control, candidates: Vec::with_capacity(1024) }
    }

    /// Where the candidates of a new node begin.
    #[inline]
    pub fn open_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Adds a candidate of the newest node.
    #[inline]
    pub fn push_candidate(&mut self, candidate: Candidate<B>) {
        self.candidates.push(candidate);
    }

    /// The best candidate of the newest node from place `at` on, which moves
    /// to that place.
    #[inline]
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

    /// Forgets the candidates of the newest node.
    #[inline]
    pub fn close_candidates(&mut self, begin: usize) {
        self.candidates.truncate(begin);
    }

    /// The table's move of an entry with the position it leads to.
    #[inline]
    pub fn table_move(
        &self,
        position: &Position<B>,
        entry: Option<Entry>,
    ) -> Option<(u32, Position<B>)> {
        let index = u32::from(entry.map(|entry| entry.best[0]).filter(|&best| best != NO_MOVE)?);
        let flips = position.flips(index);
        (!flips.is_empty()).then(|| (index, position.play_flips(index, flips)))
    }
}
