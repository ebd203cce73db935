//! One game: asks, checks, keeps the clocks, and says how it ended.
//!
//! Knows the rules, the clocks and two players. Must not know how players are started, which
//! tournament the game belongs to, nor where its record goes.

use std::time::{Duration, Instant};

use outflank_protocol::words::MoveText;

use super::clock::GameClock;
use super::outcome::Reason;
use super::player::{Chosen, Fault, Player, Thought};
use crate::engine::{Engine, Evaluation, Goal, SearchRequest, StopFlag};
use crate::record;
use crate::rules::{BySide, Forfeit, Game, HalfDiscs, Move, Phase, Scoring, Side};

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// It was played out.
    Score,
    /// The value is known before it was played out.
    Adjudicated {
        /// By how much Black wins with best play, in discs of the scoring rule, komi not
        /// reckoned in; more is better for Black, under anti as well.
        for_black: HalfDiscs,
    },
    /// A side gave up.
    Resigned(Side),
    /// A side lost by a fault of its own.
    Lost(Loss),
    /// The tournament ended before the game did.
    Stopped,
}

/// A game lost by a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Whose fault it was.
    pub side: Side,
    /// What kind of fault.
    pub reason: Reason,
    /// The offending text, or what is known of the crash.
    pub note: String,
    /// Exit code of a process that ended.
    pub exit_code: Option<i32>,
    /// It refused the game before a move was asked for: the board, a rule, or the opening.
    pub refused_to_begin: bool,
}

impl Loss {
    /// The loss that a fault is, and whether the engine can play on. `timed`: the fault came while
    /// the clock of the side was running.
    fn of(side: Side, fault: &Fault, timed: bool) -> (Loss, Fitness) {
        let (reason, fitness) = match fault {
            Fault::Crash { .. } | Fault::Start(_) => (Reason::Crash, Fitness::Dead),
            // It did say something, only nothing that its protocol knows.
            Fault::NoAnswer { stray: Some(_), .. } => (Reason::ProtocolError, Fitness::Lost),
            // Whoever has a clock has used it up.
            Fault::NoAnswer { .. } if timed => (Reason::Timeout, Fitness::Lost),
            Fault::NoAnswer { .. } => (Reason::NoAnswer, Fitness::Lost),
            Fault::Protocol { .. } | Fault::Refused { .. } | Fault::Unsayable(_) => {
                (Reason::ProtocolError, Fitness::Ready)
            }
        };
        let exit_code = match fault {
            Fault::Crash { exit_code, .. } => *exit_code,
            _ => None,
        };
        (Loss { side, reason, note: fault.to_string(), exit_code, refused_to_begin: false }, fitness)
    }
}

/// Whether an engine can play the next game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fitness {
    /// It can.
    Ready,
    /// It has to be started again: it may never answer any more.
    Lost,
    /// Its process has ended.
    Dead,
}

/// What is known of one item of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlyNote {
    /// The mover's evaluation in hundredths of a disc.
    pub centidiscs: Option<i32>,
    /// Time used.
    pub taken: Option<Duration>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
}

/// Time the referee itself takes: from the arrival of an answer until the next request is out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// How many times it was measured.
    pub n: u64,
    /// Together.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Overhead {
    fn add(&mut self, time: Duration) {
        self.merge(Overhead { n: 1, total: time, longest: time });
    }

    /// Takes in what was measured elsewhere.
    pub fn merge(&mut self, other: Overhead) {
        self.n += other.n;
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }

    /// The mean; nothing when nothing was measured.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        (self.n > 0).then(|| self.total.div_f64(self.n as f64))
    }
}

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Played {
    /// The game with everything that was accepted.
    pub game: Game,
    /// How it ended.
    pub end: End,
    /// One for each item of the log; those of the opening say nothing.
    pub notes: Vec<PlyNote>,
    /// What can be asked of the players now.
    pub fitness: BySide<Fitness>,
    /// Wall time of the whole game.
    pub lasted: Duration,
    /// The referee's own time.
    pub overhead: Overhead,
}

/// Decides games before they are played out.
pub struct Adjudicator<'a> {
    /// Who finds the value.
    pub solver: &'a mut dyn Engine,
    /// At so many empty squares or fewer.
    pub empties: u32,
    /// What it guesses by on its way to the value.
    pub evaluation: Evaluation,
    /// Ends a search that nobody waits for any more.
    pub stop: &'a StopFlag,
}

/// The seats at the board.
pub struct Seats<'a> {
    /// Black's player.
    pub black: &'a mut dyn Player,
    /// White's player.
    pub white: &'a mut dyn Player,
}

impl<'a> Seats<'a> {
    fn at(&mut self, side: Side) -> &mut (dyn Player + 'a) {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }
}

/// A game that one side has lost because its engine did not get ready.
pub fn forfeited(game: Game, side: Side, fault: &Fault) -> Played {
    let (loss, _) = Loss::of(side, fault, false);
    let mut fitness = BySide { black: Fitness::Ready, white: Fitness::Ready };
    fitness[side] = Fitness::Dead;
    let notes = vec![PlyNote::default(); game.len()];
    let (lasted, overhead) = (Duration::ZERO, Overhead::default());
    Played { game, end: End::Lost(loss), notes, fitness, lasted, overhead }
}

/// Plays a game from where it stands to its end. Faults of the players are results; nothing here
/// fails.
pub fn play(
    game: Game,
    seats: Seats<'_>,
    clock: GameClock,
    adjudicator: Option<Adjudicator<'_>>,
) -> Played {
    let started = Instant::now();
    let notes = vec![PlyNote::default(); game.len()];
    let fitness = BySide { black: Fitness::Ready, white: Fitness::Ready };
    let overhead = Overhead::default();
    let mut table = Table { game, seats, clock, notes, fitness, overhead, answered: None };
    let end = table.run(adjudicator).unwrap_or_else(End::Lost);
    table.dismiss();
    Played {
        game: table.game,
        end,
        notes: table.notes,
        fitness: table.fitness,
        lasted: started.elapsed(),
        overhead: table.overhead,
    }
}

/// A game in progress.
struct Table<'a> {
    game: Game,
    seats: Seats<'a>,
    clock: GameClock,
    notes: Vec<PlyNote>,
    fitness: BySide<Fitness>,
    overhead: Overhead,
    /// When the last answer came.
    answered: Option<Instant>,
}

impl Table<'_> {
    fn run(&mut self, mut adjudicator: Option<Adjudicator<'_>>) -> Result<End, Loss> {
        for side in [Side::Black, Side::White] {
            let begun = self.seats.at(side).begin(&self.game);
            begun.map_err(|fault| {
                let refused_to_begin = matches!(fault, Fault::Refused { .. } | Fault::Unsayable(_));
                Loss { refused_to_begin, ..self.loss(side, fault, false) }
            })?;
        }
        loop {
            self.make_forced_pass()?;
            if self.game.phase() == Phase::Over {
                return Ok(End::Score);
            }
            if let Some(judge) = &mut adjudicator
                && let Some(end) = judge.judge(&self.game)
            {
                return Ok(end);
            }
            let side = self.game.state().side;
            let thought = self.ask(side)?;
            let at = match thought.choice {
                Chosen::Resign => return Ok(End::Resigned(side)),
                Chosen::Move(at) => at,
            };
            let made = self.make(side, at)?;
            self.notes.push(PlyNote {
                centidiscs: thought.score_centidiscs,
                taken: Some(thought.taken),
                depth: thought.depth,
            });
            let told = self.seats.at(side).accepted(&self.game, made);
            told.map_err(|fault| self.loss(side, fault, false))?;
            self.tell(side.other(), made)?;
        }
    }

    /// Nobody is asked for a pass that is due: it is told.
    fn make_forced_pass(&mut self) -> Result<(), Loss> {
        if let Some(pass) = self.game.pass_if_forced() {
            self.notes.push(PlyNote::default());
            self.tell(Side::Black, pass)?;
            self.tell(Side::White, pass)?;
        }
        Ok(())
    }

    fn tell(&mut self, side: Side, made: Move) -> Result<(), Loss> {
        let told = self.seats.at(side).follow(&self.game, made);
        told.map_err(|fault| self.loss(side, fault, false))
    }

    /// The answer of a side, which has come in time.
    fn ask(&mut self, side: Side) -> Result<Thought, Loss> {
        let budget = self.clock.budget(side);
        let asked = Instant::now();
        let prepared = self.seats.at(side).prepare(&self.game, &budget);
        prepared.map_err(|fault| self.loss(side, fault, false))?;
        let answer = self.seats.at(side).choose(&self.game, &budget);
        let thought = answer.map_err(|fault| self.loss(side, fault, self.clock.is_timed(side)))?;
        // What passed since the last answer arrived, without the time of this player.
        let now = Instant::now();
        let handling = now.duration_since(asked).saturating_sub(thought.taken);
        self.overhead
            .add(self.answered.map_or(Duration::ZERO, |last| asked.duration_since(last)) + handling);
        self.answered = Some(now);
        self.clock.charge(side, thought.taken).map_err(|late| Loss {
            side,
            reason: Reason::Timeout,
            note: late.to_string(),
            exit_code: None,
            refused_to_begin: false,
        })?;
        Ok(thought)
    }

    /// Puts an answer on the board, unless the rules refuse it.
    fn make(&mut self, side: Side, at: MoveText) -> Result<Move, Loss> {
        let (played, reason) = match at {
            MoveText::At(point) => match record::square(point) {
                Some(square) => (self.game.play(Some(side), square), Reason::IllegalMove),
                None => return Err(illegal(side, Reason::IllegalMove, at, &"off the board")),
            },
            MoveText::Pass => (self.game.pass(Some(side)), Reason::WrongPass),
        };
        played.map_err(|refused| illegal(side, reason, at, &refused))
    }

    /// Makes a loss of a fault, and notes what the player is still good for.
    fn loss(&mut self, side: Side, fault: Fault, timed: bool) -> Loss {
        let (loss, fitness) = Loss::of(side, &fault, timed);
        self.fitness[side] = self.fitness[side].max(fitness);
        loss
    }

    /// Tells everybody who still listens that the game is over. It is too late for its result.
    fn dismiss(&mut self) {
        for side in [Side::Black, Side::White] {
            if self.fitness[side] == Fitness::Ready
                && let Err(fault) = self.seats.at(side).finish(&self.game)
            {
                let _ = self.loss(side, fault, false);
            }
        }
    }
}

fn illegal(side: Side, reason: Reason, at: MoveText, why: &dyn std::fmt::Display) -> Loss {
    let note = format!("'{at}': {why}");
    Loss { side, reason, note, exit_code: None, refused_to_begin: false }
}

impl Adjudicator<'_> {
    /// The end of the game, if it can be told already.
    fn judge(&mut self, game: &Game) -> Option<End> {
        let state = game.state();
        if state.in_opening() || state.board.empties() > self.empties {
            return None;
        }
        let mut request = SearchRequest::new(state.clone(), *game.rules());
        request.goal = Goal::Solve { wld: false, all_moves: false, optimal_moves: false };
        request.evaluation = self.evaluation;
        let found = self.solver.run(&request, self.stop, &mut |_| {});
        if self.stop.is_raised() {
            return Some(End::Stopped);
        }
        let value = found.lines.first().filter(|_| found.exact && !found.failed)?.value;
        let half = HalfDiscs(value.centidiscs / 50);
        let for_black = if state.side == Side::Black { half } else { -half };
        Some(End::Adjudicated { for_black })
    }
}

/// Who won, by the rules and the way the game ended.
#[must_use]
pub fn winner(game: &Game, end: &End) -> Option<Side> {
    match end {
        End::Score => game.ending(Forfeit::None)?.winner,
        End::Adjudicated { for_black } => {
            let after_komi = *for_black - game.rules().komi;
            match after_komi.0.signum() {
                1 => Some(Side::Black),
                -1 => Some(Side::White),
                _ => None,
            }
        }
        End::Resigned(side) | End::Lost(Loss { side, .. }) => Some(side.other()),
        End::Stopped => None,
    }
}

/// The official score, Black's and White's, where the game has one. An adjudicated game has the
/// one it would have come to with best play, under the official rule; how many discs would have
/// been left without an owner is not known under any other.
#[must_use]
pub fn official(game: &Game, end: &End) -> Option<BySide<HalfDiscs>> {
    match end {
        End::Score => {
            let official = game.ending(Forfeit::None)?.official?;
            Some(BySide { black: official.black, white: official.white })
        }
        End::Adjudicated { for_black } if game.rules().scoring == Scoring::Official => {
            let more_for_black = if game.rules().anti { -*for_black } else { *for_black };
            let squares = game.variant().geometry().squares() as i32;
            let black = HalfDiscs((2 * squares + more_for_black.0).div_euclid(2));
            Some(BySide { black, white: HalfDiscs(2 * squares - black.0) })
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::clock::{Pace, Time, Tolerance};
    use super::super::testing::{Fake, Habit, variant};
    use super::*;
    use crate::engine::native::NativeEngine;

    fn clock(time: Option<Time>) -> GameClock {
        let pace = Pace { time, ..Pace::default() };
        let tolerance = Tolerance { margin: Duration::ZERO, watchdog: Duration::from_secs(60) };
        GameClock::new(BySide { black: pace, white: pace }, tolerance)
    }

    fn one_second() -> Option<Time> {
        Some("1+0".parse().unwrap())
    }

    fn play_with(token: &str, black: &mut Fake, white: &mut Fake, time: Option<Time>) -> Played {
        play(Game::new(variant(token)), Seats { black, white }, clock(time), None)
    }

    fn check_loss(habit: Habit, time: Option<Time>, reason: Reason, fitness: Fitness) {
        let (mut black, mut white) = (Fake::new(Habit::First), Fake::later(habit, 2));
        let played = play_with("othello", &mut black, &mut white, time);
        let End::Lost(loss) = &played.end else { panic!("{habit:?}: {:?}", played.end) };
        assert_eq!((loss.side, loss.reason), (Side::White, reason), "{habit:?}");
        assert_eq!(played.fitness, BySide { black: Fitness::Ready, white: fitness }, "{habit:?}");
        assert_eq!(winner(&played.game, &played.end), Some(Side::Black));
        assert_eq!(official(&played.game, &played.end), None);
        // Two moves of each were good, and Black's third.
        assert_eq!((played.game.len(), played.notes.len()), (5, 5), "{habit:?}");
    }

    #[test]
    fn every_fault_has_its_reason() {
        check_loss(Habit::Cheat, None, Reason::IllegalMove, Fitness::Ready);
        check_loss(Habit::Pass, None, Reason::WrongPass, Fitness::Ready);
        check_loss(Habit::Crash, None, Reason::Crash, Fitness::Dead);
        check_loss(Habit::Hang, None, Reason::NoAnswer, Fitness::Lost);
        check_loss(Habit::Hang, one_second(), Reason::Timeout, Fitness::Lost);
        check_loss(Habit::Deaf, one_second(), Reason::NoAnswer, Fitness::Lost);
        check_loss(Habit::Late(1500), one_second(), Reason::Timeout, Fitness::Ready);
        check_loss(Habit::Babble, None, Reason::ProtocolError, Fitness::Lost);
        check_loss(Habit::Refuse, None, Reason::ProtocolError, Fitness::Ready);
    }

    #[test]
    fn a_crash_keeps_its_exit_code_and_last_words() {
        let (mut black, mut white) = (Fake::new(Habit::Crash), Fake::new(Habit::First));
        let played = play_with("othello", &mut black, &mut white, None);
        let End::Lost(loss) = played.end else { panic!("{:?}", played.end) };
        assert_eq!(loss.exit_code, Some(3));
        assert_eq!(loss.note, "ended with exit code 3: out of cheese");
    }

    #[test]
    fn who_resigns_loses_and_who_refuses_to_begin_is_told_apart() {
        let (mut black, mut white) = (Fake::new(Habit::Resign), Fake::new(Habit::First));
        let played = play_with("othello", &mut black, &mut white, None);
        assert_eq!(played.end, End::Resigned(Side::Black));
        assert_eq!(winner(&played.game, &played.end), Some(Side::White));

        let (mut black, mut white) = (Fake::new(Habit::First), Fake::new(Habit::Unwilling));
        let played = play_with("othello", &mut black, &mut white, None);
        let End::Lost(loss) = played.end else { panic!("{:?}", played.end) };
        assert!(loss.refused_to_begin);
        assert_eq!((loss.side, loss.reason), (Side::White, Reason::ProtocolError));
    }

    #[test]
    fn games_of_every_kind_are_played_to_their_end() {
        for token in [
            "othello",
            "8x8+start=par",
            "reversi",
            "reversi+place=must",
            "6x6",
            "othello+anti",
            "oct",
            "othello+hole=c3.f6.a1",
            "10x6",
            "othello+hand=20",
            "othello+stuck=end",
            "othello+komi=3.5",
        ] {
            let (mut black, mut white) = (Fake::new(Habit::First), Fake::new(Habit::Last));
            let played = play_with(token, &mut black, &mut white, one_second());
            assert_eq!(played.end, End::Score, "{token}");
            assert!(played.game.is_over(), "{token}");
            assert_eq!(played.notes.len(), played.game.len(), "{token}");
            let ending = played.game.ending(Forfeit::None).unwrap();
            assert_eq!(winner(&played.game, &played.end), ending.winner, "{token}");
            assert!(official(&played.game, &played.end).is_some(), "{token}");
        }
    }

    #[test]
    fn both_players_hear_of_every_item_and_forced_passes_are_not_asked_for() {
        let mut n_passes = 0;
        for token in ["othello", "6x6", "4x4", "8x4"] {
            let (mut black, mut white) = (Fake::new(Habit::First), Fake::new(Habit::Last));
            let played = play_with(token, &mut black, &mut white, None);
            let everything: Vec<usize> = (0..=played.game.len()).collect();
            assert_eq!(black.heard, everything, "{token}");
            assert_eq!(white.heard, everything, "{token}");
            for (entry, note) in played.game.log().iter().zip(&played.notes) {
                assert_eq!(entry.mv.act.is_pass(), note.taken.is_none(), "{token}");
                n_passes += usize::from(entry.mv.act.is_pass());
            }
        }
        assert!(n_passes > 0, "none of these games has a pass");
    }

    #[test]
    fn an_adjudicated_game_has_the_score_it_would_have_come_to() {
        let (stop, mut solver) = (StopFlag::new(), NativeEngine::new(1));
        let mut adjudicated = |token: &str, empties| {
            let (mut black, mut white) = (Fake::new(Habit::First), Fake::new(Habit::Last));
            let seats = Seats { black: &mut black, white: &mut white };
            let evaluation = Evaluation::default();
            let judge = Adjudicator { solver: &mut solver, empties, evaluation, stop: &stop };
            play(Game::new(variant(token)), seats, clock(None), Some(judge))
        };
        // 4x4 is lost for Black by 10 where the empty squares go to the winner.
        let played = adjudicated("4x4", 12);
        assert_eq!(played.end, End::Adjudicated { for_black: HalfDiscs::from_discs(-10) });
        let pair = official(&played.game, &played.end).unwrap();
        assert_eq!((pair.black.to_string(), pair.white.to_string()), ("3".to_owned(), "13".to_owned()));
        assert_eq!(winner(&played.game, &played.end), Some(Side::White));
        assert_eq!(played.game.len(), 0);

        let anti = adjudicated("4x4+anti", 12);
        let End::Adjudicated { for_black } = anti.end else { panic!("{:?}", anti.end) };
        let pair = official(&anti.game, &anti.end).unwrap();
        assert_eq!(pair.white - pair.black, for_black);

        let discs = adjudicated("4x4+score=discs", 12);
        assert_eq!(official(&discs.game, &discs.end), None);
        assert!(winner(&discs.game, &discs.end).is_some());

        let late = adjudicated("othello", 8);
        assert_eq!(late.game.state().board.empties(), 8);
    }

    #[test]
    fn the_referee_measures_its_own_time_once_an_answer() {
        let (mut black, mut white) = (Fake::new(Habit::First), Fake::new(Habit::First));
        let played = play_with("othello", &mut black, &mut white, None);
        let answers = played.notes.iter().filter(|note| note.taken.is_some()).count();
        assert_eq!(played.overhead.n, answers as u64);
        assert!(played.overhead.longest <= played.overhead.total);
        assert!(played.overhead.mean().unwrap() <= played.overhead.longest);
    }
}
