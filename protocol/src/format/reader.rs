//! Bytes in, entries out: the one reader of everything that people paste or load.
//!
//! The content decides what a file is, not its name, and every entry decides for itself, so that a
//! file may hold games, positions and transcripts in any order. Text is UTF-8 or Latin-1, with LF or
//! CR LF, with or without a byte order mark and a last line end.
//!
//! Memory is bounded: lines by [`LONGEST_LINE`], games over several lines by [`LONGEST_GAME`]; what is
//! longer becomes one fault, and the reading goes on behind it. Binary files are read game by game.
//! What is wrong with an entry stands in its place.

use crate::fault::clip;
use crate::format::wthor::{self, Header, Names, NamesKind, WthorFault};
use crate::format::{
    Content, Extent, FormatFault, FormatRow, begins_tree, by_name, format_of, lists, pgn, transcript,
};
use crate::line::{LONGEST_LINE, LineFault, LineReader};
use crate::position::is_comment;

/// Greatest length of a game over several lines, in bytes.
pub const LONGEST_GAME: usize = 1 << 20;

/// Most bytes of a file of names: as many as there are numbers for them.
const LONGEST_NAMES: usize = wthor::HEADER + wthor::TOURNAMENT * (1 << 16);

/// One entry of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The line on which it begins, from 1; of a binary file the place of the game.
    pub line: u64,
    /// Its place among those that begin on the line, from 1; `None` when it is the only one.
    pub item: Option<u32>,
    /// Name of the format it was read as.
    pub format: &'static str,
    /// The text of it; empty for binary files, shortened where it is no text or too long.
    pub text: String,
    /// What it says, or what is wrong with it.
    pub content: Result<Content, FormatFault>,
}

/// How a stream is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Everything is of this format, whatever it looks like.
    pub format: Option<&'static FormatRow>,
    /// Numbered moves may go on in the lines below. Whoever waits for an answer to each line must
    /// not wait for the next one.
    pub joins: bool,
}

/// Takes a stream apart into entries.
///
/// ```
/// use outflank_protocol::format::reader::{Reader, Reading};
///
/// let mut reader = Reader::new(Reading::default());
/// let mut entries = Vec::new();
/// reader.push(b"f5d6c3\r\n(;GM[Othello]PB[a]\nPW[b]B[f5];)(;GM[2];B[ef]", &mut entries);
/// reader.push(b")\nwhat\n", &mut entries);
/// reader.finish(&mut entries);
/// let found: Vec<_> = entries.iter().map(|entry| (entry.line, entry.format)).collect();
/// assert_eq!(found, [(1, "transcript"), (2, "ggf"), (3, "sgf"), (4, "transcript")]);
/// assert!(entries[3].content.is_err());
/// ```
#[derive(Debug)]
pub struct Reader {
    reading: Reading,
    body: Body,
    lines: LineReader,
    /// Lines so far.
    n_lines: u64,
    open: Open,
    /// Zebra's list: how many openings it claims to have, and how many there were.
    list: Option<(u64, u32, u32)>,
    /// An entry was seen, so that no list can begin any more.
    begun: bool,
}

/// What the stream is.
#[derive(Debug)]
enum Body {
    /// Nothing has come yet.
    Unknown,
    Text,
    Thor(Thor),
}

/// What a line may belong to.
#[derive(Debug)]
enum Open {
    Nothing,
    Tree(Tree),
    Paragraph(Paragraph),
    Moves {
        line: u64,
        text: String,
        last_number: u32,
    },
    /// Behind a game that was too long: what comes is no entry until another one begins.
    Lost,
}

/// A game in brackets that has not ended.
#[derive(Debug)]
struct Tree {
    line: u64,
    item: u32,
    text: String,
    depth: u32,
    in_value: bool,
    escaped: bool,
    escapes: bool,
}

/// Tags and moves that have not ended.
#[derive(Debug)]
struct Paragraph {
    line: u64,
    text: String,
    has_moves: bool,
}

impl Reader {
    /// A reader at the start of a stream.
    #[must_use]
    pub fn new(reading: Reading) -> Reader {
        let is_binary = reading.format.is_some_and(|row| row.extent == Extent::Bytes);
        let body = match reading.format {
            Some(_) if is_binary => Body::Thor(Thor::default()),
            Some(_) => Body::Text,
            None => Body::Unknown,
        };
        Reader {
            reading,
            body,
            lines: LineReader::lenient(LONGEST_LINE),
            n_lines: 0,
            open: Open::Nothing,
            list: None,
            begun: false,
        }
    }

    /// Lines of text so far, or games of a binary file.
    #[must_use]
    pub fn n_lines(&self) -> u64 {
        match &self.body {
            Body::Thor(thor) => thor.n_games,
            Body::Unknown | Body::Text => self.n_lines,
        }
    }

    /// The header of a binary file, once it has come.
    #[must_use]
    pub fn thor_header(&self) -> Option<Header> {
        match &self.body {
            Body::Thor(thor) => thor.header,
            Body::Unknown | Body::Text => None,
        }
    }

    /// Takes in bytes and appends the entries they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Entry>) {
        if bytes.is_empty() {
            return;
        }
        if matches!(self.body, Body::Unknown) {
            self.body = if wthor::claims(bytes) { Body::Thor(Thor::default()) } else { Body::Text };
        }
        if let Body::Thor(thor) = &mut self.body {
            return thor.push(bytes, out);
        }
        let mut lines = Vec::new();
        self.lines.push(bytes, &mut lines);
        for line in lines {
            self.line(line, out);
        }
    }

    /// The end of the stream: what has not ended is read as far as it goes.
    pub fn finish(&mut self, out: &mut Vec<Entry>) {
        if let Body::Thor(thor) = &mut self.body {
            return thor.finish(out);
        }
        if let Some(line) = self.lines.finish() {
            self.line(line, out);
        }
        self.close(out);
        if let Some((line, claimed, found)) =
            self.list.take().filter(|(_, claimed, found)| claimed != found)
        {
            let content = Err(FormatFault::Count { claimed, found });
            out.push(Entry { line, item: None, format: "zebra", text: claimed.to_string(), content });
        }
    }

    fn line(&mut self, line: Result<String, LineFault>, out: &mut Vec<Entry>) {
        self.n_lines += 1;
        let line = match line {
            Ok(line) => line,
            Err(fault) => {
                self.close(out);
                let text = clip(fault.head());
                let content = Err(FormatFault::Line(fault));
                return out.push(Entry {
                    line: self.n_lines,
                    item: None,
                    format: "text",
                    text,
                    content,
                });
            }
        };
        // A mark may stand before every part of files that were put together.
        let text = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => self.begin(text, out),
            Open::Tree(tree) if begins_tree(text) && text.contains("GM[") => {
                // A game whose end is missing must not swallow the next one.
                self.emit(tree.line, None, &tree.text, out);
                self.begin(text, out);
            }
            Open::Tree(mut tree) => {
                tree.text.push('\n');
                self.trees(Some(tree), text, out);
            }
            Open::Paragraph(paragraph) => self.go_on(paragraph, text, out),
            Open::Moves { line, text: so_far, last_number } => {
                match transcript::move_numbers(text).filter(|(first, _)| *first > last_number) {
                    Some((_, last_number)) if so_far.len() + text.len() < LONGEST_GAME => {
                        let text = format!("{so_far} {text}");
                        self.open = Open::Moves { line, text, last_number };
                    }
                    _ => {
                        self.emit(line, None, &so_far, out);
                        self.begin(text, out);
                    }
                }
            }
            Open::Lost => {
                if text.is_empty() || begins_tree(text) && text.contains("GM[") || pgn::is_tag(text) {
                    self.begin(text, out);
                } else {
                    self.open = Open::Lost;
                }
            }
        }
    }

    /// A line that belongs to nothing before it.
    fn begin(&mut self, text: &str, out: &mut Vec<Entry>) {
        if text.is_empty() || is_comment(text) {
            return;
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        let line = self.n_lines;
        let forced = self.reading.format;
        let is_list = forced.is_none_or(|row| row.name == "zebra");
        if let Some(claimed) = lists::zebra_count(text).filter(|_| is_first && is_list) {
            self.list = Some((line, claimed, 0));
            return;
        }
        let is_tree = match forced {
            Some(row) => row.extent == Extent::Tree,
            None => begins_tree(text),
        };
        if is_tree {
            return self.trees(None, text, out);
        }
        let row = match forced {
            Some(row) => row,
            None if self.list.is_some() && lists::is_zebra(text) => {
                by_name("zebra").unwrap_or(format_of(text))
            }
            None => format_of(text),
        };
        match row.extent {
            Extent::Paragraph => {
                self.go_on(Paragraph { line, text: String::new(), has_moves: false }, text, out);
            }
            Extent::Moves => match transcript::move_number(text) {
                Some(1) if self.reading.joins => {
                    let last_number = transcript::move_numbers(text).map_or(1, |(_, last)| last);
                    self.open = Open::Moves { line, text: text.to_owned(), last_number };
                }
                Some(number) if number > 1 => {
                    let content = Err(FormatFault::MoveNumber { number });
                    out.push(Entry {
                        line,
                        item: None,
                        format: row.name,
                        text: text.to_owned(),
                        content,
                    });
                }
                _ => self.emit(line, None, text, out),
            },
            Extent::Line | Extent::Tree | Extent::Bytes => {
                if row.name == "zebra"
                    && let Some((_, _, found)) = &mut self.list
                {
                    *found += 1;
                }
                let content = (row.read)(text);
                out.push(Entry { line, item: None, format: row.name, text: text.to_owned(), content });
            }
        }
    }

    /// Reads a whole text and hands it out.
    fn emit(&mut self, line: u64, item: Option<u32>, text: &str, out: &mut Vec<Entry>) {
        let text = text.trim();
        let row = self.reading.format.unwrap_or_else(|| format_of(text));
        let content = (row.read)(text);
        out.push(Entry { line, item, format: row.name, text: text.to_owned(), content });
    }

    /// The text of a line as the games in brackets that it ends, holds and begins.
    fn trees(&mut self, unfinished: Option<Tree>, text: &str, out: &mut Vec<Entry>) {
        let line = self.n_lines;
        let mut whole: Vec<Tree> = Vec::new();
        let mut n_begun = 0;
        let mut open = unfinished;
        let mut rest = text;
        loop {
            let mut tree = match open.take() {
                Some(tree) => tree,
                None => {
                    // What stands between games says nothing.
                    let Some(at) = rest.find("(;") else { break };
                    rest = rest.get(at..).unwrap_or_default();
                    n_begun += 1;
                    Tree::new(line, n_begun)
                }
            };
            match tree.take(rest) {
                Some(end) => {
                    rest = rest.get(end..).unwrap_or_default();
                    whole.push(tree);
                }
                None => {
                    open = Some(tree);
                    break;
                }
            }
        }
        if n_begun == 0 && whole.is_empty() && open.is_none() {
            // A format was named, and there is no game in the line.
            return self.emit(line, None, text, out);
        }
        for tree in whole {
            // Those that began on lines above were the last ones there.
            let several = if tree.line == line { n_begun > 1 } else { tree.item > 1 };
            self.emit(tree.line, several.then_some(tree.item), &tree.text, out);
        }
        match open {
            Some(tree) if tree.text.len() > LONGEST_GAME => {
                let content = Err(FormatFault::TooLong { longest: LONGEST_GAME });
                let text = clip(&tree.text);
                out.push(Entry { line: tree.line, item: None, format: "ggf", text, content });
                self.open = Open::Lost;
            }
            Some(tree) => self.open = Open::Tree(tree),
            None => {}
        }
    }

    fn go_on(&mut self, mut paragraph: Paragraph, text: &str, out: &mut Vec<Entry>) {
        let is_tag = !text.is_empty() && pgn::is_tag(text);
        if paragraph.has_moves && (text.is_empty() || is_tag) {
            self.emit(paragraph.line, None, &paragraph.text, out);
            return self.begin(text, out);
        }
        paragraph.has_moves |= !is_tag && !text.is_empty();
        paragraph.text.push_str(text);
        paragraph.text.push('\n');
        if paragraph.text.len() > LONGEST_GAME {
            let content = Err(FormatFault::TooLong { longest: LONGEST_GAME });
            let text = clip(&paragraph.text);
            out.push(Entry { line: paragraph.line, item: None, format: "pgn", text, content });
            self.open = Open::Lost;
        } else if !is_tag && pgn::ends(text) {
            self.emit(paragraph.line, None, &paragraph.text, out);
        } else {
            self.open = Open::Paragraph(paragraph);
        }
    }

    /// Ends whatever has not ended.
    fn close(&mut self, out: &mut Vec<Entry>) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing | Open::Lost => {}
            Open::Tree(tree) => {
                let item = (tree.item > 1).then_some(tree.item);
                self.emit(tree.line, item, &tree.text, out);
            }
            Open::Paragraph(paragraph) => self.emit(paragraph.line, None, &paragraph.text, out),
            Open::Moves { line, text, .. } => self.emit(line, None, &text, out),
        }
    }
}

impl Tree {
    fn new(line: u64, item: u32) -> Tree {
        Tree {
            line,
            item,
            text: String::new(),
            depth: 0,
            in_value: false,
            escaped: false,
            escapes: false,
        }
    }

    /// Takes in text up to the bracket that closes the game; says where that was.
    fn take(&mut self, text: &str) -> Option<usize> {
        for (at, letter) in text.char_indices() {
            if self.in_value {
                if self.escaped {
                    self.escaped = false;
                } else if letter == '\\' && self.escapes {
                    self.escaped = true;
                } else if letter == ']' {
                    self.in_value = false;
                }
                continue;
            }
            match letter {
                '[' => {
                    self.in_value = true;
                    // Only SGF escapes, and says first what it is.
                    if !self.escapes {
                        let before = self.text.len() + at <= 200;
                        let head = || [&self.text, text.get(..at).unwrap_or_default()].concat();
                        self.escapes = before && head().contains("GM[2]");
                    }
                }
                '(' => self.depth += 1,
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        let end = at + 1;
                        self.text.push_str(text.get(..end).unwrap_or_default());
                        return Some(end);
                    }
                }
                _ => {}
            }
        }
        self.text.push_str(text);
        None
    }
}

/// A binary file.
#[derive(Debug, Default)]
struct Thor {
    header: Option<Header>,
    /// Bytes that are no whole game yet; the whole file where it holds names.
    held: Vec<u8>,
    n_games: u64,
    n_behind: u64,
    failed: bool,
}

impl Thor {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Entry>) {
        if self.failed {
            return;
        }
        self.held.extend_from_slice(bytes);
        if self.header.is_none() && self.held.len() >= wthor::HEADER {
            let Ok(header) = wthor::read_header(&self.held) else { return };
            self.header = Some(header);
            if !header.is_names() {
                self.held.drain(..wthor::HEADER);
                if !matches!(header.size, 0 | 8) {
                    self.fail(WthorFault::Board { size: header.size }, out);
                }
            }
        }
        let Some(header) = self.header else { return };
        if header.is_names() {
            self.held.truncate(LONGEST_NAMES);
            return;
        }
        let mut used = 0;
        for bytes in self.held.chunks_exact(wthor::GAME) {
            if self.failed || self.n_games >= u64::from(header.n_games) {
                break;
            }
            used += wthor::GAME;
            self.n_games += 1;
            let content = wthor::Record::read(header, bytes)
                .and_then(|record| record.game())
                .map(Content::game)
                .map_err(|fault| FormatFault::Wthor { item: self.n_games, fault });
            out.push(entry(self.n_games, content));
        }
        self.held.drain(..used);
        if self.n_games >= u64::from(header.n_games) {
            self.n_behind += self.held.len() as u64;
            self.held.clear();
        }
    }

    fn fail(&mut self, fault: WthorFault, out: &mut Vec<Entry>) {
        self.failed = true;
        self.held.clear();
        let item = self.n_games + 1;
        out.push(entry(item, Err(FormatFault::Wthor { item, fault })));
    }

    fn finish(&mut self, out: &mut Vec<Entry>) {
        if self.failed {
            return;
        }
        let Some(header) = self.header else {
            let n_bytes = self.held.len();
            return self.fail(WthorFault::NoHeader { n_bytes }, out);
        };
        if header.is_names() {
            match Names::read(&self.held) {
                Ok((kind, names)) => out.push(names_entry(kind, names)),
                Err(fault) => self.fail(fault, out),
            }
        } else if self.n_games < u64::from(header.n_games) {
            let found = u32::try_from(self.n_games).unwrap_or(u32::MAX);
            self.fail(WthorFault::CutShort { expected: header.n_games, found }, out);
        } else if self.n_behind > 0 {
            self.fail(WthorFault::Behind { n_bytes: self.n_behind }, out);
        }
    }
}

fn entry(line: u64, content: Result<Content, FormatFault>) -> Entry {
    Entry { line, item: None, format: "wthor", text: String::new(), content }
}

fn names_entry(kind: NamesKind, names: Names) -> Entry {
    entry(1, Ok(Content::Names(kind, Box::new(names))))
}
