//! `outflank bench --ffo`: end games of the FFO suite, solved exactly and timed.

use std::time::Duration;

use anyhow::{Context, bail};
use outflank_protocol::position::{Item, read_item};

use super::Outcome;
use super::args::{BenchArgs, FfoRange};
use super::output::Output;
use super::values::Number;
use crate::engine::native::{DEFAULT_HASH_MIB, NativeEngine};
use crate::engine::{Choice, Engine, Found, Goal, SearchRequest, StopFlag};
use crate::record;
use crate::rules::{Game, HalfDiscs, VariantSpec};

/// Solves the positions of a range, each with an empty table, and prints a line for each.
///
/// # Errors
/// Threads or memory that the engine refuses, and output that cannot be written.
pub fn run(range: FfoRange, args: &BenchArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let mut engine = NativeEngine::default();
    engine
        .set_hash_mib(args.hash.map_or(DEFAULT_HASH_MIB, |mib| mib as usize))
        .context("setting up the hash table")?;
    engine.set_threads(args.threads as usize).context("setting the number of threads")?;
    let mut total = Total::default();
    for number in range.first..=range.last {
        let position = FfoPosition::of(number)?;
        eprintln!("ffo {number}: {} empties, to {}", position.n_empties(), range.last);
        engine.clear();
        let found = engine.run(&position.request()?, &StopFlag::new(), &mut |_| {});
        out.line(&position.line(&found))?;
        let faults = position.faults(&found);
        for fault in &faults {
            eprintln!("ffo {number}: {fault}");
        }
        total.add(&found, faults.is_empty());
    }
    out.line(&total.line())?;
    Ok(if total.n_right == total.n_positions { Outcome::Good } else { Outcome::SomeFailed })
}

/// A position of the suite with what is known of it.
struct FfoPosition {
    number: u32,
    /// 64 squares from a1, row by row, and the side to move.
    board: &'static str,
    /// Final discs of the mover less those of the other side; empty squares go to the winner.
    score: i32,
    /// Every move that reaches the score.
    best: &'static str,
}

impl FfoPosition {
    /// A position by its number, from 1.
    fn of(number: u32) -> anyhow::Result<FfoPosition> {
        let index = (number as usize).checked_sub(1);
        match index.and_then(|index| SUITE.get(index)) {
            Some(&(board, score, best)) => Ok(FfoPosition { number, board, score, best }),
            None => bail!("there is no position {number} in the table"),
        }
    }

    fn n_empties(&self) -> usize {
        self.board.matches('-').count()
    }

    fn game(&self) -> anyhow::Result<Game> {
        let Item::Position(read) = read_item(self.board)? else {
            bail!("ffo {}: that is no board", self.number);
        };
        Ok(record::game_from(VariantSpec::sized(8, 8), &read.board)?)
    }

    fn request(&self) -> anyhow::Result<SearchRequest> {
        let game = self.game()?;
        let mut request = SearchRequest::new(game.state().clone(), *game.rules());
        request.goal = Goal::Solve { wld: false, all_moves: false, optimal_moves: false };
        Ok(request)
    }

    fn line(&self, found: &Found) -> String {
        let (number, empties) = (self.number, self.n_empties());
        let score = score_of(found).map_or_else(|| "none".to_owned(), Number::plain);
        format!("ffo {number} empties {empties} score {score} {}", effort(found.nodes, found.time))
    }

    /// What is wrong with an answer, for people.
    fn faults(&self, found: &Found) -> Vec<String> {
        let mut faults = Vec::new();
        if !found.exact {
            faults.push("the answer is not proved".to_owned());
        }
        let known = Number::Whole(i64::from(self.score));
        if score_of(found) != Some(known) {
            faults.push(format!("the score is wrong; it is {known}"));
        }
        let chosen = match found.choice() {
            Some(Choice::Play(square)) => square.to_string(),
            Some(Choice::Pass) | None => "no move".to_owned(),
        };
        if !self.best.split(' ').any(|square| square == chosen) {
            faults.push(format!("{chosen} does not reach the score; {} would", self.best));
        }
        faults
    }
}

fn score_of(found: &Found) -> Option<Number> {
    let line = found.lines.first()?;
    Some(Number::of_half_discs(HalfDiscs(line.value.centidiscs / 50)))
}

/// `nodes K seconds T rate R`
fn effort(nodes: u64, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rate = nodes as f64 / seconds.max(1e-9);
    format!("nodes {nodes} seconds {seconds:.3} rate {rate:.0}")
}

/// All positions together.
#[derive(Default)]
struct Total {
    n_positions: u32,
    n_right: u32,
    nodes: u64,
    time: Duration,
}

impl Total {
    fn add(&mut self, found: &Found, is_right: bool) {
        self.n_positions += 1;
        self.n_right += u32::from(is_right);
        self.nodes += found.nodes;
        self.time += found.time;
    }

    fn line(&self) -> String {
        let (positions, right) = (self.n_positions, self.n_right);
        format!("ffo total positions {positions} right {right} {}", effort(self.nodes, self.time))
    }
}

/// The suite of the Fédération Française d'Othello, numbers 1 to 59: the board with the side to
/// move, the score, and every move that reaches it.
#[rustfmt::skip]
static SUITE: &[(&str, i32, &str)] = &[
    ("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", 18, "g8"),
    ("-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X", 10, "a4"),
    ("----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X", 2, "d1"),
    ("-XXXXXX-X-XXXOO-XOXXXOOXXXOXOOOX-OXOOXXX--OOOXXX--OOXX----XOXXO- X", 0, "h8 a5"),
    ("-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X", 32, "g8"),
    ("--OXXX--OOOXXX--OOOXOXO-OOXOOOX-OOXXXXXXXOOXXOX--OOOOX---XXXXXX- X", 14, "a1 h3"),
    ("--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X", 8, "a6"),
    ("---X-X--X-XXXX--XXXXOXXXXXXOOOOOXXOXXXO-XOXXXXO-XOOXXX--XOOXXO-- O", 8, "e1"),
    ("--XOXX--O-OOXXXX-OOOXXXX-XOXXXOXXXOXOOOXOXXOXOXX--OXOO----OOOO-- O", -8, "g7 a4"),
    ("-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O", 10, "b2"),
    ("---O-XOX----XXOX---XXOOXO-XXOXOXXXXOOXOX-XOOXXXXXOOOXX-XOOOOOOO- O", 30, "b3"),
    ("--O--O--X-OOOOX-XXOOOXOOXXOXOXOOXXOXXOOOXXXXOOOO--OXXX---XXXXX-- O", -8, "b7"),
    ("--XXXXX--OOOXX---OOOXXXX-OXOXOXXOXXXOXXX--XOXOXX--OXOOO--OOOOO-- X", 14, "b7"),
    ("--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X", 18, "a3"),
    ("----O------OOX---OOOXX-XOOOXOOOOOXXOXXOOOXXXOOOOOXXXOOXO--OOOOOX X", 4, "g3 b8"),
    ("-XXXXXX-X-XXXOO-XOXXXOOXXOOXXXOX-OOOXXXX--OOXXXX---OOO----XOX-O- X", 24, "f8"),
    ("-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X", 8, "f8"),
    ("-XXX------OOOX--XOOOOOXXOXOXOOXXOXXOOOOOXXXOXOOX--OXXO---OOOOO-- X", -2, "g2"),
    ("--OXXO--XOXXXX--XOOOOXXXXOOOXXXXX-OOOXXX--OOOOXX--XXOOO----XXOO- X", 8, "b6"),
    ("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X", 6, "h5"),
    ("OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O", 0, "g5"),
    ("--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O", 2, "g8"),
    ("--O-------OOX---OOOXXXO-OOOOXOXXXXXOOXOXXXXXXOOXX-XXXXOX--XXXX-- X", 4, "a2"),
    ("--O--O-----OOOX--X-XOXOO--XXXOOOXXXXOOOOXXXOXXOOXXXXXX--XOXX-O-- O", 0, "c3"),
    ("----X------XXXO--OOOXXXXXOOOOXXO-XXOOXXOOOXOXXXXOOOXX---X-XXXX-- O", 0, "g1 a5"),
    ("-OOOOO----OXXO---OOOOXXO-OOOXOXX-OOXOOXX-XOXXOXX--O-XXXX--O----O X", 0, "d8"),
    ("--XO-O----OOOO--OOXOXXO-OOOOXXOOOOOXXOX-OXOXXXXX--XXXX----X-O-X- X", -2, "b7"),
    ("--O-------OOO--X-XOOOOXXXXXXOXOX-XXOXOOXXXOXOOXX-OOOOO-X---OOO-- X", 0, "f1 b2 e1"),
    ("-OXXXX----OXXO--XXOOXOOOXXXOOXOOXXOOXOOOXXXXOO-XX-XXO----------- X", 10, "g2"),
    ("-XXX----X-XOO---XXOXOO--XOXOXO--XOOXOXXXXOOXXOX---OOOOO--XXXXX-- X", 0, "g3"),
    ("-OOOOO----OOOO--OXXOOO---XXXOO--XXXXXXO-XXXOOO-OX-OOOO---OOOOO-- X", -2, "g6"),
    ("--XX----O-XXOX--OOXOO---OXOXOOO-OOXXOOOXOOXXXOOX--XXXXOX--X--X-X X", -4, "g3"),
    ("-XXXXXXX--XOOO----OXOOXX-OOXXOXX-OOOOOXX-X-XOOXX---O-X-X--OOOO-- X", -8, "e7 a3"),
    ("-------------O-O-OOOOOOOOOOOOXOOOXXOOOXO-XXXOXOO--XXXOXO--OXXXXO X", -2, "c2"),
    ("--XXX-----XXXX-OOOXXOOOOOOOOOOXO-OOXXXXO-OOOXXXO---XOXX---X----- O", 0, "c7"),
    ("---X-O----XXXO-XXXXXXXXXXOOXXOOXXOXOOOXXXXOOOO-XX--OOOO--------- O", 0, "b7"),
    ("--OOOO--O-OOOO--OXXXOOO-OXXOXO--OOXXOXX-OOXXXX--O-XXX-----XX-O-- X", -20, "g2"),
    ("--OOOO----OOOO---XOXXOOXOOXOOOOX-OOOOOXXXOOXXXXX--X-X----------- X", 4, "b2"),
    ("O-OOOO--XOXXOX--XOOOXXX-XOOOXX--XOOXOX--XOXXX---X-XX------------ O", 64, "a8 b1 g1 g5 g6 c8 h3 e8 h4"),
    ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, "a2"),
    ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, "h4"),
    ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6, "g2"),
    ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12, "g3 c7"),
    ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O", -14, "d2 b8"),
    ("---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO-- X", 6, "b2"),
    ("---XXX----OOOX----OOOXX--OOOOXXX--OOOOXX--OXOXXX--XXOO---XXXX-O- X", -8, "b3"),
    ("-OOOOO----OOOO---OOOOX--XXXXXX---OXOOX--OOOXOX----OOXX----XXXX-- O", 4, "g2"),
    ("-----X--X-XXX---XXXXOO--XOXOOXX-XOOXXX--XOOXX-----OOOX---XXXXXX- O", 28, "f6"),
    ("--OX-O----XXOO--OOOOOXX-OOOOOX--OOOXOXX-OOOOXX-----OOX----X-O--- X", 16, "e1"),
    ("----X-----XXX----OOOXOOO-OOOXOOO-OXOXOXO-OOXXOOO--OOXO----O--O-- X", 10, "d8"),
    ("----O-X------X-----XXXO-OXXXXXOO-XXOOXOOXXOXXXOO--OOOO-O----OO-- O", 6, "e2 a3"),
    ("---X-------OX--X--XOOXXXXXXOXXXXXXXOOXXXXXXOOOXX--XO---X-------- O", 0, "a3"),
    ("----OO-----OOO---XXXXOOO--XXOOXO-XXXXXOO--OOOXOO--X-OX-O-----X-- X", -2, "d8"),
    ("--OOO---XXOO----XXXXOOOOXXXXOX--XXXOXX--XXOOO------OOO-----O---- X", -2, "c7"),
    ("--------X-X------XXXXOOOOOXOXX--OOOXXXX-OOXXXX--O-OOOX-----OO--- O", 0, "g6 b7 e2 g4"),
    ("--XXXXX---XXXX---OOOXX---OOXOX---OXXXXX-OOOOOXO----OXX---------- O", 2, "h5"),
    ("-------------------XXOOO--XXXOOO--XXOXOO-OOOXXXO--OXOO-O-OOOOO-- X", -10, "a6"),
    ("--XOOO----OOO----OOOXOO--OOOOXO--OXOXXX-OOXXXX----X-XX---------- X", 4, "g1"),
    ("-----------------------O--OOOOO---OOOOOXOOOOXXXX--XXOOXX--XX-O-X X", 64, "h4 g8 e8"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::{Bound, Line, Value};
    use crate::rules::Square;

    #[test]
    fn every_position_has_its_number_and_its_best_moves_are_legal() {
        assert_eq!(SUITE.len(), 59);
        for number in 1..=59 {
            let position = FfoPosition::of(number).unwrap();
            let legal = position.game().unwrap().legal();
            assert!(position.score % 2 == 0 && position.score.abs() <= 64, "{number}");
            for best in position.best.split(' ') {
                assert!(legal.iter().any(|square| square.to_string() == best), "{number}: {best}");
            }
        }
        assert!(FfoPosition::of(0).is_err() && FfoPosition::of(60).is_err());
    }

    #[test]
    fn a_wrong_answer_is_told_in_all_that_is_wrong() {
        let first = FfoPosition::of(1).unwrap();
        let answer = |centidiscs, exact, column, row| {
            let line = Line {
                rank: 1,
                value: Value { centidiscs, bound: Bound::Value, exact },
                wld: false,
                depth: 14,
                selectivity: 100,
                pv: vec![Choice::Play(Square::new(column, row).unwrap())],
            };
            Found { lines: vec![line], exact, ..Found::nothing() }
        };
        assert!(first.faults(&answer(1800, true, 6, 7)).is_empty());
        assert_eq!(first.faults(&answer(1200, true, 6, 7)), ["the score is wrong; it is +18"]);
        assert_eq!(first.faults(&answer(1850, false, 0, 0)).len(), 3);
        assert_eq!(first.faults(&Found::nothing()).len(), 2);
        assert!(first.line(&answer(1200, true, 6, 7)).starts_with("ffo 1 empties 14 score 12 nodes 0 "));
    }
}
