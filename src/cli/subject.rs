//! From an input to a game under the rules of the command line.

use std::sync::Arc;

use anyhow::anyhow;
use outflank_protocol::format::Content;
use outflank_protocol::position::PositionText;
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{
    AboutText, BaseText, BoardText, GameText, HalfDiscs, MoveText, MoveWord, PlayerText, VariantText,
};

use super::Usage;
use super::args::VariantArg;
use super::input::{Input, Inputs, Manner, Place};
use super::values::Id;
use crate::record::{self, Note, RecordError};
use crate::rules::{Game, VARIANTS, Variant, VariantError, VariantSpec, by_name};

/// One input, or why it cannot be used.
#[derive(Debug)]
pub struct Subject {
    /// What it is called.
    pub id: Id,
    /// The game; its last position is what is asked about.
    pub game: Result<Game, String>,
    /// What is said about it.
    pub head: GameHead,
}

/// What an input says about its game beside the moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameHead {
    /// Name of the format it was written in.
    pub format: &'static str,
    /// Where it stands.
    pub place: Place,
    /// Its text; empty for binary files.
    pub text: String,
    /// It is a position and not a game.
    pub is_position: bool,
    /// Black.
    pub black: PlayerText,
    /// White.
    pub white: PlayerText,
    /// The result as written.
    pub result: Option<String>,
    /// Further tags as written.
    pub tags: Vec<(String, String)>,
    /// Event, date, place, name, the meaning of the result.
    pub about: AboutText,
    /// What is said about each entry of the game's log, in its order.
    pub notes: Vec<Note>,
    /// Scores of moves from the last position, mover's view.
    pub scores: Vec<(MoveText, HalfDiscs)>,
    /// Score of the last position, mover's view.
    pub value: Option<HalfDiscs>,
}

/// What `--variant` says, its name one of the table.
///
/// # Errors
/// A token that cannot be read, and a name that is not in the table, with the one that comes near.
pub fn variant_words(token: &str) -> Result<VariantText, Usage> {
    let usage = |why: String| Usage(format!("--variant '{}': {why}", record::clip(token)));
    let words = read_variant(token).map_err(|fault| usage(fault.to_string()))?;
    if let BaseText::Name(name) = &words.base
        && by_name(name).is_none()
    {
        let nearest = VARIANTS.iter().max_by_key(|row| n_common(row.name, name));
        let nearest = nearest.filter(|row| n_common(row.name, name) >= LEAST_COMMON);
        let near = nearest.map_or(String::new(), |row| format!(", '{}' is near", row.name));
        return Err(usage(format!(
            "there is no variant '{}'{near}; `outflank variants` lists them, COLUMNSxROWS gives a size",
            record::clip(name)
        )));
    }
    Ok(words)
}

/// Names that begin with so many letters alike are near to each other.
const LEAST_COMMON: usize = 3;

fn n_common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// The rules that inputs are read under.
#[derive(Debug)]
pub struct Room {
    spec: VariantSpec,
    /// The variant with its start; odd sides have none, and take positions only.
    variant: Result<Variant, RecordError>,
    /// What most records state.
    othello: Variant,
}

impl Room {
    /// The rules of `--variant`.
    ///
    /// # Errors
    /// A token that is no variant.
    pub fn of(arg: &VariantArg) -> Result<Room, Usage> {
        let usage = |why: String| Usage(format!("--variant '{}': {why}", record::clip(&arg.variant)));
        let words = variant_words(&arg.variant)?;
        let spec = record::variant_spec(&words).map_err(|error| usage(error.to_string()))?;
        let variant = record::variant(&words);
        match &variant {
            Ok(_) | Err(RecordError::Variant(VariantError::OddSides { .. })) => {
                let othello = by_name("othello").and_then(|spec| Variant::new(spec).ok());
                let othello = othello.ok_or_else(|| usage("there is no Othello".to_owned()))?;
                Ok(Room { spec, variant, othello })
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

    /// The start of a game that may state a variant and a position of its own.
    fn begin(&self, text: &GameText) -> Result<Game, String> {
        match (&text.variant, &text.start) {
            // Nearly all are of this kind, and a variant takes longer to make than a game to play.
            (Some(variant), None)
                if variant.mods.is_empty()
                    && variant.base == (BaseText::Size { columns: 8, rows: 8 }) =>
            {
                Ok(Game::new(self.othello.clone()))
            }
            (None, None) => self.start(),
            (None, Some(board)) => self.game_at(board),
            (Some(_), _) => record::begin(text, &self.othello).map_err(|error| error.to_string()),
        }
    }

    /// The game of a record, with what is said about its entries.
    fn load(&self, text: &GameText, format: &str) -> Result<(Game, Vec<Note>), String> {
        if format == "record"
            && let (Some(variant), Some(start)) = (&text.variant, &text.start)
        {
            // These state a result that is held against the moves.
            let moves: Vec<MoveWord> = text.moves.iter().map(|played| played.word.clone()).collect();
            return record::replay_record(
                &(variant.clone(), start.clone()),
                &moves,
                text.result.as_deref(),
            )
            .map(|game| (game, Vec::new()))
            .map_err(|error| error.to_string());
        }
        let mut game = self.begin(text)?;
        let notes = record::play_noted(&mut game, text).map_err(|error| error.to_string())?;
        Ok((game, notes))
    }

    /// An input as a subject.
    #[must_use]
    pub fn subject(&self, input: Input) -> Subject {
        let Input { id, place, format, text, content } = input;
        let mut head = GameHead { format, place, text, ..GameHead::default() };
        let (id, game) = match content {
            Ok(Content::Game(said)) => {
                let loaded = self.load(&said, format);
                head.take_game(*said);
                let game = loaded.map(|(game, notes)| {
                    head.notes = notes;
                    game
                });
                (id, game)
            }
            Ok(Content::Position(said)) => {
                let game = self.game_at(&said.board);
                (head.take_position(*said).map_or(id, Id::Own), game)
            }
            Ok(Content::Names(..)) => (id, Err("names are no game".to_owned())),
            Err(why) if head.place.is_argument && format == "transcript" => {
                let text = record::clip(&head.text);
                (id, Err(format!("'{text}': no file of this name, and as input: {why}")))
            }
            Err(why) => (id, Err(why)),
        };
        let game = game.map_err(|why| head.place.tell(&why));
        Subject { id, game, head }
    }
}

impl GameHead {
    fn take_game(&mut self, said: GameText) {
        self.black = said.black;
        self.white = said.white;
        self.result = said.result;
        self.tags = said.tags;
        self.about = said.about;
    }

    /// The id of its own that a position has.
    fn take_position(&mut self, said: PositionText) -> Option<String> {
        self.is_position = true;
        self.scores = said.scores;
        self.value = said.value;
        self.about.name = said.name;
        said.id
    }
}

/// The inputs of a command, one after the other.
pub struct Subjects {
    inputs: Inputs,
    room: Arc<Room>,
}

impl Subjects {
    /// The inputs that these arguments name, or those of standard input.
    pub fn of(arguments: &[String], room: Room) -> Subjects {
        Subjects { inputs: Inputs::of(arguments, Manner::default()), room: Arc::new(room) }
    }
}

impl Iterator for Subjects {
    type Item = Subject;

    fn next(&mut self) -> Option<Subject> {
        self.inputs.next().map(|input| self.room.subject(input))
    }
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
