//! UCI as Fairy-Stockfish speaks it for flipello and flipersi, and the same with squares named as
//! in Othello diagrams.
//!
//! Grammar and quirks are in `spec/uci.md`. Two notations are told apart by the variant: drops
//! (`P@f4`, the ranks counted from the other edge) and plain squares (`f5`). In both of them UCI's
//! White, the `P` of a FEN, is Black. The engine's side stands first, the client's side behind it.

use std::collections::VecDeque;
use std::fmt::Write;

use nom::bytes::complete::tag_no_case;
use nom::combinator::verify;
use nom::sequence::{pair, preceded};

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, ClockLeft, Garble, Heard, Identity, Limit, Limits, Next, Order,
    RulesText, Situation, Topic, Unsayable,
};
use crate::fault::{clip, clip_answer};
use crate::lexis::{MOST_ITEMS, move_word, point, read_number, read_point, whole};
use crate::line::LineFault;
use crate::message::{
    BestText, BoundText, ClocksText, Code, Done, Event, Failure, Habits, InfoText, OptionText, Phase,
    PonderText, Purpose, Request, SearchText, SideClockText, StateText, Tag, Tagged, Urgency, ValueText,
};
use crate::options::{self, OPTIONS, OptionRow, Preset};
use crate::position::{FenDialect, Orientation, read_fen};
use crate::variant::read_variant;
use crate::words::{
    BaseText, BoardText, Cell, ModText, MoveText, MoveWord, Mover, Point, Side, StartText, VariantText,
};

// ---------------------------------------------------------------------------------------------
// Variants and notations

/// A variant of Fairy-Stockfish: what it is here, and how its start is written there.
#[derive(Debug)]
struct Fairy {
    name: &'static str,
    /// The token of the same game.
    token: &'static str,
    /// Ranks, and files as well.
    ranks: u8,
    /// A side that cannot move passes; without passes it ends the game.
    passes: bool,
    /// The start is written with the fields for castling and en passant.
    all_fields: bool,
}

const FAIRY: &[Fairy] = &[
    Fairy { name: "flipello", token: "othello", ranks: 8, passes: true, all_fields: false },
    Fairy { name: "flipello6", token: "6x6", ranks: 6, passes: true, all_fields: false },
    Fairy { name: "flipello10", token: "10x10", ranks: 10, passes: true, all_fields: true },
    Fairy { name: "flipersi", token: "reversi+stuck=end", ranks: 8, passes: false, all_fields: false },
];

/// The variants with plain squares that are listed, with their tokens. Any other token is a variant
/// as well.
const PLAIN: &[(&str, &str)] = &[
    ("othello", "othello"),
    ("othello4", "4x4"),
    ("othello6", "6x6"),
    ("othello10", "10x10"),
    ("othello12", "12x12"),
    ("othello14", "14x14"),
    ("othello16", "16x16"),
    ("reversi", "reversi"),
    ("reversi6", "6x6+start=free"),
    ("reversi10", "10x10+start=free"),
    ("anti", "othello+anti"),
    ("parallel", "othello+start=par"),
    ("octagon", "oct"),
    ("annex", "annex"),
];

/// How squares are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Notation {
    /// As in diagrams.
    #[default]
    Plain,
    /// As drops on a board of so many ranks, row 1 being the highest rank.
    Drops(u8),
}

impl Notation {
    fn square(self, at: Point) -> String {
        match self {
            Notation::Plain => at.to_string(),
            Notation::Drops(ranks) => format!("P@{}", mirrored(at, ranks)),
        }
    }

    fn orientation(self) -> Orientation {
        match self {
            Notation::Plain => Orientation::Chess,
            Notation::Drops(_) => Orientation::Top,
        }
    }

    /// ```abnf
    /// move  = plain / drop / pass
    /// plain = point                                     ; as in diagrams
    /// drop  = "P@" point                                ; rank N is row RANKS + 1 - N
    /// pass  = point point                               ; twice the same
    ///       / "0000" / "@@@@" / "@@" / "--" / "pass" / "pa" / "ps"      ; any case
    /// ```
    ///
    /// Nothing of the other notation is read: the same word would be a legal move of another game.
    fn read(self, text: &str) -> Option<MoveText> {
        let drop = preceded(tag_no_case("P@"), point);
        match (whole(drop, text), move_word(text), self) {
            (Some(at), _, Notation::Drops(ranks)) if at.row < ranks => {
                Some(MoveText::At(mirrored(at, ranks)))
            }
            (_, MoveWord::Move(at @ MoveText::At(_)), Notation::Plain) => Some(at),
            (_, MoveWord::Move(MoveText::Pass), _) => Some(MoveText::Pass),
            _ => {
                let same = verify(pair(point, point), |(from, to): &(Point, Point)| from == to);
                whole(same, text).map(|_| MoveText::Pass)
            }
        }
    }

    /// A move that is made on this board.
    ///
    /// A pass is a drop's own: the disc of the mover's on the lowest square, moved to where it lies.
    fn write_move(self, at: MoveText, board: Option<&BoardText>) -> String {
        match (at, self) {
            (MoveText::At(at), _) => self.square(at),
            (MoveText::Pass, Notation::Plain) => "0000".to_owned(),
            (MoveText::Pass, Notation::Drops(ranks)) => {
                let lowest = board.and_then(lowest_own).map(|at| mirrored(at, ranks));
                lowest.map_or_else(|| "0000".to_owned(), |at| format!("{at}{at}"))
            }
        }
    }

    /// A line of play from this board. A pass within it cannot be written as a drop's, because
    /// nobody here knows which discs lie where by then: the line ends before it.
    fn write_line(self, line: &[MoveText], board: Option<&BoardText>) -> Vec<String> {
        let ends = |(index, at): (usize, &MoveText)| {
            index > 0 && *at == MoveText::Pass && self != Notation::Plain
        };
        let length = line.iter().enumerate().position(ends).unwrap_or(line.len());
        line.iter().take(length).map(|at| self.write_move(*at, board)).collect()
    }
}

/// The square with the ranks counted from the other edge.
fn mirrored(at: Point, ranks: u8) -> Point {
    Point { row: ranks.saturating_sub(at.row + 1), ..at }
}

/// The mover's disc in the lowest row of the diagram, there the leftmost.
fn lowest_own(board: &BoardText) -> Option<Point> {
    let own = match board.mover {
        Some(Mover::Side(Side::Black)) => Cell::Black,
        Some(Mover::Side(Side::White)) => Cell::White,
        Some(Mover::Nobody) | None => return None,
    };
    let rows = board.cells.chunks(usize::from(board.columns.max(1))).enumerate();
    rows.rev().find_map(|(row, cells)| {
        let column = cells.iter().position(|cell| *cell == own)?;
        Some(Point { column: u8::try_from(column).ok()?, row: u8::try_from(row).ok()? })
    })
}

/// A variant as a client names it.
#[derive(Clone, Debug, PartialEq)]
struct Chosen {
    token: VariantText,
    notation: Notation,
}

impl Chosen {
    fn read(name: &str) -> Result<Chosen, Failure> {
        if let Some(fairy) = fairy(name) {
            let token = read_variant(fairy.token)?;
            return Ok(Chosen { token, notation: Notation::Drops(fairy.ranks) });
        }
        let token = PLAIN.iter().find(|(known, _)| *known == name).map_or(name, |(_, token)| token);
        Ok(Chosen { token: read_variant(token)?, notation: Notation::Plain })
    }
}

fn fairy(name: &str) -> Option<&'static Fairy> {
    FAIRY.iter().find(|fairy| fairy.name == name)
}

// ---------------------------------------------------------------------------------------------
// FEN

/// Reads a FEN string.
///
/// ```abnf
/// fen       = board ["[" pocket "]"] [SP ("w" / "b" / "-") *(SP word)]     ; White is Black
/// board     = row *("/" row)                ; the highest rank first
/// row       = 1*("P" / "p" / "*" / run)     ; "*" is no square
/// pocket    = *(ALPHA / DIGIT / SP / ",")   ; counted letters, as many as written or named
/// ```
fn read_position(text: &str, notation: Notation) -> Result<BoardText, Failure> {
    let refused = |why: &str| Failure::new(Code::BadFen, why).with_text(clip(text));
    let (board, hand, rest) = match text.split_once('[') {
        Some((board, tail)) => {
            let (pocket, rest) =
                tail.split_once(']').ok_or_else(|| refused("the pocket has no closing bracket"))?;
            let hand = read_pocket(pocket).ok_or_else(|| {
                refused("a pocket holds P and p, each with its number where it is more than one")
            })?;
            (board, Some(hand), rest)
        }
        None => {
            let (board, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            (board, None, rest)
        }
    };
    let mut board = board.trim();
    if let Notation::Drops(ranks) = notation {
        // Servers write the pocket as one rank more.
        if let Some((ranks_text, _)) = board.rsplit_once('/')
            && board.split('/').count() == usize::from(ranks) + 1
        {
            board = ranks_text;
        }
    }
    let (read, _) = read_fen(&format!("{board} {rest}"), notation.orientation(), FenDialect::Fairy)?;
    if let Notation::Drops(ranks) = notation
        && (read.columns, read.rows) != (ranks, ranks)
    {
        return Err(refused(&format!("this variant has {ranks} files and {ranks} ranks")));
    }
    Ok(BoardText { hand, ..read })
}

// pocket = *([number] ("P" / "p") / "-" / SP / ",")
fn read_pocket(text: &str) -> Option<(u16, u16)> {
    let (mut black, mut white) = (0_u16, 0_u16);
    let mut digits = String::new();
    for letter in text.chars() {
        let number = || if digits.is_empty() { Some(1) } else { digits.parse::<u16>().ok() };
        match letter {
            '0'..='9' => digits.push(letter),
            'P' => black = black.saturating_add(number()?),
            'p' => white = white.saturating_add(number()?),
            ' ' | ',' | '-' => {}
            _ => return None,
        }
        if letter.is_ascii_alphabetic() {
            digits.clear();
        }
    }
    digits.is_empty().then_some((black, white))
}

/// The rows and the pocket of a FEN string, and the side to move.
///
/// With drops the pocket holds what can still be needed: a disc for every empty square, or half of
/// them where nobody passes. With plain squares it is written where discs are limited.
fn position_text(board: &BoardText, notation: Notation, passes: bool) -> String {
    let mut rows: Vec<String> =
        board.cells.chunks(usize::from(board.columns.max(1))).map(row_text).collect();
    if notation == Notation::Plain {
        rows.reverse();
    }
    let whites_turn = board.mover == Some(Mover::Side(Side::White));
    let hand = match notation {
        Notation::Plain => board.hand,
        Notation::Drops(_) => {
            let empties = board.cells.iter().filter(|cell| **cell == Cell::Empty).count();
            let empties = u16::try_from(empties).unwrap_or(u16::MAX);
            Some(match (passes, whites_turn) {
                (true, _) => (empties, empties),
                (false, false) => (empties.div_ceil(2), empties / 2),
                (false, true) => (empties / 2, empties.div_ceil(2)),
            })
        }
    };
    let pocket = hand.map_or(String::new(), |(black, white)| {
        format!("[{}{}]", "P".repeat(usize::from(black)), "p".repeat(usize::from(white)))
    });
    let side = match board.mover {
        Some(Mover::Side(Side::White)) => 'b',
        Some(Mover::Nobody) => '-',
        Some(Mover::Side(Side::Black)) | None => 'w',
    };
    format!("{}{pocket} {side}", rows.join("/"))
}

fn row_text(cells: &[Cell]) -> String {
    let mut text = String::new();
    let mut empties = 0;
    let flush = |empties: &mut u32, text: &mut String| {
        if *empties > 0 {
            text.push_str(&empties.to_string());
        }
        *empties = 0;
    };
    for cell in cells {
        let letter = match cell {
            Cell::Empty => {
                empties += 1;
                continue;
            }
            Cell::Black => 'P',
            Cell::White => 'p',
            Cell::Hole => '*',
        };
        flush(&mut empties, &mut text);
        text.push(letter);
    }
    flush(&mut empties, &mut text);
    text
}

// ---------------------------------------------------------------------------------------------
// The engine's side: reading

/// Which reply a command wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// None, unless it is refused.
    Silent,
    /// The greeting.
    Hello,
    /// The announcement of a variant.
    Variant,
    /// A drawn board.
    Show,
    /// A search, whose refusal still is a `bestmove`.
    Go,
}

const FORMS: &[Form] = &[Form::Silent, Form::Hello, Form::Variant, Form::Show, Form::Go];

/// The tag of a request: the form of the reply, and the notation that holds when it is read. UCI has
/// no ids; in their place goes what the reply repeats, the name of a variant or what was left out.
fn tag(form: Form, notation: Notation, text: Option<String>) -> Tag {
    let ranks = match notation {
        Notation::Plain => 0,
        Notation::Drops(ranks) => u16::from(ranks),
    };
    Tag { id: text, form: form as u16 | ranks << 8 }
}

fn form_of(tag: &Tag) -> Form {
    FORMS.get(usize::from(tag.form & 0xff)).copied().unwrap_or(Form::Silent)
}

fn notation_of(tag: &Tag) -> Notation {
    match u8::try_from(tag.form >> 8) {
        Ok(0) | Err(_) => Notation::Plain,
        Ok(ranks) => Notation::Drops(ranks),
    }
}

/// The dialect; it knows which variant is played, because squares are written accordingly.
#[derive(Debug, Default)]
pub struct Uci {
    /// The variant once every line read so far is served; the session's own while none was named.
    ahead: Option<Chosen>,
    /// The one that was accepted last.
    settled: Option<Chosen>,
    /// Changes of the variant that are read and not yet answered.
    changing: u32,
    /// A skill level was asked for, and not only the one that holds anyway.
    has_level: bool,
    /// The option lines of the greeting that is being told.
    options: Vec<String>,
    /// The board as it was told last. A search is about this one.
    board: Option<BoardText>,
}

impl Uci {
    /// A conversation that begins with plain squares.
    #[must_use]
    pub fn new() -> Uci {
        Uci::default()
    }

    fn notation(&self) -> Notation {
        self.ahead.as_ref().map_or(Notation::Plain, |chosen| chosen.notation)
    }

    /// What a line asks for, the form of its reply and the text that the reply repeats.
    fn request(&mut self, verb: &str, rest: &str) -> Result<(Request, Form, Option<String>), Failure> {
        let silent = |request| Ok((request, Form::Silent, None));
        match verb {
            "uci" => Ok((Request::Hello { version: 1 }, Form::Hello, None)),
            "usi" | "ucci" => {
                let text = format!("{verb} is not spoken here; say uci");
                Ok((Request::Known(text), Form::Silent, None))
            }
            "isready" => silent(Request::Ping("readyok".to_owned())),
            "ucinewgame" => silent(Request::Clear),
            "setoption" => self.set_option(rest),
            "position" => silent(self.position(rest)?),
            "go" => self.go(rest),
            "stop" => silent(Request::Stop),
            "ponderhit" => silent(Request::PonderHit),
            "quit" => silent(Request::Quit),
            "d" => Ok((Request::Position, Form::Show, None)),
            "" | "debug" | "register" => silent(Request::Nothing),
            other => Err(Failure::new(Code::UnknownCommand, "no such command").with_text(clip(other))),
        }
    }

    // setoption = "setoption" SP "name" SP name [SP "value" SP value]      ; names in any case
    fn set_option(&mut self, rest: &str) -> Result<(Request, Form, Option<String>), Failure> {
        let bad = |text: &str, why: &str| Failure::new(Code::BadArgument, why).with_text(clip(text));
        let Some(("name", named)) = rest.split_once(char::is_whitespace) else {
            return Err(bad(rest, "setoption takes name NAME value VALUE"));
        };
        let (name, value) = split_at_word(named, "value");
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.eq_ignore_ascii_case("Clear Hash") {
            return Ok((Request::Clear, Form::Silent, None));
        }
        let is_variant = ["UCI_Variant", "variant"].iter().any(|known| name.eq_ignore_ascii_case(known));
        let own = || OPTIONS.iter().find(|row| row.name.eq_ignore_ascii_case(&name));
        let row = options::row_of("uci", &name).or_else(own);
        if !is_variant && row.is_none() {
            return Err(bad(&name, "no such option"));
        }
        let Some(value) = value else {
            return Err(bad(&name, "the option takes a value"));
        };
        if is_variant {
            return self.set_variant(value);
        }
        let value = if value == "<empty>" { "" } else { value };
        let Some(row) = row else { return Err(bad(&name, "no such option")) };
        // Some clients send every default back, and a level that somebody sets holds under a clock
        // as well: nobody has asked for that yet.
        if row.name == "level" {
            self.has_level |= !is_default(row, value);
            if !self.has_level {
                return Ok((Request::Nothing, Form::Silent, None));
            }
        }
        Ok((Request::Set(vec![(row.name.to_owned(), value.to_owned())]), Form::Silent, None))
    }

    fn set_variant(&mut self, value: &str) -> Result<(Request, Form, Option<String>), Failure> {
        let name = value.trim().to_ascii_lowercase();
        let chosen = Chosen::read(&name).map_err(|failure| Failure {
            prose: format!("UCI_Variant: {}", failure.prose),
            text: Some(clip(value)),
            ..failure
        })?;
        let request = Request::New { variant: Some(chosen.token.clone()), position: None };
        // Only the rules know whether there is such a variant. Until they have said so, it is taken
        // for granted; a wrong guess refuses moves, as each notation refuses those of the other.
        self.changing += 1;
        self.ahead = Some(chosen);
        Ok((request, Form::Variant, Some(name)))
    }

    // position = "position" SP ("startpos" / "fen" SP fen) [SP "moves" *(SP move)]
    fn position(&self, rest: &str) -> Result<Request, Failure> {
        let notation = self.notation();
        let (head, moves) = split_at_word(rest, "moves");
        let (first, fen) = split(head);
        let start = match (first, fen) {
            ("startpos", "") => None,
            ("fen", fen) if !fen.is_empty() => Some(read_position(fen, notation)?),
            _ => {
                let why = "position takes startpos or fen FEN, then moves and the moves";
                return Err(Failure::new(Code::BadArgument, why).with_text(clip(head)));
            }
        };
        let mut words = Vec::new();
        for (index, text) in moves.unwrap_or_default().split_whitespace().enumerate() {
            let read = notation.read(text).filter(|_| index < MOST_ITEMS);
            let Some(read) = read else {
                let why = match notation {
                    _ if index >= MOST_ITEMS => "no game has so many moves",
                    Notation::Plain => "a move is a square as in diagrams, such as f5, or a pass, 0000",
                    Notation::Drops(_) => "a move is a drop such as P@f4, or a pass such as d4d4",
                };
                let failure = Failure::new(Code::BadSquare, why).with_text(clip(text));
                return Err(Failure { item: u32::try_from(index + 1).ok(), ..failure });
            };
            words.push(MoveWord::Move(read));
        }
        let variant = self.ahead.as_ref().map(|chosen| chosen.token.clone());
        Ok(Request::Arrange { variant, start, moves: words })
    }

    /// ```abnf
    /// go    = "go" *(SP limit)
    /// limit = ("wtime" / "btime" / "winc" / "binc" / "movestogo" / "movetime" / "depth" / "nodes") SP number
    ///       / "infinite" / "ponder" / "searchmoves" 1*(SP move) / "perft" SP number
    /// ```
    ///
    /// A search has to end with a `bestmove` whatever it was asked with: what cannot be understood
    /// is told and left out.
    fn go(&self, rest: &str) -> Result<(Request, Form, Option<String>), Failure> {
        let mut search = SearchText::new(Purpose::Go);
        let mut clocks = ClocksText::default();
        let (mut timed, mut left_out) = (false, Vec::new());
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if word == "perft" {
                let text = words.next().unwrap_or_default();
                let depth = read_number(text).and_then(|depth| u32::try_from(depth).ok());
                let refused =
                    || Failure::new(Code::BadArgument, "perft takes a depth").with_text(clip(text));
                let depth = depth.ok_or_else(refused)?;
                return Ok((Request::Perft { depth, pass_free: false }, Form::Silent, None));
            }
            if word == "searchmoves" {
                while let Some(at) = words.peek().and_then(|text| self.notation().read(text)) {
                    search.moves.push(MoveWord::Move(at));
                    words.next();
                }
                if search.moves.is_empty() {
                    left_out.push("searchmoves without a move".to_owned());
                }
                continue;
            }
            match word {
                "infinite" => search.infinite = true,
                "ponder" => search.ponder = Some(PonderText::Played),
                "mate" => {
                    left_out.push("mate: discs are counted here".to_owned());
                    words.next_if(|text| read_number(text).is_some());
                }
                _ if LIMITS.contains(&word) => match words.next_if(|text| number(text).is_some()) {
                    Some(text) => {
                        let value = number(text).unwrap_or_default();
                        let time = |clock: &mut SideClockText| clock.left_ms = Some(value);
                        timed |= word.ends_with("time") && word != "movetime";
                        match word {
                            "wtime" => time(&mut clocks.black),
                            "btime" => time(&mut clocks.white),
                            "winc" => clocks.black.increment_ms = value,
                            "binc" => clocks.white.increment_ms = value,
                            "movestogo" => clocks.moves_to_go = small(value),
                            "movetime" => search.movetime_ms = Some(value),
                            "depth" => search.depth = Some(small(value).max(1)),
                            _ => search.nodes = Some(value.max(1)),
                        }
                    }
                    None => left_out.push(format!("{word} without a number")),
                },
                other => left_out.push(clip(other)),
            }
        }
        search.clocks = timed.then_some(clocks);
        left_out.truncate(MOST_LEFT_OUT);
        let complaint = (!left_out.is_empty()).then(|| left_out.join(", "));
        Ok((Request::Search(search), Form::Go, complaint))
    }
}

/// How many things that were left out of a search are told.
const MOST_LEFT_OUT: usize = 8;

/// The limits of a search that are numbers.
const LIMITS: &[&str] = &["wtime", "btime", "winc", "binc", "movestogo", "movetime", "depth", "nodes"];

/// A number of milliseconds, plies or nodes. Time that is overdrawn is none.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix('-') {
        Some(overdrawn) => overdrawn.parse::<u64>().ok().map(|_| 0),
        None => text.parse::<u64>().ok(),
    }
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn is_default(row: &OptionRow, value: &str) -> bool {
    matches!(row.default, Preset::Word(word) if word == value)
}

/// The first word, and the rest without the blanks around it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (text, ""),
    }
}

/// What stands before this word, and behind it where it stands there.
fn split_at_word<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    let borders = |at: usize| {
        let before =
            text.get(..at).is_some_and(|head| head.is_empty() || head.ends_with(char::is_whitespace));
        let behind = text.get(at + word.len()..);
        let ends = behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        before && ends
    };
    match text.match_indices(word).find(|(at, _)| borders(*at)) {
        Some((at, _)) => {
            let behind = text.get(at + word.len()..).unwrap_or_default();
            (text.get(..at).unwrap_or_default().trim(), Some(behind.trim()))
        }
        None => (text.trim(), None),
    }
}

impl Dialect for Uci {
    fn name(&self) -> &'static str {
        "uci"
    }

    fn habits(&self) -> Habits {
        Habits {
            holds_infinite: true,
            finishes_searches: true,
            greets_with_options: true,
            ..Habits::PLAIN
        }
    }

    /// ```abnf
    /// line = "uci" / "isready" / "ucinewgame" / setoption / position / go / "stop" / "ponderhit"
    ///      / "quit" / "d"
    ///      / ("debug" / "register") *any       ; ignored
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let (verb, rest) = split(line);
        // A variant's announcement is in the notation it brings with it.
        let read = self.request(verb, rest);
        let notation = self.notation();
        match read {
            Ok((request, form, text)) => Tagged { tag: tag(form, notation, text), request },
            Err(failure) => {
                let request = Request::Unreadable(failure);
                Tagged { tag: tag(Form::Silent, notation, None), request }
            }
        }
    }

    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match tagged.request {
            Request::Ping(_) => Urgency::BesideSearch,
            Request::Stop | Request::Quit => Urgency::StopsSearch,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        let notation = notation_of(tag);
        // Writing to a string cannot fail.
        let _ = match event {
            Event::Option(row) => {
                self.notice_option(row);
                Ok(())
            }
            Event::Info { info, .. } => info_lines(info, notation, self.board.as_ref(), out),
            Event::Best(best) => best_lines(best, notation, self.board.as_ref(), out),
            Event::Counted { nodes, .. } => writeln!(out, "Nodes searched: {nodes}"),
            Event::Done(done) => self.render_done(tag, done, out),
            Event::Failed(failure) => {
                self.settle(tag, false);
                let told = info_string(&refusal(failure, notation), out);
                // Whoever has said `go` waits for it.
                if form_of(tag) == Form::Go {
                    told.and_then(|()| writeln!(out, "bestmove (none)"))
                } else {
                    told
                }
            }
            _ => Ok(()),
        };
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let failure = Failure::new(Code::BadArgument, why.to_string());
        Tagged { tag: tag(Form::Silent, self.notation(), None), request: Request::Unreadable(failure) }
    }
}

// ---------------------------------------------------------------------------------------------
// The engine's side: writing

impl Uci {
    fn render_done(&mut self, tag: &Tag, done: &Done, out: &mut String) -> std::fmt::Result {
        let notation = notation_of(tag);
        match done {
            Done::Hello { name, program_version, .. } => self.greet(name, program_version, out),
            Done::Pong(word) => writeln!(out, "{}", clean(word)),
            Done::Known(text) => info_string(text, out),
            Done::Started { .. } => match &tag.id {
                Some(left_out) => info_string(&format!("left out: {left_out}"), out),
                None => Ok(()),
            },
            Done::State { state, .. } => {
                self.board = Some(state.position.clone());
                match form_of(tag) {
                    Form::Variant => {
                        self.settle(tag, true);
                        announcement(tag.id.as_deref().unwrap_or_default(), state, notation, out)
                    }
                    Form::Show => drawing(state, notation, out),
                    _ => Ok(()),
                }
            }
            Done::Searched { stopped: true, .. } => info_string("interrupted", out),
            _ => Ok(()),
        }
    }

    /// The answer to a change of the variant is there.
    fn settle(&mut self, tag: &Tag, accepted: bool) {
        if form_of(tag) != Form::Variant {
            return;
        }
        self.changing = self.changing.saturating_sub(1);
        if accepted {
            self.settled = tag.id.as_deref().and_then(|name| Chosen::read(name).ok());
        }
        if self.changing == 0 {
            self.ahead.clone_from(&self.settled);
        }
    }

    fn notice_option(&mut self, row: &OptionText) {
        if row.name == "variant" {
            if self.settled.is_none() && self.changing == 0 {
                let token = read_variant(&row.value).ok();
                self.settled = token.map(|token| Chosen { token, notation: Notation::Plain });
                self.ahead.clone_from(&self.settled);
            }
            let names = FAIRY.iter().map(|fairy| fairy.name).chain(PLAIN.iter().map(|(name, _)| *name));
            let mut line = format!("option name UCI_Variant type combo default {}", clean(&row.value));
            for name in names {
                line.push_str(" var ");
                line.push_str(name);
            }
            self.options.push(line);
        }
        if let Some(name) = options::spelling("uci", &row.name) {
            self.options.push(option_line(name, row));
        }
    }

    /// What an engine says of itself, then all options.
    fn greet(&mut self, name: &str, version: &str, out: &mut String) -> std::fmt::Result {
        writeln!(out, "id name {} {}", clean(name), clean(version))?;
        writeln!(out, "id author the {} authors", clean(name))?;
        for line in std::mem::take(&mut self.options) {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "option name Clear Hash type button")?;
        info_string(SCORE_UNIT, out)?;
        writeln!(out, "uciok")
    }
}

/// Told in the greeting: elsewhere centipawns are no discs.
const SCORE_UNIT: &str = "score cp 100 is one disc";

// option = "option name" SP name SP "type" SP type [SP "default" SP value] [SP "min" SP number SP "max" SP number] *(SP "var" SP word)
fn option_line(name: &str, row: &OptionText) -> String {
    let default = match (row.kind.as_str(), row.default.as_str()) {
        ("check", word) => if word == "on" { "true" } else { "false" }.to_owned(),
        (_, "") => "<empty>".to_owned(),
        (_, word) => clean(word),
    };
    let mut line = format!("option name {name} type {} default {default}", row.kind);
    if let (Some(min), Some(max)) = (row.min, row.max) {
        line.push_str(&format!(" min {min} max {max}"));
    }
    for choice in &row.choices {
        line.push_str(&format!(" var {choice}"));
    }
    line
}

// announcement = "info string variant" SP name SP "files" SP number SP "ranks" SP number SP "pocket" SP ("0" / "1") SP "template fairy startpos" SP fen
fn announcement(
    name: &str,
    state: &StateText,
    notation: Notation,
    out: &mut String,
) -> std::fmt::Result {
    let board = &state.position;
    let fairy = fairy(name);
    let position = position_text(board, notation, fairy.is_none_or(|fairy| fairy.passes));
    let pocket = u8::from(position.contains('['));
    let fields = if fairy.is_none_or(|fairy| fairy.all_fields) { "- - 0 1" } else { "0 1" };
    writeln!(
        out,
        "info string variant {} files {} ranks {} pocket {pocket} template fairy startpos {position} {fields}",
        clean(name),
        board.columns,
        board.rows,
    )
}

/// Row 1 on top, as a diagram has it; the ranks at the side are those that moves are written with.
fn drawing(state: &StateText, notation: Notation, out: &mut String) -> std::fmt::Result {
    let board = &state.position;
    let columns = usize::from(board.columns.max(1));
    let edge = " +".to_owned() + &"---+".repeat(columns);
    writeln!(out, "{edge}")?;
    for (row, cells) in board.cells.chunks(columns).enumerate() {
        let rank = match notation {
            Notation::Plain => row + 1,
            Notation::Drops(ranks) => usize::from(ranks).saturating_sub(row),
        };
        out.push_str(" |");
        for cell in cells {
            let letter = match cell {
                Cell::Empty => ' ',
                Cell::Black => 'P',
                Cell::White => 'p',
                Cell::Hole => '*',
            };
            write!(out, " {letter} |")?;
        }
        writeln!(out, "{rank}\n{edge}")?;
    }
    let letters = (0..board.columns).map(|column| char::from(b'a' + column));
    writeln!(out, "   {}", letters.map(String::from).collect::<Vec<_>>().join("   "))?;
    let passes = !state.variant.mods.contains(&ModText::StuckEnds(true));
    let moves = state.items / 2 + 1;
    writeln!(out, "Fen: {} - - 0 {moves}", position_text(board, notation, passes))?;
    writeln!(out, "Variant: {}", state.variant)?;
    writeln!(out, "Discs: P {}, p {}", state.count.0, state.count.1)?;
    if state.phase == Phase::Over { writeln!(out, "Game over") } else { Ok(()) }
}

// score = "score cp" SP number [SP ("lowerbound" / "upperbound")]
fn score(value: ValueText) -> String {
    let bound = match value.bound {
        BoundText::Value => "",
        BoundText::Lower => " lowerbound",
        BoundText::Upper => " upperbound",
    };
    format!("score cp {}{bound}", value.centidiscs)
}

// info = "info depth" SP number SP "seldepth" SP number SP "multipv" SP number SP score SP "nodes" SP number SP "nps" SP number SP "time" SP number [SP "pv" 1*(SP move)]
fn info_lines(
    info: &InfoText,
    notation: Notation,
    board: Option<&BoardText>,
    out: &mut String,
) -> std::fmt::Result {
    let InfoText { depth, multipv, value, nodes, time_ms, .. } = *info;
    // What has been looked at beyond the depth is known of the best line only.
    let selective = depth.max(u32::try_from(info.pv.len()).unwrap_or(u32::MAX));
    write!(
        out,
        "info depth {depth} seldepth {selective} multipv {multipv} {} {}",
        score(value),
        effort(nodes, time_ms),
    )?;
    let line = notation.write_line(&info.pv, board);
    if !line.is_empty() {
        write!(out, " pv {}", line.join(" "))?;
    }
    out.push('\n');
    if value.exact && value.bound == BoundText::Value {
        let rank = if multipv > 1 { format!(" multipv {multipv}") } else { String::new() };
        let what = if info.wld { " wld" } else { "" };
        writeln!(out, "info string exact{what}{rank}")?;
    }
    Ok(())
}

// effort = "nodes" SP number SP "nps" SP number SP "time" SP number
fn effort(nodes: u64, time_ms: u64) -> String {
    let per_second = u128::from(nodes) * 1000 / u128::from(time_ms.max(1));
    format!("nodes {nodes} nps {per_second} time {time_ms}")
}

// best = ["info" SP effort LF] "bestmove" SP (move [SP "ponder" SP move] / "(none)")
fn best_lines(
    best: &BestText,
    notation: Notation,
    board: Option<&BoardText>,
    out: &mut String,
) -> std::fmt::Result {
    if best.failed {
        info_string("the search failed; this is any legal move", out)?;
    }
    // What the whole search took; the last line of thought is older.
    if best.nodes > 0 {
        writeln!(out, "info {}", effort(best.nodes, best.time_ms))?;
    }
    let ponder = best.ponder.filter(|_| best.at.is_some());
    let line: Vec<MoveText> = best.at.into_iter().chain(ponder).collect();
    match notation.write_line(&line, board).as_slice() {
        [] => writeln!(out, "bestmove (none)"),
        [at] => writeln!(out, "bestmove {at}"),
        [at, ponder, ..] => writeln!(out, "bestmove {at} ponder {ponder}"),
    }
}

fn info_string(text: &str, out: &mut String) -> std::fmt::Result {
    writeln!(out, "info string {}", clean(text))
}

/// Words of strangers, which do not end a line.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The refusal in prose, squares as this notation has them.
fn refusal(failure: &Failure, notation: Notation) -> String {
    let offending = failure.text.as_deref().or(failure.square.as_deref()).map(|text| {
        // Only what the rules refuse has become a square before; other words stand as written.
        let ours = !matches!(failure.code, Code::BadSquare | Code::BadArgument | Code::BadFen);
        match read_point(text).filter(|_| ours) {
            Some(at) => notation.square(at),
            None => text.to_owned(),
        }
    });
    let mut text = String::from("refused");
    if let Some(item) = failure.item {
        let _ = write!(text, ", move {item}");
    }
    // A reason may name it itself.
    let is_named = |offending: &String| failure.prose.contains(&format!("'{offending}'"));
    if let Some(offending) = offending.filter(|offending| !is_named(offending)) {
        let _ = write!(text, ", '{offending}'");
    }
    let prose = if failure.prose.is_empty() { failure.code.word() } else { &failure.prose };
    format!("{text}: {prose}")
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// The client's side. Which variant is played is chosen from what the engine lists and believed only
/// once the engine has announced it, with the board that is meant: engines pass over names that they
/// do not know, and go on with chess.
#[derive(Debug, Default)]
pub struct UciClient {
    identity: Identity,
    options: Vec<Offer>,
    /// A hundredth of a disc is what the engine calls a centipawn.
    tells_discs: bool,
    awaits: Awaits,
    /// Names of the variant that are still to be tried.
    to_try: VecDeque<Trial>,
    /// What the engine has announced since the variant was named last.
    announced: Option<Announced>,
    game: Option<Told>,
    /// Moves that were asked for, given up, and will still come.
    owed: u32,
    /// The same of `readyok`.
    owed_ready: u32,
    news: News,
}

/// What the end of the present order depends on.
#[derive(Debug, Default)]
enum Awaits {
    #[default]
    Nothing,
    Greeting,
    /// The answer to `isready` behind this line.
    Ready(String),
    /// The same, behind the name of a variant.
    Announcement(Trial),
    Move,
}

/// An option as an engine lists it.
#[derive(Clone, Debug)]
struct Offer {
    name: String,
    kind: String,
    range: (Option<i64>, Option<i64>),
    choices: Vec<String>,
}

/// A name that the variant of a game may have.
#[derive(Clone, Debug)]
struct Trial {
    name: String,
    notation: Notation,
    passes: bool,
    start: BoardText,
    /// The start is the variant's own. Otherwise it is told, and what is announced is another.
    usual_start: bool,
    moves: Vec<(Side, MoveText)>,
}

impl Trial {
    fn command(&self) -> String {
        format!("setoption name UCI_Variant value {}", self.name)
    }
}

/// A variant as an engine announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Announced {
    name: String,
    files: Option<u64>,
    ranks: Option<u64>,
    start: String,
}

/// The game, and how it is told.
#[derive(Debug)]
struct Told {
    notation: Notation,
    passes: bool,
    /// The FEN string that the moves begin from; `None` for the start of the variant.
    fen: Option<String>,
    /// What was played since.
    moves: Vec<MoveText>,
}

/// What was said about the move that is being chosen.
#[derive(Clone, Debug, Default)]
struct News {
    depth: Option<u32>,
    nodes: Option<u64>,
    centidiscs: Option<i32>,
    exact: bool,
    pv: Vec<MoveText>,
}

impl UciClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> UciClient {
        UciClient::default()
    }

    fn offer(&self, name: &str) -> Option<&Offer> {
        self.options.iter().find(|offer| offer.name.eq_ignore_ascii_case(name))
    }

    fn notation(&self) -> Notation {
        self.game.as_ref().map_or(Notation::Plain, |told| told.notation)
    }

    /// Names the next variant, if there is one.
    fn try_next(&mut self, out: &mut String) -> Option<Next> {
        let trial = self.to_try.pop_front()?;
        self.announced = None;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}\nucinewgame\nisready", trial.command());
        self.awaits = Awaits::Announcement(trial);
        Some(Next::Wait)
    }

    /// The names a game may have: those that the engine lists, squares as in diagrams first, and
    /// then the token, which an engine may know without listing it.
    fn trials(&self, game: &Situation) -> Result<VecDeque<Trial>, Unsayable> {
        let Some(offer) = self.offer("UCI_Variant") else {
            let why = "the engine lists no option UCI_Variant";
            return Err(Unsayable::new("uci", Topic::Variant, &game.variant, why));
        };
        let lists = |name: &str| offer.choices.iter().any(|choice| choice.eq_ignore_ascii_case(name));
        let trial = |name: &str, notation, passes| Trial {
            name: name.to_owned(),
            notation,
            passes,
            start: game.start.clone(),
            usual_start: game.usual_start,
            moves: game.moves.clone(),
        };
        let token = rules_token(game);
        let mut trials = VecDeque::new();
        let plain = PLAIN.iter().filter(|(_, known)| *known == token).map(|(name, _)| *name);
        let mut listed: Vec<&str> = plain.chain([token.as_str()]).filter(|name| lists(name)).collect();
        listed.dedup();
        trials.extend(listed.iter().map(|name| trial(name, Notation::Plain, true)));
        let fairy = FAIRY.iter().find(|fairy| suits(fairy, game) && lists(fairy.name));
        trials.extend(fairy.map(|fairy| trial(fairy.name, Notation::Drops(fairy.ranks), fairy.passes)));
        if !lists(&token) {
            trials.push_back(trial(&token, Notation::Plain, true));
        }
        Ok(trials)
    }

    /// The engine is ready behind the name of a variant.
    fn judge(&mut self, trial: Trial, out: &mut String) -> Heard {
        let why = match self.announced.take() {
            Some(announced) => match announced.differs(&trial) {
                None => {
                    let moves = trial.moves.iter().map(|(_, at)| *at).collect();
                    let (notation, passes) = (trial.notation, trial.passes);
                    let fen = (!trial.usual_start).then(|| fen(&trial.start, notation, passes));
                    self.game = Some(Told { notation, passes, fen, moves });
                    return Heard::Done;
                }
                Some(why) => why,
            },
            None => "it has announced no variant by `info string variant`, and plays another".to_owned(),
        };
        match self.try_next(out) {
            Some(_) => Heard::Nothing,
            None => Heard::Refused { asked: trial.command(), answer: why },
        }
    }

    /// Tells the game as it stands.
    fn tell_game(&self, out: &mut String) {
        let Some(told) = &self.game else { return };
        out.push_str("position ");
        match &told.fen {
            Some(fen) => {
                out.push_str("fen ");
                out.push_str(fen);
            }
            None => out.push_str("startpos"),
        }
        if !told.moves.is_empty() {
            out.push_str(" moves");
        }
        for at in &told.moves {
            out.push(' ');
            out.push_str(&told.notation.write_move(*at, None));
        }
        out.push('\n');
    }

    fn option_line(&self, name: &str, value: &str) -> Result<String, Unsayable> {
        let unsayable = |why| Unsayable::new("uci", Topic::Option, format!("{name}={value}"), why);
        let offer =
            self.offer(name).ok_or_else(|| unsayable("the engine lists no option of this name"))?;
        if value.contains(char::is_control) {
            return Err(unsayable("a value is a piece of one line"));
        }
        let value = match offer.kind.as_str() {
            "check" => match value.to_ascii_lowercase().as_str() {
                "on" | "true" | "1" | "yes" => "true",
                "off" | "false" | "0" | "no" => "false",
                _ => return Err(unsayable("the option takes true or false")),
            },
            "spin" => {
                let fits = |number: i64| {
                    offer.range.0.is_none_or(|min| min <= number)
                        && offer.range.1.is_none_or(|max| number <= max)
                };
                if !value.parse().is_ok_and(fits) {
                    return Err(unsayable("the value is no number of the range that the engine lists"));
                }
                value
            }
            // Of variants there may be more than are listed.
            "combo" if !offer.name.eq_ignore_ascii_case("UCI_Variant") => {
                let choice = offer.choices.iter().find(|choice| choice.eq_ignore_ascii_case(value));
                choice.ok_or_else(|| unsayable("the value is none of those that the engine lists"))?
            }
            "button" => return Ok(format!("setoption name {}", offer.name)),
            _ if value.is_empty() => "<empty>",
            _ => value,
        };
        Ok(format!("setoption name {} value {value}", offer.name))
    }

    // bestmove = "bestmove" SP (move / "(none)") [SP "ponder" SP move]
    fn best(&mut self, line: &str, rest: &str) -> Heard {
        if self.owed > 0 {
            self.owed -= 1;
            return Heard::Nothing;
        }
        if !matches!(self.awaits, Awaits::Move) {
            return Heard::Stray;
        }
        self.awaits = Awaits::Nothing;
        let news = std::mem::take(&mut self.news);
        let (word, _) = split(rest);
        let at = match word {
            "(none)" => Some(MoveText::Pass),
            word => self.notation().read(word),
        };
        let Some(at) = at else {
            return Heard::Garbled { line: clip(line), why: Garble::NotAMove };
        };
        let about_it = news.pv.first() == Some(&at);
        Heard::Chosen(Box::new(ChosenText {
            choice: ChoiceText::Move(at),
            centidiscs: news.centidiscs.filter(|_| about_it),
            exact: about_it && news.exact,
            depth: news.depth.filter(|_| about_it),
            nodes: news.nodes,
            pv: if about_it { news.pv } else { vec![at] },
        }))
    }

    /// A line of `info`.
    fn info(&mut self, rest: &str) -> Heard {
        let (first, behind) = split(rest);
        if first == "string" {
            return self.info_string(behind);
        }
        if self.owed > 0 || !matches!(self.awaits, Awaits::Move) {
            return Heard::Nothing;
        }
        let notation = self.notation();
        let mut news = News::default();
        let (mut rank, mut bound) = (1, BoundText::Value);
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|text| text.parse::<i64>().ok());
            match word {
                "depth" => news.depth = number().and_then(|depth| u32::try_from(depth).ok()),
                "nodes" => news.nodes = number().and_then(|nodes| u64::try_from(nodes).ok()),
                "multipv" => rank = number().unwrap_or(1),
                "cp" => {
                    let hundredths = number().and_then(|value| i32::try_from(value).ok());
                    news.centidiscs = hundredths.filter(|_| self.tells_discs);
                }
                "lowerbound" => bound = BoundText::Lower,
                "upperbound" => bound = BoundText::Upper,
                "pv" => news.pv = words.by_ref().map_while(|text| notation.read(text)).collect(),
                // What stands behind this is prose.
                "string" => break,
                _ => {}
            }
        }
        self.news.nodes = news.nodes.or(self.news.nodes);
        let is_news = match bound {
            BoundText::Value => true,
            // Of a move that has been valued already it says nothing; another one is better.
            BoundText::Lower => self.news.depth.is_none() || self.news.pv.first() != news.pv.first(),
            // It says of no move that it is good.
            BoundText::Upper => self.news.depth.is_none(),
        };
        if rank == 1 && !news.pv.is_empty() && is_news {
            self.news = News { nodes: self.news.nodes, ..news };
        }
        Heard::Nothing
    }

    fn info_string(&mut self, text: &str) -> Heard {
        let (first, rest) = split(text);
        match first {
            "variant" => self.announced = Announced::read(rest),
            "exact" if rest.is_empty() && self.owed == 0 => self.news.exact = true,
            _ if text == SCORE_UNIT => self.tells_discs = true,
            _ if is_refusal(text) => return self.refused(&format!("info string {text}")),
            _ => {}
        }
        Heard::Nothing
    }

    /// The engine says that it does not do what it was told. Its `readyok` still comes, and means
    /// nothing any more.
    fn refused(&mut self, line: &str) -> Heard {
        match std::mem::take(&mut self.awaits) {
            Awaits::Ready(asked) => {
                self.owed_ready += 1;
                Heard::Refused { asked, answer: clip_answer(line) }
            }
            // That it has not announced it tells as much, and another name may do.
            other => {
                self.awaits = other;
                Heard::Nothing
            }
        }
    }

    fn greeting(&mut self, verb: &str, rest: &str) {
        match (verb, split(rest)) {
            ("id", ("name", name)) => {
                let is_version = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
                let (name, version) = match name.rsplit_once(' ') {
                    Some((name, version)) if is_version(version) => (name, Some(version)),
                    _ => (name, None),
                };
                self.identity = Identity { name: Some(clip(name)), version: version.map(clip) };
            }
            ("option", _) => self.options.extend(Offer::read(rest)),
            _ => {}
        }
    }
}

/// How engines say that a line is not understood or not carried out.
fn is_refusal(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["refused", "no such option", "unknown option", "unknown command", "error"]
        .iter()
        .any(|word| lower.starts_with(word))
}

impl Offer {
    // option = "name" SP name SP "type" SP type *(SP ("default" / "min" / "max" / "var") SP value)
    fn read(text: &str) -> Option<Offer> {
        let (head, tail) = split_at_word(text, "type");
        let name = head.strip_prefix("name")?.trim().to_owned();
        let mut words = tail?.split_whitespace().peekable();
        let kind = words.next()?.to_owned();
        let mut offer = Offer { name, kind, range: (None, None), choices: Vec::new() };
        while let Some(word) = words.next() {
            match word {
                "min" => offer.range.0 = words.next().and_then(|text| text.parse().ok()),
                "max" => offer.range.1 = words.next().and_then(|text| text.parse().ok()),
                "var" => offer.choices.extend(words.next().map(str::to_owned)),
                _ => {}
            }
        }
        Some(offer)
    }
}

impl Announced {
    fn read(text: &str) -> Option<Announced> {
        let (head, start) = split_at_word(text, "startpos");
        let mut words = head.split_whitespace();
        let name = words.next()?.to_owned();
        let mut announced =
            Announced { name, files: None, ranks: None, start: start.unwrap_or_default().to_owned() };
        while let Some(word) = words.next() {
            let number = words.next().and_then(read_number);
            match word {
                "files" => announced.files = number,
                "ranks" => announced.ranks = number,
                _ => {}
            }
        }
        Some(announced)
    }

    /// What keeps it from being the game that is meant.
    fn differs(&self, trial: &Trial) -> Option<String> {
        if !self.name.eq_ignore_ascii_case(&trial.name) {
            return Some(format!("it has announced the variant {} instead", clip(&self.name)));
        }
        let size = (self.files, self.ranks);
        let meant = (Some(u64::from(trial.start.columns)), Some(u64::from(trial.start.rows)));
        if size != meant && (trial.usual_start || trial.notation != Notation::Plain) {
            let [files, ranks] = [self.files, self.ranks]
                .map(|side| side.map_or("?".to_owned(), |side| side.to_string()));
            return Some(format!("its board has {files} files and {ranks} ranks"));
        }
        if !trial.usual_start {
            return None;
        }
        let same = read_position(&self.start, trial.notation)
            .is_ok_and(|start| start.cells == trial.start.cells && start.mover == trial.start.mover);
        (!same).then(|| format!("it starts from {}, which is another board", clip(&self.start)))
    }
}

/// The token of a game's rules. Of a game that starts elsewhere than its variant does, the position
/// tells size and holes; some sizes have no start of their own.
fn rules_token(game: &Situation) -> String {
    if game.usual_start {
        return game.variant.to_string();
    }
    let places = |modifier: &ModText| matches!(modifier, ModText::Start(StartText::Free));
    let free = game.start.placements > 0 || game.variant.mods.iter().any(places);
    let base = BaseText::Name(if free { "reversi" } else { "othello" }.to_owned());
    let mods = game.variant.mods.iter().filter(|modifier| modifier.is_rule()).cloned().collect();
    VariantText { base, mods }.to_string()
}

/// Whether a game is one of Fairy-Stockfish's.
fn suits(fairy: &Fairy, game: &Situation) -> bool {
    let rules = RulesText { stuck_ends: !fairy.passes, ..RulesText::default() };
    let start = &game.start;
    // Who wins is the same under both ways to score.
    RulesText { score_discs: false, ..game.rules } == rules
        && (start.columns, start.rows) == (fairy.ranks, fairy.ranks)
        && start.hand.is_none()
        && !start.cells.contains(&Cell::Hole)
        // A free centre has to be filled first there.
        && if start.placements > 0 { !fairy.passes } else { has_full_centre(start) }
}

fn has_full_centre(board: &BoardText) -> bool {
    let (columns, rows) = (usize::from(board.columns), usize::from(board.rows));
    let central = |row: usize| {
        let first = row * columns + (columns / 2).saturating_sub(1);
        board.cells.get(first..first + 2).is_some_and(|cells| !cells.contains(&Cell::Empty))
    };
    central((rows / 2).saturating_sub(1)) && central(rows / 2)
}

fn fen(board: &BoardText, notation: Notation, passes: bool) -> String {
    format!("{} - - 0 1", position_text(board, notation, passes))
}

fn limits_text(limits: &Limits) -> String {
    let mut text = String::from("go");
    if let Some(ClockLeft { own_ms, other_ms, increment_ms }) = limits.clock {
        let (first, second) = match limits.side {
            Side::Black => (own_ms, other_ms),
            Side::White => (other_ms, own_ms),
        };
        text.push_str(&format!(" wtime {first} btime {second} winc {increment_ms} binc {increment_ms}"));
    }
    let others = [
        ("movetime", limits.movetime_ms),
        ("depth", limits.depth.map(u64::from)),
        ("nodes", limits.nodes),
    ];
    for (name, value) in others {
        if let Some(value) = value {
            text.push_str(&format!(" {name} {value}"));
        }
    }
    text
}

impl Client for UciClient {
    fn name(&self) -> &'static str {
        "uci"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        self.to_try.clear();
        match *order {
            Order::Hello => {
                out.push_str("uci\n");
                self.awaits = Awaits::Greeting;
                return Ok(Next::Wait);
            }
            Order::Set { name, value } => {
                let line = self.option_line(name, value)?;
                out.push_str(&line);
                out.push_str("\nisready\n");
                self.awaits = Awaits::Ready(line);
                return Ok(Next::Wait);
            }
            Order::NewGame(game) => {
                self.game = None;
                self.to_try = self.trials(game)?;
                return Ok(self.try_next(out).unwrap_or(Next::Done));
            }
            Order::Played { at, .. } => {
                if let Some(told) = &mut self.game {
                    told.moves.push(at);
                }
            }
            Order::Board(board) => {
                // How a drop's pass is spelled depends on the discs; a position needs none.
                if let Some(told) = &mut self.game
                    && told.notation != Notation::Plain
                    && told.moves.contains(&MoveText::Pass)
                {
                    told.fen = Some(fen(board, told.notation, told.passes));
                    told.moves.clear();
                }
            }
            Order::Prepare(_) => {
                self.tell_game(out);
                let line = out.trim_end().to_owned();
                out.push_str("isready\n");
                self.awaits = Awaits::Ready(line);
                return Ok(Next::Wait);
            }
            Order::Choose(limits) => {
                self.news = News::default();
                out.push_str(&limits_text(limits));
                out.push('\n');
                self.awaits = Awaits::Move;
                return Ok(Next::Wait);
            }
            Order::GameOver => {}
            Order::Quit => out.push_str("quit\n"),
        }
        Ok(Next::Done)
    }

    /// ```abnf
    /// line = "id" SP ("name" / "author") SP text / option / "uciok" / "readyok" / info / bestmove
    /// ```
    fn hear(&mut self, line: &str, out: &mut String) -> Heard {
        let (verb, rest) = split(line);
        match verb {
            "id" | "option" => {
                if matches!(self.awaits, Awaits::Greeting) {
                    self.greeting(verb, rest);
                }
                Heard::Nothing
            }
            "uciok" => match self.awaits {
                Awaits::Greeting => {
                    self.awaits = Awaits::Nothing;
                    Heard::Done
                }
                _ => Heard::Nothing,
            },
            "readyok" if self.owed_ready > 0 => {
                self.owed_ready -= 1;
                Heard::Nothing
            }
            "readyok" => match std::mem::take(&mut self.awaits) {
                Awaits::Ready(_) => Heard::Done,
                Awaits::Announcement(trial) => self.judge(trial, out),
                other => {
                    self.awaits = other;
                    Heard::Nothing
                }
            },
            "info" => self.info(rest),
            "bestmove" => self.best(line, rest),
            "" | "copyprotection" | "registration" => Heard::Nothing,
            _ if is_refusal(line.trim()) => self.refused(line.trim()),
            _ => Heard::Stray,
        }
    }

    /// A search ends at `stop`, and its move still comes.
    fn give_up(&mut self, out: &mut String) {
        match std::mem::take(&mut self.awaits) {
            Awaits::Move => {
                self.owed += 1;
                out.push_str("stop\n");
            }
            Awaits::Ready(_) | Awaits::Announcement(_) => self.owed_ready += 1,
            Awaits::Nothing | Awaits::Greeting => {}
        }
    }

    fn heeds(&self, limit: Limit) -> bool {
        match limit {
            Limit::Clock | Limit::MoveTime | Limit::Depth | Limit::Nodes => true,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::position::read_token;

    const CROSS: &str = "8/8/8/3ox3/3xo3/8/8/8,x";

    fn state(token: &str) -> StateText {
        let position = read_token(token).unwrap();
        StateText {
            variant: read_variant("othello").unwrap(),
            seed: None,
            squares: 64,
            phase: Phase::Play,
            next: Some(Side::Black),
            count: (2, 2),
            legal: Vec::new(),
            last: None,
            items: 0,
            ending: None,
            position,
        }
    }

    /// What is told of a position that a line has led to.
    fn stands(dialect: &mut Uci, line: &str, token: &str) -> String {
        let tagged = dialect.read(line);
        let done = Done::State { state: Box::new(state(token)), reading: None };
        let mut out = String::new();
        dialect.render(&tagged.tag, &Event::Done(done), &mut out);
        out
    }

    fn in_flipello() -> Uci {
        let mut dialect = Uci::new();
        stands(&mut dialect, "setoption name UCI_Variant value flipello", CROSS);
        dialect
    }

    fn arranged(dialect: &mut Uci, line: &str) -> (Option<BoardText>, Vec<String>) {
        match dialect.read(line).request {
            Request::Arrange { start, moves, .. } => {
                let spelled = moves.into_iter().map(|word| match word {
                    MoveWord::Move(at) => at.to_string(),
                    MoveWord::Unreadable(text) => panic!("{line}: {text}"),
                });
                (start, spelled.collect())
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    fn at(text: &str) -> MoveText {
        Notation::Plain.read(text).unwrap()
    }

    #[test]
    fn drops_are_the_picture_with_the_highest_rank_on_top() {
        let drops = Notation::Drops(8);
        for (drop, square) in
            [("P@e3", "e6"), ("p@f4", "f5"), ("P@c5", "c4"), ("P@d6", "d3"), ("P@a8", "a1")]
        {
            assert_eq!(drops.read(drop), Some(at(square)), "{drop}");
            assert_eq!(drops.write_move(at(square), None), drop.replace("p@", "P@"));
        }
        assert_eq!(Notation::Drops(10).read("P@a10"), Some(at("a1")));
        for text in ["P@a9", "P@i1x", "f5", "P@", "Q@f5", "e2e4"] {
            assert_eq!(drops.read(text), None, "{text}");
        }
        for text in ["P@f5", "e2e4", "z1", ""] {
            assert_eq!(Notation::Plain.read(text), None, "{text}");
        }
        for text in ["d4d4", "a10a10", "0000", "@@@@", "pass", "PA", "--"] {
            assert_eq!(drops.read(text), Some(MoveText::Pass), "{text}");
            assert_eq!(Notation::Plain.read(text), Some(MoveText::Pass), "{text}");
        }
    }

    #[test]
    fn the_start_is_the_same_board_in_both_notations() {
        let cross = read_token(CROSS).unwrap();
        let pocket = format!("[{}{}]", "P".repeat(60), "p".repeat(60));
        for (fen, notation) in [
            (format!("8/8/8/3pP3/3Pp3/8/8/8{pocket} w 0 1"), Notation::Drops(8)),
            (format!("8/8/8/3pP3/3Pp3/8/8/8{pocket} w - - 0 1"), Notation::Drops(8)),
            ("8/8/8/3pP3/3Pp3/8/8/8[60P60p] w".to_owned(), Notation::Drops(8)),
            ("8/8/8/3pP3/3Pp3/8/8/8[60 P, 60 p] w - - 0 1".to_owned(), Notation::Drops(8)),
            ("8/8/8/3pP3/3Pp3/8/8/8/PPpp w".to_owned(), Notation::Drops(8)),
            ("8/8/8/3pP3/3Pp3/8/8/8 w - -".to_owned(), Notation::Drops(8)),
            ("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1".to_owned(), Notation::Plain),
        ] {
            let read = read_position(&fen, notation).unwrap();
            assert_eq!((&read.cells, read.mover), (&cross.cells, cross.mover), "{fen}");
        }
        let drops = position_text(&cross, Notation::Drops(8), true);
        assert_eq!(drops, format!("8/8/8/3pP3/3Pp3/8/8/8{pocket} w"));
        assert_eq!(position_text(&cross, Notation::Plain, true), "8/8/8/3Pp3/3pP3/8/8/8 w");
        for fen in [
            "6/6/2pP2/2Pp2/6/6 w",
            "8/8/8/3pP3/3Pp3/8/8/8[PP w",
            "8/8/8/3pP3/3Pp3/8/8/8[Q] w",
            "8/8 w",
            "",
        ] {
            let refused = read_position(fen, Notation::Drops(8));
            assert!(refused.is_err(), "{fen}: {refused:?}");
        }
    }

    #[test]
    fn a_variant_decides_how_later_lines_are_read_and_earlier_ones_are_answered() {
        let mut dialect = Uci::new();
        let before = dialect.read("go depth 1").tag;
        let change = dialect.read("setoption name UCI_Variant value Flipello");
        assert!(
            matches!(&change.request, Request::New { variant: Some(token), .. } if token.to_string() == "othello")
        );
        assert_eq!(arranged(&mut dialect, "position startpos moves P@f4 d4d4").1, ["f5", "pass"]);
        let best = BestText {
            search: 1,
            at: Some(at("f5")),
            value: None,
            ponder: Some(at("d6")),
            nodes: 0,
            time_ms: 1,
            failed: false,
        };
        let mut out = String::new();
        dialect.render(&before, &Event::Best(best.clone()), &mut out);
        let after = dialect.read("go depth 1").tag;
        dialect.render(&after, &Event::Best(best), &mut out);
        assert_eq!(out, "bestmove f5 ponder d6\nbestmove P@f4 ponder P@d3\n");
    }

    #[test]
    fn a_refused_variant_leaves_the_notation_as_it_was() {
        let mut dialect = in_flipello();
        let change = dialect.read("setoption name UCI_Variant value chess");
        let mut out = String::new();
        dialect.render(
            &change.tag,
            &Event::Failed(Failure::new(Code::BadVariant, "no such variant")),
            &mut out,
        );
        assert_eq!(out, "info string refused: no such variant\n");
        assert_eq!(arranged(&mut dialect, "position startpos moves P@f4").1, ["f5"]);
        // What is no token at all is refused when it is read.
        assert!(matches!(
            dialect.read("setoption name UCI_Variant value ?").request,
            Request::Unreadable(_)
        ));
        assert_eq!(arranged(&mut dialect, "position startpos moves P@f4").1, ["f5"]);
    }

    #[test]
    fn variants_are_announced_with_their_start() {
        let mut dialect = Uci::new();
        let line = stands(&mut dialect, "setoption name UCI_Variant value flipello", CROSS);
        let pocket = format!("{}{}", "P".repeat(60), "p".repeat(60));
        let expected = format!(
            "info string variant flipello files 8 ranks 8 pocket 1 template fairy startpos 8/8/8/3pP3/3Pp3/8/8/8[{pocket}] w 0 1\n"
        );
        assert_eq!(line, expected);
        let line = stands(&mut dialect, "setoption name uci_variant value othello", CROSS);
        assert_eq!(
            line,
            "info string variant othello files 8 ranks 8 pocket 0 template fairy startpos 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1\n"
        );
        let line =
            stands(&mut dialect, "setoption name UCI_Variant value flipersi", "8/8/8/8/8/8/8/8,x,p4");
        let pocket = format!("{}{}", "P".repeat(32), "p".repeat(32));
        assert!(line.ends_with(&format!("startpos 8/8/8/8/8/8/8/8[{pocket}] w 0 1\n")), "{line}");
    }

    #[test]
    fn a_pass_is_the_lowest_own_disc_as_ranks_are_counted() {
        let best = |at, ponder| {
            Event::Best(BestText {
                search: 1,
                at,
                value: None,
                ponder,
                nodes: 0,
                time_ms: 1,
                failed: false,
            })
        };
        let mut dialect = in_flipello();
        // Of Black's discs e4 and d5, the latter lies lower in the diagram: d4 as ranks are counted.
        stands(&mut dialect, "position startpos", "8/8/8/3ox3/3xo3/8/8/8,x");
        let tag = dialect.read("go depth 1").tag;
        let mut out = String::new();
        dialect.render(&tag, &best(Some(MoveText::Pass), Some(at("f5"))), &mut out);
        dialect.render(&tag, &best(Some(at("f5")), Some(MoveText::Pass)), &mut out);
        assert_eq!(out, "bestmove d4d4 ponder P@f4\nbestmove P@f4\n");
        let mut plain = Uci::new();
        out.clear();
        plain.render(&Tag::default(), &best(Some(MoveText::Pass), Some(MoveText::Pass)), &mut out);
        plain.render(&Tag::default(), &best(None, None), &mut out);
        assert_eq!(out, "bestmove 0000 ponder 0000\nbestmove (none)\n");
        out.clear();
        let Event::Best(best) = best(Some(at("f5")), None) else { panic!() };
        let best = BestText { nodes: 30, time_ms: 20, ..best };
        plain.render(&Tag::default(), &Event::Best(best), &mut out);
        assert_eq!(out, "info nodes 30 nps 1500 time 20\nbestmove f5\n");
    }

    #[test]
    fn limits_are_read_and_what_cannot_be_heeded_is_told() {
        let mut dialect = Uci::new();
        let tagged = dialect.read(
            "go wtime 61000 btime -5 winc 1000 movestogo 3 depth 0 nodes 9 searchmoves f5 d6 ponder",
        );
        let Request::Search(search) = tagged.request else { panic!() };
        let clocks = search.clocks.unwrap();
        assert_eq!(clocks.black, SideClockText { left_ms: Some(61_000), increment_ms: 1000 });
        assert_eq!(clocks.white, SideClockText { left_ms: Some(0), increment_ms: 0 });
        assert_eq!((clocks.moves_to_go, search.depth, search.nodes), (3, Some(1), Some(9)));
        assert_eq!((search.moves.len(), search.ponder), (2, Some(PonderText::Played)));
        assert_eq!(tagged.tag.id, None);
        let tagged = dialect.read("go mate 3 depth x movetime 10 sideways");
        let Request::Search(search) = tagged.request else { panic!() };
        assert_eq!((search.depth, search.movetime_ms, search.clocks), (None, Some(10), None));
        let mut out = String::new();
        dialect.render(&tagged.tag, &Event::Done(Done::Started { search: 1 }), &mut out);
        assert_eq!(
            out,
            "info string left out: mate: discs are counted here, depth without a number, x, sideways\n"
        );
        assert_eq!(dialect.read("go perft 5").request, Request::Perft { depth: 5, pass_free: false });
    }

    #[test]
    fn options_are_named_in_any_case() {
        let mut dialect = Uci::new();
        let set = |name: &str, value: &str| Request::Set(vec![(name.into(), value.into())]);
        for (line, expected) in [
            ("setoption name MultiPV value 3", set("multipv", "3")),
            ("setoption  name  uci_limitstrength  value true", set("limit_strength", "true")),
            ("setoption name skill level value 9", set("level", "9")),
            ("setoption name Skill Level value 10", set("level", "10")),
            ("setoption name depth value 9", set("depth", "9")),
            ("setoption name Debug Log File value <empty>", set("log", "")),
            ("setoption name Debug Log File value a b", set("log", "a b")),
            ("setoption name Clear Hash", Request::Clear),
            ("setoption name clear hash value", Request::Clear),
        ] {
            assert_eq!(dialect.read(line).request, expected, "{line}");
        }
        // The level that holds anyway, sent back by a client that was told of it.
        assert_eq!(Uci::new().read("setoption name Skill Level value 10").request, Request::Nothing);
        for line in ["setoption", "setoption name", "setoption name Foo value 1", "setoption name Hash"]
        {
            assert!(matches!(dialect.read(line).request, Request::Unreadable(_)), "{line}");
        }
    }

    #[test]
    fn news_says_exact_only_of_what_is_proved() {
        let info = |multipv, exact, bound| InfoText {
            depth: 2,
            selectivity: 100,
            multipv,
            value: ValueText { centidiscs: -250, bound, exact },
            wld: false,
            nodes: 50,
            time_ms: 10,
            pv: vec![at("f5"), MoveText::Pass, at("d6")],
        };
        let tell = |info| {
            let mut out = String::new();
            Uci::new().render(&Tag::default(), &Event::Info { search: 1, info }, &mut out);
            out
        };
        let line =
            "info depth 2 seldepth 3 multipv 1 score cp -250 nodes 50 nps 5000 time 10 pv f5 0000 d6\n";
        assert_eq!(tell(info(1, false, BoundText::Value)), line);
        assert_eq!(tell(info(1, true, BoundText::Value)), format!("{line}info string exact\n"));
        assert!(tell(info(2, true, BoundText::Value)).ends_with("info string exact multipv 2\n"));
        let bound = tell(info(1, true, BoundText::Lower));
        assert!(bound.contains("score cp -250 lowerbound nodes") && !bound.contains("exact"), "{bound}");
        // Where drops are written, nobody knows the spelling of the pass within the line.
        let mut dialect = in_flipello();
        let tag = dialect.read("go").tag;
        let mut out = String::new();
        dialect.render(
            &tag,
            &Event::Info { search: 1, info: info(1, false, BoundText::Value) },
            &mut out,
        );
        assert!(out.ends_with("pv P@f4\n"), "{out}");
    }

    #[test]
    fn every_listed_variant_is_a_token() {
        for (name, token) in PLAIN {
            assert_eq!(Chosen::read(name).unwrap().token.to_string(), *token, "{name}");
        }
        for fairy in FAIRY {
            let chosen = Chosen::read(fairy.name).unwrap();
            assert_eq!(chosen.notation, Notation::Drops(fairy.ranks));
        }
    }
}
