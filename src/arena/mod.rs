//! Engines against each other: openings, games, and what the games add up to.
//!
//! Knows protocols from the client's side, the rules, and the `Engine` trait where it asks for a
//! value itself. Must not know any search or evaluation: it referees strangers.

pub mod openings;
pub mod outcome;

pub mod balanced;
mod crosstable;
pub mod elo;
pub mod html;
mod plot;
pub mod ratings;
pub mod sprt;
pub mod tally;
