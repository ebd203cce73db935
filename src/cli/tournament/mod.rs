//! `match`: from the command line to a tournament, and from its games to lines.

mod config;
mod contestants;
mod progress;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use outflank_protocol::CLIENTS;
use outflank_protocol::variant::read_variant;
use serde_json::{Value, json};

use self::contestants::{EngineText, threads_of};
use self::progress::Progress;
use super::args::{EngineArgs, MatchArgs, OrderArg, PairingArg};
use super::output::Output;
use super::play::settings_of;
use super::{Outcome, Usage, on_interrupt, require_cpu};
use crate::arena::archive;
use crate::arena::clock::{Pace, Time, Tolerance};
use crate::arena::html::{ReportEngine, ReportHead, html_report};
use crate::arena::openings::{Opening, read_file, starting_at};
use crate::arena::outcome::GameRow;
use crate::arena::player::{self, Fault, Player};
use crate::arena::referee::Overhead;
use crate::arena::run::{self, Contestant, Ended, Halt, House, Tournament, Wish};
use crate::arena::schedule::{Order, Pairing, Schedule};
use crate::arena::sprt::Verdict;
use crate::arena::store::{Paths, Store, StoreError};
use crate::arena::tally::{RESERVED_NAMES, Tally};
use crate::arena::traffic::Traffic;
use crate::engine::native::NativeEngine;
use crate::engine::{Engine, available_threads};
use crate::record::{self, clip};
use crate::rules::{Game, Variant, VariantSpec};

const DEFAULT_MARGIN: f64 = 0.05;
const DEFAULT_WATCHDOG: f64 = 60.0;
const DEFAULT_REPORT_EVERY: u32 = 10;

/// Games of a meeting when a test decides how many there are: whole pairs, and more than any test
/// has ever taken.
const GAMES_FOR_A_TEST: u32 = 1_000_000;

/// Plays a tournament.
///
/// # Errors
/// Wrong usage, files that cannot be used, output that cannot be written.
pub fn run(args: &MatchArgs) -> anyhow::Result<Outcome> {
    let plan = Plan::of(args.clone())?;
    let paths = Paths { jsonl: plan.args.jsonl.clone(), ggf: plan.args.record.clone() };
    let (store, rows) = open_store(&plan, &paths)?;
    plan.check_rows(&rows)?;
    plan.warn();
    let halt = Arc::new(Halt::new());
    let raised = Arc::clone(&halt);
    on_interrupt(move || {
        let is_first = !raised.is_raised();
        raised.raise();
        is_first
    });
    let mut desk = Desk::new(&plan, store, rows);
    let (ended, overhead) = desk.play(&halt)?;
    desk.close(&ended, overhead)
}

/// New files, or those of an earlier run with its games.
fn open_store(plan: &Plan, paths: &Paths) -> anyhow::Result<(Store, Vec<GameRow>)> {
    let opened = if plan.args.resume {
        Store::resume(paths, plan.head.clone(), |row| plan.ggf_line(row))
    } else {
        Store::create(paths, plan.head.clone()).map(|store| (store, Vec::new()))
    };
    opened.map_err(|error| match error {
        StoreError::NotEmpty { .. } | StoreError::NothingToResume => Usage(error.to_string()).into(),
        error => error.into(),
    })
}

// ---------------------------------------------------------------------------------------------
// The plan

/// Everything that is decided before the first game.
struct Plan {
    args: MatchArgs,
    tournament: Tournament,
    variant: Variant,
    pairing: Pairing,
    order: Order,
    /// What has to be the same for games to be continued.
    head: Value,
}

impl Plan {
    fn of(args: MatchArgs) -> anyhow::Result<Plan> {
        let (args, texts) = with_config(args)?;
        require_cpu(args.engine.cpu)?;
        // The solver's settings are checked now, not when the first game comes near its end.
        settings_of(&args.engine, None)?;
        let common = Pace {
            time: args.tc.or(args.movetime.map(|each| Time::Move(Duration::from_secs_f64(each)))),
            depth: args.depth,
            nodes: args.nodes,
        };
        let contestants = contestants(&texts, common)?;
        let (spec, variant) = variant_of(args.variant.as_deref().unwrap_or("othello"))?;
        if args.record.is_some() {
            archive::check(&variant)
                .map_err(|error| Usage(format!("--record: {error}; --jsonl keeps them")))?;
        }
        let seed = args.seed.unwrap_or(0);
        let openings = openings(&args, &spec, &variant)?;
        let pairing = match args.pairing {
            Some(PairingArg::Versus) => Pairing::Versus,
            Some(PairingArg::RoundRobin) => Pairing::RoundRobin,
            Some(PairingArg::Gauntlet) => Pairing::Gauntlet,
            None if contestants.len() > 2 => Pairing::RoundRobin,
            None => Pairing::Versus,
        };
        if args.sprt.is_some() && contestants.len() != 2 {
            let given = contestants.len();
            return Err(Usage(format!("--sprt compares two engines, {given} are given")).into());
        }
        let order = match args.order {
            Some(OrderArg::Random) => Order::Random,
            Some(OrderArg::Sequential) | None => Order::Sequential,
        };
        let games = args.games.unwrap_or(if args.sprt.is_some() { GAMES_FOR_A_TEST } else { 2 });
        let schedule = Schedule::new(pairing, contestants.len(), games, openings.len(), order, seed)
            .map_err(|error| Usage(error.to_string()))?;
        let tournament = Tournament {
            contestants,
            openings,
            schedule,
            tolerance: Tolerance {
                margin: Duration::from_secs_f64(args.margin.unwrap_or(DEFAULT_MARGIN)),
                watchdog: Duration::from_secs_f64(args.watchdog.unwrap_or(DEFAULT_WATCHDOG)),
            },
            adjudicate_exact: args.adjudicate_exact,
            recover: args.recover,
            concurrency: args.concurrency.unwrap_or(1),
            seed,
        };
        if let Some(folder) = &args.log_dir {
            fs::create_dir_all(folder).with_context(|| format!("--log-dir {}", folder.display()))?;
        }
        let head = head(&tournament, &variant, pairing, order);
        Ok(Plan { args, tournament, variant, pairing, order, head })
    }

    fn names(&self) -> Vec<String> {
        self.tournament.contestants.iter().map(|contestant| contestant.spec.name.clone()).collect()
    }

    /// Says what may surprise.
    fn warn(&self) {
        let tournament = &self.tournament;
        let n_games = tournament.schedule.n_games();
        let n_meetings = tournament.schedule.n_meetings();
        if n_meetings > 1 {
            eprintln!("{n_games} games: {}, {n_meetings} meetings", self.pairing.name());
        }
        if self.args.openings.is_none() {
            eprintln!(
                "note: every game begins from the start of the variant, so engines that always play the same will repeat their games; --openings names a file, `outflank openings` makes one"
            );
        } else if self.args.sprt.is_none()
            && let Some(pair) = tournament.schedule.first_repeated_pair()
        {
            eprintln!(
                "note: the {} openings are used up before pair {pair}; from there on they are taken again from the first",
                tournament.openings.len()
            );
        }
        // The engines of a game think in turn.
        let threads = tournament.contestants.iter().filter_map(threads_of).max().unwrap_or(1);
        let (wanted, there) =
            (u64::from(threads) * u64::from(tournament.concurrency), available_threads());
        if wanted > there as u64 {
            eprintln!(
                "warning: {} games at a time with up to {threads} threads take {wanted} processors, there are {there}: clocks will not be fair",
                tournament.concurrency
            );
        }
    }

    /// Games of an earlier run have to be those that this one would have played.
    fn check_rows(&self, rows: &[GameRow]) -> anyhow::Result<()> {
        let tournament = &self.tournament;
        for row in rows {
            let Some(fixture) = tournament.schedule.fixture(row.game) else {
                bail!(
                    "--resume: {} games are played already, --games asks for {} in all",
                    rows.len(),
                    tournament.schedule.n_games()
                );
            };
            let name = |engine: usize| &tournament.contestants[engine].spec.name;
            let opening = &tournament.openings[fixture.opening].name;
            let expected = (name(fixture.black), name(fixture.white), opening, fixture.pair);
            let found = (&row.x, &row.o, &row.opening, row.pair);
            if expected != found {
                bail!(
                    "--resume: game {} should be {} against {} from opening {} in pair {}, the file has {} against {} from {} in pair {}",
                    row.game,
                    expected.0,
                    expected.1,
                    expected.2,
                    expected.3,
                    found.0,
                    found.1,
                    found.2,
                    found.3
                );
            }
        }
        Ok(())
    }

    fn ggf_line(&self, row: &GameRow) -> String {
        let pace = |name: &String| {
            let found = self.tournament.contestants.iter().find(|other| other.spec.name == *name);
            found.map_or(Pace::default(), |contestant| contestant.pace)
        };
        archive::ggf_line(row, pace(&row.x), pace(&row.o)).unwrap_or_else(|error| {
            // The variant was checked, so this is an opening on a board of its own.
            log::warn!("game {} is not in the GGF file: {error}", row.game);
            format!("% game {}: {error}", row.game)
        })
    }
}

/// The options of the command line and of the file it names, and all engines.
fn with_config(mut args: MatchArgs) -> anyhow::Result<(MatchArgs, Vec<EngineText>)> {
    let mut texts = Vec::new();
    if let Some(path) = args.config.clone() {
        let file = config::read(&path)?;
        texts = file.engines;
        args = args.or(file.args);
    }
    for (index, text) in args.engines.iter().enumerate() {
        texts.push(EngineText::read(format!("--engine {}", index + 1), text)?);
    }
    Ok((args, texts))
}

fn contestants(texts: &[EngineText], common: Pace) -> Result<Vec<Contestant>, Usage> {
    let dialects: Vec<&str> = CLIENTS.iter().map(|row| row.name).collect();
    let mut list: Vec<Contestant> = Vec::new();
    for text in texts {
        let contestant = text.contestant(common, &dialects)?;
        let name = &contestant.spec.name;
        if RESERVED_NAMES.contains(&name.as_str()) {
            return Err(Usage(format!(
                "an engine cannot be called '{name}': the result has a field of this name"
            )));
        }
        if list.iter().any(|other| other.spec.name == *name) {
            return Err(Usage(format!(
                "two engines are called '{}'; name= tells them apart",
                clip(name)
            )));
        }
        list.push(contestant);
    }
    if list.len() < 2 {
        return Err(Usage(format!(
            "a match needs at least two engines, {} given; each is named by --engine or in the file of --config",
            match list.len() {
                0 => "none is".to_owned(),
                n => format!("{n} is"),
            }
        )));
    }
    Ok(list)
}

/// The variant as it was asked for, and with everything drawn that is to be drawn.
fn variant_of(token: &str) -> Result<(VariantSpec, Variant), Usage> {
    let usage = |why: String| Usage(format!("--variant '{}': {why}", clip(token)));
    let words = read_variant(token).map_err(|fault| usage(fault.to_string()))?;
    let spec = record::variant_spec(&words).map_err(|error| usage(error.to_string()))?;
    let variant = record::variant(&words).map_err(|error| usage(error.to_string()))?;
    Ok((spec, variant))
}

/// The start of the variant, or the openings of the file.
fn openings(args: &MatchArgs, spec: &VariantSpec, variant: &Variant) -> anyhow::Result<Vec<Opening>> {
    let Some(path) = &args.openings else {
        if let Some(given) = args.opening_plies.map(|_| "plies").or(args.opening_start.map(|_| "start"))
        {
            return Err(Usage(format!(
                "--opening-{given} is about the file of --openings, and there is none"
            ))
            .into());
        }
        return Ok(vec![Opening {
            name: "start".to_owned(),
            line: 1,
            game: Game::new(variant.clone()),
        }]);
    };
    let plies = args.opening_plies.map(|plies| plies as usize);
    let openings = read_file(path, spec, plies)?;
    match args.opening_start {
        Some(start) => {
            starting_at(openings, start as usize).map_err(|fault| Usage(fault.to_string()).into())
        }
        None => Ok(openings),
    }
}

/// A number that openings with other names, starts or moves have not.
fn digest(openings: &[Opening]) -> String {
    // Fowler, Noll and Vo's hash: short, and the same in every version.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for opening in openings {
        let start = record::board_text(opening.game.variant(), opening.game.start());
        let line = format!("{} {start} {}\n", opening.name, archive::transcript(&opening.game));
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// What has to be the same when a run is continued. Numbers of games and of workers need not.
fn head(tournament: &Tournament, variant: &Variant, pairing: Pairing, order: Order) -> Value {
    let engines = tournament.contestants.iter().map(|contestant| {
        let spec = &contestant.spec;
        let options: Vec<String> =
            spec.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        json!({
            "name": spec.name,
            "cmd": spec.command,
            "proto": spec.dialect,
            "dir": spec.directory,
            "tc": contestant.pace.to_string(),
            "options": options.join(","),
            "restart": contestant.restart,
        })
    });
    json!({
        "engines": engines.collect::<Vec<_>>(),
        "pairing": pairing.name(),
        "variant": record::variant_text(variant).to_string(),
        "openings": { "count": tournament.openings.len(), "digest": digest(&tournament.openings) },
        "order": order.name(),
        "seed": tournament.seed,
        "margin": tournament.tolerance.margin.as_secs_f64(),
        "adjudicate-exact": tournament.adjudicate_exact,
    })
}

// ---------------------------------------------------------------------------------------------
// Engines

/// Starts engines, with logs of what they say where that is wanted.
struct Workshop<'a> {
    plan: &'a Plan,
    n_logs: AtomicU32,
}

impl House for Workshop<'_> {
    fn start(&self, engine: usize, _worker: u32) -> Result<Box<dyn Player>, Fault> {
        let tournament = &self.plan.tournament;
        let spec = &tournament.contestants[engine].spec;
        let traffic = self.plan.args.log_dir.as_deref().and_then(|folder| self.log(folder, &spec.name));
        player::start(spec, tournament.tolerance.watchdog, traffic)
    }

    fn solver(&self) -> Box<dyn Engine> {
        Box::new(solver(&self.plan.args.engine))
    }
}

impl Workshop<'_> {
    /// A log for an engine that starts now. Without it the game is played all the same.
    fn log(&self, folder: &Path, name: &str) -> Option<Traffic> {
        let number = self.n_logs.fetch_add(1, Ordering::Relaxed) + 1;
        let path = folder.join(log_name(name, number));
        Traffic::create(&path).map_err(|error| log::warn!("--log-dir: {}: {error}", path.display())).ok()
    }
}

/// `A-0001.log`: the name as far as files can be called so, and the number of the start.
fn log_name(engine: &str, number: u32) -> PathBuf {
    let fits = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = engine.chars().map(fits).collect();
    PathBuf::from(format!("{}-{number:04}.log", name.trim_start_matches('.')))
}

/// The engine that decides games. It thinks alone while a game waits for it.
fn solver(args: &EngineArgs) -> NativeEngine {
    let hash = settings_of(args, None).map_or(1, |settings| settings.count("hash"));
    NativeEngine::new(hash as usize)
}

// ---------------------------------------------------------------------------------------------
// Games as they come

/// Takes rows: keeps them, prints them, adds them up, and says when it is enough.
struct Desk<'a> {
    plan: &'a Plan,
    store: Store,
    rows: Vec<GameRow>,
    tally: Tally,
    /// The first game of every course of play.
    courses: HashMap<(Option<String>, String), u32>,
    n_duplicates: u32,
    out: Output,
}

impl<'a> Desk<'a> {
    /// A desk with the games of an earlier run.
    fn new(plan: &'a Plan, store: Store, rows: Vec<GameRow>) -> Self {
        let mut desk = Self {
            plan,
            store,
            rows: Vec::new(),
            tally: Tally::new(&plan.names()),
            courses: HashMap::new(),
            n_duplicates: 0,
            out: Output::new(),
        };
        for row in rows {
            desk.count(row);
        }
        desk
    }

    fn count(&mut self, mut row: GameRow) {
        row.duplicate_of = self.earlier(&row);
        self.n_duplicates += u32::from(row.duplicate_of.is_some());
        self.tally.add(&row);
        self.rows.push(row);
    }

    /// The game that went the same way before.
    fn earlier(&mut self, row: &GameRow) -> Option<u32> {
        match self.courses.entry((row.start.clone(), row.moves.clone())) {
            Entry::Occupied(entry) => Some(*entry.get()).filter(|&game| game != row.game),
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

    fn play(&mut self, halt: &Halt) -> anyhow::Result<(Ended, Overhead)> {
        let plan = self.plan;
        let n_played = self.rows.len() as u32;
        if n_played > 0 {
            eprintln!("{n_played} games are there already");
        }
        // A pair that was begun is ended first, so that the test sees whole pairs only.
        if n_played.is_multiple_of(2) && self.is_decided() {
            return Ok((Ended::Enough, Overhead::default()));
        }
        let n_games = plan.args.games.map(|_| plan.tournament.schedule.n_games());
        let every = plan.args.report_every.unwrap_or(DEFAULT_REPORT_EVERY);
        let mut progress = Progress::new(n_games, n_played, every);
        let house = Workshop { plan, n_logs: AtomicU32::new(0) };
        let result = run::run(&plan.tournament, &house, n_played + 1, halt, |row| {
            let wish = self.take(row, &progress)?;
            progress.tell(self.rows.len() as u32, &self.tally.progress(plan.args.sprt.as_ref()));
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
        let is_whole = self.rows.len().is_multiple_of(2);
        Ok(if is_whole && self.is_decided() { Wish::Enough } else { Wish::More })
    }

    /// The result, for programs and for people.
    fn close(mut self, ended: &Ended, overhead: Overhead) -> anyhow::Result<Outcome> {
        eprint!("{}", self.tally.cross_table());
        if self.n_duplicates > 0 {
            eprintln!("{} of {} games went as an earlier one did", self.n_duplicates, self.rows.len());
        }
        if let Some(mean) = overhead.mean() {
            eprintln!(
                "between an answer and the next request: {:.3} ms on average, {:.3} ms at most, {} measured",
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
