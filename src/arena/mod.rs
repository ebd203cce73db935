//! Engines against each other: openings, games, and what the games add up to.
//!
//! Knows protocols from the client's side, the rules, and the `Engine` trait where it asks for a
//! value itself. Must not know any search or evaluation: it referees strangers.

// From the outside in: the tournament, its games, those who play them.
pub mod run;
pub mod schedule;

pub mod clock;
pub mod referee;

#[cfg(unix)]
mod keeper;
pub mod player;
pub mod process;
pub mod traffic;

// What games begin with.
pub mod balanced;
pub mod openings;

// What they end with, where it is kept, and what it adds up to.
pub mod archive;
pub mod outcome;
pub mod store;

pub mod elo;
pub mod ratings;
pub mod sprt;
pub mod tally;

// How it is shown.
mod crosstable;
pub mod html;

#[cfg(test)]
mod testing;
