//! The session: lines and findings in, text and jobs out, the same for every dialect.
//!
//! It reads no input, writes no output, starts no thread and looks at no clock: [`Input`]s are
//! handed in with the time they happened, and [`Effect`]s come out for `stdio` to carry out.
//! What a dialect's clients expect is in its `Habits` and urgencies; no dialect is named here.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod clocks;
mod game;
mod options;
mod seats;
mod thinking;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use outflank_protocol::line::LineFault;
use outflank_protocol::message::{
    Code, Done, Event, Failure, Habits, OptionText, Request, Tag, Tagged, Urgency,
};
use outflank_protocol::{Dialect, by_name, detect};

use crate::engine::StopFlag;
use crate::engine::background::{Finding, Job};
use crate::rules::{BySide, Game, Variant, VariantSpec};

pub use self::clocks::{Clock, Clocks, Flag};
pub use self::options::{Kind, OPTIONS, OptionRow, Options, Preset};
use self::seats::Watch;
use self::thinking::Thinking;
pub use self::thinking::info_text;

/// How long a search without a bound goes on after the end of input.
pub const GRACE: Duration = Duration::from_secs(2);

/// Most bytes of commands that wait behind a running one; a client that sends more is told so.
const LONGEST_QUEUE_BYTES: usize = 16 << 20;
/// What a waiting command takes besides its text.
const COMMAND_BYTES: usize = 256;

/// A command that waits for its turn.
struct Waiting {
    tagged: Tagged,
    /// Bytes it is counted with.
    bytes: usize,
    /// It ends the running search.
    stops: bool,
    /// It starts a search of its own.
    searches: bool,
}

/// What a list of settings changes.
#[derive(Clone, Debug)]
struct Changed {
    options: Options,
    /// The game under its new rules.
    game: Option<Game>,
    /// It is another game, which begins.
    begins: bool,
}

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// The conversation begins; of use where the dialect is known before a line is read.
    Begin {
        /// Now.
        at: Instant,
    },
    /// A line was read, or something that is no line.
    Line {
        /// The text without its line end.
        text: Result<String, LineFault>,
        /// When it was read.
        at: Instant,
    },
    /// The engine reports on a job.
    Found {
        /// Number of the job.
        job: u64,
        /// What it reports.
        finding: Finding,
        /// When.
        at: Instant,
    },
    /// No further line will come.
    End {
        /// When input ended.
        at: Instant,
    },
    /// Nobody reads what is written any more.
    ReaderGone {
        /// When that was noticed.
        at: Instant,
    },
    /// The time asked for by [`Effect::WakeAt`] has come.
    Wake {
        /// Now.
        at: Instant,
    },
}

/// Something to be done for the session.
#[derive(Debug)]
pub enum Effect {
    /// Whole lines for the client, to be written and flushed together.
    Write(String),
    /// A job for the engine; its findings come back as [`Input::Found`].
    Start {
        /// Number of the job.
        job: u64,
        /// What is to be done.
        work: Job,
        /// Raised by the session when the job shall end.
        stop: StopFlag,
    },
    /// Every line in and out goes to this file from now on; to none.
    LogTo(Option<PathBuf>),
    /// Hand in [`Input::Wake`] at this time.
    WakeAt(Instant),
    /// The conversation is over.
    Leave,
}

/// A program that cannot be configured as asked.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionError {
    /// No dialect of this name.
    UnknownProtocol {
        /// The name asked for.
        name: String,
    },
    /// An option was refused.
    Option(Failure),
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SessionError::UnknownProtocol { name } => {
                let known: Vec<&str> = outflank_protocol::DIALECTS.iter().map(|row| row.name).collect();
                write!(f, "unknown protocol '{name}'; known are {}", known.join(", "))
            }
            SessionError::Option(failure) => match &failure.text {
                Some(text) => write!(f, "'{text}': {}", failure.prose),
                None => f.write_str(&failure.prose),
            },
        }
    }
}

impl std::error::Error for SessionError {}

/// One conversation with one client.
pub struct Session {
    dialect: Option<Box<dyn Dialect>>,
    queue: VecDeque<Waiting>,
    queued_bytes: usize,
    /// How many of the waiting commands start a search of their own.
    queued_searches: usize,
    game: Game,
    /// The sides that the engine plays by itself.
    seats: BySide<bool>,
    /// What is left on the clocks was told as the engine's and the opponent's.
    clocks_of_engine: bool,
    /// A game whose moves the engine plays without thinking.
    forced: Option<Game>,
    clocks: Clocks,
    options: Options,
    thinking: Option<Thinking>,
    /// Whatever position stands is to be analysed.
    watch: Option<Watch>,
    /// A turn of the engine's that comes once everything was served that was read before, with the
    /// tag it goes under.
    due: Option<Tag>,
    /// Passes that were said after the end of the game or twice: they changed nothing, and an
    /// `undo` takes them back first.
    idle_passes: u32,
    jobs: u64,
    searches: u32,
    /// When input ended; nothing that is read later counts.
    ended: Option<Instant>,
    left: bool,
    effects: Vec<Effect>,
}

impl Session {
    /// A session with these options, which speaks `protocol` or finds the dialect from the
    /// first line.
    ///
    /// # Errors
    /// A protocol that is not spoken.
    pub fn new(protocol: Option<&str>, options: Options) -> Result<Session, SessionError> {
        let dialect = match protocol {
            None => None,
            Some(name) => Some(
                by_name(name).ok_or_else(|| SessionError::UnknownProtocol { name: name.to_owned() })?,
            ),
        };
        Ok(Session::speaking(dialect, options))
    }

    /// A session in this dialect, or in the one that the first line tells.
    #[must_use]
    pub fn speaking(dialect: Option<Box<dyn Dialect>>, options: Options) -> Session {
        let mut session = Session {
            dialect,
            queue: VecDeque::new(),
            queued_bytes: 0,
            queued_searches: 0,
            game: Game::new(standard()),
            seats: BySide::default(),
            clocks_of_engine: false,
            forced: None,
            clocks: Clocks::default(),
            options,
            thinking: None,
            watch: None,
            due: None,
            idle_passes: 0,
            jobs: 0,
            searches: 0,
            ended: None,
            left: false,
            effects: Vec::new(),
        };
        session.introduce();
        session
    }

    /// The game as it stands.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Takes in what happened and returns what is to be done, in order.
    pub fn on_input(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Begin { at } => self.on_begin(at),
            Input::Line { text, at } => self.on_line(text, at),
            Input::Found { job, finding, at } => self.on_finding(job, finding, at),
            Input::End { at } => self.on_end(at),
            Input::Wake { at } => self.on_wake(at),
            Input::ReaderGone { at } => {
                self.stop_thinking(at);
                self.leave();
            }
        }
        std::mem::take(&mut self.effects)
    }

    /// What the dialect wants done before the first line.
    fn on_begin(&mut self, at: Instant) {
        let requests = self.dialect.as_mut().map(|dialect| dialect.opening()).unwrap_or_default();
        for tagged in requests {
            let searches = matches!(tagged.request, Request::Search(_) | Request::Perft { .. });
            self.enqueue(Waiting { tagged, bytes: COMMAND_BYTES, stops: false, searches });
        }
        self.pump(at);
    }

    /// Tells the dialect whom it speaks for and what the game is.
    fn introduce(&mut self) {
        let name = self.name();
        if let Some(dialect) = self.dialect.as_mut() {
            dialect.engine_is_called(&name);
        }
        self.tell_game(&Tag::default());
    }

    /// What the engine calls itself.
    fn name(&self) -> String {
        self.options.get("name").unwrap_or(crate::NAME).to_owned()
    }

    /// The game, for dialects that follow it.
    fn tell_game(&mut self, tag: &Tag) {
        if self.dialect.as_ref().is_some_and(|dialect| dialect.follows_game()) {
            let state = self.state_text();
            self.tell(tag, Event::Stands(state));
        }
    }

    fn on_line(&mut self, text: Result<String, LineFault>, at: Instant) {
        if self.ended.is_some() {
            return;
        }
        let bytes = COMMAND_BYTES + text.as_ref().map_or(0, String::len);
        let Some(tagged) = self.read(text) else { return };
        let urgency = self.dialect.as_ref().map_or(Urgency::Queued, |dialect| dialect.urgency(&tagged));
        let beside = urgency == Urgency::BesideSearch
            && self.queue.is_empty()
            && self.thinking.as_ref().is_some_and(Thinking::searches);
        if beside || urgency == Urgency::Now {
            self.serve(tagged, at);
            return;
        }
        if urgency == Urgency::DropsQueue {
            self.drop_queue();
            self.stop_thinking(at);
            self.serve(tagged, at);
            return;
        }
        let drops = urgency == Urgency::DropsSearch;
        let stops = drops || urgency == Urgency::StopsSearch;
        // Behind a search that has not begun, a `stop` is meant for that one.
        if stops && (self.queued_searches == 0 || self.habits().finishes_searches) {
            if drops { self.drop_thinking() } else { self.stop_thinking(at) }
        }
        if tagged.request == Request::Quit {
            self.on_quit(at);
        }
        let Tagged { tag, request } = tagged;
        let parts = match request {
            Request::Series(parts) => parts,
            single => vec![single],
        };
        for request in parts {
            let tagged = Tagged { tag: tag.clone(), request };
            let searches = starts_search(&tagged.request);
            self.enqueue(Waiting { tagged, bytes, stops, searches });
        }
        self.pump(at);
    }

    /// The request of a line; `None` while the dialect is still open and the line says nothing.
    fn read(&mut self, text: Result<String, LineFault>) -> Option<Tagged> {
        if self.dialect.is_none() {
            let first = text.as_deref().unwrap_or("?");
            let dialect = detect(first)?;
            log::info!("dialect {}", dialect.name());
            self.dialect = Some(dialect);
            self.introduce();
        }
        let dialect = self.dialect.as_mut()?;
        Some(match text {
            Ok(line) => {
                log::debug!("> {line}");
                dialect.read(&line)
            }
            Err(fault) => dialect.unreadable_line(fault),
        })
    }

    fn enqueue(&mut self, waiting: Waiting) {
        if self.queued_bytes + waiting.bytes <= LONGEST_QUEUE_BYTES {
            self.queued_bytes += waiting.bytes;
            self.queued_searches += usize::from(waiting.searches);
            self.queue.push_back(waiting);
            return;
        }
        let prose =
            format!("more than {} MiB of commands wait; this one is dropped", LONGEST_QUEUE_BYTES >> 20);
        log::warn!("{prose}");
        self.tell(&waiting.tagged.tag, Event::Failed(Failure::new(Code::Busy, prose)));
    }

    /// Nothing of what waits is served or answered.
    fn drop_queue(&mut self) {
        self.queue.clear();
        self.queued_bytes = 0;
        self.queued_searches = 0;
    }

    fn dequeue(&mut self) -> Option<Tagged> {
        let Waiting { tagged, bytes, searches, .. } = self.queue.pop_front()?;
        self.queued_bytes -= bytes;
        self.queued_searches -= usize::from(searches);
        Some(tagged)
    }

    /// `quit` was read: what follows it does not count, and a command that would run on without
    /// a bound is ended as at the end of input.
    fn on_quit(&mut self, at: Instant) {
        self.ended = Some(at);
        self.bound_thinking(at);
    }

    fn on_end(&mut self, at: Instant) {
        if self.ended.is_none() {
            self.ended = Some(at);
            self.bound_thinking(at);
            if let Some(tagged) = self.dialect.as_mut().and_then(|dialect| dialect.end_of_input()) {
                self.enqueue(Waiting { tagged, bytes: 0, stops: false, searches: false });
            }
        }
        self.pump(at);
    }

    fn on_wake(&mut self, at: Instant) {
        match self.thinking.as_ref().and_then(|thinking| thinking.until) {
            Some(until) if until <= at => {
                self.tell_what_is_cut_short();
                self.stop_thinking(at);
                self.pump(at);
            }
            // The alarm was that of an earlier search.
            Some(until) => self.effects.push(Effect::WakeAt(until)),
            None => {}
        }
    }

    /// Once input has ended, work without a bound gets a last deadline.
    fn bound_thinking(&mut self, at: Instant) {
        if self.ended.is_none() {
            return;
        }
        if self.thinking.as_ref().is_some_and(Thinking::dwells) {
            self.drop_thinking();
        }
        if let Some(thinking) = &mut self.thinking
            && !thinking.bounded
            && thinking.until.is_none()
        {
            let until = at + GRACE;
            thinking.until = Some(until);
            self.effects.push(Effect::WakeAt(until));
        }
    }

    /// The client may take what a search has found until now for what it would have found.
    fn tell_what_is_cut_short(&self) {
        if self.thinking.as_ref().is_some_and(Thinking::can_be_cut_short) {
            log::warn!(
                "end of input or quit: a search without a bound in time was stopped after {} s; keep the \
                 input open to have it finished",
                GRACE.as_secs()
            );
        }
    }

    /// Serves what waits, in order, as far as the running search allows.
    fn pump(&mut self, at: Instant) {
        while !self.left {
            let Some(next) = self.queue.front() else { break };
            if let Some(thinking) = &self.thinking {
                if thinking.blocks() {
                    return;
                }
                if self.ends_search(&next.tagged) {
                    let waits = self.habits().finishes_searches && !self.interrupts(&next.tagged);
                    if waits && thinking.finishes() {
                        return;
                    }
                    self.stop_thinking(at);
                    if self.thinking.is_some() {
                        return;
                    }
                } else if next.tagged.request == Request::Wait {
                    return;
                }
            }
            if let Some(tagged) = self.dequeue() {
                self.serve(tagged, at);
            }
        }
        self.watch_on(at);
        if !self.left {
            self.take_due_turn(at);
        }
        if self.ended.is_some() && self.queue.is_empty() && self.thinking.is_none() && !self.left {
            self.leave();
        }
    }

    fn leave(&mut self) {
        self.left = true;
        self.effects.push(Effect::Leave);
    }

    /// Whether a running background search has to end before this request is served: where the
    /// dialect's clients expect it, and where the request will change the game or search itself.
    fn ends_search(&self, tagged: &Tagged) -> bool {
        self.interrupts(tagged) || self.will_change(&tagged.request)
    }

    /// Whether the dialect says that a request ends a search.
    fn interrupts(&self, tagged: &Tagged) -> bool {
        let urgency = self.dialect.as_ref().map(|dialect| dialect.urgency(tagged));
        matches!(urgency, Some(Urgency::StopsSearch | Urgency::DropsSearch))
    }

    /// How the clients of the dialect treat passes and searches.
    fn habits(&self) -> Habits {
        self.dialect.as_ref().map_or(Habits::PLAIN, |dialect| dialect.habits())
    }

    /// Whether a request will change something; one that is going to be refused will not.
    fn will_change(&self, request: &Request) -> bool {
        match request {
            Request::New { variant, position } => {
                self.game_of(variant.as_ref(), position.as_ref()).is_ok()
            }
            Request::SetUp { board, .. } | Request::Resync { board } => {
                crate::record::game_at(self.game.variant(), board).is_ok()
            }
            Request::Arrange { variant, start, moves } => {
                self.game_arranged(variant.as_ref(), start.as_ref(), moves).is_ok()
            }
            Request::Play { side, moves, .. } => {
                let by = side.map(crate::record::side);
                moves.first().is_some_and(|word| self.game_after(by, word).is_ok())
            }
            Request::Pass { side } => self.game.clone().pass(side.map(crate::record::side)).is_ok(),
            Request::Undo(_) => !self.game.is_empty(),
            Request::Redo(_) => self.game.clone().redo().is_ok(),
            Request::Replay { head, moves, result } => {
                self.game_replayed(head.as_deref(), moves, result.as_deref()).is_ok()
            }
            Request::Set(settings) => self.changed_by(settings).is_ok(),
            // Where searches are finished, their answers come in the order they were asked for, be
            // they refusals.
            Request::Search(text) => self.habits().finishes_searches || self.can_search(text),
            Request::Resign(_) | Request::Timeout { .. } | Request::Abandon => !self.game.is_over(),
            Request::Agree { winner, margin } => {
                !self.game.is_over() && self.agreement(*winner, *margin).is_ok()
            }
            Request::Resize { .. }
            | Request::Load(_)
            | Request::Take(_)
            | Request::Watch(_)
            | Request::Clear
            | Request::Perft { .. }
            | Request::Stop
            | Request::Quit => true,
            _ => false,
        }
    }

    /// Serves one request: data events, then exactly one reply (unless the reply comes later,
    /// from a job).
    fn serve(&mut self, tagged: Tagged, at: Instant) {
        let Tagged { tag, request } = tagged;
        let may_be_our_turn = changes_the_turn(&request);
        match request {
            Request::Nothing => {}
            Request::Known(text) => self.done(&tag, Done::Known(text)),
            Request::Series(parts) => {
                for request in parts {
                    self.serve(Tagged { tag: tag.clone(), request }, at);
                }
            }
            Request::Unreadable(failure) => self.fail(&tag, failure),
            Request::Hello { version } => self.hello(&tag, version),
            Request::Name => {
                let name = self.name();
                self.done(&tag, Done::Name(name));
            }
            Request::Version => self.done(&tag, Done::Version(crate::VERSION.to_owned())),
            Request::Ping(word) => self.done(&tag, Done::Pong(word)),
            Request::Set(settings) => self.set(&tag, &settings, at),
            Request::Get(names) => self.get(&tag, &names),
            Request::Options => self.list_options(&tag),
            Request::Clear => {
                self.start_job(Job::Clear);
                self.done(&tag, Done::Plain);
            }
            Request::Teach(lesson) => self.teach(&tag, &lesson),
            Request::Quit => {
                self.done(&tag, Done::Plain);
                self.leave();
            }
            Request::New { variant, position } => {
                self.new_game(&tag, variant.as_ref(), position.as_ref())
            }
            Request::Resize { columns, rows } => self.resize(&tag, columns, rows),
            Request::SetUp { board, reading } => self.set_up(&tag, &board, reading),
            Request::Resync { board } => self.resync(&tag, &board),
            Request::Arrange { variant, start, moves } => {
                self.arrange(&tag, variant.as_ref(), start.as_ref(), &moves);
            }
            Request::Take(seats) => self.take(&tag, seats),
            Request::Watch(on) => self.watch(&tag, on),
            Request::Load(text) => self.load(&tag, &text),
            Request::Position | Request::Variant | Request::Status | Request::Score => self.state(&tag),
            Request::Variants => self.list_variants(&tag),
            Request::Show(style) => self.show(&tag, style),
            Request::Moves => self.list_moves(&tag),
            Request::Why(word) => self.why(&tag, &word),
            Request::Count => self.count(&tag),
            Request::Log => self.list_log(&tag),
            Request::Record => self.done(&tag, Done::Record(crate::record::record_line(&self.game))),
            Request::Play { side, moves, seconds } => self.play(&tag, side, &moves, seconds),
            Request::Pass { side } => self.pass(&tag, side),
            Request::Force(moves) => self.force(&tag, &moves),
            Request::Undo(times) => self.undo(&tag, times),
            Request::Redo(times) => self.redo(&tag, times),
            Request::Resign(side) => self.resign(&tag, side),
            Request::Timeout { side, hard } => self.time_out(&tag, side, hard),
            Request::Abandon => self.abandon(&tag),
            Request::Agree { winner, margin } => self.agree(&tag, winner, margin),
            Request::Replay { head, moves, result } => {
                self.replay(&tag, head.as_deref(), &moves, result.as_deref());
            }
            Request::Clock { side, clock } => self.clock(&tag, side, clock),
            Request::Elapsed { side, seconds } => self.elapsed(&tag, side, seconds),
            Request::Left { whose, seconds, moves } => self.time_left(&tag, whose, seconds, moves),
            Request::TimeSettings { main, overtime, moves } => {
                self.time_settings(&tag, main, overtime, moves);
            }
            Request::Search(search) => self.search(&tag, &search, at),
            Request::PonderHit => self.ponder_hit(&tag, at),
            Request::Progress => self.progress(&tag, at),
            Request::Stop | Request::Wait => self.done(&tag, Done::Plain),
            Request::Perft { depth, pass_free } => self.perft(&tag, depth, pass_free, at),
            Request::Learn => self.done(&tag, Done::Learned),
        }
        if may_be_our_turn {
            self.take_turn(&tag, at);
        }
    }

    fn hello(&mut self, tag: &Tag, version: u32) {
        if self.habits().greets_with_options {
            for row in self.option_rows() {
                self.tell(tag, Event::Option(row));
            }
        }
        let done = Done::Hello {
            version,
            name: self.name(),
            program_version: crate::VERSION.to_owned(),
            autopass: self.options.is_on("autopass"),
        };
        self.done(tag, done);
    }

    fn set(&mut self, tag: &Tag, settings: &[(String, String)], at: Instant) {
        let changed = match self.changed_by(settings) {
            Ok(changed) => changed,
            Err(failure) => return self.fail(tag, failure),
        };
        // The memory may not be to be had: the reply waits for the engine.
        if settings.iter().any(|(name, _)| name == "hash") {
            let mib = changed.options.count("hash") as usize;
            self.resize_hash(tag, mib, changed, at);
        } else {
            self.apply(tag, changed);
        }
    }

    /// What a list of settings makes of the options and the game.
    fn changed_by(&self, settings: &[(String, String)]) -> Result<Changed, Failure> {
        let mut changed = Changed { options: self.options.clone(), game: None, begins: false };
        for (name, value) in settings {
            match name.as_str() {
                "komi" => {
                    let game = changed.game.as_ref().unwrap_or(&self.game);
                    changed.game = Some(game::under_komi(game, value)?);
                }
                "variant" => {
                    changed.game = Some(game::of_token(value)?);
                    changed.begins = true;
                }
                _ => {
                    changed.options.set(name, value)?;
                }
            }
        }
        Ok(changed)
    }

    /// The settings hold from now on.
    fn apply(&mut self, tag: &Tag, changed: Changed) {
        let before = std::mem::replace(&mut self.options, changed.options);
        let threads = self.options.count("threads");
        if threads != before.count("threads") {
            // The range is checked already, and the job is done before any later search.
            self.start_job(Job::SetThreads(threads as usize));
        }
        if self.options.get("log") != before.get("log") {
            let file = self.options.get("log").filter(|name| !name.is_empty());
            self.effects.push(Effect::LogTo(file.map(PathBuf::from)));
        }
        if self.options.get("name") != before.get("name") {
            let name = self.name();
            if let Some(dialect) = self.dialect.as_mut() {
                dialect.engine_is_called(&name);
            }
        }
        if let Some(game) = changed.game {
            self.game = game;
        }
        if changed.begins {
            self.idle_passes = 0;
            self.clocks.restart();
        }
        // Where passes are made at once, none is left due.
        self.settle(tag);
        self.done(tag, Done::Plain);
    }

    /// The present value of an option; those of the game are the game's.
    fn value_of(&self, name: &str) -> Option<String> {
        match name {
            "komi" => Some(crate::record::half_text(self.game.rules().komi).to_string()),
            "variant" => Some(crate::record::variant_text(self.game.variant()).to_string()),
            _ => self.options.get(name).map(str::to_owned),
        }
    }

    fn get(&mut self, tag: &Tag, names: &[String]) {
        let all: Vec<String>;
        let names = if names.is_empty() {
            all = OPTIONS.iter().map(|row| row.name.to_owned()).collect();
            &all
        } else {
            names
        };
        let mut values = Vec::new();
        for name in names {
            match self.value_of(name) {
                Some(value) => values.push((name.clone(), value)),
                None => return self.fail(tag, options::unknown(name)),
            }
        }
        self.done(tag, Done::Values(values));
    }

    /// The options with their present values.
    fn option_rows(&self) -> Vec<OptionText> {
        let mut rows: Vec<_> = self.options.rows().collect();
        for row in &mut rows {
            row.value = self.value_of(&row.name).unwrap_or_default();
        }
        rows
    }

    fn list_options(&mut self, tag: &Tag) {
        let rows = self.option_rows();
        let n = rows.len();
        for row in rows {
            self.tell(tag, Event::Option(row));
        }
        self.listed(tag, n, None);
    }

    fn start_job(&mut self, work: Job) -> (u64, StopFlag) {
        self.jobs += 1;
        let stop = StopFlag::new();
        self.effects.push(Effect::Start { job: self.jobs, work, stop: stop.clone() });
        (self.jobs, stop)
    }

    /// Renders an event; what comes of it is one write.
    fn tell(&mut self, tag: &Tag, event: Event) {
        let Some(dialect) = self.dialect.as_mut() else { return };
        let mut text = String::new();
        dialect.render(tag, &event, &mut text);
        if text.is_empty() {
            return;
        }
        for line in text.lines() {
            log::debug!("< {line}");
        }
        // Events of one reply leave together: a block is contiguous.
        if let Some(Effect::Write(last)) = self.effects.last_mut() {
            last.push_str(&text);
        } else {
            self.effects.push(Effect::Write(text));
        }
    }

    fn done(&mut self, tag: &Tag, done: Done) {
        self.tell_game(tag);
        self.tell(tag, Event::Done(done));
    }

    fn fail(&mut self, tag: &Tag, failure: Failure) {
        self.tell_game(tag);
        self.tell(tag, Event::Failed(failure));
    }

    fn listed(&mut self, tag: &Tag, n: usize, side: Option<crate::rules::Side>) {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        self.done(tag, Done::Listed { n, side: side.map(crate::record::side_text) });
    }
}

/// Whether a request starts a search of its own, for which a `stop` behind it may be meant.
fn starts_search(request: &Request) -> bool {
    matches!(request, Request::Search(_) | Request::Perft { .. })
}

/// Whether it may be another side's turn once this is served.
fn changes_the_turn(request: &Request) -> bool {
    matches!(
        request,
        Request::New { .. }
            | Request::Resize { .. }
            | Request::SetUp { .. }
            | Request::Resync { .. }
            | Request::Arrange { .. }
            | Request::Take(_)
            | Request::Load(_)
            | Request::Play { .. }
            | Request::Pass { .. }
            | Request::Redo(_)
            | Request::Replay { .. }
    )
}

/// Standard Othello, which every session starts with.
fn standard() -> Variant {
    match Variant::new(VariantSpec::sized(8, 8)) {
        Ok(variant) => variant,
        Err(error) => unreachable!("the default variant is in the table: {error}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use outflank_protocol::message::SeatsText;

    use super::*;

    /// The jobs that these lines lead to at once.
    fn jobs_of(lines: &[&str]) -> Vec<Job> {
        let mut session = Session::new(Some("native"), Options::default()).unwrap();
        let at = Instant::now();
        let inputs = lines.iter().map(|&line| Input::Line { text: Ok(line.to_owned()), at });
        let effects = inputs.flat_map(|input| session.on_input(input)).collect::<Vec<_>>();
        let jobs = effects.into_iter().filter_map(|effect| match effect {
            Effect::Start { work, .. } => Some(work),
            _ => None,
        });
        jobs.collect()
    }

    /// Whether what these lines begin is given a last deadline when the input ends behind them.
    fn is_cut_short(protocol: &str, lines: &[&str]) -> bool {
        let mut session = Session::new(Some(protocol), Options::default()).unwrap();
        let at = Instant::now();
        for &line in lines {
            session.on_input(Input::Line { text: Ok(line.to_owned()), at });
        }
        assert!(session.thinking.is_some(), "{lines:?}");
        let effects = session.on_input(Input::End { at });
        effects.iter().any(|effect| matches!(effect, Effect::WakeAt(_)))
    }

    #[test]
    fn the_end_of_input_cuts_short_what_has_no_bound_in_time() {
        for (line, expected) in [
            ("go depth=9", true),
            ("go infinite", true),
            ("hint depth=9", true),
            ("eval", true),
            ("analyze depth=1", true),
            ("go", false),
            ("go level=21", false),
            ("go nodes=9", false),
            ("hint movetime=9", false),
            ("solve", false),
            ("perft 9", false),
        ] {
            assert_eq!(is_cut_short("native", &[line]), expected, "{line}");
        }
    }

    #[test]
    fn the_end_of_input_lets_a_position_be_solved() {
        const START: &str = "---------------------------OX------XO---------------------------X";
        const ENDGAME: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--X";
        for (verb, rest, expected) in [
            ("endgame-search", format!("{ENDGAME} -64 64 100"), false),
            ("endgame-search", format!("{ENDGAME} -1 1 73"), false),
            ("midgame-search", format!("{ENDGAME} -64 64 14 100"), false),
            ("midgame-search", format!("{ENDGAME} -64 64 13 100"), true),
            ("endgame-search", format!("{START} -64 64 100"), true),
        ] {
            let line = format!("ENGINE-PROTOCOL {verb} {rest}");
            assert_eq!(is_cut_short("cassio", &[&line]), expected, "{line}");
        }
    }

    #[test]
    fn the_end_of_input_lets_a_move_of_a_level_that_was_set_be_found() {
        for (before, expected) in [
            ("name", true),
            ("outflank-set level 21", false),
            ("outflank-set level 10", false),
            ("outflank-set depth 9", true),
            ("outflank-set level 60", true),
            ("time_settings 9 0 0", false),
        ] {
            assert_eq!(is_cut_short("gtp", &[before, "genmove b"]), expected, "{before}");
            assert_eq!(is_cut_short("gtp", &[before, "reg_genmove b"]), expected, "{before}");
        }
        let lines = ["outflank-set level 60", "outflank-position 4/1ox1/1xo1/4,x", "genmove b"];
        assert!(!is_cut_short("gtp", &lines));
    }

    #[test]
    fn the_number_of_threads_reaches_the_engine_before_the_next_search() {
        let other = if crate::engine::available_threads() == 3 { 4 } else { 3 };
        let set = format!("set threads={other}");
        let jobs = jobs_of(&["rp 1", &set, &set, "set threads=0", "eval"]);
        let [Job::SetThreads(threads), Job::Search(request)] = &jobs[..] else {
            panic!("{jobs:?}");
        };
        assert_eq!(*threads, other);
        assert!(!request.deterministic);
    }

    #[test]
    fn the_engine_answers_for_the_sides_it_has_taken() {
        let mut session = Session::new(Some("native"), Options::default()).unwrap();
        let at = Instant::now();
        let jobs = |effects: Vec<Effect>| {
            effects.iter().filter(|effect| matches!(effect, Effect::Start { .. })).count()
        };
        let line = |text: &str| Input::Line { text: Ok(text.to_owned()), at };
        session.on_input(line("rp 1"));
        session.serve(Tagged { tag: Tag::default(), request: Request::Take(SeatsText::Other) }, at);
        assert_eq!(
            (session.engine_side(), jobs(std::mem::take(&mut session.effects))),
            (crate::rules::Side::White, 0)
        );
        assert_eq!(jobs(session.on_input(line("play f5"))), 1);
        let state = session.game.state().clone();
        let found = crate::engine::Found::any_legal(&state, session.game.rules());
        session.on_input(Input::Found { job: session.jobs, finding: Finding::Done(found), at });
        assert_eq!((session.game.len(), session.thinking.is_none()), (2, true));
    }

    #[test]
    fn a_clock_that_is_the_engines_goes_along_to_the_side_it_takes() {
        use crate::rules::Side;
        use outflank_protocol::message::Whose;

        let mut session = Session::new(Some("native"), Options::default()).unwrap();
        let at = Instant::now();
        let mut serve = |request| session.serve(Tagged { tag: Tag::default(), request }, at);
        serve(Request::Take(SeatsText::Other));
        for (whose, seconds) in [(Whose::Engine, 1.0), (Whose::Opponent, 300.0)] {
            serve(Request::Left { whose, seconds, moves: None });
        }
        serve(Request::Take(SeatsText::Mover));
        let left = |side| session.clocks.get(side).map(Clock::left);
        assert_eq!((left(Side::Black), left(Side::White)), (Some(1.0), Some(300.0)));
    }

    #[test]
    fn deterministic_holds_for_searches_and_analyses() {
        let jobs = jobs_of(&["rp 1", "set deterministic=on", "eval"]);
        assert!(matches!(&jobs[..], [Job::Clear, Job::Search(request)] if request.deterministic));
        let jobs = jobs_of(&["rp 1", "set deterministic=on", "play f5", "analyze depth=1"]);
        assert!(
            matches!(&jobs[..], [Job::Clear, Job::Analyze { effort, .. }] if effort.repeatable),
            "{jobs:?}"
        );
    }
}
