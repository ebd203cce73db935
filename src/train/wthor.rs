//! Games of a WTHOR file, and their positions as samples.
//!
//! How the file is written is known to `outflank_protocol::format::wthor`; here is what its games and
//! theoretical scores say of positions. Passes are not written; they follow from the rules.

use std::fmt;

use outflank_protocol::format::wthor::{self, GAME, HEADER, Record, WthorFault};

use crate::rules::{Bits, Position, mobility};

use super::ask::Asker;
use super::samples::{Outcome, Sample};

/// A game as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Squares by index, without passes.
    pub moves: Vec<u8>,
    /// Black's discs with best play from [`THEORETICAL`] empties on, the winner taking empty ones.
    pub theoretical: u8,
}

/// Empties of the theoretical score.
pub const THEORETICAL: u32 = 24;

/// The games of a file.
///
/// # Errors
/// See [`WthorError`].
pub fn games(bytes: &[u8]) -> Result<Vec<Game>, WthorError> {
    let header = wthor::read_header(bytes).map_err(|fault| WthorError::File { fault })?;
    // Old files leave the size out.
    if !matches!(header.size, 0 | 8) {
        return Err(WthorError::File { fault: WthorFault::Board { size: header.size } });
    }
    if u32::from(header.best_depth()) != THEORETICAL {
        return Err(WthorError::Empties { empties: header.best_depth() });
    }
    let rest = &bytes[HEADER..];
    let n_games = header.n_games as usize;
    if rest.len() != n_games * GAME {
        return Err(WthorError::Length { n_games, n_bytes: rest.len() });
    }
    let game = |(game, bytes): (usize, &[u8])| {
        let wrong = |fault| WthorError::Game { game: game + 1, fault };
        let record = Record::read(header, bytes).map_err(wrong)?;
        let moves = record.points().map_err(wrong)?;
        let moves = moves.into_iter().map(|at| 8 * at.row + at.column).collect();
        Ok(Game { moves, theoretical: record.numbers.best })
    };
    rest.chunks_exact(GAME).enumerate().map(game).collect()
}

/// A position of a game, with a mover who can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The discs.
    pub position: Position<u64>,
    /// Whether the mover is Black.
    pub is_black: bool,
}

/// The positions before each move, from the start on, as far as the moves are legal.
pub fn moments(game: &Game) -> Vec<Moment> {
    let mut position = Position { own: 1_u64 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
    let mut is_black = true;
    let mut moments = Vec::with_capacity(60);
    for &square in &game.moves {
        if mobility(position.own, position.other, !0).is_empty() {
            position = position.pass();
            is_black = !is_black;
        }
        let index = u32::from(square);
        if !mobility(position.own, position.other, !0).has(index) {
            break;
        }
        moments.push(Moment { position, is_black });
        position = position.play(index);
        is_black = !is_black;
    }
    moments
}

/// What to take from a game.
#[derive(Clone, Copy, Debug)]
pub struct Taking {
    /// From so many empties down, positions are solved.
    pub exact_from: u32,
    /// Fewer empties than this are left out.
    pub fewest_empties: u32,
}

/// The positions of a game with their outcomes.
///
/// With 24 empties and more the outcome is the theoretical one, near the end the exact one. In
/// between lies play that may have given something away: the outcome there is taken to move evenly
/// from the one to the other, which is exact when both are equal.
pub fn samples(game: &Game, number: u32, taking: Taking, asker: &mut Asker) -> Vec<Sample> {
    asker.forget();
    let moments = moments(game);
    let empties = |moment: &Moment| (moment.position.own | moment.position.other).count_zeros();
    let mut exact = None;
    let mut late = Vec::new();
    for moment in &moments {
        let n_empties = empties(moment);
        if n_empties <= taking.exact_from && n_empties >= taking.fewest_empties {
            let Some(margin) = asker.solve(&moment.position) else { continue };
            let for_black = if moment.is_black { margin } else { -margin };
            exact.get_or_insert((n_empties, for_black));
            late.push(sample(moment, for_black * 100, n_empties, number));
        }
    }
    let theoretical = 2 * i32::from(game.theoretical) - 64;
    let early = moments.iter().filter_map(|moment| {
        let n_empties = empties(moment);
        match exact {
            _ if n_empties >= THEORETICAL => {
                Some(sample(moment, theoretical * 100, THEORETICAL, number))
            }
            Some((end, for_black)) if n_empties > end => {
                let (way, gone) = ((THEORETICAL - end) as i32, (THEORETICAL - n_empties) as i32);
                let for_black = theoretical * 100 + (for_black - theoretical) * 100 * gone / way;
                Some(sample(moment, for_black, end, number))
            }
            _ => None,
        }
    });
    early.chain(late).collect()
}

fn sample(moment: &Moment, for_black: i32, empties: u32, game: u32) -> Sample {
    let centidiscs = if moment.is_black { for_black } else { -for_black };
    let outcome = Outcome { centidiscs: centidiscs as i16, empties: empties as u8 };
    Sample { position: moment.position, outcome: Some(outcome), searched: None, game }
}

/// Why bytes are no WTHOR file to learn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WthorError {
    /// The file cannot be read.
    File {
        /// Why.
        fault: WthorFault,
    },
    /// The theoretical score is one of other empties.
    Empties {
        /// How many.
        empties: u8,
    },
    /// There are fewer or more bytes than games say.
    Length {
        /// Games of the header.
        n_games: usize,
        /// Bytes behind the header.
        n_bytes: usize,
    },
    /// A game cannot be read.
    Game {
        /// The game, from 1.
        game: usize,
        /// What is wrong with it.
        fault: WthorFault,
    },
}

impl fmt::Display for WthorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { fault } => fault.fmt(f),
            Self::Empties { empties } => {
                write!(f, "theoretical scores of {empties} empties, not {THEORETICAL}")
            }
            Self::Length { n_games, n_bytes } => {
                write!(f, "{n_games} games take {} bytes, not {n_bytes}", n_games * GAME)
            }
            Self::Game { game, fault } => write!(f, "game {game}: {fault}"),
        }
    }
}

impl std::error::Error for WthorError {}

#[cfg(test)]
mod tests {
    use super::super::ask::{Effort, Games};
    use super::*;

    /// A file of one game: f5 f6 e6 f4 and no more.
    fn file() -> Vec<u8> {
        let mut bytes = vec![0; HEADER + GAME];
        (bytes[4], bytes[12], bytes[14]) = (1, 8, 24);
        bytes[HEADER + 7] = 40;
        bytes[HEADER + 8..][..4].copy_from_slice(&[56, 66, 65, 46]);
        bytes
    }

    #[test]
    fn games_are_read_and_replayed() {
        let games = games(&file()).expect("games");
        assert_eq!(games, [Game { moves: vec![37, 45, 44, 29], theoretical: 40 }]);
        let moments = moments(&games[0]);
        assert_eq!(moments.len(), 4);
        assert_eq!(
            moments[1].position,
            Position { own: 1 << 27, other: 0xf << 34 & !(1 << 34) | 1 << 28 }
        );
        let taking = Taking { exact_from: 12, fewest_empties: 8 };
        let samples = samples(&games[0], 7, taking, &mut Asker::new(Effort::SMALL, Games::OTHELLO));
        let outcomes: Vec<_> =
            samples.iter().map(|sample| sample.outcome.map(|o| o.centidiscs)).collect();
        assert_eq!(outcomes, [Some(1600), Some(-1600), Some(1600), Some(-1600)]);
    }

    #[test]
    fn wrong_files_are_refused() {
        let check = |at: usize, byte: u8, message: &str| {
            let mut bytes = file();
            bytes[at] = byte;
            assert_eq!(games(&bytes).expect_err("refused").to_string(), message);
        };
        check(12, 10, "WTHOR games on 10x10; only those on 8x8 are known");
        check(14, 22, "theoretical scores of 22 empties, not 24");
        check(4, 2, "2 games take 136 bytes, not 68");
        check(
            HEADER + 9,
            99,
            "game 1: item 2 '99': not a square; a move is 10 * row + column, from 11 to 88",
        );
        let fault = WthorFault::NoHeader { n_bytes: 5 };
        assert_eq!(games(b"short"), Err(WthorError::File { fault }));
    }
}
