//! A program that answers lines as a script says, in no dialect and in every one: what a stranger's
//! engine might do that an engine of ours cannot, such as writing nonsense. For tests.
//!
//! A script is rules, one a line; `%` begins a line that is none.
//!
//! ```text
//! % a GTP engine that garbles its second move
//! genmove -> say = D3\n\n
//! genmove -> say = %&!\n\n
//! quit    -> say =\n\n; exit 0
//! *       -> say =\n\n
//! ```
//!
//! The first words of a line choose the rule, the first one in the script that fits; `*` fits every
//! line and `EOF` the end of the input, which ends the program where no rule says otherwise. Of
//! several rules for the same words each is used once, in order, and the last one from then on.
//! What no rule fits is passed over. Behind `->` stand actions, parted by `; `:
//!
//! | action | |
//! |---|---|
//! | `say TEXT` | writes the text; `\n` ends a line, and `$1`, `$2`, ... are words of the line that was read |
//! | `complain TEXT` | writes the text to standard error |
//! | `flood N TEXT` | writes the text so often |
//! | `endless N` | writes so many bytes without a line end |
//! | `sleep MS` | waits |
//! | `hang` | reads and writes nothing any more, not even the end of the input |
//! | `exit CODE` | ends the program |

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use super::Outcome;
use super::args::MockArgs;
use crate::record::clip;

/// Answers lines until the script or the input ends.
///
/// # Errors
/// A script that cannot be read.
pub fn run(args: &MockArgs) -> anyhow::Result<Outcome> {
    let path = args.script.display();
    let text = fs::read_to_string(&args.script).with_context(|| path.to_string())?;
    let script = Script::read(&text).with_context(|| path.to_string())?;
    let mut used = HashMap::new();
    for line in io::stdin().lock().lines() {
        script.answer(&line?, &mut used)?;
    }
    script.answer("EOF", &mut used)?;
    Ok(Outcome::Good)
}

struct Script {
    rules: Vec<Rule>,
}

struct Rule {
    words: Vec<String>,
    actions: Vec<Action>,
}

enum Action {
    Say(String),
    Complain(String),
    Flood(u32, String),
    Endless(usize),
    Sleep(Duration),
    Hang,
    Exit(i32),
}

impl Script {
    fn read(text: &str) -> anyhow::Result<Script> {
        let lines = text.lines().enumerate();
        let rules = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'));
        let rules = rules.map(|(index, line)| rule(line).with_context(|| format!("line {}", index + 1)));
        Ok(Script { rules: rules.collect::<Result<_, _>>()? })
    }

    fn answer(&self, line: &str, used: &mut HashMap<String, usize>) -> io::Result<()> {
        let Some(first) = self.rules.iter().find(|rule| rule.fits(line)) else { return Ok(()) };
        let alike: Vec<&Rule> = self.rules.iter().filter(|rule| rule.words == first.words).collect();
        let times = used.entry(first.words.join(" ")).or_default();
        let rule = alike.get(*times).or(alike.last()).copied().unwrap_or(first);
        *times += 1;
        rule.actions.iter().try_for_each(|action| action.perform(line))
    }
}

impl Rule {
    fn fits(&self, line: &str) -> bool {
        if self.words == ["*"] {
            return line != "EOF";
        }
        let mut words = line.split_whitespace();
        self.words.iter().all(|word| words.next() == Some(word))
    }
}

fn rule(line: &str) -> anyhow::Result<Rule> {
    let Some((words, actions)) = line.split_once("->") else {
        bail!("'{}': a rule is WORDS -> ACTIONS", clip(line));
    };
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        bail!("'{}': the words before -> are missing", clip(line));
    }
    let actions = actions.split("; ").map(|text| action(text.trim())).collect::<Result<_, _>>()?;
    Ok(Rule { words, actions })
}

fn action(text: &str) -> anyhow::Result<Action> {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let number = |text: &str| text.parse::<u32>().with_context(|| format!("'{}'", clip(text)));
    Ok(match name {
        "say" => Action::Say(rest.replace("\\n", "\n")),
        "complain" => Action::Complain(rest.replace("\\n", "\n")),
        "flood" => {
            let (times, text) = rest.split_once(' ').unwrap_or((rest, ""));
            Action::Flood(number(times)?, text.replace("\\n", "\n"))
        }
        "endless" => Action::Endless(number(rest)? as usize),
        "sleep" => Action::Sleep(Duration::from_millis(number(rest)?.into())),
        "hang" => Action::Hang,
        "exit" => Action::Exit(i32::try_from(number(rest)?)?),
        _ => bail!("'{}' is no action", clip(name)),
    })
}

impl Action {
    fn perform(&self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self {
            Action::Say(text) => out.write_all(filled(text, line).as_bytes())?,
            Action::Complain(text) => io::stderr().write_all(filled(text, line).as_bytes())?,
            Action::Flood(times, text) => {
                let text = filled(text, line);
                for _ in 0..*times {
                    out.write_all(text.as_bytes())?;
                }
            }
            Action::Endless(bytes) => {
                for _ in 0..*bytes / 1024 {
                    out.write_all(&[b'x'; 1024])?;
                    out.flush()?;
                }
            }
            Action::Sleep(time) => thread::sleep(*time),
            Action::Hang => loop {
                thread::park();
            },
            Action::Exit(code) => {
                out.flush()?;
                std::process::exit(*code);
            }
        }
        out.flush()
    }
}

/// The text with the words of the line in their places.
fn filled(text: &str, line: &str) -> String {
    let mut filled = text.to_owned();
    for (index, word) in line.split_whitespace().enumerate().take(9) {
        filled = filled.replace(&format!("${}", index + 1), word);
    }
    filled
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_script_that_cannot_be_read_names_its_line() {
        for (script, told) in [
            ("% why\n\ngo", "line 3: 'go': a rule is WORDS -> ACTIONS"),
            ("-> hang", "line 1: '-> hang': the words before -> are missing"),
            ("go -> hang; sing", "line 1: 'sing' is no action"),
            ("go -> sleep soon", "line 1: 'soon': invalid digit found in string"),
        ] {
            let error = Script::read(script).map(drop).unwrap_err();
            assert_eq!(format!("{error:#}"), told);
        }
    }

    #[test]
    fn the_first_words_choose_and_rules_alike_take_turns() {
        let script =
            Script::read("play b -> say 1\nplay -> say 2\nplay b -> say 3\n* -> say 4").unwrap();
        let fits = |line: &str| script.rules.iter().position(|rule| rule.fits(line));
        assert_eq!(fits("play b d3"), Some(0));
        assert_eq!(fits("play w d3"), Some(1));
        assert_eq!(fits("genmove"), Some(3));
        assert_eq!(fits("EOF"), None);
        assert_eq!(filled("$2 of $1 and $3", "play b"), "b of play and $3");
    }
}
