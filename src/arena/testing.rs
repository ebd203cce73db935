//! Players without a program, for the tests of this room.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use outflank_protocol::client::Limit;
use outflank_protocol::variant::read_variant;
use outflank_protocol::words::MoveText;

use super::clock::{Pace, Tolerance};
use super::openings::Opening;
use super::player::{Budget, Chosen, EngineSpec, Fault, Leash, Player, Thought};
use super::run::{Contestant, House, Tournament};
use super::schedule::{Order, Pairing, Schedule};
use crate::engine::native::NativeEngine;
use crate::engine::{Engine, Evaluation};
use crate::record;
use crate::rules::{Game, Move, Variant};

/// What a player does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Plays the first legal move.
    First,
    /// Plays the last one.
    Last,
    /// Plays a square that is taken or turns nothing.
    Cheat,
    /// Passes where it has a move.
    Pass,
    /// Its process ends with exit code 3.
    Crash,
    /// Does not answer.
    Hang,
    /// Does not answer what is said before a move is asked for.
    Deaf,
    /// Says what nobody understands, and then nothing.
    Babble,
    /// Refuses to move.
    Refuse,
    /// Answers after so many milliseconds of its own telling.
    Late(u64),
    /// Gives up.
    Resign,
    /// Refuses every game.
    Unwilling,
    /// Waits until its leash is cut.
    Wait,
    /// Ends with exit code 3 before it gets ready.
    Stillborn,
}

/// A player that keeps a habit, from the n-th time on that it is asked in a game.
pub struct Fake {
    habit: Habit,
    from: usize,
    asked: usize,
    /// What it was told of, as items of the log.
    pub heard: Vec<usize>,
    cut: Arc<AtomicBool>,
    running: Arc<AtomicUsize>,
}

impl Fake {
    pub fn new(habit: Habit) -> Self {
        Self::later(habit, 0)
    }

    /// Plays the first legal move until it was asked so many times.
    pub fn later(habit: Habit, from: usize) -> Self {
        let running = Arc::new(AtomicUsize::new(1));
        Self { habit, from, asked: 0, heard: Vec::new(), cut: Arc::default(), running }
    }
}

fn crash(code: i32) -> Fault {
    Fault::Crash { exit_code: Some(code), signal: None, stderr: vec!["out of cheese".to_owned()] }
}

impl Player for Fake {
    fn begin(&mut self, game: &Game) -> Result<(), Fault> {
        self.asked = 0;
        self.heard = vec![game.len()];
        if self.habit == Habit::Unwilling {
            let (asked, answer) = ("boardsize 8".to_owned(), "? no".to_owned());
            return Err(Fault::Refused { asked, answer });
        }
        Ok(())
    }

    fn follow(&mut self, game: &Game, played: Move) -> Result<(), Fault> {
        assert_eq!(game.log().last().unwrap().mv, played);
        self.heard.push(game.len());
        Ok(())
    }

    fn prepare(&mut self, _game: &Game, budget: &Budget) -> Result<(), Fault> {
        match self.habit {
            Habit::Deaf if self.asked >= self.from => {
                Err(Fault::NoAnswer { waited: budget.cutoff, stray: None })
            }
            _ => Ok(()),
        }
    }

    fn choose(&mut self, game: &Game, budget: &Budget) -> Result<Thought, Fault> {
        assert!(game.must_pass().is_none() && !game.is_over());
        let habit = if self.asked >= self.from { self.habit } else { Habit::First };
        self.asked += 1;
        let legal: Vec<_> = game.legal().iter().collect();
        let at = |index: usize| MoveText::At(record::point(legal[index]));
        let mut taken = Duration::from_millis(1);
        let choice = match habit {
            Habit::First | Habit::Unwilling | Habit::Stillborn | Habit::Deaf => Chosen::Move(at(0)),
            Habit::Last => Chosen::Move(at(legal.len() - 1)),
            Habit::Cheat => {
                let squares = game.variant().geometry().playable();
                let wrong = squares.without(game.legal()).first().unwrap();
                Chosen::Move(MoveText::At(record::point(wrong)))
            }
            Habit::Pass => Chosen::Move(MoveText::Pass),
            Habit::Crash => return Err(crash(3)),
            Habit::Hang => return Err(Fault::NoAnswer { waited: budget.cutoff, stray: None }),
            Habit::Babble => {
                return Err(Fault::NoAnswer { waited: budget.cutoff, stray: Some("blah".to_owned()) });
            }
            Habit::Refuse => {
                let (asked, answer) = ("genmove b".to_owned(), "? later".to_owned());
                return Err(Fault::Refused { asked, answer });
            }
            Habit::Late(ms) => {
                taken = Duration::from_millis(ms);
                Chosen::Move(at(0))
            }
            Habit::Resign => Chosen::Resign,
            Habit::Wait => {
                while !self.cut.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                return Err(crash(9));
            }
        };
        Ok(Thought {
            choice,
            taken,
            score_centidiscs: Some(150),
            exact: false,
            depth: Some(1),
            nodes: None,
            pv: Vec::new(),
        })
    }

    fn accepted(&mut self, game: &Game, _played: Move) -> Result<(), Fault> {
        self.heard.push(game.len());
        Ok(())
    }

    fn finish(&mut self, _game: &Game) -> Result<(), Fault> {
        Ok(())
    }

    fn heeds(&self, limit: Limit) -> bool {
        limit == Limit::Depth
    }

    fn leash(&self) -> Leash {
        let cut = Arc::clone(&self.cut);
        Leash::new(move || cut.store(true, Ordering::SeqCst))
    }

    fn quit(self: Box<Self>) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Where fakes come from.
pub struct FakeHouse {
    habits: Vec<(Habit, usize)>,
    /// Fakes that have not been told to quit.
    pub running: Arc<AtomicUsize>,
    /// How many were ever started.
    pub started: AtomicUsize,
}

impl FakeHouse {
    /// One habit for each engine, and from when on it keeps it.
    pub fn new(habits: &[(Habit, usize)]) -> Self {
        Self { habits: habits.to_vec(), running: Arc::default(), started: AtomicUsize::new(0) }
    }
}

impl House for FakeHouse {
    fn start(&self, engine: usize, hold: &mut dyn FnMut(Leash)) -> Result<Box<dyn Player>, Fault> {
        let (habit, from) = self.habits[engine];
        if habit == Habit::Stillborn {
            return Err(crash(3));
        }
        self.running.fetch_add(1, Ordering::SeqCst);
        self.started.fetch_add(1, Ordering::SeqCst);
        let fake = Fake { running: Arc::clone(&self.running), ..Fake::later(habit, from) };
        hold(fake.leash());
        Ok(Box::new(fake))
    }

    fn solver(&self) -> Box<dyn Engine> {
        Box::new(NativeEngine::new(1))
    }
}

/// The variant of a token.
pub fn variant(token: &str) -> Variant {
    record::variant(&read_variant(token).unwrap()).unwrap()
}

/// Engines A, B, ... that meet for so many games of a variant.
pub fn tournament(token: &str, n_engines: usize, games: u32) -> Tournament {
    let contestant = |index: usize| Contestant {
        spec: EngineSpec {
            name: char::from(b'A' + index as u8).to_string(),
            command: "fake".to_owned(),
            dialect: "native".to_owned(),
            directory: None,
            options: Vec::new(),
        },
        pace: Pace::default(),
        restart: false,
    };
    let pairing = if n_engines == 2 { Pairing::Versus } else { Pairing::RoundRobin };
    let start = Game::new(variant(token));
    let openings: Vec<Opening> = start
        .legal()
        .iter()
        .map(|square| {
            let mut game = start.clone();
            game.play(None, square).unwrap();
            Opening { name: square.to_string(), line: 1, game }
        })
        .collect();
    Tournament {
        contestants: (0..n_engines).map(contestant).collect(),
        schedule: Schedule::new(pairing, n_engines, games, openings.len(), Order::Sequential, 0)
            .unwrap(),
        openings,
        tolerance: Tolerance { margin: Duration::ZERO, watchdog: Duration::from_secs(60) },
        adjudicate_exact: None,
        evaluation: Evaluation::default(),
        recover: false,
        concurrency: 1,
        seed: 7,
    }
}
