//! How far to look and how long to think: levels, clocks and other limits
//! become one plan for a search.

use std::time::Duration;

use crate::engine::{ClockLimits, Goal, Limits};

use super::probcut;
use super::table::EXACT;

/// What bounds one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Plies to look ahead; the number of empties, or more, means the end.
    pub max_depth: u32,
    /// How much searches short of the end leave out: a level of ProbCut, or none.
    pub level: u8,
    /// How much the search to the end leaves out in the end.
    pub end_level: u8,
    /// The search to the end is begun only if it is likely to be finished.
    pub end_if_affordable: bool,
    /// No new depth is begun after about this time.
    pub soft: Option<Duration>,
    /// The search ends at this time, whatever it does.
    pub hard: Option<Duration>,
    /// The search ends after this many nodes.
    pub nodes: Option<u64>,
}

/// Strength levels as Edax counts them. Levels 1 to 10 look as many plies ahead as their number
/// says and go to the end from twice as many empties, without cuts. The others, in rows up to the
/// level in the first column, go to the end from the empties in the second column, with the
/// selectivity beside it (in percent), and before that look as many plies ahead as their number
/// says, at 73 %. Level 60 goes to the end.
const LEVELS: [(u32, &[(u32, u32)]); 10] = [
    (12, &[(21, 100), (24, 98)]),
    (18, &[(21, 100), (24, 98), (27, 87)]),
    (21, &[(24, 100), (27, 98), (30, 87)]),
    (24, &[(24, 100), (27, 99), (30, 95), (33, 73)]),
    (27, &[(27, 100), (30, 98), (33, 87)]),
    (30, &[(27, 100), (30, 99), (33, 95), (36, 73)]),
    (31, &[(30, 100), (33, 98), (36, 87)]),
    (33, &[(30, 100), (33, 99), (36, 95), (39, 73)]),
    (35, &[(33, 100), (36, 98), (39, 87)]),
    (59, &[(33, 100), (36, 99), (39, 95), (42, 73)]),
];

/// The level when nothing is limited, by the squares of the board: nodes of
/// large boards have more moves and take longer.
const DEFAULT_LEVELS: [(u32, u32); 3] = [(64, 10), (121, 8), (256, 6)];

/// Time that passes between our answer and the stopping of the clock.
const OVERHEAD: Duration = Duration::from_millis(100);
/// The same for a fixed time a move, which is measured by the caller.
const MOVE_MARGIN: Duration = Duration::from_millis(30);
/// From about this many empties on, the rest of the game costs no time.
const FREE_EMPTIES: u32 = 14;

/// What a plan has to know of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    /// Squares without a disc.
    pub n_empties: u32,
    /// All squares.
    pub squares: u32,
    /// Whether its evaluation has cuts fitted to it, so that a search can leave something out.
    pub has_cuts: bool,
}

/// The plan for a search.
pub(crate) fn plan(limits: &Limits, goal: Goal, deterministic: bool, board: Board) -> Plan {
    let plan = plan_with_cuts(limits, goal, deterministic, board);
    if board.has_cuts { plan } else { Plan { level: EXACT, end_level: EXACT, ..plan } }
}

fn plan_with_cuts(limits: &Limits, goal: Goal, deterministic: bool, board: Board) -> Plan {
    let Board { n_empties, squares, has_cuts } = board;
    let timed = !deterministic && (limits.move_time.is_some() || limits.clock.is_some());
    let (soft, hard) = if timed { times(limits, n_empties) } else { (None, None) };
    let mut plan = Plan {
        max_depth: n_empties,
        level: probcut::level(73),
        end_level: probcut::level(limits.selectivity.unwrap_or(100)),
        end_if_affordable: timed || limits.nodes.is_some(),
        soft,
        hard,
        nodes: limits.nodes,
    };
    if matches!(goal, Goal::Solve { .. }) {
        plan.end_if_affordable = false;
        plan.soft = None;
        // Solving goes to the end unless somebody says how far.
        if let Some(depth) = limits.depth {
            plan.max_depth = plan.max_depth.min(depth.max(1));
        }
        if let Some(level) = limits.level {
            plan.max_depth = plan.max_depth.min(level_depth(level, n_empties, has_cuts).0);
        }
        return plan;
    }
    if let Some(depth) = limits.depth {
        plan.max_depth = plan.max_depth.min(depth.max(1));
    }
    let bounded = timed || limits.nodes.is_some() || limits.depth.is_some() || limits.infinite;
    if let Some(percent) = limits.selectivity {
        plan.level = probcut::level(percent);
    } else if limits.depth.is_some() {
        plan.level = EXACT;
    }
    let level = limits.level.or((!bounded).then(|| default_level(squares)));
    if let Some(level) = level {
        let (depth, percent) = level_depth(level, n_empties, has_cuts);
        plan.max_depth = plan.max_depth.min(depth);
        if limits.selectivity.is_none() {
            let at_end = depth >= n_empties;
            *(if at_end { &mut plan.end_level } else { &mut plan.level }) = probcut::level(percent);
        }
    }
    // Who names a depth wants it reached.
    plan.end_if_affordable &= limits.depth.is_none_or(|depth| depth < n_empties);
    plan
}

/// The most empty squares of a position that a level, or the default one, searches to the end
/// without leaving anything out, on a board of so many squares.
pub(crate) fn exact_from(level: Option<u32>, squares: u32) -> u32 {
    let level = level.unwrap_or_else(|| default_level(squares));
    let is_exact = |n_empties: &u32| level_depth(level, *n_empties, false) == (*n_empties, 100);
    (1..=squares).rev().find(is_exact).unwrap_or(0)
}

fn default_level(squares: u32) -> u32 {
    DEFAULT_LEVELS.iter().find(|&&(most, _)| squares <= most).map_or(6, |&(_, level)| level)
}

/// How deep a level looks, all the empties when it goes to the end, and its selectivity in percent.
fn level_depth(level: u32, n_empties: u32, has_cuts: bool) -> (u32, u32) {
    let short = level.clamp(1, n_empties.max(1));
    if level <= 10 {
        return if n_empties <= 2 * level { (n_empties, 100) } else { (short, 100) };
    }
    let ends = LEVELS.iter().find(|(last, _)| level <= *last).map_or(&[(60, 100)][..], |row| row.1);
    // Without cuts the end is only for those who see it exactly.
    let mut ends = ends.iter().filter(|&&(_, percent)| has_cuts || percent == 100);
    let end = ends.find(|&&(most, _)| n_empties <= most);
    end.map_or((short, 73), |&(_, percent)| (n_empties, percent))
}

/// Soft and hard limit of the time for one move.
fn times(limits: &Limits, n_empties: u32) -> (Option<Duration>, Option<Duration>) {
    let fixed = limits.move_time.map(|time| {
        let margin = MOVE_MARGIN.min(time / 3);
        time - margin
    });
    let Some(clock) = limits.clock else {
        // All of a fixed time may be used, so there is nothing to save.
        return (None, fixed);
    };
    let (soft, hard) = shares(clock, n_empties);
    let within = |time: Duration| fixed.map_or(time, |fixed| time.min(fixed));
    (Some(within(soft)), Some(within(hard)))
}

/// The share of a clock for one move, and the most that may be used of it.
fn shares(clock: ClockLimits, n_empties: u32) -> (Duration, Duration) {
    let own_moves = n_empties.div_ceil(2).max(1);
    let moves_to_go = match clock.moves_to_go {
        0 => own_moves,
        moves => moves.min(own_moves),
    };
    // Every move still to come costs its overhead; what is left is ours. A
    // clock too short for that is spent a little at a time.
    let reserved = OVERHEAD.saturating_sub(clock.increment) * (moves_to_go - 1) + OVERHEAD;
    let usable = clock.left.saturating_sub(reserved);
    if usable.is_zero() {
        let little = clock.left / (20 * moves_to_go);
        return (little, little);
    }
    // The last move of a period has nothing behind it that could make up for an overshoot.
    let usable = if moves_to_go == 1 && clock.moves_to_go > 0 { usable * 17 / 20 } else { usable };
    // The last moves are found in no time once the end has been seen.
    let thinking_moves = match clock.moves_to_go {
        0 => n_empties.saturating_sub(FREE_EMPTIES).div_ceil(2).max(2),
        _ => moves_to_go,
    };
    let gain = clock.increment.saturating_sub(OVERHEAD) * 8 / 10;
    let share = (usable / thinking_moves + gain).min(usable);
    // Near the end the whole rest hangs on this one solve.
    let (most, of) = match n_empties {
        0..=22 => (1, 2),
        23..=28 => (2, 5),
        _ => (1, 4),
    };
    let most = if moves_to_go == 1 { usable * 9 / 10 } else { usable * most / of };
    let hard = (share * 4).min(most.max(share)).min(usable);
    (share.min(hard), hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(left_ms: u64, increment_ms: u64, moves_to_go: u32) -> ClockLimits {
        ClockLimits {
            left: Duration::from_millis(left_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
        }
    }

    /// Plays a game that uses the hard limit of every move and loses the
    /// overhead on top; returns whether the clock held out.
    fn survives(left_ms: u64, increment_ms: u64, moves_a_period: u32) -> bool {
        let start = Duration::from_millis(left_ms);
        let increment = Duration::from_millis(increment_ms);
        let mut left = start;
        let mut to_go = moves_a_period;
        for n_empties in (1..=60).rev().step_by(2) {
            let limits = ClockLimits { left, increment, moves_to_go: to_go };
            let (soft, hard) = shares(limits, n_empties);
            assert!(soft <= hard);
            let used = hard + OVERHEAD;
            if used > left {
                return false;
            }
            left = left - used + increment;
            if moves_a_period > 0 {
                to_go -= 1;
                if to_go == 0 {
                    to_go = moves_a_period;
                    left += start;
                }
            }
        }
        true
    }

    #[test]
    fn no_clock_is_overrun_by_the_overhead() {
        for left_ms in [3_200, 5_000, 10_000, 60_000, 300_000, 1_800_000] {
            for increment_ms in [0, 50, 100, 1_000, 10_000] {
                assert!(survives(left_ms, increment_ms, 0), "{left_ms} {increment_ms}");
            }
            for moves in [1, 2, 5, 10, 25] {
                assert!(survives(left_ms, 0, moves), "{left_ms} in {moves} moves");
            }
        }
        assert!(survives(200, 200, 0));
    }

    #[test]
    fn a_period_of_one_move_is_used() {
        let (_, hard) = shares(clock(1_000, 0, 1), 40);
        assert!(hard > Duration::from_millis(700));
    }

    #[test]
    fn a_fixed_time_leaves_a_margin() {
        let limits = Limits { move_time: Some(Duration::from_millis(1000)), ..Limits::default() };
        let plan =
            plan(&limits, Goal::BestMove, false, Board { n_empties: 30, squares: 64, has_cuts: true });
        assert_eq!(plan.hard, Some(Duration::from_millis(970)));
    }

    #[test]
    fn levels_grow_and_the_last_one_sees_the_end() {
        assert_eq!(level_depth(0, 40, true), (1, 100));
        assert_eq!(level_depth(10, 20, true), (20, 100));
        assert_eq!(level_depth(10, 21, true), (10, 100));
        assert_eq!(level_depth(21, 24, true), (24, 100));
        assert_eq!(level_depth(21, 30, true), (30, 87));
        assert_eq!(level_depth(21, 31, true), (21, 73));
        assert_eq!(level_depth(21, 27, true), (27, 98));
        assert_eq!(level_depth(21, 27, false), (21, 73));
        assert_eq!(level_depth(60, 60, true), (60, 100));
        for n_empties in 1..=60 {
            for level in 0..60 {
                assert!(level_depth(level, n_empties, true) <= level_depth(level + 1, n_empties, true));
            }
        }
    }

    #[test]
    fn a_level_sees_the_end_exactly_from_the_empties_of_its_row() {
        let check =
            |level, squares, empties| assert_eq!(exact_from(level, squares), empties, "{level:?}");
        check(Some(0), 64, 1);
        check(Some(6), 64, 12);
        check(Some(10), 64, 20);
        check(Some(16), 64, 21);
        check(Some(21), 64, 24);
        check(Some(60), 64, 60);
        check(None, 64, 20);
        check(None, 100, 16);
        check(None, 256, 12);
    }

    #[test]
    fn clocks_do_not_count_when_the_answer_must_not_depend_on_time() {
        let limits = Limits { clock: Some(clock(1, 0, 0)), ..Limits::default() };
        let plan =
            plan(&limits, Goal::BestMove, true, Board { n_empties: 60, squares: 64, has_cuts: true });
        assert_eq!((plan.hard, plan.max_depth), (None, 10));
    }
}
