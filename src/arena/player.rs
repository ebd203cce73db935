//! One engine as the referee sees it: games are put before it, moves are asked of it, and whatever
//! a stranger's program may do instead becomes a [`Fault`].
//!
//! Knows the client's side of the dialects, processes and the rules' words. Must not judge: whether
//! a move is legal, or an answer came in time, is the referee's to say.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use outflank_protocol::client::{Garble, Unsayable};
use outflank_protocol::words::MoveText;

use super::process::StartError;
use crate::rules::{Game, Move};

/// How an engine is started and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// What it is called in logs and results.
    pub name: String,
    /// Program and arguments, split as a shell splits words; no shell sees them.
    pub command: String,
    /// A row of [`outflank_protocol::CLIENTS`].
    pub dialect: String,
    /// Working directory; ours when `None`.
    pub directory: Option<PathBuf>,
    /// Options set once, in this order, before the first game.
    pub options: Vec<(String, String)>,
}

/// One engine as the referee sees it.
///
/// After [`Fault::Crash`] only [`Player::quit`] is of use. After any other fault a new game may be
/// begun: answers that are still owed to what was given up are recognised and passed over.
pub trait Player: Send {
    /// A new game: the variant, its start position and everything in the log of `game`.
    ///
    /// # Errors
    /// Any [`Fault`]; [`Fault::Unsayable`] where the dialect has no words for the game.
    fn begin(&mut self, game: &Game) -> Result<(), Fault>;

    /// An item, disc or pass, that now stands in the log of `game` and was not chosen by this
    /// player through [`Player::choose`].
    ///
    /// # Errors
    /// Any [`Fault`].
    fn follow(&mut self, game: &Game, played: Move) -> Result<(), Fault>;

    /// Asks for the move of the side to move of `game`; waits at most `budget.cutoff` for it. The
    /// answer is the engine's text made into words and not checked against the rules.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn choose(&mut self, game: &Game, budget: &Budget) -> Result<Thought, Fault>;

    /// The player's last chosen move was accepted and stands in the log of `game`.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn accepted(&mut self, game: &Game, played: Move) -> Result<(), Fault>;

    /// The end of the game. Then [`Player::begin`] may come again.
    ///
    /// # Errors
    /// Any [`Fault`].
    fn finish(&mut self, game: &Game) -> Result<(), Fault>;

    /// What ends the engine from elsewhere.
    fn leash(&self) -> Leash;

    /// Ends the engine: asks it to leave, waits shortly, and ends its whole process group.
    fn quit(self: Box<Self>);
}

/// Kills an engine, from any thread and at any time, as often as one likes. What waits for the
/// engine then gets [`Fault::Crash`].
#[derive(Clone)]
pub struct Leash(Arc<dyn Fn() + Send + Sync>);

impl Leash {
    /// A leash that does this when it is cut.
    pub fn new(cut: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(cut))
    }

    /// Ends the engine at once.
    pub fn cut(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Leash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Leash")
    }
}

/// What a move may use. Everything that is given is told to the engine, where its dialect has
/// words for it; what it cannot be told is logged once and left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The clocks of both sides.
    pub clock: Option<Clocks>,
    /// Time for this move in milliseconds.
    pub movetime_ms: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The longest wait for the answer.
    pub cutoff: Duration,
}

/// The clocks of both sides, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The mover's.
    pub own_ms: u64,
    /// The other side's.
    pub other_ms: u64,
    /// Added after each move.
    pub increment_ms: u64,
}

/// What an engine does at its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A disc or a pass, legal or not.
    Move(MoveText),
    /// It gives up.
    Resign,
}

/// An answer, with what the engine said about it. Values are the mover's view.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// What it does.
    pub choice: Chosen,
    /// From the moment the request was written out to the arrival of the line that answers it.
    pub taken: Duration,
    /// Value in hundredths of a disc.
    pub score_centidiscs: Option<i32>,
    /// The value is proved.
    pub exact: bool,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The expected course, beginning with the move itself.
    pub pv: Vec<MoveText>,
}

/// What went wrong with an engine. `Display` is one line.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It could not be started.
    Start(StartError),
    /// The process ended, or closed its output.
    Crash {
        /// Its exit code, where it left by itself.
        exit_code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The last lines it wrote to standard error.
        stderr: Vec<String>,
    },
    /// It did not answer in the time it had.
    NoAnswer {
        /// How long it was waited for.
        waited: Duration,
        /// The last line that it wrote meanwhile and that means nothing in its dialect.
        stray: Option<String>,
    },
    /// It answered, and the answer cannot be understood.
    Protocol {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        why: Garble,
    },
    /// It refused what it was told or asked.
    Refused {
        /// The line it refused.
        asked: String,
        /// What it said.
        answer: String,
    },
    /// Its dialect has no words for a variant, a position or an option.
    Unsayable(Unsayable),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Crash { exit_code, signal, stderr } => {
                match (exit_code, signal) {
                    (Some(code), _) => write!(f, "ended with exit code {code}")?,
                    (None, Some(signal)) => write!(f, "ended by signal {signal}")?,
                    (None, None) => f.write_str("closed its output")?,
                }
                if !stderr.is_empty() {
                    write!(f, ": {}", stderr.join(" | "))?;
                }
                Ok(())
            }
            Self::NoAnswer { waited, stray } => {
                write!(f, "no answer within {:.1} s", waited.as_secs_f64())?;
                stray.as_ref().map_or(Ok(()), |line| write!(f, ", but '{line}'"))
            }
            Self::Protocol { line, why } => write!(f, "'{line}': {why}"),
            Self::Refused { asked, answer } => write!(f, "refused '{asked}': {answer}"),
            Self::Unsayable(unsayable) => unsayable.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}
