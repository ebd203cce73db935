//! Bytes in, lines out.
//!
//! A line ends with LF or CR LF. Memory is bounded by the length a line may have, and a line that cannot
//! be understood as text is reported in its place, so that it can be answered in its turn.

use std::fmt;

/// Greatest length of a line in bytes where no other is set, its line end not counted.
pub const LONGEST_LINE: usize = 1 << 20;

/// How much of an unusable line is kept, so that its id can still be answered.
const HEAD: usize = 64;

/// Why a line is not text that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// The line is longer than lines may be.
    TooLong {
        /// Its length in bytes.
        length: u64,
        /// The length it may have.
        longest: usize,
        /// How it begins.
        head: String,
    },
    /// The line is not UTF-8.
    NotUtf8 {
        /// Offset of the first byte that is not UTF-8.
        at: usize,
        /// How it begins.
        head: String,
    },
}

impl LineFault {
    /// How the line begins, bytes that are no text replaced.
    #[must_use]
    pub fn head(&self) -> &str {
        match self {
            LineFault::TooLong { head, .. } | LineFault::NotUtf8 { head, .. } => head,
        }
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::TooLong { length, longest, .. } => {
                write!(f, "the line has {length} bytes, more than {longest} are not read")
            }
            LineFault::NotUtf8 { at, .. } => write!(f, "the line is not UTF-8 at byte {}", at + 1),
        }
    }
}

impl std::error::Error for LineFault {}

/// Splits a stream of bytes into lines.
///
/// ```
/// use outflank_protocol::line::LineReader;
///
/// let mut reader = LineReader::new();
/// let mut lines = Vec::new();
/// reader.push(b"rp 1\r\npl", &mut lines);
/// reader.push(b"ay f5", &mut lines);
/// lines.extend(reader.finish());
/// assert_eq!(lines, [Ok("rp 1".to_owned()), Ok("play f5".to_owned())]);
/// ```
#[derive(Debug)]
pub struct LineReader {
    /// Greatest length of a line in bytes.
    longest: usize,
    /// Lines that are not UTF-8 are taken for Latin-1.
    lenient: bool,
    /// The unfinished line, cut off at one byte more than may be kept (a CR may end it).
    held: Vec<u8>,
    /// Length of the unfinished line, what was cut off included.
    length: u64,
    /// The last byte of the unfinished line.
    last: Option<u8>,
    /// The first line was handed out, so no byte order mark can come any more.
    begun: bool,
}

impl Default for LineReader {
    fn default() -> LineReader {
        LineReader::new()
    }
}

impl LineReader {
    /// A reader at the start of its input.
    #[must_use]
    pub fn new() -> LineReader {
        LineReader::bounded(LONGEST_LINE)
    }

    /// A reader that takes lines of up to so many bytes.
    #[must_use]
    pub fn bounded(longest: usize) -> LineReader {
        LineReader { longest, lenient: false, held: Vec::new(), length: 0, last: None, begun: false }
    }

    /// A reader of files, which may be older than UTF-8: a line that is not UTF-8 is Latin-1.
    #[must_use]
    pub fn lenient(longest: usize) -> LineReader {
        LineReader { lenient: true, ..LineReader::bounded(longest) }
    }

    /// Takes in bytes and appends the lines they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Result<String, LineFault>>) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, behind) = rest.split_at(end);
            self.hold(line);
            out.push(self.take());
            rest = behind.get(1..).unwrap_or_default();
        }
        self.hold(rest);
    }

    /// The last line, when the input does not end with a line end.
    pub fn finish(&mut self) -> Option<Result<String, LineFault>> {
        (self.length > 0).then(|| self.take())
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = (self.longest + 4).saturating_sub(self.held.len());
        self.held.extend(bytes.iter().take(room));
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.last = bytes.last().copied().or(self.last);
    }

    fn take(&mut self) -> Result<String, LineFault> {
        let mut line = std::mem::take(&mut self.held);
        let mut length = std::mem::take(&mut self.length);
        if self.last.take() == Some(b'\r') {
            if line.len() as u64 == length {
                line.pop();
            }
            length -= 1;
        }
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
            length -= 3;
        }
        if length > self.longest as u64 {
            return Err(LineFault::TooLong { length, longest: self.longest, head: head(&line) });
        }
        String::from_utf8(line).or_else(|error| {
            if self.lenient {
                return Ok(latin1(error.as_bytes()));
            }
            let at = error.utf8_error().valid_up_to();
            Err(LineFault::NotUtf8 { at, head: head(error.as_bytes()) })
        })
    }
}

/// Text in Latin-1, of which every byte is a character.
#[must_use]
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn head(line: &[u8]) -> String {
    String::from_utf8_lossy(line.get(..HEAD).unwrap_or(line)).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;

    fn lines(bytes: &[u8], chunk: usize) -> Vec<Result<String, LineFault>> {
        let mut reader = LineReader::new();
        let mut out = Vec::new();
        for part in bytes.chunks(chunk) {
            reader.push(part, &mut out);
        }
        out.extend(reader.finish());
        out
    }

    fn check(bytes: &[u8], expected: &[&str]) {
        for chunk in [1, 2, 3, 1000] {
            let found: Vec<String> = lines(bytes, chunk).into_iter().map(Result::unwrap).collect();
            assert_eq!(found, expected, "in pieces of {chunk}");
        }
    }

    #[test]
    fn both_line_ends_are_dropped() {
        check(b"a\nb\r\n\r\n\nc", &["a", "b", "", "", "c"]);
        check(b"", &[]);
        check(b"a\rb\n", &["a\rb"]);
        check(b"last\r", &["last"]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_only() {
        check(b"\xEF\xBB\xBFrp 1\r\n\xEF\xBB\xBFx\n", &["rp 1", "\u{feff}x"]);
    }

    #[test]
    fn control_characters_are_text() {
        check(b"a\0b\x07\n", &["a\0b\x07"]);
    }

    #[test]
    fn a_line_that_is_not_utf8_leaves_the_next_one_alone() {
        let found = lines(b"5 play \xff\nok\n", 3);
        assert_eq!(
            found,
            [Err(LineFault::NotUtf8 { at: 7, head: "5 play \u{fffd}".into() }), Ok("ok".into())]
        );
    }

    #[test]
    fn files_may_be_latin1_line_by_line() {
        let mut reader = LineReader::lenient(100);
        let mut out = Vec::new();
        reader.push(b"Andr\xe9\nAndr\xc3\xa9\n", &mut out);
        assert_eq!(out, [Ok("Andr\u{e9}".to_owned()), Ok("Andr\u{e9}".to_owned())]);
    }

    #[test]
    fn a_long_line_is_reported_once_with_its_length() {
        let mut input = vec![b'f'; 3 * LONGEST_LINE];
        input.extend(b"\r\nnext");
        let mut reader = LineReader::new();
        let mut out = Vec::new();
        for part in input.chunks(4096) {
            reader.push(part, &mut out);
            assert!(reader.held.len() <= LONGEST_LINE + 4);
        }
        out.extend(reader.finish());
        assert_eq!(out.len(), 2);
        assert!(
            matches!(&out[0], Err(LineFault::TooLong { length, head, .. }) if *length == 3 * LONGEST_LINE as u64 && head.len() == HEAD)
        );
        assert_eq!(out[1], Ok("next".to_owned()));
    }

    #[test]
    fn a_line_of_the_greatest_length_is_read() {
        let mut input = vec![b'f'; LONGEST_LINE];
        input.extend(b"\r\n");
        assert_eq!(lines(&input, 4096)[0].as_ref().unwrap().len(), LONGEST_LINE);
    }
}
