//! The words that every dialect shares: syntax only.
//!
//! A word says what was *written*; whether it makes sense on a board, in a variant or for the
//! side to move is decided by the rules, which this crate does not know. `k11` is therefore a
//! perfectly good [`Point`] even while an 8x8 game is running, and the error can say "off the
//! board" instead of "syntax error".

use std::fmt;

/// Greatest number of columns and of rows that a [`Point`] or a [`BoardText`] can name.
pub const MAX_SIDE: u8 = 16;

/// A square as written: column letter and row number, `a1` to `p16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column counted from 0 (`a`).
    pub column: u8,
    /// Row counted from 0 (`1`).
    pub row: u8,
}

impl fmt::Display for Point {
    /// Lower case, as in `d3` and `k11`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column), self.row + 1)
    }
}

/// A player, told by the colour of the discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Dark discs, written `x`.
    Black,
    /// Light discs, written `o`.
    White,
}

impl Side {
    /// The other player.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }

    /// `x` or `o`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Side::Black => 'x',
            Side::White => 'o',
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// What a move list holds: a square, or a written pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveText {
    /// A disc put on this square.
    At(Point),
    /// A pass that was written down.
    Pass,
}

impl fmt::Display for MoveText {
    /// The square in lower case, or `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveText::At(point) => write!(f, "{point}"),
            MoveText::Pass => f.write_str("pass"),
        }
    }
}

/// One item of a move list: what could be read, or the text that could not.
///
/// Reading goes on after a bad item, so that the session can play what stands before it and
/// name its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveWord {
    /// A square or a pass.
    Move(MoveText),
    /// The offending text, as it stood in the input.
    Unreadable(String),
}

/// The side to move as a position states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// This side is to move.
    Side(Side),
    /// Neither side can move; written `-`.
    Nobody,
}

/// One cell of a written board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A playable square without a disc.
    Empty,
    /// A black disc.
    Black,
    /// A white disc.
    White,
    /// No square at all.
    Hole,
}

/// A number of discs in steps of a half: komi, and scores with a tie of an odd board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfDiscs(
    /// Twice the number of discs.
    pub i32,
);

impl fmt::Display for HalfDiscs {
    /// `4`, `-3.5`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let half = if magnitude % 2 == 1 { ".5" } else { "" };
        write!(f, "{sign}{}{half}", magnitude / 2)
    }
}

/// A written position. Nothing here promises that it is legal, or even that discs touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardText {
    /// Number of columns, 4 to 16.
    pub columns: u8,
    /// Number of rows, 4 to 16.
    pub rows: u8,
    /// `columns * rows` cells, row by row from a1; row 1 is the top of an Othello diagram.
    pub cells: Vec<Cell>,
    /// The side to move, where the text says it.
    pub mover: Option<Mover>,
    /// Placements left of a free opening, 0 to 4.
    pub placements: u8,
    /// Discs left in hand, Black's and White's, where they are limited.
    pub hand: Option<(u16, u16)>,
    /// Komi for Black, where the text fixes it.
    pub komi: Option<HalfDiscs>,
}

/// A written variant: a base and its modifiers, in the order they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantText {
    /// The name or size that the token begins with.
    pub base: BaseText,
    /// The modifiers behind `+`.
    pub mods: Vec<ModText>,
}

/// The first word of a variant token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseText {
    /// A name such as `othello`, `reversi`, `oct`, `annex`; unknown names are kept.
    Name(String),
    /// `WxH`, any numbers.
    Size {
        /// Columns.
        columns: u32,
        /// Rows.
        rows: u32,
    },
}

/// One modifier of a variant token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModText {
    /// `start=`
    Start(StartText),
    /// `place=plain|may|must`
    Place(PlaceText),
    /// `hand=N`
    Hand(u32),
    /// `stuck=pass|end`; true for `end`.
    StuckEnds(bool),
    /// `cut=K`
    Cut(u32),
    /// `hole=a2.g2.d7`
    Holes(Vec<Point>),
    /// `hole=K@SEED`
    HolesDrawn {
        /// How many squares are drawn.
        count: u32,
        /// Seed of the generator.
        seed: u64,
    },
    /// `hc=N`
    Handicap(u32),
    /// `hc=a1.h8`
    HandicapAt(Vec<Point>),
    /// `first=x|o`
    First(Side),
    /// `anti`
    Anti,
    /// `komi=V`
    Komi(HalfDiscs),
    /// `score=wof|discs`; true for `discs`.
    ScoreDiscs(bool),
}

/// The argument of `start=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartText {
    /// White on the centre's upper-left and lower-right, the Othello start.
    Cross,
    /// The colours of the cross exchanged.
    Mirror,
    /// A parallel start: 0 is `par`, 1 to 3 are `par1` to `par3`.
    Parallel(u8),
    /// The four discs are placed by the players.
    Free,
    /// An empty board without placements.
    None,
    /// `rand<n>@<seed>`: random legal moves until that many discs are on the board.
    Random {
        /// Discs on the board at the end.
        discs: u32,
        /// Seed of the generator, 0 where the text gives none (GGS tokens).
        seed: u64,
    },
}

/// The argument of `place=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceText {
    /// Four placements that turn nothing.
    Plain,
    /// The last placement may be an ordinary capture instead.
    May,
    /// The last placement must be an ordinary capture.
    Must,
}

/// A clock as written: main time, increment and extension in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockText {
    /// Main time in seconds.
    pub main: f64,
    /// Seconds added after each move.
    pub increment: f64,
    /// Seconds granted once when the main time is used up.
    pub extension: f64,
}

/// A player as a game record names him.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerText {
    /// Name, possibly empty.
    pub name: String,
    /// Rating as written.
    pub rating: Option<String>,
    /// Clock at the start of the game.
    pub clock: Option<ClockText>,
}

/// One move of a game record.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedText {
    /// The side the record names, where it names one.
    pub side: Option<Side>,
    /// Square, pass, or what could not be read.
    pub word: MoveWord,
    /// Evaluation in discs, mover's view, where the record holds one.
    pub value: Option<f64>,
    /// Seconds used, where the record holds them.
    pub seconds: Option<f64>,
}

impl PlayedText {
    /// A move about which nothing else is said.
    #[must_use]
    pub fn plain(side: Option<Side>, word: MoveWord) -> PlayedText {
        PlayedText { side, word, value: None, seconds: None }
    }
}

/// A game as a record tells it: start, moves and what is said about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameText {
    /// The variant, where the record states one.
    pub variant: Option<VariantText>,
    /// The start position, where the record states one.
    pub start: Option<BoardText>,
    /// The moves in order.
    pub moves: Vec<PlayedText>,
    /// Black.
    pub black: PlayerText,
    /// White.
    pub white: PlayerText,
    /// The result as written.
    pub result: Option<String>,
    /// Further tags as written: name and value.
    pub tags: Vec<(String, String)>,
    /// What is said about the game and is no part of it.
    pub about: AboutText,
}

/// What a record says about a game: where and when it was played, how it ended, comments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AboutText {
    /// The item's own name: of an opening, of a position.
    pub name: Option<String>,
    /// Tournament or occasion.
    pub event: Option<String>,
    /// Round of the tournament.
    pub round: Option<String>,
    /// When, in whatever form it was written.
    pub date: Option<String>,
    /// Where.
    pub place: Option<String>,
    /// Remark about the whole game.
    pub comment: Option<String>,
    /// Remarks about moves: number of moves before the remark, and the remark. In ascending order.
    pub remarks: Vec<(usize, String)>,
    /// What the written result means.
    pub outcome: Option<OutcomeText>,
    /// What a WTHOR record says beside its moves.
    pub thor: Option<ThorText>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeText {
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Black's discs minus White's in the official score, where it is known.
    pub margin: Option<HalfDiscs>,
    /// What ended the game.
    pub why: WhyText,
}

/// What ends a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhyText {
    /// The score.
    #[default]
    Score,
    /// The loser resigned.
    Resigned,
    /// The loser's time was up.
    Time,
    /// The loser left, or forfeited in another way.
    Left,
}

impl OutcomeText {
    /// A game that was decided by its score.
    #[must_use]
    pub fn by(margin: HalfDiscs) -> OutcomeText {
        let winner = match margin.0 {
            0 => None,
            1.. => Some(Side::Black),
            _ => Some(Side::White),
        };
        OutcomeText { winner, margin: Some(margin), why: WhyText::Score }
    }
}

/// What a WTHOR record says beside its moves. Numbers are places in the files of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThorText {
    /// Number of the tournament.
    pub tournament: u16,
    /// Number of Black.
    pub black: u16,
    /// Number of White.
    pub white: u16,
    /// Black's discs in the official score.
    pub discs: u8,
    /// Black's discs with best play from [`ThorText::depth`] empty squares on.
    pub best: u8,
    /// Empty squares that [`ThorText::best`] was solved from.
    pub depth: u8,
    /// Year of the file.
    pub year: u16,
}
