//! Ratings of several engines from all games among them.
//!
//! Knows samples of pairings. Must not know names or games.
//!
//! The model is Bradley and Terry's with a draw as half a point: engine `i` scores
//! `1 / (1 + exp(r_j - r_i))` a game against `j`. The ratings are those of the greatest likelihood,
//! found by Newton's method and shifted so that their mean is 0. So two engines stand as far above
//! as below 0, and their difference is the Elo of their pairing.
//!
//! Where one group of engines has taken all points from another, no finite ratings are the likeliest;
//! the pairings *between* such groups are then drawn in by a quarter of a point as in
//! [`elo`](super::elo), and no others. Engines that no chain of games connects stand each group
//! around a mean of its own.
//!
//! The error is 1.96 standard deviations of the rating by the sandwich formula: the curvature of
//! the likelihood says how a surprise in one pairing moves every rating, and the spread of the units
//! (pairs of games) how large surprises are. For two engines it is half the error of their difference.

use super::elo::{ELO_PER_LOGIT, Sample, Z_95, points_within};

/// The rating of one engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo points above the mean of those it is connected with.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
    /// Points were drawn in for it, so that the error says nothing.
    pub is_drawn_in: bool,
}

impl Rating {
    /// The error, where there is one to speak of.
    #[must_use]
    pub fn known_error(&self) -> Option<f64> {
        (!self.is_drawn_in).then_some(self.error)
    }
}

/// Two engines by their numbers, with their games from the first one's view.
pub type Pairing = (usize, usize, Sample);

/// The ratings of `n` engines, numbered from 0, each pairing given once. None for an engine without
/// a game.
#[must_use]
pub fn ratings(n: usize, pairings: &[Pairing]) -> Vec<Option<Rating>> {
    let played: Vec<&Pairing> = pairings.iter().filter(|(_, _, sample)| sample.n_games() > 0).collect();
    let mut ratings = vec![None; n];
    for group in connected(n, &played) {
        let members: Vec<&Pairing> =
            played.iter().copied().filter(|(one, _, _)| group.contains(one)).collect();
        for (&engine, rating) in group.iter().zip(rate_group(&group, &members)) {
            ratings[engine] = Some(rating);
        }
    }
    ratings
}

/// The groups of engines that games connect, each in order; engines without a game are in none.
fn connected(n: usize, played: &[&Pairing]) -> Vec<Vec<usize>> {
    let reached = reach(n, |one, other| {
        played.iter().any(|&&(a, b, _)| (a, b) == (one, other) || (b, a) == (one, other))
    });
    let groups = reached.iter().enumerate().filter_map(|(engine, row)| {
        let group: Vec<usize> = (0..n).filter(|&other| row[other]).collect();
        // Each group is told by its first engine.
        (group.first() == Some(&engine) && group.len() > 1).then_some(group)
    });
    groups.collect()
}

/// Who is reached from whom over any number of steps.
fn reach(n: usize, step: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let mut reached: Vec<Vec<bool>> =
        (0..n).map(|one| (0..n).map(|other| one == other || step(one, other)).collect()).collect();
    for through in 0..n {
        let onward = reached[through].clone();
        for row in reached.iter_mut().filter(|row| row[through]) {
            row.iter_mut().zip(&onward).for_each(|(cell, &further)| *cell |= further);
        }
    }
    reached
}

/// One pairing of a group, its engines numbered within the group.
struct Meeting {
    one: usize,
    other: usize,
    n_games: f64,
    /// Points of the first, drawn in where the likelihood has no greatest value.
    points: f64,
    sample: Sample,
}

/// The ratings of engines that games connect.
fn rate_group(group: &[usize], pairings: &[&Pairing]) -> Vec<Rating> {
    let meetings = meetings(group, pairings);
    let is_drawn_in = meetings.iter().any(|meeting| meeting.points != meeting.sample.points());
    let logits = likeliest(group.len(), &meetings);
    let weights = inverse(&curvature(&logits, &meetings));
    let spreads: Vec<f64> =
        meetings.iter().map(|meeting| meeting.sample.spread_about(expected(&logits, meeting))).collect();
    let variance = |engine: usize| -> f64 {
        let row = &weights[engine];
        meetings
            .iter()
            .zip(&spreads)
            .map(|(meeting, spread)| (row[meeting.one] - row[meeting.other]).powi(2) * spread)
            .sum()
    };
    logits
        .iter()
        .enumerate()
        .map(|(engine, logit)| Rating {
            elo: logit * ELO_PER_LOGIT,
            error: Z_95 * variance(engine).sqrt() * ELO_PER_LOGIT,
            is_drawn_in,
        })
        .collect()
}

fn meetings(group: &[usize], pairings: &[&Pairing]) -> Vec<Meeting> {
    let place = |engine: usize| group.iter().position(|&member| member == engine).unwrap_or_default();
    let mut meetings: Vec<Meeting> = pairings
        .iter()
        .map(|(one, other, sample)| Meeting {
            one: place(*one),
            other: place(*other),
            n_games: sample.n_games() as f64,
            points: sample.points(),
            sample: *sample,
        })
        .collect();
    // Who took a point from whom, over any number of engines between.
    let above = reach(group.len(), |one, other| {
        meetings.iter().any(|meeting| {
            let lost = meeting.n_games - meeting.points;
            (meeting.one, meeting.other) == (one, other) && meeting.points > 0.0
                || (meeting.other, meeting.one) == (one, other) && lost > 0.0
        })
    });
    for meeting in &mut meetings {
        if !(above[meeting.one][meeting.other] && above[meeting.other][meeting.one]) {
            meeting.points = points_within(meeting.points, meeting.n_games);
        }
    }
    meetings
}

fn expected(logits: &[f64], meeting: &Meeting) -> f64 {
    1.0 / (1.0 + (logits[meeting.other] - logits[meeting.one]).exp())
}

/// Newton's method. The likelihood is concave; short steps keep it from running away at first.
fn likeliest(n: usize, meetings: &[Meeting]) -> Vec<f64> {
    const MOST_ROUNDS: usize = 200;
    const LONGEST_STEP: f64 = 1.0;
    const CLOSE: f64 = 1e-12;
    let mut logits = vec![0.0; n];
    for _ in 0..MOST_ROUNDS {
        let mut slope = vec![0.0; n];
        for meeting in meetings {
            let surprise = meeting.points - meeting.n_games * expected(&logits, meeting);
            slope[meeting.one] += surprise;
            slope[meeting.other] -= surprise;
        }
        let weights = inverse(&curvature(&logits, meetings));
        let step: Vec<f64> = weights
            .iter()
            .map(|row| row.iter().zip(&slope).map(|(weight, slope)| weight * slope).sum())
            .collect();
        let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        let shorten = (LONGEST_STEP / longest).min(1.0);
        for (logit, step) in logits.iter_mut().zip(&step) {
            *logit += shorten * step;
        }
        if longest < CLOSE {
            break;
        }
    }
    let mean = logits.iter().sum::<f64>() / n as f64;
    logits.iter().map(|logit| logit - mean).collect()
}

/// Minus the second derivatives of the likelihood. They know nothing of a common shift; one in
/// every place holds the mean where it is.
fn curvature(logits: &[f64], meetings: &[Meeting]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![1.0; logits.len()]; logits.len()];
    for meeting in meetings {
        let expected = expected(logits, meeting);
        let bend = meeting.n_games * (expected * (1.0 - expected)).max(f64::EPSILON);
        matrix[meeting.one][meeting.one] += bend;
        matrix[meeting.other][meeting.other] += bend;
        matrix[meeting.one][meeting.other] -= bend;
        matrix[meeting.other][meeting.one] -= bend;
    }
    matrix
}

/// The inverse of a positive definite matrix, by elimination; no pivoting is needed for those.
fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let mut left = matrix.to_vec();
    let mut right: Vec<Vec<f64>> =
        (0..n).map(|row| (0..n).map(|column| if row == column { 1.0 } else { 0.0 }).collect()).collect();
    for pivot in 0..n {
        let scale = 1.0 / left[pivot][pivot];
        for value in left[pivot].iter_mut().chain(right[pivot].iter_mut()) {
            *value *= scale;
        }
        let (left_row, right_row) = (left[pivot].clone(), right[pivot].clone());
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = left[row][pivot];
            for column in 0..n {
                left[row][column] -= factor * left_row[column];
                right[row][column] -= factor * right_row[column];
            }
        }
    }
    right
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elos(n: usize, pairings: &[Pairing]) -> Vec<f64> {
        ratings(n, pairings).iter().map(|rating| rating.unwrap().elo).collect()
    }

    #[test]
    fn two_engines_are_as_far_apart_as_their_pairing_says() {
        for sample in [
            Sample::of_pairs([34, 54, 63, 64, 75]),
            Sample::of_pairs([0, 0, 0, 0, 50]),
            Sample::of_games(10, 0, 0),
            Sample::of_games(1, 2, 8),
        ] {
            let pairwise = sample.estimate().unwrap();
            let rated = ratings(2, &[(0, 1, sample)]);
            let (one, other) = (rated[0].unwrap(), rated[1].unwrap());
            assert!((one.elo - other.elo - pairwise.elo).abs() < 1e-6, "{one:?} {pairwise:?}");
            assert!((one.elo + other.elo).abs() < 1e-9);
            assert!((one.error - other.error).abs() < 1e-9);
        }
    }

    /// Away from the edges the interval is nearly straight, so that both ways to it agree.
    #[test]
    fn two_engines_have_half_the_error_of_their_difference() {
        let sample = Sample::of_pairs([340, 540, 630, 640, 750]);
        let error = ratings(2, &[(0, 1, sample)])[0].unwrap().error;
        assert!((2.0 * error - sample.estimate().unwrap().error).abs() < 0.05, "{error}");
    }

    #[test]
    fn ratings_that_points_were_drawn_in_for_have_no_error() {
        let clean = Sample::of_games(2, 0, 0);
        let known = |pairings: &[Pairing]| ratings(3, pairings)[0].unwrap().known_error().is_some();
        assert!(!known(&[(0, 1, clean)]));
        assert!(known(&[(0, 1, clean), (1, 2, clean), (2, 0, clean)]), "everybody lost to somebody");
    }

    /// Each of three engines scores three quarters against the next: odds of 3 to 1, 190.85 points.
    /// The third pairing has what those odds foretell, 9 to 1, so that nothing pulls.
    #[test]
    fn a_consistent_table_is_met_exactly() {
        let games = [
            (0, 1, Sample::of_games(75, 0, 25)),
            (1, 2, Sample::of_games(75, 0, 25)),
            (0, 2, Sample::of_games(90, 0, 10)),
        ];
        let step = 400.0 * 3_f64.log10();
        for (found, right) in elos(3, &games).iter().zip([step, 0.0, -step]) {
            assert!((found - right).abs() < 1e-6, "{found} for {right}");
        }
    }

    #[test]
    fn a_ladder_of_clean_wins_is_finite_and_in_order() {
        let clean = Sample::of_pairs([0, 0, 0, 0, 10]);
        let elos = elos(4, &[(0, 1, clean), (1, 2, clean), (2, 3, clean), (0, 3, clean)]);
        assert!(elos.iter().all(|elo| elo.is_finite()), "{elos:?}");
        assert!(elos.windows(2).all(|pair| pair[0] > pair[1]), "{elos:?}");
    }

    #[test]
    fn engines_that_never_met_stand_apart_and_one_without_a_game_has_no_rating() {
        let games = [(0, 1, Sample::of_games(3, 0, 1)), (2, 4, Sample::of_games(1, 0, 3))];
        let rated = ratings(5, &games);
        assert_eq!(rated[3], None);
        let step = 200.0 * 3_f64.log10();
        assert!((rated[0].unwrap().elo - step).abs() < 1e-6);
        assert!((rated[2].unwrap().elo + step).abs() < 1e-6);
    }

    fn table() -> impl Strategy<Value = Vec<Pairing>> {
        prop::collection::vec(prop::array::uniform5(prop_oneof![Just(0_u64), 0..30_u64]), 6).prop_map(
            |all| {
                let places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
                places.iter().zip(all).map(|(&(a, b), pairs)| (a, b, Sample::of_pairs(pairs))).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn ratings_are_finite_and_centred(table in table()) {
            let rated = ratings(4, &table);
            prop_assert!(rated.iter().flatten().all(|r| r.elo.is_finite() && r.error.is_finite()));
            let sum: f64 = rated.iter().flatten().map(|rating| rating.elo).sum();
            prop_assert!(sum.abs() < 1e-6, "{rated:?}");
        }

        #[test]
        fn the_order_and_the_view_of_pairings_do_not_matter(table in table()) {
            let turned: Vec<Pairing> =
                table.iter().rev().map(|(a, b, sample)| (*b, *a, sample.reversed())).collect();
            for (one, other) in ratings(4, &table).iter().zip(ratings(4, &turned)) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                prop_assert!((one.elo - other.elo).abs() < 1e-5, "{one:?} {other:?}");
                prop_assert!((one.error - other.error).abs() < 1e-4 * (1.0 + one.error), "{one:?} {other:?}");
            }
        }
    }
}
