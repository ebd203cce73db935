//! The rules against half a century of tournament games: the WTHOR database, where the reference
//! shelf has it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use crate::support::shelf;
use outflank::rules::{Forfeit, Game, HalfDiscs, Square, Variant, by_name};

const HEADER: usize = 16;
const RECORD: usize = 68;
/// Where a record has Black's official discs, and its first move.
const SCORE: usize = 6;
const MOVES: usize = 8;

/// What the replay of a file found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    finished: usize,
    stopped: usize,
    passes: usize,
    /// Games with forced passes.
    with_passes: usize,
    /// Finished games with empty squares left.
    with_empties: usize,
}

/// A move byte is ten times the row and the column, both from 1; 0 is none.
fn square(byte: u8) -> Option<Square> {
    let square = Square::new((byte % 10).checked_sub(1)?, (byte / 10).checked_sub(1)?).unwrap();
    Some(square)
}

fn replay(variant: &Variant, record: &[u8], found: &mut Found, what: &str) {
    let mut game = Game::new(variant.clone());
    let mut passes = 0;
    for square in record[MOVES..].iter().map_while(|&byte| square(byte)) {
        while game.pass_if_forced().is_some() {
            passes += 1;
        }
        game.play(None, square).unwrap_or_else(|refused| panic!("{what}: {square}: {refused}"));
    }
    found.passes += passes;
    found.with_passes += usize::from(passes > 0);
    match game.ending(Forfeit::None) {
        Some(ending) => {
            found.finished += 1;
            found.with_empties += usize::from(game.state().board.empties() > 0);
            let black = ending.official.unwrap().black;
            assert_eq!(black, HalfDiscs::from_discs(record[SCORE].into()), "{what}");
        }
        None => found.stopped += 1,
    }
}

#[test]
fn every_wthor_game_is_legal_and_has_its_official_score() {
    let Some(folder) = shelf::find("data/wthor") else { return };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // One file is a test of another program and belongs to no year.
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wtb"));
    files.sort();
    let variant = Variant::new(by_name("othello").unwrap()).unwrap();
    let mut found = Found::default();
    for file in files {
        let bytes = fs::read(&file).unwrap();
        for (index, record) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
            replay(&variant, record, &mut found, &format!("{} game {index}", file.display()));
        }
    }
    let expected = Found {
        finished: 137_135,
        stopped: 413,
        passes: 156_887,
        with_passes: 80_200,
        with_empties: 6_446,
    };
    assert_eq!(found, expected);
}
