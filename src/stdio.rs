//! The only place that reads standard input and writes standard output for a session.
//!
//! One thread reads lines, one thread thinks, and this one hands what comes from both, through
//! one inbox, to the session and carries out what the session wants done.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use outflank_protocol::Dialect;
use outflank_protocol::line::LineReader;

use crate::engine::Engine;
use crate::engine::background::Background;
use crate::engine::native::NativeEngine;
use crate::engine::scripted::ScriptedEngine;
use crate::logging;
use crate::session::{Effect, Input, Options as Settings, Session};

/// Lines and findings that may wait to be taken in. Whoever reads input waits when it is full, so
/// that a client cannot fill the memory.
const LONGEST_INBOX: usize = 64;

/// How a session is started from the command line.
#[derive(Default)]
pub struct Options {
    /// Dialect to speak; found from the first line when `None`.
    pub dialect: Option<Box<dyn Dialect>>,
    /// Values of the option table.
    pub set: Vec<(String, String)>,
    /// Plays from a script instead of searching.
    pub script: Option<ScriptedEngine>,
}

/// Speaks with the client until it leaves.
///
/// # Errors
/// A refused option, an engine that cannot be set up, or output that cannot be written for another
/// reason than that nobody reads it any more.
pub fn run(options: Options) -> anyhow::Result<ExitCode> {
    let mut settings = Settings::default();
    for (name, value) in &options.set {
        settings
            .set(name, value)
            .map_err(|failure| anyhow::anyhow!("option {name}={value}: {}", failure.prose))?;
    }
    let hash_mib = settings.count("hash") as usize;
    let threads = settings.count("threads") as usize;
    let session = Session::speaking(options.dialect, settings);
    let mut engine: Box<dyn Engine> = match options.script {
        Some(script) => Box::new(script),
        None => Box::new(NativeEngine::new(hash_mib)),
    };
    engine.set_hash_mib(hash_mib).context("setting up the hash table")?;
    engine.set_threads(threads).context("setting the number of threads")?;
    let engine = Background::spawn(engine).context("starting the thread of the engine")?;
    let (sender, inbox) = mpsc::sync_channel(LONGEST_INBOX);
    read_in_background(sender.clone()).context("starting the thread that reads standard input")?;
    let mut shell = Shell { engine, sender, wake: None };
    shell.converse(session, &inbox)
}

struct Shell {
    engine: Background,
    sender: SyncSender<Input>,
    wake: Option<Instant>,
}

/// Whether the conversation goes on.
enum Next {
    On,
    Leave,
}

impl Shell {
    fn converse(&mut self, mut session: Session, inbox: &Receiver<Input>) -> anyhow::Result<ExitCode> {
        let mut input = Some(Input::Begin { at: Instant::now() });
        while let Some(happened) = input {
            for effect in session.on_input(happened) {
                if let Next::Leave = self.perform(effect)? {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            input = self.next_input(inbox);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn next_input(&mut self, inbox: &Receiver<Input>) -> Option<Input> {
        let Some(wake) = self.wake else { return inbox.recv().ok() };
        match inbox.recv_timeout(wake.saturating_duration_since(Instant::now())) {
            Ok(input) => Some(input),
            Err(RecvTimeoutError::Timeout) => {
                self.wake = None;
                Some(Input::Wake { at: Instant::now() })
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn perform(&mut self, effect: Effect) -> anyhow::Result<Next> {
        match effect {
            Effect::Write(text) => {
                let mut out = io::stdout().lock();
                match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                    Ok(()) => {}
                    // A reader that is gone ends the conversation: nobody is left to be told.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Next::Leave),
                    Err(error) => return Err(error).context("writing to standard output"),
                }
            }
            Effect::Start { job, work, stop } => {
                let sender = self.sender.clone();
                let tell = Box::new(move |job, finding| {
                    let _ = sender.send(Input::Found { job, finding, at: Instant::now() });
                });
                self.engine.start(job, work, stop, tell);
            }
            Effect::LogTo(file) => {
                if let Err(error) = logging::write_to(file.as_deref()) {
                    let name = file.unwrap_or_default();
                    log::warn!("log file {}: {error}", name.display());
                }
            }
            Effect::WakeAt(at) => self.wake = Some(self.wake.map_or(at, |wake| wake.min(at))),
            Effect::Leave => return Ok(Next::Leave),
        }
        Ok(Next::On)
    }
}

fn read_in_background(sender: SyncSender<Input>) -> io::Result<()> {
    thread::Builder::new().name("input".to_owned()).spawn(move || read_lines(&sender))?;
    Ok(())
}

/// Hands over every line with the time it was read, then the end.
fn read_lines(sender: &SyncSender<Input>) {
    let mut input = io::stdin().lock();
    let mut reader = LineReader::new();
    let mut buffer = [0_u8; 64 * 1024];
    let mut lines = Vec::new();
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                log::error!("standard input: {error}");
                break;
            }
        };
        let Some(bytes) = buffer.get(..count) else { break };
        reader.push(bytes, &mut lines);
        if !send(sender, &mut lines) {
            return;
        }
    }
    if let Some(last) = reader.finish() {
        lines.push(last);
    }
    if send(sender, &mut lines) {
        let _ = sender.send(Input::End { at: Instant::now() });
        // What was asked is finished, however long it takes, but for a reader only.
        wait_until_reader_is_gone();
        let _ = sender.send(Input::ReaderGone { at: Instant::now() });
    }
}

/// Returns when nobody reads standard output any more; never, where it is no pipe.
#[cfg(unix)]
fn wait_until_reader_is_gone() {
    use rustix::event::{PollFd, PollFlags, poll};

    let stdout = io::stdout();
    loop {
        // Nothing is asked for: errors and hang-ups are told all the same.
        let mut descriptors = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut descriptors, None) {
            Ok(_)
                if descriptors
                    .iter()
                    .any(|it| it.revents().intersects(PollFlags::ERR | PollFlags::HUP)) =>
            {
                return;
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // Where it cannot be told, the next write tells it.
            Err(_) => loop {
                thread::park();
            },
        }
    }
}

/// The next write tells it.
#[cfg(not(unix))]
fn wait_until_reader_is_gone() {
    loop {
        thread::park();
    }
}

fn send(
    sender: &SyncSender<Input>,
    lines: &mut Vec<Result<String, outflank_protocol::line::LineFault>>,
) -> bool {
    let at = Instant::now();
    lines.drain(..).all(|text| sender.send(Input::Line { text, at }).is_ok())
}
