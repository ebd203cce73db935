//! Requests that search: how words become a job, and how its findings become events.

use std::time::{Duration, Instant};

use outflank_protocol::message::{
    BestText, BoundText, ClocksText, Code, Done, EndingText, Event, Failure, InfoText, LessonText,
    PlyText, PonderText, ProgressText, Purpose, SearchText, Tag, ValueText,
};
use outflank_protocol::words::{MoveText, MoveWord};

use super::{Changed, Flag, Session};
use crate::engine::analysis::{Effort, Judgement, Moment};
use crate::engine::background::{Finding, Job};
use crate::engine::{
    Bound, Choice, ClockLimits, EngineError, Found, Goal, Lesson, Limits, Line, Report, SearchRequest,
    StopFlag, Value, Window,
};
use crate::record;
use crate::rules::{Game, HalfDiscs, PassCost, Scoring, Side, Square, SquareSet};

/// Deepest perft that is counted; deeper trees take longer than anybody waits.
const DEEPEST_PERFT: u32 = 60;

/// Most best moves a search may be asked for.
const MOST_LINES: u32 = 256;

/// The most empties from which a search to the end counts as solving, which is always finished;
/// from more nobody could wait for it.
const MOST_TO_SOLVE: u32 = 36;

/// From this level on a search goes to the end of the game, whatever it takes.
const LEVEL_TO_THE_END: u32 = 60;

/// A job that runs for a request.
#[derive(Debug)]
pub(super) struct Thinking {
    job: u64,
    /// Carried by the events it leads to.
    tag: Tag,
    stop: StopFlag,
    what: What,
    /// Number that background searches are told by.
    number: u32,
    /// It ends by itself in time a client asked for.
    pub(super) bounded: bool,
    /// Stopped at this time when it still runs then (after the end of input).
    pub(super) until: Option<Instant>,
    began: Instant,
    /// The side whose clock runs.
    clock_of: Option<Side>,
    /// What a search has found that tells it only once it is stopped, or once the move it ponders
    /// on was played.
    held: Option<Found>,
    /// Nodes searched when the search last told of itself.
    nodes: u64,
}

/// What a job is for.
#[derive(Clone, Debug)]
enum What {
    Search(Box<SearchText>),
    Ponder {
        text: Box<SearchText>,
        /// The predicted move; none where it stands on the board already.
        at: Option<Square>,
        /// The predicted move was played: the search begins anew, with what the table now knows.
        hit: bool,
    },
    Perft {
        depth: u32,
        pass_free: bool,
    },
    /// Thinking while somebody else is to move, of which nothing is told. What it is good for
    /// stays in the table.
    Dwell,
    /// A new size of the table, with the settings that hold once it is there.
    SetHash(Box<Changed>),
    Analyze {
        background: bool,
        items: Vec<AnalysedItem>,
        plies: Vec<Option<PlyText>>,
    },
}

/// An entry of an analysed game.
#[derive(Clone, Debug, PartialEq)]
struct AnalysedItem {
    side: Side,
    played: Option<MoveText>,
    n_legal: u32,
}

impl Thinking {
    fn new(job: u64, tag: &Tag, stop: StopFlag, what: What, began: Instant) -> Thinking {
        Thinking {
            job,
            tag: tag.clone(),
            stop,
            what,
            number: 0,
            bounded: true,
            until: None,
            began,
            clock_of: None,
            held: None,
            nodes: 0,
        }
    }

    /// Whether nothing is told of it.
    pub(super) fn dwells(&self) -> bool {
        matches!(self.what, What::Dwell)
    }

    /// Whether it looks for moves or values, which may take as long as the client likes.
    pub(super) fn searches(&self) -> bool {
        !matches!(self.what, What::SetHash(_) | What::Perft { .. })
    }

    /// Whether it is a search that ends by itself, early or late.
    pub(super) fn finishes(&self) -> bool {
        matches!(&self.what, What::Search(text) if !text.infinite)
    }

    /// Whether a stop cuts short what would have come to its own end.
    pub(super) fn can_be_cut_short(&self) -> bool {
        !self.stop.is_raised()
            && match &self.what {
                What::Search(text) => !text.infinite,
                What::Ponder { hit, .. } => *hit,
                What::Perft { .. } | What::Analyze { .. } => true,
                What::SetHash(_) | What::Dwell => false,
            }
    }

    /// Whether later commands wait until it has ended.
    pub(super) fn blocks(&self) -> bool {
        match &self.what {
            What::Search(text) => !matches!(text.purpose, Purpose::Go | Purpose::HintInBackground),
            What::Ponder { .. } | What::Dwell => false,
            What::Perft { .. } | What::SetHash(_) => true,
            What::Analyze { background, .. } => !background,
        }
    }
}

impl Session {
    /// Tells the running search to end; its result still comes.
    pub(super) fn stop_thinking(&mut self, at: Instant) {
        let Some(thinking) = &mut self.thinking else { return };
        if thinking.dwells() {
            return self.drop_thinking();
        }
        thinking.stop.raise();
        if let What::Ponder { hit, .. } = &mut thinking.what {
            *hit = false;
        }
        // A search that pondered to its end has its result at hand.
        if let Some(found) = thinking.held.take()
            && let Some(thinking) = self.thinking.take()
        {
            self.found(&thinking, &found, at);
        }
    }

    /// Ends the running search; nobody is told what it has found.
    pub(super) fn drop_thinking(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.stop.raise();
        }
    }

    /// How far the running search is.
    pub(super) fn progress(&mut self, tag: &Tag, at: Instant) {
        let progress = self.thinking.as_ref().map(|thinking| ProgressText {
            nodes: thinking.nodes,
            time_ms: millis(at.saturating_duration_since(thinking.began)),
        });
        self.done(tag, Done::Progress(progress));
    }

    // -----------------------------------------------------------------------------------------
    // Words to jobs

    pub(super) fn search(&mut self, tag: &Tag, text: &SearchText, at: Instant) {
        let begun = match text.purpose {
            Purpose::Analyze | Purpose::AnalyzeInBackground => self.analyze(tag, text, at),
            Purpose::Generate { .. } => self.generate(tag, text, at),
            _ => self.think(tag, text, at),
        };
        if let Err(failure) = begun {
            self.fail(tag, failure);
        }
    }

    fn think(&mut self, tag: &Tag, text: &SearchText, at: Instant) -> Result<(), Failure> {
        match &text.ponder {
            // Nothing can be expected of a game that the expected move has ended.
            Some(PonderText::Played) if self.game.is_over() => {
                self.find(tag, text, None, &Found::nothing(), at);
                return Ok(());
            }
            Some(ponder) => return self.ponder(tag, text, ponder, at),
            None => {}
        }
        let elsewhere = match &text.board {
            Some(board) => {
                let game = record::game_at(self.game.variant(), board);
                Some(game.map_err(|error| error.failure())?)
            }
            None => None,
        };
        let game = elsewhere.as_ref().unwrap_or(&self.game);
        if game.is_over() {
            let ending = record::state_text(game, self.options.forfeit()).ending;
            self.find(tag, text, ending, &Found::nothing(), at);
            return Ok(());
        }
        if text.purpose == (Purpose::Generate { play: true })
            && text.board.is_none()
            && let Some(choice) = self.forced_choice()
        {
            self.find(tag, text, None, &Found::unsearched(choice), at);
            return Ok(());
        }
        let request = self.search_request(text, game)?;
        self.launch(tag, What::Search(Box::new(text.clone())), Job::Search(Box::new(request)), at);
        Ok(())
    }

    /// The engine's own move is made, and it thinks on while the other side does.
    fn dwell(&mut self, tag: &Tag, at: Instant) {
        if self.ended.is_some() || self.thinking.is_some() || self.game.is_over() {
            return;
        }
        let mut text = SearchText::new(Purpose::Go);
        text.infinite = true;
        if let Ok(request) = self.search_request(&text, &self.game) {
            let (job, stop) = self.start_job(Job::Search(Box::new(request)));
            self.thinking = Some(Thinking::new(job, tag, stop, What::Dwell, at));
        }
    }

    /// What needs no search: the move of a forced line, or nothing in a game that is over. It is
    /// told when it is asked for, as any result is.
    fn find(
        &mut self,
        tag: &Tag,
        text: &SearchText,
        ending: Option<EndingText>,
        found: &Found,
        at: Instant,
    ) {
        self.jobs += 1;
        let text = Box::new(text.clone());
        let what = match text.ponder {
            Some(_) => What::Ponder { text, at: None, hit: false },
            None => What::Search(text),
        };
        let thinking = self.announce(Thinking::new(self.jobs, tag, StopFlag::new(), what, at));
        if let Some(ending) = ending {
            self.tell(tag, Event::Over(ending));
        }
        if self.holds(&thinking) {
            self.thinking = Some(Thinking { held: Some(found.clone()), bounded: false, ..thinking });
            self.bound_thinking(at);
        } else {
            self.found(&thinking, found, at);
        }
    }

    /// Whether what is found is told only once the search is stopped, or once the move it ponders
    /// on was played.
    fn holds(&self, thinking: &Thinking) -> bool {
        let holds_infinite =
            self.dialect.as_ref().is_some_and(|dialect| dialect.habits().holds_infinite);
        !thinking.stop.is_raised()
            && match &thinking.what {
                What::Ponder { hit, .. } => !hit,
                What::Search(text) => text.purpose == Purpose::Go && text.infinite && holds_infinite,
                _ => false,
            }
    }

    /// A move for a named side: a pass that the other side owes is made first.
    fn generate(&mut self, tag: &Tag, text: &SearchText, at: Instant) -> Result<(), Failure> {
        let before = self.game.clone();
        if let Some(side) = text.side.map(record::side)
            && !self.game.is_over()
            && side != self.game.state().side
            && self.game.pass_if_forced().is_none()
        {
            let prose = format!("{} is to move", name_of(self.game.state().side));
            let mut failure = Failure::new(Code::NotYourTurn, prose);
            failure.legal = Some(record::points(self.game.legal()));
            return Err(failure);
        }
        self.think(tag, text, at).inspect_err(|_| self.game = before)
    }

    fn ponder(
        &mut self,
        tag: &Tag,
        text: &SearchText,
        ponder: &PonderText,
        at: Instant,
    ) -> Result<(), Failure> {
        let predicted = match ponder {
            PonderText::Played => None,
            PonderText::Predicted(MoveWord::Move(MoveText::At(point)))
                if record::square(*point).is_some() =>
            {
                record::square(*point)
            }
            PonderText::Predicted(_) => {
                let prose = "ponder takes the square that the opponent is expected to play";
                return Err(Failure::new(Code::BadSquare, prose));
            }
        };
        let mut trial = self.game.clone();
        if let Some(predicted) = predicted {
            trial.play(None, predicted).map_err(|refused| record::refusal(&refused, None))?;
            while trial.pass_if_forced().is_some() {}
        }
        let mut request = self.search_request(text, &trial)?;
        request.limits = Limits { infinite: true, ..Limits::default() };
        let what = What::Ponder { text: Box::new(text.clone()), at: predicted, hit: false };
        self.launch(tag, what, Job::Search(Box::new(request)), at);
        Ok(())
    }

    pub(super) fn ponder_hit(&mut self, tag: &Tag, at: Instant) {
        let Some(Thinking { what: What::Ponder { at: predicted, .. }, .. }) = &self.thinking else {
            let prose = "no search ponders on a move";
            return self.fail(tag, Failure::new(Code::BadArgument, prose));
        };
        if let Some(predicted) = *predicted {
            if let Err(refused) = self.game.play(None, predicted) {
                return self.fail(tag, record::refusal(&refused, None));
            }
            while self.game.pass_if_forced().is_some() {}
        }
        self.state(tag);
        let Some(thinking) = &mut self.thinking else { return };
        if thinking.held.is_some() {
            self.after_hit(at);
        } else if let What::Ponder { hit, .. } = &mut thinking.what {
            *hit = true;
            thinking.stop.raise();
        }
    }

    /// A new table size; the settings hold once the engine has it.
    pub(super) fn resize_hash(&mut self, tag: &Tag, mib: usize, changed: Changed, at: Instant) {
        let what = What::SetHash(Box::new(changed));
        self.launch(tag, what, Job::SetHash(mib), at);
    }

    fn hash_resized(&mut self, thinking: Thinking, result: Result<(), EngineError>) {
        let What::SetHash(changed) = thinking.what else { return };
        match result {
            Ok(()) => self.apply(&thinking.tag, *changed),
            Err(error) => {
                let failure = Failure::new(Code::BadValue, error.to_string()).with_text("hash");
                self.fail(&thinking.tag, failure);
            }
        }
    }

    pub(super) fn perft(&mut self, tag: &Tag, depth: u32, pass_free: bool, at: Instant) {
        if depth > DEEPEST_PERFT {
            let prose = format!("perft takes a depth from 0 to {DEEPEST_PERFT}");
            return self.fail(tag, Failure::new(Code::BadValue, prose).with_text(depth.to_string()));
        }
        let job = Job::Perft {
            state: Box::new(self.game.state().clone()),
            rules: *self.game.rules(),
            depth,
            cost: if pass_free { PassCost::Free } else { PassCost::Ply },
        };
        self.launch(tag, What::Perft { depth, pass_free }, job, at);
    }

    fn analyze(&mut self, tag: &Tag, text: &SearchText, at: Instant) -> Result<(), Failure> {
        let mut moments = Vec::new();
        let mut items = Vec::new();
        for (index, entry) in self.game.log().iter().enumerate() {
            let state = self.game.state_at(index).clone();
            items.push(AnalysedItem {
                side: entry.mv.side,
                played: Some(record::act_text(entry.mv.act)),
                n_legal: state.legal(self.game.rules()).len(),
            });
            moments.push(Moment { state, played: Some(Choice::of(entry.mv.act)) });
        }
        let last = self.game.state().clone();
        if !self.game.is_over() {
            let n_legal = last.legal(self.game.rules()).len();
            items.push(AnalysedItem { side: last.side, played: None, n_legal });
            moments.push(Moment { state: last, played: None });
        }
        let effort = Effort {
            limits: self.limits(text, None)?,
            exact_from: 0,
            evaluation: self.options.evaluation(),
            repeatable: self.options.is_on("deterministic"),
        };
        let background = text.purpose == Purpose::AnalyzeInBackground;
        let plies = vec![None; items.len()];
        let job = Job::Analyze { moments, rules: *self.game.rules(), effort };
        self.launch(tag, What::Analyze { background, items, plies }, job, at);
        Ok(())
    }

    fn search_request(&self, text: &SearchText, game: &Game) -> Result<SearchRequest, Failure> {
        let lines = text.multipv.unwrap_or_else(|| self.options.count("multipv"));
        if !(1..=MOST_LINES).contains(&lines) {
            let prose = format!("the number of best moves goes from 1 to {MOST_LINES}");
            return Err(Failure::new(Code::BadValue, prose).with_text(lines.to_string()));
        }
        let state = game.state().clone();
        let mut rules = *game.rules();
        if let Some(discs) = text.rule_discs {
            rules.scoring = if discs { Scoring::Discs } else { Scoring::Official };
        }
        let side = state.side;
        let mut request = SearchRequest::new(state, rules);
        request.goal = match text.purpose {
            Purpose::Solve => Goal::Solve { wld: text.wld, all_moves: text.all, optimal_moves: true },
            Purpose::Hint | Purpose::HintInBackground | Purpose::Eval => Goal::Values,
            Purpose::Go if lines > 1 => Goal::Values,
            _ => Goal::BestMove,
        };
        request.multi_pv = lines;
        request.window = text.window.map(|(alpha, beta)| Window { alpha, beta });
        request.limits = self.limits(text, Some(side))?;
        request.only = only(text, game)?;
        request.deterministic = self.options.is_on("deterministic");
        request.seed = u64::try_from(self.options.number("seed")).unwrap_or(0);
        request.evaluation = self.options.evaluation();
        // A contempt of 100 makes a draw worth a win for Black; half a disc decides it already.
        let contempt = if self.options.is_on("analysis") { 0 } else { self.options.number("contempt") };
        request.contempt = HalfDiscs(i32::try_from(contempt.signum()).unwrap_or(0));
        Ok(request)
    }

    fn limits(&self, text: &SearchText, side: Option<Side>) -> Result<Limits, Failure> {
        let deterministic = self.options.is_on("deterministic");
        let option_depth = Some(self.options.count("depth")).filter(|&depth| depth > 0);
        let clock = side.filter(|_| !deterministic).and_then(|side| match &text.clocks {
            Some(clocks) => clock_limits(clocks, side),
            None if text.clock => self.clocks.get(side).map(super::Clock::limits),
            None => None,
        });
        let move_time = text.movetime_ms.filter(|_| !deterministic).map(Duration::from_millis);
        let mut limits = Limits {
            depth: text.depth.or(option_depth),
            nodes: text.nodes,
            move_time,
            clock,
            level: text.level,
            selectivity: text.selectivity,
            infinite: text.infinite,
        };
        if let Some(level) = text.level
            && level > 60
        {
            return Err(
                Failure::new(Code::BadValue, "level goes from 0 to 60").with_text(level.to_string())
            );
        }
        let unlimited = limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.move_time.is_none()
            && limits.clock.is_none()
            && limits.level.is_none()
            && !limits.infinite;
        // Who sets a level wants that strength, whatever the clock allows.
        let only_clock = limits.clock.is_some()
            && limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.move_time.is_none()
            && limits.level.is_none();
        let chosen = only_clock && self.options.is_chosen("level");
        if text.purpose != Purpose::Solve {
            let move_time = self.options.number("movetime");
            if unlimited && move_time > 0 && !deterministic {
                limits.move_time = u64::try_from(move_time).ok().map(Duration::from_millis);
            } else if unlimited || chosen {
                limits.level = Some(self.options.count("level"));
            }
            if let Some(greatest) = self.options.greatest_level() {
                limits.level = Some(limits.level.map_or(greatest, |level| level.min(greatest)));
            }
        }
        Ok(limits)
    }

    /// The engine takes in what the client knows.
    pub(super) fn teach(&mut self, tag: &Tag, text: &LessonText) {
        match self.lesson(text) {
            Ok(lesson) => {
                self.start_job(Job::Teach(Box::new(lesson)));
                self.done(tag, Done::Plain);
            }
            Err(failure) => self.fail(tag, failure),
        }
    }

    fn lesson(&self, text: &LessonText) -> Result<Lesson, Failure> {
        if text.lower > text.upper {
            let bounds = format!("{} {}", text.lower, text.upper);
            let prose = "the lower bound is above the upper one (in hundredths of a disc)";
            return Err(Failure::new(Code::BadValue, prose).with_text(bounds));
        }
        let start = record::game_at(self.game.variant(), &text.board);
        let mut game = start.map_err(|error| error.failure())?;
        let state = game.state().clone();
        record::play_words(&mut game, &text.line).map_err(|error| error.failure())?;
        let line = game.log().iter().map(|entry| Choice::of(entry.mv.act));
        Ok(Lesson {
            state,
            rules: *game.rules(),
            evaluation: self.options.evaluation(),
            lower: text.lower,
            upper: text.upper,
            depth: text.depth,
            selectivity: text.selectivity,
            line: line.collect(),
        })
    }

    fn launch(&mut self, tag: &Tag, what: What, work: Job, at: Instant) {
        if self.options.is_on("deterministic") {
            self.start_job(Job::Clear);
        }
        let bounded = self.is_bounded(&what, &work);
        let clock_of = clock_runs(&what).then_some(self.game.state().side);
        let (job, stop) = self.start_job(work);
        let thinking = Thinking { bounded, clock_of, ..Thinking::new(job, tag, stop, what, at) };
        let thinking = self.announce(thinking);
        let blocks = thinking.blocks();
        self.thinking = Some(thinking);
        self.bound_thinking(at);
        // A `stop` that was read before this began waits behind it and is meant for it, unless
        // another search stands between.
        let meant = self.queue.iter().find(|waiting| waiting.stops || waiting.searches);
        if blocks && meant.is_some_and(|waiting| waiting.stops) {
            self.stop_thinking(at);
        }
    }

    /// A background search gets its number, and the client is told that it began.
    fn announce(&mut self, mut thinking: Thinking) -> Thinking {
        if !thinking.blocks() {
            self.searches += 1;
            thinking.number = self.searches;
            let search = thinking.number;
            self.done(&thinking.tag, Done::Started { search });
        }
        thinking
    }

    /// Whether a job ends by itself within what the client asked for. A depth or a default level is
    /// no bound in time; solving and counting are always finished.
    fn is_bounded(&self, what: &What, work: &Job) -> bool {
        let text = match what {
            What::Search(text) => text,
            What::Perft { .. } | What::SetHash(_) => return true,
            What::Ponder { .. } | What::Analyze { .. } | What::Dwell => return false,
        };
        let Job::Search(request) = work else { return false };
        let limits = &request.limits;
        if limits.infinite {
            return false;
        }
        let timed = limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
        let empties = request.state.board.empties();
        let can_be_solved = empties <= MOST_TO_SOLVE;
        timed
            || match text.purpose {
                Purpose::Solve => true,
                Purpose::Go => limits.level.is_some(),
                Purpose::Generate { .. } => {
                    (self.options.is_chosen("level") || self.options.greatest_level().is_some())
                        && limits.level.is_some_and(|level| level < LEVEL_TO_THE_END || can_be_solved)
                }
                // Who asks for the value at the end of the game has the position solved.
                Purpose::Eval => can_be_solved && text.depth.is_some_and(|depth| depth >= empties),
                _ => false,
            }
    }

    // -----------------------------------------------------------------------------------------
    // Findings to events

    pub(super) fn on_finding(&mut self, job: u64, finding: Finding, at: Instant) {
        let Some(thinking) = self.thinking.as_ref().filter(|thinking| thinking.job == job) else {
            return;
        };
        let holds = self.holds(thinking);
        match finding {
            Finding::Report(report) => self.report(&report),
            Finding::Ply { index, judgement } => self.ply(index, &judgement),
            Finding::Done(found) => match &thinking.what {
                What::Ponder { hit: true, .. } => self.after_hit(at),
                _ if holds => {
                    if let Some(thinking) = &mut self.thinking {
                        thinking.held = Some(found);
                    }
                }
                What::Dwell => self.end(at, |_, _| {}),
                _ => self.end(at, |session, thinking| session.found(&thinking, &found, at)),
            },
            Finding::Perft(leaves) => {
                self.end(at, |session, thinking| session.counted(&thinking, leaves))
            }
            Finding::Analyzed { stopped } => {
                self.end(at, |session, thinking| session.analyzed(&thinking, stopped, at));
            }
            Finding::HashSet(result) => {
                self.end(at, |session, thinking| session.hash_resized(thinking, result));
            }
            Finding::ThreadsSet(_) | Finding::Cleared | Finding::Taught => {}
        }
    }

    /// The job is over: its events are told, then what waited for it is served.
    fn end(&mut self, at: Instant, tell: impl FnOnce(&mut Session, Thinking)) {
        if let Some(thinking) = self.thinking.take() {
            tell(self, thinking);
        }
        self.pump(at);
    }

    /// The predicted move was played: a normal search goes on under the same number, with what
    /// the table now knows.
    fn after_hit(&mut self, at: Instant) {
        let Some(Thinking { tag, what: What::Ponder { text, .. }, number, .. }) = self.thinking.take()
        else {
            return;
        };
        let normal = SearchText { ponder: None, ..*text };
        if self.game.is_over() {
            self.tell(&tag, Event::Best(best_text(number, &Found::nothing())));
            return self.pump(at);
        }
        match self.search_request(&normal, &self.game) {
            Ok(request) => {
                let what = What::Search(Box::new(normal));
                let work = Job::Search(Box::new(request));
                let bounded = self.is_bounded(&what, &work);
                let (job, stop) = self.start_job(work);
                self.thinking =
                    Some(Thinking { number, bounded, ..Thinking::new(job, &tag, stop, what, at) });
                self.bound_thinking(at);
            }
            Err(failure) => {
                self.fail(&tag, failure);
                self.pump(at);
            }
        }
    }

    fn report(&mut self, report: &Report) {
        let follows = self.dialect.as_ref().is_some_and(|dialect| dialect.habits().follows_searches);
        let Some(thinking) = &mut self.thinking else { return };
        thinking.nodes = report.nodes;
        let told = match &thinking.what {
            What::Search(text) => {
                follows || matches!(text.purpose, Purpose::Go | Purpose::HintInBackground)
            }
            What::Ponder { hit, .. } => !hit,
            What::Perft { .. } | What::SetHash(_) | What::Analyze { .. } | What::Dwell => false,
        };
        if !told {
            return;
        }
        let (tag, search) = (thinking.tag.clone(), thinking.number);
        for line in &report.lines {
            let info = info_text(line, report.nodes, report.time);
            self.tell(&tag, Event::Info { search, info });
        }
    }

    fn found(&mut self, thinking: &Thinking, found: &Found, at: Instant) {
        self.spend_clock(thinking, at);
        match &thinking.what {
            What::Ponder { .. } => self.best(thinking, found),
            What::Search(text) => match text.purpose {
                Purpose::Go => self.best(thinking, found),
                Purpose::HintInBackground => {
                    if !thinking.stop.is_raised() || self.ended.is_some() {
                        self.watched_to_the_end();
                    }
                    let (nodes, time_ms) = (found.nodes, millis(found.time));
                    self.tell(&thinking.tag, Event::Finished { nodes, time_ms });
                }
                Purpose::Generate { play } => self.generated(thinking, found, play, at),
                Purpose::Solve => self.solved(thinking, text, found),
                _ => self.hinted(thinking, found),
            },
            What::Perft { .. } | What::SetHash(_) | What::Analyze { .. } | What::Dwell => {}
        }
    }

    /// The time a move took runs off the mover's clock, where the client does not say it.
    fn spend_clock(&mut self, thinking: &Thinking, at: Instant) {
        if let Some(side) = thinking.clock_of
            && let Some(clock) = self.clocks.get_mut(side)
        {
            let used = at.saturating_duration_since(thinking.began).as_secs_f64();
            if clock.spend(used) == Flag::Hard {
                log::debug!("{} has used up the time the client gave", name_of(side));
            }
        }
    }

    fn best(&mut self, thinking: &Thinking, found: &Found) {
        self.tell(&thinking.tag, Event::Best(best_text(thinking.number, found)));
    }

    fn generated(&mut self, thinking: &Thinking, found: &Found, play: bool, at: Instant) {
        if play {
            match found.choice() {
                Some(Choice::Play(square)) => {
                    if let Err(refused) = self.game.play(None, square) {
                        log::error!("the search chose {square}: {refused}");
                        let prose = format!("the search chose {square}, which the rules refuse");
                        return self.fail(&thinking.tag, Failure::new(Code::Internal, prose));
                    }
                    self.idle_passes = 0;
                }
                Some(Choice::Pass) => {
                    let _ = self.game.pass(None);
                }
                None => self.idle_passes += 1,
            }
            let state = self.state_text();
            self.tell(&thinking.tag, Event::Stands(state));
        }
        self.done(&thinking.tag, Done::Generated(best_text(thinking.number, found)));
        if play {
            self.settle(&thinking.tag);
            self.turn_after(&thinking.tag, at);
            if self.options.is_on("ponder") {
                self.dwell(&thinking.tag, at);
            }
        }
    }

    fn hinted(&mut self, thinking: &Thinking, found: &Found) {
        for line in &found.lines {
            let info = info_text(line, found.nodes, found.time);
            self.tell(&thinking.tag, Event::Hint { rank: line.rank, info });
        }
        self.searched(thinking, found.exact);
    }

    fn solved(&mut self, thinking: &Thinking, text: &SearchText, found: &Found) {
        if let Some(best) = found.lines.first() {
            let mut optimal: Vec<MoveText> = found
                .lines
                .iter()
                .filter(|line| {
                    line.value.centidiscs == best.value.centidiscs
                        && line.value.exact == best.value.exact
                })
                .filter(|line| line.value.bound == Bound::Value)
                .map(|line| choice_text(line.choice()))
                .collect();
            optimal.sort_by_key(|at| match at {
                MoveText::At(point) => (point.row, point.column),
                MoveText::Pass => (0, 0),
            });
            let rule_discs = text.rule_discs.unwrap_or(self.game.rules().scoring == Scoring::Discs);
            let event = Event::Solved {
                value: value_text(best.value),
                rule_discs,
                wld: text.wld,
                moves: optimal,
                pv: pv_text(best),
                nodes: found.nodes,
                time_ms: millis(found.time),
            };
            self.tell(&thinking.tag, event);
        }
        if text.all {
            for line in &found.lines {
                let event =
                    Event::MoveValue { at: choice_text(line.choice()), value: value_text(line.value) };
                self.tell(&thinking.tag, event);
            }
        }
        self.searched(thinking, found.exact);
    }

    /// The reply of a search; `stopped` only when it was told to stop and is not proved.
    fn searched(&mut self, thinking: &Thinking, exact: bool) {
        let stopped = thinking.stop.is_raised() && !exact;
        self.done(&thinking.tag, Done::Searched { stopped, exact });
    }

    /// Whether a search can be made of what was asked; a refused one ends nothing.
    pub(super) fn can_search(&self, text: &SearchText) -> bool {
        let predicted_is_legal = match &text.ponder {
            Some(PonderText::Predicted(word)) => self.game_after(None, word).is_ok(),
            Some(PonderText::Played) | None => true,
        };
        predicted_is_legal && self.search_request(text, &self.game).is_ok()
    }

    fn counted(&mut self, thinking: &Thinking, leaves: Option<u64>) {
        let What::Perft { depth, pass_free } = thinking.what else { return };
        if let Some(nodes) = leaves {
            self.tell(&thinking.tag, Event::Counted { depth, nodes, pass_free });
        }
        self.done(&thinking.tag, Done::Searched { stopped: leaves.is_none(), exact: false });
    }

    fn ply(&mut self, index: usize, judgement: &Judgement) {
        let Some(Thinking { what: What::Analyze { background, items, plies }, tag, .. }) =
            &mut self.thinking
        else {
            return;
        };
        let (Some(item), Some(slot)) = (items.get(index), plies.get_mut(index)) else { return };
        let text = PlyText {
            number: u32::try_from(index + 1).unwrap_or(u32::MAX),
            side: record::side_text(item.side),
            played: item.played,
            value: value_text(judgement.value),
            after: judgement.after.map(value_text),
            best: judgement.best.iter().copied().map(choice_text).collect(),
            depth: judgement.depth,
            selectivity: judgement.selectivity,
            n_legal: item.n_legal,
        };
        if *background {
            let tag = tag.clone();
            self.tell(&tag, Event::Ply(text));
        } else {
            *slot = Some(text);
        }
    }

    fn analyzed(&mut self, thinking: &Thinking, stopped: bool, at: Instant) {
        let What::Analyze { background, plies, .. } = &thinking.what else { return };
        if *background {
            let time_ms = millis(at.saturating_duration_since(thinking.began));
            return self.tell(&thinking.tag, Event::Finished { nodes: 0, time_ms });
        }
        let exact = !stopped && plies.iter().flatten().all(|ply| ply.value.exact);
        for ply in plies.iter().flatten() {
            self.tell(&thinking.tag, Event::Ply(ply.clone()));
        }
        self.searched(thinking, exact);
    }
}

/// The first moves that are to be considered; all of them when none are named.
fn only(text: &SearchText, game: &Game) -> Result<Option<SquareSet>, Failure> {
    if text.moves.is_empty() {
        return Ok(None);
    }
    let mut set = SquareSet::EMPTY;
    for word in &text.moves {
        match word {
            MoveWord::Move(MoveText::At(at)) => {
                let Some(square) = record::square(*at) else { continue };
                if let Some(refused) = game.check(None, square) {
                    return Err(record::refusal(&refused, None));
                }
                set.insert(square);
            }
            MoveWord::Move(MoveText::Pass) => {}
            MoveWord::Unreadable(text) => return Err(record::not_a_square(text, game.legal())),
        }
    }
    Ok(Some(set))
}

/// What a search may reckon with under the clocks that came with it.
fn clock_limits(clocks: &ClocksText, side: Side) -> Option<ClockLimits> {
    let clock = match side {
        Side::Black => clocks.black,
        Side::White => clocks.white,
    };
    Some(ClockLimits {
        left: Duration::from_millis(clock.left_ms?),
        increment: Duration::from_millis(clock.increment_ms),
        moves_to_go: clocks.moves_to_go,
    })
}

/// Whether the mover's clock runs while the job does.
fn clock_runs(what: &What) -> bool {
    matches!(what, What::Search(text) if matches!(text.purpose, Purpose::Generate { play: true }))
}

fn name_of(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

fn choice_text(choice: Choice) -> MoveText {
    match choice {
        Choice::Play(square) => MoveText::At(record::point(square)),
        Choice::Pass => MoveText::Pass,
    }
}

fn pv_text(line: &Line) -> Vec<MoveText> {
    line.pv.iter().map(|&choice| choice_text(choice)).collect()
}

fn value_text(value: Value) -> ValueText {
    ValueText {
        centidiscs: value.centidiscs,
        bound: match value.bound {
            Bound::Value => BoundText::Value,
            Bound::Lower => BoundText::Lower,
            Bound::Upper => BoundText::Upper,
        },
        exact: value.exact,
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A line of thought, in words.
#[must_use]
pub fn info_text(line: &Line, nodes: u64, time: Duration) -> InfoText {
    InfoText {
        depth: line.depth,
        selectivity: line.selectivity,
        multipv: line.rank,
        value: value_text(line.value),
        wld: line.wld,
        nodes,
        time_ms: millis(time),
        pv: pv_text(line),
    }
}

fn best_text(search: u32, found: &Found) -> BestText {
    let line = found.lines.first();
    BestText {
        search,
        at: found.choice().map(choice_text),
        value: line.filter(|line| line.depth > 0).map(|line| value_text(line.value)),
        ponder: line.and_then(|line| line.pv.get(1).copied()).map(choice_text),
        nodes: found.nodes,
        time_ms: millis(found.time),
        failed: found.failed,
    }
}
