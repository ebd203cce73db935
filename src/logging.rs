//! Where the log goes: warnings to standard error, or every line in and out to a file, which can be
//! named at the start or while the program runs.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use env_logger::{Builder, Env, Target};
use log::LevelFilter;

/// The file the log is written to; standard error where there is none.
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Sets up the log, once a process. `RUST_LOG` asks for more or less than is told by itself.
///
/// # Errors
/// A file that cannot be written.
pub fn set_up(file: Option<&Path>) -> io::Result<()> {
    let asked = std::env::var_os("RUST_LOG").is_some();
    let mut builder = Builder::from_env(Env::default().default_filter_or("debug"));
    builder.target(Target::Pipe(Box::new(Sink)));
    builder.init();
    if !asked {
        log::set_max_level(LevelFilter::Warn);
    }
    if file.is_some() { write_to(file) } else { Ok(()) }
}

/// From now on the log goes to this file, which begins anew; to standard error when there is none.
///
/// # Errors
/// A file that cannot be written; the log then goes where it went before.
pub fn write_to(file: Option<&Path>) -> io::Result<()> {
    let opened = file.map(File::create).transpose()?;
    let level = if opened.is_some() { LevelFilter::Debug } else { LevelFilter::Warn };
    *lock() = opened;
    if std::env::var_os("RUST_LOG").is_none() {
        log::set_max_level(level);
    }
    Ok(())
}

/// A thread that panicked while it wrote leaves a log that can be gone on with.
fn lock() -> MutexGuard<'static, Option<File>> {
    FILE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes to the file of the moment.
struct Sink;

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match lock().as_mut() {
            Some(file) => file.write(bytes),
            None => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match lock().as_mut() {
            Some(file) => file.flush(),
            None => io::stderr().flush(),
        }
    }
}
