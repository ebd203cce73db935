//! `outflank bench`: fixed searches and their node counts, and the speed of the inner loops.

use std::time::Instant;

use outflank_protocol::variant::read_variant;

use super::args::BenchArgs;
use super::output::Output;
use super::perft::{count, count_line};
use super::{Outcome, require_cpu};
use crate::engine::native::bench;
use crate::kernel::measure::{Operation, samples};
use crate::kernel::{self, Tier};
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
    if args.kernels {
        return kernels(&mut out, args.cpu.tier());
    }
    if args.perft {
        counts(&mut out)?
    } else {
        searches(&mut out)?
    }
    Ok(Outcome::Good)
}

/// Few enough to stay in the nearest cache.
const N_SAMPLES: usize = 1024;
const N_ROUNDS: u32 = 2000;

/// Times every operation on one tier, or on all that this processor has.
fn kernels(out: &mut Output, only: Option<Tier>) -> anyhow::Result<Outcome> {
    let samples = samples(N_SAMPLES);
    let mut outcome = Outcome::Good;
    for operation in Operation::ALL {
        let expected = kernel::measure::run(Tier::Portable, operation, &samples);
        for tier in Tier::all_here().filter(|&tier| only.is_none_or(|only| only == tier)) {
            let started = Instant::now();
            let mut agrees = true;
            for _ in 0..N_ROUNDS {
                agrees &= kernel::measure::run(tier, operation, &samples) == expected;
            }
            let seconds = started.elapsed().as_secs_f64();
            let (name, operations) = (operation.name(), u64::from(N_ROUNDS) * N_SAMPLES as u64);
            let ns = seconds * 1e9 / operations as f64;
            out.line(&format!("{name} {tier} {operations} {seconds:.6} {ns:.2}"))?;
            if !agrees {
                eprintln!("error: {name} on {tier} does not do what it does on portable");
                outcome = Outcome::Fault;
            }
        }
    }
    Ok(outcome)
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
