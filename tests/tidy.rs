//! Rules of the house that no compiler checks: who may know whom, who may write where, and what
//! has to stand beside what. A failure says which line broke which rule, and why there is one.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// A room of `src`, the rooms it may use, and why it may use no other.
struct Allowed {
    room: &'static str,
    may_use: &'static [&'static str],
    why: &'static str,
}

/// Rooms are told by the longest path that fits; `"*"` is any room.
const DIRECTIONS: &[Allowed] = &[
    Allowed {
        room: "rules",
        may_use: &["kernel"],
        why: "the rules are the ground everything stands on; they know no text, no search, no clock",
    },
    Allowed {
        room: "kernel",
        may_use: &[],
        why: "kernels are bits of one word for one processor; they know no game",
    },
    Allowed {
        room: "eval",
        may_use: &["rules", "kernel"],
        why: "an evaluation looks at a position; it neither searches nor knows who asks",
    },
    Allowed {
        room: "search",
        may_use: &["rules", "kernel", "eval", "engine"],
        why: "a search knows positions, their worth, and the words of a request; nothing of who asks",
    },
    Allowed {
        room: "engine/native.rs",
        may_use: &["rules", "search", "eval", "engine", "kernel", "NAME"],
        why: "this file alone joins search and evaluation to the Engine trait",
    },
    Allowed {
        room: "engine",
        may_use: &["rules", "engine"],
        why: "the seam must not know what is behind it, so that a scripted engine can stand there",
    },
    Allowed {
        room: "record.rs",
        may_use: &["rules"],
        why: "words and rules meet here; no search, no session",
    },
    Allowed {
        room: "session",
        may_use: &["rules", "record", "engine", "session", "NAME", "VERSION"],
        why: "the session asks through the Engine trait and does no input or output",
    },
    Allowed {
        room: "page",
        may_use: &["NAME", "VERSION"],
        why: "a page is made of text and numbers; what they mean is known to whoever has it made",
    },
    Allowed {
        room: "report",
        may_use: &["rules", "record", "engine", "page", "NAME", "VERSION"],
        why: "a report looks at games and asks through the Engine trait; it searches nothing itself",
    },
    Allowed {
        room: "arena",
        may_use: &["rules", "record", "engine", "page", "NAME", "VERSION"],
        why: "the arena referees strangers; what it asks itself, it asks through the Engine trait",
    },
    Allowed {
        room: "conform.rs",
        may_use: &["arena"],
        why: "what an engine has to answer is told by walks; processes are the arena's business",
    },
    Allowed {
        room: "logging.rs",
        may_use: &[],
        why: "where the log goes is nobody's business but its own",
    },
    Allowed {
        room: "stdio.rs",
        may_use: &["engine", "logging", "session"],
        why: "stdio carries out effects; what they mean is the session's business",
    },
    Allowed {
        room: "train",
        may_use: &["rules", "eval", "engine"],
        why: "the training asks the engine as everybody does, and knows weights; nothing of who asks",
    },
    Allowed { room: "cli", may_use: &["*"], why: "the command line may know every room" },
    Allowed { room: "main.rs", may_use: &["*"], why: "the program may know every room" },
    Allowed { room: "lib.rs", may_use: &["*"], why: "the list of rooms" },
];

/// Who may write to standard output.
const WRITERS: &[&str] = &["cli", "stdio.rs", "main.rs"];

/// Who may use anyhow.
const ANYHOW: &[&str] = &["cli", "stdio.rs", "main.rs"];

/// Files that may hold unsafe code, from the root of the project.
const UNSAFE: &[&str] =
    &["src/kernel/avx2.rs", "src/kernel/avx512.rs", "src/kernel/mod.rs", "src/search/memory.rs"];

/// One line of source that is neither comment nor blank.
struct Line {
    file: PathBuf,
    number: usize,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file under a folder, sorted; a folder that is not there has none.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn code_lines(file: &Path) -> Vec<Line> {
    let text = fs::read_to_string(file).unwrap();
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
        .map(|(number, line)| Line { file: file.to_owned(), number, text: line.to_owned() })
        .collect()
}

fn code_of(folder: &str) -> Vec<Line> {
    rust_files(&root().join(folder)).iter().flat_map(|file| code_lines(file)).collect()
}

impl Line {
    /// The path from the root of the project, with `/`.
    fn path(&self) -> String {
        let path = self.file.strip_prefix(root()).unwrap();
        path.to_string_lossy().replace('\\', "/")
    }

    /// The path from `src`.
    fn room(&self) -> String {
        self.path().trim_start_matches("src/").to_owned()
    }

    fn is_in(&self, rooms: &[&str]) -> bool {
        rooms.iter().any(|room| belongs(&self.room(), room))
    }

    fn tell(&self, why: &str) -> String {
        format!("{}:{}: {}\n    {why}", self.path(), self.number, self.text)
    }
}

/// Whether a path is a room, or a file in it.
fn belongs(path: &str, room: &str) -> bool {
    path == room || path.strip_prefix(room).is_some_and(|rest| rest.starts_with('/'))
}

fn report(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

/// The first names behind every `crate::` of a line, those in braces one by one.
fn crate_names(text: &str) -> Vec<String> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let first_name = |text: &str| text.chars().take_while(|&c| is_name(c)).collect::<String>();
    let mut names = Vec::new();
    for (at, found) in text.match_indices("crate::") {
        if text[..at].ends_with(|before: char| is_name(before) || before == ':' || before == '$') {
            continue;
        }
        let rest = &text[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(
                list.trim_end_matches([';', '}']).split(',').map(|item| first_name(item.trim())),
            ),
            None => names.push(first_name(rest)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn rooms_use_only_the_rooms_below_them() {
    let mut broken = Vec::new();
    for line in code_of("src") {
        let room = line.room();
        let Some(allowed) = DIRECTIONS
            .iter()
            .filter(|allowed| belongs(&room, allowed.room))
            .max_by_key(|allowed| allowed.room.len())
        else {
            broken.push(line.tell("a new room: say in tests/tidy.rs whom it may use"));
            continue;
        };
        let own = allowed.room.split('/').next().unwrap().trim_end_matches(".rs");
        let is_allowed = |name: &String| {
            name == own || allowed.may_use.contains(&"*") || allowed.may_use.contains(&name.as_str())
        };
        if let Some(name) = crate_names(&line.text).into_iter().find(|name| !is_allowed(name)) {
            broken.push(line.tell(&format!("{} must not use {name}: {}", allowed.room, allowed.why)));
        }
    }
    report(&broken);
}

#[test]
fn names_behind_crate_are_found_in_every_form() {
    let check = |text: &str, names: &[&str]| assert_eq!(crate_names(text), names, "{text}");
    check("use crate::rules::{Game, Side};", &["rules"]);
    check("use crate::{record, search::table};", &["record", "search"]);
    check("let x = crate::eval::look(crate::NAME);", &["eval", "NAME"]);
    check("pub(crate) fn f() {}", &[]);
    check("use outflank_crate::x;", &[]);
}

#[test]
fn nom_stays_in_the_protocol_crate() {
    let uses_nom = |line: &Line| line.text.contains("nom::") || line.text.contains("use nom");
    let why = "parsing belongs to protocol/, which can be tested without a game";
    let broken: Vec<_> =
        code_of("src").iter().filter(|line| uses_nom(line)).map(|line| line.tell(why)).collect();
    report(&broken);
}

#[test]
fn the_protocol_crate_knows_nothing_of_the_program() {
    let why = "protocol/ has a vocabulary of its own; src/record.rs translates";
    let knows = |line: &Line| line.text.contains("outflank::");
    let broken: Vec<_> =
        code_of("protocol/src").iter().filter(|line| knows(line)).map(|line| line.tell(why)).collect();
    report(&broken);
}

#[test]
fn only_the_command_line_and_stdio_write_to_standard_output() {
    let marks = ["println!(", "print!(", "io::stdout", "stdout()"];
    let writes = |text: &str| {
        let text = text.replace("eprintln!(", "").replace("eprint!(", "");
        marks.iter().any(|mark| text.contains(mark))
    };
    let why = "standard output belongs to the protocol; log instead, or return the text";
    let lines = code_of("src").into_iter().chain(code_of("protocol/src"));
    let broken: Vec<_> = lines
        .filter(|line| {
            writes(&line.text) && (line.path().starts_with("protocol/") || !line.is_in(WRITERS))
        })
        .map(|line| line.tell(why))
        .collect();
    report(&broken);
}

#[test]
fn anyhow_is_for_the_program_and_not_for_the_library() {
    let why = "library errors are enums that carry the offending text, so that callers can match them";
    let lines = code_of("src").into_iter().chain(code_of("protocol/src"));
    let broken: Vec<_> = lines
        .filter(|line| line.text.contains("anyhow"))
        .filter(|line| line.path().starts_with("protocol/") || !line.is_in(ANYHOW))
        .map(|line| line.tell(why))
        .collect();
    report(&broken);
}

#[test]
fn unsafe_code_is_where_it_may_be_and_says_why_it_is_sound() {
    let mut broken = Vec::new();
    for folder in ["src", "protocol/src"] {
        for file in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for line in code_lines(&file).iter().filter(|line| has_unsafe(&line.text)) {
                if !UNSAFE.contains(&line.path().as_str()) {
                    broken.push(
                        line.tell("no unsafe code here; a file that needs it is named in tests/tidy.rs"),
                    );
                } else if !line.text.starts_with("#[") && !is_explained(&lines, line.number - 1) {
                    broken.push(line.tell("a SAFETY: comment above it has to say why this is sound"));
                }
            }
        }
    }
    report(&broken);
}

fn has_unsafe(text: &str) -> bool {
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "allow(unsafe_code", "expect(unsafe_code"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// Whether the comment right above a line holds `SAFETY:` or a `# Safety` section.
fn is_explained(lines: &[&str], index: usize) -> bool {
    let above = lines[..index].iter().rev().map(|line| line.trim());
    above
        .take_while(|line| line.starts_with("//") || line.starts_with("#["))
        .any(|line| line.contains("SAFETY:") || line.contains("# Safety"))
}

#[test]
fn nothing_unfinished_is_left_behind() {
    let marks = ["todo!(", "unimplemented!(", "dbg!("];
    let why = "unfinished or debugging code";
    let folders = ["src", "protocol/src"];
    let broken: Vec<_> = folders
        .iter()
        .flat_map(|folder| code_of(folder))
        .filter(|line| marks.iter().any(|mark| line.text.contains(mark)))
        .map(|line| line.tell(why))
        .collect();
    report(&broken);
}

#[test]
fn every_dialect_has_its_specification_its_sessions_and_its_walk() {
    let protocol = root().join("protocol");
    let mut broken = Vec::new();
    for row in outflank_protocol::DIALECTS {
        let spec = protocol.join(format!("spec/{}.md", row.name));
        if !spec.is_file() {
            broken.push(format!("{}: a dialect without its grammar cannot be checked", spec.display()));
        }
        let sessions = protocol.join(format!("sessions/{}", row.name));
        if outflank_protocol::walk::walk_text(row.name).is_none() {
            broken.push(format!("{}: a dialect that no engine can be checked against", row.name));
        }
        let has_session = fs::read_dir(&sessions).is_ok_and(|mut entries| entries.next().is_some());
        if !has_session {
            broken.push(format!("{}: no session shows that the dialect works", sessions.display()));
        }
    }
    report(&broken);
}
