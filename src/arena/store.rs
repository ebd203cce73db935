//! The files a tournament leaves behind, and taking one up again from them.
//!
//! The JSON lines are the truth: a game is played when its line is there, whole. The line of the
//! first game also says what the tournament was, so that no other is continued by mistake. The GGF
//! file is written before it, a line a game, and is brought back in step when it got ahead.
//!
//! Knows rows and lines. Must not know what the rows add up to, nor who plays.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::GameRow;

/// Where records go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// JSON lines.
    pub jsonl: Option<PathBuf>,
    /// Games in GGF.
    pub ggf: Option<PathBuf>,
}

/// Why records cannot be read or written.
#[derive(Debug)]
pub enum StoreError {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A file would be overwritten.
    NotEmpty {
        /// The file.
        path: PathBuf,
    },
    /// Another program writes to a file.
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A GGF file holds games that are not those of the JSON lines.
    OtherGames {
        /// The file.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
    },
    /// There are no JSON lines to go on from.
    NothingToResume,
    /// A line that is no row.
    BadLine {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The file belongs to another tournament.
    OtherTournament {
        /// The file.
        path: PathBuf,
        /// Each difference, in words.
        differences: Vec<String>,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            StoreError::NotEmpty { path } => write!(
                f,
                "{}: there are games in it already; --resume goes on with them, another name begins anew",
                path.display()
            ),
            StoreError::InUse { path } => {
                write!(f, "{}: another program writes to it", path.display())
            }
            StoreError::OtherGames { path, line } => write!(
                f,
                "{}, line {line}: not the game of the --jsonl file, so nothing is changed; another name begins anew",
                path.display()
            ),
            StoreError::NothingToResume => {
                f.write_str("--resume goes on from the games in a --jsonl file, and none is given")
            }
            StoreError::BadLine { path, line, why } => {
                write!(f, "{}, line {line}: {why}", path.display())
            }
            StoreError::OtherTournament { path, differences } => write!(
                f,
                "{}: its games are of another tournament: {}",
                path.display(),
                differences.join("; ")
            ),
        }
    }
}

// What the system said is part of the message, so it is no source that is told again.
impl std::error::Error for StoreError {}

/// The line of a game, with what the tournament is where it is the first one.
#[derive(Serialize)]
struct LineOut<'a> {
    #[serde(flatten)]
    row: &'a GameRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<&'a Value>,
}

/// The same as it is read.
#[derive(Deserialize)]
struct LineIn {
    #[serde(flatten)]
    row: GameRow,
    tournament: Option<Value>,
}

/// Open files that games are appended to.
#[derive(Debug)]
pub struct Store {
    head: Value,
    n_rows: u32,
    jsonl: Option<Lines>,
    ggf: Option<Lines>,
}

/// A file that is written a whole line at a time.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens new files. `head` describes the tournament.
    ///
    /// # Errors
    /// Files that hold something already, or that cannot be opened.
    pub fn create(paths: &Paths, head: Value) -> Result<Self, StoreError> {
        let open = |path: &PathBuf| {
            let lines = Lines::open(path)?;
            match lines.file.metadata() {
                Ok(found) if found.len() == 0 || !found.is_file() => Ok(lines),
                Ok(_) => Err(StoreError::NotEmpty { path: path.clone() }),
                Err(error) => Err(lines.io(error)),
            }
        };
        let jsonl = paths.jsonl.as_ref().map(open).transpose()?;
        let ggf = paths.ggf.as_ref().map(open).transpose()?;
        Ok(Self { head, n_rows: 0, jsonl, ggf })
    }

    /// Opens the files of a tournament that was broken off, and gives back its games. A last line
    /// that is not whole is cut off. `ggf_of` writes a row as a line of GGF, for games that the GGF
    /// file lacks.
    ///
    /// # Errors
    /// No path for the JSON lines, lines that are no rows, and a `head` that differs.
    pub fn resume(
        paths: &Paths,
        head: Value,
        ggf_of: impl Fn(&GameRow) -> String,
    ) -> Result<(Self, Vec<GameRow>), StoreError> {
        let path = paths.jsonl.as_ref().ok_or(StoreError::NothingToResume)?;
        let mut jsonl = Lines::open(path)?;
        let mut rows = Vec::new();
        for (index, line) in jsonl.whole_lines()?.iter().enumerate() {
            let bad = |why| StoreError::BadLine { path: path.clone(), line: index + 1, why };
            let read: LineIn =
                serde_json::from_str(line).map_err(|error| bad(format!("no game: {error}")))?;
            if index == 0 {
                let was = read.tournament.ok_or_else(|| {
                    bad("it does not say which tournament the games are of, so they cannot be continued"
                        .to_owned())
                })?;
                check_head(path, &was, &head)?;
            }
            if read.row.game as usize != index + 1 {
                return Err(bad(format!(
                    "game {} stands where game {} should",
                    read.row.game,
                    index + 1
                )));
            }
            rows.push(read.row);
        }
        let ggf = match &paths.ggf {
            Some(path) => Some(bring_in_step(path, &rows, ggf_of)?),
            None => None,
        };
        let n_rows = rows.len() as u32;
        Ok((Self { head, n_rows, jsonl: Some(jsonl), ggf }, rows))
    }

    /// Appends a game; `ggf` is its line for the GGF file.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn append(
        &mut self,
        row: &GameRow,
        ggf: impl FnOnce(&GameRow) -> String,
    ) -> Result<(), StoreError> {
        if let Some(lines) = &mut self.ggf {
            lines.append(&ggf(row))?;
        }
        if let Some(lines) = &mut self.jsonl {
            let tournament = (self.n_rows == 0).then_some(&self.head);
            let line = serde_json::to_string(&LineOut { row, tournament })
                .map_err(|error| lines.io(error.into()))?;
            lines.append(&line)?;
        }
        self.n_rows += 1;
        Ok(())
    }
}

/// Whether the games of a file are of this tournament.
fn check_head(path: &Path, was: &Value, is: &Value) -> Result<(), StoreError> {
    let mut differences = Vec::new();
    differ("", was, is, &mut differences);
    if differences.is_empty() {
        return Ok(());
    }
    Err(StoreError::OtherTournament { path: path.to_owned(), differences })
}

/// Lists where two descriptions differ, in words.
fn differ(place: &str, was: &Value, is: &Value, out: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|&key| !old.contains_key(key)));
            for key in keys {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                let (old, new) = (old.get(key), new.get(key));
                differ(&place, old.unwrap_or(&Value::Null), new.unwrap_or(&Value::Null), out);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differ(&format!("{place}[{}]", index + 1), old, new, out);
            }
        }
        _ if was == is => {}
        _ => out.push(format!("{place} was {}, now it is {}", told(was), told(is))),
    }
}

fn told(value: &Value) -> String {
    match value {
        Value::Null => "not there".to_owned(),
        Value::Array(list) => format!("{} long", list.len()),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

/// A GGF file with exactly the games of these rows.
fn bring_in_step(
    path: &PathBuf,
    rows: &[GameRow],
    ggf_of: impl Fn(&GameRow) -> String,
) -> Result<Lines, StoreError> {
    let mut lines = Lines::open(path)?;
    let (there, whole) = lines.read()?;
    // A game is written here first, so at most one can be ahead of the rows.
    let strange = there.iter().zip(rows).position(|(line, row)| *line != ggf_of(row));
    let strange = strange.or((there.len() > rows.len() + 1).then_some(rows.len() + 1));
    if let Some(index) = strange {
        return Err(StoreError::OtherGames { path: path.clone(), line: index + 1 });
    }
    let kept = there.iter().take(rows.len()).map(|line| line.len() as u64 + 1).sum();
    lines.cut(whole.min(kept))?;
    for row in rows.iter().skip(there.len()) {
        lines.append(&ggf_of(row))?;
    }
    Ok(lines)
}

impl Lines {
    fn open(path: &PathBuf) -> Result<Self, StoreError> {
        // Read as well, to find the end of the last whole line; never truncated unasked.
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| StoreError::Io { path: path.clone(), error })?;
        // Held until the file is closed. Where the system has no locks it goes without, and devices
        // take whatever comes.
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        if is_file && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(StoreError::InUse { path: path.clone() });
        }
        Ok(Self { path: path.clone(), file })
    }

    fn io(&self, error: io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), error }
    }

    /// Every line that is ended; what stands behind the last of them is cut off.
    fn whole_lines(&mut self) -> Result<Vec<String>, StoreError> {
        let (lines, whole) = self.read()?;
        self.cut(whole)?;
        Ok(lines)
    }

    /// Every line that is ended, and how many bytes they are.
    fn read(&mut self) -> Result<(Vec<String>, u64), StoreError> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|error| self.io(error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        if whole < bytes.len() {
            log::warn!("{}: its last line is not whole", self.path.display());
        }
        let text = String::from_utf8_lossy(&bytes[..whole]);
        Ok((text.split_terminator('\n').map(str::to_owned).collect(), whole as u64))
    }

    /// Leaves so many bytes of a file that has more.
    fn cut(&mut self, length: u64) -> Result<(), StoreError> {
        let done = self.file.metadata().and_then(|found| {
            if found.is_file() && found.len() > length {
                self.file.set_len(length)?;
            }
            self.file.seek(SeekFrom::End(0))
        });
        done.map(|_| ()).map_err(|error| self.io(error))
    }

    /// One write a line, so that a kill leaves whole lines in all but the rarest case.
    fn append(&mut self, line: &str) -> Result<(), StoreError> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.and_then(|()| self.file.flush()).map_err(|error| self.io(error))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;

    use super::*;

    /// Files of one test, deleted at its end.
    struct Files(PathBuf);

    impl Files {
        fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let folder =
                std::env::temp_dir().join(format!("outflank-store-{}-{number}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn paths(&self) -> Paths {
            Paths { jsonl: Some(self.0.join("games.jsonl")), ggf: Some(self.0.join("games.ggf")) }
        }

        fn text(&self, name: &str) -> String {
            fs::read_to_string(self.0.join(name)).unwrap()
        }

        fn set(&self, name: &str, text: &str) {
            fs::write(self.0.join(name), text).unwrap();
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn row(game: u32) -> GameRow {
        let line = format!(
            r#"{{"game":{game},"pair":{},"opening":"start","x":"A","o":"B","moves":"f5","count":{{"x":4,"o":1}},"winner":"x","reason":"score","plies":1,"seconds":0.5}}"#,
            game.div_ceil(2)
        );
        serde_json::from_str(&line).unwrap()
    }

    fn ggf(row: &GameRow) -> String {
        format!("(;game {};)", row.game)
    }

    fn head() -> Value {
        json!({ "seed": 1, "engines": [{ "name": "A" }, { "name": "B" }], "openings": { "count": 2 } })
    }

    /// Files with so many games.
    fn filled(n: u32) -> Files {
        let files = Files::new();
        let mut store = Store::create(&files.paths(), head()).unwrap();
        (1..=n).for_each(|game| store.append(&row(game), ggf).unwrap());
        files
    }

    fn resumed(files: &Files, head: Value) -> Result<Vec<GameRow>, String> {
        let resumed = Store::resume(&files.paths(), head, ggf);
        resumed.map(|(_, rows)| rows).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_first_line_says_what_the_tournament_is() {
        let files = filled(2);
        let lines: Vec<Value> =
            files.text("games.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["tournament"], head());
        assert_eq!(lines[1].get("tournament"), None);
        assert_eq!(resumed(&files, head()).unwrap(), [row(1), row(2)]);
    }

    #[test]
    fn a_resumed_file_goes_on_without_a_second_description() {
        let files = filled(1);
        let (mut store, _) = Store::resume(&files.paths(), head(), ggf).unwrap();
        store.append(&row(2), ggf).unwrap();
        assert_eq!(files.text("games.jsonl").matches("tournament").count(), 1);
        assert_eq!(files.text("games.ggf"), "(;game 1;)\n(;game 2;)\n");
    }

    #[test]
    fn a_torn_last_line_is_cut_off_in_both_files() {
        let files = filled(2);
        files.set("games.jsonl", &format!("{}{{\"game\":3,", files.text("games.jsonl")));
        files.set("games.ggf", "(;game 1;)\n(;game 2;)\n(;game 3;)\n(;ga");
        assert_eq!(resumed(&files, head()).unwrap().len(), 2);
        assert_eq!(files.text("games.ggf"), "(;game 1;)\n(;game 2;)\n");
        assert!(files.text("games.jsonl").ends_with("}\n"));
    }

    #[test]
    fn games_that_the_ggf_file_lacks_are_written_from_their_rows() {
        let files = filled(3);
        files.set("games.ggf", "(;game 1;)\n");
        resumed(&files, head()).unwrap();
        assert_eq!(files.text("games.ggf"), "(;game 1;)\n(;game 2;)\n(;game 3;)\n");
    }

    #[test]
    fn what_cannot_be_continued_is_refused_with_its_place() {
        let files = filled(2);
        let mut other = head();
        other["seed"] = json!(2);
        other["engines"][1]["name"] = json!("C");
        let refused = resumed(&files, other).unwrap_err();
        assert!(
            refused.contains("engines[2].name was 'B', now it is 'C'; seed was 1, now it is 2"),
            "{refused}"
        );
        let mut more = head();
        more["engines"] = json!([1, 2, 3]);
        assert!(resumed(&files, more).unwrap_err().contains("engines was 2 long, now it is 3 long"));

        let good = files.text("games.jsonl");
        files.set("games.jsonl", &format!("{good}nonsense\n"));
        assert!(resumed(&files, head()).unwrap_err().contains("games.jsonl, line 3: no game"));
        files.set("games.jsonl", &format!("{good}{}\n", serde_json::to_string(&row(5)).unwrap()));
        assert!(
            resumed(&files, head()).unwrap_err().contains("line 3: game 5 stands where game 3 should")
        );
        files.set("games.jsonl", &format!("{}\n", serde_json::to_string(&row(1)).unwrap()));
        assert!(resumed(&files, head()).unwrap_err().contains("does not say which tournament"));

        let kept = "(;game 1;)\n(;another;)\n(;game 3;)\n(;torn";
        files.set("games.jsonl", &good);
        files.set("games.ggf", kept);
        assert!(resumed(&files, head()).unwrap_err().contains("games.ggf, line 2: not the game"));
        assert_eq!(files.text("games.ggf"), kept);
        let kept = "(;game 1;)\n(;game 2;)\n(;game 3;)\n(;game 4;)\n";
        files.set("games.ggf", kept);
        assert!(resumed(&files, head()).unwrap_err().contains("games.ggf, line 4: not the game"));
        assert_eq!(files.text("games.ggf"), kept);
        files.set("games.ggf", "");

        let paths = Paths { jsonl: None, ..files.paths() };
        assert!(matches!(Store::resume(&paths, head(), ggf), Err(StoreError::NothingToResume)));
        assert!(matches!(Store::create(&files.paths(), head()), Err(StoreError::NotEmpty { .. })));
    }
}
