//! Openings from files: what games begin with.
//!
//! Reads lists of moves (XOT lists among them), positions in every notation that can be told by its
//! content, records, GGF games, Zebra's list of named openings, and the JSON lines that this
//! program writes. Every opening is played through under the rules of the tournament, so that a bad
//! line is told before the first game. Must not know how games go on.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use outflank_protocol::fault::Fault;
use outflank_protocol::format::{ggf, record as rp1};
use outflank_protocol::lexis::move_list;
use outflank_protocol::position::{Item, is_comment, read_item, read_position};
use outflank_protocol::words::{BoardText, MoveWord};
use serde::Deserialize;

use crate::record::{self, RecordError};
use crate::rules::{Act, Game, SplitMix64, Variant, VariantSpec};

/// What a game begins with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Its own name, else its moves, else its position; no other opening of the file has it.
    pub name: String,
    /// The line of the file where it begins, from 1.
    pub line: usize,
    /// The start and the moves of the opening. It goes on: neither side has won yet.
    pub game: Game,
}

/// Why openings cannot be used.
#[derive(Debug)]
pub enum OpeningFault {
    /// The file cannot be read.
    File {
        /// Its name.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is no text.
    NotText {
        /// Its name.
        file: String,
        /// The line with the first byte that is not UTF-8.
        line: usize,
    },
    /// There is no opening in the file.
    Empty {
        /// Its name.
        file: String,
    },
    /// A list says itself how many openings it has, and has another number.
    Count {
        /// Name of the file.
        file: String,
        /// What its first line says.
        claimed: usize,
        /// Openings in it.
        found: usize,
    },
    /// A line is no opening.
    Line {
        /// Name of the file.
        file: String,
        /// Number of the line, from 1.
        line: usize,
        /// The line, shortened.
        text: String,
        /// What is wrong with it.
        why: LineFault,
    },
    /// The first opening asked for is behind the last one.
    Start {
        /// What was asked for.
        start: usize,
        /// Number of openings.
        n_openings: usize,
    },
}

/// What is wrong with one opening.
#[derive(Debug)]
pub enum LineFault {
    /// It cannot be read.
    Text(Fault),
    /// It is not GGF.
    Ggf(ggf::GgfFault),
    /// It is not JSON with `moves` or `position`.
    Json(serde_json::Error),
    /// The rules refuse it.
    Rules(RecordError),
    /// The board has other holes than that of the tournament.
    OtherHoles,
    /// Nothing is left to play.
    Over,
}

impl fmt::Display for OpeningFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningFault::File { file, error } => write!(f, "{file}: {error}"),
            OpeningFault::NotText { file, line } => write!(f, "{file}, line {line}: not UTF-8 text"),
            OpeningFault::Empty { file } => write!(f, "{file}: there is no opening in it"),
            OpeningFault::Count { file, claimed, found } => {
                write!(f, "{file}: line 1 says that there are {claimed} openings, and there are {found}")
            }
            OpeningFault::Line { file, line, text, why } => {
                write!(f, "{file}, line {line} '{text}': {why}")
            }
            OpeningFault::Start { start, n_openings } => {
                write!(f, "opening {start} is asked for first; they are numbered from 1 to {n_openings}")
            }
        }
    }
}

impl std::error::Error for OpeningFault {}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineFault::Text(fault) => fault.fmt(f),
            LineFault::Ggf(fault) => fault.fmt(f),
            LineFault::Json(error) => error.fmt(f),
            LineFault::Rules(error) => error.fmt(f),
            LineFault::OtherHoles => {
                f.write_str("the board has other squares than that of the tournament's variant")
            }
            LineFault::Over => {
                f.write_str("the game is over after it; a number of plies takes its first moves only")
            }
        }
    }
}

impl From<RecordError> for LineFault {
    fn from(error: RecordError) -> Self {
        LineFault::Rules(error)
    }
}

impl From<Fault> for LineFault {
    fn from(fault: Fault) -> Self {
        LineFault::Text(fault)
    }
}

/// The openings of a file, in its order.
///
/// # Errors
/// As [`read`], and a file that cannot be read. `-` is standard input.
pub fn read_file(
    path: &Path,
    spec: &VariantSpec,
    plies: Option<usize>,
) -> Result<Vec<Opening>, OpeningFault> {
    let file = path.display().to_string();
    let read_all = || {
        if path != Path::new("-") {
            return fs::read(path);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = read_all().map_err(|error| OpeningFault::File { file: file.clone(), error })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..good).unwrap_or_default();
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        OpeningFault::NotText { file: file.clone(), line }
    })?;
    read(&file, &text, spec, plies)
}

/// The openings of a text, in its order, played under the rules of `spec`, which is as it was asked
/// for, its seeds not drawn yet. Positions have its size and its holes; move lists begin from its
/// start. Where `plies` is given, only so many moves of
/// each are played, passes counted. Blank lines and comments (`%`, `#`) are skipped.
///
/// A text whose first line is a number is Zebra's list: so many lines with moves, blanks and a name
/// each.
///
/// # Errors
/// The first line that is no opening, a list that is not as long as it says, a text without any.
pub fn read(
    file: &str,
    text: &str,
    spec: &VariantSpec,
    plies: Option<usize>,
) -> Result<Vec<Opening>, OpeningFault> {
    let mut reader = Reader {
        spec,
        variant: Variant::new(*spec).map_err(RecordError::from),
        plies,
        openings: Vec::new(),
        names: HashSet::new(),
    };
    let mut claimed = None;
    let mut unfinished: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if unfinished.is_some() || ggf::begins(line) {
            let (first, mut whole) = unfinished.take().unwrap_or((number, String::new()));
            whole.push_str(line);
            whole.push(' ');
            if line.ends_with(";)") {
                reader.games(first, &whole).map_err(|why| fault(file, first, &whole, why))?;
            } else {
                unfinished = Some((first, whole));
            }
            continue;
        }
        if line.is_empty() || is_comment(line) {
            continue;
        }
        if claimed.is_none() && reader.openings.is_empty() && line.chars().all(|c| c.is_ascii_digit()) {
            claimed = line.parse::<usize>().ok();
            continue;
        }
        let done = match claimed {
            Some(_) => reader.named_moves(number, line),
            None => reader.line(number, line),
        };
        done.map_err(|why| fault(file, number, line, why))?;
    }
    if let Some((first, whole)) = unfinished {
        reader.games(first, &whole).map_err(|why| fault(file, first, &whole, why))?;
    }
    let found = reader.openings.len();
    match claimed {
        Some(claimed) if claimed != found => {
            Err(OpeningFault::Count { file: file.to_owned(), claimed, found })
        }
        _ if found == 0 => Err(OpeningFault::Empty { file: file.to_owned() }),
        _ => Ok(reader.openings),
    }
}

fn fault(file: &str, line: usize, text: &str, why: LineFault) -> OpeningFault {
    OpeningFault::Line { file: file.to_owned(), line, text: record::clip(text.trim()), why }
}

/// What a line of JSON says of an opening: one of `outflank openings --json`, or a whole game.
#[derive(Deserialize)]
struct JsonLine {
    #[serde(default)]
    moves: String,
    position: Option<String>,
}

/// Openings as they are gathered.
struct Reader<'a> {
    spec: &'a VariantSpec,
    /// With its start; boards with an odd side have none, and take positions only.
    variant: Result<Variant, RecordError>,
    plies: Option<usize>,
    openings: Vec<Opening>,
    names: HashSet<String>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), LineFault> {
        if line.starts_with('{') {
            return self.json(number, line);
        }
        if line.starts_with(rp1::HEAD) {
            let read = rp1::read(line)?;
            let game = self.at(&read.start)?;
            return self.moves(number, None, game, &read.moves);
        }
        match read_item(line.split('%').next().unwrap_or_default())? {
            Item::Position(read) => {
                let game = self.at(&read.board)?;
                self.moves(number, read.id, game, &[])
            }
            Item::Moves(moves) => {
                let game = self.start()?;
                self.moves(number, None, game, &moves)
            }
        }
    }

    fn named_moves(&mut self, number: usize, line: &str) -> Result<(), LineFault> {
        let (moves, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let name = Some(name.trim()).filter(|name| !name.is_empty()).map(str::to_owned);
        let game = self.start()?;
        self.moves(number, name, game, &move_list(moves))
    }

    fn json(&mut self, number: usize, line: &str) -> Result<(), LineFault> {
        let read: JsonLine = serde_json::from_str(line).map_err(LineFault::Json)?;
        let moves = move_list(&read.moves);
        match read.position {
            Some(position) if moves.is_empty() => {
                let game = self.at(&read_position(&position)?.board)?;
                self.moves(number, None, game, &[])
            }
            _ => {
                let game = self.start()?;
                self.moves(number, None, game, &moves)
            }
        }
    }

    fn games(&mut self, number: usize, text: &str) -> Result<(), LineFault> {
        let mut games = ggf::read_all(text);
        if games.is_empty() {
            games.push(ggf::read(text));
        }
        for game in games {
            let read = game.map_err(LineFault::Ggf)?;
            let start = match &read.start {
                Some(board) => self.at(&BoardText { komi: None, ..board.clone() })?,
                None => self.start()?,
            };
            let moves: Vec<MoveWord> = read.moves.into_iter().map(|played| played.word).collect();
            self.moves(number, None, start, &moves)?;
        }
        Ok(())
    }

    fn start(&self) -> Result<Game, LineFault> {
        let variant = self.variant.clone()?;
        Ok(Game::new(variant))
    }

    /// A game from a position, which has to be on the board of the tournament.
    fn at(&self, board: &BoardText) -> Result<Game, LineFault> {
        let game = record::game_from(*self.spec, board)?;
        let is_other =
            |variant: &Variant| variant.geometry().playable() != game.variant().geometry().playable();
        if self.variant.as_ref().is_ok_and(is_other) {
            return Err(LineFault::OtherHoles);
        }
        Ok(game)
    }

    fn moves(
        &mut self,
        line: usize,
        name: Option<String>,
        mut game: Game,
        moves: &[MoveWord],
    ) -> Result<(), LineFault> {
        for (index, word) in moves.iter().enumerate() {
            if self.plies.is_some_and(|plies| game.len() >= plies) {
                break;
            }
            record::play_word(&mut game, None, word, index).map_err(RecordError::from)?;
        }
        if game.is_over() {
            return Err(LineFault::Over);
        }
        let name = name.unwrap_or_else(|| name_of(&game));
        let name = if self.names.contains(&name) { format!("{name} (line {line})") } else { name };
        self.names.insert(name.clone());
        self.openings.push(Opening { name, line, game });
        Ok(())
    }
}

/// The moves of a game as one word, passes left out; the token of its position where there are none.
#[must_use]
pub fn name_of(game: &Game) -> String {
    let moves: String = game
        .log()
        .iter()
        .filter(|entry| !matches!(entry.mv.act, Act::Pass(_)))
        .map(|entry| record::act_text(entry.mv.act).to_string())
        .collect();
    if moves.is_empty() { record::board_text(game.variant(), game.state()).to_string() } else { moves }
}

/// Brings items into an order that the seed decides: Fisher and Yates from the end with the numbers
/// of [`SplitMix64`], where item `i` changes places with item `below(i + 1)`. The same in every
/// version.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut random = SplitMix64::new(seed);
    for last in (1..items.len()).rev() {
        let other = random.below(last as u64 + 1) as usize;
        items.swap(last, other);
    }
}

/// The openings beginning with number `start`, counted from 1; those before it come last.
///
/// # Errors
/// [`OpeningFault::Start`], for 0 as well.
pub fn starting_at(mut openings: Vec<Opening>, start: usize) -> Result<Vec<Opening>, OpeningFault> {
    if !(1..=openings.len()).contains(&start) {
        return Err(OpeningFault::Start { start, n_openings: openings.len() });
    }
    openings.rotate_left(start - 1);
    Ok(openings)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::rules::by_name;
    use outflank_protocol::variant::read_variant;
    use proptest::prelude::*;

    fn spec(token: &str) -> VariantSpec {
        record::variant_spec(&read_variant(token).unwrap()).unwrap()
    }

    fn names(text: &str, plies: Option<usize>) -> Vec<String> {
        let openings = read("book", text, &spec("othello"), plies).unwrap();
        openings.into_iter().map(|opening| opening.name).collect()
    }

    fn refused(text: &str, token: &str) -> String {
        read("book", text, &spec(token), None).unwrap_err().to_string()
    }

    const AFTER_F5: &str = "8/8/8/3ox3/3xxx2/8/8/8,o";

    #[test]
    fn every_notation_is_an_opening() {
        let text = format!(
            "% a comment\n\nf5d6c3d3c4\nF5 d6 C3\n1. f5 d6 2. c3\r\n{AFTER_F5}\n\
             ---------------------------OX------XXX-------------------------- O\n\
             rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5f6 -\n\
             {{\"moves\":\"f5f4\",\"position\":\"{AFTER_F5}\"}}\n{{\"position\":\"{AFTER_F5}\"}}\n"
        );
        let found = names(&text, None);
        assert_eq!(found[0], "f5d6c3d3c4");
        assert_eq!(found[1], "f5d6c3");
        assert_eq!(found[2], "f5d6c3 (line 5)");
        assert_eq!(found[3], AFTER_F5);
        assert_eq!(found[4], format!("{AFTER_F5} (line 7)"));
        assert_eq!(found[5..7], ["f5f6".to_owned(), "f5f4".to_owned()]);
        assert_eq!(found.len(), 8);
    }

    const GGF: &str = "2 (;GM[Othello]PB[a]PW[b]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- \
                       -------- -------- -------- *]\nB[f5//1]W[d6]B[c3];)(;GM[Othello]TY[8]\
                       BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[c4]W[c3];)";

    #[test]
    fn games_in_ggf_give_as_many_plies_as_are_asked_for() {
        assert_eq!(names(GGF, None), ["f5d6c3", "c4c3"]);
        assert_eq!(names(GGF, Some(2)), ["f5d6", "c4c3"]);
        assert_eq!(names("f5d6c3 d3 zz", Some(4)), ["f5d6c3d3"]);
    }

    #[test]
    fn a_list_with_names_says_how_many_it_has() {
        let text = "2\nC4c3          Diagonal Opening\nC4c3D3c5B2    X-square Opening\n";
        assert_eq!(names(text, None), ["Diagonal Opening", "X-square Opening"]);
        let short = text.replacen('2', "3", 1);
        assert_eq!(
            refused(&short, "othello"),
            "book: line 1 says that there are 3 openings, and there are 2"
        );
    }

    #[test]
    fn an_error_names_file_line_text_and_reason() {
        assert_eq!(refused("", "othello"), "book: there is no opening in it");
        assert_eq!(refused("% nothing\n\n", "othello"), "book: there is no opening in it");
        let illegal = refused("f5d6\n\nf5d6a1\n", "othello");
        assert!(illegal.starts_with("book, line 3 'f5d6a1': item 3 'a1': "), "{illegal}");
        let word = refused("f5d6\nf5 what\n", "othello");
        assert!(word.starts_with("book, line 2 'f5 what': item 2 'what': not a square"), "{word}");
        let size = refused("6/6/2ox2/2xo2/6/6,x", "othello");
        assert!(size.ends_with("the position is 6x6, the variant 8x8"), "{size}");
        let holes = refused("_7/8/8/3ox3/3xo3/8/8/8,x", "othello");
        assert!(holes.contains("other squares"), "{holes}");
        let ggf = refused("(;GM[Othello]PB[a\n", "othello");
        assert!(ggf.starts_with("book, line 1 '(;GM[Othello]PB[a'"), "{ggf}");
        let json = refused("{\"moves\":5}", "othello");
        assert!(json.starts_with("book, line 1 '{\"moves\":5}': invalid type"), "{json}");
        let side =
            refused("---------------------------OX------XO---------------------------", "othello");
        assert!(side.contains("side"), "{side}");
    }

    #[test]
    fn an_opening_leaves_something_to_play() {
        let over = "xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx,-";
        let told = refused(over, "othello");
        assert!(told.contains("the game is over after it"), "{told}");
    }

    #[test]
    fn boards_without_a_start_take_positions() {
        assert_eq!(read("book", "5/5/1ox2/1xo2/5,x", &spec("5x5"), None).unwrap().len(), 1);
        assert!(refused("c1", "5x5").starts_with("book, line 1 'c1': "));
    }

    #[test]
    fn the_order_of_a_seed_is_the_same_in_every_version() {
        let order = |seed| {
            let mut items: Vec<u32> = (1..=10).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(1), ORDER_OF_SEED_1);
        assert_ne!(order(2), order(1));
    }

    /// Computed by an independent program from the published SplitMix64.
    const ORDER_OF_SEED_1: [u32; 10] = [10, 1, 2, 5, 9, 3, 4, 8, 7, 6];

    #[test]
    fn a_start_behind_the_end_is_refused() {
        let openings = || read("book", "f5d6\nf5f6\nf5f4", &spec("othello"), None).unwrap();
        let names = |start| -> Vec<String> {
            starting_at(openings(), start).unwrap().into_iter().map(|opening| opening.name).collect()
        };
        assert_eq!(names(1), ["f5d6", "f5f6", "f5f4"]);
        assert_eq!(names(3), ["f5f4", "f5d6", "f5f6"]);
        for start in [0, 4] {
            let told = starting_at(openings(), start).unwrap_err().to_string();
            assert!(told.ends_with("they are numbered from 1 to 3"), "{told}");
        }
    }

    proptest! {
        #[test]
        fn a_shuffle_loses_nothing(n in 0..200_usize, seed: u64) {
            let mut items: Vec<usize> = (0..n).collect();
            shuffle(&mut items, seed);
            items.sort_unstable();
            prop_assert_eq!(items, (0..n).collect::<Vec<_>>());
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-h1-8xo/_,% \n;()\\[\\]{}\":BWpas-]{0,80}", plies in prop::option::of(0..5_usize)) {
            let _ = read("book", &text, &by_name("othello").unwrap(), plies);
        }
    }
}
