//! The engine as its users see it: what can be asked, what is found, and how
//! a search is told to stop.
//!
//! Knows the rules and nothing of how a search works; [`native`] joins the
//! search and the evaluation to this trait, [`scripted`] plays from a script
//! for tests, [`background`] runs any engine on a thread of its own, [`analysis`] asks any engine about a
//! whole game.

pub mod analysis;
pub mod background;
pub mod native;
pub mod scripted;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use crate::rules::Bound;
use crate::rules::{Act, HalfDiscs, Rules, Square, SquareSet, State};

/// Something that can think about a position.
///
/// A run always answers. Unless the game is over it answers with a legal
/// choice, even when the flag was raised before it began.
pub trait Engine: Send {
    /// Searches, telling `observer` what is known so far, until the goal is
    /// reached, a limit binds or `stop` is raised.
    fn run(
        &mut self,
        request: &SearchRequest,
        stop: &StopFlag,
        observer: &mut dyn FnMut(&Report),
    ) -> Found;

    /// Forgets everything earlier searches have left behind.
    fn clear(&mut self);

    /// Takes in what somebody else has found out; later searches build on it as on what they have
    /// found themselves. Where nothing is remembered between searches, nothing comes of it.
    fn teach(&mut self, lesson: &Lesson);

    /// Sets the memory for the transposition table, in MiB.
    ///
    /// # Errors
    ///
    /// [`EngineError::HashSize`] when the size is not supported, [`EngineError::OutOfMemory`] when
    /// it is not to be had; the table then keeps its size.
    fn set_hash_mib(&mut self, mib: usize) -> Result<(), EngineError>;

    /// Sets how many threads a search may use, 1 to [`MAX_THREADS`]. A deterministic request uses
    /// one all the same.
    ///
    /// # Errors
    ///
    /// [`EngineError::Threads`] when the number is not supported; the engine then keeps its own.
    fn set_threads(&mut self, n: usize) -> Result<(), EngineError>;

    /// The name shown to users.
    fn name(&self) -> &str;
}

/// The most threads one search may use.
pub const MAX_THREADS: usize = 256;

/// How many threads this process may run at once, within 1 to [`MAX_THREADS`]; 1 where the system
/// does not say.
#[must_use]
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// What levels are worth, in Elo among themselves, weakest first: a round robin of levels 0 to 8 from
/// XOT openings, 100 games a pair, 100 games of 8 and 10 and 60 of 10 and 12. In between it is a
/// straight line.
const RATINGS: [(u32, u32); 7] =
    [(0, 800), (2, 1070), (4, 1420), (6, 1800), (8, 2040), (10, 2260), (12, 2390)];

/// The highest level that is worth no more than this Elo.
#[must_use]
pub fn level_of_elo(elo: u32) -> u32 {
    let pairs = RATINGS.iter().zip(RATINGS.iter().skip(1));
    for (&(low, least), &(high, most)) in pairs {
        if elo < most {
            return low + elo.saturating_sub(least) * (high - low) / (most - least);
        }
    }
    RATINGS.last().map_or(0, |&(level, _)| level)
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One move to play.
    BestMove,
    /// The values of the best moves, as many as the request's `multi_pv`.
    Values,
    /// The exact result, to the end of the game, whatever it takes.
    Solve {
        /// Only who wins; the values of the lines are then signs: one disc,
        /// none, or minus one.
        wld: bool,
        /// The value of every legal move and not only of the best one.
        all_moves: bool,
        /// Every move that is as good as the best one.
        optimal_moves: bool,
    },
}

/// What bounds a search. Everything that is given binds at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Plies to look ahead; at least the empties means to the end.
    pub depth: Option<u32>,
    /// Nodes to visit.
    pub nodes: Option<u64>,
    /// Time for this move, all of which may be used.
    pub move_time: Option<Duration>,
    /// The mover's clock.
    pub clock: Option<ClockLimits>,
    /// Strength level, 0 to 60.
    pub level: Option<u32>,
    /// Selectivity in percent; 100 asks for proofs only.
    pub selectivity: Option<u32>,
    /// Think until stopped or until nothing is left to find.
    pub infinite: bool,
}

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLimits {
    /// Time left.
    pub left: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is given; 0 means the rest of the game.
    pub moves_to_go: u32,
}

/// How an engine guesses what a position is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// By trained weights on the boards that have some, by hand on others.
    #[default]
    Trained,
    /// By terms made by hand, on every board.
    Hand,
}

/// One question to an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRequest {
    /// The position, with the side to move.
    pub state: State,
    /// The rules in force.
    pub rules: Rules,
    /// What is wanted.
    pub goal: Goal,
    /// What bounds the search.
    pub limits: Limits,
    /// Consider these first moves only; legal moves outside it are ignored,
    /// and the whole restriction if it leaves no legal move.
    pub only: Option<SquareSet>,
    /// Lines wanted from [`Goal::Values`] (at least one is found).
    pub multi_pv: u32,
    /// Where the value is wanted itself; elsewhere a bound will do. Heeded where one line of play
    /// is wanted, and not where only the winner is.
    pub window: Option<Window>,
    /// What a drawn game is worth to Black. Its sign decides whether solving
    /// for the winner counts a draw as a win or as a loss for Black.
    pub contempt: HalfDiscs,
    /// What positions are valued by that are not searched to the end.
    pub evaluation: Evaluation,
    /// Ignore all clocks and use one thread, so that the answer depends on the request alone.
    pub deterministic: bool,
    /// Decides between choices known to be equal by symmetry.
    pub seed: u64,
}

impl SearchRequest {
    /// A request for the best move without any limit or option set.
    pub fn new(state: State, rules: Rules) -> Self {
        Self {
            state,
            rules,
            goal: Goal::BestMove,
            limits: Limits::default(),
            only: None,
            multi_pv: 1,
            window: None,
            contempt: HalfDiscs(0),
            evaluation: Evaluation::Trained,
            deterministic: false,
            seed: 0,
        }
    }
}

/// Values that are wanted themselves: those between its ends. Of one that is at most `alpha` it is
/// enough to know that, and of one that is at least `beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Lower end in centidiscs, mover's view.
    pub alpha: i32,
    /// Upper end, above `alpha`.
    pub beta: i32,
}

/// What somebody else knows of a position and of the best play from there.
///
/// It is believed as it stands, as far as it can be true: whoever teaches nonsense gets it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The position, with the side to move.
    pub state: State,
    /// The rules in force.
    pub rules: Rules,
    /// What positions are valued by in the searches this is meant for.
    pub evaluation: Evaluation,
    /// The value is at least this, in centidiscs, mover's view. The least result there is says
    /// nothing.
    pub lower: i32,
    /// The value is at most this, in centidiscs. The greatest result there is says nothing.
    pub upper: i32,
    /// Plies that were looked ahead; the empties or more mean the end of the game.
    pub depth: u32,
    /// Selectivity in percent; 100 for a search that left nothing out.
    pub selectivity: u32,
    /// Best play of both sides from the position on, legal, passes written out.
    pub line: Vec<Choice>,
}

/// The worth of a line from the view of the side to move at the root, in the
/// discs of the scoring rule in force. Komi is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Hundredths of a disc.
    pub centidiscs: i32,
    /// Whether it is the value or a bound.
    pub bound: Bound,
    /// Proved to the end of the game without selectivity; of a bound, that it holds.
    pub exact: bool,
}

/// What a player does at his turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Puts a disc on a square: a move, or a placement of the opening.
    Play(Square),
    /// Passes, because he must.
    Pass,
}

impl Choice {
    /// The choice behind what was done.
    #[must_use]
    pub fn of(act: Act) -> Self {
        act.square().map_or(Self::Pass, Self::Play)
    }
}

/// A first move with its value and what is expected to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Place among the lines, from 1.
    pub rank: u32,
    /// The worth of the line.
    pub value: Value,
    /// The value tells only who wins: 100, 0 or -100 centidiscs.
    pub wld: bool,
    /// Plies looked ahead.
    pub depth: u32,
    /// Selectivity in percent, 100 for none.
    pub selectivity: u32,
    /// The expected course, never empty; passes are written out.
    pub pv: Vec<Choice>,
}

impl Line {
    /// What the line begins with.
    pub fn choice(&self) -> Choice {
        self.pv.first().copied().unwrap_or(Choice::Pass)
    }
}

/// What is known after one more depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Lines of this depth, best first.
    pub lines: Vec<Line>,
    /// Nodes visited since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Lines, best first; empty only when the game is over.
    pub lines: Vec<Line>,
    /// Nodes visited.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
    /// The search ended early, by the flag, the clock or a node limit.
    pub stopped: bool,
    /// Everything that was asked for is proved.
    pub exact: bool,
    /// The search broke; the choice is legal and nothing more.
    pub failed: bool,
}

impl Found {
    /// What to do, or nothing when the game is over.
    pub fn choice(&self) -> Option<Choice> {
        self.lines.first().map(Line::choice)
    }

    /// The answer when the game is over.
    pub(crate) fn nothing() -> Self {
        Self {
            lines: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
            stopped: false,
            exact: true,
            failed: false,
        }
    }

    /// Any legal choice, for when nothing better is known.
    pub(crate) fn any_legal(state: &State, rules: &Rules) -> Self {
        if state.is_over(rules) {
            return Self::nothing();
        }
        Self::unsearched(state.legal(rules).iter().next().map_or(Choice::Pass, Choice::Play))
    }

    /// A choice that was made without a search.
    pub(crate) fn unsearched(choice: Choice) -> Self {
        let line = Line {
            rank: 1,
            value: Value { centidiscs: 0, bound: Bound::Value, exact: false },
            wld: false,
            depth: 0,
            selectivity: 100,
            pv: vec![choice],
        };
        Self { lines: vec![line], exact: false, ..Self::nothing() }
    }
}

/// A flag that, once raised, ends a search. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag; it stays raised.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether nobody else holds this flag any more.
    pub(crate) fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether the flag is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why an engine refused a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// The table size asked for is outside what is supported.
    HashSize {
        /// What was asked for.
        mib: usize,
        /// The largest size supported.
        max_mib: usize,
    },
    /// The system does not give that much memory.
    OutOfMemory {
        /// What was asked for.
        mib: usize,
    },
    /// The number of threads asked for is outside what is supported.
    Threads {
        /// What was asked for.
        n: usize,
        /// The largest number supported; the least is 1.
        max: usize,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HashSize { mib, max_mib } => {
                write!(f, "hash size {mib} MiB is not within 1 to {max_mib} MiB")
            }
            Self::OutOfMemory { mib } => {
                write!(f, "the system does not give {mib} MiB of memory for the hash table")
            }
            Self::Threads { n, max } => write!(f, "{n} threads are not within 1 to {max}"),
        }
    }
}

impl std::error::Error for EngineError {}
