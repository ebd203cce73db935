//! Why a word is not a position, a variant or a board: what was wrong, and what would be right.

use std::fmt;

use crate::message::{Code, Failure};
use crate::words::MAX_SIDE;

/// Longest piece of a stranger's text that an error repeats, in characters.
const REPEATED: usize = 60;
/// The same of the answer of an engine.
const ANSWERED: usize = 200;

/// Text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A side of the board is shorter than 4 or longer than 16.
    Size {
        /// Columns, as far as they were counted.
        columns: u64,
        /// Rows.
        rows: u64,
    },
    /// A row has another length than the first.
    Ragged {
        /// Number of the row, from 1.
        row: usize,
        /// Its length.
        length: u64,
        /// The length of the first row.
        expected: u64,
    },
    /// Something in a row that is neither disc, hole nor run.
    Row {
        /// Number of the row, from 1.
        row: usize,
        /// The row.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A position without its side to move.
    NoSide,
    /// What stands for the side to move is no side.
    Side {
        /// The text in its place.
        text: String,
    },
    /// A field behind the side that is none, or stands in the wrong place.
    Field {
        /// The field.
        text: String,
    },
    /// A cell character that means nothing.
    CellText {
        /// Number of the cell, from 1.
        cell: usize,
        /// The character.
        text: char,
    },
    /// Too few cells.
    CellCount {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A variant word.
    Variant {
        /// The word.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A type token in the manner of GGS.
    GameType {
        /// The token.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A list of holes.
    Holes {
        /// The list.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A FEN string.
    Fen {
        /// The offending part.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A score list of a position line.
    Score {
        /// The entry.
        text: String,
    },
    /// A record of a game.
    Record {
        /// The offending part.
        text: String,
        /// What is wrong.
        why: &'static str,
    },
    /// Read, but not to be had.
    Unsupported {
        /// The text.
        text: String,
        /// What is missing.
        why: &'static str,
    },
}

impl Fault {
    /// The reason in one word of the protocol.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Fault::Size { .. } => Code::BadSize,
            Fault::Ragged { .. }
            | Fault::Row { .. }
            | Fault::NoSide
            | Fault::Side { .. }
            | Fault::Field { .. }
            | Fault::CellText { .. }
            | Fault::CellCount { .. } => Code::BadPosition,
            Fault::Variant { .. } | Fault::GameType { .. } => Code::BadVariant,
            Fault::Holes { .. } => Code::BadHoles,
            Fault::Fen { .. } => Code::BadFen,
            Fault::Score { .. } => Code::BadValue,
            Fault::Record { .. } => Code::BadArgument,
            Fault::Unsupported { .. } => Code::Unsupported,
        }
    }

    /// The offending text, shortened.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Fault::Size { columns, rows } => Some(format!("{columns}x{rows}")),
            Fault::Row { text, .. }
            | Fault::Side { text }
            | Fault::Field { text }
            | Fault::Variant { text, .. }
            | Fault::GameType { text, .. }
            | Fault::Holes { text, .. }
            | Fault::Fen { text, .. }
            | Fault::Score { text }
            | Fault::Record { text, .. }
            | Fault::Unsupported { text, .. } => Some(clip(text)),
            Fault::CellText { text, .. } => Some(text.to_string()),
            Fault::Ragged { .. } | Fault::NoSide | Fault::CellCount { .. } => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Size { columns, rows } => {
                write!(f, "a board has 4 to {MAX_SIDE} columns and rows, not {columns}x{rows}")
            }
            Fault::Ragged { row, length, expected } => {
                write!(f, "row {row} has {length} squares, the first row {expected}")
            }
            Fault::Row { row, why, .. } => write!(f, "row {row}: {why}"),
            Fault::NoSide => f.write_str("the side to move is missing; it is part of the position"),
            Fault::Side { .. } => f.write_str("not a side to move; x, o or - stands here"),
            Fault::Field { .. } => {
                f.write_str("behind the side stand p1 to p4, hB.W and kV, each once and in this order")
            }
            Fault::CellText { cell, .. } => write!(
                f,
                "cell {cell} is none; black is one of xX*@bB, white one of oOwW0, empty one of -._, a hole #"
            ),
            Fault::CellCount { found, expected } => {
                write!(f, "{found} cells where {expected} are needed")
            }
            Fault::Variant { text, why }
            | Fault::GameType { text, why }
            | Fault::Holes { text, why } => write!(f, "'{}': {why}", clip(text)),
            Fault::Fen { why, .. } | Fault::Record { why, .. } | Fault::Unsupported { why, .. } => {
                f.write_str(why)
            }
            Fault::Score { .. } => f.write_str("not a score; entries look like g8:+18 or +18"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        let mut failure = Failure::new(fault.code(), fault.to_string());
        failure.text = fault.text();
        failure
    }
}

/// A stranger's text, short enough to be repeated: its first 60 characters, and `...` where
/// there are more.
///
/// ```
/// use outflank_protocol::fault::clip;
///
/// assert_eq!(clip("f5d6"), "f5d6");
/// assert_eq!(clip(&"x".repeat(61)), format!("{}...", "x".repeat(60)));
/// ```
#[must_use]
pub fn clip(text: &str) -> String {
    clip_to(text, REPEATED)
}

/// What an engine answers, which repeats the command behind its reason: its first 200 characters,
/// and `...` where there are more.
#[must_use]
pub fn clip_answer(text: &str) -> String {
    clip_to(text, ANSWERED)
}

/// Whether a sentence repeats the text it is about: in quotes, or as a word that holds a digit and
/// so is none of the sentence's own.
///
/// ```
/// use outflank_protocol::fault::names;
///
/// assert!(names("a board of 9x9 needs a position", "9x9"));
/// assert!(names("'a': no such variant", "a"));
/// assert!(!names("the main time is a number", "a"));
/// ```
#[must_use]
pub fn names(prose: &str, text: &str) -> bool {
    let belongs = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    let stands_alone = |(at, found): (usize, &str)| {
        let before = prose.get(..at).unwrap_or_default();
        let behind = prose.get(at + found.len()..).unwrap_or_default();
        !before.ends_with(belongs) && !behind.starts_with(belongs)
    };
    prose.contains(&format!("'{text}'"))
        || text.contains(|c: char| c.is_ascii_digit()) && prose.match_indices(text).any(stands_alone)
}

fn clip_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}
