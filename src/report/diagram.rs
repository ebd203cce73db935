//! A board as SVG: discs, holes, and marks on squares.
//!
//! The colours are those of a real board and are the same in light, in dark and in print; marks
//! differ in shape as well as in colour. A picture can stand alone or inside a page, which then
//! brings [`STYLE`].

use std::fmt::Write;

use crate::page::plot::escape;
use crate::rules::{Side, Square, SquareSet, State, count};

/// What is marked on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Where the last disc was put down: a dot on it.
    pub last: Option<Square>,
    /// Where the mover may put a disc: small rings.
    pub legal: SquareSet,
    /// What was played from here: a cross.
    pub played: Option<Square>,
    /// What would have been best: filled rings.
    pub best: SquareSet,
}

/// A board to be drawn.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    /// The position.
    pub state: &'a State,
    /// What is marked on it.
    pub marks: Marks,
    /// What it shows, in a few words: read out, and shown on pointing.
    pub title: String,
    /// Unique on the page; letters, digits and `-` only.
    pub id: String,
}

const CELL: u32 = 40;
/// The frame at the left and above, which holds the names of columns and rows.
const NAMES: u32 = 28;
/// The frame at the right and below.
const EDGE: u32 = 10;

/// The rules of all boards. No variables: not every program that shows SVG knows them.
pub const STYLE: &str = "\
.board-frame{fill:#233a2d}.board-felt{fill:#3f8f5f;stroke:#2a6a45;stroke-width:1.5}\
.board-name{fill:#dfe9e2;font:600 15px system-ui,\"DejaVu Sans\",sans-serif;text-anchor:middle}\
.board-star{fill:#2a6a45}\
.board-black{fill:#16191a;stroke:#000;stroke-width:1}.board-white{fill:#f6f6f0;stroke:#5d6661;stroke-width:1}\
.board-last{fill:#e4572e}\
.board-legal{fill:none;stroke:#d8efe0;stroke-width:2;opacity:.9}\
.board-played{fill:none;stroke:#ffb14a;stroke-width:5;stroke-linecap:round}\
.board-best{fill:#bfe3ff;stroke:#0d3b66;stroke-width:3}\
";

impl Diagram<'_> {
    /// An element for a page whose style sheet holds [`STYLE`].
    #[must_use]
    pub fn element(&self) -> String {
        self.svg("", "")
    }

    /// A file of its own.
    #[must_use]
    pub fn file(&self) -> String {
        let (width, height) = self.size();
        let attributes =
            format!(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"");
        let style = format!("<style>{STYLE}</style>");
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.svg(&attributes, &style))
    }

    fn size(&self) -> (u32, u32) {
        let geometry = self.state.board.geometry();
        let along = |n: u8| NAMES + EDGE + CELL * u32::from(n);
        (along(geometry.columns()), along(geometry.rows()))
    }

    fn svg(&self, attributes: &str, style: &str) -> String {
        let (width, height) = self.size();
        let id = &self.id;
        let mut out = format!(
            "<svg{attributes} class=\"board\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\"><title id=\"{id}-title\">{}</title>\
             <desc id=\"{id}-desc\">{}</desc>{style}\
             <rect class=\"board-frame\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>",
            escape(&self.title),
            escape(&self.description())
        );
        self.names(&mut out);
        self.squares(&mut out);
        self.discs(&mut out);
        self.draw_marks(&mut out);
        out.push_str("</svg>");
        out
    }

    /// The position in words, for those who do not see it.
    fn description(&self) -> String {
        let board = &self.state.board;
        let list = |set: SquareSet| match set.is_empty() {
            true => "nowhere".to_owned(),
            false => set.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" "),
        };
        let discs = count(board);
        let mut text = format!(
            "{} black discs: {}. {} white discs: {}.",
            discs.black,
            list(board.black()),
            discs.white,
            list(board.white())
        );
        let holes = board.geometry().holes();
        if !holes.is_empty() {
            let _ = write!(text, " No squares: {}.", list(holes));
        }
        let Marks { last, legal, played, best } = &self.marks;
        if let Some(square) = last {
            let _ = write!(text, " Last move: {square}.");
        }
        if let Some(square) = played {
            let _ = write!(text, " Played: {square}.");
        }
        if !best.is_empty() {
            let _ = write!(text, " Best: {}.", list(*best));
        }
        if !legal.is_empty() {
            let _ = write!(text, " Legal: {}.", list(*legal));
        }
        text
    }

    fn names(&self, out: &mut String) {
        let geometry = self.state.board.geometry();
        for column in 0..geometry.columns() {
            let x = middle(column);
            let letter = char::from(b'a' + column);
            let _ = write!(out, "<text class=\"board-name\" x=\"{x}\" y=\"20\">{letter}</text>");
        }
        for row in 0..geometry.rows() {
            let y = middle(row) + 5;
            let _ = write!(out, "<text class=\"board-name\" x=\"14\" y=\"{y}\">{}</text>", row + 1);
        }
    }

    fn squares(&self, out: &mut String) {
        let geometry = self.state.board.geometry();
        for square in geometry.playable().iter() {
            let (x, y) = (corner(square.column()), corner(square.row()));
            let _ = write!(
                out,
                "<rect class=\"board-felt\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>"
            );
        }
        // The four dots two squares from the corners that boards have.
        if geometry.columns() < 6 || geometry.rows() < 6 || !geometry.holes().is_empty() {
            return;
        }
        for column in [2, geometry.columns() - 2] {
            for row in [2, geometry.rows() - 2] {
                let (x, y) = (corner(column), corner(row));
                let _ = write!(out, "<circle class=\"board-star\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>");
            }
        }
    }

    fn discs(&self, out: &mut String) {
        let board = &self.state.board;
        for (side, class) in [(Side::Black, "board-black"), (Side::White, "board-white")] {
            board.discs(side).iter().for_each(|square| circle(out, class, square, 16));
        }
    }

    fn draw_marks(&self, out: &mut String) {
        let Marks { last, legal, played, best } = &self.marks;
        let covered = played.map_or(SquareSet::EMPTY, SquareSet::from) | *best;
        legal.without(covered).iter().for_each(|square| circle(out, "board-legal", square, 7));
        best.iter().for_each(|square| circle(out, "board-best", square, 10));
        if let Some(square) = last {
            circle(out, "board-last", *square, 5);
        }
        if let Some(square) = played {
            let (x, y) = (middle(square.column()), middle(square.row()));
            let (left, right, top, bottom) = (x - 10, x + 10, y - 10, y + 10);
            let _ = write!(
                out,
                "<path class=\"board-played\" d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\"/>"
            );
        }
    }
}

fn circle(out: &mut String, class: &str, square: Square, radius: u32) {
    let (x, y) = (middle(square.column()), middle(square.row()));
    let _ = write!(out, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
}

/// Where a column or row begins.
fn corner(index: u8) -> u32 {
    NAMES + CELL * u32::from(index)
}

/// The middle of a column or row.
fn middle(index: u8) -> u32 {
    corner(index) + CELL / 2
}
