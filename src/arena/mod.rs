//! Engines against each other: openings, games, and what the games add up to.
//!
//! Knows protocols from the client's side, the rules, and the `Engine` trait where it asks for a
//! value itself. Must not know any search or evaluation: it referees strangers.

// What games begin with.
pub mod balanced;
pub mod openings;

// What they end with, and what that adds up to.
pub mod outcome;

pub mod elo;
pub mod ratings;
pub mod sprt;
pub mod tally;

// How it is shown.
mod crosstable;
pub mod html;
mod plot;
