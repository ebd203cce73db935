//! Positions as words and lines: token, line form, OBF, gpdb and FEN.
//!
//! Reads what is written without asking whether it can be: whether a side can move, and whether
//! the discs suit the variant, is for the rules to say.

use std::fmt;

use nom::branch::alt;
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{map, map_opt, opt, value};
use nom::multi::many1;
use nom::sequence::{preceded, separated_pair};
use nom::{IResult, Parser};

use crate::fault::{Fault, clip};
use crate::lexis::{move_list, move_word, read_half_discs, read_side, whole};
use crate::message::Reading;
use crate::words::{BoardText, Cell, HalfDiscs, MAX_SIDE, MoveText, MoveWord, Mover, Side};

/// Least number of columns and of rows.
pub const MIN_SIDE: u8 = 4;

// A piece of a row: that many cells of a kind.
type Piece = (Cell, u64);

// run = %x31-39 *DIGIT      ; a decimal count of empty squares
fn run(input: &str) -> IResult<&str, Piece> {
    map_opt(digit1, |digits: &str| {
        // A run too long to count is too long for any board as well.
        (!digits.starts_with('0')).then(|| (Cell::Empty, digits.parse().unwrap_or(u64::from(u32::MAX))))
    })
    .parse(input)
}

// row = 1*("x" / "o" / "_" / run)
fn token_row(input: &str) -> IResult<&str, Vec<Piece>> {
    let disc = map(one_of("xo_"), |letter| {
        let cell = match letter {
            'x' => Cell::Black,
            'o' => Cell::White,
            _ => Cell::Hole,
        };
        (cell, 1)
    });
    many1(alt((disc, run))).parse(input)
}

/// Puts rows together: first they have to be equally long, then their size has to be possible.
fn assemble(rows: &[Vec<Piece>]) -> Result<(u8, u8, Vec<Cell>), Fault> {
    let lengths: Vec<u64> = rows
        .iter()
        .map(|row| row.iter().fold(0_u64, |sum, (_, length)| sum.saturating_add(*length)))
        .collect();
    let columns = lengths.first().copied().unwrap_or_default();
    if let Some(index) = lengths.iter().position(|length| *length != columns) {
        let length = lengths.get(index).copied().unwrap_or_default();
        return Err(Fault::Ragged { row: index + 1, length, expected: columns });
    }
    let (columns, n_rows) = size(columns, rows.len() as u64)?;
    let cells = rows
        .iter()
        .flatten()
        .flat_map(|(cell, length)| {
            std::iter::repeat_n(*cell, usize::try_from(*length).unwrap_or_default())
        })
        .collect();
    Ok((columns, n_rows, cells))
}

fn size(columns: u64, rows: u64) -> Result<(u8, u8), Fault> {
    let side =
        |length: u64| u8::try_from(length).ok().filter(|side| (MIN_SIDE..=MAX_SIDE).contains(side));
    side(columns).zip(side(rows)).ok_or(Fault::Size { columns, rows })
}

/// Reads a position token.
///
/// ```abnf
/// position = board "," side *("," field)
/// board    = row *("/" row)            ; the first row is row 1
/// side     = "x" / "o" / "-"
/// field    = "p" %x31-34               ; placements left
///          / "h" number "." number     ; discs in hand, Black's and White's
///          / "k" half-discs            ; komi for Black
/// ```
///
/// # Errors
/// The first thing that is wrong, rows of unequal length before sizes.
///
/// ```
/// use outflank_protocol::position::read_token;
///
/// let text = "8/8/8/3ox3/3xo3/8/8/8,x";
/// assert_eq!(read_token(text).map(|board| board.to_string()).as_deref(), Ok(text));
/// ```
pub fn read_token(text: &str) -> Result<BoardText, Fault> {
    let mut fields = text.split(',');
    let board = fields.next().unwrap_or_default();
    let rows = board
        .split('/')
        .enumerate()
        .map(|(index, row)| {
            whole(token_row, row).ok_or_else(|| Fault::Row {
                row: index + 1,
                text: row.to_owned(),
                why: "a row is made of x, o, _ for a hole, and runs of empty squares such as 3 or 12, without leading zeros",
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let (columns, n_rows, cells) = assemble(&rows)?;
    let mover = match fields.next() {
        None => return Err(Fault::NoSide),
        Some("x") => Mover::Side(Side::Black),
        Some("o") => Mover::Side(Side::White),
        Some("-") => Mover::Nobody,
        Some(other) => return Err(Fault::Side { text: other.to_owned() }),
    };
    let mut read = BoardText {
        columns,
        rows: n_rows,
        cells,
        mover: Some(mover),
        placements: 0,
        hand: None,
        komi: None,
    };
    let mut last = 0;
    for text in fields {
        let refused = || Fault::Field { text: text.to_owned() };
        let (rank, field) = field(text).ok_or_else(refused)?;
        if rank <= last {
            return Err(refused());
        }
        last = rank;
        match field {
            Field::Placements(left) => read.placements = left,
            Field::Hand(black, white) => read.hand = Some((black, white)),
            Field::Komi(komi) => read.komi = Some(komi),
        }
    }
    Ok(read)
}

enum Field {
    Placements(u8),
    Hand(u16, u16),
    Komi(HalfDiscs),
}

/// A field of a token with its place in the order.
fn field(text: &str) -> Option<(u8, Field)> {
    let hand = || {
        map_opt(digit1, |digits: &str| {
            let canonical = digits == "0" || !digits.starts_with('0');
            if canonical { digits.parse::<u16>().ok() } else { None }
        })
    };
    let placements = map_opt(one_of("1234"), |digit: char| digit.to_digit(10).map(|left| left as u8));
    let read = alt((
        map(preceded(char('p'), placements), |left| (1, Field::Placements(left))),
        map(preceded(char('h'), separated_pair(hand(), char('.'), hand())), |(black, white)| {
            (2, Field::Hand(black, white))
        }),
    ));
    match text.strip_prefix('k') {
        Some(komi) => read_half_discs(komi).map(|komi| (3, Field::Komi(komi))),
        None => whole(read, text),
    }
}

impl fmt::Display for BoardText {
    /// The token. A board without a side is written without one, and does not read back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, row) in self.cells.chunks(usize::from(self.columns.max(1))).enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            let mut empties = 0;
            for cell in row {
                if *cell != Cell::Empty && empties > 0 {
                    write!(f, "{empties}")?;
                    empties = 0;
                }
                match cell {
                    Cell::Empty => empties += 1,
                    Cell::Black => f.write_str("x")?,
                    Cell::White => f.write_str("o")?,
                    Cell::Hole => f.write_str("_")?,
                }
            }
            if empties > 0 {
                write!(f, "{empties}")?;
            }
        }
        match self.mover {
            Some(Mover::Side(side)) => write!(f, ",{side}")?,
            Some(Mover::Nobody) => f.write_str(",-")?,
            None => {}
        }
        if self.placements > 0 {
            write!(f, ",p{}", self.placements)?;
        }
        if let Some((black, white)) = self.hand {
            write!(f, ",h{black}.{white}")?;
        }
        self.komi.map_or(Ok(()), |komi| write!(f, ",k{komi}"))
    }
}

impl BoardText {
    /// Whether it is the board that Othello begins with on its size.
    #[must_use]
    pub fn is_cross(&self) -> bool {
        let (columns, rows) = (usize::from(self.columns), usize::from(self.rows));
        let wanted = |index: usize| {
            let (column, row) = (index % columns.max(1), index / columns.max(1));
            let (right, below) = (column + 1 == columns / 2 + 1, row + 1 == rows / 2 + 1);
            let central = (right || column + 1 == columns / 2) && (below || row + 1 == rows / 2);
            match (central, right == below) {
                (false, _) => Cell::Empty,
                (true, true) => Cell::White,
                (true, false) => Cell::Black,
            }
        };
        self.mover == Some(Mover::Side(Side::Black))
            && self.cells.iter().enumerate().all(|(index, cell)| *cell == wanted(index))
    }

    /// The line form: the size unless it is 8x8, the cells from a1, the side.
    ///
    /// Placements, hands and komi have no place in it.
    #[must_use]
    pub fn line_form(&self) -> String {
        let mut line = String::with_capacity(self.cells.len() + 10);
        if (self.columns, self.rows) != (8, 8) {
            line.push_str(&format!("{}x{}:", self.columns, self.rows));
        }
        line.extend(self.cells.iter().map(|cell| match cell {
            Cell::Empty => '-',
            Cell::Black => 'x',
            Cell::White => 'o',
            Cell::Hole => '#',
        }));
        match self.mover {
            Some(Mover::Side(side)) => line.extend([' ', side.letter()]),
            Some(Mover::Nobody) => line.push_str(" -"),
            None => {}
        }
        line
    }
}

// cell = black / white / empty / hole
fn cell(letter: char) -> Option<Cell> {
    Some(match letter {
        'x' | 'X' | '*' | '@' | 'b' | 'B' => Cell::Black,
        'o' | 'O' | 'w' | 'W' | '0' => Cell::White,
        '-' | '.' | '_' => Cell::Empty,
        '#' => Cell::Hole,
        _ => return None,
    })
}

/// Reads a line form; 64 cells without a size are a board of 8x8.
///
/// ```abnf
/// line  = [number "x" number ":"] 1*cell side     ; blanks anywhere
/// black = "x" / "X" / "*" / "@" / "b" / "B"
/// white = "o" / "O" / "w" / "W" / "0"
/// empty = "-" / "." / "_"
/// hole  = "#"
/// side  = black / white / "black" / "white" / "-"
/// ```
///
/// # Errors
/// The first thing that is wrong.
///
/// ```
/// use outflank_protocol::position::read_line_form;
///
/// let board = read_line_form("4x4: ---- -ox- -xo- ---- x");
/// assert_eq!(board.map(|board| board.to_string()).as_deref(), Ok("4/1ox1/1xo1/4,x"));
/// ```
pub fn read_line_form(text: &str) -> Result<BoardText, Fault> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let number = || map_opt(digit1, |digits: &str| digits.parse::<u64>().ok());
    let mut prefix = opt((number(), char('x'), number(), char(':')));
    let (cells_text, prefix) = match prefix.parse(compact.as_str()) {
        Ok((rest, found)) => (rest, found.map(|(columns, _, rows, _)| (columns, rows))),
        Err::<_, nom::Err<nom::error::Error<&str>>>(_) => (compact.as_str(), None),
    };
    let (columns, rows) = match prefix {
        Some((columns, rows)) => size(columns, rows)?,
        None => (8, 8),
    };
    let expected = usize::from(columns) * usize::from(rows);
    let mut cells = Vec::with_capacity(expected);
    let mut letters = cells_text.chars();
    while cells.len() < expected {
        let Some(letter) = letters.next() else {
            return Err(Fault::CellCount { found: cells.len(), expected });
        };
        cells.push(cell(letter).ok_or(Fault::CellText { cell: cells.len() + 1, text: letter })?);
    }
    let mover = match letters.as_str() {
        "" => return Err(Fault::NoSide),
        "-" => Mover::Nobody,
        "@" => Mover::Side(Side::Black),
        "0" => Mover::Side(Side::White),
        side => Mover::Side(read_side(side).ok_or_else(|| {
            if side.chars().all(|letter| cell(letter).is_some()) {
                Fault::CellCount { found: expected + side.chars().count(), expected }
            } else {
                Fault::Side { text: side.to_owned() }
            }
        })?),
    };
    Ok(BoardText { columns, rows, cells, mover: Some(mover), placements: 0, hand: None, komi: None })
}

/// Which row of a FEN string comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// The highest rank, as in chess.
    #[default]
    Chess,
    /// Row 1, as in an Othello diagram.
    Top,
}

/// Whose letters a FEN string uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FenDialect {
    /// `b`, `B` black; `w`, `W` white.
    #[default]
    Plain,
    /// Edax: `p` black, `P` white, side `b` or `w`.
    Edax,
    /// Fairy-Stockfish: `P` is the side that moved first, hence Black; its side `w` too.
    Fairy,
}

/// Reads the words of a FEN string: placement, then the side, then what chess adds.
///
/// ```abnf
/// fen       = placement [SP side *(SP word)]
/// placement = fen-row *("/" fen-row)
/// fen-row   = 1*("b" / "B" / "w" / "W" / "p" / "P" / "#" / "_" / "*" / run)
/// side      = "b" / "w" / "x" / "o" / "-"
/// ```
///
/// # Errors
/// `bad_fen` for everything but the size.
pub fn read_fen(
    text: &str,
    orientation: Orientation,
    dialect: FenDialect,
) -> Result<(BoardText, Reading), Fault> {
    let mut words = text.split_whitespace();
    let placement = words.next().unwrap_or_default();
    // Fairy-Stockfish writes the pocket behind the board.
    let placement = placement.split('[').next().unwrap_or_default();
    let mut rows = placement
        .split('/')
        .map(|row| {
            let refused = |why| Fault::Fen { text: row.to_owned(), why };
            if dialect == FenDialect::Plain && row.contains(['p', 'P']) {
                return Err(refused(
                    "p and P mean opposite colours in different programs; say dialect=edax or dialect=fairy",
                ));
            }
            whole(|input| fen_row(dialect, input), row).ok_or_else(|| {
                refused("a row is made of b and w (p and P in dialects), # or _ for a hole, and runs such as 3 or 12")
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if orientation == Orientation::Chess {
        rows.reverse();
    }
    let (columns, n_rows, cells) = assemble(&rows).map_err(|fault| match fault {
        Fault::Ragged { .. } => {
            Fault::Fen { text: placement.to_owned(), why: "the rows have different lengths" }
        }
        other => other,
    })?;
    let side = words.next();
    let mover = match (side, dialect) {
        (None, _) => Mover::Side(Side::Black),
        (Some("w"), FenDialect::Fairy) => Mover::Side(Side::Black),
        (Some("b"), FenDialect::Fairy) => Mover::Side(Side::White),
        (Some("-"), _) => Mover::Nobody,
        (Some(side), _) => Mover::Side(read_side(side).ok_or_else(|| Fault::Fen {
            text: side.to_owned(),
            why: "behind the board stands the side to move, b or w",
        })?),
    };
    let board = BoardText {
        columns,
        rows: n_rows,
        cells,
        mover: Some(mover),
        placements: 0,
        hand: None,
        komi: None,
    };
    Ok((board, Reading { chess: orientation == Orientation::Chess, side_assumed: side.is_none() }))
}

fn fen_row(dialect: FenDialect, input: &str) -> IResult<&str, Vec<Piece>> {
    let (black, white, holes) = match dialect {
        FenDialect::Plain => ("bB", "wW", "#_"),
        FenDialect::Edax => ("p", "P", "#_"),
        FenDialect::Fairy => ("P", "p", "#_*"),
    };
    many1(alt((
        value((Cell::Black, 1), one_of(black)),
        value((Cell::White, 1), one_of(white)),
        value((Cell::Hole, 1), one_of(holes)),
        run,
    )))
    .parse(input)
}

/// A position with what its line says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionText {
    /// The position.
    pub board: BoardText,
    /// Scores of moves, mover's view.
    pub scores: Vec<(MoveText, HalfDiscs)>,
    /// Score of the position, mover's view.
    pub value: Option<HalfDiscs>,
    /// The line's own name, by which it is known.
    pub id: Option<String>,
    /// What the line says about the position.
    pub name: Option<String>,
}

impl PositionText {
    /// A position about which nothing else is said.
    #[must_use]
    pub fn bare(board: BoardText) -> PositionText {
        PositionText { board, scores: Vec::new(), value: None, id: None, name: None }
    }
}

/// A line that states a position or a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A position.
    Position(PositionText),
    /// Moves from the start of some variant.
    Moves(Vec<MoveWord>),
}

/// Reads a position in any form that can be told by its content: a token, a line form, a line
/// of OBF or of gpdb. `%` begins a comment, which becomes its name. FEN is never guessed.
///
/// # Errors
/// What is wrong in the form that the line looks like.
pub fn read_position(text: &str) -> Result<PositionText, Fault> {
    let (text, comment) = text.trim_start_matches('\u{feff}').split_once('%').unwrap_or((text, ""));
    let text = text.trim_start_matches('\u{feff}').trim();
    let name = Some(comment.trim().to_owned()).filter(|name| !name.is_empty());
    if looks_like_token(text) {
        return read_token(text).map(|board| PositionText { name, ..PositionText::bare(board) });
    }
    if let Some(position) = gpdb(text) {
        return position;
    }
    let mut parts = text.split(';').map(str::trim);
    let board = read_line_form(parts.next().unwrap_or_default())?;
    let mut position = PositionText { name, ..PositionText::bare(board) };
    for part in parts.filter(|part| !part.is_empty()) {
        score(part, &mut position)?;
    }
    Ok(position)
}

// score = [move ":"] ["+" / "-"] half-discs      ; "--:-127" is a filler
fn score(text: &str, position: &mut PositionText) -> Result<(), Fault> {
    let refused = || Fault::Score { text: text.to_owned() };
    let number = |text: &str| {
        let text = text.trim();
        read_half_discs(text.strip_prefix('+').unwrap_or(text)).ok_or_else(refused)
    };
    match text.split_once(':') {
        None => position.value = Some(number(text)?),
        Some((name, value)) => {
            let MoveWord::Move(at) = move_word(name.trim()) else { return Err(refused()) };
            let value = number(value)?;
            if value != HalfDiscs(-254) {
                position.scores.push((at, value));
            }
        }
    }
    Ok(())
}

// gpdb = id ";" 64cell ";" ["player"] side ";" text [";" *any]     ; cells are written b w .
pub(crate) fn gpdb(text: &str) -> Option<Result<PositionText, Fault>> {
    let mut fields = text.split(';').map(str::trim);
    let (id, cells, side) = (fields.next()?, fields.next()?, fields.next()?);
    if id.is_empty()
        || looks_like_cells(id)
        || cells.chars().count() != 64
        || !cells.chars().all(|c| cell(c).is_some())
    {
        return None;
    }
    let side = side.strip_prefix("player").unwrap_or(side).trim();
    let name = fields.next().map(str::to_owned).filter(|name| !name.is_empty());
    Some(match read_side(side) {
        Some(_) => read_line_form(&format!("{cells} {side}")).map(|board| PositionText {
            id: Some(id.to_owned()),
            name,
            ..PositionText::bare(board)
        }),
        None => Err(Fault::Side { text: side.to_owned() }),
    })
}

pub(crate) fn looks_like_token(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.contains('/') && first.starts_with(|c: char| c.is_ascii_digit() || "xo_".contains(c))
}

/// A transcript has a row number within its first three characters or begins with a pass; a
/// board goes on for sixteen characters without either.
pub(crate) fn looks_like_cells(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| !c.is_whitespace());
    let n = letters.by_ref().take(16).take_while(|letter| cell(*letter).is_some()).count();
    n == 16
}

pub(crate) fn has_size_prefix(text: &str) -> bool {
    let mut prefix = (digit1::<&str, nom::error::Error<&str>>, char('x'), digit1, char(':'));
    prefix.parse(text).is_ok()
}

/// Whether a line of a file is a comment. `%` always begins one; `#` does unless it is the hole that
/// a board begins with.
///
/// ```
/// use outflank_protocol::position::is_comment;
///
/// assert!(is_comment("# twenty positions"));
/// assert!(!is_comment("#--------------------------ox------xo--------------------------- x"));
/// ```
#[must_use]
pub fn is_comment(line: &str) -> bool {
    let is_cell = |letter: char| "xXoO*@bBwW0.-_#".contains(letter);
    match line.chars().next() {
        Some('%') => true,
        Some('#') => {
            let head: Vec<char> = line.chars().filter(|c| !c.is_whitespace()).take(16).collect();
            let is_board =
                head.len() == 16 && head.iter().all(|&c| is_cell(c)) && head.iter().any(|&c| c != '#');
            !is_board
        }
        _ => false,
    }
}

/// Reads a line of the command line's input: a position in any form, or a transcript.
///
/// # Errors
/// A line that looks like a position and is none, or a transcript without any move.
pub fn read_item(text: &str) -> Result<Item, Fault> {
    let line = text.trim_start_matches('\u{feff}').trim();
    if looks_like_token(line) || looks_like_cells(line) || has_size_prefix(line) || gpdb(line).is_some()
    {
        return read_position(line).map(Item::Position);
    }
    let moves = move_list(line);
    if moves.iter().any(|word| matches!(word, MoveWord::Move(_))) {
        return Ok(Item::Moves(moves));
    }
    Err(Fault::Record {
        text: clip(line),
        why: "neither a position (token, board and side, OBF line) nor a list of moves",
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::Code;

    const START: &str = "8/8/8/3ox3/3xo3/8/8/8,x";

    fn check(text: &str) -> BoardText {
        let board = read_token(text).unwrap();
        assert_eq!(board.to_string(), text);
        if board.placements == 0 && board.hand.is_none() && board.komi.is_none() {
            assert_eq!(read_line_form(&board.line_form()).unwrap(), board);
        }
        board
    }

    fn refused(text: &str) -> Code {
        read_token(text).unwrap_err().code()
    }

    #[test]
    fn a_hole_in_the_corner_does_not_make_a_comment() {
        assert!(is_comment("# twenty positions"));
        assert!(is_comment("% x"));
        assert!(is_comment("####################"));
        assert!(!is_comment("#--------------------------ox------xo--------------------------- x"));
        assert!(!is_comment("f5d6c3"));
    }

    #[test]
    fn tokens_write_themselves() {
        for text in [
            START,
            "8/8/8/8/3xo3/8/8/8,x,p2",
            "8/8/8/8/8/8/8/8,-",
            "__6__/_8_/10/10/4ox4/4xo4/10/10/_8_/__6__,x",
            "xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1oo1/8/8/8,-",
            "4/1ox1/1xo1/4,o,h14.15",
            "8/8/8/8/8/8/8/8,x,p4,h32.32,k-3.5",
            "6/6/6/6,o,k0.5",
            "16/16/16/16/16/16/16/16/16/16/16/16/16/16/16/16,x",
        ] {
            check(text);
        }
    }

    #[test]
    fn rows_are_not_guessed() {
        for text in [
            "08/8/8/3ox3/3xo3/8/8/8,x",
            "44/8/8/3ox3/3xo3/8/8/8,x",
            "9/8/8/3ox3/3xo3/8/8/8,x",
            "8/9/8/3ox3/3xo3/8/8/8,x",
            "8/8/8/3ox3/3xo3/8/8/,x",
            "8/8/8/3bw3/3wb3/8/8/8,x",
            "8/8/8/3OX3/3XO3/8/8/8,x",
            // Ragged outranks a bad size.
            "17/8,x",
            "2/3,x",
            "99999999999999999999999999/8,x",
            START.strip_suffix(",x").unwrap(),
            "8/8/8/3ox3/3xo3/8/8/8,",
            "8/8/8/3ox3/3xo3/8/8/8,b",
            "8/8/8/3ox3/3xo3/8/8/8,x,p0",
            "8/8/8/3ox3/3xo3/8/8/8,x,p5",
            "8/8/8/3ox3/3xo3/8/8/8,x,k1,p1",
            "8/8/8/3ox3/3xo3/8/8/8,x,p1,p1",
            "8/8/8/3ox3/3xo3/8/8/8,x,h1",
            "8/8/8/3ox3/3xo3/8/8/8,x,",
            "",
        ] {
            assert_eq!(refused(text), Code::BadPosition, "{text}");
        }
    }

    #[test]
    fn sizes_go_from_4_to_16() {
        for text in ["3/3/3/3,x", "4/4/4,x", "17/17/17/17,x", "8,x", "99999999999999999999999999,x"] {
            assert_eq!(refused(text), Code::BadSize, "{text}");
        }
        let seventeen_rows = format!("{},x", ["8"; 17].join("/"));
        assert_eq!(refused(&seventeen_rows), Code::BadSize);
    }

    #[test]
    fn line_forms_take_every_usual_character() {
        let start = read_token(START).unwrap();
        for text in [
            "---------------------------OX------XO--------------------------- X",
            "...........................wb......bw...........................b",
            "________ ________ ________ ___0*___ ___*0___ ________ ________ ________ *",
            "8x8:---------------------------ox------xo---------------------------black",
            "---------------------------O@------@O---------------------------@",
        ] {
            assert_eq!(read_line_form(text).unwrap(), start, "{text}");
        }
        assert_eq!(
            start.line_form(),
            "---------------------------ox------xo--------------------------- x"
        );
    }

    #[test]
    fn wrong_line_forms_are_refused() {
        let cells = "-".repeat(64);
        for (text, code) in [
            (cells.clone(), Code::BadPosition),
            (format!("{cells} z"), Code::BadPosition),
            (format!("{cells}-- x"), Code::BadPosition),
            (format!("p{cells}"), Code::BadPosition),
            ("--x".to_owned(), Code::BadPosition),
            ("3x3:--------- x".to_owned(), Code::BadSize),
            ("17x4: x".to_owned(), Code::BadSize),
            (String::new(), Code::BadPosition),
        ] {
            assert_eq!(read_line_form(&text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn fen_depends_on_its_orientation() {
        let placement = "8/8/8/3bw3/3wb3/8/8/8";
        let (board, reading) = read_fen(placement, Orientation::Chess, FenDialect::Plain).unwrap();
        assert_eq!(board.to_string(), START);
        assert_eq!(reading, Reading { chess: true, side_assumed: true });
        let (board, reading) =
            read_fen(&format!("{placement} w"), Orientation::Top, FenDialect::Plain).unwrap();
        assert_eq!(board.to_string(), "8/8/8/3xo3/3ox3/8/8/8,o");
        assert_eq!(reading, Reading { chess: false, side_assumed: false });
    }

    #[test]
    fn fen_of_other_programs_needs_their_name() {
        let edax = "8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1";
        assert!(read_fen(edax, Orientation::Chess, FenDialect::Plain).is_err());
        let (board, _) = read_fen(edax, Orientation::Chess, FenDialect::Edax).unwrap();
        assert_eq!(board.to_string(), START);
        let fairy = "8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1";
        let (board, _) = read_fen(fairy, Orientation::Chess, FenDialect::Fairy).unwrap();
        assert_eq!(board.to_string(), "8/8/8/3xo3/3ox3/8/8/8,x");
        for text in ["", "8/8", "8/8/8/3bw4/8/8/8/8", "8/8/8/8/8/8/8/8 z", "08/8/8/8"] {
            assert!(read_fen(text, Orientation::Chess, FenDialect::Plain).is_err(), "{text}");
        }
    }

    #[test]
    fn obf_lines_carry_scores() {
        let line = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; A2:-6; --:-127; % FFO 1";
        let position = read_position(line).unwrap();
        let scores: Vec<String> =
            position.scores.iter().map(|(at, value)| format!("{at}:{value}")).collect();
        assert_eq!(scores, ["g8:18", "h1:12", "a2:-6"]);
        let bare = format!("{START} ");
        assert_eq!(read_position(&bare).unwrap().board, read_token(START).unwrap());
        let scored = format!("{} X; +18;", "-".repeat(64));
        assert_eq!(read_position(&scored).unwrap().value, Some(HalfDiscs(36)));
        let wrong = format!("{} X; G8=18;", "-".repeat(64));
        assert_eq!(read_position(&wrong).unwrap_err().code(), Code::BadValue);
    }

    #[test]
    fn gpdb_lines_carry_an_id() {
        let line = "ffo-01;..bbbbb..wwwbb.w.wwwbbwb.wbwbwbbwbbbwbbb..bwbwbb.bbbwww..wwwww..;b; G8:+18. H1:+12.;";
        let position = read_position(line).unwrap();
        assert_eq!(position.id.as_deref(), Some("ffo-01"));
        assert_eq!(position.board.mover, Some(Mover::Side(Side::Black)));
        assert!(read_position(&line.replace(";b;", ";.;")).is_err());
        let other = read_position(&line.replace(";b;", "; player b;").replace('w', "O")).unwrap();
        assert_eq!(other.board, position.board);
    }

    #[test]
    fn items_are_told_apart_by_content() {
        let is_position = |text: &str| matches!(read_item(text), Ok(Item::Position(_)));
        assert!(is_position(START));
        assert!(is_position("4x4:-----ox--xo----- x"));
        assert!(is_position("--OOO----X-O------XX-------XX------XX-------X------------------- X"));
        for (text, n) in [
            ("f5d6c3", 3),
            ("1. f5 d6 2. c3", 3),
            ("-- f5", 2),
            ("f5?", 2),
            ("b1b2b3b4b5b6b7b8b1b2", 10),
        ] {
            assert!(matches!(read_item(text), Ok(Item::Moves(moves)) if moves.len() == n), "{text}");
        }
        for text in ["", "hello", &"-".repeat(20), &"-".repeat(64), "8/8/8,x"] {
            assert!(read_item(text).is_err(), "{text}");
        }
    }
}
