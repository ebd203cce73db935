//! The program `outflank`: sets up the log, does what the command line says, and turns what
//! comes of it into an exit code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use outflank::cli::{self, startup};
use outflank::logging;

fn main() -> ExitCode {
    let (words, startup) = match startup::read(std::env::args_os()) {
        Ok(read) => read,
        Err(usage) => {
            eprintln!("error: {usage}");
            return ExitCode::from(cli::WRONG_USAGE);
        }
    };
    let cli = cli::parse(words);
    if let Err(error) = logging::set_up(cli.play.log.as_deref()) {
        let file = cli.play.log.as_deref().unwrap_or(Path::new(""));
        eprintln!("error: --log {}: {error}", file.display());
        return ExitCode::from(cli::SOME_FAILED);
    }
    if let Err(error) = ctrlc::set_handler(cli::interrupted) {
        log::warn!("Ctrl-C will end the program without its exit code: {error}");
    }
    // The panic itself has told its story on standard error by then.
    catch_unwind(AssertUnwindSafe(|| cli::run(&cli, startup)))
        .unwrap_or_else(|_| ExitCode::from(cli::INTERNAL_FAULT))
}
