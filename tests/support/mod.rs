//! What the tests share.

pub mod conversation;
pub mod model;
pub mod process;
pub mod scratch;
pub mod shelf;
