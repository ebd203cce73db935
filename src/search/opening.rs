//! The free opening: the discs placed before the first move.
//!
//! There are few ways to place them and fewer positions they lead to, so
//! these are searched one by one to the same depth, and the placements are
//! minimaxed above them.

use std::collections::HashMap;

use crate::engine::{Bound, Choice, Line, Report, Value};
use crate::rules::{Bits, Board, Position, Rules, Side, SquareSet, State, Symmetry};

use super::clock::Plan;
use super::root::Wld;
use super::worker::{INFINITE, Worker};

/// The position of a board in the width the caller has settled on.
pub(crate) type Narrow<B> = fn(&Board, Side) -> Option<Position<B>>;

/// What is asked about an opening.
pub(crate) struct Opening<'r, B> {
    /// The position, with placements left.
    pub state: &'r State,
    /// The rules in force.
    pub rules: &'r Rules,
    /// The placements to consider; nothing means all.
    pub only: Option<SquareSet>,
    /// Lines, best first.
    pub n_lines: usize,
    /// When set, only who wins.
    pub wld: Option<Wld>,
    /// Picks one of several equally good placements.
    pub seed: u64,
    /// Reads the position off a board.
    pub narrow: Narrow<B>,
}

/// What is known of the positions after the opening: value and course.
type Values<B> = HashMap<Position<B>, (i32, Vec<Choice>)>;

impl<B: Bits> Opening<'_, B> {
    /// Deepens until the plan is done or the search must end; the lines of
    /// the last depth that was finished.
    pub fn think(
        &self,
        worker: &mut Worker<'_, B>,
        plan: &Plan,
        observer: &mut dyn FnMut(&Report),
    ) -> Vec<Line> {
        let mut starts = Vec::new();
        self.collect(self.state, &mut starts);
        let mut values: Values<B> =
            starts.iter().map(|start| (*start, (worker.guess(start), Vec::new()))).collect();
        let mut lines = self.lines(&values, 0, false);
        let Some(first) = starts.first() else {
            return lines;
        };
        let n_empties = worker.ground.empties(first).count();
        let mut depth = 1;
        loop {
            let exact = depth >= n_empties;
            for start in &starts {
                let value = worker.look(start, -INFINITE, INFINITE, depth);
                let mut course = Vec::new();
                if exact && !worker.is_void() {
                    worker.exact_course(*start, value / 100, &mut course);
                } else {
                    worker.table_course(*start, depth, &mut course);
                }
                if worker.is_void() {
                    return lines;
                }
                values.insert(*start, (value, course));
            }
            lines = self.lines(&values, depth, exact);
            let elapsed = worker.control().elapsed();
            observer(&Report { lines: lines.clone(), nodes: worker.meter.total(), time: elapsed });
            let late = plan.soft.is_some_and(|soft| elapsed >= soft / 2);
            if exact || depth >= plan.max_depth || late {
                return lines;
            }
            let to_end = plan.max_depth >= n_empties && depth + 1 >= n_empties / 2;
            depth = if to_end && !plan.end_if_affordable { n_empties } else { depth + 1 };
        }
    }

    /// The different positions in which the opening can end.
    fn collect(&self, state: &State, starts: &mut Vec<Position<B>>) {
        if !state.in_opening() {
            if let Some(start) = self.start(state)
                && !starts.contains(&start)
            {
                starts.push(start);
            }
            return;
        }
        for square in state.legal(self.rules).iter() {
            if let Some(next) = self.placed(state, square.into()) {
                self.collect(&next, starts);
            }
        }
    }

    fn placed(&self, state: &State, square: SquareSet) -> Option<State> {
        let mut next = state.clone();
        next.play(self.rules, None, square.first()?).ok()?;
        Some(next)
    }

    /// Positions that are mirror images of each other count once.
    fn start(&self, state: &State) -> Option<Position<B>> {
        let (canonical, _) = Symmetry::canonical(state);
        (self.narrow)(&canonical.board, canonical.side)
    }

    fn lines(&self, values: &Values<B>, depth: u32, exact: bool) -> Vec<Line> {
        let legal = self.state.legal(self.rules);
        let chosen = legal & self.only.unwrap_or(legal);
        let chosen = if chosen.is_empty() { legal } else { chosen };
        let mut found: Vec<(i32, Vec<Choice>)> = chosen
            .iter()
            .filter_map(|square| {
                let next = self.placed(self.state, square.into())?;
                let (value, mut course) = self.minimax(&next, values)?;
                course.insert(0, Choice::Play(square));
                Some((-value, course))
            })
            .collect();
        found.sort_by_key(|(value, _)| -value);
        let best = found.first().map(|(value, _)| *value);
        let n_best = found.iter().filter(|(value, _)| Some(*value) == best).count();
        if n_best > 1 {
            found[..n_best].rotate_left((self.seed % n_best as u64) as usize);
        }
        // Before the first depth is finished nothing was searched.
        let depth = if depth == 0 { 0 } else { depth + u32::from(self.state.placements_left()) };
        found.truncate(self.n_lines.max(1));
        found
            .into_iter()
            .zip(1..)
            .map(|((value, pv), rank)| {
                let wld = self.wld.filter(|_| exact);
                Line {
                    rank,
                    value: Value {
                        centidiscs: wld.map_or(value, |wld| 100 * wld.class(value / 100)),
                        bound: Bound::Value,
                        exact,
                    },
                    wld: wld.is_some(),
                    depth,
                    selectivity: 100,
                    pv,
                }
            })
            .collect()
    }

    /// The value for the mover and the course that leads to it. The squares
    /// after the opening are those of the position as it was searched, so the
    /// course is carried back through the symmetry.
    fn minimax(&self, state: &State, values: &Values<B>) -> Option<(i32, Vec<Choice>)> {
        if !state.in_opening() {
            let (value, course) = values.get(&self.start(state)?)?;
            let (_, symmetry) = Symmetry::canonical(state);
            let geometry = state.board.geometry();
            let back = symmetry.inverse();
            let (columns, rows) = if symmetry.swaps() {
                (geometry.rows(), geometry.columns())
            } else {
                (geometry.columns(), geometry.rows())
            };
            let course = course.iter().map(|choice| match *choice {
                Choice::Play(square) => Choice::Play(back.square(columns, rows, square)),
                Choice::Pass => Choice::Pass,
            });
            return Some((*value, course.collect()));
        }
        let mut best: Option<(i32, Vec<Choice>)> = None;
        for square in state.legal(self.rules).iter() {
            let next = self.placed(state, square.into())?;
            let (value, mut course) = self.minimax(&next, values)?;
            if best.as_ref().is_none_or(|(most, _)| -value > *most) {
                course.insert(0, Choice::Play(square));
                best = Some((-value, course));
            }
        }
        best
    }
}
