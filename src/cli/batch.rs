//! Many positions through the engine: several at a time, answered in the order of the input.
//!
//! Workers take one input after the other from a common feed; this thread puts their records
//! in order and writes them. Whoever waits for input or thinks never holds up a record that is
//! due.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use outflank_protocol::startup::{SolveTable, SolvedText};

use super::args::{BatchArgs, RuleArg, VariantArg};
use super::output::Output;
use super::play::settings_of;
use super::resume::{Done, Resume};
use super::subject::{GameHead, Room, Subject, Subjects};
use super::values::{ErrorRecord, Id, Record, solved_text, table_head};
use super::{Outcome, require_cpu, tell_when_interrupted};
use crate::engine::native::NativeEngine;
use crate::engine::{Engine, Goal, Limits, SearchRequest, StopFlag};
use crate::page::counted;
use crate::record::{board_text, clip};
use crate::rules::{Game, Rules, Scoring};
use crate::session::Options;

/// Searches recurse up to the number of squares of the largest board.
const STACK_BYTES: usize = 64 << 20;

/// How often people are told how far a long batch is.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// What is asked of every position.
#[derive(Clone, Debug)]
pub struct Task {
    /// What the search is for.
    pub goal: Goal,
    /// What bounds it.
    pub limits: Limits,
    /// How many lines are wanted.
    pub multi_pv: u32,
    /// Whether the record lists moves with their values.
    pub list_moves: bool,
}

/// What a worker hands back for one input.
enum Answer {
    /// What was found, as a record and as words for a table.
    Record(Box<Record>, Box<SolvedText>),
    /// The input cannot be used.
    Bad(ErrorRecord),
    /// The search broke.
    Fault(ErrorRecord),
    /// The record is in the file of an earlier run; true: it is an error.
    Skipped(bool),
    /// The file of an earlier run has another position under this id.
    Clash(String),
}

/// Inputs with their place in the order of records.
struct Feed {
    subjects: Subjects,
    next_place: u64,
    done: HashMap<String, Done>,
}

/// What all workers share.
struct Shop {
    feed: Mutex<Feed>,
    task: Task,
    rule: Option<Scoring>,
    settings: Options,
    count: Count,
}

/// How far a batch is, for whoever asks while the feed waits for input.
#[derive(Clone, Debug, Default)]
struct Count(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    begun: AtomicU64,
    done: AtomicU64,
}

impl Count {
    fn text(&self) -> String {
        let done = self.0.done.load(Ordering::Relaxed);
        let begun = self.0.begun.load(Ordering::Relaxed).saturating_sub(done);
        format!("{} done, {begun} begun", counted(done, "position"))
    }
}

/// Runs a task over all inputs.
///
/// # Errors
/// Wrong usage, an engine that cannot be set up, and output that cannot be written.
pub fn run(args: &BatchArgs, task: Task) -> anyhow::Result<Outcome> {
    require_cpu(args.engine.cpu)?;
    let settings = settings_of(&args.engine, args.threads)?;
    let room = Room::of(&args.variant)?;
    let mut resume = args.resume.as_deref().map(Resume::open).transpose()?;
    let done = resume.as_mut().map(Resume::take_done).unwrap_or_default();
    let subjects = Subjects::of(&args.inputs, room);
    let shop = Arc::new(Shop {
        feed: Mutex::new(Feed { subjects, next_place: 0, done }),
        task,
        rule: args.rule.map(scoring),
        settings,
        count: Count::default(),
    });
    let layout = if args.json { Layout::Json } else { Layout::Rows };
    let printer = Printer::new(layout, resume, &shop.count);
    printer.print_all(&open_shop(&shop, args.jobs)?)
}

/// Runs a task over the positions of a file and tells the answers by a table.
///
/// # Errors
/// As [`run`], and a file that cannot be opened.
pub fn run_file(
    file: &str,
    task: Task,
    settings: Options,
    table: Box<dyn SolveTable>,
) -> anyhow::Result<Outcome> {
    // It is opened again where it is read; what is wrong with it shall be told before the table.
    std::fs::File::open(file).with_context(|| clip(file))?;
    let room = Room::of(&VariantArg::default())?;
    let subjects = Subjects::of(&[file.to_owned()], room);
    let feed = Mutex::new(Feed { subjects, next_place: 0, done: HashMap::new() });
    let shop = Arc::new(Shop { feed, task, rule: None, settings, count: Count::default() });
    let printer = Printer::new(Layout::Table(table), None, &shop.count);
    printer.print_all(&open_shop(&shop, 1)?)
}

fn scoring(rule: RuleArg) -> Scoring {
    match rule {
        RuleArg::Wof => Scoring::Official,
        RuleArg::Discs => Scoring::Discs,
    }
}

/// Limits that only a time binds.
pub fn limits_of(args: &BatchArgs) -> Limits {
    Limits { move_time: args.time_per_position.map(Duration::from_secs_f64), ..Limits::default() }
}

// ---------------------------------------------------------------------------------------------
// Workers

/// Starts the workers. They are not waited for: when nobody reads the records any more, the
/// process ends and they with it.
fn open_shop(shop: &Arc<Shop>, jobs: u32) -> anyhow::Result<Receiver<(u64, Answer)>> {
    let (sender, answers) = mpsc::channel();
    for number in 0..jobs {
        let engine = new_engine(&shop.settings, jobs)?;
        let (shop, sender) = (Arc::clone(shop), sender.clone());
        thread::Builder::new()
            .name(format!("solver {number}"))
            .stack_size(STACK_BYTES)
            .spawn(move || work(&shop, engine, &sender))
            .context("starting a thread")?;
    }
    Ok(answers)
}

/// The jobs share the processors: with several of them each has one thread, unless more are asked
/// for.
fn new_engine(settings: &Options, jobs: u32) -> anyhow::Result<NativeEngine> {
    let mut engine = NativeEngine::new(settings.count("hash") as usize);
    if jobs == 1 || settings.is_chosen("threads") {
        engine
            .set_threads(settings.count("threads") as usize)
            .context("setting the number of threads")?;
    }
    Ok(engine)
}

fn work(shop: &Shop, mut engine: NativeEngine, sender: &Sender<(u64, Answer)>) {
    while let Some((place, next)) = shop.next() {
        let answer = match next {
            Next::Skip(was_error) => Answer::Skipped(was_error),
            Next::Clash(why) => Answer::Clash(why),
            Next::Do(subject) => match subject.game {
                Err(error) => Answer::Bad(ErrorRecord { id: subject.id, error }),
                Ok(game) => shop.answer(&mut engine, subject.id, &game, subject.head),
            },
        };
        if sender.send((place, answer)).is_err() {
            return;
        }
    }
}

/// What a worker does next.
enum Next {
    /// This input.
    Do(Box<Subject>),
    /// Nothing: the record is there from an earlier run; true: it is an error.
    Skip(bool),
    /// Nothing: the record that is there is about something else.
    Clash(String),
}

/// Why a record of an earlier run cannot be the one of this input: ids are line numbers where the
/// input has none of its own, and other inputs have the same.
fn clash(subject: &Subject, done: &Done) -> Option<String> {
    let (game, theirs) = (subject.game.as_ref().ok()?, done.position.as_ref()?);
    let ours = board_text(game.variant(), game.state()).to_string();
    (ours != *theirs)
        .then(|| format!("--resume has {theirs} under the id {}, which is {ours} here", subject.id))
}

impl Shop {
    fn next(&self) -> Option<(u64, Next)> {
        // A worker that panicked while it held the feed has not harmed it.
        let mut feed = self.feed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let subject = feed.subjects.next()?;
        let place = feed.next_place;
        feed.next_place += 1;
        self.count.0.begun.fetch_add(1, Ordering::Relaxed);
        let next = match feed.done.get(&subject.id.to_string()) {
            Some(done) => match clash(&subject, done) {
                Some(why) => Next::Clash(why),
                None => Next::Skip(done.is_error),
            },
            None => Next::Do(Box::new(subject)),
        };
        Some((place, next))
    }

    fn answer(&self, engine: &mut NativeEngine, id: Id, game: &Game, head: GameHead) -> Answer {
        let request = self.request(game);
        if self.settings.is_on("deterministic") {
            engine.clear();
        }
        let found = engine.run(&request, &StopFlag::new(), &mut |_| {});
        if found.failed {
            return Answer::Fault(ErrorRecord {
                id,
                error: "internal fault: the search broke".to_owned(),
            });
        }
        let list_moves = self.task.list_moves;
        let solved = solved_text(&id, game, &request.rules, &found, head);
        let record = Record::of_search(id, game, &request.rules, &found, list_moves);
        Answer::Record(Box::new(record), Box::new(solved))
    }

    fn request(&self, game: &Game) -> SearchRequest {
        let rules = game.rules();
        let rules = Rules { scoring: self.rule.unwrap_or(rules.scoring), ..*rules };
        let mut request = SearchRequest::new(game.state().clone(), rules);
        request.goal = self.task.goal;
        request.limits = self.task.limits.clone();
        request.multi_pv = self.task.multi_pv;
        request.seed = u64::try_from(self.settings.number("seed")).unwrap_or(0);
        request.deterministic = self.settings.is_on("deterministic");
        request.evaluation = self.settings.evaluation();
        request
    }
}

// ---------------------------------------------------------------------------------------------
// Records in order

/// How answers are told.
enum Layout {
    /// A line for people each.
    Rows,
    /// A JSON line each.
    Json,
    /// As the table has it.
    Table(Box<dyn SolveTable>),
}

/// Writes the answers in the order of the inputs.
struct Printer {
    out: Output,
    layout: Layout,
    began: Instant,
    resume: Option<Resume>,
    waiting: BTreeMap<u64, Answer>,
    next_place: u64,
    count: Count,
    failed: u64,
    worst: Outcome,
}

impl Printer {
    fn new(layout: Layout, resume: Option<Resume>, count: &Count) -> Printer {
        let told = count.clone();
        tell_when_interrupted(move || told.text());
        Printer {
            count: count.clone(),
            out: Output::new(),
            layout,
            began: Instant::now(),
            resume,
            waiting: BTreeMap::new(),
            next_place: 0,
            failed: 0,
            worst: Outcome::Good,
        }
    }

    fn print_all(mut self, answers: &Receiver<(u64, Answer)>) -> anyhow::Result<Outcome> {
        match &self.layout {
            // People look at one of the two; whoever reads both through pipes wants records only.
            Layout::Rows if self.out.is_terminal() || io::stderr().is_terminal() => {
                eprintln!("{}", table_head());
            }
            Layout::Table(table) => self.out.lines(|out| table.head(out))?,
            Layout::Rows | Layout::Json => {}
        }
        let mut told_at = Instant::now();
        for (place, answer) in answers {
            self.waiting.insert(place, answer);
            while let Some(answer) = self.waiting.remove(&self.next_place) {
                self.next_place += 1;
                self.print(&answer)?;
                self.count.0.done.store(self.next_place, Ordering::Relaxed);
            }
            if told_at.elapsed() >= TOLD_EVERY {
                told_at = Instant::now();
                let failed =
                    if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
                eprintln!("{} done{failed}", self.next_place);
            }
        }
        if let Layout::Table(table) = &self.layout {
            let time_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.out.lines(|out| table.foot(time_ms, out))?;
        }
        if self.failed > 0 {
            eprintln!("{} of {} failed", self.failed, counted(self.next_place, "input"));
        }
        Ok(self.worst)
    }

    fn print(&mut self, answer: &Answer) -> anyhow::Result<()> {
        match answer {
            Answer::Record(record, solved) => {
                if let Layout::Table(table) = &mut self.layout {
                    return Ok(self.out.lines(|out| table.row(solved, out))?);
                }
                self.write(&record.row(), &serde_json::to_string(record)?)
            }
            Answer::Bad(error) => {
                self.note(Outcome::SomeFailed);
                self.write_error(error)
            }
            Answer::Fault(error) => {
                self.note(Outcome::Fault);
                self.write_error(error)
            }
            Answer::Clash(why) => {
                self.note(Outcome::SomeFailed);
                eprintln!("error: {why}");
                Ok(())
            }
            Answer::Skipped(false) => Ok(()),
            Answer::Skipped(true) => {
                self.note(Outcome::SomeFailed);
                Ok(())
            }
        }
    }

    fn note(&mut self, outcome: Outcome) {
        self.failed += 1;
        self.worst = self.worst.max(outcome);
    }

    fn write_error(&mut self, error: &ErrorRecord) -> anyhow::Result<()> {
        if let Layout::Table(table) = &mut self.layout {
            let id = error.id.to_string();
            return Ok(self.out.lines(|out| table.fault(&id, &error.error, out))?);
        }
        self.write(&error.row(), &serde_json::to_string(error)?)
    }

    fn write(&mut self, row: &str, json: &str) -> anyhow::Result<()> {
        if let Some(resume) = &mut self.resume {
            resume.append(json)?;
        }
        let as_json = matches!(self.layout, Layout::Json);
        self.out.line(if as_json { json } else { row })?;
        Ok(())
    }
}
