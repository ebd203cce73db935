//! `outflank analyze`: games ply by ply.
//!
//! Workers take one game after the other and analyse it with an engine of their own; this thread
//! tells what they found in the order of the games. Ctrl-C raises one flag for all: what a worker
//! has of its game then is told as well.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outflank_protocol::line::{LineFault, LineReader};
use outflank_protocol::words::PlayerText;

use super::args::AnalyzeArgs;
use super::output::Output;
use super::play::settings_of;
use super::subject::{GameHead, Room, Subject, Subjects};
use super::{Outcome, Usage, on_interrupt, require_cpu};
use crate::engine::analysis::{Effort, Ended};
use crate::engine::native::{self, NativeEngine};
use crate::engine::{Engine, Limits, StopFlag};
use crate::page::counted;
use crate::record::clip;
use crate::report::html::{ReportHead, html_report};
use crate::report::read::{Entry, Reader};
use crate::report::row::{CSV_HEADER, ErrorRow, Id};
use crate::report::table::table;
use crate::report::{self, Analysis};
use crate::rules::{BySide, Game};
use crate::session::Options;

/// Searches recurse up to the number of squares of the largest board.
const STACK_BYTES: usize = 64 << 20;
/// How long searches may take to notice that they are to end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Games between two lines of progress where standard error is no terminal.
const REPORT_EVERY: u32 = 10;

/// Analyses every game, or reads analyses back.
///
/// # Errors
/// Wrong usage, an engine that cannot be set up, files that cannot be read or written.
pub fn run(args: &AnalyzeArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.engine.cpu)?;
    let mut desk = Desk::new(args)?;
    match &args.from {
        Some(file) => read_back(file, &mut desk)?,
        None => analyze_all(args, &mut desk)?,
    }
    desk.close(args.html.as_deref())
}

// ---------------------------------------------------------------------------------------------
// From a file

fn read_back(file: &str, desk: &mut Desk) -> anyhow::Result<()> {
    if file != "-" && !Path::new(file).is_file() {
        return Err(Usage(format!("--from '{}': there is no such file", clip(file))).into());
    }
    let mut source: Box<dyn Read> = match file {
        "-" => Box::new(io::stdin()),
        _ => Box::new(File::open(file).with_context(|| clip(file))?),
    };
    let mut reader = Reader::new();
    let mut number = 0_u64;
    let mut take = |line: Result<String, LineFault>| -> anyhow::Result<()> {
        number += 1;
        let text = line.map_err(|fault| fault.to_string());
        match text.and_then(|text| reader.take(&text).map_err(|error| error.to_string())) {
            Ok(None) => {}
            Ok(Some(Entry::Analysis(analysis))) => desk.take(Answer::Analysis(analysis, true))?,
            Ok(Some(Entry::Failed(error))) => desk.take(Answer::Bad(error))?,
            Err(why) => desk.complain(&format!("{file}, line {number}: {why}")),
        }
        Ok(())
    };
    let mut lines = LineReader::new();
    let mut buffer = [0_u8; 64 * 1024];
    loop {
        let mut ready = Vec::new();
        let count = source.read(&mut buffer).with_context(|| clip(file))?;
        lines.push(buffer.get(..count).unwrap_or_default(), &mut ready);
        if count == 0 {
            ready.extend(lines.finish());
        }
        ready.into_iter().try_for_each(&mut take)?;
        if count == 0 {
            break;
        }
    }
    if let Err(error) = reader.end() {
        desk.complain(&format!("{file}: {error}"));
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// From games

/// What a worker hands back for one game.
enum Answer {
    /// The analysis, and whether all of the game was judged.
    Analysis(Box<Analysis>, bool),
    /// The input is no game.
    Bad(ErrorRow),
    /// The search broke.
    Fault(ErrorRow),
}

/// What the main thread waits for.
enum Message {
    /// An answer with the place of its game among the inputs.
    Answer(u64, Answer),
    /// A worker has nothing left to do.
    Done,
    /// Ctrl-C.
    Interrupted,
}

/// Games with their place in the order of answers.
struct Feed {
    subjects: Subjects,
    next_place: u64,
}

/// What all workers share.
struct Shop {
    feed: Mutex<Feed>,
    /// Strength of the estimates, where it was said.
    level: Option<u32>,
    /// The empties from which on positions are solved, where it was said.
    exact_from: Option<u32>,
    settings: Options,
    stop: StopFlag,
    /// Workers that have a game in hand.
    n_busy: AtomicU32,
    progress: Progress,
}

fn analyze_all(args: &AnalyzeArgs, desk: &mut Desk) -> anyhow::Result<()> {
    let settings = settings_of(&args.engine, args.threads)?;
    let room = Room::of(&args.variant)?;
    let subjects = Subjects::of(&args.inputs, room);
    let shop = Arc::new(Shop {
        feed: Mutex::new(Feed { subjects, next_place: 0 }),
        level: args.level.or_else(|| settings.is_chosen("level").then(|| settings.count("level"))),
        exact_from: args.exact_from,
        settings,
        stop: StopFlag::new(),
        n_busy: AtomicU32::new(0),
        progress: desk.progress.clone(),
    });
    let (sender, messages) = mpsc::channel();
    for number in 0..args.jobs {
        hire(&shop, number, args.jobs, &sender)?;
    }
    let stop = shop.stop.clone();
    on_interrupt(move || {
        let is_first = !stop.is_raised();
        stop.raise();
        is_first && sender.send(Message::Interrupted).is_ok()
    });
    take_all(&messages, args.jobs, &shop, desk)
}

fn hire(shop: &Arc<Shop>, number: u32, jobs: u32, sender: &Sender<Message>) -> anyhow::Result<()> {
    let mut engine = NativeEngine::new(shop.settings.count("hash") as usize);
    // The jobs share the processors, unless somebody says how.
    if jobs == 1 || shop.settings.is_chosen("threads") {
        let n_threads = shop.settings.count("threads") as usize;
        engine.set_threads(n_threads).context("setting the number of threads")?;
    }
    let (shop, sender) = (Arc::clone(shop), sender.clone());
    thread::Builder::new()
        .name(format!("analyst {number}"))
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // However the work ends, the main thread must not wait for it.
            let _leaving = Leaving(sender.clone());
            shop.work(&mut engine, &sender);
        })
        .context("starting a thread")?;
    Ok(())
}

/// Tells that a worker has left.
struct Leaving(Sender<Message>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Done);
    }
}

impl Shop {
    fn work(&self, engine: &mut NativeEngine, sender: &Sender<Message>) {
        while let Some((place, subject)) = self.next() {
            let id = subject.id;
            let answer = match subject.game {
                Err(error) => Answer::Bad(ErrorRow { game: id, error }),
                Ok(game) => self.answer(engine, id, game, &subject.head),
            };
            let is_taken = sender.send(Message::Answer(place, answer)).is_ok();
            self.n_busy.fetch_sub(1, Ordering::AcqRel);
            if !is_taken {
                return;
            }
        }
    }

    fn next(&self) -> Option<(u64, Subject)> {
        // A worker that panicked while it held the feed has not harmed it.
        let mut feed = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stop.is_raised() {
            return None;
        }
        let subject = feed.subjects.next()?;
        let place = feed.next_place;
        feed.next_place += 1;
        self.n_busy.fetch_add(1, Ordering::AcqRel);
        Some((place, subject))
    }

    fn answer(&self, engine: &mut NativeEngine, id: Id, game: Game, head: &GameHead) -> Answer {
        let effort = self.effort(&game);
        let called = |player: &PlayerText| Some(player.name.clone()).filter(|name| !name.is_empty());
        let players = BySide { black: called(&head.black), white: called(&head.white) };
        let name = id.to_string();
        let mut tell = |done, all| self.progress.tell_ply(&name, done, all);
        let (analysis, ended) =
            report::analyze(engine, id, players, game, &effort, &self.stop, &mut tell);
        match ended {
            Ended::Finished => Answer::Analysis(Box::new(analysis), true),
            Ended::Stopped => Answer::Analysis(Box::new(analysis), false),
            Ended::Failed => Answer::Fault(ErrorRow {
                game: analysis.id,
                error: "internal fault: the search broke".to_owned(),
            }),
        }
    }

    fn effort(&self, game: &Game) -> Effort {
        // From there on the level proves its values anyway.
        let by_level = native::exact_from(self.level, game.state(), game.rules());
        Effort {
            limits: Limits { level: self.level, ..Limits::default() },
            exact_from: self.exact_from.map_or(by_level, |empties| empties.max(by_level)),
            evaluation: self.settings.evaluation(),
            repeatable: true,
        }
    }
}

/// Takes the answers in the order of the games until all workers have left, or, after Ctrl-C, until
/// no worker has a game in hand: one that waits for input is not waited for.
fn take_all(
    messages: &Receiver<Message>,
    jobs: u32,
    shop: &Shop,
    desk: &mut Desk,
) -> anyhow::Result<()> {
    const LOOK_EVERY: Duration = Duration::from_millis(20);
    let mut waiting: BTreeMap<u64, Answer> = BTreeMap::new();
    let mut next_place = 0;
    let mut n_left = 0;
    let mut deadline: Option<Instant> = None;
    while n_left < jobs {
        let patience = if deadline.is_some() { LOOK_EVERY } else { Duration::MAX };
        match messages.recv_timeout(patience) {
            Ok(Message::Answer(place, answer)) => {
                waiting.insert(place, answer);
            }
            Ok(Message::Done) => n_left += 1,
            Ok(Message::Interrupted) => deadline = Some(Instant::now() + LAST_WORDS),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let all_idle = shop.n_busy.load(Ordering::Acquire) == 0;
                if all_idle || deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    break;
                }
            }
        }
        while let Some(answer) = waiting.remove(&next_place) {
            next_place += 1;
            desk.take(answer)?;
        }
    }
    // Behind a game that was lost with its worker.
    waiting.into_values().try_for_each(|answer| desk.take(answer))?;
    if deadline.is_some() {
        desk.note(Outcome::Interrupted);
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// What is told

/// In which form analyses are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Table,
    Json,
    Csv,
}

/// Prints analyses, and keeps them for the report where one is wanted.
struct Desk {
    out: Output,
    form: Form,
    progress: Progress,
    /// The games of the report; nothing when none is wanted, because there may be very many.
    kept: Option<Vec<Analysis>>,
    failed: Vec<(String, String)>,
    n_games: u32,
    n_failed: u32,
    worst: Outcome,
}

impl Desk {
    fn new(args: &AnalyzeArgs) -> anyhow::Result<Desk> {
        let form = match (args.json, args.csv) {
            (true, _) => Form::Json,
            (false, true) => Form::Csv,
            (false, false) => Form::Table,
        };
        let mut desk = Desk {
            out: Output::new(),
            form,
            progress: Progress::new(),
            kept: args.html.is_some().then(Vec::new),
            failed: Vec::new(),
            n_games: 0,
            n_failed: 0,
            worst: Outcome::Good,
        };
        if form == Form::Csv {
            desk.out.line(&csv_line(&CSV_HEADER)?)?;
        }
        Ok(desk)
    }

    fn take(&mut self, answer: Answer) -> anyhow::Result<()> {
        self.n_games += 1;
        match answer {
            Answer::Analysis(analysis, is_whole) => {
                if !is_whole {
                    self.note(Outcome::Interrupted);
                }
                self.print(&analysis)?;
                self.progress.tell_game(self.n_games);
                if let Some(kept) = &mut self.kept {
                    kept.push(*analysis);
                }
            }
            Answer::Bad(error) => self.fail(error, Outcome::SomeFailed)?,
            Answer::Fault(error) => self.fail(error, Outcome::Fault)?,
        }
        Ok(())
    }

    fn print(&mut self, analysis: &Analysis) -> anyhow::Result<()> {
        match self.form {
            Form::Table => {
                if self.n_games > 1 {
                    self.line("")?;
                }
                for line in table(analysis) {
                    self.line(&line)?;
                }
            }
            Form::Json => {
                for row in analysis.rows() {
                    self.line(&serde_json::to_string(&row)?)?;
                }
                self.line(&serde_json::to_string(&analysis.summary_row())?)?;
            }
            Form::Csv => {
                for row in analysis.rows() {
                    self.line(&csv_line(&row.csv_cells())?)?;
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        let Desk { out, progress, .. } = self;
        progress.aside(|| out.line(text))?;
        Ok(())
    }

    fn fail(&mut self, error: ErrorRow, how: Outcome) -> anyhow::Result<()> {
        self.n_failed += 1;
        self.note(how);
        let text = format!("game {} error: {}", error.game, error.error);
        match self.form {
            Form::Json => self.line(&serde_json::to_string(&error)?)?,
            Form::Table => self.line(&text)?,
            Form::Csv => self.progress.aside(|| eprintln!("{text}")),
        }
        if self.kept.is_some() {
            self.failed.push((error.game.to_string(), error.error));
        }
        Ok(())
    }

    /// Something is wrong with a line that is no game.
    fn complain(&mut self, text: &str) {
        self.n_failed += 1;
        self.note(Outcome::SomeFailed);
        self.progress.aside(|| eprintln!("error: {text}"));
    }

    fn note(&mut self, outcome: Outcome) {
        self.worst = self.worst.max(outcome);
    }

    fn close(self, html: Option<&Path>) -> anyhow::Result<Outcome> {
        self.progress.end();
        if self.n_failed > 0 {
            let n_inputs = self.n_games.max(self.n_failed);
            eprintln!("{} of {} failed", self.n_failed, counted(n_inputs, "input"));
        }
        if let (Some(path), Some(games)) = (html, &self.kept) {
            let date = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
            let head = ReportHead { title: String::new(), date, failed: self.failed };
            fs::write(path, html_report(&head, games))
                .with_context(|| format!("--html {}", path.display()))?;
        }
        Ok(self.worst)
    }
}

/// A line of CSV without its end.
fn csv_line(cells: &[impl AsRef<[u8]>]) -> anyhow::Result<String> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(cells)?;
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
}

/// How far things are, on standard error: a line that renews itself on a terminal, a line every so
/// many games elsewhere.
#[derive(Clone)]
struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new() -> Progress {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            // A form that is wrong leaves the one that indicatif has.
            if let Ok(style) = ProgressStyle::with_template("[{bar:24}] {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Progress { bar }
    }

    fn tell_ply(&self, game: &str, n_done: usize, n_all: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(n_all as u64);
            bar.set_position(n_done as u64);
            bar.set_message(format!("game {game}, {n_done} of {n_all} positions"));
        }
    }

    fn tell_game(&self, n_games: u32) {
        if self.bar.is_none() && n_games.is_multiple_of(REPORT_EVERY) {
            eprintln!("{n_games} games");
        }
    }

    /// Does something that writes to the terminal.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
