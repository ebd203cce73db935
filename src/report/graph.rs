//! The course of a game as a curve: what it was worth after every ply, where it was proved, and who
//! erred where.

use std::fmt::Write;

use super::{Analysis, Grade, Ply, colour, loss_text, word, words};
use crate::page::plot::{self, BOTTOM, Frame, HEIGHT, TOP, escape};
use crate::rules::Side;

/// Rules of the graph, over those of all plots.
pub const STYLE: &str = "
svg .proved{fill:var(--panel)}
svg .worth{fill:none;stroke:var(--s2);stroke-width:2;stroke-linejoin:round}
svg .worth.guess{stroke-dasharray:2 3;stroke-linecap:round}
svg .ply{fill:var(--s2)}
svg .err{stroke:var(--text);stroke-width:1.5;stroke-linejoin:round}
svg .err.x{fill:#16191a}svg .err.o{fill:#f6f6f0}
svg .err.blunder{stroke:var(--bad);stroke-width:2.5}
svg .err.mistake{stroke:var(--warn);stroke-width:2}
svg .turn{stroke:var(--bad);stroke-dasharray:3 3}
";

/// A position on the curve.
#[derive(Clone, Copy)]
struct Spot {
    n_plies: usize,
    /// Discs for Black.
    worth: f64,
    exact: bool,
}

/// The graph as an `svg` element; nothing for a game of which too little is known.
pub fn graph(analysis: &Analysis, id: &str) -> Option<String> {
    let n_plies = analysis.game.len();
    let spots: Vec<Spot> = (0..=n_plies)
        .filter_map(|n_plies| {
            let (worth, exact) = analysis.worth_for_black(n_plies)?;
            Some(Spot { n_plies, worth: f64::from(worth) / 100.0, exact })
        })
        .collect();
    if spots.len() < 2 {
        return None;
    }
    // Room for the marks of errors beyond the curve.
    let low = spots.iter().map(|spot| spot.worth).fold(-4.0, f64::min);
    let high = spots.iter().map(|spot| spot.worth).fold(4.0, f64::max);
    let room = (high - low) * 0.12;
    let frame = Frame { x: (0.0, n_plies as f64), y: (low - room, high + room) };
    let mut out = plot::opening(id, "Worth of the game after every ply, in discs for Black");
    let _ = write!(out, "<desc>{}</desc>", escape(&description(analysis, &spots)));
    proved_part(&mut out, &frame, &spots);
    plot::axes(&mut out, &frame, "discs for Black", "plies played");
    for point in analysis.turning_points().iter().filter(|point| point.turns()) {
        let x = frame.x(f64::from(point.ply.item));
        let bottom = HEIGHT - BOTTOM;
        let _ = write!(
            out,
            "<line class=\"turn\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"
        );
    }
    curve(&mut out, &frame, &spots);
    for ply in analysis.plies.iter().filter(|ply| ply.grade() != Grade::Good) {
        if let Some(spot) = spots.iter().find(|spot| spot.n_plies == ply.item as usize) {
            error_mark(&mut out, &frame, ply, *spot);
        }
    }
    out.push_str("</svg>");
    Some(out)
}

/// What the picture says, for those who do not see it.
fn description(analysis: &Analysis, spots: &[Spot]) -> String {
    let say = |spot: &Spot| {
        let worth = format!("{:+}", (spot.worth * 10.0).round() / 10.0);
        format!("{worth} after {} plies{}", spot.n_plies, if spot.exact { ", proved" } else { "" })
    };
    let mut text = String::new();
    if let (Some(first), Some(last)) = (spots.first(), spots.last()) {
        let _ = write!(text, "Discs for Black: {}; {}.", say(first), say(last));
    }
    for ply in analysis.plies.iter().filter(|ply| ply.grade() >= Grade::Mistake) {
        let _ = write!(text, " {}.", error_text(ply));
    }
    text
}

/// `Ply 41: White plays b2, a blunder of 10 discs; best is g7`
fn error_text(ply: &Ply) -> String {
    format!(
        "Ply {}: {} plays {}, {} {} of {} discs; best is {}",
        ply.item,
        colour(ply.side),
        word(ply.played),
        if ply.grade() == Grade::Inaccuracy { "an" } else { "a" },
        ply.grade().name(),
        loss_text(ply.loss()),
        words(&ply.best, ", ")
    )
}

/// A ground behind the part from which on everything is proved.
fn proved_part(out: &mut String, frame: &Frame, spots: &[Spot]) {
    let n_exact = spots.iter().rev().take_while(|spot| spot.exact).count();
    let (Some(first), Some(last)) = (spots.get(spots.len() - n_exact), spots.last()) else { return };
    let (left, right) = (frame.x(first.n_plies as f64), frame.x(last.n_plies as f64));
    let _ = write!(
        out,
        "<rect class=\"proved\" x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{}\"/>",
        right - left,
        HEIGHT - TOP - BOTTOM
    );
    if right - left > 60.0 {
        let _ = write!(
            out,
            "<text class=\"note\" x=\"{:.1}\" y=\"{}\">proved</text>",
            left + 5.0,
            TOP + 14.0
        );
    }
}

fn curve(out: &mut String, frame: &Frame, spots: &[Spot]) {
    let at = |spot: &Spot| (spot.n_plies as f64, spot.worth);
    let split = spots.iter().position(|spot| spot.exact).unwrap_or(spots.len());
    // The step into the proved part belongs to the estimates.
    let guessed = &spots[..spots.len().min(split + 1)];
    for (class, part) in [("worth guess", guessed), ("worth", &spots[split..])] {
        if part.len() > 1 {
            let path = plot::path(frame, part.iter().map(at));
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
    for spot in spots {
        let (x, y) = (frame.x(spot.n_plies as f64), frame.y(spot.worth));
        let _ = write!(
            out,
            "<circle class=\"ply\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"><title>after {} plies: {:+} for Black{}</title></circle>",
            spot.n_plies,
            spot.worth,
            if spot.exact { ", proved" } else { "" }
        );
    }
}

/// A triangle in the colour of who erred, pointing where the game went: down when Black erred, up
/// when White did.
fn error_mark(out: &mut String, frame: &Frame, ply: &Ply, spot: Spot) {
    let size = match ply.grade() {
        Grade::Blunder => 8.0,
        Grade::Mistake => 6.5,
        _ => 4.5,
    };
    let x = frame.x(spot.n_plies as f64);
    let down = if ply.side == Side::Black { 1.0 } else { -1.0 };
    // Beside the curve, on the side it went to, and inside the picture.
    let wanted = frame.y(spot.worth) + down * (size + 5.0);
    let y = wanted.clamp(TOP + size, HEIGHT - BOTTOM - size);
    let _ = write!(
        out,
        "<path class=\"err {} {}\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{x:.1} {:.1}Z\"><title>{}</title></path>",
        ply.side,
        ply.grade().name(),
        x - size,
        y - down * size * 0.7,
        x + size,
        y - down * size * 0.7,
        y + down * size * 0.8,
        escape(&error_text(ply))
    );
}
