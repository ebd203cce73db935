//! The table of options: one row each, from which every dialect and the command line take names,
//! ranges, defaults and words. A row also says what the clients of other programs call it.
//!
//! ```
//! use outflank_protocol::options::{row_of, spelling};
//!
//! let row = row_of("uci", "MultiPV").expect("UCI knows it");
//! assert_eq!(row.name, "multipv");
//! assert_eq!(spelling("uci", "hash"), Some("Hash"));
//! assert_eq!(spelling("uci", "autopass"), None);
//! ```

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
    /// One word of visible ASCII characters, at most [`LONGEST_WORD`] of them.
    Word,
    /// Any text. What it has to be is checked where it is used.
    Text,
}

/// The value of an option before anything is set.
#[derive(Clone, Copy, Debug)]
pub enum Preset {
    /// Always the same.
    Word(&'static str),
    /// As many as the threads the process may run at once.
    Processors,
}

/// What an option is called in a dialect whose clients expect a name of their own.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// The dialect.
    pub dialect: &'static str,
    /// The name there.
    pub name: &'static str,
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
    /// The dialects that show it under a name of their own. Those that have no such names show
    /// every row by its own.
    pub spellings: &'static [Spelling],
}

/// Every option of the program.
pub static OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "analysis",
        kind: Kind::Check,
        default: Preset::Word("off"),
        about: "value positions as they are: limit_strength and contempt do not count",
        spellings: &[Spelling { dialect: "uci", name: "UCI_AnalyseMode" }],
    },
    OptionRow {
        name: "autopass",
        kind: Kind::Check,
        default: Preset::Word("on"),
        about: "make forced passes at once and announce them",
        spellings: &[],
    },
    OptionRow {
        name: "book",
        kind: Kind::Combo(&["none"]),
        default: Preset::Word("none"),
        about: "opening book; the name is reserved, there is none",
        spellings: &[],
    },
    OptionRow {
        name: "contempt",
        kind: Kind::Spin { min: -100, max: 100 },
        default: Preset::Word("0"),
        about: "value of a draw from Black's view, in per cent of a win",
        spellings: &[
            Spelling { dialect: "uci", name: "Contempt" },
            Spelling { dialect: "xboard", name: "Contempt" },
        ],
    },
    OptionRow {
        name: "depth",
        kind: Kind::Spin { min: 0, max: 256 },
        default: Preset::Word("0"),
        about: "greatest depth of a search in plies when the command names none; 0 follows the level",
        spellings: &[Spelling { dialect: "edax", name: "depth" }],
    },
    OptionRow {
        name: "deterministic",
        kind: Kind::Check,
        default: Preset::Word("off"),
        about: "ignore clocks and earlier searches and use one thread: the answer depends on position, limits and seed only",
        spellings: &[
            Spelling { dialect: "uci", name: "Deterministic" },
            Spelling { dialect: "xboard", name: "Deterministic" },
        ],
    },
    OptionRow {
        name: "elo",
        kind: Kind::Spin { min: LEAST_ELO, max: GREATEST_ELO },
        default: Preset::Word("2390"),
        about: "strength to play at with limit_strength, in Elo among the levels of this program",
        spellings: &[
            Spelling { dialect: "uci", name: "UCI_Elo" },
            Spelling { dialect: "xboard", name: "Elo" },
        ],
    },
    OptionRow {
        name: "forfeit",
        kind: Kind::Combo(&["none", "wof", "ggs"]),
        default: Preset::Word("none"),
        about: "official score of a stopped game",
        spellings: &[],
    },
    OptionRow {
        name: "hash",
        kind: Kind::Spin { min: 1, max: 65536 },
        default: Preset::Word("64"),
        about: "size of the transposition table in MiB",
        spellings: &[
            Spelling { dialect: "edax", name: "hash-table-size" },
            Spelling { dialect: "uci", name: "Hash" },
        ],
    },
    OptionRow {
        name: "komi",
        kind: Kind::Text,
        default: Preset::Word("0"),
        about: "discs that count for White besides those on the board, in halves; setting it keeps the position",
        spellings: &[],
    },
    OptionRow {
        name: "level",
        kind: Kind::Spin { min: 0, max: 60 },
        default: Preset::Word("10"),
        about: "strength when nothing else limits a search; once set, also under a clock",
        spellings: &[
            Spelling { dialect: "edax", name: "level" },
            Spelling { dialect: "uci", name: "Skill Level" },
            Spelling { dialect: "xboard", name: "Level" },
        ],
    },
    OptionRow {
        name: "limit_strength",
        kind: Kind::Check,
        default: Preset::Word("off"),
        about: "play no better than elo says, whatever else limits a search",
        spellings: &[
            Spelling { dialect: "uci", name: "UCI_LimitStrength" },
            Spelling { dialect: "xboard", name: "Limit Strength" },
        ],
    },
    OptionRow {
        name: "log",
        kind: Kind::Text,
        default: Preset::Word(""),
        about: "file that every line in and out is written to from now on; empty for none",
        spellings: &[
            Spelling { dialect: "edax", name: "ui-log-file" },
            Spelling { dialect: "uci", name: "Debug Log File" },
        ],
    },
    OptionRow {
        name: "movetime",
        kind: Kind::Spin { min: 0, max: 86_400_000 },
        default: Preset::Word("0"),
        about: "time for a move in milliseconds when the command names none and no clock binds; 0 for no such limit",
        spellings: &[Spelling { dialect: "edax", name: "move-time" }],
    },
    OptionRow {
        name: "multipv",
        kind: Kind::Spin { min: 1, max: 256 },
        default: Preset::Word("1"),
        about: "number of best moves a search values when the command names none",
        spellings: &[
            Spelling { dialect: "uci", name: "MultiPV" },
            Spelling { dialect: "xboard", name: "MultiPV" },
        ],
    },
    OptionRow {
        name: "name",
        kind: Kind::Word,
        default: Preset::Word("outflank"),
        about: "what the engine calls itself, for programs that look for the name of another one",
        spellings: &[Spelling { dialect: "edax", name: "engine-name" }],
    },
    OptionRow {
        name: "ponder",
        kind: Kind::Check,
        default: Preset::Word("off"),
        about: "think in the opponent's time, where the client does not lead it",
        spellings: &[
            Spelling { dialect: "edax", name: "ponder" },
            Spelling { dialect: "uci", name: "Ponder" },
        ],
    },
    OptionRow {
        name: "seed",
        kind: Kind::Spin { min: 0, max: i64::MAX },
        default: Preset::Word("0"),
        about: "seed of everything the engine draws",
        spellings: &[],
    },
    OptionRow {
        name: "threads",
        kind: Kind::Spin { min: 1, max: 256 },
        default: Preset::Processors,
        about: "threads a search may use; a deterministic one uses one",
        spellings: &[
            Spelling { dialect: "edax", name: "n-tasks" },
            Spelling { dialect: "uci", name: "Threads" },
        ],
    },
    OptionRow {
        name: "variant",
        kind: Kind::Text,
        default: Preset::Word("othello"),
        about: "the game that is played, as a variant token; setting it begins a new game",
        spellings: &[],
    },
    OptionRow {
        name: "weights",
        kind: Kind::Combo(&["trained", "hand"]),
        default: Preset::Word("trained"),
        about: "what values positions: trained weights where the board has some, or terms made by hand",
        spellings: &[Spelling { dialect: "xboard", name: "Weights" }],
    },
];

/// The selectivities there are, in per cent and from the boldest on; 100 for a search that leaves
/// nothing out. Edax counts them from 0.
pub const SELECTIVITIES: [u32; 6] = [73, 87, 95, 98, 99, 100];

/// Most characters of a [`Kind::Word`].
pub const LONGEST_WORD: usize = 32;

/// The weakest play that `elo` asks for.
pub const LEAST_ELO: i64 = 800;
/// The strongest play that `elo` asks for.
pub const GREATEST_ELO: i64 = 2390;

/// The row that a dialect calls by this name, in any case.
#[must_use]
pub fn row_of(dialect: &str, name: &str) -> Option<&'static OptionRow> {
    let called =
        |spelling: &Spelling| spelling.dialect == dialect && spelling.name.eq_ignore_ascii_case(name);
    OPTIONS.iter().find(|row| row.spellings.iter().any(called))
}

/// What a dialect calls the option of this name; nothing where it does not show it.
#[must_use]
pub fn spelling(dialect: &str, name: &str) -> Option<&'static str> {
    let row = OPTIONS.iter().find(|row| row.name == name)?;
    row.spellings.iter().find(|spelling| spelling.dialect == dialect).map(|spelling| spelling.name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_sorted_and_no_two_options_share_one() {
        assert!(OPTIONS.is_sorted_by_key(|row| row.name));
        let mut seen = HashSet::new();
        for row in OPTIONS {
            for spelling in row.spellings {
                let name = spelling.name.to_ascii_lowercase();
                assert!(seen.insert((spelling.dialect, name)), "{} {}", spelling.dialect, spelling.name);
            }
        }
    }
}
