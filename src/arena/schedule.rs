//! Which game comes when: who plays Black, who White, and from which opening.
//!
//! Knows numbers of engines and openings. Must not know what an engine is, nor how games end: the
//! schedule is the same whatever happens, so that a run can be taken up again in the middle.
//!
//! A **meeting** is two engines that play each other. A **round** is one pair of games of every
//! meeting, all from the same opening. The two games of a pair follow each other, with the colours
//! swapped.

use std::fmt;

use super::openings::shuffle;

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Two engines against each other.
    Versus,
    /// Everybody against everybody.
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
}

impl Pairing {
    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Pairing::Versus => "versus",
            Pairing::RoundRobin => "round-robin",
            Pairing::Gauntlet => "gauntlet",
        }
    }

    /// The meetings of so many engines, in the order of a round.
    fn meetings(self, n_engines: usize) -> Vec<(usize, usize)> {
        let firsts = match self {
            Pairing::Versus | Pairing::Gauntlet => 1,
            Pairing::RoundRobin => n_engines,
        };
        (0..firsts).flat_map(|first| (first + 1..n_engines).map(move |second| (first, second))).collect()
    }
}

/// In which order openings are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are listed.
    Sequential,
    /// Shuffled once by the seed.
    Random,
}

impl Order {
    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Order::Sequential => "sequential",
            Order::Random => "random",
        }
    }
}

/// One game that is to be played. Engines and openings are told by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Number of the game, from 1.
    pub game: u32,
    /// Number of its pair, from 1.
    pub pair: u32,
    /// Who plays Black.
    pub black: usize,
    /// Who plays White.
    pub white: usize,
    /// From where.
    pub opening: usize,
}

impl Fixture {
    /// Whether a pair of games is whole once this one is played.
    #[must_use]
    pub fn ends_its_pair(&self) -> bool {
        self.game.is_multiple_of(2)
    }
}

/// Why there is no such schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// Too few or too many engines for the pairing.
    Engines {
        /// The pairing.
        pairing: Pairing,
        /// How many there are.
        given: usize,
    },
    /// The games of a meeting are not whole pairs.
    Games {
        /// How many were asked for.
        given: u32,
    },
    /// The games of all meetings cannot be numbered.
    TooMany {
        /// Meetings of a round.
        meetings: usize,
        /// Games of each.
        games: u32,
    },
    /// There is nothing to begin from.
    NoOpenings,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Engines { pairing: Pairing::Versus, given } => {
                write!(
                    f,
                    "versus is for two engines, {given} are given; round-robin or gauntlet take more"
                )
            }
            ScheduleError::Engines { pairing, given } => {
                write!(f, "{} needs at least two engines, {given} are given", pairing.name())
            }
            ScheduleError::Games { given } => write!(
                f,
                "{given} games are not whole pairs: each opening is played twice with the colours swapped, so an even number from 2 is needed"
            ),
            ScheduleError::TooMany { meetings, games } => {
                write!(f, "{meetings} meetings of {games} games are more than {} games", u32::MAX)
            }
            ScheduleError::NoOpenings => f.write_str("there is no opening to play from"),
        }
    }
}

impl std::error::Error for ScheduleError {}

/// All games of a tournament, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    meetings: Vec<(usize, usize)>,
    /// Indices of openings in the order of the rounds; taken again from the front when used up.
    openings: Vec<usize>,
    n_games: u32,
}

impl Schedule {
    /// The schedule in which each meeting has so many games. Another number of games gives a
    /// schedule that begins in the same way.
    ///
    /// # Errors
    /// One of [`ScheduleError`].
    pub fn new(
        pairing: Pairing,
        n_engines: usize,
        games_per_meeting: u32,
        n_openings: usize,
        order: Order,
        seed: u64,
    ) -> Result<Self, ScheduleError> {
        if n_engines < 2 || pairing == Pairing::Versus && n_engines > 2 {
            return Err(ScheduleError::Engines { pairing, given: n_engines });
        }
        if games_per_meeting == 0 || !games_per_meeting.is_multiple_of(2) {
            return Err(ScheduleError::Games { given: games_per_meeting });
        }
        if n_openings == 0 {
            return Err(ScheduleError::NoOpenings);
        }
        let meetings = pairing.meetings(n_engines);
        let too_many = ScheduleError::TooMany { meetings: meetings.len(), games: games_per_meeting };
        let n_games = u32::try_from(meetings.len())
            .ok()
            .and_then(|meetings| meetings.checked_mul(games_per_meeting))
            .ok_or(too_many)?;
        let mut openings: Vec<usize> = (0..n_openings).collect();
        if order == Order::Random {
            shuffle(&mut openings, seed);
        }
        Ok(Self { meetings, openings, n_games })
    }

    /// How many games there are.
    #[must_use]
    pub fn n_games(&self) -> u32 {
        self.n_games
    }

    /// How many meetings a round has.
    #[must_use]
    pub fn n_meetings(&self) -> usize {
        self.meetings.len()
    }

    /// The game of this number, from 1; `None` behind the end.
    #[must_use]
    pub fn fixture(&self, game: u32) -> Option<Fixture> {
        if game == 0 || game > self.n_games {
            return None;
        }
        let index = (game - 1) as usize;
        let pair = index / 2;
        let (first, second) = self.meetings[pair % self.meetings.len()];
        let opening = self.openings[pair / self.meetings.len() % self.openings.len()];
        let (black, white) = if index.is_multiple_of(2) { (first, second) } else { (second, first) };
        Some(Fixture { game, pair: pair as u32 + 1, black, white, opening })
    }

    /// The first pair that is played from an opening used before; `None` when each is used once.
    #[must_use]
    pub fn first_repeated_pair(&self) -> Option<u32> {
        let n_pairs = (self.n_games / 2) as usize;
        let fresh = self.openings.len() * self.meetings.len();
        (n_pairs > fresh).then_some(fresh as u32 + 1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn schedule(pairing: Pairing, n_engines: usize, games: u32, n_openings: usize) -> Schedule {
        Schedule::new(pairing, n_engines, games, n_openings, Order::Sequential, 0).unwrap()
    }

    fn all(schedule: &Schedule) -> Vec<Fixture> {
        (1..=schedule.n_games()).map(|game| schedule.fixture(game).unwrap()).collect()
    }

    #[test]
    fn each_opening_is_played_twice_with_the_colours_swapped() {
        let fixtures = all(&schedule(Pairing::Versus, 2, 6, 3));
        for (index, games) in fixtures.chunks(2).enumerate() {
            assert_eq!((games[0].pair, games[1].pair), (index as u32 + 1, index as u32 + 1));
            assert_eq!((games[0].black, games[0].white), (0, 1));
            assert_eq!((games[1].black, games[1].white), (1, 0));
            assert_eq!((games[0].opening, games[1].opening), (index, index));
            assert!(!games[0].ends_its_pair() && games[1].ends_its_pair());
        }
    }

    #[test]
    fn in_a_round_robin_everybody_meets_everybody_from_the_same_opening() {
        let schedule = schedule(Pairing::RoundRobin, 4, 4, 10);
        let fixtures = all(&schedule);
        assert_eq!(fixtures.len(), 24);
        let first_round: Vec<_> =
            fixtures[..12].iter().step_by(2).map(|game| (game.black, game.white)).collect();
        assert_eq!(first_round, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert!(fixtures[..12].iter().all(|game| game.opening == 0));
        assert!(fixtures[12..].iter().all(|game| game.opening == 1));
        for engine in 0..4 {
            let blacks = fixtures.iter().filter(|game| game.black == engine).count();
            let whites = fixtures.iter().filter(|game| game.white == engine).count();
            assert_eq!((blacks, whites), (6, 6));
        }
    }

    #[test]
    fn in_a_gauntlet_the_first_engine_meets_the_others() {
        let fixtures = all(&schedule(Pairing::Gauntlet, 3, 2, 1));
        let pairs: Vec<_> = fixtures.iter().map(|game| (game.black, game.white)).collect();
        assert_eq!(pairs, [(0, 1), (1, 0), (0, 2), (2, 0)]);
    }

    #[test]
    fn openings_begin_again_when_they_are_used_up() {
        let wrapped = schedule(Pairing::Versus, 2, 8, 3);
        assert_eq!(wrapped.first_repeated_pair(), Some(4));
        assert_eq!(wrapped.fixture(7).unwrap().opening, 0);
        assert_eq!(schedule(Pairing::Versus, 2, 6, 3).first_repeated_pair(), None);
        assert_eq!(schedule(Pairing::RoundRobin, 3, 4, 1).first_repeated_pair(), Some(4));
    }

    #[test]
    fn a_seed_shuffles_all_openings_and_more_games_go_on_in_the_same_way() {
        let random =
            |games, seed| Schedule::new(Pairing::Versus, 2, games, 50, Order::Random, seed).unwrap();
        let openings = |schedule: &Schedule| -> Vec<usize> {
            all(schedule).iter().step_by(2).map(|game| game.opening).collect()
        };
        let whole = openings(&random(100, 7));
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(whole, sorted);
        assert_ne!(whole, openings(&random(100, 8)));
        assert_eq!(openings(&random(20, 7)), whole[..10]);
    }

    #[test]
    fn what_cannot_be_scheduled_is_refused() {
        let refused = |pairing, n_engines, games, n_openings| {
            Schedule::new(pairing, n_engines, games, n_openings, Order::Sequential, 0).unwrap_err()
        };
        assert_eq!(
            refused(Pairing::Versus, 3, 2, 1),
            ScheduleError::Engines { pairing: Pairing::Versus, given: 3 }
        );
        assert!(matches!(refused(Pairing::Gauntlet, 1, 2, 1), ScheduleError::Engines { given: 1, .. }));
        assert_eq!(refused(Pairing::Versus, 2, 7, 1), ScheduleError::Games { given: 7 });
        assert_eq!(refused(Pairing::Versus, 2, 0, 1), ScheduleError::Games { given: 0 });
        assert_eq!(refused(Pairing::Versus, 2, 2, 0), ScheduleError::NoOpenings);
        assert!(matches!(
            refused(Pairing::RoundRobin, 3, u32::MAX - 1, 1),
            ScheduleError::TooMany { .. }
        ));
    }

    #[test]
    fn there_is_no_game_before_the_first_nor_behind_the_last() {
        let schedule = schedule(Pairing::Versus, 2, 2, 1);
        assert_eq!((schedule.fixture(0), schedule.fixture(3)), (None, None));
    }
}
