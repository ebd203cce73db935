//! Engines against each other: openings, games, and what the games add up to.
//!
//! Knows protocols from the client's side, the rules, and the `Engine` trait where it asks for a
//! value itself. Must not know any search or evaluation: it referees strangers.

#[cfg(unix)]
mod keeper;
pub mod player;
pub mod process;
pub mod traffic;
