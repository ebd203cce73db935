//! What a position is worth without searching it.
//!
//! Two evaluations: one made by hand that works on every board ([`Evaluator`]), and one of
//! trained [`weights`] over the [`patterns`] of 8x8. Knows boards and rules, and nothing of
//! searches.

mod hand;
#[allow(dead_code, reason = "only the trainer asks for it yet")]
mod huffman;
#[allow(dead_code, reason = "only the trainer asks for it yet")]
pub(crate) mod patterns;
pub(crate) mod shape;
#[allow(dead_code, reason = "only the trainer asks for it yet")]
pub(crate) mod weights;

pub(crate) use hand::Evaluator;
