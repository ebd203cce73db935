//! Positions as the leaves of searches are: a few plies off the games that were played, where one
//! side has tried anything and the other has answered well.
//!
//! Good games do not hold such positions. Weights that know good games alone take them for better than
//! they are for the side that has just erred: of 575 leaves of searches of 15 plies they were off by
//! 10.8 discs (root of the mean square), two to three more than in games, and 4.8 too low on average.
//!
//! Leaves are held out by the number of their own game. Several such games may leave one source, so
//! errors on leaves that were held out are a little too good.

use std::ops::RangeInclusive;

use crate::rules::{Position, SplitMix64};

use super::ask::Asker;
use super::games::{after, empties as n_empties, exact, is_over, random_move, random_of};
use super::samples::{Sample, Searched};

/// Leaves that are tried for one game of the file; all begin in positions of one source, so that what
/// the engine knows of one helps with the next.
const PER_GAME: u32 = 8;
/// Plies off the source, at most.
const MOST_PLIES: u64 = 8;
/// Plies that the side that answers well looks ahead.
const ANSWER_DEPTH: u32 = 2;
/// In so many of 4 leaves the last move is any, even where the side that answers well has it: a search
/// tries them all in its last ply.
const LAST_AT_WILL: u64 = 3;
/// A leaf that a short search takes to be worth more than this many centidiscs to one side is kept
/// once in [`LOPSIDED_EACH`] times. Searches cut there before it matters how much more it is.
const LOPSIDED: i32 = 3000;
const LOPSIDED_EACH: u64 = 4;

/// How leaves are made.
pub struct Leaves {
    /// Positions of each source game.
    pub sources: Vec<Vec<Position<u64>>>,
    /// Empties of the leaves.
    pub empties: RangeInclusive<u32>,
    /// From so many empties down they are solved.
    pub exact_from: u32,
    /// Above, they are searched so deep ...
    pub depth: u32,
    /// ... with this selectivity in percent.
    pub selectivity: u32,
}

impl Leaves {
    /// The positions of samples that leaves can come from, by game.
    #[must_use]
    pub fn sources(files: &[Vec<Sample>], empties: &RangeInclusive<u32>) -> Vec<Vec<Position<u64>>> {
        let (least, most) = (empties.start() + 1, empties.end() + MOST_PLIES as u32);
        let is_above = |position: &Position<u64>| (least..=most).contains(&n_empties(position));
        let games = files.iter().flat_map(|file| file.chunk_by(|a, b| a.game == b.game));
        let games = games
            .map(|game| game.iter().map(|sample| sample.position).filter(is_above).collect::<Vec<_>>());
        games.filter(|game| !game.is_empty()).collect()
    }

    /// Leaves off one of the sources, each with its value.
    pub fn samples(&self, seed: u64, game: u32, asker: &mut Asker) -> Vec<Sample> {
        let mut random = random_of(seed, game);
        asker.forget();
        let source = &self.sources[random.below(self.sources.len() as u64) as usize];
        let leaf = |_| self.leaf(source, game, &mut random, asker);
        (0..PER_GAME).filter_map(leaf).collect()
    }

    fn leaf(
        &self,
        source: &[Position<u64>],
        game: u32,
        random: &mut SplitMix64,
        asker: &mut Asker,
    ) -> Option<Sample> {
        let mut position = source[random.below(source.len() as u64) as usize];
        let plies = 1 + random.below(MOST_PLIES);
        let mut is_at_will = random.below(2) == 0;
        for ply in 1..=plies {
            if is_over(&position) {
                return None;
            }
            let is_last = ply == plies && random.below(4) < LAST_AT_WILL;
            let choice = if is_at_will || is_last {
                random_move(&position, random)
            } else {
                asker.search(&position, ANSWER_DEPTH).course.first().copied().flatten()
            };
            position = after(&position, choice);
            is_at_will = !is_at_will;
        }
        if is_over(&position) || !self.empties.contains(&n_empties(&position)) {
            return None;
        }
        let guess = asker.search(&position, ANSWER_DEPTH).centidiscs;
        if guess.abs() > LOPSIDED && random.below(LOPSIDED_EACH) > 0 {
            return None;
        }
        if n_empties(&position) <= self.exact_from {
            return asker.solve(&position).map(|margin| exact(position, 100 * margin, game));
        }
        let centidiscs = asker.look(&position, self.depth, Some(self.selectivity)).centidiscs as i16;
        let searched = Some(Searched { centidiscs, depth: self.depth as u8 });
        Some(Sample { position, outcome: None, searched, game })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{Effort, Games};
    use super::*;

    #[test]
    fn leaves_lie_a_few_plies_off_their_source_and_have_its_value() {
        let mut position = Position { own: 1_u64 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 };
        let mut random = SplitMix64::new(5);
        let mut samples = Vec::new();
        while !is_over(&position) {
            samples.push(Sample { position, outcome: None, searched: None, game: 0 });
            position = after(&position, random_move(&position, &mut random));
        }
        let wanted = 6..=20;
        let sources = Leaves::sources(&[samples], &wanted);
        assert_eq!(sources.len(), 1);
        assert!(sources[0].iter().all(|position| (7..=28).contains(&n_empties(position))));
        let leaves =
            Leaves { sources, empties: wanted.clone(), exact_from: 9, depth: 4, selectivity: 73 };
        let mut asker = Asker::new(Effort::SMALL, Games::OTHELLO);
        let made: Vec<Sample> = (0..20).flat_map(|game| leaves.samples(1, game, &mut asker)).collect();
        assert!(made.len() > 40, "{}", made.len());
        for sample in &made {
            let n_empties = n_empties(&sample.position);
            assert!(wanted.contains(&n_empties) && !is_over(&sample.position));
            match (sample.outcome, sample.searched) {
                (Some(outcome), None) => {
                    assert!(n_empties <= 9);
                    assert_eq!(asker.solve(&sample.position), Some(i32::from(outcome.centidiscs) / 100));
                }
                (None, Some(searched)) => assert!(n_empties > 9 && searched.depth == 4),
                other => panic!("{other:?}"),
            }
        }
        let again = leaves.samples(1, 3, &mut asker);
        let of_game: Vec<Sample> = made.iter().copied().filter(|sample| sample.game == 3).collect();
        assert!(again == of_game && !again.is_empty());
    }
}
