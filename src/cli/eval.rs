//! `outflank eval`: the values a search of a given effort finds.

use super::Outcome;
use super::args::EvalArgs;
use super::batch::{self, Task};
use crate::engine::{Goal, Limits};

/// Effort when nothing limits the search.
const DEFAULT_LEVEL: u32 = 10;

/// More than any position has moves.
const EVERY_MOVE: u32 = 256;

/// Evaluates every input.
///
/// # Errors
/// As [`batch::run`].
pub fn run(args: &EvalArgs) -> anyhow::Result<Outcome> {
    let batch = &args.batch;
    let task = Task {
        goal: goal(args),
        limits: limits(args),
        multi_pv: if batch.all_moves { EVERY_MOVE } else { args.multipv.unwrap_or(1) },
        list_moves: batch.all_moves || args.multipv.is_some(),
    };
    batch::run(batch, task)
}

fn goal(args: &EvalArgs) -> Goal {
    if args.batch.wld {
        Goal::Solve { wld: true, all_moves: args.batch.all_moves, optimal_moves: false }
    } else {
        Goal::Values
    }
}

fn limits(args: &EvalArgs) -> Limits {
    let bounded = args.depth.is_some() || args.nodes.is_some() || args.batch.time_per_position.is_some();
    Limits {
        depth: args.depth,
        nodes: args.nodes,
        level: args.level.or((!bounded).then_some(DEFAULT_LEVEL)),
        selectivity: args.selectivity,
        ..batch::limits_of(&args.batch)
    }
}
