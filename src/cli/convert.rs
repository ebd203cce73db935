//! `outflank convert`: games and positions from one format into another.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, LineWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use outflank_protocol::fault::Fault;
use outflank_protocol::format::wthor::{self, Header, Names, NamesKind, Record, WthorRefusal};
use outflank_protocol::format::{ggf, lists, pgn, record as rp1, sgf, transcript};
use outflank_protocol::position::PositionText;
use outflank_protocol::words::{BaseText, GameText, Mover, ThorText, VariantText, WhyText};

use super::args::{ConvertArgs, ToArg};
use super::input::{Inputs, Manner};
use super::output::Output;
use super::parallel::{self, Halt};
use super::subject::{Room, Subject};
use super::{Outcome, Usage, on_interrupt};
use crate::record;
use crate::rules::{Game, HalfDiscs, Rules, Scoring, Side, Square, SquareSet, Stop, Stuck};

/// Converts every input.
///
/// # Errors
/// Wrong usage, and files that cannot be written.
pub fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let room = Arc::new(Room::of(&args.variant)?);
    check_output(args)?;
    let inputs = Inputs::of(&args.inputs, Manner { format: args.from.from, patient: true });
    let halt = Halt::default();
    let mut tally = Tally::default();
    match args.to {
        ToArg::Wthor => {
            let raised = halt.clone();
            on_interrupt(move || raised.raise());
            let names = inputs.given_names();
            let mut archive = Archive::new(names.players.as_deref(), names.tournaments.as_deref());
            parallel::each(inputs, &room, &halt, thor_words, |words| {
                match words
                    .and_then(|(game, place)| archive.take(&game).map_err(|why| place(&why.to_string())))
                {
                    Ok(()) => tally.n_written += 1,
                    Err(why) => tally.refuse(&why),
                }
                Ok(())
            })?;
            archive.write(args.output.as_deref())?;
        }
        to => {
            let mut sink = Sink::of(args.output.as_deref())?;
            let room_of_moves = Arc::clone(&room);
            let write = move |subject: Subject| match &subject.game {
                Ok(game) => text_of(&subject, game, to, &room_of_moves)
                    .map_err(|why| subject.head.place.tell(&why)),
                Err(why) => Err(why.clone()),
            };
            parallel::each(inputs, &room, &halt, write, |written| {
                match written {
                    Ok(text) => {
                        sink.line(&text)?;
                        tally.n_written += 1;
                    }
                    Err(why) => tally.refuse(&why),
                }
                Ok(())
            })?;
        }
    }
    if halt.is_raised() {
        return Ok(Outcome::Interrupted);
    }
    Ok(tally.tell())
}

/// What was written would destroy what is read.
fn check_output(args: &ConvertArgs) -> Result<(), Usage> {
    let Some(output) = args.output.as_deref().and_then(|path| fs::canonicalize(path).ok()) else {
        return Ok(());
    };
    let same = |input: &&String| fs::canonicalize(input).is_ok_and(|path| path == output);
    match args.inputs.iter().find(same) {
        Some(input) => Err(Usage(format!("--output '{}' is one of the inputs", record::clip(input)))),
        None => Ok(()),
    }
}

/// What was written and what was not.
#[derive(Default)]
struct Tally {
    n_written: u64,
    n_refused: u64,
}

impl Tally {
    fn refuse(&mut self, why: &str) {
        self.n_refused += 1;
        eprintln!("error: {why}");
    }

    fn tell(&self) -> Outcome {
        if self.n_refused == 0 {
            return Outcome::Good;
        }
        eprintln!("{} written, {} left out", self.n_written, self.n_refused);
        Outcome::SomeFailed
    }
}

/// Where lines go.
enum Sink {
    Standard(Output),
    File(LineWriter<File>, String),
}

impl Sink {
    fn of(path: Option<&Path>) -> anyhow::Result<Sink> {
        let Some(path) = path else { return Ok(Sink::Standard(Output::new())) };
        let name = format!("--output {}", path.display());
        let file = File::create(path).with_context(|| name.clone())?;
        Ok(Sink::File(LineWriter::new(file), name))
    }

    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        match self {
            Sink::Standard(out) => out.line(text)?,
            Sink::File(file, name) => {
                file.write_all(format!("{text}\n").as_bytes()).with_context(|| name.clone())?;
            }
        }
        Ok(())
    }
}

// ---------------------------------------------------------------------------------------------
// Text

/// An input in the words of a format, its line ends between lines only.
fn text_of(subject: &Subject, game: &Game, to: ToArg, room: &Room) -> Result<String, String> {
    let told = |fault: &dyn std::fmt::Display| fault.to_string();
    match to {
        ToArg::Token => Ok(record::board_text(game.variant(), game.state()).to_string()),
        ToArg::Obf => obf(subject, game).map_err(|fault| match fault.text() {
            Some(text) => format!("'{text}': {fault}"),
            None => fault.to_string(),
        }),
        ToArg::Record => Ok(record_line(subject, game)),
        ToArg::Transcript => moves_only(subject, game, room),
        ToArg::Ggf => {
            fits_ggf(game)?;
            let mut words = words_of(subject, game, "ggf", ggf::result_word);
            words.about.remarks.clear();
            ggf::write(&words).map_err(|fault| told(&fault))
        }
        ToArg::Sgf => {
            let mut words = words_of(subject, game, "sgf", sgf::result_word);
            if has_usual_start(game) {
                words.start = None;
            }
            sgf::write(&words).map_err(|fault| told(&fault))
        }
        ToArg::Pgn => {
            let mut words = words_of(subject, game, "pgn", pgn::result_word);
            words.variant = words.variant.filter(|variant| !is_othello(variant));
            if game.start() == &game.variant().start_state() {
                words.start = None;
            }
            pgn::write(&words).map_err(|fault| told(&fault))
        }
        ToArg::Wthor => Err("a binary file is no text".to_owned()),
    }
}

/// The whole of a game for a format in which results are words of its own.
fn words_of(
    subject: &Subject,
    game: &Game,
    format: &str,
    result_word: impl Fn(&outflank_protocol::words::OutcomeText) -> String,
) -> GameText {
    let head = &subject.head;
    let mut words = record::game_text(game, &head.notes);
    let remarks = std::mem::take(&mut words.about.remarks);
    words.about = head.about.clone();
    words.about.remarks = remarks;
    words.black = head.black.clone();
    words.white = head.white.clone();
    let outcome = record::outcome_text(game).or(head.about.outcome);
    words.result = outcome.as_ref().map(result_word);
    if head.format == format {
        // What its own format says is kept as it was written.
        words.tags = head.tags.clone();
        words.result = head.result.clone().or(words.result);
    }
    words
}

fn is_othello(variant: &VariantText) -> bool {
    let eight = BaseText::Size { columns: 8, rows: 8 };
    variant.mods.is_empty()
        && (variant.base == BaseText::Name("othello".to_owned()) || variant.base == eight)
}

/// The start that every program takes for granted: four discs crosswise on a board without holes.
fn has_usual_start(game: &Game) -> bool {
    let start = game.start();
    let geometry = start.board.geometry();
    let (column, row) = (geometry.columns() / 2 - 1, geometry.rows() / 2 - 1);
    let pair = |squares: [(u8, u8); 2]| -> SquareSet {
        squares.into_iter().filter_map(|(column, row)| Square::new(column, row)).collect()
    };
    geometry.holes().is_empty()
        && start.side == Side::Black
        && start.placements_left() == 0
        && start.hand.is_none()
        && start.board.white() == pair([(column, row), (column + 1, row + 1)])
        && start.board.black() == pair([(column + 1, row), (column, row + 1)])
}

/// GGF has boards, anti and komi.
fn fits_ggf(game: &Game) -> Result<(), String> {
    let rules = game.rules();
    let lacks = if rules.hand.is_some() {
        "a limit of discs"
    } else if rules.stuck == Stuck::End {
        "games that end when a side cannot move"
    } else if rules.scoring != Scoring::Official {
        "scores that leave empty squares out"
    } else if game.start().in_opening() {
        "free openings"
    } else {
        return Ok(());
    };
    Err(format!("GGF has not {lacks}; this game is of {}", record::variant_text(game.variant())))
}

fn obf(subject: &Subject, game: &Game) -> Result<String, Fault> {
    let mut board = record::board_text(game.variant(), game.state());
    let rules = game.rules();
    if (Rules { place: Rules::default().place, ..*rules }) != Rules::default() {
        return Err(Fault::Unsupported {
            text: record::variant_text(game.variant()).to_string(),
            why: "OBF has no rules but those of Othello",
        });
    }
    board.mover = Some(Mover::Side(record::side_text(game.state().side)));
    let mut position = PositionText::bare(board);
    if subject.head.is_position {
        position.scores = subject.head.scores.clone();
        position.value = subject.head.value;
    }
    position.name = subject.head.about.name.clone();
    if let super::values::Id::Own(id) = &subject.id
        && subject.head.is_position
    {
        position.name = Some(position.name.map_or_else(|| id.clone(), |name| format!("{id}: {name}")));
    }
    lists::obf(&position)
}

/// A game that was stopped ends as it is stated.
fn record_line(subject: &Subject, game: &Game) -> String {
    let mut game = game.clone();
    if let Some(outcome) = subject.head.about.outcome.filter(|_| !game.is_over()) {
        let winner = outcome.winner.map(record::side);
        let stop = match (outcome.why, winner, outcome.margin) {
            (WhyText::Resigned | WhyText::Left, Some(winner), _) => Stop::Resigned(winner.other()),
            (WhyText::Time, Some(winner), _) => Stop::TimedOut { side: winner.other(), hard: true },
            (_, _, Some(margin)) => Stop::Agreed { winner, margin: HalfDiscs(margin.0.abs()) },
            (_, Some(winner), None) => Stop::Resigned(winner.other()),
            (_, None, None) => Stop::Agreed { winner, margin: HalfDiscs(0) },
        };
        // A game that is not over can be stopped.
        let _ = game.stop(stop);
    }
    let mut line = record::record_line(&game);
    for (key, player) in [("px", &subject.head.black), ("po", &subject.head.white)] {
        if !player.name.is_empty() {
            line.push_str(&format!(" {key}={}", rp1::quoted(&player.name)));
        }
    }
    line
}

/// The moves alone, which begin from the start of `--variant` and follow its rules.
fn moves_only(subject: &Subject, game: &Game, room: &Room) -> Result<String, String> {
    let variant = room.variant().map_err(|usage| usage.to_string())?;
    if game.start() != &variant.start_state() || game.rules() != variant.rules() {
        return Err(format!(
            "a transcript begins from the start of --variant, {}; this one is of {} from {}",
            record::variant_text(variant),
            record::variant_text(game.variant()),
            record::board_text(game.variant(), game.start())
        ));
    }
    let mut words = record::game_text(game, &[]);
    // What the moves lead to need not be said.
    words.about.outcome = if game.state().is_over(game.rules()) { None } else { stated(subject, game) };
    transcript::write(&words).map_err(|fault| fault.to_string())
}

fn stated(subject: &Subject, game: &Game) -> Option<outflank_protocol::words::OutcomeText> {
    record::outcome_text(game).or(subject.head.about.outcome)
}

// ---------------------------------------------------------------------------------------------
// WTHOR

/// A game on its way into a binary file.
struct ThorGame {
    moves: [u8; wthor::MOVES],
    /// Black's discs.
    discs: u8,
    numbers: Option<ThorText>,
    black: String,
    white: String,
    event: String,
    year: Option<u16>,
    header: Option<Header>,
}

type Tell = Box<dyn Fn(&str) -> String + Send>;

fn thor_words(subject: Subject) -> Result<(ThorGame, Tell), String> {
    let place = subject.head.place.clone();
    let game = thor_game(&subject).map_err(|why| match why {
        ThorError::Game(why) => why,
        ThorError::Refused(why) => place.tell(&why.to_string()),
    })?;
    Ok((game, Box::new(move |why| place.tell(why))))
}

enum ThorError {
    /// The input is no game; the place is named.
    Game(String),
    /// WTHOR cannot hold it.
    Refused(WthorRefusal),
}

fn thor_game(subject: &Subject) -> Result<ThorGame, ThorError> {
    let game = subject.game.as_ref().map_err(|why| ThorError::Game(why.clone()))?;
    let head = &subject.head;
    let refused = ThorError::Refused;
    let rules = Rules { place: Rules::default().place, ..*game.rules() };
    let is_othello = has_usual_start(game)
        && (game.variant().spec().columns, game.variant().spec().rows) == (8, 8)
        && rules == Rules::default();
    if !is_othello || head.is_position {
        return Err(refused(WthorRefusal::NotOthello));
    }
    let moves = wthor::move_bytes(&record::game_text(game, &[]).moves).map_err(refused)?;
    let numbers = head.about.thor;
    let discs = match (numbers, stated(subject, game)) {
        (Some(numbers), _) => numbers.discs,
        (None, Some(outcome)) => wthor::discs_of(&outcome).ok_or(refused(WthorRefusal::NoResult))?,
        (None, None) => return Err(refused(WthorRefusal::NoResult)),
    };
    let year = head.about.date.as_deref().and_then(year_of);
    Ok(ThorGame {
        moves,
        discs,
        numbers,
        black: head.black.name.clone(),
        white: head.white.name.clone(),
        event: head.about.event.clone().or_else(|| head.about.place.clone()).unwrap_or_default(),
        year,
        header: head.place.thor,
    })
}

/// The first four digits that are a year.
fn year_of(date: &str) -> Option<u16> {
    date.split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .find_map(|digits| digits.parse().ok().filter(|year| (1900..2200).contains(year)))
}

/// The games of a binary file that is being made.
struct Archive {
    games: Vec<(Record, [u32; 3])>,
    /// Names as they come, by number of their own.
    texts: Vec<String>,
    numbers: BTreeMap<String, u32>,
    header: Option<Header>,
    years: Option<Option<u16>>,
    /// All games have numbers of their own.
    keeps_numbers: bool,
    players: Names,
    tournaments: Names,
}

impl Archive {
    fn new(players: Option<&Names>, tournaments: Option<&Names>) -> Archive {
        Archive {
            games: Vec::new(),
            texts: Vec::new(),
            numbers: BTreeMap::new(),
            header: None,
            years: None,
            keeps_numbers: true,
            players: players.cloned().unwrap_or_else(|| Names::beginning_with("???")),
            tournaments: tournaments.cloned().unwrap_or_else(|| Names::beginning_with("???")),
        }
    }

    fn take(&mut self, game: &ThorGame) -> Result<(), WthorRefusal> {
        let file = self.header.map(|header| header.best_depth());
        if let (Some(numbers), Some(file)) = (game.numbers, file)
            && numbers.depth != file
        {
            return Err(WthorRefusal::Depth { depth: numbers.depth, file });
        }
        self.header = self.header.or(game.header);
        let year = game.numbers.map(|numbers| numbers.year).or(game.year);
        self.years = Some(match self.years {
            None => year,
            Some(years) => years.filter(|years| Some(*years) == year),
        });
        self.keeps_numbers &= game.numbers.is_some();
        let numbers = game.numbers.unwrap_or(ThorText {
            tournament: 0,
            black: 0,
            white: 0,
            discs: game.discs,
            best: game.discs,
            depth: 0,
            year: 0,
        });
        let names = [self.text(&game.black), self.text(&game.white), self.text(&game.event)];
        self.games.push((Record { numbers, moves: game.moves }, names));
        Ok(())
    }

    fn text(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Writes the file, and the files of names beside it where numbers are new.
    fn write(mut self, path: Option<&Path>) -> anyhow::Result<()> {
        let made = today();
        if !self.keeps_numbers {
            self.renumber()?;
        }
        let n_games = u32::try_from(self.games.len()).context("more games than a file can have")?;
        let year = self.years.flatten().unwrap_or(0);
        let depth = wthor::USUAL_DEPTH;
        let usual = Header { size: 8, depth, ..Header::default() };
        let header = Header { made, n_games, year, ..self.header.unwrap_or(usual) };
        let mut bytes = Vec::with_capacity(wthor::HEADER + wthor::GAME * self.games.len());
        bytes.extend(header.bytes());
        bytes.extend(self.games.iter().flat_map(|(record, _)| record.bytes()));
        let Some(path) = path else {
            if !self.keeps_numbers && self.texts.iter().any(|text| !text.is_empty()) {
                eprintln!("names are written beside -o FILE; without it only their numbers are kept");
            }
            io::stdout().lock().write_all(&bytes)?;
            return Ok(io::stdout().lock().flush()?);
        };
        let save = |path: &Path, bytes: &[u8]| {
            fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
        };
        save(path, &bytes)?;
        if !self.keeps_numbers {
            let has_capitals =
                path.extension().is_some_and(|given| !given.eq(&given.to_ascii_lowercase()));
            for (names, kind, extension) in [
                (&self.players, NamesKind::Players, "jou"),
                (&self.tournaments, NamesKind::Tournaments, "trn"),
            ] {
                if names.has_new() {
                    let capitals = extension.to_ascii_uppercase();
                    let extension = if has_capitals { &capitals } else { extension };
                    let beside: PathBuf = path.with_extension(extension);
                    save(&beside, &names.bytes(kind, made))?;
                    eprintln!("names are in {}", beside.display());
                }
            }
        }
        Ok(())
    }

    /// Numbers all games by their names.
    fn renumber(&mut self) -> Result<(), WthorRefusal> {
        let name =
            |texts: &[String], number: u32| texts.get(number as usize).cloned().unwrap_or_default();
        for (record, [black, white, event]) in &mut self.games {
            let player = |players: &mut Names, number| {
                players.number(&name(&self.texts, number)).ok_or(WthorRefusal::Full)
            };
            record.numbers.black = player(&mut self.players, *black)?;
            record.numbers.white = player(&mut self.players, *white)?;
            record.numbers.tournament = player(&mut self.tournaments, *event)?;
        }
        Ok(())
    }
}

/// Century, year, month and day.
fn today() -> [u8; 4] {
    let date = jiff::Timestamp::now().strftime("%C %y %m %d").to_string();
    let mut parts = date.split(' ').map(|part| part.trim().parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}
