//! Where positions and games come from: arguments, files and standard input, an entry at a time.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank_protocol::format::reader::{Entry, Reader, Reading};
use outflank_protocol::format::wthor::{self, HEADER, Header, Names, NamesKind};
use outflank_protocol::format::{Content, FormatRow};

use super::values::Id;

/// One place that input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// An argument that is itself a position or game.
    Text(String),
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// `-` is standard input, the name of an existing file is that file, anything else is text.
    fn of(argument: &str) -> Source {
        if argument == "-" {
            Source::Stdin
        } else if Path::new(argument).exists() {
            Source::File(PathBuf::from(argument))
        } else {
            Source::Text(argument.to_owned())
        }
    }
}

/// How a command reads its inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Everything is of this format, whatever it looks like.
    pub format: Option<&'static FormatRow>,
    /// Nobody waits for an answer to each line, so that games may go on in the lines below in pipes
    /// as well.
    pub patient: bool,
}

/// Where an input stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if it is one.
    pub file: Option<Arc<str>>,
    /// The line in it, or the game of a binary file, from 1.
    pub line: u64,
    /// It was written on the command line, where a file may have been meant.
    pub is_argument: bool,
    /// What stands before the games of a binary file.
    pub thor: Option<Header>,
}

impl Place {
    /// `games.txt, line 3`; nothing for an argument.
    fn words(&self) -> Option<String> {
        let kind = if self.thor.is_some() { "game" } else { "line" };
        match &self.file {
            _ if self.is_argument => None,
            Some(file) if self.line > 0 => Some(format!("{file}, {kind} {}", self.line)),
            Some(file) => Some(file.to_string()),
            None => Some(format!("{kind} {}", self.line)),
        }
    }

    /// An error with its place behind it.
    pub fn tell(&self, why: &str) -> String {
        self.words().map_or_else(|| why.to_owned(), |place| format!("{why} ({place})"))
    }
}

/// One input as it is written.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is called: its number, counted from 1 through all sources, or number and place as in
    /// `3.1` where several begin on a line.
    pub id: Id,
    /// Where it stands.
    pub place: Place,
    /// Name of its format.
    pub format: &'static str,
    /// Its text; empty for binary files.
    pub text: String,
    /// What it says, or why it cannot be read, the place not named.
    pub content: Result<Content, String>,
}

/// Files of names, by what they are of.
#[derive(Clone, Debug, Default)]
pub struct NameFiles {
    /// Of players.
    pub players: Option<Arc<Names>>,
    /// Of tournaments.
    pub tournaments: Option<Arc<Names>>,
}

impl NameFiles {
    fn take(&mut self, path: &Path) {
        match fs::read(path).map(|bytes| Names::read(&bytes)) {
            Ok(Ok((NamesKind::Players, names))) => self.players = Some(Arc::new(names)),
            Ok(Ok((NamesKind::Tournaments, names))) => self.tournaments = Some(Arc::new(names)),
            Ok(Err(fault)) => log::warn!("{}: {fault}", path.display()),
            Err(error) => log::warn!("{}: {error}", path.display()),
        }
    }

    /// The files of names that stand beside a file of games: of its own name, or `WTHOR`, or `WTH`, or
    /// the only ones there; capitals do not matter.
    fn beside(path: &Path) -> NameFiles {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Ok(listed) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
            return NameFiles::default();
        };
        let lower = |part: Option<&std::ffi::OsStr>| {
            part.unwrap_or_default().to_string_lossy().to_ascii_lowercase()
        };
        let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let own = lower(path.file_stem());
        let mut found = NameFiles::default();
        for extension in ["jou", "trn"] {
            let of_kind: Vec<&PathBuf> =
                files.iter().filter(|file| lower(file.extension()) == extension).collect();
            let named = |stem: &str| of_kind.iter().find(|file| lower(file.file_stem()) == stem);
            let only = || of_kind.first().filter(|_| of_kind.len() == 1);
            if let Some(file) = named(&own).or(named("wthor")).or(named("wth")).or_else(only) {
                found.take(file);
            }
        }
        found
    }
}

/// The inputs of all sources, read no further than they are asked for.
pub struct Inputs {
    sources: VecDeque<Source>,
    manner: Manner,
    open: Option<OpenSource>,
    ready: VecDeque<Input>,
    /// Lines of the sources before the open one.
    n_before: u64,
    given: NameFiles,
    /// By the folders and names they stand beside.
    beside: HashMap<PathBuf, NameFiles>,
}

/// A source that is being read.
struct OpenSource {
    path: Option<PathBuf>,
    place: Place,
    bytes: Box<dyn Read + Send>,
    reader: Reader,
    names: Option<NameFiles>,
}

impl Inputs {
    /// The inputs of these arguments; those of standard input when there are none. Files of WTHOR's
    /// names are no inputs: they name the players of all games.
    pub fn of(arguments: &[String], manner: Manner) -> Inputs {
        let mut sources: VecDeque<Source> =
            arguments.iter().map(|argument| Source::of(argument)).collect();
        if sources.is_empty() {
            sources.push_back(Source::Stdin);
        }
        let mut given = NameFiles::default();
        sources.retain(|source| match source {
            Source::File(path) if holds_names(path) => {
                given.take(path);
                false
            }
            _ => true,
        });
        let (ready, beside) = (VecDeque::new(), HashMap::new());
        Inputs { sources, manner, open: None, ready, n_before: 0, given, beside }
    }

    /// The files of names that were given.
    pub fn given_names(&self) -> &NameFiles {
        &self.given
    }

    /// What can be had without waiting for more bytes, but one input at least; `None` at the end.
    pub fn next_batch(&mut self) -> Option<Vec<Input>> {
        let first = self.next()?;
        let mut batch = Vec::with_capacity(1 + self.ready.len());
        batch.push(first);
        batch.extend(self.ready.drain(..));
        Some(batch)
    }

    /// Something that is wrong with a whole source, in the place of its inputs.
    fn fail(&mut self, place: Place, why: String) {
        self.n_before += 1;
        let (id, content) = (Id::Number(self.n_before), Err(why));
        self.ready.push_back(Input { id, place, format: "text", text: String::new(), content });
    }

    fn begin(&mut self, source: Source) {
        let is_argument = matches!(source, Source::Text(_));
        let file = match &source {
            Source::File(path) => Some(Arc::from(path.display().to_string())),
            _ => None,
        };
        let place = Place { file, is_argument, ..Place::default() };
        let mut reading = Reading { format: self.manner.format, joins: self.manner.patient };
        let mut path = None;
        let bytes: Box<dyn Read + Send> = match source {
            Source::Text(text) if text.trim().is_empty() => {
                return self.fail(place, "an empty argument is no position and no game".to_owned());
            }
            Source::Text(text) => {
                reading.joins = true;
                Box::new(io::Cursor::new(text.into_bytes()))
            }
            Source::Stdin => {
                reading.joins |= stdin_is_file();
                Box::new(io::stdin())
            }
            Source::File(name) => {
                reading.joins = true;
                match File::open(&name) {
                    Ok(file) => {
                        path = Some(name);
                        Box::new(file)
                    }
                    Err(error) => return self.fail(place, error.to_string()),
                }
            }
        };
        self.open = Some(OpenSource { path, place, bytes, reader: Reader::new(reading), names: None });
    }

    /// Reads on until something is ready or the source ends.
    fn fill(&mut self, mut open: OpenSource) {
        let mut buffer = vec![0_u8; 64 * 1024];
        let mut entries = Vec::new();
        let mut ended = false;
        while entries.is_empty() && !ended {
            match open.bytes.read(&mut buffer) {
                Ok(0) => {
                    open.reader.finish(&mut entries);
                    ended = true;
                }
                Ok(n_read) => open.reader.push(buffer.get(..n_read).unwrap_or_default(), &mut entries),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    open.reader.finish(&mut entries);
                    self.take_in(&mut open, entries);
                    self.n_before += open.reader.n_lines();
                    return self.fail(open.place, error.to_string());
                }
            }
        }
        self.take_in(&mut open, entries);
        if ended {
            self.n_before += open.reader.n_lines();
        } else {
            self.open = Some(open);
        }
    }

    fn take_in(&mut self, open: &mut OpenSource, entries: Vec<Entry>) {
        for entry in entries {
            let mut content = entry.content.map_err(|fault| {
                let text = fault.text().unwrap_or_else(|| outflank_protocol::fault::clip(&entry.text));
                let why = fault.to_string();
                let told = text.is_empty() || why.contains(&text);
                if told { why } else { format!("'{text}': {why}") }
            });
            if let Ok(Content::Game(game)) = &mut content
                && game.about.thor.is_some()
            {
                let names = open.names.get_or_insert_with(|| self.names_for(open.path.as_deref()));
                wthor::name_game(game, names.players.as_deref(), names.tournaments.as_deref());
            }
            if let Ok(Content::Names(..)) = content {
                content = Err("a file of names is named beside the files of games".to_owned());
            }
            let number = self.n_before + entry.line;
            let id = match entry.item {
                Some(item) => Id::Own(format!("{number}.{item}")),
                None => Id::Number(number),
            };
            let place =
                Place { line: entry.line, thor: open.reader.thor_header(), ..open.place.clone() };
            self.ready.push_back(Input { id, place, format: entry.format, text: entry.text, content });
        }
    }

    /// The names that were given, or else those beside the file.
    fn names_for(&mut self, path: Option<&Path>) -> NameFiles {
        let mut names = self.given.clone();
        if let Some(path) = path
            && (names.players.is_none() || names.tournaments.is_none())
        {
            let key = path.with_extension("");
            let beside = self.beside.entry(key).or_insert_with(|| NameFiles::beside(path));
            names.players = names.players.or_else(|| beside.players.clone());
            names.tournaments = names.tournaments.or_else(|| beside.tournaments.clone());
        }
        names
    }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            if let Some(input) = self.ready.pop_front() {
                return Some(input);
            }
            match self.open.take() {
                Some(open) => self.fill(open),
                None => {
                    let source = self.sources.pop_front()?;
                    self.begin(source);
                }
            }
        }
    }
}

/// Whether a file holds names of WTHOR, by its header.
fn holds_names(path: &Path) -> bool {
    let mut head = [0; HEADER];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok()
        && wthor::claims(&head)
        && wthor::read_header(&head).is_ok_and(|header| header.is_names())
}

/// Whether standard input is a file, so that nobody waits at its other end.
#[cfg(unix)]
fn stdin_is_file() -> bool {
    use std::os::fd::AsFd;
    let copy = io::stdin().as_fd().try_clone_to_owned();
    copy.is_ok_and(|copy| File::from(copy).metadata().is_ok_and(|data| data.is_file()))
}

#[cfg(not(unix))]
fn stdin_is_file() -> bool {
    false
}
