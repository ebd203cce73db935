//! What the tests share.

pub mod conversation;
pub mod process;
pub mod shelf;
