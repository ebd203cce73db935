//! The tournament itself: workers play games of the schedule, one thread takes their results in
//! order.
//!
//! Knows schedules, seats and results. Must not know files, statistics or how an engine is started:
//! it is handed who starts them ([`House`]) and who takes the rows.
//!
//! Games are handed out in order and finish in any; their rows are given on in order, so that
//! everything that is decided by them comes out the same however many games run at once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use outflank_protocol::client::Limit;
use outflank_protocol::client_by_name;

use super::archive::transcript;
use super::clock::{GameClock, Pace, Tolerance};
use super::openings::Opening;
use super::outcome::{ByColour, GameRow, Reason, Winner};
use super::player::{EngineSpec, Fault, Leash, Player};
use super::referee::{self, Adjudicator, End, Fitness, Overhead, Played, Seats};
use super::schedule::{Fixture, Schedule};
use crate::engine::{Engine, Evaluation, StopFlag};
use crate::record;
use crate::rules::{BySide, Game, HalfDiscs, Side, count};

/// An engine that takes part.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// How it is started.
    pub spec: EngineSpec,
    /// What bounds its moves.
    pub pace: Pace,
    /// It is started anew for every game.
    pub restart: bool,
}

/// What is played, and how.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// Where games begin.
    pub openings: Vec<Opening>,
    /// Which game comes when.
    pub schedule: Schedule,
    /// What is tolerated.
    pub tolerance: Tolerance,
    /// Games are decided by their exact value at so many empty squares or fewer.
    pub adjudicate_exact: Option<u32>,
    /// What the solver guesses by on its way to the exact value.
    pub evaluation: Evaluation,
    /// A crashed engine is started again.
    pub recover: bool,
    /// Games at the same time, at least 1.
    pub concurrency: u32,
    /// The seed of the tournament, for the record.
    pub seed: u64,
}

/// Who provides players and solvers.
pub trait House: Sync {
    /// Starts an engine, told by its index. `hold` gets its leash as soon as there is one.
    ///
    /// # Errors
    /// It does not start, or does not take its options.
    fn start(&self, engine: usize, hold: &mut dyn FnMut(Leash)) -> Result<Box<dyn Player>, Fault>;

    /// A solver for adjudication. One for each worker.
    fn solver(&self) -> Box<dyn Engine>;
}

/// What whoever takes the rows wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The next row.
    More,
    /// No more games: the question is answered.
    Enough,
}

/// How a tournament ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// Every game was played.
    Finished,
    /// No more were wanted.
    Enough,
    /// It was halted from outside.
    Halted,
    /// It could not go on.
    Broken(Breakdown),
}

/// Why a tournament cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Breakdown {
    /// An engine crashed, and nobody said that it should be started again.
    Crashed {
        /// Its name.
        engine: String,
        /// In which game, or after it.
        game: u32,
        /// What is known.
        note: String,
    },
    /// An engine does not start.
    NoStart {
        /// Its name.
        engine: String,
        /// Why.
        note: String,
    },
    /// An engine refuses the very first game it is asked to play.
    Refused {
        /// Its name.
        engine: String,
        /// What it said.
        note: String,
    },
    /// The system gives no more threads.
    NoThread {
        /// What it said.
        note: String,
    },
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakdown::Crashed { engine, game, note } => write!(
                f,
                "{engine} crashed in game {game} ({note}); with --recover it would be started again; --resume goes on"
            ),
            Breakdown::NoStart { engine, note } => write!(f, "{engine} does not start: {note}"),
            Breakdown::Refused { engine, note } => {
                write!(f, "{engine} does not play this game: {note}")
            }
            Breakdown::NoThread { note } => write!(f, "starting a thread: {note}"),
        }
    }
}

impl std::error::Error for Breakdown {}

// ---------------------------------------------------------------------------------------------
// Before the first game

/// A limit that an engine is given and cannot be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untold {
    /// The engine, by its index.
    pub engine: usize,
    /// The limit.
    pub limit: Limit,
    /// Whether its dialect has words for it all the same, which the engine does not know.
    pub is_sayable: bool,
}

/// Every limit that an engine cannot be told. A dialect mostly says so by itself; where it depends
/// on the engine, that is started and asked. One that does not get ready is left to its first game.
///
/// # Errors
/// An engine that cannot play any game.
pub fn roll_call(
    tournament: &Tournament,
    house: &dyn House,
    halt: &Halt,
) -> Result<Vec<Untold>, Breakdown> {
    let mut untold = Vec::new();
    for (engine, contestant) in tournament.contestants.iter().enumerate() {
        let client = client_by_name(&contestant.spec.dialect);
        let heeds = |limit| client.as_ref().is_none_or(|client| client.heeds(limit));
        let is_sayable = |limit| client.as_ref().is_none_or(|client| client.has_words_for(limit));
        if halt.is_raised() || contestant.pace.limits().all(heeds) {
            continue;
        }
        let mut leash = None;
        let started = house.start(engine, &mut |held| leash = Some(halt.hold(held)));
        let asked = match started {
            Ok(player) => {
                let heeded = |limit: &Limit| player.heeds(*limit);
                let known: Vec<Limit> = LIMITS.into_iter().filter(heeded).collect();
                player.quit();
                Ok(known)
            }
            Err(fault) => Err(fault),
        };
        leash.into_iter().for_each(|leash| halt.release(leash));
        match asked {
            Ok(heeds) => {
                let lacking = contestant.pace.limits().filter(|limit| !heeds.contains(limit));
                let untold_of = |limit| Untold { engine, limit, is_sayable: is_sayable(limit) };
                untold.extend(lacking.map(untold_of));
            }
            Err(fault) if fault.is_for_good() => {
                let engine = contestant.spec.name.clone();
                return Err(Breakdown::NoStart { engine, note: fault.to_string() });
            }
            Err(_) => {}
        }
    }
    Ok(untold)
}

const LIMITS: [Limit; 4] = [Limit::Clock, Limit::MoveTime, Limit::Depth, Limit::Nodes];

impl Fault {
    /// Whether a start that failed so will fail for every game: what is asked of the engine is wrong.
    fn is_for_good(&self) -> bool {
        match self {
            Fault::Start(_) | Fault::Refused { .. } | Fault::Unsayable(_) => true,
            Fault::Crash { .. } | Fault::NoAnswer { .. } | Fault::Protocol { .. } => false,
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Halting

/// Ends a tournament from any thread: no game is begun, those that run are given up, and their
/// engines are ended.
#[derive(Default)]
pub struct Halt {
    raised: AtomicBool,
    solvers: StopFlag,
    next_id: AtomicU64,
    leashes: Mutex<HashMap<u64, Leash>>,
}

impl Halt {
    /// Nothing is halted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Halts. Does nothing the second time.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.solvers.raise();
        let leashes: Vec<Leash> = self.held().values().cloned().collect();
        leashes.iter().for_each(Leash::cut);
    }

    /// Whether it was halted.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<u64, Leash>> {
        self.leashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the leash of an engine that runs. An engine that was being started while the halt came
    /// is ended here.
    fn hold(&self, leash: Leash) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.held().insert(id, leash.clone());
        if self.is_raised() {
            leash.cut();
        }
        id
    }

    fn release(&self, id: u64) {
        self.held().remove(&id);
    }
}

// ---------------------------------------------------------------------------------------------
// Taking results in order

/// What a worker sends: something for every game it was given, unless the tournament was halted.
enum Message {
    /// The game was played.
    Game(Box<Report>),
    /// The game could not be played.
    Broken(Breakdown),
}

/// A game that was played.
struct Report {
    row: GameRow,
    overhead: Overhead,
    /// The loser refused the game before a move was asked for.
    refused_to_begin: bool,
    /// What ends the tournament, if anything does.
    breakdown: Option<Breakdown>,
}

/// Halts the tournament when its thread panics: a game that is never reported would hold back the
/// rows of all games behind it, while the other workers play them for nobody. The panic itself
/// comes out of [`run`].
struct Alarm<'a>(&'a Halt);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.raise();
        }
    }
}

/// Plays all games from number `first_game` on, and hands their rows to `take` in order. Returns
/// when no engine runs any more.
///
/// # Errors
/// Those of `take`; no game is played after one.
pub fn run<E>(
    tournament: &Tournament,
    house: &dyn House,
    first_game: u32,
    halt: &Halt,
    mut take: impl FnMut(GameRow) -> Result<Wish, E>,
) -> Result<(Ended, Overhead), E> {
    let floor = Floor { tournament, house, halt, next_game: AtomicU32::new(first_game) };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        let _alarm = Alarm(halt);
        for number in 1..=tournament.concurrency {
            let (floor, sender) = (&floor, sender.clone());
            let spawned = thread::Builder::new()
                .name(format!("game {number}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    let _alarm = Alarm(floor.halt);
                    Worker::new(floor).work(&sender);
                });
            if let Err(error) = spawned {
                halt.raise();
                let note = error.to_string();
                return Ok((Ended::Broken(Breakdown::NoThread { note }), Overhead::default()));
            }
        }
        drop(sender);
        let mut overhead = Overhead::default();
        let known = known_before(tournament, first_game);
        let ended = take_in_order(&results, first_game, known, &mut overhead, &mut take);
        let was_halted = halt.is_raised();
        // Games that still run are of no use any more.
        halt.raise();
        let ended = match ended? {
            Some(ended) => ended,
            None if was_halted => Ended::Halted,
            None => Ended::Finished,
        };
        Ok((ended, overhead))
    })
}

/// Solving recurses up to the number of squares of the largest board.
const STACK_BYTES: usize = 64 << 20;

/// The names of those that were in a game before this one.
fn known_before(tournament: &Tournament, first_game: u32) -> HashSet<String> {
    let earlier = (1..first_game).filter_map(|game| tournament.schedule.fixture(game));
    let engines: HashSet<usize> = earlier.flat_map(|fixture| [fixture.black, fixture.white]).collect();
    engines.into_iter().map(|engine| tournament.contestants[engine].spec.name.clone()).collect()
}

/// Takes results until there are no more; `None` then, or what ended the tournament before. `known`
/// are those that were in a game before.
fn take_in_order<E>(
    results: &Receiver<(u32, Message)>,
    first_game: u32,
    mut known: HashSet<String>,
    overhead: &mut Overhead,
    take: &mut impl FnMut(GameRow) -> Result<Wish, E>,
) -> Result<Option<Ended>, E> {
    let mut waiting = BTreeMap::new();
    let mut next_game = first_game;
    for (game, message) in results {
        waiting.insert(game, message);
        while let Some(message) = waiting.remove(&next_game) {
            next_game += 1;
            let report = match message {
                Message::Broken(breakdown) => return Ok(Some(Ended::Broken(breakdown))),
                Message::Game(report) => report,
            };
            if let Some(breakdown) = report.refusal(&known) {
                return Ok(Some(Ended::Broken(breakdown)));
            }
            let Report { row, overhead: spent, breakdown, .. } = *report;
            for engine in [&row.x, &row.o] {
                if !known.contains(engine) {
                    known.insert(engine.clone());
                }
            }
            overhead.merge(spent);
            let wish = take(row)?;
            if let Some(breakdown) = breakdown {
                return Ok(Some(Ended::Broken(breakdown)));
            }
            if wish == Wish::Enough {
                return Ok(Some(Ended::Enough));
            }
        }
    }
    Ok(None)
}

impl Report {
    /// An engine that refuses the first game it is asked to play will refuse them all. `known` are
    /// those that were in a game before.
    fn refusal(&self, known: &HashSet<String>) -> Option<Breakdown> {
        let engine = self.row.loser.as_ref().filter(|engine| !known.contains(*engine))?;
        self.refused_to_begin.then(|| Breakdown::Refused {
            engine: engine.clone(),
            note: self.row.note.clone().unwrap_or_default(),
        })
    }
}

// ---------------------------------------------------------------------------------------------
// Playing

/// What all workers share.
struct Floor<'a> {
    tournament: &'a Tournament,
    house: &'a dyn House,
    halt: &'a Halt,
    next_game: AtomicU32,
}

impl Floor<'_> {
    fn next(&self) -> Option<Fixture> {
        if self.halt.is_raised() {
            return None;
        }
        self.tournament.schedule.fixture(self.next_game.fetch_add(1, Ordering::SeqCst))
    }

    fn no_start(&self, engine: usize, note: &str) -> Breakdown {
        Breakdown::NoStart { engine: self.name(engine).to_owned(), note: note.to_owned() }
    }

    fn name(&self, engine: usize) -> &str {
        &self.tournament.contestants[engine].spec.name
    }
}

/// An engine that runs, and whose it is.
struct Seated {
    engine: usize,
    player: Box<dyn Player>,
    leash: Option<u64>,
}

/// One thread that plays one game after the other. The engines stay from game to game, but only
/// those of the last one: what a worker does not need does not take memory.
struct Worker<'a> {
    floor: &'a Floor<'a>,
    seated: Vec<Seated>,
    solver: Option<Box<dyn Engine>>,
}

impl<'a> Worker<'a> {
    fn new(floor: &'a Floor<'a>) -> Self {
        let solver = floor.tournament.adjudicate_exact.map(|_| floor.house.solver());
        Self { floor, seated: Vec::new(), solver }
    }

    fn work(mut self, sender: &Sender<(u32, Message)>) {
        while let Some(fixture) = self.floor.next() {
            let message = match self.play(&fixture) {
                Ok(None) => break,
                Ok(Some(message)) => message,
                Err(breakdown) => Message::Broken(breakdown),
            };
            // An engine that was ended by the halt has not crashed.
            if self.floor.halt.is_raised() || sender.send((fixture.game, message)).is_err() {
                break;
            }
        }
    }

    /// Plays a game; nothing comes of it when the tournament is halted meanwhile.
    fn play(&mut self, fixture: &Fixture) -> Result<Option<Message>, Breakdown> {
        let game = self.floor.tournament.openings[fixture.opening].game.clone();
        let played = match self.seat(fixture)? {
            None => self.referee(fixture, game),
            Some((side, fault)) => Some(referee::forfeited(game, side, &fault)),
        };
        let Some(played) = played else { return Ok(None) };
        if self.floor.halt.is_raised() || played.end == End::Stopped {
            return Ok(None);
        }
        let row = self.floor.row(fixture, &played);
        let breakdown = self.clear_table(fixture, &played);
        let refused_to_begin = matches!(&played.end, End::Lost(loss) if loss.refused_to_begin);
        let report = Report { row, overhead: played.overhead, refused_to_begin, breakdown };
        Ok(Some(Message::Game(Box::new(report))))
    }

    /// Lets the engines that are seated play a game.
    fn referee(&mut self, fixture: &Fixture, game: Game) -> Option<Played> {
        let tournament = self.floor.tournament;
        let pace = |engine: usize| tournament.contestants[engine].pace;
        let clock = GameClock::new(
            BySide { black: pace(fixture.black), white: pace(fixture.white) },
            tournament.tolerance,
        );
        let adjudicator = match (tournament.adjudicate_exact, &mut self.solver) {
            (Some(empties), Some(solver)) => Some(Adjudicator {
                solver: solver.as_mut(),
                empties,
                evaluation: tournament.evaluation,
                stop: &self.floor.halt.solvers,
            }),
            _ => None,
        };
        let seats = seats(&mut self.seated, fixture)?;
        Some(referee::play(game, seats, clock, adjudicator))
    }

    /// Starts the engines of a game that do not run, and ends those it does not need. Gives back the
    /// side whose program was started and did not get ready.
    fn seat(&mut self, fixture: &Fixture) -> Result<Option<(Side, Fault)>, Breakdown> {
        let wanted = [Side::Black, Side::White];
        self.dismiss(|seated| !wanted.iter().any(|&side| fixture.engine(side) == seated.engine));
        for side in wanted {
            let engine = fixture.engine(side);
            if self.seated.iter().any(|seated| seated.engine == engine) {
                continue;
            }
            let floor = self.floor;
            let mut leash = None;
            let started = floor.house.start(engine, &mut |held| leash = Some(floor.halt.hold(held)));
            match started {
                Ok(player) => self.seated.push(Seated { engine, player, leash }),
                Err(fault) => {
                    leash.into_iter().for_each(|leash| floor.halt.release(leash));
                    return if fault.is_for_good() {
                        Err(floor.no_start(engine, &fault.to_string()))
                    } else {
                        Ok(Some((side, fault)))
                    };
                }
            }
        }
        Ok(None)
    }

    /// Ends engines that cannot play the next game; says so if that ends the tournament.
    fn clear_table(&mut self, fixture: &Fixture, played: &Played) -> Option<Breakdown> {
        let mut breakdown = None;
        for side in [Side::Black, Side::White] {
            let engine = fixture.engine(side);
            let fitness = played.fitness[side];
            if fitness == Fitness::Dead && !self.floor.tournament.recover {
                breakdown.get_or_insert_with(|| self.breakdown(fixture, side, played));
            } else if fitness != Fitness::Ready {
                log::warn!("game {}: {} is started again", fixture.game, self.floor.name(engine));
            }
            if fitness != Fitness::Ready || self.floor.tournament.contestants[engine].restart {
                self.dismiss(|seated| seated.engine == engine);
            }
        }
        breakdown
    }

    /// How it is told that an engine is gone.
    fn breakdown(&self, fixture: &Fixture, side: Side, played: &Played) -> Breakdown {
        let engine = fixture.engine(side);
        let note = match &played.end {
            End::Lost(loss) if loss.side == side => loss.note.clone(),
            _ => "behind the end of the game".to_owned(),
        };
        if self.seated.iter().any(|seated| seated.engine == engine) {
            let engine = self.floor.name(engine).to_owned();
            Breakdown::Crashed { engine, game: fixture.game, note }
        } else {
            self.floor.no_start(engine, &note)
        }
    }

    fn dismiss(&mut self, goes: impl Fn(&Seated) -> bool) {
        for seated in self.seated.extract_if(.., |seated| goes(seated)) {
            seated.player.quit();
            seated.leash.into_iter().for_each(|leash| self.floor.halt.release(leash));
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.dismiss(|_| true);
    }
}

/// The players of a game.
fn seats<'a>(seated: &'a mut [Seated], fixture: &Fixture) -> Option<Seats<'a>> {
    let (mut black, mut white) = (None, None);
    for seat in seated {
        if seat.engine == fixture.black {
            black = Some(seat.player.as_mut());
        } else if seat.engine == fixture.white {
            white = Some(seat.player.as_mut());
        }
    }
    Some(Seats { black: black?, white: white? })
}

impl Fixture {
    fn engine(&self, side: Side) -> usize {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Rows

impl Floor<'_> {
    fn row(&self, fixture: &Fixture, played: &Played) -> GameRow {
        let game = &played.game;
        let opening = &self.tournament.openings[fixture.opening];
        let (loser, exit_code, note) = match &played.end {
            End::Lost(loss) => (
                Some(self.name(fixture.engine(loss.side)).to_owned()),
                loss.exit_code,
                Some(loss.note.clone()),
            ),
            End::Resigned(side) => (Some(self.name(fixture.engine(*side)).to_owned()), None, None),
            End::Score | End::Adjudicated { .. } | End::Stopped => (None, None, None),
        };
        let discs = count(&game.state().board);
        let own_start = *game.start() != game.variant().start_state();
        let notes = &played.notes;
        GameRow {
            game: fixture.game,
            pair: fixture.pair,
            opening: opening.name.clone(),
            x: self.name(fixture.black).to_owned(),
            o: self.name(fixture.white).to_owned(),
            moves: transcript(game),
            count: ByColour { x: discs.black, o: discs.white },
            official: referee::official(game, &played.end)
                .map(|pair| ByColour { x: discs_of(pair.black), o: discs_of(pair.white) }),
            winner: match referee::winner(game, &played.end) {
                Some(Side::Black) => Winner::Black,
                Some(Side::White) => Winner::White,
                None => Winner::Nobody,
            },
            reason: reason_of(&played.end),
            loser,
            exit_code,
            plies: game.len() as u32,
            seconds: rounded(played.lasted),
            variant: Some(record::variant_text(game.variant()).to_string()),
            start: own_start.then(|| record::board_text(game.variant(), game.start()).to_string()),
            seed: Some(self.tournament.seed),
            note,
            duplicate_of: None,
            evals: unless_empty(notes.iter().map(|note| Some(f64::from(note.centidiscs?) / 100.0))),
            times: unless_empty(notes.iter().map(|note| note.taken.map(rounded))),
            depths: unless_empty(notes.iter().map(|note| note.depth)),
        }
    }
}

fn reason_of(end: &End) -> Reason {
    match end {
        End::Score => Reason::Score,
        End::Adjudicated { .. } => Reason::Adjudicated,
        End::Resigned(_) => Reason::Resign,
        End::Lost(loss) => loss.reason,
        End::Stopped => Reason::Stopped,
    }
}

fn discs_of(half: HalfDiscs) -> f64 {
    f64::from(half.0) / 2.0
}

/// Seconds to a tenth of a millisecond.
fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e4).round() / 1e4
}

/// A list that says something.
fn unless_empty<T>(items: impl Iterator<Item = Option<T>>) -> Option<Vec<Option<T>>> {
    let list: Vec<Option<T>> = items.collect();
    list.iter().any(Option::is_some).then_some(list)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::clock::Time;
    use super::super::testing::{FakeHouse, Habit, tournament};
    use super::*;

    fn play(
        tournament: &Tournament,
        house: &FakeHouse,
        first_game: u32,
        enough: impl Fn(&GameRow) -> bool,
    ) -> (Vec<GameRow>, Ended) {
        let mut rows = Vec::new();
        let take = |row: GameRow| {
            let wish = if enough(&row) { Wish::Enough } else { Wish::More };
            rows.push(row);
            Ok::<_, Infallible>(wish)
        };
        let Ok((ended, _)) = run(tournament, house, first_game, &Halt::new(), take);
        assert_eq!(house.running.load(Ordering::SeqCst), 0, "an engine was left running");
        (rows, ended)
    }

    /// Everything but how long it took.
    fn timeless(rows: &[GameRow]) -> Vec<GameRow> {
        rows.iter().map(|row| GameRow { seconds: 0.0, ..row.clone() }).collect()
    }

    #[test]
    fn rows_are_the_same_at_any_concurrency() {
        let rows = |concurrency| {
            let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Last, 0), (Habit::Cheat, 9)]);
            let tournament = Tournament { concurrency, ..tournament("6x6", 3, 8) };
            let (rows, ended) = play(&tournament, &house, 1, |_| false);
            assert_eq!(ended, Ended::Finished);
            timeless(&rows)
        };
        let alone = rows(1);
        assert_eq!(alone.len(), 24);
        assert!(alone.iter().enumerate().all(|(index, row)| row.game == index as u32 + 1));
        assert_eq!(rows(2), alone);
        assert_eq!(rows(5), alone);
    }

    #[test]
    fn a_run_goes_on_from_any_game() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Last, 0)]);
        let tournament = tournament("othello", 2, 8);
        let (whole, _) = play(&tournament, &house, 1, |_| false);
        let (rest, _) = play(&tournament, &house, 4, |_| false);
        assert_eq!(timeless(&rest), timeless(&whole)[3..]);
        let (none, ended) = play(&tournament, &house, 9, |_| false);
        assert_eq!((none.len(), ended), (0, Ended::Finished));
    }

    #[test]
    fn no_game_is_taken_behind_the_one_that_was_enough() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Last, 0)]);
        let tournament = Tournament { concurrency: 3, ..tournament("othello", 2, 100) };
        let (rows, ended) = play(&tournament, &house, 1, |row| row.game == 6);
        assert_eq!((rows.len(), ended), (6, Ended::Enough));
    }

    #[test]
    fn a_crash_ends_the_run_unless_engines_are_recovered() {
        let habits = [(Habit::First, 0), (Habit::Crash, 3)];
        let house = FakeHouse::new(&habits);
        let broken = tournament("othello", 2, 6);
        let (rows, ended) = play(&broken, &house, 1, |_| false);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].reason, rows[0].exit_code), (Reason::Crash, Some(3)));
        assert_eq!(rows[0].loser.as_deref(), Some("B"));
        let Ended::Broken(Breakdown::Crashed { engine, game, .. }) = ended else { panic!("{ended:?}") };
        assert_eq!((engine.as_str(), game), ("B", 1));

        let house = FakeHouse::new(&habits);
        let recovered = Tournament { recover: true, ..broken };
        let (rows, ended) = play(&recovered, &house, 1, |_| false);
        assert_eq!((rows.len(), ended), (6, Ended::Finished));
        assert!(rows.iter().all(|row| row.reason == Reason::Crash));
        // A once, B for every game.
        assert_eq!(house.started.load(Ordering::SeqCst), 7);
    }

    #[test]
    fn engines_that_do_not_answer_are_started_again_and_cheats_stay() {
        for (habit, started) in [(Habit::Hang, 5), (Habit::Cheat, 2), (Habit::Refuse, 2)] {
            let house = FakeHouse::new(&[(Habit::First, 0), (habit, 1)]);
            let (rows, ended) = play(&tournament("othello", 2, 4), &house, 1, |_| false);
            assert_eq!((rows.len(), ended), (4, Ended::Finished));
            assert_eq!(house.started.load(Ordering::SeqCst), started, "{habit:?}");
        }
    }

    #[test]
    fn an_engine_that_refuses_its_first_game_ends_the_run() {
        for concurrency in [1, 4] {
            let house = FakeHouse::new(&[(Habit::Unwilling, 0), (Habit::First, 0)]);
            let tournament = Tournament { concurrency, ..tournament("othello", 2, 40) };
            let (rows, ended) = play(&tournament, &house, 1, |_| false);
            assert_eq!(rows, []);
            assert!(matches!(ended, Ended::Broken(Breakdown::Refused { engine, .. }) if engine == "A"));
            // In a run that is continued it has played before.
            let (rows, ended) = play(&tournament, &house, 39, |_| false);
            assert_eq!((rows.len(), ended), (2, Ended::Finished));
        }
    }

    /// A house that breaks when its first engine is started.
    struct Breaking(FakeHouse, AtomicBool);

    impl House for Breaking {
        fn start(&self, engine: usize, hold: &mut dyn FnMut(Leash)) -> Result<Box<dyn Player>, Fault> {
            assert!(self.1.swap(true, Ordering::SeqCst), "a panic that a test asks for");
            self.0.start(engine, hold)
        }

        fn solver(&self) -> Box<dyn Engine> {
            self.0.solver()
        }
    }

    /// Without the halt the other worker would wait for its engine for ever.
    #[test]
    fn a_panic_ends_the_games_of_the_other_workers() {
        let habits = [(Habit::Wait, 0), (Habit::Wait, 0)];
        let house = Breaking(FakeHouse::new(&habits), AtomicBool::new(false));
        let tournament = Tournament { concurrency: 2, ..tournament("othello", 2, 8) };
        let halt = Halt::new();
        let take = |row: GameRow| -> Result<Wish, Infallible> { unreachable!("{row:?}") };
        let run = AssertUnwindSafe(|| run(&tournament, &house, 1, &halt, take));
        assert!(catch_unwind(run).is_err());
        assert!(halt.is_raised());
        assert_eq!(house.0.running.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn limits_that_an_engine_cannot_be_told_are_known_before_the_first_game() {
        let untold = |dialect: &str, pace: Pace, habit: Habit| {
            let house = FakeHouse::new(&[(Habit::First, 0), (habit, 0)]);
            let mut tournament = tournament("othello", 2, 2);
            tournament.contestants[1].spec.dialect = dialect.to_owned();
            tournament.contestants[1].pace = pace;
            let untold = roll_call(&tournament, &house, &Halt::new());
            assert_eq!(house.running.load(Ordering::SeqCst), 0);
            untold
        };
        let time = Pace { time: Some(Time::Move(Duration::from_secs(1))), ..Pace::default() };
        let nodes = Pace { nodes: Some(1), ..Pace::default() };
        // A fake can be told the plies alone.
        let lack = |limit, is_sayable| Ok(vec![Untold { engine: 1, limit, is_sayable }]);
        assert_eq!(untold("nboard", time, Habit::First), lack(Limit::MoveTime, false));
        assert_eq!(untold("gtp", time, Habit::First), lack(Limit::MoveTime, true));
        assert_eq!(untold("gtp", nodes, Habit::First), lack(Limit::Nodes, false));
        assert_eq!(
            untold("nboard", Pace { depth: Some(2), ..Pace::default() }, Habit::First),
            Ok(vec![])
        );
        assert_eq!(untold("native", time, Habit::First), Ok(vec![]), "the dialect can say everything");
        assert_eq!(untold("nboard", time, Habit::Stillborn), Ok(vec![]));
    }

    #[test]
    fn an_engine_that_does_not_get_ready_loses_its_game() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Stillborn, 0)]);
        let broken = tournament("othello", 2, 4);
        let (rows, ended) = play(&broken, &house, 1, |_| false);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].reason, rows[0].exit_code), (Reason::Crash, Some(3)));
        assert!(matches!(ended, Ended::Broken(Breakdown::NoStart { engine, .. }) if engine == "B"));
        let recovered = Tournament { recover: true, ..broken };
        let (rows, ended) = play(&recovered, &house, 1, |_| false);
        assert_eq!((rows.len(), ended), (4, Ended::Finished));
        assert!(rows.iter().all(|row| row.loser.as_deref() == Some("B")));
    }

    #[test]
    fn an_engine_can_be_started_for_every_game() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Last, 0)]);
        let mut tournament = tournament("4x4", 2, 4);
        tournament.contestants[0].restart = true;
        play(&tournament, &house, 1, |_| false);
        assert_eq!(house.started.load(Ordering::SeqCst), 5);
    }

    #[test]
    fn a_halt_ends_games_that_wait_for_an_answer() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Wait, 2)]);
        let tournament = Tournament { concurrency: 2, ..tournament("othello", 2, 8) };
        let halt = Halt::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                while house.started.load(Ordering::SeqCst) < 4 {
                    thread::yield_now();
                }
                halt.raise();
            });
            let take = |row: GameRow| -> Result<Wish, Infallible> { panic!("{row:?}") };
            let Ok((ended, _)) = run(&tournament, &house, 1, &halt, take);
            assert_eq!(ended, Ended::Halted);
        });
        assert_eq!(house.running.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_row_says_what_the_game_was() {
        let house = FakeHouse::new(&[(Habit::First, 0), (Habit::Last, 0)]);
        let (rows, _) = play(&tournament("6x6+start=par", 2, 2), &house, 1, |_| false);
        let row = &rows[0];
        assert_eq!((row.game, row.pair, row.x.as_str(), row.o.as_str()), (1, 1, "A", "B"));
        assert!(row.moves.starts_with(&row.opening), "{row:?}");
        assert_eq!(row.reason, Reason::Score);
        assert_eq!(row.evals.as_ref().unwrap().len(), row.plies as usize);
        assert_eq!(row.evals.as_ref().unwrap()[0], None, "an opening has no evaluation");
        let replayed = super::super::archive::replay(row).unwrap();
        assert_eq!(replayed.len(), row.plies as usize);
        let discs = count(&replayed.state().board);
        assert_eq!((discs.black, discs.white), (row.count.x, row.count.o));
        let official = row.official.unwrap();
        assert_eq!(official.x + official.o, 36.0);
    }
}
