//! An engine on a thread of its own, so that whoever asks never waits.
//!
//! Jobs are done one after the other in the order they were started; what is
//! found goes to the callback that came with the job.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

use super::analysis::{self, Effort, Ended, Judgement, Moment};
use super::{Engine, EngineError, Found, Lesson, MAX_THREADS, Report, SearchRequest, StopFlag};
use crate::rules::{PassCost, Rules, State, perft};

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
        /// The positions, which follow each other.
        moments: Vec<Moment>,
        /// The rules in force.
        rules: Rules,
        /// What is done for each position.
        effort: Effort,
    },
    /// A new table size: [`Finding::HashSet`].
    SetHash(usize),
    /// How many threads the searches after it may use: [`Finding::ThreadsSet`].
    SetThreads(usize),
    /// Forget earlier searches: [`Finding::Cleared`].
    Clear,
    /// Take in what somebody else knows: [`Finding::Taught`].
    Teach(Box<Lesson>),
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
        /// What was found out about it.
        judgement: Judgement,
    },
    /// The analysis has ended.
    Analyzed {
        /// It was stopped early.
        stopped: bool,
    },
    /// The table has its new size, or keeps the old one.
    HashSet(Result<(), EngineError>),
    /// The engine uses so many threads, or as many as before.
    ThreadsSet(Result<(), EngineError>),
    /// Earlier searches are forgotten.
    Cleared,
    /// The lesson is taken in.
    Taught,
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
    all_stops: Vec<StopFlag>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Background {
    /// Gives `engine` a thread of its own.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn spawn(mut engine: Box<dyn Engine>) -> io::Result<Self> {
        let (tasks, inbox) = mpsc::channel::<Task>();
        let thread = thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES).spawn(
            move || {
                while let Ok(task) = inbox.recv() {
                    perform(engine.as_mut(), task);
                }
            },
        )?;
        Ok(Self { tasks: Some(tasks), all_stops: Vec::new(), thread: Some(thread) })
    }

    /// Puts a job in the queue and returns at once.
    pub fn start(&mut self, id: u64, job: Job, stop: StopFlag, tell: Tell) {
        // Flags nobody else holds belong to jobs that have ended.
        self.all_stops.retain(|flag| !flag.is_unshared());
        self.all_stops.push(stop.clone());
        let task = Task { id, job, stop, tell };
        // The thread outlives every job; should it be gone all the same, the job still answers.
        if let Some(tasks) = &self.tasks
            && let Err(mpsc::SendError(mut task)) = tasks.send(task)
        {
            let broken = broken(&task.job);
            (task.tell)(id, broken);
        }
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

/// Does a job and tells how it ended, even when it broke.
fn perform(engine: &mut dyn Engine, task: Task) {
    let Task { id, job, stop, mut tell } = task;
    let attempt = AssertUnwindSafe(|| work(engine, &job, &stop, &mut |finding| tell(id, finding)));
    let last = catch_unwind(attempt).unwrap_or_else(|_| broken(&job));
    tell(id, last);
}

/// Does a job; the last finding is returned, those before it are told.
fn work(engine: &mut dyn Engine, job: &Job, stop: &StopFlag, tell: &mut dyn FnMut(Finding)) -> Finding {
    match job {
        Job::Search(request) => Finding::Done(run(engine, request, stop, &mut |report| {
            tell(Finding::Report(report.clone()));
        })),
        Job::Perft { state, rules, depth, cost } => {
            Finding::Perft(perft(state, rules, *depth, *cost, &|| stop.is_raised()))
        }
        Job::Analyze { moments, rules, effort } => {
            let mut each = |index, judgement| tell(Finding::Ply { index, judgement });
            let ended = analysis::analyze(engine, moments, rules, effort, stop, &mut each);
            Finding::Analyzed { stopped: ended != Ended::Finished }
        }
        Job::SetHash(mib) => Finding::HashSet(engine.set_hash_mib(*mib)),
        Job::SetThreads(n) => Finding::ThreadsSet(engine.set_threads(*n)),
        Job::Clear => {
            engine.clear();
            Finding::Cleared
        }
        Job::Teach(lesson) => {
            engine.teach(lesson);
            Finding::Taught
        }
    }
}

/// The end of a job that broke.
fn broken(job: &Job) -> Finding {
    log::error!("a job of the engine broke");
    match job {
        Job::Search(request) => {
            Finding::Done(Found { failed: true, ..Found::any_legal(&request.state, &request.rules) })
        }
        Job::Perft { .. } => Finding::Perft(None),
        Job::Analyze { .. } => Finding::Analyzed { stopped: true },
        Job::SetHash(mib) => Finding::HashSet(Err(EngineError::OutOfMemory { mib: *mib })),
        Job::SetThreads(n) => Finding::ThreadsSet(Err(EngineError::Threads { n: *n, max: MAX_THREADS })),
        Job::Clear => Finding::Cleared,
        Job::Teach(_) => Finding::Taught,
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
