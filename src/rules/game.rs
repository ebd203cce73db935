//! A whole game: what was done, taking it back, and how it ended.
//!
//! Knows the log and its states, undo and redo, stopped games and their
//! results. Must not know clocks (it is told that time is up) nor who plays.

use std::cmp::Ordering;
use std::fmt;

use super::score::{HalfDiscs, Official, margin_for_black, score};
use super::setup::{Setup, SetupError};
use super::square::{Side, Square, SquareSet};
use super::state::{Act, Move, PassReason, Phase, Refusal, Refused, State};
use super::variant::{Rules, Variant};

/// A game from its start to where it stands now.
///
/// ```
/// use outflank::rules::{Game, Refusal, Side, Square, Variant, by_name};
/// let mut game = Game::new(Variant::new(by_name("othello").unwrap()).unwrap());
/// let f5 = Square::new(5, 4).unwrap();
/// game.play(None, f5).unwrap();
/// assert_eq!(game.play(None, f5).unwrap_err().refusal, Refusal::SquareTaken);
/// assert_eq!(game.undo_move().unwrap(), 1);
/// assert_eq!(game.redo().unwrap().len(), 1);
/// assert_eq!(game.state().side, Side::White);
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    variant: Variant,
    /// One more than entries: the start and the state after each.
    states: Vec<State>,
    log: Vec<Entry>,
    /// What was taken back, each group in the order of play, the next one last.
    undone: Vec<Vec<Entry>>,
    stop: Option<Stop>,
    /// Who overstepped the first time limit and plays on for the least loss.
    flagged: Option<Side>,
}

/// One line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was done.
    pub mv: Move,
    /// A pass that nobody made: it followed from the rules.
    pub implied: bool,
}

/// How a game is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This side gives up.
    Resigned(Side),
    /// This side's time is up.
    TimedOut {
        /// Whose.
        side: Side,
        /// For good; otherwise the game goes on and the side loses at least
        /// by the smallest margin.
        hard: bool,
    },
    /// Nobody goes on and nobody wins.
    Abandoned,
    /// The players agree on a result.
    Agreed {
        /// Who wins, if anybody.
        winner: Option<Side>,
        /// By how much, from the winner's view.
        margin: HalfDiscs,
    },
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// Played out, and somebody won.
    Score,
    /// Played out, and nobody won.
    Tie,
    /// A side gave up.
    Resign,
    /// A side's time was up.
    Timeout,
    /// Nobody went on.
    Abandoned,
    /// The players agreed.
    Agreed,
}

/// The official score of a stopped game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Forfeit {
    /// None.
    #[default]
    None,
    /// The whole board to the winner of a resigned or timed out game.
    Wof,
    /// That, and an agreed margin as a pair of discs.
    Ggs,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Why.
    pub reason: EndReason,
    /// Who won, if anybody.
    pub winner: Option<Side>,
    /// The official score, without komi.
    pub official: Option<Official>,
    /// The winner's margin after komi, never negative, 0 for a tie.
    pub margin: Option<HalfDiscs>,
}

/// There is nothing to take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingToUndo;

/// Nothing was taken back, or something else was played since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingToRedo;

/// The smallest loss, in half discs: on a board with an even number of squares
/// scores differ by two discs.
const LEAST_LOSS: HalfDiscs = HalfDiscs::from_discs(2);

impl Game {
    /// A game of a variant from its start.
    pub fn new(variant: Variant) -> Self {
        let start = variant.start_state();
        Self::from_state(variant, start)
    }

    /// A game from a position, under the variant changed to fit it (see
    /// [`Variant::for_position`]).
    ///
    /// # Errors
    /// One of [`SetupError`].
    pub fn from_setup(variant: &Variant, setup: &Setup) -> Result<Self, SetupError> {
        let variant = variant.for_position(setup)?;
        let start = State::from_setup(&variant, setup)?;
        Ok(Self::from_state(variant, start))
    }

    fn from_state(variant: Variant, start: State) -> Self {
        Self {
            variant,
            states: vec![start],
            log: Vec::new(),
            undone: Vec::new(),
            stop: None,
            flagged: None,
        }
    }

    /// The variant played.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// How the game goes on.
    pub fn rules(&self) -> &Rules {
        self.variant.rules()
    }

    /// Where the game stands.
    pub fn state(&self) -> &State {
        &self.states[self.log.len()]
    }

    /// Where it started.
    pub fn start(&self) -> &State {
        &self.states[0]
    }

    /// The state after so many entries of the log.
    ///
    /// # Panics
    /// If `n` is above [`Game::len`].
    pub fn state_at(&self, n: usize) -> &State {
        &self.states[n]
    }

    /// What was done, in order.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Entries of the log.
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Whether nothing was done yet.
    pub fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    /// What the mover has to do; `Over` also for a stopped game.
    pub fn phase(&self) -> Phase {
        if self.stop.is_some() { Phase::Over } else { self.state().phase(self.rules()) }
    }

    /// What the mover may place or play; nothing once the game is over.
    pub fn legal(&self) -> SquareSet {
        if self.stop.is_some() { SquareSet::EMPTY } else { self.state().legal(self.rules()) }
    }

    /// Why the mover has to pass; `None` if he need not or the game is over.
    pub fn must_pass(&self) -> Option<PassReason> {
        if self.stop.is_some() { None } else { self.state().must_pass(self.rules()) }
    }

    /// What a disc of the mover on this square would turn; nothing for a
    /// placement of the opening that is not a capture.
    pub fn flips(&self, square: Square) -> SquareSet {
        let mut next = self.state().clone();
        next.play(self.rules(), None, square).map_or(SquareSet::EMPTY, |mv| mv.flips)
    }

    /// The same game before its first entry.
    #[must_use]
    pub fn from_start(&self) -> Self {
        Self::from_state(self.variant.clone(), self.start().clone())
    }

    /// Why a disc on this square would be refused; `None` if it would not.
    pub fn check(&self, side: Option<Side>, square: Square) -> Option<Refused> {
        if self.stop.is_some() && self.variant.geometry().contains(square) {
            return Some(stopped(Some(square)));
        }
        let mut refused = self.state().check(self.rules(), side, square)?;
        if self.stop.is_some() {
            refused.legal = SquareSet::EMPTY;
        }
        Some(refused)
    }

    /// Puts a disc of the mover on a square.
    ///
    /// # Errors
    /// As [`Game::check`] says; nothing is then changed.
    pub fn play(&mut self, side: Option<Side>, square: Square) -> Result<Move, Refused> {
        if self.stop.is_some()
            && let Some(refused) = self.check(side, square)
        {
            return Err(refused);
        }
        let mut next = self.state().clone();
        let mv = next.play(self.rules(), side, square)?;
        self.undone.clear();
        self.push(Entry { mv, implied: false }, next);
        Ok(mv)
    }

    /// Passes for the mover.
    ///
    /// # Errors
    /// `GameOver`, `NotYourTurn` or `HasMove`; nothing is then changed.
    pub fn pass(&mut self, side: Option<Side>) -> Result<Move, Refused> {
        if self.stop.is_some() {
            return Err(stopped(None));
        }
        let mv = self.push_pass(side, false)?;
        self.undone.clear();
        Ok(mv)
    }

    /// Makes one forced pass if it is due, and marks it as implied. What was
    /// taken back can still be redone: such a pass is part of it.
    pub fn pass_if_forced(&mut self) -> Option<Move> {
        if self.stop.is_some() || self.state().must_pass(self.rules()).is_none() {
            return None;
        }
        let mv = self.push_pass(None, true).ok()?;
        if let Some(group) = self.undone.last_mut() {
            // The only thing that can follow here, so it was taken back too.
            group.remove(0);
            if group.is_empty() {
                self.undone.pop();
            }
        }
        Some(mv)
    }

    /// Takes back the last placement or move with the passes behind it, and
    /// says how many entries that were. A stopped game goes on.
    ///
    /// # Errors
    /// [`NothingToUndo`] if no disc was put down yet.
    pub fn undo_move(&mut self) -> Result<usize, NothingToUndo> {
        let last = self.log.iter().rposition(|entry| !entry.mv.act.is_pass()).ok_or(NothingToUndo)?;
        Ok(self.take_back(last))
    }

    /// Takes back the last entry and the implied passes before it, and says
    /// how many entries that were. A stopped game goes on.
    ///
    /// # Errors
    /// [`NothingToUndo`] if the log is empty.
    pub fn undo_entry(&mut self) -> Result<usize, NothingToUndo> {
        let (_, before) = self.log.split_last().ok_or(NothingToUndo)?;
        let implied = before.iter().rev().take_while(|entry| entry.implied).count();
        Ok(self.take_back(before.len() - implied))
    }

    /// Does again what the last undo took back.
    ///
    /// # Errors
    /// [`NothingToRedo`] if nothing was taken back, something new was done
    /// since, or the game was stopped.
    pub fn redo(&mut self) -> Result<Vec<Move>, NothingToRedo> {
        if self.stop.is_some() {
            return Err(NothingToRedo);
        }
        let group = self.undone.pop().ok_or(NothingToRedo)?;
        for &entry in &group {
            let mut next = self.state().clone();
            let side = Some(entry.mv.side);
            match entry.mv.act {
                Act::Place(square) | Act::Play(square) => {
                    next.play(self.variant.rules(), side, square).map(|_| ())
                }
                Act::Pass(_) => next.pass(self.variant.rules(), side).map(|_| ()),
            }
            .expect("what was taken back is legal where it was");
            self.push(entry, next);
        }
        Ok(group.into_iter().map(|entry| entry.mv).collect())
    }

    /// Ends the game from outside, or, for a first time limit, notes who
    /// overstepped it.
    ///
    /// # Errors
    /// `GameOver` if the game is over already.
    pub fn stop(&mut self, stop: Stop) -> Result<(), Refused> {
        if self.is_over() {
            return Err(stopped(None));
        }
        match stop {
            Stop::TimedOut { side, hard: false } => {
                self.flagged.get_or_insert(side);
            }
            stop => self.stop = Some(stop),
        }
        Ok(())
    }

    /// How the game was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.stop
    }

    /// Who overstepped the first time limit, if anybody.
    pub fn flagged(&self) -> Option<Side> {
        self.flagged
    }

    /// Whether the game is over, played out or stopped.
    pub fn is_over(&self) -> bool {
        self.stop.is_some() || self.state().is_over(self.rules())
    }

    /// How the game ended; `None` while it goes on.
    pub fn ending(&self, forfeit: Forfeit) -> Option<Ending> {
        match self.stop {
            Some(stop) => Some(self.stopped_ending(stop, forfeit)),
            None if self.is_over() => Some(self.played_out()),
            None => None,
        }
    }

    fn played_out(&self) -> Ending {
        let board = &self.state().board;
        let rules = self.rules();
        let for_black = margin_for_black(board, rules);
        if let Some(flagged) = self.flagged {
            let for_flagged = match flagged {
                Side::Black => for_black,
                Side::White => -for_black,
            };
            if for_flagged > -LEAST_LOSS {
                return Ending {
                    reason: EndReason::Timeout,
                    winner: Some(flagged.other()),
                    official: Some(self.pair(flagged.other(), LEAST_LOSS)),
                    margin: Some(LEAST_LOSS),
                };
            }
        }
        let winner = match for_black.cmp(&HalfDiscs::ZERO) {
            Ordering::Greater => Some(Side::Black),
            Ordering::Less => Some(Side::White),
            Ordering::Equal => None,
        };
        Ending {
            reason: if winner.is_some() { EndReason::Score } else { EndReason::Tie },
            winner,
            official: Some(score(board, rules.scoring)),
            margin: Some(HalfDiscs(for_black.0.abs())),
        }
    }

    fn stopped_ending(&self, stop: Stop, forfeit: Forfeit) -> Ending {
        let lost = |reason, loser: Side| {
            let winner = loser.other();
            let whole = HalfDiscs::from_discs(self.variant.geometry().squares() as i32);
            let (official, margin) = match forfeit {
                Forfeit::None => (None, None),
                Forfeit::Wof | Forfeit::Ggs => {
                    let komi = self.rules().komi;
                    let after_komi = match winner {
                        Side::Black => whole - komi,
                        Side::White => whole + komi,
                    };
                    (Some(self.pair(winner, whole)), Some(after_komi.max(HalfDiscs::ZERO)))
                }
            };
            Ending { reason, winner: Some(winner), official, margin }
        };
        match stop {
            Stop::Resigned(side) => lost(EndReason::Resign, side),
            Stop::TimedOut { side, .. } => lost(EndReason::Timeout, side),
            Stop::Abandoned => {
                Ending { reason: EndReason::Abandoned, winner: None, official: None, margin: None }
            }
            Stop::Agreed { winner, margin } => Ending {
                reason: EndReason::Agreed,
                winner,
                official: match forfeit {
                    Forfeit::Ggs => Some(self.pair(winner.unwrap_or(Side::Black), margin)),
                    Forfeit::None | Forfeit::Wof => None,
                },
                margin: Some(margin),
            },
        }
    }

    /// The whole board shared out so that a side wins by a margin: under anti
    /// it has the fewer discs.
    fn pair(&self, winner: Side, margin: HalfDiscs) -> Official {
        let more_for_black = (winner == Side::Black) != self.rules().anti;
        let difference = if more_for_black { margin } else { -margin };
        Official::from_difference(difference, self.variant.geometry().squares())
    }

    fn push_pass(&mut self, side: Option<Side>, implied: bool) -> Result<Move, Refused> {
        let mut next = self.state().clone();
        let reason = next.pass(self.rules(), side)?;
        let mv = Move { side: self.state().side, act: Act::Pass(reason), flips: SquareSet::EMPTY };
        self.push(Entry { mv, implied }, next);
        Ok(mv)
    }

    fn push(&mut self, entry: Entry, next: State) {
        self.log.push(entry);
        self.states.push(next);
    }

    fn take_back(&mut self, keep: usize) -> usize {
        let group = self.log.split_off(keep);
        self.states.truncate(keep + 1);
        self.stop = None;
        self.flagged = None;
        let n = group.len();
        self.undone.push(group);
        n
    }
}

fn stopped(square: Option<Square>) -> Refused {
    Refused { refusal: Refusal::GameOver, square, legal: SquareSet::EMPTY }
}

impl fmt::Display for NothingToUndo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is nothing to take back")
    }
}

impl fmt::Display for NothingToRedo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is nothing to do again")
    }
}

impl std::error::Error for NothingToUndo {}
impl std::error::Error for NothingToRedo {}

#[cfg(test)]
mod tests {
    use super::super::state::PassReason;
    use super::super::testing::{game, spec, sq, variant_of};
    use super::*;

    fn acts(game: &Game) -> Vec<String> {
        let name = |entry: &Entry| match (entry.mv.act.square(), entry.implied) {
            (Some(square), _) => square.to_string(),
            (None, true) => "(pass)".to_owned(),
            (None, false) => "pass".to_owned(),
        };
        game.log().iter().map(name).collect()
    }

    /// Black plays a1, White is stuck, Black goes on.
    const PASS_AFTER_A1: &str = "1ox5/8/8/8/8/8/8/xo6,x";

    #[test]
    fn a_forced_pass_is_made_once_and_only_when_due() {
        let mut game = game("6ox/8/8/8/8/8/8/8,o");
        let pass = game.pass_if_forced().unwrap();
        assert_eq!((pass.side, pass.act), (Side::White, Act::Pass(PassReason::NoMove)));
        assert_eq!(game.pass_if_forced(), None);
        game.play(Some(Side::Black), sq("f1")).unwrap();
        assert_eq!(game.pass_if_forced(), None);
        assert_eq!(acts(&game), ["(pass)", "f1"]);
        let ending = game.ending(Forfeit::None).unwrap();
        assert_eq!((ending.reason, ending.winner), (EndReason::Score, Some(Side::Black)));
        assert_eq!(ending.official.unwrap().black, HalfDiscs::from_discs(64));
        assert_eq!(ending.margin, Some(HalfDiscs::from_discs(64)));
    }

    #[test]
    fn undo_takes_the_passes_behind_a_move_with_it() {
        let mut game = game(PASS_AFTER_A1);
        let start = game.state().clone();
        game.play(None, sq("a1")).unwrap();
        assert!(game.pass_if_forced().is_some());
        assert_eq!(acts(&game), ["a1", "(pass)"]);
        assert_eq!(game.undo_move(), Ok(2));
        assert_eq!(game.state(), &start);
        assert_eq!(game.undo_move(), Err(NothingToUndo));
        assert_eq!(game.redo().unwrap().len(), 2);
        assert_eq!(acts(&game), ["a1", "(pass)"]);
        assert_eq!(game.redo(), Err(NothingToRedo));
    }

    #[test]
    fn undo_by_entry_takes_the_implied_passes_before_it() {
        let mut game = game(PASS_AFTER_A1);
        game.play(None, sq("a1")).unwrap();
        game.pass_if_forced();
        game.play(None, sq("c8")).unwrap();
        assert_eq!(game.undo_entry(), Ok(2));
        assert_eq!(acts(&game), ["a1"]);
        // The pass is made again, and what is left can still be redone.
        game.pass_if_forced().unwrap();
        assert_eq!(game.redo().unwrap().len(), 1);
        assert_eq!(acts(&game), ["a1", "(pass)", "c8"]);
        assert_eq!(game.len(), 3);
        assert_eq!(game.state_at(0), game.start());
        // A pass that was said stands alone.
        game.undo_entry().unwrap();
        game.pass(Some(Side::White)).unwrap();
        game.play(None, sq("c8")).unwrap();
        assert_eq!(game.undo_entry(), Ok(1));
        assert_eq!(acts(&game), ["a1", "pass"]);
    }

    #[test]
    fn playing_something_new_clears_what_could_be_redone() {
        let mut game = Game::new(variant_of(spec("othello")));
        for square in ["f5", "d6"] {
            game.play(None, sq(square)).unwrap();
        }
        game.undo_move().unwrap();
        game.undo_move().unwrap();
        assert_eq!(game.redo().unwrap()[0].act, Act::Play(sq("f5")));
        assert!(game.play(None, sq("f5")).is_err());
        game.play(None, sq("f6")).unwrap();
        assert_eq!(game.redo(), Err(NothingToRedo));
    }

    #[test]
    fn undo_leads_back_to_the_empty_board_of_a_free_opening() {
        let mut game = Game::new(variant_of(spec("reversi")));
        for square in ["d5", "e5", "d4", "e4", "f3"] {
            game.play(None, sq(square)).unwrap();
        }
        for left in [4, 3, 2, 1, 0] {
            assert_eq!(game.undo_move(), Ok(1));
            assert_eq!(game.len(), left);
        }
        assert_eq!(game.phase(), Phase::Place);
        assert_eq!(game.state().placements_left(), 4);
        assert_eq!(game.redo().unwrap()[0].act, Act::Place(sq("d5")));
    }

    #[test]
    fn a_stopped_game_refuses_everything_until_undone() {
        let mut game = Game::new(variant_of(spec("othello")));
        game.play(None, sq("f5")).unwrap();
        game.stop(Stop::Resigned(Side::Black)).unwrap();
        assert!(game.is_over() && game.legal().is_empty());
        let refused = game.play(None, sq("d6")).unwrap_err();
        assert_eq!((refused.refusal, refused.legal), (Refusal::GameOver, SquareSet::EMPTY));
        assert_eq!(game.play(None, sq("i9")).unwrap_err().refusal, Refusal::OffBoard);
        assert_eq!(game.pass(None).unwrap_err().refusal, Refusal::GameOver);
        assert!(game.stop(Stop::Abandoned).is_err());
        assert_eq!(game.undo_move(), Ok(1));
        assert!(!game.is_over());
    }

    #[test]
    fn stopped_games_have_a_score_only_if_a_forfeit_says_so() {
        let ending = |stop, anti, forfeit| {
            let mut spec = spec("othello");
            spec.rules.anti = anti;
            let mut game = Game::new(variant_of(spec));
            game.stop(stop).unwrap();
            let end = game.ending(forfeit).unwrap();
            let pair = end.official.map(|o| (o.black.to_string(), o.white.to_string()));
            (end.reason, end.winner, pair, end.margin.map(|m| m.to_string()))
        };
        let pair = |black: &str, white: &str| Some((black.to_owned(), white.to_owned()));
        let text = |margin: &str| Some(margin.to_owned());
        let resigned = Stop::Resigned(Side::Black);
        let white = Some(Side::White);
        assert_eq!(ending(resigned, false, Forfeit::None), (EndReason::Resign, white, None, None));
        assert_eq!(
            ending(resigned, false, Forfeit::Wof),
            (EndReason::Resign, white, pair("0", "64"), text("64"))
        );
        assert_eq!(
            ending(resigned, true, Forfeit::Wof),
            (EndReason::Resign, white, pair("64", "0"), text("64"))
        );
        let hard = Stop::TimedOut { side: Side::Black, hard: true };
        assert_eq!(
            ending(hard, false, Forfeit::Ggs),
            (EndReason::Timeout, white, pair("0", "64"), text("64"))
        );
        assert_eq!(
            ending(Stop::Abandoned, false, Forfeit::Wof),
            (EndReason::Abandoned, None, None, None)
        );
        let agreed = Stop::Agreed { winner: Some(Side::White), margin: HalfDiscs::from_discs(4) };
        assert_eq!(ending(agreed, false, Forfeit::None), (EndReason::Agreed, white, None, text("4")));
        assert_eq!(
            ending(agreed, false, Forfeit::Ggs),
            (EndReason::Agreed, white, pair("30", "34"), text("4"))
        );
    }

    /// A finished board of so many discs each, the rest empty.
    fn finished(black: u32, white: u32) -> Game {
        let letters = |n: u32, letter: char| letter.to_string().repeat(n as usize);
        let cells = letters(black, 'x') + &letters(white, 'o');
        let rows: Vec<_> = cells.as_bytes().chunks(8).map(String::from_utf8_lossy).collect();
        game(&format!("{},-", rows.join("/")))
    }

    #[test]
    fn l2_a_soft_timeout_caps_the_result_at_the_least_loss() {
        let result = |mut game: Game, side| {
            // The flag falls while the game still goes on.
            game.flagged = Some(side);
            let end = game.ending(Forfeit::None).unwrap();
            let pair = end.official.unwrap();
            (end.reason, end.winner.unwrap(), pair.black.to_string(), pair.white.to_string())
        };
        let timeout = (EndReason::Timeout, Side::White, "31".to_owned(), "33".to_owned());
        assert_eq!(result(finished(40, 24), Side::Black), timeout);
        assert_eq!(result(finished(32, 32), Side::Black), timeout);
        let stands = (EndReason::Score, Side::White, "21".to_owned(), "43".to_owned());
        assert_eq!(result(finished(21, 43), Side::Black), stands);
        // The other side's flag.
        let stands = (EndReason::Score, Side::Black, "40".to_owned(), "24".to_owned());
        assert_eq!(result(finished(40, 24), Side::White), stands);
    }

    #[test]
    fn after_a_soft_timeout_the_game_goes_on() {
        let mut game = Game::new(variant_of(spec("othello")));
        game.stop(Stop::TimedOut { side: Side::Black, hard: false }).unwrap();
        assert_eq!((game.is_over(), game.flagged()), (false, Some(Side::Black)));
        game.play(None, sq("f5")).unwrap();
        game.undo_move().unwrap();
        assert_eq!(game.flagged(), None);
    }

    #[test]
    fn j1_komi_decides_but_stays_out_of_count_and_score() {
        // White bids most and wins if he wins by more than 3.5.
        for (black, white, winner, margin) in
            [(30, 34, Side::White, "0.5"), (31, 33, Side::Black, "1.5")]
        {
            let mut game = finished(black, white);
            let mut spec = *game.variant().spec();
            spec.rules.komi = HalfDiscs(-7);
            game.variant = variant_of(spec);
            let end = game.ending(Forfeit::None).unwrap();
            assert_eq!(end.winner, Some(winner));
            assert_eq!(end.margin.unwrap().to_string(), margin);
            assert_eq!(end.official.unwrap().black, HalfDiscs::from_discs(black as i32));
        }
    }

    #[test]
    fn a_tie_is_half_each() {
        let end = game("xx4oo/8/8/8/8/8/8/8,-").ending(Forfeit::None).unwrap();
        assert_eq!((end.reason, end.winner), (EndReason::Tie, None));
        assert_eq!(end.margin, Some(HalfDiscs::ZERO));
        assert_eq!(end.official.unwrap().white, HalfDiscs::from_discs(32));
    }
}
