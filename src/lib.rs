//! An Othello and Reversi engine for every board and every rule, driven over line protocols.
//!
//! The modules, bottom-up; `ARCHITECTURE.md` tells who may know whom.
//!
//! - [`kernel`]: bits of one word for one kind of processor.
//! - [`rules`]: the game. Boards, variants, moves, refusals, games, scores.
//! - `eval`: what a position is worth before it is played out.
//! - `search`: what to play.
//! - [`engine`]: the seam between those who ask and those who search.
//! - `train`, with the feature of that name: how the weights of the evaluation are made.
//! - [`record`]: where protocol words meet the rules.
//! - [`session`]: one conversation, the same for every dialect.
//! - [`stdio`]: the streams and threads of a conversation.
//! - [`page`]: what pages for people are made of.
//! - [`arena`]: engines against each other.
//! - [`report`]: games looked at afterwards.
//! - [`conform`]: an engine taken through a dialect, step by step.
//! - [`cli`]: the command line.

#![deny(unsafe_code)]

pub mod kernel;
pub mod rules;

pub(crate) mod eval;
pub(crate) mod search;

pub mod engine;

#[cfg(feature = "train")]
pub(crate) mod train;

pub mod logging;
pub mod record;
pub mod session;
pub mod stdio;

pub mod page;

pub mod arena;
pub mod conform;
pub mod report;

pub mod cli;

/// The program's name as it tells it to clients: one word.
pub const NAME: &str = "outflank";

/// The program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
