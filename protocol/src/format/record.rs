//! The one-line record: `rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5d6c3 -`.

use std::fmt;

use crate::fault::Fault;
use crate::lexis::move_list;
use crate::position::read_token;
use crate::variant::read_variant;
use crate::words::{BoardText, MoveWord, VariantText};

/// The word a record begins with.
pub const HEAD: &str = "rp1";

/// A record as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordText {
    /// The variant.
    pub variant: VariantText,
    /// The start position.
    pub start: BoardText,
    /// The moves; passes may be written or left out.
    pub moves: Vec<MoveWord>,
    /// The result: `x50:14`, `o31:33t`, `tie32:32`, `xr`, or `-` for none.
    pub result: String,
    /// What follows: name and value.
    pub extras: Vec<(String, String)>,
}

/// Reads a record.
///
/// ```abnf
/// record = "rp1" SP variant SP position SP (moves / "-") SP result *(SP key "=" value)
/// result = "-" / ("x" / "o" / "tie") ([number ":" number ["t"]] / "r" / "t" / *ALPHA)
/// ```
///
/// # Errors
/// The word that cannot be read.
pub fn read(text: &str) -> Result<RecordText, Fault> {
    let refused = |text: &str, why| Fault::Record { text: text.to_owned(), why };
    let mut words = text.split_whitespace();
    if words.next() != Some(HEAD) {
        return Err(refused(text, "a record begins with rp1"));
    }
    let mut next = |why| words.next().ok_or(refused(text, why));
    let variant = read_variant(next("the variant is missing behind rp1")?)?;
    let start = read_token(next("the start position is missing in the record")?)?;
    let moves = match next("the moves are missing in the record; - stands for none")? {
        "-" => Vec::new(),
        moves => move_list(moves),
    };
    let result = next("the result is missing in the record; - stands for none")?;
    if !is_result(result) {
        return Err(refused(result, "a result looks like x50:14, o31:33t, tie32:32, xr or -"));
    }
    let extras = words
        .map(|word| {
            word.split_once('=')
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .ok_or(refused(word, "behind the result stand words such as seed=42"))
        })
        .collect::<Result<_, _>>()?;
    Ok(RecordText { variant, start, moves, result: result.to_owned(), extras })
}

fn is_result(text: &str) -> bool {
    let tail = ["tie", "x", "o"].iter().find_map(|winner| text.strip_prefix(winner));
    let tail_fits = |tail: &str| tail.chars().all(|c| c.is_ascii_alphanumeric() || c == ':' || c == '.');
    text == "-" || tail.is_some_and(tail_fits)
}

impl fmt::Display for RecordText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD} {} {} ", self.variant, self.start)?;
        if self.moves.is_empty() {
            f.write_str("-")?;
        }
        for word in &self.moves {
            match word {
                MoveWord::Move(crate::words::MoveText::Pass) => f.write_str("--")?,
                MoveWord::Move(at) => at.fmt(f)?,
                MoveWord::Unreadable(text) => f.write_str(text)?,
            }
        }
        write!(f, " {}", self.result)?;
        self.extras.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;

    #[test]
    fn records_write_themselves() {
        for text in [
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5d6c3 -",
            "rp1 othello+hole=a2.g2.d7 8/_5_1/8/3ox3/3xo3/8/3_4/8,x - xr seed=42",
            "rp1 4x4+anti 4/1ox1/1xo1/4,x b1--a2 tie8:8 px=one po=two",
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x - o31:33t",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_records_are_refused() {
        for text in [
            "",
            "rp2 othello",
            "rp1",
            "rp1 othello",
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x",
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5",
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5 z",
            "rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5 - z",
            "rp1 othello 8/8,x f5 -",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
