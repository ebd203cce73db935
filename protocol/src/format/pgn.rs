//! Games in the manner of PGN, as PlayOK and Edax write them: tags, then numbered moves.
//!
//! Black moves first, and `1-0` says that Black has won, as Edax has it.

use std::fmt;

use nom::bytes::complete::{take_until, take_while1};
use nom::character::complete::{char, space0, space1};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::fault::{Fault, clip};
use crate::format::fen;
use crate::lexis::{move_list, read_half_discs};
use crate::position::{FenDialect, read_token};
use crate::variant::read_variant;
use crate::words::{
    AboutText, GameText, HalfDiscs, MoveText, MoveWord, OutcomeText, PlayedText, PlayerText, Side,
    WhyText,
};

/// Longest line of moves that is written.
const WIDTH: usize = 80;

// tag = "[" name SP DQUOTE *(any but DQUOTE, or "\" DQUOTE) DQUOTE "]"
fn tag<'a>(input: &'a str) -> IResult<&'a str, (&'a str, String)> {
    let name = take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let value = |input: &'a str| -> IResult<&'a str, String> {
        let (mut rest, _) = char('"').parse(input)?;
        let mut value = String::new();
        loop {
            let (behind, part) = take_until("\"").parse(rest)?;
            rest = behind.get(1..).unwrap_or_default();
            match part.strip_suffix('\\') {
                Some(part) => {
                    value.push_str(part);
                    value.push('"');
                }
                None => {
                    value.push_str(part);
                    return Ok((rest, value.replace("\\\\", "\\")));
                }
            }
        }
    };
    let inside = (name, preceded(space1, value));
    delimited((char('['), space0), inside, (space0, char(']'))).parse(input)
}

/// Whether a line is a tag such as `[Event "World Championship"]`.
#[must_use]
pub fn is_tag(line: &str) -> bool {
    tag(line.trim_start()).is_ok()
}

/// Whether a line ends a game: its last word is a result.
#[must_use]
pub fn ends(line: &str) -> bool {
    line.split_whitespace().next_back().is_some_and(is_result)
}

fn is_result(word: &str) -> bool {
    word == "*" || word == "1/2-1/2" || read_result(word).is_some()
}

/// What a result means: `1-0`, `0-1`, `1/2-1/2`, and discs such as `40-24`, Black's first.
#[must_use]
pub fn read_result(text: &str) -> Option<OutcomeText> {
    let won = |winner| Some(OutcomeText { winner, margin: None, why: WhyText::Score });
    match text.trim() {
        "1-0" => won(Some(Side::Black)),
        "0-1" => won(Some(Side::White)),
        "1/2-1/2" => Some(OutcomeText::by(HalfDiscs(0))),
        other => {
            let (black, white) = other.split_once('-')?;
            let (black, white) = (read_half_discs(black)?, read_half_discs(white)?);
            // Less than the discs of a start is no score of discs.
            (black.0 + white.0 >= 8).then(|| OutcomeText::by(HalfDiscs(black.0 - white.0)))
        }
    }
}

/// A result in the manner of PGN; the number of discs is lost.
#[must_use]
pub fn result_word(outcome: &OutcomeText) -> String {
    match outcome.winner {
        None => "1/2-1/2",
        Some(Side::Black) => "1-0",
        Some(Side::White) => "0-1",
    }
    .to_owned()
}

/// What the moves of a game are written as, and what was taken out of them.
#[derive(Debug, Default, PartialEq)]
pub struct Moves {
    /// The moves.
    pub moves: Vec<MoveWord>,
    /// Remarks in braces, by the number of moves before them.
    pub remarks: Vec<(usize, String)>,
    /// The result at the end.
    pub result: Option<String>,
}

/// Reads numbered moves with remarks, marks and variations.
///
/// ```abnf
/// moves     = *(number 1*"." / move / remark / variation / mark) [result]
/// remark    = "{" *(any but "}") "}" / ";" *(any but LF) LF
/// variation = "(" moves ")"               ; left out
/// mark      = "$" number / 1*("!" / "?")  ; left out
/// ```
#[must_use]
pub fn read_moves(text: &str) -> Moves {
    let mut read = Moves::default();
    let mut plain = String::new();
    let mut depth = 0_u32;
    let mut rest = text;
    let flush = |plain: &mut String, read: &mut Moves| {
        for word in std::mem::take(plain).split_whitespace() {
            let bare = word.trim_end_matches(['!', '?']);
            if is_result(bare) {
                read.result = Some(bare.to_owned());
            } else if !bare.starts_with('$') && (!bare.is_empty() || word.is_empty()) {
                read.moves.extend(move_list(bare));
            }
        }
    };
    while let Some(first) = rest.chars().next() {
        let behind = rest.get(first.len_utf8()..).unwrap_or_default();
        let (inside, next) = match first {
            '{' => behind.split_once('}').unwrap_or((behind, "")),
            ';' => behind.split_once('\n').unwrap_or((behind, "")),
            '(' => {
                depth += 1;
                rest = behind;
                continue;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                rest = behind;
                continue;
            }
            _ => {
                if depth == 0 {
                    plain.push(first);
                }
                rest = behind;
                continue;
            }
        };
        if depth == 0 {
            flush(&mut plain, &mut read);
            let remark: Vec<&str> = inside.split_whitespace().collect();
            read.remarks.push((read.moves.len(), remark.join(" ")));
        }
        rest = next;
    }
    flush(&mut plain, &mut read);
    read
}

/// Reads a game: its tags and the moves behind them.
///
/// ```abnf
/// game = 1*(tag LF) *LF moves
/// ```
///
/// The start is the one of a tag `FEN`, in any dialect that can be told or in our token, under the
/// variant of a tag `Variant`.
///
/// # Errors
/// The start or the variant; a move that is no square is kept as it stands.
pub fn read(text: &str) -> Result<GameText, Fault> {
    let mut rest = text.trim_start();
    let mut game = GameText::default();
    while let Ok((behind, (name, value))) = tag(rest) {
        rest = behind.trim_start();
        take(&mut game, name, value)?;
    }
    let read = read_moves(rest);
    game.moves = read.moves.into_iter().map(|word| PlayedText::plain(None, word)).collect();
    game.about.remarks = read.remarks;
    if game.result.is_none() {
        game.result = read.result.filter(|result| result != "*");
    }
    game.about.outcome = game.result.as_deref().and_then(read_result);
    Ok(game)
}

fn take(game: &mut GameText, name: &str, value: String) -> Result<(), Fault> {
    let known = !value.is_empty() && value != "?" && value != "????.??.??";
    let said = || known.then(|| value.clone());
    let about: &mut AboutText = &mut game.about;
    match name {
        "Event" => about.event = said(),
        "Site" => about.place = said(),
        "Date" => about.date = said(),
        "Round" => about.round = said(),
        "Opening" => about.name = said(),
        "Black" => game.black.name = value,
        "White" => game.white.name = value,
        "BlackElo" => game.black.rating = said(),
        "WhiteElo" => game.white.rating = said(),
        "Result" => game.result = (known && value != "*").then_some(value),
        "Variant" => game.variant = Some(read_variant(&value)?),
        "SetUp" => {}
        "FEN" => {
            let ours = value.split_whitespace().next().is_some_and(|word| word.contains(','));
            game.start = Some(if ours {
                read_token(&value)?
            } else {
                fen::read(&value).or_else(|fault| match fen::tell(&value) {
                    // Among the programs that write PGN only Edax has `p`.
                    fen::Told::Ambiguous => fen::read_as(&value, fen::Form::of(FenDialect::Edax)),
                    _ => Err(fault),
                })?
            });
        }
        _ => game.tags.push((name.to_owned(), value)),
    }
    Ok(())
}

/// Why a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnRefusal {
    /// The first move is White's, and no start says so.
    NoStart,
}

impl fmt::Display for PgnRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnRefusal::NoStart => f.write_str("White moves first, and the game has no start"),
        }
    }
}

impl std::error::Error for PgnRefusal {}

/// Writes a game: tags, a blank line, the moves in lines of at most 80 characters, and the result.
///
/// The start is written in the tag `FEN` unless it is `None`: in Edax's way, or as a position token
/// where that has no words for it. The variant is in the tag `Variant` unless it is `None`. Passes are `--`.
///
/// # Errors
/// See [`PgnRefusal`].
pub fn write(game: &GameText) -> Result<String, PgnRefusal> {
    if game.start.is_none() && game.moves.first().is_some_and(|first| first.side == Some(Side::White)) {
        return Err(PgnRefusal::NoStart);
    }
    let mut out = String::new();
    let mut tag = |name: &str, value: &str| {
        let clean: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let escaped = clean.replace('\\', "\\\\").replace('"', "\\\"");
        out.push_str(&format!("[{name} \"{escaped}\"]\n"));
    };
    let about = &game.about;
    let or = |value: &Option<String>, unknown: &str| value.clone().unwrap_or_else(|| unknown.to_owned());
    let name =
        |player: &PlayerText| if player.name.is_empty() { "?".to_owned() } else { player.name.clone() };
    tag("Event", &or(&about.event, "?"));
    tag("Site", &or(&about.place, "?"));
    tag("Date", &or(&about.date, "????.??.??"));
    tag("Round", &or(&about.round, "?"));
    tag("Black", &name(&game.black));
    tag("White", &name(&game.white));
    let result = or(&game.result, "*");
    tag("Result", &result);
    for (name, value) in
        [("BlackElo", &game.black.rating), ("WhiteElo", &game.white.rating), ("Opening", &about.name)]
    {
        if let Some(value) = value {
            tag(name, value);
        }
    }
    for (name, value) in &game.tags {
        tag(name, value);
    }
    if let Some(variant) = &game.variant {
        tag("Variant", &variant.to_string());
    }
    if let Some(start) = &game.start {
        tag("SetUp", "1");
        tag("FEN", &fen::edax(start).unwrap_or_else(|| start.to_string()));
    }
    out.push('\n');
    out.push_str(&wrapped(&words(game, &result)));
    Ok(out)
}

fn words(game: &GameText, result: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut remarks = game.about.remarks.iter().peekable();
    for (index, played) in game.moves.iter().enumerate() {
        while let Some((_, text)) = remarks.next_if(|(n_moves, _)| *n_moves <= index) {
            words.push(format!("{{{}}}", text.replace(['{', '}'], " ")));
        }
        if index % 2 == 0 {
            words.push(format!("{}.", index / 2 + 1));
        }
        words.push(match &played.word {
            MoveWord::Move(MoveText::Pass) => "--".to_owned(),
            MoveWord::Move(at) => at.to_string(),
            MoveWord::Unreadable(text) => clip(text),
        });
    }
    words.extend(remarks.map(|(_, text)| format!("{{{}}}", text.replace(['{', '}'], " "))));
    words.push(result.to_owned());
    words
}

fn wrapped(words: &[String]) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.len() > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.len();
    }
    out.push('\n');
    out
}
