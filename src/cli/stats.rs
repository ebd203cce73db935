//! `outflank stats`: what collections hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use outflank_protocol::words::{OutcomeText, Side as SideText};
use serde::Serialize;

use super::args::StatsArgs;
use super::input::{Inputs, Manner};
use super::output::Output;
use super::parallel::{self, Halt};
use super::subject::{Room, Subject};
use super::values::Pair;
use super::{Outcome, on_interrupt};
use crate::page::counted;
use crate::record;
use crate::rules::Square;

/// Counts all inputs.
///
/// # Errors
/// Wrong usage, and output that cannot be written.
pub fn run(args: &StatsArgs) -> anyhow::Result<Outcome> {
    let room = Arc::new(Room::of(&args.variant)?);
    let inputs = Inputs::of(&args.inputs, Manner { format: args.from.from, patient: true });
    let halt = Halt::default();
    let raised = halt.clone();
    on_interrupt(move || raised.raise());
    let mut sums = Sums::default();
    parallel::each(inputs, &room, &halt, Seen::of, |seen| {
        match seen {
            Ok(seen) => sums.add(&seen),
            Err(why) => {
                eprintln!("error: {why}");
                sums.n_failed += 1;
            }
        }
        Ok(())
    })?;
    let mut out = Output::new();
    let table = sums.table();
    if args.json {
        out.line(&serde_json::to_string(&table)?)?;
    } else {
        for line in table.lines() {
            out.line(&line)?;
        }
    }
    Ok(match (halt.is_raised(), sums.n_failed) {
        (true, _) => Outcome::Interrupted,
        (false, 0) => Outcome::Good,
        (false, _) => Outcome::SomeFailed,
    })
}

/// What one input adds.
struct Seen {
    is_board: bool,
    n_moves: u32,
    n_passes: u32,
    finished: bool,
    outcome: Option<OutcomeText>,
    discs: Pair<u32>,
    empties: u32,
    first: Option<Square>,
    year: Option<u16>,
}

impl Seen {
    fn of(subject: Subject) -> Result<Seen, String> {
        let game = subject.game?;
        let n_passes = game.log().iter().filter(|entry| entry.mv.act.is_pass()).count() as u32;
        let board = &game.state().board;
        let discs = board.counts();
        // A pass behind the last move may not have been made; it changes nothing.
        let finished = game.is_over();
        Ok(Seen {
            is_board: subject.head.is_position,
            n_moves: game.len() as u32 - n_passes,
            n_passes,
            finished,
            outcome: record::outcome_text(&game).or(subject.head.about.outcome),
            discs: Pair { x: discs.black, o: discs.white },
            empties: board.empties(),
            first: game.log().iter().find_map(|entry| entry.mv.act.square()),
            year: subject.head.about.thor.map(|numbers| numbers.year),
        })
    }
}

/// Sums over all inputs.
#[derive(Default)]
struct Sums {
    n_games: u64,
    n_boards: u64,
    n_moves: u64,
    n_passes: u64,
    n_with_passes: u64,
    n_finished: u64,
    n_black: u64,
    n_white: u64,
    n_draws: u64,
    n_unknown: u64,
    discs: (u64, u64),
    half_margin: i64,
    n_margins: u64,
    n_empties: u64,
    fewest: Option<u32>,
    most: Option<u32>,
    first: BTreeMap<String, u64>,
    years: BTreeMap<u16, u64>,
    n_failed: u64,
}

impl Sums {
    fn add(&mut self, seen: &Seen) {
        if seen.is_board {
            self.n_boards += 1;
            return;
        }
        self.n_games += 1;
        self.n_moves += u64::from(seen.n_moves);
        self.n_passes += u64::from(seen.n_passes);
        self.n_with_passes += u64::from(seen.n_passes > 0);
        self.fewest = Some(self.fewest.map_or(seen.n_moves, |n| n.min(seen.n_moves)));
        self.most = Some(self.most.map_or(seen.n_moves, |n| n.max(seen.n_moves)));
        self.discs.0 += u64::from(seen.discs.x);
        self.discs.1 += u64::from(seen.discs.o);
        self.n_finished += u64::from(seen.finished);
        self.n_empties += u64::from(seen.empties);
        match seen.outcome.map(|outcome| outcome.winner) {
            Some(Some(SideText::Black)) => self.n_black += 1,
            Some(Some(SideText::White)) => self.n_white += 1,
            Some(None) => self.n_draws += 1,
            None => self.n_unknown += 1,
        }
        if let Some(margin) = seen.outcome.and_then(|outcome| outcome.margin) {
            self.half_margin += i64::from(margin.0);
            self.n_margins += 1;
        }
        if let Some(first) = seen.first {
            *self.first.entry(first.to_string()).or_default() += 1;
        }
        if let Some(year) = seen.year {
            *self.years.entry(year).or_default() += 1;
        }
    }

    fn table(&self) -> Table {
        let mean = |sum: f64, n: u64| (n > 0).then(|| (sum / n as f64 * 1000.0).round() / 1000.0);
        let per_game = |sum: u64| mean(sum as f64, self.n_games);
        Table {
            games: self.n_games,
            boards: self.n_boards,
            positions: self.n_games + self.n_boards + self.n_moves,
            moves: self.n_moves,
            finished: self.n_finished,
            black: self.n_black,
            white: self.n_white,
            draws: self.n_draws,
            unknown: self.n_unknown,
            discs: per_game(self.discs.0).zip(per_game(self.discs.1)).map(|(x, o)| Pair { x, o }),
            margin: mean(self.half_margin as f64 / 2.0, self.n_margins),
            plies: self
                .fewest
                .zip(self.most)
                .zip(per_game(self.n_moves))
                .map(|((min, max), mean)| Spread { min, mean, max }),
            passes: self.n_passes,
            games_with_passes: self.n_with_passes,
            empties: per_game(self.n_empties),
            first_moves: self.first.clone(),
            years: self.years.clone(),
            failed: self.n_failed,
        }
    }
}

/// Least, mean and greatest of a number.
#[derive(Serialize)]
struct Spread {
    min: u32,
    mean: f64,
    max: u32,
}

/// The answer.
#[derive(Serialize)]
struct Table {
    games: u64,
    boards: u64,
    positions: u64,
    moves: u64,
    finished: u64,
    black: u64,
    white: u64,
    draws: u64,
    unknown: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    discs: Option<Pair<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<Spread>,
    passes: u64,
    games_with_passes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    empties: Option<f64>,
    first_moves: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    years: BTreeMap<u16, u64>,
    failed: u64,
}

impl Table {
    /// One fact a line: its name, what it is.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |name: &str, what: String| lines.push(format!("{name:<18} {what}"));
        line("games", self.games.to_string());
        line("single boards", self.boards.to_string());
        line("positions", self.positions.to_string());
        if self.games > 0 {
            let percent = |n: u64| format!("{n} ({:.1} %)", n as f64 * 100.0 / self.games as f64);
            line("moves", self.moves.to_string());
            line("finished", percent(self.finished));
            line("won by Black", percent(self.black));
            line("won by White", percent(self.white));
            line("drawn", percent(self.draws));
            line("without result", percent(self.unknown));
        }
        if let Some(discs) = &self.discs {
            line("discs", format!("{:.2} : {:.2} on average", discs.x, discs.o));
        }
        if let Some(margin) = self.margin {
            line("margin", format!("{margin:+.2} for Black on average"));
        }
        if let Some(plies) = &self.plies {
            line(
                "moves of a game",
                format!("{} to {}, {:.2} on average", plies.min, plies.max, plies.mean),
            );
        }
        if self.games > 0 {
            line("passes", format!("{} in {}", self.passes, counted(self.games_with_passes, "game")));
        }
        if let Some(empties) = self.empties {
            line("squares left", format!("{empties:.2} on average"));
        }
        if !self.first_moves.is_empty() {
            let moves: Vec<String> =
                self.first_moves.iter().map(|(square, n)| format!("{square} {n}")).collect();
            line("first moves", moves.join(", "));
        }
        if let (Some(first), Some(last)) = (self.years.keys().next(), self.years.keys().next_back()) {
            line("years", format!("{first} to {last}"));
        }
        if self.failed > 0 {
            line("failed", self.failed.to_string());
        }
        lines
    }
}
