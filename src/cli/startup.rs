//! Command lines in the words of a dialect: what `--protocol NAME` may have behind it besides our
//! own options, where the programs of that dialect are started with options of theirs.

use std::ffi::OsString;

use outflank_protocol::message::Failure;
use outflank_protocol::startup::{ReadWords, Startup};
use outflank_protocol::{DIALECTS, DialectRow};

use super::Usage;
use crate::record::clip;

/// Takes a dialect's own options out of the command line. What is left is for our own grammar,
/// `--protocol NAME` among it.
///
/// # Errors
/// An option that the dialect refuses.
pub fn read(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(Vec<OsString>, Option<Startup>), Usage> {
    let words: Vec<OsString> = words.into_iter().collect();
    let Some(asked) = asked(&words) else { return Ok((words, None)) };
    let startup = (asked.read)(&asked.others).map_err(|failure| refused(&asked.name, &failure))?;
    let own = [asked.program, "--protocol".into(), asked.name.into()];
    let words = own.into_iter().chain(startup.rest.iter().map(OsString::from)).collect();
    Ok((words, Some(startup)))
}

/// A command line that names a dialect with options of its own.
struct Asked {
    program: OsString,
    name: String,
    read: ReadWords,
    others: Vec<String>,
}

fn asked(words: &[OsString]) -> Option<Asked> {
    let (program, words) = words.split_first()?;
    // Words that are no text are none of a dialect either.
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    // Subcommands come first and have options of their own.
    if words.first().is_some_and(|word| !word.starts_with('-')) {
        return None;
    }
    let reach = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let at = words
        .iter()
        .take(reach)
        .position(|word| *word == "--protocol" || word.strip_prefix("--protocol=").is_some())?;
    let (name, n_words) = match words.get(at)?.strip_prefix("--protocol=") {
        Some(name) => (name, 1),
        None => (*words.get(at + 1)?, 2),
    };
    let row: &DialectRow = DIALECTS.iter().find(|row| row.name == name)?;
    let others = words.iter().take(at).chain(words.iter().skip(at + n_words));
    Some(Asked {
        program: program.clone(),
        name: name.to_owned(),
        read: row.command_line?,
        others: others.map(|word| (*word).to_owned()).collect(),
    })
}

fn refused(dialect: &str, failure: &Failure) -> Usage {
    let option = failure.text.as_deref().unwrap_or_default();
    Usage(format!("option '{}' of {dialect}: {}", clip(option), failure.prose))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn check(line: &str, own: &str, settings: &[(&str, &str)]) {
        let words = line.split_whitespace().map(OsString::from);
        let (left, startup) = read(words).unwrap();
        let left: Vec<&str> = left.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(left.join(" "), own, "{line}");
        let found = startup.map(|startup| startup.settings).unwrap_or_default();
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, settings, "{line}");
    }

    #[test]
    fn only_a_named_dialect_with_options_of_its_own_is_asked() {
        check("outflank", "outflank", &[]);
        check("outflank --protocol gtp --level 3", "outflank --protocol gtp --level 3", &[]);
        check("outflank solve --protocol edax -q", "outflank solve --protocol edax -q", &[]);
        check("outflank --set a=b -- --protocol edax", "outflank --set a=b -- --protocol edax", &[]);
    }

    #[test]
    fn its_options_and_ours_may_be_mixed() {
        check(
            "outflank --threads 2 --protocol edax -q -n 1 --log x -book-usage off",
            "outflank --protocol edax --threads 2 --log x",
            &[("threads", "1")],
        );
        check("outflank --protocol=edax -h 16", "outflank --protocol edax", &[("hash", "2")]);
    }

    #[test]
    fn a_refused_option_is_named() {
        let refusal = |line: &str| match read(line.split_whitespace().map(OsString::from)) {
            Err(usage) => usage.0,
            Ok(_) => panic!("{line} is taken"),
        };
        for (line, name) in [
            ("outflank --protocol edax -sorcery 3", "'-sorcery'"),
            ("outflank --protocol edax -l 99", "'-l'"),
            ("outflank --protocol edax -l", "'-l'"),
            ("outflank --protocol edax -ggs-host x", "'-ggs-host'"),
        ] {
            assert!(refusal(line).contains(name), "{}", refusal(line));
        }
    }
}
