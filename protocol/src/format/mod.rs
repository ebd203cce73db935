//! Formats of whole games.

pub mod ggf;
pub mod record;
