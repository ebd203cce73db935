//! Parsers that the dialects and formats share: squares, numbers, sides, clocks, move lists.
//!
//! Knows how words are spelled and nothing about what they mean on a board.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while_m_n, take_while1};
use nom::character::complete::{char, digit0, digit1, one_of};
use nom::combinator::{all_consuming, map, map_opt, opt, peek, value, verify};
use nom::sequence::{pair, preceded, terminated};
use nom::{IResult, Parser};

use crate::fault::clip;
use crate::words::{ClockText, HalfDiscs, MAX_SIDE, MoveText, MoveWord, Point, Side};

/// Runs a parser over the whole of a word.
pub(crate) fn whole<'a, T>(
    parser: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
    text: &'a str,
) -> Option<T> {
    all_consuming(parser).parse(text).ok().map(|(_, read)| read)
}

// row = "1" .. "16", as many digits as make such a number
fn row(input: &str) -> IResult<&str, u8> {
    let up_to = |n| {
        map_opt(take_while_m_n(n, n, |c: char| c.is_ascii_digit()), |digits: &str| {
            if digits.starts_with('0') {
                return None;
            }
            digits.parse::<u8>().ok().filter(|row| *row <= MAX_SIDE)
        })
    };
    alt((up_to(2), up_to(1))).parse(input)
}

/// ```abnf
/// point = %x61-70 row     ; a to p, any case
/// ```
pub(crate) fn point(input: &str) -> IResult<&str, Point> {
    let column = map(one_of("abcdefghijklmnopABCDEFGHIJKLMNOP"), |letter| {
        (letter.to_ascii_lowercase() as u32 - 'a' as u32) as u8
    });
    map((column, row), |(column, row)| Point { column, row: row - 1 }).parse(input)
}

/// The square a word names, the whole word.
///
/// ```
/// use outflank_protocol::lexis::read_point;
///
/// assert_eq!(read_point("K11").map(|at| at.to_string()), Some("k11".to_owned()));
/// assert_eq!(read_point("f0"), None);
/// ```
#[must_use]
pub fn read_point(text: &str) -> Option<Point> {
    whole(point, text)
}

/// ```abnf
/// pass = "--" / "pass" / "pa" / "ps" / "@@@@" / "@@" / "0000"
/// ```
pub(crate) fn pass(input: &str) -> IResult<&str, ()> {
    value(
        (),
        alt((
            tag("--"),
            tag_no_case("pass"),
            tag_no_case("pa"),
            tag_no_case("ps"),
            tag("@@@@"),
            tag("@@"),
            tag("0000"),
        )),
    )
    .parse(input)
}

/// ```abnf
/// move = point / pass
/// ```
pub(crate) fn move_text(input: &str) -> IResult<&str, MoveText> {
    alt((map(point, MoveText::At), map(pass, |()| MoveText::Pass))).parse(input)
}

// number-mark = 1*DIGIT 1*"."      ; "1." or "1..."
fn number_mark(input: &str) -> IResult<&str, ()> {
    value((), pair(digit1, take_while1(|c| c == '.'))).parse(input)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ',' || c == '\u{feff}'
}

/// Most items that a move list has; the longest game on the largest board has fewer.
pub const MOST_ITEMS: usize = 1000;

/// Splits a move list as people and programs write it.
///
/// ```abnf
/// moves     = *(separator / number-mark / move / unreadable)
/// separator = 1*(SP / HTAB / CR / LF / ",")
/// ```
///
/// What is no move reaches to the next move or separator and keeps its text. Behind
/// [`MOST_ITEMS`] items the reading stops: the head of what is left becomes one last item that
/// is no move. Linear in the length of the text.
///
/// ```
/// use outflank_protocol::lexis::move_list;
/// use outflank_protocol::words::MoveWord;
///
/// let items = move_list("1. F5 d6 2. c3pa??");
/// assert_eq!(items.len(), 5);
/// assert_eq!(items.last(), Some(&MoveWord::Unreadable("??".to_owned())));
/// ```
#[must_use]
pub fn move_list(text: &str) -> Vec<MoveWord> {
    let mut items = Vec::new();
    let mut unreadable = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at_border = unreadable.is_empty();
        if is_separator(first) {
            flush(&mut unreadable, &mut items);
            rest = rest.trim_start_matches(is_separator);
        } else if let (true, Some((word, behind))) = (at_border, lone_square(rest)) {
            if items.len() >= MOST_ITEMS {
                break;
            }
            items.push(move_word(word));
            rest = behind;
        } else if let Ok((behind, read)) = move_text(rest) {
            flush(&mut unreadable, &mut items);
            if items.len() >= MOST_ITEMS {
                break;
            }
            items.push(MoveWord::Move(read));
            rest = behind;
        } else if let (true, Ok((behind, _))) = (at_border, number_mark(rest)) {
            rest = behind;
        } else if at_border && items.len() >= MOST_ITEMS {
            break;
        } else {
            unreadable.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            // A number that is no row is one piece, "17" as well as "0000001".
            if first.is_ascii_digit()
                && let Ok((behind, digits)) = digit0::<_, nom::error::Error<_>>(rest)
            {
                unreadable.push_str(digits);
                rest = behind;
            }
        }
    }
    flush(&mut unreadable, &mut items);
    if !rest.is_empty() {
        items.push(MoveWord::Unreadable(clip(rest)));
    }
    items
}

/// A word that is one letter and a number is one square or none: `a19` is not `a1` and a 9.
fn lone_square(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = behind.is_empty() || behind.starts_with(is_separator);
    let word = text.get(..text.len() - behind.len())?;
    (ends && word.len() > 1).then_some((word, behind))
}

fn flush(unreadable: &mut String, items: &mut Vec<MoveWord>) {
    if !unreadable.is_empty() {
        items.push(MoveWord::Unreadable(std::mem::take(unreadable)));
    }
}

/// One word that names a move; a word that does not is kept.
#[must_use]
pub fn move_word(text: &str) -> MoveWord {
    match whole(move_text, text) {
        Some(read) => MoveWord::Move(read),
        None => MoveWord::Unreadable(text.to_owned()),
    }
}

/// ```abnf
/// side = "x" / "*" / "b" / "black" / "o" / "w" / "white"     ; any case
/// ```
#[must_use]
pub fn read_side(text: &str) -> Option<Side> {
    let black =
        value(Side::Black, alt((tag_no_case("black"), tag_no_case("b"), tag_no_case("x"), tag("*"))));
    let white = value(Side::White, alt((tag_no_case("white"), tag_no_case("w"), tag_no_case("o"))));
    whole(alt((black, white)), text)
}

/// A whole number without sign or leading zero.
///
/// ```abnf
/// number = "0" / %x31-39 *DIGIT
/// ```
#[must_use]
pub fn read_number(text: &str) -> Option<u64> {
    let digits = verify(digit1, |digits: &str| digits == "0" || !digits.starts_with('0'));
    whole(map_opt(digits, |digits: &str| digits.parse().ok()), text)
}

/// ```abnf
/// half-discs = ["-"] 1*4DIGIT [".5" / ".0"]
/// ```
#[must_use]
pub fn read_half_discs(text: &str) -> Option<HalfDiscs> {
    let digits = map_opt(take_while_m_n(1, 4, |c: char| c.is_ascii_digit()), |digits: &str| {
        digits.parse::<i32>().ok()
    });
    let half = map(opt(alt((value(1, tag(".5")), value(0, tag(".0"))))), Option::unwrap_or_default);
    let (minus, discs, half) = whole((opt(char('-')), digits, half), text)?;
    let doubled = discs * 2 + half;
    Some(HalfDiscs(if minus.is_some() { -doubled } else { doubled }))
}

/// A finite decimal number; a comma is taken for the decimal mark.
///
/// ```abnf
/// decimal = ["+" / "-"] (1*DIGIT [mark *DIGIT] / mark 1*DIGIT)
/// mark    = "." / ","
/// ```
#[must_use]
pub fn read_decimal(text: &str) -> Option<f64> {
    let sign = opt(alt((value(1.0, char('+')), value(-1.0, char('-')))));
    let (sign, number) = whole((sign, unsigned), text)?;
    Some(sign.unwrap_or(1.0) * number)
}

// time = [[[days "."] hours ":"] minutes ":"] seconds     ; seconds may have decimals
fn time(input: &str) -> IResult<&str, f64> {
    let count = || map_opt(digit1, |digits: &str| digits.parse::<f64>().ok());
    let days_hours = pair(opt(terminated(count(), char('.'))), terminated(count(), char(':')));
    let long = map(
        (days_hours, terminated(count(), char(':')), seconds),
        |((days, hours), minutes, seconds)| {
            ((days.unwrap_or(0.0) * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds
        },
    );
    let short =
        map((terminated(count(), char(':')), seconds), |(minutes, seconds)| minutes * 60.0 + seconds);
    alt((long, short, seconds)).parse(input)
}

// seconds = unsigned decimal that begins with a digit
fn seconds(input: &str) -> IResult<&str, f64> {
    preceded(peek(digit1), unsigned).parse(input)
}

// unsigned = digits with at most one mark, at least one digit, not too large for a number
fn unsigned(input: &str) -> IResult<&str, f64> {
    map_opt(take_while1(|c: char| c.is_ascii_digit() || c == '.' || c == ','), |text: &str| {
        text.replace(',', ".").parse::<f64>().ok().filter(|number| number.is_finite())
    })
    .parse(input)
}

/// A clock in the manner of GGS.
///
/// ```abnf
/// clock = [time] ["/" [time] ["/" [time]]]
/// time  = [[[days "."] hours ":"] minutes ":"] seconds
/// ```
///
/// Empty parts are 0; a missing extension is `extension` seconds.
#[must_use]
pub fn read_clock(text: &str, extension: f64) -> Option<ClockText> {
    let part = || map(opt(time), Option::unwrap_or_default);
    let tail = opt(preceded(char('/'), pair(part(), opt(preceded(char('/'), part())))));
    let (main, tail) = whole((part(), tail), text.trim())?;
    let (increment, last) = tail.unwrap_or_default();
    let clock = ClockText { main, increment, extension: last.unwrap_or(extension) };
    let bounded = [clock.main, clock.increment, clock.extension].iter().all(|part| *part <= 1e9);
    (bounded && !text.trim().is_empty()).then_some(clock)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;

    fn spelled(text: &str) -> Vec<String> {
        move_list(text)
            .into_iter()
            .map(|word| match word {
                MoveWord::Move(read) => read.to_string(),
                MoveWord::Unreadable(text) => format!("?{text}"),
            })
            .collect()
    }

    #[test]
    fn points_take_the_longest_row_there_can_be() {
        for (text, expected) in [("a1", "a1"), ("P16", "p16"), ("k11", "k11"), ("a10", "a10")] {
            assert_eq!(read_point(text).unwrap().to_string(), expected);
        }
        for text in ["", "a", "a0", "a17", "q1", "a01", "a1 ", "é1", "1a"] {
            assert_eq!(read_point(text), None, "{text}");
        }
    }

    #[test]
    fn every_point_reads_back() {
        for column in 0..MAX_SIDE {
            for row in 0..MAX_SIDE {
                let at = Point { column, row };
                assert_eq!(read_point(&at.to_string()), Some(at));
            }
        }
    }

    #[test]
    fn move_lists_split_in_every_usual_form() {
        for (text, expected) in [
            ("f5d6c3", "f5 d6 c3"),
            ("F5 D6\tc3\n", "f5 d6 c3"),
            ("1. f5 d6 2. c3", "f5 d6 c3"),
            ("1.f5,d6 2...c3", "f5 d6 c3"),
            ("c1PAa3", "c1 pass a3"),
            ("c1passa3 -- ps @@@@ @@ 0000", "c1 pass a3 pass pass pass pass pass"),
            ("a10b1", "a10 b1"),
            ("f5z9", "f5 ?z9"),
            ("f5d9", "f5 d9"),
            ("f50d", "f5 ?0d"),
            ("f5d", "f5 ?d"),
            ("a19", "?a19"),
            ("f5 p17 d6", "f5 ?p17 d6"),
            ("f5d6??c3", "f5 d6 ??? c3"),
            ("Game 12 one", "?Game ?12 ?one"),
            ("\u{feff}f5", "f5"),
            ("f5é6", "f5 ?é6"),
            ("", ""),
        ] {
            assert_eq!(spelled(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_hundred_thousand_moves_in_one_line_take_no_time() {
        let begun = std::time::Instant::now();
        assert_eq!(move_list(&"f5".repeat(100_000)).len(), MOST_ITEMS + 1);
        assert_eq!(move_list(&"?".repeat(500_000)).len(), 1);
        assert_eq!(move_list(&"1".repeat(500_000)).len(), 1);
        assert_eq!(move_list(&"?1".repeat(250_000)).len(), 1);
        assert!(begun.elapsed().as_secs() < 2);
    }

    #[test]
    fn move_lists_end_behind_their_greatest_length() {
        for (item, gap) in [("f5", ""), ("f5", " "), ("zz", ","), ("f5", " 7. ")] {
            let text = |n| vec![item; n].join(gap);
            for tail in ["", " ", "\r\n", " 12."] {
                let items = move_list(&format!("{}{tail}", text(MOST_ITEMS)));
                assert_eq!(items, vec![move_word(item); MOST_ITEMS], "{item:?} {gap:?} {tail:?}");
            }
            let items = move_list(&text(2 * MOST_ITEMS));
            assert_eq!(items.len(), MOST_ITEMS + 1);
            let rest = clip(&text(MOST_ITEMS));
            assert_eq!(items.last(), Some(&MoveWord::Unreadable(rest)));
        }
        // What is no move and runs into a move is an item of its own.
        let items = move_list(&format!("{}zf5", "f5".repeat(MOST_ITEMS - 1)));
        assert_eq!(items.len(), MOST_ITEMS + 1);
        assert_eq!(items[MOST_ITEMS - 1..], ["z", "f5"].map(|text| MoveWord::Unreadable(text.into())));
    }

    #[test]
    fn half_discs_read_what_they_write() {
        for doubled in -200..200 {
            let discs = HalfDiscs(doubled);
            assert_eq!(read_half_discs(&discs.to_string()), Some(discs));
        }
        assert_eq!(read_half_discs("-0"), Some(HalfDiscs(0)));
        for text in ["", "-", "4.", "4.25", "+4", "12345", "x"] {
            assert_eq!(read_half_discs(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_no_leading_zero() {
        assert_eq!(read_number("0"), Some(0));
        assert_eq!(read_number("18446744073709551615"), Some(u64::MAX));
        for text in ["", "01", "-1", "+1", "18446744073709551616", "1x"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }

    #[test]
    fn decimals_are_finite_and_take_either_mark() {
        assert_eq!(read_decimal("-1,50"), Some(-1.5));
        assert_eq!(read_decimal("+.5"), Some(0.5));
        assert_eq!(read_decimal("3."), Some(3.0));
        for text in ["", "nan", "inf", "1e5", ".", "1.2.3", "--1"] {
            assert_eq!(read_decimal(text), None, "{text}");
        }
        assert_eq!(read_decimal(&"9".repeat(400)), None);
    }

    #[test]
    fn clocks_have_three_parts() {
        let check = |text: &str, main: f64, increment: f64, extension: f64| {
            assert_eq!(
                read_clock(text, 120.0),
                Some(ClockText { main, increment, extension }),
                "{text}"
            );
        };
        check("5:00", 300.0, 0.0, 120.0);
        check("5:00//2:00", 300.0, 0.0, 120.0);
        check("5:00/0:10/1:00", 300.0, 10.0, 60.0);
        check("4:17.5", 257.5, 0.0, 120.0);
        check("30", 30.0, 0.0, 120.0);
        check("1:02:03", 3723.0, 0.0, 120.0);
        check("2.1:00:00", 176_400.0, 0.0, 120.0);
        check("0/0:30", 0.0, 30.0, 120.0);
        check("5:00/", 300.0, 0.0, 120.0);
        for text in ["", "x", "5:", "1:2:3:4", "-5"] {
            assert_eq!(read_clock(text, 0.0), None, "{text}");
        }
    }

    #[test]
    fn sides_have_many_names() {
        for text in ["x", "X", "b", "Black", "*"] {
            assert_eq!(read_side(text), Some(Side::Black));
        }
        for text in ["o", "O", "W", "WHITE"] {
            assert_eq!(read_side(text), Some(Side::White));
        }
        assert_eq!(read_side("blac"), None);
    }
}
