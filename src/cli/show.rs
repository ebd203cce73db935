//! `outflank show`: a board for people, as text or as SVG.

use std::env;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;

use anyhow::Context;

use super::Outcome;
use super::args::{ColorArg, ShowArgs};
use super::output::Output;
use super::subject::{Room, one_or_start};
use crate::record;
use crate::report::diagram::{Diagram, Marks};
use crate::rules::{Forfeit, Game, Side, Square, SquareSet, count};

/// Draws one position.
///
/// # Errors
/// Wrong usage, a position that cannot be used, and output that cannot be written.
pub fn run(args: &ShowArgs) -> anyhow::Result<Outcome> {
    let room = Room::of(&args.variant)?;
    let game = one_or_start(args.position.as_deref(), room)?;
    let look = Look {
        glyphs: if args.ascii { &ASCII } else { &ROUND },
        colored: is_colored(args.color),
        legal: if args.moves { game.legal() } else { SquareSet::EMPTY },
        last: game.log().iter().rev().find_map(|entry| entry.mv.act.square()),
    };
    let mut out = Output::new();
    match &args.svg {
        Some(path) => write_svg(path, &game, &look, &mut out)?,
        None => print(&game, &look, args.moves, &mut out)?,
    }
    Ok(Outcome::Good)
}

fn print(game: &Game, look: &Look, list_moves: bool, out: &mut Output) -> anyhow::Result<()> {
    for line in drawing(game, look) {
        out.line(&line)?;
    }
    out.line(&situation(game, look.glyphs))?;
    if list_moves {
        for line in moves(game) {
            out.line(&line)?;
        }
    }
    out.line(&format!("variant {}", record::variant_text(game.variant())))?;
    out.line(&format!("pos {}", record::board_text(game.variant(), game.state())))?;
    Ok(())
}

fn write_svg(path: &Path, game: &Game, look: &Look, out: &mut Output) -> anyhow::Result<()> {
    let diagram = Diagram {
        state: game.state(),
        marks: Marks { last: look.last, legal: look.legal, ..Marks::default() },
        title: situation(game, &ROUND),
        id: "board".to_owned(),
    };
    let file = diagram.file();
    if path == Path::new("-") {
        out.line(file.trim_end())?;
        return Ok(());
    }
    fs::write(path, file).with_context(|| format!("--svg {}", path.display()))
}

// ---------------------------------------------------------------------------------------------
// As text

/// How a board looks.
struct Look {
    glyphs: &'static Glyphs,
    colored: bool,
    /// The squares that are marked as legal.
    legal: SquareSet,
    /// Where the last disc was put down.
    last: Option<Square>,
}

/// How cells are drawn.
struct Glyphs {
    black: char,
    white: char,
    empty: char,
    hole: char,
    legal: char,
}

const ASCII: Glyphs = Glyphs { black: 'x', white: 'o', empty: '-', hole: '#', legal: '+' };
const ROUND: Glyphs = Glyphs { black: '●', white: '○', empty: '·', hole: ' ', legal: '+' };

impl Glyphs {
    fn of(&self, side: Side) -> char {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }
}

/// Colours of the 256 that terminals share: discs on green, as on a board. Where a terminal is dark a
/// black disc is otherwise hard to tell from a white one.
mod color {
    pub const FELT: &str = "\x1b[48;5;29m";
    pub const BLACK: &str = "\x1b[38;5;16m";
    pub const WHITE: &str = "\x1b[38;5;231m";
    pub const FAINT: &str = "\x1b[38;5;72m";
    pub const MARK: &str = "\x1b[38;5;222m";
    pub const OFF: &str = "\x1b[0m";
}

/// What `--color` means here: see <https://no-color.org>.
fn is_colored(when: ColorArg) -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match when {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
            std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
        }
    }
}

/// Row 1 on top, as in a diagram.
fn drawing(game: &Game, look: &Look) -> Vec<String> {
    let geometry = game.state().board.geometry();
    let letters: String =
        (0..geometry.columns()).map(|column| format!(" {}", char::from(b'a' + column))).collect();
    let mut lines = vec![format!("  {letters}")];
    lines.extend((0..geometry.rows()).map(|row| row_line(game, look, row)));
    lines
}

/// The cells of a row with what stands between them: a blank, or a bracket beside the last move.
fn row_line(game: &Game, look: &Look, row: u8) -> String {
    let columns = game.state().board.geometry().columns();
    let is_last = |column: Option<u8>| {
        column.and_then(|column| Square::new(column, row)).is_some_and(|at| look.last == Some(at))
    };
    let mut line = format!("{:>2}", row + 1);
    for column in 0..=columns {
        let before = column.checked_sub(1);
        let between = match (is_last(before), is_last(Some(column))) {
            (true, _) => ']',
            (_, true) => '[',
            _ if column == columns => break,
            _ => ' ',
        };
        // The ground of a blank is that of the square behind it.
        let ground = if column < columns { column } else { columns - 1 };
        let on_board = is_playable(game, ground, row);
        line.push_str(&look.paint(between, color::MARK, on_board));
        if column < columns {
            let (glyph, ink) = cell(game, look, column, row);
            line.push_str(&look.paint(glyph, ink, on_board));
        }
    }
    line.trim_end().to_owned()
}

fn is_playable(game: &Game, column: u8, row: u8) -> bool {
    let geometry = game.state().board.geometry();
    Square::new(column, row).is_some_and(|square| geometry.is_playable(square))
}

/// A cell and the colour of what is on it.
fn cell(game: &Game, look: &Look, column: u8, row: u8) -> (char, &'static str) {
    let board = &game.state().board;
    let glyphs = look.glyphs;
    let square = Square::new(column, row).filter(|&square| board.geometry().is_playable(square));
    let Some(square) = square else { return (glyphs.hole, color::FAINT) };
    match board.disc(square) {
        // On a coloured ground both discs are full.
        Some(Side::White) if look.colored && glyphs.white == ROUND.white => (ROUND.black, color::WHITE),
        Some(Side::White) => (glyphs.white, color::WHITE),
        Some(Side::Black) => (glyphs.of(Side::Black), color::BLACK),
        None if look.legal.contains(square) => (glyphs.legal, color::MARK),
        None => (glyphs.empty, color::FAINT),
    }
}

impl Look {
    fn paint(&self, glyph: char, ink: &str, on_board: bool) -> String {
        match (self.colored, on_board) {
            (true, true) => format!("{}{ink}{glyph}{}", color::FELT, color::OFF),
            _ => glyph.to_string(),
        }
    }
}

/// Who is to move, or how the game ended.
fn situation(game: &Game, glyphs: &Glyphs) -> String {
    let state = game.state();
    let discs = count(&state.board);
    let counted = format!("{} {} : {} {}", glyphs.black, discs.black, discs.white, glyphs.white);
    let name = |side| match side {
        Side::Black => format!("{} Black", glyphs.black),
        Side::White => format!("{} White", glyphs.white),
    };
    match game.ending(Forfeit::None) {
        None if state.in_opening() => {
            format!(
                "{counted}   {} to place, {} left to place",
                name(state.side),
                state.placements_left()
            )
        }
        None if game.must_pass().is_some() => format!("{counted}   {} must pass", name(state.side)),
        None => format!("{counted}   {} to move", name(state.side)),
        Some(ending) => {
            let winner = ending.winner.map_or("tie".to_owned(), |side| format!("{} wins", name(side)));
            match ending.official {
                Some(score) => format!("{counted}   {winner}, official {}:{}", score.black, score.white),
                None => format!("{counted}   {winner}"),
            }
        }
    }
}

fn moves(game: &Game) -> Vec<String> {
    let squares =
        |set: SquareSet| set.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
    game.legal()
        .iter()
        .map(|square| match game.flips(square) {
            flips if flips.is_empty() => format!("{square}"),
            flips => format!("{square} turns {}", squares(flips)),
        })
        .collect()
}
