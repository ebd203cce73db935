#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

// Bottom up, one group a layer: the narrow waist, text in general, the dialects.
pub mod message;
pub mod words;

pub mod client;
pub mod fault;
pub mod format;
pub mod lexis;
pub mod line;
pub mod options;
pub mod position;
pub mod startup;
pub mod variant;
pub mod walk;

pub mod cassio;
mod detect;
pub mod edax;
pub mod gtp;
pub mod native;
pub mod nboard;
pub mod uci;
pub mod xboard;

use crate::client::{Client, ClientRow};
use crate::line::LineFault;
use crate::message::{Event, Habits, Tag, Tagged, Urgency};
use crate::startup::ReadWords;

/// A line protocol: lines become requests, events become lines.
///
/// ```
/// use outflank_protocol::by_name;
/// use outflank_protocol::message::{Done, Event};
///
/// let mut dialect = by_name("native").expect("the dialect is in the table");
/// let tagged = dialect.read("7 ping hello");
/// let mut reply = String::new();
/// dialect.render(&tagged.tag, &Event::Done(Done::Pong("hello".to_owned())), &mut reply);
/// assert_eq!(reply, "ok 7 pong=hello\n");
/// ```
pub trait Dialect: Send {
    /// `native`, `nboard`, `gtp`, `uci`, `xboard`.
    fn name(&self) -> &'static str;

    /// How its clients treat passes and searches.
    fn habits(&self) -> Habits;

    /// Reads a line, its line end removed. Never fails: what cannot be understood becomes a
    /// request that is answered in its turn.
    fn read(&mut self, line: &str) -> Tagged;

    /// When the request is served.
    fn urgency(&self, tagged: &Tagged) -> Urgency;

    /// Appends what an event looks like: zero or more whole lines, each ended by LF.
    fn render(&mut self, tag: &Tag, event: &Event, out: &mut String);

    /// What becomes of a line that is no text.
    fn unreadable_line(&mut self, why: LineFault) -> Tagged;

    /// What is served before the first line is.
    fn opening(&mut self) -> Vec<Tagged> {
        Vec::new()
    }

    /// The name that the engine goes by from now on, for replies that hold it.
    fn engine_is_called(&mut self, name: &str) {
        let _ = name;
    }

    /// Whether the game is told as [`Event::Stands`] at the beginning and before every reply.
    fn follows_game(&self) -> bool {
        false
    }

    /// What the end of input asks for, in its turn, where it asks for anything: a client that
    /// expects a last word gets it also when it just closes its end.
    fn end_of_input(&mut self) -> Option<Tagged> {
        None
    }
}

/// A row of the table of dialects.
pub struct DialectRow {
    /// Name, as in `--protocol`.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// Begins a conversation.
    pub make: fn() -> Box<dyn Dialect>,
    /// Whether a first line can only be meant for this dialect.
    pub claims: fn(&str) -> bool,
    /// Reads the words of a command line that has named this dialect, where its programs have
    /// options of their own.
    pub command_line: Option<ReadWords>,
}

/// Every dialect that is spoken. The first one gets what nobody claims.
pub static DIALECTS: &[DialectRow] = &[
    DialectRow {
        name: "native",
        about: "our own protocol: every board, every variant, typed refusals",
        make: || Box::new(native::Native::new()),
        claims: detect::is_native,
        command_line: None,
    },
    DialectRow {
        name: "nboard",
        about: "the protocol of the NBoard GUI, versions 1 and 2",
        make: || Box::new(nboard::NBoard::new()),
        claims: detect::is_nboard,
        command_line: None,
    },
    DialectRow {
        name: "gtp",
        about: "GTP 2 for Quarry, GoGui and match runners",
        make: || Box::new(gtp::Gtp::new()),
        claims: detect::is_gtp,
        command_line: None,
    },
    DialectRow {
        name: "edax",
        about: "the console of Edax, for scripts that drive one",
        make: || Box::new(edax::Edax::new()),
        claims: detect::is_edax,
        command_line: Some(edax::read_command_line),
    },
    DialectRow {
        name: "uci",
        about: "UCI as Fairy-Stockfish has it, for flipello and for squares as in diagrams",
        make: || Box::new(uci::Uci::new()),
        claims: detect::is_uci,
        command_line: None,
    },
    DialectRow {
        name: "xboard",
        about: "the protocol of XBoard and WinBoard (CECP 2), for Othello",
        make: || Box::new(xboard::XBoard::new()),
        claims: detect::is_xboard,
        command_line: None,
    },
    DialectRow {
        name: "cassio",
        about: "ENGINE-PROTOCOL of Cassio: searches of single positions",
        make: || Box::new(cassio::Cassio::new()),
        claims: detect::is_cassio,
        command_line: None,
    },
];

/// Every dialect that engines are spoken to in. It is another table than [`DIALECTS`]: some
/// dialects have a side of their own only.
pub static CLIENTS: &[ClientRow] = &[
    ClientRow { name: "native", make: || Box::new(native::NativeClient::new()) },
    ClientRow { name: "nboard", make: || Box::new(nboard::NBoardClient::new()) },
    ClientRow { name: "gtp", make: || Box::new(gtp::GtpClient::new()) },
    ClientRow { name: "uci", make: || Box::new(uci::UciClient::new()) },
    ClientRow { name: "xboard", make: || Box::new(xboard::XBoardClient::new()) },
    ClientRow { name: "edax", make: || Box::new(edax::EdaxClient::new()) },
    ClientRow { name: "cassio", make: || Box::new(cassio::CassioClient::new()) },
];

/// A conversation with an engine that speaks the dialect of this name.
#[must_use]
pub fn client_by_name(name: &str) -> Option<Box<dyn Client>> {
    CLIENTS.iter().find(|row| row.name == name).map(|row| (row.make)())
}

/// The dialect of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<Box<dyn Dialect>> {
    DIALECTS.iter().find(|row| row.name == name).map(|row| (row.make)())
}

/// The dialect of a first line. `None` for a line that says nothing: it is not answered, and
/// the next line decides.
#[must_use]
pub fn detect(first_line: &str) -> Option<Box<dyn Dialect>> {
    if detect::says_nothing(first_line) {
        return None;
    }
    let claimed = DIALECTS.iter().find(|row| (row.claims)(first_line));
    claimed.or(DIALECTS.first()).map(|row| (row.make)())
}
