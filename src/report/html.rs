//! Analyses as one page of HTML: a graph of each game, boards where it turned, the totals of the
//! players and every ply.
//!
//! Knows analyses. Must not know how values are found. The parts are those of [`crate::page`].

use std::fmt::Write;

use super::diagram::{self, Diagram, Marks};
use super::graph::{self, graph};
use super::row::Number;
use super::table::basis;
use super::{Analysis, Grade, Ply, TurningPoint, colour, loss_text, turn_text, word, words};
use crate::engine::Choice;
use crate::page::counted;
use crate::page::html::{Kind, definitions, page, table, table_head};
use crate::page::plot::escape;
use crate::record;
use crate::rules::{Forfeit, Game, Side, Square, SquareSet, count};

/// What the page says about all games. Empty texts are left out.
#[derive(Clone, Debug, Default)]
pub struct ReportHead {
    /// Title of the page; made of the games where it is empty.
    pub title: String,
    /// When it was made, as it shall be shown.
    pub date: String,
    /// Inputs that could not be analysed, with the reason.
    pub failed: Vec<(String, String)>,
}

/// The page.
#[must_use]
pub fn html_report(head: &ReportHead, games: &[Analysis]) -> String {
    let mut body = String::new();
    let made_by = format!("{} {}", crate::NAME, crate::VERSION);
    body.push_str(&definitions("settings", &[("date", head.date.clone()), ("made by", made_by)]));
    if games.len() > 1 {
        body.push_str(&index(games));
    }
    if !head.failed.is_empty() {
        let columns = [("input", Kind::Text), ("error", Kind::Text)];
        let rows: Vec<Vec<String>> =
            head.failed.iter().map(|(id, why)| vec![id.clone(), why.clone()]).collect();
        body.push_str(&table("Not analysed", "", &columns, &rows));
    }
    for (number, analysis) in (1..).zip(games) {
        body.push_str(&chapter(number, analysis, games.len() > 1));
    }
    let title = match (head.title.as_str(), games) {
        ("", [only]) => format!("Analysis of {}", lower_first(&only.title())),
        ("", _) => format!("Analysis of {}", counted(games.len(), "game")),
        (title, _) => title.to_owned(),
    };
    page(&title, &[STYLE, graph::STYLE, diagram::STYLE].concat(), &body)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

// ---------------------------------------------------------------------------------------------
// All games

/// What there is, with the way to it.
fn index(games: &[Analysis]) -> String {
    let number = Kind::Number;
    let columns = [
        ("game", Kind::Text),
        ("result", Kind::Text),
        ("plies", number),
        ("Black lost", number),
        ("White lost", number),
        ("turning points", number),
    ];
    let note = "Discs lost against best play, by proof or estimate.";
    let mut out = table_head("Games", note, &columns);
    out.push_str("<tbody>\n");
    for (number, analysis) in (1..).zip(games) {
        let totals = analysis.totals();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><a href=\"#game-{number}\">{}</a></th><td>{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td></tr>",
            escape(&analysis.title()),
            escape(&result_text(&analysis.game)),
            analysis.game.len(),
            lost(totals.black.loss),
            lost(totals.white.loss),
            analysis.turning_points().len()
        );
    }
    out.push_str("</tbody></table></div>\n</section>\n");
    out
}

fn lost(centidiscs: i32) -> String {
    format!("{:.1}", f64::from(centidiscs) / 100.0)
}

fn result_text(game: &Game) -> String {
    let discs = count(&game.state().board);
    match game.ending(Forfeit::None) {
        None => format!("unfinished, {}:{} on the board", discs.black, discs.white),
        Some(ending) => {
            let who = ending.winner.map_or("a draw".to_owned(), |side| format!("{} wins", colour(side)));
            match ending.official {
                Some(score) => format!("{who} {}:{}", score.black, score.white),
                None => format!("{who}, {}:{} on the board", discs.black, discs.white),
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// One game

fn chapter(number: usize, analysis: &Analysis, has_heading: bool) -> String {
    let mut out = format!("<article id=\"game-{number}\">\n");
    if has_heading {
        let _ = writeln!(out, "<h2 class=\"game\">{}</h2>", escape(&analysis.title()));
    }
    let facts = [
        ("Black", analysis.players.black.clone().unwrap_or_default()),
        ("White", analysis.players.white.clone().unwrap_or_default()),
        ("result", result_text(&analysis.game)),
        ("variant", record::variant_text(analysis.game.variant()).to_string()),
        ("open end", open_text(analysis)),
    ];
    out.push_str(&definitions("figures", &facts));
    out.push_str(&course(number, analysis));
    out.push_str(&totals(analysis));
    out.push_str(&turning_points(number, analysis));
    out.push_str(&plies(analysis));
    out.push_str(&end(number, analysis));
    out.push_str("</article>\n");
    out
}

/// What an unfinished game is worth.
fn open_text(analysis: &Analysis) -> String {
    let Some(open) = &analysis.open else { return String::new() };
    format!(
        "{} to move, {}{} for {0}; best {}",
        colour(open.side),
        if open.exact { "" } else { "about " },
        Number::of_centidiscs(open.value),
        words(&open.best, ", ")
    )
}

fn course(number: usize, analysis: &Analysis) -> String {
    let Some(svg) = graph(analysis, &format!("course-{number}")) else { return String::new() };
    format!(
        "<section>\n<h3>Course of the game</h3>\n<figure class=\"course\"><div class=\"scroll\">{svg}</div><figcaption>\
         What the game was worth after each ply, in discs for Black: above the line Black is ahead. \
         Dots join by a full line where the value is proved. A triangle in the colour of a player \
         marks an error, the larger the worse; a dashed upright where the result changed.\
         </figcaption></figure>\n</section>\n"
    )
}

fn totals(analysis: &Analysis) -> String {
    let totals = analysis.totals();
    let rows: Vec<Vec<String>> = Side::BOTH
        .into_iter()
        .map(|side| {
            let total = totals[side];
            let percent =
                total.accuracy().map_or("–".to_owned(), |part| format!("{:.0} %", part * 100.0));
            vec![
                analysis.player(side),
                total.moves.to_string(),
                total.choices.to_string(),
                percent,
                lost(total.loss),
                lost(total.exact_loss),
                total.inaccuracies.to_string(),
                total.mistakes.to_string(),
                total.blunders.to_string(),
            ]
        })
        .collect();
    let number = Kind::Number;
    let columns = [
        ("player", Kind::Text),
        ("moves", number),
        ("with a choice", number),
        ("accurate", number),
        ("discs lost", number),
        ("proved", number),
        ("inaccuracies", number),
        ("mistakes", number),
        ("blunders", number),
    ];
    let note = "A loss from 1 disc on is an inaccuracy, from 3 on a mistake, from 8 on a blunder; a move \
                that loses less is accurate. Passes and only moves are not judged.";
    demoted(&table("Players", note, &columns, &rows))
}

/// The headings of a table inside a chapter stand one step lower.
fn demoted(section: &str) -> String {
    section.replacen("<h2>", "<h3>", 1).replacen("</h2>", "</h3>", 1)
}

fn turning_points(number: usize, analysis: &Analysis) -> String {
    let points = analysis.turning_points();
    if points.is_empty() {
        return String::new();
    }
    let mut out =
        "<section>\n<h3>Turning points</h3>\n<p class=\"note\">A cross marks what was played, \
                   a blue disc what was best, a red dot the move before.</p>\n<div class=\"boards\">\n"
            .to_owned();
    for point in &points {
        out.push_str(&turning_point(number, analysis, point));
    }
    out.push_str("</div>\n</section>\n");
    out
}

fn turning_point(number: usize, analysis: &Analysis, point: &TurningPoint<'_>) -> String {
    let ply = point.ply;
    let index = ply.item as usize - 1;
    let square = |choice: Choice| match choice {
        Choice::Play(square) => Some(square),
        Choice::Pass => None,
    };
    let heading = format!("{}. {} plays {}", ply.item, analysis.player(ply.side), word(ply.played));
    let diagram = Diagram {
        state: analysis.game.state_at(index),
        marks: Marks {
            last: last_square(&analysis.game, index),
            legal: SquareSet::EMPTY,
            played: square(ply.played),
            best: ply.best.iter().copied().filter_map(square).collect(),
        },
        title: heading.clone(),
        id: format!("turn-{number}-{}", ply.item),
    };
    let about = if ply.exact { "" } else { "about " };
    format!(
        "<figure>{}<figcaption><b>{}</b><br/>{about}{} instead of {about}{}: best {} {}.<br/>\
         <span class=\"{}\">{}</span> of {} discs: {}.</figcaption></figure>\n",
        diagram.element(),
        escape(&heading),
        Number::of_centidiscs(ply.after),
        Number::of_centidiscs(ply.value),
        if ply.best.len() == 1 { "is" } else { "are" },
        escape(&words(&ply.best, ", ")),
        grade_class(ply.grade()),
        match ply.grade() {
            Grade::Good => "Loss",
            Grade::Inaccuracy => "Inaccuracy",
            Grade::Mistake => "Mistake",
            Grade::Blunder => "Blunder",
        },
        loss_text(ply.loss()),
        escape(&turn_text(point)),
    )
}

/// Where the last disc lay down after so many plies.
fn last_square(game: &Game, n_plies: usize) -> Option<Square> {
    game.log().get(..n_plies)?.iter().rev().find_map(|entry| entry.mv.act.square())
}

fn grade_class(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        grade => grade.name(),
    }
}

fn plies(analysis: &Analysis) -> String {
    if analysis.plies.is_empty() {
        return String::new();
    }
    let number = Kind::Number;
    let columns = [
        ("ply", number),
        ("side", Kind::Text),
        ("played", Kind::Text),
        ("value", number),
        ("after", number),
        ("loss", number),
        ("best", Kind::Text),
        ("", Kind::Text),
    ];
    let note = format!("{}.", upper_first(&basis(analysis)));
    let mut out = demoted(&table_head("Plies", &note, &columns));
    out.push_str("<tbody>\n");
    out.extend(analysis.plies.iter().map(ply_row));
    out.push_str("</tbody></table></div>\n</section>\n");
    out
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn ply_row(ply: &Ply) -> String {
    let sign = if ply.exact { "=" } else { "~" };
    let best = match ply.played {
        Choice::Pass => String::new(),
        Choice::Play(_) if ply.n_choices == 1 => "the only move".to_owned(),
        Choice::Play(_) => words(&ply.best, " "),
    };
    let loss = match ply.loss() {
        0 => "–".to_owned(),
        loss => loss_text(loss),
    };
    let disc = match ply.side {
        Side::Black => "●",
        Side::White => "○",
    };
    format!(
        "<tr class=\"{}\"><th scope=\"row\" class=\"number\">{}</th><td>{disc} {}</td><td>{}</td>\
         <td class=\"number\">{sign}{}</td><td class=\"number\">{sign}{}</td>\
         <td class=\"number\">{loss}</td><td>{}</td><td class=\"grade\">{}</td></tr>\n",
        grade_class(ply.grade()),
        ply.item,
        colour(ply.side),
        word(ply.played),
        Number::of_centidiscs(ply.value),
        Number::of_centidiscs(ply.after),
        escape(&best),
        ply.grade().name()
    )
}

/// The last position, and the record to take away.
fn end(number: usize, analysis: &Analysis) -> String {
    let game = &analysis.game;
    let diagram = Diagram {
        state: game.state(),
        marks: Marks { last: last_square(game, game.len()), ..Marks::default() },
        title: format!("The last position: {}", result_text(game)),
        id: format!("end-{number}"),
    };
    format!(
        "<section>\n<h3>Last position</h3>\n<div class=\"boards\"><figure>{}<figcaption>{}.</figcaption>\
         </figure></div>\n<p><code>{}</code></p>\n</section>\n",
        diagram.element(),
        escape(&upper_first(&result_text(game))),
        escape(&record::record_line(game))
    )
}

const STYLE: &str = "
:root{--bad:#b3261e;--warn:#a85a00}
@media(prefers-color-scheme:dark){:root{--bad:#ff8f86;--warn:#f2b25c}}
h2.game{font-size:1.4rem;border-top:2px solid var(--rule);padding-top:1.2rem;overflow-wrap:anywhere}
h3{font-size:1.1rem;margin:1.8rem 0 .5rem}
a{color:var(--s2)}
.boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));gap:1.2rem 1.4rem;align-items:start}
.boards figure{max-width:22rem}
svg.board{display:block;width:100%;height:auto}
.boards figcaption{margin-top:.5rem;color:var(--text);font-size:.93rem}
.mistake,.inaccuracy,.blunder{--tone:var(--text)}
.mistake{--tone:var(--warn)}.blunder{--tone:var(--bad)}
figcaption span{color:var(--tone);font-weight:600}
tr.mistake td.grade,tr.blunder td.grade,tr.inaccuracy td.grade{color:var(--tone);font-weight:600}
tr.blunder td,tr.mistake td,tr.blunder th,tr.mistake th{background:var(--panel)}
@media(max-width:34rem){.boards{grid-template-columns:1fr 1fr;gap:1rem .8rem}figure.course svg{min-width:34rem}main{padding:1rem .8rem 3rem}th,td{padding-right:.5rem}body{font-size:14px}}
@media print{article{break-before:page}article:first-of-type{break-before:auto}.boards{grid-template-columns:repeat(3,1fr)}
.boards figure{break-inside:avoid}section{break-inside:auto}h3{break-after:avoid}a{color:inherit;text-decoration:none}}
";
