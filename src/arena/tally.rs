//! What the games of a tournament add up to.
//!
//! Knows rows, engines by name, colours, discs. Must not know how games are played nor where rows
//! are kept. Rows may come in any order and all at once or one by one: the same rows give the same
//! numbers to the last bit.

use std::collections::{BTreeMap, BTreeSet};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::elo::{Estimate, Sample};
use super::outcome::{GameRow, Plain, Score};
use super::ratings::{Rating, ratings};
use super::sprt::{SprtBounds, SprtState};
use crate::page::counted;

/// Fields of the result line beside the engines': no engine can be called so.
pub const RESERVED_NAMES: [&str; 7] = ["elo", "elo_error", "los", "pentanomial", "llr", "sprt", "games"];

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wdl {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Wdl {
    /// Number of games.
    #[must_use]
    pub fn n_games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points, a draw counted half.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points in percent of the games, as tables show them; nothing without a game.
    #[must_use]
    pub fn percent_text(self) -> Option<String> {
        let n_games = self.n_games();
        (n_games > 0).then(|| format!("{:.1}", 100.0 * self.points() / n_games as f64))
    }

    fn add(&mut self, score: Score) {
        match score {
            Score::Win => self.wins += 1,
            Score::Draw => self.draws += 1,
            Score::Loss => self.losses += 1,
        }
    }

    fn merge(&mut self, more: Wdl) {
        self.wins += more.wins;
        self.draws += more.draws;
        self.losses += more.losses;
    }

    fn reversed(self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

/// A mean number of discs a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDiscs {
    /// Games that the discs decided.
    pub n_games: u64,
    /// Discs a game, positive where the player had the better of it.
    pub mean: f64,
    /// Standard error of the mean, with the pairs of games as units; not known from one unit.
    pub error: Option<f64>,
}

/// Disc differences of units, in half discs: all sums are whole numbers, so that their order does
/// not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DiscSample {
    n_units: i64,
    n_games: i64,
    sum: i64,
    sum_squares: i64,
    sum_games: i64,
    games_games: i64,
}

impl DiscSample {
    fn of_unit(unit: &[Played]) -> DiscSample {
        let discs: Vec<i64> = unit.iter().filter_map(|played| played.half_discs).collect();
        if discs.is_empty() {
            return DiscSample::default();
        }
        let (n, sum) = (discs.len() as i64, discs.iter().sum::<i64>());
        DiscSample {
            n_units: 1,
            n_games: n,
            sum,
            sum_squares: sum * sum,
            sum_games: sum * n,
            games_games: n * n,
        }
    }

    fn merge(&mut self, more: &DiscSample, times: i64) {
        self.n_units += times * more.n_units;
        self.n_games += times * more.n_games;
        self.sum += times * more.sum;
        self.sum_squares += times * more.sum_squares;
        self.sum_games += times * more.sum_games;
        self.games_games += times * more.games_games;
    }

    fn reversed(&self) -> DiscSample {
        DiscSample { sum: -self.sum, sum_games: -self.sum_games, ..*self }
    }

    fn mean(&self) -> Option<MeanDiscs> {
        if self.n_games == 0 {
            return None;
        }
        let (n_units, n_games) = (self.n_units as f64, self.n_games as f64);
        let mean = self.sum as f64 / n_games;
        let squares = self.sum_squares as f64 - 2.0 * mean * self.sum_games as f64
            + mean * mean * self.games_games as f64;
        let error = (self.n_units > 1).then(|| {
            let variance = squares.max(0.0) * n_units / (n_units - 1.0) / (n_games * n_games);
            variance.sqrt() / 2.0
        });
        Some(MeanDiscs { n_games: self.n_games.unsigned_abs(), mean: mean / 2.0, error })
    }
}

/// One game as a pairing keeps it, from the view of its first engine.
#[derive(Clone, Copy, Debug)]
struct Played {
    score: Score,
    half_discs: Option<i64>,
}

/// The games of two engines, from the view of the one that was named first.
#[derive(Clone, Debug, Default)]
struct Pairing {
    /// Games by the number of their pair.
    units: BTreeMap<u32, Vec<Played>>,
    sample: Sample,
    discs: DiscSample,
    black: Wdl,
    white: Wdl,
}

impl Pairing {
    fn add(&mut self, pair: u32, played: Played, is_black: bool) {
        let unit = self.units.entry(pair).or_default();
        let points = |unit: &[Played]| {
            let half_points = unit.iter().map(|played| u64::from(played.score.half_points())).sum();
            (unit.len() as u64, half_points)
        };
        let (n_games, half_points) = points(unit);
        if n_games > 0 {
            self.sample.take_out(n_games, half_points);
        }
        self.discs.merge(&DiscSample::of_unit(unit), -1);
        unit.push(played);
        let (n_games, half_points) = points(unit);
        self.sample.add(n_games, half_points);
        self.discs.merge(&DiscSample::of_unit(unit), 1);
        let record = if is_black { &mut self.black } else { &mut self.white };
        record.add(played.score);
    }

    fn reversed(&self) -> Versus {
        Versus {
            black: self.white.reversed(),
            white: self.black.reversed(),
            sample: self.sample.reversed(),
            discs: self.discs.reversed(),
        }
    }

    fn forward(&self) -> Versus {
        Versus { black: self.black, white: self.white, sample: self.sample, discs: self.discs }
    }
}

/// What one engine did against another, or against all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versus {
    /// Its games with Black.
    pub black: Wdl,
    /// Its games with White.
    pub white: Wdl,
    /// Its points by pairs.
    pub sample: Sample,
    discs: DiscSample,
}

impl Versus {
    /// Its games with both colours.
    #[must_use]
    pub fn all(&self) -> Wdl {
        let mut all = self.black;
        all.merge(self.white);
        all
    }

    /// Its mean disc difference; nothing where no game was decided by discs.
    #[must_use]
    pub fn discs(&self) -> Option<MeanDiscs> {
        self.discs.mean()
    }

    fn merge(&mut self, more: &Versus) {
        self.black.merge(more.black);
        self.white.merge(more.white);
        self.sample.merge(&more.sample);
        self.discs.merge(&more.discs, 1);
    }
}

/// An engine in the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Its number, in the order in which engines were named.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its games.
    pub total: Versus,
    /// Its rating against the field; none without a game.
    pub rating: Option<Rating>,
}

/// The sum of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    engines: Vec<String>,
    pairings: BTreeMap<(usize, usize), Pairing>,
    games: BTreeSet<u32>,
}

impl Tally {
    /// A tournament of these engines, the first of which is the one that Elo and SPRT are about.
    #[must_use]
    pub fn new(engines: &[String]) -> Self {
        Self { engines: engines.to_vec(), ..Self::default() }
    }

    /// Adds a game; true if it counts. One that was stopped does not, nor one of a number that was
    /// added before. An engine that is not in the list joins it at the end.
    pub fn add(&mut self, row: &GameRow) -> bool {
        let Some(score) = row.score_for_black() else { return false };
        if !self.games.insert(row.game) {
            return false;
        }
        let (black, white) = (self.index_of(&row.x), self.index_of(&row.o));
        let half_discs = row.discs_for_black().map(|discs| (discs * 2.0).round() as i64);
        let is_black = black <= white;
        let played = if is_black {
            Played { score, half_discs }
        } else {
            Played { score: score.reversed(), half_discs: half_discs.map(|discs| -discs) }
        };
        let key = (black.min(white), black.max(white));
        self.pairings.entry(key).or_default().add(row.pair, played, is_black);
        true
    }

    fn index_of(&mut self, name: &str) -> usize {
        self.engines.iter().position(|known| known == name).unwrap_or_else(|| {
            self.engines.push(name.to_owned());
            self.engines.len() - 1
        })
    }

    /// The names of the engines, in the order in which they were named.
    #[must_use]
    pub fn engines(&self) -> &[String] {
        &self.engines
    }

    /// Number of games that count.
    #[must_use]
    pub fn n_games(&self) -> u64 {
        self.games.len() as u64
    }

    /// What an engine did against another, both by their numbers.
    #[must_use]
    pub fn versus(&self, engine: usize, other: usize) -> Option<Versus> {
        if engine <= other {
            self.pairings.get(&(engine, other)).map(Pairing::forward)
        } else {
            self.pairings.get(&(other, engine)).map(Pairing::reversed)
        }
    }

    /// What an engine did against all others.
    #[must_use]
    pub fn total(&self, engine: usize) -> Versus {
        let mut total = Versus::default();
        for other in (0..self.engines.len()).filter(|&other| other != engine) {
            if let Some(versus) = self.versus(engine, other) {
                total.merge(&versus);
            }
        }
        total
    }

    /// The rating of every engine, in the order in which they were named.
    #[must_use]
    pub fn ratings(&self) -> Vec<Option<Rating>> {
        let pairings: Vec<_> = self
            .pairings
            .iter()
            .filter(|((one, other), _)| one != other)
            .map(|(&(one, other), pairing)| (one, other, pairing.sample))
            .collect();
        ratings(self.engines.len(), &pairings)
    }

    /// The engines, best rating first; those without a game last.
    #[must_use]
    pub fn ranking(&self) -> Vec<Ranked> {
        let mut ranking: Vec<Ranked> = self
            .ratings()
            .into_iter()
            .enumerate()
            .map(|(index, rating)| Ranked {
                index,
                name: self.engines[index].clone(),
                total: self.total(index),
                rating,
            })
            .collect();
        let elo = |ranked: &Ranked| ranked.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        ranking.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
        ranking
    }

    /// What is known of the first engine's strength against its opponents.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        self.total(0).sample.estimate()
    }

    /// The test of the first engine's strength, by its whole pairs.
    #[must_use]
    pub fn sprt(&self, bounds: &SprtBounds) -> SprtState {
        bounds.after(self.total(0).sample.pentanomial())
    }

    /// The result of the tournament.
    #[must_use]
    pub fn standing(&self, bounds: Option<&SprtBounds>) -> Standing {
        let ratings = self.ratings();
        let engines = self.engines.iter().enumerate().map(|(index, name)| {
            // Two engines have one number between them, which stands beside theirs.
            let rating = ratings[index].filter(|_| self.engines.len() > 2);
            (name.clone(), EngineStanding::of(&self.total(index), rating))
        });
        Standing {
            engines: engines.collect(),
            games: self.n_games(),
            estimate: self.estimate(),
            pentanomial: self.total(0).sample.pentanomial(),
            sprt: bounds.map(|bounds| self.sprt(bounds)),
        }
    }

    /// One line for people: games, points, discs, Elo, and how far the test is.
    #[must_use]
    pub fn progress(&self, bounds: Option<&SprtBounds>) -> String {
        let mut parts = vec![counted(self.n_games(), "game")];
        match self.engines.as_slice() {
            [one, other] => {
                let (own, total) = (self.total(0), self.total(0).all());
                let points = (total.points(), total.reversed().points());
                parts.push(format!(
                    "{one} {} - {} {other} (+{} ={} -{})",
                    points.0, points.1, total.wins, total.draws, total.losses
                ));
                parts.extend(own.discs().map(|discs| format!("discs {}", discs_text(&discs))));
            }
            _ => parts.extend(self.ranking().iter().take(3).map(|ranked| {
                let total = ranked.total.all();
                format!("{} {}/{}", ranked.name, total.points(), total.n_games())
            })),
        }
        parts.extend(self.estimate().map(|estimate| {
            // Among several engines it has to be said whose it is.
            let whose = match self.engines.as_slice() {
                [first, _, _, ..] => format!(" of {first}"),
                _ => String::new(),
            };
            let los = estimate.los * 100.0;
            format!("Elo{whose} {} LOS {los:.1} %", elo_text(estimate.elo, estimate.known_error()))
        }));
        parts.extend(bounds.map(|bounds| llr_text(&self.sprt(bounds))));
        parts.join(", ")
    }
}

/// `+12.3 ±45.6`, and `+169.0 ±?` where no error is known.
pub(super) fn elo_text(elo: f64, error: Option<f64>) -> String {
    let error = error.map_or("?".to_owned(), |error| format!("{error:.1}"));
    format!("{:+.1} ±{error}", without_minus_zero(elo, 1))
}

/// `+2.4 ±1.1`, the standard error left out where it is not known.
pub(super) fn discs_text(discs: &MeanDiscs) -> String {
    let mean = without_minus_zero(discs.mean, 2);
    match discs.error {
        Some(error) => format!("{mean:+.2} ±{error:.2}"),
        None => format!("{mean:+.2}"),
    }
}

/// `LLR 1.23 (-2.94 to 2.94), continue`
pub(super) fn llr_text(state: &SprtState) -> String {
    let llr = without_minus_zero(state.llr, 2);
    format!("LLR {llr:.2} ({:.2} to {:.2}), {}", state.lower, state.upper, state.verdict)
}

/// A number that is going to be printed with so many decimals, without the sign of a zero.
fn without_minus_zero(value: f64, decimals: i32) -> f64 {
    if value.abs() * 10_f64.powi(decimals) < 0.5 { 0.0 } else { value }
}

/// The result of a tournament: it serializes to the last line of the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Every engine by its name, in the order in which they were named.
    pub engines: Vec<(String, EngineStanding)>,
    /// Games that count.
    pub games: u64,
    /// Elo and likelihood of superiority of the first engine.
    pub estimate: Option<Estimate>,
    /// Its pairs with 0, half, 1, one and a half and 2 points.
    pub pentanomial: [u64; 5],
    /// The test, where there is one.
    pub sprt: Option<SprtState>,
}

/// One engine in the result. Numbers that are not known are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineStanding {
    #[serde(flatten)]
    all: Wdl,
    points: Plain,
    /// Mean disc difference a game, and its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    discs: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discs_error: Option<Plain>,
    /// Against the field; only where there are more than two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rating_error: Option<Plain>,
    as_x: Wdl,
    as_o: Wdl,
}

impl EngineStanding {
    fn of(total: &Versus, rating: Option<Rating>) -> Self {
        let discs = total.discs();
        Self {
            all: total.all(),
            points: Plain::rounded(total.all().points(), 1),
            discs: discs.map(|discs| Plain::rounded(discs.mean, 4)),
            discs_error: discs.and_then(|discs| discs.error).map(|error| Plain::rounded(error, 4)),
            rating: rating.map(|rating| Plain::rounded(rating.elo, 2)),
            rating_error: rating.and_then(|r| r.known_error()).map(|error| Plain::rounded(error, 2)),
            as_x: total.black,
            as_o: total.white,
        }
    }
}

impl Standing {
    /// The last line of the output, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            result: &'a Standing,
        }
        // Keys are texts and numbers finite: nothing can fail.
        serde_json::to_string(&Line { result: self }).unwrap_or_default()
    }
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        for (name, standing) in &self.engines {
            map.serialize_entry(name, standing)?;
        }
        map.serialize_entry("games", &self.games)?;
        if let Some(estimate) = &self.estimate {
            map.serialize_entry("elo", &Plain::rounded(estimate.elo, 2))?;
            if let Some(error) = estimate.known_error() {
                map.serialize_entry("elo_error", &Plain::rounded(error, 2))?;
            }
            map.serialize_entry("los", &Plain::rounded(estimate.los, 4))?;
        }
        map.serialize_entry("pentanomial", &self.pentanomial)?;
        if let Some(sprt) = &self.sprt {
            map.serialize_entry("llr", &Plain::rounded(sprt.llr, 4))?;
            map.serialize_entry("sprt", &sprt.verdict)?;
        }
        map.end()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::super::outcome::{ByColour, Reason, Winner};
    use super::*;
    use proptest::prelude::*;

    /// A game that was played out with so many discs more for Black.
    pub fn row(game: u32, pair: u32, x: &str, o: &str, discs: i32) -> GameRow {
        let winner = match discs.signum() {
            1 => Winner::Black,
            0 => Winner::Nobody,
            _ => Winner::White,
        };
        let black = (64 + discs) / 2;
        let count = ByColour { x: black as u32, o: (64 - black) as u32 };
        GameRow {
            game,
            pair,
            opening: "f5d6c3d3".to_owned(),
            x: x.to_owned(),
            o: o.to_owned(),
            moves: "f5d6c3d3c4".to_owned(),
            count,
            official: Some(ByColour { x: f64::from(count.x), o: f64::from(count.o) }),
            winner,
            reason: Reason::Score,
            loser: None,
            exit_code: None,
            plies: 60,
            seconds: 1.5,
            variant: None,
            start: None,
            seed: None,
            note: None,
            duplicate_of: None,
            evals: None,
            times: None,
            depths: None,
        }
    }

    /// A game lost by a fault.
    pub fn fault(game: u32, pair: u32, x: &str, o: &str, loser: &str, reason: Reason) -> GameRow {
        let discs = if loser == x { -2 } else { 2 };
        GameRow { official: None, reason, loser: Some(loser.to_owned()), ..row(game, pair, x, o, discs) }
    }

    pub fn tally(engines: &[&str], rows: &[GameRow]) -> Tally {
        let engines: Vec<String> = engines.iter().map(ToString::to_string).collect();
        let mut tally = Tally::new(&engines);
        for row in rows {
            tally.add(row);
        }
        tally
    }

    fn three_pairs() -> Vec<GameRow> {
        vec![
            row(1, 1, "A", "B", 10),
            row(2, 1, "B", "A", -4),
            row(3, 2, "A", "B", -6),
            row(4, 2, "B", "A", 0),
            row(5, 3, "A", "B", 2),
            fault(6, 3, "B", "A", "A", Reason::Timeout),
        ]
    }

    #[test]
    fn the_result_line_has_the_fields_that_scripts_read() {
        let tally = tally(&["A", "B"], &three_pairs());
        let bounds: SprtBounds = "elo0=0,elo1=10".parse().unwrap();
        let line: serde_json::Value =
            serde_json::from_str(&tally.standing(Some(&bounds)).line()).unwrap();
        let result = &line["result"];
        assert_eq!(result["A"]["wins"], 3);
        assert_eq!(result["A"]["draws"], 1);
        assert_eq!(result["A"]["losses"], 2);
        assert_eq!(result["A"]["points"], 3.5);
        assert_eq!(result["B"]["points"], 2.5);
        // 10 + 4 - 6 + 0 + 2 over five games; the one that was lost on time has no discs.
        assert_eq!(result["A"]["discs"], 2);
        assert_eq!(result["B"]["discs"], -2);
        assert_eq!(result["A"]["as_x"]["wins"], 2);
        assert_eq!(result["A"]["as_o"]["draws"], 1);
        assert_eq!(result["pentanomial"], serde_json::json!([0, 1, 1, 0, 1]));
        assert_eq!(result["games"], 6);
        assert_eq!(result["sprt"], "continue");
        for name in ["elo", "elo_error", "los", "llr"] {
            assert!(result[name].is_number(), "{name}: {result}");
        }
        let without = tally.standing(None).line();
        assert!(!without.contains("llr") && !without.contains("sprt"), "{without}");
    }

    #[test]
    fn where_all_games_are_won_no_error_is_told() {
        let two = tally(&["A", "B"], &[row(1, 1, "A", "B", 10), row(2, 1, "B", "A", -10)]);
        let line = two.standing(None).line();
        assert!(line.contains("\"elo\":338.04,\"los\""), "{line}");
        assert!(two.progress(None).contains("Elo +338.0 ±? LOS"), "{}", two.progress(None));
        assert!(two.cross_table().contains("+169.0 ±?"), "{}", two.cross_table());
        assert!(two.progress(None).starts_with("2 games, "));
        assert!(tally(&["A", "B"], &[row(1, 1, "A", "B", 10)]).progress(None).starts_with("1 game, "));
    }

    /// Units 14, -6 and 2 discs over 2, 2 and 1 games: the mean is 2, the distances from what it
    /// lets expect are 10, -10 and 0, so that the error is sqrt(200 * 3/2) / 5.
    #[test]
    fn discs_have_the_error_of_their_pairs() {
        let discs = tally(&["A", "B"], &three_pairs()).total(0).discs().unwrap();
        assert_eq!((discs.n_games, discs.mean), (5, 2.0));
        assert!((discs.error.unwrap() - 300_f64.sqrt() / 5.0).abs() < 1e-12, "{discs:?}");
        let one = tally(&["A", "B"], &three_pairs()[..2]).total(0).discs().unwrap();
        assert_eq!((one.mean, one.error), (7.0, None));
    }

    #[test]
    fn a_game_counts_once_and_a_stopped_one_not_at_all() {
        let mut rows = three_pairs();
        let stopped = GameRow { reason: Reason::Stopped, ..row(7, 4, "A", "B", 20) };
        rows.push(stopped);
        rows.push(row(1, 1, "A", "B", 10));
        let counted = tally(&["A", "B"], &rows);
        assert_eq!(counted.n_games(), 6);
        assert_eq!(counted.standing(None), tally(&["A", "B"], &three_pairs()).standing(None));
        // Played again after a resume, it counts.
        let mut resumed = counted;
        assert!(resumed.add(&row(7, 4, "A", "B", 20)));
        assert_eq!(resumed.n_games(), 7);
    }

    #[test]
    fn nothing_played_is_a_result_too() {
        let empty = tally(&["A", "B"], &[]);
        let line = empty.standing(Some(&"elo0=0,elo1=5".parse().unwrap())).line();
        assert!(
            line.contains(r#""A":{"#) && !line.contains("\"elo\"") && !line.contains("null"),
            "{line}"
        );
        assert_eq!(empty.progress(None), "0 games, A 0 - 0 B (+0 =0 -0)");
    }

    #[test]
    fn the_progress_line_tells_score_discs_elo_and_test() {
        let line = tally(&["A", "B"], &three_pairs()).progress(Some(&"elo0=0,elo1=10".parse().unwrap()));
        assert!(
            line.starts_with("6 games, A 3.5 - 2.5 B (+3 =1 -2), discs +2.00 ±3.46, Elo +58.5 ±"),
            "{line}"
        );
        assert!(line.contains("LLR ") && line.ends_with("(-2.94 to 2.94), continue"), "{line}");
    }

    #[test]
    fn every_engine_of_a_round_robin_has_a_rating() {
        let rows = [
            row(1, 1, "A", "B", 10),
            row(2, 1, "B", "A", -4),
            row(3, 2, "B", "C", 8),
            row(4, 2, "C", "B", 6),
            row(5, 3, "A", "C", 2),
            row(6, 3, "C", "A", 0),
        ];
        let tally = tally(&["A", "B", "C"], &rows);
        let names: Vec<String> = tally.ranking().into_iter().map(|ranked| ranked.name).collect();
        assert_eq!(names, ["A", "C", "B"]);
        let line = tally.standing(None).line();
        assert_eq!(line.matches("\"rating\"").count(), 3, "{line}");
    }

    fn rows() -> impl Strategy<Value = Vec<GameRow>> {
        let game = (0..3_usize, -64..=64_i32, any::<bool>());
        prop::collection::vec(game, 0..40).prop_map(|games| {
            let places = [("A", "B"), ("B", "C"), ("C", "A")];
            games
                .into_iter()
                .zip(0_u32..)
                .map(|((pairing, discs, late), index)| {
                    let (one, other) = places[pairing];
                    let (x, o) = if index % 2 == 0 { (one, other) } else { (other, one) };
                    if late {
                        fault(index + 1, index / 2 + 1, x, o, x, Reason::Crash)
                    } else {
                        row(index + 1, index / 2 + 1, x, o, discs)
                    }
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_order_of_rows_does_not_matter(rows in rows(), turn in 0..40_usize) {
            let mut turned = rows.clone();
            turned.rotate_left(turn.min(rows.len()));
            turned.reverse();
            let engines = ["A", "B", "C"];
            prop_assert_eq!(tally(&engines, &rows).standing(None), tally(&engines, &turned).standing(None));
        }

        #[test]
        fn what_one_wins_the_others_lose(rows in rows()) {
            let tally = tally(&["A", "B", "C"], &rows);
            let all: Vec<Wdl> = (0..3).map(|index| tally.total(index).all()).collect();
            prop_assert_eq!(all.iter().map(Wdl::n_games).sum::<u64>(), 2 * tally.n_games());
            prop_assert_eq!(all.iter().map(Wdl::points).sum::<f64>(), tally.n_games() as f64);
            prop_assert!(!tally.standing(None).line().contains("null"));
        }
    }
}
