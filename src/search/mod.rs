//! Finds what to play: from a request to lines with their values.
//!
//! Knows rules, evaluation and its own clock. Prints nothing and reads no
//! input. [`root`] deepens over the first moves, [`node`], [`shallow`] and
//! [`last`] are the search proper, [`probcut`] cuts it short, [`opening`] and
//! [`general`] serve the rules under which a position is more than two sets
//! of discs.

pub(crate) mod bench;
mod cache;
mod clock;
mod control;
mod general;
mod ground;
mod last;
mod lesson;
mod memory;
mod node;
mod opening;
mod order;
mod probcut;
mod recent;
mod root;
mod shallow;
mod split;
mod stability;
mod stamp;
mod table;
mod worker;

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::engine::Window;
use crate::engine::{Evaluation, Found, Goal, Lesson, Line, Report, SearchRequest, StopFlag};
use crate::eval::weights::Weights;
use crate::eval::{self, Evaluator};
use crate::kernel::Tier;
use crate::rules::{AnyPosition, Bits, Geometry, Place, Position, Rules, Scoring, Side, State};
use crate::rules::{Stuck, U256, Width};

use cache::Cache;
use clock::Plan;
use control::{Control, Meter};
use general::{AnyEvaluator, General};
use ground::Ground;
use opening::{Narrow, Opening};
use root::{Root, Wanted, Wld};
use split::Pool;
use stamp::Entry;
use table::Table;
use worker::{Common, INFINITE, Worker};

/// What outlives a search: what it knows, and for which game that holds.
pub(crate) struct Searcher {
    hash_bytes: usize,
    /// Threads of one search, at least 1.
    threads: usize,
    tier: Tier,
    stores: Stores,
    holds_for: Option<(Geometry, Scoring, bool, Evaluation)>,
}

/// One width at a time has a store, so that the bytes are all its own.
#[derive(Default)]
struct Stores {
    w64: Option<Store<u64>>,
    w128: Option<Store<u128>>,
    w256: Option<Store<U256>>,
}

/// What is known of the positions of one width: by all threads, and by each alone.
struct Store<B: Bits> {
    table: Table<B>,
    caches: Vec<Cache<B>>,
}

impl<B: Bits> Store<B> {
    fn new(bytes: usize) -> Self {
        Self { table: Table::new(bytes), caches: Vec::new() }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.caches.iter_mut().for_each(Cache::clear);
    }

    fn teach(&self, position: Position<B>, lesson: &Lesson) {
        // A search that opened the table would forget the lesson.
        self.table.open();
        let ground = Ground::new(lesson.state.board.geometry(), &lesson.rules);
        lesson::teach(&self.table, &ground, position, lesson);
    }
}

impl Searcher {
    /// A searcher whose table takes this much memory.
    pub fn new(hash_bytes: usize) -> Self {
        let mut searcher = Self {
            hash_bytes,
            threads: 1,
            tier: Tier::chosen(),
            stores: Stores::default(),
            holds_for: None,
        };
        // What is refused here is asked for again, and less of it, when a search needs it.
        searcher.set_hash_bytes(hash_bytes);
        searcher
    }

    /// Searches run as code of this tier, or of the portable one where the processor lacks it.
    pub fn set_tier(&mut self, tier: Tier) {
        self.tier = tier;
    }

    /// Sets how many threads a search may use, at least 1.
    pub fn set_threads(&mut self, n: usize) {
        self.threads = n.max(1);
    }

    /// The threads of this search: a deterministic one takes the same way every time.
    fn threads_for(&self, request: &SearchRequest) -> usize {
        if request.deterministic { 1 } else { self.threads }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.stores.clear();
    }

    /// Changes the memory of the table and forgets everything. False, and everything as it was,
    /// when the system does not have the memory.
    pub fn set_hash_bytes(&mut self, bytes: usize) -> bool {
        // Taken now for the boards most people play; other widths take the same later.
        let Some(table) = Table::try_new(bytes) else { return false };
        self.stores = Stores { w64: Some(Store { table, caches: Vec::new() }), ..Stores::default() };
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
        let special = is_special(state, rules);
        let geometry = state.board.geometry();
        let weights = match request.evaluation {
            Evaluation::Trained => eval::fitting(geometry, rules),
            Evaluation::Hand => None,
        };
        let plan = plan_for(request, special, weights.is_some());
        let squares = geometry.squares();
        let control = Control::new(stop, started, plan.hard, plan.nodes, squares);
        if special {
            return self.run_general(request, &plan, &control, observer);
        }
        self.prepare(geometry, rules, request.evaluation);
        let bytes = self.hash_bytes;
        let threads = self.threads_for(request);
        let search = Search { request, plan: &plan, control: &control, threads, weights };
        match state.board.position(state.side) {
            AnyPosition::W64 { position, .. } => {
                let store = self.stores.w64.get_or_insert_with(|| Store::new(bytes));
                let narrow: Narrow<u64> = |board, side| Some(board.position64(side)?.0);
                let entry = stamp::within_8x8(self.tier, squares == 64 && !rules.anti);
                search.run(position, narrow, &*entry, store, observer)
            }
            AnyPosition::W128 { position, .. } => {
                let store = self.stores.w128.get_or_insert_with(|| Store::new(bytes));
                let narrow: Narrow<u128> = |board, side| Some(board.position128(side)?.0);
                search.run(position, narrow, &*stamp::within_11x11(self.tier), store, observer)
            }
            AnyPosition::W256 { position, .. } => {
                let store = self.stores.w256.get_or_insert_with(|| Store::new(bytes));
                let narrow: Narrow<U256> = |board, side| Some(board.position256(side)?.0);
                search.run(position, narrow, &*stamp::within_16x16(self.tier), store, observer)
            }
        }
    }

    /// Takes in what somebody else knows, where searches remember positions at all.
    pub fn teach(&mut self, lesson: &Lesson) {
        let (state, rules) = (&lesson.state, &lesson.rules);
        if is_special(state, rules) || state.in_opening() {
            return;
        }
        let geometry = state.board.geometry();
        self.prepare(geometry, rules, lesson.evaluation);
        let bytes = self.hash_bytes;
        match state.board.position(state.side) {
            AnyPosition::W64 { position, .. } => {
                self.stores.w64.get_or_insert_with(|| Store::new(bytes)).teach(position, lesson);
            }
            AnyPosition::W128 { position, .. } => {
                self.stores.w128.get_or_insert_with(|| Store::new(bytes)).teach(position, lesson);
            }
            AnyPosition::W256 { position, .. } => {
                self.stores.w256.get_or_insert_with(|| Store::new(bytes)).teach(position, lesson);
            }
        }
    }

    /// Makes sure that what the table knows holds for this game.
    fn prepare(&mut self, geometry: &Geometry, rules: &Rules, evaluation: Evaluation) {
        let game = (geometry.clone(), rules.scoring, rules.anti, evaluation);
        if self.holds_for.as_ref() == Some(&game) {
            return;
        }
        match &self.holds_for {
            Some((before, ..)) if before.width() == geometry.width() => self.stores.clear(),
            None if geometry.width() == Width::W64 => {}
            _ => self.stores = Stores::default(),
        }
        self.holds_for = Some(game);
    }

    fn run_general(
        &self,
        request: &SearchRequest,
        plan: &Plan,
        control: &Control<'_>,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let (state, rules) = (&request.state, &request.rules);
        let eval = AnyEvaluator::new(state, rules);
        let mut general = General::new(rules, Meter::new(control), eval, self.hash_bytes);
        general.only = request.only;
        general.n_lines = n_lines_alone(request);
        general.wld = wld(request);
        let lines = general.think(state, plan, observer);
        found(lines, general.meter())
    }
}

impl Stores {
    fn clear(&mut self) {
        if let Some(store) = &mut self.w64 {
            store.clear();
        }
        if let Some(store) = &mut self.w128 {
            store.clear();
        }
        if let Some(store) = &mut self.w256 {
            store.clear();
        }
    }
}

/// A search under the ordinary rules.
struct Search<'s> {
    request: &'s SearchRequest,
    plan: &'s Plan,
    control: &'s Control<'s>,
    threads: usize,
    weights: Option<Arc<Weights>>,
}

/// Searches of fewer plies, or to the end from fewer empties, are over before helpers are there.
const ALONE: u32 = 10;
/// See [`ALONE`].
const END_ALONE: u32 = 16;

impl Search<'_> {
    fn run<B: Bits>(
        &self,
        position: Position<B>,
        narrow: Narrow<B>,
        entry: &dyn Entry<B>,
        store: &mut Store<B>,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let state = &self.request.state;
        let ground = Ground::new(state.board.geometry(), &self.request.rules);
        let weights = self.weights.clone();
        let eval = Evaluator::new(state.board.geometry(), &self.request.rules, weights);
        store.table.age();
        let Store { table, caches } = store;
        let n_empties = state.board.empties();
        let alone = if self.plan.max_depth >= n_empties { END_ALONE } else { ALONE };
        let threads = if self.plan.max_depth < alone { 1 } else { self.threads };
        caches.resize_with(caches.len().max(threads), Cache::new);
        let [own, helpers @ ..] = &mut caches[..threads] else { return Found::nothing() };
        let pool = (threads > 1).then(Pool::new);
        let pool = pool.as_ref();
        let common = Common { ground: &ground, eval: &eval, table, control: self.control, entry, pool };
        thread::scope(|scope| {
            for cache in helpers {
                scope.spawn(move || Worker::new(common, cache).help());
            }
            // Helpers go home even if the search panics.
            let _closing = Closing(pool);
            let mut worker = Worker::new(common, own);
            self.think(&mut worker, position, narrow, observer)
        })
    }

    fn think<B: Bits>(
        &self,
        worker: &mut Worker<'_, B>,
        position: Position<B>,
        narrow: Narrow<B>,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let request = self.request;
        if request.state.in_opening() {
            let opening = Opening {
                state: &request.state,
                rules: &request.rules,
                only: request.only,
                n_lines: n_lines_alone(request),
                wld: wld(request),
                seed: request.seed,
                narrow,
            };
            let lines = opening.think(worker, self.plan, observer);
            return found(lines, &worker.meter);
        }
        let wanted = Wanted {
            only: request.only.map(B::from_set),
            n_lines: n_lines(request),
            optimal: matches!(request.goal, Goal::Solve { optimal_moves: true, .. }),
            wld: wld(request),
            window: window(request),
        };
        let mut root = Root::new(worker, position, wanted);
        root.think(self.plan, observer);
        let lines = root.lines();
        found(lines, &worker.meter)
    }
}

/// Closes the pool at the end of a search, however it ends.
struct Closing<'p, B: Bits>(Option<&'p Pool<B>>);

impl<B: Bits> Drop for Closing<'_, B> {
    fn drop(&mut self) {
        if let Some(pool) = self.0 {
            pool.close();
        }
    }
}

fn found(lines: Vec<Line>, meter: &Meter<'_>) -> Found {
    let exact = lines.iter().all(|line| line.value.exact);
    Found {
        exact,
        stopped: meter.void && !exact,
        lines,
        nodes: meter.total(),
        time: meter.control().elapsed(),
        failed: false,
    }
}

/// Whether a position is more than two sets of discs, so that the slow search is needed.
fn is_special(state: &State, rules: &Rules) -> bool {
    state.hand.is_some()
        || rules.stuck == Stuck::End
        || state.in_opening() && rules.place != Place::Plain
}

/// What counts as the size of the board: the slow search is like one on a large board.
fn squares_of(state: &State, special: bool) -> u32 {
    if special { 256 } else { state.board.geometry().squares() }
}

/// The most empty squares from which a level, or the default one, solves positions of such a game.
pub(crate) fn exact_from(level: Option<u32>, state: &State, rules: &Rules) -> u32 {
    clock::exact_from(level, squares_of(state, is_special(state, rules)))
}

fn plan_for(request: &SearchRequest, special: bool, has_cuts: bool) -> Plan {
    let state = &request.state;
    let squares = squares_of(state, special);
    let n_empties = state.board.empties();
    let board = clock::Board { n_empties, squares, has_cuts };
    let mut plan = clock::plan(&request.limits, request.goal, request.deterministic, board);
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

/// Alpha and beta; all values where several lines are wanted.
fn window(request: &SearchRequest) -> (i32, i32) {
    let window = request.window.filter(|_| n_lines(request) == 1);
    window.map_or((-INFINITE, INFINITE), |Window { alpha, beta }| {
        let alpha = alpha.clamp(-INFINITE, INFINITE - 1);
        (alpha, beta.clamp(alpha + 1, INFINITE))
    })
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
