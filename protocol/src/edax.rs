//! The console of Edax, and the options of its command line.
//!
//! Grammar, forms and quirks are in `spec/edax.md`. The console has no ids and no errors, and its
//! replies are made for people; scripts look for the lines `X plays F5`, the rows of the tables and
//! the drawn board. The engine's side stands first, then the command line, then the client's side.

use std::fmt::Write;

use crate::Dialect;
use crate::client::{
    ChoiceText, ChosenText, Client, Garble, Heard, Identity, Limit, Limits, Next, Order, Situation,
    Topic, Unsayable,
};
use crate::fault::{clip, clip_answer};
use crate::lexis::{move_list, move_word, read_clock, read_number};
use crate::line::LineFault;
use crate::message::{
    BestText, BoundText, Code, Done, EndingText, Event, Failure, Habits, InfoText, LogText, PlyText,
    Purpose, Request, SearchText, SeatsText, StateText, Tag, Tagged, Urgency, ValueText,
};
use crate::options::{Kind, OptionRow, SELECTIVITIES, row_of};
use crate::position::{looks_like_cells, read_position};
use crate::startup::{Errand, SolveTable, SolvedText, Startup};
use crate::words::{BoardText, Cell, ClockText, MoveText, MoveWord, PlaceText, Point, Side};

/// What is told besides refusals and moves: nothing below this.
const TALKS: u32 = 1;
/// From here on a search tells every depth and not only the last.
const TELLS_DEPTHS: u32 = 2;
/// The greatest verbosity.
const MOST_VERBOSE: u32 = 4;

/// Most moves that `hint` and `analyze` can be asked for.
const MOST_MOVES: u32 = 60;

/// Bytes of one entry of Edax's hash table, whose size is given as a power of two of entries.
const ENTRY_BYTES: u64 = 24;

/// The commands for people, in the order of `help`.
const HELP: &[(&str, &str)] = &[
    ("init", "a new game from the start of the variant"),
    ("new", "a new game from the position of the last setboard"),
    ("setboard CELLS SIDE", "a position: 64 cells from A1 and the side to move"),
    ("play MOVES", "moves in order, as f5d6c3 or F5 d6 c3; a bare move does the same"),
    ("force MOVES", "moves from the start that the engine plays without thinking; none ends it"),
    ("undo, redo", "one move; in modes 0 and 1 the answer and the move before it"),
    ("go", "the engine plays for the side to move"),
    ("hint [N]", "the N best moves with their values"),
    ("analyze [N]", "the last N moves of the game, all without N"),
    ("mode N", "the engine plays: 0 White, 1 Black, 2 both, 3 neither"),
    ("stop", "ends a search and leaves all moves to the client"),
    ("count games N", "leaves of the game tree to depth N"),
    ("level N", "strength, 0 to 60"),
    ("depth N", "plies, instead of a level"),
    ("selectivity N", "0 to 5 for 73, 87, 95, 98, 99 and 100 %"),
    ("move-time T, game-time T", "seconds or [h:]m:s, for a move or a game"),
    ("n-tasks N", "threads"),
    ("hash-table-size BITS", "size of the hash table, 2^BITS entries"),
    ("ponder on|off", "think in the opponent's time"),
    ("verbose N", "0 moves only, 1 boards and results, 2 every depth"),
    ("engine-name WORD", "what stands before 'plays'"),
    ("version", "name and version"),
    ("quit", "the end"),
];

/// Commands of Edax that need what is not here.
const MISSING: &[(&[&str], &str)] = &[
    (&["book", "b"], "there is no opening book"),
    (
        &["open", "load", "o", "save", "s"],
        "the console opens no files; `outflank` has commands for them",
    ),
    (
        &["convert", "unique", "check", "correct", "complete", "problem", "base"],
        "there are no collections of games",
    ),
    (
        &["tests", "bench", "obftest", "wtest", "estimate", "script-to-obf"],
        "that is no part of the console",
    ),
];

/// What a reply answers, as far as the request alone does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The board as it is then.
    Board,
    /// Nothing.
    Silence,
    /// The best moves.
    Hints,
    /// The moves of the game.
    Analysis,
    /// It ends the running search.
    Stop,
}

const ANSWERS: [Answer; 5] =
    [Answer::Board, Answer::Silence, Answer::Hints, Answer::Analysis, Answer::Stop];

/// What the rendering of a reply depends on; a tag's form holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    kind: Answer,
    /// 0 to [`MOST_VERBOSE`].
    verbosity: u32,
    /// The sides that the engine plays, as a mode of Edax.
    mode: u32,
    /// How many moves an analysis shows; 0 for all of them.
    n_moves: u32,
}

impl Form {
    fn pack(self) -> u16 {
        let kind = ANSWERS.iter().position(|kind| *kind == self.kind).unwrap_or_default() as u16;
        kind | (self.verbosity as u16) << 3 | (self.mode as u16) << 6 | (self.n_moves as u16) << 8
    }

    fn unpack(form: u16) -> Form {
        let part = |shift: u32, mask: u16| u32::from(form >> shift & mask);
        Form {
            kind: ANSWERS.get(part(0, 7) as usize).copied().unwrap_or(Answer::Board),
            verbosity: part(3, 7),
            mode: part(6, 3),
            n_moves: part(8, 0x7f),
        }
    }

    /// Whether the engine plays this side.
    fn plays(self, side: Side) -> bool {
        match self.mode {
            0 => side == Side::White,
            1 => side == Side::Black,
            mode => mode == 2,
        }
    }
}

/// What an option of Edax changes.
#[derive(Clone, Debug, PartialEq)]
enum Setting {
    /// Rows of the table of options.
    Rows(Vec<(&'static str, String)>),
    /// How much is told.
    Verbosity(u32),
    /// Selectivity of searches, in per cent.
    Selectivity(u32),
    /// Seconds for a game; 0 for no limit.
    GameTime(f64),
    /// Who plays.
    Mode(u32),
    /// Nothing here, whatever the value.
    Idle,
}

/// What of the settings a line depends on; only reading changes it.
#[derive(Debug)]
struct Settings {
    verbosity: u32,
    selectivity: Option<u32>,
    mode: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { verbosity: TALKS, selectivity: None, mode: 3 }
    }
}

/// The dialect.
#[derive(Debug, Default)]
pub struct Edax {
    settings: Settings,
    /// What the command line wants done first.
    opening: Vec<Request>,
    screen: Screen,
}

/// What has been told so far of what is shown later; only rendering changes it.
#[derive(Debug, Default)]
struct Screen {
    /// What stands before `plays`, once it is known.
    name: Option<String>,
    /// The game, as it was told last.
    state: Option<Box<StateText>>,
    /// The position that the moves were played from.
    start: Option<BoardText>,
    /// The discs that were played since, passes as `None`.
    played: Vec<Option<Point>>,
    /// The head of the search table has been written and not its end.
    table_is_open: bool,
    /// The last line of thought of the running search.
    thought: Option<InfoText>,
    /// The moves of an analysis.
    plies: Vec<PlyText>,
}

impl Edax {
    /// A conversation in this dialect.
    #[must_use]
    pub fn new() -> Edax {
        Edax::default()
    }
}

// ---------------------------------------------------------------------------------------------
// Reading

fn bad_value(text: &str, why: impl Into<String>) -> Failure {
    Failure::new(Code::BadValue, why).with_text(clip(text))
}

fn bad_argument(text: &str, why: impl Into<String>) -> Failure {
    Failure::new(Code::BadArgument, why).with_text(clip(text))
}

fn unsupported(text: &str, why: &str) -> Failure {
    Failure::new(Code::Unsupported, why).with_text(clip(text))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

/// The first word in lower case, and the rest without the blanks around it.
fn split(line: &str) -> (String, &str) {
    let line = line.trim_matches(is_blank);
    let (first, rest) = line.split_once(is_blank).unwrap_or((line, ""));
    (first.to_lowercase(), rest.trim_matches(is_blank))
}

fn number(text: &str, what: &str, least: u32, most: u32) -> Result<u32, Failure> {
    read_number(text)
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| bad_value(text, format!("{what} takes a whole number from {least} to {most}")))
}

fn no_argument(verb: &str, argument: &str) -> Result<(), Failure> {
    match argument {
        "" => Ok(()),
        _ => Err(bad_argument(argument, format!("{verb} takes nothing behind it"))),
    }
}

/// How many moves are wanted; `fallback` where the text does not say it.
fn n_moves(text: &str, what: &str, fallback: u32) -> Result<u32, Failure> {
    if text.is_empty() { Ok(fallback) } else { number(text, what, 1, MOST_MOVES) }
}

/// Seconds.
///
/// ```abnf
/// time = [[hours ":"] minutes ":"] seconds     ; seconds may have decimals
/// ```
fn seconds(text: &str, what: &str) -> Result<f64, Failure> {
    read_clock(text, 0.0)
        .filter(|_| !text.contains('/'))
        .map(|clock| clock.main)
        .filter(|seconds| *seconds <= 86_400.0)
        .ok_or_else(|| bad_value(text, format!("{what} takes seconds or [h:]m:s, up to 24:00:00")))
}

/// The names that options are shortened to.
const SHORT: &[(&str, &str)] =
    &[("l", "level"), ("d", "depth"), ("n", "n-tasks"), ("h", "hash-table-size"), ("t", "game-time")];

/// Options that change nothing here, and why that is no loss.
const IDLE: &[(&str, &str)] = &[
    ("book-usage", "there is no book, so it is never used"),
    ("book-file", "the same"),
    ("book-randomness", "the same"),
    ("eval-file", "the weights are within the program, which `--weights` replaces"),
    ("game-file", "games are not stored, so their file is never written"),
    ("noise", "it thins out rows of a table for people; `verbose` says whether there are any"),
    ("width", "lines of moves are never cut"),
];

/// Options that are accepted where they ask for what happens anyway.
const FIXED: &[(&str, &str, &str)] = &[
    ("all-best", "off", "hint values as many moves as it is asked for"),
    ("auto-start", "off", "a game begins by init or new"),
    ("auto-swap", "off", "mode says who plays"),
    ("auto-store", "off", "games are not stored"),
    ("auto-quit", "off", "quit or the end of input ends the program"),
    ("echo", "off", "commands are not repeated"),
    ("repeat", "1", "games are not repeated"),
];

/// Options that ask for what is not here.
const REFUSED: &[(&[&str], &str)] = &[
    (&["alpha", "beta"], "the window of a search is not for the client to set"),
    (&["search-log-file"], "searches have no log of their own; ui-log-file gets every line"),
    (&["ggs-host", "ggs-login", "ggs-password", "ggs-port"], "the game server is not spoken with"),
];

/// The names of flags that take no value on a command line, with the verbosity they stand for.
const FLAGS: &[(&str, u32)] = &[("q", 0), ("quiet", 0), ("v", 1), ("vv", 2)];

/// What an option changes; nothing where Edax has none of this name.
fn setting(name: &str, value: &str) -> Option<Result<Setting, Failure>> {
    let name = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| *long);
    if let Some(read) = own_setting(name, value) {
        return Some(read);
    }
    if IDLE.iter().any(|(idle, _)| *idle == name) {
        return Some(needs_value(name, value).map(|()| Setting::Idle));
    }
    if let Some((_, only, why)) = FIXED.iter().find(|(fixed, ..)| *fixed == name) {
        return Some(needs_value(name, value).and_then(|()| match value.eq_ignore_ascii_case(only) {
            true => Ok(Setting::Idle),
            false => Err(unsupported(value, &format!("{name} is always {only}: {why}"))),
        }));
    }
    let refused = REFUSED.iter().find(|(names, _)| names.contains(&name));
    refused.map(|(_, why)| Err(unsupported(name, why)))
}

fn needs_value(name: &str, value: &str) -> Result<(), Failure> {
    match value {
        "" => Err(bad_argument(name, format!("{name} takes a value"))),
        _ => Ok(()),
    }
}

/// The options that something is made of here.
fn own_setting(name: &str, value: &str) -> Option<Result<Setting, Failure>> {
    let row = row_of("edax", name);
    let known = ["verbose", "quiet", "selectivity", "game-time", "mode"];
    if row.is_none() && !known.contains(&name) {
        return None;
    }
    let read = || -> Result<Setting, Failure> {
        needs_value(name, value)?;
        Ok(match name {
            "verbose" => Setting::Verbosity(number(value, name, 0, MOST_VERBOSE)?),
            "quiet" => Setting::Verbosity(match value.to_ascii_lowercase().as_str() {
                "on" => 0,
                "off" => TALKS,
                _ => return Err(bad_value(value, "quiet takes on or off")),
            }),
            "selectivity" => {
                let index = number(value, name, 0, SELECTIVITIES.len() as u32 - 1)?;
                Setting::Selectivity(SELECTIVITIES.get(index as usize).copied().unwrap_or(100))
            }
            "game-time" => Setting::GameTime(seconds(value, name)?),
            "mode" => Setting::Mode(number(value, name, 0, 3)?),
            _ => Setting::Rows(rows(name, row, value)?),
        })
    };
    Some(read())
}

/// What a value of Edax means to the table of options. Of a level, a depth and a time for a move
/// the last one that was set holds.
fn rows(
    name: &str,
    row: Option<&'static OptionRow>,
    value: &str,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let Some(row) = row else { return Ok(Vec::new()) };
    let no = |row: &'static str| (row, "0".to_owned());
    let same = |value: u32| (row.name, value.to_string());
    Ok(match (row.name, row.kind) {
        ("hash", _) => vec![same(hash_mib(number(value, name, 1, 31)?))],
        ("movetime", _) => {
            let milliseconds = seconds(value, name)? * 1000.0;
            // 0 is no limit, so the least time there is is a whole millisecond.
            let least = u32::from(milliseconds > 0.0);
            vec![same((milliseconds.round() as u32).max(least)), no("depth")]
        }
        ("level", _) => vec![same(ranged(name, row, value)?), no("depth"), no("movetime")],
        (_, Kind::Spin { .. }) => vec![same(ranged(name, row, value)?)],
        _ => vec![(row.name, value.to_owned())],
    })
}

/// A number within the range of the row.
fn ranged(name: &str, row: &OptionRow, value: &str) -> Result<u32, Failure> {
    let Kind::Spin { min, max } = row.kind else { return Ok(0) };
    let bound = |number: i64| u32::try_from(number.max(0)).unwrap_or(u32::MAX);
    number(value, name, bound(min), bound(max))
}

/// The size that comes next to a table of so many entries as Edax has them.
fn hash_mib(bits: u32) -> u32 {
    let bytes = ENTRY_BYTES << bits;
    // 24 * 2^31 bytes are 49152 MiB.
    bytes.div_ceil(1 << 20) as u32
}

impl Edax {
    fn seats(&self) -> SeatsText {
        match self.settings.mode {
            0 => SeatsText::Side(Side::White),
            1 => SeatsText::Side(Side::Black),
            2 => SeatsText::Both,
            _ => SeatsText::None,
        }
    }

    /// Keeps what the reading of later lines depends on; the rest is a request.
    fn apply(&mut self, setting: Setting) -> Request {
        match setting {
            Setting::Rows(rows) => {
                Request::Set(rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }
            Setting::GameTime(seconds) if seconds > 0.0 => Request::Clock {
                side: None,
                clock: Some(ClockText { main: seconds, increment: 0.0, extension: 0.0 }),
            },
            Setting::GameTime(_) => Request::TimeSettings { main: 0.0, overtime: 0.0, moves: 0 },
            Setting::Mode(mode) => {
                self.settings.mode = mode;
                Request::Take(self.seats())
            }
            Setting::Verbosity(verbosity) => {
                self.settings.verbosity = verbosity;
                Request::Known(String::new())
            }
            Setting::Selectivity(percent) => {
                self.settings.selectivity = Some(percent);
                Request::Known(String::new())
            }
            Setting::Idle => Request::Known(String::new()),
        }
    }

    fn search(&self, purpose: Purpose) -> SearchText {
        let mut search = SearchText::new(purpose);
        search.selectivity = self.settings.selectivity;
        search
    }

    /// How many entries an `undo` takes back: where the engine answers, its answer too, so that
    /// the same player is to move.
    fn steps(&self) -> u32 {
        if self.settings.mode < 2 { 2 } else { 1 }
    }

    fn request(&mut self, line: &str) -> Result<(Answer, u32, Request), Failure> {
        let line = line.trim_matches(is_blank);
        let (verb, argument) = split(line);
        let plain = |request| Ok((Answer::Board, 0, request));
        let alone = |request| no_argument(&verb, argument).map(|()| (Answer::Board, 0, request));
        match verb.as_str() {
            "" => return Ok((Answer::Silence, 0, Request::Nothing)),
            word if word.starts_with('#') => return Ok((Answer::Silence, 0, Request::Nothing)),
            "init" | "i" => return alone(Request::New { variant: None, position: None }),
            "new" | "n" if argument.is_empty() => {
                return plain(Request::Replay { head: None, moves: Vec::new(), result: None });
            }
            "setboard" => return plain(set_up(argument)?),
            "quit" | "q" | "exit" | "eof" => return Ok((Answer::Silence, 0, Request::Quit)),
            "undo" | "u" => return alone(Request::Undo(self.steps())),
            "redo" | "r" => return alone(Request::Redo(self.steps())),
            "play" => {
                let moves = move_list(argument);
                if moves.is_empty() {
                    return Err(bad_argument("play", "play takes moves such as f5d6c3"));
                }
                return plain(Request::Play { side: None, moves, seconds: None });
            }
            "force" => return plain(Request::Force(move_list(argument))),
            "go" => {
                let mut search = self.search(Purpose::Generate { play: true });
                search.clock = true;
                return alone(Request::Search(search));
            }
            "stop" => {
                no_argument(&verb, argument)?;
                self.settings.mode = 3;
                return Ok((Answer::Stop, 0, Request::Take(SeatsText::None)));
            }
            "hint" => {
                let mut search = self.search(Purpose::Hint);
                search.multipv = Some(n_moves(argument, "hint", 1)?);
                return Ok((Answer::Hints, 0, Request::Search(search)));
            }
            "analyze" | "analyse" | "a" => {
                let n_moves = n_moves(argument, "analyze", 0)?;
                let search = self.search(Purpose::Analyze);
                return Ok((Answer::Analysis, n_moves, Request::Search(search)));
            }
            "m" => return plain(self.set("mode", argument)?),
            "count" | "perft" => return plain(count(&verb, argument)?),
            "version" | "v" => return alone(Request::Version),
            "help" | "?" => return plain(Request::Known(help())),
            "set" => {
                let at =
                    argument.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(argument.len());
                let (name, value) = argument.split_at(at);
                if name.is_empty() {
                    return Err(bad_argument("set", "set takes a name and a value"));
                }
                return plain(self.set(&name.to_lowercase(), value)?);
            }
            _ => {}
        }
        if let Some((_, why)) = MISSING.iter().find(|(verbs, _)| verbs.contains(&verb.as_str())) {
            return Err(unsupported(&verb, why));
        }
        if looks_like_cells(line) {
            return plain(set_up(line)?);
        }
        let moves = move_list(line);
        let only_moves = moves.iter().all(|word| matches!(word, MoveWord::Move(_)));
        if only_moves && !moves.is_empty() {
            return plain(Request::Play { side: None, moves, seconds: None });
        }
        plain(self.set(&verb, argument)?)
    }

    /// An option, by its name in Edax or by its own.
    fn set(&mut self, name: &str, value: &str) -> Result<Request, Failure> {
        let value = value.trim();
        let value = value.strip_prefix('=').unwrap_or(value).trim();
        if let Some(read) = setting(name, value) {
            return Ok(self.apply(read?));
        }
        if crate::options::OPTIONS.iter().any(|row| row.name == name) {
            return Ok(Request::Set(vec![(name.to_owned(), value.to_owned())]));
        }
        let why = "neither a command nor an option nor a move; help lists the commands";
        Err(Failure::new(Code::UnknownCommand, why).with_text(clip(name)))
    }
}

/// ```abnf
/// setboard = "setboard" SP (64cell side / any-position)
/// ```
fn set_up(text: &str) -> Result<Request, Failure> {
    if text.is_empty() {
        return Err(bad_argument("setboard", "setboard takes 64 cells from A1 and the side to move"));
    }
    let position = read_position(text).map_err(Failure::from)?;
    Ok(Request::SetUp { board: position.board, reading: None })
}

/// ```abnf
/// count = ("count" SP "games" / "perft") SP number
/// ```
fn count(verb: &str, argument: &str) -> Result<Request, Failure> {
    let (what, depth) = if verb == "perft" { ("games".to_owned(), argument) } else { split(argument) };
    match what.as_str() {
        "games" | "perft" => {
            Ok(Request::Perft { depth: number(depth, "count games", 0, MOST_MOVES)?, pass_free: false })
        }
        _ => Err(unsupported(&what, "only games are counted: count games N")),
    }
}

fn help() -> String {
    let widest = HELP.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    HELP.iter().map(|(command, what)| format!("{command:widest$}  {what}\n")).collect()
}

impl Dialect for Edax {
    fn name(&self) -> &'static str {
        "edax"
    }

    fn habits(&self) -> Habits {
        Habits { follows_searches: true, ..Habits::PLAIN }
    }

    /// ```abnf
    /// line    = command / option / board / moves / comment
    /// command = verb [SP argument]                  ; any case
    /// option  = ["set" SP] name (SP / [SP] "=" [SP]) value
    /// board   = 64cell side
    /// moves   = 1*(move [SP])
    /// comment = "#" *any
    /// ```
    fn read(&mut self, line: &str) -> Tagged {
        let (kind, n_moves, request) = match self.request(line) {
            Ok(read) => read,
            Err(failure) => (Answer::Board, 0, Request::Unreadable(failure)),
        };
        self.tagged(kind, n_moves, request)
    }

    fn urgency(&self, tagged: &Tagged) -> Urgency {
        match Form::unpack(tagged.tag.form).kind {
            Answer::Stop => Urgency::StopsSearch,
            _ => Urgency::Queued,
        }
    }

    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String) {
        let form = Form::unpack(tag.form);
        match event {
            Event::Stands(state) => self.screen.note(state),
            Event::Played { at, .. } | Event::Placed { at, .. } => self.screen.played.push(Some(*at)),
            Event::Passed { .. } => self.screen.played.push(None),
            Event::Info { info, .. } => self.screen.think(form, info, out),
            Event::Hint { info, .. } => self.screen.table_row(info, out),
            Event::Ply(ply) => self.screen.plies.push(ply.clone()),
            Event::Counted { depth, nodes, .. } => {
                let _ = writeln!(out, "{depth:>3} {nodes:>20}");
            }
            Event::Failed(failure) => {
                self.screen.end_table(out);
                refusal(failure, out);
                self.screen.board(form, out);
            }
            Event::Done(done) => self.screen.done(form, done, out),
            _ => {}
        }
    }

    fn unreadable_line(&mut self, why: LineFault) -> Tagged {
        let failure = Failure::new(Code::BadArgument, why.to_string());
        self.tagged(Answer::Board, 0, Request::Unreadable(failure))
    }

    fn opening(&mut self) -> Vec<Tagged> {
        let requests = std::mem::take(&mut self.opening);
        requests.into_iter().map(|request| self.tagged(Answer::Silence, 0, request)).collect()
    }

    fn engine_is_called(&mut self, name: &str) {
        self.screen.name = Some(name.to_owned());
    }

    fn follows_game(&self) -> bool {
        true
    }
}

impl Edax {
    fn tagged(&self, kind: Answer, n_moves: u32, request: Request) -> Tagged {
        let Settings { verbosity, mode, .. } = self.settings;
        let form = Form { kind, verbosity, mode, n_moves };
        Tagged { tag: Tag { id: None, form: form.pack() }, request }
    }
}

// ---------------------------------------------------------------------------------------------
// Writing. Nothing can fail while it writes to a string, so the results are dropped.

/// A refusal is one line whatever the verbosity: to a script that is told nothing, an illegal move
/// looks like one that was made.
fn refusal(failure: &Failure, out: &mut String) {
    let mut line = failure.prose.clone();
    if line.is_empty() {
        line.push_str(failure.code.word());
    }
    let named = failure.square.as_deref().or(failure.text.as_deref());
    let begins_with = |text: &str| line.trim_start_matches('\'').starts_with(text);
    if let Some(text) = named.filter(|text| !begins_with(text)) {
        line = format!("{text}: {line}");
    }
    if let Some(item) = failure.done.map(|done| done + 1).or(failure.item)
        && !line.starts_with("item ")
    {
        line = format!("item {item}, {line}");
    }
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(out, "error: {line}");
}

/// Lower or upper case; a pass is `ps` as Edax writes it.
fn move_name(at: MoveText, upper: bool) -> String {
    let name = match at {
        MoveText::Pass => "ps".to_owned(),
        MoveText::At(at) => at.to_string(),
    };
    if upper { name.to_ascii_uppercase() } else { name }
}

/// Whole discs with their sign, as `%+d` writes them; half a disc goes away from zero.
fn discs(value: ValueText) -> i32 {
    (f64::from(value.centidiscs) / 100.0).round() as i32
}

/// `M:SS.mmm`.
fn clock_time(time_ms: u64) -> String {
    format!("{}:{:02}.{:03}", time_ms / 60_000, time_ms / 1000 % 60, time_ms % 1000)
}

fn per_second(nodes: u64, time_ms: u64) -> Option<u64> {
    (time_ms > 0).then(|| (u128::from(nodes) * 1000 / u128::from(time_ms)) as u64)
}

const TABLE_HEAD: &str = " depth|score|       time   |  nodes (N)  |   N/s    | principal variation";
const TABLE_RULE: &str = "------+-----+--------------+-------------+----------+----------------------";

/// A row of the search table.
///
/// ```abnf
/// row   = depth bound score time nodes nps SP pv   ; in columns of 7, 1, 3, 16, 14 and 11
/// depth = plies "@" percent "%" / 3SP plies        ; without selectivity
/// bound = "<" / ">" / " "                          ; at most, at least, the value
/// pv    = move *(SP move)                          ; lower and upper case by turns
/// ```
fn search_row(info: &InfoText) -> String {
    let depth = match info.selectivity {
        100.. => format!("   {:2}  ", info.depth),
        percent => format!("{:2}@{percent:2}% ", info.depth),
    };
    let bound = match info.value.bound {
        BoundText::Value => ' ',
        BoundText::Lower => '>',
        BoundText::Upper => '<',
    };
    let nps = per_second(info.nodes, info.time_ms).map(|nps| nps.to_string()).unwrap_or_default();
    let pv: Vec<String> =
        info.pv.iter().enumerate().map(|(index, at)| move_name(*at, index % 2 == 1)).collect();
    format!(
        "{depth}{bound}{:+03}{:>16}{:>14}{nps:>11} {}",
        discs(info.value),
        clock_time(info.time_ms),
        info.nodes,
        pv.join(" ")
    )
}

fn analysis_level(ply: &PlyText) -> String {
    match ply.selectivity {
        100.. => ply.depth.to_string(),
        percent => format!("{}@{percent}%", ply.depth),
    }
}

/// A row of the analysis: number, depth, how many other moves there were, what was played with its
/// score, and the best move with its score where that was another one.
fn analysis_row(ply: &PlyText, out: &mut String) {
    let upper = ply.side == Side::Black;
    let Some(played) = ply.played else { return };
    let others = ply.n_legal.saturating_sub(1);
    let after = ply.after.unwrap_or(ply.value);
    let _ = write!(
        out,
        "{:3} {:^7}{others:4}    {}{:>+7}",
        ply.number,
        analysis_level(ply),
        move_name(played, upper),
        discs(after)
    );
    if let Some(best) = ply.best.first().filter(|best| **best != played) {
        let relation = if discs(ply.value) > discs(after) { '<' } else { '=' };
        let _ = write!(out, "   {relation}{:>+6}     {}", discs(ply.value), move_name(*best, upper));
    }
    out.push('\n');
}

/// What each side lost: moves that cost something, all its moves, the discs lost, and their mean.
fn analysis_sum(plies: &[&PlyText], side: Side, out: &mut String) {
    let losses: Vec<i32> = plies
        .iter()
        .filter(|ply| ply.side == side && ply.played.is_some() && ply.n_legal > 0)
        .map(|ply| ply.after.map_or(0, |after| (discs(ply.value) - discs(after)).max(0)))
        .collect();
    let lost: i32 = losses.iter().sum();
    let costly = losses.iter().filter(|loss| **loss > 0).count();
    let mean = f64::from(lost) / losses.len().max(1) as f64;
    let _ = writeln!(
        out,
        "{:5} | {costly:3} / {:3}  : {lost:5} | {mean:5.2} |",
        format!("{side:?}"),
        losses.len()
    );
}

impl Screen {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("engine")
    }

    /// The game as it stands; what was played is known move by move, unless it begins anew.
    fn note(&mut self, state: &StateText) {
        let items = state.items as usize;
        self.played.truncate(items);
        while self.played.len() < items {
            let last = state.last.as_ref().filter(|_| self.played.len() + 1 == items);
            self.played.push(last.and_then(|(_, what)| match what {
                LogText::Place(at) | LogText::Play(at) => Some(*at),
                LogText::Pass => None,
            }));
        }
        if items == 0 {
            self.start = Some(state.position.clone());
        }
        self.state = Some(Box::new(state.clone()));
    }

    fn think(&mut self, form: Form, info: &InfoText, out: &mut String) {
        if form.verbosity >= TELLS_DEPTHS {
            self.table_row(info, out);
        } else if info.multipv == 1 {
            self.thought = Some(info.clone());
        }
    }

    fn table_row(&mut self, info: &InfoText, out: &mut String) {
        if !std::mem::replace(&mut self.table_is_open, true) {
            let _ = writeln!(out, "{TABLE_HEAD}\n{TABLE_RULE}");
        }
        let _ = writeln!(out, "{}", search_row(info));
    }

    fn end_table(&mut self, out: &mut String) {
        self.thought = None;
        if std::mem::take(&mut self.table_is_open) {
            let _ = writeln!(out, "{TABLE_RULE}");
        }
    }

    fn done(&mut self, form: Form, done: &Done, out: &mut String) {
        match done {
            Done::Generated(best) => self.generated(form, best, out),
            Done::Searched { .. } if form.kind == Answer::Analysis => self.analysis(form, out),
            Done::Searched { .. } => self.end_table(out),
            Done::Known(text) => out.extend(text.lines().flat_map(|line| [line, "\n"])),
            Done::Version(version) => {
                let _ = writeln!(out, "{} {version}", self.name());
            }
            _ if form.kind == Answer::Silence => return,
            _ => {}
        }
        self.board(form, out);
    }

    /// ```abnf
    /// plays = name SP "plays" SP move      ; upper case
    /// ```
    fn generated(&mut self, form: Form, best: &BestText, out: &mut String) {
        if form.verbosity >= TALKS
            && let Some(thought) = self.thought.take()
        {
            self.table_row(&thought, out);
        }
        self.end_table(out);
        let line = match best.at {
            Some(at) => format!("{} plays {}", self.name(), move_name(at, true)),
            None => "error: go: the game is over".to_owned(),
        };
        let gap = if form.verbosity >= TALKS { "\n" } else { "" };
        let _ = writeln!(out, "{gap}{line}");
    }

    /// From the last move to the first.
    fn analysis(&mut self, form: Form, out: &mut String) {
        let plies = std::mem::take(&mut self.plies);
        let played: Vec<&PlyText> = plies.iter().filter(|ply| ply.played.is_some()).collect();
        let wanted = if form.n_moves == 0 { played.len() } else { form.n_moves as usize };
        let shown = played.get(played.len().saturating_sub(wanted)..).unwrap_or_default();
        let _ = writeln!(out, "              N     played        best");
        let _ = writeln!(out, "ply  depth   alt. move  score     score   move");
        let _ = writeln!(out, "---+-------+-----+-----------+--+---------------");
        for ply in shown.iter().rev() {
            analysis_row(ply, out);
        }
        let _ = writeln!(out, "\n      | costly moves : discs |  mean |");
        for side in [Side::Black, Side::White] {
            analysis_sum(shown, side, out);
        }
    }

    /// The drawn game between two empty lines, and a line with the prompt unless a move of the
    /// engine's own comes next.
    fn board(&self, form: Form, out: &mut String) {
        if form.verbosity < TALKS {
            return;
        }
        if let Some(state) = &self.state {
            let _ = writeln!(out, "\n{}", self.drawing(state));
            if state.next.is_some_and(|next| form.plays(next)) {
                return;
            }
        }
        out.push_str(">\n");
    }

    /// Ten lines for eight rows: on the left the discs and the legal moves, in the middle who has
    /// what, on the right what was played when.
    fn drawing(&self, state: &StateText) -> String {
        let board = &state.position;
        let wide = usize::from(board.rows > 9) + 1;
        let letters = (b'A'..).take(usize::from(board.columns)).map(char::from);
        let spaced: String = letters.clone().flat_map(|letter| [' ', letter]).collect();
        let apart: String = letters.flat_map(|letter| [' ', letter, ' ']).collect();
        let border = |side: Side| {
            let name = format!("{side:?}");
            let apart = apart.trim_end();
            format!("{:wide$}{spaced}{:wide$} {name:^21}  {:wide$}  {apart}\n", "", "", "")
        };
        let mut text = border(Side::Black);
        for row in 0..board.rows {
            let number = row + 1;
            let left: String = (0..board.columns)
                .flat_map(|column| [' ', sign(state, Point { column, row })])
                .collect();
            let right: String =
                (0..board.columns).map(|column| self.trace(state, Point { column, row })).collect();
            let middle = remark(state, row);
            let _ = writeln!(
                text,
                "{number:>wide$}{left} {number:<wide$} {middle:^21}  {number:>wide$} |{right} {number:<wide$}"
            );
        }
        text.push_str(&border(Side::White));
        text
    }

    /// A square of the right board: its move's number, or what lay there at the start.
    fn trace(&self, state: &StateText, at: Point) -> String {
        if let Some(index) = self.played.iter().position(|played| *played == Some(at)) {
            return format!("{:>2}|", index + 1);
        }
        let start = self.start.as_ref().unwrap_or(&state.position);
        let sign = match cell(start, at) {
            Cell::Black => "##",
            Cell::White => "()",
            Cell::Empty | Cell::Hole => "  ",
        };
        format!("{sign}|")
    }
}

fn cell(board: &BoardText, at: Point) -> Cell {
    let index = usize::from(at.row) * usize::from(board.columns) + usize::from(at.column);
    board.cells.get(index).copied().unwrap_or(Cell::Hole)
}

/// A square of the left board.
fn sign(state: &StateText, at: Point) -> char {
    match cell(&state.position, at) {
        Cell::Black => '*',
        Cell::White => 'O',
        Cell::Hole => ' ',
        Cell::Empty if state.legal.contains(&at) => '.',
        Cell::Empty => '-',
    }
}

/// What stands between the boards.
fn remark(state: &StateText, row: u8) -> String {
    let rows = state.position.rows;
    let discs = |side: Side, discs: u32| {
        let moves = match state.next {
            Some(next) if next == side => format!(" {:3} moves", state.legal.len()),
            _ => String::new(),
        };
        format!("{discs:3} discs{moves}")
    };
    match row {
        1 => discs(Side::Black, state.count.0),
        row if row + 2 == rows => discs(Side::White, state.count.1),
        row if row + 1 == rows / 2 => {
            let empties = state.position.cells.iter().filter(|cell| **cell == Cell::Empty).count();
            format!("move {:3}, {empties} empty", state.items + 1)
        }
        row if row == rows / 2 => match (state.next, &state.ending) {
            (Some(Side::Black), _) => "Black (*) to move".to_owned(),
            (Some(Side::White), _) => "White (O) to move".to_owned(),
            (None, Some(ending)) => outcome(ending),
            (None, None) => "game over".to_owned(),
        },
        _ => String::new(),
    }
}

fn outcome(ending: &EndingText) -> String {
    match (ending.winner, ending.margin) {
        (Some(winner), Some(margin)) => format!("{winner:?} won by {margin}"),
        (Some(winner), None) => format!("{winner:?} won"),
        (None, _) => "nobody won".to_owned(),
    }
}

// ---------------------------------------------------------------------------------------------
// The command line

/// Reads the options that Edax is started with.
///
/// ```abnf
/// option = 1*"-" name [SP value]      ; name and value are words of their own
/// flag   = 1*"-" ("q" / "quiet" / "v" / "vv")
/// solve  = 1*"-" "solve" SP file
/// mode   = 1*"-" name-of-a-dialect    ; such as -gtp
/// ```
///
/// Words that begin with two dashes and are none of these, and words without a dash that belong to
/// none, are left to whoever asks.
///
/// # Errors
/// An option that Edax does not have, that asks for what is not here, or whose value is missing or
/// out of range.
pub fn read_command_line(words: &[String]) -> Result<Startup, Failure> {
    let mut edax = Edax::new();
    let mut other: Option<Box<dyn Dialect>> = None;
    let mut settings = Vec::new();
    let mut file = None;
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        if name.len() == word.len() || name.is_empty() {
            rest.push(word.clone());
            continue;
        }
        if let Some((_, verbosity)) = FLAGS.iter().find(|(flag, _)| *flag == name) {
            edax.settings.verbosity = *verbosity;
            continue;
        }
        if name == "edax" {
            continue;
        }
        if let Some(dialect) = crate::by_name(name) {
            other = Some(dialect);
            continue;
        }
        let is_known = name == "solve" || setting(name, "").is_some();
        if !is_known && word.starts_with("--") {
            rest.push(word.clone());
            continue;
        }
        let about = |failure: Failure| Failure { text: Some(clip(word)), ..failure };
        if !is_known {
            return Err(about(Failure::new(Code::BadArgument, "Edax's console has no such option")));
        }
        let value = words
            .next()
            .ok_or_else(|| about(Failure::new(Code::BadArgument, "a value has to stand behind it")))?;
        if name == "solve" {
            file = Some(value.clone());
            continue;
        }
        match setting(name, value) {
            Some(Ok(Setting::Rows(rows))) => {
                settings.extend(rows.into_iter().map(|(name, value)| (name.to_owned(), value)));
            }
            Some(Ok(read)) => match edax.apply(read) {
                Request::Known(_) => {}
                request => edax.opening.push(request),
            },
            Some(Err(failure)) => return Err(about(failure)),
            None => {}
        }
    }
    let errand = file.map(|file| Errand {
        table: Box::new(Solved::new(&file)),
        file,
        selectivity: edax.settings.selectivity,
    });
    let dialect = other.unwrap_or_else(|| Box::new(edax));
    Ok(Startup { dialect, settings, errand, rest })
}

/// The table of `-solve`, with what has come together so far.
#[derive(Debug)]
struct Solved {
    file: String,
    nodes: u64,
    search_ms: u64,
    n_rows: u32,
    moves: Tally,
    scores: Tally,
}

/// How many answers could be compared, how many were wrong, and by how many discs in all.
#[derive(Debug, Default)]
struct Tally {
    n: u32,
    n_wrong: u32,
    discs: f64,
}

impl Tally {
    fn add(&mut self, error: f64) {
        self.n += 1;
        self.n_wrong += u32::from(error > 0.0);
        self.discs += error;
    }

    fn write(&self, what: &str, out: &mut String) {
        if self.n_wrong > 0 {
            let mean = self.discs / f64::from(self.n);
            let _ = writeln!(
                out,
                "{} / {} wrong {what}; mean error = {mean:.3} discs.",
                self.n_wrong, self.n
            );
        }
    }
}

impl Solved {
    fn new(file: &str) -> Solved {
        let file = clip(file).chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        let (moves, scores) = Default::default();
        Solved { file, nodes: 0, search_ms: 0, n_rows: 0, moves, scores }
    }

    /// Compares with the scores that the file gives, if it gives some.
    fn compare(&mut self, solved: &SolvedText) {
        let half = |discs: crate::words::HalfDiscs| f64::from(discs.0) / 2.0;
        let best = solved.scores.iter().map(|(_, score)| half(*score)).reduce(f64::max);
        if let (Some(best), Some(at)) = (best, solved.info.pv.first()) {
            // A move that the file leaves out is worse than those it lists, by nobody knows how much.
            let listed = solved.scores.iter().find(|(listed, _)| listed == at);
            let least = solved.scores.iter().map(|(_, score)| half(*score)).fold(best, f64::min);
            let error = listed.map_or((best - least).max(1.0), |(_, score)| best - half(*score));
            self.moves.add(error);
        }
        if let Some(expected) = solved.expected.map(half).or(best) {
            self.scores.add((f64::from(discs(solved.info.value)) - expected).abs());
        }
    }
}

impl SolveTable for Solved {
    fn head(&self, out: &mut String) {
        let _ = writeln!(out, " # |{TABLE_HEAD}\n---+{TABLE_RULE}");
    }

    fn row(&mut self, solved: &SolvedText, out: &mut String) {
        self.n_rows += 1;
        self.nodes += solved.info.nodes;
        self.search_ms += solved.info.time_ms;
        self.compare(solved);
        let _ = writeln!(out, "{:>3}|{}", self.n_rows, search_row(&solved.info));
    }

    fn fault(&mut self, id: &str, why: &str, out: &mut String) {
        self.n_rows += 1;
        let text: String =
            format!("{id}: {why}").chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(out, "{:>3}| error: {text}", self.n_rows);
    }

    fn foot(&self, time_ms: u64, out: &mut String) {
        let _ = writeln!(out, "---+{TABLE_RULE}");
        let nps = per_second(self.nodes, time_ms).unwrap_or_default();
        let _ = writeln!(
            out,
            "{}: {} nodes in {:>9} (search = {:>9}) ({nps} nodes/s).",
            self.file,
            self.nodes,
            clock_time(time_ms),
            clock_time(self.search_ms)
        );
        self.moves.write("moves", out);
        self.scores.write("scores", out);
    }
}

// ---------------------------------------------------------------------------------------------
// The client's side

/// A position with one move, which every engine answers at once and at any strength. Its answer
/// tells that whatever was sent before has been done.
const PROBE: &str = "setboard OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOXOOOOOO- X\ngo\n";
/// The move of that position.
const PROBED: MoveText = MoveText::At(Point { column: 7, row: 7 });

/// The client's side. A console has no ids, no success and no prompt that is a line, and a quiet
/// one says nothing but moves. So orders are taken to be carried out, and where one has to be
/// waited for, a move is asked for that can only be one.
#[derive(Debug, Default)]
pub struct EdaxClient {
    identity: Identity,
    /// Moves that the engine still owes to orders that were given up, and to a probe.
    owed: u32,
    awaits: Awaits,
    /// The present game as far as the engine has not been told of it.
    untold: Option<String>,
    /// What the engine was told last of its limits.
    told: Vec<(Limit, String)>,
    /// The last line that was sent.
    asked: String,
    news: News,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Awaits {
    /// Nothing.
    #[default]
    Nothing,
    /// The answer to the probe.
    Probe,
    /// A move.
    Move,
}

/// What was said about the move that is being chosen.
#[derive(Clone, Debug, Default)]
struct News {
    centidiscs: Option<i32>,
    depth: Option<u32>,
    nodes: Option<u64>,
    pv: Vec<MoveText>,
}

impl EdaxClient {
    /// A conversation with an engine that has just been started.
    #[must_use]
    pub fn new() -> EdaxClient {
        EdaxClient::default()
    }

    fn probe(&mut self, out: &mut String) -> Next {
        out.push_str(PROBE);
        self.owed += 1;
        self.awaits = Awaits::Probe;
        Next::Wait
    }

    fn say(&mut self, line: &str, out: &mut String) {
        self.asked = line.to_owned();
        out.push_str(line);
        out.push('\n');
    }

    /// Tells a limit unless the engine knows it.
    fn tell_limit(&mut self, limit: Limit, line: Option<String>, out: &mut String) {
        let Some(line) = line else { return };
        let known = self.told.iter_mut().find(|(told, _)| *told == limit);
        match known {
            Some((_, told)) if *told == line => return,
            Some((_, told)) => told.clone_from(&line),
            None => self.told.push((limit, line.clone())),
        }
        self.say(&line, out);
    }

    fn tell_limits(&mut self, limits: &Limits, out: &mut String) {
        let time = |name: &str, time_ms: u64| format!("{name} {}", clock_time(time_ms.max(1)));
        let clock = limits.clock.map(|clock| time("game-time", clock.own_ms));
        self.tell_limit(Limit::Clock, clock, out);
        let movetime = limits.movetime_ms.map(|movetime| time("move-time", movetime));
        self.tell_limit(Limit::MoveTime, movetime, out);
        let depth = limits.depth.map(|depth| format!("depth {depth}"));
        self.tell_limit(Limit::Depth, depth, out);
    }

    fn heard_move(&mut self, at: MoveText) -> Heard {
        match self.awaits {
            Awaits::Nothing => {
                self.owed = self.owed.saturating_sub(1);
                Heard::Nothing
            }
            Awaits::Probe => {
                self.owed = if at == PROBED { 0 } else { self.owed.saturating_sub(1) };
                if self.owed > 0 {
                    return Heard::Nothing;
                }
                self.awaits = Awaits::Nothing;
                Heard::Done
            }
            Awaits::Move => {
                self.awaits = Awaits::Nothing;
                self.owed = 0;
                let news = std::mem::take(&mut self.news);
                // Rows of other moves say nothing of this one.
                let chosen = ChosenText::bare(ChoiceText::Move(at));
                if news.pv.first() != Some(&at) {
                    return Heard::Chosen(Box::new(ChosenText { pv: vec![at], ..chosen }));
                }
                let News { centidiscs, depth, nodes, pv } = news;
                Heard::Chosen(Box::new(ChosenText { centidiscs, depth, nodes, pv, ..chosen }))
            }
        }
    }
}

/// `f5`, `F5`, `ps`; nothing else is a move.
fn lone_move(word: &str) -> Option<MoveText> {
    match move_word(word) {
        MoveWord::Move(at) => Some(at),
        MoveWord::Unreadable(_) => None,
    }
}

/// A row of the search table, of Edax's or of ours.
fn table_row(line: &str) -> Option<News> {
    let mut words = line.split_whitespace().peekable();
    let depth = words.next()?.split('@').next()?.parse().ok()?;
    let score: i32 = words.next()?.trim_start_matches(['<', '>', '?']).parse().ok()?;
    words.next().filter(|time| time.contains(':'))?;
    let nodes = words.next()?.parse().ok();
    // The rate is left out where there was no time to take.
    words.next_if(|word| word.chars().all(|c| c.is_ascii_digit()));
    let pv: Vec<MoveText> = words.map_while(lone_move).collect();
    let centidiscs = Some(score.checked_mul(100)?);
    (!pv.is_empty()).then_some(News { centidiscs, depth: Some(depth), nodes, pv })
}

/// The lines that put a game before the engine.
fn game_lines(game: &Situation) -> Result<String, Unsayable> {
    let unsayable = |what, text: &dyn std::fmt::Display, why| Unsayable::new("edax", what, text, why);
    let (rules, start) = (game.rules, &game.start);
    let special = rules.anti
        || rules.komi.0 != 0
        || rules.place != PlaceText::Plain
        || rules.stuck_ends
        || rules.score_discs
        || start.placements > 0
        || start.hand.is_some();
    if special {
        let why = "the console has Othello on 8x8 from any position, and no other rules";
        return Err(unsayable(Topic::Variant, &game.variant, why));
    }
    if (start.columns, start.rows) != (8, 8) || start.cells.contains(&Cell::Hole) {
        let why = "setboard takes the 64 squares of an 8x8 board";
        return Err(unsayable(Topic::Position, start, why));
    }
    let letters: String = start
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Black => 'X',
            Cell::White => 'O',
            Cell::Empty | Cell::Hole => '-',
        })
        .collect();
    let side = match start.mover {
        Some(crate::words::Mover::Side(Side::White)) => 'O',
        _ => 'X',
    };
    let mut lines = format!("setboard {letters} {side}\n");
    for (_, at) in &game.moves {
        let _ = writeln!(lines, "play {}", move_name(*at, false));
    }
    Ok(lines)
}

impl Client for EdaxClient {
    fn name(&self) -> &'static str {
        "edax"
    }

    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable> {
        match *order {
            Order::Hello => {
                self.asked = "go".to_owned();
                return Ok(self.probe(out));
            }
            Order::Set { name, value } => {
                let is_word = |text: &str| {
                    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
                };
                let is_option = name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic());
                if !is_option || !is_word(name) || !is_word(value) {
                    let why = "an option is a name of two letters or more, and one word";
                    return Err(Unsayable::new("edax", Topic::Option, format!("{name}={value}"), why));
                }
                self.say(&format!("{name} {value}"), out);
                // A refusal comes before the answer.
                return Ok(self.probe(out));
            }
            Order::NewGame(game) => {
                self.untold = Some(game_lines(game)?);
                // Every game has its own clocks.
                self.told.retain(|(limit, _)| *limit != Limit::Clock);
                if self.owed > 0 {
                    return Ok(self.probe(out));
                }
            }
            Order::Played { own: true, .. } => {}
            Order::Played { at, .. } => {
                let line = format!("play {}", move_name(at, false));
                match &mut self.untold {
                    Some(untold) => {
                        untold.push_str(&line);
                        untold.push('\n');
                    }
                    None => self.say(&line, out),
                }
            }
            Order::Prepare(limits) => {
                // A clock holds from the next game on, so it comes before the game.
                self.tell_limits(limits, out);
                for line in self.untold.take().unwrap_or_default().lines() {
                    self.say(line, out);
                }
            }
            Order::Choose(_) => {
                self.news = News::default();
                self.awaits = Awaits::Move;
                self.say("go", out);
                return Ok(Next::Wait);
            }
            Order::Board(_) | Order::GameOver => {}
            Order::Quit => out.push_str("quit\n"),
        }
        Ok(Next::Done)
    }

    fn hear(&mut self, line: &str, _out: &mut String) -> Heard {
        // Edax's prompt ends no line, so that it stands before what comes next.
        let text = line.trim_start_matches(['>', ' ']).trim_end();
        let words: Vec<&str> = text.split_whitespace().collect();
        match *words.as_slice() {
            [] => Heard::Nothing,
            [name, verb, word] if verb.eq_ignore_ascii_case("plays") => {
                if self.identity.name.is_none() {
                    self.identity.name = Some(clip(name));
                }
                match lone_move(word) {
                    Some(at) => self.heard_move(at),
                    None if self.awaits == Awaits::Move => {
                        self.awaits = Awaits::Nothing;
                        Heard::Garbled { line: clip(line), why: Garble::NotAMove }
                    }
                    None => Heard::Stray,
                }
            }
            // A quiet engine says the move alone.
            [word]
                if word.starts_with(|c: char| c.is_ascii_alphabetic()) && lone_move(word).is_some() =>
            {
                lone_move(word).map_or(Heard::Stray, |at| self.heard_move(at))
            }
            ["error:", ..] if self.awaits != Awaits::Nothing => {
                self.awaits = Awaits::Nothing;
                Heard::Refused { asked: self.asked.clone(), answer: clip_answer(text) }
            }
            _ => match table_row(text) {
                Some(news) => {
                    if self.awaits == Awaits::Move {
                        self.news = news;
                    }
                    Heard::Nothing
                }
                None if is_drawing(text) => Heard::Nothing,
                None => Heard::Stray,
            },
        }
    }

    /// The search is stopped; the move it ends with is owed all the same.
    fn give_up(&mut self, out: &mut String) {
        if self.awaits == Awaits::Move {
            self.owed += 1;
            out.push_str("stop\n");
        }
        self.awaits = Awaits::Nothing;
    }

    fn heeds(&self, limit: Limit) -> bool {
        limit != Limit::Nodes
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

/// Whether a line is part of a drawn board or of the frame of a table.
fn is_drawing(text: &str) -> bool {
    text.contains('|') || text.starts_with("A B C") || text.starts_with("--")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::Phase;
    use crate::position::read_token;
    use crate::words::{BaseText, HalfDiscs, VariantText};

    fn read(line: &str) -> Request {
        Edax::new().read(line).request
    }

    fn at(text: &str) -> MoveText {
        lone_move(text).unwrap()
    }

    fn moves(text: &str) -> Request {
        Request::Play { side: None, moves: move_list(text), seconds: None }
    }

    fn set(rows: &[(&str, &str)]) -> Request {
        Request::Set(rows.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    fn info(selectivity: u32, centidiscs: i32, pv: &str) -> InfoText {
        InfoText {
            depth: 14,
            selectivity,
            multipv: 1,
            value: ValueText { centidiscs, bound: BoundText::Value, exact: false },
            wld: false,
            nodes: 53_952,
            time_ms: 6,
            pv: pv.split_whitespace().map(at).collect(),
        }
    }

    fn state(token: &str, legal: &str, items: u32) -> StateText {
        let position = read_token(token).unwrap();
        let lie = |kind: Cell| position.cells.iter().filter(|cell| **cell == kind).count() as u32;
        StateText {
            variant: VariantText { base: BaseText::Name("othello".into()), mods: Vec::new() },
            seed: None,
            squares: position.cells.len() as u32,
            phase: Phase::Play,
            next: match position.mover {
                Some(crate::words::Mover::Side(side)) => Some(side),
                _ => None,
            },
            count: (lie(Cell::Black), lie(Cell::White)),
            legal: legal
                .split_whitespace()
                .map(|word| crate::lexis::read_point(word).unwrap())
                .collect(),
            last: None,
            items,
            ending: None,
            position,
        }
    }

    #[test]
    fn commands_are_read_in_any_case() {
        assert_eq!(read("INIT"), Request::New { variant: None, position: None });
        assert_eq!(read(" new "), Request::Replay { head: None, moves: vec![], result: None });
        assert_eq!(read("undo"), Request::Undo(1));
        assert_eq!(read("Q"), Request::Quit);
        assert_eq!(read("mode 0"), Request::Take(SeatsText::Side(Side::White)));
        assert_eq!(read("m 1"), Request::Take(SeatsText::Side(Side::Black)));
        assert_eq!(read("set mode = 2"), Request::Take(SeatsText::Both));
        assert_eq!(read("mode 3"), Request::Take(SeatsText::None));
        assert_eq!(read("force f5"), Request::Force(move_list("f5")));
        assert_eq!(read("count games 5"), Request::Perft { depth: 5, pass_free: false });
        let Request::Search(search) = read("hint 3") else { panic!() };
        assert_eq!((search.purpose, search.multipv), (Purpose::Hint, Some(3)));
        let Request::Search(search) = read("go") else { panic!() };
        assert_eq!((search.purpose, search.clock), (Purpose::Generate { play: true }, true));
        for line in ["", "  ", "# remark"] {
            assert_eq!(read(line), Request::Nothing, "{line}");
        }
    }

    #[test]
    fn moves_are_read_glued_and_spaced_and_bare() {
        for line in ["play f5d6c3", "play F5 d6 C3", "PLAY f5D6, c3", "f5d6c3", "F5 d6 c3"] {
            assert_eq!(read(line), moves("f5d6c3"), "{line}");
        }
        assert_eq!(read("ps"), moves("pass"));
        assert!(matches!(read("play"), Request::Unreadable(_)));
        assert!(matches!(read("f5 z9"), Request::Unreadable(_)));
    }

    #[test]
    fn boards_are_read_with_their_side() {
        let cells = "---------------------------OX------XO---------------------------";
        for line in [
            format!("setboard {cells} X"),
            format!("setboard {cells}X"),
            format!("SETBOARD {} *", cells.replace('-', ".").replace('X', "b").replace('O', "w")),
            format!("{cells} x"),
        ] {
            let Request::SetUp { board, .. } = read(&line) else { panic!("{line}") };
            assert_eq!(board.to_string(), "8/8/8/3ox3/3xo3/8/8/8,x", "{line}");
        }
        for line in [format!("setboard {cells}"), "setboard".to_owned(), "setboard x".to_owned()] {
            assert!(matches!(read(&line), Request::Unreadable(_)), "{line}");
        }
    }

    #[test]
    fn options_have_names_of_edax_and_our_own() {
        let level = set(&[("level", "5"), ("depth", "0"), ("movetime", "0")]);
        for line in ["level 5", "l 5", "set level 5", "set level = 5", "LEVEL=5", "level = 5"] {
            let request = if line == "LEVEL=5" { read("set LEVEL=5") } else { read(line) };
            assert_eq!(request, level, "{line}");
        }
        assert_eq!(read("depth 9"), set(&[("depth", "9")]));
        for (time, ms) in [("0:01.5", "1500"), ("0", "0"), ("0.0004", "1"), ("0.0016", "2")] {
            let expected = set(&[("movetime", ms), ("depth", "0")]);
            assert_eq!(read(&format!("move-time {time}")), expected, "{time}");
        }
        assert_eq!(read("n-tasks 2"), set(&[("threads", "2")]));
        assert_eq!(read("hash-table-size 16"), set(&[("hash", "2")]));
        assert_eq!(read("h 31"), set(&[("hash", "49152")]));
        assert_eq!(read("ponder on"), set(&[("ponder", "on")]));
        assert_eq!(read("engine-name Edax"), set(&[("name", "Edax")]));
        assert_eq!(read("seed 7"), set(&[("seed", "7")]));
        assert_eq!(read("set variant 6x6"), set(&[("variant", "6x6")]));
        let clock = ClockText { main: 120.0, increment: 0.0, extension: 0.0 };
        assert_eq!(read("game-time 2:00"), Request::Clock { side: None, clock: Some(clock) });
        for line in ["book-usage on", "eval-file x", "auto-swap off", "repeat 1", "verbose 2"] {
            assert_eq!(read(line), Request::Known(String::new()), "{line}");
        }
    }

    #[test]
    fn what_is_not_here_is_refused_by_name() {
        for (line, code, text) in [
            ("book load x", Code::Unsupported, "book"),
            ("save f.txt", Code::Unsupported, "save"),
            ("alpha 3", Code::Unsupported, "alpha"),
            ("auto-swap on", Code::Unsupported, "on"),
            ("count shapes 4", Code::Unsupported, "shapes"),
            ("level 61", Code::BadValue, "61"),
            ("n-tasks 0", Code::BadValue, "0"),
            ("verbose 5", Code::BadValue, "5"),
            ("selectivity 6", Code::BadValue, "6"),
            ("move-time soon", Code::BadValue, "soon"),
            ("level", Code::BadArgument, "level"),
            ("go now", Code::BadArgument, "now"),
            ("sorcery", Code::UnknownCommand, "sorcery"),
        ] {
            let Request::Unreadable(failure) = read(line) else { panic!("{line}") };
            assert_eq!((failure.code, failure.text.as_deref()), (code, Some(text)), "{line}");
        }
    }

    #[test]
    fn settings_of_earlier_lines_hold_for_later_ones() {
        let mut edax = Edax::new();
        edax.read("selectivity 1");
        edax.read("verbose 0");
        edax.read("mode 1");
        let Tagged { tag, request } = edax.read("analyze 12");
        let Request::Search(search) = request else { panic!() };
        assert_eq!(search.selectivity, Some(87));
        let form = Form { kind: Answer::Analysis, verbosity: 0, mode: 1, n_moves: 12 };
        assert_eq!(Form::unpack(tag.form), form);
        assert_eq!(edax.read("undo").request, Request::Undo(2));
        let stop = edax.read("stop");
        assert_eq!(edax.urgency(&stop), Urgency::StopsSearch);
        assert_eq!(edax.read("undo").request, Request::Undo(1));
    }

    #[test]
    fn forms_come_back_as_they_were() {
        for kind in ANSWERS {
            for (verbosity, mode, n_moves) in [(0, 0, 0), (4, 3, MOST_MOVES), (1, 2, 1)] {
                let form = Form { kind, verbosity, mode, n_moves };
                assert_eq!(Form::unpack(form.pack()), form);
            }
        }
    }

    #[test]
    fn rows_have_the_columns_of_edax() {
        assert_eq!(
            search_row(&info(100, 1800, "g8 h7 a8 a6 a4 a7 b6")),
            "   14   +18        0:00.006         53952    8992000 g8 H7 a8 A6 a4 A7 b6"
        );
        assert_eq!(
            search_row(&InfoText { time_ms: 0, ..info(73, -350, "g2 pass h7") }),
            "14@73%  -04        0:00.000         53952            g2 PS h7"
        );
        let mut bound = info(98, 0, "g2");
        bound.value.bound = BoundText::Lower;
        assert!(search_row(&bound).starts_with("14@98% >+00 "), "{}", search_row(&bound));
    }

    #[test]
    fn the_board_is_drawn_in_ten_lines() {
        let mut screen = Screen::default();
        screen.note(&state("8/8/8/3ox3/3xo3/8/8/8,x", "d3 c4 f5 e6", 0));
        screen.played.push(crate::lexis::read_point("f5"));
        screen.note(&state("8/8/8/3ox3/3xxx2/8/8/8,o", "f4 d6 f6", 1));
        let mut out = String::new();
        screen.board(Form { kind: Answer::Board, verbosity: 1, mode: 3, n_moves: 0 }, &mut out);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 13, "{out}");
        assert_eq!((lines[0], lines[11], lines[12]), ("", "", ">"));
        let border = "  A B C D E F G H          Black            A  B  C  D  E  F  G  H";
        assert_eq!(lines[1].split_whitespace().count(), border.split_whitespace().count());
        assert_eq!(lines[1].find("A  B"), Some(46), "{out}");
        assert_eq!(lines[2].len(), lines[9].len());
        assert!(lines[4].starts_with("3 - - - - - - - - 3 "), "{out}");
        assert!(lines[6].starts_with("5 - - - * * * - - 5   White (O) to move "), "{out}");
        assert!(lines[6].ends_with(" 5 |  |  |  |##|()| 1|  |  | 5"), "{out}");
        assert!(lines[7].starts_with("6 - - - . - . - - 6 "), "{out}");
        // Where the engine moves next, the prompt waits.
        out.clear();
        screen.board(Form { kind: Answer::Board, verbosity: 1, mode: 0, n_moves: 0 }, &mut out);
        assert!(out.ends_with("\n\n"), "{out}");
        out.clear();
        screen.board(Form { kind: Answer::Board, verbosity: 0, mode: 3, n_moves: 0 }, &mut out);
        assert_eq!(out, "");
    }

    #[test]
    fn a_move_of_the_engine_is_one_line() {
        let best = |at| BestText {
            search: 1,
            at,
            value: None,
            ponder: None,
            nodes: 9,
            time_ms: 1,
            failed: false,
        };
        let mut edax = Edax::new();
        edax.engine_is_called("Edax");
        edax.read("verbose 0");
        let tag = edax.read("go").tag;
        let mut out = String::new();
        edax.render(&tag, &Event::Info { search: 1, info: info(100, 0, "g2") }, &mut out);
        for (choice, line) in [(at("g2"), "Edax plays G2\n"), (MoveText::Pass, "Edax plays PS\n")] {
            edax.render(&tag, &Event::Done(Done::Generated(best(Some(choice)))), &mut out);
            assert_eq!(std::mem::take(&mut out), line);
        }
        edax.render(&tag, &Event::Done(Done::Generated(best(None))), &mut out);
        assert_eq!(out, "error: go: the game is over\n");
    }

    #[test]
    fn a_refusal_is_one_line() {
        let mut out = String::new();
        let failure = Failure::new(Code::NoFlip, "nothing would\nbe turned").with_text("a1");
        refusal(&failure, &mut out);
        refusal(&Failure { done: Some(2), ..failure }, &mut out);
        assert_eq!(
            out,
            "error: a1: nothing would be turned\nerror: item 3, a1: nothing would be turned\n"
        );
    }

    #[test]
    fn analyses_go_from_the_last_move_to_the_first() {
        let value =
            |discs: i32| ValueText { centidiscs: discs * 100, bound: BoundText::Value, exact: false };
        let ply = |number, side, played: Option<&str>, best: &str, worth, after| PlyText {
            number,
            side,
            played: played.map(at),
            value: value(worth),
            after: played.map(|_| value(after)),
            best: vec![at(best)],
            depth: 4,
            selectivity: 100,
            n_legal: 3,
        };
        let mut edax = Edax::new();
        edax.read("verbose 0");
        let tag = edax.read("analyze").tag;
        let mut out = String::new();
        for ply in [
            ply(1, Side::Black, Some("f5"), "f5", 0, 0),
            ply(2, Side::White, Some("d6"), "f6", 2, -1),
            ply(3, Side::Black, None, "c3", 1, 1),
        ] {
            edax.render(&tag, &Event::Ply(ply), &mut out);
        }
        edax.render(&tag, &Event::Done(Done::Searched { stopped: false, exact: false }), &mut out);
        let rows: Vec<&str> = out.lines().skip(3).take(2).collect();
        assert_eq!(
            rows,
            ["  2    4      2    d6     -1   <    +2     f6", "  1    4      2    F5     +0",]
        );
        assert!(out.contains("Black |   0 /   1  :     0 |  0.00 |\n"), "{out}");
        assert!(out.contains("White |   1 /   1  :     3 |  3.00 |\n"), "{out}");
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_command_line_takes_any_number_of_dashes() {
        let line = "-q --l 3 -n 1 -h 16 --book-usage off -t 2:00 --mode 0 --threads 2 -ui-log-file f";
        let mut startup = read_command_line(&words(line)).unwrap();
        let settings: Vec<String> =
            startup.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(settings.join(" "), "level=3 depth=0 movetime=0 threads=1 hash=2 log=f");
        assert_eq!(startup.rest, ["--threads", "2"]);
        assert!(startup.errand.is_none());
        let opening: Vec<Request> =
            startup.dialect.opening().into_iter().map(|tagged| tagged.request).collect();
        assert!(matches!(opening[..], [Request::Clock { .. }, Request::Take(SeatsText::Side(_))]));
        assert!(startup.dialect.opening().is_empty());
        let startup = read_command_line(&words("-selectivity 0 -solve a.obf")).unwrap();
        let errand = startup.errand.unwrap();
        assert_eq!((errand.file.as_str(), errand.selectivity), ("a.obf", Some(73)));
        assert_eq!(read_command_line(&words("-gtp")).unwrap().dialect.name(), "gtp");
    }

    #[test]
    fn the_command_line_refuses_by_name() {
        for (line, text) in [
            ("-sorcery", "-sorcery"),
            ("-q -l", "-l"),
            ("-l 99", "-l"),
            ("--level x", "--level"),
            ("-solve", "-solve"),
            ("-wtest x", "-wtest"),
            ("-ggs-host h", "-ggs-host"),
            ("-auto-swap on", "-auto-swap"),
        ] {
            let failure = read_command_line(&words(line)).err().unwrap();
            assert_eq!(failure.text.as_deref(), Some(text), "{line}");
        }
    }

    #[test]
    fn solved_positions_are_compared_with_what_the_file_says() {
        let mut table = Solved::new("t.obf");
        let mut out = String::new();
        table.head(&mut out);
        let scores = vec![(at("g8"), HalfDiscs(40)), (at("h1"), HalfDiscs(24))];
        let solved = |pv: &str, centidiscs, scores| SolvedText {
            id: "1".into(),
            info: info(100, centidiscs, pv),
            scores,
            expected: None,
        };
        table.row(&solved("h1 a1", 1800, scores), &mut out);
        table.row(&solved("a4", 1000, Vec::new()), &mut out);
        table.fault("3", "no board", &mut out);
        table.foot(15, &mut out);
        assert_eq!(
            out,
            " # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation\n\
             ---+------+-----+--------------+-------------+----------+----------------------\n\
             \x20 1|   14   +18        0:00.006         53952    8992000 h1 A1\n\
             \x20 2|   14   +10        0:00.006         53952    8992000 a4\n\
             \x20 3| error: 3: no board\n\
             ---+------+-----+--------------+-------------+----------+----------------------\n\
             t.obf: 107904 nodes in  0:00.015 (search =  0:00.012) (7193600 nodes/s).\n\
             1 / 1 wrong moves; mean error = 8.000 discs.\n\
             1 / 1 wrong scores; mean error = 2.000 discs.\n"
        );
    }

    #[test]
    fn rows_of_edax_are_understood() {
        for (row, depth, centidiscs, nodes, pv) in [
            ("    0   +00        0:00.000            10            g2      ", 0, 0, Some(10), "g2"),
            (
                "14@73% <-04        0:00.006         53952    8992000 g8 H7 PS",
                14,
                -400,
                Some(53_952),
                "g8 h7 ps",
            ),
        ] {
            let news = table_row(row).unwrap();
            assert_eq!(
                (news.depth, news.centidiscs, news.nodes),
                (Some(depth), Some(centidiscs), nodes)
            );
            assert_eq!(news.pv, pv.split(' ').map(at).collect::<Vec<_>>());
        }
        for line in
            ["", "1 - - - - - - - - 1", TABLE_HEAD, TABLE_RULE, "Edax plays G2", "14 x 0:00 1 g2"]
        {
            assert!(table_row(line).is_none(), "{line}");
        }
    }
}
