//! Replays `protocol/sessions/**/*.txt` against the binary, in step.
//!
//! In a session file `> text` is sent, `< text` is the next line that has to come, `< ...`
//! stands for any number of lines, `#` begins a comment, `! args` gives the arguments of the
//! binary and `EOF` closes its input and waits for exit status 0. Within an expected line
//! `{}` stands for any text and `{a|b}` for one of these. A line is sent only after everything
//! expected before it has come: the order of the lines is the test.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::process::{Engine, PATIENCE};

enum Step {
    Send(String),
    Expect(String),
    AnyLines,
    End,
}

struct Script {
    arguments: Vec<String>,
    steps: Vec<(usize, Step)>,
}

fn parse(text: &str, path: &Path) -> Script {
    let mut script = Script { arguments: Vec::new(), steps: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        let step = match line.split_at(line.len().min(2)) {
            ("> ", rest) => Step::Send(rest.to_owned()),
            ("< ", "...") => Step::AnyLines,
            ("< ", rest) => Step::Expect(rest.to_owned()),
            ("! ", rest) => {
                script.arguments = rest.split_whitespace().map(str::to_owned).collect();
                continue;
            }
            _ if line == ">" => Step::Send(String::new()),
            _ if line == "<" => Step::Expect(String::new()),
            _ if line == "EOF" => Step::End,
            _ if line.is_empty() || line.starts_with('#') => continue,
            _ => panic!("{}:{}: cannot read '{line}'", path.display(), index + 1),
        };
        script.steps.push((index + 1, step));
    }
    script
}

/// Whether a line is what the pattern describes.
fn matches(pattern: &str, line: &str) -> bool {
    let Some(open) = pattern.find('{') else { return pattern == line };
    let Some(close) = pattern[open..].find('}').map(|at| at + open) else { return pattern == line };
    let Some(line) = line.strip_prefix(&pattern[..open]) else { return false };
    let (choices, rest) = (&pattern[open + 1..close], &pattern[close + 1..]);
    if choices.is_empty() {
        return (0..=line.len()).any(|at| line.is_char_boundary(at) && matches(rest, &line[at..]));
    }
    choices.split('|').any(|choice| line.strip_prefix(choice).is_some_and(|line| matches(rest, line)))
}

fn replay(path: &Path) {
    let text = fs::read_to_string(path).expect("a session file is text");
    let script = parse(&text, path);
    let arguments: Vec<&str> = script.arguments.iter().map(String::as_str).collect();
    let mut engine = Engine::start(&arguments);
    let mut skipping = false;
    for (number, step) in &script.steps {
        match step {
            Step::Send(line) => {
                assert!(!skipping, "{}:{number}: nothing is expected after '...'", path.display());
                engine.send(line);
            }
            Step::AnyLines => skipping = true,
            Step::Expect(pattern) => loop {
                let line = engine.line();
                if matches(pattern, &line) {
                    skipping = false;
                    break;
                }
                assert!(
                    skipping,
                    "{}:{number}: expected\n  {pattern}\ngot\n  {line}\nafter\n{}",
                    path.display(),
                    engine.told()
                );
            },
            Step::End => {
                engine.close_input();
                let status = engine.exit(PATIENCE);
                assert!(status.success(), "{}:{number}: ended with {status}", path.display());
                while let Some(line) = engine.line_or_end() {
                    assert!(skipping, "{}:{number}: unexpected '{line}'", path.display());
                }
            }
        }
    }
}

fn sessions_of(dialect: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/sessions").join(dialect);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{dialect} has no sessions");
    paths
}

fn replay_all(dialect: &str) {
    for path in sessions_of(dialect) {
        println!("{}", path.display());
        replay(&path);
    }
}

#[test]
fn native_sessions_run_as_written() {
    replay_all("native");
}

#[test]
fn nboard_sessions_run_as_written() {
    replay_all("nboard");
}

#[test]
fn gtp_sessions_run_as_written() {
    replay_all("gtp");
}

#[test]
fn uci_sessions_run_as_written() {
    replay_all("uci");
}

#[test]
fn xboard_sessions_run_as_written() {
    replay_all("xboard");
}

#[test]
fn edax_sessions_run_as_written() {
    replay_all("edax");
}

#[test]
fn cassio_sessions_run_as_written() {
    replay_all("cassio");
}

#[test]
fn every_dialect_has_sessions() {
    for row in outflank_protocol::DIALECTS {
        assert!(!sessions_of(row.name).is_empty());
    }
}

#[test]
fn patterns_match_what_they_say() {
    assert!(matches("ok {} score={-10|-8} x", "ok 3 score=-8 x"));
    assert!(!matches("ok {} score={-10|-8} x", "ok 3 score=-9 x"));
    assert!(matches("{}", ""));
    assert!(!matches("a", "ab"));
}
