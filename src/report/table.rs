//! An analysis as lines of text, for a terminal.

use super::row::Number;
use super::{Analysis, Open, Ply, Totals, loss_text, turn_text, words};
use crate::engine::Choice;
use crate::page::counted;
use crate::record;
use crate::rules::Side;

/// What the columns are, and whose view the numbers take.
const HEAD: &str = "   #    played     value     after      loss  empties  best";

/// The table of an analysis: its plies, its totals, its turning points.
#[must_use]
pub fn table(analysis: &Analysis) -> Vec<String> {
    let mut lines = vec![analysis.title(), format!("  {}", record::record_line(&analysis.game))];
    lines.push(format!("  {}", basis(analysis)));
    if !analysis.plies.is_empty() {
        lines.push(HEAD.to_owned());
        lines.extend(analysis.plies.iter().map(ply_line));
    }
    lines.extend(analysis.open.as_ref().map(open_line));
    for side in Side::BOTH {
        lines.push(totals_line(&analysis.player(side), &analysis.totals()[side]));
    }
    let points = analysis.turning_points();
    if !points.is_empty() {
        lines.push("Turning points:".to_owned());
    }
    for point in points {
        lines.push(format!("{}   {}", ply_line(point.ply), turn_text(&point)));
    }
    lines
}

/// What the values rest on, in one sentence.
#[must_use]
pub fn basis(analysis: &Analysis) -> String {
    let level = match analysis.level {
        Some(level) => format!("level {level}"),
        None => "the default level".to_owned(),
    };
    let missing = analysis.game.len() - analysis.plies.len().min(analysis.game.len());
    let cut = match missing {
        0 => String::new(),
        n => format!("; broken off, the first {n} plies are missing"),
    };
    format!(
        "values are discs for the mover; = proved (from {} empties on), ~ estimated at {level}{cut}",
        analysis.exact_from
    )
}

fn ply_line(ply: &Ply) -> String {
    let sign = if ply.exact { '=' } else { '~' };
    let number = |centidiscs| format!("{sign}{}", Number::of_centidiscs(centidiscs));
    let loss = match ply.loss() {
        0 => "-".to_owned(),
        loss => loss_text(loss),
    };
    let best = match ply.played {
        Choice::Pass => String::new(),
        Choice::Play(_) if ply.n_choices == 1 => "the only move".to_owned(),
        Choice::Play(_) => words(&ply.best, " "),
    };
    let line = format!(
        "{:>4}  {} {:<5}  {:>8}  {:>8}  {loss:>8}  {:>7}  {best:<13} {}",
        ply.item,
        ply.side,
        super::word(ply.played),
        number(ply.value),
        number(ply.after),
        ply.empties,
        ply.grade().name()
    );
    line.trim_end().to_owned()
}

fn open_line(open: &Open) -> String {
    let sign = if open.exact { '=' } else { '~' };
    let value = Number::of_centidiscs(open.value);
    format!("   …  {} to move  {sign}{value}  best {}", open.side, words(&open.best, " "))
}

/// `Black: 30 moves, 28 with a choice; 20 accurate (71.4 %); lost 12.5 discs (10 proved): ...`
fn totals_line(player: &str, totals: &Totals) -> String {
    let accuracy = totals.accuracy().map_or(String::new(), |part| format!(" ({:.1} %)", part * 100.0));
    format!(
        "{player}: {}, {} with a choice, {} accurate{accuracy}; {} discs lost, {} of them proved; \
         {}, {}, {}",
        counted(totals.moves, "move"),
        totals.choices,
        totals.accurate,
        loss_text(totals.loss),
        loss_text(totals.exact_loss),
        counted(totals.inaccuracies, "inaccuracy"),
        counted(totals.mistakes, "mistake"),
        counted(totals.blunders, "blunder")
    )
}
