//! A child process that is spoken to in lines.
//!
//! Knows pipes, threads and process groups, and nothing of what the lines mean. Whatever a
//! stranger's program writes, and however much of it, memory stays bounded: a line has at most
//! [`LONGEST_LINE`] bytes, and when [`MOST_LINES`] wait to be taken, the program waits as well.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use outflank_protocol::line::{LineFault, LineReader};

#[cfg(unix)]
use super::keeper;
use super::traffic::{Mark, Traffic};

/// Greatest length of a line of an engine in bytes; the longest lines of thought have some
/// hundreds.
pub const LONGEST_LINE: usize = 1 << 16;

/// Most lines that wait to be taken.
pub const MOST_LINES: usize = 256;

/// Lines of standard error that are kept, the last ones.
const KEPT_COMPLAINTS: usize = 12;

/// Most of such a line, in bytes.
const LONGEST_COMPLAINT: usize = 400;

/// How long an engine that has closed its output may take to end by itself, so that its exit code
/// is known.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// How long what a process wrote to standard error before its end may take to be read.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often a process that is silent is looked at: one whose children hold its output open tells
/// its end in no other way.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Why an engine could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The command has no program in it.
    NoProgram,
    /// A quotation mark, or a backslash at the end, is left open.
    OpenQuote {
        /// The command.
        command: String,
    },
    /// There is no such dialect.
    Dialect {
        /// The name asked for.
        name: String,
    },
    /// The directory is none.
    Directory {
        /// The directory.
        directory: PathBuf,
    },
    /// The system refused.
    System {
        /// The program.
        program: String,
        /// What kind of refusal.
        kind: io::ErrorKind,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram => f.write_str("the command is empty"),
            Self::OpenQuote { command } => write!(f, "'{command}': a quotation mark is left open"),
            Self::Dialect { name } => {
                let known: Vec<&str> = outflank_protocol::CLIENTS.iter().map(|row| row.name).collect();
                write!(f, "'{name}' is no protocol; known are {}", known.join(", "))
            }
            Self::Directory { directory } => write!(f, "'{}' is no directory", directory.display()),
            Self::System { program, kind: io::ErrorKind::NotFound } => {
                let is_path = Path::new(program).components().count() > 1;
                let what = if is_path { "file or directory" } else { "program in PATH" };
                write!(f, "'{program}' cannot be started: no such {what}")
            }
            Self::System { program, kind } => write!(f, "'{program}' cannot be started: {kind}"),
        }
    }
}

impl std::error::Error for StartError {}

/// A running child and the pipes to it. Dropping it kills its whole process group.
pub struct Process {
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    complaints: Arc<Complaints>,
    handle: Handle,
    traffic: Option<Traffic>,
}

/// A line of the child.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// When it was read.
    pub at: Instant,
    /// The line without its end, or why it is no text.
    pub text: Result<String, LineFault>,
}

/// What came of waiting for a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A line.
    Line(Line),
    /// Nothing in time.
    Nothing,
    /// Nothing will come any more.
    Closed,
}

/// How a child ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, where it left by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last lines it wrote to standard error.
    pub stderr: Vec<String>,
}

/// What can end a child from any thread. Clones share the child.
#[derive(Clone)]
pub struct Handle(Arc<Mutex<Running>>);

struct Running {
    child: Child,
    /// How it ended; its number may belong to another process from then on.
    status: Option<ExitStatus>,
}

/// The last lines of standard error.
#[derive(Default)]
struct Complaints {
    kept: Mutex<Kept>,
    ended: Condvar,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Starts a command, split into words as a shell does, in a process group of its own.
    ///
    /// A program that is named with a relative path is looked for in `directory` first and then in
    /// our own working directory.
    ///
    /// # Errors
    /// A command or directory that cannot be, and what the system says.
    pub fn start(
        command: &str,
        directory: Option<&Path>,
        traffic: Option<Traffic>,
    ) -> Result<Self, StartError> {
        let words = shlex::split(command)
            .ok_or_else(|| StartError::OpenQuote { command: command.to_owned() })?;
        Self::start_words(&words, directory, traffic)
    }

    /// Starts a command that is in words already; the rest is as in [`Process::start`].
    ///
    /// # Errors
    /// A command or directory that cannot be, and what the system says.
    pub fn start_words(
        words: &[String],
        directory: Option<&Path>,
        traffic: Option<Traffic>,
    ) -> Result<Self, StartError> {
        let (program, arguments) = words.split_first().ok_or(StartError::NoProgram)?;
        if program.is_empty() {
            return Err(StartError::NoProgram);
        }
        let system =
            |error: io::Error| StartError::System { program: program.clone(), kind: error.kind() };
        let mut command_line = Command::new(find(program, directory).map_err(system)?);
        command_line.args(arguments);
        if let Some(directory) = directory {
            if !directory.is_dir() {
                return Err(StartError::Directory { directory: directory.to_owned() });
            }
            command_line.current_dir(directory);
        }
        command_line.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        own_group(&mut command_line);
        if let Some(traffic) = &traffic {
            traffic.note(Mark::Event, &format!("START {}", words.join(" ")));
        }
        wake_keeper();
        let mut child = command_line.spawn().map_err(system)?;
        keep(&child);
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let handle = Handle(Arc::new(Mutex::new(Running { child, status: None })));
        let (sender, lines) = mpsc::sync_channel(MOST_LINES);
        let complaints = Arc::new(Complaints::default());
        let process = Self { input, lines, complaints, handle, traffic };
        if let Some(output) = output {
            let traffic = process.traffic.clone();
            background("engine output", move || read_output(output, &sender, traffic.as_ref()))
                .map_err(system)?;
        }
        if let Some(errors) = errors {
            let (complaints, traffic) = (Arc::clone(&process.complaints), process.traffic.clone());
            background("engine errors", move || read_errors(errors, &complaints, traffic.as_ref()))
                .map_err(system)?;
        }
        Ok(process)
    }

    /// Writes whole lines and says when they were on their way.
    ///
    /// The write is taken to be done at once: what an engine has not read yet stays below the size
    /// of a pipe (64 KiB on Linux). It holds because an order has some hundred bytes, few orders get
    /// by without an answer, and an engine that is silent is given up long before they add up.
    ///
    /// # Errors
    /// The child does not read any more.
    pub fn send(&mut self, lines: &str) -> io::Result<Instant> {
        self.send_bytes(lines.as_bytes())
    }

    /// The same for bytes that need be neither text nor lines. Of more than a pipe takes, the write
    /// waits until the child has read or ended.
    ///
    /// # Errors
    /// The child does not read any more.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<Instant> {
        if let Some(traffic) = &self.traffic {
            String::from_utf8_lossy(bytes).lines().for_each(|line| traffic.note(Mark::Sent, line));
        }
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(bytes)?;
        input.flush()?;
        Ok(Instant::now())
    }

    /// Closes the child's input: it sees the end of it.
    pub fn close_input(&mut self) {
        self.input = None;
        self.note("END OF INPUT");
    }

    /// Waits for the next line, until a time.
    pub fn next(&self, deadline: Instant) -> Said {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(LOOK_AGAIN)) {
                Ok(line) => return Said::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Said::Closed,
                Err(RecvTimeoutError::Timeout) if self.handle.status().is_some() => {
                    // What it had written before its end is still on the way.
                    return self.lines.recv_timeout(LOOK_AGAIN).map_or(Said::Closed, Said::Line);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Said::Nothing,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends what is left of a child whose output is closed, and tells how it ended.
    pub fn ended(&mut self) -> Ended {
        self.input = None;
        let status = self.handle.status_within(LAST_BREATH);
        if status.is_none() {
            self.handle.kill();
            self.handle.status_within(LAST_BREATH);
        }
        let ended = Ended {
            exit_code: status.and_then(|status| status.code()),
            signal: status.and_then(signal_of),
            stderr: self.complaints.last(),
        };
        self.note(&format!("END exit code {:?}, signal {:?}", ended.exit_code, ended.signal));
        ended
    }

    /// Closes the child's input, gives it some time to leave, and kills what is left of its group.
    pub fn close(mut self, grace: Duration) {
        self.input = None;
        // A child that still writes must not wait for us meanwhile.
        let deadline = Instant::now() + grace;
        while matches!(self.next(deadline), Said::Line(_)) && Instant::now() < deadline {}
        self.handle.status_within(deadline.saturating_duration_since(Instant::now()));
    }

    /// What ends the child from elsewhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Writes into the log that something happened.
    pub fn note(&self, event: &str) {
        if let Some(traffic) = &self.traffic {
            traffic.note(Mark::Event, event);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.handle.kill();
        // What was killed ends at once, unless the system itself holds it.
        self.handle.status_within(LAST_BREATH);
    }
}

impl Handle {
    /// Kills the child and its whole group. Of no effect once it has ended.
    pub fn kill(&self) {
        let mut running = lock(&self.0);
        if running.status.is_none() {
            kill_group(&mut running.child);
        }
    }

    /// How the child ended, if it did.
    fn status(&self) -> Option<ExitStatus> {
        let mut running = lock(&self.0);
        if running.status.is_none() && has_ended(&mut running.child) {
            // The number of the group is ours until its leader is waited for.
            kill_group(&mut running.child);
            forget(&running.child);
            running.status = running.child.wait().ok();
        }
        running.status
    }

    fn status_within(&self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        let mut pause = Duration::from_micros(100);
        loop {
            let status = self.status();
            if status.is_some() || Instant::now() >= deadline {
                return status;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

impl Complaints {
    fn add(&self, line: String) {
        let mut kept = lock(&self.kept);
        if kept.lines.len() == KEPT_COMPLAINTS {
            kept.lines.pop_front();
        }
        kept.lines.push_back(line);
    }

    fn end(&self) {
        lock(&self.kept).ended = true;
        self.ended.notify_all();
    }

    /// What was said last, once all is read.
    fn last(&self) -> Vec<String> {
        let kept = lock(&self.kept);
        let waited = self.ended.wait_timeout_while(kept, LAST_WORDS, |kept| !kept.ended);
        let kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        kept.lines.iter().cloned().collect()
    }
}

/// A program named with a relative path, where it is; any other name is left to the system.
fn find(program: &str, directory: Option<&Path>) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() || path.components().count() < 2 && !program.starts_with('.') {
        return Ok(path.to_owned());
    }
    match directory.map(|directory| directory.join(path)).filter(|there| there.is_file()) {
        Some(there) => std::path::absolute(there),
        None => std::path::absolute(path),
    }
}

fn background(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Reads to the end, handing over lines with the time at which they were read.
fn read_lines(mut pipe: impl Read, longest: usize, mut take: impl FnMut(Line) -> bool) {
    let mut reader = LineReader::bounded(longest);
    let mut buffer = vec![0_u8; 1 << 15];
    let mut lines = Vec::new();
    loop {
        let count = match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let at = Instant::now();
        let Some(bytes) = buffer.get(..count) else { break };
        reader.push(bytes, &mut lines);
        if !lines.drain(..).all(|text| take(Line { at, text })) {
            return;
        }
    }
    // A line that its writer did not live to end is no line.
    if let Some(text) = reader.finish() {
        let _ = take(Line { at: Instant::now(), text });
    }
}

fn read_output(pipe: impl Read, lines: &SyncSender<Line>, traffic: Option<&Traffic>) {
    read_lines(pipe, LONGEST_LINE, |line| {
        if let Some(traffic) = traffic {
            match &line.text {
                Ok(text) => traffic.note(Mark::Heard, text),
                Err(fault) => traffic.note(Mark::Heard, &format!("{} ({fault})", fault.head())),
            }
        }
        lines.send(line).is_ok()
    });
}

fn read_errors(pipe: impl Read, complaints: &Complaints, traffic: Option<&Traffic>) {
    read_lines(pipe, LONGEST_COMPLAINT, |line| {
        let text = line.text.unwrap_or_else(|fault| fault.head().to_owned());
        if let Some(traffic) = traffic {
            traffic.note(Mark::Complained, &text);
        }
        if !text.trim().is_empty() {
            complaints.add(text);
        }
        true
    });
    complaints.end();
}

// ---------------------------------------------------------------------------------------------
// What systems do differently

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // It may have ended meanwhile.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Whether the child has ended. It is not waited for, so that its number stays its own.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    matches!(
        waitid(WaitId::Pid(Pid::from_child(child)), options),
        Ok(Some(_)) | Err(rustix::io::Errno::CHILD)
    )
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.signal()
}

#[cfg(unix)]
fn wake_keeper() {
    keeper::wake();
}

#[cfg(unix)]
fn keep(child: &Child) {
    keeper::keep(child.id());
}

#[cfg(unix)]
fn forget(child: &Child) {
    keeper::forget(child.id());
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

/// Without process groups, the child alone.
#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// An engine sees the end of its input when we are gone, and is left to end by itself.
#[cfg(not(unix))]
fn wake_keeper() {}

#[cfg(not(unix))]
fn keep(_child: &Child) {}

#[cfg(not(unix))]
fn forget(_child: &Child) {}
