//! `outflank bench`: fixed searches and their node counts, and the speed of the inner loops.

use std::time::Instant;

use outflank_protocol::variant::read_variant;

use super::args::BenchArgs;
use super::output::Output;
use super::perft::{count, count_line};
use super::{Outcome, ffo, require_cpu};
use crate::engine::native::bench;
use crate::kernel::measure::{Operation, samples};
use crate::kernel::{self, Tier};
use crate::record;
use crate::rules::{Game, PassCost};

/// Variant, depth and leaves of the timed counts. A forced pass costs a ply, and a game that ended
/// earlier counts once. The leaves were counted by programs that are not this one.
const COUNTS: &[(&str, u32, u64)] = &[
    ("othello", 9, 3_005_288),
    ("othello", 11, 212_258_800),
    ("reversi", 10, 220_736),
    ("6x6", 8, 308_716),
    ("oct", 8, 391_920),
    ("oct", 9, 3_035_364),
    ("10x10", 9, 3_045_812),
    ("12x12", 7, 55_180),
];

/// Runs the searches, the end games or the counts, and prints a line for each.
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
        return counts(COUNTS, &mut out);
    }
    if let Some(range) = args.ffo {
        return ffo::run(range, args, &mut out);
    }
    searches(args.threads as usize, &mut out)?;
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

fn searches(threads: usize, out: &mut Output) -> anyhow::Result<()> {
    let bench = bench(threads);
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
    if threads == 1 {
        out.line(&format!("signature {}", bench.signature))?;
    } else {
        eprintln!("the signature is defined for one thread only; {threads} threads give no signature");
        out.line(&format!("nodes {}", bench.signature))?;
    }
    Ok(())
}

/// Counts and compares; the rules are ours to get right, so that a wrong count is a fault.
fn counts(counts: &[(&str, u32, u64)], out: &mut Output) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Good;
    for &(name, depth, known) in counts {
        let game = Game::new(record::variant(&read_variant(name)?)?);
        let started = Instant::now();
        let nodes = count(&game, depth, PassCost::Ply);
        let line = count_line(depth, nodes, started.elapsed().as_secs_f64());
        out.line(&format!("{name} {line}"))?;
        if nodes != known {
            eprintln!("internal fault: {name} has {known} leaves at depth {depth}, not {nodes}");
            outcome = Outcome::Fault;
        }
    }
    Ok(outcome)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_not_the_known_one_is_a_fault() {
        let mut out = Output::new();
        assert_eq!(counts(&[("othello", 3, 56)], &mut out).unwrap(), Outcome::Good);
        let wrong = [("othello", 3, 57), ("6x6", 2, 12)];
        assert_eq!(counts(&wrong, &mut out).unwrap(), Outcome::Fault);
    }
}
