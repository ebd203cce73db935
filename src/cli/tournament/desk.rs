//! A tournament while it runs: engines are started, rows are kept, printed and added up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::plan::Plan;
use super::progress::Progress;
use crate::arena::html::{ReportEngine, ReportHead, html_report};
use crate::arena::outcome::GameRow;
use crate::arena::player::{self, Fault, Leash, Player};
use crate::arena::referee::Overhead;
use crate::arena::run::{self, Breakdown, Contestant, Ended, Halt, House, Untold, Wish};
use crate::arena::sprt::Verdict;
use crate::arena::store::Store;
use crate::arena::tally::Tally;
use crate::arena::traffic::Traffic;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::engine::Engine;
use crate::engine::native::NativeEngine;
use crate::page::counted;
use crate::record;
use crate::session::Options;

/// How long an engine may take at least for what is not a move, such as to start: a short watchdog
/// is meant for moves.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);
const DEFAULT_REPORT_EVERY: u32 = 10;

/// Takes rows: keeps them, prints them, adds them up, and says when it is enough.
pub struct Desk<'a> {
    plan: &'a Plan,
    store: Store,
    n_rows: u32,
    /// Every game, for the report; empty where none is wanted, because a test may take very many.
    rows: Vec<GameRow>,
    tally: Tally,
    /// The first game of every course of play, by [`course`].
    courses: HashMap<u64, u32>,
    n_duplicates: u32,
    out: Output,
}

impl<'a> Desk<'a> {
    /// A desk with the games of an earlier run.
    pub fn new(plan: &'a Plan, store: Store, rows: Vec<GameRow>) -> Self {
        let mut desk = Self {
            plan,
            store,
            n_rows: 0,
            rows: Vec::new(),
            tally: Tally::new(&plan.names()),
            courses: HashMap::new(),
            n_duplicates: 0,
            out: Output::new(),
        };
        for mut row in rows {
            row.duplicate_of = desk.earlier(&row);
            desk.count(row);
        }
        desk
    }

    fn count(&mut self, row: GameRow) {
        self.n_rows += 1;
        self.n_duplicates += u32::from(row.duplicate_of.is_some());
        self.tally.add(&row);
        if self.plan.args.html.is_some() {
            self.rows.push(row);
        }
    }

    /// The game that went the same way before. To be asked once for each row.
    fn earlier(&mut self, row: &GameRow) -> Option<u32> {
        // A game that did not begin repeats nothing.
        if row.plies == 0 {
            return None;
        }
        match self.courses.entry(course(row)) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(row.game);
                None
            }
        }
    }

    fn is_decided(&self) -> bool {
        let bounds = self.plan.args.sprt.as_ref();
        bounds.is_some_and(|bounds| self.tally.sprt(bounds).verdict != Verdict::Continue)
    }

    pub fn play(&mut self, halt: &Halt) -> anyhow::Result<(Ended, Overhead)> {
        let plan = self.plan;
        let n_played = self.n_rows;
        if n_played > 0 {
            let are = if n_played == 1 { "is" } else { "are" };
            eprintln!("{} {are} there already", counted(n_played, "game"));
        }
        // A pair that was begun is ended first, so that the test sees whole pairs only.
        if n_played.is_multiple_of(2) && self.is_decided() {
            return Ok((Ended::Enough, Overhead::default()));
        }
        let n_games = plan.args.games.map(|_| plan.tournament.schedule.n_games());
        let every = plan.args.report_every.unwrap_or(DEFAULT_REPORT_EVERY);
        let mut progress = Progress::new(n_games, n_played, every);
        let house = Workshop::new(plan);
        let result = run::run(&plan.tournament, &house, n_played + 1, halt, |row| {
            let wish = self.take(row, &progress)?;
            progress.tell(self.n_rows, &self.tally.progress(plan.args.sprt.as_ref()));
            anyhow::Ok(wish)
        });
        progress.end();
        result
    }

    /// A row is kept before it is shown: whoever has seen it can rely on it.
    fn take(&mut self, mut row: GameRow, progress: &Progress) -> anyhow::Result<Wish> {
        row.duplicate_of = self.earlier(&row);
        self.store.append(&row, |row| self.plan.ggf_line(row))?;
        let line = serde_json::to_string(&row)?;
        progress.aside(|| self.out.line(&line))?;
        self.count(row);
        let is_whole = self.n_rows.is_multiple_of(2);
        Ok(if is_whole && self.is_decided() { Wish::Enough } else { Wish::More })
    }

    /// The result, for programs and for people.
    pub fn close(mut self, ended: &Ended, overhead: Overhead) -> anyhow::Result<Outcome> {
        // Where nothing could be played there is no result, only the reason.
        if let (0, Ended::Broken(breakdown)) = (self.n_rows, ended) {
            return Err(breakdown.clone().into());
        }
        if self.n_rows > 0 {
            eprint!("{}", self.tally.cross_table());
        }
        if self.n_duplicates > 0 {
            eprintln!(
                "{} of {} went as an earlier one did",
                self.n_duplicates,
                counted(self.n_rows, "game")
            );
        }
        if let Some(mean) = overhead.mean() {
            eprintln!(
                "between an answer and the next request, moves told to engines with it: {:.3} ms on average, {:.3} ms at most, {} measured",
                mean.as_secs_f64() * 1e3,
                overhead.longest.as_secs_f64() * 1e3,
                overhead.n
            );
        }
        let line = self.tally.standing(self.plan.args.sprt.as_ref()).line();
        self.out.line(&line)?;
        if let Some(path) = &self.plan.args.html {
            let report = self.report();
            fs::write(path, report).with_context(|| format!("--html {}", path.display()))?;
        }
        Ok(match ended {
            Ended::Finished | Ended::Enough => Outcome::Good,
            Ended::Halted => Outcome::Interrupted,
            Ended::Broken(breakdown) => {
                eprintln!("error: {breakdown}");
                Outcome::SomeFailed
            }
        })
    }

    /// The report for people, about all games, those of earlier runs as well.
    fn report(&self) -> String {
        let tournament = &self.plan.tournament;
        let args = &self.plan.args;
        let engines: Vec<ReportEngine> = tournament.contestants.iter().map(report_engine).collect();
        let paces: Vec<String> =
            tournament.contestants.iter().map(|contestant| contestant.pace.to_string()).collect();
        let time_control = match paces.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => first.clone(),
            _ => engines
                .iter()
                .zip(&paces)
                .map(|(engine, pace)| format!("{}: {pace}", engine.name))
                .collect::<Vec<_>>()
                .join("; "),
        };
        let openings = match &args.openings {
            Some(path) => {
                format!("{}: {}, {}", path.display(), tournament.openings.len(), self.plan.order.name())
            }
            None => "the start of the variant".to_owned(),
        };
        let mut further = vec![
            ("pairing".to_owned(), self.plan.pairing.name().to_owned()),
            ("margin".to_owned(), format!("{} s", tournament.tolerance.margin.as_secs_f64())),
        ];
        if let Some(empties) = tournament.adjudicate_exact {
            further.push(("decided by exact value at".to_owned(), format!("{empties} empty squares")));
        }
        let head = ReportHead {
            title: self.plan.names().join(" – "),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            variant: record::variant_text(&self.plan.variant).to_string(),
            time_control,
            openings,
            seed: Some(tournament.seed),
            engines,
            sprt: args.sprt,
            further,
        };
        html_report(&head, &self.rows)
    }
}

/// A number for the start and the moves of a game. Two of a million games that differ share one
/// with a probability below one in ten million.
fn course(row: &GameRow) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&row.start, &row.moves).hash(&mut hasher);
    hasher.finish()
}

fn report_engine(contestant: &Contestant) -> ReportEngine {
    let spec = &contestant.spec;
    let options: Vec<String> =
        spec.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    ReportEngine {
        name: spec.name.clone(),
        command: spec.command.clone(),
        protocol: spec.dialect.clone(),
        options: options.join(", "),
    }
}

// ---------------------------------------------------------------------------------------------
// Engines

/// The limits that engines are given and cannot be told.
///
/// # Errors
/// An engine that cannot play any game.
pub fn roll_call(plan: &Plan, halt: &Halt) -> Result<Vec<Untold>, Breakdown> {
    run::roll_call(&plan.tournament, &Workshop::new(plan), halt)
}

/// Starts engines, with logs of what they say where that is wanted.
struct Workshop<'a> {
    plan: &'a Plan,
    n_logs: AtomicU32,
}

impl House for Workshop<'_> {
    fn start(&self, engine: usize, hold: &mut dyn FnMut(Leash)) -> Result<Box<dyn Player>, Fault> {
        let tournament = &self.plan.tournament;
        let spec = &tournament.contestants[engine].spec;
        let traffic = self.plan.args.log_dir.as_deref().and_then(|folder| self.log(folder, &spec.name));
        let patience = tournament.tolerance.watchdog.max(LEAST_PATIENCE);
        player::start_held(spec, patience, traffic, hold)
    }

    fn solver(&self) -> Box<dyn Engine> {
        Box::new(solver(&self.plan.solver))
    }
}

impl<'a> Workshop<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self { plan, n_logs: AtomicU32::new(0) }
    }

    /// A log for an engine that starts now. Without it the game is played all the same.
    fn log(&self, folder: &Path, name: &str) -> Option<Traffic> {
        // The logs of an earlier run stay.
        let path = loop {
            let number = self.n_logs.fetch_add(1, Ordering::Relaxed) + 1;
            let path = folder.join(log_name(name, number));
            if !path.exists() {
                break path;
            }
        };
        Traffic::create(&path).map_err(|error| log::warn!("--log-dir: {}: {error}", path.display())).ok()
    }
}

/// `A-0001.log`: the name as far as files can be called so, and the number of the start.
fn log_name(engine: &str, number: u32) -> PathBuf {
    let fits = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = engine.chars().map(fits).collect();
    PathBuf::from(format!("{}-{number:04}.log", name.trim_start_matches('.')))
}

/// The engine that decides games: of one thread, unless more are asked for.
fn solver(settings: &Options) -> NativeEngine {
    let mut solver = NativeEngine::new(settings.count("hash") as usize);
    if settings.is_chosen("threads")
        && let Err(error) = solver.set_threads(settings.count("threads") as usize)
    {
        log::warn!("the engine that decides games uses one thread: {error}");
    }
    solver
}
