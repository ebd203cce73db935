//! Pages for people: HTML and SVG made of text and numbers.
//!
//! Knows how things are shown. Must not know games, engines or tournaments; whoever has something to
//! show brings the words.

pub mod html;
pub mod plot;

use std::fmt::Display;

/// `1 game`, `2 games`; `1 ply`, `2 plies`; `1 pass`, `2 passes`.
#[must_use]
pub fn counted(n: impl Display + PartialEq + From<u8>, one: &str) -> String {
    if n == 1.into() {
        return format!("{n} {one}");
    }
    match one.strip_suffix('y') {
        Some(stem) => format!("{n} {stem}ies"),
        None if one.ends_with('s') => format!("{n} {one}es"),
        None => format!("{n} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            (counted(1_u64, "game"), counted(0_usize, "game")),
            ("1 game".into(), "0 games".into())
        );
        assert_eq!((counted(1_u32, "ply"), counted(2_u32, "ply")), ("1 ply".into(), "2 plies".into()));
        assert_eq!(counted(3_u32, "pass"), "3 passes");
    }
}
