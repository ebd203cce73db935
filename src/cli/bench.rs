//! `outflank bench`: fixed searches and their node counts.

use std::time::Instant;

use outflank_protocol::variant::read_variant;

use super::args::BenchArgs;
use super::output::Output;
use super::perft::{count, count_line};
use super::{Outcome, require_cpu};
use crate::engine::native::bench;
use crate::record;
use crate::rules::{Game, PassCost};

/// Variant and depth of the timed counts.
const COUNTS: &[(&str, u32)] = &[("othello", 9), ("reversi", 10), ("6x6", 8), ("oct", 8), ("12x12", 7)];

/// Runs the searches, or the counts, and prints a line for each.
///
/// # Errors
/// Wrong usage, and output that cannot be written.
pub fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.cpu)?;
    let mut out = Output::new();
    if args.perft {
        counts(&mut out)?
    } else {
        searches(&mut out)?
    }
    Ok(Outcome::Good)
}

fn searches(out: &mut Output) -> anyhow::Result<()> {
    let bench = bench();
    for position in &bench.positions {
        let name = position.name.replace(", ", "+");
        let (empties, depth, nodes) = (position.n_empties, position.depth, position.nodes);
        out.line(&format!("{name} empties {empties} depth {depth} nodes {nodes}"))?;
    }
    let seconds = bench.time.as_secs_f64().max(1e-9);
    eprintln!(
        "{} nodes in {seconds:.3} s, {:.0} a second",
        bench.signature,
        bench.signature as f64 / seconds
    );
    out.line(&format!("signature {}", bench.signature))?;
    Ok(())
}

fn counts(out: &mut Output) -> anyhow::Result<()> {
    for &(name, depth) in COUNTS {
        let game = Game::new(record::variant(&read_variant(name)?)?);
        let started = Instant::now();
        let nodes = count(&game, depth, PassCost::Ply);
        let line = count_line(depth, nodes, started.elapsed().as_secs_f64());
        out.line(&format!("{name} {line}"))?;
    }
    Ok(())
}
