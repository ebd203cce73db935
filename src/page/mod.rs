//! Pages for people: HTML and SVG made of text and numbers.
//!
//! Knows how things are shown. Must not know games, engines or tournaments; whoever has something to
//! show brings the words.

pub mod html;
pub mod plot;
