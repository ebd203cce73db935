//! What a board is worth: discs shown, official score, winner.
//!
//! Knows the two scoring rules, anti and komi, and the types in which scores
//! are given. Must not know how a game came to its end (see [`super::game`]).
//!
//! [`count`] and [`score`] are two functions on purpose: a count can be asked at
//! any time, an official score is meant for finished games only.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Neg, Sub};

use super::board::Board;
use super::square::{BySide, Side};
use super::variant::Rules;

/// Twice a number of discs, so that ties on boards with an odd number of
/// squares and half-point komi are exact.
///
/// ```
/// use outflank::rules::HalfDiscs;
/// assert_eq!(HalfDiscs(-7).to_string(), "-3.5");
/// assert_eq!(HalfDiscs::from_discs(4).to_string(), "4");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HalfDiscs(pub i32);

impl HalfDiscs {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// A whole number of discs.
    pub const fn from_discs(discs: i32) -> Self {
        Self(2 * discs)
    }
}

impl Add for HalfDiscs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for HalfDiscs {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for HalfDiscs {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for HalfDiscs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let halves = self.0.unsigned_abs();
        let fraction = if halves % 2 == 1 { ".5" } else { "" };
        write!(f, "{sign}{}{fraction}", halves / 2)
    }
}

/// An exact score: the final margin in discs, from a stated view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Discs(pub i32);

impl Discs {
    /// The same score as an estimate.
    pub const fn to_centidiscs(self) -> Centidiscs {
        Centidiscs(self.0 * 100)
    }
}

impl Neg for Discs {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// A guessed score in hundredths of a disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Centidiscs(pub i32);

impl Neg for Centidiscs {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// How a score is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The score itself.
    Value,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// Which rule turns a final board into a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// World Othello Federation: empty squares go to the winner, a tie is half
    /// of the playable squares each.
    #[default]
    Official,
    /// The discs shown, nothing else.
    Discs,
}

/// The recorded score of a finished game, without komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Official {
    /// Black's.
    pub black: HalfDiscs,
    /// White's.
    pub white: HalfDiscs,
}

impl Official {
    /// Black's score less White's.
    pub fn difference(self) -> HalfDiscs {
        self.black - self.white
    }

    /// The pair that adds up to `squares` with this difference.
    pub(super) fn from_difference(difference: HalfDiscs, squares: u32) -> Self {
        // Half discs: (2 * squares + difference) / 2, rounded to a half disc.
        let black = (2 * squares as i32 + difference.0).div_euclid(2);
        Self { black: HalfDiscs(black), white: HalfDiscs(2 * squares as i32 - black) }
    }
}

/// The discs on the board, by side. Fit for any moment of a game.
///
/// ```
/// use outflank::rules::{Variant, by_name, count};
/// let start = Variant::new(by_name("othello").unwrap()).unwrap().start_state();
/// let discs = count(&start.board);
/// assert_eq!((discs.black, discs.white), (2, 2));
/// ```
pub fn count(board: &Board) -> BySide<u32> {
    board.counts()
}

/// The official score of a finished board.
///
/// ```
/// use outflank::rules::{Scoring, Square, Side, Variant, by_name, score};
/// let mut board = Variant::new(by_name("othello").unwrap()).unwrap().start_state().board;
/// // Black wins 3:2 with everything else empty, so the empty squares are his.
/// board.put(Side::Black, Square::new(0, 0).unwrap());
/// let official = score(&board, Scoring::Official);
/// assert_eq!((official.black.to_string(), official.white.to_string()), ("62".into(), "2".into()));
/// assert_eq!(score(&board, Scoring::Discs).black.to_string(), "3");
/// ```
pub fn score(board: &Board, scoring: Scoring) -> Official {
    let BySide { black, white } = count(board);
    match scoring {
        Scoring::Official => {
            let squares = board.geometry().squares();
            let margin = final_margin(black, white, squares, scoring);
            Official::from_difference(HalfDiscs::from_discs(margin), squares)
        }
        Scoring::Discs => Official {
            black: HalfDiscs::from_discs(black as i32),
            white: HalfDiscs::from_discs(white as i32),
        },
    }
}

/// Who wins on a finished board, komi and anti considered; `None` for a tie.
///
/// ```
/// use outflank::rules::{Rules, Side, Square, Variant, by_name, winner};
/// let mut board = Variant::new(by_name("othello").unwrap()).unwrap().start_state().board;
/// assert_eq!(winner(&board, &Rules::default()), None);
/// board.put(Side::Black, Square::new(0, 0).unwrap());
/// assert_eq!(winner(&board, &Rules::default()), Some(Side::Black));
/// assert_eq!(winner(&board, &Rules { anti: true, ..Rules::default() }), Some(Side::White));
/// ```
pub fn winner(board: &Board, rules: &Rules) -> Option<Side> {
    match margin_for_black(board, rules).cmp(&HalfDiscs::ZERO) {
        Ordering::Greater => Some(Side::Black),
        Ordering::Less => Some(Side::White),
        Ordering::Equal => None,
    }
}

/// By how much Black wins on a finished board, komi and anti considered;
/// negative when White wins.
pub fn margin_for_black(board: &Board, rules: &Rules) -> HalfDiscs {
    let difference = score(board, rules.scoring).difference();
    // Anti is the ordinary official margin with the sign changed, so that more
    // is still better for the player; komi comes after that.
    (if rules.anti { -difference } else { difference }) - rules.komi
}

/// `own` less `other` at the end of a game under a scoring rule, in discs:
/// under the official rule the winner gets the empty squares and a tie is 0.
/// Anti is up to the caller, who negates.
///
/// ```
/// use outflank::rules::{Scoring, final_margin};
/// assert_eq!(final_margin(20, 14, 64, Scoring::Official), 36);
/// assert_eq!(final_margin(14, 20, 64, Scoring::Official), -36);
/// assert_eq!(final_margin(25, 25, 64, Scoring::Official), 0);
/// assert_eq!(final_margin(20, 14, 64, Scoring::Discs), 6);
/// ```
#[inline]
pub fn final_margin(own: u32, other: u32, playable: u32, scoring: Scoring) -> i32 {
    // At most 256 each.
    let margin = own as i32 - other as i32;
    match scoring {
        Scoring::Official => {
            let empties = playable as i32 - own as i32 - other as i32;
            margin + margin.signum() * empties
        }
        Scoring::Discs => margin,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{board, spec, variant_of};
    use super::*;

    fn check(token: &str, counts: (u32, u32), official: (&str, &str), winner_is: Option<Side>) {
        let board = board(token);
        let BySide { black, white } = count(&board);
        assert_eq!((black, white), counts, "{token}");
        let shown = score(&board, Scoring::Official);
        assert_eq!(
            (shown.black.to_string(), shown.white.to_string()),
            (official.0.to_owned(), official.1.to_owned()),
            "{token}"
        );
        assert_eq!(winner(&board, &Rules::default()), winner_is, "{token}");
    }

    const A3: &str = "xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1ooo/xxxx1oo1/8/8/8,-";
    const A8: &str = "xxxx4/xxxx4/8/8/8/8/8/8,o";

    #[test]
    fn a3_a4_a8_the_winner_gets_the_empties_and_a_tie_is_half_each() {
        check(A3, (20, 14), ("50", "14"), Some(Side::Black));
        check("xx4oo/8/8/8/8/8/8/8,-", (2, 2), ("32", "32"), None);
        check(A8, (8, 0), ("64", "0"), Some(Side::Black));
    }

    #[test]
    fn holes_never_score_and_odd_boards_tie_at_a_half() {
        check("x_2_2o/8/8/8/8/8/8/_7,-", (1, 1), ("30.5", "30.5"), None);
        check("x_2_3/8/8/8/8/8/8/_7,-", (1, 0), ("61", "0"), Some(Side::Black));
    }

    #[test]
    fn h1_h2_anti_turns_the_official_margin_round() {
        let rules = Rules { anti: true, ..Rules::default() };
        for (token, margin, pair) in [(A3, -36, ("50", "14")), (A8, -64, ("64", "0"))] {
            let board = board(token);
            assert_eq!(winner(&board, &rules), Some(Side::White));
            assert_eq!(margin_for_black(&board, &rules), HalfDiscs::from_discs(margin));
            let shown = score(&board, rules.scoring);
            assert_eq!(
                (shown.black.to_string(), shown.white.to_string()),
                (pair.0.to_owned(), pair.1.to_owned())
            );
        }
    }

    #[test]
    fn j2_a_margin_equal_to_komi_is_a_draw() {
        // 34:30 on a full board.
        let board = board("xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxoooooo/oooooooo/oooooooo/oooooooo,-");
        let rules = |halves| Rules { komi: HalfDiscs(halves), ..Rules::default() };
        assert_eq!(winner(&board, &rules(8)), None);
        assert_eq!(winner(&board, &rules(7)), Some(Side::Black));
        assert_eq!(winner(&board, &rules(9)), Some(Side::White));
    }

    #[test]
    fn half_discs_print_with_a_fraction_only_where_odd() {
        for (halves, text) in [(0, "0"), (1, "0.5"), (-1, "-0.5"), (-8, "-4"), (129, "64.5")] {
            assert_eq!(HalfDiscs(halves).to_string(), text);
        }
    }

    #[test]
    fn the_discs_rule_counts_what_is_shown() {
        let mut spec = spec("othello");
        spec.rules.scoring = Scoring::Discs;
        let rules = *variant_of(spec).rules();
        assert_eq!(margin_for_black(&board(A3), &rules), HalfDiscs::from_discs(6));
    }
}
