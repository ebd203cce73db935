//! The report of a tournament as one page of HTML: no scripts, nothing from outside, light or dark
//! as the reader's system has it, fit for print.
//!
//! Knows rows and tallies. Must not know how games are played. Everything that comes from outside,
//! names and commands above all, passes through `escape`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::outcome::{GameRow, Reason, Winner};
use super::sprt::SprtBounds;
use super::tally::{Tally, Wdl, discs_text, elo_text, llr_text};
use crate::page::counted;
use crate::page::html::{self, Kind, definitions, figure, table, table_head, table_row};
use crate::page::plot::{LinePlot, Point, Series, bars, escape, histogram};

/// What the report says about the tournament as a whole. Empty texts are left out.
#[derive(Clone, Debug, Default)]
pub struct ReportHead {
    /// Title of the page.
    pub title: String,
    /// When it was played, as it shall be shown.
    pub date: String,
    /// Token of the variant.
    pub variant: String,
    /// Time control or other limits.
    pub time_control: String,
    /// Where the openings come from, and in what order.
    pub openings: String,
    /// Seed of the tournament.
    pub seed: Option<u64>,
    /// The engines, in the order in which the statistics name them.
    pub engines: Vec<ReportEngine>,
    /// The test, where there is one.
    pub sprt: Option<SprtBounds>,
    /// Whatever else: name and value.
    pub further: Vec<(String, String)>,
}

/// An engine as the report names it.
#[derive(Clone, Debug, Default)]
pub struct ReportEngine {
    /// Its name.
    pub name: String,
    /// The command that starts it.
    pub command: String,
    /// The protocol it speaks.
    pub protocol: String,
    /// Options that were set, as written.
    pub options: String,
}

/// Points of a curve, so that a page of many games stays small.
const MOST_POINTS: usize = 300;

/// The page. Rows may come in any order; they are shown by their numbers.
#[must_use]
pub fn html_report(head: &ReportHead, rows: &[GameRow]) -> String {
    let names: Vec<String> = head.engines.iter().map(|engine| engine.name.clone()).collect();
    let mut rows: Vec<&GameRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.game);
    let (tally, course) = course(&names, &rows, head.sprt.as_ref());
    let title = if head.title.is_empty() { "Tournament" } else { &head.title };
    let parts = [
        key_figures(head, &tally),
        settings(head),
        standings(&tally),
        cross_table(&tally),
        curves(head, &tally, course),
        disc_histogram(&tally, &rows),
        colours(&tally),
        endings(&tally, &rows),
        games(&rows),
    ];
    html::page(title, "", &parts.concat())
}

// ---------------------------------------------------------------------------------------------
// The course of the tournament

/// What was known after so many games.
#[derive(Default)]
struct Course {
    /// Elo of the first of two engines.
    elo: Vec<Point>,
    /// Log-likelihood ratio of the test.
    llr: Vec<Point>,
    /// Rating of each of several engines.
    ratings: Vec<Vec<Point>>,
}

fn course(names: &[String], rows: &[&GameRow], sprt: Option<&SprtBounds>) -> (Tally, Course) {
    let mut tally = Tally::new(names);
    let mut course = Course::default();
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    for (index, row) in rows.iter().enumerate() {
        tally.add(row);
        let is_last = index + 1 == rows.len();
        if (index + 1) % step != 0 && !is_last || tally.n_games() == 0 {
            continue;
        }
        let x = tally.n_games() as f64;
        if tally.engines().len() == 2 {
            course.elo.extend(tally.estimate().map(|e| Point { x, y: e.elo, low: e.low, high: e.high }));
        } else {
            course.ratings.resize(tally.engines().len(), Vec::new());
            for (points, rating) in course.ratings.iter_mut().zip(tally.ratings()) {
                points.extend(rating.map(|rating| Point::bare(x, rating.elo)));
            }
        }
        course.llr.extend(sprt.map(|bounds| Point::bare(x, tally.sprt(bounds).llr)));
    }
    (tally, course)
}

fn curves(head: &ReportHead, tally: &Tally, course: Course) -> String {
    if tally.n_games() == 0 {
        return String::new();
    }
    let first = tally.engines().first().map(String::as_str).unwrap_or_default();
    let mut out = String::new();
    if tally.engines().len() == 2 {
        let plot = LinePlot {
            id: "elo",
            title: format!("Elo of {first} over the games, with its 95 % interval"),
            unit: "Elo",
            below: "games",
            series: vec![Series { name: first.to_owned(), points: course.elo }],
            marks: Vec::new(),
        };
        out.push_str(&figure("Elo over the games", &plot.title, &plot.svg()));
    } else {
        let series = tally.engines().iter().zip(course.ratings);
        let plot = LinePlot {
            id: "ratings",
            title: "Ratings of the engines over the games".to_owned(),
            unit: "rating",
            below: "games",
            series: series.map(|(name, points)| Series { name: name.clone(), points }).collect(),
            marks: Vec::new(),
        };
        out.push_str(&figure("Ratings over the games", &plot.title, &plot.svg()));
    }
    if let Some(bounds) = &head.sprt {
        let state = tally.sprt(bounds);
        let plot = LinePlot {
            id: "llr",
            title: format!("Log-likelihood ratio of the test {bounds}, by the pairs of {first}"),
            unit: "LLR",
            below: "games",
            series: vec![Series { name: "LLR".to_owned(), points: course.llr }],
            marks: vec![
                (state.upper, format!("accepted at {:.2}", state.upper)),
                (state.lower, format!("rejected at {:.2}", state.lower)),
            ],
        };
        out.push_str(&figure("Sequential test", &plot.title, &plot.svg()));
    }
    out
}

fn disc_histogram(tally: &Tally, rows: &[&GameRow]) -> String {
    let is_pair = tally.engines().len() == 2;
    let first = tally.engines().first().map(String::as_str).unwrap_or_default();
    let values: Vec<i64> = rows
        .iter()
        .filter_map(|row| {
            let discs = row.discs_for_black()?.round() as i64;
            Some(if is_pair && row.x != first { -discs } else { discs })
        })
        .collect();
    if values.is_empty() {
        return String::new();
    }
    let who = if is_pair { first } else { "Black" };
    let title = format!(
        "Disc differences of {} decided by discs, from the view of {who}",
        counted(values.len(), "game")
    );
    let below = format!("discs more for {who}");
    figure("Disc differences", &title, &histogram("discs", &title, "games", &below, &bars(&values)))
}

// ---------------------------------------------------------------------------------------------
// Tables

fn key_figures(head: &ReportHead, tally: &Tally) -> String {
    let total = tally.total(0).all();
    let mut items = vec![("games", tally.n_games().to_string())];
    if let [one, other] = tally.engines() {
        let lost = total.n_games() as f64 - total.points();
        items.push(("points", format!("{one} {} : {lost} {other}", total.points())));
        items.push(("won, drawn, lost", wdl_text(total)));
        items.extend(tally.total(0).discs().map(|discs| ("discs a game", discs_text(&discs))));
    } else if let Some(best) = tally.ranking().first().filter(|best| best.rating.is_some()) {
        items.push(("best rating", best.name.clone()));
    }
    if let Some(estimate) = tally.estimate().filter(|_| tally.engines().len() == 2) {
        items.push(("Elo, 95 % interval", elo_text(estimate.elo, estimate.known_error())));
        items.push(("superiority", format!("{:.1} %", estimate.los * 100.0)));
        let pairs: Vec<String> =
            tally.total(0).sample.pentanomial().iter().map(ToString::to_string).collect();
        items.push(("pairs with 0, ½, 1, 1½, 2", pairs.join(" · ")));
    }
    items.extend(head.sprt.as_ref().map(|bounds| ("sequential test", llr_text(&tally.sprt(bounds)))));
    definitions("figures", &items)
}

fn settings(head: &ReportHead) -> String {
    let mut items = vec![
        ("date", head.date.clone()),
        ("variant", head.variant.clone()),
        ("time", head.time_control.clone()),
        ("openings", head.openings.clone()),
        ("seed", head.seed.map(|seed| seed.to_string()).unwrap_or_default()),
        ("test", head.sprt.as_ref().map(ToString::to_string).unwrap_or_default()),
    ];
    items.extend(head.further.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let rows: Vec<Vec<String>> = head
        .engines
        .iter()
        .map(|engine| {
            let fields = [&engine.name, &engine.protocol, &engine.command, &engine.options];
            fields.map(Clone::clone).to_vec()
        })
        .collect();
    let columns = [
        ("engine", Kind::Text),
        ("protocol", Kind::Text),
        ("command", Kind::Code),
        ("options", Kind::Code),
    ];
    // A column that says nothing is no column.
    let n_columns = if rows.iter().all(|row| row[3].is_empty()) { 3 } else { 4 };
    let settings = definitions("settings", &items);
    format!("{settings}{}", table("Engines", "", &columns[..n_columns], &rows))
}

fn standings(tally: &Tally) -> String {
    let rows: Vec<Vec<String>> = tally
        .ranking()
        .iter()
        .map(|ranked| {
            let all = ranked.total.all();
            vec![
                ranked.name.clone(),
                all.n_games().to_string(),
                all.points().to_string(),
                percent(all),
                all.wins.to_string(),
                all.draws.to_string(),
                all.losses.to_string(),
                ranked.total.discs().map_or_else(dash, |discs| discs_text(&discs)),
                ranked.rating.map_or_else(dash, |rating| elo_text(rating.elo, rating.known_error())),
            ]
        })
        .collect();
    let number = Kind::Number;
    let columns = [
        ("engine", Kind::Text),
        ("games", number),
        ("points", number),
        ("%", number),
        ("won", number),
        ("drawn", number),
        ("lost", number),
        ("discs a game", number),
        ("rating", number),
    ];
    let note = "Ratings are Elo points around a mean of 0, with the half width of their 95 % interval: \
                two engines stand half their difference above and below. Disc differences carry their \
                standard error, and leave out games that were not decided by discs.";
    table("Standings", note, &columns, &rows)
}

fn cross_table(tally: &Tally) -> String {
    let ranking = tally.ranking();
    if ranking.len() < 3 {
        return String::new();
    }
    let rows: Vec<Vec<String>> = ranking
        .iter()
        .map(|engine| {
            let cells = ranking.iter().map(|other| {
                if engine.index == other.index {
                    return "·".to_owned();
                }
                tally.versus(engine.index, other.index).map_or_else(dash, |versus| {
                    format!("{} ({})", versus.all().points(), wdl_text(versus.all()))
                })
            });
            std::iter::once(engine.name.clone()).chain(cells).collect()
        })
        .collect();
    let mut columns = vec![("against", Kind::Text)];
    columns.extend(ranking.iter().map(|other| (other.name.as_str(), Kind::Number)));
    let note =
        "Points of the engine at the left against the one above, with its games won, drawn, lost.";
    table("Cross table", note, &columns, &rows)
}

fn colours(tally: &Tally) -> String {
    let mut black = Wdl::default();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for ranked in tally.ranking() {
        let total = ranked.total;
        black.wins += total.black.wins;
        black.draws += total.black.draws;
        black.losses += total.black.losses;
        rows.push(vec![
            ranked.name,
            wdl_text(total.black),
            percent(total.black),
            wdl_text(total.white),
            percent(total.white),
        ]);
    }
    let white = Wdl { wins: black.losses, draws: black.draws, losses: black.wins };
    rows.push(vec!["all".to_owned(), wdl_text(black), percent(black), wdl_text(white), percent(white)]);
    let columns = [
        ("engine", Kind::Text),
        ("as Black", Kind::Number),
        ("%", Kind::Number),
        ("as White", Kind::Number),
        ("%", Kind::Number),
    ];
    table("Colours", "Games won, drawn, lost with each colour.", &columns, &rows)
}

fn endings(tally: &Tally, rows: &[&GameRow]) -> String {
    let mut counts: BTreeMap<Reason, (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    for row in rows {
        let (count, losers) = counts.entry(row.reason).or_default();
        *count += 1;
        if let Some(loser) = &row.loser {
            *losers.entry(loser).or_default() += 1;
        }
    }
    let has_losers = counts.values().any(|(_, losers)| !losers.is_empty());
    let mut columns = vec![("ending", Kind::Text), ("games", Kind::Number)];
    if has_losers {
        columns.extend(tally.engines().iter().map(|name| (name.as_str(), Kind::Number)));
    }
    let rows: Vec<Vec<String>> = Reason::ALL
        .iter()
        .filter_map(|reason| Some((reason, counts.get(reason)?)))
        .map(|(reason, (count, losers))| {
            let at_fault = tally
                .engines()
                .iter()
                .map(|name| losers.get(name.as_str()).map(ToString::to_string).unwrap_or_default());
            [reason.name().to_owned(), count.to_string()].into_iter().chain(at_fault).collect()
        })
        .collect();
    let note =
        if has_losers { "Under the engines' names: games they lost by a fault or gave up." } else { "" };
    table("How the games ended", note, &columns, &rows)
}

/// Each game has two lines: what is said about it, and its moves over the whole width.
fn games(rows: &[&GameRow]) -> String {
    let has_names = rows.iter().any(|row| !row.moves.starts_with(&row.opening));
    let number = Kind::Number;
    let mut columns = vec![
        ("game", number),
        ("pair", number),
        ("Black", Kind::Text),
        ("White", Kind::Text),
        ("score", number),
        ("winner", Kind::Text),
        ("ending", Kind::Text),
        ("plies", number),
        ("seconds", number),
    ];
    if has_names {
        columns.push(("opening", Kind::Text));
    }
    let note = "The score is the official one; in brackets stand the discs on the board of a game that \
                has none.";
    let mut out = table_head("Games", note, &columns);
    for row in rows {
        out.push_str("<tbody class=\"game\">\n");
        out.push_str(&table_row(&game_cells(row), &columns));
        let _ = write!(
            out,
            "<tr class=\"moves\"><td colspan=\"{}\"><code>{}</code>",
            columns.len(),
            escape(&row.moves)
        );
        for note in notes(row) {
            let _ = write!(out, "<br><code>{}</code>", escape(&note));
        }
        out.push_str("</td></tr>\n</tbody>\n");
    }
    out.push_str("</table></div>\n</section>\n");
    out
}

fn game_cells(row: &GameRow) -> Vec<String> {
    let score = match &row.official {
        Some(official) => format!("{}:{}", official.x, official.o),
        None => format!("({}:{})", row.count.x, row.count.o),
    };
    let winner = match row.winner {
        Winner::Black => row.x.clone(),
        Winner::White => row.o.clone(),
        Winner::Nobody if row.reason == Reason::Stopped => dash(),
        Winner::Nobody => "draw".to_owned(),
    };
    vec![
        row.game.to_string(),
        row.pair.to_string(),
        row.x.clone(),
        row.o.clone(),
        score,
        winner,
        ending_text(row),
        row.plies.to_string(),
        format!("{:.1}", row.seconds),
        row.opening.clone(),
    ]
}

fn ending_text(row: &GameRow) -> String {
    let mut text = row.reason.name().to_owned();
    if let Some(loser) = &row.loser {
        let _ = write!(text, " ({loser}");
        if let Some(code) = row.exit_code {
            let _ = write!(text, ", exit code {code}");
        }
        text.push(')');
    }
    text
}

fn notes(row: &GameRow) -> impl Iterator<Item = String> {
    let same = row.duplicate_of.map(|game| format!("same moves as game {game}"));
    same.into_iter().chain(row.note.clone())
}

fn wdl_text(wdl: Wdl) -> String {
    format!("+{} ={} −{}", wdl.wins, wdl.draws, wdl.losses)
}

fn percent(wdl: Wdl) -> String {
    wdl.percent_text().unwrap_or_else(dash)
}

fn dash() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::{fault, row};
    use super::*;
    use crate::page::html::is_balanced;

    fn head(names: &[&str]) -> ReportHead {
        let engines = names.iter().map(|name| ReportEngine {
            name: (*name).to_owned(),
            command: format!("./{name} --depth 8"),
            protocol: "gtp".to_owned(),
            options: String::new(),
        });
        ReportHead {
            title: "A against B".to_owned(),
            variant: "othello".to_owned(),
            time_control: "1+0.1".to_owned(),
            seed: Some(7),
            engines: engines.collect(),
            sprt: "elo0=0,elo1=10".parse().ok(),
            ..ReportHead::default()
        }
    }

    #[test]
    fn the_page_is_whole_and_needs_nothing_from_outside() {
        let rows = [
            row(2, 1, "B", "A", -4),
            row(1, 1, "A", "B", 10),
            fault(3, 2, "A", "B", "A", Reason::Timeout),
        ];
        let page = html_report(&head(&["A", "B"]), &rows);
        assert_eq!(is_balanced(&page), Ok(()));
        for outside in ["http:", "https:", "src=", "<script", "@import", "url(\""] {
            assert!(!page.contains(outside), "{outside}");
        }
        for word in [
            "Standings",
            "Elo over the games",
            "Sequential test",
            "Disc differences",
            "Colours",
            "time-out (A)",
            "f5d6c3d3c4",
            "--depth 8",
            "1+0.1",
        ] {
            assert!(page.contains(word), "{word}");
        }
        assert!(
            page.find("<th scope=\"row\" class=\"number\">1</th>")
                < page.find("<th scope=\"row\" class=\"number\">2</th>")
        );
    }

    #[test]
    fn names_and_commands_are_text_and_nothing_else() {
        let nasty = "<script>alert(\"1\")</script>&'";
        let mut rows = vec![row(1, 1, nasty, "B", 10), row(2, 1, "B", nasty, 2)];
        rows[0].note = Some(nasty.to_owned());
        rows[0].moves = nasty.to_owned();
        rows[1].loser = Some(nasty.to_owned());
        let mut head = head(&[nasty, "B"]);
        head.title = nasty.to_owned();
        head.further = vec![(nasty.to_owned(), nasty.to_owned())];
        head.engines[0].options = nasty.to_owned();
        let page = html_report(&head, &rows);
        assert!(!page.contains("<script"), "markup came through");
        assert!(!page.contains("&'"), "a quote came through");
    }

    #[test]
    fn several_engines_have_a_cross_table_and_ratings() {
        let rows = [row(1, 1, "A", "B", 10), row(2, 1, "B", "C", -4), row(3, 2, "C", "A", 0)];
        let page = html_report(&head(&["A", "B", "C"]), &rows);
        assert!(page.contains("Cross table") && page.contains("Ratings over the games"));
        assert!(page.contains("class=\"legend\""));
    }

    #[test]
    fn a_tournament_without_games_has_a_page() {
        let page = html_report(&head(&["A", "B"]), &[]);
        assert!(page.contains("<dd>0</dd>") && !page.contains("NaN"));
    }
}
