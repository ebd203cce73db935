//! SGF, game 2: Othello as Quarry and Edax save it.
//!
//! Reads both spellings of squares, decided value by value: two letters are column and row as Quarry
//! has them (`ef` is e6), a letter and a number is a square (`f5`), as Edax has them. Set-up stones,
//! passes and remarks are read, of variations the main line. Writes the letters, which Quarry reads.

use std::fmt;

use nom::bytes::complete::take_while1;
use nom::character::complete::{char, multispace0};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use crate::fault::clip;
use crate::lexis::{move_word, read_decimal, read_half_discs, read_point};
use crate::position::MIN_SIDE;
use crate::words::{
    AboutText, BaseText, BoardText, Cell, GameText, HalfDiscs, MAX_SIDE, ModText, MoveText, MoveWord,
    Mover, OutcomeText, PlayedText, PlayerText, Point, Side, VariantText, WhyText,
};

/// Why a text is not a game of Othello in SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SgfFault {
    /// There is no `(;` in it.
    NoGame,
    /// What stands at this byte is neither a property nor the end of a node.
    NotAProperty {
        /// Offset in bytes.
        at: usize,
        /// The text from there, shortened.
        text: String,
    },
    /// The text ends within the game.
    CutShort,
    /// `GM` is the number of another game.
    OtherGame {
        /// The value of `GM`.
        number: String,
    },
    /// A property has a value that means nothing.
    Value {
        /// Name of the property.
        name: String,
        /// The value, shortened.
        value: String,
        /// What would be right.
        why: &'static str,
    },
}

impl fmt::Display for SgfFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SgfFault::NoGame => f.write_str("a game in SGF begins with (; and there is none"),
            SgfFault::NotAProperty { at, text } => {
                write!(f, "byte {} '{text}': neither a property such as B[ef] nor a node", at + 1)
            }
            SgfFault::CutShort => f.write_str("the text ends before the ) of the game"),
            SgfFault::OtherGame { number } => {
                write!(f, "GM[{number}] is another game; Othello is GM[2]")
            }
            SgfFault::Value { name, value, why } => write!(f, "{name}[{value}]: {why}"),
        }
    }
}

impl std::error::Error for SgfFault {}

/// A property with its values.
struct Property<'a> {
    name: String,
    values: Vec<&'a str>,
}

// name = 1*ALPHA     ; lower case letters of the oldest files say nothing
fn name(input: &str) -> IResult<&str, &str> {
    take_while1(|c: char| c.is_ascii_alphanumeric())(input)
}

// value = "[" *("\" any / any but "]") "]"
fn value(input: &str) -> IResult<&str, &str> {
    let (inside, _) = char('[').parse(input)?;
    let mut escaped = false;
    let end = inside.find(|c: char| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    match end.and_then(|end| inside.get(..end).zip(inside.get(end + 1..))) {
        Some((value, rest)) => Ok((rest, value)),
        None => Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Char))),
    }
}

// property = name 1*value     ; white space anywhere between
fn property(input: &str) -> IResult<&str, Property<'_>> {
    let (mut rest, name) = terminated(preceded(multispace0, name), multispace0).parse(input)?;
    let mut values = Vec::new();
    while let Ok((behind, read)) = preceded(multispace0, value).parse(rest) {
        values.push(read);
        rest = behind;
    }
    if values.is_empty() {
        return Err(nom::Err::Error(nom::error::Error::new(rest, nom::error::ErrorKind::Many1)));
    }
    let name = name.chars().filter(|c| !c.is_ascii_lowercase()).collect();
    Ok((rest, Property { name, values }))
}

/// Text with `\` taken away: what stands behind one is meant as it is, a line end is none.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n' | '\r') | None => {}
                Some(next) => text.push(next),
            },
            other => text.push(other),
        }
    }
    text.trim().to_owned()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, ']' | '\\') {
            out.push('\\');
        }
        // A record is one line.
        out.push(if letter.is_control() { ' ' } else { letter });
    }
    out
}

/// Whether a text is meant as SGF and not as GGF, which begins in the same way.
///
/// The name or number of the game decides, then tags that only one of them has.
#[must_use]
pub fn claims(text: &str) -> bool {
    let mut rest = text.split_once("(;").map_or("", |(_, rest)| rest);
    while let Ok((behind, read)) = property(rest) {
        let first = read.values.first().map_or("", |value| value.trim());
        match read.name.as_str() {
            "GM" => return first.chars().all(|c| c.is_ascii_digit()),
            "FF" | "CA" | "AP" | "SZ" => return true,
            "TY" | "BO" => return false,
            // A second move without a new node is GGF.
            "B" | "W" => return !behind.trim_start().starts_with(['B', 'W']),
            _ => rest = behind,
        }
    }
    false
}

/// Reads the first game of a text.
///
/// ```abnf
/// game     = "(" 1*node *game ")"          ; of several games that follow, the first
/// node     = ";" *property
/// property = name 1*("[" value "]")
/// move     = ("B" / "W") "[" (point / "" / "PA" / "PASS" / "tt") "]"
/// setup    = ("AB" / "AW" / "AE") 1*("[" point [":" point] "]") / "PL[" side "]"
/// point    = letter letter / letter number
/// size     = "SZ[" number [":" number] "]"
/// ```
///
/// A file of GoGui without `GM` counts its rows from below, as Go does, and is read so.
///
/// # Errors
/// See [`SgfFault`]. A move that is no square is kept as it stands.
pub fn read(text: &str) -> Result<GameText, SgfFault> {
    let start = text.find("(;").ok_or(SgfFault::NoGame)?;
    let mut rest = text.get(start + 1..).unwrap_or_default();
    let mut raw = Raw { columns: 8, rows: 8, ..Raw::default() };
    loop {
        rest = rest.trim_start();
        // A bracket that opens begins the first of several variations: the main line.
        if let Some(behind) = rest.strip_prefix([';', '(']) {
            rest = behind;
        } else if rest.starts_with(')') {
            // The main line ends here; what follows is another variation or nothing.
            break;
        } else if let Ok((behind, read)) = property(rest) {
            raw.take(&read)?;
            rest = behind;
        } else if rest.is_empty() || rest.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(SgfFault::CutShort);
        } else {
            return Err(SgfFault::NotAProperty { at: text.len() - rest.len(), text: clip(rest) });
        }
    }
    Ok(raw.finish())
}

/// The properties of the main line as they come.
#[derive(Default)]
struct Raw {
    columns: u8,
    rows: u8,
    game: Option<String>,
    program: String,
    komi: Option<HalfDiscs>,
    stones: Vec<(Cell, String)>,
    mover: Option<Side>,
    moves: Vec<PlayedText>,
    black: PlayerText,
    white: PlayerText,
    result: Option<String>,
    tags: Vec<(String, String)>,
    about: AboutText,
}

impl Raw {
    fn take(&mut self, property: &Property<'_>) -> Result<(), SgfFault> {
        let value = property.values.first().copied().unwrap_or_default();
        let text = || unescaped(value);
        let said = || Some(text()).filter(|text| !text.is_empty());
        let wrong = |why| SgfFault::Value { name: property.name.clone(), value: clip(value), why };
        match property.name.as_str() {
            "GM" => {
                if value.trim() != "2" {
                    return Err(SgfFault::OtherGame { number: clip(value.trim()) });
                }
                self.game = Some(text());
            }
            "SZ" => {
                let (columns, rows) = value.split_once(':').unwrap_or((value, value));
                let side = |text: &str| {
                    text.trim().parse().ok().filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side))
                };
                (self.columns, self.rows) = side(columns)
                    .zip(side(rows))
                    .ok_or_else(|| wrong("a size is one number or two as in 9:7, from 4 to 16"))?;
            }
            "AP" => self.program = text(),
            "AB" => self.set_up(Cell::Black, property),
            "AW" => self.set_up(Cell::White, property),
            "AE" => self.set_up(Cell::Empty, property),
            "PL" => {
                self.mover = Some(match text().to_ascii_lowercase().as_str() {
                    "b" | "black" | "1" => Side::Black,
                    "w" | "white" | "2" => Side::White,
                    _ => return Err(wrong("the side to move is B or W")),
                });
            }
            "B" => self.moves.push(PlayedText::plain(Some(Side::Black), self.played(value))),
            "W" => self.moves.push(PlayedText::plain(Some(Side::White), self.played(value))),
            "V" => self.value(value),
            "C" if self.moves.is_empty() => self.about.comment = said(),
            "C" => self.about.remarks.extend(said().map(|text| (self.moves.len(), text))),
            "KM" => {
                self.komi = read_half_discs(value.trim());
                if self.komi.is_none() && read_decimal(value.trim()) != Some(0.0) {
                    return Err(wrong("komi is a number of discs, halves allowed"));
                }
            }
            "PB" => self.black.name = text(),
            "PW" => self.white.name = text(),
            "BR" => self.black.rating = said(),
            "WR" => self.white.rating = said(),
            "EV" => self.about.event = said(),
            "RO" => self.about.round = said(),
            "DT" => self.about.date = said(),
            "PC" => self.about.place = said(),
            "GN" => self.about.name = said(),
            "RE" => {
                self.result = said();
                self.about.outcome = read_result(&text());
            }
            "FF" | "CA" => {}
            _ if self.moves.is_empty() => self.tags.push((property.name.clone(), text())),
            _ => {}
        }
        Ok(())
    }

    /// The value of a position from Black's view belongs to the move that leads to it.
    fn value(&mut self, text: &str) {
        if let (Some(value), Some(last)) = (read_decimal(text.trim()), self.moves.last_mut()) {
            last.value = Some(if last.side == Some(Side::White) { -value } else { value });
        }
    }

    fn set_up(&mut self, cell: Cell, property: &Property<'_>) {
        self.stones.extend(property.values.iter().map(|value| (cell, value.trim().to_owned())));
    }

    fn played(&self, value: &str) -> MoveWord {
        let text = value.trim();
        if text.is_empty() {
            return MoveWord::Move(MoveText::Pass);
        }
        // `tt` is a pass of Go on boards that have no column t, and no square of ours.
        if text == "tt" {
            return MoveWord::Move(MoveText::Pass);
        }
        match letters(text) {
            Some(at) => MoveWord::Move(MoveText::At(at)),
            None => move_word(text),
        }
    }

    fn finish(mut self) -> GameText {
        // Rows of a Go file are counted from below.
        let upside_down = self.game.is_none() && self.program.to_ascii_lowercase().contains("gogui");
        if upside_down {
            for played in &mut self.moves {
                if let MoveWord::Move(MoveText::At(at)) = &mut played.word {
                    at.row = (self.rows - 1).checked_sub(at.row).unwrap_or(at.row);
                }
            }
        }
        let base = BaseText::Size { columns: self.columns.into(), rows: self.rows.into() };
        let mut variant = VariantText { base, mods: Vec::new() };
        variant.mods.extend(self.komi.filter(|komi| komi.0 != 0).map(ModText::Komi));
        let start = self.start(upside_down);
        if !self.program.is_empty() {
            self.tags.push(("AP".to_owned(), self.program));
        }
        GameText {
            variant: Some(variant),
            start,
            moves: self.moves,
            black: self.black,
            white: self.white,
            result: self.result,
            tags: self.tags,
            about: self.about,
        }
    }

    /// The board of the set-up stones, if there are any; a stone off the board is left out.
    fn start(&self, upside_down: bool) -> Option<BoardText> {
        if self.stones.is_empty() && self.mover.is_none() {
            return None;
        }
        let n_cells = usize::from(self.columns) * usize::from(self.rows);
        let mut cells = vec![Cell::Empty; n_cells];
        if self.stones.is_empty() {
            // Only the side is said: the discs are those every game begins with.
            let (column, row) = (usize::from(self.columns) / 2 - 1, usize::from(self.rows) / 2 - 1);
            let at = row * usize::from(self.columns) + column;
            let below = at + usize::from(self.columns);
            for (index, cell) in [
                (at, Cell::White),
                (at + 1, Cell::Black),
                (below, Cell::Black),
                (below + 1, Cell::White),
            ] {
                if let Some(found) = cells.get_mut(index) {
                    *found = cell;
                }
            }
        }
        for (cell, text) in &self.stones {
            let (from, to) = text.split_once(':').unwrap_or((text, text));
            let (Some(from), Some(to)) = (square(from.trim()), square(to.trim())) else { continue };
            for row in from.row..=to.row.min(self.rows - 1) {
                for column in from.column..=to.column.min(self.columns - 1) {
                    let row = if upside_down { self.rows - 1 - row } else { row };
                    let index = usize::from(row) * usize::from(self.columns) + usize::from(column);
                    if let Some(found) = cells.get_mut(index) {
                        *found = *cell;
                    }
                }
            }
        }
        let first = self.moves.first().and_then(|played| played.side);
        let mover = self.mover.or(first).unwrap_or(Side::Black);
        Some(BoardText {
            columns: self.columns,
            rows: self.rows,
            cells,
            mover: Some(Mover::Side(mover)),
            placements: 0,
            hand: None,
            komi: None,
        })
    }
}

/// Column and row as two letters.
fn letters(text: &str) -> Option<Point> {
    let mut bytes = text.bytes();
    let (column, row, None) = (bytes.next()?, bytes.next()?, bytes.next()) else { return None };
    let index = |letter: u8| letter.checked_sub(b'a').filter(|index| *index < MAX_SIDE);
    let (column, row) = (index(column)?, index(row)?);
    // `pa` could be a pass of Edax as well; boards of sixteen columns are rarer than passes, and
    // Edax writes capitals.
    Some(Point { column, row })
}

fn square(text: &str) -> Option<Point> {
    letters(text).or_else(|| read_point(text))
}

/// What a result means: `B+36`, `W+R`, `B+T`, `0`, `Draw`; nothing for `Void` and `?`.
#[must_use]
pub fn read_result(text: &str) -> Option<OutcomeText> {
    let text = text.trim();
    if ["0", "draw", "jigo"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some(OutcomeText::by(HalfDiscs(0)));
    }
    let (winner, behind) = text.split_once('+')?;
    let winner = match winner.to_ascii_lowercase().as_str() {
        "b" | "black" => Side::Black,
        "w" | "white" => Side::White,
        _ => return None,
    };
    let why = match behind.to_ascii_lowercase().as_str() {
        "r" | "resign" => WhyText::Resigned,
        "t" | "time" => WhyText::Time,
        "f" | "forfeit" => WhyText::Left,
        _ => WhyText::Score,
    };
    let discs = read_half_discs(behind);
    let margin = discs.map(|discs| if winner == Side::Black { discs } else { HalfDiscs(-discs.0) });
    Some(OutcomeText { winner: Some(winner), margin, why })
}

/// A result in the manner of SGF.
#[must_use]
pub fn result_word(outcome: &OutcomeText) -> String {
    let Some(winner) = outcome.winner else { return "0".to_owned() };
    let letter = if winner == Side::Black { 'B' } else { 'W' };
    let behind = match (outcome.why, outcome.margin) {
        (WhyText::Resigned, _) => "R".to_owned(),
        (WhyText::Time, None) => "T".to_owned(),
        (WhyText::Left, _) => "F".to_owned(),
        (_, Some(margin)) => HalfDiscs(margin.0.abs()).to_string(),
        (_, None) => String::new(),
    };
    format!("{letter}+{behind}")
}

/// Why a game cannot be written in SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SgfRefusal {
    /// The board has holes.
    Holes,
    /// A rule that SGF has no property for.
    Rule {
        /// The variant.
        variant: String,
    },
}

impl fmt::Display for SgfRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SgfRefusal::Holes => f.write_str("SGF has no boards with holes"),
            SgfRefusal::Rule { variant } => {
                write!(f, "SGF has size, set-up stones and komi, and not the other rules of {variant}")
            }
        }
    }
}

impl std::error::Error for SgfRefusal {}

/// Writes a game as one line, squares as two letters. Passes are left out, as Quarry does: every
/// move says its colour. The set-up is left out where it is the ordinary one.
///
/// # Errors
/// See [`SgfRefusal`].
pub fn write(game: &GameText) -> Result<String, SgfRefusal> {
    let (columns, rows) = size_of(game)?;
    let mut out = String::from("(;GM[2]FF[4]CA[UTF-8]");
    if columns == rows {
        out.push_str(&format!("SZ[{columns}]"));
    } else {
        out.push_str(&format!("SZ[{columns}:{rows}]"));
    }
    let mut tag = |name: &str, value: &str| out.push_str(&format!("{name}[{}]", escaped(value)));
    for (name, value) in &game.tags {
        tag(name, value);
    }
    tag("PB", &game.black.name);
    tag("PW", &game.white.name);
    let about = &game.about;
    for (name, value) in [
        ("BR", &game.black.rating),
        ("WR", &game.white.rating),
        ("GN", &about.name),
        ("EV", &about.event),
        ("RO", &about.round),
        ("DT", &about.date),
        ("PC", &about.place),
        ("RE", &game.result),
        ("C", &about.comment),
    ] {
        if let Some(value) = value {
            tag(name, value);
        }
    }
    if let Some(komi) = komi_of(game) {
        tag("KM", &komi.to_string());
    }
    if let Some(start) = &game.start {
        setup(start, &mut out);
    }
    let mut remarks = about.remarks.iter().peekable();
    for (index, played) in game.moves.iter().enumerate() {
        let side = played.side.unwrap_or(Side::Black);
        let sign = if side == Side::Black { 'B' } else { 'W' };
        match &played.word {
            MoveWord::Move(MoveText::Pass) => {}
            MoveWord::Move(MoveText::At(at)) => out.push_str(&format!(";{sign}[{}]", pair(*at))),
            MoveWord::Unreadable(text) => out.push_str(&format!(";{sign}[{}]", escaped(text))),
        }
        let is_pass = played.word == MoveWord::Move(MoveText::Pass);
        if let Some(value) = played.value.filter(|_| !is_pass) {
            let for_black = if side == Side::Black { value } else { -value };
            out.push_str(&format!("V[{for_black}]"));
        }
        while let Some((_, text)) = remarks.next_if(|(n_moves, _)| *n_moves <= index + 1) {
            out.push_str(&format!("C[{}]", escaped(text)));
        }
    }
    out.push(')');
    Ok(out)
}

fn pair(at: Point) -> String {
    let letter = |index: u8| char::from(b'a' + index);
    [letter(at.column), letter(at.row)].into_iter().collect()
}

fn setup(start: &BoardText, out: &mut String) {
    for (name, wanted) in [("AB", Cell::Black), ("AW", Cell::White)] {
        let mut any = false;
        for (index, _) in start.cells.iter().enumerate().filter(|(_, cell)| **cell == wanted) {
            if !any {
                out.push_str(name);
                any = true;
            }
            let columns = usize::from(start.columns.max(1));
            let at = Point { column: (index % columns) as u8, row: (index / columns) as u8 };
            out.push_str(&format!("[{}]", pair(at)));
        }
    }
    let side = if start.mover == Some(Mover::Side(Side::White)) { 'W' } else { 'B' };
    out.push_str(&format!("PL[{side}]"));
}

fn komi_of(game: &GameText) -> Option<HalfDiscs> {
    game.variant.iter().flat_map(|variant| &variant.mods).find_map(|modifier| match modifier {
        ModText::Komi(komi) => Some(*komi),
        _ => None,
    })
}

fn size_of(game: &GameText) -> Result<(u8, u8), SgfRefusal> {
    let size = |columns: u32, rows: u32| {
        let side = |side: u32| u8::try_from(side).unwrap_or(MAX_SIDE);
        (side(columns), side(rows))
    };
    let mut found = (8, 8);
    if let Some(variant) = &game.variant {
        let refused = || SgfRefusal::Rule { variant: variant.to_string() };
        if variant.mods.iter().any(|modifier| matches!(modifier, ModText::Holes(_) | ModText::Cut(_))) {
            return Err(SgfRefusal::Holes);
        }
        // How the board begins is said by its stones.
        let fits = |modifier: &ModText| {
            matches!(modifier, ModText::Komi(_))
                || game.start.is_some()
                    && matches!(
                        modifier,
                        ModText::Start(_)
                            | ModText::First(_)
                            | ModText::Handicap(_)
                            | ModText::HandicapAt(_)
                    )
        };
        if !variant.mods.iter().all(fits) {
            return Err(refused());
        }
        found = match &variant.base {
            BaseText::Size { columns, rows } => size(*columns, *rows),
            BaseText::Name(name) if name == "othello" => (8, 8),
            BaseText::Name(name) if name == "oct" || name == "annex" => return Err(SgfRefusal::Holes),
            // Free openings place discs before anybody moves.
            BaseText::Name(_) => return Err(refused()),
        };
    }
    if let Some(start) = &game.start {
        if start.cells.contains(&Cell::Hole) {
            return Err(SgfRefusal::Holes);
        }
        if start.placements > 0 || start.hand.is_some() {
            return Err(SgfRefusal::Rule { variant: start.to_string() });
        }
        found = (start.columns, start.rows);
    }
    Ok(found)
}
