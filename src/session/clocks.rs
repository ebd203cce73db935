//! The clocks of both players: what is left, in which period, and what a search may use.
//!
//! Time enters as data; nothing here reads a clock.

use std::time::Duration;

use outflank_protocol::message::ClockState;
use outflank_protocol::words::ClockText;

use crate::engine::ClockLimits;
use crate::rules::{BySide, Side};

/// Longest time that is kept, so that no arithmetic on it overflows.
const LONGEST_SECONDS: f64 = 1e9;

/// How a move's time is given back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Overtime {
    /// Seconds added after each move.
    Increment(f64),
    /// So many seconds for so many moves, again and again (Canadian overtime).
    Period { seconds: f64, moves: u32 },
}

/// One player's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    left: f64,
    overtime: Overtime,
    extension: f64,
    state: ClockState,
    /// Moves to be made in the time left; 0 for the rest of the game.
    moves_left: u32,
}

/// What happened when time was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Nothing.
    Stands,
    /// The main time ran out and the extension began.
    Soft,
    /// All time ran out.
    Hard,
}

fn bounded(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds.clamp(0.0, LONGEST_SECONDS) } else { LONGEST_SECONDS }
}

impl Clock {
    /// A clock with main time, increment and extension.
    #[must_use]
    pub fn new(text: ClockText) -> Clock {
        Clock {
            left: bounded(text.main),
            overtime: Overtime::Increment(bounded(text.increment)),
            extension: bounded(text.extension),
            state: ClockState::Main,
            moves_left: 0,
        }
    }

    /// The clock of GTP's `time_settings`; `None` when there is no limit.
    ///
    /// With `moves` above 0 it is Canadian overtime. With 0 moves the overtime is read as match
    /// runners mean it: an increment after main time, a fixed time a move without it.
    #[must_use]
    pub fn from_time_settings(main: f64, overtime: f64, moves: u32) -> Option<Clock> {
        let (main, overtime) = (bounded(main), bounded(overtime));
        if main == 0.0 && overtime == 0.0 {
            return None;
        }
        let mut clock = Clock::new(ClockText { main, increment: 0.0, extension: 0.0 });
        if moves > 0 {
            clock.overtime = Overtime::Period { seconds: overtime, moves };
        } else if main > 0.0 {
            clock.overtime = Overtime::Increment(overtime);
        } else {
            clock.overtime = Overtime::Period { seconds: overtime, moves: 1 };
        }
        if main == 0.0 {
            clock.enter_overtime();
        }
        Some(clock)
    }

    fn enter_overtime(&mut self) {
        if let Overtime::Period { seconds, moves } = self.overtime {
            self.left = seconds;
            self.moves_left = moves;
        }
    }

    /// Seconds left in the present period.
    #[must_use]
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Where the clock stands.
    #[must_use]
    pub fn state(&self) -> ClockState {
        self.state
    }

    /// The client says what is left, and perhaps for how many moves; otherwise they are counted on.
    pub fn set_left(&mut self, seconds: f64, moves: Option<u32>) {
        self.left = bounded(seconds);
        self.moves_left = moves.unwrap_or(self.moves_left);
        if self.state == ClockState::Hard {
            self.state = ClockState::Main;
        }
    }

    /// A move took this long: first it is subtracted, then the extension is granted, then the
    /// increment (the order of the game server's clock).
    pub fn spend(&mut self, seconds: f64) -> Flag {
        let mut flag = Flag::Stands;
        self.left -= bounded(seconds);
        if self.left < 0.0
            && let Overtime::Period { seconds: period, moves } = self.overtime
            && self.moves_left == 0
        {
            self.left += period;
            self.moves_left = moves;
        }
        if self.left < 0.0 && self.state == ClockState::Main && self.extension > 0.0 {
            self.left += self.extension;
            self.state = ClockState::Extension;
            flag = Flag::Soft;
        }
        if self.left < 0.0 {
            self.left = 0.0;
            self.state = ClockState::Hard;
            return Flag::Hard;
        }
        self.end_move();
        flag
    }

    fn end_move(&mut self) {
        match self.overtime {
            Overtime::Increment(seconds) => self.left = bounded(self.left + seconds),
            Overtime::Period { seconds, moves } if self.moves_left > 0 => {
                self.moves_left -= 1;
                if self.moves_left == 0 {
                    self.left = seconds;
                    self.moves_left = moves;
                }
            }
            Overtime::Period { .. } => {}
        }
    }

    /// What a search may reckon with.
    #[must_use]
    pub fn limits(&self) -> ClockLimits {
        let increment = match self.overtime {
            Overtime::Increment(seconds) => seconds,
            Overtime::Period { .. } => 0.0,
        };
        ClockLimits {
            left: Duration::from_secs_f64(bounded(self.left)),
            increment: Duration::from_secs_f64(increment),
            moves_to_go: self.moves_left,
        }
    }
}

/// The clocks of both players, where there are any.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    start: BySide<Option<Clock>>,
    now: BySide<Option<Clock>>,
}

impl Clocks {
    /// Sets a clock, for this game and for those after it.
    pub fn set(&mut self, side: Side, clock: Option<Clock>) {
        self.start[side] = clock;
        self.now[side] = clock;
    }

    /// Both clocks as at the start of a game.
    pub fn restart(&mut self) {
        self.now = self.start;
    }

    /// The players change colours and keep what is left to them.
    pub fn swap(&mut self) {
        let BySide { black, white } = self.now;
        self.now = BySide { black: white, white: black };
    }

    /// This side's clock.
    #[must_use]
    pub fn get(&self, side: Side) -> Option<&Clock> {
        self.now[side].as_ref()
    }

    /// This side's clock, to be changed; a side without one gets an empty one first.
    pub fn get_or_new(&mut self, side: Side) -> &mut Clock {
        self.now[side].get_or_insert_with(|| Clock::new(ClockText::default()))
    }

    /// This side's clock, to be changed.
    pub fn get_mut(&mut self, side: Side) -> Option<&mut Clock> {
        self.now[side].as_mut()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp)]
mod tests {
    use super::*;

    #[test]
    fn the_game_servers_clock_subtracts_then_extends_then_increments() {
        let mut clock = Clock::new(ClockText { main: 300.0, increment: 10.0, extension: 120.0 });
        assert_eq!(clock.spend(301.0), Flag::Soft);
        assert_eq!((clock.left(), clock.state()), (129.0, ClockState::Extension));
        assert_eq!(clock.spend(100.0), Flag::Stands);
        assert_eq!(clock.left(), 39.0);
        assert_eq!(clock.spend(60.0), Flag::Hard);
        assert_eq!((clock.left(), clock.state()), (0.0, ClockState::Hard));
    }

    #[test]
    fn time_settings_are_read_as_clients_mean_them() {
        assert!(Clock::from_time_settings(0.0, 0.0, 0).is_none());
        let fischer = Clock::from_time_settings(60.0, 2.0, 0).unwrap().limits();
        assert_eq!(
            (fischer.left.as_secs(), fischer.increment.as_secs(), fischer.moves_to_go),
            (60, 2, 0)
        );
        let per_move = Clock::from_time_settings(0.0, 5.0, 0).unwrap().limits();
        assert_eq!((per_move.left.as_secs(), per_move.moves_to_go), (5, 1));
        let canadian = Clock::from_time_settings(0.0, 300.0, 10).unwrap();
        assert_eq!((canadian.left(), canadian.limits().moves_to_go), (300.0, 10));
    }

    #[test]
    fn a_canadian_period_begins_anew_after_its_moves() {
        let mut clock = Clock::from_time_settings(0.0, 30.0, 2).unwrap();
        assert_eq!(clock.spend(20.0), Flag::Stands);
        assert_eq!((clock.left(), clock.limits().moves_to_go), (10.0, 1));
        assert_eq!(clock.spend(5.0), Flag::Stands);
        assert_eq!((clock.left(), clock.limits().moves_to_go), (30.0, 2));
        assert_eq!(clock.spend(31.0), Flag::Hard);
    }

    #[test]
    fn moves_are_counted_on_where_the_client_tells_the_time_only() {
        let mut clock = Clock::from_time_settings(0.0, 300.0, 40).unwrap();
        clock.spend(1.0);
        clock.set_left(298.5, None);
        assert_eq!((clock.left(), clock.limits().moves_to_go), (298.5, 39));
        clock.set_left(298.5, Some(0));
        assert_eq!(clock.limits().moves_to_go, 0);
    }

    #[test]
    fn numbers_beyond_reason_do_not_overflow() {
        let mut clock =
            Clock::new(ClockText { main: f64::MAX, increment: f64::INFINITY, extension: f64::NAN });
        assert_eq!(clock.spend(f64::NAN), Flag::Stands);
        assert!(clock.limits().left <= Duration::from_secs(1_000_000_000));
    }
}
