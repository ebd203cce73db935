//! What a program's command line can ask for in the words of a dialect.
//!
//! Some programs are started with options of their own, and whoever puts this one in their place
//! gives it the same. The row of such a dialect reads them; what they ask for is told here in
//! general words.

use crate::Dialect;
use crate::message::{Failure, InfoText};
use crate::words::{HalfDiscs, MoveText};

/// Reads the words of a command line. An error has the option as its text.
pub type ReadWords = fn(&[String]) -> Result<Startup, Failure>;

/// What the words of a command line ask for.
pub struct Startup {
    /// The conversation, set up as they say.
    pub dialect: Box<dyn Dialect>,
    /// Values for the table of options, in the order they were given.
    pub settings: Vec<(String, String)>,
    /// Something to be done in place of a conversation.
    pub errand: Option<Errand>,
    /// The words that are none of the dialect's, in their order.
    pub rest: Vec<String>,
}

/// A file of positions that is to be searched, and how the answers are told.
pub struct Errand {
    /// Name of the file.
    pub file: String,
    /// Selectivity in per cent, where one was asked for.
    pub selectivity: Option<u32>,
    /// How the answers are told.
    pub table: Box<dyn SolveTable>,
}

/// A table of solved positions. Every method appends whole lines, each ended by LF.
pub trait SolveTable: Send {
    /// What stands above the rows.
    fn head(&self, out: &mut String);

    /// The row of a position.
    fn row(&mut self, solved: &SolvedText, out: &mut String);

    /// The row of an input that could not be used.
    fn fault(&mut self, id: &str, why: &str, out: &mut String);

    /// What stands below the rows, after so many milliseconds.
    fn foot(&self, time_ms: u64, out: &mut String);
}

/// A position that was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedText {
    /// What the input calls it.
    pub id: String,
    /// What was found.
    pub info: InfoText,
    /// The scores that the input gives to moves, mover's view.
    pub scores: Vec<(MoveText, HalfDiscs)>,
    /// The score that the input gives to the position, mover's view.
    pub expected: Option<HalfDiscs>,
}
