//! `outflank conform`: an engine is taken through a protocol, step by step.

use std::env;
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use anyhow::Context;
use outflank_protocol::walk::{self, Step, Walk};
use serde::Serialize;

use super::args::ConformArgs;
use super::output::Output;
use super::{Outcome, Usage, on_interrupt};
use crate::arena::traffic::Traffic;
use crate::conform::{Failure, Fault, Halt, In, Lack, Settings, Verdict, Walker};
use crate::record::clip;

/// Takes an engine through a walk, or lists what there is.
///
/// # Errors
/// Wrong usage, a walk that cannot be read, output that cannot be written.
pub fn run(args: &ConformArgs) -> anyhow::Result<Outcome> {
    let Some((name, walk)) = the_walk(args)? else {
        if !args.list {
            return Err(Usage(format!("DIALECT is missing: {}", walks())).into());
        }
        let mut out = Output::new();
        walk::WALKS.iter().try_for_each(|row| out.line(row.dialect))?;
        return Ok(Outcome::Good);
    };
    if args.list {
        return list(&walk);
    }
    let steps = chosen(&walk, &args.only)?;
    let settings = Settings {
        command: command(args)?,
        patience: Duration::from_secs_f64(args.timeout),
        judges_times: !args.untimed,
        traffic: args.verbose.then(|| Traffic::to(io::stderr())),
    };
    let halt = Halt::default();
    let raised = halt.clone();
    on_interrupt(move || {
        let is_first = !raised.is_raised();
        raised.raise();
        is_first
    });
    let mut report = Report::new(args.json, &steps);
    let mut walker = Walker::new(&walk, settings.clone(), &halt);
    let mut has_started = true;
    for (index, step) in steps.iter().enumerate() {
        let began = Instant::now();
        let verdict = if has_started { walker.go(step) } else { Verdict::Skipped(Lack::NotStarted) };
        if matches!(verdict, Verdict::Halted) {
            break;
        }
        has_started &= index > 0 || matches!(verdict, Verdict::Passed { .. });
        report.tell(step, &verdict, began.elapsed())?;
        // Without a program there is nothing to say of the other steps.
        if matches!(&verdict, Verdict::Failed(failure) if matches!(failure.fault, Fault::Start(_))) {
            break;
        }
    }
    // The last process ends before the last line is written: whoever reads it may rely on that.
    drop(walker);
    report.close(&name, &settings.command)?;
    Ok(match report.failed {
        _ if halt.is_raised() => Outcome::Interrupted,
        0 => Outcome::Good,
        _ => Outcome::SomeFailed,
    })
}

/// The walk that is asked for, with its name; nothing where none is named.
fn the_walk(args: &ConformArgs) -> anyhow::Result<Option<(String, Walk)>> {
    if let Some(path) = &args.walk {
        let named = || format!("--walk {}", path.display());
        let text = fs::read_to_string(path).with_context(named)?;
        return Ok(Some((path.display().to_string(), Walk::read(&text).with_context(named)?)));
    }
    let Some(name) = &args.dialect else { return Ok(None) };
    let Some(text) = walk::walk_text(name) else {
        return Err(Usage(format!("DIALECT '{}': {}", clip(name), walks())).into());
    };
    Ok(Some((name.clone(), Walk::read(text).with_context(|| format!("the walk of {name}"))?)))
}

/// What may stand for DIALECT.
fn walks() -> String {
    let known: Vec<&str> = walk::WALKS.iter().map(|row| row.dialect).collect();
    format!("there are walks for {}", known.join(", "))
}

fn list(walk: &Walk) -> anyhow::Result<Outcome> {
    let mut out = Output::new();
    let width = width(&walk.steps.iter().collect::<Vec<_>>());
    for step in &walk.steps {
        out.line(&format!("{:width$}  {}", step.name, step.about))?;
    }
    Ok(Outcome::Good)
}

/// The steps to go: all, or the first and those that are named, in the order of the walk.
fn chosen<'a>(walk: &'a Walk, only: &[String]) -> Result<Vec<&'a Step>, Usage> {
    if let Some(name) = only.iter().find(|name| walk.step(name).is_none()) {
        let names: Vec<&str> = walk.steps.iter().map(|step| step.name.as_str()).collect();
        return Err(Usage(format!("--only '{}': the steps are {}", clip(name), names.join(", "))));
    }
    let steps = walk.steps.iter().enumerate();
    let is_chosen =
        |index: usize, step: &Step| index == 0 || only.is_empty() || only.contains(&step.name);
    Ok(steps.filter(|(index, step)| is_chosen(*index, step)).map(|(_, step)| step).collect())
}

/// The command behind `--`, or this program told to speak the protocol.
fn command(args: &ConformArgs) -> anyhow::Result<Vec<String>> {
    if !args.command.is_empty() {
        return Ok(args.command.clone());
    }
    let own = env::current_exe().context("where this program is")?;
    let own = own.into_os_string().into_string();
    let own =
        own.map_err(|path| anyhow::anyhow!("the path of this program is no text: {}", path.display()))?;
    let mut command = vec![own];
    if let Some(name) = &args.dialect {
        command.extend(["--protocol".to_owned(), name.clone()]);
    }
    Ok(command)
}

fn width(steps: &[&Step]) -> usize {
    steps.iter().map(|step| step.name.chars().count()).max().unwrap_or_default()
}

/// What is told of the steps.
struct Report {
    out: Output,
    is_json: bool,
    width: usize,
    began: Instant,
    passed: u32,
    failed: u32,
    skipped: u32,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Row<'a> {
    step: &'a str,
    result: &'static str,
    about: &'a str,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The line of the walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

/// The last line of `--json`.
#[derive(Serialize)]
struct Closing<'a> {
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct Summary<'a> {
    walk: &'a str,
    command: &'a [String],
    passed: u32,
    failed: u32,
    skipped: u32,
    seconds: f64,
}

impl Report {
    fn new(is_json: bool, steps: &[&Step]) -> Self {
        let (out, began) = (Output::new(), Instant::now());
        Self { out, is_json, width: width(steps), began, passed: 0, failed: 0, skipped: 0 }
    }

    fn tell(&mut self, step: &Step, verdict: &Verdict, time: Duration) -> anyhow::Result<()> {
        let mut row = Row {
            step: &step.name,
            result: "pass",
            about: &step.about,
            seconds: thousandths(time),
            latency_ms: None,
            reason: None,
            line: None,
            said: None,
            stderr: None,
            exit_code: None,
            signal: None,
        };
        let mut slowest = None;
        match verdict {
            Verdict::Halted => return Ok(()),
            Verdict::Passed { slowest: time } => {
                self.passed += 1;
                slowest = *time;
                row.latency_ms = time.map(|time| thousandths(time * 1000));
            }
            Verdict::Skipped(lack) => {
                self.skipped += 1;
                row.result = "skip";
                row.reason = Some(lack.to_string());
            }
            Verdict::Failed(failure) => {
                self.failed += 1;
                row.result = "fail";
                row.reason = Some(failure.fault.to_string());
                row.line = Some(failure.line);
                row.said = Some(&failure.said);
                if let Some(ended) = &failure.ended {
                    row.stderr = Some(&ended.stderr);
                    row.exit_code = ended.exit_code;
                    row.signal = ended.signal;
                }
            }
        }
        if self.is_json {
            return Ok(self.out.line(&serde_json::to_string(&row)?)?);
        }
        let width = self.width;
        let mut line = format!("{}  {:width$}  {}", row.result, row.step, row.about);
        match (slowest, verdict) {
            (Some(time), _) => line.push_str(&format!(" ({})", In(time))),
            (_, Verdict::Skipped(lack)) => line.push_str(&format!(" ({lack})")),
            _ => {}
        }
        self.out.line(&line)?;
        match verdict {
            Verdict::Failed(failure) => self.tell_failure(failure),
            _ => Ok(()),
        }
    }

    fn tell_failure(&mut self, failure: &Failure) -> anyhow::Result<()> {
        let mut line = |text: &str| self.out.line(&format!("      {text}"));
        line(&format!("{} (line {} of the walk)", failure.fault, failure.line))?;
        failure.said.iter().try_for_each(|said| line(said))?;
        let stderr = failure.ended.iter().flat_map(|ended| &ended.stderr);
        stderr.into_iter().try_for_each(|complaint| line(&format!("! {complaint}")))?;
        Ok(())
    }

    fn close(&mut self, walk: &str, command: &[String]) -> anyhow::Result<()> {
        let Self { passed, failed, skipped, .. } = *self;
        if self.is_json {
            let seconds = thousandths(self.began.elapsed());
            let summary = Summary { walk, command, passed, failed, skipped, seconds };
            return Ok(self.out.line(&serde_json::to_string(&Closing { summary })?)?);
        }
        eprintln!("{passed} passed, {failed} failed, {skipped} skipped");
        Ok(())
    }
}

/// Seconds to a thousandth.
fn thousandths(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
