//! Takes an engine through a walk and tells how each step went.
//!
//! Knows processes and clocks, and of a dialect nothing but the lines of its walk. Whatever the
//! engine does, each wait has an end, memory is bounded, and no process is left behind.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use outflank_protocol::line::LineFault;
use outflank_protocol::walk::{Act, Notes, Pattern, Step, Template, Walk};

use crate::arena::process::{Ended, Handle, Line, Process, Said, StartError};
use crate::arena::traffic::Traffic;

/// Most characters of a line that are told.
const LONGEST_TOLD: usize = 200;

/// Lines of a conversation that are told of a step that did not pass: the first and the last ones.
const TOLD_FIRST: usize = 10;
const TOLD_LAST: usize = 30;

/// What may end a walk from another thread. Clones share it.
#[derive(Clone, Default)]
pub struct Halt(Arc<Mutex<Halting>>);

#[derive(Default)]
struct Halting {
    is_raised: bool,
    engine: Option<Handle>,
}

impl Halt {
    /// Ends the engine, and lets no other one be started.
    pub fn raise(&self) {
        let mut halting = self.lock();
        halting.is_raised = true;
        if let Some(engine) = halting.engine.take() {
            engine.kill();
        }
    }

    /// Whether the walk was ended.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.lock().is_raised
    }

    /// Holds the engine that runs; one that was being started meanwhile is ended here.
    fn hold(&self, engine: Handle) {
        let mut halting = self.lock();
        if halting.is_raised {
            engine.kill();
        }
        halting.engine = Some(engine);
    }

    fn lock(&self) -> MutexGuard<'_, Halting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How an engine is started and how long it is waited for.
#[derive(Clone)]
pub struct Settings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The longest wait for a line, for the end of the process, and for its reading of what is sent.
    pub patience: Duration,
    /// Whether an answer that comes later than the walk allows is a fault.
    pub judges_times: bool,
    /// Where the conversation is written.
    pub traffic: Option<Traffic>,
}

/// What came of a step.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All came as the walk says.
    Passed {
        /// The longest of the answers that had to come within a time.
        slowest: Option<Duration>,
    },
    /// The engine does not offer this.
    Skipped(Lack),
    /// It did not.
    Failed(Box<Failure>),
    /// The walk was ended meanwhile.
    Halted,
}

/// Why a step was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A list of what the engine offers does not have this.
    NotListed {
        /// The list.
        list: String,
        /// What had to be in it.
        pattern: String,
    },
    /// It said so.
    Declined {
        /// What it said.
        line: String,
    },
    /// The first step, which all others begin with, did not pass.
    NotStarted,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed { list, pattern } => write!(f, "its {list} have no '{pattern}'"),
            Self::Declined { line } => write!(f, "it says '{line}'"),
            Self::NotStarted => f.write_str("the first step went wrong"),
        }
    }
}

/// A step that did not pass.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// The line of the walk.
    pub line: usize,
    /// The conversation of this step, its beginning and its end: `> ` sent, `< ` come.
    pub said: Vec<String>,
    /// How the process ended, if it did.
    pub ended: Option<Ended>,
}

/// What went wrong in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The engine could not be started.
    Start(StartError),
    /// Nothing that was expected came.
    Silence {
        /// The pattern.
        expected: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Something else came.
    Other {
        /// The pattern.
        expected: String,
        /// The line.
        came: String,
    },
    /// It came too late.
    Late {
        /// The pattern.
        expected: String,
        /// How long it took.
        took: Duration,
        /// How long it may take.
        most: Duration,
    },
    /// Something came that must not.
    Forbidden {
        /// The line.
        came: String,
    },
    /// Something came where nothing should.
    Uncalled {
        /// The line.
        came: String,
    },
    /// A line that is no text, or one without an end.
    NoText {
        /// What is wrong with it.
        fault: LineFault,
    },
    /// The process ended too early.
    Ended {
        /// The pattern that was waited for, if one was.
        expected: Option<String>,
        /// How it ended.
        how: Ended,
    },
    /// The process did not end.
    Lives {
        /// How long it was waited for.
        waited: Duration,
    },
    /// It ended with another code than expected.
    ExitCode {
        /// The code expected.
        expected: i32,
        /// How it ended.
        how: Ended,
    },
    /// The engine does not read.
    NotRead {
        /// How long it was waited for.
        waited: Duration,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "{error}"),
            Self::Silence { expected, waited } => {
                write!(f, "expected {}, which did not come within {}", Shown(expected), In(*waited))
            }
            Self::Other { expected, came } => {
                write!(f, "expected {}, got {}", Shown(expected), Shown(came))
            }
            Self::Late { expected, took, most } => {
                let (took, most) = (In(*took), In(*most));
                write!(f, "{} came after {took}, {most} are allowed", Shown(expected))
            }
            Self::Forbidden { came } => write!(f, "{} must not come here", Shown(came)),
            Self::Uncalled { came } => write!(f, "{} came where nothing has to", Shown(came)),
            Self::NoText { fault } => write!(f, "'{}': {fault}", clip(fault.head())),
            Self::Ended { expected: Some(expected), how } => {
                write!(f, "the engine {} instead of saying {}", Way(how), Shown(expected))
            }
            Self::Ended { expected: None, how } => write!(f, "the engine {} too early", Way(how)),
            Self::Lives { waited } => write!(f, "the engine still runs after {}", In(*waited)),
            Self::ExitCode { expected, how } => {
                write!(f, "the engine {}, expected is exit code {expected}", Way(how))
            }
            Self::NotRead { waited } => {
                write!(f, "the engine has not read its input for {}", In(*waited))
            }
        }
    }
}

/// A line of a stranger, short enough to be told.
fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TOLD) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

/// A line or pattern as it is told.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("an empty line") } else { write!(f, "'{}'", clip(self.0)) }
    }
}

/// A time as it is told.
pub struct In(pub Duration);

impl fmt::Display for In {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_secs_f64() * 1000.0;
        if ms < 10.0 {
            write!(f, "{ms:.1} ms")
        } else if ms < 1000.0 {
            write!(f, "{ms:.0} ms")
        } else {
            write!(f, "{} s", ms.round() / 1000.0)
        }
    }
}

/// How a process ended, as it is told.
struct Way<'a>(&'a Ended);

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.exit_code, self.0.signal) {
            (Some(code), _) => write!(f, "ended with exit code {code}"),
            (None, Some(signal)) => write!(f, "was ended by signal {signal}"),
            (None, None) => f.write_str("closed its output"),
        }
    }
}

/// Follows a walk with one engine.
pub struct Walker<'a> {
    walk: &'a Walk,
    settings: Settings,
    halt: &'a Halt,
    engine: Option<Process>,
    /// What the first step found out.
    from_start: Notes,
}

/// Why a step ends before its end.
enum Stop {
    Fault(usize, Fault),
    Lack(Lack),
}

impl<'a> Walker<'a> {
    /// Nothing is started yet.
    #[must_use]
    pub fn new(walk: &'a Walk, settings: Settings, halt: &'a Halt) -> Self {
        Self { walk, settings, halt, engine: None, from_start: Notes::default() }
    }

    /// Goes a step, with an engine that is as far as the first step takes it.
    pub fn go(&mut self, step: &Step) -> Verdict {
        let is_first = self.walk.steps.first().is_some_and(|first| first.name == step.name);
        if let Some(need) = step.needs.iter().find(|need| !self.from_start.meets(need)) {
            let (list, pattern) = (need.list.clone(), need.pattern.to_string());
            return Verdict::Skipped(Lack::NotListed { list, pattern });
        }
        let mut talk = Talk::new(self.from_start.clone());
        let gone = self.through(step, is_first, &mut talk);
        if is_first && gone.is_ok() {
            self.from_start = talk.notes.clone();
        }
        let is_clean = gone.is_ok() && !step.is_fresh && !talk.has_ended;
        let verdict = if self.halt.is_raised() {
            Verdict::Halted
        } else {
            match gone {
                Ok(()) => Verdict::Passed { slowest: talk.slowest },
                Err(Stop::Lack(lack)) => Verdict::Skipped(lack),
                Err(Stop::Fault(line, fault)) => Verdict::Failed(Box::new(Failure {
                    fault,
                    line,
                    ended: talk.ended.take(),
                    said: talk.said(),
                })),
            }
        };
        if !is_clean {
            // Nobody knows what such an engine has yet to say.
            self.engine = None;
        }
        verdict
    }

    fn through(&mut self, step: &Step, is_first: bool, talk: &mut Talk) -> Result<(), Stop> {
        if step.is_fresh || is_first {
            self.start(step)?;
        } else if self.engine.is_none() {
            self.start(step)?;
            if let Some(first) = self.walk.steps.first() {
                self.perform(first, talk)?;
                *talk = Talk::new(std::mem::take(&mut talk.notes));
            }
        }
        self.perform(step, talk)
    }

    /// A new process, after the end of the one before it.
    fn start(&mut self, step: &Step) -> Result<(), Stop> {
        self.engine = None;
        let settings = &self.settings;
        let started = Process::start_words(&settings.command, None, settings.traffic.clone());
        let line = step.acts.first().map_or(0, |(line, _)| *line);
        let engine = started.map_err(|error| Stop::Fault(line, Fault::Start(error)))?;
        self.halt.hold(engine.handle());
        self.engine = Some(engine);
        Ok(())
    }

    fn perform(&mut self, step: &Step, talk: &mut Talk) -> Result<(), Stop> {
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        engine.note(&format!("STEP {}", step.name));
        let Settings { patience, judges_times, .. } = self.settings;
        let mut stretch = Stretch { engine, patience, judges_times, ignored: &self.walk.ignored, talk };
        for (line, act) in &step.acts {
            stretch.act(act).map_err(|stop| match stop {
                Halfway::Fault(fault) => Stop::Fault(*line, fault),
                Halfway::Declined(line) => Stop::Lack(Lack::Declined { line }),
            })?;
        }
        let last = step.acts.last().map_or(0, |(line, _)| *line);
        stretch.nothing_left().map_err(|fault| Stop::Fault(last, fault))
    }
}

/// What is known of a conversation within a step.
struct Talk {
    notes: Notes,
    first_said: Vec<String>,
    last_said: VecDeque<String>,
    /// How many lines between them are not told.
    unsaid: u64,
    sent_at: Instant,
    /// The list that lines go into.
    keeps: Option<String>,
    slowest: Option<Duration>,
    /// The process has ended, as it had to or not.
    has_ended: bool,
    ended: Option<Ended>,
    /// How long answers to what was sent last may take, and to what is sent next.
    within: Option<Duration>,
    within_next: Option<Duration>,
    allowed: Vec<Allowed>,
    forbidden: Vec<Pattern>,
    declines: Vec<Pattern>,
}

/// Lines that may come before the next one that has to.
enum Allowed {
    One(Pattern),
    Many(Pattern),
    Any,
}

impl Talk {
    fn new(notes: Notes) -> Self {
        Self {
            notes,
            first_said: Vec::new(),
            last_said: VecDeque::new(),
            unsaid: 0,
            sent_at: Instant::now(),
            keeps: None,
            slowest: None,
            has_ended: false,
            ended: None,
            within: None,
            within_next: None,
            allowed: Vec::new(),
            forbidden: Vec::new(),
            declines: Vec::new(),
        }
    }

    fn tell(&mut self, mark: char, text: &str) {
        let line = format!("{mark} {}", clip(text)).trim_end().to_owned();
        if self.first_said.len() < TOLD_FIRST {
            self.first_said.push(line);
            return;
        }
        if self.last_said.len() == TOLD_LAST {
            self.last_said.pop_front();
            self.unsaid += 1;
        }
        self.last_said.push_back(line);
    }

    /// What is told of the conversation.
    fn said(self) -> Vec<String> {
        let gap = (self.unsaid > 0).then(|| format!("... ({} lines)", self.unsaid));
        self.first_said.into_iter().chain(gap).chain(self.last_said).collect()
    }

    /// Whether a line may come here, be it by a `<?` or `<*` that is still open.
    fn allows(&mut self, line: &str) -> bool {
        let fits = |pattern: &Pattern| pattern.captures(line, &self.notes);
        let found = self.allowed.iter().enumerate().find_map(|(at, allowed)| match allowed {
            Allowed::One(pattern) => fits(pattern).map(|captures| (at, captures, false)),
            Allowed::Many(pattern) => fits(pattern).map(|captures| (at, captures, true)),
            Allowed::Any => None,
        });
        let Some((at, captures, may_come_again)) = found else { return false };
        self.notes.texts.extend(captures);
        // What stands before it has had its turn.
        self.allowed.drain(..at + usize::from(!may_come_again));
        true
    }

    fn allows_any(&self) -> bool {
        self.allowed.iter().any(|allowed| matches!(allowed, Allowed::Any))
    }
}

/// Why a deed is not done.
enum Halfway {
    Fault(Fault),
    Declined(String),
}

impl From<Fault> for Halfway {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A step while it goes on.
struct Stretch<'a> {
    engine: &'a mut Process,
    patience: Duration,
    judges_times: bool,
    ignored: &'a [Pattern],
    talk: &'a mut Talk,
}

impl Stretch<'_> {
    fn act(&mut self, act: &Act) -> Result<(), Halfway> {
        match act {
            Act::Send(template) => self.send(template)?,
            Act::Expect(pattern) => self.expect(pattern)?,
            Act::AllowOne(pattern) => self.talk.allowed.push(Allowed::One(pattern.clone())),
            Act::AllowMany(pattern) => self.talk.allowed.push(Allowed::Many(pattern.clone())),
            Act::AllowAny => self.talk.allowed.push(Allowed::Any),
            Act::Within(ms) => self.talk.within_next = Some(Duration::from_millis(*ms)),
            Act::Quiet(ms) => self.quiet(Duration::from_millis(*ms))?,
            Act::Never(pattern) => self.talk.forbidden.push(pattern.clone()),
            Act::SkipOn(pattern) => self.talk.declines.push(pattern.clone()),
            Act::Keep(list) => {
                self.talk.notes.lists.insert(list.clone(), Vec::new());
                self.talk.keeps = Some(list.clone());
            }
            Act::EndInput => {
                self.talk.tell('>', "(end of input)");
                self.engine.close_input();
                self.talk.sent_at = Instant::now();
                self.talk.within = self.talk.within_next.take();
            }
            Act::End(code) => self.end(*code)?,
        }
        Ok(())
    }

    fn send(&mut self, template: &Template) -> Result<(), Fault> {
        let bytes = template.filled(&self.talk.notes);
        String::from_utf8_lossy(&bytes).lines().for_each(|line| self.talk.tell('>', line));
        // Taken before the write: what is answered while we still write is answered in no time.
        self.talk.sent_at = Instant::now();
        self.talk.within = self.talk.within_next.take();
        match self.write(&bytes) {
            Some(Ok(sent_at)) => {
                self.talk.sent_at = sent_at;
                Ok(())
            }
            // It may have said why.
            Some(Err(_)) => {
                let deadline = Instant::now() + self.patience;
                while let Said::Line(line) = self.engine.next(deadline) {
                    self.hear(&line)?;
                    if line.at > deadline {
                        break;
                    }
                }
                Err(Fault::Ended { expected: None, how: self.ended() })
            }
            None => Err(Fault::NotRead { waited: self.patience }),
        }
    }

    /// Writes, and ends an engine that does not read; nothing if that had to be done.
    fn write(&mut self, bytes: &[u8]) -> Option<std::io::Result<Instant>> {
        let handle = self.engine.handle();
        let (done, is_done) = mpsc::channel::<()>();
        let (engine, patience) = (&mut self.engine, self.patience);
        thread::scope(|scope| {
            let guard = scope.spawn(move || {
                let is_late = is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    handle.kill();
                }
                is_late
            });
            let written = engine.send_bytes(bytes);
            drop(done);
            let is_late = guard.join().unwrap_or(false);
            (written.is_ok() || !is_late).then_some(written)
        })
    }

    fn expect(&mut self, pattern: &Pattern) -> Result<(), Halfway> {
        let began = Instant::now();
        let expected = pattern.to_string();
        loop {
            let line = match self.engine.next(began + self.patience) {
                Said::Line(line) if line.at <= began + self.patience => line,
                // A flood is no answer either.
                Said::Nothing | Said::Line(_) => {
                    return Err(Fault::Silence { expected, waited: self.patience }.into());
                }
                Said::Closed => {
                    return Err(Fault::Ended { expected: Some(expected), how: self.ended() }.into());
                }
            };
            let text = self.hear(&line)?;
            if self.talk.allows(&text) {
                continue;
            }
            if let Some(captures) = pattern.captures(&text, &self.talk.notes) {
                self.talk.notes.texts.extend(captures);
                self.talk.allowed.clear();
                return Ok(self.in_time(&line, expected)?);
            }
            if self.fits_any(&self.talk.declines, &text) {
                return Err(Halfway::Declined(text));
            }
            if !self.talk.allows_any() && !self.fits_any(self.ignored, &text) {
                return Err(Fault::Other { expected, came: text }.into());
            }
        }
    }

    fn in_time(&mut self, line: &Line, expected: String) -> Result<(), Fault> {
        let Some(most) = self.talk.within else { return Ok(()) };
        let took = line.at.saturating_duration_since(self.talk.sent_at);
        if took > most && self.judges_times {
            return Err(Fault::Late { expected, took, most });
        }
        self.talk.slowest = self.talk.slowest.max(Some(took));
        Ok(())
    }

    fn quiet(&mut self, time: Duration) -> Result<(), Fault> {
        let deadline = Instant::now() + time;
        loop {
            match self.engine.next(deadline) {
                Said::Nothing => break,
                Said::Closed => return Err(Fault::Ended { expected: None, how: self.ended() }),
                Said::Line(line) => {
                    self.uncalled(&line)?;
                    // A flood of what may come must not keep us here.
                    if line.at > deadline {
                        break;
                    }
                }
            }
        }
        self.talk.allowed.clear();
        Ok(())
    }

    fn end(&mut self, code: Option<i32>) -> Result<(), Fault> {
        let waited = self.talk.within.filter(|_| self.judges_times).unwrap_or(self.patience);
        let deadline = Instant::now() + waited;
        loop {
            match self.engine.next(deadline) {
                Said::Closed => break,
                Said::Line(line) if line.at <= deadline => self.uncalled(&line)?,
                Said::Nothing | Said::Line(_) => return Err(Fault::Lives { waited }),
            }
        }
        let took = self.talk.sent_at.elapsed();
        let how = self.ended();
        if how.exit_code.is_none() && how.signal.is_none() {
            return Err(Fault::Lives { waited });
        }
        if let Some(expected) = code.filter(|code| how.exit_code != Some(*code)) {
            return Err(Fault::ExitCode { expected, how });
        }
        if self.talk.within.is_some() {
            self.talk.slowest = self.talk.slowest.max(Some(took));
        }
        Ok(())
    }

    /// What the engine has said beyond the step so far.
    fn nothing_left(&mut self) -> Result<(), Fault> {
        let now = Instant::now();
        while !self.talk.has_ended {
            match self.engine.next(now) {
                Said::Line(line) if line.at <= now => self.uncalled(&line)?,
                Said::Line(line) => return self.uncalled(&line),
                Said::Nothing | Said::Closed => break,
            }
        }
        Ok(())
    }

    /// A line where none has to come.
    fn uncalled(&mut self, line: &Line) -> Result<(), Fault> {
        let text = self.hear(line)?;
        let is_fine =
            self.talk.allows(&text) || self.talk.allows_any() || self.fits_any(self.ignored, &text);
        if is_fine { Ok(()) } else { Err(Fault::Uncalled { came: text }) }
    }

    /// The text of a line, which is kept and told. Where any line may come, one that is no text may.
    fn hear(&mut self, line: &Line) -> Result<String, Fault> {
        let text = match &line.text {
            Ok(text) => text.clone(),
            Err(fault) => {
                self.talk.tell('<', fault.head());
                if self.talk.allows_any() {
                    return Ok(fault.head().to_owned());
                }
                return Err(Fault::NoText { fault: fault.clone() });
            }
        };
        self.talk.tell('<', &text);
        if self.fits_any(&self.talk.forbidden, &text) {
            return Err(Fault::Forbidden { came: text });
        }
        let notes = &mut self.talk.notes;
        if let Some(list) = self.talk.keeps.as_ref().and_then(|list| notes.lists.get_mut(list))
            && list.len() < MOST_KEPT
        {
            list.push(text.clone());
        }
        Ok(text)
    }

    fn fits_any(&self, patterns: &[Pattern], line: &str) -> bool {
        patterns.iter().any(|pattern| pattern.captures(line, &self.talk.notes).is_some())
    }

    fn ended(&mut self) -> Ended {
        let ended = self.engine.ended();
        self.talk.has_ended = true;
        self.talk.ended = Some(ended.clone());
        ended
    }
}

/// Most lines that a list keeps.
const MOST_KEPT: usize = 4096;
