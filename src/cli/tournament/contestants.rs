//! Engines as they are written on the command line and in a TOML file: keys and values, and what
//! is wrong with them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::arena::clock::{MAX_SECONDS, Pace, Time};
use crate::arena::player::EngineSpec;
use crate::arena::run::Contestant;
use crate::cli::Usage;
use crate::engine::available_threads;
use crate::record::clip;

/// The keys of an engine, besides `option.NAME`.
const KEYS: &[&str] = &["name", "cmd", "proto", "dir", "tc", "movetime", "depth", "nodes", "restart"];

const OPTION: &str = "option.";

/// What `tc` is where an engine has no time to keep to, whatever the others have.
const NO_CLOCK: &str = "none";

/// Keys and values of one engine, in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineText {
    /// How it is called in errors: `--engine 2`, or the same of a file.
    place: String,
    items: Vec<(String, String)>,
}

impl EngineText {
    /// Reads `KEY=VALUE,KEY=VALUE,...`. A value ends where a comma and a key that is known follow, so
    /// that commands may hold blanks, commas and equals signs.
    ///
    /// # Errors
    /// A text that does not begin with a key.
    pub fn read(place: String, text: &str) -> Result<Self, Usage> {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices(',').map(|(at, _)| at + 1))
            .filter(|&at| key_of(&text[at..]).is_some())
            .collect();
        if starts.first() != Some(&0) {
            return Err(Usage(format!(
                "{place} '{}': it has to begin with one of {}= or option.NAME=",
                clip(text),
                KEYS.join("=, ")
            )));
        }
        let ends = starts.iter().skip(1).map(|next| next - 1).chain([text.len()]);
        let items = starts.iter().zip(ends).filter_map(|(&from, to)| {
            let (key, value) = text[from..to].split_once('=')?;
            Some((key.trim().to_owned(), value.trim().to_owned()))
        });
        let engine = Self { place, items: items.collect() };
        engine.note_odd_keys();
        Ok(engine)
    }

    /// The keys and values of a table, which need not be looked for.
    pub fn of_items(place: String, items: Vec<(String, String)>) -> Result<Self, Usage> {
        match items.iter().find(|(key, _)| !is_key(key)) {
            None => Ok(Self { place, items }),
            Some((key, _)) => Err(Usage(format!(
                "{place}: unknown key '{}'; there are {} and option",
                clip(key),
                KEYS.join(", ")
            ))),
        }
    }

    /// A word that looks like a key and is none has become part of a value; most often it is a slip.
    fn note_odd_keys(&self) {
        for (key, value) in &self.items {
            let odd = value.match_indices(',').find_map(|(at, _)| {
                let (word, _) = value[at + 1..].split_once('=')?;
                let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
                is_word.then_some(word)
            });
            if let Some(word) = odd {
                eprintln!(
                    "note: {}: ',{word}=' is taken as part of {key}; the keys are {} and option.NAME",
                    self.place,
                    KEYS.join(", ")
                );
            }
        }
    }

    fn wrong(&self, key: &str, value: &str, why: &str) -> Usage {
        Usage(format!("{}, {key}={}: {why}", self.place, clip(value)))
    }

    /// The value of a key.
    fn get(&self, key: &str) -> Result<Option<&str>, Usage> {
        let mut found =
            self.items.iter().filter(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let first = found.next();
        match (first, found.next()) {
            (_, Some(second)) => Err(self.wrong(key, second, "given twice")),
            (Some(""), None) => Err(self.wrong(key, "", "empty")),
            (first, None) => Ok(first),
        }
    }

    fn number<T: std::str::FromStr>(
        &self,
        key: &str,
        legal: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, Usage> {
        let Some(text) = self.get(key)? else { return Ok(None) };
        match text.parse() {
            Ok(number) if fits(&number) => Ok(Some(number)),
            _ => Err(self.wrong(key, text, legal)),
        }
    }

    /// The engine, with the limits that are common to all where it has none of its own.
    ///
    /// # Errors
    /// What is missing or cannot be, named.
    pub fn contestant(&self, common: Pace, dialects: &[&str]) -> Result<Contestant, Usage> {
        let command = self.get("cmd")?.map(unquoted).ok_or_else(|| {
            Usage(format!("{}: cmd= is missing: the program and its arguments", self.place))
        })?;
        if shlex::split(command).is_none_or(|words| words.is_empty()) {
            return Err(self.wrong("cmd", command, "a program and its arguments, every quote closed"));
        }
        let name = match self.get("name")? {
            Some(name) => name.to_owned(),
            None => program_name(command),
        };
        if name.chars().any(char::is_control) || name.chars().count() > 60 {
            return Err(self.wrong(
                "name",
                &name,
                "a name has up to 60 characters, all of them visible",
            ));
        }
        let known = dialects.join(", ");
        let dialect = match self.get("proto")? {
            Some(proto) if dialects.contains(&proto) => proto.to_owned(),
            Some(proto) => {
                return Err(self.wrong("proto", proto, &format!("the protocols are {known}")));
            }
            None => {
                return Err(Usage(format!("{}: proto= is missing: one of {known}", self.place)));
            }
        };
        Ok(Contestant {
            spec: EngineSpec {
                name,
                command: command.to_owned(),
                dialect,
                directory: self.directory()?,
                options: self.options()?,
            },
            pace: self.pace(common)?,
            restart: match self.get("restart")? {
                None | Some("off" | "false") => false,
                Some("on" | "true") => true,
                Some(other) => return Err(self.wrong("restart", other, "on or off")),
            },
        })
    }

    fn directory(&self) -> Result<Option<PathBuf>, Usage> {
        let Some(text) = self.get("dir")? else { return Ok(None) };
        let path = PathBuf::from(unquoted(text));
        if path.is_dir() {
            Ok(Some(path))
        } else {
            Err(self.wrong("dir", text, "there is no such folder"))
        }
    }

    fn options(&self) -> Result<Vec<(String, String)>, Usage> {
        let mut options: Vec<(String, String)> = Vec::new();
        for (key, value) in &self.items {
            let Some(name) = key.strip_prefix(OPTION) else { continue };
            if options.iter().any(|(other, _)| other == name) {
                return Err(self.wrong(key, value, "given twice"));
            }
            options.push((name.to_owned(), value.clone()));
        }
        Ok(options)
    }

    fn pace(&self, common: Pace) -> Result<Pace, Usage> {
        let whole = |max: u64| format!("a whole number from 1 to {max}");
        let text = self.get("tc")?;
        let has_no_clock = text == Some(NO_CLOCK);
        let clock = match text {
            Some(text) if !has_no_clock => {
                Some(text.parse::<Time>().map_err(|bad| Usage(format!("{}, tc={bad}", self.place)))?)
            }
            _ => None,
        };
        let seconds = format!("a number of seconds above 0, up to {MAX_SECONDS}");
        let each = self.number::<f64>("movetime", &seconds, |s| *s > 0.0 && *s <= MAX_SECONDS)?;
        let time = match (text, each) {
            (Some(_), Some(each)) => {
                return Err(self.wrong("movetime", &each.to_string(), "it has a tc as well"));
            }
            (_, each) => clock.or(each.map(|each| Time::Move(Duration::from_secs_f64(each)))),
        };
        let depth = self.number::<u32>("depth", &whole(256), |depth| (1..=256).contains(depth))?;
        let nodes = self.number::<u64>("nodes", &whole(u64::MAX), |nodes| *nodes > 0)?;
        if (time, depth, nodes) == (None, None, None) && !has_no_clock {
            return Ok(common);
        }
        Ok(Pace { time, depth, nodes })
    }
}

/// The key that a text begins with, if it is one.
fn key_of(text: &str) -> Option<&str> {
    let (key, _) = text.split_once('=')?;
    is_key(key.trim()).then_some(key)
}

fn is_key(key: &str) -> bool {
    let is_option = |key: &str| {
        key.strip_prefix(OPTION).is_some_and(|name| !name.is_empty() && !name.contains([',', '"', '\'']))
    };
    KEYS.contains(&key) || is_option(key)
}

/// Quotes around the whole of a value are left over from a habit of shells.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn program_name(command: &str) -> String {
    let words = words(command);
    let program = words.first().map_or(command, String::as_str);
    Path::new(program).file_stem().map_or(program.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The words of a command as they are when it is started; none where a quote stays open, which is
/// an error by then.
fn words(command: &str) -> Vec<String> {
    shlex::split(command).unwrap_or_default()
}

/// How many threads an engine uses, as far as it can be told: by its options or arguments, and by
/// what our own engine does without them.
pub fn threads_of(contestant: &Contestant) -> Option<u32> {
    let by_option = contestant
        .spec
        .options
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("threads"))
        .and_then(|(_, value)| value.parse().ok());
    let words = words(&contestant.spec.command);
    let by_argument = words.iter().enumerate().find_map(|(index, word)| match word.as_str() {
        "--threads" | "-threads" => words.get(index + 1)?.parse().ok(),
        _ => word.strip_prefix("--threads=")?.parse().ok(),
    });
    let by_default = || {
        let program = Path::new(words.first()?);
        is_ours(program, contestant.spec.directory.as_deref()).then(|| available_threads() as u32)
    };
    by_option.or(by_argument).or_else(by_default)
}

/// Whether a program is the one that runs here, or is looked for by its name.
fn is_ours(program: &Path, directory: Option<&Path>) -> bool {
    if program == Path::new(crate::NAME) {
        return true;
    }
    let place = |path: &Path| path.canonicalize().ok();
    let there = directory.and_then(|directory| place(&directory.join(program)));
    there.or_else(|| place(program)).is_some_and(|there| {
        std::env::current_exe().is_ok_and(|own| place(&own).as_deref() == Some(&*there))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DIALECTS: &[&str] = &["native", "gtp"];

    fn read(text: &str) -> Result<Contestant, String> {
        EngineText::read("--engine 1".to_owned(), text)
            .and_then(|engine| engine.contestant(Pace::default(), DIALECTS))
            .map_err(|usage| usage.0)
    }

    fn check_refused(text: &str, naming: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(naming), "{text}: {error}");
    }

    #[test]
    fn a_command_may_hold_blanks_commas_and_equals_signs() {
        let engine = read("name=A,cmd=./a --gtp -set x=1,y=2,proto=gtp,option.level=3").unwrap();
        assert_eq!(engine.spec.name, "A");
        assert_eq!(engine.spec.command, "./a --gtp -set x=1,y=2");
        assert_eq!(engine.spec.dialect, "gtp");
        assert_eq!(engine.spec.options, [("level".to_owned(), "3".to_owned())]);
    }

    #[test]
    fn keys_come_in_any_order_and_the_name_may_be_left_out() {
        let engine = read("proto=gtp, cmd=/opt/rhino.sh --quiet").unwrap();
        assert_eq!(engine.spec.name, "rhino");
        assert_eq!(engine.spec.command, "/opt/rhino.sh --quiet");
        assert_eq!(read("cmd='/opt/my engines/rhino' --x,proto=gtp").unwrap().spec.name, "rhino");
        assert_eq!(read(r#"cmd="/opt/my engines/rhino" --x,proto=gtp"#).unwrap().spec.name, "rhino");
    }

    #[test]
    fn quotes_around_a_command_are_taken_off() {
        assert_eq!(read(r#"name=A,cmd="./a -x",proto=gtp"#).unwrap().spec.command, "./a -x");
        let kept = r#""./my a" -x"#;
        assert_eq!(read(&format!("name=A,cmd={kept},proto=gtp")).unwrap().spec.command, kept);
    }

    #[test]
    fn limits_of_its_own_replace_the_common_ones() {
        let engine = |text| {
            let common = Pace { time: Some("60+0".parse().unwrap()), ..Pace::default() };
            EngineText::read("e".to_owned(), text).unwrap().contestant(common, DIALECTS).unwrap()
        };
        assert_eq!(engine("cmd=a,proto=gtp").pace.to_string(), "60+0");
        assert_eq!(engine("cmd=a,proto=gtp,tc=10+0.1").pace.to_string(), "10+0.1");
        assert_eq!(engine("cmd=a,proto=gtp,depth=4").pace.to_string(), "depth 4");
        assert_eq!(engine("cmd=a,proto=gtp,movetime=0.5").pace.to_string(), "0.5/move");
        assert_eq!(engine("cmd=a,proto=gtp,tc=none").pace.to_string(), "no limit");
        assert_eq!(engine("cmd=a,proto=gtp,tc=none,depth=4").pace.to_string(), "depth 4");
    }

    #[test]
    fn mistakes_are_named() {
        check_refused("./a,proto=gtp", "has to begin with one of name=");
        check_refused("name=A,proto=gtp", "cmd= is missing");
        check_refused("name=A,cmd=a", "proto= is missing: one of native, gtp");
        check_refused("cmd=a,proto=uci", "proto=uci: the protocols are native, gtp");
        check_refused("cmd=a,cmd=b,proto=gtp", "cmd=b: given twice");
        check_refused("name=,cmd=a,proto=gtp", "name=: empty");
        check_refused("cmd=a,proto=gtp,tc=x", "'x' is no time");
        check_refused("cmd=a,proto=gtp,depth=0", "depth=0: a whole number from 1 to 256");
        check_refused("cmd=a,proto=gtp,tc=1+0,movetime=1", "it has a tc as well");
        check_refused("cmd=a,proto=gtp,dir=/no/such", "dir=/no/such: there is no such folder");
        check_refused("cmd=a,proto=gtp,restart=maybe", "restart=maybe: on or off");
        check_refused("cmd=a,proto=gtp,option.x=1,option.x=2", "option.x=2: given twice");
    }

    #[test]
    fn threads_are_found_in_options_and_arguments() {
        let threads = |text: &str| threads_of(&read(text).unwrap());
        assert_eq!(threads("cmd=a,proto=gtp"), None);
        assert_eq!(threads("cmd=a --threads 3,proto=gtp"), Some(3));
        assert_eq!(threads("cmd=a --threads=3,proto=gtp,option.Threads=2"), Some(2));
        let own = std::env::current_exe().unwrap().display().to_string();
        for program in [own.as_str(), crate::NAME] {
            let all = available_threads() as u32;
            assert_eq!(threads(&format!("cmd='{program}' --level 4,proto=gtp")), Some(all));
            assert_eq!(threads(&format!("cmd='{program}' --threads 1,proto=gtp")), Some(1));
        }
        assert_eq!(threads("cmd=a --log 'x --threads 9' '--threads=3',proto=gtp"), Some(3));
    }
}
