//! Lines on standard output, each flushed as it is written.

use std::io::{self, Write};

/// Standard output, a line at a time.
#[derive(Debug)]
pub struct Output {
    out: io::Stdout,
}

impl Output {
    /// Standard output of this process.
    pub fn new() -> Output {
        Output { out: io::stdout() }
    }

    /// Writes one line and flushes it.
    ///
    /// # Errors
    /// Whatever the system says; a reader that is gone is `BrokenPipe`.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        let mut out = self.out.lock();
        out.write_all(format!("{text}\n").as_bytes())?;
        out.flush()
    }

    /// Writes whole lines and flushes them.
    ///
    /// # Errors
    /// As [`Output::line`].
    pub fn lines(&mut self, write: impl FnOnce(&mut String)) -> io::Result<()> {
        let mut text = String::new();
        write(&mut text);
        let mut out = self.out.lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Whether a person is looking.
    pub fn is_terminal(&self) -> bool {
        io::IsTerminal::is_terminal(&self.out)
    }
}
