//! The cross table as text: for terminals and logs.
//!
//! Knows the tally. Must not know rows.

use super::tally::{Ranked, Tally, discs_text, elo_text};

/// Columns of one table: texts, and whether they stand at the right.
struct Columns {
    heads: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

impl Tally {
    /// The standings, best first, and what each engine scored against each other: points of games.
    /// Lines end with LF, none has blanks at its end; every character is taken to be one column
    /// wide.
    #[must_use]
    pub fn cross_table(&self) -> String {
        let ranking = self.ranking();
        let mut columns = Columns { heads: Vec::new(), rows: vec![Vec::new(); ranking.len()] };
        let names: Vec<String> = (1..).zip(&ranking).map(|(rank, ranked)| place(rank, ranked)).collect();
        columns.push("engine", Align::Left, names);
        columns.push("games", Align::Right, texts(&ranking, |r| r.total.all().n_games().to_string()));
        columns.push(
            "points",
            Align::Right,
            texts(&ranking, |r| format!("{:.1}", r.total.all().points())),
        );
        columns.push("%", Align::Right, texts(&ranking, percent));
        columns.push("+", Align::Right, texts(&ranking, |r| r.total.all().wins.to_string()));
        columns.push("=", Align::Right, texts(&ranking, |r| r.total.all().draws.to_string()));
        columns.push("-", Align::Right, texts(&ranking, |r| r.total.all().losses.to_string()));
        columns.push("discs", Align::Right, texts(&ranking, discs));
        columns.push("rating", Align::Right, texts(&ranking, rating));
        for (number, opponent) in (1..).zip(&ranking) {
            let cells = texts(&ranking, |r| self.cell(r, opponent));
            columns.push(&format!("v {number}"), Align::Right, cells);
        }
        columns.to_string()
    }

    /// Points of games of one engine against another.
    fn cell(&self, engine: &Ranked, other: &Ranked) -> String {
        if engine.index == other.index {
            return "-".to_owned();
        }
        match self.versus(engine.index, other.index) {
            Some(versus) => format!("{:.1}/{}", versus.all().points(), versus.all().n_games()),
            None => ".".to_owned(),
        }
    }
}

fn texts(ranking: &[Ranked], text: impl Fn(&Ranked) -> String) -> Vec<String> {
    ranking.iter().map(text).collect()
}

fn place(rank: usize, ranked: &Ranked) -> String {
    format!("{rank} {}", ranked.name)
}

/// What stands where nothing is known: one character that every terminal has.
fn dash() -> String {
    "-".to_owned()
}

fn percent(ranked: &Ranked) -> String {
    ranked.total.all().percent_text().unwrap_or_else(dash)
}

fn discs(ranked: &Ranked) -> String {
    ranked.total.discs().map_or_else(dash, |discs| discs_text(&discs))
}

fn rating(ranked: &Ranked) -> String {
    ranked.rating.map_or_else(|| "-".to_owned(), |rating| elo_text(rating.elo, rating.known_error()))
}

impl Columns {
    fn push(&mut self, head: &str, align: Align, cells: Vec<String>) {
        self.heads.push((head.to_owned(), align));
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
}

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let heads: Vec<String> = self.heads.iter().map(|(head, _)| head.clone()).collect();
        let lines: Vec<&Vec<String>> = std::iter::once(&heads).chain(&self.rows).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..heads.len()).map(|column| width(column).unwrap_or(0)).collect();
        for line in lines {
            let cells: Vec<String> = line
                .iter()
                .zip(&widths)
                .zip(&self.heads)
                .map(|((cell, &width), (_, align))| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                })
                .collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::{row, tally};

    #[test]
    fn columns_stand_under_each_other() {
        let rows = [
            row(1, 1, "Größenwahn", "B", 10),
            row(2, 1, "B", "Größenwahn", -4),
            row(3, 2, "B", "C", 8),
            row(4, 2, "C", "B", 0),
        ];
        let table = tally(&["Größenwahn", "B", "C", "idle"], &rows).cross_table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("engine        games  points"), "{table}");
        assert!(lines[1].starts_with("1 Größenwahn      2     2.0  100.0  2  0  0"), "{table}");
        assert!(lines[1].ends_with("    -  2.0/2      .    ."), "{table}");
        assert!(lines[4].starts_with("4 idle            0     0.0      -  0  0  0"), "{table}");
        let widths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "{table}");
    }
}
