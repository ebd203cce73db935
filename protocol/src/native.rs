//! The native dialect, `rp 1`: every board, every variant, typed refusals.
//!
//! Grammar, forms of reply and sessions are in `spec/native.md`. One line in is one request;
//! each reply is some `+` lines and one line that begins with `ok` or `err`. The engine's side
//! stands first, the client's side behind it.

use std::collections::VecDeque;
use std::fmt::{self, Write};

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, Garble, Heard, Identity, Limit, Limits, Next, Order, Situation,
    Topic, Unsayable,
};
use crate::fault::{clip, clip_answer};
use crate::format::record;
use crate::lexis::{
    MOST_ITEMS, move_list, move_word, read_clock, read_decimal, read_half_discs, read_number,
    read_point, read_side,
};
use crate::line::LineFault;
use crate::message::{
    BestText, BoundText, ClockState, Code, Done, EndReason, Event, Failure, Habits, InfoText, LogText,
    OptionText, PassReason, Phase, PlyText, PonderText, Purpose, Reading, Request, SearchText,
    ShowStyle, StateText, Tag, Tagged, Urgency, ValueText, Whose, Word,
};
use crate::options::SELECTIVITIES;
use crate::position::{FenDialect, Orientation, read_fen, read_line_form, read_token};
use crate::variant::read_variant;
use crate::words::{Cell, HalfDiscs, MoveText, MoveWord, Point, Side};

/// Version of the protocol.
pub const VERSION: u32 = 1;

/// Forms of reply that the request alone does not tell.
mod form {
    /// The usual one.
    pub const PLAIN: u16 = 0;
    /// Only the variant of a state.
    pub const VARIANT: u16 = 1;
    /// A proof is promised, so the reply says whether it is one.
    pub const SOLVE: u16 = 2;
}

/// The table of commands: verb, arguments.
const COMMANDS: &[(&str, &str)] = &[
    ("rp", "[1]"),
    ("caps", ""),
    ("options", ""),
    ("ping", "[WORD]"),
    ("set", "NAME=VALUE..."),
    ("get", "NAME..."),
    ("clear", ""),
    ("quit", ""),
    ("new", "VARIANT [pos=TOKEN]"),
    ("variants", ""),
    ("variant", ""),
    ("pos", "[TOKEN]"),
    ("fen", "[orient=chess|top] [dialect=plain|edax|fairy] FEN..."),
    ("line", "CELLS SIDE"),
    ("show", "[style=ascii|wide]"),
    ("moves", ""),
    ("why", "SQ"),
    ("count", ""),
    ("score", ""),
    ("status", ""),
    ("log", ""),
    ("record", ""),
    ("play", "[side=x|o] SQ..."),
    ("pass", ""),
    ("undo", "[N]"),
    ("redo", "[N]"),
    ("resign", "SIDE"),
    ("timeout", "SIDE [hard]"),
    ("abandon", ""),
    ("agree", "SIDE|none MARGIN"),
    ("replay", "RECORD|SQ..."),
    ("clock", "[x|o|both INI[/INC[/EXT]]]"),
    ("elapsed", "SIDE SECONDS"),
    ("left", "SIDE SECONDS"),
    (
        "go",
        "[depth=] [nodes=] [movetime=MS] [level=] [sel=PERCENT] [clock=on] [infinite] [moves=a,b] [multipv=N] [ponder=SQ]",
    ),
    ("hit", ""),
    ("stop", ""),
    ("wait", ""),
    ("hint", "[n=N] [depth=] [nodes=] [movetime=MS] [level=] [sel=PERCENT]"),
    ("eval", ""),
    ("solve", "[exact|wld] [rule=wof|discs] [all=1]"),
    ("analyze", "[depth=] [nodes=] [movetime=MS] [level=] [sel=PERCENT]"),
    ("perft", "DEPTH [pass=ply|free]"),
];

/// The dialect; it keeps nothing between lines.
#[derive(Debug, Default)]
pub struct Native;

impl Native {
    /// A conversation in this dialect.
    #[must_use]
    pub fn new() -> Native {
        Native
    }
}

// ---------------------------------------------------------------------------------------------
// Reading

/// Most words `key=value` on a line.
const MOST_KEYS: usize = 100;

/// The words behind a verb.
struct Arguments<'a> {
    /// Words without `=`, in order.
    plain: VecDeque<&'a str>,
    /// `key=value`, not yet used.
    keyed: Vec<(&'a str, &'a str)>,
}

/// A word is `key=value` only if the text before its first `=` is `[a-z][a-z_]*`.
fn key_value(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_key.then_some((key, value))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
}

/// `0`, or up to 19 digits without a leading zero.
fn is_id(word: &str) -> bool {
    word.len() <= 19
        && word.chars().all(|c| c.is_ascii_digit())
        && (word == "0" || !word.starts_with('0'))
        && !word.is_empty()
}

fn bad_argument(text: &str, why: &str) -> Failure {
    Failure::new(Code::BadArgument, why).with_text(clip(text))
}

fn bad_value(text: &str, why: impl Into<String>) -> Failure {
    Failure::new(Code::BadValue, why).with_text(clip(text))
}

impl<'a> Arguments<'a> {
    fn new(words: impl Iterator<Item = &'a str>) -> Result<Arguments<'a>, Failure> {
        let mut arguments = Arguments { plain: Default::default(), keyed: Vec::new() };
        for word in words {
            match key_value(word) {
                Some((key, _)) if arguments.keyed.iter().any(|(known, _)| *known == key) => {
                    return Err(bad_argument(word, "this key stands twice"));
                }
                Some(_) if arguments.keyed.len() >= MOST_KEYS => {
                    return Err(bad_argument(word, "a line has at most 100 keys"));
                }
                Some(pair) => arguments.keyed.push(pair),
                None => arguments.plain.push_back(word),
            }
        }
        Ok(arguments)
    }

    fn next(&mut self) -> Option<&'a str> {
        self.plain.pop_front()
    }

    fn need(&mut self, what: &str) -> Result<&'a str, Failure> {
        self.next().ok_or_else(|| Failure::new(Code::BadArgument, format!("{what} is missing")))
    }

    fn key(&mut self, key: &str) -> Option<&'a str> {
        let index = self.keyed.iter().position(|(known, _)| *known == key)?;
        Some(self.keyed.remove(index).1)
    }

    /// The value of a key, a number of this range.
    fn number(&mut self, key: &str, least: u64, most: u64) -> Result<Option<u64>, Failure> {
        self.key(key).map(|text| number(text, key, least, most)).transpose()
    }

    fn count(&mut self, key: &str, least: u32, most: u32) -> Result<Option<u32>, Failure> {
        let read = self.number(key, least.into(), most.into())?;
        Ok(read.and_then(|number| u32::try_from(number).ok()))
    }

    /// The value of a key, a number whose range is not for the dialect to know.
    fn any(&mut self, key: &str) -> Result<Option<u32>, Failure> {
        self.key(key).map(|text| any(text, key)).transpose()
    }

    /// The value of a key, one of these words.
    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, Failure> {
        let Some(text) = self.key(key) else { return Ok(None) };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let legal: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                Err(bad_value(text, format!("{key} is one of {}", legal.join(", "))))
            }
        }
    }

    fn side(&mut self) -> Result<Side, Failure> {
        let text = self.need("a side, x or o,")?;
        side(text)
    }

    /// Nothing may be left over.
    fn end(mut self) -> Result<(), Failure> {
        if let Some((key, value)) = self.keyed.first() {
            return Err(bad_argument(&format!("{key}={value}"), "the command takes no such key"));
        }
        match self.next() {
            Some(word) => Err(bad_argument(word, "the command takes no such argument")),
            None => Ok(()),
        }
    }
}

fn number(text: &str, what: &str, least: u64, most: u64) -> Result<u64, Failure> {
    read_number(text)
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| bad_value(text, format!("{what} is a whole number from {least} to {most}")))
}

/// A number whose range is the session's to check.
fn any(text: &str, what: &str) -> Result<u32, Failure> {
    read_number(text)
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| bad_value(text, format!("{what} is a whole number below 2^32")))
}

fn selectivity(text: &str) -> Result<u32, Failure> {
    let known = SELECTIVITIES.iter().find(|percent| percent.to_string() == text);
    known.copied().ok_or_else(|| {
        let legal: Vec<String> = SELECTIVITIES.iter().map(u32::to_string).collect();
        bad_value(text, format!("sel is one of {}", legal.join(", ")))
    })
}

fn side(text: &str) -> Result<Side, Failure> {
    read_side(text).ok_or_else(|| bad_value(text, "a side is x or o"))
}

fn seconds(text: &str) -> Result<f64, Failure> {
    let most = 1e9;
    read_decimal(text)
        .or_else(|| read_clock(text, 0.0).filter(|_| !text.contains('/')).map(|clock| clock.main))
        .filter(|seconds| (0.0..=most).contains(seconds))
        .ok_or_else(|| bad_value(text, "seconds are a number from 0 to 1000000000, or m:s"))
}

/// Comma-separated moves; what is beyond the length of a move list is one word that is none.
fn listed(text: &str) -> Vec<MoveWord> {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches(',');
    while !rest.is_empty() {
        if items.len() >= MOST_ITEMS {
            items.push(MoveWord::Unreadable(clip(rest)));
            break;
        }
        let (word, behind) = rest.split_once(',').unwrap_or((rest, ""));
        items.push(move_word(word));
        rest = behind.trim_start_matches(',');
    }
    items
}

/// Words that are each one square or several run together.
fn moves(words: VecDeque<&str>) -> Vec<MoveWord> {
    move_list(&Vec::from(words).join(" "))
}

/// The limits that searching commands share.
fn limits(search: &mut SearchText, arguments: &mut Arguments) -> Result<(), Failure> {
    search.depth = arguments.count("depth", 1, 256)?;
    search.nodes = arguments.number("nodes", 1, u64::MAX)?;
    search.movetime_ms = arguments.number("movetime", 1, 1_000_000_000)?;
    search.level = arguments.any("level")?;
    search.selectivity = arguments.key("sel").map(selectivity).transpose()?;
    Ok(())
}

/// Reads a verb with its arguments.
fn request(verb: &str, arguments: &mut Arguments) -> Result<Request, Failure> {
    let optional = |text: Option<&str>, what: &str, least: u64, most: u64| match text {
        None => Ok(1),
        Some(text) => {
            number(text, what, least, most).map(|read| u32::try_from(read).unwrap_or(u32::MAX))
        }
    };
    Ok(match verb {
        "rp" => {
            let version = match arguments.next() {
                None => u64::from(VERSION),
                Some(text) => number(text, "the version", 0, u32::MAX.into())?,
            };
            if version != u64::from(VERSION) {
                let mut failure = Failure::new(Code::Unsupported, "only version 1 is spoken");
                failure.version = Some(VERSION);
                return Err(failure);
            }
            Request::Hello { version: VERSION }
        }
        "caps" => {
            let lines = COMMANDS.iter().map(|(verb, arguments)| {
                let gap = if arguments.is_empty() { "" } else { " " };
                format!("+ command {verb}{gap}{arguments}\n")
            });
            Request::Known(lines.collect())
        }
        "options" => Request::Options,
        "ping" => Request::Ping(arguments.next().unwrap_or_default().to_owned()),
        "set" => {
            let pairs: Vec<_> = std::mem::take(&mut arguments.keyed)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            if pairs.is_empty() && arguments.plain.is_empty() {
                return Err(Failure::new(Code::BadArgument, "NAME=VALUE is missing"));
            }
            Request::Set(pairs)
        }
        "get" => {
            Request::Get(std::mem::take(&mut arguments.plain).into_iter().map(str::to_owned).collect())
        }
        "clear" => Request::Clear,
        "quit" => Request::Quit,
        "new" => Request::New {
            variant: Some(read_variant(arguments.need("the variant")?)?),
            position: arguments.key("pos").map(read_token).transpose()?,
        },
        "variants" => Request::Variants,
        "variant" => Request::Variant,
        "pos" => match arguments.next() {
            None => Request::Position,
            Some(token) => Request::SetUp { board: read_token(token)?, reading: None },
        },
        "fen" => {
            let orientation = arguments
                .choice("orient", &[("chess", Orientation::Chess), ("top", Orientation::Top)])?
                .unwrap_or_default();
            let dialects =
                [("plain", FenDialect::Plain), ("edax", FenDialect::Edax), ("fairy", FenDialect::Fairy)];
            let dialect = arguments.choice("dialect", &dialects)?.unwrap_or_default();
            let text: Vec<&str> = std::mem::take(&mut arguments.plain).into();
            if text.is_empty() {
                return Err(Failure::new(Code::BadArgument, "the FEN string is missing"));
            }
            let (board, reading) = read_fen(&text.join(" "), orientation, dialect)?;
            Request::SetUp { board, reading: Some(reading) }
        }
        "line" => {
            let text: Vec<&str> = std::mem::take(&mut arguments.plain).into();
            if text.is_empty() {
                return Err(Failure::new(Code::BadArgument, "the cells are missing"));
            }
            Request::SetUp { board: read_line_form(&text.join(" "))?, reading: None }
        }
        "show" => {
            let styles = [("ascii", ShowStyle::Ascii), ("wide", ShowStyle::Wide)];
            Request::Show(arguments.choice("style", &styles)?.unwrap_or_default())
        }
        "moves" => Request::Moves,
        "why" => {
            let text = arguments.need("the square, such as f5,")?;
            Request::Why(read_point(text).map_or_else(|| Word::Unreadable(text.to_owned()), Word::Read))
        }
        "count" => Request::Count,
        "score" => Request::Score,
        "status" => Request::Status,
        "log" => Request::Log,
        "record" => Request::Record,
        "play" => {
            let side = arguments.key("side").map(side).transpose()?;
            let moves = moves(std::mem::take(&mut arguments.plain));
            if moves.is_empty() {
                let prose = "the square is missing; play takes one or several, such as f5 or f5 d6 c3";
                return Err(Failure::new(Code::BadArgument, prose));
            }
            Request::Play { side, moves, seconds: None }
        }
        "pass" => Request::Pass { side: None },
        "undo" => Request::Undo(optional(arguments.next(), "the number of moves", 1, 1000)?),
        "redo" => Request::Redo(optional(arguments.next(), "the number of moves", 1, 1000)?),
        "resign" => Request::Resign(arguments.side()?),
        "timeout" => {
            let side = arguments.side()?;
            let hard = match arguments.next() {
                None => false,
                Some("hard") => true,
                Some(other) => {
                    return Err(bad_argument(other, "behind the side stands nothing or hard"));
                }
            };
            Request::Timeout { side, hard }
        }
        "abandon" => Request::Abandon,
        "agree" => {
            let winner = match arguments.need("the winner, x, o or none,")? {
                "none" => None,
                text => Some(side(text)?),
            };
            let margin = match (arguments.next(), winner) {
                (None, None) => HalfDiscs(0),
                (None, Some(_)) => return Err(Failure::new(Code::BadArgument, "the margin is missing")),
                (Some(text), _) => {
                    read_half_discs(text).filter(|margin| margin.0 >= 0).ok_or_else(|| {
                        bad_value(text, "the margin is a number of discs in halves, 0 or more")
                    })?
                }
            };
            Request::Agree { winner, margin }
        }
        "replay" => replay(arguments)?,
        "clock" => {
            let side = match arguments.next() {
                None | Some("both") => None,
                Some(text) => Some(side(text)?),
            };
            let clock = arguments
                .next()
                .map(|text| {
                    read_clock(text, 0.0).ok_or_else(|| {
                        bad_value(
                            text,
                            "a clock is INI[/INC[/EXT]], each [[h:]m:]s and at most 1000000000 s",
                        )
                    })
                })
                .transpose()?;
            Request::Clock { side, clock }
        }
        "elapsed" => Request::Elapsed {
            side: arguments.side()?,
            seconds: seconds(arguments.need("the time in seconds")?)?,
        },
        "left" => Request::Left {
            whose: Whose::Side(arguments.side()?),
            seconds: seconds(arguments.need("the time in seconds")?)?,
            moves: Some(0),
        },
        "go" | "hint" | "eval" | "solve" | "analyze" => Request::Search(search(verb, arguments)?),
        "hit" => Request::PonderHit,
        "stop" => Request::Stop,
        "wait" => Request::Wait,
        "perft" => {
            let depth = any(arguments.need("the depth")?, "the depth")?;
            let pass_free =
                arguments.choice("pass", &[("ply", false), ("free", true)])?.unwrap_or_default();
            Request::Perft { depth, pass_free }
        }
        "book" => {
            arguments.plain.clear();
            arguments.keyed.clear();
            return Err(Failure::new(Code::Unsupported, "there is no book yet"));
        }
        other => {
            return Err(Failure::new(Code::UnknownCommand, "no such command; `caps` lists them")
                .with_text(clip(other)));
        }
    })
}

fn replay(arguments: &mut Arguments) -> Result<Request, Failure> {
    let plain = std::mem::take(&mut arguments.plain);
    if plain.front() != Some(&record::HEAD) {
        let moves = moves(plain);
        if moves.is_empty() {
            return Err(Failure::new(Code::BadArgument, "the record or the moves are missing"));
        }
        return Ok(Request::Replay { head: None, moves, result: None });
    }
    // What follows the result looks like keys and belongs to the record.
    arguments.keyed.clear();
    let record = record::read(&Vec::from(plain).join(" "))?;
    let result = (record.result != "-").then_some(record.result);
    Ok(Request::Replay {
        head: Some(Box::new((record.variant, record.start))),
        moves: record.moves,
        result,
    })
}

fn search(verb: &str, arguments: &mut Arguments) -> Result<SearchText, Failure> {
    let switch = [("on", true), ("off", false)];
    let mut search = SearchText::new(match verb {
        "go" => Purpose::Go,
        "hint" => Purpose::Hint,
        "solve" => Purpose::Solve,
        "analyze" => Purpose::Analyze,
        _ => Purpose::Eval,
    });
    match verb {
        "go" => {
            limits(&mut search, arguments)?;
            search.clock = arguments.choice("clock", &switch)?.unwrap_or_default();
            search.multipv = arguments.any("multipv")?;
            search.moves = arguments.key("moves").map(listed).unwrap_or_default();
            search.ponder = arguments.key("ponder").map(move_word).map(PonderText::Predicted);
            if arguments.plain.front() == Some(&"infinite") {
                search.infinite = true;
                arguments.next();
            }
        }
        "hint" => {
            limits(&mut search, arguments)?;
            search.multipv = arguments.any("n")?;
        }
        "analyze" => limits(&mut search, arguments)?,
        "solve" => {
            match arguments.plain.front() {
                Some(&word @ ("exact" | "wld")) => {
                    search.wld = word == "wld";
                    arguments.next();
                }
                Some(other) => return Err(bad_argument(other, "solve takes exact or wld")),
                None => {}
            }
            search.rule_discs = arguments.choice("rule", &[("wof", false), ("discs", true)])?;
            search.all = arguments.choice("all", &[("1", true), ("0", false)])?.unwrap_or_default();
        }
        _ => {}
    }
    Ok(search)
}

fn form_of(request: &Request) -> u16 {
    match request {
        Request::Variant => form::VARIANT,
        Request::Search(search) if search.purpose == Purpose::Solve => form::SOLVE,
        _ => form::PLAIN,
    }
}

/// The id at the start of a line, and the words behind it.
fn split_id(line: &str) -> (Option<String>, impl Iterator<Item = &str>) {
    let mut words = words(line).peekable();
    let id = words.next_if(|word| is_id(word)).map(str::to_owned);
    (id, words)
}

impl Dialect for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn habits(&self) -> Habits {
        Habits { announces_passes: true, undo_whole_moves: true, ..Habits::PLAIN }
    }

    /// ```abnf
    /// line     = [id 1*blank] [verb *(1*blank argument)]
    /// id       = "0" / %x31-39 0*18DIGIT
    /// argument = key "=" value / word
    /// key      = %x61-7A *(%x61-7A / "_")
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let (id, mut words) = split_id(line);
        let request = match words.next() {
            None if id.is_none() => Request::Nothing,
            None => Request::Unreadable(Failure::new(Code::UnknownCommand, "no command behind the id")),
            Some(verb) => Arguments::new(words)
                .and_then(|mut arguments| {
                    let request = request(verb, &mut arguments)?;
                    arguments.end()?;
                    Ok(request)
                })
                .unwrap_or_else(Request::Unreadable),
        };
        let form = form_of(&request);
        Tagged { tag: Tag { id, form }, request }
    }

    /// Only `stop` reaches into a running search when it is read. Whatever else ends
    /// a search does so when its turn comes, so that a script may send `solve` and `new` in one
    /// go and still get its solution.
    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match tagged.request {
            Request::Ping(_) => Urgency::Now,
            // `quit` comes in its turn: what was asked before it is still answered.
            Request::Stop => Urgency::StopsSearch,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = event_lines(tag, event, out);
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let (id, _) = split_id(why.head());
        let failure = Failure::new(Code::BadArgument, why.to_string());
        Tagged { tag: Tag { id, form: form::PLAIN }, request: Request::Unreadable(failure) }
    }
}

// ---------------------------------------------------------------------------------------------
// Writing

/// A value in a `key=value` word: blanks and control characters become `_`, nothing becomes `-`,
/// so that a line always splits at its blanks.
struct Plain<'a>(&'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("-");
        }
        self.0
            .chars()
            .try_for_each(|c| f.write_char(if c.is_whitespace() || c.is_control() { '_' } else { c }))
    }
}

/// Prose on one line.
struct Prose<'a>(&'a str);

impl fmt::Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| f.write_char(if c.is_control() { ' ' } else { c }))
    }
}

/// Items joined by commas; `-` for none.
struct Commas<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("-");
        }
        for (index, item) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// A value in discs: a whole number with its sign when it is proved, decimals when it is a guess.
struct Score(ValueText);

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0.centidiscs < 0 { '-' } else { '+' };
        let (discs, rest) =
            (self.0.centidiscs.unsigned_abs() / 100, self.0.centidiscs.unsigned_abs() % 100);
        match rest {
            0 if self.0.exact => write!(f, "{sign}{discs}"),
            rest if rest % 10 == 0 => write!(f, "{sign}{discs}.{}", rest / 10),
            rest => write!(f, "{sign}{discs}.{rest:02}"),
        }
    }
}

/// Seconds without needless decimals.
struct Seconds(f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = (self.0 * 1000.0).round() / 1000.0;
        // No "-0".
        write!(f, "{}", if rounded == 0.0 { 0.0 } else { rounded })
    }
}

fn bit(set: bool) -> u8 {
    u8::from(set)
}

fn event_lines(tag: &Tag, event: &Event, out: &mut String) -> fmt::Result {
    match event {
        Event::Placed { side, at } => writeln!(out, "+ place {side} {at}"),
        Event::Played { side, at, flips } => writeln!(out, "+ play {side} {at} flips={}", Commas(flips)),
        Event::Passed { side, reason } => {
            let reason = match reason {
                PassReason::NoMove => "no_move",
                PassReason::NoDiscs => "no_discs",
            };
            writeln!(out, "+ pass {side} reason={reason}")
        }
        Event::Legal { at, flips } if flips.is_empty() => writeln!(out, "+ legal {at}"),
        Event::Legal { at, flips } => writeln!(out, "+ legal {at} flips={}", Commas(flips)),
        Event::Row { number, cells } => writeln!(out, "+ row {number} {}", Prose(cells)),
        Event::Logged { number, side, what } => match what {
            LogText::Place(at) => writeln!(out, "+ log {number} {side} place {at}"),
            LogText::Play(at) => writeln!(out, "+ log {number} {side} play {at}"),
            LogText::Pass => writeln!(out, "+ log {number} {side} pass"),
        },
        // The reply that follows says it.
        Event::Stands(_) | Event::Over(_) => Ok(()),
        Event::Hint { rank, info } => hint(*rank, info, out),
        Event::Solved { value, rule_discs, wld, moves, pv, nodes, time_ms } => {
            write!(out, "+ solved score={}", Score(*value))?;
            if *wld {
                let word = match value.centidiscs.signum() {
                    1 => "win",
                    0 => "draw",
                    _ => "loss",
                };
                write!(out, " wld={word}")?;
            }
            let rule = if *rule_discs { "discs" } else { "wof" };
            writeln!(
                out,
                " rule={rule} moves={} pv={} nodes={nodes} time={time_ms}",
                Commas(moves),
                Commas(pv)
            )
        }
        Event::MoveValue { at, value } => {
            writeln!(out, "+ move {at} score={} exact={}", Score(*value), bit(value.exact))
        }
        Event::Counted { depth, nodes, pass_free } => {
            let pass = if *pass_free { "free" } else { "ply" };
            writeln!(out, "+ perft depth={depth} nodes={nodes} pass={pass}")
        }
        Event::Ply(ply) => ply_line(ply, out),
        Event::ClockLeft { side, left, state } => {
            let state = match state {
                ClockState::Main => "main",
                ClockState::Extension => "ext",
                ClockState::Hard => "hard",
            };
            writeln!(out, "+ clock {side} left={} state={state}", Seconds(*left))
        }
        Event::Option(option) => option_line(option, out),
        Event::VariantRow { name, about } => {
            writeln!(out, "+ variant {} -- {}", Plain(name), Prose(about))
        }
        Event::Info { search, info } => info_line(*search, info, out),
        Event::Best(best) => best_line(best, out),
        Event::Finished { .. } => Ok(()),
        Event::Done(done) => done_line(tag, done, out),
        Event::Failed(failure) => failure_line(tag, failure, out),
    }
}

fn hint(rank: u32, info: &InfoText, out: &mut String) -> fmt::Result {
    write!(out, "+ hint {rank} ")?;
    match info.pv.first() {
        Some(first) => write!(out, "{first}")?,
        None => out.push('-'),
    }
    writeln!(
        out,
        " score={} exact={} depth={} sel={} pv={}",
        Score(info.value),
        bit(info.value.exact),
        info.depth,
        info.selectivity,
        Commas(&info.pv)
    )
}

fn ply_line(ply: &PlyText, out: &mut String) -> fmt::Result {
    write!(out, "+ ply {} {} ", ply.number, ply.side)?;
    match ply.played {
        Some(played) => write!(out, "{played}")?,
        None => out.push('-'),
    }
    write!(out, " value={}", Score(ply.value))?;
    let exact = ply.value.exact && ply.after.is_none_or(|after| after.exact);
    match ply.after {
        Some(after) => {
            let loss = ply.value.centidiscs.saturating_sub(after.centidiscs);
            let loss = Score(ValueText { centidiscs: loss, exact, ..ply.value }).to_string();
            let loss = loss.strip_prefix('+').unwrap_or(&loss);
            write!(out, " after={} best={} loss={loss}", Score(after), Commas(&ply.best))?;
        }
        None => write!(out, " after=- best={} loss=-", Commas(&ply.best))?,
    }
    writeln!(out, " exact={}", bit(exact))
}

fn option_line(option: &OptionText, out: &mut String) -> fmt::Result {
    write!(
        out,
        "+ option {} type={} default={}",
        Plain(&option.name),
        Plain(&option.kind),
        Plain(&option.default)
    )?;
    if let Some(min) = option.min {
        write!(out, " min={min}")?;
    }
    if let Some(max) = option.max {
        write!(out, " max={max}")?;
    }
    if !option.choices.is_empty() {
        write!(out, " choices={}", Commas(&option.choices))?;
    }
    writeln!(out, " value={}", Plain(&option.value))
}

fn info_line(search: u32, info: &InfoText, out: &mut String) -> fmt::Result {
    let bound = match info.value.bound {
        BoundText::Value => "value",
        BoundText::Lower => "lower",
        BoundText::Upper => "upper",
    };
    let nps = info.nodes.saturating_mul(1000) / info.time_ms.max(1);
    writeln!(
        out,
        "! info search={search} depth={} sel={} multipv={} score={} bound={bound} exact={} nodes={} nps={nps} time={} pv={}",
        info.depth,
        info.selectivity,
        info.multipv,
        Score(info.value),
        bit(info.value.exact),
        info.nodes,
        info.time_ms,
        Commas(&info.pv)
    )
}

fn best_line(best: &BestText, out: &mut String) -> fmt::Result {
    match best.at {
        Some(at) => write!(out, "! best {at} search={}", best.search)?,
        None => write!(out, "! best none search={}", best.search)?,
    }
    if let Some(value) = best.value {
        write!(out, " score={}", Score(value))?;
    }
    if let Some(ponder) = best.ponder {
        write!(out, " ponder={ponder}")?;
    }
    write!(out, " nodes={} time={}", best.nodes, best.time_ms)?;
    if best.failed {
        out.push_str(" failed=1");
    }
    out.push('\n');
    Ok(())
}

fn done_line(tag: &Tag, done: &Done, out: &mut String) -> fmt::Result {
    if let Done::Known(text) = done {
        out.push_str(text);
    }
    if let Done::Record(line) = done {
        writeln!(out, "+ record {}", Prose(line))?;
    }
    out.push_str("ok");
    if let Some(id) = &tag.id {
        write!(out, " {id}")?;
    }
    match done {
        Done::Plain | Done::Record(_) | Done::Learned | Done::Progress(None) => {}
        Done::Progress(Some(progress)) => {
            write!(out, " nodes={} time={}", progress.nodes, progress.time_ms)?;
        }
        Done::Known(text) => write!(out, " n={}", text.lines().count())?,
        Done::Hello { version, name, program_version, autopass } => {
            let autopass = if *autopass { "on" } else { "off" };
            write!(
                out,
                " rp={version} name={} version={} autopass={autopass}",
                Plain(name),
                Plain(program_version)
            )?;
        }
        Done::Name(name) => write!(out, " name={}", Plain(name))?,
        Done::Version(version) => write!(out, " version={}", Plain(version))?,
        Done::Pong(word) => write!(out, " pong={}", Plain(word))?,
        Done::Values(values) => {
            for (name, value) in values {
                write!(out, " {}={}", Plain(name), Plain(value))?;
            }
        }
        Done::State { state, reading } => {
            if tag.form == form::VARIANT {
                write!(out, " variant={}", state.variant)?;
                if let Some(seed) = state.seed {
                    write!(out, " seed={seed}")?;
                }
            } else {
                state_keys(state, *reading, out)?;
            }
        }
        Done::Listed { n, side } => {
            write!(out, " n={n}")?;
            if let Some(side) = side {
                write!(out, " side={side}")?;
            }
        }
        Done::Legal { at, flips } if flips.is_empty() => write!(out, " sq={at}")?,
        Done::Legal { at, flips } => write!(out, " sq={at} flips={}", Commas(flips))?,
        Done::Count(black, white) => write!(out, " count={black}:{white}")?,
        Done::Started { search } => write!(out, " started=1 search={search}")?,
        Done::Searched { stopped, exact } => {
            if *stopped {
                out.push_str(" stopped=1");
            }
            if *exact || tag.form == form::SOLVE {
                write!(out, " exact={}", bit(*exact))?;
            }
        }
        Done::Generated(best) => match best.at {
            Some(at) => write!(out, " best={at}")?,
            None => out.push_str(" best=none"),
        },
    }
    out.push('\n');
    Ok(())
}

fn state_keys(state: &StateText, reading: Option<Reading>, out: &mut String) -> fmt::Result {
    if let Some(reading) = reading {
        write!(out, " orient={}", if reading.chess { "chess" } else { "top" })?;
    }
    write!(out, " variant={}", state.variant)?;
    if let Some(seed) = state.seed {
        write!(out, " seed={seed}")?;
    }
    write!(out, " pos={}", state.position)?;
    if state.position.cells.contains(&Cell::Hole) {
        write!(out, " squares={}", state.squares)?;
    }
    let phase = match state.phase {
        Phase::Place => "place",
        Phase::Play => "play",
        Phase::Over => "over",
    };
    write!(out, " phase={phase} next=")?;
    match state.next {
        Some(side) => write!(out, "{side}")?,
        None => out.push('-'),
    }
    let (black, white) = state.count;
    write!(out, " count={black}:{white} over={}", bit(state.ending.is_some()))?;
    if let Some(ending) = &state.ending {
        let reason = match ending.reason {
            EndReason::Score => "score",
            EndReason::Tie => "tie",
            EndReason::Resign => "resign",
            EndReason::Timeout => "timeout",
            EndReason::Abandoned => "abandoned",
            EndReason::Agreed => "agreed",
        };
        let winner = ending.winner.map_or("none".to_owned(), |side| side.to_string());
        write!(out, " reason={reason} winner={winner} official=")?;
        match ending.official {
            Some((black, white)) => write!(out, "{black}:{white}")?,
            None => out.push('-'),
        }
        match ending.margin {
            Some(margin) => write!(out, " margin={margin}")?,
            None => out.push_str(" margin=-"),
        }
    }
    if let Some(reading) = reading {
        let first = if reading.chess { "first row read as rank 8" } else { "first row read as row 1" };
        let first = first.replace('8', &state.position.rows.to_string());
        let side = if reading.side_assumed { "; no side given, Black assumed" } else { "" };
        write!(out, " -- {first}{side}")?;
    }
    Ok(())
}

fn failure_line(tag: &Tag, failure: &Failure, out: &mut String) -> fmt::Result {
    out.push_str("err");
    if let Some(id) = &tag.id {
        write!(out, " {id}")?;
    }
    write!(out, " {}", failure.code.word())?;
    if let Some(text) = &failure.text {
        write!(out, " text={}", Plain(text))?;
    }
    if let Some(square) = &failure.square {
        write!(out, " sq={}", Plain(square))?;
    }
    if let Some(done) = failure.done {
        write!(out, " done={done}")?;
    }
    if let Some(item) = failure.item {
        write!(out, " item={item}")?;
    }
    if let Some(legal) = &failure.legal {
        write!(out, " legal={}", Commas::<Point>(legal))?;
    }
    if let Some(version) = failure.version {
        write!(out, " rp={version}")?;
    }
    if !failure.prose.is_empty() {
        write!(out, " -- {}", Prose(&failure.prose))?;
    }
    out.push('\n');
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// The client's side. Every command has an id, so that a late reply is never taken for another
/// one's; the news of a search are told apart by its number.
#[derive(Debug, Default)]
pub struct NativeClient {
    identity: Identity,
    last_id: u64,
    /// Commands of the present order that are not yet sent.
    to_send: VecDeque<Command>,
    /// The command whose reply is awaited.
    asked: Option<Command>,
    /// The number of the search that the present order began.
    search: Option<u64>,
    /// What the search has said last about its best line.
    news: News,
    /// The engine makes forced passes by itself and would not stop doing so.
    passes_by_itself: bool,
}

#[derive(Clone, Debug)]
struct Command {
    role: Role,
    /// Without id and line end.
    text: String,
    id: u64,
}

/// What becomes of the reply to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nothing but that it was carried out.
    Plain,
    /// It tells who the engine is.
    Hello,
    /// A refusal tells that the engine passes by itself.
    NoAutopass,
    /// It tells the number of the search.
    Go,
}

/// A `! info` line, as far as it is of use.
#[derive(Clone, Debug, Default)]
struct News {
    depth: Option<u32>,
    nodes: Option<u64>,
    centidiscs: Option<i32>,
    exact: bool,
    pv: Vec<MoveText>,
}

impl NativeClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> NativeClient {
        NativeClient::default()
    }

    fn command(&mut self, role: Role, text: String) {
        self.last_id += 1;
        self.to_send.push_back(Command { role, text, id: self.last_id });
    }

    /// Sends the next command of the order, if there is one.
    fn send(&mut self, out: &mut String) -> Next {
        let Some(command) = self.to_send.pop_front() else { return Next::Done };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{} {}", command.id, command.text);
        self.asked = Some(command);
        Next::Wait
    }

    fn new_game(&mut self, game: &Situation) {
        let mut text = format!("new {}", game.variant);
        if !game.usual_start {
            // Writing to a string cannot fail.
            let _ = write!(text, " pos={}", game.start);
        }
        self.command(Role::Plain, text);
        if !game.moves.is_empty() {
            let moves: Vec<String> = game.moves.iter().map(|(_, at)| at.to_string()).collect();
            self.command(Role::Plain, format!("replay {}", moves.join(" ")));
        }
    }

    fn prepare(&mut self, limits: &Limits) {
        let Some(clock) = limits.clock else { return };
        for (side, left_ms) in [(limits.side, clock.own_ms), (limits.side.other(), clock.other_ms)] {
            let (left, increment) = (thousandths(left_ms), thousandths(clock.increment_ms));
            self.command(Role::Plain, format!("clock {side} {left}/{increment}"));
        }
    }

    fn choose(&mut self, limits: &Limits) {
        let mut text = "go".to_owned();
        let numbers = [
            ("depth", limits.depth.map(u64::from)),
            ("nodes", limits.nodes),
            ("movetime", limits.movetime_ms),
        ];
        for (key, value) in numbers {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = write!(text, " {key}={}", value.max(1));
            }
        }
        if limits.clock.is_some() {
            text.push_str(" clock=on");
        }
        self.news = News::default();
        self.command(Role::Go, text);
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), Unsayable> {
        let why = "an option is a lower-case word, and its value one word";
        let word = format!("{name}={value}");
        let is_word = !word.contains(|c: char| c.is_whitespace() || c.is_control());
        if key_value(&word).is_none_or(|(key, _)| key != name) || !is_word {
            return Err(Unsayable::new("native", Topic::Option, word, why));
        }
        if name == "autopass" {
            let why = "passes are said to every engine, so it is always off";
            return Err(Unsayable::new("native", Topic::Option, word, why));
        }
        self.command(Role::Plain, format!("set {word}"));
        Ok(())
    }

    /// A reply that begins with `ok` or `err`.
    fn reply<'a>(
        &mut self,
        done: bool,
        line: &str,
        rest: impl Iterator<Item = &'a str>,
        out: &mut String,
    ) -> Heard {
        let mut rest = rest.peekable();
        let id = rest.next_if(|word| is_id(word)).and_then(|word| word.parse::<u64>().ok());
        let Some(command) = self.asked.take_if(|asked| Some(asked.id) == id) else {
            // The reply to something that was given up.
            return if id.is_some_and(|id| id <= self.last_id) { Heard::Nothing } else { Heard::Stray };
        };
        if !done && command.role != Role::NoAutopass {
            self.to_send.clear();
            return Heard::Refused { asked: command.text, answer: clip_answer(line) };
        }
        let value = |wanted: &str| {
            rest.find_map(|word| key_value(word).filter(|(key, _)| *key == wanted))
                .map(|(_, value)| value.to_owned())
        };
        self.take(command.role, done, value, line).unwrap_or_else(|| match self.send(out) {
            Next::Done => Heard::Done,
            Next::Wait => Heard::Nothing,
        })
    }

    /// What the reply to a command says; `None` when the order goes on with its next command.
    fn take(
        &mut self,
        role: Role,
        done: bool,
        mut value: impl FnMut(&str) -> Option<String>,
        line: &str,
    ) -> Option<Heard> {
        match role {
            Role::Plain => None,
            Role::Hello => {
                self.identity.name = value("name");
                self.identity.version = value("version");
                None
            }
            Role::NoAutopass => {
                self.passes_by_itself = !done;
                None
            }
            Role::Go => {
                self.search = value("search").and_then(|text| text.parse().ok());
                Some(match self.search {
                    Some(_) => Heard::Nothing,
                    None => Heard::Garbled { line: clip(line), why: Garble::Incomplete },
                })
            }
        }
    }

    // news = "! info" *(SP key "=" value)
    fn info<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Heard {
        let (mut news, mut search, mut line) = (News::default(), None, 1);
        for (key, value) in words.filter_map(key_value) {
            match key {
                "search" => search = read_number(value),
                "multipv" => line = read_number(value).unwrap_or(1),
                "depth" => news.depth = value.parse().ok(),
                "nodes" => news.nodes = value.parse().ok(),
                "score" => news.centidiscs = read_centidiscs(value),
                "exact" => news.exact = value == "1",
                "pv" => news.pv = line_of_moves(value),
                _ => {}
            }
        }
        if search.is_some() && search == self.search && line == 1 {
            self.news = news;
        }
        Heard::Nothing
    }

    // best = "! best" SP (point / "pass" / "none") *(SP key "=" value)
    fn best<'a>(&mut self, line: &str, mut words: impl Iterator<Item = &'a str>) -> Heard {
        let word = words.next().unwrap_or_default();
        let (mut search, mut centidiscs, mut nodes) = (None, None, None);
        for (key, value) in words.filter_map(key_value) {
            match key {
                "search" => search = read_number(value),
                "score" => centidiscs = read_centidiscs(value),
                "nodes" => nodes = value.parse().ok(),
                _ => {}
            }
        }
        if search != self.search || self.search.is_none() {
            return Heard::Nothing;
        }
        self.search = None;
        let news = std::mem::take(&mut self.news);
        let at = match move_word(word) {
            MoveWord::Move(at) => at,
            // An engine that holds the game to be over has nothing to play.
            MoveWord::Unreadable(none) if none == "none" => MoveText::Pass,
            MoveWord::Unreadable(_) => {
                return Heard::Garbled { line: clip(line), why: Garble::NotAMove };
            }
        };
        let about_it = news.pv.first() == Some(&at);
        let said = |said: Option<i32>| said.filter(|_| about_it);
        let centidiscs = centidiscs.or(said(news.centidiscs));
        Heard::Chosen(Box::new(ChosenText {
            choice: ChoiceText::Move(at),
            centidiscs,
            exact: about_it && news.exact && centidiscs == news.centidiscs,
            depth: news.depth.filter(|_| about_it),
            nodes: nodes.or(news.nodes),
            pv: if about_it { news.pv } else { vec![at] },
        }))
    }
}

/// Seconds with as many decimals as are needed.
fn thousandths(milliseconds: u64) -> String {
    Seconds(milliseconds as f64 / 1000.0).to_string()
}

/// A number of discs, as hundredths.
fn read_centidiscs(text: &str) -> Option<i32> {
    read_decimal(text)
        .map(|discs| (discs * 100.0).round())
        .filter(|it| it.abs() < 1e6)
        .map(|it| it as i32)
}

/// Moves separated by commas, up to the first that is none.
fn line_of_moves(text: &str) -> Vec<MoveText> {
    let moves = text.split(',').map(|word| match move_word(word) {
        MoveWord::Move(at) => Some(at),
        MoveWord::Unreadable(_) => None,
    });
    moves.map_while(|at| at).collect()
}

impl Client for NativeClient {
    fn name(&self) -> &'static str {
        "native"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        self.to_send.clear();
        match *order {
            Order::Hello => {
                self.command(Role::Hello, format!("rp {VERSION}"));
                self.command(Role::NoAutopass, "set autopass=off".to_owned());
            }
            Order::Set { name, value } => self.option(name, value)?,
            Order::NewGame(game) => self.new_game(game),
            Order::Played { at: MoveText::Pass, .. } if self.passes_by_itself => {}
            Order::Played { at: MoveText::Pass, .. } => self.command(Role::Plain, "pass".to_owned()),
            Order::Played { at, .. } => self.command(Role::Plain, format!("play {at}")),
            Order::Prepare(limits) => self.prepare(limits),
            Order::Choose(limits) => self.choose(limits),
            Order::Board(_) | Order::GameOver => {}
            Order::Quit => {
                self.command(Role::Plain, "quit".to_owned());
                self.send(out);
                return Ok(Next::Done);
            }
        }
        Ok(self.send(out))
    }

    /// ```abnf
    /// reply = *data ("ok" [SP id] *(SP key "=" value) / "err" [SP id] SP code *any) [SP "--" prose]
    /// data  = "+" *any
    /// news  = "!" SP ("info" / "best") *any
    /// ```
    fn hear(&mut self, line: &str, out: &mut String) -> Heard {
        let mut words = words(line).take_while(|word| *word != "--");
        match words.next() {
            None | Some("+") => Heard::Nothing,
            Some("ok") => self.reply(true, line, words, out),
            Some("err") => self.reply(false, line, words, out),
            Some("!") => match words.next() {
                Some("info") => self.info(words),
                Some("best") => self.best(line, words),
                _ => Heard::Nothing,
            },
            Some(_) => Heard::Stray,
        }
    }

    fn give_up(&mut self, out: &mut String) {
        self.to_send.clear();
        let thinks =
            self.search.is_some() || self.asked.as_ref().is_some_and(|asked| asked.role == Role::Go);
        if thinks {
            self.command(Role::Plain, "stop".to_owned());
            self.send(out);
        }
        self.asked = None;
        self.search = None;
    }

    fn heeds(&self, _limit: Limit) -> bool {
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::EndingText;
    use crate::words::Mover;

    fn read(line: &str) -> Request {
        Native.read(line).request
    }

    fn refused(line: &str) -> Failure {
        match read(line) {
            Request::Unreadable(failure) => failure,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn render(line: &str, event: Event) -> String {
        let tagged = Native.read(line);
        let mut out = String::new();
        Native.render(&tagged.tag, &event, &mut out);
        out
    }

    fn at(text: &str) -> Point {
        read_point(text).unwrap()
    }

    fn value(centidiscs: i32, exact: bool) -> ValueText {
        ValueText { centidiscs, bound: BoundText::Value, exact }
    }

    fn state(variant: &str, token: &str, count: (u32, u32)) -> StateText {
        let position = read_token(token).unwrap();
        let next = match position.mover {
            Some(Mover::Side(side)) => Some(side),
            _ => None,
        };
        StateText {
            variant: read_variant(variant).unwrap(),
            seed: None,
            squares: position.cells.iter().filter(|cell| **cell != Cell::Hole).count() as u32,
            position,
            phase: Phase::Play,
            next,
            count,
            legal: Vec::new(),
            last: None,
            items: 0,
            ending: None,
        }
    }

    fn done(state: StateText) -> Event {
        Event::Done(Done::State { state: Box::new(state), reading: None })
    }

    #[test]
    fn ids_have_up_to_19_digits() {
        for (line, id) in [
            ("0 count", Some("0")),
            ("1234567890123456789 count", Some("1234567890123456789")),
            ("count", None),
        ] {
            let tagged = Native.read(line);
            assert_eq!((tagged.tag.id.as_deref(), tagged.request), (id, Request::Count));
        }
        assert_eq!(refused("007 count").code, Code::UnknownCommand);
        assert_eq!(refused("12345678901234567890 count").code, Code::UnknownCommand);
        assert_eq!(refused("12").code, Code::UnknownCommand);
        assert_eq!(read("  \t"), Request::Nothing);
    }

    #[test]
    fn every_verb_of_the_table_is_known() {
        for (verb, _) in COMMANDS {
            let unknown = matches!(read(verb), Request::Unreadable(failure) if failure.code == Code::UnknownCommand);
            assert!(!unknown, "{verb}");
        }
    }

    #[test]
    fn words_with_an_equals_sign_are_not_always_keys() {
        let Request::New { variant, position } =
            read("new othello+hole=3@42 pos=8/8/8/3ox3/3xo3/8/8/8,x")
        else {
            panic!()
        };
        assert_eq!(variant.unwrap().to_string(), "othello+hole=3@42");
        assert_eq!(position.unwrap().to_string(), "8/8/8/3ox3/3xo3/8/8/8,x");
    }

    #[test]
    fn squares_come_as_words_or_run_together() {
        let word = |text: &str| MoveWord::Move(MoveText::At(at(text)));
        let play = |side, moves: &[&str]| Request::Play {
            side,
            moves: moves.iter().map(|text| word(text)).collect(),
            seconds: None,
        };
        assert_eq!(read("play f5 D6 c3"), play(None, &["f5", "d6", "c3"]));
        assert_eq!(read("play f5d6c3"), play(None, &["f5", "d6", "c3"]));
        assert_eq!(read("play side=o k11"), play(Some(Side::White), &["k11"]));
        let Request::Play { moves, .. } = read("play f5 zz") else { panic!() };
        assert_eq!(moves[1], MoveWord::Unreadable("zz".into()));
    }

    #[test]
    fn long_lines_are_bounded() {
        // A key has no digits.
        let keys = |n: usize| {
            let name = |mut n: usize| {
                let mut name = String::new();
                for _ in 0..4 {
                    name.push(char::from(b'a' + (n % 26) as u8));
                    n /= 26;
                }
                name
            };
            (0..n).map(|n| format!("{}=1", name(n))).collect::<Vec<_>>().join(" ")
        };
        let Request::Set(pairs) = read(&format!("set {}", keys(MOST_KEYS))) else { panic!() };
        assert_eq!(pairs.len(), MOST_KEYS);
        for n in [MOST_KEYS + 1, 170_000] {
            let failure = refused(&format!("set {}", keys(n)));
            assert_eq!(failure.code, Code::BadArgument);
            assert!(failure.prose.contains(&MOST_KEYS.to_string()), "{}", failure.prose);
        }
        for gap in ["", " "] {
            let text = vec!["f5"; 100_000].join(gap);
            let Request::Play { moves, .. } = read(&format!("play {text}")) else { panic!() };
            assert_eq!(moves.len(), MOST_ITEMS + 1);
            let Request::Replay { moves, .. } = read(&format!("replay {text}")) else { panic!() };
            assert_eq!(moves.len(), MOST_ITEMS + 1);
        }
        let Request::Search(search) = read(&format!("go moves={}", "f5,,".repeat(100_000))) else {
            panic!()
        };
        assert_eq!(search.moves.len(), MOST_ITEMS + 1);
        let Request::Search(search) = read(&format!("go moves={}", ",f5,".repeat(MOST_ITEMS))) else {
            panic!()
        };
        assert_eq!(search.moves, vec![MoveWord::Move(MoveText::At(at("f5"))); MOST_ITEMS]);
    }

    #[test]
    fn arguments_are_strict() {
        for (line, code) in [
            ("foo", Code::UnknownCommand),
            ("Play f5", Code::UnknownCommand),
            ("play", Code::BadArgument),
            ("play f5 side=x side=o", Code::BadArgument),
            ("play f5 depth=3", Code::BadArgument),
            ("play side=z f5", Code::BadValue),
            ("count now", Code::BadArgument),
            ("go depth=0", Code::BadValue),
            ("go depth=x", Code::BadValue),
            ("go sel=101", Code::BadValue),
            ("go sel=50", Code::BadValue),
            ("hint sel=072", Code::BadValue),
            ("go quickly", Code::BadArgument),
            ("go clock=maybe", Code::BadValue),
            ("hint n=some", Code::BadValue),
            ("go level=-1", Code::BadValue),
            ("go multipv=4294967296", Code::BadValue),
            ("undo 0", Code::BadValue),
            ("perft", Code::BadArgument),
            ("perft +3", Code::BadValue),
            ("perft 3 pass=none", Code::BadValue),
            ("solve quickly", Code::BadArgument),
            ("solve rule=go", Code::BadValue),
            ("resign", Code::BadArgument),
            ("resign z", Code::BadValue),
            ("timeout x soon", Code::BadArgument),
            ("agree x", Code::BadArgument),
            ("agree x -2", Code::BadValue),
            ("elapsed x -1", Code::BadValue),
            ("clock x soon", Code::BadValue),
            ("new", Code::BadArgument),
            ("new othello+foo", Code::BadVariant),
            ("new othello pos=8", Code::BadSize),
            ("pos 3/3/3,x", Code::BadSize),
            ("pos 8/8/8/3ox3/3xo3/8/8/8", Code::BadPosition),
            ("fen", Code::BadArgument),
            ("fen 8/8 b", Code::BadSize),
            ("fen orient=left 8/8", Code::BadValue),
            ("line ---", Code::BadPosition),
            ("replay", Code::BadArgument),
            ("replay rp1 othello", Code::BadArgument),
            ("book load x=1", Code::Unsupported),
            ("rp 2", Code::Unsupported),
            ("set", Code::BadArgument),
            ("set depth", Code::BadArgument),
        ] {
            assert_eq!(refused(line).code, code, "{line}");
        }
        assert!(refused("go depth=999").prose.contains("from 1 to 256"));
    }

    #[test]
    fn searches_are_read_with_their_limits() {
        let Request::Search(search) = read(
            "go depth=9 nodes=1000 movetime=50 level=3 sel=73 clock=on infinite moves=f5,d6 multipv=2 ponder=d3",
        ) else {
            panic!()
        };
        assert_eq!((search.depth, search.nodes, search.movetime_ms), (Some(9), Some(1000), Some(50)));
        assert_eq!((search.level, search.selectivity, search.multipv), (Some(3), Some(73), Some(2)));
        assert!(search.clock && search.infinite && search.moves.len() == 2 && search.ponder.is_some());
        let Request::Search(search) = read("solve wld rule=discs all=1") else { panic!() };
        assert!(search.wld && search.all && search.rule_discs == Some(true));
        assert_eq!(read("perft 7 pass=free"), Request::Perft { depth: 7, pass_free: true });
        // These ranges are the session's.
        let most = u32::MAX;
        assert_eq!(read(&format!("perft {most}")), Request::Perft { depth: most, pass_free: false });
        let Request::Search(search) = read("go level=61 multipv=0") else { panic!() };
        assert_eq!((search.level, search.multipv), (Some(61), Some(0)));
        let Request::Search(search) = read("hint n=257") else { panic!() };
        assert_eq!(search.multipv, Some(257));
    }

    #[test]
    fn records_and_move_lists_are_replayed() {
        let Request::Replay { head, moves, result } =
            read("replay rp1 othello+hole=a2 8/_7/8/3ox3/3xo3/8/8/8,x f5d6 x50:14 seed=42")
        else {
            panic!()
        };
        assert_eq!((head.unwrap().0.to_string().as_str(), moves.len()), ("othello+hole=a2", 2));
        assert_eq!(result.as_deref(), Some("x50:14"));
        let Request::Replay { head: None, moves, result: None } = read("replay f5d6 -- c3 pass") else {
            panic!()
        };
        assert_eq!(moves.len(), 5);
    }

    #[test]
    fn clocks_are_read() {
        let Request::Clock { side: None, clock: Some(clock) } = read("clock both 5:00/0:10/2:00") else {
            panic!()
        };
        assert_eq!((clock.main, clock.increment, clock.extension), (300.0, 10.0, 120.0));
        assert_eq!(read("clock"), Request::Clock { side: None, clock: None });
        assert_eq!(read("elapsed x 301"), Request::Elapsed { side: Side::Black, seconds: 301.0 });
        assert_eq!(
            read("left o 1:30"),
            Request::Left { whose: Whose::Side(Side::White), seconds: 90.0, moves: Some(0) }
        );
    }

    #[test]
    fn only_ping_overtakes_and_only_stop_interrupts() {
        let urgency = |line: &str| Native.urgency(&Native.read(line));
        assert_eq!(urgency("ping x"), Urgency::Now);
        assert_eq!(urgency("stop"), Urgency::StopsSearch);
        assert_eq!(urgency("quit"), Urgency::Queued);
        for line in ["play f5", "go", "new othello", "wait", "foo"] {
            assert_eq!(urgency(line), Urgency::Queued, "{line}");
        }
    }

    #[test]
    fn states_are_written_key_by_key() {
        let start = state("othello", "8/8/8/3ox3/3xo3/8/8/8,x", (2, 2));
        assert_eq!(
            render("1 new othello", done(start.clone())),
            "ok 1 variant=othello pos=8/8/8/3ox3/3xo3/8/8/8,x phase=play next=x count=2:2 over=0\n"
        );
        assert_eq!(render("variant", done(start.clone())), "ok variant=othello\n");
        let reading = Some(Reading { chess: true, side_assumed: true });
        let fen = Event::Done(Done::State { state: Box::new(start), reading });
        assert_eq!(
            render("fen 8/8/8/3bw3/3wb3/8/8/8", fen),
            "ok orient=chess variant=othello pos=8/8/8/3ox3/3xo3/8/8/8,x phase=play next=x count=2:2 over=0 \
             -- first row read as rank 8; no side given, Black assumed\n"
        );
        let mut holes = state("othello+hole=a2.g2.d7", "8/_5_1/8/3ox3/3xo3/8/3_4/8,x", (2, 2));
        holes.seed = Some(42);
        assert_eq!(
            render("new othello+hole=3@42", done(holes)),
            "ok variant=othello+hole=a2.g2.d7 seed=42 pos=8/_5_1/8/3ox3/3xo3/8/3_4/8,x squares=61 phase=play next=x count=2:2 over=0\n"
        );
        let mut over = state("othello", "xx4oo/8/8/8/8/8/8/8,-", (2, 2));
        over.phase = Phase::Over;
        over.ending = Some(EndingText {
            reason: EndReason::Tie,
            winner: None,
            official: Some((HalfDiscs(64), HalfDiscs(64))),
            margin: Some(HalfDiscs(0)),
        });
        assert_eq!(
            render("status", done(over)),
            "ok variant=othello pos=xx4oo/8/8/8/8/8/8/8,- phase=over next=- count=2:2 over=1 reason=tie winner=none official=32:32 margin=0\n"
        );
    }

    #[test]
    fn refusals_are_written_in_their_order() {
        let mut failure = Failure::new(Code::NotCentre, "the first four discs go on the centre four");
        failure.square = Some("f5".into());
        failure.done = Some(2);
        failure.legal = Some(vec![at("d4"), at("e4")]);
        assert_eq!(
            render("play d5 e5 f5", Event::Failed(failure)),
            "err not_centre sq=f5 done=2 legal=d4,e4 -- the first four discs go on the centre four\n"
        );
        let mut failure = Failure::new(Code::GameOver, "");
        failure.square = Some("d3".into());
        failure.legal = Some(vec![]);
        assert_eq!(render("3 play d3", Event::Failed(failure)), "err 3 game_over sq=d3 legal=-\n");
        let Request::Unreadable(failure) = read("rp 2") else { panic!() };
        assert_eq!(
            render("rp 2", Event::Failed(failure)),
            "err unsupported rp=1 -- only version 1 is spoken\n"
        );
        let failure = Failure::new(Code::BadValue, "two\nlines").with_text("a b");
        assert_eq!(render("get x", Event::Failed(failure)), "err bad_value text=a_b -- two lines\n");
    }

    #[test]
    fn data_lines_are_written() {
        let play = Event::Played { side: Side::Black, at: at("d4"), flips: vec![at("d3"), at("c4")] };
        for (event, line) in [
            (play, "+ play x d4 flips=d3,c4\n"),
            (Event::Placed { side: Side::White, at: at("e5") }, "+ place o e5\n"),
            (
                Event::Passed { side: Side::White, reason: PassReason::NoMove },
                "+ pass o reason=no_move\n",
            ),
            (Event::Legal { at: at("f3"), flips: vec![at("e4")] }, "+ legal f3 flips=e4\n"),
            (Event::Legal { at: at("f3"), flips: vec![] }, "+ legal f3\n"),
            (
                Event::ClockLeft { side: Side::Black, left: 129.0, state: ClockState::Extension },
                "+ clock x left=129 state=ext\n",
            ),
            (
                Event::Counted { depth: 3, nodes: 56, pass_free: false },
                "+ perft depth=3 nodes=56 pass=ply\n",
            ),
            (Event::Logged { number: 2, side: Side::White, what: LogText::Pass }, "+ log 2 o pass\n"),
            (
                Event::MoveValue { at: MoveText::At(at("b1")), value: value(-1000, true) },
                "+ move b1 score=-10 exact=1\n",
            ),
            (
                Event::Solved {
                    value: value(-1000, true),
                    rule_discs: false,
                    wld: false,
                    moves: vec![MoveText::At(at("b1")), MoveText::At(at("a2"))],
                    pv: vec![],
                    nodes: 7,
                    time_ms: 1,
                },
                "+ solved score=-10 rule=wof moves=b1,a2 pv=- nodes=7 time=1\n",
            ),
            (
                Event::Ply(PlyText {
                    number: 1,
                    side: Side::Black,
                    played: Some(MoveText::At(at("f5"))),
                    value: value(200, true),
                    after: Some(value(-200, true)),
                    best: vec![MoveText::At(at("d3"))],
                    depth: 9,
                    selectivity: 100,
                    n_legal: 4,
                }),
                "+ ply 1 x f5 value=+2 after=-2 best=d3 loss=4 exact=1\n",
            ),
        ] {
            assert_eq!(render("status", event), line);
        }
    }

    #[test]
    fn news_of_a_search_is_written() {
        let info = InfoText {
            depth: 9,
            selectivity: 73,
            multipv: 1,
            value: value(0, false),
            wld: false,
            nodes: 41231,
            time_ms: 10,
            pv: vec![MoveText::At(at("f5")), MoveText::Pass],
        };
        assert_eq!(
            render("go", Event::Info { search: 1, info: info.clone() }),
            "! info search=1 depth=9 sel=73 multipv=1 score=+0.0 bound=value exact=0 nodes=41231 nps=4123100 time=10 pv=f5,pass\n"
        );
        assert_eq!(
            render("hint", Event::Hint { rank: 1, info }),
            "+ hint 1 f5 score=+0.0 exact=0 depth=9 sel=73 pv=f5,pass\n"
        );
        let best = BestText {
            search: 1,
            at: None,
            value: None,
            ponder: None,
            nodes: 0,
            time_ms: 0,
            failed: true,
        };
        assert_eq!(render("go", Event::Best(best)), "! best none search=1 nodes=0 time=0 failed=1\n");
        assert_eq!(
            render("7 go", Event::Done(Done::Started { search: 1 })),
            "ok 7 started=1 search=1\n"
        );
        let searched = |stopped, exact| Event::Done(Done::Searched { stopped, exact });
        assert_eq!(render("solve", searched(false, true)), "ok exact=1\n");
        assert_eq!(render("solve", searched(true, false)), "ok stopped=1 exact=0\n");
        assert_eq!(render("perft 3", searched(false, false)), "ok\n");
    }

    #[test]
    fn values_are_whole_when_proved_and_decimal_when_guessed() {
        for (centidiscs, exact, text) in [
            (-1000, true, "-10"),
            (1400, true, "+14"),
            (0, true, "+0"),
            (50, true, "+0.5"),
            (0, false, "+0.0"),
            (-150, false, "-1.5"),
            (156, false, "+1.56"),
            (-5, false, "-0.05"),
        ] {
            assert_eq!(Score(value(centidiscs, exact)).to_string(), text);
        }
    }

    #[test]
    fn lists_of_the_dialect_itself_are_written() {
        let Request::Known(text) = read("caps") else { panic!() };
        let reply = render("5 caps", Event::Done(Done::Known(text)));
        assert!(reply.starts_with("+ command rp [1]\n"), "{reply}");
        assert!(reply.ends_with(&format!("ok 5 n={}\n", COMMANDS.len())), "{reply}");
    }

    #[test]
    fn a_line_that_is_no_text_keeps_its_id() {
        let fault = LineFault::NotUtf8 { at: 7, head: "5 play \u{fffd}".into() };
        let tagged = Native.unreadable_line(fault);
        assert_eq!(tagged.tag.id.as_deref(), Some("5"));
        assert!(
            matches!(tagged.request, Request::Unreadable(failure) if failure.prose.contains("byte 8"))
        );
    }
}
