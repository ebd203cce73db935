//! The clocks of one game: what an engine may use for its next move, and what it has left after it.
//!
//! Knows durations. Must not know how time is measured: it is told how long a move took.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use outflank_protocol::client::Limit;

use super::player::{Budget, Clocks};
use crate::rules::{BySide, Side};

/// How long an answer is waited for after its time is up. It has lost the game by then, but an
/// engine that answers late can play the next one, where one that is cut off has to be started
/// again.
const LATENESS: Duration = Duration::from_secs(1);

/// Longest time that can be asked for, in seconds.
pub const MAX_SECONDS: f64 = 1e6;

/// What bounds the moves of an engine. Everything that is given binds at once; nothing is no
/// bound but the watchdog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Its time.
    pub time: Option<Time>,
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Nodes to visit.
    pub nodes: Option<u64>,
}

/// Time for a game or for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// For the game.
    Game {
        /// At the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// For each move.
    Move(Duration),
}

/// A text that is no time control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTime {
    /// The text.
    pub text: String,
}

impl fmt::Display for BadTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no time: MAIN+INC in seconds, as in 60+0.5, 5:00+0 or 0.5; up to {MAX_SECONDS} s and above 0 together",
            crate::record::clip(&self.text)
        )
    }
}

impl std::error::Error for BadTime {}

impl FromStr for Time {
    type Err = BadTime;

    /// `MAIN[+INC]`, each in seconds or as minutes and seconds `M:S`.
    fn from_str(text: &str) -> Result<Self, BadTime> {
        let bad = || BadTime { text: text.to_owned() };
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        let read = |text| seconds(text).ok_or_else(bad);
        let (main, increment) = (read(main)?, read(increment)?);
        if main + increment == Duration::ZERO {
            return Err(bad());
        }
        Ok(Time::Game { main, increment })
    }
}

/// A number of seconds, or minutes and seconds.
fn seconds(text: &str) -> Option<Duration> {
    let number = |text: &str| {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        text.parse::<f64>().ok().filter(|number| is_number && number.is_finite())
    };
    let total = match text.trim().split_once(':') {
        Some((minutes, seconds)) => 60.0 * number(minutes)? + number(seconds)?,
        None => number(text.trim())?,
    };
    (0.0..=MAX_SECONDS).contains(&total).then(|| Duration::from_secs_f64(total))
}

impl Pace {
    /// The kinds of limits that it has, the time first.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        let time = self.time.map(|time| match time {
            Time::Game { .. } => Limit::Clock,
            Time::Move(_) => Limit::MoveTime,
        });
        let depth = self.depth.map(|_| Limit::Depth);
        [time, depth, self.nodes.map(|_| Limit::Nodes)].into_iter().flatten()
    }
}

impl fmt::Display for Pace {
    /// `60+0.5`, `1.5/move`, `depth 8`, `nodes 1000`, or `no limit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.map(|time| match time {
            Time::Game { main, increment } => {
                format!("{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
            Time::Move(time) => format!("{}/move", time.as_secs_f64()),
        });
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let nodes = self.nodes.map(|nodes| format!("nodes {nodes}"));
        let parts: Vec<String> = [time, depth, nodes].into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "no limit" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// What is tolerated before a game is lost by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// How much later than its time an answer may come.
    pub margin: Duration,
    /// The longest wait for an engine without time of its own.
    pub watchdog: Duration,
}

/// An answer that came too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overstepped {
    /// What was left for the move.
    pub allowed: Duration,
    /// What it took.
    pub taken: Duration,
}

impl fmt::Display for Overstepped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (taken, allowed) = (self.taken.as_secs_f64(), self.allowed.as_secs_f64());
        write!(f, "{taken:.3} s used where {allowed:.3} s were left")
    }
}

/// The clocks of both players through one game.
#[derive(Clone, Debug)]
pub struct GameClock {
    pace: BySide<Pace>,
    /// What is left for the game; not used by those who have time for each move or none.
    left: BySide<Duration>,
    tolerance: Tolerance,
}

impl GameClock {
    /// The clocks before the first move.
    #[must_use]
    pub fn new(pace: BySide<Pace>, tolerance: Tolerance) -> Self {
        let left = pace.map(|pace| match pace.time {
            Some(Time::Game { main, .. }) => main,
            Some(Time::Move(_)) | None => Duration::ZERO,
        });
        let mut clock = Self { pace, left, tolerance };
        // A main time of nothing is meant as the increment for each move.
        for side in [Side::Black, Side::White] {
            if let Some(Time::Game { main: Duration::ZERO, increment }) = clock.pace[side].time {
                clock.left[side] = increment;
            }
        }
        clock
    }

    /// What a side may use for its next move. No time in it is ever negative.
    #[must_use]
    pub fn budget(&self, side: Side) -> Budget {
        let pace = self.pace[side];
        let cutoff = match self.allowed(side) {
            Some(allowed) => allowed + self.tolerance.margin + LATENESS,
            None => self.tolerance.watchdog,
        };
        let clock = match pace.time {
            Some(Time::Game { increment, .. }) => Some(Clocks {
                own_ms: millis(self.left[side]),
                // Somebody without a clock is told to have as much as oneself.
                other_ms: millis(match self.pace[side.other()].time {
                    Some(Time::Game { .. }) => self.left[side.other()],
                    _ => self.left[side],
                }),
                increment_ms: millis(increment),
            }),
            Some(Time::Move(_)) | None => None,
        };
        let movetime_ms = match pace.time {
            // Nothing at all would be no limit to some engines.
            Some(Time::Move(time)) => Some(millis(time).max(1)),
            Some(Time::Game { .. }) | None => None,
        };
        Budget { clock, movetime_ms, depth: pace.depth, nodes: pace.nodes, cutoff }
    }

    /// Takes what a move has used from the side's clock and adds its increment.
    ///
    /// # Errors
    /// [`Overstepped`] if it was more than there was, the margin included.
    pub fn charge(&mut self, side: Side, taken: Duration) -> Result<(), Overstepped> {
        let Some(allowed) = self.allowed(side) else { return Ok(()) };
        if taken > allowed + self.tolerance.margin {
            return Err(Overstepped { allowed, taken });
        }
        if let Some(Time::Game { increment, .. }) = self.pace[side].time {
            // Within the margin a clock may have run out; it does not go below zero.
            self.left[side] = allowed.saturating_sub(taken) + increment;
        }
        Ok(())
    }

    /// Whether the side plays under a clock, so that no answer means that its time is up.
    #[must_use]
    pub fn is_timed(&self, side: Side) -> bool {
        self.pace[side].time.is_some()
    }

    /// Time for the next move; `None` without a limit.
    fn allowed(&self, side: Side) -> Option<Duration> {
        match self.pace[side].time? {
            Time::Game { .. } => Some(self.left[side]),
            Time::Move(time) => Some(time),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance =
        Tolerance { margin: Duration::from_millis(100), watchdog: Duration::from_secs(60) };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn pace(text: &str) -> Pace {
        Pace { time: Some(text.parse().unwrap()), ..Pace::default() }
    }

    fn clock(black: Pace, white: Pace) -> GameClock {
        GameClock::new(BySide { black, white }, TOLERANCE)
    }

    #[test]
    fn time_controls_are_read_in_seconds_and_minutes() {
        let check = |text: &str, main, increment| {
            let time = Time::Game { main: ms(main), increment: ms(increment) };
            assert_eq!(text.parse(), Ok(time), "{text}");
        };
        check("60+0.5", 60_000, 500);
        check("0.5", 500, 0);
        check("5:00+0", 300_000, 0);
        check("1:30+0:01.5", 90_000, 1500);
        check("0+1", 0, 1000);
        for text in ["", "+", "0+0", "0", "-1+2", "1e400", "inf", "nan", "60+0.5+1", "a", "1:-5"] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_down_and_gets_its_increment() {
        let mut clock = clock(pace("10+1"), pace("5+0"));
        clock.charge(Side::Black, ms(2500)).unwrap();
        let budget = clock.budget(Side::Black);
        let clocks = budget.clock.unwrap();
        assert_eq!((clocks.own_ms, clocks.other_ms, clocks.increment_ms), (8500, 5000, 1000));
        assert_eq!(budget.cutoff, ms(8500 + 100 + 1000));
        let clocks = clock.budget(Side::White).clock.unwrap();
        assert_eq!((clocks.own_ms, clocks.other_ms, clocks.increment_ms), (5000, 8500, 0));
    }

    #[test]
    fn within_the_margin_a_clock_stops_at_zero() {
        let mut clock = clock(pace("1+0"), pace("1+0"));
        clock.charge(Side::Black, ms(1100)).unwrap();
        assert_eq!(clock.budget(Side::Black).clock.unwrap().own_ms, 0);
        assert_eq!(
            clock.charge(Side::Black, ms(101)),
            Err(Overstepped { allowed: ms(0), taken: ms(101) })
        );
    }

    #[test]
    fn time_for_each_move_does_not_add_up() {
        let time = Pace { time: Some(Time::Move(ms(200))), ..Pace::default() };
        let mut clock = clock(time, Pace { depth: Some(4), ..Pace::default() });
        for _ in 0..3 {
            clock.charge(Side::Black, ms(250)).unwrap();
        }
        assert!(clock.charge(Side::Black, ms(301)).is_err());
        let budget = clock.budget(Side::Black);
        assert_eq!((budget.clock, budget.movetime_ms, budget.cutoff), (None, Some(200), ms(1300)));
    }

    #[test]
    fn the_shortest_time_for_a_move_is_told_as_a_millisecond() {
        let time = Pace { time: Some(Time::Move(Duration::from_micros(400))), ..Pace::default() };
        assert_eq!(clock(time, time).budget(Side::White).movetime_ms, Some(1));
    }

    #[test]
    fn without_a_clock_only_the_watchdog_binds() {
        let free = Pace { depth: Some(4), ..Pace::default() };
        let mut clock = clock(free, pace("1+0"));
        clock.charge(Side::Black, Duration::from_secs(3000)).unwrap();
        let budget = clock.budget(Side::Black);
        assert_eq!((budget.clock, budget.depth, budget.cutoff), (None, Some(4), TOLERANCE.watchdog));
        assert!(!clock.is_timed(Side::Black) && clock.is_timed(Side::White));
        assert_eq!(clock.budget(Side::White).clock.unwrap().other_ms, 1000);
    }

    #[test]
    fn no_main_time_leaves_the_increment_for_the_first_move() {
        let mut clock = clock(pace("0+1"), pace("0+1"));
        assert_eq!(clock.budget(Side::Black).clock.unwrap().own_ms, 1000);
        clock.charge(Side::Black, ms(400)).unwrap();
        assert_eq!(clock.budget(Side::Black).clock.unwrap().own_ms, 1600);
    }

    #[test]
    fn a_pace_says_what_binds() {
        assert_eq!(pace("60+0.5").to_string(), "60+0.5");
        assert_eq!(Pace::default().to_string(), "no limit");
        let both = Pace { time: Some(Time::Move(ms(1500))), depth: Some(8), nodes: Some(9) };
        assert_eq!(both.to_string(), "1.5/move, depth 8, nodes 9");
    }
}
