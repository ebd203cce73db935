//! Records of what was found: the fixed JSON fields and the table for people.

use std::time::Duration;

use outflank_protocol::message::{BoundText, InfoText, ValueText};
use outflank_protocol::startup::SolvedText;
use serde::Serialize;

use super::subject::GameHead;
use crate::engine::{Bound, Found, Line};
use crate::record;
pub use crate::report::row::{Id, Number, Pair};
use crate::report::word;
use crate::rules::{Game, HalfDiscs, Rules, Side, State, score};
use crate::session::info_text;

/// An input that could not be used, in the place of its record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorRecord {
    /// Which input.
    pub id: Id,
    /// Why.
    pub error: String,
}

impl ErrorRecord {
    /// The line for people.
    pub fn row(&self) -> String {
        format!("{:>6} error: {}", self.id.to_string(), self.error)
    }
}

/// What is known of one move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveRecord {
    #[serde(rename = "move")]
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    wld: Option<&'static str>,
}

/// The record of one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Which input.
    pub id: Id,
    position: String,
    side: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    wld: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selectivity: Option<u32>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveRecord>>,
    nodes: u64,
    time: f64,
}

impl Record {
    /// The record of a search, under the rules it was made with.
    pub fn of_search(id: Id, game: &Game, rules: &Rules, found: &Found, list_moves: bool) -> Record {
        let state = game.state();
        let Some(best) = found.lines.first() else { return Record::of_end(id, game, rules) };
        Record {
            score: score_of(best),
            exact: best.value.exact && is_value(best),
            wld: wld_of(best, state.side, rules),
            depth: Some(best.depth),
            selectivity: Some(best.selectivity),
            at: Some(word(best.choice())),
            pv: best.pv.iter().copied().map(word).collect(),
            moves: list_moves
                .then(|| found.lines.iter().map(|line| move_record(line, state.side, rules)).collect()),
            nodes: found.nodes,
            time: seconds(found.time),
            ..Record::blank(id, game)
        }
    }

    /// The record of a position where nobody can move any more.
    fn of_end(id: Id, game: &Game, rules: &Rules) -> Record {
        let state = game.state();
        let margin = end_margin(state, rules);
        Record {
            score: Some(Number::of_half_discs(margin)),
            exact: true,
            wld: Some(wld(margin.0 * 50, state.side, rules)),
            depth: Some(0),
            selectivity: Some(100),
            ..Record::blank(id, game)
        }
    }

    fn blank(id: Id, game: &Game) -> Record {
        Record {
            id,
            position: record::board_text(game.variant(), game.state()).to_string(),
            side: game.state().side.to_string(),
            score: None,
            exact: false,
            wld: None,
            depth: None,
            selectivity: None,
            at: None,
            pv: Vec::new(),
            moves: None,
            nodes: 0,
            time: 0.0,
        }
    }

    /// One line of the table for people.
    pub fn row(&self) -> String {
        let value = match (self.score, self.wld) {
            (Some(score), _) => score.to_string(),
            (None, Some(wld)) => wld.to_owned(),
            (None, None) => "?".to_owned(),
        };
        let mut row = format!(
            "{:>6} {:>7} {:>7} {:>5} {:>12} {:>10.3}  {}",
            self.id.to_string(),
            self.depth_word(),
            value,
            self.at.as_deref().unwrap_or("-"),
            self.nodes,
            self.time,
            self.pv.join(" ")
        );
        if let Some(moves) = &self.moves {
            let moves: Vec<String> = moves.iter().map(MoveRecord::word).collect();
            row.push_str(&format!("  [{}]", moves.join(" ")));
        }
        row.trim_end().to_owned()
    }

    fn depth_word(&self) -> String {
        match (self.exact, self.depth, self.selectivity) {
            (true, _, _) => "exact".to_owned(),
            (false, Some(depth), Some(percent)) if percent < 100 => format!("{depth}@{percent}%"),
            (false, Some(depth), _) => depth.to_string(),
            (false, None, _) => "?".to_owned(),
        }
    }
}

impl MoveRecord {
    fn word(&self) -> String {
        match (self.score, self.wld) {
            (Some(score), _) => format!("{}:{score}", self.at),
            (None, Some(wld)) => format!("{}:{wld}", self.at),
            (None, None) => self.at.clone(),
        }
    }
}

/// The head of the table of [`Record::row`].
pub fn table_head() -> String {
    format!(
        "{:>6} {:>7} {:>7} {:>5} {:>12} {:>10}  {}",
        "id", "depth", "score", "move", "nodes", "seconds", "pv"
    )
}

fn move_record(line: &Line, side: Side, rules: &Rules) -> MoveRecord {
    MoveRecord {
        at: word(line.choice()),
        score: score_of(line),
        exact: line.value.exact && is_value(line),
        wld: wld_of(line, side, rules).filter(|_| line.wld),
    }
}

fn is_value(line: &Line) -> bool {
    line.value.bound == Bound::Value
}

/// The number of discs, where the line says one.
fn score_of(line: &Line) -> Option<Number> {
    (!line.wld).then(|| Number::of_centidiscs(line.value.centidiscs))
}

/// Who wins, where that is proved.
fn wld_of(line: &Line, side: Side, rules: &Rules) -> Option<&'static str> {
    if !line.value.exact || !is_value(line) {
        return None;
    }
    Some(if line.wld {
        sign_word(line.value.centidiscs)
    } else {
        wld(line.value.centidiscs, side, rules)
    })
}

/// Who wins by a margin from `side`'s view, once komi is reckoned in.
fn wld(centidiscs: i32, side: Side, rules: &Rules) -> &'static str {
    let komi = rules.komi.0 * 50;
    sign_word(match side {
        Side::Black => centidiscs - komi,
        Side::White => centidiscs + komi,
    })
}

fn sign_word(number: i32) -> &'static str {
    match number.signum() {
        1 => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// The margin of a finished game from the view of the side that was to move, without komi.
fn end_margin(state: &State, rules: &Rules) -> HalfDiscs {
    let black = score(&state.board, rules.scoring).difference().0;
    let good_for_black = if rules.anti { -black } else { black };
    HalfDiscs(match state.side {
        Side::Black => good_for_black,
        Side::White => -good_for_black,
    })
}

/// What was found of a position, in the words of a table.
pub fn solved_text(id: &Id, game: &Game, rules: &Rules, found: &Found, head: GameHead) -> SolvedText {
    let info = match found.lines.first() {
        Some(line) => info_text(line, found.nodes, found.time),
        None => InfoText {
            depth: 0,
            selectivity: 100,
            multipv: 1,
            value: ValueText {
                centidiscs: end_margin(game.state(), rules).0 * 50,
                bound: BoundText::Value,
                exact: true,
            },
            wld: false,
            nodes: found.nodes,
            time_ms: 0,
            pv: Vec::new(),
        },
    };
    SolvedText { id: id.to_string(), info, scores: head.scores, expected: head.value }
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_decides_who_wins() {
        let rules = Rules { komi: HalfDiscs(8), ..Rules::default() };
        assert_eq!(wld(400, Side::Black, &rules), "draw");
        assert_eq!(wld(400, Side::White, &rules), "win");
        assert_eq!(wld(-400, Side::White, &rules), "draw");
        assert_eq!(wld(200, Side::Black, &rules), "loss");
    }
}
