//! `match`: from the command line to a tournament, and from its games to lines.

mod config;
mod contestants;
mod desk;
mod plan;
mod progress;

use std::sync::Arc;

use self::desk::Desk;
use self::plan::Plan;
use super::args::MatchArgs;
use super::{Outcome, Usage, on_interrupt};
use crate::arena::outcome::GameRow;
use crate::arena::run::Halt;
use crate::arena::store::{Paths, Store, StoreError};

/// Plays a tournament.
///
/// # Errors
/// Wrong usage, files that cannot be used, output that cannot be written.
pub fn run(args: &MatchArgs) -> anyhow::Result<Outcome> {
    let mut plan = Plan::of(args.clone())?;
    let halt = Arc::new(Halt::new());
    let raised = Arc::clone(&halt);
    on_interrupt(move || {
        let is_first = !raised.is_raised();
        raised.raise();
        is_first
    });
    // Before any file is made.
    let untold = desk::roll_call(&plan, &halt)?;
    plan.release(&untold);
    let paths = Paths { jsonl: plan.args.jsonl.clone(), ggf: plan.args.record.clone() };
    let (store, rows) = open_store(&plan, &paths)?;
    plan.check_rows(&rows)?;
    plan.warn(&untold);
    let mut desk = Desk::new(&plan, store, rows);
    let (ended, overhead) = desk.play(&halt)?;
    desk.close(&ended, overhead)
}

/// New files, or those of an earlier run with its games.
fn open_store(plan: &Plan, paths: &Paths) -> anyhow::Result<(Store, Vec<GameRow>)> {
    let opened = if plan.args.resume {
        Store::resume(paths, plan.head.clone(), |row| plan.ggf_line(row))
    } else {
        Store::create(paths, plan.head.clone()).map(|store| (store, Vec::new()))
    };
    opened.map_err(|error| match error {
        StoreError::NotEmpty { .. } | StoreError::NothingToResume => Usage(error.to_string()).into(),
        error => error.into(),
    })
}
