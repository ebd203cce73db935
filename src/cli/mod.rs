//! The command line: what the subcommands do, and how errors become exit codes.
//!
//! The only room besides `stdio` that writes to standard output, and the place where errors of
//! every kind are gathered with `anyhow`. It may know every other room; none may know it.

mod analyze;
pub mod args;
mod batch;
mod bench;
mod conform;
mod convert;
mod dedup;
mod eval;
mod ffo;
mod input;
mod mock;
mod moves;
mod openings;
mod output;
mod parallel;
mod perft;
mod play;
mod resume;
mod show;
mod solve;
pub mod startup;
mod stats;
mod subject;
mod tournament;
#[cfg(feature = "train")]
pub mod train;
mod values;
mod variants;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use outflank_protocol::startup::Startup;

use self::args::{Cli, Command, Cpu};
use crate::kernel::Tier;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything was done.
    Good,
    /// Some input failed; the rest was done.
    SomeFailed,
    /// A fault of ours was met; the rest was done.
    Fault,
    /// Ctrl-C ended the work; what was done until then is there.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Good => ExitCode::SUCCESS,
            Outcome::SomeFailed => ExitCode::from(SOME_FAILED),
            Outcome::Fault => ExitCode::from(INTERNAL_FAULT),
            Outcome::Interrupted => ExitCode::from(INTERRUPTED as u8),
        }
    }
}

/// Exit code when some input failed.
pub const SOME_FAILED: u8 = 1;
/// Exit code of wrong usage.
pub const WRONG_USAGE: u8 = 2;
/// Exit code of a fault of ours.
pub const INTERNAL_FAULT: u8 = 3;
/// Exit code after Ctrl-C.
pub const INTERRUPTED: i32 = 130;

/// How long a record that is being written may take to be finished after Ctrl-C.
const LAST_WRITE: Duration = Duration::from_millis(300);

/// What a command does about Ctrl-C; whether that is all that has to be done.
type OnInterrupt = Box<dyn Fn() -> bool + Send>;

static ON_INTERRUPT: Mutex<Option<OnInterrupt>> = Mutex::new(None);

/// Makes a command end its work by itself after Ctrl-C. It says false when the program has to be
/// ended all the same, as when Ctrl-C comes a second time.
fn on_interrupt(act: impl Fn() -> bool + Send + 'static) {
    *ON_INTERRUPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
}

/// What a command says of its work when Ctrl-C ends the program.
type LastWords = Box<dyn Fn() -> String + Send>;

static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

/// Makes a command say on standard error how far it was when Ctrl-C ends the program.
fn tell_when_interrupted(words: impl Fn() -> String + Send + 'static) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
}

/// Ends the program after Ctrl-C, unless its command does so. Records are written and flushed
/// whole, so that nothing is lost once the one that is being written is out; a reader that does not
/// take it is not waited for.
pub fn interrupted() {
    let command = ON_INTERRUPT.lock().unwrap_or_else(PoisonError::into_inner);
    if command.as_ref().is_some_and(|act| act()) {
        return;
    }
    drop(command);
    let (done, written) = mpsc::channel();
    thread::spawn(move || {
        let _held = io::stdout().lock();
        let _ = done.send(());
        thread::park();
    });
    let _ = written.recv_timeout(LAST_WRITE);
    if let Some(words) = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        eprintln!("interrupted: {}", words());
    }
    std::process::exit(INTERRUPTED);
}

/// The command line asks for something that cannot be; the text names it and what would be
/// right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Reads the command line. Help, and what is wrong with it, are told at once and end the program.
#[must_use]
pub fn parse(words: Vec<OsString>) -> Cli {
    Cli::try_parse_from(words).unwrap_or_else(|error| match before_its_command(&error) {
        Some(usage) => {
            eprintln!("error: {usage}");
            std::process::exit(i32::from(WRONG_USAGE))
        }
        None => error.exit(),
    })
}

/// An option that stands before a subcommand, where only those of the protocol loop may.
fn before_its_command(error: &clap::Error) -> Option<Usage> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        Some(ContextValue::Strings(words)) => words.first().cloned(),
        _ => None,
    };
    let name = word(ContextKind::InvalidSubcommand)?;
    let option = word(ContextKind::PriorArg)?;
    let cli = Cli::command();
    let command = cli.find_subcommand(&name)?;
    let long = option.split([' ', '=']).next()?.trim_start_matches("--");
    let takes_it = command.get_arguments().any(|argument| argument.get_long() == Some(long));
    let help = if takes_it {
        format!("write it behind '{name}': outflank {name} {option}")
    } else {
        format!("'{name}' has no such option; `outflank help {name}` lists what it has")
    };
    Some(Usage(format!("{option} stands before '{name}': {help}")))
}

/// Does what the command line says, some of it in the words of a dialect; errors are told on
/// standard error.
#[must_use]
pub fn run(cli: &Cli, startup: Option<Startup>) -> ExitCode {
    match dispatch(cli, startup) {
        Ok(code) => code,
        Err(error) if reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref::<Usage>() {
                Some(_) => ExitCode::from(WRONG_USAGE),
                None => ExitCode::from(SOME_FAILED),
            }
        }
    }
}

fn dispatch(cli: &Cli, startup: Option<Startup>) -> anyhow::Result<ExitCode> {
    let outcome = match &cli.command {
        None => return play::run(&cli.play, startup),
        Some(Command::Perft(args)) => perft::run(args)?,
        Some(Command::Moves(args)) => moves::run(args)?,
        Some(Command::Solve(args)) => solve::run(args)?,
        Some(Command::Eval(args)) => eval::run(args)?,
        Some(Command::Analyze(args)) => analyze::run(args)?,
        Some(Command::Show(args)) => show::run(args)?,
        Some(Command::Convert(args)) => convert::run(args)?,
        Some(Command::Dedup(args)) => dedup::run(args)?,
        Some(Command::Stats(args)) => stats::run(args)?,
        Some(Command::Bench(args)) => bench::run(args)?,
        Some(Command::Match(args)) => tournament::run(args)?,
        Some(Command::Conform(args)) => conform::run(args)?,
        Some(Command::Variants(args)) => variants::run(args)?,
        Some(Command::Openings(args)) => openings::run(args)?,
        Some(Command::Mock(args)) => mock::run(args)?,
        #[cfg(feature = "train")]
        Some(Command::Train(args)) => train::run(args)?,
    };
    Ok(outcome.into())
}

/// Whoever read our output has gone, so there is nobody left to tell anything.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Makes this process use a processor tier, or refuses one that the processor lacks.
fn require_cpu(cpu: Cpu) -> Result<(), Usage> {
    let Some(tier) = cpu.tier() else { return Ok(()) };
    Tier::force(tier).map_err(|missing| {
        let here: Vec<&str> = Tier::all_here().map(Tier::name).collect();
        Usage(format!("--cpu {tier}: {missing}; it has auto, {}", here.join(", ")))
    })
}
