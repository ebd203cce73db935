//! Walks: an engine is taken through a dialect, step by step, and what it has to answer is told.
//!
//! A walk is data, one file a dialect in `conform/`, in a form akin to the sessions: what is sent
//! stands behind `>`, what has to come behind `<`. This module reads walks and compares lines with
//! their patterns. It knows no process and no clock: whoever follows a walk has those.
//!
//! # The form of a walk
//!
//! ```text
//! # Anything behind a '#' at the beginning of a line is for people.
//! WORD move = <square>|pass|PA
//! IGNORE status{}
//!
//! == start -- What every new process is taken through
//! > nboard 2
//! <? set myname <word>
//!
//! == play -- A move of its own is a move that it takes back
//! NEEDS commands undo
//! > genmove b
//! < = <move:first>
//! <
//! WITHIN 2000
//! > play white <first>
//! < ? {}
//! <
//! ```
//!
//! ```abnf
//! walk    = *(word / ignore) 1*step
//! step    = "== " name " -- " sentence LF *([needs / act] LF)
//! word    = "WORD " name " = " choice          ; a kind of hole, used as <name>
//! ignore  = "IGNORE " pattern                  ; lines that may come at any time
//! needs   = "NEEDS " list " " pattern          ; the step is skipped unless the list has such a line
//! act     = ">" [" " text]                     ; send a line
//!         / ">> " text                         ; send text as it is, without a line end
//!         / "<" [" " pattern]                  ; the next line
//!         / "<? " pattern                      ; such a line may come before the next one
//!         / "<* " pattern / "<+ " pattern      ; any number of such lines may, at least one has to
//!         / "< ..."                            ; any lines at all may
//!         / "WITHIN " ms                       ; what is sent next is answered in so many milliseconds
//!         / "QUIET " ms                        ; nothing comes for so long
//!         / "NEVER " pattern                   ; such a line must not come any more in this step
//!         / "SKIP " pattern                    ; such a line instead of the expected one ends the
//!                                              ; step: the engine does not offer what it shows
//!         / "KEEP " list                       ; from here on lines of this step go into a list
//!         / "FRESH"                            ; a new process, not taken through the first step
//!         / "EOF"                              ; close the input
//!         / "END" [" " code]                   ; the process ends, with this exit code
//! ```
//!
//! **Sending.** Lines that stand together go out in one write. In them `<name>` is what was captured
//! under this name, and a backslash begins `\n`, `\r`, `\t`, `\0`, `\\`, `\<`, a byte `\xHH`, or
//! `\*N(text)`, the text N times.
//!
//! **Patterns** describe a whole line. `{}` stands for any text, none included, and `{a|b}` for
//! one of several patterns. `<kind>` is a hole of a kind, `<kind:name>` captures what stands there,
//! and `<name>` is that text again, in any case. Kinds are the words of the walk and
//!
//! | kind | |
//! |---|---|
//! | `square` | a letter from a to p in any case and a number from 1 to 16 |
//! | `moves` | squares and passes run together, or parted by `-` |
//! | `count` | digits |
//! | `number` | digits with or without a sign and decimals |
//! | `word` | anything without blanks, at least one character |
//! | `text` | anything, at least one character |
//!
//! A backslash takes the meaning from `{`, `|`, `}`, `<` and itself.
//!
//! **Order.** Lines that may come are tried before the one that has to. `IGNORE` is tried last.
//! The first step is the start: a process that is started anew is taken through it again, and what
//! it captured and kept is there for all steps. Every other step has to set up what it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{map, map_res, opt, recognize, value, verify};
use nom::multi::{fold_many1, many0, separated_list1};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

use crate::fault::clip;
use crate::lexis;

/// A row of the table of walks.
pub struct WalkRow {
    /// The dialect, as in [`crate::DIALECTS`].
    pub dialect: &'static str,
    /// The text of the walk.
    pub text: &'static str,
}

/// The walk of every dialect that has one, in the order of [`crate::DIALECTS`].
pub static WALKS: &[WalkRow] = &[
    WalkRow { dialect: "native", text: include_str!("../conform/native.txt") },
    WalkRow { dialect: "nboard", text: include_str!("../conform/nboard.txt") },
    WalkRow { dialect: "gtp", text: include_str!("../conform/gtp.txt") },
    WalkRow { dialect: "uci", text: include_str!("../conform/uci.txt") },
    WalkRow { dialect: "edax", text: include_str!("../conform/edax.txt") },
    WalkRow { dialect: "xboard", text: include_str!("../conform/xboard.txt") },
    WalkRow { dialect: "cassio", text: include_str!("../conform/cassio.txt") },
];

/// The text of the walk through a dialect.
#[must_use]
pub fn walk_text(dialect: &str) -> Option<&'static str> {
    WALKS.iter().find(|row| row.dialect == dialect).map(|row| row.text)
}

/// A way through a dialect.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Its steps, at least one; the first is what every new process is taken through.
    pub steps: Vec<Step>,
    /// Lines that may come at any time.
    pub ignored: Vec<Pattern>,
}

/// A part of a walk that passes or not.
#[derive(Clone, Debug)]
pub struct Step {
    /// One word.
    pub name: String,
    /// What the step shows, one sentence.
    pub about: String,
    /// It begins with a process that has not been spoken to.
    pub is_fresh: bool,
    /// What the engine must have said to offer.
    pub needs: Vec<Need>,
    /// What is done, with the numbers of the lines it stands in.
    pub acts: Vec<(usize, Act)>,
}

/// What an engine must have said before a step makes sense.
#[derive(Clone, Debug)]
pub struct Need {
    /// The list that tells it.
    pub list: String,
    /// What a line of it, or a word of a line, has to be.
    pub pattern: Pattern,
}

/// A deed of a step.
#[derive(Clone, Debug)]
pub enum Act {
    /// This is sent in one write.
    Send(Template),
    /// The next line, but for those that are allowed.
    Expect(Pattern),
    /// Such a line may come before the next expected one.
    AllowOne(Pattern),
    /// Any number of such lines may.
    AllowMany(Pattern),
    /// Any lines may.
    AllowAny,
    /// What is sent next is answered within so many milliseconds.
    Within(u64),
    /// No line comes for so many milliseconds.
    Quiet(u64),
    /// Such a line must not come up to the end of the step.
    Never(Pattern),
    /// Such a line instead of an expected one shows that the engine does not offer this.
    SkipOn(Pattern),
    /// Lines go into this list up to the end of the step.
    Keep(String),
    /// The input is closed.
    EndInput,
    /// The process ends, with this exit code where one is given.
    End(Option<i32>),
}

/// What is known of an engine: texts under their names, and lists of lines.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// What was captured.
    pub texts: BTreeMap<String, String>,
    /// What was kept.
    pub lists: BTreeMap<String, Vec<String>>,
}

impl Notes {
    /// Whether a list has a line or a word that is needed.
    #[must_use]
    pub fn meets(&self, need: &Need) -> bool {
        let is_it = |text: &str| need.pattern.captures(text, self).is_some();
        let lines = self.lists.get(&need.list).into_iter().flatten();
        lines.into_iter().any(|line| is_it(line) || line.split_whitespace().any(is_it))
    }
}

impl Walk {
    /// Reads a walk.
    ///
    /// # Errors
    /// The first line that cannot be understood, with its number.
    pub fn read(text: &str) -> Result<Walk, WalkError> {
        let mut reader = Reader::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            reader.line(line, index + 1).map_err(|what| WalkError {
                line: index + 1,
                text: clip(line),
                what,
            })?;
        }
        reader.finish(text.lines().count())
    }

    /// The step of this name.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}

/// Why a walk cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong with it.
    pub what: WalkFault,
}

/// What is wrong with a line of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkFault {
    /// It begins as no line does.
    NoSuchLine,
    /// A step is `== NAME -- SENTENCE`.
    NoStep,
    /// Two steps, or two words, of one name.
    Twice(String),
    /// It belongs into a step, or behind none.
    WrongPlace,
    /// It is no pattern, or no text to send.
    Unreadable,
    /// A number is needed here.
    NoNumber(String),
    /// A hole of this name is no kind, and nothing was captured under it before.
    Unknown(String),
    /// Lines may come, but none has to: an expectation has to follow.
    OpenEnd,
    /// A time for answers, and nothing is sent.
    NothingSent,
    /// A step without anything to send or expect.
    Empty,
    /// There is no step at all.
    NoSteps,
}

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: '{}': {}", self.line, self.text, self.what)
    }
}

impl std::error::Error for WalkError {}

impl fmt::Display for WalkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchLine => f.write_str("no line of a walk begins like this"),
            Self::NoStep => f.write_str("a step is == NAME -- SENTENCE"),
            Self::Twice(name) => write!(f, "'{name}' is there already"),
            Self::WrongPlace => f.write_str("this does not belong here"),
            Self::Unreadable => f.write_str("what stands behind the mark cannot be read"),
            Self::NoNumber(text) => write!(f, "'{text}' is no whole number"),
            Self::Unknown(name) => write!(f, "'{name}' is neither a kind nor captured before"),
            Self::OpenEnd => f.write_str("a line that has to come is missing behind those that may"),
            Self::NothingSent => f.write_str("what is answered in time has to be sent next"),
            Self::Empty => f.write_str("the step does nothing"),
            Self::NoSteps => f.write_str("a walk has at least one step"),
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Lines of a walk

#[derive(Default)]
struct Reader {
    words: BTreeMap<String, Pattern>,
    ignored: Vec<Pattern>,
    steps: Vec<Step>,
    /// What the first step captures.
    from_start: BTreeSet<String>,
    /// What the step captures.
    captured: BTreeSet<String>,
    /// Lines may come, and it has not been said yet which one has to.
    is_open: bool,
    /// What comes next has to be sent.
    is_bounded: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), WalkFault> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        match mark {
            "==" => return self.begin_step(rest),
            "WORD" => return self.add_word(rest),
            "IGNORE" if self.steps.is_empty() => {
                let pattern = self.pattern(rest)?;
                self.ignored.push(pattern);
                return Ok(());
            }
            _ if self.steps.is_empty() => return Err(WalkFault::WrongPlace),
            "FRESH" => return self.set_fresh(rest),
            "NEEDS" => return self.add_need(rest),
            _ => {}
        }
        let act = match mark {
            ">" => Act::Send(self.template(rest, true)?),
            ">>" => Act::Send(self.template(rest, false)?),
            "<" if rest == "..." => Act::AllowAny,
            "<" => Act::Expect(self.pattern(rest)?),
            "<?" => Act::AllowOne(self.pattern(rest)?),
            "<*" => Act::AllowMany(self.pattern(rest)?),
            "<+" => {
                let pattern = self.pattern(rest)?;
                self.push(number, Act::Expect(pattern.clone()))?;
                Act::AllowMany(pattern)
            }
            "WITHIN" => Act::Within(whole_number(rest)?),
            "QUIET" => Act::Quiet(whole_number(rest)?),
            "NEVER" => Act::Never(self.pattern(rest)?),
            "SKIP" => Act::SkipOn(self.pattern(rest)?),
            "KEEP" if is_name(rest) => Act::Keep(rest.to_owned()),
            "KEEP" => return Err(WalkFault::Unreadable),
            "EOF" if rest.is_empty() => Act::EndInput,
            "END" if rest.is_empty() => Act::End(None),
            "END" => Act::End(Some(whole_number(rest)?)),
            _ => return Err(WalkFault::NoSuchLine),
        };
        self.push(number, act)
    }

    fn push(&mut self, number: usize, act: Act) -> Result<(), WalkFault> {
        match act {
            Act::AllowOne(_) | Act::AllowMany(_) | Act::AllowAny => self.is_open = true,
            Act::Expect(_) | Act::Quiet(_) | Act::End(_) => self.is_open = false,
            Act::Send(_) | Act::EndInput if self.is_open => return Err(WalkFault::OpenEnd),
            _ => {}
        }
        if std::mem::take(&mut self.is_bounded) && !matches!(act, Act::Send(_) | Act::EndInput) {
            return Err(WalkFault::NothingSent);
        }
        self.is_bounded = matches!(act, Act::Within(_));
        let step = self.steps.last_mut().ok_or(WalkFault::WrongPlace)?;
        match (step.acts.last_mut(), act) {
            (Some((_, Act::Send(before))), Act::Send(more)) => before.0.extend(more.0),
            (_, act) => step.acts.push((number, act)),
        }
        Ok(())
    }

    fn begin_step(&mut self, text: &str) -> Result<(), WalkFault> {
        self.end_step()?;
        let (name, about) = text.split_once(" -- ").ok_or(WalkFault::NoStep)?;
        let (name, about) = (name.trim(), about.trim());
        if !is_name(name) || about.is_empty() {
            return Err(WalkFault::NoStep);
        }
        if self.steps.iter().any(|step| step.name == name) {
            return Err(WalkFault::Twice(name.to_owned()));
        }
        self.steps.push(Step {
            name: name.to_owned(),
            about: about.to_owned(),
            is_fresh: false,
            needs: Vec::new(),
            acts: Vec::new(),
        });
        Ok(())
    }

    fn end_step(&mut self) -> Result<(), WalkFault> {
        if self.steps.last().is_some_and(|step| step.acts.is_empty()) {
            return Err(WalkFault::Empty);
        }
        if self.steps.len() == 1 {
            self.from_start = std::mem::take(&mut self.captured);
        }
        self.captured.clear();
        // What is allowed at the end of a step is allowed until the next one begins.
        self.is_open = false;
        Ok(())
    }

    fn finish(mut self, lines: usize) -> Result<Walk, WalkError> {
        let at_end = |what| WalkError { line: lines, text: String::new(), what };
        self.end_step().map_err(at_end)?;
        if self.steps.is_empty() {
            return Err(at_end(WalkFault::NoSteps));
        }
        Ok(Walk { steps: self.steps, ignored: self.ignored })
    }

    fn add_word(&mut self, text: &str) -> Result<(), WalkFault> {
        if !self.steps.is_empty() {
            return Err(WalkFault::WrongPlace);
        }
        let (name, meaning) = text.split_once(" = ").ok_or(WalkFault::Unreadable)?;
        if !is_name(name) {
            return Err(WalkFault::Unreadable);
        }
        if self.words.contains_key(name) || Kind::of(name).is_some() {
            return Err(WalkFault::Twice(name.to_owned()));
        }
        require_flat(meaning, "{")?;
        let choices = whole(choices, meaning).ok_or(WalkFault::Unreadable)?;
        let meaning = self.resolved(meaning, vec![RawPiece::Choice(choices)])?;
        self.words.insert(name.to_owned(), meaning);
        Ok(())
    }

    fn set_fresh(&mut self, rest: &str) -> Result<(), WalkFault> {
        let is_first = self.steps.len() == 1;
        let step = self.steps.last_mut().ok_or(WalkFault::WrongPlace)?;
        if is_first || !step.acts.is_empty() || !rest.is_empty() {
            return Err(WalkFault::WrongPlace);
        }
        step.is_fresh = true;
        Ok(())
    }

    fn add_need(&mut self, text: &str) -> Result<(), WalkFault> {
        let (list, pattern) = text.split_once(' ').ok_or(WalkFault::Unreadable)?;
        let pattern = self.pattern(pattern)?;
        let is_first = self.steps.len() == 1;
        let step = self.steps.last_mut().ok_or(WalkFault::WrongPlace)?;
        if is_first || !step.acts.is_empty() {
            return Err(WalkFault::WrongPlace);
        }
        step.needs.push(Need { list: list.to_owned(), pattern });
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> Result<Pattern, WalkFault> {
        require_flat(text, "{")?;
        let pieces = whole(pieces, text).ok_or(WalkFault::Unreadable)?;
        self.resolved(text, pieces)
    }

    /// The pattern with every name turned into what it stands for.
    fn resolved(&mut self, source: &str, pieces: Vec<RawPiece>) -> Result<Pattern, WalkFault> {
        let pieces = self.pieces(pieces)?;
        Ok(Pattern { source: source.to_owned(), pieces })
    }

    fn pieces(&mut self, pieces: Vec<RawPiece>) -> Result<Vec<Piece>, WalkFault> {
        pieces.into_iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, piece: RawPiece) -> Result<Piece, WalkFault> {
        Ok(match piece {
            RawPiece::Text(text) => Piece::Text(text),
            RawPiece::Any => Piece::Any,
            RawPiece::Choice(choices) => Piece::Choice(
                choices.into_iter().map(|choice| self.pieces(choice)).collect::<Result<_, _>>()?,
            ),
            RawPiece::Hole { kind, into } => {
                let inner = if let Some(kind) = Kind::of(&kind) {
                    Piece::Kind(kind)
                } else if let Some(word) = self.words.get(&kind) {
                    Piece::Choice(vec![word.pieces.clone()])
                } else if into.is_none() && self.knows(&kind) {
                    Piece::Again(kind)
                } else {
                    return Err(WalkFault::Unknown(kind));
                };
                let Some(name) = into else { return Ok(inner) };
                if Kind::of(&name).is_some() || self.words.contains_key(&name) {
                    return Err(WalkFault::Twice(name));
                }
                self.captured.insert(name.clone());
                Piece::Capture(Box::new(inner), name)
            }
        })
    }

    fn template(&self, text: &str, is_line: bool) -> Result<Template, WalkFault> {
        require_flat(text, "\\*")?;
        let mut bits = whole(template, text).ok_or(WalkFault::Unreadable)?;
        for bit in &bits {
            match bit {
                Bit::Noted(name) if !self.knows(name) => return Err(WalkFault::Unknown(name.clone())),
                _ => {}
            }
        }
        if is_line {
            bits.push(Bit::Bytes(b"\n".to_vec()));
        }
        Ok(Template(bits))
    }

    fn knows(&self, name: &str) -> bool {
        self.captured.contains(name) || self.from_start.contains(name)
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// The parsers call themselves for what stands within brackets: no line may exhaust the stack.
fn require_flat(text: &str, bracket: &str) -> Result<(), WalkFault> {
    let is_flat = text.matches(bracket).count() <= MOST_BRACKETS;
    if is_flat { Ok(()) } else { Err(WalkFault::Unreadable) }
}

/// Most brackets of a kind on a line.
const MOST_BRACKETS: usize = 64;

fn whole_number<T: std::str::FromStr>(text: &str) -> Result<T, WalkFault> {
    text.parse().map_err(|_| WalkFault::NoNumber(clip(text)))
}

fn whole<'a, T>(parser: impl Fn(&'a str) -> IResult<&'a str, T>, text: &'a str) -> Option<T> {
    parser(text).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, read)| read)
}

// ---------------------------------------------------------------------------------------------
// What is sent

/// Text to send, with places for what was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Bit>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Bit {
    Bytes(Vec<u8>),
    Noted(String),
}

impl Template {
    /// The bytes to send. What was not captured is empty; a walk that could ask for it is refused
    /// when it is read.
    #[must_use]
    pub fn filled(&self, notes: &Notes) -> Vec<u8> {
        let mut filled = Vec::new();
        for bit in &self.0 {
            match bit {
                Bit::Bytes(bytes) => filled.extend(bytes),
                Bit::Noted(name) => {
                    filled.extend(notes.texts.get(name).map(String::as_bytes).unwrap_or_default());
                }
            }
        }
        filled
    }
}

/// ```abnf
/// template = *(plain / escape / "<" name ">" / "<")
/// escape   = "\" ("n" / "r" / "t" / "0" / "\" / "<" / "x" 2HEXDIG / "*" 1*DIGIT "(" repeated ")")
/// repeated = 1*(plain-but-")" / escape)
/// ```
fn template(input: &str) -> IResult<&str, Vec<Bit>> {
    let bytes = |text: &str| Bit::Bytes(text.as_bytes().to_vec());
    many0(alt((
        map(is_not("\\<"), bytes),
        map(preceded(char('\\'), escape), Bit::Bytes),
        map(delimited(char('<'), name, char('>')), |name| Bit::Noted(name.to_owned())),
        map(tag("<"), bytes),
    )))
    .parse(input)
}

fn escape(input: &str) -> IResult<&str, Vec<u8>> {
    let hex =
        map_res(preceded(char('x'), take_while_m_n(2, 2, |c: char| c.is_ascii_hexdigit())), |digits| {
            u8::from_str_radix(digits, 16).map(|byte| vec![byte])
        });
    let times = verify(map_res(preceded(char('*'), digit1), str::parse::<usize>), |times| {
        *times <= MOST_REPEATED
    });
    let part =
        alt((map(is_not("\\)"), |text: &str| text.as_bytes().to_vec()), preceded(char('\\'), escape)));
    let parts = fold_many1(part, Vec::new, |mut all: Vec<u8>, part| {
        all.extend(part);
        all
    });
    let repeated = map(
        verify(
            pair(times, delimited(char('('), parts, char(')'))),
            |(times, text): &(usize, Vec<u8>)| times * text.len() <= MOST_REPEATED,
        ),
        |(times, text)| text.repeat(times),
    );
    alt((
        value(b"\n".to_vec(), char('n')),
        value(b"\r".to_vec(), char('r')),
        value(b"\t".to_vec(), char('t')),
        value(b"\0".to_vec(), char('0')),
        map(one_of("\\<"), |c| vec![c as u8]),
        hex,
        repeated,
    ))
    .parse(input)
}

/// How many bytes a repeated text has at most.
const MOST_REPEATED: usize = 1 << 24;

fn name(input: &str) -> IResult<&str, &str> {
    recognize(pair(
        take_while_m_n(1, 1, |c: char| c.is_ascii_alphabetic()),
        opt(take_while1(|c: char| c.is_ascii_alphanumeric() || c == '-')),
    ))
    .parse(input)
}

// ---------------------------------------------------------------------------------------------
// What has to come

/// What a line has to look like.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Any,
    Kind(Kind),
    Again(String),
    Choice(Vec<Vec<Piece>>),
    Capture(Box<Piece>, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Square,
    Moves,
    Count,
    Number,
    Word,
    Text,
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        Some(match name {
            "square" => Kind::Square,
            "moves" => Kind::Moves,
            "count" => Kind::Count,
            "number" => Kind::Number,
            "word" => Kind::Word,
            "text" => Kind::Text,
            _ => return None,
        })
    }

    /// Whether a text is of this kind.
    fn fits(self, text: &str) -> bool {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match self {
            Kind::Square => lexis::read_point(text).is_some(),
            Kind::Moves => whole(moves, text).is_some(),
            Kind::Count => digits(text),
            Kind::Number => {
                let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
                let (before, behind) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
                digits(before) && digits(behind)
            }
            Kind::Word => !text.is_empty() && !text.contains(char::is_whitespace),
            Kind::Text => !text.is_empty(),
        }
    }

    /// Most bytes that such a text has; what is longer need not be tried.
    fn longest(self) -> usize {
        match self {
            Kind::Square => 3,
            Kind::Count | Kind::Number => 40,
            Kind::Moves => 1 << 10,
            Kind::Word => 1 << 12,
            Kind::Text => usize::MAX,
        }
    }
}

/// What was found in the holes of a line, each with its name.
pub type Captures = Vec<(String, String)>;

impl Pattern {
    /// What is captured from a line that fits; nothing where it does not fit.
    #[must_use]
    pub fn captures(&self, line: &str, notes: &Notes) -> Option<Captures> {
        let start = Places::from([(0, Vec::new())]);
        let ends = follow(&self.pieces, line, start, notes);
        let found = ends.get(&line.len())?;
        Some(found.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Where in the line one may be, and what was captured on the way there. All ways are followed at
/// once, so that the work is bounded by the length of the line and not by the number of ways.
type Places<'a> = BTreeMap<usize, Vec<(&'a str, &'a str)>>;

fn follow<'a>(pieces: &'a [Piece], line: &'a str, from: Places<'a>, notes: &Notes) -> Places<'a> {
    pieces.iter().fold(from, |places, piece| behind(piece, line, places, notes))
}

/// The places behind a piece.
fn behind<'a>(piece: &'a Piece, line: &'a str, from: Places<'a>, notes: &Notes) -> Places<'a> {
    // From the first place on every one is reached, by way of the first.
    if let (Piece::Any | Piece::Kind(Kind::Text), Some((first, found))) = (piece, from.first_key_value())
    {
        let least = first + usize::from(!matches!(piece, Piece::Any));
        return (least..=line.len())
            .filter(|at| line.is_char_boundary(*at))
            .map(|at| (at, found.clone()))
            .collect();
    }
    let mut places = Places::new();
    for (at, found) in from {
        let Some(rest) = line.get(at..) else { continue };
        match piece {
            Piece::Text(text) => {
                if rest.starts_with(text.as_str()) {
                    places.entry(at + text.len()).or_insert(found);
                }
            }
            Piece::Again(name) => {
                let text = notes.texts.get(name).map(String::as_str).unwrap_or_default();
                let known = found.iter().rev().find(|(known, _)| known == name);
                let text = known.map_or(text, |(_, text)| text);
                if rest.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text)) {
                    places.entry(at + text.len()).or_insert(found);
                }
            }
            Piece::Kind(kind) => {
                for (end, _) in rest.char_indices().skip(1).chain([(rest.len(), ' ')]) {
                    let Some(head) = rest.get(..end).filter(|head| head.len() <= kind.longest()) else {
                        break;
                    };
                    if kind.fits(head) {
                        places.entry(at + end).or_insert_with(|| found.clone());
                    } else if *kind == Kind::Word {
                        break;
                    }
                }
            }
            Piece::Choice(choices) => {
                for choice in choices {
                    let here = Places::from([(at, found.clone())]);
                    for (end, found) in follow(choice, line, here, notes) {
                        places.entry(end).or_insert(found);
                    }
                }
            }
            Piece::Capture(inner, name) => {
                for (end, mut found) in behind(inner, line, Places::from([(at, found)]), notes) {
                    found.push((name, line.get(at..end).unwrap_or_default()));
                    places.entry(end).or_insert(found);
                }
            }
            Piece::Any => {}
        }
    }
    places
}

#[derive(Clone)]
enum RawPiece {
    Text(String),
    Any,
    Choice(Vec<Vec<RawPiece>>),
    Hole { kind: String, into: Option<String> },
}

/// ```abnf
/// pattern = *(plain / "\" any / "{}" / "{" choice "}" / hole / "<")
/// choice  = pattern *("|" pattern)
/// hole    = "<" name [":" name] ">"
/// ```
///
/// Outside of braces `|` is itself.
fn pieces(input: &str) -> IResult<&str, Vec<RawPiece>> {
    many0(alt((map(tag("|"), text), piece))).parse(input)
}

fn choices(input: &str) -> IResult<&str, Vec<Vec<RawPiece>>> {
    separated_list1(char('|'), many0(piece)).parse(input)
}

fn text(text: &str) -> RawPiece {
    RawPiece::Text(text.to_owned())
}

fn piece(input: &str) -> IResult<&str, RawPiece> {
    let hole = delimited(char('<'), pair(name, opt(preceded(char(':'), name))), char('>'));
    alt((
        map(is_not("\\{}|<"), text),
        map(preceded(char('\\'), take(1_usize)), text),
        value(RawPiece::Any, tag("{}")),
        map(delimited(char('{'), choices, char('}')), RawPiece::Choice),
        map(hole, |(kind, into): (&str, Option<&str>)| RawPiece::Hole {
            kind: kind.to_owned(),
            into: into.map(str::to_owned),
        }),
        map(tag("<"), text),
    ))
    .parse(input)
}

/// ```abnf
/// moves = move *(["-"] move)
/// ```
fn moves(input: &str) -> IResult<&str, ()> {
    value((), pair(lexis::move_text, many0(preceded(opt(char('-')), lexis::move_text)))).parse(input)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    const START: &str =
        "WORD pass = PA|pass|--\nWORD move = <square>|<pass>\n== start -- Begins\n> hello\n";

    fn walk_of(acts: &str) -> Result<Walk, WalkError> {
        Walk::read(&format!("{START}{acts}\n"))
    }

    /// The pattern of an expectation in a walk that has captured `own`.
    fn pattern(text: &str) -> Pattern {
        let walk = walk_of(&format!("< <word:own>\n< {text}")).unwrap();
        match walk.steps[0].acts.last() {
            Some((_, Act::Expect(pattern))) => pattern.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn notes() -> Notes {
        let mut notes = Notes::default();
        notes.texts.insert("own".to_owned(), "F5".to_owned());
        notes.lists.insert("commands".to_owned(), vec!["= undo".to_owned(), "play".to_owned()]);
        notes
    }

    #[test]
    fn every_walk_can_be_read_and_begins_with_its_start() {
        for row in WALKS {
            let walk = Walk::read(row.text).unwrap_or_else(|error| panic!("{}: {error}", row.dialect));
            assert_eq!(walk.steps[0].name, "start", "{}", row.dialect);
            // Scripts look for these words in the lines of a report.
            for step in &walk.steps {
                assert!(!step.about.contains("fail") && !step.name.contains("fail"), "{}", step.name);
            }
        }
    }

    #[test]
    fn every_dialect_has_a_walk() {
        for row in crate::DIALECTS {
            assert!(walk_text(row.name).is_some(), "{}", row.name);
        }
    }

    #[test]
    fn patterns_fit_what_they_say_and_nothing_else() {
        for (text, fits, does_not) in [
            ("ok", &["ok"][..], &["ok ", "OK", ""][..]),
            ("", &[""], &[" "]),
            ("{}", &["", "a b"], &[]),
            ("pong {1|2}", &["pong 1", "pong 2"], &["pong 3", "pong 12"]),
            ("={| {}}", &["=", "= ", "= 2"], &["=2"]),
            ("<square>", &["a1", "F5", "p16", "h10"], &["q1", "a0", "a17", "aa", "f5 "]),
            ("<square>x", &["a1x", "a16x"], &["ax", "a1"]),
            ("<moves>", &["F5", "f5D6pa", "F5-PA-c3"], &["", "f", "f5-", "-f5"]),
            ("<count>", &["0", "12"], &["-1", "", "1.0"]),
            ("<number>", &["0", "-1.25", "+3"], &["", ".", "1.", "+", "1e5", "- 1"]),
            ("<word>=<word>", &["a=b", "a=b=c"], &["a = b", "=b"]),
            ("<text>!", &["a b!", "!!"], &["!"]),
            ("<move>", &["c3", "PA", "--"], &["P"]),
            ("play <own>", &["play F5", "play f5"], &["play f6", "play <own>"]),
            ("{<count>|<word>} x|y", &["3 x|y", "b x|y"], &["3 x", "b y"]),
            ("a \\<= v \\{\\}", &["a <= v {}"], &["a <= v "]),
            ("x <= y < z", &["x <= y < z"], &["x = y < z"]),
            ("{}a{}b{}c", &["abc", "xxaxxbxxc"], &["acb"]),
            ("ä{}ö", &["äö", "äüö"], &["ä"]),
        ] {
            let pattern = pattern(text);
            assert_eq!(pattern.to_string(), text);
            for line in fits {
                assert!(pattern.captures(line, &notes()).is_some(), "'{text}' and '{line}'");
            }
            for line in does_not {
                assert!(pattern.captures(line, &notes()).is_none(), "'{text}' and '{line}'");
            }
        }
    }

    #[test]
    fn captures_are_what_stands_in_the_holes() {
        let found = |text: &str, line: &str| pattern(text).captures(line, &notes()).unwrap();
        let as_pairs = |found: &Captures| -> Vec<String> {
            found.iter().map(|(name, text)| format!("{name}={text}")).collect()
        };
        assert_eq!(as_pairs(&found("= <move:m>{| {}}", "= D3 x")), ["m=D3"]);
        assert_eq!(as_pairs(&found("{a <word:w>|b <count:n>}", "b 17")), ["n=17"]);
        assert_eq!(as_pairs(&found("<square:a>-<square:b>", "a10-b2")), ["a=a10", "b=b2"]);
        // Within one line a name means what was captured before it on the line.
        assert_eq!(as_pairs(&found("<square:a><a>", "d4D4")), ["a=d4"]);
        assert!(pattern("<square:a><a>").captures("d4d5", &notes()).is_none());
    }

    #[test]
    fn long_lines_cost_no_more_than_their_length_and_many_holes_allow() {
        let pattern = pattern("{}a{}a{}a{}a{}a{}a{}b");
        let line = "a".repeat(1 << 14);
        assert!(pattern.captures(&line, &notes()).is_none());
    }

    #[test]
    fn what_is_sent_stands_as_it_is_but_for_names_and_escapes() {
        let sent = |acts: &str| {
            let walk = walk_of(&format!("< <word:own>\n{acts}")).unwrap();
            let (_, Act::Send(template)) = walk.steps[0].acts.last().unwrap() else { panic!("{acts}") };
            template.filled(&notes())
        };
        assert_eq!(sent("> play <own> {a|b}"), b"play F5 {a|b}\n");
        assert_eq!(sent(">"), b"\n");
        assert_eq!(sent(">> a\\r\\n\\x00\\xff\\\\\\<own>"), b"a\r\n\0\xff\\<own>");
        assert_eq!(sent(">> \\*3(ab\\n)c"), b"ab\nab\nab\nc");
        // Lines that stand together are one write.
        assert_eq!(sent("> a\n>> b\n# and\n> c"), b"a\nbc\n");
    }

    #[test]
    fn needs_look_at_lines_and_words_of_a_list() {
        let need = |text: &str| {
            let walk = walk_of(&format!("== b -- B\nNEEDS {text}\n> x")).unwrap();
            notes().meets(&walk.steps[1].needs[0])
        };
        assert!(need("commands undo") && need("commands = undo") && need("commands pl{}"));
        assert!(!need("commands und") && !need("options undo"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_walk_or_names_its_line(text in "[<>{}|\\\\a-c:=*()x0-9 .-]{0,40}", line in ".{0,40}") {
            for mark in ["<", "<*", ">", ">>", "NEEDS a", "NEVER", "SKIP", "WITHIN", "END", "==", "KEEP"] {
                match walk_of(&format!("{mark} {text}")) {
                    Err(error) => proptest::prop_assert!(error.line > 0),
                    Ok(walk) => for (_, act) in &walk.steps[0].acts {
                        match act {
                            Act::Expect(pattern) => drop(pattern.captures(&line, &notes())),
                            Act::Send(template) => drop(template.filled(&notes())),
                            _ => {}
                        }
                    },
                }
            }
        }
    }

    #[test]
    fn a_walk_that_cannot_be_read_names_its_line() {
        for (acts, line, what) in [
            ("hm", 5, WalkFault::NoSuchLine),
            ("< <nothing>", 5, WalkFault::Unknown("nothing".to_owned())),
            ("> <own>", 5, WalkFault::Unknown("own".to_owned())),
            ("< {a", 5, WalkFault::Unreadable),
            ("< <square:move>", 5, WalkFault::Twice("move".to_owned())),
            ("> \\q", 5, WalkFault::Unreadable),
            (&format!("< {}", "{".repeat(100_000)), 5, WalkFault::Unreadable),
            (&format!("> {}", "\\*1(".repeat(100_000)), 5, WalkFault::Unreadable),
            ("> \\*99999999(x)", 5, WalkFault::Unreadable),
            ("WITHIN soon", 5, WalkFault::NoNumber("soon".to_owned())),
            ("WITHIN 10\n< a", 6, WalkFault::NothingSent),
            ("<* a\n> b", 6, WalkFault::OpenEnd),
            ("< ...\nEOF", 6, WalkFault::OpenEnd),
            ("== start -- again", 5, WalkFault::Twice("start".to_owned())),
            ("== b", 5, WalkFault::NoStep),
            ("== b -- B\n== c -- C", 6, WalkFault::Empty),
            ("WORD a = b", 5, WalkFault::WrongPlace),
            ("NEEDS list a", 5, WalkFault::WrongPlace),
            ("FRESH", 5, WalkFault::WrongPlace),
            // What a step captured is not known in the next one, unless it is the first.
            ("== b -- B\n< <word:x>\n== c -- C\n< <x>", 8, WalkFault::Unknown("x".to_owned())),
        ] {
            let error = walk_of(acts).unwrap_err();
            assert_eq!((error.line, error.what), (line, what), "{acts}");
        }
        assert_eq!(Walk::read("# nothing\n").unwrap_err().what, WalkFault::NoSteps);
        assert_eq!(Walk::read("> a\n").unwrap_err().what, WalkFault::WrongPlace);
        let told = walk_of("< {a").unwrap_err().to_string();
        assert_eq!(told, "line 5: '< {a': what stands behind the mark cannot be read");
    }
}
