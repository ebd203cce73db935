//! No subcommand: the protocol loop with its options.

use std::fs;
use std::io::Read;
use std::process::ExitCode;

use anyhow::Context;
use outflank_protocol::Dialect;
use outflank_protocol::startup::Startup;

use super::args::{EngineArgs, PlayArgs};
use super::{Usage, require_cpu, solve};
use crate::engine::Evaluation;
use crate::engine::native::{self, Objective};
use crate::engine::scripted::ScriptedEngine;
use crate::record::clip;
use crate::session::{OPTIONS, Options};
use crate::stdio;

/// Speaks a protocol on standard input and output, or does what the dialect's own options ask for
/// instead.
///
/// # Errors
/// Wrong usage, a weights file that cannot be used, or an engine that cannot be set up.
pub fn run(args: &PlayArgs, startup: Option<Startup>) -> anyhow::Result<ExitCode> {
    require_cpu(args.engine.cpu)?;
    let mut set = engine_settings(&args.engine, args.threads)?;
    if let Some(level) = args.level {
        set.insert(0, ("level".to_owned(), level.to_string()));
    }
    let (dialect, errand) = match startup {
        Some(startup) => {
            set.splice(0..0, startup.settings);
            (Some(startup.dialect), startup.errand)
        }
        None => (args.protocol.as_deref().map(dialect_of).transpose()?, None),
    };
    let options = checked(&set)?;
    if let Some(errand) = errand {
        return Ok(solve::run_errand(errand, options)?.into());
    }
    let script = args.script.as_deref().map(script_of).transpose()?;
    if script.is_none() && options.evaluation() == Evaluation::Trained {
        native::prepare();
    }
    stdio::run(stdio::Options { dialect, set, script })
}

/// The engine of `--engine scripted:FILE`.
fn script_of(argument: &str) -> anyhow::Result<ScriptedEngine> {
    let Some(path) = argument.strip_prefix("scripted:") else {
        return Err(Usage(format!("--engine '{}': it takes scripted:FILE", clip(argument))).into());
    };
    let script = fs::read_to_string(path).with_context(|| format!("--engine scripted:{path}"))?;
    ScriptedEngine::from_script(&script).with_context(|| format!("--engine scripted:{path}"))
}

fn dialect_of(name: &str) -> Result<Box<dyn Dialect>, Usage> {
    if let Some(dialect) = outflank_protocol::by_name(name) {
        return Ok(dialect);
    }
    let known: Vec<&str> = outflank_protocol::DIALECTS.iter().map(|row| row.name).collect();
    Err(Usage(format!("--protocol '{}': this build speaks {}", clip(name), known.join(", "))))
}

/// The option table with what the command line sets in it.
///
/// # Errors
/// Options that do not exist, values out of range, a weights file that cannot be used.
pub fn settings_of(engine: &EngineArgs, threads: Option<u32>) -> anyhow::Result<Options> {
    Ok(checked(&engine_settings(engine, threads)?)?)
}

/// The settings that flags stand for, then those of `--set`, so that the latter win.
fn engine_settings(engine: &EngineArgs, threads: Option<u32>) -> anyhow::Result<Vec<(String, String)>> {
    let mut set = Vec::new();
    if let Some(mib) = engine.hash {
        set.push(("hash".to_owned(), mib.to_string()));
    }
    if let Some(threads) = threads {
        set.push(("threads".to_owned(), threads.to_string()));
    }
    if let Some(weights) = &engine.weights {
        let word = if ["none", "hand"].contains(&weights.as_str()) {
            "hand"
        } else {
            load_weights(weights)?;
            "trained"
        };
        set.push(("weights".to_owned(), word.to_owned()));
    }
    set.extend(engine.set.iter().cloned());
    Ok(set)
}

/// No file of weights is as large as this. What is larger is cut off, and refused for what it then
/// lacks, so that a device without an end is not read for ever.
const MOST_WEIGHTS: u64 = 64 << 20;

fn load_weights(file: &str) -> anyhow::Result<()> {
    let named = || format!("--weights '{}'", clip(file));
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).with_context(named)?;
    opened.take(MOST_WEIGHTS).read_to_end(&mut bytes).with_context(named)?;
    let objective = native::use_weights(bytes).with_context(named)?;
    if objective == Objective::Fewest {
        log::warn!("{}: for games that the fewest discs win; others keep their weights", named());
    }
    Ok(())
}

/// The names of all options.
pub fn option_names() -> String {
    OPTIONS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

fn checked(set: &[(String, String)]) -> Result<Options, Usage> {
    let mut options = Options::default();
    for (name, value) in set {
        if OPTIONS.iter().all(|row| row.name != name) {
            return Err(Usage(format!(
                "option {}={}: there is no such option; there are {}",
                clip(name),
                clip(value),
                option_names()
            )));
        }
        options.set(name, value).map_err(|failure| {
            Usage(format!("option {}={}: {}", clip(name), clip(value), failure.prose))
        })?;
    }
    Ok(options)
}
