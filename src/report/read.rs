//! Stored analyses, read back: the JSON lines of plies, summaries and errors become [`Analysis`]
//! values again, without any search.
//!
//! A summary comes behind the plies of its game and holds its record, which says what the boards
//! were. Fields that this version does not know are passed over; numbers that can be worked out
//! from the plies, such as totals, are worked out again.

use std::fmt;

use outflank_protocol::fault::Fault;
use outflank_protocol::format::record as rp1;
use outflank_protocol::lexis::read_point;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::row::{ErrorRow, Id, OpenRow, PlyRow, SummaryRow};
use super::{Analysis, Open, Ply};
use crate::engine::Choice;
use crate::record::{self, RecordError, clip};
use crate::rules::{BySide, Game, Side};

/// More plies than any game has: 252 discs put down on the largest board, and a pass between each
/// two.
const MOST_PLIES: usize = 512;

/// What a line completed.
#[derive(Debug)]
pub enum Entry {
    /// The analysis of a game.
    Analysis(Box<Analysis>),
    /// A game that could not be analysed.
    Failed(ErrorRow),
}

/// Why a line is no part of an analysis.
#[derive(Debug)]
pub enum ReadError {
    /// The line is no JSON, or lacks a field, or has one of another kind.
    Json {
        /// The line.
        text: String,
        /// What is wrong with it.
        why: serde_json::Error,
    },
    /// The line is JSON of something else.
    NotARow {
        /// The line.
        text: String,
    },
    /// The plies of a game are followed by something of another one.
    NoSummary {
        /// The game without an end.
        game: Id,
        /// How many plies of it there are.
        n_plies: usize,
    },
    /// The record of a summary cannot be read.
    RecordText {
        /// The record.
        record: String,
        /// What is wrong with it.
        why: Fault,
    },
    /// The record of a summary is no game.
    Record {
        /// The record.
        record: String,
        /// What is wrong with it.
        why: RecordError,
    },
    /// A ply is not of the game that the record tells.
    OtherPly {
        /// Its place.
        item: u32,
        /// What the row says: the side and what was played.
        row: String,
        /// What the record says; nothing where its game is shorter.
        record: Option<String>,
    },
    /// A field holds what cannot be.
    Field {
        /// Its name.
        name: &'static str,
        /// What it holds.
        text: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Json { text, why } => {
                write!(f, "'{}' is no row of an analysis", clip(text))?;
                if text.trim_start().starts_with('{') {
                    write!(f, ": {why}")
                } else {
                    f.write_str(": rows are JSON, a line each, as `analyze --json` writes them")
                }
            }
            ReadError::NotARow { text } => write!(
                f,
                "'{}' is no row of an analysis: it has none of the fields item, summary, error",
                clip(text)
            ),
            ReadError::NoSummary { game, n_plies } => {
                write!(f, "game {game} has {n_plies} plies here and no summary behind them")
            }
            ReadError::RecordText { record, why } => write!(f, "record '{}': {why}", clip(record)),
            ReadError::Record { record, why } => write!(f, "record '{}': {why}", clip(record)),
            ReadError::OtherPly { item, row, record: Some(record) } => {
                write!(f, "item {item} is '{}', and '{record}' in the record", clip(row))
            }
            ReadError::OtherPly { item, row, record: None } => {
                write!(f, "item {item}, '{}', is behind the end of the record", clip(row))
            }
            ReadError::Field { name, text } => write!(f, "{name} '{}' cannot be", clip(text)),
        }
    }
}

impl std::error::Error for ReadError {}

/// Takes the lines of a stored analysis one after the other.
#[derive(Debug, Default)]
pub struct Reader {
    /// The plies of the game whose summary has not come yet.
    rows: Vec<PlyRow>,
}

impl Reader {
    /// A reader that has seen nothing.
    #[must_use]
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Takes a line. Behind an error the plies before it are forgotten, and the next game can be
    /// read.
    ///
    /// # Errors
    /// One of [`ReadError`].
    pub fn take(&mut self, text: &str) -> Result<Option<Entry>, ReadError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.take_row(text).inspect_err(|_| self.rows.clear())
    }

    fn take_row(&mut self, text: &str) -> Result<Option<Entry>, ReadError> {
        let value: Value = row(text, text.parse())?;
        let has = |field| value.get(field).is_some();
        if has("item") {
            let ply: PlyRow = typed(text, value)?;
            self.same_game(&ply.game)?;
            if self.rows.len() == MOST_PLIES {
                return Err(ReadError::Field { name: "item", text: ply.item.to_string() });
            }
            self.rows.push(ply);
            Ok(None)
        } else if has("summary") {
            let summary: SummaryRow = typed(text, value)?;
            self.same_game(&summary.game)?;
            let rows = std::mem::take(&mut self.rows);
            Ok(Some(Entry::Analysis(Box::new(analysis(summary, &rows)?))))
        } else if has("error") {
            let error: ErrorRow = typed(text, value)?;
            self.end()?;
            Ok(Some(Entry::Failed(error)))
        } else {
            Err(ReadError::NotARow { text: text.to_owned() })
        }
    }

    /// The lines have ended.
    ///
    /// # Errors
    /// [`ReadError::NoSummary`].
    pub fn end(&mut self) -> Result<(), ReadError> {
        match std::mem::take(&mut self.rows).as_slice() {
            [] => Ok(()),
            rows => Err(ReadError::NoSummary { game: rows[0].game.clone(), n_plies: rows.len() }),
        }
    }

    fn same_game(&mut self, game: &Id) -> Result<(), ReadError> {
        match self.rows.first() {
            Some(first) if first.game != *game => self.end(),
            _ => Ok(()),
        }
    }
}

fn typed<T: DeserializeOwned>(text: &str, value: Value) -> Result<T, ReadError> {
    row(text, serde_json::from_value(value))
}

fn row<T>(text: &str, read: serde_json::Result<T>) -> Result<T, ReadError> {
    read.map_err(|why| ReadError::Json { text: text.to_owned(), why })
}

fn analysis(row: SummaryRow, rows: &[PlyRow]) -> Result<Analysis, ReadError> {
    let SummaryRow { game: id, summary } = row;
    let game = game_of(&summary.record)?;
    let plies = rows.iter().map(|row| ply(row, &game)).collect::<Result<Vec<_>, _>>()?;
    let players = BySide { black: summary.x.name, white: summary.o.name };
    let open = summary.open.as_ref().map(open).transpose()?;
    let (level, exact_from) = (summary.level, summary.exact_from);
    Ok(Analysis { id, players, game, level, exact_from, plies, open })
}

fn game_of(text: &str) -> Result<Game, ReadError> {
    let read = rp1::read(text).map_err(|why| ReadError::RecordText { record: text.to_owned(), why })?;
    let head = (read.variant, read.start);
    record::replay_record(&head, &read.moves, Some(&read.result))
        .map_err(|why| ReadError::Record { record: text.to_owned(), why })
}

fn ply(row: &PlyRow, game: &Game) -> Result<Ply, ReadError> {
    let index = (row.item as usize).wrapping_sub(1);
    let side = Side::from(row.side);
    let played = choice("played", &row.played)?;
    let other =
        |record| ReadError::OtherPly { item: row.item, row: format!("{side} {}", row.played), record };
    let entry = game.log().get(index).ok_or_else(|| other(None))?;
    let recorded = Choice::of(entry.mv.act);
    if (entry.mv.side, recorded) != (side, played) {
        return Err(other(Some(format!("{} {}", entry.mv.side, super::word(recorded)))));
    }
    let state = game.state_at(index);
    let value = centidiscs("value", row.value)?;
    let after = centidiscs("after", row.after)?;
    if after > value {
        return Err(ReadError::Field { name: "after", text: row.after.plain() });
    }
    Ok(Ply {
        item: row.item,
        side,
        played,
        value,
        after,
        best: choices(&row.best)?,
        exact: row.exact,
        empties: state.board.empties(),
        n_choices: state.legal(game.rules()).len(),
    })
}

fn open(row: &OpenRow) -> Result<Open, ReadError> {
    Ok(Open {
        side: row.side.into(),
        value: centidiscs("value", row.value)?,
        best: choices(&row.best)?,
        exact: row.exact,
    })
}

fn centidiscs(name: &'static str, number: super::row::Number) -> Result<i32, ReadError> {
    number.to_centidiscs().ok_or_else(|| ReadError::Field { name, text: number.plain() })
}

fn choices(words: &[String]) -> Result<Vec<Choice>, ReadError> {
    words.iter().map(|word| choice("best", word)).collect()
}

fn choice(name: &'static str, word: &str) -> Result<Choice, ReadError> {
    if word == "pass" {
        return Ok(Choice::Pass);
    }
    let square = read_point(word).and_then(record::square);
    square.map(Choice::Play).ok_or_else(|| ReadError::Field { name, text: word.to_owned() })
}
