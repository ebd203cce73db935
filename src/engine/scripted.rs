//! An engine that does what a script says, and misbehaves when told to: the
//! counterpart for tests of everything that talks to an engine.
//!
//! A script is words, one for each search, in order; the last one holds for all
//! that follow, and no word at all means `first`. `%` begins a comment that ends
//! with its line. `outflank --engine scripted:FILE` plays from a script in any
//! dialect.
//!
//! | word | what a search does |
//! |---|---|
//! | `first` | answers with the first legal choice in the order a1, b1, ... |
//! | `last` | answers with the last legal choice |
//! | `d3` | answers with this square, legal or not |
//! | `pass` | answers with a pass, legal or not |
//! | `sleep=MS` | answers with the first legal choice after so many milliseconds, or when stopped |
//! | `flood=N` | reports so many depths as fast as it can, then answers as `first` |
//! | `stall` | reports a depth every few milliseconds, and answers only when stopped |
//! | `hang` | never answers, whatever it is told |
//! | `exit=CODE` | ends the whole process with this exit code |
//! | `abort` | ends the whole process by a signal |
//! | `panic` | panics, as a search with a fault in it would |

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use super::{Bound, Choice, Engine, EngineError, Found, Lesson, Line, Report, SearchRequest};
use super::{StopFlag, Value};
use crate::rules::Square;

/// What one run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Answers with the first legal choice in the order of the squares.
    First,
    /// Answers with the last legal choice.
    Last,
    /// Answers with this choice, legal or not.
    Choose(Choice),
    /// Reports one more depth every few milliseconds until stopped.
    Stall,
    /// Answers with the first legal choice after this time, or when stopped.
    Sleep(Duration),
    /// Reports so many depths as fast as it can, then answers with the first legal choice.
    Flood(u32),
    /// Never answers, not even when stopped.
    Hang,
    /// Ends the process with this exit code.
    Exit(u8),
    /// Ends the process by a signal.
    Abort,
    /// Panics.
    Panic,
}

/// Plays its steps in turn, the last one for ever.
#[derive(Clone, Debug)]
pub struct ScriptedEngine {
    steps: Vec<Step>,
    next_index: usize,
}

impl ScriptedEngine {
    /// An engine that always answers with the first legal choice.
    pub fn first_legal() -> Self {
        Self::new(Vec::new())
    }

    /// An engine that does these steps; no steps mean the first legal choice.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps, next_index: 0 }
    }

    /// Reads a script; its words are in the table at the head of this module.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] with the first word that is none of these.
    pub fn from_script(script: &str) -> Result<Self, ScriptError> {
        let words =
            script.lines().flat_map(|line| line.split('%').next().unwrap_or("").split_whitespace());
        let steps = words.map(step).collect::<Result<_, _>>()?;
        Ok(Self::new(steps))
    }

    fn next_step(&mut self) -> Step {
        let step = self.steps.get(self.next_index).or(self.steps.last());
        let step = step.cloned().unwrap_or(Step::First);
        self.next_index += 1;
        step
    }
}

impl Engine for ScriptedEngine {
    fn run(
        &mut self,
        request: &SearchRequest,
        stop: &StopFlag,
        observer: &mut dyn FnMut(&Report),
    ) -> Found {
        let started = Instant::now();
        let mut found = Found::any_legal(&request.state, &request.rules);
        if found.lines.is_empty() {
            return found;
        }
        match self.next_step() {
            Step::First => {}
            Step::Last => {
                if let Some(square) = request.state.legal(&request.rules).iter().last() {
                    found.lines = vec![line(Choice::Play(square), 1)];
                }
            }
            Step::Choose(choice) => found.lines = vec![line(choice, 1)],
            Step::Sleep(time) => {
                while started.elapsed() < time && !stop.is_raised() {
                    thread::sleep(TICK.min(time));
                }
            }
            Step::Panic => panic!("the script says so"),
            Step::Stall => {
                while !stop.is_raised() {
                    deepen(&mut found, started, observer);
                    thread::sleep(TICK);
                }
            }
            Step::Flood(depths) => {
                for _ in 0..depths {
                    deepen(&mut found, started, observer);
                }
            }
            Step::Hang => loop {
                thread::park();
            },
            Step::Exit(code) => std::process::exit(code.into()),
            Step::Abort => std::process::abort(),
        }
        found.stopped = stop.is_raised();
        found.time = started.elapsed();
        found
    }

    fn clear(&mut self) {}

    fn teach(&mut self, _lesson: &Lesson) {}

    fn set_hash_mib(&mut self, _mib: usize) -> Result<(), EngineError> {
        Ok(())
    }

    fn set_threads(&mut self, _n: usize) -> Result<(), EngineError> {
        Ok(())
    }

    fn name(&self) -> &str {
        "scripted"
    }
}

/// Tells the next depth of a search that finds nothing new.
fn deepen(found: &mut Found, started: Instant, observer: &mut dyn FnMut(&Report)) {
    let choice = found.choice().unwrap_or(Choice::Pass);
    found.nodes += 1;
    found.lines = vec![line(choice, u32::try_from(found.nodes).unwrap_or(u32::MAX))];
    observer(&Report { lines: found.lines.clone(), nodes: found.nodes, time: started.elapsed() });
}

/// A word no script knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The word.
    pub word: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown word in script: {}", self.word)
    }
}

impl std::error::Error for ScriptError {}

const TICK: Duration = Duration::from_millis(5);

fn step(word: &str) -> Result<Step, ScriptError> {
    let unknown = || ScriptError { word: word.to_owned() };
    let (name, number) = word.split_once('=').map_or((word, None), |(name, rest)| (name, Some(rest)));
    let number = number.map(|text| text.parse::<u32>().map_err(|_| unknown())).transpose()?;
    Ok(match (name, number) {
        ("first", None) => Step::First,
        ("last", None) => Step::Last,
        ("pass", None) => Step::Choose(Choice::Pass),
        ("stall", None) => Step::Stall,
        ("hang", None) => Step::Hang,
        ("abort", None) => Step::Abort,
        ("panic", None) => Step::Panic,
        ("sleep", Some(ms)) => Step::Sleep(Duration::from_millis(ms.into())),
        ("flood", Some(depths)) => Step::Flood(depths),
        ("exit", Some(code)) => Step::Exit(u8::try_from(code).map_err(|_| unknown())?),
        (name, None) => Step::Choose(Choice::Play(square(name).ok_or_else(unknown)?)),
        _ => return Err(unknown()),
    })
}

fn square(word: &str) -> Option<Square> {
    let letter = *word.as_bytes().first()?;
    let column = letter.checked_sub(b'a')?;
    let row: u8 = word.get(1..)?.parse().ok()?;
    Square::new(column, row.checked_sub(1)?)
}

fn line(choice: Choice, depth: u32) -> Line {
    Line {
        rank: 1,
        value: Value { centidiscs: 0, bound: Bound::Value, exact: false },
        wld: false,
        depth,
        selectivity: 100,
        pv: vec![choice],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_script_is_read_word_by_word() {
        let script =
            "first last % the rest is a comment\npass k11\nsleep=20 flood=3 hang exit=255 abort";
        let engine = ScriptedEngine::from_script(script).unwrap();
        let expected = [
            Step::First,
            Step::Last,
            Step::Choose(Choice::Pass),
            Step::Choose(Choice::Play(Square::new(10, 10).unwrap())),
            Step::Sleep(Duration::from_millis(20)),
            Step::Flood(3),
            Step::Hang,
            Step::Exit(255),
            Step::Abort,
        ];
        assert_eq!(engine.steps, expected);
        for word in ["exit", "exit=256", "first=1", "sleep=", "sleep=x", "nonsense", "q17", "e"] {
            let error = ScriptedEngine::from_script(&format!("first {word}")).unwrap_err();
            assert_eq!(error.word, word);
        }
    }
}
