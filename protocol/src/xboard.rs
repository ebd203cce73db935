//! The Chess Engine Communication Protocol, version 2, as XBoard and the engines beside it use it
//! for Othello.
//!
//! Grammar, both conventions of squares and what XBoard needs are in `spec/xboard.md`. There are no
//! ids: an error repeats the command it is about, which is therefore what the tag carries. The
//! engine's side stands first, the client's side behind it.

use std::fmt::Write;

use nom::character::complete::{anychar, one_of};
use nom::combinator::{map, opt, verify};
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, ClockLeft, Garble, Heard, Identity, Limit, Limits, Next, Order,
    RulesText, Situation, Topic, Unsayable,
};
use crate::fault::{clip, clip_answer};
use crate::lexis::{pass, point, read_decimal, read_number, whole};
use crate::line::LineFault;
use crate::message::{
    Code, Done, EndReason, Event, Failure, Habits, InfoText, LogText, Phase, ProgressText, Purpose,
    Request, SearchText, SeatsText, StateText, Tag, Tagged, Urgency, Whose,
};
use crate::options::{Kind, OPTIONS, OptionRow, row_of, spelling};
use crate::position::{FenDialect, Orientation, read_fen};
use crate::variant::read_variant;
use crate::words::{
    BaseText, BoardText, Cell, ModText, MoveText, MoveWord, Mover, Point, Side, StartText, VariantText,
};

/// Version of the protocol that is spoken.
pub const VERSION: u32 = 2;

/// Which of XBoard's 22 kinds of pieces the discs are: the 12th, its commoner. The first, the pawn,
/// must not be dropped on the first and the last rank.
const PIECES: &str = "(..........P.....................p...........)";

/// The chess variant that XBoard is told to take for the parent. Its passes are moves; those of any
/// other parent reach the other engine as `setboard` with discs that XBoard has not turned.
const PARENT: &str = "lion";

/// Longest text of a `setup` line: XBoard cuts lines at 512 bytes.
const LONGEST_SETUP: usize = 500;

// ---------------------------------------------------------------------------------------------
// Squares

/// How a client names squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// Rank 1 is the last row of an Othello diagram, not the first.
    mirrored: bool,
    /// Rows of the board.
    rows: u8,
}

impl Frame {
    const PLAIN: Frame = Frame { mirrored: false, rows: 8 };

    /// Chess programs count ten ranks from 0, so that they have one digit; all others from 1.
    fn counts_from_zero(self) -> bool {
        self.rows == 10
    }

    /// The square of a name, or the name of a square: it is its own inverse. Nothing where a
    /// mirrored board has no such rank.
    fn turn(self, at: Point) -> Option<Point> {
        if !self.mirrored {
            return Some(at);
        }
        let row = self.rows.checked_sub(at.row + 1)?;
        Some(Point { row, ..at })
    }

    // square = %x61-70 number          ; a to p, any case
    fn square(self, input: &str) -> IResult<&str, Point> {
        if !self.counts_from_zero() {
            return point(input);
        }
        let column = one_of("abcdefghijklmnopABCDEFGHIJKLMNOP");
        map((column, one_of("0123456789")), |(column, row): (char, char)| Point {
            column: (column.to_ascii_lowercase() as u32 - 'a' as u32) as u8,
            row: (row as u32 - '0' as u32) as u8,
        })
        .parse(input)
    }

    /// ```abnf
    /// move = [ALPHA ("@" / "*")] square       ; P@f5, f5
    ///      / pass
    ///      / square square                    ; the same one twice: a pass
    /// ```
    fn word(self, text: &str) -> Option<MoveText> {
        let square = |input| self.square(input);
        let piece = pair(verify(anychar, char::is_ascii_alphabetic), one_of("@*"));
        let still = verify(pair(square, square), |(from, to): &(Point, Point)| from == to);
        whole(map(preceded(opt(piece), square), MoveText::At), text)
            .or_else(|| whole(map(pass, |()| MoveText::Pass), text))
            .or_else(|| whole(map(still, |_| MoveText::Pass), text))
    }

    /// The move of a word.
    fn read(self, text: &str) -> Option<MoveText> {
        match self.word(text)? {
            MoveText::Pass => Some(MoveText::Pass),
            MoveText::At(at) => self.turn(at).map(MoveText::At),
        }
    }

    fn write(self, at: MoveText) -> String {
        let MoveText::At(at) = at else { return "@@@@".to_owned() };
        let Point { column, row } = self.turn(at).unwrap_or(at);
        let rank = if self.counts_from_zero() { row } else { row + 1 };
        format!("P@{}{rank}", char::from(b'a' + column))
    }

    /// The board of a FEN, White being Black of Othello. A board with nothing but four discs on the
    /// centre tells by itself how its squares are named: the mover's stand on d5 and e4 of an Othello
    /// diagram.
    fn board(self, fen: &str) -> Result<(Frame, BoardText), Failure> {
        let read = |orientation| read_fen(fen, orientation, FenDialect::Fairy).map_err(Failure::from);
        let (plain, _) = read(Orientation::Chess)?;
        let (mirrored, _) = read(Orientation::Top)?;
        let rows = plain.rows;
        let is_mirrored = match (is_start(&plain), is_start(&mirrored)) {
            (true, false) => false,
            (false, true) => true,
            _ => self.mirrored,
        };
        let board = if is_mirrored { mirrored } else { plain };
        Ok((Frame { mirrored: is_mirrored, rows }, board))
    }

    /// The other direction, with the discs that each side may still put down where asked for.
    fn fen(self, board: &BoardText, pocket: bool) -> String {
        let mut rows: Vec<&[Cell]> = board.cells.chunks(usize::from(board.columns.max(1))).collect();
        if !self.mirrored {
            rows.reverse();
        }
        let mut fen = rows.iter().map(|row| fen_row(row)).collect::<Vec<_>>().join("/");
        if pocket {
            let empty = board.cells.iter().filter(|cell| **cell == Cell::Empty).count();
            let (black, white) = board.hand.map_or((empty, empty), |(black, white)| {
                (usize::from(black).min(empty), usize::from(white).min(empty))
            });
            // What XBoard cannot read costs more than discs that nobody comes to put down.
            let most = LONGEST_SETUP.saturating_sub(PIECES.len() + fen.len() + 40) / 2;
            let discs = format!("{}{}", "P".repeat(black.min(most)), "p".repeat(white.min(most)));
            fen.push_str(&format!("[{}]", if discs.is_empty() { "-" } else { &discs }));
        }
        let mover = match board.mover {
            Some(Mover::Side(Side::White)) => 'b',
            _ => 'w',
        };
        format!("{fen} {mover} - - 0 1")
    }
}

fn fen_row(row: &[Cell]) -> String {
    let mut text = String::new();
    for run in row.chunk_by(|one, other| *one == Cell::Empty && *other == Cell::Empty) {
        match run.first() {
            Some(Cell::Black) => text.push('P'),
            Some(Cell::White) => text.push('p'),
            Some(Cell::Hole) => text.push('*'),
            _ => text.push_str(&run.len().to_string()),
        }
    }
    text
}

/// Whether nothing stands on a board but the start of Othello, seen by the mover.
fn is_start(board: &BoardText) -> bool {
    let Some(Mover::Side(mover)) = board.mover else { return false };
    let swap = |cell: &Cell| match (mover, cell) {
        (Side::White, Cell::Black) => Cell::White,
        (Side::White, Cell::White) => Cell::Black,
        _ => *cell,
    };
    let seen = BoardText {
        cells: board.cells.iter().map(swap).collect(),
        mover: Some(Mover::Side(Side::Black)),
        ..board.clone()
    };
    seen.is_cross()
}

/// Names of variants that programs have given, besides our own tokens. In all of them White of the
/// protocol moves first and is Black of Othello.
struct NamedVariant {
    name: &'static str,
    token: &'static str,
    mirrored: bool,
    /// The position is told after every move.
    resent: bool,
}

const VARIANTS: &[NamedVariant] = &[
    NamedVariant { name: "reversi", token: "othello", mirrored: false, resent: false },
    NamedVariant { name: "flipello", token: "othello", mirrored: true, resent: false },
    NamedVariant { name: "alien", token: "othello", mirrored: false, resent: true },
    NamedVariant { name: "othello", token: "othello", mirrored: false, resent: false },
    NamedVariant { name: "flipersi", token: "reversi+hand=32+stuck=end", mirrored: true, resent: false },
    NamedVariant { name: "flipello6", token: "6x6", mirrored: true, resent: false },
    NamedVariant { name: "flipello10", token: "10x10", mirrored: true, resent: false },
    NamedVariant { name: "othello6", token: "6x6", mirrored: false, resent: false },
    NamedVariant { name: "othello10", token: "10x10", mirrored: false, resent: false },
];

/// What `variant` asks for, and how its squares are named.
///
/// ```abnf
/// variant = [number "x" number "+" number "_"] name     ; 10x10+1_reversi, as XBoard writes sizes
///         / token                                       ; one of our own: 10x10+anti
/// ```
fn variant(text: &str) -> Result<(VariantText, bool, bool), Failure> {
    let (size, name) = match text.split_once('_') {
        Some((size, name)) => (sized(size), name),
        None => (None, text),
    };
    let known = VARIANTS.iter().find(|known| known.name.eq_ignore_ascii_case(name));
    match (known, size) {
        (Some(known), None) if name == text => {
            Ok((read_variant(known.token)?, known.mirrored, known.resent))
        }
        (Some(known), Some((columns, rows))) => {
            let mods = read_variant(known.token)?.mods;
            let base = BaseText::Size { columns, rows };
            Ok((VariantText { base, mods }, known.mirrored, known.resent))
        }
        _ => Ok((read_variant(text)?, false, false)),
    }
}

// size = number "x" number ["+" number]
fn sized(text: &str) -> Option<(u32, u32)> {
    let board = text.split('+').next().unwrap_or_default();
    let (columns, rows) = board.split_once('x')?;
    let number = |text| read_number(text).and_then(|number| u32::try_from(number).ok());
    Some((number(columns)?, number(rows)?))
}

/// The number of rows, as far as it matters for the names of squares.
fn rows_of(variant: &VariantText) -> u8 {
    match &variant.base {
        BaseText::Size { rows, .. } => u8::try_from(*rows).unwrap_or(8),
        BaseText::Name(name) if ["oct", "annex"].contains(&name.as_str()) => 10,
        BaseText::Name(_) => 8,
    }
}

// ---------------------------------------------------------------------------------------------
// Reading

/// Which answer a command wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// None but an error.
    #[default]
    Plain,
    /// `feature` lines.
    Features,
    /// `setup`.
    Variant,
    /// A move; `Illegal move` when it is refused.
    Move,
    /// A pass, of which any number may follow the end.
    Pass,
    /// The engine is to move.
    Go,
    /// A position; `tellusererror` when it is refused.
    SetBoard,
    /// A move is taken back.
    Undo,
    /// `Hint`.
    Hint,
    /// Lines of thought, whether they are asked for or not.
    Analyze,
    /// `stat01`.
    Stat,
    /// Lines of thought from now on.
    Post,
    /// No longer.
    NoPost,
    /// The running search moves now.
    MoveNow,
}

const FORMS: &[Form] = &[
    Form::Plain,
    Form::Features,
    Form::Variant,
    Form::Move,
    Form::Pass,
    Form::Go,
    Form::SetBoard,
    Form::Undo,
    Form::Hint,
    Form::Analyze,
    Form::Stat,
    Form::Post,
    Form::NoPost,
    Form::MoveNow,
];

/// What the answer to a command depends on; it travels in the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Manner {
    form: Form,
    frame: Frame,
    /// The position is told after every move.
    resent: bool,
}

const FORM_BITS: u16 = 4;
const MIRRORED: u16 = 1 << FORM_BITS;
const RESENT: u16 = 1 << (FORM_BITS + 1);
const ROWS_SHIFT: u16 = FORM_BITS + 2;

impl Manner {
    fn pack(self) -> u16 {
        let flag = |set: bool, bit: u16| if set { bit } else { 0 };
        self.form as u16
            | flag(self.frame.mirrored, MIRRORED)
            | flag(self.resent, RESENT)
            | u16::from(self.frame.rows) << ROWS_SHIFT
    }

    fn of(tag: &Tag) -> Manner {
        let form = usize::from(tag.form & ((1 << FORM_BITS) - 1));
        Manner {
            form: FORMS.get(form).copied().unwrap_or_default(),
            frame: Frame {
                mirrored: tag.form & MIRRORED != 0,
                rows: (tag.form >> ROWS_SHIFT).try_into().unwrap_or(u8::MAX),
            },
            resent: tag.form & RESENT != 0,
        }
    }
}

/// The dialect.
#[derive(Debug)]
pub struct XBoard {
    // What reading has come to know.
    frame: Frame,
    resent: bool,
    /// The position is analysed.
    analyzing: bool,
    /// A depth was set, which a new game takes back.
    depth_set: bool,
    /// Each move has a time of its own.
    timed_moves: bool,
    // What writing has come to know.
    /// Lines of thought are wanted.
    posts: bool,
    /// Depth of the last line of thought.
    depth: u32,
}

impl Default for XBoard {
    fn default() -> XBoard {
        XBoard {
            frame: Frame::PLAIN,
            resent: false,
            analyzing: false,
            depth_set: false,
            timed_moves: false,
            posts: false,
            depth: 0,
        }
    }
}

/// Served without any answer; not the same as a line that means nothing.
fn silent() -> Request {
    Request::Known(String::new())
}

fn set(name: &str, value: impl ToString) -> Request {
    Request::Set(vec![(name.to_owned(), value.to_string())])
}

/// The first word, and the rest without the blanks around it.
fn split(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (line, ""),
    }
}

impl XBoard {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new() -> XBoard {
        XBoard::default()
    }

    fn request(&mut self, verb: &str, argument: &str) -> Result<(Form, Request), Failure> {
        let plain = |request| Ok((Form::Plain, request));
        match verb {
            // Of no use to an engine that plays Othello, and sent all the same.
            "xboard" | "accepted" | "rejected" | "random" | "computer" | "name" | "rating" | "ics"
            | "draw" | "pause" | "resume" | "nps" | "egtpath" => plain(silent()),
            // An analysis has no move to make.
            "?" if self.analyzing => plain(silent()),
            "?" => Ok((Form::MoveNow, silent())),
            "protover" => {
                let version = read_number(argument).and_then(|n| u32::try_from(n).ok());
                let hello = Request::Hello { version: version.unwrap_or(VERSION) };
                Ok((Form::Features, Request::Series(vec![hello, Request::Options])))
            }
            "new" => plain(self.new_game()),
            "variant" => {
                let (variant, mirrored, resent) = variant(argument)?;
                self.frame = Frame { mirrored, rows: rows_of(&variant) };
                self.resent = resent;
                Ok((Form::Variant, Request::New { variant: Some(variant), position: None }))
            }
            "setboard" => {
                let (frame, board) = self.frame.board(argument).map_err(|mut failure| {
                    failure.text = None;
                    failure
                })?;
                self.frame = frame;
                Ok((Form::SetBoard, Request::Resync { board }))
            }
            "usermove" => Ok(self.play(argument)),
            "force" | "result" => plain(Request::Take(SeatsText::None)),
            "go" => Ok((Form::Go, Request::Take(SeatsText::Mover))),
            "playother" => Ok((Form::Go, Request::Take(SeatsText::Other))),
            "undo" => Ok((Form::Undo, Request::Undo(1))),
            "remove" => Ok((Form::Undo, Request::Undo(2))),
            "level" => {
                self.timed_moves = false;
                plain(level(argument)?)
            }
            "st" => {
                let seconds = number(
                    argument,
                    "st takes the seconds of a move, more than 0",
                    f64::MIN_POSITIVE,
                    1e6,
                )?;
                self.timed_moves = true;
                plain(Request::TimeSettings { main: 0.0, overtime: seconds.max(1e-3), moves: 1 })
            }
            "sd" => {
                let depth = number(argument, "sd takes a number of plies", 0.0, 1e6)?;
                self.depth_set = true;
                plain(set("depth", depth.min(256.0).floor()))
            }
            "time" | "otim" => {
                let whose = if verb == "time" { Whose::Engine } else { Whose::Opponent };
                let hundredths =
                    number(argument, "a clock has a number of hundredths of a second", -1e11, 1e11)?;
                let moves = self.timed_moves.then_some(1);
                plain(Request::Left { whose, seconds: hundredths.max(0.0) / 100.0, moves })
            }
            "memory" => {
                let mib = number(argument, "memory takes a number of MB", 0.0, 1e9)?;
                plain(set("hash", mib.clamp(1.0, 65536.0).floor()))
            }
            "cores" => {
                let threads = number(argument, "cores takes a number of threads", 0.0, 1e9)?;
                plain(set("threads", threads.clamp(1.0, 256.0).floor()))
            }
            "option" => plain(option(argument)?),
            "hard" => plain(set("ponder", "on")),
            "easy" => plain(set("ponder", "off")),
            "post" => Ok((Form::Post, silent())),
            "nopost" => Ok((Form::NoPost, silent())),
            "ping" if !argument.is_empty() => plain(Request::Ping(clip(argument))),
            "ping" => Err(Failure::new(Code::BadArgument, "ping takes a number")),
            "hint" => {
                let mut search = SearchText::new(Purpose::Hint);
                search.depth = Some(HINT_DEPTH);
                Ok((Form::Hint, Request::Search(search)))
            }
            "bk" => plain(Request::Known(" there is no opening book\n\n".to_owned())),
            "analyze" => {
                self.analyzing = true;
                let parts = vec![Request::Take(SeatsText::None), Request::Watch(true)];
                Ok((Form::Analyze, Request::Series(parts)))
            }
            "exit" => {
                self.analyzing = false;
                plain(Request::Watch(false))
            }
            "." => Ok((Form::Stat, Request::Progress)),
            "quit" => plain(Request::Quit),
            _ if argument.is_empty() && self.frame.word(verb).is_some() => Ok(self.play(verb)),
            _ => Err(Failure::new(Code::UnknownCommand, "unknown command")),
        }
    }

    /// A game of Othello, in which the engine plays the second mover; `variant` may still change it.
    fn new_game(&mut self) -> Request {
        self.frame = Frame::PLAIN;
        self.resent = false;
        let base = BaseText::Name("othello".to_owned());
        let variant = Some(VariantText { base, mods: Vec::new() });
        let mut parts = vec![
            // Until the new game stands, the engine has no turn.
            Request::Take(SeatsText::None),
            Request::New { variant, position: None },
            Request::Take(SeatsText::Side(Side::White)),
        ];
        if std::mem::take(&mut self.depth_set) {
            parts.push(set("depth", 0));
        }
        if self.analyzing {
            parts.retain(|part| !matches!(part, Request::Take(SeatsText::Side(_))));
        }
        Request::Series(parts)
    }

    fn play(&self, word: &str) -> (Form, Request) {
        let read = self.frame.read(word);
        let form = if read == Some(MoveText::Pass) { Form::Pass } else { Form::Move };
        let word = read.map_or_else(|| MoveWord::Unreadable(clip(word)), MoveWord::Move);
        (form, Request::Play { side: None, moves: vec![word], seconds: None })
    }
}

/// Plies that a hint looks ahead: it is wanted at once.
const HINT_DEPTH: u32 = 8;

/// A number in a range.
fn number(text: &str, why: &'static str, least: f64, most: f64) -> Result<f64, Failure> {
    read_decimal(text)
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| Failure::new(Code::BadValue, why))
}

/// ```abnf
/// level     = "level" SP moves SP minutes [":" seconds] SP increment
/// moves     = number                             ; 0: for the whole game
/// increment = decimal                            ; seconds, counts where moves is 0
/// ```
fn level(argument: &str) -> Result<Request, Failure> {
    let why = "level takes moves, minutes or minutes:seconds, and an increment in seconds";
    let bad = || Failure::new(Code::BadValue, why);
    let words: Vec<&str> = argument.split_whitespace().collect();
    let &[moves, base, increment] = words.as_slice() else { return Err(bad()) };
    let (minutes, seconds) = base.split_once(':').unwrap_or((base, "0"));
    let moves = read_number(moves).filter(|moves| *moves <= 1000).ok_or_else(bad)?;
    let base = 60.0 * number(minutes, why, 0.0, 1e6)? + number(seconds, why, 0.0, 1e6)?;
    let increment = number(increment, why, 0.0, 1e6)?;
    Ok(match u32::try_from(moves) {
        Ok(moves @ 1..) => Request::TimeSettings { main: 0.0, overtime: base, moves },
        _ => Request::TimeSettings { main: base, overtime: increment, moves: 0 },
    })
}

/// ```abnf
/// option = "option" SP name ["=" value]          ; of a check box 0 or 1
/// ```
///
/// Names are those of the `feature` lines, and our own.
fn option(argument: &str) -> Result<Request, Failure> {
    let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
    let (name, value) = (name.trim(), value.trim());
    let named = |row: &&OptionRow| row.name.eq_ignore_ascii_case(name);
    let row = row_of("xboard", name).or_else(|| OPTIONS.iter().find(named));
    let row = row.ok_or_else(|| Failure::new(Code::BadArgument, "no such option"))?;
    let value = match (row.kind, value) {
        (Kind::Check, "1") => "on",
        (Kind::Check, "0") => "off",
        _ => value,
    };
    Ok(set(row.name, value))
}

impl Dialect for XBoard {
    fn name(&self) -> &'static str {
        "xboard"
    }

    /// A pass is a move like any other, and is taken back like one.
    fn habits(&self) -> Habits {
        Habits { follows_searches: true, ..Habits::PLAIN }
    }

    /// ```abnf
    /// line = command / move
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let (verb, argument) = split(line);
        if verb.is_empty() {
            return Tagged { tag: Tag::default(), request: Request::Nothing };
        }
        let (form, request) = match self.request(verb, argument) {
            Ok(read) => read,
            Err(failure) => {
                let form = if verb == "setboard" { Form::SetBoard } else { Form::Plain };
                (form, Request::Unreadable(failure))
            }
        };
        let about = match form {
            Form::Move | Form::Pass if verb == "usermove" => argument,
            _ => line.trim(),
        };
        let manner = Manner { form, frame: self.frame, resent: self.resent };
        Tagged { tag: Tag { id: Some(clip(about)), form: manner.pack() }, request }
    }

    /// What makes an engine forget the move it is thinking about drops the search.
    fn urgency(&self, tagged: &Tagged) -> Urgency {
        let form = Manner::of(&tagged.tag).form;
        match &tagged.request {
            Request::Progress => Urgency::Now,
            Request::Take(SeatsText::None | SeatsText::Other)
            | Request::New { .. }
            | Request::Resync { .. }
            | Request::Undo(_)
            | Request::Watch(_)
            | Request::Quit => Urgency::DropsSearch,
            Request::Series(_) if form != Form::Features => Urgency::DropsSearch,
            _ if form == Form::MoveNow => Urgency::StopsSearch,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        let manner = Manner::of(tag);
        let Manner { form, frame, .. } = manner;
        // Writing to a string cannot fail.
        let _ = match event {
            Event::Info { info, .. } => self.thought(manner, info, out),
            Event::Hint { rank: 1, info } if form == Form::Hint => match info.pv.first() {
                Some(at) => writeln!(out, "Hint: {}", frame.write(*at)),
                None => Ok(()),
            },
            Event::Stands(state) => own_move(manner, state, out),
            Event::Option(row) if form == Form::Features => option_line(row, out),
            Event::Done(done) => self.done(manner, done, out),
            Event::Failed(failure) => {
                failure_line(form, tag.id.as_deref().unwrap_or_default(), failure, out)
            }
            _ => Ok(()),
        };
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let failure = Failure::new(Code::BadArgument, why.to_string());
        let tag = Tag { id: Some(clip(why.head())), form: Form::Plain as u16 };
        Tagged { tag, request: Request::Unreadable(failure) }
    }
}

// ---------------------------------------------------------------------------------------------
// Writing

impl XBoard {
    // thought = depth SP score SP time SP nodes SP pv
    fn thought(&mut self, manner: Manner, info: &InfoText, out: &mut String) -> std::fmt::Result {
        self.depth = info.depth;
        let wanted = match manner.form {
            Form::Analyze => true,
            Form::Hint => false,
            _ => self.posts,
        };
        if !wanted {
            return Ok(());
        }
        let (score, time) = (info.value.centidiscs, info.time_ms / 10);
        write!(out, "{} {score} {time} {}", info.depth, info.nodes)?;
        for at in &info.pv {
            write!(out, " {}", manner.frame.write(*at))?;
        }
        writeln!(out)
    }

    fn done(&mut self, manner: Manner, done: &Done, out: &mut String) -> std::fmt::Result {
        match (done, manner.form) {
            (Done::Hello { name, program_version, .. }, _) => {
                features(&format!("{name} {program_version}"), out)
            }
            (Done::Listed { .. }, Form::Features) => writeln!(out, "feature done=1"),
            (Done::Pong(word), _) => writeln!(out, "pong {}", plain_text(word)),
            (Done::State { state, .. }, Form::Variant) => setup(manner.frame, state, out),
            (Done::State { state, .. }, Form::Move | Form::Go) => {
                if manner.resent && manner.form == Form::Move {
                    setup(manner.frame, state, out)?;
                }
                result(state, out)
            }
            (Done::State { state, .. }, Form::Pass | Form::Undo | Form::SetBoard) if manner.resent => {
                setup(manner.frame, state, out)
            }
            (Done::Progress(Some(progress)), _) => self.stat(*progress, out),
            (Done::Known(_), Form::Post) => {
                self.posts = true;
                Ok(())
            }
            (Done::Known(_), Form::NoPost) => {
                self.posts = false;
                Ok(())
            }
            (Done::Known(text), _) => out.write_str(text),
            _ => Ok(()),
        }
    }

    // stat01 = "stat01:" SP time SP nodes SP depth SP moves-left SP moves
    fn stat(&self, progress: ProgressText, out: &mut String) -> std::fmt::Result {
        writeln!(out, "stat01: {} {} {} 0 0", progress.time_ms / 10, progress.nodes, self.depth)
    }
}

fn features(name: &str, out: &mut String) -> std::fmt::Result {
    let names: Vec<&str> = VARIANTS.iter().map(|known| known.name).collect();
    writeln!(out, "feature myname=\"{name}\" variants=\"{}\"", names.join(","))?;
    out.push_str(concat!(
        "feature ping=1 setboard=1 usermove=1 playother=1 time=1 reuse=1 analyze=1 memory=1 smp=1",
        " colors=0 san=0 draw=0 name=0 ics=0 nps=0 pause=0 debug=0 sigint=0 sigterm=0 outflank=1\n",
    ));
    Ok(())
}

// option = "feature option=" DQUOTE name SP kind DQUOTE
// kind   = "-check" SP bit / "-spin" SP value SP min SP max / "-combo" SP words / "-string" SP text
fn option_line(row: &crate::message::OptionText, out: &mut String) -> std::fmt::Result {
    let Some(name) = spelling("xboard", &row.name) else { return Ok(()) };
    let value = row.value.as_str();
    let kind = match (row.kind.as_str(), row.min.zip(row.max)) {
        ("check", _) => format!("-check {}", u8::from(value == "on")),
        (_, Some((min, max))) => format!("-spin {value} {min} {max}"),
        ("combo", _) => {
            let chosen = |word: &String| format!("{}{word}", if word == value { "*" } else { "" });
            let words: Vec<String> = row.choices.iter().map(chosen).collect();
            format!("-combo {}", words.join(" /// "))
        }
        _ => format!("-string {}", plain_text(value).replace('"', "'")),
    };
    writeln!(out, "feature option=\"{name} {kind}\"")
}

// setup = "setup (" pieces ")" SP columns "x" rows "+1_" parent SP fen
fn setup(frame: Frame, state: &StateText, out: &mut String) -> std::fmt::Result {
    let board = &state.position;
    let fen = frame.fen(board, true);
    writeln!(out, "setup {PIECES} {}x{}+1_{PARENT} {fen}", board.columns, board.rows)
}

/// The move that the engine has just made.
fn own_move(manner: Manner, state: &StateText, out: &mut String) -> std::fmt::Result {
    let at = match &state.last {
        Some((_, LogText::Place(at) | LogText::Play(at))) => MoveText::At(*at),
        Some((_, LogText::Pass)) => MoveText::Pass,
        None => return Ok(()),
    };
    writeln!(out, "move {}", manner.frame.write(at))?;
    if manner.resent {
        setup(manner.frame, state, out)?;
    }
    result(state, out)
}

// result = ("1-0" / "0-1" / "1/2-1/2") SP "{" comment "}"
fn result(state: &StateText, out: &mut String) -> std::fmt::Result {
    let Some(ending) = state.ending.as_ref().filter(|_| state.phase == Phase::Over) else {
        return Ok(());
    };
    // White of the protocol is Black of Othello.
    let word = match ending.winner {
        Some(Side::Black) => "1-0",
        Some(Side::White) => "0-1",
        None => "1/2-1/2",
    };
    match (ending.reason, ending.official) {
        (EndReason::Score | EndReason::Tie, Some((black, white))) => {
            writeln!(out, "{word} {{White {black}, Black {white}}}")
        }
        _ => writeln!(out, "{word} {{White {}, Black {}}}", state.count.0, state.count.1),
    }
}

fn failure_line(form: Form, about: &str, failure: &Failure, out: &mut String) -> std::fmt::Result {
    let about = plain_text(about);
    let prose = plain_text(&failure.prose);
    match form {
        // XBoard passes over the refusal of a move whose reason holds words such as "board".
        Form::Move | Form::Pass => writeln!(out, "Illegal move: {about}"),
        Form::SetBoard => match &failure.text {
            Some(text) => {
                writeln!(out, "tellusererror Illegal position: {}: {prose}", plain_text(text))
            }
            None => writeln!(out, "tellusererror Illegal position: {prose}"),
        },
        _ => writeln!(out, "Error ({prose}): {about}"),
    }
}

/// Text of strangers, in one line.
fn plain_text(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// The client's side.
///
/// The engine is left in force mode but for the move it is asked for. Whatever it may refuse is
/// followed by a `ping`: what comes before the `pong` belongs to it.
#[derive(Debug, Default)]
pub struct XBoardClient {
    identity: Identity,
    features: Features,
    /// Number of the last ping.
    ping: u64,
    awaited: Option<Awaited>,
    /// How the engine names squares in this game.
    frame: Option<Frame>,
    /// It writes positions with the discs in hand.
    pockets: bool,
    /// What is told of the new game once the engine has begun it: its position and its moves.
    untold: Option<(Option<BoardText>, Vec<MoveText>)>,
    /// The last line that an engine may refuse.
    asked: String,
    /// What it refused, and what it said.
    refused: Option<(String, String)>,
    /// Who is to move, of a move that is awaited.
    side: Option<Side>,
    news: News,
    depth: Option<u32>,
    time: Option<Time>,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// `feature done=1`.
    Features,
    /// The `pong` of the last ping.
    Pong,
    /// `move`.
    Move,
}

/// How time is given, as far as the engine has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// A clock with this increment in milliseconds.
    Clock(u64),
    /// So many milliseconds for each move.
    EachMove(u64),
}

/// What the engine said of itself, with what the protocol takes for granted.
#[derive(Debug)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    memory: bool,
    smp: bool,
    /// It is one of ours: it knows our tokens of variants, our options, and fractions of seconds.
    ours: bool,
    variants: Vec<String>,
    options: Vec<String>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            memory: false,
            smp: false,
            ours: false,
            variants: Vec::new(),
            options: Vec::new(),
        }
    }
}

/// What was said about the move that is being chosen.
#[derive(Debug, Default)]
struct News {
    depth: Option<u32>,
    nodes: Option<u64>,
    centidiscs: Option<i32>,
    pv: Vec<MoveText>,
}

/// Commands whose refusal means nothing: some engines do not know them.
const DISPENSABLE: &[&str] = &["accepted", "rejected", "easy", "hard", "post", "time", "otim", "xboard"];

/// `NAME=VALUE` of a `feature` line; the value may stand in double quotes.
///
/// ```abnf
/// features = *(*SP name "=" (DQUOTE *any DQUOTE / *any))
/// ```
fn features_of(mut text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    while let Some((name, rest)) = text.trim_start().split_once('=') {
        let (value, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        found.push((name.trim(), value));
        text = behind;
    }
    found
}

impl Features {
    /// Takes a feature in; whether it is one we know.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let yes = value != "0";
        match name {
            "ping" => self.ping = yes,
            "setboard" => self.setboard = yes,
            "usermove" => self.usermove = yes,
            "time" => self.time = yes,
            "memory" => self.memory = yes,
            "smp" => self.smp = yes,
            "outflank" => self.ours = yes,
            "variants" => {
                self.variants.extend(value.split(',').map(|name| name.trim().to_ascii_lowercase()));
            }
            // option = name SP "-" kind *any
            "option" => {
                let name = value.split(" -").next().unwrap_or_default();
                self.options.push(name.trim().to_owned());
            }
            "done" | "myname" | "playother" | "reuse" | "analyze" | "draw" | "sigint" | "sigterm"
            | "san" | "colors" | "name" | "ics" | "nps" | "pause" | "debug" | "highlight" => {}
            _ => return false,
        }
        true
    }

    fn has_variant(&self, name: &str) -> bool {
        self.variants.iter().any(|known| known == name)
    }
}

impl XBoardClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> XBoardClient {
        XBoardClient::default()
    }

    /// A line that the engine may refuse.
    fn ask(&mut self, line: String, out: &mut String) {
        out.push_str(&line);
        out.push('\n');
        self.asked = line;
    }

    /// Waits until what was said is done, where the engine can tell.
    fn settle(&mut self, out: &mut String) -> Next {
        if !self.features.ping {
            return Next::Done;
        }
        self.ping += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "ping {}", self.ping);
        self.awaited = Some(Awaited::Pong);
        Next::Wait
    }

    fn frame(&self) -> Frame {
        self.frame.unwrap_or(Frame::PLAIN)
    }

    fn tell_move(&mut self, at: MoveText, out: &mut String) {
        let prefix = if self.features.usermove { "usermove " } else { "" };
        let line = format!("{prefix}{}", self.frame().write(at));
        self.ask(line, out);
    }

    fn new_game(&mut self, game: &Situation, out: &mut String) -> Result<Next, Unsayable> {
        let (name, mirrored, board) = self.variant_for(game)?;
        self.frame = Some(Frame { mirrored, rows: game.start.rows });
        self.pockets = mirrored;
        // A new game takes depth and clocks back.
        (self.depth, self.time) = (None, None);
        out.push_str("new\n");
        if self.features.ours {
            // White may begin, whom a new game has the engine play.
            out.push_str("force\n");
        }
        self.ask(format!("variant {name}"), out);
        out.push_str("force\neasy\npost\n");
        self.untold = Some((board, game.moves.iter().map(|(_, at)| *at).collect()));
        Ok(match self.settle(out) {
            Next::Done => self.tell_game(out),
            Next::Wait => Next::Wait,
        })
    }

    /// Position and moves: how the squares are named is known once the engine has told its setup.
    fn tell_game(&mut self, out: &mut String) -> Next {
        let Some((board, moves)) = self.untold.take() else { return Next::Done };
        if let Some(board) = board {
            self.ask(format!("setboard {}", self.frame().fen(&board, self.pockets)), out);
        }
        for at in moves {
            self.tell_move(at, out);
        }
        self.settle(out)
    }

    /// What the engine calls the game, whether its ranks are mirrored as far as the name tells, and
    /// the position where it is not the one that the name stands for.
    fn variant_for(&self, game: &Situation) -> Result<(String, bool, Option<BoardText>), Unsayable> {
        let (start, rules) = (&game.start, game.rules);
        let unsayable =
            |what, text: &dyn std::fmt::Display, why| Unsayable::new("xboard", what, text, why);
        let plain = rules == RulesText::default()
            && start.placements == 0
            && start.hand.is_none()
            && !start.cells.contains(&Cell::Hole);
        let size = BaseText::Size { columns: start.columns.into(), rows: start.rows.into() };
        let known = VARIANTS.iter().find(|known| {
            let token = read_variant(known.token).ok();
            let of_size = match token.as_ref().map(|token| &token.base) {
                Some(BaseText::Name(name)) => name == "othello" && (start.columns, start.rows) == (8, 8),
                Some(base) => *base == size,
                None => false,
            };
            of_size && self.features.has_variant(known.name)
        });
        // A position of four discs may be read in the other convention, which a token is not.
        let by_token = self.features.ours && game.usual_start && !start.is_cross();
        if let Some(known) = known.filter(|_| plain && !by_token) {
            let board = (!start.is_cross()).then(|| start.clone());
            if board.is_some() && !self.features.setboard {
                return Err(unsayable(Topic::Position, start, "the engine does not know `setboard`"));
            }
            return Ok((known.name.to_owned(), known.mirrored, board));
        }
        if !self.features.ours {
            let why = "the engine announces no variant with these rules on this board";
            return Err(unsayable(Topic::Variant, &game.variant, why));
        }
        if game.usual_start {
            return Ok((token_of(&game.variant), false, None));
        }
        if start.placements > 0 || start.hand.is_some() {
            let why = "a FEN string tells neither placements nor limited discs";
            return Err(unsayable(Topic::Position, start, why));
        }
        // Size and holes come with the position; some sizes have no start of their own.
        let mods = game.variant.mods.iter().filter(|modifier| modifier.is_rule()).cloned();
        let base = BaseText::Name("othello".to_owned());
        let rules = VariantText { base, mods: mods.collect() };
        Ok((token_of(&rules), false, Some(start.clone())))
    }

    fn prepare(&mut self, limits: &Limits, out: &mut String) -> Next {
        if let Some(depth) = limits.depth.filter(|depth| self.depth != Some(*depth)) {
            self.ask(format!("sd {depth}"), out);
            self.depth = Some(depth);
        }
        let time = match (limits.clock, limits.movetime_ms) {
            (Some(clock), _) => Some(Time::Clock(clock.increment_ms)),
            (None, Some(ms)) => Some(Time::EachMove(ms)),
            (None, None) => None,
        };
        if let Some(time) = time.filter(|time| self.time != Some(*time)) {
            match (time, limits.clock) {
                (Time::Clock(_), Some(clock)) => self.ask(level_line(clock), out),
                (Time::EachMove(ms), _) | (Time::Clock(ms), None) => {
                    let line = if self.features.ours {
                        format!("st {}", Seconds(ms))
                    } else {
                        format!("st {}", (ms / 1000).max(1))
                    };
                    self.ask(line, out);
                }
            }
            self.time = Some(time);
        }
        if let Some(clock) = limits.clock.filter(|_| self.features.time) {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "time {}\notim {}", clock.own_ms / 10, clock.other_ms / 10);
        }
        self.settle(out)
    }

    fn option(&mut self, name: &str, value: &str, out: &mut String) -> Result<Next, Unsayable> {
        let why = "the engine announces no option of this name";
        let unsayable = || Unsayable::new("xboard", Topic::Option, format!("{name}={value}"), why);
        if format!("{name}{value}").contains(char::is_control) {
            return Err(unsayable());
        }
        let line = match (name, value) {
            ("depth", _) => format!("sd {value}"),
            ("hash", _) if self.features.memory => format!("memory {value}"),
            ("threads", _) if self.features.smp => format!("cores {value}"),
            _ if self.features.ours => format!("option {name}={value}"),
            _ => {
                let known = self.features.options.iter().find(|known| known.eq_ignore_ascii_case(name));
                format!("option {}={value}", known.ok_or_else(unsayable)?)
            }
        };
        self.ask(line, out);
        Ok(self.settle(out))
    }

    /// `feature` was heard.
    fn feature(&mut self, text: &str, out: &mut String) -> Heard {
        let mut heard = Heard::Nothing;
        for (name, value) in features_of(text) {
            let known = self.features.take(name, value);
            let word = if known { "accepted" } else { "rejected" };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{word} {}", plain_text(name));
            match (name, value) {
                ("myname", _) => self.introduce(value),
                ("done", "1") if self.awaited == Some(Awaited::Features) => {
                    self.awaited = None;
                    heard = Heard::Done;
                }
                _ => {}
            }
        }
        heard
    }

    // myname = name [SP version]
    fn introduce(&mut self, text: &str) {
        let is_version = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let (name, version) = match text.rsplit_once(' ') {
            Some((name, version)) if is_version(version) => (name, Some(clip(version))),
            _ => (text, None),
        };
        self.identity = Identity { name: Some(clip(name)), version };
    }

    /// The `pong` of the last ping: what was asked is done, or was refused.
    fn settled(&mut self, out: &mut String) -> Heard {
        self.awaited = None;
        if let Some((asked, answer)) = self.refused.take() {
            self.untold = None;
            return Heard::Refused { asked, answer };
        }
        match self.tell_game(out) {
            Next::Wait => Heard::Nothing,
            Next::Done => Heard::Done,
        }
    }

    /// The engine refuses a command, or a move.
    fn refusal(&mut self, line: &str) -> Heard {
        // error = "Error (" reason "):" command
        let about = line.rsplit_once("):").map_or("", |(_, command)| split(command).0);
        if DISPENSABLE.contains(&about) {
            return Heard::Nothing;
        }
        match self.awaited {
            // An engine of version 1 knows no features.
            Some(Awaited::Features) => {
                self.awaited = None;
                Heard::Done
            }
            Some(Awaited::Move) => {
                self.awaited = None;
                Heard::Refused { asked: self.asked.clone(), answer: clip_answer(line) }
            }
            Some(Awaited::Pong) | None => {
                self.refused.get_or_insert((self.asked.clone(), clip_answer(line)));
                Heard::Nothing
            }
        }
    }

    fn chosen(&mut self, line: &str, word: &str) -> Heard {
        if self.awaited != Some(Awaited::Move) {
            return Heard::Nothing;
        }
        self.awaited = None;
        let news = std::mem::take(&mut self.news);
        let Some(at) = self.frame().read(word) else {
            return Heard::Garbled { line: clip(line), why: Garble::NotAMove };
        };
        let bare = ChosenText::bare(ChoiceText::Move(at));
        // A line of thought about another move says nothing of this one.
        Heard::Chosen(Box::new(if news.pv.first() == Some(&at) {
            ChosenText {
                centidiscs: news.centidiscs,
                depth: news.depth,
                nodes: news.nodes,
                pv: news.pv,
                ..bare
            }
        } else {
            ChosenText { nodes: news.nodes, pv: vec![at], ..bare }
        }))
    }

    /// A result, or `resign`. Whoever is asked for a move and tells one instead gives up, or holds
    /// the game to be over.
    fn over(&mut self, line: &str, winner: Option<Side>) -> Heard {
        if self.awaited != Some(Awaited::Move) {
            return Heard::Nothing;
        }
        self.awaited = None;
        let gives_up = line.to_ascii_lowercase().contains("resign") && winner != self.side;
        Heard::Chosen(Box::new(ChosenText::bare(if gives_up {
            ChoiceText::Resign
        } else {
            ChoiceText::Move(MoveText::Pass)
        })))
    }

    // thought = depth [mark] SP score SP time SP nodes *(SP any) *(SP move)
    fn thought(&mut self, line: &str) -> Heard {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_default();
        let depth = next().trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>();
        let (score, time, nodes) = (next().parse::<i32>(), next().parse::<f64>(), next().parse::<u64>());
        let (Ok(depth), Ok(score), Ok(_), Ok(nodes)) = (depth, score, time, nodes) else {
            return Heard::Stray;
        };
        if self.awaited != Some(Awaited::Move) {
            return Heard::Nothing;
        }
        // Between the nodes and the moves some write more numbers, or how sure they are.
        let pv: Vec<MoveText> = words
            .map(|word| self.frame().read(word))
            .skip_while(Option::is_none)
            .map_while(|at| at)
            .collect();
        // Of the lines of one depth the first is the best.
        if !pv.is_empty() && self.news.depth != Some(depth) {
            self.news = News { depth: Some(depth), nodes: None, centidiscs: Some(score), pv };
        }
        self.news.nodes = Some(nodes);
        Heard::Nothing
    }

    // setup = "setup (" pieces ")" [SP size] SP fen
    fn setup(&mut self, text: &str) {
        let words = text.split_whitespace().skip_while(|word| !word.contains('/'));
        let fen = words.collect::<Vec<_>>().join(" ");
        if self.features.ours {
            // Its names leave no choice, and its starts may look like those of the other convention.
            self.pockets = true;
        } else if let (Some(frame), Ok((told, board))) = (self.frame, self.frame().board(&fen))
            && board.rows == frame.rows
        {
            self.frame = Some(told);
            self.pockets = fen.contains('[');
        }
    }
}

/// A token that `variant` takes for the same: what we call reversi is called otherwise here.
fn token_of(variant: &VariantText) -> String {
    let text = variant.to_string();
    if !matches!(&variant.base, BaseText::Name(name) if name == "reversi") {
        return text;
    }
    let free = ModText::Start(StartText::Free);
    let has_start = variant.mods.iter().any(|modifier| matches!(modifier, ModText::Start(_)));
    let mods = variant.mods.iter().cloned().chain((!has_start).then_some(free)).collect();
    VariantText { base: BaseText::Size { columns: 8, rows: 8 }, mods }.to_string()
}

fn level_line(clock: ClockLeft) -> String {
    let (minutes, seconds) = (clock.own_ms / 60_000, clock.own_ms / 1000 % 60);
    let base = if seconds == 0 && minutes > 0 {
        minutes.to_string()
    } else {
        format!("{minutes}:{:02}", seconds.max(u64::from(minutes == 0)))
    };
    format!("level 0 {base} {}", Seconds(clock.increment_ms))
}

/// Milliseconds, written as seconds.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, rest) = (self.0 / 1000, self.0 % 1000);
        if rest == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{rest:03}") }
    }
}

impl Client for XBoardClient {
    fn name(&self) -> &'static str {
        "xboard"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        match *order {
            Order::Hello => {
                out.push_str("xboard\nprotover 2\n");
                self.awaited = Some(Awaited::Features);
                return Ok(Next::Wait);
            }
            Order::Set { name, value } => return self.option(name, value, out),
            Order::NewGame(game) => {
                self.refused = None;
                return self.new_game(game, out);
            }
            Order::Played { own: true, .. } => out.push_str("force\n"),
            Order::Played { at, .. } => {
                self.tell_move(at, out);
                return Ok(self.settle(out));
            }
            Order::Prepare(limits) => return Ok(self.prepare(limits, out)),
            Order::Choose(limits) => {
                self.news = News::default();
                self.side = Some(limits.side);
                self.ask("go".to_owned(), out);
                self.awaited = Some(Awaited::Move);
                return Ok(Next::Wait);
            }
            Order::Board(_) => {}
            Order::GameOver => out.push_str("force\n"),
            Order::Quit => out.push_str("quit\n"),
        }
        Ok(Next::Done)
    }

    fn hear(&mut self, line: &str, out: &mut String) -> Heard {
        let line = line.trim();
        let (verb, rest) = split(line);
        match verb {
            "feature" => self.feature(rest, out),
            "pong" => {
                let newest = read_number(rest) == Some(self.ping);
                if newest && self.awaited == Some(Awaited::Pong) {
                    self.settled(out)
                } else {
                    Heard::Nothing
                }
            }
            "move" => self.chosen(line, split(rest).0),
            "setup" => {
                self.setup(rest);
                Heard::Nothing
            }
            "Error" | "tellusererror" => self.refusal(line),
            "1-0" => self.over(line, Some(Side::Black)),
            "0-1" => self.over(line, Some(Side::White)),
            "1/2-1/2" => self.over(line, None),
            "resign" => self.over(line, self.side.map(Side::other)),
            // number = 1*DIGIT "." / 1*DIGIT ; "5. ... P@f5" is a move of version 1
            _ if split(rest).0 == "..." => self.chosen(line, split(split(rest).1).0),
            _ if verb.starts_with(|c: char| c.is_ascii_digit()) => self.thought(line),
            "" | "#" | "Hint:" | "piece" | "offer" | "stat01:" | "telluser" | "tellall"
            | "tellothers" | "tellopponent" | "tellics" | "tellicsnoalias" | "highlight" => {
                Heard::Nothing
            }
            "Illegal" | "illegal" => self.refusal(line),
            _ => Heard::Stray,
        }
    }

    /// Force mode ends a search, and no move comes of it.
    fn give_up(&mut self, out: &mut String) {
        if self.awaited.take() == Some(Awaited::Move) {
            out.push_str("force\n");
        }
        self.untold = None;
        self.refused = None;
    }

    fn heeds(&self, limit: Limit) -> bool {
        limit != Limit::Nodes
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::{BestText, BoundText, EndingText, ValueText};
    use crate::position::read_token;
    use crate::words::HalfDiscs;

    const START: &str = "8/8/8/3ox3/3xo3/8/8/8,x";

    fn read(line: &str) -> Request {
        XBoard::new().read(line).request
    }

    fn at(text: &str) -> MoveText {
        Frame::PLAIN.word(text).unwrap()
    }

    fn play_of(text: &str) -> Request {
        Request::Play { side: None, moves: vec![MoveWord::Move(at(text))], seconds: None }
    }

    fn state(position: &str, last: Option<&str>, ending: Option<EndingText>) -> Box<StateText> {
        let last = last.map(|word| match at(word) {
            MoveText::Pass => LogText::Pass,
            MoveText::At(at) => LogText::Play(at),
        });
        let over = ending.is_some();
        Box::new(StateText {
            variant: read_variant("othello").unwrap(),
            seed: None,
            position: read_token(position).unwrap(),
            squares: 64,
            phase: if over { Phase::Over } else { Phase::Play },
            next: (!over).then_some(Side::White),
            count: (38, 26),
            legal: Vec::new(),
            last: last.map(|what| (Side::Black, what)),
            items: 0,
            ending,
        })
    }

    fn won(winner: Option<Side>) -> Option<EndingText> {
        Some(EndingText {
            reason: if winner.is_some() { EndReason::Score } else { EndReason::Tie },
            winner,
            official: Some((HalfDiscs(76), HalfDiscs(52))),
            margin: None,
        })
    }

    /// What an event that answers these lines looks like; the last line is the one it answers.
    fn answer(lines: &[&str], event: &Event) -> String {
        let mut dialect = XBoard::new();
        let mut out = String::new();
        let mut tag = Tag::default();
        for line in lines {
            let tagged = dialect.read(line);
            if let Request::Known(text) = tagged.request {
                dialect.render(&tagged.tag, &Event::Done(Done::Known(text)), &mut out);
            }
            tag = tagged.tag;
        }
        dialect.render(&tag, event, &mut out);
        out
    }

    fn stands(lines: &[&str], position: &str) -> String {
        let state = state(position, None, None);
        answer(lines, &Event::Done(Done::State { state, reading: None }))
    }

    fn board_of(dialect: &mut XBoard, fen: &str) -> String {
        match dialect.read(&format!("setboard {fen}")).request {
            Request::Resync { board } => board.to_string(),
            other => panic!("{fen}: {other:?}"),
        }
    }

    #[test]
    fn moves_are_read_with_and_without_usermove_and_in_both_frames() {
        for line in ["usermove P@f5", "P@f5", "f5", "p@F5", "P*f5", "usermove f5"] {
            assert_eq!(read(line), play_of("f5"), "{line}");
        }
        for line in ["@@@@", "usermove @@@@", "pass", "PA", "--", "0000", "usermove d4d4"] {
            assert_eq!(read(line), play_of("pass"), "{line}");
        }
        let mut mirrored = XBoard::new();
        mirrored.read("variant flipello");
        assert_eq!(mirrored.read("usermove P@f4").request, play_of("f5"));
        let mut large = XBoard::new();
        large.read("variant flipello10");
        assert_eq!(large.read("usermove P@a9").request, play_of("a1"));
        assert_eq!(large.read("usermove P@j0").request, play_of("j10"));
        // Ranks that a mirrored board lacks name nothing.
        let Request::Play { moves, .. } = mirrored.read("usermove P@f9").request else { panic!() };
        assert_eq!(moves, [MoveWord::Unreadable("P@f9".into())]);
        assert!(matches!(read("f5d6"), Request::Unreadable(_)));
    }

    #[test]
    fn a_start_position_tells_its_convention_by_itself() {
        let edax = "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1";
        let fairy = "8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1";
        for variant in ["variant reversi", "variant flipello"] {
            let mut dialect = XBoard::new();
            dialect.read(variant);
            assert_eq!(board_of(&mut dialect, edax), START, "{variant}");
            assert_eq!(dialect.read("P@f5").request, play_of("f5"));
            assert_eq!(board_of(&mut dialect, fairy), START, "{variant}");
            assert_eq!(dialect.read("P@f4").request, play_of("f5"));
        }
        // The side to move decides with the centre: these are the same positions with White to move.
        let mut dialect = XBoard::new();
        assert_eq!(board_of(&mut dialect, "8/8/8/3Pp3/3pP3/8/8/8 b"), "8/8/8/3xo3/3ox3/8/8/8,o");
        assert_eq!(dialect.read("P@f4").request, play_of("f5"));
    }

    #[test]
    fn later_positions_are_read_as_the_variant_says() {
        let fen = "8/8/8/3pP3/3PPP2/8/8/8 b - - 0 1";
        let mut dialect = XBoard::new();
        dialect.read("variant flipello");
        assert_eq!(board_of(&mut dialect, fen), "8/8/8/3ox3/3xxx2/8/8/8,o");
        dialect.read("variant reversi");
        assert_eq!(board_of(&mut dialect, fen), "8/8/8/3xxx2/3ox3/8/8/8,o");
        assert!(matches!(dialect.read("setboard 8/8 w").request, Request::Unreadable(_)));
        assert!(matches!(dialect.read("setboard").request, Request::Unreadable(_)));
    }

    #[test]
    fn variants_have_the_names_of_others_and_our_tokens() {
        for (line, token) in [
            ("variant reversi", "othello"),
            ("variant alien", "othello"),
            ("variant flipello", "othello"),
            ("variant flipello10", "10x10"),
            ("variant flipersi", "reversi+hand=32+stuck=end"),
            ("variant 10x10+1_reversi", "10x10"),
            ("variant 6x8+0_flipello", "6x8"),
            ("variant oct+anti", "oct+anti"),
            ("variant 8x8+start=free", "8x8+start=free"),
        ] {
            let Request::New { variant: Some(variant), position: None } = read(line) else {
                panic!("{line}")
            };
            assert_eq!(variant.to_string(), token, "{line}");
        }
        for line in ["variant", "variant 8x", "variant 10x10+1_"] {
            assert!(matches!(read(line), Request::Unreadable(_)), "{line}");
        }
    }

    #[test]
    fn a_new_game_has_the_engine_play_second_and_takes_depths_back() {
        let mut dialect = XBoard::new();
        let parts = |request| match request {
            Request::Series(parts) => parts,
            other => panic!("{other:?}"),
        };
        let new = parts(dialect.read("new").request);
        assert_eq!(new.first(), Some(&Request::Take(SeatsText::None)));
        assert_eq!(new.last(), Some(&Request::Take(SeatsText::Side(Side::White))));
        dialect.read("sd 4");
        assert_eq!(parts(dialect.read("new").request).last(), Some(&set("depth", 0)));
        assert_eq!(parts(dialect.read("new").request), new);
    }

    #[test]
    fn time_is_read_in_the_units_of_the_protocol() {
        let settings = |main, overtime, moves| Request::TimeSettings { main, overtime, moves };
        assert_eq!(read("level 40 5 0"), settings(0.0, 300.0, 40));
        assert_eq!(read("level 0 5:30 12"), settings(330.0, 12.0, 0));
        assert_eq!(read("level 0 0:10 0.1"), settings(10.0, 0.1, 0));
        assert_eq!(read("st 3"), settings(0.0, 3.0, 1));
        assert_eq!(read("st 0.0004"), settings(0.0, 0.001, 1));
        let left = |whose, seconds, moves| Request::Left { whose, seconds, moves };
        assert_eq!(read("time 29998"), left(Whose::Engine, 299.98, None));
        assert_eq!(read("otim -5"), left(Whose::Opponent, 0.0, None));
        let mut timed = XBoard::new();
        timed.read("st 5");
        assert_eq!(timed.read("time 500").request, left(Whose::Engine, 5.0, Some(1)));
        assert_eq!(read("sd 9"), set("depth", 9));
        assert_eq!(read("sd 999"), set("depth", 256));
        for line in
            ["level", "level 40 5", "level x 5 0", "st 0", "time soon", "sd many", "level 1 -1 0"]
        {
            assert!(matches!(read(line), Request::Unreadable(_)), "{line}");
        }
    }

    #[test]
    fn settings_are_rows_of_the_table() {
        assert_eq!(read("memory 68"), set("hash", 68));
        assert_eq!(read("memory 0"), set("hash", 1));
        assert_eq!(read("cores 2"), set("threads", 2));
        assert_eq!(read("hard"), set("ponder", "on"));
        assert_eq!(read("option Level=5"), set("level", "5"));
        assert_eq!(read("option Limit Strength=1"), set("limit_strength", "on"));
        assert_eq!(read("option komi=2.5"), set("komi", "2.5"));
        assert!(matches!(read("option Sauce=hot"), Request::Unreadable(_)));
        let row = |name: &str, kind: &str| crate::message::OptionText {
            name: name.into(),
            kind: kind.into(),
            default: String::new(),
            min: (kind == "spin").then_some(0),
            max: (kind == "spin").then_some(60),
            choices: vec!["trained".into(), "hand".into()],
            value: if kind == "spin" { "10" } else { "hand" }.into(),
        };
        let told = |row| answer(&["protover 2"], &Event::Option(row));
        assert_eq!(told(row("level", "spin")), "feature option=\"Level -spin 10 0 60\"\n");
        assert_eq!(
            told(row("weights", "combo")),
            "feature option=\"Weights -combo trained /// *hand\"\n"
        );
        assert_eq!(told(row("limit_strength", "check")), "feature option=\"Limit Strength -check 0\"\n");
        assert_eq!(told(row("autopass", "check")), "");
    }

    #[test]
    fn searches_are_dropped_by_what_makes_them_useless() {
        let mut dialect = XBoard::new();
        let mut urgency = |line: &str| {
            let tagged = dialect.read(line);
            dialect.urgency(&tagged)
        };
        for line in
            ["force", "new", "result 1-0 {}", "variant alien", "undo", "remove", "playother", "quit"]
        {
            assert_eq!(urgency(line), Urgency::DropsSearch, "{line}");
        }
        assert_eq!(urgency("setboard 8/8/8/3pP3/3Pp3/8/8/8 w"), Urgency::DropsSearch);
        for line in
            ["protover 2", "go", "ping 1", "usermove quit", "usermove f5", "time 5", "post", "x", ""]
        {
            assert_eq!(urgency(line), Urgency::Queued, "{line}");
        }
        assert_eq!(urgency("."), Urgency::Now);
        assert_eq!(urgency("?"), Urgency::StopsSearch);
        assert_eq!(urgency("analyze"), Urgency::DropsSearch);
        assert_eq!(urgency("?"), Urgency::Queued);
        assert_eq!(urgency("exit"), Urgency::DropsSearch);
        assert_eq!(urgency("?"), Urgency::StopsSearch);
    }

    #[test]
    fn a_variant_is_set_up_in_its_own_convention() {
        let discs = format!("{}{}", "P".repeat(60), "p".repeat(60));
        assert_eq!(
            stands(&["variant reversi"], START),
            format!("setup {PIECES} 8x8+1_lion 8/8/8/3Pp3/3pP3/8/8/8[{discs}] w - - 0 1\n")
        );
        assert_eq!(
            stands(&["variant flipello"], START),
            format!("setup {PIECES} 8x8+1_lion 8/8/8/3pP3/3Pp3/8/8/8[{discs}] w - - 0 1\n")
        );
        let later = "8/8/8/3ox3/3xxx2/8/8/8,o";
        assert_eq!(stands(&["variant reversi", "usermove f5"], later), "");
        let resent = stands(&["variant alien", "usermove f5"], later);
        assert!(
            resent.contains(" 8/8/8/3PPP2/3pP3/8/8/8[") && resent.ends_with("] b - - 0 1\n"),
            "{resent}"
        );
        let hole = "___5/5xo1/8/8/8/8/8/8,x,h2.0";
        assert!(stands(&["variant alien"], hole).contains("8/8/8/8/8/8/5Pp1/***5[PP] w"));
        let wide = format!("{}16,x", "16/".repeat(15));
        assert!(stands(&["variant 16x16"], &wide).len() <= LONGEST_SETUP + 1);
        let full = format!("{},x", ["xxxxxxxx"; 8].join("/"));
        assert!(stands(&["variant alien"], &full).contains("PPPPPPPP[-] w"));
    }

    #[test]
    fn an_own_move_is_told_with_the_result_it_leads_to() {
        let stands = |line: &str, last, ending| {
            answer(&[line, "go"], &Event::Stands(state(START, Some(last), ending)))
        };
        assert_eq!(stands("variant reversi", "f5", None), "move P@f5\n");
        assert_eq!(stands("variant flipello", "f5", None), "move P@f4\n");
        assert_eq!(stands("variant flipello10", "f5", None), "move P@f5\n");
        assert_eq!(stands("variant oct", "e4", None), "move P@e3\n");
        assert_eq!(stands("variant 12x12", "e12", None), "move P@e12\n");
        assert_eq!(stands("variant reversi", "pass", None), "move @@@@\n");
        let black = stands("variant reversi", "h8", won(Some(Side::Black)));
        assert_eq!(black, "move P@h8\n1-0 {White 38, Black 26}\n");
        let white = stands("variant reversi", "h8", won(Some(Side::White)));
        assert_eq!(white, "move P@h8\n0-1 {White 38, Black 26}\n");
        let nobody = stands("variant reversi", "h8", won(None));
        assert_eq!(nobody, "move P@h8\n1/2-1/2 {White 38, Black 26}\n");
        assert_eq!(stands("variant alien", "h8", None).lines().count(), 2);
    }

    #[test]
    fn a_result_follows_the_last_move_and_no_pass_behind_it() {
        let over = |line: &str| {
            let state = state(START, None, won(Some(Side::Black)));
            answer(&[line], &Event::Done(Done::State { state, reading: None }))
        };
        assert_eq!(over("usermove h8"), "1-0 {White 38, Black 26}\n");
        assert_eq!(over("go"), "1-0 {White 38, Black 26}\n");
        for line in
            ["usermove @@@@", "force", "undo", "result 1-0 {x}", "setboard 8/8/8/3pP3/3Pp3/8/8/8 w"]
        {
            assert_eq!(over(line), "", "{line}");
        }
    }

    #[test]
    fn thoughts_are_told_where_they_are_wanted() {
        let info = InfoText {
            depth: 12,
            selectivity: 73,
            multipv: 1,
            value: ValueText { centidiscs: -150, bound: BoundText::Value, exact: false },
            wld: false,
            nodes: 4000,
            time_ms: 1234,
            pv: vec![at("f5"), at("pass")],
        };
        let told = |lines: &[&str]| answer(lines, &Event::Info { search: 1, info: info.clone() });
        assert_eq!(told(&["go"]), "");
        assert_eq!(told(&["post", "go"]), "12 -150 123 4000 P@f5 @@@@\n");
        assert_eq!(told(&["variant flipello", "post", "go"]), "12 -150 123 4000 P@f4 @@@@\n");
        assert_eq!(told(&["post", "nopost", "go"]), "");
        assert_eq!(told(&["analyze"]), "12 -150 123 4000 P@f5 @@@@\n");
        assert_eq!(told(&["post", "hint"]), "");
        let hint = |line: &str| answer(&[line, "hint"], &Event::Hint { rank: 1, info: info.clone() });
        assert_eq!(hint("variant reversi"), "Hint: P@f5\n");
        assert_eq!(hint("variant flipello"), "Hint: P@f4\n");
        let progress = Done::Progress(Some(ProgressText { nodes: 77, time_ms: 450 }));
        assert_eq!(answer(&["."], &Event::Done(progress)), "stat01: 45 77 0 0 0\n");
        assert_eq!(answer(&["."], &Event::Done(Done::Progress(None))), "");
    }

    #[test]
    fn refusals_have_the_forms_of_the_protocol() {
        let failure =
            Failure::new(Code::NoFlip, "nothing would\nbe turned on the board").with_text("a1");
        let refused = |line: &str| answer(&[line], &Event::Failed(failure.clone()));
        assert_eq!(refused("usermove P@a1"), "Illegal move: P@a1\n");
        assert_eq!(refused("P@a1"), "Illegal move: P@a1\n");
        assert_eq!(refused("usermove @@@@"), "Illegal move: @@@@\n");
        assert_eq!(
            refused("setboard 8/8/8/3pP3/3Pp3/8/8/8 w"),
            "tellusererror Illegal position: a1: nothing would?be turned on the board\n"
        );
        assert_eq!(refused("undo"), "Error (nothing would?be turned on the board): undo\n");
        let mut dialect = XBoard::new();
        let mut said = |line: &str| {
            let tagged = dialect.read(line);
            let Request::Unreadable(failure) = tagged.request else { panic!("{line}") };
            let mut out = String::new();
            dialect.render(&tagged.tag, &Event::Failed(failure), &mut out);
            out
        };
        assert_eq!(said("edit"), "Error (unknown command): edit\n");
        assert_eq!(said("frobnicate 3"), "Error (unknown command): frobnicate 3\n");
        assert!(said("setboard nonsense").starts_with("tellusererror Illegal position: "));
        let long = LineFault::NotUtf8 { at: 7, head: "usermove \u{fffd}".into() };
        let tagged = dialect.unreadable_line(long);
        assert!(matches!(tagged.request, Request::Unreadable(_)));
    }

    #[test]
    fn what_gui_programs_send_besides_is_taken_in_silence() {
        for line in [
            "xboard",
            "accepted ping",
            "rejected debug",
            "random",
            "computer",
            "name Fritz",
            "rating 0 0",
            "ics -",
            "draw",
            "pause",
            "resume",
            "nps 100",
            "egtpath nalimov /x",
        ] {
            assert_eq!(read(line), silent(), "{line}");
            assert_eq!(answer(&[line], &Event::Done(Done::Known(String::new()))), "");
        }
        let failed = Done::Generated(BestText {
            search: 0,
            at: None,
            value: None,
            ponder: None,
            nodes: 0,
            time_ms: 0,
            failed: false,
        });
        assert_eq!(answer(&["go"], &Event::Done(failed)), "");
    }

    #[test]
    fn features_are_split_at_their_quotes() {
        assert_eq!(
            features_of("ping=1 myname=\"A b = c\" variants=\"x,y\" done=1"),
            [("ping", "1"), ("myname", "A b = c"), ("variants", "x,y"), ("done", "1")]
        );
        assert_eq!(features_of("myname=\"open"), [("myname", "open")]);
        assert!(features_of("nothing").is_empty());
    }

    #[test]
    fn clocks_are_written_as_minutes_and_seconds() {
        let level = |own_ms, increment_ms| level_line(ClockLeft { own_ms, other_ms: 0, increment_ms });
        assert_eq!(level(300_000, 0), "level 0 5 0");
        assert_eq!(level(61_500, 250), "level 0 1:01 0.250");
        assert_eq!(level(400, 0), "level 0 0:01 0");
    }
}
