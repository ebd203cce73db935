//! The one-line record: `rp1 othello 8/8/8/3ox3/3xo3/8/8/8,x f5d6c3 -`.

use std::fmt;

use crate::fault::Fault;
use crate::lexis::{move_list, read_half_discs};
use crate::position::read_token;
use crate::variant::read_variant;
use crate::words::{
    AboutText, BoardText, GameText, HalfDiscs, MoveWord, OutcomeText, PlayedText, PlayerText, Side,
    VariantText, WhyText,
};

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

impl RecordText {
    /// The record as a game; `px` and `po` are the players.
    #[must_use]
    pub fn into_game(self) -> GameText {
        let mut game = GameText {
            variant: Some(self.variant),
            start: Some(self.start),
            moves: self.moves.into_iter().map(|word| PlayedText::plain(None, word)).collect(),
            about: AboutText { outcome: read_result(&self.result), ..AboutText::default() },
            result: Some(self.result).filter(|result| result != "-"),
            ..GameText::default()
        };
        for (name, value) in self.extras {
            let player = |value: &str| PlayerText { name: unquoted(value), ..PlayerText::default() };
            match name.as_str() {
                "px" => game.black = player(&value),
                "po" => game.white = player(&value),
                _ => game.tags.push((name, value)),
            }
        }
        game
    }
}

/// A name as one word: blanks, controls and `%` become `%` and two digits of base 16 a byte.
#[must_use]
pub fn quoted(name: &str) -> String {
    let mut word = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_whitespace() || letter.is_control() || letter == '%' {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                word.push_str(&format!("%{byte:02X}"));
            }
        } else {
            word.push(letter);
        }
    }
    word
}

/// The name of a word; what was never quoted stays as it is.
#[must_use]
pub fn unquoted(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, behind @ ..] = rest {
        let byte = match behind {
            [high, low, ..] if *first == b'%' => std::str::from_utf8(&[*high, *low])
                .ok()
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a result means: `x50:14`, `o31:33t`, `tie32:32`, `xr`, `xt`, `xa4`; nothing for `-`.
#[must_use]
pub fn read_result(text: &str) -> Option<OutcomeText> {
    let (winner, kind) = [("tie", None), ("x", Some(Side::Black)), ("o", Some(Side::White))]
        .into_iter()
        .find_map(|(word, winner)| text.strip_prefix(word).map(|kind| (winner, kind)))?;
    let (kind, why) = match kind.strip_suffix('t') {
        Some(kind) => (kind, WhyText::Time),
        None => (kind, WhyText::Score),
    };
    let outcome = |margin, why| Some(OutcomeText { winner, margin, why });
    if kind == "r" {
        return outcome(None, WhyText::Resigned);
    }
    if kind.is_empty() && why == WhyText::Time {
        return outcome(None, why);
    }
    if let Some(margin) = kind.strip_prefix('a') {
        let margin = read_half_discs(margin)?;
        let sign = if winner == Some(Side::White) { -1 } else { 1 };
        return outcome(Some(HalfDiscs(sign * margin.0)), why);
    }
    let (black, white) = kind.split_once(':')?;
    let (black, white) = (read_half_discs(black)?, read_half_discs(white)?);
    outcome(Some(HalfDiscs(black.0 - white.0)), why)
}

/// A result of a board of 64 squares, as in `x40:24`; `None` where the discs are not known.
#[must_use]
pub fn result_word(outcome: &OutcomeText) -> Option<String> {
    let winner = match outcome.winner {
        None => "tie",
        Some(Side::Black) => "x",
        Some(Side::White) => "o",
    };
    if outcome.why == WhyText::Resigned {
        return Some(format!("{winner}r"));
    }
    let mark = if outcome.why == WhyText::Time { "t" } else { "" };
    let Some(margin) = outcome.margin else {
        return (outcome.why == WhyText::Time).then(|| format!("{winner}t"));
    };
    let half = |sign: i32| HalfDiscs(64 + sign * margin.0 / 2);
    Some(format!("{winner}{}:{}{mark}", half(1), half(-1)))
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
