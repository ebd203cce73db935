//! `outflank perft`: node counts.

use std::time::Instant;

use super::args::{PassArg, PerftArgs};
use super::output::Output;
use super::subject::{Room, one_or_start};
use super::{Outcome, require_cpu, tell_when_interrupted};
use crate::record;
use crate::rules::{Game, PassCost, divide, perft};

/// Counts from the position that was given, or from the start of the variant.
///
/// # Errors
/// Wrong usage, a position that cannot be used, and output that cannot be written.
pub fn run(args: &PerftArgs) -> anyhow::Result<Outcome> {
    require_cpu(args.cpu)?;
    let room = Room::of(&args.variant)?;
    let game = one_or_start(args.position.as_deref(), room)?;
    let (cost, words) = match args.pass {
        PassArg::Ply => (PassCost::Ply, "a forced pass costs a ply"),
        PassArg::Free => (PassCost::Free, "a forced pass costs no ply"),
    };
    let mut out = Output::new();
    let started = Instant::now();
    let depth = args.depth;
    tell_when_interrupted(move || {
        format!("the count to depth {depth} is not done after {:.1} s", started.elapsed().as_secs_f64())
    });
    eprintln!("perft: {words}");
    let nodes = if args.divide {
        count_divided(&mut out, &game, args.depth, cost)?
    } else {
        count(&game, args.depth, cost)
    };
    out.line(&count_line(args.depth, nodes, started.elapsed().as_secs_f64()))?;
    Ok(Outcome::Good)
}

/// The leaves of a game's tree.
pub fn count(game: &Game, depth: u32, cost: PassCost) -> u64 {
    perft(game.state(), game.rules(), depth, cost, &|| false).unwrap_or(0)
}

fn count_divided(out: &mut Output, game: &Game, depth: u32, cost: PassCost) -> anyhow::Result<u64> {
    let parts = divide(game.state(), game.rules(), depth, cost, &|| false).unwrap_or_default();
    for (act, nodes) in &parts {
        out.line(&format!("{} {nodes}", record::act_text(*act)))?;
    }
    if parts.is_empty() {
        // Nothing to divide: depth 0, or the game is over, and that is one leaf.
        return Ok(count(game, depth, cost));
    }
    Ok(parts.iter().map(|(_, nodes)| nodes).sum())
}

/// `depth nodes seconds nodes_per_second`
pub fn count_line(depth: u32, nodes: u64, seconds: f64) -> String {
    let per_second = nodes as f64 / seconds.max(1e-9);
    format!("{depth} {nodes} {seconds:.6} {per_second:.0}")
}
