//! Values of searches for positions that have none: early ones, where the outcome of a game tells
//! more of the play that followed than of the position.
//!
//! A search of some plies ends in positions of later phases, whose weights are known better. Done
//! again with better weights it makes better values, from the end of the game backwards.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::rules::Position;

use super::ask::Asker;
use super::samples::{Sample, Searched, canonical};

/// Positions of other files that are to be searched, by game.
pub struct Relabel {
    games: Vec<Vec<Position<u64>>>,
    /// Plies looked ahead.
    depth: u32,
}

impl Relabel {
    /// Takes the positions with so many empties, each once, whatever its mirror images.
    #[must_use]
    pub fn new(files: &[Vec<Sample>], empties: &RangeInclusive<u32>, depth: u32) -> Self {
        let mut seen = HashSet::new();
        let mut is_new = |position: &Position<u64>| {
            let n_empties = (position.own | position.other).count_zeros();
            empties.contains(&n_empties) && seen.insert(canonical(position))
        };
        let games = files.iter().flat_map(|file| file.chunk_by(|a, b| a.game == b.game));
        let games = games.map(|game| {
            game.iter().map(|sample| sample.position).filter(&mut is_new).collect::<Vec<_>>()
        });
        Self { games: games.filter(|game| !game.is_empty()).collect(), depth }
    }

    /// How many games have positions.
    #[must_use]
    pub fn n_games(&self) -> u32 {
        self.games.len() as u32
    }

    /// The positions of a game with their values, and without outcomes.
    pub fn samples(&self, game: u32, asker: &mut Asker) -> Vec<Sample> {
        asker.forget();
        let positions = self.games.get(game as usize).map_or(&[][..], Vec::as_slice);
        let searched = |&position| {
            let centidiscs = asker.search(&position, self.depth).centidiscs as i16;
            let searched = Searched { centidiscs, depth: self.depth as u8 };
            Sample { position, outcome: None, searched: Some(searched), game }
        };
        positions.iter().map(searched).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{Effort, Games};
    use super::*;

    #[test]
    fn each_position_is_searched_once() {
        let start = Position { own: 1_u64 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
        let sample = |position, game| Sample { position, outcome: None, searched: None, game };
        let (next, mirrored) = (start.play(37), start.play(26));
        let file =
            vec![sample(start, 0), sample(next, 0), sample(mirrored, 1), sample(next.play(45), 2)];
        let relabel = Relabel::new(&[file.clone(), file], &(50..=59), 2);
        assert_eq!(relabel.n_games(), 2);
        let samples: Vec<Sample> = (0..3)
            .flat_map(|game| relabel.samples(game, &mut Asker::new(Effort::SMALL, Games::OTHELLO)))
            .collect();
        let positions: Vec<_> = samples.iter().map(|sample| (sample.position, sample.game)).collect();
        assert_eq!(positions, [(next, 0), (next.play(45), 1)]);
        assert!(samples.iter().all(|sample| sample.searched.is_some_and(|s| s.depth == 2)));
    }
}
