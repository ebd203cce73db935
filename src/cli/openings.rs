//! `outflank openings`: balanced openings by the engine's own search.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;

use super::args::OpeningsArgs;
use super::output::Output;
use super::subject::Room;
use super::values::Number;
use super::{Outcome, require_cpu, tell_when_interrupted};
use crate::arena::balanced::{Balanced, End, Progress, Wanted, balanced};
use crate::arena::openings::name_of;
use crate::engine::native::NativeEngine;
use crate::page::counted;
use crate::record;
use crate::rules::Side;

/// How often people are told how far it is.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// Finds openings and writes them as they are found.
///
/// # Errors
/// Wrong usage, and output that cannot be written.
pub fn run(args: &OpeningsArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.cpu)?;
    let room = Room::of(&args.variant)?;
    let variant = room.variant()?;
    let wanted = Wanted {
        plies: args.plies,
        margin_centidiscs: (args.margin * 100.0).round() as i32,
        count: args.count as usize,
        seed: args.seed,
        depth: args.depth,
    };
    let mut sink = Sink::of(args)?;
    let mut n_written = 0;
    let mut take = |found: &Balanced| -> anyhow::Result<()> {
        n_written += 1;
        sink.line(&line(n_written, found, args)?)
    };
    let last = Arc::new(Mutex::new(Progress::default()));
    let now = |last: &Mutex<Progress>| *last.lock().unwrap_or_else(PoisonError::into_inner);
    let (asked, so_far) = (args.clone(), Arc::clone(&last));
    tell_when_interrupted(move || {
        format!("{}, and {} were asked for", within(&asked, now(&so_far)), asked.count)
    });
    let mut told_at = Instant::now();
    let mut told = |progress: Progress| {
        *last.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        if told_at.elapsed() >= TOLD_EVERY {
            told_at = Instant::now();
            let (all, searched) =
                (counted(args.count, "opening"), counted(progress.searched, "position"));
            eprintln!("{} of {all}, {searched} searched", progress.found);
        }
    };
    let mut engine = NativeEngine::new(args.hash as usize);
    let end = balanced(variant, &wanted, &mut engine, &mut take, &mut told)?;
    let last = now(&last);
    eprintln!("{}", summary(args, last, end));
    Ok(if last.found == 0 { Outcome::SomeFailed } else { Outcome::Good })
}

fn line(number: u32, found: &Balanced, args: &OpeningsArgs) -> anyhow::Result<String> {
    let game = &found.game;
    if !args.json {
        return Ok(name_of(game));
    }
    let position = record::board_text(game.variant(), game.state()).to_string();
    let side = game.state().side;
    let score = match side {
        Side::Black => found.black_centidiscs,
        Side::White => -found.black_centidiscs,
    };
    let moves = if game.is_empty() { String::new() } else { name_of(game) };
    Ok(serde_json::to_string(&Record {
        opening: number,
        moves,
        position,
        side: side.to_string(),
        score: Number::of_centidiscs(score),
        exact: found.exact,
        depth: args.depth,
    })?)
}

/// The record of one opening.
#[derive(Debug, Serialize)]
struct Record {
    opening: u32,
    moves: String,
    position: String,
    side: String,
    score: Number,
    exact: bool,
    depth: u32,
}

fn summary(args: &OpeningsArgs, progress: Progress, end: End) -> String {
    let within = within(args, progress);
    match end {
        End::Enough => within,
        End::NoMore => format!("{within}: there are no more, and {} were asked for", args.count),
        End::GivenUp => format!(
            "{within}: no other was found for long, and {} were asked for; there may be more",
            args.count
        ),
    }
}

fn within(args: &OpeningsArgs, progress: Progress) -> String {
    format!(
        "{} of {} within {} discs, of {} searched to depth {}",
        counted(progress.found, "opening"),
        counted(args.plies, "ply"),
        args.margin,
        counted(progress.searched, "position"),
        args.depth
    )
}

/// Where the openings go, a line at a time.
enum Sink {
    Standard(Output),
    File(File, String),
}

impl Sink {
    fn of(args: &OpeningsArgs) -> anyhow::Result<Sink> {
        let Some(path) = &args.output else { return Ok(Sink::Standard(Output::new())) };
        let name = format!("--output {}", path.display());
        let file = File::create(path).with_context(|| name.clone())?;
        Ok(Sink::File(file, name))
    }

    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        match self {
            Sink::Standard(out) => out.line(text)?,
            Sink::File(file, name) => {
                file.write_all(format!("{text}\n").as_bytes()).with_context(|| name.clone())?;
            }
        }
        Ok(())
    }
}
