//! Lists of positions and games that single programs write: one line an item.
//!
//! Egaroucid's boards with names, Zebra's openings with names, the codes of IOS and Logistello,
//! Cassio's requests and results, and the records of Othello Quest.

use nom::branch::alt;
use nom::character::complete::{char, one_of};
use nom::combinator::{map, value};
use nom::multi::many1;
use nom::{IResult, Parser};

use crate::fault::{Fault, clip};
use crate::lexis::{move_list, move_word, read_decimal};
use crate::position::{PositionText, read_line_form};
use crate::words::{
    AboutText, Cell, GameText, HalfDiscs, MoveText, MoveWord, Mover, OutcomeText, PlayedText, Point,
    Side,
};

fn refused(text: &str, why: &'static str) -> Fault {
    Fault::Record { text: clip(text), why }
}

// ---------------------------------------------------------------------------------------------
// Egaroucid

/// Whether a line is one of Egaroucid's list: the digit 1 on a board is White there, and nobody
/// else writes it.
#[must_use]
pub fn is_egaroucid(line: &str) -> bool {
    let board = line.split_whitespace().next().unwrap_or_default();
    board.len() == 64 && board.contains('1') && board.bytes().all(|b| matches!(b, b'0' | b'1' | b'.'))
}

/// Reads a board of Egaroucid's list of openings.
///
/// ```abnf
/// line  = 64cell [SP name]
/// cell  = "0" / "1" / "."     ; black, white, empty
/// ```
///
/// No side stands there. The boards are openings without a pass, so that the number of discs says
/// whose turn it is.
///
/// # Errors
/// A line of another form.
pub fn egaroucid(line: &str) -> Result<PositionText, Fault> {
    let (board, name) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    if !is_egaroucid(board) {
        return Err(refused(line, "64 characters of 0 (black), 1 (white) and . (empty), then a name"));
    }
    let n_discs = board.bytes().filter(|&byte| byte != b'.').count();
    let side = if n_discs % 2 == 0 { 'x' } else { 'o' };
    let cells: String = board
        .chars()
        .map(|c| match c {
            '0' => 'x',
            '1' => 'o',
            _ => '-',
        })
        .collect();
    let mut read = PositionText::bare(read_line_form(&format!("{cells} {side}"))?);
    read.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    Ok(read)
}

// ---------------------------------------------------------------------------------------------
// Zebra

/// The number of openings that the first line of Zebra's list states.
#[must_use]
pub fn zebra_count(line: &str) -> Option<u32> {
    let line = line.trim();
    if line.is_empty() || line.len() > 6 || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    line.parse().ok()
}

/// Whether a line behind the count is an opening.
#[must_use]
pub fn is_zebra(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let moves = move_list(first);
    !moves.is_empty() && moves.iter().all(|word| matches!(word, MoveWord::Move(_)))
}

/// Reads an opening of Zebra's list.
///
/// ```abnf
/// list = number LF *(line LF)
/// line = moves 1*SP name
/// ```
#[must_use]
pub fn zebra(line: &str) -> GameText {
    let (moves, name) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    GameText {
        moves: move_list(moves).into_iter().map(|word| PlayedText::plain(None, word)).collect(),
        about: AboutText { name, ..AboutText::default() },
        ..GameText::default()
    }
}

// ---------------------------------------------------------------------------------------------
// IOS and Logistello

// code = ("+" / "-") column row     ; both as digits, and the column first
fn code(input: &str) -> IResult<&str, (Side, Point)> {
    let side = alt((value(Side::Black, char('+')), value(Side::White, char('-'))));
    let digit = || map(one_of("12345678"), |c: char| (c as u32 - '1' as u32) as u8);
    map((side, digit(), digit()), |(side, column, row)| (side, Point { column, row })).parse(input)
}

/// Whether a line begins with codes of IOS.
#[must_use]
pub fn is_ios(line: &str) -> bool {
    many1(code).parse(line).is_ok_and(|(rest, codes)| {
        let ends = rest.trim_start();
        codes.len() >= 2 || ends.is_empty() || ends.starts_with(':')
    })
}

/// Reads a game in the codes of IOS and Logistello: `+43-33+34:+2`.
///
/// ```abnf
/// game = 1*code [":" [result]]
/// code = ("+" / "-") column row     ; the player's sign, two digits from 1 to 8
/// ```
///
/// # Errors
/// What stands behind the codes.
pub fn ios(line: &str) -> Result<GameText, Fault> {
    let wrong =
        |rest: &str| refused(rest, "a game of IOS is made of codes such as +43-33 and ends with :");
    let (rest, codes) =
        many1(code).parse(line.trim()).map_err(|_: nom::Err<nom::error::Error<&str>>| wrong(line))?;
    let result = match rest.trim().strip_prefix(':') {
        Some(result) => result.trim(),
        None if rest.trim().is_empty() => "",
        None => return Err(wrong(rest.trim())),
    };
    let margin = read_decimal(result).map(|discs| HalfDiscs((discs.clamp(-256.0, 256.0) * 2.0) as i32));
    Ok(GameText {
        moves: codes
            .into_iter()
            .map(|(side, at)| PlayedText::plain(Some(side), MoveWord::Move(MoveText::At(at))))
            .collect(),
        result: Some(result.to_owned()).filter(|result| !result.is_empty()),
        about: AboutText { outcome: margin.map(OutcomeText::by), ..AboutText::default() },
        ..GameText::default()
    })
}

// ---------------------------------------------------------------------------------------------
// Cassio

const CASSIO: &str = "ENGINE-PROTOCOL";

/// Whether a line is a request of Cassio with a position, or a result it is answered with.
#[must_use]
pub fn is_cassio(line: &str) -> bool {
    let head = line.get(..CASSIO.len()).unwrap_or_default();
    head.eq_ignore_ascii_case(CASSIO) || line.contains(", move ") && line.contains(" <= v <= ")
}

/// Reads the position of a line of Cassio.
///
/// ```abnf
/// request = "ENGINE-PROTOCOL" SP ("midgame-search" / "endgame-search" / "feed-hash") SP position *any
/// result  = position "," *any
/// position = 64cell [SP] side
/// ```
///
/// # Errors
/// A request without a position, and what is wrong with the position.
pub fn cassio(line: &str) -> Result<PositionText, Fault> {
    let head = line.get(..CASSIO.len()).unwrap_or_default();
    let position = if head.eq_ignore_ascii_case(CASSIO) {
        let mut words = line.trim().splitn(3, char::is_whitespace).skip(1);
        match words.next() {
            Some("midgame-search" | "endgame-search" | "feed-hash") => words.next().unwrap_or_default(),
            _ => return Err(refused(line, "this request of Cassio has no position")),
        }
    } else {
        line.split(',').next().unwrap_or_default()
    };
    let cells: String = position.chars().filter(|c| !c.is_whitespace()).take(65).collect();
    read_line_form(&cells).map(PositionText::bare)
}

// ---------------------------------------------------------------------------------------------
// Othello Quest

const QUEST: &str = "\"m\":\"";

/// Whether a line is a record of Othello Quest: an object whose moves are strings named `m`.
#[must_use]
pub fn is_quest(line: &str) -> bool {
    line.starts_with(['{', '[']) && line.replace(": ", ":").contains(QUEST)
}

/// Reads the moves of a record of Othello Quest; `-` is a pass. The rest of the record is the
/// server's own and says nothing about the game.
///
/// # Errors
/// A record without moves.
pub fn quest(line: &str) -> Result<GameText, Fault> {
    let text = line.replace(": ", ":");
    let words = text.split(QUEST).skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    let moves: Vec<PlayedText> = words
        .map(|word| match word.trim() {
            "-" => MoveWord::Move(MoveText::Pass),
            word => move_word(word),
        })
        .map(|word| PlayedText::plain(None, word))
        .collect();
    if moves.is_empty() {
        return Err(refused(line, "no moves in this record of Othello Quest"));
    }
    Ok(GameText { moves, ..GameText::default() })
}

// ---------------------------------------------------------------------------------------------
// OBF

/// Writes a position as a line of OBF, with the scores of moves or else that of the position.
///
/// A position in which nobody can move is written with Black to move, for a side has to be named.
///
/// # Errors
/// Boards of another size than 8x8 and boards with holes, placements or discs in hand: no program
/// that reads OBF has them.
pub fn obf(position: &PositionText) -> Result<String, Fault> {
    let board = &position.board;
    let unsupported = |why| Fault::Unsupported { text: board.to_string(), why };
    if board.cells.contains(&Cell::Hole) {
        return Err(unsupported("OBF has no holes"));
    }
    if (board.columns, board.rows) != (8, 8) {
        return Err(unsupported("OBF has boards of 8x8 only"));
    }
    if board.placements > 0 || board.hand.is_some() {
        return Err(unsupported("OBF has no placements and no discs in hand"));
    }
    let mut line: String = board
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Black => 'X',
            Cell::White => 'O',
            Cell::Empty | Cell::Hole => '-',
        })
        .collect();
    line.push_str(if board.mover == Some(Mover::Side(Side::White)) { " O;" } else { " X;" });
    let signed = |score: HalfDiscs| if score.0 < 0 { score.to_string() } else { format!("+{score}") };
    for (at, score) in &position.scores {
        let name = match at {
            MoveText::At(at) => at.to_string().to_ascii_uppercase(),
            MoveText::Pass => "PA".to_owned(),
        };
        line.push_str(&format!(" {name}:{};", signed(*score)));
    }
    if let Some(value) = position.value {
        line.push_str(&format!(" {};", signed(value)));
    }
    if let Some(name) = position.name.as_ref().or(position.id.as_ref()) {
        // A comment ends with its line.
        let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.push_str(&format!(" % {clean}"));
    }
    Ok(line)
}
