//! Records of analyses: the fixed JSON fields, and the same for CSV.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Analysis, Open, Ply, TurningPoint, word};
use crate::record;
use crate::rules::{Forfeit, Game, HalfDiscs, Side, count};

/// What an input is called: its own name, or its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// Number of the line, from 1.
    Number(u64),
    /// The input's own id.
    Own(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Own(name) => name.fmt(f),
        }
    }
}

/// A number of discs; whole numbers are written without a decimal point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Decimal(f64),
}

impl Number {
    /// Halves of a disc.
    #[must_use]
    pub fn of_half_discs(half: HalfDiscs) -> Number {
        if half.0 % 2 == 0 {
            Number::Whole(i64::from(half.0 / 2))
        } else {
            Number::Decimal(f64::from(half.0) / 2.0)
        }
    }

    /// Without a plus sign.
    #[must_use]
    pub fn plain(self) -> String {
        match self {
            Number::Whole(number) => number.to_string(),
            Number::Decimal(number) => number.to_string(),
        }
    }

    /// Hundredths of a disc.
    #[must_use]
    pub fn of_centidiscs(centidiscs: i32) -> Number {
        if centidiscs % 100 == 0 {
            Number::Whole(i64::from(centidiscs / 100))
        } else {
            Number::Decimal(f64::from(centidiscs) / 100.0)
        }
    }

    /// Hundredths of a disc, rounded; nothing beyond what any board holds.
    #[must_use]
    pub fn to_centidiscs(self) -> Option<i32> {
        const MOST: f64 = 256.0;
        let discs = match self {
            Number::Whole(number) => number as f64,
            Number::Decimal(number) => number,
        };
        (discs.abs() <= MOST).then(|| (discs * 100.0).round() as i32)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(number) => write!(f, "{number:+}"),
            Number::Decimal(number) => write!(f, "{number:+.2}"),
        }
    }
}

/// Something of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair<T> {
    /// Black's.
    pub x: T,
    /// White's.
    pub o: T,
}

/// A side as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SideWord {
    /// Black.
    #[serde(rename = "x")]
    Black,
    /// White.
    #[serde(rename = "o")]
    White,
}

impl From<Side> for SideWord {
    fn from(side: Side) -> SideWord {
        match side {
            Side::Black => SideWord::Black,
            Side::White => SideWord::White,
        }
    }
}

impl From<SideWord> for Side {
    fn from(word: SideWord) -> Side {
        match word {
            SideWord::Black => Side::Black,
            SideWord::White => Side::White,
        }
    }
}

/// One ply; values are discs from the view of `side`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyRow {
    /// Which game.
    pub game: Id,
    /// Place in the game, from 1, passes counted.
    pub item: u32,
    /// Who was to move.
    pub side: SideWord,
    /// What was played: a square, or `pass`.
    pub played: String,
    /// Worth of the position with best play.
    pub value: Number,
    /// Worth of the position with what was played.
    pub after: Number,
    /// What was best.
    pub best: Vec<String>,
    /// The difference of both values.
    pub loss: Number,
    /// Both values are proved.
    pub exact: bool,
    /// Empty squares before it.
    pub empties: u32,
}

/// The header of CSV: the fields of [`PlyRow`].
pub const CSV_HEADER: [&str; 10] =
    ["game", "item", "side", "played", "value", "after", "best", "loss", "exact", "empties"];

impl PlyRow {
    fn of(game: &Id, ply: &Ply) -> PlyRow {
        PlyRow {
            game: game.clone(),
            item: ply.item,
            side: ply.side.into(),
            played: word(ply.played),
            value: Number::of_centidiscs(ply.value),
            after: Number::of_centidiscs(ply.after),
            best: ply.best.iter().copied().map(word).collect(),
            loss: Number::of_centidiscs(ply.loss()),
            exact: ply.exact,
            empties: ply.empties,
        }
    }

    /// The cells of CSV; the best choices have blanks between them.
    #[must_use]
    pub fn csv_cells(&self) -> [String; 10] {
        [
            self.game.to_string(),
            self.item.to_string(),
            Side::from(self.side).to_string(),
            self.played.clone(),
            self.value.plain(),
            self.after.plain(),
            self.best.join(" "),
            self.loss.plain(),
            self.exact.to_string(),
            self.empties.to_string(),
        ]
    }
}

/// The row behind the plies of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// Which game.
    pub game: Id,
    /// What its plies add up to.
    pub summary: Summary,
}

/// What the plies of a game add up to. With `record` and the plies it is all there is to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The game as a one-line record: variant, start, moves, result.
    pub record: String,
    /// Plies of the game, passes counted.
    pub plies: u32,
    /// Plies that were judged: the last ones of an analysis that was broken off.
    pub analysed: u32,
    /// The level of the estimates; absent where it was the default of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Positions of at most so many empty squares were solved.
    pub exact_from: u32,
    /// How the game ended, where it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultRow>,
    /// Black's plies.
    pub x: PlayerRow,
    /// White's plies.
    pub o: PlayerRow,
    /// The plies that decided something.
    pub turning_points: Vec<TurningRow>,
    /// What the last position is worth, where the game was not played out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenRow>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// `x`, `o` or `none`.
    pub winner: String,
    /// The discs on the board.
    pub count: Pair<u32>,
    /// The official score, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub official: Option<Pair<Number>>,
}

/// What the plies of one side add up to, as in [`super::Totals`]; losses are discs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PlayerRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub moves: u32,
    pub choices: u32,
    pub accurate: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    pub loss: Number,
    pub exact_loss: Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_loss: Option<f64>,
    pub inaccuracies: u32,
    pub mistakes: u32,
    pub blunders: u32,
}

/// A ply that decided something, with who wins before and after it: `x`, `o` or `none`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TurningRow {
    pub item: u32,
    pub side: SideWord,
    pub played: String,
    pub best: Vec<String>,
    pub loss: Number,
    pub exact: bool,
    pub winner_before: String,
    pub winner_after: String,
}

/// What the last position of an unfinished game is worth, from the view of `side`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct OpenRow {
    pub side: SideWord,
    pub value: Number,
    pub best: Vec<String>,
    pub exact: bool,
}

/// An input that could not be analysed, in the place of its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorRow {
    /// Which input.
    pub game: Id,
    /// Why.
    pub error: String,
}

impl Analysis {
    /// The rows of the plies that were judged.
    pub fn rows(&self) -> impl Iterator<Item = PlyRow> + '_ {
        self.plies.iter().map(|ply| PlyRow::of(&self.id, ply))
    }

    /// The row behind them.
    #[must_use]
    pub fn summary_row(&self) -> SummaryRow {
        let summary = Summary {
            record: record::record_line(&self.game),
            plies: u32::try_from(self.game.len()).unwrap_or(u32::MAX),
            analysed: u32::try_from(self.plies.len()).unwrap_or(u32::MAX),
            level: self.level,
            exact_from: self.exact_from,
            result: result_row(&self.game),
            x: self.player_row(Side::Black),
            o: self.player_row(Side::White),
            turning_points: self.turning_points().iter().map(turning_row).collect(),
            open: self.open.as_ref().map(open_row),
        };
        SummaryRow { game: self.id.clone(), summary }
    }

    fn player_row(&self, side: Side) -> PlayerRow {
        let totals = self.totals()[side];
        PlayerRow {
            name: self.players[side].clone(),
            moves: totals.moves,
            choices: totals.choices,
            accurate: totals.accurate,
            accuracy: totals.accuracy().map(thousandths),
            loss: Number::of_centidiscs(totals.loss),
            exact_loss: Number::of_centidiscs(totals.exact_loss),
            mean_loss: totals.mean_loss().map(|centidiscs| thousandths(centidiscs / 100.0)),
            inaccuracies: totals.inaccuracies,
            mistakes: totals.mistakes,
            blunders: totals.blunders,
        }
    }
}

fn thousandths(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn winner_word(winner: Option<Side>) -> String {
    winner.map_or_else(|| "none".to_owned(), |side| side.to_string())
}

fn result_row(game: &Game) -> Option<ResultRow> {
    let ending = game.ending(Forfeit::None)?;
    let discs = count(&game.state().board);
    let official = ending.official.map(|score| Pair {
        x: Number::of_half_discs(score.black),
        o: Number::of_half_discs(score.white),
    });
    let winner = winner_word(ending.winner);
    Some(ResultRow { winner, count: Pair { x: discs.black, o: discs.white }, official })
}

fn turning_row(point: &TurningPoint<'_>) -> TurningRow {
    let ply = point.ply;
    TurningRow {
        item: ply.item,
        side: ply.side.into(),
        played: word(ply.played),
        best: ply.best.iter().copied().map(word).collect(),
        loss: Number::of_centidiscs(ply.loss()),
        exact: ply.exact,
        winner_before: winner_word(point.before),
        winner_after: winner_word(point.after),
    }
}

fn open_row(open: &Open) -> OpenRow {
    OpenRow {
        side: open.side.into(),
        value: Number::of_centidiscs(open.value),
        best: open.best.iter().copied().map(word).collect(),
        exact: open.exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_discs_are_written_as_integers() {
        let json = |number| serde_json::to_string(&number).unwrap_or_default();
        assert_eq!(json(Number::of_centidiscs(-1000)), "-10");
        assert_eq!(json(Number::of_centidiscs(150)), "1.5");
        assert_eq!(json(Number::of_half_discs(HalfDiscs(61))), "30.5");
        assert_eq!(Number::of_centidiscs(0).to_string(), "+0");
    }

    #[test]
    fn hundredths_come_back_from_what_was_written() {
        for centidiscs in [-25600, -6400, -137, -1, 0, 5, 33, 2999, 25600] {
            let json = serde_json::to_string(&Number::of_centidiscs(centidiscs)).unwrap_or_default();
            let number: Option<Number> = serde_json::from_str(&json).ok();
            assert_eq!(number.and_then(Number::to_centidiscs), Some(centidiscs), "{json}");
        }
        assert_eq!(Number::Whole(257).to_centidiscs(), None);
        assert_eq!(Number::Decimal(f64::NAN).to_centidiscs(), None);
    }
}
