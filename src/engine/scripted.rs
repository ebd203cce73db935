//! An engine that does what a script says, and misbehaves when told to: the
//! counterpart for tests of everything that talks to an engine.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use super::{Bound, Choice, Engine, EngineError, Found, Line, Report, SearchRequest};
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

    /// Reads a script of words: `first`, `last`, `pass`, `stall`, `panic`,
    /// `sleep=MS`, or a square. `%` starts a comment that ends with its line.
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
                let choice = found.choice().unwrap_or(Choice::Pass);
                let mut depth = 0;
                while !stop.is_raised() {
                    depth += 1;
                    found.lines = vec![line(choice, depth)];
                    found.nodes += 1;
                    observer(&Report {
                        lines: found.lines.clone(),
                        nodes: found.nodes,
                        time: started.elapsed(),
                    });
                    thread::sleep(TICK);
                }
            }
        }
        found.stopped = stop.is_raised();
        found.time = started.elapsed();
        found
    }

    fn clear(&mut self) {}

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
    match word {
        "first" => Ok(Step::First),
        "last" => Ok(Step::Last),
        "pass" => Ok(Step::Choose(Choice::Pass)),
        "stall" => Ok(Step::Stall),
        "panic" => Ok(Step::Panic),
        _ => match word.strip_prefix("sleep=") {
            Some(ms) => {
                let ms = ms.parse().map_err(|_| unknown())?;
                Ok(Step::Sleep(Duration::from_millis(ms)))
            }
            None => square(word).map(|square| Step::Choose(Choice::Play(square))).ok_or_else(unknown),
        },
    }
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
