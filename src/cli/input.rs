//! Where positions and games come from: arguments, files and standard input, a line at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use outflank_protocol::line::{LineFault, LineReader};

/// One place that input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// An argument that is itself a position or game.
    Text(String),
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// `-` is standard input, the name of an existing file is that file, anything else is text.
    fn of(argument: &str) -> Source {
        if argument == "-" {
            Source::Stdin
        } else if Path::new(argument).exists() {
            Source::File(PathBuf::from(argument))
        } else {
            Source::Text(argument.to_owned())
        }
    }
}

/// Longest game that is gathered from several lines.
const LONGEST_GAME: usize = 1 << 16;

/// The move number that a line begins with, as in `6. G8 g7`.
pub fn move_number(text: &str) -> Option<u32> {
    let (digits, rest) = text.trim_start_matches('\u{feff}').trim_start().split_once('.')?;
    let is_number =
        !digits.is_empty() && digits.len() <= 3 && digits.chars().all(|c| c.is_ascii_digit());
    // `1.5` is no move number, nor is the empty square of a board.
    let moves_follow = !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if is_number && moves_follow { digits.parse().ok() } else { None }
}

/// One line with its number, or why it could not be read.
#[derive(Debug)]
pub struct NumberedLine {
    /// Counted from 1 through all sources.
    pub number: u64,
    /// The line without its end.
    pub text: Result<String, String>,
    /// It was written on the command line, where a file may have been meant.
    pub is_argument: bool,
}

/// The lines of all sources, read no further than they are asked for.
pub struct Lines {
    sources: VecDeque<Source>,
    open: Option<OpenSource>,
    number: u64,
}

/// A source that is being read.
struct OpenSource {
    name: String,
    is_argument: bool,
    is_file: bool,
    bytes: Box<dyn Read + Send>,
    reader: LineReader,
    ready: VecDeque<Result<String, LineFault>>,
    ended: bool,
}

impl Lines {
    /// The lines of these arguments; those of standard input when there are none.
    pub fn of(arguments: &[String]) -> Lines {
        let sources = if arguments.is_empty() {
            VecDeque::from([Source::Stdin])
        } else {
            arguments.iter().map(|argument| Source::of(argument)).collect()
        };
        Lines { sources, open: None, number: 0 }
    }

    /// The lines of a file.
    pub fn of_file(path: &Path) -> Lines {
        Lines { sources: VecDeque::from([Source::File(path.to_owned())]), open: None, number: 0 }
    }

    fn numbered(&mut self, text: Result<String, String>) -> NumberedLine {
        self.number += 1;
        let is_argument = self.open.as_ref().is_some_and(|open| open.is_argument);
        NumberedLine { number: self.number, text, is_argument }
    }
}

impl Iterator for Lines {
    type Item = NumberedLine;

    fn next(&mut self) -> Option<NumberedLine> {
        loop {
            let Some(open) = &mut self.open else {
                match OpenSource::of(self.sources.pop_front()?) {
                    Ok(open) => self.open = Some(open),
                    Err(why) => return Some(self.numbered(Err(why))),
                }
                continue;
            };
            match open.next_line() {
                Some(text) => {
                    let (text, n_more) = open.with_continuations(text);
                    let line = self.numbered(text);
                    self.number += n_more;
                    return Some(line);
                }
                None => self.open = None,
            }
        }
    }
}

impl OpenSource {
    fn of(source: Source) -> Result<OpenSource, String> {
        let is_argument = matches!(source, Source::Text(_));
        let is_file = matches!(source, Source::File(_));
        let (name, bytes): (String, Box<dyn Read + Send>) = match source {
            Source::Text(text) if text.trim().is_empty() => {
                return Err("an empty argument is no position and no game".to_owned());
            }
            Source::Text(text) => ("argument".to_owned(), Box::new(io::Cursor::new(text.into_bytes()))),
            Source::Stdin => ("standard input".to_owned(), Box::new(io::stdin())),
            Source::File(path) => {
                let name = path.display().to_string();
                let file = File::open(&path).map_err(|error| format!("{name}: {error}"))?;
                (name, Box::new(file))
            }
        };
        let (reader, ready) = (LineReader::new(), VecDeque::new());
        Ok(OpenSource { name, is_argument, is_file, bytes, reader, ready, ended: false })
    }

    fn next_line(&mut self) -> Option<Result<String, String>> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(line.map_err(|fault| fault.to_string()));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.fill() {
                self.ended = true;
                return Some(Err(format!("{}: {error}", self.name)));
            }
        }
    }

    /// A game with move numbers may go on in the lines below; they are joined, and counted. Only
    /// in files: whoever sends a line through a pipe waits for its answer.
    fn with_continuations(&mut self, text: Result<String, String>) -> (Result<String, String>, u64) {
        let mut whole = match text {
            Ok(text) if self.is_file && move_number(&text) == Some(1) => text,
            other => return (other, 0),
        };
        let mut n_more = 0;
        while whole.len() < LONGEST_GAME
            && let Some(more) = self.pop_continuation()
        {
            whole.push(' ');
            whole.push_str(&more);
            n_more += 1;
        }
        (Ok(whole), n_more)
    }

    /// The next line if it goes on with a numbered game.
    fn pop_continuation(&mut self) -> Option<String> {
        while self.ready.is_empty() && !self.ended {
            // What is wrong with the file is told when its next line is wanted.
            self.fill().ok()?;
        }
        let goes_on = |line: &Result<String, LineFault>| {
            line.as_ref().is_ok_and(|text| move_number(text).is_some_and(|number| number > 1))
        };
        if self.ready.front().is_some_and(goes_on) { self.ready.pop_front()?.ok() } else { None }
    }

    /// Reads on until at least one line is whole or the source ends.
    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0_u8; 64 * 1024];
        let count = match self.bytes.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        };
        if count == 0 {
            self.ended = true;
            self.ready.extend(self.reader.finish());
            return Ok(());
        }
        let mut lines = Vec::new();
        self.reader.push(buffer.get(..count).unwrap_or_default(), &mut lines);
        self.ready.extend(lines);
        Ok(())
    }
}
