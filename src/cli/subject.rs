//! From a line of input to a game under the rules of the command line.

use std::collections::VecDeque;
use std::path::Path;

use anyhow::anyhow;
use outflank_protocol::format::{ggf, record as rp1};
use outflank_protocol::position::{Item, is_comment, read_item};
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{BoardText, GameText, HalfDiscs, MoveText, MoveWord};

use super::Usage;
use super::args::VariantArg;
use super::input::{Lines, NumberedLine, move_number};
use super::values::Id;
use crate::record::{self, RecordError};
use crate::rules::{Game, Variant, VariantError, VariantSpec};

/// One input, or why it cannot be used.
#[derive(Debug)]
pub struct Subject {
    /// What it is called.
    pub id: Id,
    /// The game; its last position is what is asked about.
    pub game: Result<Game, String>,
    /// What the input says of the position.
    pub known: Known,
}

/// Scores that stand behind a position, mover's view.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Of moves.
    pub scores: Vec<(MoveText, HalfDiscs)>,
    /// Of the position.
    pub value: Option<HalfDiscs>,
}

impl Subject {
    fn new(id: Id, game: Result<Game, String>) -> Subject {
        Subject { id, game, known: Known::default() }
    }
}

/// The rules that inputs are read under.
#[derive(Debug)]
pub struct Room {
    spec: VariantSpec,
    /// The variant with its start; odd sides have none, and take positions only.
    variant: Result<Variant, RecordError>,
}

impl Room {
    /// The rules of `--variant`.
    ///
    /// # Errors
    /// A token that is no variant.
    pub fn of(arg: &VariantArg) -> Result<Room, Usage> {
        let usage = |why: String| Usage(format!("--variant '{}': {why}", record::clip(&arg.variant)));
        let words = read_variant(&arg.variant).map_err(|fault| usage(fault.to_string()))?;
        let spec = record::variant_spec(&words).map_err(|error| usage(error.to_string()))?;
        let variant = record::variant(&words);
        match &variant {
            Ok(_) | Err(RecordError::Variant(VariantError::OddSides { .. })) => {
                Ok(Room { spec, variant })
            }
            Err(error) => Err(usage(error.to_string())),
        }
    }

    /// The variant with its start.
    ///
    /// # Errors
    /// A board with an odd side, which has none.
    pub fn variant(&self) -> Result<&Variant, Usage> {
        self.variant.as_ref().map_err(|error| Usage(error.to_string()))
    }

    /// A game from the start of the variant.
    fn start(&self) -> Result<Game, String> {
        match &self.variant {
            Ok(variant) => Ok(Game::new(variant.clone())),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Room {
    /// The game of a written position: size, holes and discs come from it, the rules from
    /// `--variant`.
    fn game_at(&self, board: &BoardText) -> Result<Game, String> {
        let (columns, rows) = (board.columns, board.rows);
        let annex = self.spec.annex && (columns, rows) == (10, 10);
        let spec = VariantSpec { columns, rows, annex, ..self.spec };
        Variant::with_position(spec, &record::setup(board))
            .map_err(RecordError::from)
            .and_then(|variant| record::game_at(&variant, board))
            .map_err(|error| error.to_string())
    }

    /// The game of a record that may state a variant of its own.
    fn load(&self, text: &GameText) -> Result<Game, String> {
        let fallback = self.variant.as_ref().map_err(ToString::to_string)?;
        record::load(text, fallback).map_err(|error| error.to_string())
    }

    fn game_of_moves(&self, moves: &[MoveWord]) -> Result<Game, String> {
        let mut game = self.start()?;
        record::play_words(&mut game, moves).map_err(|error| error.to_string())?;
        Ok(game)
    }
}

fn game_of_record(text: &str) -> Result<Game, String> {
    let read = rp1::read(text).map_err(|fault| fault.to_string())?;
    let head = (read.variant, read.start);
    record::replay_record(&head, &read.moves, Some(&read.result)).map_err(|error| error.to_string())
}

/// The inputs of a command, one after the other.
pub struct Subjects {
    lines: Lines,
    room: Room,
    /// Games of a line that holds several.
    ready: VecDeque<Subject>,
    /// A GGF game whose end has not come yet, with the number of its first line.
    unfinished: Option<(u64, String)>,
}

/// Longest GGF text that is waited for.
const LONGEST_GGF: usize = 1 << 20;

impl Subjects {
    /// The inputs that these arguments name, or those of standard input.
    pub fn of(arguments: &[String], room: Room) -> Subjects {
        Subjects { lines: Lines::of(arguments), room, ready: VecDeque::new(), unfinished: None }
    }

    /// The inputs of a file.
    pub fn of_file(path: &Path, room: Room) -> Subjects {
        Subjects { lines: Lines::of_file(path), room, ready: VecDeque::new(), unfinished: None }
    }

    /// What a line says; nothing for blank lines and comments.
    fn take_in(&mut self, line: NumberedLine) {
        let id = Id::Number(line.number);
        let text = match &line.text {
            Ok(text) => text.trim(),
            Err(why) => return self.ready.push_back(Subject::new(id, Err(why.clone()))),
        };
        if self.unfinished.is_some() || ggf::begins(text) {
            return self.take_in_ggf(line.number, text);
        }
        if text.is_empty() || is_comment(text) {
            return;
        }
        if let Some(number) = move_number(text).filter(|&number| number > 1) {
            let why = format!(
                "move number {number}: a game begins with number 1; its lines are joined in files only"
            );
            return self.ready.push_back(Subject::new(id, Err(why)));
        }
        if text.starts_with(rp1::HEAD) {
            return self.ready.push_back(Subject::new(id, game_of_record(text)));
        }
        let subject = self.position_or_moves(id, text, line.is_argument);
        self.ready.push_back(subject);
    }

    /// GGF may be broken over several lines, and a line may hold several games.
    fn take_in_ggf(&mut self, number: u64, text: &str) {
        let (first, mut whole) = self.unfinished.take().unwrap_or((number, String::new()));
        whole.push_str(text);
        whole.push(' ');
        if whole.trim_end().ends_with(";)") || whole.len() > LONGEST_GGF {
            self.finish_ggf(first, &whole);
        } else {
            self.unfinished = Some((first, whole));
        }
    }

    /// One game is called by its line, several by line and place, as in `3.1`.
    fn finish_ggf(&mut self, number: u64, text: &str) {
        let games = ggf::read_all(text);
        let several = games.len() > 1;
        for (index, game) in games.into_iter().enumerate() {
            let id =
                if several { Id::Own(format!("{number}.{}", index + 1)) } else { Id::Number(number) };
            let game = game.map_err(|fault| fault.to_string()).and_then(|text| self.room.load(&text));
            self.ready.push_back(Subject::new(id, game));
        }
    }

    fn position_or_moves(&self, id: Id, text: &str, is_argument: bool) -> Subject {
        match read_item(without_comment(text)) {
            Ok(Item::Position(read)) => {
                let game = self.room.game_at(&read.board);
                let known = Known { scores: read.scores, value: read.value };
                Subject { id: read.id.map_or(id, Id::Own), game, known }
            }
            Ok(Item::Moves(moves)) => Subject::new(id, self.room.game_of_moves(&moves)),
            Err(fault) if is_argument => {
                let why =
                    format!("'{}': no file of this name, and as input: {fault}", record::clip(text));
                Subject::new(id, Err(why))
            }
            Err(fault) => Subject::new(id, Err(fault.to_string())),
        }
    }
}

impl Iterator for Subjects {
    type Item = Subject;

    fn next(&mut self) -> Option<Subject> {
        loop {
            if let Some(subject) = self.ready.pop_front() {
                return Some(subject);
            }
            match (self.lines.next(), self.unfinished.take()) {
                (Some(line), unfinished) => {
                    self.unfinished = unfinished;
                    self.take_in(line);
                }
                (None, Some((first, text))) => self.finish_ggf(first, &text),
                (None, None) => return None,
            }
        }
    }
}

fn without_comment(text: &str) -> &str {
    text.split('%').next().unwrap_or_default()
}

/// The one position a command is about: the one that was given, or the start of the variant.
///
/// # Errors
/// An input that cannot be used, or that holds nothing.
pub fn one_or_start(argument: Option<&str>, room: Room) -> anyhow::Result<Game> {
    let Some(argument) = argument else {
        return room.start().map_err(|why| Usage(why).into());
    };
    let mut subjects = Subjects::of(&[argument.to_owned()], room);
    let first = subjects
        .next()
        .ok_or_else(|| anyhow!("there is no position in '{}'", record::clip(argument)))?;
    first.game.map_err(|why| anyhow!("{why}"))
}
