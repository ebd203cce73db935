//! FEN strings whose dialect can be told by what only one program writes.
//!
//! The letters `b` and `w` mean what they say. `p` and `P` mean opposite colours to Edax and to
//! Fairy-Stockfish: a pocket is the latter's, the four words `- - 0 1` behind the side without a
//! pocket are Edax's, and anything else is refused and never guessed, for the two starts differ in
//! nothing but the colours.

use crate::fault::{Fault, clip};
use crate::position::{FenDialect, Orientation, read_fen};
use crate::words::{BoardText, Cell, Mover, Side};

/// How a FEN string is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Whose letters.
    pub dialect: FenDialect,
    /// Which row comes first.
    pub orientation: Orientation,
}

impl Form {
    /// The highest row first, as the programs of chess have it.
    #[must_use]
    pub fn of(dialect: FenDialect) -> Form {
        Form { dialect, orientation: Orientation::Chess }
    }
}

/// What a string says about its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is no FEN string.
    Nothing,
    /// It has to be this dialect.
    Dialect(FenDialect),
    /// `p` and `P` without a mark of either program.
    Ambiguous,
}

/// Tells the dialect of a string.
///
/// ```
/// use outflank_protocol::format::fen::{Told, tell};
/// use outflank_protocol::position::FenDialect;
///
/// let board = "8/8/8/3pP3/3Pp3/8/8/8";
/// assert_eq!(tell(&format!("{board} b - - 0 1")), Told::Dialect(FenDialect::Edax));
/// assert_eq!(tell(&format!("{board}[PPpp] w 0 1")), Told::Dialect(FenDialect::Fairy));
/// assert_eq!(tell(&format!("{board} w")), Told::Ambiguous);
/// assert_eq!(tell("8/8/8/3ox3/3xo3/8/8/8,x"), Told::Nothing);
/// ```
#[must_use]
pub fn tell(text: &str) -> Told {
    let mut words = text.split_whitespace();
    let board = words.next().unwrap_or_default();
    let (board, pocket) = match board.split_once('[') {
        Some((board, pocket)) => (board, Some(pocket)),
        None => (board, None),
    };
    let is_fen = board.matches('/').count() >= 3
        && board.chars().all(|c| c.is_ascii_digit() || "bBwWpP/#_*".contains(c))
        && board.contains(['b', 'B', 'w', 'W', 'p', 'P']);
    if !is_fen {
        return Told::Nothing;
    }
    if !board.contains(['p', 'P']) {
        return Told::Dialect(FenDialect::Plain);
    }
    if pocket.is_some() {
        return Told::Dialect(FenDialect::Fairy);
    }
    // The side, then castling, en passant, and two counts.
    if words.count() == 5 { Told::Dialect(FenDialect::Edax) } else { Told::Ambiguous }
}

/// Reads a string whose dialect can be told; the highest row comes first.
///
/// # Errors
/// As [`read_fen`], and a dialect that cannot be told.
pub fn read(text: &str) -> Result<BoardText, Fault> {
    match tell(text) {
        Told::Dialect(dialect) => read_as(text, Form::of(dialect)),
        Told::Ambiguous => Err(Fault::Fen {
            text: clip(text),
            why: "p is Black to Edax and White to Fairy-Stockfish, and nothing here says whose string \
                  this is; name the format fen-edax or fen-fairy, or write b and w",
        }),
        Told::Nothing => {
            Err(Fault::Fen { text: clip(text), why: "not a FEN string of a board of discs" })
        }
    }
}

/// Reads a string of a known form.
///
/// # Errors
/// As [`read_fen`].
pub fn read_as(text: &str, form: Form) -> Result<BoardText, Fault> {
    read_fen(text, form.orientation, form.dialect).map(|(board, _)| board)
}

/// Writes a position as Edax does, `b - - 0 1` behind the board; `None` where it cannot be read back
/// as it is: other sizes, holes, placements, hands, komi, nobody to move.
#[must_use]
pub fn edax(board: &BoardText) -> Option<String> {
    let side = match board.mover? {
        Mover::Side(Side::Black) => 'b',
        Mover::Side(Side::White) => 'w',
        Mover::Nobody => return None,
    };
    let extras = board.placements > 0 || board.hand.is_some() || board.komi.is_some();
    if (board.columns, board.rows) != (8, 8) || extras || board.cells.contains(&Cell::Hole) {
        return None;
    }
    let rows = board.cells.chunks(8).rev().map(|row| {
        let mut text = String::new();
        let mut empties = 0;
        for cell in row {
            let letter = match cell {
                Cell::Black => 'p',
                Cell::White => 'P',
                Cell::Empty | Cell::Hole => {
                    empties += 1;
                    continue;
                }
            };
            if empties > 0 {
                text.push_str(&empties.to_string());
                empties = 0;
            }
            text.push(letter);
        }
        if empties > 0 {
            text.push_str(&empties.to_string());
        }
        text
    });
    let rows: Vec<String> = rows.collect();
    let board = rows.join("/");
    // A board without a disc says nothing of its dialect.
    board.contains(['p', 'P']).then(|| format!("{board} {side} - - 0 1"))
}
