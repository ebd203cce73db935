//! What is decided before the first game: who plays what, and whether it can be.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use outflank_protocol::CLIENTS;
use outflank_protocol::client::Limit;
use serde_json::{Value, json};

use super::config;
use super::contestants::{EngineText, threads_of};
use crate::arena::archive;
use crate::arena::clock::{Pace, Time, Tolerance};
use crate::arena::openings::{Opening, read_file, starting_at};
use crate::arena::outcome::GameRow;
use crate::arena::run::{Contestant, Tournament, Untold};
use crate::arena::schedule::{Order, Pairing, Schedule};
use crate::arena::tally::RESERVED_NAMES;
use crate::cli::args::{MatchArgs, OrderArg, PairingArg};
use crate::cli::play::settings_of;
use crate::cli::subject::variant_words;
use crate::cli::{Usage, require_cpu};
use crate::engine::available_threads;
use crate::page::counted;
use crate::record::{self, clip};
use crate::rules::{Game, Variant, VariantSpec};
use crate::session::Options;

const DEFAULT_MARGIN: f64 = 0.05;
const DEFAULT_WATCHDOG: f64 = 60.0;

/// Plies that the client of Cassio's protocol asks for where no depth is given.
const CASSIO_DEPTH: u32 = 12;

/// Games of a meeting when a test decides how many there are: whole pairs, and more than any test
/// has ever taken.
const GAMES_FOR_A_TEST: u32 = 1_000_000;

/// Everything that is decided before the first game.
pub struct Plan {
    /// The options, those of the file with them.
    pub args: MatchArgs,
    /// What is played.
    pub tournament: Tournament,
    /// Under which rules, unless an opening has a board of its own.
    pub variant: Variant,
    /// Who meets whom.
    pub pairing: Pairing,
    /// In which order openings come.
    pub order: Order,
    /// The settings of the engine that decides games.
    pub solver: Options,
    /// What has to be the same for games to be continued.
    pub head: Value,
}

fn is_time(limit: Limit) -> bool {
    matches!(limit, Limit::Clock | Limit::MoveTime)
}

impl Plan {
    pub fn of(args: MatchArgs) -> anyhow::Result<Plan> {
        let (args, texts) = with_config(args)?;
        check_files(&args)?;
        require_cpu(args.engine.cpu)?;
        // Once, before any search: the weights of a process cannot be exchanged later.
        let solver = settings_of(&args.engine, None)?;
        let contestants = contestants(&texts, pace_of(&args))?;
        if args.sprt.is_some() && contestants.len() != 2 {
            let given = contestants.len();
            return Err(Usage(format!("--sprt compares two engines, {given} are given")).into());
        }
        let (spec, variant) = variant_of(args.variant.as_deref().unwrap_or("othello"))?;
        if args.record.is_some() {
            archive::check(&variant)
                .map_err(|error| Usage(format!("--record: {error}; --jsonl keeps them")))?;
        }
        let openings = openings(&args, &spec, &variant)?;
        let pairing = pairing_of(&args, contestants.len());
        let order = match args.order {
            Some(OrderArg::Random) => Order::Random,
            Some(OrderArg::Sequential) | None => Order::Sequential,
        };
        let games = args.games.unwrap_or(if args.sprt.is_some() { GAMES_FOR_A_TEST } else { 2 });
        let seed = args.seed.unwrap_or(0);
        let schedule = Schedule::new(pairing, contestants.len(), games, openings.len(), order, seed)
            .map_err(|error| Usage(error.to_string()))?;
        if let Some(folder) = &args.log_dir {
            fs::create_dir_all(folder).with_context(|| format!("--log-dir {}", folder.display()))?;
        }
        if let Some(path) = &args.html {
            // It is written at the end, but that it can be has to be known now.
            let opened = fs::OpenOptions::new().append(true).create(true).open(path);
            opened.with_context(|| format!("--html {}", path.display()))?;
        }
        let tournament = Tournament {
            contestants,
            openings,
            schedule,
            tolerance: tolerance_of(&args),
            adjudicate_exact: args.adjudicate_exact,
            evaluation: solver.evaluation(),
            recover: args.recover,
            concurrency: args.concurrency.unwrap_or(1),
            seed,
        };
        let head = head(&tournament, &variant, pairing, order);
        Ok(Plan { args, tournament, variant, pairing, order, solver, head })
    }

    pub fn names(&self) -> Vec<String> {
        self.tournament.contestants.iter().map(|contestant| contestant.spec.name.clone()).collect()
    }

    /// Holds no engine to a time that there are no words for in its dialect: it could only overstep
    /// it. What an engine does not know of its own dialect is its own loss.
    pub fn release(&mut self, untold: &[Untold]) {
        for lack in untold.iter().filter(|lack| is_time(lack.limit) && !lack.is_sayable) {
            self.tournament.contestants[lack.engine].pace.time = None;
        }
    }

    /// Says what may surprise.
    pub fn warn(&self, untold: &[Untold]) {
        let tournament = &self.tournament;
        for lack in untold {
            let spec = &tournament.contestants[lack.engine].spec;
            let hold = match (is_time(lack.limit), lack.is_sayable) {
                (false, _) => "",
                (true, true) => ", and is held to it",
                (true, false) => ", and is not held to it",
            };
            eprintln!(
                "note: {} cannot be told {} in {}: it plays without{hold}",
                spec.name, lack.limit, spec.dialect
            );
        }
        for Contestant { spec, pace, .. } in &tournament.contestants {
            if spec.dialect == "cassio" && pace.depth.is_none() {
                eprintln!(
                    "note: {} is asked for {CASSIO_DEPTH} plies, whatever level its command names: in cassio every search is given its depth; depth= names another",
                    spec.name
                );
            }
        }
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
                "note: {} in the file, used up before pair {pair}; from there on they are taken again from the first",
                counted(tournament.openings.len(), "opening")
            );
        }
        // The engines of a game think in turn.
        let threads = tournament.contestants.iter().filter_map(threads_of).max().unwrap_or(1);
        let (wanted, there) =
            (u64::from(threads) * u64::from(tournament.concurrency), available_threads());
        if wanted > there as u64 {
            eprintln!(
                "warning: {} at a time with up to {} take {wanted} processors, there are {there}: clocks will not be fair",
                counted(tournament.concurrency, "game"),
                counted(threads, "thread")
            );
        }
    }

    /// Games of an earlier run have to be those that this one would have played.
    pub fn check_rows(&self, rows: &[GameRow]) -> anyhow::Result<()> {
        let tournament = &self.tournament;
        for row in rows {
            let Some(fixture) = tournament.schedule.fixture(row.game) else {
                bail!(
                    "--resume: {} played already, --games asks for {} in all",
                    counted(rows.len(), "game"),
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

    pub fn ggf_line(&self, row: &GameRow) -> String {
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

/// Records that are written into each other are garbage.
fn check_files(args: &MatchArgs) -> Result<(), Usage> {
    let given = [("--jsonl", &args.jsonl), ("--record", &args.record), ("--html", &args.html)];
    let mut taken: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in given {
        let Some(path) = path else { continue };
        // Devices, such as the null device, take whatever comes.
        if path.exists() && !path.is_file() {
            continue;
        }
        let file = resolved(path);
        if let Some((other, _)) = taken.iter().find(|(_, there)| *there == file) {
            return Err(Usage(format!(
                "{option} '{}' is the file of {other}: --jsonl, --record and --html need files of their own",
                clip(&path.to_string_lossy())
            )));
        }
        taken.push((option, file));
    }
    Ok(())
}

/// The same for every way to write a path, as far as its folders are there.
fn resolved(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// The limits that hold for every engine without its own.
fn pace_of(args: &MatchArgs) -> Pace {
    let each = args.movetime.map(|each| Time::Move(Duration::from_secs_f64(each)));
    Pace { time: args.tc.or(each), depth: args.depth, nodes: args.nodes }
}

fn tolerance_of(args: &MatchArgs) -> Tolerance {
    Tolerance {
        margin: Duration::from_secs_f64(args.margin.unwrap_or(DEFAULT_MARGIN)),
        watchdog: Duration::from_secs_f64(args.watchdog.unwrap_or(DEFAULT_WATCHDOG)),
    }
}

fn pairing_of(args: &MatchArgs, n_engines: usize) -> Pairing {
    match args.pairing {
        Some(PairingArg::Versus) => Pairing::Versus,
        Some(PairingArg::RoundRobin) => Pairing::RoundRobin,
        Some(PairingArg::Gauntlet) => Pairing::Gauntlet,
        None if n_engines > 2 => Pairing::RoundRobin,
        None => Pairing::Versus,
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
    let words = variant_words(token)?;
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
