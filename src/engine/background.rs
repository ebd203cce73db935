//! An engine on a thread of its own, so that whoever asks never waits.
//!
//! Jobs are done one after the other in the order they were started; what is
//! found goes to the callback that came with the job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

use super::{Bound, Choice, Engine, EngineError, Found, Goal, Limits, Line, Report};
use super::{SearchRequest, StopFlag, Value};
use crate::rules::{PassCost, Rules, SquareSet, State, perft};

/// Something to be done by the engine's thread.
#[derive(Clone, Debug)]
pub enum Job {
    /// A search: [`Finding::Report`]s, then [`Finding::Done`].
    Search(Box<SearchRequest>),
    /// A count of the lines of play: [`Finding::Perft`].
    Perft {
        /// Where to begin.
        state: Box<State>,
        /// The rules in force.
        rules: Rules,
        /// Plies.
        depth: u32,
        /// Whether a forced pass is a ply.
        cost: PassCost,
    },
    /// A value for each position of a game: a [`Finding::Ply`] for each as it
    /// is found, from the last to the first, then [`Finding::Analyzed`].
    Analyze {
        /// Each position with what was played from it.
        states: Vec<(State, Option<Choice>)>,
        /// The rules in force.
        rules: Rules,
        /// Bounds of each single search.
        limits: Limits,
    },
    /// A new table size: [`Finding::HashSet`].
    SetHash(usize),
    /// Forget earlier searches: [`Finding::Cleared`].
    Clear,
}

/// What a job has found. Every job ends with exactly one finding that is
/// neither a `Report` nor a `Ply`.
#[derive(Clone, Debug)]
pub enum Finding {
    /// One more depth of a search is finished.
    Report(Report),
    /// The search has ended.
    Done(Found),
    /// Lines of play, or nothing when it was stopped.
    Perft(Option<u64>),
    /// One position of a game is analysed.
    Ply {
        /// Its place in the job's list.
        index: usize,
        /// The best line and its company.
        best: Found,
        /// The line of what was played, when something was.
        played: Option<Line>,
    },
    /// The analysis has ended.
    Analyzed {
        /// It was stopped early.
        stopped: bool,
    },
    /// The table has its new size, or keeps the old one.
    HashSet(Result<(), EngineError>),
    /// Earlier searches are forgotten.
    Cleared,
}

/// Receives the findings of one job, with the job's number.
pub type Tell = Box<dyn FnMut(u64, Finding) + Send>;

struct Task {
    id: u64,
    job: Job,
    stop: StopFlag,
    tell: Tell,
}

/// The handle to an engine's thread. Dropping it stops the running job and
/// waits for the thread.
pub struct Background {
    tasks: Option<mpsc::Sender<Task>>,
    latest_stop: StopFlag,
    all_stops: Vec<StopFlag>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Background {
    /// Gives `engine` a thread of its own.
    pub fn spawn(mut engine: Box<dyn Engine>) -> Self {
        let (tasks, inbox) = mpsc::channel::<Task>();
        let thread =
            thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                while let Ok(task) = inbox.recv() {
                    perform(engine.as_mut(), task);
                }
            });
        // A failed spawn leaves a sender without receiver; start() then
        // reports nothing, exactly as after a thread that has ended.
        Self {
            tasks: Some(tasks),
            latest_stop: StopFlag::new(),
            all_stops: Vec::new(),
            thread: thread.ok(),
        }
    }

    /// Puts a job in the queue and returns at once.
    pub fn start(&mut self, id: u64, job: Job, stop: StopFlag, tell: Tell) {
        self.latest_stop = stop.clone();
        // Flags nobody else holds belong to jobs that have ended.
        self.all_stops.retain(|flag| !flag.is_unshared());
        self.all_stops.push(stop.clone());
        if let Some(tasks) = &self.tasks {
            // The send fails only if the thread is gone, and then there is
            // nobody left to answer.
            let _ = tasks.send(Task { id, job, stop, tell });
        }
    }

    /// Raises the flag of the job started last.
    pub fn stop_latest(&self) {
        self.latest_stop.raise();
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        for flag in &self.all_stops {
            flag.raise();
        }
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Searches recurse up to 256 plies on the largest board.
const STACK_BYTES: usize = 64 << 20;

fn perform(engine: &mut dyn Engine, task: Task) {
    let Task { id, job, stop, mut tell } = task;
    match job {
        Job::Search(request) => {
            let found = run(engine, &request, &stop, &mut |report| {
                tell(id, Finding::Report(report.clone()));
            });
            tell(id, Finding::Done(found));
        }
        Job::Perft { state, rules, depth, cost } => {
            let leaves = perft(&state, &rules, depth, cost, &|| stop.is_raised());
            tell(id, Finding::Perft(leaves));
        }
        Job::Analyze { states, rules, limits } => {
            let stopped = analyze(engine, &states, &rules, &limits, &stop, &mut |finding| {
                tell(id, finding);
            });
            tell(id, Finding::Analyzed { stopped });
        }
        Job::SetHash(mib) => tell(id, Finding::HashSet(engine.set_hash_mib(mib))),
        Job::Clear => {
            engine.clear();
            tell(id, Finding::Cleared);
        }
    }
}

/// A run that answers even when the engine panics, so that the thread lives on.
fn run(
    engine: &mut dyn Engine,
    request: &SearchRequest,
    stop: &StopFlag,
    observer: &mut dyn FnMut(&Report),
) -> Found {
    let attempt = AssertUnwindSafe(|| engine.run(request, stop, observer));
    catch_unwind(attempt)
        .unwrap_or_else(|_| Found { failed: true, ..Found::any_legal(&request.state, &request.rules) })
}

/// Goes backwards, so that what the table knows of later positions helps the
/// earlier ones. Returns whether it was stopped.
fn analyze(
    engine: &mut dyn Engine,
    states: &[(State, Option<Choice>)],
    rules: &Rules,
    limits: &Limits,
    stop: &StopFlag,
    tell: &mut dyn FnMut(Finding),
) -> bool {
    for (index, (state, played)) in states.iter().enumerate().rev() {
        if stop.is_raised() {
            return true;
        }
        let mut request = SearchRequest::new(state.clone(), *rules);
        request.limits = limits.clone();
        request.goal = Goal::Values;
        let mut best = run(engine, &request, stop, &mut |_| {});
        let played_line = match *played {
            None => None,
            Some(choice) if best.choice() == Some(choice) => best.lines.first().cloned(),
            Some(Choice::Pass) => None,
            Some(choice @ Choice::Play(square)) => {
                request.only = Some(SquareSet::from_iter([square]));
                let line = line_of(run(engine, &request, stop, &mut |_| {}), choice);
                if let Some(line) = &line {
                    prefer_played(&mut best, line);
                }
                line
            }
        };
        tell(Finding::Ply { index, best, played: played_line });
    }
    stop.is_raised()
}

fn line_of(found: Found, choice: Choice) -> Option<Line> {
    found.lines.into_iter().find(|line| line.choice() == choice)
}

/// A move searched alone may come out above the best of all moves; the loss
/// of a player must not be negative for that.
fn prefer_played(best: &mut Found, played: &Line) {
    if let Some(first) = best.lines.first_mut()
        && !first.value.exact
        && played.value.centidiscs > first.value.centidiscs
    {
        first.value = Value {
            centidiscs: played.value.centidiscs,
            bound: Bound::Value,
            exact: played.value.exact,
        };
        first.pv.clone_from(&played.pv);
    }
}
