//! The binary as a child process, driven line by line with deadlines and killed when dropped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for anything: generous, because test machines are busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Output is no longer read.
    closing: Arc<AtomicBool>,
    /// Everything sent and seen, for the message of a failing test.
    pub transcript: Vec<String>,
}

impl Engine {
    /// Starts the binary with these arguments.
    pub fn start(arguments: &[&str]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_outflank"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (sender, lines) = channel();
        let closing = Arc::new(AtomicBool::new(false));
        let close = Arc::clone(&closing);
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if close.load(Ordering::Relaxed) {
                    break;
                }
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Engine { child, stdin, lines, closing, transcript: Vec::new() }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        self.transcript.push(format!("> {line}"));
        let stdin = self.stdin.as_mut().expect("input is still open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("the engine reads its input");
    }

    /// Sends lines in one write.
    pub fn send_all(&mut self, lines: &[&str]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.transcript.push(format!("> {}", lines.join("\n> ")));
        let stdin = self.stdin.as_mut().expect("input is still open");
        stdin
            .write_all(text.as_bytes())
            .and_then(|()| stdin.flush())
            .expect("the engine reads its input");
    }

    /// Closes our end of the engine's output, as a client that dies does.
    pub fn close_output(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        // The thread that reads sees it with the next line.
        self.send("ping closing");
        while self.lines.recv().is_ok() {}
    }

    /// The next line, or `None` at the end of output.
    pub fn line_or_end(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.transcript.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {PATIENCE:?}:\n{}", self.told()),
        }
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        match self.line_or_end() {
            Some(line) => line,
            None => panic!("output ended:\n{}", self.told()),
        }
    }

    /// Lines up to and including the first that satisfies the condition.
    pub fn until(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let line = self.line();
            let last = is_last(&line);
            seen.push(line);
            if last {
                return seen;
            }
        }
    }

    /// One GTP reply: its lines without the empty one that ends it.
    pub fn gtp(&mut self, command: &str) -> String {
        self.send(command);
        self.gtp_reply()
    }

    /// The next GTP reply.
    pub fn gtp_reply(&mut self) -> String {
        let mut lines = self.until(str::is_empty);
        lines.pop();
        lines.join("\n")
    }

    /// Ends the input; the engine sees end of file.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process.
    pub fn exit(&mut self, within: Duration) -> ExitStatus {
        self.stdin = None;
        let deadline = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "still running after {within:?}:\n{}", self.told());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends what Ctrl-C sends.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("the child is there");
    }

    /// Waits for the end of the process while its input stays open.
    #[cfg(unix)]
    pub fn exit_while_open(&mut self, within: Duration) -> ExitStatus {
        let stdin = self.stdin.take();
        let status = self.exit(within);
        drop(stdin);
        status
    }

    /// What was said so far.
    pub fn told(&self) -> String {
        self.transcript.join("\n")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a child.
#[cfg(unix)]
pub fn signal(child: &Child, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, signal).expect("the child runs");
}
