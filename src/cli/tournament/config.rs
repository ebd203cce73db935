//! The file of `--config`: the long options of the command in TOML, and a table for each engine.

use std::path::Path;

use anyhow::Context;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches};
use toml::{Table, Value};

use super::contestants::EngineText;
use crate::cli::Usage;
use crate::cli::args::{EngineArgs, MatchArgs};
use crate::record::clip;

/// What a file says.
#[derive(Debug)]
pub struct Config {
    /// Its options, as if they had been written on the command line.
    pub args: MatchArgs,
    /// Its engines.
    pub engines: Vec<EngineText>,
}

/// Reads a file.
///
/// # Errors
/// A file that cannot be read, is no TOML, or says what the command line would refuse; the message
/// names the file and the key.
pub fn read(path: &Path) -> anyhow::Result<Config> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("--config {name}"))?;
    Ok(parse(&name, &text)?)
}

fn parse(name: &str, text: &str) -> Result<Config, Usage> {
    let table: Table = text.parse().map_err(|error| Usage(format!("{name}: {error}")))?;
    let mut words = vec!["match".to_owned()];
    let mut engines = Vec::new();
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("engine", Value::Array(tables)) => {
                for (index, table) in tables.iter().enumerate() {
                    let place = format!("{name}: engine {}", index + 1);
                    engines.push(engine(place, table)?);
                }
            }
            ("engine", _) => {
                return Err(Usage(format!("{name}: an engine is a table [[engine]] with its keys")));
            }
            ("set", Value::Table(options)) => {
                for (option, value) in options {
                    words.push("--set".to_owned());
                    words.push(format!("{option}={}", scalar(name, "set", value)?));
                }
            }
            ("config" | "log" | "help" | "version", _) => {
                return Err(Usage(format!("{name}: {key} stands on the command line only")));
            }
            (_, Value::Boolean(false)) => {}
            (_, Value::Boolean(true)) => words.push(format!("--{key}")),
            (_, value) => words.push(format!("--{key}={}", scalar(name, key, value)?)),
        }
    }
    let args = command_line(name, text, &words)?;
    Ok(Config { args, engines })
}

/// What the command line makes of these words.
fn command_line(name: &str, text: &str, words: &[String]) -> Result<MatchArgs, Usage> {
    let command = MatchArgs::augment_args(clap::Command::new("match").disable_help_flag(true));
    let refused = |error: clap::Error| {
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(key) = key_in(&error, ContextKind::InvalidArg)
        {
            let near = key_in(&error, ContextKind::SuggestedArg);
            let near = near.map_or(String::new(), |near| format!(", '{near}' is near"));
            let line = line_of(text, &key).map_or(String::new(), |line| format!(", line {line}"));
            return Usage(format!(
                "{name}{line}: unknown key '{}'{near}; there are the long options of `outflank match` without their dashes, set, and [[engine]]",
                clip(&key)
            ));
        }
        // The first line says what is wrong; the rest is about command lines.
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Usage(format!("{name}: {first}"))
    };
    let matches = command.try_get_matches_from(words).map_err(refused)?;
    MatchArgs::from_arg_matches(&matches).map_err(refused)
}

/// An option that an error names, as a key.
fn key_in(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(option)) => Some(option.trim_start_matches("--").to_owned()),
        _ => None,
    }
}

/// The line on which a key stands that belongs to no table.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let has_key = |line: &str| {
        let rest = line.trim_start().trim_start_matches('"').strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with('='))
    };
    text.lines().position(has_key).map(|index| index + 1)
}

fn engine(place: String, value: &Value) -> Result<EngineText, Usage> {
    let Value::Table(table) = value else {
        return Err(Usage(format!("{place}: an engine is a table [[engine]] with its keys")));
    };
    let mut items = Vec::new();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("option", Value::Table(options)) => {
                for (name, value) in options {
                    items.push((format!("option.{name}"), scalar(&place, name, value)?));
                }
            }
            _ => items.push((key.clone(), scalar(&place, key, value)?)),
        }
    }
    EngineText::of_items(place, items)
}

/// A value as it would be written on the command line.
fn scalar(place: &str, key: &str, value: &Value) -> Result<String, Usage> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(yes) => Ok(yes.to_string()),
        _ => Err(Usage(format!("{place}: {} has to be a text, a number, or true or false", clip(key)))),
    }
}

impl MatchArgs {
    /// These options, and those of a file where these say nothing. Engines are kept apart.
    #[must_use]
    pub fn or(self, file: MatchArgs) -> MatchArgs {
        // A time of either kind on the command line replaces one of either kind in the file.
        let has_time = self.tc.is_some() || self.movetime.is_some();
        let engine = EngineArgs {
            hash: self.engine.hash.or(file.engine.hash),
            cpu: if self.engine.cpu.tier().is_some() { self.engine.cpu } else { file.engine.cpu },
            weights: self.engine.weights.or(file.engine.weights),
            // The last of two settings wins.
            set: file.engine.set.into_iter().chain(self.engine.set).collect(),
        };
        MatchArgs {
            engines: self.engines,
            config: self.config,
            games: self.games.or(file.games),
            pairing: self.pairing.or(file.pairing),
            openings: self.openings.or(file.openings),
            opening_plies: self.opening_plies.or(file.opening_plies),
            opening_start: self.opening_start.or(file.opening_start),
            order: self.order.or(file.order),
            seed: self.seed.or(file.seed),
            variant: self.variant.or(file.variant),
            tc: self.tc.or(file.tc.filter(|_| !has_time)),
            movetime: self.movetime.or(file.movetime.filter(|_| !has_time)),
            depth: self.depth.or(file.depth),
            nodes: self.nodes.or(file.nodes),
            margin: self.margin.or(file.margin),
            watchdog: self.watchdog.or(file.watchdog),
            concurrency: self.concurrency.or(file.concurrency),
            sprt: self.sprt.or(file.sprt),
            adjudicate_exact: self.adjudicate_exact.or(file.adjudicate_exact),
            recover: self.recover || file.recover,
            jsonl: self.jsonl.or(file.jsonl),
            record: self.record.or(file.record),
            resume: self.resume || file.resume,
            html: self.html.or(file.html),
            log_dir: self.log_dir.or(file.log_dir),
            report_every: self.report_every.or(file.report_every),
            engine,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::arena::clock::Pace;

    const FILE: &str = r#"
games = 20
tc = "60+0.5"
variant = "othello+anti"
recover = true
resume = false
adjudicate-exact = 12
sprt = "elo0=0,elo1=5"

[set]
deterministic = "on"

[[engine]]
name = "A"
cmd = "./a --gtp, quietly"
proto = "gtp"
tc = "30+0.25"
option = { threads = 2, "hash size" = "16" }

[[engine]]
cmd = "./b"
proto = "native"
restart = true
"#;

    fn refused(text: &str) -> String {
        match parse("m.toml", text) {
            Ok(config) => format!("{config:?}"),
            Err(Usage(why)) => why,
        }
    }

    #[test]
    fn a_file_says_what_the_command_line_can_say() {
        let config = parse("m.toml", FILE).unwrap();
        assert_eq!(config.args.games, Some(20));
        assert_eq!(config.args.tc, Some("60+0.5".parse().unwrap()));
        assert_eq!(config.args.adjudicate_exact, Some(12));
        assert!(config.args.sprt.is_some());
        assert_eq!((config.args.recover, config.args.resume), (true, false));
        assert_eq!(config.args.engine.set, [("deterministic".to_owned(), "on".to_owned())]);
        let engine = |index: usize| {
            config.engines[index].contestant(Pace::default(), &["gtp", "native"]).unwrap()
        };
        let (a, b) = (engine(0), engine(1));
        assert_eq!(a.spec.command, "./a --gtp, quietly");
        assert_eq!(a.spec.options.len(), 2);
        assert_eq!(a.pace.to_string(), "30+0.25");
        assert_eq!((b.spec.name.as_str(), b.restart), ("b", true));
    }

    #[test]
    fn the_command_line_wins() {
        let file = parse("m.toml", FILE).unwrap().args;
        let written = MatchArgs { games: Some(4), movetime: Some(0.5), ..MatchArgs::default() };
        let both = written.or(file);
        assert_eq!((both.games, both.movetime, both.tc), (Some(4), Some(0.5), None));
        assert_eq!(both.variant.as_deref(), Some("othello+anti"));
    }

    #[test]
    fn mistakes_are_named_with_the_file() {
        assert!(
            refused("games = x").contains("m.toml: TOML parse error at line 1"),
            "{}",
            refused("games = x")
        );
        assert!(refused("games = 0").contains("m.toml: invalid value '0' for '--games <N>'"));
        let unknown = refused("games = 2\n sed = 1\n");
        assert!(unknown.contains("m.toml, line 2: unknown key 'sed', 'seed' is near"), "{unknown}");
        assert!(refused("speed = 1").contains("m.toml, line 1: unknown key 'speed'"));
        assert!(refused("games = [1]").contains("games has to be a text"));
        assert!(refused("config = 'x'").contains("command line only"));
        assert!(refused("engine = 'x'").contains("[[engine]]"));
        let unknown = refused("[[engine]]\nkommand = 'x'");
        assert!(unknown.contains("m.toml: engine 1: unknown key 'kommand'"), "{unknown}");
    }
}
