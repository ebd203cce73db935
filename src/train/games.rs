//! Games that the program plays for the sake of their positions.

use std::ops::RangeInclusive;

use crate::rules::{Bits, Position, SplitMix64, mobility};

use super::ask::Asker;
use super::samples::{Outcome, Sample, Searched};

/// Black's and White's first discs, with how often of 8 a game begins with them: the usual start,
/// and those that free openings add to it. The colours are named by who moves first.
const STARTS: [(u64, Position<u64>); 3] = [
    (6, Position { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36 }),
    (1, Position { own: 1 << 27 | 1 << 28, other: 1 << 35 | 1 << 36 }),
    (1, Position { own: 1 << 35 | 1 << 36, other: 1 << 27 | 1 << 28 }),
];

/// The random numbers of a game.
pub(super) fn random_of(seed: u64, game: u32) -> SplitMix64 {
    // Neighbouring games must not have shifted copies of one sequence.
    let mut seeds = SplitMix64::new(seed ^ u64::from(game).wrapping_mul(0xd6e8_feb8_6659_fd93));
    SplitMix64::new(seeds.next_u64())
}

fn start(random: &mut SplitMix64) -> Position<u64> {
    let mut drawn = random.below(STARTS.iter().map(|(often, _)| often).sum());
    for (often, position) in STARTS {
        match drawn.checked_sub(often) {
            Some(rest) => drawn = rest,
            None => return position,
        }
    }
    STARTS[0].1
}

fn moves(position: &Position<u64>) -> u64 {
    mobility(position.own, position.other, !0)
}

pub(super) fn empties(position: &Position<u64>) -> u32 {
    (position.own | position.other).count_zeros()
}

/// A legal move, or nothing when there is none.
pub(super) fn random_move(position: &Position<u64>, random: &mut SplitMix64) -> Option<u32> {
    let moves = moves(position);
    (moves != 0).then(|| moves.iter().nth(random.below(u64::from(moves.count_ones())) as usize))?
}

/// The position after a move or a pass.
pub(super) fn after(position: &Position<u64>, choice: Option<u32>) -> Position<u64> {
    choice.map_or_else(|| position.pass(), |index| position.play(index))
}

pub(super) fn is_over(position: &Position<u64>) -> bool {
    moves(position) == 0 && moves(&position.pass()) == 0
}

/// How endgames are made.
#[derive(Clone, Debug)]
pub struct Endgames {
    /// The first position that is solved has so many empties, evenly drawn.
    pub from: RangeInclusive<u32>,
    /// The last one has so many.
    pub to: u32,
    /// Plies that moves on the way look ahead.
    pub depth: u32,
}

impl Endgames {
    /// The positions of a game, each with its exact value.
    ///
    /// Each side errs as often as is drawn for it, so that positions are as even or lopsided as
    /// those deep in a search; an error is a random move.
    pub fn samples(&self, seed: u64, game: u32, asker: &mut Asker) -> Vec<Sample> {
        let mut random = random_of(seed, game);
        asker.forget();
        let mut position = start(&mut random);
        // Of 256; squared, so that good play is more frequent than bad.
        let mut error = || {
            let drawn = random.below(256);
            drawn * drawn / 256
        };
        let mut errors = [error(), error()];
        let (first, last) = (*self.from.start(), *self.from.end());
        let from = first + random.below(u64::from(last - first + 1)) as u32;
        let mut samples = Vec::new();
        while !is_over(&position) && empties(&position) >= self.to {
            let answer = if empties(&position) <= from {
                let Some(answer) = asker.best_play(&position) else { break };
                samples.push(exact(position, answer.centidiscs, game));
                Some(answer)
            } else {
                None
            };
            let errs = random.below(256) < errors[0];
            let choice = if errs {
                random_move(&position, &mut random)
            } else {
                let answer = answer.unwrap_or_else(|| asker.search(&position, self.depth));
                answer.course.first().copied().flatten()
            };
            position = after(&position, choice);
            errors.swap(0, 1);
        }
        samples
    }
}

/// How games of the engine against itself are made.
#[derive(Clone, Debug)]
pub struct Selfplay {
    /// So many random plies come first, evenly drawn. Their positions are left out.
    pub random: RangeInclusive<u32>,
    /// Plies that a move looks ahead.
    pub depth: u32,
    /// From so many empties on, best play.
    pub exact_from: u32,
    /// Fewer empties than this are left out.
    pub fewest_empties: u32,
}

impl Selfplay {
    /// The positions of a game behind its random opening: each with the value of its search and
    /// the result of the game, at the end with its exact value.
    pub fn samples(&self, seed: u64, game: u32, asker: &mut Asker) -> Vec<Sample> {
        let mut random = random_of(seed, game);
        asker.forget();
        let Some(mut position) = self.opening(&mut random) else { return Vec::new() };
        // With who is to move: whether it is the first mover of the game.
        let mut played: Vec<(bool, Sample)> = Vec::new();
        let mut is_first = true;
        while !is_over(&position) && empties(&position) > self.exact_from {
            let choice = if moves(&position) == 0 {
                None
            } else {
                let answer = asker.search(&position, self.depth);
                let searched =
                    Searched { centidiscs: answer.centidiscs as i16, depth: self.depth as u8 };
                let sample = Sample { position, outcome: None, searched: Some(searched), game };
                played.push((is_first, sample));
                answer.course.first().copied().flatten()
            };
            position = after(&position, choice);
            is_first = !is_first;
        }
        let n_empties = empties(&position);
        let Some(answer) = asker.best_play(&position) else { return Vec::new() };
        let for_first = if is_first { answer.centidiscs } else { -answer.centidiscs };
        let seen_by = |is_first: bool| if is_first { for_first } else { -for_first };
        for (is_first, sample) in &mut played {
            let centidiscs = seen_by(*is_first) as i16;
            sample.outcome = Some(Outcome { centidiscs, empties: n_empties as u8 });
        }
        let mut samples: Vec<Sample> = played.into_iter().map(|(_, sample)| sample).collect();
        for choice in answer.course {
            if empties(&position) < self.fewest_empties {
                break;
            }
            if moves(&position) != 0 {
                samples.push(exact(position, seen_by(is_first), game));
            }
            position = after(&position, choice);
            is_first = !is_first;
        }
        samples
    }

    /// A position after random plies that is not over.
    fn opening(&self, random: &mut SplitMix64) -> Option<Position<u64>> {
        let mut position = start(random);
        let (first, last) = (*self.random.start(), *self.random.end());
        let n_plies = first + random.below(u64::from(last - first + 1)) as u32;
        for _ in 0..n_plies {
            if is_over(&position) {
                return None;
            }
            position = after(&position, random_move(&position, random));
        }
        (!is_over(&position)).then_some(position)
    }
}

pub(super) fn exact(position: Position<u64>, centidiscs: i32, game: u32) -> Sample {
    let empties = empties(&position) as u8;
    let outcome = Outcome { centidiscs: centidiscs as i16, empties };
    Sample { position, outcome: Some(outcome), searched: None, game }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{Effort, Games};
    use super::*;

    #[test]
    fn endgames_are_solved_positions_and_the_same_every_time() {
        let endgames = Endgames { from: 8..=9, to: 6, depth: 1 };
        let mut asker = Asker::new(Effort::SMALL, Games::OTHELLO);
        let mut n_samples = 0;
        for game in 0..20 {
            let samples = endgames.samples(1, game, &mut asker);
            assert_eq!(
                samples,
                endgames.samples(1, game, &mut Asker::new(Effort::SMALL, Games::OTHELLO))
            );
            for sample in &samples {
                let outcome = sample.outcome.expect("solved");
                assert_eq!(u32::from(outcome.empties), empties(&sample.position));
                assert!((6..=9).contains(&outcome.empties));
                assert_eq!(asker.solve(&sample.position), Some(i32::from(outcome.centidiscs) / 100));
            }
            n_samples += samples.len();
        }
        assert!(n_samples > 40, "{n_samples}");
    }

    #[test]
    fn outcomes_of_self_play_are_those_of_best_play_at_the_end() {
        let selfplay = Selfplay { random: 30..=45, depth: 1, exact_from: 9, fewest_empties: 5 };
        let mut asker = Asker::new(Effort::SMALL, Games::OTHELLO);
        let mut n_samples = 0;
        for game in 0..20 {
            let samples = selfplay.samples(2, game, &mut asker);
            assert_eq!(
                samples,
                selfplay.samples(2, game, &mut Asker::new(Effort::SMALL, Games::OTHELLO))
            );
            for sample in &samples {
                let outcome = sample.outcome.expect("an outcome");
                let n_empties = empties(&sample.position);
                assert!(n_empties >= 5 && moves(&sample.position) != 0);
                assert_eq!(sample.searched.is_some(), n_empties > 9);
                if n_empties <= 9 {
                    assert_eq!(asker.solve(&sample.position), Some(i32::from(outcome.centidiscs) / 100));
                }
            }
            n_samples += samples.len();
        }
        assert!(n_samples > 100, "{n_samples}");
    }
}
