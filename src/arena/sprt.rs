//! The sequential probability ratio test: whether enough games are played to tell a change of one
//! strength from a change of another.
//!
//! Knows numbers of results and bounds. Must not know names or games.
//!
//! The test is the generalised one: the log-likelihood ratio of the most likely distributions of
//! results under both hypotheses. Under *logistic* bounds a hypothesis fixes the expected score, as
//! cutechess and fastchess read `elo0` and `elo1`; under *normalized* ones it fixes the score's
//! distance from one half in standard deviations of a game, which takes as many games to prove
//! whatever the share of draws.
//!
//! With shares `f` of the results `a` (0 to 1 in equal steps) the most likely distribution with the
//! mean `s` is `f / (1 + x (a - s))`, where `x` makes the mean come out: Michel Van den Bergh,
//! "Comments on SPRT", Proposition 1.1 of `support_MLE_multinomial.pdf`; for a fixed distance in
//! standard deviations the same step is repeated on results bent by the last spread, section 4.1 of
//! `normalized_elo_practical.pdf`. fishtest (`stats/LLRcalc.py`) and fastchess compute the same.
//! Results that never came count as a thousandth, as they do there.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::elo::{ELO_PER_LOGIT, expected_score};

/// The scale of the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// The Elo that tables of results show.
    #[default]
    Logistic,
    /// Distance from an even score in standard deviations of a game, in units of 347.4 points.
    Normalized,
}

/// The two hypotheses and how often each may be wrongly taken for the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtBounds {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The second hypothesis: at least `elo1`.
    Accepted,
    /// The first one: at most `elo0`.
    Rejected,
    /// Not enough games.
    Continue,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Continue => "continue",
        })
    }
}

/// How far the test is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtState {
    /// Log-likelihood ratio so far.
    pub llr: f64,
    /// At or below this the verdict is `Rejected`.
    pub lower: f64,
    /// At or above this the verdict is `Accepted`.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// Why bounds cannot be.
#[derive(Clone, Debug, PartialEq)]
pub enum SprtFault {
    /// A word that is not `NAME=VALUE` with a known name.
    Word {
        /// The word.
        text: String,
    },
    /// A name that stands twice.
    Twice {
        /// The name.
        name: &'static str,
    },
    /// `elo0` or `elo1` is missing.
    Missing {
        /// The name.
        name: &'static str,
    },
    /// A value out of range.
    Range {
        /// The name.
        name: &'static str,
        /// The value as written.
        text: String,
        /// The legal range.
        range: &'static str,
    },
    /// `elo0` is not below `elo1`.
    Order {
        /// The lower bound.
        elo0: f64,
        /// The upper bound.
        elo1: f64,
    },
}

impl fmt::Display for SprtFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SprtFault::Word { text } => write!(
                f,
                "'{text}': bounds are written elo0=..,elo1=..[,alpha=..][,beta=..][,model=logistic|normalized]"
            ),
            SprtFault::Twice { name } => write!(f, "{name} is given twice"),
            SprtFault::Missing { name } => write!(f, "{name}= is missing"),
            SprtFault::Range { name, text, range } => write!(f, "{name}={text}: {range}"),
            SprtFault::Order { elo0, elo1 } => write!(f, "elo0={elo0} is not below elo1={elo1}"),
        }
    }
}

impl std::error::Error for SprtFault {}

/// Probability of an error where none is given.
const USUAL_ERROR: f64 = 0.05;
/// Greatest bound of each model: a normalized bound is reached by no real pairing long before.
const GREATEST_LOGISTIC: f64 = 1000.0;
const GREATEST_NORMALIZED: f64 = 400.0;

impl SprtBounds {
    /// A test of `elo0` against `elo1`. `alpha` bounds the probability that `elo1` is accepted
    /// where `elo0` is true, `beta` that it is rejected where it is true itself.
    ///
    /// # Errors
    /// Bounds out of range or order, probabilities outside 0 to 0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: Model) -> Result<Self, SprtFault> {
        let (greatest, range) = match model {
            Model::Logistic => (GREATEST_LOGISTIC, "Elo from -1000 to 1000"),
            Model::Normalized => (GREATEST_NORMALIZED, "normalized Elo from -400 to 400"),
        };
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if elo.is_nan() || elo.abs() > greatest {
                return Err(SprtFault::Range { name, text: elo.to_string(), range });
            }
        }
        for (name, error) in [("alpha", alpha), ("beta", beta)] {
            let is_legal = error > 0.0 && error < 0.5;
            if !is_legal {
                let range = "a probability above 0 and below 0.5";
                return Err(SprtFault::Range { name, text: error.to_string(), range });
            }
        }
        if elo0 < elo1 {
            Ok(Self { elo0, elo1, alpha, beta, model })
        } else {
            Err(SprtFault::Order { elo0, elo1 })
        }
    }

    /// Lower and upper bound of the log-likelihood ratio: Wald's `ln(beta / (1 - alpha))` and
    /// `ln((1 - beta) / alpha)`.
    #[must_use]
    pub fn limits(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha, self.beta);
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// How far the test is after these pairs, numbered by their half points.
    #[must_use]
    pub fn after(&self, pentanomial: [u64; 5]) -> SprtState {
        let llr = self.llr(&pentanomial);
        let (lower, upper) = self.limits();
        let verdict = if llr >= upper {
            Verdict::Accepted
        } else if llr <= lower {
            Verdict::Rejected
        } else {
            Verdict::Continue
        };
        SprtState { llr, lower, upper, verdict }
    }

    /// The log-likelihood ratio of numbers of results, worst first, in equal steps: five for pairs,
    /// three for single games. 0 without any.
    fn llr<const N: usize>(&self, counts: &[u64; N]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = counts.map(|count| if count == 0 { NEVER } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let most_likely = |elo: f64| match self.model {
            Model::Logistic => with_mean(&shares, expected_score(elo)),
            Model::Normalized => {
                let n_games = (N - 1) as f64 / 2.0;
                with_distance(&shares, elo / (2.0 * ELO_PER_LOGIT) * n_games.sqrt())
            }
        };
        let (first, second) = (most_likely(self.elo0), most_likely(self.elo1));
        let logs = second.iter().zip(&first).map(|(second, first)| (second / first).ln());
        counts.iter().zip(logs).map(|(count, log)| count * log).sum()
    }
}

/// What a result that never came counts as.
const NEVER: f64 = 1e-3;

/// The results: 0 to 1 in equal steps.
fn steps<const N: usize>() -> [f64; N] {
    std::array::from_fn(|index| index as f64 / (N - 1) as f64)
}

/// The most likely distribution with this mean, within 0 and 1.
fn with_mean<const N: usize>(shares: &[f64; N], mean: f64) -> [f64; N] {
    tilted(shares, &steps::<N>().map(|result| result - mean))
}

/// The most likely distribution whose mean is so many of its standard deviations above one half.
fn with_distance<const N: usize>(shares: &[f64; N], distance: f64) -> [f64; N] {
    const MOST_ROUNDS: usize = 30;
    const CLOSE: f64 = 1e-10;
    let results = steps::<N>();
    let mut likely = [1.0 / N as f64; N];
    for _ in 0..MOST_ROUNDS {
        let mean: f64 = likely.iter().zip(&results).map(|(share, result)| share * result).sum();
        let squares = likely.iter().zip(&results).map(|(share, result)| share * (result - mean).powi(2));
        let deviation = squares.sum::<f64>().max(f64::MIN_POSITIVE).sqrt();
        let bent = results.map(|result| {
            let away = (mean - result) / deviation;
            result - 0.5 - distance * deviation * (1.0 + away * away) / 2.0
        });
        let next = tilted(shares, &bent);
        let moved = next.iter().zip(&likely).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        likely = next;
        if moved < CLOSE {
            break;
        }
    }
    likely
}

/// `share / (1 + x value)` with the `x` that makes the values' mean 0. The sum of
/// `share value / (1 + x value)` falls in `x` between the two poles, so that halving finds it.
fn tilted<const N: usize>(shares: &[f64; N], values: &[f64; N]) -> [f64; N] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let has_both_signs = least < 0.0 && greatest > 0.0;
    if !has_both_signs {
        // No distribution over these values has the mean 0.
        return *shares;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut middle = 0.0;
    // Until no number lies between.
    while low < middle && middle < high {
        let sum: f64 =
            shares.iter().zip(values).map(|(share, value)| share * value / (1.0 + middle * value)).sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
        middle = low + (high - low) / 2.0;
    }
    std::array::from_fn(|index| shares[index] / (1.0 + middle * values[index]))
}

impl FromStr for SprtBounds {
    type Err = SprtFault;

    /// `elo0=0,elo1=5,alpha=0.05,beta=0.05,model=logistic`, in any order; the last three may be
    /// left out, and are then as here.
    fn from_str(text: &str) -> Result<Self, SprtFault> {
        let mut numbers: [(&'static str, Option<f64>); 4] =
            [("elo0", None), ("elo1", None), ("alpha", None), ("beta", None)];
        let mut model = None;
        for word in text.split(',').map(str::trim) {
            let unknown = || SprtFault::Word { text: word.to_owned() };
            let (name, value) = word.split_once('=').ok_or_else(unknown)?;
            if name == "model" {
                let named = match value {
                    "logistic" => Model::Logistic,
                    "normalized" => Model::Normalized,
                    _ => {
                        let range = "logistic or normalized";
                        return Err(SprtFault::Range { name: "model", text: value.to_owned(), range });
                    }
                };
                if model.replace(named).is_some() {
                    return Err(SprtFault::Twice { name: "model" });
                }
                continue;
            }
            let (name, slot) =
                numbers.iter_mut().find(|(known, _)| *known == name).ok_or_else(unknown)?;
            let number =
                value.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
                    SprtFault::Range { name, text: value.to_owned(), range: "a number" }
                })?;
            if slot.replace(number).is_some() {
                return Err(SprtFault::Twice { name });
            }
        }
        let [(_, elo0), (_, elo1), (_, alpha), (_, beta)] = numbers;
        Self::new(
            elo0.ok_or(SprtFault::Missing { name: "elo0" })?,
            elo1.ok_or(SprtFault::Missing { name: "elo1" })?,
            alpha.unwrap_or(USUAL_ERROR),
            beta.unwrap_or(USUAL_ERROR),
            model.unwrap_or_default(),
        )
    }
}

impl fmt::Display for SprtBounds {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elo0={},elo1={},alpha={},beta={}", self.elo0, self.elo1, self.alpha, self.beta)?;
        match self.model {
            Model::Logistic => Ok(()),
            Model::Normalized => f.write_str(",model=normalized"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounds(elo0: f64, elo1: f64, model: Model) -> SprtBounds {
        SprtBounds::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    fn check<const N: usize>(bounds: &SprtBounds, counts: [u64; N], llr: f64) {
        let found = bounds.llr(&counts);
        // The numbers are published with two decimals.
        assert!((found - llr).abs() < 0.006, "LLR {found} for {llr}");
    }

    /// fastchess, app/tests/sprt_test.cpp: wins, losses, draws, or pairs as LL, LD, WL, DD, WD, WW.
    #[test]
    fn ratios_are_those_that_fastchess_publishes() {
        use Model::{Logistic, Normalized};
        check(&bounds(0.0, 2.0, Normalized), [36027, 68692, 36433], 0.92);
        check(&bounds(-1.75, 0.25, Normalized), [10650, 20431, 10871], 2.30);
        check(&bounds(0.5, 2.5, Logistic), [21184, 40708, 21404], -1.57);
        check(&bounds(0.0, 2.0, Logistic), [57030, 106_593, 57433], -2.59);
        check(&bounds(0.0, 2.0, Normalized), [365, 16618, 36029 + 200, 16974, 390], 2.25);
        check(&bounds(-1.75, 0.25, Normalized), [127, 4883, 10311 + 401, 5150, 104], 3.01);
        check(&bounds(0.5, 2.5, Logistic), [223, 9863, 20279 + 1000, 10037, 246], -3.07);
        check(&bounds(0.0, 2.0, Logistic), [871, 26175, 55003 + 980, 26678, 821], -4.98);
    }

    /// Pairs that are all won leave two results that matter. A share `p` of the better one is
    /// `t = (p - 1/2) / sqrt(p (1 - p))` deviations from even, so that `p = 1/2 + t / 2 sqrt(1 + t²)`.
    #[test]
    fn all_won_is_as_likely_as_pen_and_paper_say() {
        let t = 5.0 * std::f64::consts::LN_10 / 800.0 * std::f64::consts::SQRT_2;
        let p = 0.5 + t / (2.0 * (1.0 + t * t).sqrt());
        check(&bounds(0.0, 5.0, Model::Normalized), [0, 0, 0, 0, 104], 104.0 * (p / 0.5).ln());
    }

    /// Wald, Sequential Analysis (1947), 3.2: ln 19 for errors of 5 %, as every manual prints it.
    #[test]
    fn limits_are_those_of_wald() {
        let (lower, upper) = bounds(0.0, 5.0, Model::Logistic).limits();
        assert!((upper - 2.944).abs() < 0.001 && (lower + 2.944).abs() < 0.001);
        let skew = SprtBounds::new(0.0, 5.0, 0.01, 0.1, Model::Logistic).unwrap().limits();
        assert!((skew.0 + 2.2925).abs() < 0.0001 && (skew.1 - 4.4998).abs() < 0.0001, "{skew:?}");
    }

    #[test]
    fn the_verdict_follows_the_limits() {
        let bounds = bounds(0.0, 10.0, Model::Logistic);
        assert_eq!(bounds.after([0; 5]).verdict, Verdict::Continue);
        assert_eq!(bounds.after([0; 5]).llr, 0.0);
        assert_eq!(bounds.after([10, 100, 400, 300, 200]).verdict, Verdict::Accepted);
        assert_eq!(bounds.after([200, 300, 400, 100, 10]).verdict, Verdict::Rejected);
        assert_eq!(bounds.after([1, 2, 4, 3, 1]).verdict, Verdict::Continue);
    }

    #[test]
    fn bounds_are_read_as_they_are_written() {
        let read = |text: &str| text.parse::<SprtBounds>();
        assert_eq!(read("elo0=0,elo1=5").unwrap(), bounds(0.0, 5.0, Model::Logistic));
        let all = "elo0=-3,elo1=1.5,alpha=0.01,beta=0.1,model=normalized";
        assert_eq!(read(all).unwrap().to_string(), all);
        let told = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(told("elo0=5,elo1=5"), "elo0=5 is not below elo1=5");
        assert_eq!(told("elo0=0"), "elo1= is missing");
        assert_eq!(told("elo0=0,elo1=x"), "elo1=x: a number");
        assert_eq!(told("elo0=0,elo1=5,elo0=1"), "elo0 is given twice");
        assert_eq!(told("elo0=0,elo1=5,alpha=0.7"), "alpha=0.7: a probability above 0 and below 0.5");
        assert!(told("0,5").starts_with("'0': bounds are written elo0=.."));
        assert!(told("elo0=nan,elo1=5").contains("a number"));
    }

    fn pairs() -> impl Strategy<Value = [u64; 5]> {
        prop::array::uniform5(prop_oneof![Just(0_u64), 0..40_u64, 0..1_000_000_u64])
    }

    fn models() -> impl Strategy<Value = (f64, f64, Model)> {
        let logistic = (-1000.0..1000.0, -1000.0..1000.0, Just(Model::Logistic));
        let normalized = (-400.0..400.0, -400.0..400.0, Just(Model::Normalized));
        prop_oneof![logistic, normalized]
    }

    proptest! {
        #[test]
        fn the_ratio_is_always_finite(pairs in pairs(), (a, b, model) in models()) {
            prop_assume!(a != b);
            let state = bounds(f64::min(a, b), f64::max(a, b), model).after(pairs);
            prop_assert!(state.llr.is_finite(), "{state:?}");
        }

        #[test]
        fn swapping_the_players_and_the_hypotheses_turns_the_sign(
            pairs in pairs(), low in -20.0..0.0, width in 0.5..20.0, normalized: bool
        ) {
            let model = if normalized { Model::Normalized } else { Model::Logistic };
            let mut turned = pairs;
            turned.reverse();
            let one = bounds(low, low + width, model).after(pairs).llr;
            let other = bounds(-low - width, -low, model).after(turned).llr;
            prop_assert!((one + other).abs() <= 1e-6 * (1.0 + one.abs()), "{one} {other}");
        }

        #[test]
        fn a_better_pair_never_lowers_the_ratio(pairs in pairs(), from in 0..4_usize) {
            prop_assume!(pairs[from] > 1 && pairs[from + 1] > 0);
            let mut better = pairs;
            better[from] -= 1;
            better[from + 1] += 1;
            let bounds = bounds(0.0, 5.0, Model::Logistic);
            prop_assert!(bounds.after(better).llr >= bounds.after(pairs).llr - 1e-9);
        }
    }
}
