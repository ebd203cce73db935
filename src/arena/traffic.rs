//! What is said between us and an engine, line by line with the time, for whoever has to find out
//! what went wrong.
//!
//! A line of the log is the milliseconds since the start, a mark and the text:
//!
//! ```text
//!       0 # START gtp-rhino -l 1
//!      12 > genmove black
//!     370 < = F5
//!     371 ! a line of standard error
//! ```
//!
//! `>` goes to the engine, `<` and `!` come from it, `#` tells what happened.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The largest log, in bytes: an engine that floods must not fill the disk.
const LARGEST: u64 = 1 << 30;

/// Most of a line that is logged, in characters.
const LONGEST: usize = 4096;

/// A log of lines; clones share it. Its times count from the moment it was made.
#[derive(Clone)]
pub struct Traffic(Arc<Mutex<Log>>);

struct Log {
    out: Box<dyn Write + Send>,
    began: Instant,
    left: u64,
}

/// Who says a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// We, to the engine.
    Sent,
    /// The engine.
    Heard,
    /// The engine, on standard error.
    Complained,
    /// Nobody: something happened.
    Event,
}

impl Traffic {
    /// A log in a file, which is emptied.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::to(File::create(path)?))
    }

    /// A log into this. Each line is one write.
    pub fn to(out: impl Write + Send + 'static) -> Self {
        let log = Log { out: Box::new(out), began: Instant::now(), left: LARGEST };
        Self(Arc::new(Mutex::new(log)))
    }

    /// Writes a line that was said or happened just now.
    pub fn note(&self, mark: Mark, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note(mark, text);
    }
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Traffic")
    }
}

impl Log {
    fn note(&mut self, mark: Mark, text: &str) {
        if self.left == 0 {
            return;
        }
        let mark = match mark {
            Mark::Sent => '>',
            Mark::Heard => '<',
            Mark::Complained => '!',
            Mark::Event => '#',
        };
        let cut = text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end));
        let (text, dots) = cut.map_or((text, ""), |head| (head, "..."));
        let mut line = format!("{:>7} {mark} {text}{dots}\n", self.began.elapsed().as_millis());
        self.left = self.left.saturating_sub(line.len() as u64);
        if self.left == 0 {
            line.push_str("the log is full\n");
        }
        // A log that cannot be written must not end the game.
        if let Err(error) = self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()) {
            log::warn!("an engine's log ends early: {error}");
            self.left = 0;
        }
    }
}
