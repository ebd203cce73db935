//! How one game of a tournament came out: the row of the record, the same on disk, on standard
//! output and in the statistics.
//!
//! Knows names, transcripts and results as text and numbers. Must not know how engines are run,
//! nor what the rows add up to.

use serde::{Deserialize, Serialize, Serializer};

use crate::record;

/// A value for each colour, written `{"x":..,"o":..}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByColour<T> {
    /// Black's.
    pub x: T,
    /// White's.
    pub o: T,
}

/// Who won a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Winner {
    /// Black.
    #[serde(rename = "x")]
    Black,
    /// White.
    #[serde(rename = "o")]
    White,
    /// Nobody: a draw, or a game that was stopped.
    #[serde(rename = "none")]
    Nobody,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Played out: neither side can move.
    Score,
    /// A move that the rules refuse.
    IllegalMove,
    /// A pass where there was a move.
    WrongPass,
    /// The clock ran out.
    Timeout,
    /// No answer within the longest wait.
    NoAnswer,
    /// The process ended.
    Crash,
    /// An answer that is none.
    ProtocolError,
    /// Decided by the exact value before it was played out.
    Adjudicated,
    /// An engine gave up.
    Resign,
    /// The tournament was stopped; the game has no result.
    Stopped,
}

impl Reason {
    /// Every reason, in the order in which tables list them.
    pub const ALL: [Reason; 10] = [
        Reason::Score,
        Reason::Adjudicated,
        Reason::Resign,
        Reason::Timeout,
        Reason::IllegalMove,
        Reason::WrongPass,
        Reason::NoAnswer,
        Reason::Crash,
        Reason::ProtocolError,
        Reason::Stopped,
    ];

    /// For people: `illegal move`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reason::Score => "score",
            Reason::IllegalMove => "illegal move",
            Reason::WrongPass => "wrong pass",
            Reason::Timeout => "time-out",
            Reason::NoAnswer => "no answer",
            Reason::Crash => "crash",
            Reason::ProtocolError => "protocol error",
            Reason::Adjudicated => "adjudicated",
            Reason::Resign => "resigned",
            Reason::Stopped => "stopped",
        }
    }

    /// Whether the discs on the board decided the game, so that their number says something.
    #[must_use]
    pub fn is_by_score(self) -> bool {
        matches!(self, Reason::Score | Reason::Adjudicated)
    }
}

/// One game as the tournament keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// Number of the game, from 1.
    pub game: u32,
    /// Number of the pair, from 1: two games of one opening with colours swapped.
    pub pair: u32,
    /// Name of the opening.
    pub opening: String,
    /// The engine that played Black.
    pub x: String,
    /// The engine that played White.
    pub o: String,
    /// Everything played, the opening and the passes with it, and no refused move.
    pub moves: String,
    /// Discs on the board at the end.
    pub count: ByColour<u32>,
    /// The official score, where the game has one.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "plain_numbers")]
    pub official: Option<ByColour<f64>>,
    /// Who won.
    pub winner: Winner,
    /// Why it ended.
    pub reason: Reason,
    /// The engine that lost by a fault or gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loser: Option<String>,
    /// Exit code of an engine that crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Items of `moves`.
    pub plies: u32,
    /// How long the game took.
    pub seconds: f64,
    /// Token of the variant; Othello where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Token of the position the moves start from, where it is not the start of the variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Seed of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The offending text, or the last lines an engine wrote to standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Number of an earlier game with the same moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<u32>,
    /// Evaluations in discs, mover's view: one for each item of `moves`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evals: Option<Vec<Option<f64>>>,
    /// Seconds used: one for each item of `moves`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<Option<f64>>>,
    /// Depths reached in plies: one for each item of `moves`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depths: Option<Vec<Option<u32>>>,
}

/// What a game was for one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Score {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl Score {
    /// Points in halves: 0, 1 or 2.
    #[must_use]
    pub fn half_points(self) -> u32 {
        match self {
            Score::Loss => 0,
            Score::Draw => 1,
            Score::Win => 2,
        }
    }

    /// The same game for the other engine.
    #[must_use]
    pub fn reversed(self) -> Score {
        match self {
            Score::Loss => Score::Win,
            Score::Draw => Score::Draw,
            Score::Win => Score::Loss,
        }
    }
}

impl GameRow {
    /// What the game was for Black; `None` for one that was stopped and counts for nobody.
    #[must_use]
    pub fn score_for_black(&self) -> Option<Score> {
        if self.reason == Reason::Stopped {
            return None;
        }
        Some(match self.winner {
            Winner::Black => Score::Win,
            Winner::White => Score::Loss,
            Winner::Nobody => Score::Draw,
        })
    }

    /// By how many discs of the official score Black did better than White. Where the fewer discs
    /// win (anti) they are counted the other way round, so that more is always better; komi is not
    /// part of it.
    ///
    /// `None` unless the discs decided the game: an engine that overstepped its time, crashed or
    /// gave up has lost a game, but not by any number of discs.
    #[must_use]
    pub fn discs_for_black(&self) -> Option<f64> {
        let official = self.official.filter(|_| self.reason.is_by_score())?;
        let difference = official.x - official.o;
        let is_anti = self.variant.as_deref().is_some_and(is_anti);
        Some(if is_anti { -difference } else { difference })
    }
}

/// Whether the fewer discs win under a variant; a token that cannot be read says nothing.
fn is_anti(token: &str) -> bool {
    let variant = outflank_protocol::variant::read_variant(token);
    variant.is_ok_and(|text| record::variant_spec(&text).is_ok_and(|spec| spec.rules.anti))
}

/// A number as the JSON of this program has it: whole ones without a decimal point, and never
/// one that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Plain {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Decimal(f64),
}

impl Plain {
    /// Rounded to so many decimals.
    pub(super) fn rounded(value: f64, decimals: i32) -> Plain {
        let unit = 10_f64.powi(decimals);
        Plain::of((value * unit).round() / unit)
    }

    fn of(value: f64) -> Plain {
        const GREATEST: f64 = 1e15;
        if value.fract() == 0.0 && value.abs() < GREATEST {
            Plain::Whole(value as i64)
        } else {
            Plain::Decimal(value)
        }
    }
}

fn plain_numbers<S: Serializer>(pair: &Option<ByColour<f64>>, out: S) -> Result<S::Ok, S::Error> {
    pair.map(|pair| ByColour { x: Plain::of(pair.x), o: Plain::of(pair.o) }).serialize(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(line: &str) -> GameRow {
        serde_json::from_str(line).unwrap()
    }

    const PLAYED: &str = r#"{"game":3,"pair":2,"opening":"f5d6","x":"A","o":"B","moves":"f5d6c3","count":{"x":30,"o":33},"official":{"x":30.5,"o":34},"winner":"o","reason":"score","plies":3,"seconds":0.25}"#;

    #[test]
    fn a_row_reads_back_as_it_was_written() {
        let read = row(PLAYED);
        assert_eq!(serde_json::to_string(&read).unwrap(), PLAYED);
        assert_eq!(read.score_for_black(), Some(Score::Loss));
        assert_eq!(read.discs_for_black(), Some(-3.5));
    }

    #[test]
    fn a_game_lost_by_a_fault_has_no_discs_and_a_stopped_game_no_score() {
        let mut late = row(PLAYED);
        late.reason = Reason::Timeout;
        assert_eq!(late.score_for_black(), Some(Score::Loss));
        assert_eq!(late.discs_for_black(), None);
        late.reason = Reason::Stopped;
        assert_eq!(late.score_for_black(), None);
    }

    #[test]
    fn under_anti_the_fewer_discs_are_the_better_ones() {
        let mut anti = row(PLAYED);
        anti.variant = Some("8x8+anti".to_owned());
        anti.winner = Winner::Black;
        assert_eq!(anti.discs_for_black(), Some(3.5));
    }

    #[test]
    fn reasons_are_written_in_snake_case() {
        let words: Vec<String> =
            Reason::ALL.iter().map(|reason| serde_json::to_string(reason).unwrap()).collect();
        assert!(words.contains(&"\"illegal_move\"".to_owned()), "{words:?}");
        assert!(words.contains(&"\"no_answer\"".to_owned()), "{words:?}");
    }
}
