//! `outflank show`: a board for people.

use super::Outcome;
use super::args::ShowArgs;
use super::output::Output;
use super::subject::{Room, one_or_start};
use crate::record;
use crate::rules::{Forfeit, Game, Side, Square, SquareSet, count};

/// Draws one position.
///
/// # Errors
/// Wrong usage, a position that cannot be used, and output that cannot be written.
pub fn run(args: &ShowArgs) -> anyhow::Result<Outcome> {
    let room = Room::of(&args.variant)?;
    let game = one_or_start(args.position.as_deref(), room)?;
    let marks = if args.ascii { &ASCII } else { &ROUND };
    let marked = if args.moves { game.legal() } else { SquareSet::EMPTY };
    let mut out = Output::new();
    for line in drawing(&game, marks, marked) {
        out.line(&line)?;
    }
    out.line(&situation(&game, marks))?;
    if args.moves {
        for line in moves(&game) {
            out.line(&line)?;
        }
    }
    out.line(&format!("variant {}", record::variant_text(game.variant())))?;
    out.line(&format!("pos {}", record::board_text(game.variant(), game.state())))?;
    Ok(Outcome::Good)
}

/// How cells are drawn.
struct Marks {
    black: char,
    white: char,
    empty: char,
    hole: char,
    legal: char,
}

const ASCII: Marks = Marks { black: 'x', white: 'o', empty: '-', hole: '#', legal: '+' };
const ROUND: Marks = Marks { black: '●', white: '○', empty: '·', hole: ' ', legal: '+' };

impl Marks {
    fn of(&self, side: Side) -> char {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }
}

/// Row 1 on top, as in a diagram.
fn drawing(game: &Game, marks: &Marks, marked: SquareSet) -> Vec<String> {
    let geometry = game.state().board.geometry();
    let letters: String =
        (0..geometry.columns()).map(|column| format!(" {}", char::from(b'a' + column))).collect();
    let mut lines = vec![format!("  {letters}")];
    for row in 0..geometry.rows() {
        let cells: String = (0..geometry.columns())
            .map(|column| format!(" {}", cell(game, marks, marked, Square::new(column, row))))
            .collect();
        lines.push(format!("{:>2}{cells}", row + 1).trim_end().to_owned());
    }
    lines
}

fn cell(game: &Game, marks: &Marks, marked: SquareSet, at: Option<Square>) -> char {
    let board = &game.state().board;
    match at {
        Some(square) if board.geometry().is_playable(square) => match board.disc(square) {
            Some(side) => marks.of(side),
            None if marked.contains(square) => marks.legal,
            None => marks.empty,
        },
        _ => marks.hole,
    }
}

/// Who is to move, or how the game ended.
fn situation(game: &Game, marks: &Marks) -> String {
    let state = game.state();
    let discs = count(&state.board);
    let counted = format!("{} {} : {} {}", marks.black, discs.black, discs.white, marks.white);
    let name = |side| match side {
        Side::Black => format!("{} Black", marks.black),
        Side::White => format!("{} White", marks.white),
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
