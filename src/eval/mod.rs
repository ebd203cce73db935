//! What a position is worth without searching it.
//!
//! Knows boards and rules, and nothing of searches.

mod hand;
pub(crate) mod shape;

pub(crate) use hand::Evaluator;
