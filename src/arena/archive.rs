//! A row of the tournament as a game in GGF.
//!
//! Knows rows, words and the rules to replay them. Must not know files.

use std::fmt;

use outflank_protocol::format::ggf;
use outflank_protocol::lexis::move_list;
use outflank_protocol::position::read_token;
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::{ClockText, GameText, MoveWord, PlayedText, PlayerText};

use super::clock::{Pace, Time};
use super::outcome::{GameRow, Reason, Winner};
use crate::record::{self, RecordError};
use crate::rules::{Game, Scoring, Stuck, Variant};

/// Why a row cannot be written in GGF.
#[derive(Clone, Debug, PartialEq)]
pub enum ArchiveError {
    /// GGF does not have the board or a rule.
    NotInGgf {
        /// Token of the variant.
        variant: String,
        /// What it lacks.
        why: String,
    },
    /// The row says something that cannot be read.
    Unreadable {
        /// The offending text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The moves of the row are no game.
    Moves(RecordError),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::NotInGgf { variant, why } => {
                write!(f, "games of {variant} cannot be written in GGF: {why}")
            }
            ArchiveError::Unreadable { text, why } => write!(f, "'{}': {why}", record::clip(text)),
            ArchiveError::Moves(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// The written moves of a game; passes as `--`.
#[must_use]
pub fn transcript(game: &Game) -> String {
    let word = |act| match record::act_text(act) {
        outflank_protocol::words::MoveText::Pass => "--".to_owned(),
        at => at.to_string(),
    };
    game.log().iter().map(|entry| word(entry.mv.act)).collect()
}

/// The game of a row, replayed.
///
/// # Errors
/// Text that cannot be read, and moves that the rules refuse.
pub fn replay(row: &GameRow) -> Result<Game, ArchiveError> {
    let token = row.variant.as_deref().unwrap_or("othello");
    let unreadable = |text: &str, why: &dyn fmt::Display| ArchiveError::Unreadable {
        text: text.to_owned(),
        why: why.to_string(),
    };
    let words = read_variant(token).map_err(|fault| unreadable(token, &fault))?;
    let mut game = match &row.start {
        Some(start) => {
            let board = read_token(start).map_err(|fault| unreadable(start, &fault))?;
            let spec = record::variant_spec(&words).map_err(ArchiveError::Moves)?;
            record::game_from(spec, &board)
        }
        None => record::variant(&words).map(Game::new),
    }
    .map_err(ArchiveError::Moves)?;
    record::play_words(&mut game, &move_list(&row.moves))
        .map_err(|error| ArchiveError::Moves(RecordError::Item(error)))?;
    Ok(game)
}

/// Whether games of a variant can be written in GGF.
///
/// # Errors
/// [`ArchiveError::NotInGgf`] with what GGF lacks.
pub fn check(variant: &Variant) -> Result<(), ArchiveError> {
    let rules = variant.rules();
    let lacks = |why: &str| {
        let variant = record::variant_text(variant).to_string();
        Err(ArchiveError::NotInGgf { variant, why: why.to_owned() })
    };
    if rules.hand.is_some() {
        return lacks("it has no limit of discs");
    }
    if rules.stuck == Stuck::End {
        return lacks("there the side that cannot move passes");
    }
    if rules.scoring != Scoring::Official {
        return lacks("there the empty squares go to the winner");
    }
    let game = Game::new(variant.clone());
    ggf::write(&words_of(&game, 0)).map(drop).or_else(|fault| lacks(&fault.to_string()))
}

/// A row as one line of GGF: names, clocks, moves with evaluations and times, result, and under
/// `PC` the number of the game, its pair, its opening, how it ended, and the seed.
///
/// The result is Black's discs less White's; where the fewer discs win, the other way round. A game
/// that was not decided by discs counts as the whole board, with `:r` for a resigned one, `:t` for
/// one lost by time and `:l` for any other fault. A free opening is written as the position it
/// led to, for GGF has no placements.
///
/// # Errors
/// As [`check`] and [`replay`].
pub fn ggf_line(row: &GameRow, black: Pace, white: Pace) -> Result<String, ArchiveError> {
    let game = replay(row)?;
    check(game.variant())?;
    let first = (0..=game.len()).find(|&n| !game.state_at(n).in_opening()).unwrap_or(game.len());
    let mut words = words_of(&game, first);
    for (index, played) in words.moves.iter_mut().enumerate() {
        let of = |list: &Option<Vec<Option<f64>>>| *list.as_ref()?.get(first + index)?;
        played.value = of(&row.evals);
        played.seconds = of(&row.times);
    }
    words.black = PlayerText { name: row.x.clone(), rating: None, clock: clock_of(black) };
    words.white = PlayerText { name: row.o.clone(), rating: None, clock: clock_of(white) };
    words.result = Some(result_of(row, game.variant().geometry().squares()));
    words.about.place = Some(place_of(row));
    ggf::write(&words).map_err(|fault| ArchiveError::NotInGgf {
        variant: record::variant_text(game.variant()).to_string(),
        why: fault.to_string(),
    })
}

/// The board after so many items, and the moves from there.
fn words_of(game: &Game, first: usize) -> GameText {
    let moves = game.log().iter().skip(first).map(|entry| PlayedText {
        side: Some(record::side_text(entry.mv.side)),
        word: MoveWord::Move(record::act_text(entry.mv.act)),
        value: None,
        seconds: None,
    });
    GameText {
        variant: Some(record::variant_text(game.variant())),
        start: Some(record::board_text(game.variant(), game.state_at(first))),
        moves: moves.collect(),
        ..GameText::default()
    }
}

fn clock_of(pace: Pace) -> Option<ClockText> {
    match pace.time? {
        Time::Game { main, increment } => Some(ClockText {
            main: main.as_secs_f64(),
            increment: increment.as_secs_f64(),
            extension: 0.0,
        }),
        // GGF has no time for each move alone.
        Time::Move(_) => None,
    }
}

fn result_of(row: &GameRow, squares: u32) -> String {
    if let Some(discs) = row.discs_for_black() {
        return format!("{discs:+}");
    }
    let sign = match row.winner {
        Winner::Black => '+',
        Winner::White => '-',
        Winner::Nobody => return "?".to_owned(),
    };
    let why = match row.reason {
        Reason::Resign => ":r",
        Reason::Timeout => ":t",
        // Decided by discs that are not known.
        Reason::Score | Reason::Adjudicated => "",
        _ => ":l",
    };
    format!("{sign}{squares}{why}")
}

fn place_of(row: &GameRow) -> String {
    let mut text = format!(
        "{} match game={} pair={} opening={} reason={}",
        crate::NAME,
        row.game,
        row.pair,
        row.opening.replace(' ', "_"),
        row.reason.name().replace(' ', "_")
    );
    if let Some(seed) = row.seed {
        text.push_str(&format!(" seed={seed}"));
    }
    if let Some(loser) = &row.loser {
        text.push_str(&format!(" loser={loser}"));
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::outcome::ByColour;
    use super::super::testing::variant;
    use super::*;

    fn row(token: &str, moves: &str) -> GameRow {
        GameRow {
            game: 3,
            pair: 2,
            opening: "my own".to_owned(),
            x: "A".to_owned(),
            o: "B".to_owned(),
            moves: moves.to_owned(),
            count: ByColour { x: 0, o: 0 },
            official: None,
            winner: Winner::White,
            reason: Reason::Timeout,
            loser: Some("A".to_owned()),
            exit_code: None,
            plies: 0,
            seconds: 1.0,
            variant: Some(token.to_owned()),
            start: None,
            seed: Some(7),
            note: None,
            duplicate_of: None,
            evals: None,
            times: None,
            depths: None,
        }
    }

    fn written(row: &GameRow) -> GameText {
        let pace = Pace { time: Some("60+0.5".parse().unwrap()), ..Pace::default() };
        ggf::read(&ggf_line(row, pace, pace).unwrap()).unwrap()
    }

    #[test]
    fn a_game_keeps_what_ggf_can_hold() {
        let mut played = row("othello", "f5d6c3");
        played.evals = Some(vec![None, Some(1.5), None]);
        played.times = Some(vec![None, Some(0.25), Some(2.0)]);
        let game = written(&played);
        assert_eq!((game.black.name.as_str(), game.white.name.as_str()), ("A", "B"));
        assert_eq!(game.black.clock.unwrap().increment, 0.5);
        assert_eq!(game.moves.len(), 3);
        assert_eq!((game.moves[0].value, game.moves[0].seconds), (None, None));
        assert_eq!((game.moves[1].value, game.moves[1].seconds), (Some(1.5), Some(0.25)));
        assert_eq!(game.result.as_deref(), Some("-64:t"));
        let place = "outflank match game=3 pair=2 opening=my_own reason=time-out seed=7 loser=A";
        assert_eq!(game.about.place.as_deref(), Some(place));
    }

    #[test]
    fn results_are_black_less_white_with_the_reason_behind() {
        let check = |winner, reason, official: Option<(f64, f64)>, expected: &str| {
            let official = official.map(|(x, o)| ByColour { x, o });
            let played = GameRow { winner, reason, official, ..row("othello", "f5") };
            assert_eq!(written(&played).result.as_deref(), Some(expected));
        };
        check(Winner::Black, Reason::Score, Some((40.0, 24.0)), "+16");
        check(Winner::Nobody, Reason::Score, Some((32.0, 32.0)), "+0");
        check(Winner::White, Reason::Adjudicated, Some((30.0, 34.0)), "-4");
        check(Winner::Black, Reason::Resign, None, "+64:r");
        check(Winner::Black, Reason::Crash, None, "+64:l");
    }

    #[test]
    fn a_free_opening_becomes_the_position_it_led_to() {
        let game = written(&row("reversi", "d4e4e5d5f4"));
        let start = game.start.unwrap();
        assert_eq!((start.placements, game.moves.len()), (0, 1));
        let discs = start.cells.iter().filter(|cell| **cell != outflank_protocol::words::Cell::Empty);
        assert_eq!(discs.count(), 4);
    }

    #[test]
    fn passes_are_written_and_read_again() {
        let mut game = Game::new(variant("othello"));
        while !game.is_over() {
            let squares: Vec<_> = game.legal().iter().collect();
            // Black plays the first square, White the last one; this game has a pass near its end.
            let is_black = game.state().side == crate::rules::Side::Black;
            match if is_black { squares.first() } else { squares.last() } {
                Some(&square) => game.play(None, square).map(|_| ()).unwrap(),
                None => game.pass_if_forced().map(|_| ()).unwrap(),
            }
        }
        let moves = transcript(&game);
        assert!(moves.contains("--"), "{moves}");
        let replayed = replay(&row("othello", &moves)).unwrap();
        assert_eq!((replayed.len(), replayed.state()), (game.len(), game.state()));
        assert_eq!(written(&row("othello", &moves)).moves.len(), game.len());
    }

    #[test]
    fn a_start_of_its_own_is_kept() {
        let mut played = row("6x6", "b2");
        played.start = Some("6/6/2ox2/2xo2/6/6,x".to_owned());
        assert!(matches!(replay(&played), Err(ArchiveError::Moves(_))));
        played.moves = "c2".to_owned();
        let game = written(&played);
        assert_eq!((game.start.unwrap().columns, game.moves.len()), (6, 1));
        played.start = Some("6/6,x".to_owned());
        assert!(matches!(replay(&played), Err(ArchiveError::Unreadable { .. })));
    }

    #[test]
    fn what_ggf_lacks_is_named() {
        for token in
            ["10x6", "8x6", "othello+hole=a1", "othello+hand=20", "6x6+stuck=end", "6x6+score=discs"]
        {
            let refused = check(&variant(token)).unwrap_err();
            assert!(matches!(refused, ArchiveError::NotInGgf { .. }), "{token}: {refused}");
        }
        for token in ["othello", "6x6+anti", "oct", "10x10+komi=3", "reversi", "othello+start=par"] {
            assert_eq!(check(&variant(token)), Ok(()), "{token}");
        }
    }
}
