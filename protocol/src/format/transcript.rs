//! Transcripts: the moves of a game and nothing else, in every usual spelling.

use crate::fault::{Fault, clip};
use crate::format::{pgn, record};
use crate::lexis::move_list;
use crate::variant::read_variant;
use crate::words::{AboutText, BaseText, GameText, MoveText, MoveWord, PlayedText, VariantText};

/// The move number that a line begins with, as in `6. G8 g7`.
#[must_use]
pub fn move_number(text: &str) -> Option<u32> {
    let (digits, rest) = text.trim_start_matches('\u{feff}').trim_start().split_once('.')?;
    let is_number =
        !digits.is_empty() && digits.len() <= 3 && digits.chars().all(|c| c.is_ascii_digit());
    // `1.5` is no move number, nor is the empty square of a board.
    let moves_follow = !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if is_number && moves_follow { digits.parse().ok() } else { None }
}

/// The first and the last move number of a line.
pub(crate) fn move_numbers(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split_whitespace().filter_map(move_number);
    let first = numbers.next()?;
    Some((first, numbers.next_back().unwrap_or(first)))
}

/// Reads a transcript.
///
/// ```abnf
/// transcript = [variant SP] moves ["%" comment]   ; moves as `lexis::move_list` has them
///            / numbered                   ; as in PGN, where the first word is "1."
/// comment    = result / *any              ; `x40:24`: how a game ended that was stopped
/// variant    = token / "standard" / "anti" / "octagon-88"
/// ```
///
/// # Errors
/// A line without any move. One that is no square is kept as it stands.
pub fn read(text: &str) -> Result<GameText, Fault> {
    let line = text.trim_start_matches('\u{feff}').trim();
    if move_number(line) == Some(1) {
        let read = pgn::read_moves(line);
        if read.moves.iter().any(|word| matches!(word, MoveWord::Move(_))) {
            return Ok(GameText {
                moves: plain(read.moves),
                about: AboutText {
                    remarks: read.remarks,
                    outcome: read.result.as_deref().and_then(pgn::read_result),
                    ..AboutText::default()
                },
                result: read.result.filter(|result| result != "*"),
                ..GameText::default()
            });
        }
    }
    let (line, comment) = line.split_once('%').unwrap_or((line, ""));
    let (variant, listed) = match line.split_once(char::is_whitespace) {
        Some((word, behind)) => variant_of(word).map_or((None, line), |variant| (Some(variant), behind)),
        None => (None, line),
    };
    let moves = move_list(listed);
    if moves.iter().any(|word| matches!(word, MoveWord::Move(_))) {
        let outcome = record::read_result(comment.trim());
        return Ok(GameText {
            variant,
            moves: plain(moves),
            result: outcome.map(|_| comment.trim().to_owned()),
            about: AboutText { outcome, ..AboutText::default() },
            ..GameText::default()
        });
    }
    Err(Fault::Record {
        text: clip(line),
        why: "neither a position (token, board and side, OBF line) nor a list of moves",
    })
}

/// The variant that stands before the moves: a name that there is, or a size.
fn variant_of(word: &str) -> Option<VariantText> {
    let token = match word {
        "standard" => "othello",
        "anti" => "othello+anti",
        "octagon-88" => "oct",
        _ => word,
    };
    let variant = read_variant(token).ok()?;
    match &variant.base {
        BaseText::Name(name) => NAMES.contains(&name.as_str()).then_some(variant),
        BaseText::Size { .. } => Some(variant),
    }
}

/// What variants are called; any other word is no move and told of.
const NAMES: [&str; 4] = ["othello", "reversi", "oct", "annex"];

fn plain(moves: Vec<MoveWord>) -> Vec<PlayedText> {
    moves.into_iter().map(|word| PlayedText::plain(None, word)).collect()
}

/// A text that is moves and nothing else.
pub(crate) fn all_moves(text: &str) -> Option<GameText> {
    let moves = move_list(text);
    let good = !moves.is_empty() && moves.iter().all(|word| matches!(word, MoveWord::Move(_)));
    good.then(|| GameText { moves: plain(moves), ..GameText::default() })
}

/// Writes the moves of a game, run together in lower case, passes left out.
///
/// A game whose result does not follow from its moves gets it as a comment, as in `f5d6c3 % x40:24`:
/// `outcome` is then that of [`AboutText`], and `None` otherwise.
///
/// # Errors
/// A game without moves, and an item that is no move.
pub fn write(game: &GameText) -> Result<String, Fault> {
    let mut line = String::with_capacity(2 * game.moves.len());
    for played in &game.moves {
        match &played.word {
            MoveWord::Move(MoveText::Pass) => {}
            MoveWord::Move(at) => line.push_str(&at.to_string()),
            MoveWord::Unreadable(text) => {
                return Err(Fault::Record { text: clip(text), why: "not a move" });
            }
        }
    }
    if line.is_empty() {
        return Err(Fault::Unsupported {
            text: "-".to_owned(),
            why: "a game without moves has no transcript",
        });
    }
    if let Some(result) = game.about.outcome.as_ref().and_then(record::result_word) {
        line.push_str(&format!(" % {result}"));
    }
    Ok(line)
}
