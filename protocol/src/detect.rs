//! Which dialect a first line belongs to.
//!
//! The verb decides, not a number before it: GTP and the native dialect both have ids. What
//! more than one of them could mean, and what nobody claims, is native.

use crate::gtp::{colour, is_command};
use crate::position::looks_like_cells;

/// The verb of a line and the words behind it, a leading number left out.
fn verb(line: &str) -> (&str, Vec<&str>) {
    let mut words =
        line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let numeric = !first.is_empty() && first.chars().all(|c| c.is_ascii_digit());
    let verb = if numeric { words.next().unwrap_or_default() } else { first };
    (verb, words.collect())
}

/// Blank lines and comments say nothing, so the dialect stays open.
pub(crate) fn says_nothing(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
    line.is_empty() || line.starts_with('#')
}

/// `rp`, with or without an id.
pub(crate) fn is_native(line: &str) -> bool {
    verb(line).0 == "rp"
}

/// `nboard V`, or the line a GUI sends next: `set game (;`.
pub(crate) fn is_nboard(line: &str) -> bool {
    let (verb, words) = verb(line);
    verb == "nboard"
        || verb == "set"
            && words.first() == Some(&"game")
            && words.get(1).is_some_and(|word| word.starts_with("(;"))
}

/// A command that only GTP has, or a `play` that names a colour as GTP does.
pub(crate) fn is_gtp(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    let (verb, words) = verb(line);
    match verb {
        "quit" | "undo" => false,
        "play" => words.first().is_some_and(|word| colour(word).is_some()),
        "loadsgf" => true,
        _ => is_command(verb) || verb.starts_with("gogui-") || verb.starts_with("outflank-"),
    }
}

/// The first word of a client that speaks UCI or a relative of it, and the commands that only UCI
/// has. There are no ids, so a number before the word makes it another dialect's.
pub(crate) fn is_uci(line: &str) -> bool {
    let mut words = line.split_whitespace().map(|word| word.trim_matches('\u{feff}'));
    match words.next().unwrap_or_default() {
        "uci" | "usi" | "ucci" | "ucinewgame" | "isready" => true,
        "setoption" => words.next() == Some("name"),
        "position" => matches!(words.next(), Some("startpos" | "fen")),
        _ => false,
    }
}

/// `xboard`, or what a GUI sends next: `protover V`.
pub(crate) fn is_xboard(line: &str) -> bool {
    let (verb, words) = verb(line);
    match verb {
        "xboard" => words.is_empty(),
        "protover" => true,
        _ => false,
    }
}

/// A command of the console that nobody else has, or a board of 64 cells.
pub(crate) fn is_edax(line: &str) -> bool {
    const COMMANDS: &[&str] = &[
        "init",
        "setboard",
        "mode",
        "level",
        "exit",
        "verbose",
        "n-tasks",
        "hash-table-size",
        "move-time",
        "game-time",
        "selectivity",
        "book-usage",
        "engine-name",
    ];
    // The console has no ids.
    let verb = line.split_whitespace().next().unwrap_or_default();
    // FEN has slashes and belongs to other dialects.
    let is_fen = line.contains('/');
    !is_fen && (COMMANDS.contains(&verb.to_lowercase().as_str()) || looks_like_cells(line))
}

/// The word that every command of Cassio begins with.
pub(crate) fn is_cassio(line: &str) -> bool {
    line.split_whitespace().next() == Some(crate::cassio::PREFIX)
}

#[cfg(test)]
mod tests {
    use crate::detect;

    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(detect(line).map(|dialect| dialect.name()), expected, "{line}");
    }

    #[test]
    fn the_verb_decides() {
        for line in ["rp 1", "1 rp 1", "rp", "12 rp"] {
            check(line, Some("native"));
        }
        for line in ["nboard 2", "nboard 1", "set game (;GM[Othello];)"] {
            check(line, Some("nboard"));
        }
        for line in [
            "protocol_version",
            "1 name",
            "version",
            "list_commands",
            "known_command play",
            "boardsize 8",
            "3 clear_board",
            "genmove b",
            "play b d3",
            "7 play WHITE D3",
            "play black pass",
            "komi 0 # none",
            "gg-undo 2",
            "gogui-rules_game_id",
            "outflank-position",
            "time_left black 30 0",
        ] {
            check(line, Some("gtp"));
        }
        for line in [
            "uci",
            " uci ",
            "\u{feff}uci",
            "usi",
            "ucci",
            "isready",
            "ucinewgame",
            "setoption name Hash value 16",
            "position startpos moves f5",
            "position fen 8/8/8/3Pp3/3pP3/8/8/8 w",
        ] {
            check(line, Some("uci"));
        }
    }

    #[test]
    fn the_first_lines_of_xboard() {
        for line in ["xboard", "protover 2", " xboard "] {
            check(line, Some("xboard"));
        }
    }

    #[test]
    fn what_only_a_console_has_is_edax() {
        for line in [
            "init",
            "setboard --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X",
            "SetBoard ................................................................ b",
            "mode 3",
            "level 4",
            "exit",
            "n-tasks 1",
            "book-usage off",
            "---------------------------OX------XO--------------------------- X",
        ] {
            check(line, Some("edax"));
        }
        check("setboard 8/8/8/3pP3/3Pp3/8/8/8 w", Some("native"));
    }

    #[test]
    fn cassio_begins_with_its_word() {
        for line in ["ENGINE-PROTOCOL init", "  ENGINE-PROTOCOL", "ENGINE-PROTOCOL foo", "\u{feff}"] {
            check(line, (line != "\u{feff}").then_some("cassio"));
        }
    }

    #[test]
    fn what_several_could_mean_is_native() {
        for line in [
            "undo",
            "quit",
            "go",
            "hint 4",
            "new othello",
            "ping 3",
            "stop",
            "play f5",
            "play f5d6",
            "set depth 3",
            "move F5",
            "7 uci",
            "position",
            "setoption",
            "xboard please",
            "engine-protocol init",
            "7 ENGINE-PROTOCOL init",
            "f5",
            "hello",
            "12",
            "play",
            "help",
        ] {
            check(line, Some("native"));
        }
    }

    #[test]
    fn blank_lines_and_comments_leave_it_open() {
        for line in ["", "  \t", "# interrupt", "\u{feff}", "\r"] {
            check(line, None);
        }
    }
}
