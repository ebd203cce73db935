//! The program `outflank`: sets up the log, does what the command line says, and turns what
//! comes of it into an exit code.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use env_logger::{Builder, Env, Target};
use outflank::cli::{self, args::Cli};

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = set_up_log(cli.play.log.as_deref()) {
        eprintln!("error: {error:#}");
        return ExitCode::from(cli::SOME_FAILED);
    }
    if let Err(error) = ctrlc::set_handler(cli::interrupted) {
        log::warn!("Ctrl-C will end the program without its exit code: {error}");
    }
    // The panic itself has told its story on standard error by then.
    catch_unwind(AssertUnwindSafe(|| cli::run(&cli)))
        .unwrap_or_else(|_| ExitCode::from(cli::INTERNAL_FAULT))
}

/// Warnings and errors go to standard error; a file gets every line in and out as well.
/// `RUST_LOG` asks for more or less.
fn set_up_log(file: Option<&Path>) -> anyhow::Result<()> {
    let level = if file.is_some() { "debug" } else { "warn" };
    let mut builder = Builder::from_env(Env::default().default_filter_or(level));
    if let Some(path) = file {
        let file = File::create(path).with_context(|| format!("--log {}", path.display()))?;
        builder.target(Target::Pipe(Box::new(file)));
    }
    builder.init();
    Ok(())
}
