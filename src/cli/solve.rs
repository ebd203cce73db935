//! `outflank solve`: exact values.

use super::Outcome;
use super::args::SolveArgs;
use super::batch::{self, Task};
use crate::engine::Goal;

/// Solves every input.
///
/// # Errors
/// As [`batch::run`].
pub fn run(args: &SolveArgs) -> anyhow::Result<Outcome> {
    let batch = &args.batch;
    let task = Task {
        goal: Goal::Solve { wld: batch.wld, all_moves: batch.all_moves, optimal_moves: false },
        limits: batch::limits_of(batch),
        multi_pv: 1,
        list_moves: batch.all_moves,
    };
    batch::run(batch, task)
}
