//! Finds what to play: from a request to lines with their values.
//!
//! Knows rules, evaluation and its own clock. Prints nothing and reads no
//! input. [`root`] deepens over the first moves, [`midgame`] and [`endgame`]
//! are the search proper, [`opening`] and [`general`] serve the rules under
//! which a position is more than two sets of discs.

pub(crate) mod bench;
mod clock;
mod control;
mod endgame;
mod general;
mod ground;
mod memory;
mod midgame;
mod opening;
mod root;
mod stability;
mod table;
mod worker;

use std::time::Instant;

use crate::engine::{Found, Goal, Line, Report, SearchRequest, StopFlag};
use crate::eval::Evaluator;
use crate::rules::{AnyPosition, Bits, Geometry, Place, Position, Rules, Scoring, Side, Stuck};
use crate::rules::{U256, Width};

use clock::Plan;
use control::Control;
use general::{AnyEvaluator, General};
use ground::Ground;
use opening::{Narrow, Opening};
use root::{Root, Wanted, Wld};
use table::Table;
use worker::Worker;

/// What outlives a search: the table, and for which game it holds.
pub(crate) struct Searcher {
    hash_bytes: usize,
    tables: Tables,
    holds_for: Option<(Geometry, Scoring, bool)>,
}

/// One width at a time has a table, so that the memory is all its own.
#[derive(Default)]
struct Tables {
    w64: Option<Table<u64>>,
    w128: Option<Table<u128>>,
    w256: Option<Table<U256>>,
}

impl Searcher {
    /// A searcher whose table takes this much memory.
    pub fn new(hash_bytes: usize) -> Self {
        let mut searcher = Self { hash_bytes, tables: Tables::default(), holds_for: None };
        // What is refused here is asked for again, and less of it, when a search needs it.
        searcher.set_hash_bytes(hash_bytes);
        searcher
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tables.clear();
    }

    /// Changes the memory of the table and forgets everything. False, and everything as it was,
    /// when the system does not have the memory.
    pub fn set_hash_bytes(&mut self, bytes: usize) -> bool {
        // Taken now for the boards most people play; other widths take the same later.
        let Some(table) = Table::try_new(bytes) else { return false };
        self.tables = Tables { w64: Some(table), ..Tables::default() };
        self.holds_for = None;
        self.hash_bytes = bytes;
        true
    }

    /// Answers a request.
    pub fn run(
        &mut self,
        request: &SearchRequest,
        stop: &StopFlag,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let (state, rules) = (&request.state, &request.rules);
        if state.is_over(rules) {
            return Found::nothing();
        }
        let started = Instant::now();
        let special = state.hand.is_some()
            || rules.stuck == Stuck::End
            || state.in_opening() && rules.place != Place::Plain;
        let plan = plan_for(request, special);
        let squares = state.board.geometry().squares();
        let control = Control::new(stop, started, plan.hard, plan.nodes, squares);
        if special {
            return self.run_general(request, &plan, control, observer);
        }
        self.prepare(state.board.geometry(), rules);
        let bytes = self.hash_bytes;
        match state.board.position(state.side) {
            AnyPosition::W64 { position, .. } => {
                let table = self.tables.w64.get_or_insert_with(|| Table::new(bytes));
                let narrow: Narrow<u64> = |board, side| Some(board.position64(side)?.0);
                run_plain(request, &plan, position, narrow, table, control, observer)
            }
            AnyPosition::W128 { position, .. } => {
                let table = self.tables.w128.get_or_insert_with(|| Table::new(bytes));
                let narrow: Narrow<u128> = |board, side| Some(board.position128(side)?.0);
                run_plain(request, &plan, position, narrow, table, control, observer)
            }
            AnyPosition::W256 { position, .. } => {
                let table = self.tables.w256.get_or_insert_with(|| Table::new(bytes));
                let narrow: Narrow<U256> = |board, side| Some(board.position256(side)?.0);
                run_plain(request, &plan, position, narrow, table, control, observer)
            }
        }
    }

    /// Makes sure that what the table knows holds for this game.
    fn prepare(&mut self, geometry: &Geometry, rules: &Rules) {
        let game = (geometry.clone(), rules.scoring, rules.anti);
        if self.holds_for.as_ref() == Some(&game) {
            return;
        }
        match &self.holds_for {
            Some((before, ..)) if before.width() == geometry.width() => self.tables.clear(),
            None if geometry.width() == Width::W64 => {}
            _ => self.tables = Tables::default(),
        }
        self.holds_for = Some(game);
    }

    fn run_general(
        &self,
        request: &SearchRequest,
        plan: &Plan,
        control: Control<'_>,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let (state, rules) = (&request.state, &request.rules);
        let eval = AnyEvaluator::new(state, rules);
        let mut general = General::new(rules, control, eval, self.hash_bytes);
        general.only = request.only;
        general.n_lines = n_lines_alone(request);
        general.wld = wld(request);
        let lines = general.think(state, plan, observer);
        found(lines, general.control())
    }
}

impl Tables {
    fn clear(&mut self) {
        if let Some(table) = &mut self.w64 {
            table.clear();
        }
        if let Some(table) = &mut self.w128 {
            table.clear();
        }
        if let Some(table) = &mut self.w256 {
            table.clear();
        }
    }
}

/// The ordinary rules on one width.
fn run_plain<B: Bits>(
    request: &SearchRequest,
    plan: &Plan,
    position: Position<B>,
    narrow: Narrow<B>,
    table: &mut Table<B>,
    control: Control<'_>,
    observer: &mut dyn FnMut(&Report),
) -> Found {
    let (state, rules) = (&request.state, &request.rules);
    let geometry = state.board.geometry();
    let ground = Ground::new(geometry, rules);
    let eval = Evaluator::new(geometry, rules);
    table.age();
    let mut worker = Worker::new(&ground, &eval, table, control);
    if state.in_opening() {
        let opening = Opening {
            state,
            rules,
            only: request.only,
            n_lines: n_lines_alone(request),
            wld: wld(request),
            seed: request.seed,
            narrow,
        };
        let lines = opening.think(&mut worker, plan, observer);
        return found(lines, &worker.control);
    }
    let wanted = Wanted {
        only: request.only.map(B::from_set),
        n_lines: n_lines(request),
        optimal: matches!(request.goal, Goal::Solve { optimal_moves: true, .. }),
        wld: wld(request),
    };
    let mut root = Root::new(&mut worker, position, wanted);
    root.think(plan, observer);
    let lines = root.lines();
    found(lines, &worker.control)
}

fn found(lines: Vec<Line>, control: &Control<'_>) -> Found {
    let exact = lines.iter().all(|line| line.value.exact);
    Found {
        exact,
        stopped: control.aborted() && !exact,
        lines,
        nodes: control.nodes(),
        time: control.elapsed(),
        failed: false,
    }
}

fn plan_for(request: &SearchRequest, special: bool) -> Plan {
    let state = &request.state;
    // The slow search is like one on a large board.
    let squares = if special { 256 } else { state.board.geometry().squares() };
    let n_empties = state.board.empties();
    let mut plan = clock::plan(&request.limits, request.goal, request.deterministic, n_empties, squares);
    // With a clock running there is nothing to think about.
    let lone = state.legal(&request.rules).len() <= 1;
    if lone && request.goal == Goal::BestMove && request.limits.clock.is_some() {
        plan.max_depth = plan.max_depth.min(LONE_MOVE_DEPTH);
    }
    plan
}

/// Deep enough to say something about the value of the only move.
const LONE_MOVE_DEPTH: u32 = 4;

fn n_lines(request: &SearchRequest) -> usize {
    match request.goal {
        Goal::BestMove | Goal::Solve { all_moves: false, .. } => 1,
        Goal::Solve { all_moves: true, .. } => usize::MAX,
        Goal::Values => request.multi_pv.max(1) as usize,
    }
}

/// The lines where moves as good as the best one are found only by valuing every move.
fn n_lines_alone(request: &SearchRequest) -> usize {
    match request.goal {
        Goal::Solve { optimal_moves: true, .. } => usize::MAX,
        _ => n_lines(request),
    }
}

fn wld(request: &SearchRequest) -> Option<Wld> {
    let Goal::Solve { wld: true, .. } = request.goal else {
        return None;
    };
    let sign = match request.state.side {
        Side::Black => 1,
        Side::White => -1,
    };
    Some(Wld::new(sign * request.rules.komi.0, sign * request.contempt.0))
}
