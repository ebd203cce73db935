//! What a number of games says about the strength of two players: Elo, its error, likelihood of
//! superiority.
//!
//! Knows points and how they are grouped. Must not know names, colours or discs.
//!
//! **Units.** Two games of one opening with colours swapped are not independent: what the opening
//! gives to one colour it gives once to each player. So the unit of the statistics is the *pair*,
//! and its result one of five, 0 to 2 points: the pentanomial. A game without a partner is a unit
//! of one. With `n` games and `p` points in each unit, `N` games and the score `s = Σp / N` in all,
//!
//! ```text
//! variance of s = Σ (p - n s)² / N²
//! Elo           = 400 log10(s / (1 - s))
//! 95 % interval = Elo(s - 1.96 √variance) to Elo(s + 1.96 √variance)
//! LOS           = Φ((s - 1/2) / √variance)
//! ```
//!
//! For pairs alone this is the pentanomial estimate of fastchess (`app/src/matchmaking/elo/`), for
//! single games alone the trinomial one of fastchess and cutechess (`projects/lib/src/elo.cpp`);
//! both give half the width of the interval as the error, and so is it done here.
//!
//! **The edges.** Those formulas are infinite at 0 % and 100 %, and claim an error of nothing where
//! all units came out alike. Two rules keep every number finite and nothing else unchanged:
//! a score is taken as at least a quarter of a point away from none and from all, which is half of
//! the least that can really lie between; and the sum of squares is at least what one unit adds
//! that comes out the other way round, and at most what units add that are all won or all lost.
//! From some twenty pairs on the second rule binds only where (nearly) all of them are alike.

/// The 97.5 % point of the normal distribution: 95 % lie within so many standard deviations.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A score is at least so many points away from none and from all.
const LEAST_POINTS: f64 = 0.25;

/// Elo points of one unit of log odds.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The score expected of a player so many Elo points above the other.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The Elo difference that a score within 0 and 1 stands for; infinite at both ends.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The share of the normal distribution below so many standard deviations.
#[must_use]
pub fn normal_share(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Results of units, summed up so that any order of adding gives the same: all sums are whole
/// numbers, points counted in halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    n_units: u64,
    n_games: u64,
    half_points: u64,
    /// Sums over the units of points squared, points times games, games squared.
    points_points: u64,
    points_games: u64,
    games_games: u64,
    /// Units of two games by their half points.
    pentanomial: [u64; 5],
}

/// What a sample says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Points per game, 0 to 1.
    pub score: f64,
    /// Elo difference, finite.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Half the width of the interval.
    pub error: f64,
    /// One side took every point: the likeliest difference is infinite, so that the other numbers are
    /// those of the edge, and the error says nothing.
    pub is_one_sided: bool,
    /// Likelihood of superiority, 0 to 1: the belief that the player is the stronger one.
    pub los: f64,
}

impl Estimate {
    /// The error, where there is one to speak of.
    #[must_use]
    pub fn known_error(&self) -> Option<f64> {
        (!self.is_one_sided).then_some(self.error)
    }
}

impl Sample {
    /// Single games.
    #[must_use]
    pub fn of_games(wins: u64, draws: u64, losses: u64) -> Sample {
        let mut sample = Sample::default();
        sample.put(1, 2, wins);
        sample.put(1, 1, draws);
        sample.put(1, 0, losses);
        sample
    }

    /// Pairs by their half points: so many with 0, with half a point, and on to 2 points.
    #[must_use]
    pub fn of_pairs(pentanomial: [u64; 5]) -> Sample {
        let mut sample = Sample::default();
        for (half_points, count) in (0..).zip(pentanomial) {
            sample.put(2, half_points, count);
        }
        sample
    }

    /// Adds a unit of `n_games` games with so many half points. A unit without games is none.
    pub fn add(&mut self, n_games: u64, half_points: u64) {
        self.put(n_games, half_points, 1);
    }

    /// Takes out a unit that was added.
    pub fn take_out(&mut self, n_games: u64, half_points: u64) {
        let mut unit = Sample::default();
        unit.add(n_games, half_points);
        self.n_units -= unit.n_units;
        self.n_games -= unit.n_games;
        self.half_points -= unit.half_points;
        self.points_points -= unit.points_points;
        self.points_games -= unit.points_games;
        self.games_games -= unit.games_games;
        for (count, less) in self.pentanomial.iter_mut().zip(unit.pentanomial) {
            *count -= less;
        }
    }

    fn put(&mut self, n_games: u64, half_points: u64, times: u64) {
        debug_assert!(half_points <= 2 * n_games);
        if n_games == 0 {
            return;
        }
        self.n_units += times;
        self.n_games += times * n_games;
        self.half_points += times * half_points;
        self.points_points += times * half_points * half_points;
        self.points_games += times * half_points * n_games;
        self.games_games += times * n_games * n_games;
        if n_games == 2
            && let Some(count) = self.pentanomial.get_mut(half_points as usize)
        {
            *count += times;
        }
    }

    /// Adds all units of another sample.
    pub fn merge(&mut self, more: &Sample) {
        self.n_units += more.n_units;
        self.n_games += more.n_games;
        self.half_points += more.half_points;
        self.points_points += more.points_points;
        self.points_games += more.points_games;
        self.games_games += more.games_games;
        for (count, more) in self.pentanomial.iter_mut().zip(more.pentanomial) {
            *count += more;
        }
    }

    /// The same games from the other player's view.
    #[must_use]
    pub fn reversed(&self) -> Sample {
        let mut pentanomial = self.pentanomial;
        pentanomial.reverse();
        Sample {
            half_points: 2 * self.n_games - self.half_points,
            points_points: 4 * self.games_games + self.points_points - 4 * self.points_games,
            points_games: 2 * self.games_games - self.points_games,
            pentanomial,
            ..*self
        }
    }

    /// Number of games.
    #[must_use]
    pub fn n_games(&self) -> u64 {
        self.n_games
    }

    /// Points, a draw counted half.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.half_points as f64 / 2.0
    }

    /// Whether one side took every point.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.half_points == 0 || self.half_points == 2 * self.n_games
    }

    /// Pairs with 0, half, 1, one and a half and 2 points.
    #[must_use]
    pub fn pentanomial(&self) -> [u64; 5] {
        self.pentanomial
    }

    /// Sum of the squared distances of the units' points from what a score lets expect, within the
    /// limits that the head of this file tells.
    #[must_use]
    pub fn spread_about(&self, score: f64) -> f64 {
        let games_games = self.games_games as f64;
        let sum = self.points_points as f64 / 4.0 - score * self.points_games as f64
            + score * score * games_games;
        let one_unit_turned = games_games / self.n_units.max(1) as f64;
        sum.max(one_unit_turned).min(games_games / 4.0)
    }

    /// What the sample says; nothing without a game.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        if self.n_games == 0 {
            return None;
        }
        let n_games = self.n_games as f64;
        let score = self.points() / n_games;
        let deviation = self.spread_about(score).sqrt() / n_games;
        let least = LEAST_POINTS / n_games;
        let elo = |score: f64| elo_of_score(score.clamp(least, 1.0 - least));
        let (low, high) = (elo(score - Z_95 * deviation), elo(score + Z_95 * deviation));
        Some(Estimate {
            score,
            elo: elo(score),
            low,
            high,
            error: (high - low) / 2.0,
            is_one_sided: self.is_one_sided(),
            los: normal_share((score - 0.5) / deviation),
        })
    }
}

/// Draws the points of one player against another in from none and from all, as for
/// [`Sample::estimate`].
#[must_use]
pub fn points_within(points: f64, n_games: f64) -> f64 {
    points.clamp(LEAST_POINTS, n_games - LEAST_POINTS)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(sample: Sample, elo: f64, error: f64, los: Option<f64>) {
        let found = sample.estimate().unwrap();
        assert!((found.elo - elo).abs() < 0.006, "Elo {} for {elo}", found.elo);
        assert!((found.error - error).abs() < 0.006, "error {} for {error}", found.error);
        if let Some(los) = los {
            assert!((found.los - los).abs() < 0.0001, "LOS {} for {los}", found.los);
        }
    }

    /// The numbers of fastchess's own tests, app/tests/elo_test.cpp, "Elo Model". It lists pairs as
    /// LL, LD, WL, DD, WD, WW; the two in the middle are one result.
    #[test]
    fn estimates_are_those_that_fastchess_publishes() {
        check(Sample::of_games(136, 111, 96), 40.70, 30.43, Some(0.9960));
        check(Sample::of_pairs([34, 54, 31 + 32, 64, 75]), 55.58, 27.65, Some(1.0));
        check(Sample::of_pairs([332, 433, 457 + 41, 333, 334]), -8.64, 10.33, Some(0.0505));
        check(Sample::of_pairs([7895, 8757, 5485 + 200, 568, 9999]), -21.04, 2.95, None);
        let los = Sample::of_games(76, 123, 89).estimate().unwrap().los;
        assert!((los - 0.1553).abs() < 0.0001, "{los}");
    }

    /// Round figures of the logistic scale: 400 points are odds of ten to one.
    #[test]
    fn the_scale_is_the_usual_one() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of_score(0.75) - 190.848_5).abs() < 1e-4);
        assert!((normal_share(Z_95) - 0.975).abs() < 1e-12);
    }

    #[test]
    fn all_won_is_better_than_nearly_all_won_and_grows_with_the_games() {
        let elo = |sample: Sample| sample.estimate().unwrap().elo;
        assert!(elo(Sample::of_games(100, 0, 0)) > elo(Sample::of_games(99, 1, 0)));
        assert!(elo(Sample::of_games(200, 0, 0)) > elo(Sample::of_games(100, 0, 0)));
        // A quarter of a point short of ten: odds of 39 to 1.
        assert!((elo(Sample::of_games(10, 0, 0)) - 400.0 * 39_f64.log10()).abs() < 1e-9);
    }

    #[test]
    fn pairs_that_are_all_alike_do_not_claim_to_be_certain() {
        let all_even = Sample::of_pairs([0, 0, 50, 0, 0]).estimate().unwrap();
        assert_eq!((all_even.elo, all_even.los), (0.0, 0.5));
        assert!(all_even.error > 10.0, "{}", all_even.error);
        let one = Sample::of_pairs([0, 0, 0, 1, 0]).estimate().unwrap();
        assert!(one.low < 0.0 && one.high > one.elo, "{one:?}");
    }

    #[test]
    fn where_one_side_took_every_point_there_is_no_error() {
        let known = |sample: Sample| sample.estimate().unwrap().known_error().is_some();
        assert!(!known(Sample::of_games(2, 0, 0)) && !known(Sample::of_pairs([5, 0, 0, 0, 0])));
        assert!(known(Sample::of_games(2, 1, 0)) && known(Sample::of_pairs([0, 0, 1, 0, 0])));
    }

    #[test]
    fn no_game_says_nothing() {
        assert_eq!(Sample::default().estimate(), None);
    }

    fn pairs() -> impl Strategy<Value = [u64; 5]> {
        prop::array::uniform5(prop_oneof![Just(0_u64), 0..40_u64, 0..100_000_u64])
    }

    proptest! {
        #[test]
        fn everything_is_finite_and_in_order(pairs in pairs(), singles in prop::array::uniform3(0..50_u64)) {
            let mut sample = Sample::of_pairs(pairs);
            sample.merge(&Sample::of_games(singles[0], singles[1], singles[2]));
            let Some(found) = sample.estimate() else { return Ok(()) };
            prop_assert!(found.low <= found.elo && found.elo <= found.high, "{found:?}");
            prop_assert!([found.elo, found.low, found.high, found.los].iter().all(|x| x.is_finite()));
            prop_assert!(found.error > 0.0 && (0.0..=1.0).contains(&found.los), "{found:?}");
        }

        #[test]
        fn the_other_players_view_is_the_mirror_image(pairs in pairs()) {
            let sample = Sample::of_pairs(pairs);
            let mut turned = pairs;
            turned.reverse();
            prop_assert_eq!(sample.reversed(), Sample::of_pairs(turned));
            let (Some(one), Some(other)) = (sample.estimate(), sample.reversed().estimate()) else {
                return Ok(());
            };
            prop_assert!((one.elo + other.elo).abs() < 1e-6);
            prop_assert!((one.low + other.high).abs() < 1e-6);
            prop_assert!((one.los + other.los - 1.0).abs() < 1e-9);
        }

        #[test]
        fn a_better_pair_never_lowers_the_estimate(pairs in pairs(), from in 0..4_usize) {
            prop_assume!(pairs[from] > 0);
            let mut better = pairs;
            better[from] -= 1;
            better[from + 1] += 1;
            let elo = |pairs| Sample::of_pairs(pairs).estimate().unwrap().elo;
            prop_assert!(elo(better) > elo(pairs));
        }

        #[test]
        fn what_is_taken_out_leaves_no_trace(pairs in pairs(), half_points in 0..=4_u64) {
            let sample = Sample::of_pairs(pairs);
            let mut changed = sample;
            changed.add(2, half_points);
            changed.take_out(2, half_points);
            prop_assert_eq!(changed, sample);
        }
    }
}
