//! GGF, the game format of GGS and NBoard: `(;GM[Othello]PB[..]PW[..]TY[8]BO[8 ...]B[F5]W[D6];)`.
//!
//! Reads games of every size that GGS has, tags in any order, broken over lines or several to
//! a line, and writes one game to a line. Tags that mean nothing here are kept as they are.

use std::fmt;

use nom::bytes::complete::{take_until, take_while1};
use nom::character::complete::{char, digit1, multispace0};
use nom::combinator::{map_opt, opt};
use nom::sequence::{delimited, pair, preceded, terminated};
use nom::{IResult, Parser};

use crate::fault::{Fault, clip};
use crate::lexis::{read_clock, read_decimal, read_half_discs};
use crate::message::{Code, Failure};
use crate::position::{MIN_SIDE, read_line_form};
use crate::variant::GgsType;
use crate::words::{
    AboutText, BaseText, BoardText, Cell, ClockText, GameText, HalfDiscs, MAX_SIDE, ModText, MoveText,
    MoveWord, Mover, OutcomeText, PlayedText, PlayerText, Point, Side, StartText, VariantText, WhyText,
};

/// Seconds of extension that a clock has when it names none.
const EXTENSION: f64 = 120.0;

/// Most games of one text that cannot be read; the reading stops behind them.
pub const MOST_FAULTS: usize = 1000;

/// Why a text is not a game in GGF.
#[derive(Clone, Debug, PartialEq)]
pub enum GgfFault {
    /// There is no `(;` in it.
    NoGame,
    /// What stands at this byte is neither a tag nor the end of the game.
    NotATag {
        /// Offset in bytes.
        at: usize,
        /// The text from there, shortened.
        text: String,
    },
    /// The game of `GM` is another one.
    OtherGame {
        /// Its name, shortened.
        name: String,
    },
    /// The value of a tag.
    Value {
        /// Name of the tag.
        tag: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The board cannot be written: GGF has squares of 4 to 14 and the octagon only.
    NoSuchBoard {
        /// The board.
        board: String,
    },
}

impl fmt::Display for GgfFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GgfFault::NoGame => f.write_str("a game in GGF begins with (; and there is none"),
            GgfFault::NotATag { at, .. } => {
                write!(f, "byte {}: neither a tag such as BO[...] nor the end ;)", at + 1)
            }
            GgfFault::OtherGame { name } => write!(f, "a game of {name}, not of Othello"),
            GgfFault::Value { tag, fault } => write!(f, "{tag}[...]: {fault}"),
            GgfFault::NoSuchBoard { .. } => {
                f.write_str("GGF has square boards of 4 to 14 and the octagon 88 only")
            }
        }
    }
}

impl std::error::Error for GgfFault {}

impl GgfFault {
    /// The reason in one word of the protocol.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            GgfFault::NoGame | GgfFault::NotATag { .. } => Code::BadArgument,
            GgfFault::Value { fault, .. } => fault.code(),
            GgfFault::OtherGame { .. } | GgfFault::NoSuchBoard { .. } => Code::Unsupported,
        }
    }
}

impl From<GgfFault> for Failure {
    fn from(fault: GgfFault) -> Failure {
        let mut failure = Failure::new(fault.code(), fault.to_string());
        failure.text = match &fault {
            GgfFault::NoGame => None,
            GgfFault::NotATag { text, .. } => Some(text.clone()),
            GgfFault::OtherGame { name } => Some(name.clone()),
            GgfFault::Value { fault, .. } => fault.text(),
            GgfFault::NoSuchBoard { board } => Some(clip(board)),
        };
        failure
    }
}

// tag = 1*ALPHA "[" *(any but "]") "]"
fn tag_and_value(input: &str) -> IResult<&str, (&str, &str)> {
    let name = take_while1(|c: char| c.is_ascii_alphanumeric());
    let value = delimited(char('['), take_until("]"), char(']'));
    preceded(multispace0, pair(terminated(name, multispace0), value)).parse(input)
}

// end = ";" [")"]      ; the bracket is missing in lines that were cut
fn end(input: &str) -> IResult<&str, ()> {
    let mut mark = preceded(multispace0, (char(';'), multispace0, opt(char(')'))));
    let (rest, _) = mark.parse(input)?;
    Ok((rest, ()))
}

/// Whether a line begins games in GGF: `(;` with perhaps the number of games before it.
#[must_use]
pub fn begins(line: &str) -> bool {
    line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').starts_with("(;")
}

/// Reads the first game of a text.
///
/// ```abnf
/// game  = [number] "(;" *tag ";)"
/// tag   = name "[" value "]"             ; white space between tags
/// move  = ("B" / "W") "[" (point / pass) ["/" [eval] ["/" [seconds]]] "]"
/// pass  = "P" / "PA" / "PAS" / "PASS" / "--"
/// board = "BO[" size 1*cell side "]"
/// ```
///
/// # Errors
/// The place and what is wrong there. A move that is no square is not an error here: it is kept
/// as it stands.
pub fn read(text: &str) -> Result<GameText, GgfFault> {
    let start = text.find("(;").ok_or(GgfFault::NoGame)?;
    game(text, start, text.len()).map(|(game, _)| game).map_err(|(fault, _)| fault)
}

/// Reads every game of a text, for lines such as `2 (;...;)(;...;)`. After a game that cannot
/// be read, the next `(;` behind the failing place is looked for; after [`MOST_FAULTS`] of them
/// the reading stops. Linear in the length of the text.
#[must_use]
pub fn read_all(text: &str) -> Vec<Result<GameText, GgfFault>> {
    let mut games = Vec::new();
    let mut from = 0;
    let mut faults = 0;
    let tags_end = text.rfind(']').map_or(0, |last| last + 1);
    while faults < MOST_FAULTS
        && let Some(found) = text.get(from..).and_then(|rest| rest.find("(;"))
    {
        let start = from + found;
        match game(text, start, tags_end) {
            Ok((read, end)) => {
                games.push(Ok(read));
                from = end;
            }
            Err((fault, behind)) => {
                games.push(Err(fault));
                faults += 1;
                from = behind;
            }
        }
    }
    games
}

/// The game whose `(;` stands at `start`, and where it ends; or what is wrong with it, and where
/// to read on. No tag ends behind `tags_end`, so that none is looked for there.
fn game(text: &str, start: usize, tags_end: usize) -> Result<(GameText, usize), (GgfFault, usize)> {
    let mut rest = text.get(start + 2..).unwrap_or_default();
    let mut raw = Raw::default();
    loop {
        let at = text.len() - rest.len();
        if at < tags_end
            && let Ok((behind, (name, value))) = tag_and_value(rest)
        {
            raw.take(name, value).map_err(|fault| (fault, text.len() - behind.len()))?;
            rest = behind;
        } else if let Ok((behind, ())) = end(rest) {
            rest = behind;
            break;
        } else {
            let left = rest.trim_start();
            let at = text.len() - left.len();
            return Err((GgfFault::NotATag { at, text: clip(left) }, at));
        }
    }
    Ok((raw.finish(), text.len() - rest.len()))
}

/// The tags as they come; what they mean together is decided at the end.
#[derive(Default)]
struct Raw {
    game_type: Option<GgsType>,
    start: Option<BoardText>,
    komi: Option<HalfDiscs>,
    moves: Vec<PlayedText>,
    black: PlayerText,
    white: PlayerText,
    result: Option<String>,
    tags: Vec<(String, String)>,
    about: AboutText,
}

impl Raw {
    fn take(&mut self, name: &str, value: &str) -> Result<(), GgfFault> {
        let trimmed = value.trim();
        let wrong = |fault| GgfFault::Value { tag: name.to_owned(), fault };
        let clock = || read_clock(trimmed.split(',').next().unwrap_or_default(), EXTENSION);
        match name {
            "GM" => {
                if !["othello", "reversi"].contains(&trimmed.to_ascii_lowercase().as_str()) {
                    return Err(GgfFault::OtherGame { name: clip(value) });
                }
            }
            "TY" => {
                self.game_type = Some(GgsType::read(trimmed).map_err(wrong)?);
            }
            "BO" => self.start = Some(board(trimmed).map_err(wrong)?),
            "KM" => {
                self.komi = read_half_discs(trimmed.trim_start_matches('+'));
                if self.komi.is_none() {
                    self.keep(name, value);
                }
            }
            "B" => self.moves.push(played(Side::Black, value)),
            "W" => self.moves.push(played(Side::White, value)),
            "PB" => self.black.name = value.to_owned(),
            "PW" => self.white.name = value.to_owned(),
            "RB" => self.black.rating = Some(value.to_owned()),
            "RW" => self.white.rating = Some(value.to_owned()),
            "RE" => {
                self.result = (trimmed != "?").then(|| value.to_owned());
                self.about.outcome = read_result(trimmed);
            }
            "PC" => self.about.place = said(value),
            "DT" => self.about.date = said(value),
            "EV" => self.about.event = said(value),
            "TI" if clock().is_some() => {
                self.black.clock = clock();
                self.white.clock = clock();
            }
            "TB" if clock().is_some() => self.black.clock = clock(),
            "TW" if clock().is_some() => self.white.clock = clock(),
            _ => self.keep(name, value),
        }
        Ok(())
    }

    fn keep(&mut self, name: &str, value: &str) {
        self.tags.push((name.to_owned(), value.to_owned()));
    }

    fn finish(mut self) -> GameText {
        // What the rules do not need is between the players and their host.
        if let Some(read) = self.game_type
            && (read.synchro
                || read.random.is_some()
                || read.colour.is_some()
                || read.komi && self.komi.is_none())
        {
            self.keep("TY", &read.to_string());
        }
        let mut variant = match (&self.game_type, &self.start) {
            (Some(game_type), _) => Some(game_type.variant()),
            (None, Some(board)) if board.cells.contains(&Cell::Hole) => {
                Some(VariantText { base: BaseText::Name("oct".to_owned()), mods: Vec::new() })
            }
            (None, Some(board)) => Some(VariantText {
                base: BaseText::Size { columns: board.columns.into(), rows: board.rows.into() },
                mods: Vec::new(),
            }),
            (None, None) => None,
        };
        if let Some(variant) = &mut variant {
            // A board that is given need not be drawn.
            if self.start.is_some() {
                variant
                    .mods
                    .retain(|modifier| !matches!(modifier, ModText::Start(StartText::Random { .. })));
            }
            variant.mods.extend(self.komi.filter(|komi| komi.0 != 0).map(ModText::Komi));
        }
        GameText {
            variant,
            start: self.start,
            moves: self.moves,
            black: self.black,
            white: self.white,
            result: self.result,
            tags: self.tags,
            about: self.about,
        }
    }
}

fn said(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

/// What a result means.
///
/// ```abnf
/// result = ("+" / "-") decimal [":" ("r" / "t" / "l")]     ; Black less White
/// ```
///
/// Komi makes fractions of a disc of it: then only the winner is known.
#[must_use]
pub fn read_result(text: &str) -> Option<OutcomeText> {
    let (number, why) = text.split_once(':').unwrap_or((text, ""));
    let discs = read_decimal(number.trim())?;
    let halves = (discs * 2.0).round();
    let is_half = (discs * 2.0 - halves).abs() < 1e-6 && halves.abs() < 1000.0;
    let why = match why.trim() {
        "r" => WhyText::Resigned,
        "t" => WhyText::Time,
        "l" => WhyText::Left,
        _ => WhyText::Score,
    };
    Some(OutcomeText {
        winner: if discs > 0.0 {
            Some(Side::Black)
        } else if discs < 0.0 {
            Some(Side::White)
        } else {
            None
        },
        margin: is_half.then_some(HalfDiscs(halves as i32)),
        why,
    })
}

/// A result in the manner of GGF. A winner without a number wins by the whole of 8x8.
#[must_use]
pub fn result_word(outcome: &OutcomeText) -> String {
    let margin = outcome.margin.unwrap_or(match outcome.winner {
        None => HalfDiscs(0),
        Some(Side::Black) => HalfDiscs(128),
        Some(Side::White) => HalfDiscs(-128),
    });
    let sign = if margin.0 < 0 { "" } else { "+" };
    let why = match outcome.why {
        WhyText::Score => "",
        WhyText::Resigned => ":r",
        WhyText::Time => ":t",
        WhyText::Left => ":l",
    };
    format!("{sign}{margin}{why}")
}

/// The three squares of each corner that the octagon lacks.
fn is_cut(column: u8, row: u8, side: u8) -> bool {
    column.min(side - 1 - column) + row.min(side - 1 - row) < 2
}

fn board(text: &str) -> Result<BoardText, Fault> {
    let number = map_opt(digit1, |digits: &str| digits.parse::<u8>().ok());
    let (cells, size) = terminated(number, nom::character::complete::multispace1).parse(text).map_err(
        |_: nom::Err<nom::error::Error<&str>>| Fault::Record {
            text: clip(text),
            why: "a board begins with its size: 4, 6, 8, 10, 12, 14 or 88",
        },
    )?;
    if size != 88 {
        if !(MIN_SIDE..=MAX_SIDE).contains(&size) {
            return Err(Fault::Size { columns: size.into(), rows: size.into() });
        }
        return read_line_form(&format!("{size}x{size}:{cells}"));
    }
    // Only the 88 squares there are stand in the text.
    let mut listed = cells.chars().filter(|c| !c.is_whitespace());
    let mut line = String::from("10x10:");
    for row in 0..10 {
        for column in 0..10 {
            line.push(if is_cut(column, row, 10) { '#' } else { listed.next().unwrap_or(' ') });
        }
    }
    line.extend(listed);
    read_line_form(&line)
}

// move = word ["/" [eval] ["/" [seconds]]]
fn played(side: Side, value: &str) -> PlayedText {
    let mut parts = value.split('/').map(str::trim);
    let word = read_move(parts.next().unwrap_or_default());
    let mut number = || parts.next().and_then(read_decimal);
    PlayedText { side: Some(side), word, value: number(), seconds: number() }
}

/// A move in the manner of NBoard: any beginning of `pass` is one.
pub(crate) fn read_move(text: &str) -> MoveWord {
    let lower = text.to_ascii_lowercase();
    if text == "--" || (!text.is_empty() && "pass".starts_with(&lower)) {
        return MoveWord::Move(MoveText::Pass);
    }
    crate::lexis::move_word(text)
}

/// Writes a game as one line.
///
/// # Errors
/// A board that GGF does not have.
pub fn write(game: &GameText) -> Result<String, GgfFault> {
    let start = game.start.as_ref();
    let size = size_of(game)?;
    let mut out = String::from("(;GM[Othello]");
    let mut tag = |name: &str, value: &str| {
        // Nothing is escaped in GGF, so what would end a value or the line has to go.
        let clean = value.replace([']', '\n', '\r'], " ");
        out.push_str(&format!("{name}[{clean}]"));
    };
    let kept = |name: &str| game.tags.iter().any(|(kept, _)| kept == name);
    let about = &game.about;
    // GGF has no tag for the event, and NBoard refuses tags that it does not know.
    let place: Vec<&str> =
        [&about.event, &about.place].into_iter().flatten().map(String::as_str).collect();
    if !place.is_empty() {
        tag("PC", &place.join(", "));
    }
    if let Some(date) = &about.date {
        tag("DT", date);
    }
    for (name, value) in game.tags.iter().filter(|(name, _)| name != "TY" && name != "KM") {
        tag(name, value);
    }
    tag("PB", &game.black.name);
    tag("PW", &game.white.name);
    tag("RE", game.result.as_deref().unwrap_or("?"));
    for (name, rating) in [("RB", &game.black.rating), ("RW", &game.white.rating)] {
        if let Some(rating) = rating {
            tag(name, rating);
        }
    }
    match (game.black.clock, game.white.clock) {
        (Some(black), Some(white)) if black == white => tag("TI", &clock(black)),
        (black, white) => {
            for (name, side) in [("TB", black), ("TW", white)] {
                if let Some(side) = side {
                    tag(name, &clock(side));
                }
            }
        }
    }
    let mods = game.variant.iter().flat_map(|variant| &variant.mods);
    let anti = mods.clone().any(|modifier| *modifier == ModText::Anti);
    let komi = mods
        .clone()
        .find_map(|modifier| if let ModText::Komi(komi) = modifier { Some(*komi) } else { None });
    if kept("TY") {
        for (name, value) in game.tags.iter().filter(|(name, _)| name == "TY") {
            tag(name, value);
        }
    } else {
        let game_type =
            GgsType { size, synchro: false, komi: komi.is_some(), anti, random: None, colour: None };
        tag("TY", &game_type.to_string());
    }
    if let Some(komi) = komi {
        tag("KM", &komi.to_string());
    }
    for (name, value) in game.tags.iter().filter(|(name, _)| name == "KM") {
        tag(name, value);
    }
    if let Some(start) = start {
        tag("BO", &board_text(start, size));
    }
    let first = match start.and_then(|start| start.mover) {
        Some(Mover::Side(side)) => side,
        _ => Side::Black,
    };
    let mut side = first;
    for played in &game.moves {
        side = played.side.unwrap_or(side);
        tag(if side == Side::Black { "B" } else { "W" }, &played_text(played));
        side = side.other();
    }
    out.push_str(";)");
    Ok(out)
}

/// The size as GGS names it; boards that it cannot name are refused.
fn size_of(game: &GameText) -> Result<u8, GgfFault> {
    let even =
        |side: u32| u8::try_from(side).ok().filter(|side| (4..=14).contains(side) && side % 2 == 0);
    if let Some(start) = &game.start {
        let holes: Vec<bool> = start.cells.iter().map(|cell| *cell == Cell::Hole).collect();
        let refused = GgfFault::NoSuchBoard { board: start.to_string() };
        if start.columns != start.rows {
            return Err(refused);
        }
        if !holes.contains(&true) {
            return even(start.columns.into()).ok_or(refused);
        }
        let octagon = points(10).map(|at| is_cut(at.column, at.row, 10));
        return if start.columns == 10 && octagon.eq(holes) { Ok(88) } else { Err(refused) };
    }
    let Some(variant) = &game.variant else { return Ok(8) };
    let refused = GgfFault::NoSuchBoard { board: variant.to_string() };
    // A random start is written as the type that was kept.
    let typed = game.tags.iter().any(|(name, _)| name == "TY");
    let fits = |modifier: &ModText| match modifier {
        ModText::Anti | ModText::Komi(_) => true,
        ModText::Start(StartText::Random { .. }) => typed,
        _ => false,
    };
    if !variant.mods.iter().all(fits) {
        return Err(refused);
    }
    match &variant.base {
        BaseText::Name(name) if name == "oct" => Ok(88),
        BaseText::Name(name) if name == "othello" => Ok(8),
        BaseText::Size { columns, rows } if columns == rows => even(*columns).ok_or(refused),
        _ => Err(refused),
    }
}

fn points(side: u8) -> impl Iterator<Item = Point> {
    (0..side).flat_map(move |row| (0..side).map(move |column| Point { column, row }))
}

fn board_text(board: &BoardText, size: u8) -> String {
    let mut text = format!("{size} ");
    for cell in board.cells.iter().filter(|cell| **cell != Cell::Hole) {
        text.push(match cell {
            Cell::Black => '*',
            Cell::White => 'O',
            Cell::Empty | Cell::Hole => '-',
        });
    }
    // A finished position names nobody; GGF wants a side all the same.
    text.push_str(if board.mover == Some(Mover::Side(Side::White)) { " O" } else { " *" });
    text
}

fn played_text(played: &PlayedText) -> String {
    let mut text = match &played.word {
        MoveWord::Move(MoveText::Pass) => "PA".to_owned(),
        MoveWord::Move(at) => at.to_string().to_ascii_uppercase(),
        MoveWord::Unreadable(text) => text.replace('/', " "),
    };
    match (played.value, played.seconds) {
        (None, None) => {}
        (value, seconds) => {
            text.push('/');
            if let Some(value) = value {
                text.push_str(&format!("{value:.2}"));
            }
            if let Some(seconds) = seconds {
                text.push_str(&format!("/{seconds}"));
            }
        }
    }
    text
}

// clock = main ["/" [increment] ["/" extension]]
fn clock(clock: ClockText) -> String {
    let mut text = time(clock.main);
    let extended = clock.extension != EXTENSION;
    if clock.increment != 0.0 || extended {
        text.push('/');
    }
    if clock.increment != 0.0 {
        text.push_str(&time(clock.increment));
    }
    if extended {
        text.push('/');
        text.push_str(&time(clock.extension));
    }
    text
}

// time = [hours ":"] minutes ":" seconds
fn time(seconds: f64) -> String {
    let whole_minutes = (seconds / 60.0).floor();
    let rest = ((seconds - whole_minutes * 60.0) * 1000.0).round() / 1000.0;
    let pad = if rest < 10.0 { "0" } else { "" };
    if whole_minutes < 60.0 {
        format!("{whole_minutes}:{pad}{rest}")
    } else {
        let hours = (whole_minutes / 60.0).floor();
        format!("{hours}:{:02}:{pad}{rest}", whole_minutes - hours * 60.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;

    const GUI: &str = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//39.506]W[F6/1.00/0.5]B[PA];)";

    fn check(text: &str) -> GameText {
        let game = read(text).unwrap();
        let written = write(&game).unwrap();
        assert_eq!(read(&written).unwrap(), game, "{written}");
        game
    }

    #[test]
    fn a_game_of_the_gui_reads_and_writes() {
        let game = check(GUI);
        assert_eq!(game.variant.as_ref().unwrap().to_string(), "8x8");
        assert_eq!(game.start.as_ref().unwrap().to_string(), "8/8/8/3ox3/3xo3/8/8/8,x");
        assert_eq!(game.moves.len(), 3);
        assert_eq!(game.moves[0].seconds, Some(39.506));
        assert_eq!(game.moves[1].value, Some(1.0));
        assert_eq!(game.moves[2].word, MoveWord::Move(MoveText::Pass));
        assert_eq!(game.black.clock.unwrap().main, 900.0);
        let written = write(&game).unwrap();
        assert!(written.contains("B[F5//39.506]W[F6/1.00/0.5]B[PA];)"), "{written}");
    }

    #[test]
    fn tags_come_in_any_order_and_over_several_lines() {
        let text = "2 (;\nBO[8 -------- -------- --------\n ---O*--- ---*O---\n -------- -------- -------- *]\r\nTY[8]GM[othello]\nB[ f5 ]\nW[d6//]\nPB[One Two]\n;)";
        let game = check(text);
        assert_eq!(game.moves.len(), 2);
        assert_eq!(game.black.name, "One Two");
    }

    #[test]
    fn several_games_stand_on_a_line() {
        let games = read_all(&format!("2 {GUI}{GUI}"));
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(Result::is_ok));
        let games = read_all(&format!("(;XX {GUI}"));
        assert_eq!(games.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
        let games = read_all(&format!("(;TY[9]{GUI} (;!{GUI}(;GM[Go];){GUI}(;A[(;;)"));
        assert_eq!(
            games.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [false, true, false, true, false, true, false, true]
        );
    }

    #[test]
    fn hostile_lines_are_read_in_linear_time() {
        const LENGTH: usize = 1 << 20;
        for piece in [
            "(;",
            "(;A[",
            "(;A[]",
            "(;A[];",
            "(;TY[",
            "(;TY[]",
            "(;BO[8 (;",
            "(;GM[(;",
            "(;GM[Go]",
            "(;KM[",
            "(;B[",
            "(;B[]",
            "(; ",
            "(;A ",
            "((",
        ] {
            for tail in ["", "]", ";)", "];)"] {
                let text = piece.repeat(LENGTH / piece.len()) + tail;
                let begun = std::time::Instant::now();
                let games = read_all(&text);
                assert!(begun.elapsed().as_secs() < 5, "{piece} {:?}", begun.elapsed());
                let faults: Vec<&GgfFault> =
                    games.iter().filter_map(|game| game.as_ref().err()).collect();
                assert!(faults.len() <= MOST_FAULTS, "{piece}");
                let kept: usize = faults.iter().map(|fault| format!("{fault:?}").len()).sum();
                // A value is never kept twice.
                assert!(kept <= 2 * LENGTH, "{piece} {kept}");
            }
        }
        assert_eq!(read_all(&"(;A[".repeat(2 * MOST_FAULTS)).len(), MOST_FAULTS);
    }

    #[test]
    fn the_octagon_lists_its_88_squares_only() {
        let cells: String = std::iter::repeat_n('-', 38)
            .chain("O*--------*O".chars())
            .chain(std::iter::repeat_n('-', 38))
            .collect();
        let game = check(&format!("(;GM[Othello]TY[88]BO[88 {cells} *]B[K10];)").replace("K10", "J10"));
        let board = game.start.unwrap();
        assert!(board.to_string().starts_with("__6__/_8_/10/10/4ox4/4xo4/"), "{board}");
        assert_eq!(game.moves[0].word.clone(), crate::lexis::move_word("j10"));
        assert_eq!(game.variant.unwrap().to_string(), "oct");
    }

    #[test]
    fn types_and_komi_make_a_variant() {
        let game = check("(;GM[Othello]TY[10a]KM[-3.5]PB[]PW[];)");
        assert_eq!(game.variant.unwrap().to_string(), "10x10+anti+komi=-3.5");
        let game = check(
            "(;GM[Othello]TY[8kr20]KB[2.00]KW[-8.27]KM[-3.133]BO[8 ---------------------------O*------*O--------------------------- *];)",
        );
        assert_eq!(game.variant.unwrap().to_string(), "8x8");
        assert!(game.tags.contains(&("TY".into(), "8kr20".into())));
        assert!(game.tags.contains(&("KM".into(), "-3.133".into())));
        let game = check("(;GM[Othello]TY[s8r20];)");
        assert_eq!(game.variant.unwrap().to_string(), "8x8+start=rand20@0");
    }

    #[test]
    fn a_move_that_is_no_square_is_kept() {
        let game = read("(;GM[Othello]TY[8]B[Z9]W[A17]B[]W[p]B[--];)").unwrap();
        let words: Vec<_> = game.moves.iter().map(|played| played.word.clone()).collect();
        assert_eq!(
            words,
            [
                MoveWord::Unreadable("Z9".into()),
                MoveWord::Unreadable("A17".into()),
                MoveWord::Unreadable(String::new()),
                MoveWord::Move(MoveText::Pass),
                MoveWord::Move(MoveText::Pass)
            ]
        );
    }

    #[test]
    fn numbers_with_a_decimal_comma_are_read() {
        let game = read("(;GM[Othello]TY[8]B[F5/1,25/0,5];)").unwrap();
        assert_eq!((game.moves[0].value, game.moves[0].seconds), (Some(1.25), Some(0.5)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, code) in [
            ("", Code::BadArgument),
            ("(;GM[Othello]", Code::BadArgument),
            ("(;GM[Othello", Code::BadArgument),
            ("(;GM[Othello]!;)", Code::BadArgument),
            ("(;GM[Go];)", Code::Unsupported),
            ("(;TY[9];)", Code::BadVariant),
            ("(;BO[8 --- *];)", Code::BadPosition),
            ("(;BO[88 --- *];)", Code::BadPosition),
            ("(;BO[3 --- *];)", Code::BadSize),
            ("(;BO[];)", Code::BadArgument),
        ] {
            assert_eq!(read(text).unwrap_err().code(), code, "{text}");
        }
        assert!(matches!(read("(;GM[Othello]!;)"), Err(GgfFault::NotATag { at: 13, .. })));
    }

    #[test]
    fn boards_that_ggf_does_not_have_are_not_written() {
        let mut game = read(GUI).unwrap();
        game.start = Some(crate::position::read_token("8/_5_1/8/3ox3/3xo3/8/3_4/8,x").unwrap());
        assert_eq!(write(&game).unwrap_err().code(), Code::Unsupported);
        game.start = Some(crate::position::read_token("6/6/2ox2/2xo2,x").unwrap());
        assert_eq!(write(&game).unwrap_err().code(), Code::Unsupported);
    }

    #[test]
    fn clocks_are_written_as_they_are_read() {
        for text in ["5:00", "15:00/0:10", "5:00//1:00", "4:17.5", "1:02:03/0:30/0:00"] {
            assert_eq!(clock(read_clock(text, EXTENSION).unwrap()), text);
        }
    }
}
