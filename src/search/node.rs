//! A node of the search above the small endgames: principal variation search with the table,
//! move ordering and shared nodes. One loop for searches to a limited depth and for those to the
//! end of the game. Values are in centidiscs, for the mover.

use crate::rules::{Bits, Position};

use super::control::EVERY_MOVE;
use super::last::FEW;
use super::order;
use super::probcut;
use super::shallow::SHALLOW;
use super::split::Task;
use super::stability;
use super::stamp::{Played, Stamp};
use super::table::{EXACT, Known, NO_MOVE, Table};
use super::worker::{INFINITE, Worker};

/// From this depth on, the table is used.
const TABLE_FROM: u32 = 2;
/// From this depth on, a search to a limited depth is shared with idle threads.
const SHARE_FROM: u32 = 5;
/// From so many empties on, a search to the end is shared with idle threads.
const SHARE_END_FROM: u32 = 12;

/// What is expected of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On the principal variation: the value is wanted.
    Pv,
    /// Some move will reach beta.
    Cut,
    /// No move will exceed alpha.
    All,
}

impl Kind {
    /// What is expected of the first child.
    #[inline(always)]
    fn eldest(self) -> Self {
        match self {
            Self::Pv => Self::Pv,
            Self::Cut => Self::All,
            Self::All => Self::Cut,
        }
    }

    /// What is expected of the others.
    #[inline(always)]
    fn younger(self) -> Self {
        match self {
            Self::Pv | Self::All => Self::Cut,
            Self::Cut => Self::All,
        }
    }
}

/// What a node is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Up to here the value itself is not wanted, in centidiscs.
    pub alpha: i32,
    /// From here on it is not wanted either.
    pub beta: i32,
    /// Plies to look ahead.
    pub depth: u32,
    /// What is expected of the node.
    pub kind: Kind,
}

impl Look {
    /// The same for a child, whose mover sees the window from the other side.
    #[inline(always)]
    fn below(alpha: i32, beta: i32, depth: u32, kind: Kind) -> Self {
        Self { alpha: -beta, beta: -alpha, depth, kind }
    }
}

/// The value of `position` when looking `depth` plies ahead, if it lies between `alpha` and
/// `beta`, else a bound on the side where it lies. A depth of the empties or more means the end
/// of the game. Void when the worker is.
#[inline(always)]
pub(crate) fn search<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    views: &S::Views,
    look: Look,
) -> i32 {
    let Look { mut alpha, mut beta, mut depth, kind } = look;
    let ground = worker.ground;
    let playable = if S::STANDARD { B::ALL } else { ground.playable };
    let empties = playable & !(position.own | position.other);
    let n_empties = empties.count();
    let to_end = depth >= n_empties;
    let mut unit = 1;
    if to_end {
        // Results are whole discs.
        let (low, high) = (alpha.div_euclid(100), -(-beta).div_euclid(100));
        if n_empties <= FEW {
            return 100 * stamp.few_window(worker, position, low, high);
        }
        if n_empties <= SHALLOW && high - low <= 1 {
            let moves = stamp.mobility(position.own, position.other, playable);
            return 100 * stamp.shallow(worker, position, moves, low);
        }
        (alpha, beta, unit, depth) = (100 * low, 100 * high, 100, n_empties);
    }
    if worker.visit_large() {
        return 0;
    }
    if depth <= 1 && !to_end {
        return if depth == 0 {
            stamp.value(worker, position, views)
        } else {
            frontier(stamp, worker, position, views, (alpha, beta))
        };
    }
    let width = if to_end { worker.control().width() } else { EVERY_MOVE };
    let level = worker.control().level();
    let selectivity = if width == EVERY_MOVE { level } else { width.min(6) as u8 };

    // In small endgames nobody asks for a value any more: neither the ordering nor, in selective
    // searches, ProbCut.
    let asks_from = if level == EXACT { order::EVAL_END_FROM } else { SHALLOW + 1 };
    let keeps_views = !to_end || n_empties > asks_from;
    if to_end
        && let Some(bound) =
            stability::cut(stamp, ground, position, empties, n_empties, alpha.div_euclid(100))
    {
        return 100 * bound;
    }

    let in_table = depth >= TABLE_FROM;
    let key = if in_table { Table::key(position) } else { 0 };
    let entry = if in_table { worker.table.get(position, key) } else { None };
    if let Some(entry) = entry
        && entry.depth >= depth
        && entry.selectivity >= selectivity
    {
        if entry.lower >= beta || entry.lower == entry.upper {
            return entry.lower;
        }
        if entry.upper <= alpha {
            return entry.upper;
        }
        alpha = alpha.max(entry.lower);
        beta = beta.min(entry.upper);
    }
    if level != EXACT && depth >= probcut::LEAST_DEPTH && beta - alpha <= unit {
        let doubt = probcut::Doubt { n_empties, depth, to_end, level, alpha, beta };
        let bound = probcut::cut(stamp, worker, position, views, doubt);
        if worker.is_void() {
            return 0;
        }
        if let Some(bound) = bound {
            return bound;
        }
    }
    let searched_from = alpha;
    let mut best = -INFINITE;
    let mut best_move = NO_MOVE;

    // The table's move needs no ordering, and often ends the node.
    let known = entry.and_then(|entry| {
        let index = u32::from(entry.best[0]);
        let is_free = entry.best[0] != NO_MOVE && empties.has(index);
        let flips = if is_free { stamp.flips(position.own, position.other, index) } else { B::EMPTY };
        (!flips.is_empty()).then(|| (index, position.play_flips(index, flips)))
    });
    if let Some((index, child)) = known {
        let flips = position.other & !child.own;
        let after =
            if keeps_views { stamp.views_after(worker.eval, views, index, flips) } else { *views };
        let value =
            -stamp.node(worker, &child, &after, Look::below(alpha, beta, depth - 1, kind.eldest()));
        if worker.is_void() {
            return 0;
        }
        best = value;
        best_move = index as u8;
        alpha = alpha.max(value);
    }
    if best < beta {
        let moves = stamp.mobility(position.own, position.other, playable);
        if moves.is_empty() {
            let passed = position.pass();
            return if stamp.mobility(passed.own, passed.other, playable).is_empty() {
                100 * ground.final_result(position)
            } else {
                -stamp.node(
                    worker,
                    &passed,
                    &stamp.views_passed(views),
                    Look::below(alpha, beta, depth, kind.eldest()),
                )
            };
        }
        let rest = known.map_or(moves, |(index, _)| moves & !B::bit(index));
        let begin = worker.open_candidates();
        let ordered = order::Node { empties, n_empties, depth, to_end, selectivity, beta };
        if let Some(value) = order::candidates(stamp, worker, position, views, rest, ordered) {
            worker.close_candidates(begin);
            return value;
        }
        if worker.is_void() {
            worker.close_candidates(begin);
            return 0;
        }
        let last = begin.saturating_add(width as usize) - usize::from(known.is_some());
        let share_from = if to_end { SHARE_END_FROM } else { SHARE_FROM };
        let mut at = begin;
        while let Some(candidate) = worker.pick_candidate(at) {
            if at >= last {
                break;
            }
            if best > -INFINITE
                && depth >= share_from
                && let Some(pool) = worker.pool
                && worker.is_work_wanted(pool)
                && worker.open_candidates() > at + 1
            {
                let task = Task { beta, depth: depth - 1, unit, kind };
                let rest = worker.take_candidates(at, last);
                (best, best_move) = worker.share(pool, task, rest, alpha, (best, best_move));
                if worker.is_void() {
                    worker.close_candidates(begin);
                    return 0;
                }
                break;
            }
            at += 1;
            let child = &candidate.child;
            let after = if keeps_views {
                let flips = position.other & !child.own;
                stamp.views_after(worker.eval, views, u32::from(candidate.index), flips)
            } else {
                *views
            };
            let views = &after;
            let value = if best == -INFINITE {
                -stamp.node(worker, child, views, Look::below(alpha, beta, depth - 1, kind.eldest()))
            } else {
                let younger = kind.younger();
                let value = -stamp.node(
                    worker,
                    child,
                    views,
                    Look::below(alpha, alpha + unit, depth - 1, younger),
                );
                if alpha < value && value < beta && !worker.is_void() {
                    -stamp.node(worker, child, views, Look::below(value, beta, depth - 1, Kind::Pv))
                } else {
                    value
                }
            };
            if worker.is_void() {
                worker.close_candidates(begin);
                return 0;
            }
            if value > best {
                best = value;
                best_move = candidate.index;
                if value > alpha {
                    alpha = value;
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        worker.close_candidates(begin);
    }
    if in_table {
        let known = Known {
            lower: if best > searched_from { best } else { -INFINITE },
            upper: if best < beta { best } else { INFINITE },
            depth,
            selectivity,
            best: best_move,
        };
        worker.table.put(position, key, &known);
    }
    best
}

/// The value of `position` when looking one ply ahead, as in [`search`].
#[inline(always)]
fn frontier<B: Bits, S: Stamp<B>>(
    stamp: S,
    worker: &mut Worker<'_, B>,
    position: &Position<B>,
    views: &S::Views,
    (alpha, beta): (i32, i32),
) -> i32 {
    let ground = worker.ground;
    let playable = if S::STANDARD { B::ALL } else { ground.playable };
    let moves = stamp.mobility(position.own, position.other, playable);
    if moves.is_empty() {
        let passed = position.pass();
        return if stamp.mobility(passed.own, passed.other, playable).is_empty() {
            100 * ground.final_result(position)
        } else {
            // Again one ply ahead; the side that can move has the last word.
            -stamp.node(
                worker,
                &passed,
                &stamp.views_passed(views),
                Look { alpha: -INFINITE, beta: INFINITE, depth: 1, kind: Kind::Pv },
            )
        };
    }
    let mut best = -INFINITE;
    for index in moves.iter() {
        let flips = stamp.flips(position.own, position.other, index);
        let child = position.play_flips(index, flips);
        worker.meter.count();
        let value = if child.own.is_empty() {
            -100 * ground.final_result(&child)
        } else {
            let window = (-beta, -best.max(alpha));
            -stamp.leaf(worker, views, &child, Played { index, flips }, window)
        };
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

/// The value of a move behind the first one of a shared node.
pub(crate) fn brother_value<B: Bits>(
    worker: &mut Worker<'_, B>,
    child: &Position<B>,
    alpha: i32,
    task: Task,
) -> i32 {
    let Task { beta, depth, unit, kind } = task;
    let value = -worker.look_as(child, Look::below(alpha, alpha + unit, depth, kind.younger()));
    if alpha < value && value < beta && !worker.is_void() {
        -worker.look_as(child, Look::below(value, beta, depth, Kind::Pv))
    } else {
        value
    }
}
