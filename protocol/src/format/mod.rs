//! Formats of games and positions: what a file or a pasted line says, in words.
//!
//! [`FORMATS`] is the table of all that can be read, [`sniff`] tells from the content which one it
//! is, and [`reader::Reader`] takes a stream of bytes apart into entries. Writers stand in the files
//! of their formats. Nothing here knows a rule: whether moves are legal is said by whoever plays
//! them.

use std::fmt;

pub mod fen;
pub mod ggf;
pub mod lists;
pub mod pgn;
pub mod reader;
pub mod record;
pub mod sgf;
pub mod transcript;
pub mod wthor;

use crate::fault::Fault;
use crate::line::LineFault;
use crate::position::{
    FenDialect, Orientation, PositionText, gpdb, has_size_prefix, is_comment, looks_like_cells,
    looks_like_token, read_position,
};
use crate::words::GameText;

/// What an entry of a file says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A game, or an opening.
    Game(Box<GameText>),
    /// A position.
    Position(Box<PositionText>),
    /// A file of names that belongs to WTHOR games.
    Names(wthor::NamesKind, Box<wthor::Names>),
}

impl Content {
    fn game(game: GameText) -> Content {
        Content::Game(Box::new(game))
    }

    fn position(position: PositionText) -> Content {
        Content::Position(Box::new(position))
    }
}

/// How much of a file is one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A line.
    Line,
    /// From a bracket to the one that closes it, over lines or several to a line.
    Tree,
    /// Tags, and the moves behind them up to a result or a blank line.
    Paragraph,
    /// A line; in files its move numbers may go on in the lines below.
    Moves,
    /// The file is binary.
    Bytes,
}

/// A row of the table of formats.
#[derive(Clone, Copy)]
pub struct FormatRow {
    /// Name, as in `--from`.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// How much text an entry takes.
    pub extent: Extent,
    /// Whether a line, or the whole of a bracketed text, can only be meant so; rows above are asked
    /// first. The text has neither blanks around it nor a byte order mark.
    pub claims: fn(&str) -> bool,
    /// Reads an entry.
    pub read: fn(&str) -> Result<Content, FormatFault>,
}

impl fmt::Debug for FormatRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn never(_: &str) -> bool {
    false
}

/// Every format that is read. The last one gets what nobody claims.
pub static FORMATS: &[FormatRow] = &[
    FormatRow {
        name: "wthor",
        about: "binary files of games (.wtb) with their players (.jou) and tournaments (.trn)",
        extent: Extent::Bytes,
        claims: |text| wthor::claims(text.as_bytes()),
        read: |text| {
            let fault = wthor::WthorFault::NoHeader { n_bytes: text.len() };
            Err(FormatFault::Wthor { item: 1, fault })
        },
    },
    FormatRow {
        name: "ggf",
        about: "games of GGS and NBoard: (;GM[Othello]...;)",
        extent: Extent::Tree,
        claims: |text| begins_tree(text) && !sgf::claims(text),
        read: |text| ggf::read(text).map(Content::game).map_err(FormatFault::Ggf),
    },
    FormatRow {
        name: "sgf",
        about: "games of Quarry and Edax: (;GM[2]...)",
        extent: Extent::Tree,
        claims: |text| begins_tree(text) && sgf::claims(text),
        read: |text| sgf::read(text).map(Content::game).map_err(FormatFault::Sgf),
    },
    FormatRow {
        name: "pgn",
        about: "tags and numbered moves, as of PlayOK and Edax",
        extent: Extent::Paragraph,
        claims: pgn::is_tag,
        read: |text| pgn::read(text).map(Content::game).map_err(FormatFault::Text),
    },
    FormatRow {
        name: "record",
        about: "our one-line record: rp1 VARIANT POSITION MOVES RESULT",
        extent: Extent::Line,
        claims: |text| text.split_whitespace().next() == Some(record::HEAD),
        read: |text| {
            let read = record::read(text).map_err(FormatFault::Text)?;
            Ok(Content::game(read.into_game()))
        },
    },
    FormatRow {
        name: "quest",
        about: "records of Othello Quest: {\"moves\":[{\"m\":\"f5\",...},...]}",
        extent: Extent::Line,
        claims: lists::is_quest,
        read: |text| lists::quest(text).map(Content::game).map_err(FormatFault::Text),
    },
    FormatRow {
        name: "cassio",
        about: "positions in the requests of Cassio and their results",
        extent: Extent::Line,
        claims: lists::is_cassio,
        read: |text| lists::cassio(text).map(Content::position).map_err(FormatFault::Text),
    },
    FormatRow {
        name: "ios",
        about: "codes of IOS and Logistello: +43-33+34:",
        extent: Extent::Line,
        claims: lists::is_ios,
        read: |text| lists::ios(text).map(Content::game).map_err(FormatFault::Text),
    },
    FormatRow {
        name: "egaroucid",
        about: "Egaroucid's openings: 64 characters of 0, 1 and . with a name",
        extent: Extent::Line,
        claims: lists::is_egaroucid,
        read: |text| lists::egaroucid(text).map(Content::position).map_err(FormatFault::Text),
    },
    FormatRow {
        name: "gpdb",
        about: "lines of a position database: ID; 64 characters; SIDE; TEXT;",
        extent: Extent::Line,
        claims: |text| gpdb(text).is_some(),
        read: read_board,
    },
    FormatRow {
        name: "fen",
        about: "FEN, the highest row first, of discs b and w, of Edax or of Fairy-Stockfish",
        extent: Extent::Line,
        claims: |text| fen::tell(text) != fen::Told::Nothing,
        read: |text| bare(fen::read(without_comment(text))),
    },
    FormatRow {
        name: "fen-edax",
        about: "FEN of Edax: p is Black",
        extent: Extent::Line,
        claims: never,
        read: |text| bare(fen::read_as(without_comment(text), fen::Form::of(FenDialect::Edax))),
    },
    FormatRow {
        name: "fen-fairy",
        about: "FEN of Fairy-Stockfish: P moves first, and is Black",
        extent: Extent::Line,
        claims: never,
        read: |text| bare(fen::read_as(without_comment(text), fen::Form::of(FenDialect::Fairy))),
    },
    FormatRow {
        name: "fen-top",
        about: "FEN of discs b and w with row 1 first",
        extent: Extent::Line,
        claims: never,
        read: |text| {
            let form = fen::Form { orientation: Orientation::Top, ..fen::Form::default() };
            bare(fen::read_as(without_comment(text), form))
        },
    },
    FormatRow {
        name: "token",
        about: "our position token: 8/8/8/3ox3/3xo3/8/8/8,x",
        extent: Extent::Line,
        claims: looks_like_token,
        read: read_board,
    },
    FormatRow {
        name: "obf",
        about: "64 characters, side, and scores of moves: ... X; G8:+18; H1:+12;",
        extent: Extent::Line,
        claims: |text| looks_like_cells(text) && without_comment(text).contains(';'),
        read: read_board,
    },
    FormatRow {
        name: "board",
        about: "64 characters (or WxH: and as many as it takes) and the side; Zebra's scripts",
        extent: Extent::Line,
        claims: |text| looks_like_cells(text) || has_size_prefix(text),
        read: read_board,
    },
    FormatRow {
        name: "zebra",
        about: "Zebra's openings: a number, then as many lines of moves and a name",
        extent: Extent::Line,
        // Told by the number, see the reader.
        claims: never,
        read: |text| Ok(Content::game(lists::zebra(without_comment(text)))),
    },
    TRANSCRIPT,
];

const TRANSCRIPT: FormatRow = FormatRow {
    name: "transcript",
    about: "moves: f5d6c3, 1. F5 d6 2. c3, passes written or left out",
    extent: Extent::Moves,
    claims: |_| true,
    read: |text| transcript::read(text).map(Content::game).map_err(FormatFault::Text),
};

/// What takes everything that nobody claims.
static LAST: FormatRow = TRANSCRIPT;

/// The row of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|row| row.name == name)
}

/// Whether a text begins a game in brackets: `(;`, perhaps with the number of games or NBoard's
/// `set game` before it.
#[must_use]
pub fn begins_tree(text: &str) -> bool {
    ggf::begins(text.strip_prefix("set game").unwrap_or(text))
}

/// The format of an entry: of a line, or of the whole of a bracketed text. Nobody's is a
/// transcript.
#[must_use]
pub fn format_of(text: &str) -> &'static FormatRow {
    FORMATS.iter().find(|row| (row.claims)(text)).unwrap_or(&LAST)
}

/// Tells a format by the first bytes of a file: by the first line that says anything. `None` where
/// there is none yet. The name of the file does not matter.
///
/// ```
/// use outflank_protocol::format::sniff;
///
/// let name = |bytes| sniff(bytes).map(|row| row.name);
/// assert_eq!(name(b"\xEF\xBB\xBF% FFO 40\r\n\r\nf5d6"), Some("transcript"));
/// assert_eq!(name(b"(;GM[2]FF[4];B[ef])"), Some("sgf"));
/// assert_eq!(name(b"\x14\x07\x05\x16\x0c\0\0\0"), Some("wthor"));
/// assert_eq!(name(b"76\nC4c3   Diagonal Opening\n"), Some("zebra"));
/// assert_eq!(name(b"# nothing\n"), None);
/// ```
#[must_use]
pub fn sniff(head: &[u8]) -> Option<&'static FormatRow> {
    if wthor::claims(head) {
        return by_name("wthor");
    }
    let text = String::from_utf8_lossy(head);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.by_ref().find(|line| !line.is_empty() && !is_comment(line))?;
    if lists::zebra_count(first).is_some() {
        return by_name("zebra");
    }
    if begins_tree(first) {
        let rest: Vec<&str> = lines.collect();
        return Some(format_of(&format!("{first}\n{}", rest.join("\n"))));
    }
    Some(format_of(first))
}

fn without_comment(text: &str) -> &str {
    text.split('%').next().unwrap_or_default().trim()
}

fn bare(board: Result<crate::words::BoardText, Fault>) -> Result<Content, FormatFault> {
    board.map(|board| Content::position(PositionText::bare(board))).map_err(FormatFault::Text)
}

/// A position in any of our forms, or a board with moves behind it.
fn read_board(text: &str) -> Result<Content, FormatFault> {
    match read_position(text) {
        Ok(position) => Ok(Content::position(position)),
        Err(fault @ Fault::Score { .. }) => {
            // Edax writes `BOARD SIDE;moves`.
            let moves = without_comment(text).split_once(';').and_then(|(board, moves)| {
                let start = read_position(board).ok()?.board;
                Some(GameText { start: Some(start), ..transcript::all_moves(moves)? })
            });
            moves.map(Content::game).ok_or(FormatFault::Text(fault))
        }
        Err(fault) => Err(FormatFault::Text(fault)),
    }
}

/// Why an entry cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatFault {
    /// A line of text.
    Text(Fault),
    /// A game in GGF.
    Ggf(ggf::GgfFault),
    /// A game in SGF.
    Sgf(sgf::SgfFault),
    /// A game of a binary file.
    Wthor {
        /// Which, from 1.
        item: u64,
        /// What is wrong with it.
        fault: wthor::WthorFault,
    },
    /// A line that is no text or too long.
    Line(LineFault),
    /// A game that goes on over more text than games may take.
    TooLong {
        /// Bytes that a game may take.
        longest: usize,
    },
    /// A line of moves whose first number is not 1, where lines are not joined.
    MoveNumber {
        /// The number.
        number: u32,
    },
    /// A list says itself how many openings it has, and has another number.
    Count {
        /// What its first line says.
        claimed: u32,
        /// Openings in it.
        found: u32,
    },
}

impl fmt::Display for FormatFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatFault::Text(fault) => fault.fmt(f),
            FormatFault::Ggf(fault) => fault.fmt(f),
            FormatFault::Sgf(fault) => fault.fmt(f),
            FormatFault::Wthor { item, fault } => write!(f, "game {item}: {fault}"),
            FormatFault::Line(fault) => fault.fmt(f),
            FormatFault::TooLong { longest } => {
                write!(f, "the game does not end within {longest} bytes")
            }
            FormatFault::MoveNumber { number } => write!(
                f,
                "move number {number}: a game begins with number 1; its lines are joined in files only"
            ),
            FormatFault::Count { claimed, found } => {
                write!(f, "the list says that it has {claimed} openings, and it has {found}")
            }
        }
    }
}

impl std::error::Error for FormatFault {}

impl FormatFault {
    /// The offending text, shortened, where it is a part of the entry.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            FormatFault::Text(fault) | FormatFault::Ggf(ggf::GgfFault::Value { fault, .. }) => {
                fault.text()
            }
            FormatFault::Ggf(ggf::GgfFault::NotATag { text, .. }) => Some(text.clone()),
            FormatFault::Line(fault) => Some(fault.head().to_owned()),
            _ => None,
        }
    }
}
