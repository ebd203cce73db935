//! `outflank solve`: exact values.

use std::time::Duration;

use outflank_protocol::startup::Errand;

use super::Outcome;
use super::args::SolveArgs;
use super::batch::{self, Task};
use crate::engine::{Goal, Limits};
use crate::session::Options;

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

/// Searches the positions of a file and tells them as the errand says: exactly, unless the options
/// or the errand ask for less.
///
/// # Errors
/// As [`batch::run`].
pub fn run_errand(errand: Errand, options: Options) -> anyhow::Result<Outcome> {
    let chosen = |name: &str| Some(options.count(name)).filter(|n| *n > 0 && options.is_chosen(name));
    let move_time = chosen("movetime").map(|ms| Duration::from_millis(ms.into()));
    let level = options.is_chosen("level").then(|| options.count("level"));
    let limits = Limits {
        depth: chosen("depth"),
        level: level.filter(|_| chosen("depth").is_none() && move_time.is_none()),
        move_time,
        selectivity: errand.selectivity,
        ..Limits::default()
    };
    let goal = match limits == Limits::default() {
        true => Goal::Solve { wld: false, all_moves: false, optimal_moves: false },
        false => Goal::Values,
    };
    let task = Task { goal, limits, multi_pv: 1, list_moves: false };
    batch::run_file(&errand.file, task, options, errand.table)
}
