//! The table of options: one row each, from which `set`, `get`, `options` and the command line
//! take names, ranges, defaults and words.

use outflank_protocol::message::{Code, Failure, OptionText};

use crate::engine::{Evaluation, available_threads};
use crate::record::clip;
use crate::rules::Forfeit;

/// What values an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `on` or `off`.
    Check,
    /// A whole number in this range.
    Spin {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// One of these words.
    Combo(&'static [&'static str]),
}

/// The value of an option before anything is set.
#[derive(Clone, Copy, Debug)]
pub enum Preset {
    /// Always the same.
    Word(&'static str),
    /// As many as the threads this process may run at once.
    Processors,
}

/// One row of the table.
#[derive(Debug)]
pub struct OptionRow {
    /// Name, lower case.
    pub name: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// Value before anything is set.
    pub default: Preset,
    /// One sentence for people.
    pub about: &'static str,
}

/// Every option of the program.
pub static OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "autopass",
        kind: Kind::Check,
        default: Preset::Word("on"),
        about: "make forced passes at once and announce them",
    },
    OptionRow {
        name: "contempt",
        kind: Kind::Spin { min: -100, max: 100 },
        default: Preset::Word("0"),
        about: "value of a draw from Black's view, in per cent of a win",
    },
    OptionRow {
        name: "depth",
        kind: Kind::Spin { min: 0, max: 256 },
        default: Preset::Word("0"),
        about: "greatest depth of a search in plies when the command names none; 0 follows the level",
    },
    OptionRow {
        name: "deterministic",
        kind: Kind::Check,
        default: Preset::Word("off"),
        about: "ignore clocks and earlier searches and use one thread: the answer depends on position, limits and seed only",
    },
    OptionRow {
        name: "forfeit",
        kind: Kind::Combo(&["none", "wof", "ggs"]),
        default: Preset::Word("none"),
        about: "official score of a stopped game",
    },
    OptionRow {
        name: "hash",
        kind: Kind::Spin { min: 1, max: 65536 },
        default: Preset::Word("64"),
        about: "size of the transposition table in MiB",
    },
    OptionRow {
        name: "level",
        kind: Kind::Spin { min: 0, max: 60 },
        default: Preset::Word("10"),
        about: "strength when nothing else limits a search; once set, also under a clock",
    },
    OptionRow {
        name: "seed",
        kind: Kind::Spin { min: 0, max: i64::MAX },
        default: Preset::Word("0"),
        about: "seed of everything the engine draws",
    },
    OptionRow {
        name: "threads",
        kind: Kind::Spin { min: 1, max: 256 },
        default: Preset::Processors,
        about: "threads a search may use; a deterministic one uses one",
    },
    OptionRow {
        name: "weights",
        kind: Kind::Combo(&["trained", "hand"]),
        default: Preset::Word("trained"),
        about: "what values positions: trained weights where the board has some, or terms made by hand",
    },
];

/// The present values, one for each row of [`OPTIONS`].
#[derive(Clone, Debug)]
pub struct Options {
    values: Vec<String>,
    /// Whether somebody set the option, be it to its default.
    chosen: Vec<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            values: OPTIONS.iter().map(|row| row.default.text()).collect(),
            chosen: vec![false; OPTIONS.len()],
        }
    }
}

impl Options {
    /// What the option `weights` stands for.
    pub fn evaluation(&self) -> Evaluation {
        match self.get("weights") {
            Some("hand") => Evaluation::Hand,
            _ => Evaluation::Trained,
        }
    }

    /// Gives an option a value.
    ///
    /// # Errors
    /// Unknown names and values out of range, each naming what would be right.
    pub fn set(&mut self, name: &str, value: &str) -> Result<&'static OptionRow, Failure> {
        let index = OPTIONS.iter().position(|row| row.name == name).ok_or_else(|| unknown(name))?;
        let row = OPTIONS.get(index).ok_or_else(|| unknown(name))?;
        let canonical = row.canonical(value)?;
        if let Some(slot) = self.values.get_mut(index) {
            *slot = canonical;
        }
        if let Some(slot) = self.chosen.get_mut(index) {
            *slot = true;
        }
        Ok(row)
    }

    /// The present value, as written by `get`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = OPTIONS.iter().position(|row| row.name == name)?;
        self.values.get(index).map(String::as_str)
    }

    /// Whether somebody set this option.
    #[must_use]
    pub fn is_chosen(&self, name: &str) -> bool {
        let index = OPTIONS.iter().position(|row| row.name == name);
        index.and_then(|index| self.chosen.get(index)).copied().unwrap_or(false)
    }

    /// The value of a check option.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some("on")
    }

    /// The value of a number option; 0 for a name that is not one.
    #[must_use]
    pub fn number(&self, name: &str) -> i64 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    /// The value of a number option that is never negative.
    #[must_use]
    pub fn count(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap_or(0)
    }

    /// How stopped games are scored.
    #[must_use]
    pub fn forfeit(&self) -> Forfeit {
        match self.get("forfeit") {
            Some("wof") => Forfeit::Wof,
            Some("ggs") => Forfeit::Ggs,
            _ => Forfeit::None,
        }
    }

    /// The rows with their present values.
    pub fn rows(&self) -> impl Iterator<Item = OptionText> + '_ {
        OPTIONS.iter().zip(&self.values).map(|(row, value)| row.text(value))
    }
}

/// The refusal of a name that is not in the table.
#[must_use]
pub fn unknown(name: &str) -> Failure {
    Failure::new(Code::BadArgument, "no such option; `options` lists them").with_text(clip(name))
}

impl Preset {
    /// The value as it is stored.
    fn text(self) -> String {
        match self {
            Preset::Word(word) => word.to_owned(),
            Preset::Processors => available_threads().to_string(),
        }
    }
}

impl OptionRow {
    /// The value as it is stored, or why it is refused.
    fn canonical(&self, value: &str) -> Result<String, Failure> {
        match self.kind {
            Kind::Check => match value.to_ascii_lowercase().as_str() {
                "on" | "true" | "1" | "yes" => Ok("on".to_owned()),
                "off" | "false" | "0" | "no" => Ok("off".to_owned()),
                _ => Err(self.refuse(value, "on or off")),
            },
            Kind::Spin { min, max } => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                _ => Err(self.refuse(value, &format!("a whole number from {min} to {max}"))),
            },
            Kind::Combo(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
                Some(word) => Ok((*word).to_owned()),
                None => Err(self.refuse(value, &format!("one of {}", words.join(", ")))),
            },
        }
    }

    fn refuse(&self, value: &str, legal: &str) -> Failure {
        Failure::new(Code::BadValue, format!("{} takes {legal}", self.name)).with_text(clip(value))
    }

    fn text(&self, value: &str) -> OptionText {
        let (kind, min, max, choices) = match self.kind {
            Kind::Check => ("check", None, None, Vec::new()),
            Kind::Spin { min, max } => ("spin", Some(min), Some(max), Vec::new()),
            Kind::Combo(words) => ("combo", None, None, words.iter().map(|&w| w.to_owned()).collect()),
        };
        OptionText {
            name: self.name.to_owned(),
            kind: kind.to_owned(),
            default: self.default.text(),
            min,
            max,
            choices,
            value: value.to_owned(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_own_row() {
        for row in OPTIONS {
            let default = row.default.text();
            assert_eq!(row.canonical(&default).unwrap(), default, "{}", row.name);
        }
    }

    #[test]
    fn a_value_out_of_range_is_refused_and_changes_nothing() {
        let mut options = Options::default();
        let failure = options.set("level", "61").unwrap_err();
        assert_eq!(failure.code, Code::BadValue);
        assert!(failure.prose.contains("0 to 60"), "{}", failure.prose);
        assert_eq!(options.get("level"), Some("10"));
        assert_eq!(options.set("sorcery", "1").unwrap_err().code, Code::BadArgument);
    }

    #[test]
    fn words_are_stored_in_their_own_spelling() {
        let mut options = Options::default();
        options.set("autopass", "FALSE").unwrap();
        options.set("forfeit", "WOF").unwrap();
        assert_eq!(options.get("autopass"), Some("off"));
        assert_eq!(options.forfeit(), Forfeit::Wof);
    }
}
