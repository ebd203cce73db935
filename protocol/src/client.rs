//! The other side of the line protocols: what a client asks an engine, and what it understands
//! of the answers.
//!
//! A dialect's file holds both sides. [`Client`] knows no process, no pipe and no clock: orders
//! go in, lines come out; lines of the engine go in, [`Heard`] comes out. One order is given at a
//! time. An order that takes several commands, each of which is answered before the next is sent,
//! is led through by [`Client::hear`], which writes what has to follow.

use std::fmt;

use crate::fault::clip;
use crate::words::{BoardText, HalfDiscs, MoveText, PlaceText, Side, VariantText};

/// The client's side of a dialect, for one engine.
///
/// ```
/// use outflank_protocol::client::{Heard, Next, Order};
/// use outflank_protocol::client_by_name;
///
/// let mut client = client_by_name("nboard").expect("the dialect is in the table");
/// let mut out = String::new();
/// assert_eq!(client.order(&Order::Hello, &mut out), Ok(Next::Wait));
/// assert_eq!(out, "nboard 2\nping 1\n");
/// assert_eq!(client.hear("set myname Dummy", &mut out), Heard::Nothing);
/// assert_eq!(client.hear("pong 1", &mut out), Heard::Done);
/// assert_eq!(client.identity().name.as_deref(), Some("Dummy"));
/// ```
pub trait Client: Send {
    /// `native`, `nboard`, `gtp`, `uci`.
    fn name(&self) -> &'static str;

    /// Gives an order: appends the lines that begin it, each ended by LF.
    ///
    /// The order before it has been carried out, refused or given up.
    ///
    /// # Errors
    /// The dialect has no words for it; nothing is appended then.
    fn order(&mut self, order: &Order, out: &mut String) -> Result<Next, Unsayable>;

    /// Takes in a line of the engine, its line end removed, and appends what has to be sent in
    /// return. Never fails, whatever the line is.
    fn hear(&mut self, line: &str, out: &mut String) -> Heard;

    /// The present order is given up: what the engine still says to it does not count. Appends
    /// what makes an engine that thinks come to an end, where the dialect has a word for that.
    fn give_up(&mut self, out: &mut String);

    /// Whether the engine can be told this limit. A limit that it cannot be told is left out of
    /// [`Order::Choose`].
    fn heeds(&self, limit: Limit) -> bool;

    /// Whether the dialect has words for this limit, so that it is for the engine to know them.
    fn has_words_for(&self, limit: Limit) -> bool {
        self.heeds(limit)
    }

    /// Who the engine says it is.
    fn identity(&self) -> &Identity;
}

/// A row of the table of dialects that engines are spoken to in.
pub struct ClientRow {
    /// Name, as in `proto=`.
    pub name: &'static str,
    /// Begins a conversation.
    pub make: fn() -> Box<dyn Client>,
}

/// What an engine is told or asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order<'a> {
    /// The beginning of a conversation.
    Hello,
    /// An option.
    Set {
        /// Name of the option.
        name: &'a str,
        /// Its value.
        value: &'a str,
    },
    /// A new game.
    NewGame(&'a Situation),
    /// What was played or passed, once it stands.
    Played {
        /// Who.
        side: Side,
        /// What.
        at: MoveText,
        /// It is what the engine has answered to [`Order::Choose`].
        own: bool,
    },
    /// The board as it stands, told before [`Order::Prepare`] to those who may need it.
    Board(&'a BoardText),
    /// What has to be told before the engine is asked for a move, such as clocks. Limits are
    /// the same as in the [`Order::Choose`] that follows.
    Prepare(&'a Limits),
    /// Asks for the move of [`Limits::side`]. It is written at once and waits for nothing, so that
    /// the time of the answer can be taken.
    Choose(&'a Limits),
    /// The game has ended.
    GameOver,
    /// The end of the conversation; no answer is waited for.
    Quit,
}

/// How an order goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It needs no answer: the next order may follow.
    Done,
    /// [`Client::hear`] will tell how it ended.
    Wait,
}

/// What a line of the engine means to the present order.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Something the dialect knows, but the order goes on.
    Nothing,
    /// The order was carried out.
    Done,
    /// The answer to [`Order::Choose`].
    Chosen(Box<ChosenText>),
    /// The engine refuses the order.
    Refused {
        /// The line it refuses.
        asked: String,
        /// What it said.
        answer: String,
    },
    /// The line answers the order, and cannot be understood.
    Garbled {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        why: Garble,
    },
    /// The line is none of this dialect, or none that may come here. It is passed over.
    Stray,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garble {
    /// A square or a pass has to stand there.
    NotAMove,
    /// A value is no number.
    NotANumber,
    /// The answer breaks off.
    Incomplete,
    /// The line is no text, or longer than lines may be.
    NotText,
}

impl fmt::Display for Garble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Garble::NotAMove => "neither a square nor a pass",
            Garble::NotANumber => "not a number",
            Garble::Incomplete => "the answer breaks off",
            Garble::NotText => "not a line of text",
        })
    }
}

/// The move an engine chose, and what it said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenText {
    /// What it does.
    pub choice: ChoiceText,
    /// Value in hundredths of a disc, mover's view.
    pub centidiscs: Option<i32>,
    /// The value is proved.
    pub exact: bool,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The expected course, beginning with the move itself.
    pub pv: Vec<MoveText>,
}

impl ChosenText {
    /// A choice of which nothing else is known.
    #[must_use]
    pub fn bare(choice: ChoiceText) -> ChosenText {
        ChosenText { choice, centidiscs: None, exact: false, depth: None, nodes: None, pv: Vec::new() }
    }
}

/// What an engine does at its turn. Whether it may is for the rules to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceText {
    /// A disc, or a pass. An engine that holds the game to be over counts as passing.
    Move(MoveText),
    /// It gives up.
    Resign,
}

/// A game as it is put before an engine: what is played, from where, and what was played so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    /// The variant's token.
    pub variant: VariantText,
    /// The rules that the board does not show.
    pub rules: RulesText,
    /// The board it starts from, with the side to move.
    pub start: BoardText,
    /// The board is the one that the variant starts from by itself.
    pub usual_start: bool,
    /// What was played since, passes written out.
    pub moves: Vec<(Side, MoveText)>,
}

/// What decides how a game goes on besides its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulesText {
    /// Fewest discs win.
    pub anti: bool,
    /// Komi for Black.
    pub komi: HalfDiscs,
    /// What the last placement of a free opening may do.
    pub place: PlaceText,
    /// A side that cannot move ends the game.
    pub stuck_ends: bool,
    /// Only discs on the board count.
    pub score_discs: bool,
}

impl Default for RulesText {
    /// Those of Othello.
    fn default() -> RulesText {
        RulesText {
            anti: false,
            komi: HalfDiscs(0),
            place: PlaceText::Plain,
            stuck_ends: false,
            score_discs: false,
        }
    }
}

/// What bounds the search for a move. Everything that is given binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Who is to move.
    pub side: Side,
    /// The clocks of both sides.
    pub clock: Option<ClockLeft>,
    /// Time for this move in milliseconds.
    pub movetime_ms: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

impl Limits {
    /// No limit at all.
    #[must_use]
    pub fn none(side: Side) -> Limits {
        Limits { side, clock: None, movetime_ms: None, depth: None, nodes: None }
    }
}

/// What is left on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLeft {
    /// The mover's time in milliseconds.
    pub own_ms: u64,
    /// The other side's.
    pub other_ms: u64,
    /// Added after each move.
    pub increment_ms: u64,
}

/// A kind of limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Clocks of both sides.
    Clock,
    /// A time for the move.
    MoveTime,
    /// Plies.
    Depth,
    /// Nodes.
    Nodes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Clock => "a clock",
            Limit::MoveTime => "a time for a move",
            Limit::Depth => "a depth",
            Limit::Nodes => "a number of nodes",
        })
    }
}

/// Who an engine says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Name, where it gave one.
    pub name: Option<String>,
    /// Version, where it gave one.
    pub version: Option<String>,
}

/// What a dialect has no words for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsayable {
    /// The dialect.
    pub dialect: &'static str,
    /// What kind of thing it is.
    pub what: Topic,
    /// The thing itself, shortened.
    pub text: String,
    /// What the dialect has words for.
    pub why: &'static str,
}

/// What could not be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The rules of a game.
    Variant,
    /// The position a game starts from.
    Position,
    /// An option.
    Option,
}

impl Unsayable {
    /// An error about a text.
    #[must_use]
    pub fn new(dialect: &'static str, what: Topic, text: impl fmt::Display, why: &'static str) -> Self {
        Unsayable { dialect, what, text: clip(&text.to_string()), why }
    }
}

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Topic::Variant => "the variant",
            Topic::Position => "the position",
            Topic::Option => "the option",
        };
        write!(f, "{what} {} cannot be said in {}: {}", self.text, self.dialect, self.why)
    }
}

impl std::error::Error for Unsayable {}
