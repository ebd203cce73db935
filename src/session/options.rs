//! The values of the options, and what is made of them. The table itself is words, and stands in
//! the protocol crate.

use outflank_protocol::message::{Code, Failure, OptionText};
use outflank_protocol::options::LONGEST_WORD;
pub use outflank_protocol::options::{Kind, OPTIONS, OptionRow, Preset};

use crate::engine::{Evaluation, available_threads, level_of_elo};
use crate::record::clip;
use crate::rules::Forfeit;

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
            values: OPTIONS.iter().map(|row| preset_text(row.default)).collect(),
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

    /// The level that `limit_strength` allows at most; nothing where it does not count.
    #[must_use]
    pub fn greatest_level(&self) -> Option<u32> {
        let limited = self.is_on("limit_strength") && !self.is_on("analysis");
        limited.then(|| level_of_elo(self.count("elo")))
    }

    /// Gives an option a value.
    ///
    /// # Errors
    /// Unknown names and values out of range, each naming what would be right.
    pub fn set(&mut self, name: &str, value: &str) -> Result<&'static OptionRow, Failure> {
        let index = OPTIONS.iter().position(|row| row.name == name).ok_or_else(|| unknown(name))?;
        let row = OPTIONS.get(index).ok_or_else(|| unknown(name))?;
        let canonical = canonical(row, value)?;
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
        OPTIONS.iter().zip(&self.values).map(|(row, value)| row_text(row, value))
    }
}

/// The refusal of a name that is not in the table.
#[must_use]
pub fn unknown(name: &str) -> Failure {
    Failure::new(Code::BadArgument, "no such option; `options` lists them").with_text(clip(name))
}

/// The value an option has before anything is set, as it is stored.
fn preset_text(preset: Preset) -> String {
    match preset {
        Preset::Word(word) => word.to_owned(),
        Preset::Processors => available_threads().to_string(),
    }
}

/// The value as it is stored, or why it is refused.
fn canonical(row: &OptionRow, value: &str) -> Result<String, Failure> {
    let refuse = |legal: &str| {
        Failure::new(Code::BadValue, format!("{} takes {legal}", row.name)).with_text(clip(value))
    };
    match row.kind {
        Kind::Text => Ok(value.to_owned()),
        Kind::Word => {
            let is_word = !value.is_empty()
                && value.len() <= LONGEST_WORD
                && value.chars().all(|c| c.is_ascii_graphic());
            let legal = || format!("one word of at most {LONGEST_WORD} ASCII characters");
            if is_word { Ok(value.to_owned()) } else { Err(refuse(&legal())) }
        }
        Kind::Check => match value.to_ascii_lowercase().as_str() {
            "on" | "true" | "1" | "yes" => Ok("on".to_owned()),
            "off" | "false" | "0" | "no" => Ok("off".to_owned()),
            _ => Err(refuse("on or off")),
        },
        Kind::Spin { min, max } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
            _ => Err(refuse(&format!("a whole number from {min} to {max}"))),
        },
        Kind::Combo(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
            Some(word) => Ok((*word).to_owned()),
            None => Err(refuse(&format!("one of {}", words.join(", ")))),
        },
    }
}

fn row_text(row: &OptionRow, value: &str) -> OptionText {
    let (kind, min, max, choices) = match row.kind {
        Kind::Check => ("check", None, None, Vec::new()),
        Kind::Spin { min, max } => ("spin", Some(min), Some(max), Vec::new()),
        Kind::Combo(words) => ("combo", None, None, words.iter().map(|&w| w.to_owned()).collect()),
        Kind::Word | Kind::Text => ("string", None, None, Vec::new()),
    };
    OptionText {
        name: row.name.to_owned(),
        kind: kind.to_owned(),
        default: preset_text(row.default),
        min,
        max,
        choices,
        value: value.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_of_its_own_row() {
        for row in OPTIONS {
            let default = preset_text(row.default);
            assert_eq!(canonical(row, &default).unwrap(), default, "{}", row.name);
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
    fn the_bounds_of_elo_are_those_of_the_rated_levels() {
        use outflank_protocol::options::{GREATEST_ELO, LEAST_ELO};

        let level = |elo: i64| level_of_elo(u32::try_from(elo).unwrap());
        assert_eq!((level(LEAST_ELO), level(GREATEST_ELO)), (0, 12));
        assert!((LEAST_ELO..GREATEST_ELO).all(|elo| level(elo) <= level(elo + 1) && level(elo) < 12));
        let mut options = Options::default();
        assert_eq!(options.greatest_level(), None);
        options.set("limit_strength", "on").unwrap();
        options.set("elo", "1700").unwrap();
        assert_eq!(options.greatest_level(), Some(5));
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
