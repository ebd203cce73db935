//! Multi-ProbCut: a shallow search that lies far outside the window stands for the deep one.
//!
//! The value of a shallow search is off from that of a deep one by an error whose spread is known
//! ([`SPREADS`]); where the shallow value is so many spreads beyond alpha or beta, the deep one is
//! taken to be beyond it too. How many spreads that are is the selectivity of a search (M. Buro,
//! "Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997).

use std::array;
use std::sync::LazyLock;

use crate::rules::{Bits, Position};

use super::node::{Kind, Look};
use super::stamp::Stamp;
use super::table::EXACT;
use super::worker::Worker;

/// A selectivity, from the boldest to the most careful.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// How often a cut is right if errors are normally distributed, in percent.
    pub percent: u32,
    /// Spreads, in hundredths.
    spreads: i32,
}

/// All levels. Their places are what the table remembers; [`EXACT`] stands for a search without
/// cuts.
pub(crate) const LEVELS: [Level; 5] = [
    Level { percent: 73, spreads: 110 },
    Level { percent: 87, spreads: 150 },
    Level { percent: 95, spreads: 200 },
    Level { percent: 98, spreads: 260 },
    Level { percent: 99, spreads: 330 },
];

/// Searches of fewer plies are cheap, and one or two plies say little of them. On `hard-30` (reference
/// shelf) at 15 plies: from 3 plies on 49 M nodes, a mean error of 1.70 discs and 75 % of the best moves;
/// from 4 on 58 M, 1.68 and 77 %; from 5 on 81 M, 1.72 and 73 %.
pub(crate) const LEAST_DEPTH: u32 = 4;
/// Shallow searches within shallow searches within ..., at most so many.
const MOST_NESTED: u32 = 2;

/// A shallow search is tried only where the value without any search is at most so much of its
/// own margin on the wrong side, in percent.
const GUESS_SHARE: i32 = 40;

/// The place of the level with this percentage in [`LEVELS`]; [`EXACT`] for 100.
pub(crate) fn level(percent: u32) -> u8 {
    LEVELS.iter().position(|level| level.percent >= percent).map_or(EXACT, |place| place as u8)
}

/// The greatest level that a search with this percentage has reached; the boldest where it has
/// reached none.
pub(crate) fn level_reached(percent: u32) -> u8 {
    if percent >= 100 {
        return EXACT;
    }
    LEVELS.iter().rposition(|level| level.percent <= percent).map_or(0, |place| place as u8)
}

/// The percentage of a level, 100 for [`EXACT`].
pub(crate) fn percent(level: u8) -> u32 {
    LEVELS.get(usize::from(level)).map_or(100, |level| level.percent)
}

/// The depth of the shallow search: of the same parity, since values of odd and even depths
/// differ.
fn shallow_depth(depth: u32, to_end: bool) -> u32 {
    let shallow = if to_end { depth / 6 * 2 } else { depth / 4 * 2 } + depth % 2;
    if shallow == 0 { depth - 2 } else { shallow }
}

/// More empties, or plies, than 8x8 has.
const MOST: usize = 61;

/// Spreads of the difference between the values of two depths, in centidiscs.
struct Spreads {
    /// By empties and depth: from the depth of the shallow search.
    shallow: [[u16; MOST]; MOST],
    /// By empties and depth: from the value without a search.
    guess: [[u16; MOST]; MOST],
    /// The same for searches to the end, by empties.
    end_shallow: [u16; MOST],
    end_guess: [u16; MOST],
}

/// The logarithm of a spread in discs is the sum of these times 1, the empties, their square, the
/// logarithm of the depth and that of the shallow depth plus 1. `outflank train probcut` measures
/// and fits them (`train/doubts.rs` tells how); here on 1,200 positions of 16 to 52 empties from games
/// of experts and of the engine with itself and from leaves, met within 11 %, and on 1,000 of anti, within 16 %.
/// First for games that most discs win, then for those that the fewest win.
const MIDGAME: [[f64; 5]; 2] =
    [[2.240, -0.0611, 0.000_83, 0.4182, -0.7229], [0.987, -0.0028, -0.000_35, 0.6615, -0.8528]];
/// The same for searches to the end: times 1 and the logarithm of the shallow depth plus 1. Met
/// within 10 %, for anti within 11 %.
const END: [[f64; 2]; 2] = [[2.055, -0.3234], [1.887, -0.3981]];

/// As [`MIDGAME`] and [`END`] say.
static SPREADS: LazyLock<[Spreads; 2]> =
    LazyLock::new(|| [spreads(&MIDGAME[0], END[0]), spreads(&MIDGAME[1], END[1])]);

fn spreads(midgame: &[f64; 5], end: [f64; 2]) -> Spreads {
    let spread = |empties: usize, depth: usize, shallow: u32| {
        let (empties, depth) = (empties as f64, depth as f64);
        let terms = [1.0, empties, empties * empties, depth.ln(), f64::from(shallow + 1).ln()];
        let log: f64 = midgame.iter().zip(terms).map(|(factor, term)| factor * term).sum();
        (100.0 * log.exp()) as u16
    };
    let end_spread =
        |shallow: u32| (100.0 * (end[0] + end[1] * f64::from(shallow + 1).ln()).exp()) as u16;
    let by_depth = |spread: &dyn Fn(usize, usize) -> u16| {
        array::from_fn(|empties| {
            array::from_fn(|depth| if depth < 2 { 0 } else { spread(empties, depth) })
        })
    };
    Spreads {
        shallow: by_depth(&|empties, depth| spread(empties, depth, shallow_depth(depth as u32, false))),
        guess: by_depth(&|empties, depth| spread(empties, depth, 0)),
        end_shallow: array::from_fn(
            |n| {
                if n < 2 { 0 } else { end_spread(shallow_depth(n as u32, true)) }
            },
        ),
        end_guess: [end_spread(0); MOST],
    }
}

/// What a node of a null window is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Doubt {
    pub n_empties: u32,
    pub depth: u32,
    pub to_end: bool,
    pub level: u8,
    pub alpha: i32,
    pub beta: i32,
}

/// A bound for a node, if a shallow search leaves little doubt. Void when the worker is.
#[inline(always)]
pub(crate) fn cut<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    views: &S::Views,
    doubt: Doubt,
) -> Option<i32> {
    let Doubt { n_empties, depth, to_end, level, alpha, beta } = doubt;
    if worker.nested >= MOST_NESTED {
        return None;
    }
    let spreads = LEVELS.get(usize::from(level))?.spreads;
    let shallow = shallow_depth(depth, to_end);
    let spreads_here = &SPREADS[usize::from(worker.ground.anti())];
    let at = (n_empties as usize).min(MOST - 1);
    let (of_shallow, of_guess) = if to_end {
        (spreads_here.end_shallow[at], spreads_here.end_guess[at])
    } else {
        let depth = (depth as usize).min(MOST - 1);
        (spreads_here.shallow[at][depth], spreads_here.guess[at][depth])
    };
    let margin = spreads * i32::from(of_shallow) / 100;
    let doubtful = spreads * i32::from(of_guess) / 100 * GUESS_SHARE / 100;
    let most = 100 * worker.ground.squares as i32;
    let guess = stamp.value(worker, position, views);
    worker.meter.count();
    let (high, low) = (beta + margin, alpha - margin);
    if guess >= beta - doubtful && high < most {
        worker.nested += 1;
        let look = Look { alpha: high - 1, beta: high, depth: shallow, kind: Kind::Cut };
        let value = stamp.node(worker, position, views, look);
        worker.nested -= 1;
        if value >= high && !worker.is_void() {
            return Some(beta);
        }
    }
    if guess <= alpha + doubtful && low > -most {
        worker.nested += 1;
        let look = Look { alpha: low, beta: low + 1, depth: shallow, kind: Kind::All };
        let value = stamp.node(worker, position, views, look);
        worker.nested -= 1;
        if value <= low && !worker.is_void() {
            return Some(alpha);
        }
    }
    None
}
