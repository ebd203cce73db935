//! WTHOR, the database of the French federation: binary files of games, of players and of tournaments.
//!
//! A file of games (`.wtb`) is a header of 16 bytes and 68 bytes a game; files of names (`.jou` for
//! players, `.trn` for tournaments) have the same header and 20 or 26 bytes a name. Numbers are little
//! endian. A game names its players and its tournament by their places in the files of names.
//!
//! ```text
//! header  century year month day, u32 games, u16 names, u16 year, u8 board, u8 type, u8 depth, u8
//! game    u16 tournament, u16 black, u16 white, u8 discs, u8 best, 60 moves
//! move    10 * row + column from 1 (f5 is 56); 0 is none; passes are not written
//! ```

use std::collections::HashMap;
use std::fmt;

use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32, u8};
use nom::{IResult, Parser};

use crate::line::latin1;
use crate::words::{
    AboutText, BaseText, GameText, HalfDiscs, MoveText, MoveWord, OutcomeText, PlayedText, PlayerText,
    Point, Side, ThorText, VariantText,
};

/// Bytes of a header.
pub const HEADER: usize = 16;
/// Bytes of a game.
pub const GAME: usize = 68;
/// Most moves of a game.
pub const MOVES: usize = 60;
/// Bytes of a player's name with the zero behind it.
pub const PLAYER: usize = 20;
/// Bytes of a tournament's name with the zero behind it.
pub const TOURNAMENT: usize = 26;
/// Empty squares of the best score in files that do not say.
pub const USUAL_DEPTH: u8 = 22;

/// Why bytes are no WTHOR file that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WthorFault {
    /// They end within the header.
    NoHeader {
        /// How many there are.
        n_bytes: usize,
    },
    /// The board has another size.
    Board {
        /// Its columns.
        size: u8,
    },
    /// A game, or the list of games, ends too early.
    CutShort {
        /// Games that the header states.
        expected: u32,
        /// Whole games that are there.
        found: u32,
    },
    /// Bytes stand behind the last game.
    Behind {
        /// How many.
        n_bytes: u64,
    },
    /// A move is no square.
    Move {
        /// The place of the move, from 1.
        item: u32,
        /// The byte.
        byte: u8,
    },
    /// A score has more discs than the board squares.
    Score {
        /// The byte.
        discs: u8,
    },
    /// A file of names is as long as neither players nor tournaments.
    Names {
        /// Names that the header states.
        n_names: u16,
        /// Bytes behind the header.
        n_bytes: usize,
    },
}

impl fmt::Display for WthorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WthorFault::NoHeader { n_bytes } => {
                write!(f, "{n_bytes} bytes that are neither text nor the header of a WTHOR file")
            }
            WthorFault::Board { size } => {
                write!(f, "WTHOR games on {size}x{size}; only those on 8x8 are known")
            }
            WthorFault::CutShort { expected, found } => {
                write!(f, "the header states {expected} games, and the file ends after {found}")
            }
            WthorFault::Behind { n_bytes } => write!(f, "{n_bytes} bytes behind the last game"),
            WthorFault::Move { item, byte } => {
                write!(
                    f,
                    "item {item} '{byte}': not a square; a move is 10 * row + column, from 11 to 88"
                )
            }
            WthorFault::Score { discs } => {
                write!(f, "a score of {discs} discs; a full board has 64")
            }
            WthorFault::Names { n_names, n_bytes } => write!(
                f,
                "{n_names} names take {} bytes as players or {} as tournaments, not {n_bytes}",
                usize::from(*n_names) * PLAYER,
                usize::from(*n_names) * TOURNAMENT
            ),
        }
    }
}

impl std::error::Error for WthorFault {}

/// What stands before the games or names of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Century, year, month and day when the file was made, as in 20, 26, 2, 24.
    pub made: [u8; 4],
    /// Number of games; 0 in files of names.
    pub n_games: u32,
    /// Number of names in files of names.
    pub n_names: u16,
    /// Year of the games.
    pub year: u16,
    /// Columns of the board; 0 is 8.
    pub size: u8,
    /// 1 for solitaires.
    pub kind: u8,
    /// Empty squares from which the best scores were solved; 0 is 22.
    pub depth: u8,
    /// Nothing.
    pub reserved: u8,
}

impl Header {
    /// A file of names, and not of games.
    #[must_use]
    pub fn is_names(&self) -> bool {
        self.n_games == 0 && self.n_names > 0
    }

    /// Empty squares from which the best scores were solved.
    #[must_use]
    pub fn best_depth(&self) -> u8 {
        if self.depth == 0 { USUAL_DEPTH } else { self.depth }
    }

    /// The bytes of the header.
    #[must_use]
    pub fn bytes(&self) -> [u8; HEADER] {
        let [g0, g1, g2, g3] = self.n_games.to_le_bytes();
        let [n0, n1] = self.n_names.to_le_bytes();
        let [y0, y1] = self.year.to_le_bytes();
        let [m0, m1, m2, m3] = self.made;
        [m0, m1, m2, m3, g0, g1, g2, g3, n0, n1, y0, y1, self.size, self.kind, self.depth, self.reserved]
    }
}

/// Whether bytes begin like a file of WTHOR and not like text: the century of the file's date is no
/// character.
#[must_use]
pub fn claims(head: &[u8]) -> bool {
    head.first().is_some_and(|&byte| byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}

fn header(input: &[u8]) -> IResult<&[u8], Header> {
    let made = (u8, u8, u8, u8);
    let (rest, (made, n_games, n_names, year, size, kind, depth, reserved)) =
        (made, le_u32, le_u16, le_u16, u8, u8, u8, u8).parse(input)?;
    let made = [made.0, made.1, made.2, made.3];
    Ok((rest, Header { made, n_games, n_names, year, size, kind, depth, reserved }))
}

/// Reads the header.
///
/// # Errors
/// [`WthorFault::NoHeader`].
pub fn read_header(bytes: &[u8]) -> Result<Header, WthorFault> {
    match header(bytes) {
        Ok((_, header)) => Ok(header),
        Err(_) => Err(WthorFault::NoHeader { n_bytes: bytes.len() }),
    }
}

/// The bytes of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it says beside its moves.
    pub numbers: ThorText,
    /// The moves as bytes, 0 behind the last.
    pub moves: [u8; MOVES],
}

fn record(header: Header, input: &[u8]) -> IResult<&[u8], Record> {
    let numbers = (le_u16, le_u16, le_u16, u8, u8);
    let (rest, ((tournament, black, white, discs, best), listed)) =
        (numbers, take(MOVES)).parse(input)?;
    let mut moves = [0; MOVES];
    moves.iter_mut().zip(listed).for_each(|(to, from)| *to = *from);
    let numbers = ThorText {
        tournament,
        black,
        white,
        discs,
        best,
        depth: header.best_depth(),
        year: header.year,
    };
    Ok((rest, Record { numbers, moves }))
}

impl Record {
    /// Reads a game of a file.
    ///
    /// # Errors
    /// [`WthorFault::CutShort`] where there are fewer bytes than [`GAME`].
    pub fn read(header: Header, bytes: &[u8]) -> Result<Record, WthorFault> {
        match record(header, bytes) {
            Ok((_, record)) => Ok(record),
            Err(_) => Err(WthorFault::CutShort { expected: 1, found: 0 }),
        }
    }

    /// The squares in order.
    ///
    /// # Errors
    /// The first byte that is no square, and scores beyond 64.
    pub fn points(&self) -> Result<Vec<Point>, WthorFault> {
        for discs in [self.numbers.discs, self.numbers.best] {
            if discs > 64 {
                return Err(WthorFault::Score { discs });
            }
        }
        let end = self.moves.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let listed = self.moves.iter().take(end).enumerate();
        listed
            .map(|(index, &byte)| match (byte / 10, byte % 10) {
                (row @ 1..=8, column @ 1..=8) => Ok(Point { column: column - 1, row: row - 1 }),
                _ => Err(WthorFault::Move { item: index as u32 + 1, byte }),
            })
            .collect()
    }

    /// The game in words; names are for whoever has them.
    ///
    /// # Errors
    /// As [`Record::points`].
    pub fn game(&self) -> Result<GameText, WthorFault> {
        let moves = self.points()?.into_iter();
        let numbers = self.numbers;
        let margin = HalfDiscs(4 * i32::from(numbers.discs) - 128);
        let base = BaseText::Size { columns: 8, rows: 8 };
        Ok(GameText {
            variant: Some(VariantText { base, mods: Vec::new() }),
            moves: moves.map(|at| PlayedText::plain(None, MoveWord::Move(MoveText::At(at)))).collect(),
            about: AboutText {
                date: (numbers.year > 0).then(|| numbers.year.to_string()),
                outcome: Some(OutcomeText::by(margin)),
                thor: Some(numbers),
                ..AboutText::default()
            },
            ..GameText::default()
        })
    }

    /// The bytes of the game.
    #[must_use]
    pub fn bytes(&self) -> [u8; GAME] {
        let mut bytes = [0; GAME];
        let ThorText { tournament, black, white, discs, best, .. } = self.numbers;
        let numbers = [tournament, black, white].into_iter().flat_map(u16::to_le_bytes);
        let all = numbers.chain([discs, best]).chain(self.moves);
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }
}

/// Why a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WthorRefusal {
    /// Another board, start or rule than those of Othello.
    NotOthello,
    /// More moves than a record has room for.
    TooLong {
        /// How many.
        n_moves: usize,
    },
    /// A move that is no square of the board.
    Move {
        /// The move.
        text: String,
    },
    /// The game was stopped and nothing says how it ended.
    NoResult,
    /// The best score was solved from other empty squares than those of the games before it.
    Depth {
        /// Of this game.
        depth: u8,
        /// Of the file.
        file: u8,
    },
    /// There are as many names as numbers for them.
    Full,
}

impl fmt::Display for WthorRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WthorRefusal::NotOthello => {
                f.write_str("WTHOR has games of Othello on 8x8 from the start only")
            }
            WthorRefusal::TooLong { n_moves } => {
                write!(f, "{n_moves} moves; WTHOR has room for {MOVES}")
            }
            WthorRefusal::Move { text } => write!(f, "'{text}' is no square of 8x8"),
            WthorRefusal::NoResult => {
                f.write_str("the game is unfinished and states no result; WTHOR needs Black's discs")
            }
            WthorRefusal::Depth { depth, file } => {
                write!(f, "best score from {depth} empty squares among games from {file}")
            }
            WthorRefusal::Full => f.write_str("more names than the 65536 that a file of WTHOR can have"),
        }
    }
}

impl std::error::Error for WthorRefusal {}

/// The bytes of moves; passes are left out.
///
/// # Errors
/// [`WthorRefusal::Move`] and [`WthorRefusal::TooLong`].
pub fn move_bytes(moves: &[PlayedText]) -> Result<[u8; MOVES], WthorRefusal> {
    let mut bytes = [0; MOVES];
    let mut room = bytes.iter_mut();
    let squares = moves.iter().filter(|played| played.word != MoveWord::Move(MoveText::Pass));
    for played in squares.clone() {
        let byte = match &played.word {
            MoveWord::Move(MoveText::At(at)) if at.column < 8 && at.row < 8 => {
                10 * (at.row + 1) + at.column + 1
            }
            MoveWord::Move(other) => return Err(WthorRefusal::Move { text: other.to_string() }),
            MoveWord::Unreadable(text) => return Err(WthorRefusal::Move { text: text.clone() }),
        };
        *room.next().ok_or_else(|| WthorRefusal::TooLong { n_moves: squares.clone().count() })? = byte;
    }
    Ok(bytes)
}

/// Black's discs where a result of 8x8 says them.
#[must_use]
pub fn discs_of(outcome: &OutcomeText) -> Option<u8> {
    let discs = match (outcome.margin, outcome.winner) {
        (Some(margin), _) => 32 + margin.0 / 4,
        (None, Some(Side::Black)) => 64,
        (None, Some(Side::White)) => 0,
        (None, None) => 32,
    };
    u8::try_from(discs).ok().filter(|discs| *discs <= 64)
}

/// What the names of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesKind {
    /// Of players, `.jou`.
    Players,
    /// Of tournaments, `.trn`.
    Tournaments,
}

impl NamesKind {
    fn width(self) -> usize {
        match self {
            NamesKind::Players => PLAYER,
            NamesKind::Tournaments => TOURNAMENT,
        }
    }
}

/// The names of a file, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
    /// Those that were read from a file.
    n_given: usize,
}

impl Names {
    /// A list that has only the name of number 0, which stands for nobody.
    #[must_use]
    pub fn beginning_with(unknown: &str) -> Names {
        let mut names = Names::default();
        names.number(unknown);
        names.n_given = names.names.len();
        names
    }

    /// Reads a file of names; its length says of what. Behind the last whole name nothing is read.
    ///
    /// # Errors
    /// A length that fits neither players nor tournaments.
    pub fn read(bytes: &[u8]) -> Result<(NamesKind, Names), WthorFault> {
        let header = read_header(bytes)?;
        let rest = bytes.get(HEADER..).unwrap_or_default();
        let n_names = usize::from(header.n_names);
        let kind = [NamesKind::Players, NamesKind::Tournaments]
            .into_iter()
            .find(|kind| rest.len() == n_names * kind.width())
            .ok_or(WthorFault::Names { n_names: header.n_names, n_bytes: rest.len() })?;
        let mut names = Names::default();
        for field in rest.chunks_exact(kind.width()) {
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
            names.push(latin1(field.get(..end).unwrap_or_default()).trim_end().to_owned());
        }
        names.n_given = names.names.len();
        Ok((kind, names))
    }

    fn push(&mut self, name: String) -> Option<u16> {
        let number = u16::try_from(self.names.len()).ok()?;
        self.numbers.entry(name.clone()).or_insert(number);
        self.names.push(name);
        Some(number)
    }

    /// The name of a number.
    #[must_use]
    pub fn name(&self, number: u16) -> Option<&str> {
        self.names.get(usize::from(number)).map(String::as_str)
    }

    /// The number of a name, which is added where it is new; an empty one has number 0. `None` when
    /// there are no numbers left.
    pub fn number(&mut self, name: &str) -> Option<u16> {
        if name.is_empty() && !self.names.is_empty() {
            return Some(0);
        }
        match self.numbers.get(name) {
            Some(number) => Some(*number),
            None => self.push(name.to_owned()),
        }
    }

    /// Whether names were added to those of a file.
    #[must_use]
    pub fn has_new(&self) -> bool {
        self.names.len() > self.n_given
    }

    /// The bytes of a file of these names. A name is Latin-1 and ends with a zero: what does not fit is
    /// cut off, other characters become `?`.
    #[must_use]
    pub fn bytes(&self, kind: NamesKind, made: [u8; 4]) -> Vec<u8> {
        let n_names = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
        let mut bytes = Header { made, n_names, ..Header::default() }.bytes().to_vec();
        for name in &self.names {
            let letters = name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'));
            let field = letters.take(kind.width() - 1).chain(std::iter::repeat(0));
            bytes.extend(field.take(kind.width()));
        }
        bytes
    }
}

/// Puts names to the numbers of a game.
pub fn name_game(game: &mut GameText, players: Option<&Names>, tournaments: Option<&Names>) {
    let Some(thor) = game.about.thor else { return };
    let player = |number| PlayerText {
        name: players.and_then(|names| names.name(number)).unwrap_or_default().to_owned(),
        ..PlayerText::default()
    };
    game.black = player(thor.black);
    game.white = player(thor.white);
    game.about.event = tournaments.and_then(|names| names.name(thor.tournament)).map(str::to_owned);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;

    /// A file of one game: f5 f6 e6 f4 and no more.
    fn file() -> Vec<u8> {
        let header = Header {
            made: [20, 26, 1, 2],
            n_games: 1,
            year: 1999,
            size: 8,
            depth: 24,
            ..Header::default()
        };
        let mut moves = [0; MOVES];
        moves[..4].copy_from_slice(&[56, 66, 65, 46]);
        let numbers =
            ThorText { tournament: 1, black: 2, white: 300, discs: 40, best: 38, depth: 24, year: 1999 };
        [&header.bytes()[..], &Record { numbers, moves }.bytes()[..]].concat()
    }

    #[test]
    fn a_game_is_read_and_written() {
        let bytes = file();
        let header = read_header(&bytes).unwrap();
        assert_eq!(header.bytes(), bytes[..HEADER]);
        let record = Record::read(header, &bytes[HEADER..]).unwrap();
        assert_eq!(record.bytes(), bytes[HEADER..]);
        let game = record.game().unwrap();
        let words: Vec<String> = game
            .moves
            .iter()
            .map(|played| match &played.word {
                MoveWord::Move(at) => at.to_string(),
                MoveWord::Unreadable(text) => text.clone(),
            })
            .collect();
        assert_eq!(words, ["f5", "f6", "e6", "f4"]);
        assert_eq!(game.about.outcome, Some(OutcomeText::by(HalfDiscs(32))));
        assert_eq!(move_bytes(&game.moves).unwrap(), record.moves);
        assert_eq!(discs_of(&game.about.outcome.unwrap()), Some(40));
    }

    #[test]
    fn what_is_no_game_is_named() {
        let check = |at: usize, byte: u8, fault: WthorFault| {
            let mut bytes = file();
            bytes[HEADER + at] = byte;
            let record = Record::read(read_header(&bytes).unwrap(), &bytes[HEADER..]).unwrap();
            assert_eq!(record.game().unwrap_err(), fault);
        };
        check(6, 65, WthorFault::Score { discs: 65 });
        check(9, 99, WthorFault::Move { item: 2, byte: 99 });
        check(9, 0, WthorFault::Move { item: 2, byte: 0 });
        assert_eq!(read_header(b"\x14short"), Err(WthorFault::NoHeader { n_bytes: 6 }));
    }

    #[test]
    fn names_are_found_by_their_numbers() {
        let mut names = Names::beginning_with("???");
        assert_eq!(
            (names.number("Andr\u{e9}"), names.number("Bo"), names.number("")),
            (Some(1), Some(2), Some(0))
        );
        assert_eq!(names.number("Andr\u{e9}"), Some(1));
        for (kind, width) in [(NamesKind::Players, PLAYER), (NamesKind::Tournaments, TOURNAMENT)] {
            let bytes = names.bytes(kind, [20, 26, 1, 2]);
            assert_eq!(bytes.len(), HEADER + 3 * width);
            let (found, mut read) = Names::read(&bytes).unwrap();
            assert_eq!((found, read.name(1), read.name(3)), (kind, Some("Andr\u{e9}"), None));
            assert!(!read.has_new());
            read.number("new");
            assert!(read.has_new());
            assert!(Names::read(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn text_is_no_binary_file() {
        for text in ["f5d6", "\u{feff}f5", "\tf5", "\r\n", "(;GM[2]", ""] {
            assert!(!claims(text.as_bytes()), "{text:?}");
        }
        assert!(claims(&file()));
    }
}
