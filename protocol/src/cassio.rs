//! The ENGINE-PROTOCOL of Cassio: single positions are searched, no game is played.
//!
//! Grammar and quirks are in `spec/cassio.md`. `ready.` is the only end marker there is, so
//! everything that is answered with it is answered with it once. The engine's side stands first,
//! the client's side behind it.

use std::fmt::Write;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while1};
use nom::character::complete::{char, none_of, one_of, space0};
use nom::combinator::{all_consuming, eof, map, map_opt, opt, rest, value};
use nom::multi::{count, many0};
use nom::sequence::{delimited, pair, preceded, separated_pair, terminated};
use nom::{IResult, Parser};

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, Garble, Heard, Identity, Limit, Next, Order, Situation, Topic,
    Unsayable,
};
use crate::fault::{clip, clip_answer, names};
use crate::lexis::{move_list, move_text, read_decimal, read_number};
use crate::line::LineFault;
use crate::message::{
    BoundText, Code, Done, EndingText, Event, Failure, Habits, InfoText, LessonText, Purpose, Request,
    SearchText, Tag, Tagged, Urgency, ValueText,
};
use crate::words::{BoardText, Cell, HalfDiscs, MoveText, Mover, Side};

/// The word that every command begins with.
pub const PREFIX: &str = "ENGINE-PROTOCOL";

/// Columns and rows.
const SIDE: u8 = 8;
/// Cells of a position.
const SQUARES: usize = 64;
/// The result of a side that has all squares, in hundredths of a disc.
const MOST: i32 = 6400;
/// What a search and a lesson take where the line ends early.
const DEPTH: u32 = 60;
const LESSON_DEPTH: u32 = 21;
const PRECISION: u32 = 100;
const LESSON_PRECISION: u32 = 73;

/// What is answered, and how; the forms of the tags.
mod form {
    /// Nothing, or a line that no command was recognised in.
    pub const SILENT: u16 = 0;
    /// `ready.`
    pub const READY: u16 = 1;
    /// The version, then `ready.`
    pub const VERSION: u16 = 2;
    /// Result lines, then `ready.`
    pub const SEARCH: u16 = 3;
    /// Nothing, unless it is refused.
    pub const LESSON: u16 = 4;
    /// The last word.
    pub const QUIT: u16 = 5;
    /// `ready.` where no search runs; otherwise that of the search will do.
    pub const STOP: u16 = 6;
    /// How far the search is.
    pub const INFOS: u16 = 7;
    /// Whether a search runs.
    pub const ALIVE: u16 = 8;
}

/// The dialect; it knows what it has told of the running search.
#[derive(Debug, Default)]
pub struct Cassio {
    /// The last result line, as far as it counts as the same result.
    told: Option<String>,
    /// What the search has ended with: the line, and as far as it counts.
    last: Option<(String, usize)>,
}

impl Cassio {
    /// A conversation that has just begun.
    #[must_use]
    pub fn new() -> Cassio {
        Cassio::default()
    }
}

// ---------------------------------------------------------------------------------------------
// Lines to requests

/// ```abnf
/// line    = "ENGINE-PROTOCOL" [SP command] / *WSP / stranger
/// command = "init" / "get-version" / "new-position" / midgame / endgame / feed
///         / "empty-hash" / "get-search-infos" / "stop" / "quit"         ; in any case
/// midgame = "midgame-search" SP position [SP alpha [SP beta [SP depth [SP precision]]]]
/// endgame = "endgame-search" SP position [SP alpha [SP beta [SP precision]]]
/// feed    = "feed-hash" SP position [SP lower [SP upper [SP depth [SP precision [SP moves]]]]]
/// ```
fn command(line: &str) -> Tagged {
    let tagged = |form, request| Tagged { tag: Tag { id: None, form }, request };
    let (prefix, rest) = split(line);
    if prefix.is_empty() {
        return tagged(form::ALIVE, Request::Progress);
    }
    if prefix != PREFIX {
        let failure = Failure::new(Code::UnknownCommand, "Unknown protocol").with_text(clip(line));
        return tagged(form::SILENT, Request::Unreadable(failure));
    }
    let (verb, arguments) = split(rest);
    match verb.to_ascii_lowercase().as_str() {
        // The version is not negotiated; what is told of the program is in the same reply.
        "init" => tagged(form::READY, Request::Hello { version: 1 }),
        "get-version" => tagged(form::VERSION, Request::Hello { version: 1 }),
        // Every search brings its position along: there is nothing to forget.
        "new-position" => tagged(form::READY, Request::Known(String::new())),
        "midgame-search" => search("midgame-search", arguments, true),
        "endgame-search" => search("endgame-search", arguments, false),
        "feed-hash" => {
            let request = lesson(arguments).unwrap_or_else(Request::Unreadable);
            tagged(form::LESSON, request)
        }
        "empty-hash" => tagged(form::SILENT, Request::Clear),
        "get-search-infos" => tagged(form::INFOS, Request::Progress),
        "stop" => tagged(form::STOP, Request::Progress),
        "quit" => tagged(form::QUIT, Request::Quit),
        _ => {
            let prose = match verb {
                "" => "no command".to_owned(),
                _ => format!("unknown command {}", clip(verb)),
            };
            tagged(form::READY, Request::Unreadable(Failure::new(Code::UnknownCommand, prose)))
        }
    }
}

/// The first word, and what stands behind it.
fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (line, ""),
    }
}

fn search(verb: &'static str, arguments: &str, has_depth: bool) -> Tagged {
    let (id, request) = match search_text(verb, arguments, has_depth) {
        Ok((board, text)) => (Some(position_text(&board)), Request::Search(text)),
        Err(failure) => (None, Request::Unreadable(failure)),
    };
    Tagged { tag: Tag { id, form: form::SEARCH }, request }
}

fn search_text(
    verb: &'static str,
    arguments: &str,
    has_depth: bool,
) -> Result<(BoardText, SearchText), Failure> {
    let (mut words, board) = Words::behind_position(verb, arguments)?;
    let alpha = words.bound("alpha", f64::floor)?.unwrap_or(-MOST);
    let beta = words.bound("beta", f64::ceil)?.unwrap_or(MOST);
    let depth = if has_depth { words.number("depth", u32::MAX)?.unwrap_or(DEPTH) } else { u32::MAX };
    let precision = words.number("precision", 100)?.unwrap_or(PRECISION);
    words.end()?;
    let mut text = SearchText::new(Purpose::Eval);
    text.board = Some(board.clone());
    text.depth = Some(depth);
    text.selectivity = Some(precision);
    text.multipv = Some(1);
    // A window without room is one disc wide.
    let beta = if beta > alpha { beta } else { alpha + 100 };
    text.window = (alpha > -MOST || beta < MOST).then_some((alpha, beta));
    Ok((board, text))
}

fn lesson(arguments: &str) -> Result<Request, Failure> {
    let (mut words, board) = Words::behind_position("feed-hash", arguments)?;
    // The bounds move apart where they are no hundredths.
    let lower = words.bound("lower", f64::floor)?.unwrap_or(-MOST);
    let upper = words.bound("upper", f64::ceil)?.unwrap_or(MOST);
    let depth = words.number("depth", u32::MAX)?.unwrap_or(LESSON_DEPTH);
    let selectivity = words.number("precision", 100)?.unwrap_or(LESSON_PRECISION);
    if lower > upper {
        let prose = "feed-hash: lower is above upper";
        return Err(Failure::new(Code::BadValue, prose).with_text(clip(arguments)));
    }
    // Cassio writes "??" where it knows no best move.
    let line = move_list(words.rest.trim_end_matches(|c: char| c == '?' || c.is_whitespace()));
    Ok(Request::Teach(Box::new(LessonText { board, lower, upper, depth, selectivity, line })))
}

/// The arguments of a command behind its position.
struct Words<'a> {
    verb: &'static str,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn behind_position(verb: &'static str, arguments: &'a str) -> Result<(Self, BoardText), Failure> {
        match terminated(position, word_end).parse(arguments) {
            Ok((rest, board)) => Ok((Words { verb, rest }, board)),
            Err(_) => {
                let prose = format!(
                    "{verb} cannot parse position: 64 cells from a1 row by row, X*B for Black, OW for \
                     White, -. for empty, and the side to move"
                );
                Err(Failure::new(Code::BadPosition, prose).with_text(clip(arguments)))
            }
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (word, rest) = split(self.rest);
        self.rest = rest;
        Some(word).filter(|word| !word.is_empty())
    }

    fn refuse(&self, name: &str, word: &str, takes: &str) -> Failure {
        let prose = format!("{} cannot parse {name}: it is {takes}", self.verb);
        Failure::new(Code::BadValue, prose).with_text(clip(word))
    }

    /// Discs in hundredths, within those of a game.
    fn bound(&mut self, name: &str, round: impl Fn(f64) -> f64) -> Result<Option<i32>, Failure> {
        let Some(word) = self.next() else { return Ok(None) };
        let discs =
            read_decimal(word).ok_or_else(|| self.refuse(name, word, "a number from -64 to 64"))?;
        // The number is whole and small.
        Ok(Some(round((discs * 100.0).clamp(f64::from(-MOST), f64::from(MOST))) as i32))
    }

    fn number(&mut self, name: &str, most: u32) -> Result<Option<u32>, Failure> {
        let Some(word) = self.next() else { return Ok(None) };
        let read = read_number(word).and_then(|number| u32::try_from(number).ok());
        match read.filter(|number| *number <= most) {
            Some(number) => Ok(Some(number)),
            None => {
                let takes = format!("a whole number from 0 to {most}");
                Err(self.refuse(name, word, &takes))
            }
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        match self.next() {
            None => Ok(()),
            Some(word) => {
                let prose = format!("{} has nothing behind precision", self.verb);
                Err(Failure::new(Code::BadArgument, prose).with_text(clip(word)))
            }
        }
    }
}

/// ```abnf
/// position = 64cell *SP side
/// cell     = black / white / "-" / "."
/// black    = "X" / "x" / "*" / "B" / "b"
/// white    = "O" / "o" / "W" / "w"
/// side     = black / white
/// ```
fn position(input: &str) -> IResult<&str, BoardText> {
    let cell = alt((map(side, cell_of), value(Cell::Empty, one_of("-."))));
    let cells = count(cell, SQUARES);
    let mover = preceded(space0, side);
    map((cells, mover), |(cells, side)| BoardText {
        columns: SIDE,
        rows: SIDE,
        cells,
        mover: Some(Mover::Side(side)),
        placements: 0,
        hand: None,
        komi: None,
    })
    .parse(input)
}

fn side(input: &str) -> IResult<&str, Side> {
    alt((value(Side::Black, one_of("Xx*Bb")), value(Side::White, one_of("OoWw")))).parse(input)
}

/// The end of the text, or a blank.
fn word_end(input: &str) -> IResult<&str, ()> {
    value((), alt((eof, take_while1(char::is_whitespace)))).parse(input)
}

fn cell_of(side: Side) -> Cell {
    match side {
        Side::Black => Cell::Black,
        Side::White => Cell::White,
    }
}

/// A position as it is written: 64 cells and the side to move.
fn position_text(board: &BoardText) -> String {
    let cells = board.cells.iter().map(|cell| match cell {
        Cell::Black => 'X',
        Cell::White => 'O',
        Cell::Empty | Cell::Hole => '-',
    });
    let side = match board.mover {
        Some(Mover::Side(Side::White)) => 'O',
        _ => 'X',
    };
    cells.chain([side]).collect()
}

// ---------------------------------------------------------------------------------------------
// Events to lines

impl Dialect for Cassio {
    fn name(&self) -> &'static str {
        "cassio"
    }

    fn habits(&self) -> Habits {
        Habits { follows_searches: true, ..Habits::PLAIN }
    }

    fn read(&mut self, line: &str) -> Tagged {
        command(line)
    }

    /// What does not concern the search in hand waits for its turn; the rest is answered when it is
    /// read.
    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match (tagged.tag.form, &tagged.request) {
            (form::STOP, _) => Urgency::DropsQueue,
            (form::INFOS | form::ALIVE, _) | (form::SILENT, Request::Unreadable(_)) => Urgency::Now,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match event {
            Event::Failed(failure) => self.refuse(tag, failure, out),
            Event::Info { info, .. } if tag.form == form::SEARCH => self.follow(tag, info, out),
            Event::Hint { rank: 1, info } => {
                self.last = result_line(tag, info);
                Ok(())
            }
            Event::Over(ending) => {
                self.last = over_line(tag, ending);
                Ok(())
            }
            Event::Done(done) => self.done(tag, done, out),
            _ => Ok(()),
        };
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let Tagged { tag, request } = command(why.head());
        let request = match request {
            Request::Unreadable(failure) if tag.form == form::SILENT => Request::Unreadable(failure),
            _ => Request::Unreadable(Failure::new(Code::BadArgument, why.to_string())),
        };
        // What a line that breaks off would have stopped goes on.
        let form = match tag.form {
            form::SILENT | form::LESSON => tag.form,
            _ => form::READY,
        };
        Tagged { tag: Tag { id: None, form }, request }
    }

    fn end_of_input(&mut self) -> Option<Tagged> {
        Some(Tagged { tag: Tag { id: None, form: form::QUIT }, request: Request::Quit })
    }
}

impl Cassio {
    fn done(&mut self, tag: &Tag, done: &Done, out: &mut String) -> std::fmt::Result {
        match (tag.form, done) {
            (form::READY, _) => writeln!(out, "ready."),
            (form::VERSION, Done::Hello { name, program_version, .. }) => {
                writeln!(out, "version: {name} {program_version}\nready.")
            }
            (form::VERSION, _) => writeln!(out, "ready."),
            (form::SEARCH, done) => {
                let told = self.told.take();
                let last = self.last.take();
                // What a search that was stopped has found beyond its last whole depth is no result.
                if let (Done::Searched { stopped: false, .. }, Some((line, counts))) = (done, last)
                    && told.as_deref() != line.get(..counts)
                {
                    writeln!(out, "{line}")?;
                }
                writeln!(out, "ready.")
            }
            (form::QUIT, _) => writeln!(out, "bye bye."),
            (form::STOP | form::INFOS | form::ALIVE, Done::Progress(None)) => writeln!(out, "ready."),
            (form::INFOS, Done::Progress(Some(progress))) => {
                writeln!(out, "node {}, time {}", progress.nodes, Seconds(progress.time_ms))
            }
            (form::ALIVE, Done::Progress(Some(_))) => writeln!(out, "ok."),
            _ => Ok(()),
        }
    }

    /// News of the search, unless it is what was told before.
    fn follow(&mut self, tag: &Tag, info: &InfoText, out: &mut String) -> std::fmt::Result {
        let Some((line, counts)) = result_line(tag, info) else { return Ok(()) };
        let counted = line.get(..counts);
        if info.multipv != 1 || self.told.as_deref() == counted {
            return Ok(());
        }
        self.told = counted.map(str::to_owned);
        writeln!(out, "{line}")
    }

    fn refuse(&mut self, tag: &Tag, failure: &Failure, out: &mut String) -> std::fmt::Result {
        self.told = None;
        self.last = None;
        let error = if tag.form == form::LESSON { "Error" } else { "ERROR" };
        let mut line = failure.prose.clone();
        for text in [failure.square.as_deref(), failure.text.as_deref()].into_iter().flatten() {
            if !names(&line, text) {
                // Writing to a string cannot fail.
                let _ = write!(line, " \"{text}\"");
            }
        }
        let line: String = line.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        writeln!(out, "{error}: {line}")?;
        match tag.form {
            form::SILENT | form::LESSON => Ok(()),
            _ => writeln!(out, "ready."),
        }
    }
}

/// Seconds with three decimals.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A signed number of discs with two decimals.
struct Discs(i32);

impl std::fmt::Display for Discs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let magnitude = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", magnitude / 100, magnitude % 100)
    }
}

/// A result, and how much of the line counts when it is compared with another. A choice that was
/// not searched is worth anything.
///
/// ```abnf
/// result = position ", move " move ", depth " number ", @" number "%, " bounds ", " pv ", node " number
///          ", time " seconds
/// bounds = colour discs " <= v <= " colour discs       ; colour and view of the mover
/// colour = "B" / "W"
/// pv     = 1*move                                     ; Black's in capitals, White's in small letters
/// move   = point / "ps"
/// ```
fn result_line(tag: &Tag, info: &InfoText) -> Option<(String, usize)> {
    let position = tag.id.as_deref()?;
    let mover = mover_of(position);
    let first = info.pv.first()?;
    let mut line = format!("{position}, move {}", move_name(*first, mover));
    // Writing to a string cannot fail.
    let _ = write!(line, ", depth {}, @{}%, ", info.depth, info.selectivity);
    let bounds = if info.depth > 0 { bounds_of(info.value) } else { (-MOST, MOST) };
    write_bounds(&mut line, mover, bounds);
    let mut side = mover;
    for at in &info.pv {
        line.push_str(&move_name(*at, side));
        side = side.other();
    }
    let counts = line.len();
    let _ = write!(line, ", node {}, time {}", info.nodes, Seconds(info.time_ms));
    Some((line, counts))
}

/// The result of a position in which the game is over.
fn over_line(tag: &Tag, ending: &EndingText) -> Option<(String, usize)> {
    let position = tag.id.as_deref()?;
    let mover = mover_of(position);
    let (HalfDiscs(black), HalfDiscs(white)) = ending.official?;
    // Half discs are 50 hundredths.
    let value = 50 * if mover == Side::Black { black - white } else { white - black };
    let mut line = format!("{position}, move --, depth 0, @100%, ");
    write_bounds(&mut line, mover, (value, value));
    line.push_str("--, node 0, time 0.000");
    let counts = line.len();
    Some((line, counts))
}

fn mover_of(position: &str) -> Side {
    if position.ends_with('O') { Side::White } else { Side::Black }
}

/// Between which values the truth lies, as far as the search says.
fn bounds_of(value: ValueText) -> (i32, i32) {
    match value.bound {
        BoundText::Value => (value.centidiscs, value.centidiscs),
        BoundText::Lower => (value.centidiscs, MOST.max(value.centidiscs)),
        BoundText::Upper => ((-MOST).min(value.centidiscs), value.centidiscs),
    }
}

fn write_bounds(line: &mut String, mover: Side, (lower, upper): (i32, i32)) {
    let colour = if mover == Side::Black { 'B' } else { 'W' };
    // Writing to a string cannot fail.
    let _ = write!(line, "{colour}{} <= v <= {colour}{}, ", Discs(lower), Discs(upper));
}

fn move_name(at: MoveText, side: Side) -> String {
    let name = match at {
        MoveText::Pass => "ps".to_owned(),
        MoveText::At(at) => at.to_string(),
    };
    if side == Side::Black { name.to_ascii_uppercase() } else { name }
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// Plies that are asked for where no depth binds the engine.
const USUAL_DEPTH: u32 = 12;

/// The client's side: every move is the answer to a midgame search of the position on the board.
///
/// Nothing numbers the answers, so after something was given up the engine is asked for its
/// version: what comes before that belongs to what was given up.
#[derive(Debug, Default)]
pub struct CassioClient {
    identity: Identity,
    /// The position on the board, as it was told last.
    position: String,
    waits_for: Awaited,
    /// An answer may be owed to what was given up.
    is_behind: bool,
    /// The line that the engine has been asked last.
    asked: String,
    /// The last result of the present search.
    result: Option<ResultText>,
}

/// What has to come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Awaited {
    /// Nothing.
    #[default]
    Nothing,
    /// The `ready.` of `init`.
    Greeting,
    /// The version.
    Version,
    /// The `ready.` behind the version.
    VersionEnd,
    /// Results, then `ready.`
    Search,
}

/// A result line of an engine.
#[derive(Clone, Debug, PartialEq)]
struct ResultText {
    position: String,
    first: Option<MoveText>,
    depth: u32,
    precision: u32,
    /// Bounds in hundredths of a disc, mover's view.
    bounds: (i32, i32),
    pv: Vec<MoveText>,
    nodes: u64,
}

impl CassioClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> CassioClient {
        CassioClient::default()
    }

    fn ask(&mut self, command: &str, waits_for: Awaited, out: &mut String) -> Next {
        self.asked = format!("{PREFIX} {command}");
        out.push_str(&self.asked);
        out.push('\n');
        self.waits_for = waits_for;
        Next::Wait
    }

    /// The engine is ready again.
    fn ready(&mut self, out: &mut String) -> Heard {
        match std::mem::take(&mut self.waits_for) {
            Awaited::Greeting => {
                self.ask("get-version", Awaited::Version, out);
                Heard::Nothing
            }
            Awaited::VersionEnd => Heard::Done,
            Awaited::Search => self.choice(),
            // Of what was given up.
            Awaited::Version => {
                self.waits_for = Awaited::Version;
                Heard::Nothing
            }
            Awaited::Nothing => Heard::Nothing,
        }
    }

    fn choice(&mut self) -> Heard {
        let Some(result) = self.result.take() else {
            return Heard::Garbled { line: "ready.".to_owned(), why: Garble::Incomplete };
        };
        let first = result.first.or(result.pv.first().copied()).unwrap_or(MoveText::Pass);
        let (lower, upper) = result.bounds;
        let n_empties = result.position.chars().filter(|cell| *cell == '-').count();
        let is_end = usize::try_from(result.depth).is_ok_and(|depth| depth >= n_empties);
        Heard::Chosen(Box::new(ChosenText {
            choice: ChoiceText::Move(first),
            centidiscs: (lower == upper).then_some(lower),
            exact: lower == upper && is_end && result.precision >= 100,
            depth: Some(result.depth),
            nodes: Some(result.nodes),
            pv: if result.pv.first() == Some(&first) { result.pv } else { vec![first] },
        }))
    }

    /// A result counts when it is one of the position that was asked for.
    fn result(&mut self, line: &str) -> Heard {
        match all_consuming(result).parse(line) {
            Ok((_, result)) if self.waits_for == Awaited::Search => {
                if result.position == self.position {
                    self.result = Some(result);
                }
                Heard::Nothing
            }
            Ok(_) => Heard::Nothing,
            Err(_) => Heard::Stray,
        }
    }
}

// The rule stands over `result_line`; blanks and what follows the time are taken as they come.
fn result(input: &str) -> IResult<&str, ResultText> {
    let comma = || delimited(space0, char(','), space0);
    let word = || take_while1(|c: char| c.is_ascii_digit());
    let number = || map_opt(word(), |digits: &str| digits.parse::<u32>().ok());
    let long = || map_opt(word(), |digits: &str| digits.parse::<u64>().ok());
    let discs = || {
        preceded(
            pair(opt(one_of("BWbw")), opt(char('+'))),
            map_opt(take_while1(|c: char| c.is_ascii_digit() || c == '.' || c == '-'), |text: &str| {
                let hundredths = (read_decimal(text)? * 100.0).round();
                // The number is whole and small.
                (hundredths.abs() < 1e6).then_some(hundredths as i32)
            }),
        )
    };
    let cells = map(position, |board| position_text(&board));
    let first = alt((map(move_text, Some), value(None, none_of(","))));
    let bounds = separated_pair(discs(), delimited(space0, tag("<= v <="), space0), discs());
    let parts = (
        terminated(cells, comma()),
        delimited((tag("move"), space0), first, comma()),
        delimited((tag("depth"), space0), number(), comma()),
        delimited((char('@'), space0), number(), (char('%'), comma())),
        terminated(bounds, comma()),
        terminated(many0(move_text), (take_till(|c| c == ','), comma())),
        preceded((tag("node"), opt(char('s')), space0), long()),
        rest,
    );
    map(parts, |(position, first, depth, precision, bounds, pv, nodes, _)| ResultText {
        position,
        first,
        depth,
        precision,
        bounds,
        pv,
        nodes,
    })
    .parse(input)
}

/// Why a game cannot be played: searches are told a board of 8x8 and nothing of its rules.
fn sayable(game: &Situation) -> Result<(), Unsayable> {
    let rules = game.rules;
    let is_othello = game.start.columns == SIDE
        && game.start.rows == SIDE
        && !game.start.cells.contains(&Cell::Hole)
        && game.start.placements == 0
        && game.start.hand.is_none()
        && !rules.anti
        && !rules.stuck_ends
        && !rules.score_discs
        && rules.komi == HalfDiscs(0);
    if is_othello {
        return Ok(());
    }
    let why = "a position is 8x8 and has a side to move; there are no other rules";
    Err(Unsayable::new("cassio", Topic::Variant, &game.variant, why))
}

impl Client for CassioClient {
    fn name(&self) -> &'static str {
        "cassio"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        Ok(match *order {
            Order::Hello => self.ask("init", Awaited::Greeting, out),
            Order::Set { name, value } => {
                let why = "there is no command for options";
                return Err(Unsayable::new("cassio", Topic::Option, format!("{name}={value}"), why));
            }
            Order::NewGame(game) => {
                sayable(game)?;
                Next::Done
            }
            Order::Board(board) => {
                self.position = position_text(board);
                Next::Done
            }
            Order::Played { .. } | Order::GameOver => Next::Done,
            Order::Prepare(_) if std::mem::take(&mut self.is_behind) => {
                self.ask("get-version", Awaited::Version, out)
            }
            Order::Prepare(_) => Next::Done,
            Order::Choose(limits) => {
                self.result = None;
                let depth = limits.depth.unwrap_or(USUAL_DEPTH);
                let command = format!("midgame-search {} -64.00 64.00 {depth} 100", self.position);
                self.ask(&command, Awaited::Search, out)
            }
            Order::Quit => {
                self.ask("quit", Awaited::Nothing, out);
                Next::Done
            }
        })
    }

    fn hear(&mut self, line: &str, out: &mut String) -> Heard {
        let line = line.trim();
        if line == "ready." {
            return self.ready(out);
        }
        if let Some(version) = line.strip_prefix("version:") {
            if self.waits_for == Awaited::Version {
                let (name, version) = version.trim().rsplit_once(' ').unwrap_or((version.trim(), ""));
                self.identity.name = Some(clip(name));
                self.identity.version = Some(clip(version)).filter(|version| !version.is_empty());
                self.waits_for = Awaited::VersionEnd;
            }
            return Heard::Nothing;
        }
        if line.starts_with("ERROR:") || line.starts_with("Error:") {
            if self.waits_for != Awaited::Search {
                return Heard::Nothing;
            }
            // Its own end marker still comes.
            self.waits_for = Awaited::Nothing;
            self.is_behind = true;
            return Heard::Refused { asked: clip(&self.asked), answer: clip_answer(line) };
        }
        match line {
            "" | "ok." | "bye bye." => Heard::Nothing,
            _ if line.starts_with("node ") => Heard::Nothing,
            _ => self.result(line),
        }
    }

    /// A stopped search still answers, and a `stop` that comes too late is answered too.
    fn give_up(&mut self, out: &mut String) {
        let waited_for = std::mem::take(&mut self.waits_for);
        if waited_for == Awaited::Search {
            self.ask("stop", Awaited::Nothing, out);
        }
        self.is_behind |= waited_for != Awaited::Nothing;
    }

    fn heeds(&self, limit: Limit) -> bool {
        limit == Limit::Depth
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::lexis::move_word;
    use crate::message::{EndReason, ProgressText};
    use crate::words::MoveWord;

    const START: &str = "---------------------------OX------XO---------------------------X";

    fn read(line: &str) -> Tagged {
        Cassio::new().read(line)
    }

    fn at(text: &str) -> MoveText {
        match move_word(text) {
            MoveWord::Move(at) => at,
            MoveWord::Unreadable(text) => panic!("{text}"),
        }
    }

    fn search_of(line: &str) -> SearchText {
        match read(line).request {
            Request::Search(search) => search,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn info(depth: u32, centidiscs: i32, bound: BoundText) -> InfoText {
        InfoText {
            depth,
            selectivity: 73,
            multipv: 1,
            value: ValueText { centidiscs, bound, exact: false },
            wld: false,
            nodes: 1065,
            time_ms: 1001,
            pv: ["d3", "c3", "pass", "e3"].map(at).to_vec(),
        }
    }

    fn render(dialect: &mut Cassio, tag: &Tag, event: Event) -> String {
        let mut out = String::new();
        dialect.render(tag, &event, &mut out);
        out
    }

    fn told(line: &str, event: Event) -> String {
        let tagged = read(line);
        render(&mut Cassio::new(), &tagged.tag, event)
    }

    fn searched(stopped: bool) -> Event {
        Event::Done(Done::Searched { stopped, exact: false })
    }

    #[test]
    fn positions_are_read_in_every_spelling() {
        let spelled = START.replace('X', "*").replace('-', ".").replace('O', "w");
        let (cells, _) = spelled.split_at(SQUARES);
        for text in [START, &spelled, &format!("{cells} b"), &format!("{cells}   x")] {
            let tagged = read(&format!("ENGINE-PROTOCOL endgame-search {text} -64 64 100"));
            assert_eq!(tagged.tag.id.as_deref(), Some(START), "{text}");
        }
        for text in ["", "-", &START[..64], &format!("{START}X"), &START.replace('-', "?")] {
            let tagged = read(&format!("ENGINE-PROTOCOL endgame-search {text} -64 64 100"));
            assert!(matches!(tagged.request, Request::Unreadable(_)), "{text}");
        }
    }

    #[test]
    fn searches_are_read_with_their_window() {
        let search = search_of(&format!("ENGINE-PROTOCOL midgame-search {START} -64.00 64.00 6 73"));
        assert_eq!((search.depth, search.selectivity, search.window), (Some(6), Some(73), None));
        assert_eq!(search.multipv, Some(1));
        for (alpha, beta, window) in [
            ("-1", "1", (-100, 100)),
            ("-0.5", "1,255", (-50, 126)),
            ("-200", "3", (-6400, 300)),
            ("4", "4", (400, 500)),
            ("8", "-8", (800, 900)),
        ] {
            let line = format!("engine-PROTOCOL MIDGAME-SEARCH {START} {alpha} {beta} 3 100");
            let search = search_of(&line.replace("engine", "ENGINE"));
            assert_eq!(search.window, Some(window), "{line}");
        }
        let search = search_of(&format!("ENGINE-PROTOCOL endgame-search {START} -1 1 98"));
        assert_eq!((search.depth, search.selectivity), (Some(u32::MAX), Some(98)));
        let search = search_of(&format!("ENGINE-PROTOCOL midgame-search {START}"));
        assert_eq!((search.depth, search.selectivity, search.window), (Some(60), Some(100), None));
    }

    #[test]
    fn bad_arguments_are_named() {
        for (rest, error) in [
            ("x 64 6 73", "midgame-search cannot parse alpha: it is a number from -64 to 64 \"x\""),
            ("-64 y 6 73", "midgame-search cannot parse beta: it is a number from -64 to 64 \"y\""),
            ("-64 64 -1 73", "cannot parse depth: it is a whole number from 0 to 4294967295 \"-1\""),
            ("-64 64 6 101", "cannot parse precision: it is a whole number from 0 to 100 \"101\""),
            ("-64 64 6 73 9", "midgame-search has nothing behind precision \"9\""),
        ] {
            let line = format!("ENGINE-PROTOCOL midgame-search {START} {rest}");
            let tagged = read(&line);
            let Request::Unreadable(failure) = tagged.request else { panic!("{line}") };
            let out = render(&mut Cassio::new(), &tagged.tag, Event::Failed(failure));
            assert!(out.starts_with("ERROR: ") && out.ends_with("\nready.\n"), "{out}");
            assert!(out.contains(error), "{out}");
        }
    }

    #[test]
    fn lessons_are_read_and_answered_only_when_they_are_refused() {
        let line = format!("ENGINE-PROTOCOL feed-hash {START} -1.255 2 6 73 f5d6 C3ps");
        let Request::Teach(lesson) = read(&line).request else { panic!() };
        assert_eq!((lesson.lower, lesson.upper, lesson.depth, lesson.selectivity), (-126, 200, 6, 73));
        assert_eq!(lesson.line.len(), 4);
        assert_eq!(told(&line, Event::Done(Done::Plain)), "");
        let failure = Failure::new(Code::NoFlip, "nothing would be turned");
        assert_eq!(told(&line, Event::Failed(failure)), "Error: nothing would be turned\n");
        let Request::Teach(lesson) = read(&format!("ENGINE-PROTOCOL feed-hash {START}")).request else {
            panic!()
        };
        assert_eq!((lesson.lower, lesson.upper, lesson.depth), (-6400, 6400, 21));
        let line = format!("ENGINE-PROTOCOL  feed-hash {START} -4.00 4.00 15 100 ??");
        let Request::Teach(lesson) = read(&line).request else { panic!() };
        assert_eq!((lesson.lower, lesson.upper, lesson.line.len()), (-400, 400, 0));
        let line = format!("ENGINE-PROTOCOL feed-hash {START} 4 2 6 73");
        assert!(matches!(read(&line).request, Request::Unreadable(_)));
    }

    #[test]
    fn results_say_what_is_known_from_the_movers_view() {
        let line = format!("ENGINE-PROTOCOL midgame-search {START} -64.00 64.00 6 73");
        let tag = read(&line).tag;
        let mut cassio = Cassio::new();
        let result =
            render(&mut cassio, &tag, Event::Info { search: 0, info: info(6, 0, BoundText::Value) });
        assert_eq!(
            result,
            format!(
                "{START}, move D3, depth 6, @73%, B+0.00 <= v <= B+0.00, D3c3PSe3, node 1065, time 1.001\n"
            )
        );
        let white = format!("ENGINE-PROTOCOL endgame-search {}O -1 1 100", &START[..64]);
        for (bound, written) in
            [(BoundText::Lower, "W-4.50 <= v <= W+64.00"), (BoundText::Upper, "W-64.00 <= v <= W-4.50")]
        {
            let hint = Event::Info { search: 0, info: info(6, -450, bound) };
            let result = told(&white, hint);
            assert!(
                result.contains(&format!("move d3, depth 6, @73%, {written}, d3C3psE3, ")),
                "{result}"
            );
        }
    }

    #[test]
    fn a_result_is_told_once_and_the_end_once() {
        let tag = read(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 6 73")).tag;
        let news = |depth| Event::Info { search: 0, info: info(depth, 150, BoundText::Value) };
        let hint = |depth| Event::Hint { rank: 1, info: info(depth, 150, BoundText::Value) };
        let lines = |events: Vec<Event>| {
            let mut cassio = Cassio::new();
            let text: String =
                events.into_iter().map(|event| render(&mut cassio, &tag, event)).collect();
            assert_eq!((cassio.told, cassio.last), (None, None));
            text.lines()
                .map(|line| line.split(", ").nth(2).unwrap_or(line).to_owned())
                .collect::<Vec<_>>()
        };
        let slower = InfoText { nodes: 9, time_ms: 9, ..info(6, 150, BoundText::Value) };
        let again = Event::Info { search: 0, info: slower };
        let check = |events, expected: &[&str]| assert_eq!(lines(events), expected);
        check(
            vec![news(5), news(6), again, hint(6), searched(false)],
            &["depth 5", "depth 6", "ready."],
        );
        check(vec![hint(6), searched(false)], &["depth 6", "ready."]);
        check(vec![hint(0), searched(false)], &["depth 0", "ready."]);
        // What lies beyond the last whole depth is no result.
        check(vec![news(5), hint(6), searched(true)], &["depth 5", "ready."]);
        check(vec![hint(1), searched(true)], &["ready."]);
    }

    #[test]
    fn a_choice_that_was_not_searched_is_worth_anything() {
        let tag = read(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 6 73")).tag;
        let (line, _) = result_line(&tag, &info(0, 0, BoundText::Value)).unwrap();
        assert!(line.contains("depth 0, @73%, B-64.00 <= v <= B+64.00"), "{line}");
    }

    #[test]
    fn a_game_that_is_over_has_a_result() {
        let ending = EndingText {
            reason: EndReason::Score,
            winner: Some(Side::Black),
            official: Some((HalfDiscs(80), HalfDiscs(48))),
            margin: None,
        };
        let tag = read(&format!("ENGINE-PROTOCOL endgame-search {}O -64 64 100", &START[..64])).tag;
        let mut cassio = Cassio::new();
        assert_eq!(render(&mut cassio, &tag, Event::Over(ending)), "");
        let out = render(&mut cassio, &tag, searched(false));
        assert!(
            out.contains("O, move --, depth 0, @100%, W-16.00 <= v <= W-16.00, --, node 0"),
            "{out}"
        );
        assert!(out.ends_with("\nready.\n"));
    }

    #[test]
    fn the_lines_between_searches_have_their_answers() {
        let hello = Done::Hello {
            version: 1,
            name: "outflank".into(),
            program_version: "1.2".into(),
            autopass: false,
        };
        let progress =
            |nodes| Event::Done(Done::Progress(Some(ProgressText { nodes, time_ms: 12_034 })));
        let idle = || Event::Done(Done::Progress(None));
        assert_eq!(told("ENGINE-PROTOCOL init", Event::Done(hello.clone())), "ready.\n");
        let version = told("ENGINE-PROTOCOL get-version", Event::Done(hello));
        assert_eq!(version, "version: outflank 1.2\nready.\n");
        let known = Event::Done(Done::Known(String::new()));
        assert_eq!(told("ENGINE-PROTOCOL new-position", known), "ready.\n");
        assert_eq!(told("ENGINE-PROTOCOL get-search-infos", progress(7)), "node 7, time 12.034\n");
        assert_eq!(told("  ", progress(7)), "ok.\n");
        assert_eq!(told("ENGINE-PROTOCOL STOP", progress(7)), "");
        for line in ["ENGINE-PROTOCOL get-search-infos", "", "ENGINE-PROTOCOL stop"] {
            assert_eq!(told(line, idle()), "ready.\n", "{line}");
        }
        assert_eq!(told("ENGINE-PROTOCOL empty-hash", Event::Done(Done::Plain)), "");
        assert_eq!(told("ENGINE-PROTOCOL quit", Event::Done(Done::Plain)), "bye bye.\n");
        for (line, answer) in [
            ("hello", "ERROR: Unknown protocol \"hello\"\n"),
            ("engine-protocol init", "ERROR: Unknown protocol \"engine-protocol init\"\n"),
            ("ENGINE-PROTOCOL foo bar", "ERROR: unknown command foo\nready.\n"),
            ("ENGINE-PROTOCOL", "ERROR: no command\nready.\n"),
        ] {
            let tagged = read(line);
            let Request::Unreadable(failure) = tagged.request else { panic!("{line}") };
            assert_eq!(render(&mut Cassio::new(), &tagged.tag, Event::Failed(failure)), answer);
        }
    }

    #[test]
    fn what_concerns_the_running_search_does_not_wait() {
        let urgency = |line: &str| {
            let mut cassio = Cassio::new();
            let tagged = cassio.read(line);
            cassio.urgency(&tagged)
        };
        for line in ["", "ENGINE-PROTOCOL get-search-infos", "hello"] {
            assert_eq!(urgency(line), Urgency::Now, "{line}");
        }
        assert_eq!(urgency("ENGINE-PROTOCOL stop"), Urgency::DropsQueue);
        for command in
            ["init", "foo", "quit", "feed-hash x", "empty-hash", "new-position", "midgame-search x"]
        {
            assert_eq!(urgency(&format!("ENGINE-PROTOCOL {command}")), Urgency::Queued, "{command}");
        }
    }

    #[test]
    fn lines_that_are_no_text_are_answered_by_what_they_begin_with() {
        let answer = |head: &str| {
            let mut cassio = Cassio::new();
            let fault = LineFault::TooLong { length: 9, longest: 8, head: head.to_owned() };
            let Tagged { tag, request } = cassio.unreadable_line(fault);
            let Request::Unreadable(failure) = request else { panic!("{head}") };
            render(&mut cassio, &tag, Event::Failed(failure)).lines().count()
        };
        let counts =
            ["hello", "ENGINE-PROTOCOL feed-hash", "ENGINE-PROTOCOL mid", "ENGINE-PROTOCOL stop"];
        assert_eq!(counts.map(answer), [1, 1, 2, 2]);
    }

    #[test]
    fn result_lines_of_edax_are_heard() {
        let line = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--X, move G8, depth 14, \
                    @100%, B+18.00 <= v <= B+18.00, G8h7A8a6A4a7B6a2H8a3H1g2A1b1, node 53967, time 0.003";
        let (_, read) = all_consuming(result).parse(line).unwrap();
        assert_eq!((read.first, read.depth, read.precision), (Some(at("g8")), 14, 100));
        assert_eq!((read.bounds, read.pv.len(), read.nodes), ((1800, 1800), 14, 53967));
        for line in ["", "node 7, time 0.1", &line[..90], &line.replace("move", "go")] {
            assert!(all_consuming(result).parse(line).is_err(), "{line}");
        }
    }
}
