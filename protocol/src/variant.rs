//! Variant tokens: `othello+hole=a2.g2.d7+anti`, and the type words of GGS.
//!
//! Reads what was written in any order and writes the canonical order. Whether the modifiers
//! fit each other and the board is for the rules to say.

use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::take_while_m_n;
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{map, map_opt, verify};
use nom::multi::{many1, separated_list1};
use nom::sequence::{preceded, separated_pair};
use nom::{IResult, Parser};

use crate::fault::Fault;
use crate::lexis::{point, read_half_discs, read_number, read_point, whole};
use crate::words::{BaseText, ModText, PlaceText, Point, Side, StartText, VariantText};

// base = 1*(ALPHA / DIGIT) / (number "x" number)
fn base(input: &str) -> IResult<&str, BaseText> {
    let size = map(separated_pair(side_length, one_of("xX"), side_length), |(columns, rows)| {
        BaseText::Size { columns, rows }
    });
    let word = take_while_m_n(1, 40, |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let name = map(
        verify(word, |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic())),
        |name: &str| BaseText::Name(name.to_ascii_lowercase()),
    );
    alt((size, name)).parse(input)
}

fn side_length(input: &str) -> IResult<&str, u32> {
    map_opt(digit1, |digits: &str| if digits.starts_with('0') { None } else { digits.parse().ok() })
        .parse(input)
}

// squares = point *("." point)
fn squares(text: &str) -> Option<Vec<Point>> {
    whole(separated_list1(char('.'), point), text)
}

fn small(text: &str) -> Option<u32> {
    read_number(text).and_then(|number| u32::try_from(number).ok())
}

// start = "cross" / "mirror" / "par" ["1" / "2" / "3"] / "free" / "none" / ("rand" number "@" number)
fn start(text: &str) -> Option<StartText> {
    Some(match text {
        "cross" => StartText::Cross,
        "mirror" => StartText::Mirror,
        "par" => StartText::Parallel(0),
        "par1" => StartText::Parallel(1),
        "par2" => StartText::Parallel(2),
        "par3" => StartText::Parallel(3),
        "free" => StartText::Free,
        "none" => StartText::None,
        _ => {
            let (discs, seed) = text.strip_prefix("rand")?.split_once('@')?;
            StartText::Random { discs: small(discs)?, seed: read_number(seed)? }
        }
    })
}

/// One modifier; the error says which words stand in its place.
///
/// ```abnf
/// mod = "start=" start / "place=" ("plain" / "may" / "must") / "hand=" number
///     / "stuck=" ("pass" / "end") / "cut=" number
///     / "hole=" (squares / number "@" number) / "hc=" (number / squares)
///     / "first=" ("x" / "o") / "anti" / "komi=" half-discs / "score=" ("wof" / "discs")
/// ```
fn modifier(text: &str) -> Result<ModText, Fault> {
    let refused = |why| Fault::Variant { text: text.to_owned(), why };
    let missing = |why| Fault::Unsupported { text: text.to_owned(), why };
    let (key, argument) = match text.split_once('=') {
        Some((key, argument)) => (key, argument),
        None if text == "anti" => return Ok(ModText::Anti),
        None => {
            return Err(refused(
                "no such modifier; known are start=, place=, hand=, stuck=, cut=, hole=, hc=, first=, anti, komi=, score=",
            ));
        }
    };
    let read = match key {
        "start" if argument.starts_with("xot") => {
            return Err(missing("xot starts need a list of openings, which is not there"));
        }
        "start" => start(argument).map(ModText::Start).ok_or(
            "start= takes cross, mirror, par, par1, par2, par3, free, none or rand<discs>@<seed>",
        ),
        "place" => match argument {
            "plain" => Ok(ModText::Place(PlaceText::Plain)),
            "may" => Ok(ModText::Place(PlaceText::May)),
            "must" => Ok(ModText::Place(PlaceText::Must)),
            _ => Err("place= takes plain, may or must"),
        },
        "hand" => small(argument).map(ModText::Hand).ok_or("hand= takes a number of discs"),
        "stuck" => match argument {
            "pass" => Ok(ModText::StuckEnds(false)),
            "end" => Ok(ModText::StuckEnds(true)),
            _ => Err("stuck= takes pass or end"),
        },
        "cut" => small(argument).map(ModText::Cut).ok_or("cut= takes a number"),
        "hole" => return hole(argument),
        "sym" => return Err(missing("holes are drawn without symmetry; list them instead")),
        "hc" => match small(argument) {
            Some(discs) => Ok(ModText::Handicap(discs)),
            None => squares(argument)
                .map(ModText::HandicapAt)
                .ok_or("hc= takes a number of discs or squares such as a1.h8"),
        },
        "first" => match argument {
            "x" => Ok(ModText::First(Side::Black)),
            "o" => Ok(ModText::First(Side::White)),
            _ => Err("first= takes x or o"),
        },
        "komi" if argument == "bid" => return Err(missing("komi is not bid for here; name a number")),
        "komi" => read_half_discs(argument)
            .map(ModText::Komi)
            .ok_or("komi= takes a number of discs in halves, such as 4 or -3.5"),
        "score" => match argument {
            "wof" => Ok(ModText::ScoreDiscs(false)),
            "discs" => Ok(ModText::ScoreDiscs(true)),
            _ => Err("score= takes wof or discs"),
        },
        _ => Err(
            "no such modifier; known are start=, place=, hand=, stuck=, cut=, hole=, hc=, first=, anti, komi=, score=",
        ),
    };
    read.map_err(refused)
}

fn hole(argument: &str) -> Result<ModText, Fault> {
    let read = match argument.split_once('@') {
        Some((count, seed)) => {
            small(count).zip(read_number(seed)).map(|(count, seed)| ModText::HolesDrawn { count, seed })
        }
        None => squares(argument).map(ModText::Holes),
    };
    // Of a list only that is repeated which is no square.
    let none = || argument.split('.').find(|word| read_point(word).is_none()).unwrap_or(argument);
    read.ok_or_else(|| Fault::Holes {
        text: if argument.contains('@') { argument } else { none() }.to_owned(),
        why: "hole= takes squares such as a2.g2.d7, or a number and a seed such as 3@42",
    })
}

/// Reads a variant token, or a type word of GGS behind `ggs:`.
///
/// ```abnf
/// variant = base *("+" mod) / "ggs:" ggs-type
/// ```
///
/// # Errors
/// The word that cannot be read, and what may stand in its place.
///
/// ```
/// use outflank_protocol::variant::read_variant;
///
/// let variant = read_variant("othello+anti+hole=a2.g2").map(|variant| variant.to_string());
/// assert_eq!(variant.as_deref(), Ok("othello+hole=a2.g2+anti"));
/// ```
pub fn read_variant(text: &str) -> Result<VariantText, Fault> {
    if let Some(word) = text.strip_prefix("ggs:") {
        return GgsType::read(word).map(|game_type| game_type.variant());
    }
    let mut words = text.split('+');
    let first = words.next().unwrap_or_default();
    let base = whole(base, first).ok_or_else(|| Fault::Variant {
        text: first.to_owned(),
        why: "a variant begins with a name such as othello, reversi, oct, annex, or with a size such as 6x8",
    })?;
    let mut mods: Vec<ModText> = Vec::new();
    for word in words {
        let read = modifier(word)?;
        if mods.iter().any(|known| key(known) == key(&read)) {
            return Err(Fault::Variant { text: word.to_owned(), why: "this modifier stands twice" });
        }
        mods.push(read);
    }
    Ok(VariantText { base, mods })
}

/// Place of a modifier in the canonical order, and the word it is written with.
fn key(modifier: &ModText) -> (u8, &'static str) {
    match modifier {
        ModText::Start(_) => (0, "start="),
        ModText::Place(_) => (1, "place="),
        ModText::Hand(_) => (2, "hand="),
        ModText::StuckEnds(_) => (3, "stuck="),
        ModText::Cut(_) => (4, "cut="),
        ModText::Holes(_) | ModText::HolesDrawn { .. } => (5, "hole="),
        ModText::Handicap(_) | ModText::HandicapAt(_) => (6, "hc="),
        ModText::First(_) => (7, "first="),
        ModText::Anti => (8, "anti"),
        ModText::Komi(_) => (9, "komi="),
        ModText::ScoreDiscs(_) => (10, "score="),
    }
}

/// Writes squares separated by a mark.
fn write_squares(f: &mut fmt::Formatter<'_>, squares: &[Point]) -> fmt::Result {
    for (index, at) in squares.iter().enumerate() {
        let mark = if index == 0 { "" } else { "." };
        write!(f, "{mark}{at}")?;
    }
    Ok(())
}

impl fmt::Display for StartText {
    /// The argument of `start=`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartText::Cross => f.write_str("cross"),
            StartText::Mirror => f.write_str("mirror"),
            StartText::Parallel(0) => f.write_str("par"),
            StartText::Parallel(turn) => write!(f, "par{turn}"),
            StartText::Free => f.write_str("free"),
            StartText::None => f.write_str("none"),
            StartText::Random { discs, seed } => write!(f, "rand{discs}@{seed}"),
        }
    }
}

impl ModText {
    /// Whether it changes how a game goes on, and not only what board it begins from.
    #[must_use]
    pub fn is_rule(&self) -> bool {
        match self {
            ModText::Place(_)
            | ModText::Hand(_)
            | ModText::StuckEnds(_)
            | ModText::Anti
            | ModText::Komi(_)
            | ModText::ScoreDiscs(_) => true,
            ModText::Start(_)
            | ModText::Cut(_)
            | ModText::Holes(_)
            | ModText::HolesDrawn { .. }
            | ModText::Handicap(_)
            | ModText::HandicapAt(_)
            | ModText::First(_) => false,
        }
    }
}

impl fmt::Display for ModText {
    /// The whole modifier, without `+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(key(self).1)?;
        match self {
            ModText::Start(start) => start.fmt(f),
            ModText::Place(PlaceText::Plain) => f.write_str("plain"),
            ModText::Place(PlaceText::May) => f.write_str("may"),
            ModText::Place(PlaceText::Must) => f.write_str("must"),
            ModText::Hand(number) | ModText::Cut(number) | ModText::Handicap(number) => number.fmt(f),
            ModText::StuckEnds(ends) => f.write_str(if *ends { "end" } else { "pass" }),
            ModText::Holes(squares) | ModText::HandicapAt(squares) => write_squares(f, squares),
            ModText::HolesDrawn { count, seed } => write!(f, "{count}@{seed}"),
            ModText::First(side) => side.fmt(f),
            ModText::Anti => Ok(()),
            ModText::Komi(komi) => komi.fmt(f),
            ModText::ScoreDiscs(discs) => f.write_str(if *discs { "discs" } else { "wof" }),
        }
    }
}

impl fmt::Display for VariantText {
    /// The token, modifiers in the canonical order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            BaseText::Name(name) => f.write_str(name)?,
            BaseText::Size { columns, rows } => write!(f, "{columns}x{rows}")?,
        }
        let mut mods: Vec<&ModText> = self.mods.iter().collect();
        mods.sort_by_key(|modifier| key(modifier).0);
        mods.into_iter().try_for_each(|modifier| write!(f, "+{modifier}"))
    }
}

/// A type of game as GGS and GGF write it: `8`, `s8r20`, `10a`, `88`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GgsType {
    /// 4, 6, 8, 10, 12, 14, or 88 for the octagon.
    pub size: u8,
    /// Two games at once with the colours exchanged.
    pub synchro: bool,
    /// The komi is bid for.
    pub komi: bool,
    /// Fewest discs win.
    pub anti: bool,
    /// A random position with this many discs.
    pub random: Option<u32>,
    /// The colour that is asked for.
    pub colour: Option<Side>,
}

impl GgsType {
    /// Reads the word: letters and size in any order.
    ///
    /// ```abnf
    /// ggs-type = 1*("s" / "k" / "a" / "b" / "w" / size / "r" number)
    /// size     = "4" / "6" / "8" / "10" / "12" / "14" / "88"
    /// ```
    ///
    /// # Errors
    /// What GGS refuses as well.
    pub fn read(text: &str) -> Result<GgsType, Fault> {
        let refused = |why| Fault::GameType { text: text.to_owned(), why };
        let number = || map_opt(digit1, |digits: &str| digits.parse::<u32>().ok());
        let part = alt((
            map(preceded(char('r'), number()), |discs| ('r', discs)),
            map(number(), |size| ('n', size)),
            map(one_of("skabw"), |letter| (letter, 0)),
        ));
        let lower = text.to_ascii_lowercase();
        let parts = whole(many1(part), &lower)
            .ok_or(refused("a type is a size with the letters s, k, a, b, w and r<discs>"))?;
        let has = |letter: char| parts.iter().any(|(kind, _)| *kind == letter);
        let value =
            |letter: char| parts.iter().find(|(kind, _)| *kind == letter).map(|(_, value)| *value);
        if parts
            .iter()
            .enumerate()
            .any(|(index, (kind, _))| parts.iter().skip(index + 1).any(|(other, _)| kind == other))
        {
            return Err(refused("a letter or the size stands twice"));
        }
        let size = match value('n') {
            Some(size @ (4 | 6 | 8 | 10 | 12 | 14 | 88)) => size as u8,
            _ => return Err(refused("the size is one of 4, 6, 8, 10, 12, 14 and 88")),
        };
        if "skbw".chars().filter(|letter| has(*letter)).count() > 1 {
            return Err(refused("only one of s, k, b and w can be asked for"));
        }
        let random = value('r');
        if let Some(discs) = random {
            if !has('s') && !has('k') {
                return Err(refused("a random start without s or k is unbalanced"));
            }
            let most = if size == 88 { 44 } else { u32::from(size) * u32::from(size) - 16 };
            if !(4..=most).contains(&discs) {
                return Err(refused(
                    "a random start has 4 discs or more and leaves 16 squares free (44 on 88)",
                ));
            }
        }
        let colour = match (has('b'), has('w')) {
            (true, _) => Some(Side::Black),
            (_, true) => Some(Side::White),
            _ => None,
        };
        Ok(GgsType { size, synchro: has('s'), komi: has('k'), anti: has('a'), random, colour })
    }

    /// What of the type concerns the rules; the rest is between the players and their host.
    #[must_use]
    pub fn variant(&self) -> VariantText {
        let base = match self.size {
            88 => BaseText::Name("oct".to_owned()),
            size => BaseText::Size { columns: size.into(), rows: size.into() },
        };
        let mut mods = Vec::new();
        if let Some(discs) = self.random {
            mods.push(ModText::Start(StartText::Random { discs, seed: 0 }));
        }
        if self.anti {
            mods.push(ModText::Anti);
        }
        VariantText { base, mods }
    }
}

impl fmt::Display for GgsType {
    /// `[s]<size>[b|w][k][a][r<discs>]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |set: bool, text: &'static str| if set { text } else { "" };
        write!(f, "{}{}", flag(self.synchro, "s"), self.size)?;
        match self.colour {
            Some(Side::Black) => f.write_str("b")?,
            Some(Side::White) => f.write_str("w")?,
            None => {}
        }
        write!(f, "{}{}", flag(self.komi, "k"), flag(self.anti, "a"))?;
        self.random.map_or(Ok(()), |discs| write!(f, "r{discs}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
    use super::*;
    use crate::message::Code;
    use crate::words::HalfDiscs;

    fn check(text: &str, expected: &VariantText) {
        let read = read_variant(text).unwrap();
        assert_eq!(&read, expected);
        assert_eq!(read.to_string(), text);
    }

    fn named(name: &str, mods: Vec<ModText>) -> VariantText {
        VariantText { base: BaseText::Name(name.into()), mods }
    }

    #[test]
    fn tokens_read_and_write() {
        let at = |column, row| Point { column, row };
        check("othello", &named("othello", vec![]));
        check("6x8", &VariantText { base: BaseText::Size { columns: 6, rows: 8 }, mods: vec![] });
        check("othello+hole=3@42", &named("othello", vec![ModText::HolesDrawn { count: 3, seed: 42 }]));
        check("othello+hole=a2.g2", &named("othello", vec![ModText::Holes(vec![at(0, 1), at(6, 1)])]));
        check("othello+hc=2", &named("othello", vec![ModText::Handicap(2)]));
        check(
            "othello+hc=a1.h8",
            &named("othello", vec![ModText::HandicapAt(vec![at(0, 0), at(7, 7)])]),
        );
        check(
            "reversi+start=rand20@7+place=must+hand=32+stuck=end+cut=2+first=o+anti+komi=-3.5+score=discs",
            &named(
                "reversi",
                vec![
                    ModText::Start(StartText::Random { discs: 20, seed: 7 }),
                    ModText::Place(PlaceText::Must),
                    ModText::Hand(32),
                    ModText::StuckEnds(true),
                    ModText::Cut(2),
                    ModText::First(Side::White),
                    ModText::Anti,
                    ModText::Komi(HalfDiscs(-7)),
                    ModText::ScoreDiscs(true),
                ],
            ),
        );
        for start in ["cross", "mirror", "par", "par1", "par2", "par3", "free", "none"] {
            let text = format!("8x8+start={start}");
            assert_eq!(read_variant(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_canonical_order_is_written_whatever_was_read() {
        let read = read_variant("Othello+score=wof+anti+cut=1+start=par").unwrap();
        assert_eq!(read.to_string(), "othello+start=par+cut=1+anti+score=wof");
        assert_eq!(read_variant("6X10").unwrap().to_string(), "6x10");
    }

    #[test]
    fn the_offending_word_is_named() {
        for (text, told) in [
            ("?", "'?': a variant begins"),
            ("othello+anti+foo", "'foo': no such modifier"),
            ("othello+hole=z9", "'z9': hole= takes squares"),
            ("othello+hole=a2.g17.d7", "'g17': hole= takes squares"),
            ("othello+hole=3@", "'3@': hole= takes squares"),
            ("othello+hole=a2..d7", "'': hole= takes squares"),
        ] {
            let told_of = read_variant(text).unwrap_err().to_string();
            assert!(told_of.starts_with(told), "{text}: {told_of}");
        }
    }

    #[test]
    fn wrong_tokens_are_refused_by_name() {
        for (text, code) in [
            ("", Code::BadVariant),
            ("8x", Code::BadVariant),
            ("08x8", Code::BadVariant),
            ("othello+", Code::BadVariant),
            ("othello+foo", Code::BadVariant),
            ("othello+foo=1", Code::BadVariant),
            ("othello+anti+anti", Code::BadVariant),
            ("othello+hole=a2+hole=3@1", Code::BadVariant),
            ("othello+hole=3", Code::BadHoles),
            ("othello+hole=z9", Code::BadHoles),
            ("othello+komi=1.25", Code::BadVariant),
            ("othello+start=rand20", Code::BadVariant),
            ("othello+start=xot7", Code::Unsupported),
            ("othello+sym=rot", Code::Unsupported),
            ("ggs:8r20", Code::BadVariant),
        ] {
            assert_eq!(read_variant(text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn types_of_ggs_are_written_in_their_order() {
        for (text, written) in [
            ("s8r20", "s8r20"),
            ("r20s8", "s8r20"),
            ("88", "88"),
            ("10a", "10a"),
            ("8k", "8k"),
            ("8kr20", "8kr20"),
            ("8b", "8b"),
        ] {
            assert_eq!(GgsType::read(text).unwrap().to_string(), written);
        }
        for text in ["8r20", "8kb", "88sr45", "s8r3", "9", "", "s", "s8s", "8 8", "s8r49"] {
            assert_eq!(GgsType::read(text).unwrap_err().code(), Code::BadVariant, "{text}");
        }
    }

    #[test]
    fn types_of_ggs_name_a_variant() {
        assert_eq!(read_variant("ggs:88").unwrap().to_string(), "oct");
        assert_eq!(read_variant("ggs:s8r20").unwrap().to_string(), "8x8+start=rand20@0");
        assert_eq!(read_variant("ggs:10a").unwrap().to_string(), "10x10+anti");
    }
}
